"""What a table of answers is declared as: columns, and what their cells hold.

A noun that people write as a table (CSV, TSV, JSON Lines, a JSON array) has a :class:`Column` for each thing that it
says: what it is called, and a reader of its cells, which says what is wrong with one. :mod:`~fairviz.io.answer_table`
reads the rows.
"""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from fairviz.errors import InputError
from fairviz.io.json import Json, as_text, json_type, parse_json
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.model.variants import UNKNOWN

T = TypeVar("T")


class Layout(NamedTuple):
    """Which columns a table must have.

    Attributes:
        fix: How to write it, for errors of missing columns.
        required: Names of the columns that must be there, and stand in each record of JSON.
        telling: Of several missing columns the one that is named, "" for the first.
    """

    fix: str
    required: tuple[str, ...] = ()
    telling: str = ""


class Row(NamedTuple):
    """A record and where it stands.

    Attributes:
        record: Its cells by folded name; JSON has values, a table texts.
        line: Where it starts.
        notes: Where repairs are noted.
        in_table: Whether it is a line of a table, in which every cell is text.
    """

    record: Mapping[str, Json]
    line: int
    notes: NoteBook
    in_table: bool = False

    def wrong(self, reason: str, fix: str) -> InputError:
        """The error of this row."""
        return InputError(reason, file=self.notes.file, line=self.line, fix=fix)

    def lacks(self, name: str, *, fix: str, n_names: int = 8) -> InputError:
        """The error of a row without a cell, with the first names that it has."""
        there = ", ".join(shown(key, 20) for key in list(self.record)[:n_names])
        return self.wrong(f"missing {name} (found: {there})", fix)

    def unfilled(self, name: str) -> InputError:
        """The error of a row in which a cell is absent or blank."""
        fix = f"Give {name} in every row."
        return self.wrong(f"{name} is empty", fix) if name in self.record else self.lacks(name, fix=fix, n_names=12)


Read: TypeAlias = Callable[[Json, str, Row], T]
"""What a cell says: its value (None where it is absent or null), what the file calls the column, the row it is of.

Raises an :class:`InputError` where it is not what the column holds.
"""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column, and how its cells are read.

    Attributes:
        read: What a cell says.
        names: Its names in lower case; where several are there, the first counts.
        filled: Whether a blank cell is refused.
    """

    read: Read[T]
    names: tuple[str, ...]
    filled: bool = False

    @property
    def name(self) -> str:
        """Its own name; the others are aliases."""
        return self.names[0]

    def name_in(self, names: Container[str]) -> str | None:
        """Under which of its names it is there."""
        return next((name for name in self.names if name in names), None)

    def of(self, row: Row) -> T:
        """What the cell of a row says.

        Raises:
            InputError: It is not what the column holds.
        """
        name = self.names[0]
        value = row.record.get(name)
        if value is None and len(self.names) > 1:
            name = self.name_in(row.record) or name
            value = row.record.get(name)
        if self.filled and (value is None or (isinstance(value, str) and is_blank(value))):
            raise row.unfilled(name)
        return self.read(value, name, row)


# Readers of cells.


def texts(what: str, fix: str, *, any_number: bool = True) -> Read[str]:
    """Words as they are written, "" for an absent cell.

    Args:
        what: What the cell must be, for its error.
        fix: What to give, for its error.
        any_number: Whether every number, true and false count as text; else integers alone.
    """

    def read(value: Json, name: str, row: Row) -> str:
        if isinstance(value, str):
            return value
        if any_number or value is None or (isinstance(value, int) and not isinstance(value, bool)):
            text = as_text(value)
            if text is not None:
                return text
        raise row.wrong(f"{name} must be {what.format(type=json_type(value))}", f"Give {name} as {fix}.")

    return read


one_string = texts("a string, found {type}", "one string", any_number=False)
text_or_number = texts("a string, found {type}", "text or a number")


def one_of(
    reading: Callable[[str], T | None],
    wrong: str,
    fix: str,
    *,
    text: Read[str] = one_string,
    tidy: Callable[[str], str] = str.strip,
    blank: Container[str] = (),
    default: Any = None,
) -> Read[T]:
    """One of a few things, as words or numbers name them.

    Args:
        reading: What a text names, None for no choice.
        wrong: The reason of the error, with ``{name}`` and ``{cell}``.
        fix: How to mend it.
        text: The text of a cell.
        tidy: What is done to it before it is read, and shown.
        blank: Texts in lower case that name nothing.
        default: What these say.
    """

    def read(value: Json, name: str, row: Row) -> T:
        written = tidy(text(value, name, row))
        if written.casefold() in blank:
            return cast(T, default)
        chosen = reading(written)
        if chosen is None:
            raise row.wrong(wrong.format(name=name, cell=shown(written)), fix)
        return chosen

    return read


_TRUTH = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0, "": UNKNOWN}


def truth(value: Json, name: str, row: Row) -> int:
    """1, 0, or unknown where the cell is empty."""
    if isinstance(value, bool):
        return int(value)
    known = _TRUTH.get(one_string(value, name, row).strip().lower())
    if known is None:
        reason = f"{name} must be true or false, found {shown(str(value), 20)}"
        raise row.wrong(reason, "Write true, false, 1, 0, yes, no, or nothing.")
    return known


def ids(value: Json, name: str, row: Row) -> tuple[str, ...] | None:
    """Ids in their order: a JSON array, or a cell with blanks or "|" between them; None where there are none.

    In JSON a string is read as a cell of a table is, and noted; ids named twice are read once, and noted.
    """
    if isinstance(value, str) and value.strip() and not row.in_table:
        message = f"{name} is a string, not an array: read as ids with blanks or | between them"
        row.notes.add(message, row.line, kind=f"{name} is a string")
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = parse_json(value, file=row.notes.file, line=row.line)
    if not isinstance(value, list):
        cell = one_string(value, name, row).strip()
        if not cell:
            return None
        value = [text.strip() for text in (cell.split("|") if "|" in cell else cell.split())]
    for element in value:
        blank = isinstance(element, str) and is_blank(element)
        if isinstance(element, bool) or not isinstance(element, str | int) or blank:
            what = "an empty one" if blank else json_type(element)
            raise row.wrong(f"{name} must hold ids, found {what}", f"Give {name} as an array of document ids.")
    named = [str(element) for element in value]
    distinct = tuple(dict.fromkeys(named))
    if len(distinct) < len(named):
        twice = next(doc for at, doc in enumerate(named) if doc in named[:at])
        row.notes.add(f"{name} names {shown(twice)} twice: read once", row.line, kind="retrieved twice")
    return distinct


_LABELLED = re.compile(r"^[(\[]?[A-Ja-j][)\].:]\s*")
_BETWEEN = re.compile(r"\s*\|\s*|\s*\n\s*")


def option_words(value: Json, name: str, row: Row) -> tuple[str, ...]:
    """Words of options: a list, an object ``{A: words}``, a cell "A. words | B. words"; () where there are none."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            value = parse_json(value, file="")
        except InputError as error:
            raise row.wrong(f"{name} is no JSON list: {error.reason}", "Write a JSON list.") from error
    if isinstance(value, dict):
        inner = value.get("text")
        value = inner if isinstance(inner, list) else [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return tuple(_LABELLED.sub("", text_or_number(element, name, row).strip()) for element in value)
    parts = _BETWEEN.split(one_string(value, name, row).strip())
    return tuple(_LABELLED.sub("", part.strip()) for part in parts if part.strip()) if len(parts) > 1 else ()
