"""The manifest of results: which files they are, what they were made from and by which versions.

It is written last. A folder without one, or with one that does not match its files, was left by a run that did not end.
Equal results by equal versions have equal manifests: it holds no time and no place.
"""

import json
import platform
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, cast

from fairviz import __version__
from fairviz.errors import InputError
from fairviz.io.json import parse_json
from fairviz.io.notes import NoteBook, Parsed
from fairviz.io.source import Source, reader
from fairviz.io.text import whole_text
from fairviz.model import Manifest

MANIFEST = "manifest.json"

SCHEMA = 1
"""Version of the manifest; raised when a reader of the old one would misread the new."""

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "ir-measures", "rank-bm25")
"""What numbers rest on, besides fairviz and Python."""


class FileFacts(NamedTuple):
    """Size in bytes, and the sha256 of the bytes."""

    size: int
    sha256: str


def facts_of(content: bytes) -> FileFacts:
    """The facts of a file that holds these bytes."""
    return FileFacts(len(content), sha256(content).hexdigest())


def facts_of_file(path: Path) -> FileFacts:
    """The facts of a file, however large; they are counted again where its size, time or place on the disk changed."""
    known = path.stat()
    return _facts(path, (known.st_ino, known.st_size, known.st_mtime_ns))


@lru_cache(maxsize=4_096)
def _facts(path: Path, state: tuple[int, int, int]) -> FileFacts:
    with path.open("rb") as file:
        return FileFacts(state[1], file_digest(file, "sha256").hexdigest())


def manifest_text(
    files: Mapping[str, FileFacts],
    *,
    inputs: Iterable[tuple[str, str]],
    configuration: Mapping[str, object],
    components: Mapping[str, object] | None = None,
    packages: Iterable[str] = (),
) -> str:
    """The manifest as JSON.

    Args:
        files: The results, by their path in the folder or archive.
        inputs: Name and sha256 of each file that they were made from.
        configuration: Settings, seeds included, as JSON values.
        components: By which the weights are known that were used, as JSON values; None or empty: there were none.
        packages: Further packages that computed; those that are not installed here are left out.
    """
    body: dict[str, object] = {
        "schema": SCHEMA,
        "files": {name: facts._asdict() for name, facts in files.items()},
        "inputs": [{"name": name, "sha256": digest} for name, digest in inputs],
        "configuration": configuration,
        **({"components": components} if components else {}),
        "versions": versions() | _installed(packages),
    }
    return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


@reader
def read_manifest(source: Source) -> Parsed[Manifest]:
    """Read what an experiment was asked for; of one that drew no rankings no k.

    Raises:
        InputError: It is not the manifest of an experiment.
    """
    notes = NoteBook(source.name)
    body = parse_json(whole_text(source, notes), file=source.name)
    asked = body.get("configuration") if isinstance(body, dict) else None
    if not isinstance(asked, dict):
        fix = f"Give the {MANIFEST} that `fairviz experiment collect` wrote."
        raise InputError("expected a configuration", file=source.name, line=1, fix=fix)
    sizes = asked.get("k") if "alphas" in asked else None
    given = [k for k in sizes if isinstance(k, int) and k > 0] if isinstance(sizes, list) else []
    k = given[0] if given else None
    label = "manifest of an experiment" if k is None else f"manifest of an experiment, k = {k}"
    return notes.parsed(Manifest(k), label)


def manifest_in(folder: Path) -> Mapping[str, Any]:
    """What the manifest of a folder holds; nothing where there is none that can be read."""
    try:
        body: object = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", body) if isinstance(body, dict) else {}


def faults(folder: Path) -> list[str]:
    """Why a folder of results is not whole; nothing where it is.

    Args:
        folder: Where the manifest should be.
    """
    if not (folder / MANIFEST).exists():
        return [f"{MANIFEST} is missing"]
    try:
        listed = {name: (facts["size"], facts["sha256"]) for name, facts in manifest_in(folder)["files"].items()}
    except (KeyError, TypeError, AttributeError):
        return [f"{MANIFEST} cannot be read"]
    return [f"{name} {fault}" for name, facts in listed.items() if (fault := _fault(folder / name, facts))]


def _fault(path: Path, facts: tuple[object, object]) -> str:
    if not path.is_file():
        return "is missing"
    return "" if facts_of_file(path) == facts else f"is not the file of {MANIFEST}"


def versions() -> dict[str, str]:
    """What computes here; packed files depend on the compressor, too."""
    made_by = {"fairviz": __version__, "python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    return made_by | {library: version(library) for library in LIBRARIES}


def _installed(packages: Iterable[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for package in sorted(packages):
        with suppress(PackageNotFoundError):
            known[package] = version(package)
    return known
