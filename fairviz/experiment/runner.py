"""The runner of every experiment: retrieve, prompt, answer, write, report.

What is asked comes from one of three question sources; the runner reads the description, makes the folder, says how
far it is, writes the files and reports. Equal results are equal bytes.
"""

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO, StringIO
from itertools import count
from pathlib import Path
from typing import Protocol, TextIO, TypeAlias

from fairviz.errors import UsageError
from fairviz.experiment.config import BiasConfig, ExperimentConfig, RankingConfig, read_config
from fairviz.experiment.source_bias import BiasSource
from fairviz.experiment.source_rankings import RankingSource
from fairviz.experiment.source_variants import VariantSource
from fairviz.model import Note

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is done now, the step's number from 1, and the number of steps."""


class QuestionSource(Protocol):
    """The questions of one experiment: what is retrieved for them, how they are asked, what is kept of the answers.

    To make one reads what the experiment starts from, so that its faults are told before anything is written.
    """

    @property
    def n_steps(self) -> int:
        """Steps that :meth:`files` announces."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the readers repaired."""
        ...

    @property
    def n_useful(self) -> Mapping[str, int]:
        """Useful documents of each question, where documents are labelled."""
        ...

    @property
    def dropped(self) -> tuple[str, ...]:
        """Questions that were left out."""
        ...

    def files(self, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Retrieve, prompt and answer: name and writer of each file, in the order of their making.

        Args:
            step: Called before each step with what it does.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReport:
    """What an experiment left behind.

    Attributes:
        files: The files written, in the order of their making.
        n_useful: Useful documents of each question, by the generator's utility gain; empty where
            nothing was labelled.
        dropped: Questions with fewer than ``min_useful``: they are in the run, and in nothing else.
        notes: What the readers repaired.
    """

    files: tuple[Path, ...]
    n_useful: Mapping[str, int]
    dropped: tuple[str, ...]
    notes: tuple[Note, ...]


def run_experiment(config: Path, *, output: Path | None = None, progress: Progress | None = None) -> ExperimentReport:
    """Make every file of an experiment; the same configuration gives the same bytes.

    Args:
        config: The TOML file; its ``kind`` is "rankings" where it says nothing.
        output: Folder to write to, in the place of the configuration's.
        progress: Called before each step.

    Raises:
        InputError: If a file cannot be read, or a question has no reference answer.
        UsageError: If the configuration names what is not accepted.
        UndefinedError: If nothing is left to answer.
    """
    settings = read_config(config)
    source = question_source(settings)
    folder = _made_folder(output or settings.output, config)
    numbers = count(1)

    def step(what: str) -> None:
        if progress:
            progress(what, next(numbers), source.n_steps)

    files: list[Path] = []
    for name, write in source.files(step):
        files.append(folder / name)
        write_text(files[-1], write)
    return ExperimentReport(files=tuple(files), n_useful=source.n_useful, dropped=source.dropped, notes=source.notes)


def question_source(settings: ExperimentConfig) -> QuestionSource:
    """The questions that a configuration describes."""
    match settings:
        case RankingConfig():
            return RankingSource(settings)
        case BiasConfig():
            return BiasSource(settings)
        case _:
            return VariantSource(settings)


def write_text(path: Path, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill a file; a name in ``.gz`` is compressed.

    The gzip header carries no time and no name. Builds of zlib differ in the bytes they make of
    the same text, so a compressed file that already holds the text is left as it is.
    """
    text = StringIO(newline="\n")
    write(text)
    content = text.getvalue().encode()
    if path.suffix != ".gz":
        path.write_bytes(content)
    elif _held(path) != content:
        packed = BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        path.write_bytes(packed.getvalue())


def _held(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return None


def _made_folder(folder: Path, config: Path) -> Path:
    """The folder to write to, made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"output: the folder {folder} cannot be made ({error.strerror})"
        raise UsageError(f"{config}: {reason}; name another") from error
    return folder
