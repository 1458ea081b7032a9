"""A TOML file with the line of each of its keys, so that a mistake can be told where it stands."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from fairviz.errors import InputError
from fairviz.io.notes import NoteBook
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.text import whole_text

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys from the top of a file to a value; entries of a list by their number, from 0."""


class Toml(NamedTuple):
    """A TOML file.

    Attributes:
        tables: What it says.
        lines: The line, from 1, of each key, table and entry of a list.
    """

    tables: dict[str, object]
    lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int | None:
        r"""The line of the innermost part of a path that is in the file; parts that are no keys of it are passed over.

        Examples:
            >>> text = "k = 1\n[retriever]\nk1 = 2"
            >>> toml = Toml(tomllib.loads(text), lines_of(text))
            >>> toml.line(("retriever", 0, "bm25", "k1")), toml.line(("retriever", "b")), toml.line(("name",))
            (3, 2, None)
        """
        found: KeyPath = ()
        for part in path:
            if (*found, part) in self.lines:
                found = (*found, part)
        return self.lines.get(found)


def read_toml(file: FileInput | Source) -> Toml:
    """Read a TOML file.

    Raises:
        InputError: If the file cannot be read or is no TOML.
    """
    source = as_source(file)
    try:
        text = whole_text(source, NoteBook(source.name))
        return Toml(tomllib.loads(text), lines_of(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place.group(1)) if place else None
        raise InputError(f"is no TOML: {error}", file=source.name, line=line) from error


def lines_of(text: str) -> dict[KeyPath, int]:
    r"""The line, from 1, of each key, table and entry of a list in a text that is TOML.

    Examples:
        >>> lines_of('k = [1,\n 2]\n[[model]]\nname = "a"')
        {('k',): 1, ('k', 0): 1, ('k', 1): 2, ('model',): 3, ('model', 0): 3, ('model', 0, 'name'): 4}
    """
    return _Scanner(text).lines


_BLANK = re.compile(r"(?:[\s,]|#[^\n]*)*")
_KEY = re.compile(r"""[\w-]+|"(?:\\.|[^"\\])*"|'[^']*'""", re.ASCII)
_STRING = re.compile(
    r'''"""(?:\\.|[^\\])*?""""{0,2}'''  # of several lines: up to two quotes may stand before the last three
    r"""|'''.*?''''{0,2}"""
    r"""|"(?:\\.|[^"\\])*"|'[^']*'""",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]+")


class _Scanner:
    """Walks over a text that is known to be TOML; whatever is no key is passed over."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._n_tables: dict[KeyPath, int] = {}
        self.lines: dict[KeyPath, int] = {}
        table: KeyPath = ()
        while self._skip(_BLANK) < len(text):
            if text.startswith("[[", self._at):
                table = self._next_of(self._header(2))
            elif text.startswith("[", self._at):
                table = self._inside(self._header(1))
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        """Pass over what matches here; gives the place behind it."""
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at

    def _note(self, path: KeyPath, start: int) -> None:
        line = bisect_right(self._starts, start)
        for end in range(1, len(path) + 1):
            self.lines.setdefault(path[:end], line)

    def _keys(self) -> tuple[str, ...]:
        """Keys that dots join."""
        keys: list[str] = []
        while True:
            start = self._skip(_BLANK)
            keys.append(_unquoted(self._text[start : self._skip(_KEY)]))
            self._skip(_BLANK)
            if not self._text.startswith(".", self._at):
                return tuple(keys)
            self._at += 1

    def _header(self, n_brackets: int) -> tuple[KeyPath, int]:
        """The keys between brackets, and where they start."""
        start = self._at
        self._at += n_brackets
        keys = self._keys()
        self._at += n_brackets
        return keys, start

    def _next_of(self, header: tuple[KeyPath, int]) -> KeyPath:
        """One more table [[…]]."""
        keys, start = header
        path = (*self._resolved(keys[:-1]), keys[-1])
        number = self._n_tables.get(path, 0)
        self._n_tables[path] = number + 1
        self._note((*path, number), start)
        return (*path, number)

    def _inside(self, header: tuple[KeyPath, int]) -> KeyPath:
        """The table […]."""
        keys, start = header
        path = self._resolved(keys)
        self._note(path, start)
        return path

    def _resolved(self, keys: KeyPath) -> KeyPath:
        """Keys with the number of the last table where they name tables [[…]]."""
        path: KeyPath = ()
        for key in keys:
            path = (*path, key)
            if path in self._n_tables:
                path = (*path, self._n_tables[path] - 1)
        return path

    def _pair(self, table: KeyPath) -> None:
        """One ``key = value``."""
        start = self._at
        path = (*table, *self._keys())
        self._note(path, start)
        self._at += 1  # =
        self._skip(_BLANK)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        opened = self._text[self._at]
        if opened in "[{":
            self._at += 1
            number = 0
            while self._text[self._skip(_BLANK)] not in "]}":
                if opened == "{":
                    self._pair(path)
                else:
                    self._note((*path, number), self._at)
                    self._value((*path, number))
                    number += 1
            self._at += 1
        else:
            self._skip(_STRING if opened in "\"'" else _PLAIN)


def _unquoted(key: str) -> str:
    """A key without its quotes."""
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[0] in "\"'" else key
