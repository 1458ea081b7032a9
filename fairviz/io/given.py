"""Files and folders that the dashboard is started with: which files they are, and whether they are still the same.

The launcher names them to its server, which reads them where they are and keeps no copy.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from fairviz.errors import InputError
from fairviz.io.manifest import MANIFEST
from fairviz.io.options import Options, options_from, options_said
from fairviz.io.source import Stamp


class Given(NamedTuple):
    """One file or folder.

    Attributes:
        path: Where it is.
        options: How a file is read; a folder's files are read as they are found.
    """

    path: Path
    options: Options = Options()

    @property
    def files(self) -> list[Path]:
        """The file itself; of a folder its files, without hidden ones and those of folders in it.

        Of an experiment's results, those of its first attributor: the same answers stand once under each. What a batch
        came back with is left out, since the answers were made of it.
        """
        if not self.path.is_dir():
            return [self.path]
        attributors = _attributors(self.path / MANIFEST)
        return [
            path
            for path in sorted(self.path.iterdir())
            if path.is_file()
            and not path.name.startswith((".", "responses."))
            and _attributor(path.name, attributors) in {"", *attributors[:1]}
        ]


def _attributors(manifest: Path) -> list[str]:
    """Who attributed the answers of a folder of results; nobody where it has no manifest that can be read."""
    try:
        body = cast("dict[str, Any]", json.loads(manifest.read_bytes()))
        return [str(table["label"]) for table in body["configuration"]["attributor"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def _attributor(name: str, attributors: Sequence[str]) -> str:
    """Whose attributions a file holds; the longest label where one ends in another."""
    return max((label for label in attributors if name.endswith(f".{label}.jsonl.gz")), key=len, default="")


class Known(NamedTuple):
    """The files to read, and those of folders that nobody knows."""

    files: tuple[Given, ...]
    left_out: tuple[Path, ...]


def known(given: Iterable[Given]) -> Known:
    """What there is to read: every file that was named, and of a folder those that are recognised."""
    files: list[Given] = []
    left_out: list[Path] = []
    for one in given:
        if not one.path.is_dir():
            files.append(one)
            continue
        recognised = [path for path in one.files if _is_recognised(path)]
        files += [Given(path) for path in recognised]
        left_out += [path for path in one.files if path not in recognised]
    return Known(tuple(files), tuple(left_out))


def check(given: Iterable[Given]) -> None:
    """See that there is something to open, before anything is started.

    Raises:
        InputError: A file is not there or not recognised, or a folder has none that is.
    """
    from fairviz.io.sniff import sniff  # every format: where there are files

    for one in given:
        if not one.path.is_dir():
            sniff(one.path)
        elif not any(map(_is_recognised, one.files)):
            fix = "Give the folder that the files are in; folders in it are not looked into."
            raise InputError("no file in this folder is recognised", file=str(one.path), fix=fix)


def _is_recognised(path: Path) -> bool:
    from fairviz.io.sniff import sniff  # likewise

    try:
        sniff(path)
    except InputError:
        return False
    return True


Stamps: TypeAlias = tuple[tuple[str, Stamp | None], ...]
"""What files were like, by their path; None for one that is not there."""


def stamps(given: Iterable[Given]) -> Stamps:
    """What the files are like now, those of folders included: compared with an earlier time, it says what changed."""
    return tuple((str(path), _stamp(path)) for one in given for path in one.files)


def _stamp(path: Path) -> Stamp | None:
    try:
        return Stamp.of(path.stat())
    except OSError:
        return None


def changed(before: Stamps, now: Stamps) -> list[str]:
    """Names of files that are other, new or gone."""
    return [Path(path).name for path in dict([*before, *now]) if dict(before).get(path) != dict(now).get(path)]


# From the launcher to its server, in an environment variable.


def as_text(given: Sequence[Given]) -> str:
    """The files as text; empty for none."""
    return json.dumps([[str(one.path), options_said(one.options)] for one in given]) if given else ""


def from_text(text: str) -> tuple[Given, ...]:
    """The files of :func:`as_text`.

    Raises:
        ValueError: It is none.
    """
    rows = cast("list[Any]", json.loads(text)) if text else []
    return tuple(Given(Path(path), options_from(said)) for path, said in rows)
