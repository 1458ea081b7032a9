"""A workspace: what a person works on in the dashboard, kept in a folder until it is deleted.

Files stand in ``data`` under the sha256 of their bytes; an index in JSON says what they are called, and holds settings
and pins. A file is whole on the disk before the index names it, and the index before anybody is told that it is kept:
whenever a server is killed, what was said to be kept is there. Several tabs and servers may share a workspace: one
changes it at a time, and clears away files that no longer have a name.
"""

import json
import os
import re
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fairviz.errors import OutputError
from fairviz.io.whole import sole_writer, write_whole

INDEX, FILES, LOCK = "workspace.json", "data", ".workspace.lock"
VERSION = 1
"""Of the index."""
DIGEST = re.compile("[0-9a-f]{64}")
"""Of sha256: anything else in the index could lead out of the folder."""
PATIENCE = 30.0
"""Seconds that one server waits for another to end its change."""


class KeptFile(NamedTuple):
    """A file that is kept.

    Attributes:
        name: As the person called it.
        digest: Sha256 of its bytes.
        options: How it is read, as JSON.
    """

    name: str
    digest: str
    options: str


_Index: TypeAlias = tuple[list[KeptFile], dict[str, dict[str, str]]]
"""What is kept: the files in the order in which they were added, and values by kind and name."""


def usual_folder() -> Path:
    """Where a person's workspace is unless another one is named: among the data of programs."""
    home = Path.home()
    if sys.platform == "win32":
        parent = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        parent = home / "Library" / "Application Support"
    else:
        parent = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return parent / "fairviz" / "workspace"


class Workspace:
    """What is kept in a folder; it is made with the first thing.

    Args:
        folder: Where.

    Raises:
        OutputError: It cannot be read or written, is of another program, or of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self) -> list[KeptFile]:
        """The files, in the order in which they were added."""
        return self._index()[0]

    def path(self, digest: str) -> Path:
        """Where the bytes of a file are."""
        return self.folder / FILES / digest

    def why_not(self, file: KeptFile) -> str:
        """Why a file cannot be opened as it was kept; empty where its bytes are there and are those of its sha256."""
        path = self.path(file.digest)
        if DIGEST.fullmatch(file.digest) is None or path.is_symlink():
            return "is kept under a path that leads out of the folder"
        try:
            return "" if _is_whole(path, file.digest) else "was changed on the disk after it was kept"
        except FileNotFoundError:
            return "is no longer in the folder"
        except OSError as error:
            return f"cannot be read ({error.strerror})"

    def stamps(self) -> tuple[tuple[int, int], ...]:
        """Time of change in nanoseconds, and bytes, of every file; (0, 0) of one that is not there."""
        return tuple(_stamp(self.path(file.digest)) for file in self.files())

    def values(self, kind: str) -> dict[str, str]:
        """What is kept of a kind, by name."""
        return dict(sorted(self._index()[1].get(kind, {}).items()))

    @property
    def size(self) -> int:
        """Bytes of all files that are there."""
        return sum(_stamp(self.path(digest))[1] for digest in {file.digest for file in self.files()})

    def add(self, name: str, content: bytes, options: str, *, instead_of: str | None = None) -> KeptFile:
        """Keep a file, on the disk when this returns.

        Args:
            name: What it is called; one of that name is replaced.
            content: Its bytes.
            options: How it is read.
            instead_of: Another file, which is dropped.
        """
        with self._change() as (files, _):
            files[:] = [file for file in files if file.name not in (name, instead_of)]
            files.append(self._kept(name, content, options))
            return files[-1]

    def replace(self, files: Iterable[tuple[str, bytes, str]]) -> None:
        """Keep these files, (name, bytes, options) each, instead of all others, on the disk when this returns."""
        with self._change() as (kept_files, _):
            kept_files[:] = [self._kept(*file) for file in files]

    def remove(self, name: str) -> None:
        """Drop a file."""
        with self._change() as (files, _):
            files[:] = [file for file in files if file.name != name]

    def keep(self, kind: str, values: Mapping[str, str | None]) -> None:
        """Keep values of a kind by their names, and drop those that are None."""
        with self._change() as (_, kept):
            changed = {**kept.get(kind, {}), **values}
            kept[kind] = {name: value for name, value in changed.items() if value is not None}

    def delete(self) -> None:
        """Delete everything that is kept."""
        if (self.folder / INDEX).exists():
            with self._change() as (files, kept):
                files.clear()
                kept.clear()

    def _kept(self, name: str, content: bytes, options: str) -> KeptFile:
        digest = sha256(content).hexdigest()
        path = self.path(digest)
        if path.is_symlink() or not path.exists() or not _is_whole(path, digest):
            path.parent.mkdir(exist_ok=True)
            write_whole(path, content)
        os.utime(path)  # the day on which a person had it
        return KeptFile(name, digest, options)

    @contextmanager
    def _change(self) -> Generator[_Index]:
        """A change, which no other server changes anything during; files without a name go at its end."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with sole_writer(self.folder / LOCK, str(self.folder), patience=PATIENCE):
                files, kept = self._index()
                yield files, kept
                written = {"version": VERSION, "files": files, "kept": kept}
                write_whole(self.folder / INDEX, json.dumps(written, ensure_ascii=False).encode())
                named = {file.digest for file in files}
                for path in (self.folder / FILES).glob("*"):
                    if path.name not in named:
                        with suppress(OSError):
                            path.unlink()
        except OSError as error:
            raise _refused(self.folder, error) from error

    def _index(self) -> _Index:
        path = self.folder / INDEX
        try:
            index: dict[str, Any] = json.loads(path.read_bytes())
            if index["version"] == VERSION:
                return [KeptFile(*file) for file in index["files"]], index["kept"]
        except FileNotFoundError:
            return [], {}
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _refused(path, error) from error
        reason = f"cannot be used (version {index['version']} of the workspace; this fairviz reads version {VERSION})"
        fix = "Use the fairviz that made it, or name another folder: fairviz app --workspace FOLDER."
        raise OutputError(reason, file=str(path), fix=fix)


def _is_whole(path: Path, digest: str) -> bool:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest() == digest


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.lstat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _refused(path: Path, error: Exception) -> OutputError:
    reason = error.strerror if isinstance(error, OSError) else error
    fix = "Check that it may be written and that the disk has room, or name another: fairviz app --workspace FOLDER."
    return OutputError(f"cannot be used ({reason})", file=str(path), fix=fix)
