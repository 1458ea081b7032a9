"""What was answered and computed before: one SQLite file in the folder of an experiment.

An answer is in the file before anybody counts it as given, under the sha256 of all that decides it; an empty answer is
one, an error is not kept. Whenever a run is stopped, by a key, a kill or a full disk, the next one asks what is
missing and nothing else. Texts and plain numbers only: nothing in the file is ever executed.
"""

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import OutputError
from fairviz.experiments.protocols import Json

T = TypeVar("T")

VERSION = 1
"""Of the tables, kept as SQLite's user_version."""

TABLES = f"""
begin immediate;
create table if not exists answers
(key text primary key, model text not null, answer text not null, facts text not null) without rowid;
create table if not exists arrays
(key text primary key, width integer not null, numbers blob not null) without rowid;
pragma user_version = {VERSION};
commit;
"""
"""All of it or nothing, so that a file is a store or empty whenever its maker is stopped."""

COLUMNS = ["key", "model", "answer", "facts"]
"""Of the answers: by them a store is known, of whatever version."""

AT_ONCE = 500
"""Keys in one query; SQLite takes some hundreds of parameters."""


def canonical(value: Json) -> str:
    """The one JSON text of a value: keys in order, no blanks, letters as they are.

    Examples:
        >>> canonical({"b": 1, "a": "é"})
        '{"a":"é","b":1}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(value: Json) -> str:
    """sha256 of the canonical JSON of all that decides an answer or an array, in hexadecimal digits."""
    return sha256(canonical(value).encode()).hexdigest()


def in_parts(entries: Iterable[T], n: int = AT_ONCE) -> Iterator[list[T]]:
    """Entries as they come, some at a time, so that no more of them are held.

    Examples:
        >>> list(in_parts("abc", 2))
        [['a', 'b'], ['c']]
    """
    left = iter(entries)
    while part := list(islice(left, n)):
        yield part


class Store:
    """Answers and arrays by key; the file is made with the first of them.

    One process writes (the runner holds the folder's lock); others may read meanwhile.

    Args:
        path: The file.

    Raises:
        OutputError: It cannot be opened or written, or is no store of fairviz.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        with self._refusals():
            return _opened(self._path)

    def answers(self, keys: Iterable[str]) -> dict[str, str]:
        """The answers that are there."""
        return dict(self._rows("select key, answer from answers where key in", keys))

    def facts(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What was said of the answers that are there: tokens, finish reason, model."""
        return {key: json.loads(text) for key, text in self._rows("select key, facts from answers where key in", keys)}

    def n_answers(self) -> int:
        """Answers that are there."""
        if not self._path.exists():
            return 0
        with self._refusals():
            return self._connection.execute("select count(*) from answers").fetchone()[0]

    def put(self, key: str, model: str, answer: str, facts: Mapping[str, Json]) -> None:
        """Store an answer, on the disk when this returns; one that is there already stays."""
        row = (key, model, answer, canonical(facts))
        self._written("insert or ignore into answers values (?, ?, ?, ?)", [row])

    def arrays(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The arrays that are there."""
        rows = self._rows("select key, numbers from arrays where key in", keys)
        return {key: np.frombuffer(numbers, dtype="<f4") for key, numbers in rows}

    def keep(self, arrays: Mapping[str, NDArray[np.floating[Any]]]) -> None:
        """Store arrays as single-precision numbers, on the disk when this returns."""
        rows = [(key, array.size, np.ascontiguousarray(array, dtype="<f4").tobytes()) for key, array in arrays.items()]
        self._written("insert or ignore into arrays values (?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file; what was stored stays."""
        if "_connection" in vars(self):
            with self._refusals():
                vars(self).pop("_connection").close()

    def __del__(self) -> None:
        self.close()

    def _rows(self, query: str, keys: Iterable[str]) -> list[tuple[str, Any]]:
        rows: list[tuple[str, Any]] = []
        if not self._path.exists():
            return rows
        for part in in_parts(keys):
            marks = ",".join("?" * len(part))
            with self._refusals():
                rows += self._connection.execute(f"{query} ({marks})", part).fetchall()
        return rows

    def _written(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        with self._refusals(), self._connection:
            self._connection.executemany(statement, rows)

    @contextmanager
    def _refusals(self) -> Generator[None]:
        """Tell what SQLite or the system refuses in one line."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            name = getattr(error, "sqlite_errorname", "")
            fix = next((fix for start, fix in FIXES.items() if name.startswith(start)), "Check that it may be written.")
            message = error.strerror if isinstance(error, OSError) else error
            raise OutputError(f"cannot be used ({message})", file=str(self._path), fix=fix) from error


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        # A commit is on the disk before the next request is paid for.
        connection.execute("pragma synchronous = full")
        (version,) = connection.execute("pragma user_version").fetchone()
        (n_tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
        columns = [name for _, name, *_ in connection.execute("pragma table_info(answers)")]
        if n_tables == 0:
            connection.execute("pragma journal_mode = wal")
            connection.executescript(TABLES)
        elif columns[: len(COLUMNS)] != COLUMNS:
            raise OutputError("cannot be used (it is of another program)", file=str(path), fix=MOVE)
        elif version != VERSION:
            reason = f"cannot be used (version {version} of the store; this fairviz reads version {VERSION})"
            raise OutputError(reason, file=str(path), fix="Use the fairviz that made it, or name another folder.")
    except BaseException:
        connection.close()
        raise
    return connection


MOVE = "Move it away and run it again; the answers in it, if any, are then asked for again."
ROOM = "Make room and run it again: what is stored stays, and is not asked again."
FIXES = {
    "SQLITE_FULL": ROOM,
    "SQLITE_IOERR": ROOM,
    "SQLITE_NOTADB": MOVE,
    "SQLITE_CORRUPT": MOVE,
    "SQLITE_BUSY": "Close the program that has it open, and run it again.",
}
"""By the beginning of SQLite's name of an error."""
