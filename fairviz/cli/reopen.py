"""A bundle opened again: its command says how its files were read and what was computed, its manifest which ones."""

import argparse
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from fairviz.cli import report
from fairviz.cli._common import Parser
from fairviz.display.methods import TARGET_FILE
from fairviz.errors import FairvizError, InputError, UsageError, printable
from fairviz.io.archive import Archive, is_archive
from fairviz.io.door import reader
from fairviz.io.given import Given
from fairviz.io.limits import MAX_MANIFEST
from fairviz.io.manifest import MANIFEST, facts_of, facts_of_file
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.targets import read_target
from fairviz.model import Dataset, Target
from fairviz.report.assemble import Request
from fairviz.report.study_file import Study, StudyPart, is_study, read_study, refuse_no_table, study_of

HAS = {MANIFEST, "reproduce.sh", "data.sha256"}
"""Members by which a bundle is known."""

_AGAIN = "Copy it again, or make it once more on Export."


def is_bundle(source: Source) -> bool:
    """Whether an archive is a bundle.

    Raises:
        InputError: It cannot be read.
    """
    with source.stored() as file:
        return HAS.issubset(Archive(source, file).names)


@reader
def read_bundle(file: FileInput | Source) -> Study:
    """The study that a bundle was made of; its files are named, and their content is elsewhere.

    Args:
        file: A path or ``(name, bytes)``.

    Raises:
        InputError: It is damaged, was changed, or its command is none that this version knows.
    """
    source = as_source(file)
    with source.stored() as stored:
        packed = Archive(source, stored)
        text = packed.read(MANIFEST)
        manifest = _manifest(text, source.name)
        for name, facts in manifest["files"].items():
            if tuple(facts_of(packed.read(name))) != (facts["size"], facts["sha256"]):
                raise InputError(
                    printable(f"{name} was changed after the bundle was made"), file=source.name, fix=_AGAIN
                )
        names = [name for name in packed.names if name.startswith("tables/") and name.endswith(".csv")]
        tables = {Path(name).stem: packed.read(name).decode(errors="replace") for name in names}
    for text in tables.values():
        refuse_no_table(text, source.name)
    said = manifest["configuration"]
    digests: dict[str, str] = {one["name"]: one["sha256"] for one in manifest["inputs"]}
    try:
        args = arguments(said["command"])
        named = [(Path(path).name, options._replace(role=role)) for role, path, options in report.files_of(args)]
    except FairvizError as error:
        reason = printable(f"this version does not know its command: {error}")
        raise InputError(reason, file=source.name, fix="Open it with the fairviz that made it.") from error
    missing = [name for name, options in named if name not in digests and options.role != "target"]
    if missing:
        raise InputError(printable(f"its manifest does not say which {missing[0]} is"), file=source.name, fix=_AGAIN)
    return Study(
        name=said["title"],
        files=tuple(StudyPart(name, digests[name], options, None) for name, options in named if name in digests),
        results=tables,
        command=said["command"],
        made_by=manifest["versions"],
    )


def _manifest(text: bytes, file: str) -> dict[str, Any]:
    """The manifest, if it has all that is asked of it here."""
    try:
        if len(text) > MAX_MANIFEST:
            raise ValueError(text[:0])
        said = cast("dict[str, Any]", json.loads(text))
        texts = [*said["versions"].items(), *((one["name"], one["sha256"]) for one in said["inputs"])]
        texts.append((said["configuration"]["command"], said["configuration"]["title"]))
        sizes = [(facts["size"], facts["sha256"]) for facts in said["files"].values()]
        if not all(isinstance(word, str) for pair in texts for word in pair):
            raise ValueError(sizes)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{MANIFEST} is not that of a bundle", file=file, fix=_AGAIN) from None
    return said


def arguments(command: str) -> argparse.Namespace:
    """What ``fairviz report`` is told in a bundle's command.

    Raises:
        UsageError: It is another command, or has an option that this version does not have.
    """
    words = shlex.split(command[max(command.find("fairviz report"), 0) :].replace("\\\n", " "))
    parser = Parser(prog="fairviz")
    report.add_parser(parser.add_subparsers(parser_class=Parser, required=True))
    return parser.parse_args(words[1:])


def request(command: str, loaded: Dataset) -> Request:
    """What a bundle's command computes of its data.

    Raises:
        InputError: The target that it writes first is none.
        UsageError: As :func:`arguments`.
    """
    asked = report.request_of(arguments(command), loaded)
    target = _target_of(command)
    if asked.against is None or target is None:
        return asked
    shares = tuple(zip(target.groups, target.shares.tolist(), strict=True))
    return replace(asked, against=asked.against._replace(target=shares))


def _target_of(command: str) -> Target | None:
    """The target that was set by hand: a line before the command writes it to a file.

    Raises:
        InputError: It is none.
    """
    words = shlex.split(command[: max(command.find("fairviz report"), 0)])
    if len(words) != 5 or words[0] != "printf" or words[-1] != TARGET_FILE:
        return None
    return read_target((TARGET_FILE, words[2].encode())).value


def found(study: Study, contents: Mapping[str, bytes], folders: Iterable[Path]) -> Study:
    """The study with the content of its files, as far as they are there.

    Args:
        study: As a bundle names it.
        contents: What is at hand, by its digest.
        folders: Where else to look, for files of the same name and content.
    """
    known = dict(contents)
    places = list(folders)
    for file in study.files:
        for path in (folder / file.name for folder in places):
            if file.digest not in known and path.is_file() and facts_of_file(path).sha256 == file.digest:
                known[file.digest] = path.read_bytes()
    return study.with_contents(known)


def alone(given: Sequence[Given]) -> Source | None:
    """The study or bundle among files to open; None where these are data themselves.

    A folder that holds a study file and nothing else to open stands for it.

    Raises:
        InputError: It cannot be read, or a folder holds several studies and nothing else.
        UsageError: It is not alone: its settings are of its own data.
    """
    paths = [study_of(one.path) if one.path.is_dir() else one.path for one in given]
    files = [Source(path.name, path) for path in paths if path is not None]
    studies = [source for source in files if is_archive(source) and (is_study(source) or is_bundle(source))]
    if studies and len(given) > 1:
        raise UsageError(f"{studies[0].name} has data and settings of its own: open it alone")
    return studies[0] if studies else None


def saved(source: Source, folders: Iterable[Path] = ()) -> Study:
    """A study, or a bundle with the files beside it.

    Args:
        source: The study file or the bundle, on a disk.
        folders: Where else the files of a bundle may be.

    Raises:
        InputError: It cannot be read, or files of the bundle are not there.
    """
    if is_study(source):
        return read_study(source)
    beside = [source.path.parent] if source.path else []
    study = found(read_bundle(source), {}, [*beside, *folders])
    if study.missing:
        reason = f"it names files that are not beside it: {', '.join(study.missing)}"
        raise InputError(printable(reason), file=source.name, fix="Put them into its folder, as they were.")
    return study
