"""A workspace: what a person works on in the dashboard, kept in a folder until it is deleted.

Files stand in ``files`` under the sha256 of their bytes, and one SQLite table says what they are called; settings and
pins stand in another. A file is whole on the disk before its row is, and the row before anybody is told that it is
kept: whenever a server is killed, what was said to be kept is there. Several tabs and servers may share a workspace:
each change is one transaction, and files that no row names are cleared away inside of one.
"""

import os
import re
import sqlite3
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple

from fairviz.errors import OutputError
from fairviz.io.whole import write_whole

DATABASE, FILES = "workspace.sqlite", "files"
VERSION = 1
"""Of the tables, kept as SQLite's user_version."""

TABLES = f"""
begin immediate;
create table if not exists files
(place integer primary key, name text not null unique, digest text not null, options text not null);
create table if not exists kept
(kind text not null, name text not null, value text not null, primary key (kind, name)) without rowid;
pragma user_version = {VERSION};
commit;
"""
STATE = "select (select user_version from pragma_user_version), (select count(*) from sqlite_master)"
"""In one statement: another server may make the tables between two."""
DIGEST = re.compile("[0-9a-f]{64}")
"""Of sha256: anything else in the table could lead out of the folder."""
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
        return [KeptFile(*row) for row in self._rows("select name, digest, options from files order by place")]

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
        rows = self._rows("select name, value from kept where kind = ? order by name", kind)
        return dict(rows)

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
        with self._change() as change:
            change.execute("delete from files where name in (?, ?)", (name, instead_of or name))
            return self._add(change, name, content, options)

    def replace(self, files: Iterable[tuple[str, bytes, str]]) -> None:
        """Keep these files, (name, bytes, options) each, instead of all others, on the disk when this returns."""
        with self._change() as change:
            change.execute("delete from files")
            for name, content, options in files:
                self._add(change, name, content, options)

    def remove(self, name: str) -> None:
        """Drop a file."""
        with self._change() as change:
            change.execute("delete from files where name = ?", (name,))

    def keep(self, kind: str, values: Mapping[str, str | None]) -> None:
        """Keep values of a kind by their names, and drop those that are None."""
        with self._change() as change:
            for name, value in values.items():
                if value is None:
                    change.execute("delete from kept where kind = ? and name = ?", (kind, name))
                else:
                    change.execute("insert or replace into kept values (?, ?, ?)", (kind, name, value))

    def delete(self) -> None:
        """Delete everything that is kept."""
        if not (self.folder / DATABASE).exists():
            return
        with self._change() as change:
            change.execute("delete from files")
            change.execute("delete from kept")
        with self._connected() as connection:  # what was deleted is not to be found in the file, either
            connection.execute("vacuum")
            connection.execute("pragma wal_checkpoint(truncate)")

    def _add(self, change: sqlite3.Connection, name: str, content: bytes, options: str) -> KeptFile:
        digest = sha256(content).hexdigest()
        path = self.path(digest)
        if path.is_symlink() or not path.exists() or not _is_whole(path, digest):
            path.parent.mkdir(exist_ok=True)
            write_whole(path, content)
        os.utime(path)  # the day on which a person had it
        change.execute("insert into files (name, digest, options) values (?, ?, ?)", (name, digest, options))
        return KeptFile(name, digest, options)

    @contextmanager
    def _change(self) -> Generator[sqlite3.Connection]:
        """One transaction, which no other server changes anything during; files without a row go at its end."""
        self._folder_made()
        with self._connected() as connection:
            connection.execute("begin immediate")
            try:
                yield connection
                named = {digest for (digest,) in connection.execute("select digest from files")}
                connection.execute("commit")
            except BaseException:
                connection.execute("rollback")
                raise
            self._clear_away(connection, named)

    def _clear_away(self, connection: sqlite3.Connection, named: set[str]) -> None:
        """Unlink files that no row names; a server that is killed before leaves them to the next change."""
        folder = self.folder / FILES
        files = {path.name for path in folder.iterdir()} if folder.is_dir() else set[str]()
        if not files - named:
            return
        connection.execute("begin immediate")  # a file that another server adds now has its row before this begins
        try:
            named = {digest for (digest,) in connection.execute("select digest from files")}
            for name in files - named:
                with suppress(OSError):
                    (folder / name).unlink()
        finally:
            connection.execute("commit")

    def _folder_made(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _refused(self.folder, error) from error

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        if not (self.folder / DATABASE).exists():
            return []
        with self._connected() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        path = self.folder / DATABASE
        try:
            with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as connection:
                connection.execute("pragma synchronous = full")
                connection.execute("pragma secure_delete = on")
                version, n_tables = connection.execute(STATE).fetchone()
                if n_tables == 0:
                    connection.executescript(TABLES)
                elif version != VERSION:
                    raise OutputError(
                        f"cannot be used (version {version} of the workspace; this fairviz reads version {VERSION})",
                        file=str(path),
                        fix="Use the fairviz that made it, or name another folder: fairviz app --workspace FOLDER.",
                    )
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise _refused(path, error) from error


def _is_whole(path: Path, digest: str) -> bool:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest() == digest


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.lstat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _refused(path: Path, error: sqlite3.Error | OSError) -> OutputError:
    reason = error.strerror if isinstance(error, OSError) else error
    fix = "Check that it may be written and that the disk has room, or name another: fairviz app --workspace FOLDER."
    return OutputError(f"cannot be used ({reason})", file=str(path), fix=fix)
