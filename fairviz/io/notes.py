"""What a reader returns beside the noun: notes, the format found, and where things stood."""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar

import polars as pl

from fairviz.errors import InputError, printable
from fairviz.model import Note
from fairviz.numerals import count, plural

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[T_co]):
    """A noun read from a file.

    Attributes:
        value: The noun.
        file: Name of the file as the person gave it.
        format: The format found, for people ("TREC qrels, grades 0–3").
        notes: What was repaired or should be known.
        lines: First line of each id (queries of a run or qrels, groups of a table).
        more: Further nouns of the file: labels by other attributes.
    """

    value: T_co
    file: str
    format: str
    notes: tuple[Note, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    more: "tuple[Parsed[T_co], ...]" = ()

    @property
    def every(self) -> "tuple[Parsed[T_co], ...]":
        """All that the file holds, noun by noun."""
        return self, *self.more


def shown(text: str, limit: int = 60) -> str:
    r"""Text from a file as a message may show it: short, nothing unprintable.

    Examples:
        >>> shown("d\u200b1")
        'd\\u200b1'
        >>> shown("x" * 100, limit=5), shown("\0" * 100, limit=10)
        ('xxxx…', '\\x00\\x00\\…')
    """
    spelled = printable(text[: limit + 1])  # one character more says whether something is left out
    return spelled if len(spelled) <= limit else spelled[: limit - 1] + "…"


Shown: TypeAlias = Literal["any", "many", "all"]
"""Where a counted note is shown: it holds of something, of more than a tenth, or of everything."""
MANY = 0.1
"""Share above which something that is usual in small numbers is noted."""


class _Counted(NamedTuple):
    """A note before it is put into words.

    Attributes:
        message: One line; of a tally with the names of counts in it.
        line: Where the first such problem stands.
        n: How many problems.
        of: Of how many things, in a tally; None: the first problem is named and the others are counted.
        shown: Of a tally.
    """

    message: str
    line: int | None
    n: int
    of: int | None = None
    shown: Shown = "any"

    @property
    def holds(self) -> bool:
        """Whether there is anything to note."""
        if self.of is None or self.shown == "any":
            return self.n > 0
        return 0 < self.n == self.of if self.shown == "all" else self.n > MANY * self.of

    @property
    def words(self) -> str:
        """The message with its counts."""
        if self.of is None:
            return self.message + (f" (and {count(self.n - 1)} more)" if self.n > 1 else "")
        queries, of_queries = (plural(number, "query", "queries") for number in (self.n, self.of))
        return self.message.format(n=count(self.n), of=count(self.of), queries=queries, of_queries=of_queries)


class NoteBook:
    """Notes on one file or system, whose counts add up over its parts; a thousand equal problems become one note.

    Attributes:
        file: What it is called.
        of_log: Whether it is a log, in which NaN and infinities are null: values of a tool's own that nobody reads.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.of_log = False
        self._notes: dict[str, _Counted] = {}

    def wrong(self, reason: str, fix: str = "", line: int | None = None) -> InputError:
        """The error of the file, on a line where one can be named."""
        return InputError(reason, file=self.file, line=line, fix=fix)

    def add(self, message: str, line: int | None = None, *, kind: str = "", count: int = 1) -> None:
        """Note a problem; the first of its ``kind`` keeps its words and line.

        Args:
            message: What was found, one line.
            line: Where it was first found.
            kind: What makes two problems equal; without it, the message.
            count: How often it was found.
        """
        key = kind or message
        before = self._notes.get(key, _Counted(message, line, 0))
        self._notes[key] = before._replace(n=before.n + count)

    def add_first(
        self, rows: pl.Series, message: Callable[[int], str], line: Callable[[int], int | None], kind: str
    ) -> None:
        """Note the first of some rows, and how many they are.

        Args:
            rows: Whether each is one.
            message: What is to be said of a row.
            line: Where it stands.
            kind: What makes two problems equal.
        """
        for row in rows.arg_true().head(1):
            self.add(message(row), line(row), kind=kind, count=int(rows.sum()))

    def tally(
        self, message: str, n: int = 1, of: int = 0, *, line: int | None = None, kind: str = "", shown: Shown = "any"
    ) -> None:
        """Note what holds of ``n`` things of ``of``, also of none: another part of the file may have some.

        Args:
            message: One line, in which ``{n}`` and ``{of}``, or ``{queries}`` and ``{of_queries}`` with their noun,
                stand for the counts; braces of names are doubled, see :func:`literal`.
            n: Things of this part; a tally of the same kind replaces it.
            of: Things that it could hold of.
            line: Where it was first found.
            kind: What makes two tallies equal; without it, the message.
            shown: Where it is worth a note.
        """
        self._notes[kind or message] = _Counted(message, line, n, of, shown)

    def add_all(self, other: "NoteBook", *, times: int = 1) -> None:
        """Add the notes of another part, each met so many times."""
        for kind, more in other._notes.items():  # noqa: SLF001 - its own class
            before = self._notes.get(kind, more._replace(n=0, of=None if more.of is None else 0, line=None))
            of = None if before.of is None or more.of is None else before.of + more.of * times
            line = more.line if before.line is None else before.line
            self._notes[kind] = before._replace(n=before.n + more.n * times, of=of, line=line)

    def parsed(self, value: T, label: str, lines: Mapping[str, int] | None = None) -> Parsed[T]:
        """A noun that was read, with all notes.

        Args:
            value: The noun.
            label: The format found.
            lines: First line of each id.
        """
        return Parsed(value=value, file=self.file, format=label, notes=self.collected, lines=lines or {})

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._notes

    @property
    def collected(self) -> tuple[Note, ...]:
        """All notes, in the order in which each kind was first met, none twice."""
        shown = (note for note in self._notes.values() if note.holds)
        return tuple(dict.fromkeys(Note(self.file, note.line, note.words) for note in shown))


# Rows of frames and of Parquet files: readers number them from 1, as lines, and people from 0, as ``iloc`` does.


_LINE = re.compile(r"\b(on )?line (\d+)")


def row_name(line: int, column: str = "") -> str:
    """What messages call the row that a reader has on a line, or its cell in a column."""
    return f"row {line - 1}" + (f", column {column!r}" if column else "")


def _of_row(message: str, line: int | None, column: str = "") -> str:
    """A message on a line as one on a row.

    Examples:
        >>> _of_row("b stands twice (first on line 2)", 3)
        'row 2: b stands twice (first in row 1)'
    """
    words = _LINE.sub(lambda match: ("in " if match[1] else "") + row_name(int(match[2])), message)
    return words if line is None else f"{row_name(line, column)}: {words}"


@contextmanager
def by_row(column: str = "") -> Generator[None]:
    """Errors of lines as errors of rows, and of a column where one is meant."""
    try:
        yield
    except InputError as error:
        if error.line is not None:
            error.row = error.line - 1
        error.reason, error.line = _of_row(error.reason, error.line, column), None
        raise


def in_rows(parsed: Parsed[T]) -> Parsed[T]:
    """Notes on lines as notes on rows."""
    notes = tuple(Note(note.file, None, _of_row(note.message, note.line)) for note in parsed.notes)
    return replace(parsed, notes=notes, lines={})


def called(noun: object, name: str = "") -> str:
    """What something in memory is called in messages: its type, and its name where it has one."""
    return f"{type(noun).__name__} {name!r}" if name else type(noun).__name__


def literal(text: str) -> str:
    """Text that stands in the message of a tally as it is.

    Examples:
        >>> literal("nDCG(gains={0: 1})")
        'nDCG(gains={{0: 1}})'
    """
    return text.replace("{", "{{").replace("}", "}}")
