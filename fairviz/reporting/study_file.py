"""A study file (``.fairviz``): the data as given, settings of every page, what was pinned, and the numbers it gave.

A zip archive whose ``study.json`` says what is in it: each part with size and sha256, each file of the data with what
it holds and how it is read. It is read whole or not at all, and nothing of it is ever executed or unpacked to a disk.
Equal studies by equal versions are equal bytes.
"""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from io import StringIO
from math import fsum, isclose
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from fairviz import __version__
from fairviz.display.bundle import PinnedTable
from fairviz.display.methods import TARGET_FILE
from fairviz.display.paper import PrintedFigure
from fairviz.errors import InputError, UsageError, printable
from fairviz.evaluation.systems import STUDY_FILE as SUFFIX
from fairviz.io.archive import Archive, archive, is_archive
from fairviz.io.dataset import add_file, recognised
from fairviz.io.limits import MAX_MANIFEST
from fairviz.io.manifest import DataPath, FileFacts, facts_of, versions
from fairviz.io.source import Options, Source, as_source, options_from, reader, stated_options
from fairviz.model import Dataset, RagOutputs, RankingSample, Run, SourceFile
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.reporting.request import MOST, Request

STUDY = "study.json"
FORMAT = 2
"""Version of the file; raised when a reader of the old one would misread the new, or not know what it says."""

_AGAIN = "Copy it again, or ask who sent it to save it once more."


# What was set on the pages; the workspace keeps it, too.


class Strict(BaseModel):
    """A part of ``study.json``; keys that it does not have are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _named(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", name) or name.startswith("embed"):
        raise ValueError(f"{name[:80]!r} is no name of a setting")
    return name


_Param = Annotated[str, AfterValidator(_named)]


class TargetSetting(Strict):
    """A target that a person set.

    Attributes:
        weights: Share of each group.
        locked: Places of groups whose shares are held.
        preset: The preset that was chosen last.
        file: Shares of a loaded file.
    """

    weights: list[Annotated[float, Field(ge=0)]]
    locked: list[int] = []
    preset: str = ""
    file: list[Annotated[float, Field(ge=0)]] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "TargetSetting":
        n = len(self.weights)
        every = [self.weights, *([] if self.file is None else [self.file])]
        if any(len(shares) != n or not isclose(fsum(shares), 1, abs_tol=WEIGHT_TOLERANCE) for shares in every):
            raise ValueError("the shares of a target sum to 1")
        if not all(0 <= group < n for group in self.locked):
            raise ValueError("a group that is held is none")
        return self


class PageSettings(Strict):
    """What was set on the pages.

    Attributes:
        pages: Parameters of the address, by page.
        chosen: What follows from page to page, by control.
        pairs: (system of outputs, run that fed it), as a person said.
        targets: Targets by the groups that they are of.
    """

    pages: dict[str, dict[_Param, list[str]]] = {}
    chosen: dict[_Param, str] = {}
    pairs: list[tuple[str, str]] = []
    targets: dict[str, TargetSetting] = {}

    @model_validator(mode="after")
    def _has_places(self) -> "PageSettings":
        for where, target in self.targets.items():
            if not where.endswith(f"-{len(target.weights)}"):
                raise ValueError(f"the target {where[:80]!r} has another number of groups")
        return self


# The file.


def _no_path(name: str) -> str:
    if not re.fullmatch(r"[^/\\\x00-\x1f\x7f]{1,255}", name) or name in (".", ".."):
        raise ValueError(f"{name[:80]!r} is no name of a file")
    return name


System: TypeAlias = Run | RankingSample | RagOutputs
Pin = TypeVar("Pin", PrintedFigure, PinnedTable)
_QUOTED = r"(?:'[^']*'|\"[^\"$`\\!]*\")"
_COMMAND = re.compile(
    rf"(?:(?:printf '%s' {_QUOTED}+ > {re.escape(TARGET_FILE)}\n)?"
    rf"fairviz (?:[\w@%+=:,./ -]|\\\n|{_QUOTED})*)?",
    re.ASCII,
)
"""One command of ours with quoted words, perhaps after a line that writes its target: scripts of bundles run it, and it
can hold nothing else."""


def _harmless(pin: Pin) -> Pin:
    """A pin whose name is that of a file, and whose commands are of ours."""
    _no_path(pin.stem)
    commands = (pin.command,) if isinstance(pin, PrintedFigure) else tuple(command for _, command in pin.commands)
    if isinstance(pin, PinnedTable) and not {ending for ending, _ in pin.commands} <= {"csv", "tex"}:
        raise ValueError("commands print files that end in csv or tex")
    if other := next((command for command in commands if not _COMMAND.fullmatch(command)), None):
        raise ValueError(f"{other[:80]!r} is no command of fairviz")
    return pin


class _File(Strict):
    name: Annotated[str, AfterValidator(_no_path)]
    part: str
    options: Annotated[Options, PlainValidator(options_from)]


class _Results(Strict):
    request: Request
    tables: dict[str, str]
    refused: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _can_be_computed(self) -> "_Results":
        settings = [part for part in (self.request, self.request.bias, self.request.variants) if part is not None]
        values = (value for part in settings for value in vars(part).values())
        if any(isinstance(value, tuple) and len(cast("tuple[object, ...]", value)) > MOST for value in values):
            raise ValueError(f"a request has at most {MOST} measures, alphas and wordings")
        return self


class _Manifest(Strict):
    """``study.json``; in it, the files of a pinned figure are the names of their parts."""

    format: int
    name: Annotated[str, Field(max_length=1000)]
    note: str
    versions: dict[str, str]
    parts: dict[str, FileFacts]
    files: list[_File]
    settings: PageSettings
    figures: list[Annotated[PrintedFigure, AfterValidator(_harmless)]]
    tables: list[Annotated[PinnedTable, AfterValidator(_harmless)]]
    results: _Results | None


_REQUEST = TypeAdapter(Request)


class StudyPart(NamedTuple):
    """A file of the data.

    Attributes:
        name: As the person called it.
        digest: Sha256 of its bytes.
        options: What it holds and how it is read.
        content: Its bytes; None where they are not in the file that names them.
    """

    name: str
    digest: str
    options: Options
    content: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyContents:
    """Everything that a study file holds.

    Attributes:
        name: Of the data.
        note: What its author says to whoever opens it.
        files: The data, in the order in which they were loaded.
        settings: Of every page.
        figures, tables: What was pinned.
        request, results: What was computed, and the tables that came out, as CSV by their stem; None: nothing.
        refused: Lines about what could not be computed.
        made_by: Versions that computed it.
    """

    name: str
    note: str = ""
    files: tuple[StudyPart, ...] = ()
    settings: PageSettings = field(default_factory=PageSettings)
    figures: tuple[PrintedFigure, ...] = ()
    tables: tuple[PinnedTable, ...] = ()
    request: Request | None = None
    results: Mapping[str, str] = field(default_factory=dict[str, str])
    refused: tuple[str, ...] = ()
    made_by: Mapping[str, str] = field(default_factory=versions)

    @property
    def by_this_version(self) -> bool:
        """Whether this fairviz made it."""
        return self.made_by.get("fairviz") == __version__


# Written.


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def write_study(study: StudyContents) -> bytes:
    """The study as a file; of a pin's commands those that a file can hold.

    Raises:
        ValueError: The content of a file is not there.
        InputError: A name or a command in it could not be read again.
    """
    parts: dict[str, bytes] = {}
    files = [
        {
            "name": part.name,
            "part": _put(parts, "data", i, part.name, part.content),
            "options": stated_options(part.options),
        }
        for i, part in enumerate(study.files)
    ]
    figures = [
        {
            **asdict(part),
            "command": part.command if _COMMAND.fullmatch(part.command) else "",
            "svg": _put(parts, "pinned", i, f"{part.stem}.svg", part.svg),
            "pdf": _put(parts, "pinned", i, f"{part.stem}.pdf", part.pdf),
        }
        for i, part in enumerate(study.figures)
    ]
    tables = {
        stem: _put(parts, "results", i, f"{stem}.csv", text.encode())
        for i, (stem, text) in enumerate(study.results.items())
    }
    manifest = {
        "format": FORMAT,
        "name": study.name,
        "note": study.note,
        "versions": dict(study.made_by),
        "parts": {name: facts_of(content)._asdict() for name, content in parts.items()},
        "files": files,
        "settings": study.settings.model_dump(),
        "figures": figures,
        "tables": [
            {**part._asdict(), "commands": [command for command in part.commands if _COMMAND.fullmatch(command[1])]}
            for part in study.tables
        ],
        "results": None
        if study.request is None
        else {
            "request": _REQUEST.dump_python(study.request, mode="json", exclude_none=True),
            "tables": tables,
            "refused": list(study.refused),
        },
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    checked(_Manifest, text, study.name)  # nobody finds out later
    return archive({STUDY: text, **parts})


def _put(parts: dict[str, bytes], folder: str, i: int, name: str, content: bytes | None) -> str:
    """Take content into a part, and give the part's name: readable, and one on every system."""
    if content is None:
        raise ValueError(f"the content of {name} is not there")
    part = f"{folder}/{i + 1}-{_UNSAFE.sub('_', name.rsplit('/', 1)[-1])[-80:]}"
    parts[part] = content
    return part


# Read.


def is_study(source: Source) -> bool:
    """Whether an archive is a study file, whole or not: by its ending, or by what is in it.

    Raises:
        InputError: It cannot be read.
    """
    if source.name.lower().endswith(SUFFIX):
        return True
    with source.stored() as file:
        return STUDY in Archive(source, file).names


def studies_in(files: Iterable[Path]) -> list[Path]:
    """Study files among some files; a file that cannot be read is none."""

    def is_study_file(path: Path) -> bool:
        source = Source(path.name, path)
        try:
            return is_archive(source) and is_study(source)
        except (InputError, OSError):
            return False

    return [path for path in files if is_study_file(path)]


def study_of(folder: Path) -> Path | None:
    """The study file of a folder that holds no other file to open; None where there is none, or there are data.

    Raises:
        InputError: There are several, and each has data and settings of its own.
    """
    data_path = DataPath(folder)
    studies = studies_in(data_path.files)
    if not studies or recognised([data_path])[0]:
        return None
    if len(studies) > 1:
        reason = f"{len(studies)} saved studies are in this folder, each with data and settings of its own"
        raise InputError(
            reason, file=str(folder), fix=printable(f"Open one of them by its name, such as {studies[0]}.")
        )
    return studies[0]


@reader
def read_study(source: Source) -> StudyContents:
    """A study file, whole: every part is what it was when the study was saved.

    Args:
        source: A path or ``(name, bytes)``.

    Raises:
        InputError: It is damaged, changed, by a newer fairviz, or no study file; one line.
    """
    with source.stored() as stored:
        packed = Archive(source, stored)
        manifest = _manifest(packed, source.name)
        contents = {name: packed.read(name) for name in manifest.parts if name in packed.names}
        _refuse_changed(manifest, contents, packed.names, source.name)
    return _study(manifest, contents, source.name)


T = TypeVar("T", bound=BaseModel)


def _manifest(packed: Archive, file: str) -> _Manifest:
    if STUDY not in packed.names:
        reason = f"this is a ZIP archive without {STUDY}: no study file"
        raise InputError(reason, file=file, fix="Unpack it yourself and give the files inside.")
    text = packed.read(STUDY)
    if len(text) > MAX_MANIFEST:
        raise InputError(f"{STUDY} is larger than {MAX_MANIFEST // 1024**2} MB", file=file, fix=_AGAIN)
    _refuse_newer(text, file)
    return checked(_Manifest, text, file)


def checked(kind: type[T], text: bytes | str, file: str) -> T:
    """JSON as a part of a study.

    Raises:
        InputError: A key is unknown or missing, or a value is of another type.
    """
    try:
        return kind.model_validate_json(text)
    except UsageError as error:  # of settings, which pydantic lets through
        reason = f"{STUDY}: what is asked for cannot be: {error}"
        raise InputError(printable(reason), file=file, fix=_AGAIN) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))[:120]
        message = first["msg"].removeprefix("Value error, ")
        reason = f"{STUDY}: {key + ': ' if key else ''}{message[:1].lower()}{message[1:200]}"
        raise InputError(printable(reason), file=file, fix=_AGAIN) from None


def _refuse_newer(text: bytes, file: str) -> None:
    """Before anything else is looked at: a newer file may have anything in it."""
    try:
        manifest = cast("dict[str, Any]", json.loads(text))
        number, by = manifest.get("format"), cast("dict[str, Any]", manifest.get("versions", {})).get("fairviz", "")
    except (ValueError, AttributeError, RecursionError):
        return  # said where all of it is read
    if isinstance(number, int) and not isinstance(number, bool) and not 1 <= number <= FORMAT:
        reason = f"saved by another fairviz ({str(by)[:40]}), in format {number}; this one reads formats up to {FORMAT}"
        raise InputError(printable(reason), file=file, fix="Open it with that version: pip install --upgrade fairviz.")


def _refuse_changed(manifest: _Manifest, contents: Mapping[str, bytes], names: Iterable[str], file: str) -> None:
    missing = [name for name in manifest.parts if name not in contents]
    unknown = [name for name in names if name not in manifest.parts and name != STUDY]
    changed = [name for name, content in contents.items() if facts_of(content) != manifest.parts[name]]
    for some, fault in ((missing, "is missing"), (changed, "was changed after the study was saved")):
        if some:
            raise InputError(printable(f"{some[0][:120]} {fault}"), file=file, fix=_AGAIN)
    if unknown:
        raise InputError(f"{unknown[0][:120]!r} is in it, of which {STUDY} says nothing", file=file, fix=_AGAIN)


def refuse_no_table(text: str, file: str) -> None:
    """Cells are compared with what is computed again: each has a row and a column.

    Args:
        text: A table of the results, as CSV.
        file: The study file or the bundle.

    Raises:
        InputError: It is no table.
    """
    try:
        columns, *rows = csv.reader(StringIO(text), strict=True)
    except (csv.Error, ValueError):  # or no row at all
        columns, rows = list[str](), [[""]]
    if not 0 < len(columns) == len(set(columns)) or any(len(row) != len(columns) for row in rows):
        raise InputError(f"{STUDY}: a table of the results has rows of other lengths", file=file, fix=_AGAIN)


def _study(manifest: _Manifest, contents: Mapping[str, bytes], file: str) -> StudyContents:
    def part(name: str) -> bytes:
        if name not in contents:
            raise InputError(f"{STUDY}: it names {name[:80]!r}, which is no part of it", file=file, fix=_AGAIN)
        return contents[name]

    def figure(pin: PrintedFigure) -> PrintedFigure:
        return replace(pin, svg=part(pin.svg.decode()), pdf=part(pin.pdf.decode()))

    names = [member.name for member in manifest.files]
    if len(set(names)) < len(names):
        raise InputError(f"{STUDY}: two files of the data have one name", file=file, fix=_AGAIN)
    results = manifest.results
    try:
        tables = {} if results is None else {stem: part(name).decode() for stem, name in results.tables.items()}
    except UnicodeDecodeError:
        raise InputError(f"{STUDY}: a table of the results is no text", file=file, fix=_AGAIN) from None
    for text in tables.values():
        refuse_no_table(text, file)
    return StudyContents(
        name=manifest.name,
        note=manifest.note,
        files=tuple(
            StudyPart(member.name, sha256(part(member.part)).hexdigest(), member.options, part(member.part))
            for member in manifest.files
        ),
        settings=manifest.settings,
        figures=tuple(map(figure, manifest.figures)),
        tables=tuple(manifest.tables),
        request=None if results is None else results.request,
        results=tables,
        refused=() if results is None else tuple(results.refused),
        made_by=manifest.versions,
    )


def with_baseline(data: Dataset, baseline: str) -> Dataset:
    """The data with the ranking and the outputs of a study file, under its name, for others to be compared with.

    Of several they are those called as the first of the data.

    Args:
        data: What is compared.
        baseline: Of a study file its path; any other name leaves the data as they are.

    Raises:
        InputError: It cannot be read, or has nothing to compare with, or several systems of other names.
    """
    if not baseline.lower().endswith(SUFFIX):
        return data
    source = as_source(baseline)
    stored = Dataset()
    for part in read_study(source).files:
        if part.content is not None:
            stored = add_file(stored, (part.name, part.content), part.options)
    stored = stored.described
    kinds = (((*stored.runs, *stored.samples), (*data.runs, *data.samples)), (stored.outputs, data.outputs))
    matched = [_called_alike(systems, ours, source.name) for systems, ours in kinds if systems and ours]
    if not matched:
        fix = "Save a study with a run, or with outputs, where limits are about these."
        raise InputError("it holds no system that what is given could be compared with", file=source.name, fix=fix)
    name = source.name.rsplit("/", 1)[-1]
    runs = [replace(system, system=name, tag=name) for system in matched if isinstance(system, Run)]
    samples = [replace(system, system=name, tag=name) for system in matched if isinstance(system, RankingSample)]
    apart = f"{name} (outputs)" if len(matched) > 1 else name
    answered = [replace(of, system=apart, tag=name, file=name) for of in matched if isinstance(of, RagOutputs)]
    roles = [*["run"] * len(runs), *["samples"] * len(samples), *["rag"] * len(answered)]
    files = [SourceFile(role=role, name=name, format="study file", digest=source.digest()) for role in roles]
    return replace(
        data,
        runs=(*data.runs, *runs),
        samples=(*data.samples, *samples),
        outputs=(*data.outputs, *answered),
        files=(*data.files, *files),
    )


def _called_alike(systems: Sequence[System], ours: Sequence[System], file: str) -> System:
    """The system that is called as the first of ours is, or the only one.

    Raises:
        InputError: There are several, of other names.
    """
    names = [system.system for system in systems]
    if len(systems) > 1 and ours[0].system not in names:
        reason = f"it holds {', '.join(names)}, and none is called {ours[0].system}"
        raise InputError(reason, file=file, fix="Save a study of the baseline alone.")
    return systems[0 if len(systems) == 1 else names.index(ours[0].system)]


def alone(data_paths: Sequence[DataPath]) -> Source | None:
    """The study among files to open; None where these are data themselves.

    A folder that holds a study file and nothing else to open stands for it.

    Raises:
        InputError: It cannot be read, or a folder holds several studies and nothing else.
        UsageError: It is not alone: its settings are of its own data.
    """
    paths = [study_of(data_path.path) if data_path.path.is_dir() else data_path.path for data_path in data_paths]
    files = [Source(path.name, path) for path in paths if path is not None]
    studies = [source for source in files if is_archive(source) and is_study(source)]
    if studies and len(data_paths) > 1:
        raise UsageError(f"{studies[0].name} has data and settings of its own: open it alone")
    return studies[0] if studies else None
