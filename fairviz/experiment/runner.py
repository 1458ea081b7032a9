"""The runner of every experiment: retrieve, prompt, answer, write, report.

What is asked comes from one of three question sources; the runner reads the description, makes the folder, says how
far it is, writes the files and reports. Equal results are equal bytes. Each file is whole or absent, and the manifest,
written last, says that all are there.
"""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from io import BytesIO, StringIO
from itertools import count
from pathlib import Path
from typing import Protocol, TextIO, TypeAlias, cast

from fairviz.errors import UsageError
from fairviz.experiment.bias.source import BiasSource
from fairviz.experiment.components.registry import Choice
from fairviz.experiment.config import BiasConfig, ExperimentConfig, RankingConfig, read_config
from fairviz.experiment.rankings.source import RankingSource
from fairviz.experiment.variants.source import VariantSource
from fairviz.io.manifest import MANIFEST, facts_of, faults, manifest_text
from fairviz.io.whole import sole_writer, write_whole
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
        manifest: The manifest, written after them.
        n_useful: Useful documents of each question, by the generator's utility gain; empty where
            nothing was labelled.
        dropped: Questions with fewer than ``min_useful``: they are in the run, and in nothing else.
        notes: What the readers repaired, and what an earlier run had left unfinished.
    """

    files: tuple[Path, ...]
    manifest: Path
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
        OutputError: If a file cannot be written, or another process is writing to the folder.
    """
    settings = read_config(config)
    source = question_source(settings)
    folder = _made_folder(output or settings.output, config)
    numbers = count(1)

    def step(what: str) -> None:
        if progress:
            progress(what, next(numbers), source.n_steps)

    files: list[Path] = []
    with sole_writer(folder / LOCK, str(folder)):
        mended = _mended(folder)
        for name, write in source.files(step):
            files.append(folder / name)
            write_text(files[-1], write)
        write_whole(folder / MANIFEST, _manifest(files, settings).encode())
    return ExperimentReport(
        files=tuple(files),
        manifest=folder / MANIFEST,
        n_useful=source.n_useful,
        dropped=source.dropped,
        notes=(*source.notes, *mended),
    )


LOCK = ".fairviz.lock"
"""In the folder while an experiment writes to it."""


def _mended(folder: Path) -> list[Note]:
    """What is wrong with results that were there, and is made again now."""
    if not (folder / MANIFEST).exists():
        return []
    return [Note(str(folder), None, f"unfinished results were made again: {fault}") for fault in faults(folder)]


def _manifest(files: Sequence[Path], settings: ExperimentConfig) -> str:
    """The manifest of these files; paths are relative to the description, and the folder of output is not in it."""
    read = {settings.file.name: settings.file}

    def plain(value: object) -> object:
        if isinstance(value, Path):
            name = Path(os.path.relpath(value, settings.file.parent)).as_posix()
            read[name] = value
            return name
        if isinstance(value, Choice):
            return plain(value._asdict())
        if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in cast("Mapping[str, object]", value).items()}
        return [plain(item) for item in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value

    configured = {
        field.name: plain(getattr(settings, field.name))
        for field in fields(settings)
        if field.name not in {"file", "output"}
    }
    return manifest_text(
        {path.name: facts_of(path.read_bytes()) for path in files},
        inputs=[(name, facts_of(path.read_bytes()).sha256) for name, path in read.items() if path.is_file()],
        configuration=configured,
    )


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
        write_whole(path, content)
    elif _held(path) != content:
        packed = BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        write_whole(path, packed.getvalue())


def _held(path: Path) -> bytes | None:
    """What a compressed file holds, None where it is missing or broken."""
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        return None


def _made_folder(folder: Path, config: Path) -> Path:
    """The folder to write to, made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a name may hold a NUL
        said = error.strerror if isinstance(error, OSError) else error
        reason = f"output: the folder {folder} cannot be made ({said})"
        raise UsageError(f"{config}: {reason}; name another") from error
    return folder
