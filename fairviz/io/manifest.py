"""Folders of results: the manifest says which files they are, what they were made from and by which versions.

It is written last. A folder without one, or with one that does not match its files, was left by a run that did not end.
Equal results by equal versions have equal manifests: it holds no time and no place.
"""

import json
import platform
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from fairviz import __version__
from fairviz.io.json import json_object
from fairviz.io.notes import NoteBook, Parsed
from fairviz.io.source import Options, Source, Stamp, options_from, reader, stamp_of, stated_options

MANIFEST = "manifest.json"

SCHEMA = 1
"""Version of the manifest; raised when a reader of the old one would misread the new."""

LIBRARIES = ("numpy", "scipy", "numba", "polars", "ir-measures", "rank-bm25")
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
    status = path.stat()
    return _facts(path, (status.st_ino, status.st_size, status.st_mtime_ns))


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
def read_manifest(source: Source) -> Parsed[int | None]:
    """Read how many documents a context of an experiment holds; None of one that drew no rankings.

    Raises:
        InputError: It is not the manifest of an experiment.
    """
    notes = NoteBook(source.name)
    fix = f"Give the {MANIFEST} that `fairviz experiment collect` wrote."
    body, _ = json_object(source, notes, what="a manifest", fix=fix)
    configuration = body.get("configuration")
    if not isinstance(configuration, dict):
        raise source.wrong("expected a configuration", fix, 1)
    sizes = configuration.get("k") if "alphas" in configuration else None
    positive = [k for k in sizes if isinstance(k, int) and k > 0] if isinstance(sizes, list) else []
    k = positive[0] if positive else None
    label = "manifest of an experiment" if k is None else f"manifest of an experiment, k = {k}"
    return notes.parsed(k, label)


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
    package_versions: dict[str, str] = {}
    for package in sorted(packages):
        with suppress(PackageNotFoundError):
            package_versions[package] = version(package)
    return package_versions


# Files and folders with data: which files they are, and whether they are still the same.


class DataPath(NamedTuple):
    """A file or folder with data that a command, a notebook or the dashboard is started with.

    Pages read files where they are and keep no copy.

    Attributes:
        path: Where it is.
        options: How a file is read; a folder's files are read as they are found.
    """

    path: Path
    options: Options = Options()

    @property
    def files(self) -> list[Path]:
        """The file itself; of a folder its files, without hidden ones and those of folders in it.

        Of a study's results, those of its first attributor, since the same answers stand once under each; and what
        they were made from, where that still lies in the folder above. The study's store and logs hold no data.
        """
        if not self.path.is_dir():
            return [self.path]
        manifest = manifest_in(self.path)
        attributors = _labels(manifest, "attributor")

        def attributor(name: str) -> str:
            """Whose attributions a file holds; the longest label where one ends in another."""
            return max((label for label in attributors if name.endswith(f".{label}.jsonl.gz")), key=len, default="")

        inside = [
            path
            for path in sorted(self.path.iterdir())
            if path.is_file()
            and not path.name.startswith(NO_DATA)
            and not (manifest and path.suffix in TEXTS)
            and attributor(path.name) in {"", *attributors[:1]}
        ]
        names = {path.name for path in inside}
        return [*inside, *(path for path in self._inputs if path.name not in names)]

    @property
    def results(self) -> list[Path]:
        """Files of a study's folder that the manifest names: results and what they were made from; and itself.

        Nothing where the folder has no manifest that can be read.
        """
        manifest = manifest_in(self.path)
        names = {MANIFEST, *manifest.get("files", ()), *(name for name, _ in _inputs_of(manifest))}
        return [path for path in self.files if path.name in names] if manifest else []

    def options_of(self, file: Path) -> Options:
        """How one of a folder's files is read: labels of usefulness are those of the generator that they were made for.

        Args:
            file: One of :attr:`files`.
        """
        labels = _labels(manifest_in(self.path), "generator")
        if len(labels) == 1 and file.name == "utility.qrels":
            return Options(generator=labels[0])
        own = (generator for generator in labels if file.name == f"utility.{generator}.qrels")
        return Options(generator=next(own, None))

    @property
    def _inputs(self) -> list[Path]:
        """Files in the folder above that the manifest names, as long as they are the same; not the description."""
        named = ((self.path.parent / name, digest) for name, digest in _inputs_of(manifest_in(self.path)))
        files = ((path, digest) for path, digest in named if path.suffix not in TEXTS and path.is_file())
        return [path for path, digest in files if facts_of_file(path).sha256 == digest]


NO_DATA = (".", "responses.", "requests.", "answers.sqlite", "answers_read.", "run.log", "pilot.log")
"""How names begin that are no data: hidden files, a batch's lines, and a study's store, list of answers and logs."""

TEXTS = (".toml", ".md")
"""How names of a study's files end that are no data: the description, and texts for people."""


def _inputs_of(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and sha256 of what results were made from; none where the manifest names none."""
    try:
        return [(record["name"], record["sha256"]) for record in manifest["inputs"]]
    except (KeyError, TypeError):
        return []


def _labels(manifest: Mapping[str, Any], kind: str) -> list[str]:
    """Labels of a study's components of a kind; none where the manifest names none."""
    try:
        return [str(table["label"]) for table in manifest["configuration"][kind]]
    except (KeyError, TypeError):
        return []


Stamps: TypeAlias = tuple[tuple[str, Stamp | None], ...]
"""What files were like, by their path; None for one that is not there."""


def stamps(paths: Iterable[DataPath]) -> Stamps:
    """What the files are like now, those of folders included: compared with an earlier time, it says what changed."""
    return tuple((str(path), _stamp(path)) for data_path in paths for path in data_path.files)


def _stamp(path: Path) -> Stamp | None:
    try:
        return stamp_of(path.stat())
    except OSError:
        return None


def changed(before: Stamps, now: Stamps) -> list[str]:
    """Names of files that are other, new or gone."""
    return [Path(path).name for path in dict([*before, *now]) if dict(before).get(path) != dict(now).get(path)]


# From the command to the pages, in an environment variable.


def as_text(paths: Sequence[DataPath]) -> str:
    """The files as text; empty for none."""
    rows = [[str(data_path.path), stated_options(data_path.options)] for data_path in paths]
    return json.dumps(rows) if rows else ""


def from_text(text: str) -> tuple[DataPath, ...]:
    """The files of :func:`as_text`.

    Raises:
        ValueError: It is none.
    """
    rows = cast("list[Any]", json.loads(text)) if text else []
    return tuple(DataPath(Path(path), options_from(options)) for path, options in rows)
