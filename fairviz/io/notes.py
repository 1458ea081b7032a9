"""What a reader returns beside the noun: notes, the format found, and where things stood."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fairviz.errors import printable
from fairviz.model import Note
from fairviz.numerals import count

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
        >>> shown("x" * 100, limit=5)
        'xxxx…'
    """
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return printable(short)


class NoteBook:
    """Notes on one file; a thousand equal problems become one note with a count."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._first: dict[str, tuple[str, int | None]] = {}
        self._counts: dict[str, int] = {}

    def add(self, message: str, line: int | None = None, *, kind: str = "", count: int = 1) -> None:
        """Note a problem; the first of its ``kind`` keeps its words and line.

        Args:
            message: What was found, one line.
            line: Where it was first found.
            kind: What makes two problems equal; without it, the message.
            count: How often it was found.
        """
        key = kind or message
        self._first.setdefault(key, (message, line))
        self._counts[key] = self._counts.get(key, 0) + count

    def add_all(self, others: "NoteBook", *, times: int) -> None:
        """Add the notes of another book, each met so many times."""
        for kind, (message, line) in others._first.items():
            self.add(message, line, kind=kind, count=others._counts[kind] * times)

    def parsed(self, value: T, label: str, lines: Mapping[str, int] | None = None) -> Parsed[T]:
        """A noun that was read, with all notes.

        Args:
            value: The noun.
            label: The format found.
            lines: First line of each id.
        """
        return Parsed(value=value, file=self.file, format=label, notes=self.collected, lines=lines or {})

    @property
    def collected(self) -> tuple[Note, ...]:
        """All notes, in the order in which each kind was first met."""
        return tuple(
            Note(self.file, line, message + (f" (and {count(n - 1)} more)" if n > 1 else ""))
            for (message, line), n in zip(self._first.values(), self._counts.values(), strict=True)
        )
