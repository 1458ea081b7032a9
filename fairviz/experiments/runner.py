"""The runner of every experiment: retrieve, prompt, answer, write, report.

What is asked comes from one of three question sources; the runner reads the description, makes the folder, says how
far it is, writes the files and reports. Equal results are equal bytes. Each file is whole or absent, and the manifest,
written last, says that all are there.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import singledispatch
from itertools import chain, islice
from itertools import count as numbered_from
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeGuard, cast

from pydantic import BaseModel

from fairviz.display.table import Table, csv_text, labelled
from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.experiments.asking import (
    KEY_DIGITS,
    Answers,
    AskTally,
    ModelRequest,
    Question,
    QuestionSource,
    Round,
    read_as,
    texts_of,
)
from fairviz.experiments.bias import BiasSource
from fairviz.experiments.config import BiasConfig, ExperimentConfig, RankingConfig, VariantConfig, read_config
from fairviz.experiments.description import UNRECORDED, Component
from fairviz.experiments.protocols import Identities, Reply
from fairviz.experiments.rankings import RankingSource
from fairviz.experiments.retrievers import packages_of
from fairviz.experiments.store import Store, in_parts
from fairviz.experiments.variants import VariantSource
from fairviz.io.manifest import MANIFEST, facts_of_file, faults, manifest_text
from fairviz.io.notes import shown
from fairviz.io.whole import sole_writer, write_text, write_whole
from fairviz.model import Note
from fairviz.numerals import count, plural

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is done now, how much of it is done, and how much there is of it."""
Stop: TypeAlias = Callable[[AskTally], bool]
"""Asked after each reply whether to leave the rest."""


class ExperimentReport(NamedTuple):
    """What an experiment left behind.

    Attributes:
        files: The files written, in the order of their making.
        manifest: The manifest, written after them.
        notes: What the readers repaired, what an earlier run had left unfinished, and questions that were dropped since
            they have fewer than ``min_useful`` useful documents: they are in the run, and in nothing else.
    """

    files: tuple[Path, ...]
    manifest: Path
    notes: tuple[Note, ...]


class Missing(NamedTuple):
    """Requests that lack an answer.

    Attributes:
        what: The first of their rounds.
        n: How many.
        n_requests: Of how many requests of these rounds.
        requests: Gives them, each time anew.
        more: Whether further ones follow from their answers.
        tolerable: Whether no round lacks more than the share ``max_failures``: results can be made without them.
    """

    what: str
    n: int
    n_requests: int
    requests: Callable[[], Iterator[ModelRequest]]
    more: bool
    tolerable: bool

    @property
    def words(self) -> str:
        """How many of how many."""
        share = f"{count(self.n)} of {plural(self.n_requests, 'answer')}"
        return f"{share} {'is' if self.n == 1 else 'are'} missing ({self.what})"


@singledispatch
def source_of(settings: ExperimentConfig, store: Store) -> QuestionSource:
    """The questions that a description asks: of each kind its own.

    Raises:
        TypeError: It is of no kind that is registered here.
    """
    raise TypeError(f"no questions are asked by {type(settings).__name__}")


source_of.register(RankingConfig, RankingSource)
source_of.register(BiasConfig, BiasSource)
source_of.register(VariantConfig, VariantSource)


class Experiment:
    """An experiment that was read, and its folder.

    To make one tells every fault of what it reads; nothing is written yet.

    Args:
        config: The TOML file; its ``kind`` is "rankings" where it says nothing.
        output: Folder to write to, in the place of the configuration's.

    Raises:
        InputError: If a file cannot be read, or a question has no reference answer.
        UsageError: If the configuration names what is not accepted.
    """

    def __init__(self, config: Path, *, output: Path | None = None) -> None:
        self._config = config
        self.settings = read_config(config)
        self.folder = output or self.settings.folder
        store = Store(self.folder / STORE)
        self.source = source_of(self.settings, store)
        self.answers = Answers(self.source.models, store)

    @property
    def key_names(self) -> tuple[str, ...]:
        """Variables of the environment that hold the keys of the servers that are asked."""
        tables = [*self.settings.retrievers, *self.settings.generators]
        return tuple(dict.fromkeys(name for table in tables if (name := table.parameters.get("key_env"))))

    @contextmanager
    def writing(self) -> Generator[None, None, None]:
        """Hold the folder, made where it is missing, so that no second process asks or writes there.

        Raises:
            OutputError: Another process holds it.
        """
        folder = _made_folder(self.folder, self._config)
        with sole_writer(folder / LOCK, str(folder)):
            yield

    def missing(self) -> Missing | None:
        """What lacks an answer, up to the first round that lacks too many to go on; None where nothing does."""
        rounds = list(self._countable_rounds())
        lacking = [(round_, n_requests, n_missing) for round_, n_requests, n_missing in rounds if n_missing]
        if not lacking:
            return None
        _, n_requests, n_missing = rounds[-1]
        return Missing(
            lacking[0][0].what,
            sum(n_missing for *_, n_missing in lacking),
            sum(n_requests for _, n_requests, _ in lacking),
            lambda: self.answers.requests(chain.from_iterable(round_.questions() for round_, *_ in lacking)),
            more=len(rounds) < sum(1 for _ in self.source.outlook(self.answers)),
            tolerable=not self._too_many(n_missing, n_requests),
        )

    def _countable_rounds(self) -> Iterator[tuple[Round, int, int]]:
        """Rounds up to the first that lacks too many answers for the next, each counted."""
        for round_ in self.source.rounds(self.answers):
            n_requests, n_missing = self._counted(round_)
            yield round_, n_requests, n_missing
            if self._too_many(n_missing, n_requests):
                break

    def _counted(self, round_: Round) -> tuple[int, int]:
        """Distinct requests of a round, and those of them that lack an answer."""
        n_requests = n_missing = 0
        for part in in_parts(self.answers.distinct(round_.questions())):
            n_requests += len(part)
            n_missing += sum(1 for _ in self.answers.missing(part))
        return n_requests, n_missing

    def _too_many(self, n_missing: int, n_requests: int) -> bool:
        return n_missing > self.settings.max_failures * n_requests

    def ask(self, *, progress: Progress | None = None, stop: Stop = lambda tally: False) -> AskTally:
        """Ask what is missing, round after round, and store each answer as it comes.

        A round of which more than the share ``max_failures`` is missing in the end is the last.

        Args:
            progress: Told what is asked, how many replies there were, and of how many.
            stop: Asked after each reply whether to leave the rest.
        """
        total = AskTally()
        for round_ in self.source.rounds(self.answers):
            n_requests, n_missing = self._counted(round_)
            n_before = total.n_answers

            def report(n: int, what: str = round_.what, n_missing: int = n_missing) -> None:
                if progress and n_missing:
                    progress(what, n, n_missing)

            requests = self.answers.requests(round_.questions())
            total = self.answers.ask(requests, total=total, progress=report, stop=stop)
            if stop(total) or self._too_many(n_missing - (total.n_answers - n_before), n_requests):
                break
        return total

    def planned(self) -> Iterator[Round]:
        """All rounds: exactly as far as the answers before them are there, then at most."""
        rounds = [round_ for round_, *_ in self._countable_rounds()]
        yield from rounds
        for round_ in islice(self.source.outlook(self.answers), len(rounds), None):
            yield round_._replace(at_most=True)

    def answered(self) -> Iterator[tuple[ModelRequest, str]]:
        """Every distinct request whose answer is stored, in the order of asking, with the answer."""
        store = self.answers.store
        for part in in_parts(self.answers.distinct(self._questions())):
            stored = store.answers(request.key for request in part)
            yield from ((request, stored[request.key]) for request in part if request.key in stored)

    def _questions(self) -> Iterator[Question]:
        """Questions of the rounds that are known."""
        return chain.from_iterable(round_.questions() for round_, *_ in self._countable_rounds())

    def take(self, responses: Callable[[], Iterable[tuple[str, Reply]]], *, file: str) -> AskTally:
        """Store the answers of a batch, whatever the order of its lines; lines without an answer are counted.

        Args:
            responses: Gives the lines, from the first on each time: what is taken may complete a round, and those of
                the next are known then.
            file: Where they are from, for messages.

        Raises:
            InputError: A line answers nothing that this experiment asks.
        """
        total = AskTally()
        taken: set[str] = set()
        while True:
            requests = {
                request.key[:KEY_DIGITS]: (request.key, request.model)
                for request in self.answers.distinct(self._questions())
            }
            n_taken, unknown = 0, None
            for custom_id, reply in responses():
                name = custom_id.rpartition("|")[2]
                if name in taken:
                    continue
                if name not in requests:
                    unknown = unknown or (custom_id, reply.place)
                    continue
                n_taken += 1
                taken.add(name)
                if not reply.error:
                    self.answers.store.put(*requests[name], reply.text, reply.facts)
                total.take(reply)
            if unknown is None:
                return total
            if not n_taken:
                custom_id, line = unknown
                reason = f"custom_id {shown(custom_id)} is no request of this experiment"
                fix = "Write the requests again, or collect with the description and the files that made them."
                raise InputError(reason, file=file, line=line, fix=fix)

    def run(self, *, progress: Progress | None = None, stop: Stop = lambda total: False) -> ExperimentReport:
        """Ask what is missing and make every file.

        Args:
            progress: Told what is done, how much of it is done, and how much there is of it.
            stop: Asked after each reply whether to leave the rest.

        Raises:
            UndefinedError: Nothing is left to answer, too many answers are missing, or the rest was left.
            OutputError: A file cannot be written, or another process is writing to the folder.
        """
        with self.writing():
            total = self.ask(progress=progress, stop=stop)
            missing = self.missing()
            if missing is not None and (stop(total) or not missing.tolerable):
                why = "; ".join(f"{count(n)} without an answer: {reason}" for reason, n in total.failures.items())
                message = f"{missing.words}; what came is stored; run it again"
                raise UndefinedError(f"{self._config}: {message}" + (f" ({why})" if why else ""))
            return self.write(progress=progress)

    def write(self, *, progress: Progress | None = None) -> ExperimentReport:
        """Make every file from the answers; the same answers give the same bytes.

        Raises:
            UndefinedError: If nothing is left to answer, or too many answers are missing.
            OutputError: If a file cannot be written.
        """
        missing = self.missing()
        if missing is not None and not missing.tolerable:
            raise UndefinedError(f"{self._config}: {missing.words}; ask for them, then collect again")
        numbers = numbered_from(1)

        def step(what: str) -> None:
            if progress:
                progress(what, next(numbers) - 1, self.source.n_steps)

        wrong = faults(self.folder) if (self.folder / MANIFEST).exists() else ()
        mended = [Note(str(self.folder), None, f"unfinished results were made again: {fault}") for fault in wrong]
        files: list[Path] = []
        for name, write in self.source.files(self.answers, step):
            files.append(self.folder / name)
            write_text(files[-1], write)
        provenance = self.answers.provenance()
        if provenance:
            files.append(self.folder / ANSWERS_READ)
            write_text(files[-1], lambda to: to.write(csv_text(self.answers_read())))
        manifest = _manifest(files, self.settings, {"generator": provenance, **self.source.identities})
        write_whole(self.folder / MANIFEST, manifest.encode())
        notes = [*self.source.notes, *mended]
        if missing is not None:
            allowed = f"which max_failures = {self.settings.max_failures:g} allows"
            words = f"{missing.words}, {allowed}: the results are made without them; run it again to ask for them"
            notes.append(Note(self.settings.name, None, words))
        return ExperimentReport(tuple(files), self.folder / MANIFEST, (*notes, *self.source.dropped))

    def answers_read(self, n: int | None = None) -> Table:
        """Who was asked what, what came back, and what is read out of it: a row per distinct request with an answer.

        Args:
            n: So many rows, at most; None: all.
        """
        rows = (
            (
                request.model,
                request.custom_id.removeprefix(f"{request.model}|").rpartition("|")[0],
                "\n".join(texts_of(request)),
                answer,
                read_as(request, answer),
            )
            for request, answer in islice(self.answered(), n)
        )
        return Table(
            columns=labelled(model="", asked_for="asked for", prompt="", answer="", read_as="read as"),
            rows=tuple(rows),
            caption="Prompts, their answers and what is read out of them (nothing where no option is named).",
        )


LOCK = ".fairviz.lock"
"""In the folder while an experiment writes to it."""

ANSWERS_READ = "answers_read.csv"
"""In the folder, where a language model answered: every prompt with its answer and what is read out of it."""

STORE = "answers.sqlite"
"""In the folder, where a language model answered."""


def _manifest(files: Sequence[Path], settings: ExperimentConfig, identities: Identities) -> str:
    """The manifest of these files; paths are relative to the description, and the folder of output is not in it.

    Components are named with what is known of their weights, language models with what was told of their answers.
    """
    read = {settings.file.name: settings.file}
    packages: set[str] = set()

    def beside(path: str | Path) -> str:
        return Path(os.path.relpath(path, settings.file.parent)).as_posix()

    def plain(value: object) -> object:
        if isinstance(value, Path):
            read[beside(value)] = value
            return beside(value)
        if isinstance(value, Component):
            packages.update(packages_of(value))
            recorded = {name: parameter for name, parameter in value.parameters.items() if name not in UNRECORDED}
            # A text may name a model by its folder or file.
            parameters = {
                name: beside(parameter) if _is_path(parameter) else plain(parameter)
                for name, parameter in recorded.items()
            }
            return {"name": value.name, "label": value.label, "parameters": parameters}
        if isinstance(value, BaseModel):
            described = type(value).model_fields.items()
            return {field.alias or name: plain(getattr(value, name)) for name, field in described}
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in cast("Mapping[str, object]", value).items()}
        return [plain(item) for item in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value

    configured = cast("dict[str, object]", plain(settings))
    del configured["output"]
    return manifest_text(
        {path.name: facts_of_file(path) for path in files},
        inputs=[(name, facts_of_file(path).sha256) for name, path in read.items() if path.is_file()],
        configuration=configured,
        components={
            kind: identity for kind, of in identities.items() if (identity := {k: v for k, v in of.items() if v})
        },
        packages=packages,
    )


def _is_path(parameter: object) -> TypeGuard[str]:
    """Whether a text with a / in it is the path of something that is there."""
    if not isinstance(parameter, str) or "/" not in parameter:
        return False
    with suppress(OSError):  # too long
        return Path(parameter).exists()
    return False


def _made_folder(folder: Path, config: Path) -> Path:
    """The folder to write to, made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a name may hold a NUL
        message = error.strerror if isinstance(error, OSError) else error
        reason = f"output: the folder {folder} cannot be made ({message})"
        raise UsageError(f"{config}: {reason}; name another") from error
    return folder
