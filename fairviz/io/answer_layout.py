"""What a table of answers is declared as: columns, and kinds of cells.

A noun that people write as a table (CSV, TSV, JSON Lines, a JSON array) is a :class:`Layout` of columns: what each is
called, what a cell holds, whether it must be there, what stands for nothing, what is said of a wrong cell.
:mod:`fairviz.io.answer_table` reads any of them. A new kind of cell is a subclass of :class:`Column` with its ``read``.
"""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar, cast

from fairviz.errors import InputError
from fairviz.io.json import Json, as_text, json_type, parse_json
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.model.variants import UNKNOWN

T = TypeVar("T")

_TRUTH = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0, "": UNKNOWN}


class WrongCellError(ValueError):
    """A cell is not what its column holds; who knows the line makes an :class:`InputError` of it."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fix = fix


class CellText(NamedTuple):
    """What a cell of JSON must be to be read as text, and what is said of anything else.

    Attributes:
        any_number: Whether every number, true and false count as text; else integers alone.
        wrong: The reason, with ``{name}`` and ``{type}``.
        fix: How to mend it, with ``{name}``.
    """

    any_number: bool
    wrong: str
    fix: str

    def read(self, value: Json, name: str) -> str:
        """The text of a cell, "" where it is absent or null.

        Raises:
            WrongCellError: It is no text.
        """
        if isinstance(value, str):
            return value
        if self.any_number or value is None or (isinstance(value, int) and not isinstance(value, bool)):
            text = as_text(value)
            if text is not None:
                return text
        reason = self.wrong.format(name=name, type=json_type(value))
        raise WrongCellError(reason, self.fix.format(name=name))


ONE_STRING = CellText(False, "{name} must be a string, found {type}", "Give {name} as one string.")

TEXT_OR_NUMBER = CellText(True, "{name} must be a string, found {type}", "Give {name} as text or a number.")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[T]):
    """A column, and how its cells are read.

    Attributes:
        name: Its name, in lower case.
        aliases: Other names; where several are there, the first counts.
        required: Whether a table must have it, and each record of JSON.
        filled: Whether a blank cell is refused.
        text: What counts as text in it.
    """

    name: str = field(kw_only=False)
    aliases: tuple[str, ...] = ()
    required: bool = False
    filled: bool = False
    text: CellText = ONE_STRING

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the first that is there counts."""
        return (self.name, *self.aliases)

    def name_in(self, names: Container[str]) -> str | None:
        """Under which of its names it is there."""
        return next((name for name in self.names if name in names), None)

    def of(self, row: Row) -> T:
        """What the cell of a row says.

        Raises:
            InputError: It is not what the column holds.
        """
        name = self.name
        value = row.record.get(name)
        if value is None and self.aliases:
            name = self.name_in(row.record) or name
            value = row.record.get(name)
        try:
            if self.filled and is_blank(self.text.read(value, name)):
                raise row.unfilled(name)
            return self.read(value, name)
        except WrongCellError as cell:
            raise row.wrong(cell.reason, cell.fix) from cell

    def read(self, value: Json, name: str) -> T:
        """What a cell says; a kind of column is what this does.

        Args:
            value: The cell, None where it is absent or null.
            name: What the file calls the column.

        Raises:
            WrongCellError: It is not what the column holds.
        """
        raise NotImplementedError


class Text(Column[str]):
    """Words as they are written, "" for an absent cell."""

    __slots__ = ()

    def of(self, row: Row) -> str:
        """The words of a row."""
        value = row.record.get(self.name)
        if not self.filled:  # plain in most rows, of which there are many
            if isinstance(value, str):
                return value
            if value is None and not self.aliases:
                return ""
        return super().of(row)

    def read(self, value: Json, name: str) -> str:
        """The words of a cell."""
        return self.text.read(value, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Column[T]):
    """One of a few things, as words or numbers name them.

    Attributes:
        reading: What a text names, None for no choice.
        wrong: The reason of the error, with ``{name}`` and ``{cell}``.
        fix: How to mend it.
        tidy: What is done to a text before it is read, and shown.
        blank: Folded texts that name nothing: the column's ``default``.
        default: What they say.
    """

    reading: Callable[[str], T | None]
    wrong: str
    fix: str
    tidy: Callable[[str], str] = str.strip
    blank: frozenset[str] = frozenset()
    default: T | None = None

    def read(self, value: Json, name: str) -> T:
        """The choice that a cell names."""
        text = self.tidy(self.text.read(value, name))
        if text.casefold() in self.blank:
            return cast(T, self.default)
        choice = self.reading(text)
        if choice is None:
            raise WrongCellError(self.wrong.format(name=name, cell=shown(text)), self.fix)
        return choice


class Truth(Column[int]):
    """1, 0, or unknown where the cell is empty."""

    __slots__ = ()

    def read(self, value: Json, name: str) -> int:
        """The truth that a cell names."""
        if value is None:
            return UNKNOWN
        known = int(value) if isinstance(value, bool) else _TRUTH.get(self.text.read(value, name).strip().lower())
        if known is None:
            reason = f"{name} must be true or false, found {shown(str(value), 20)}"
            raise WrongCellError(reason, "Write true, false, 1, 0, yes, no, or nothing.")
        return known


class Ids(Column[tuple[str, ...] | None]):
    """Ids in their order: a JSON array, or a cell with blanks or "|" between them; None where there are none.

    In JSON a string is read as a cell of a table is, and noted; ids named twice are read once, and noted.
    """

    __slots__ = ()

    def of(self, row: Row) -> tuple[str, ...] | None:
        """The ids of a row."""
        name = self.name
        value = row.record.get(name)
        if isinstance(value, str) and value.strip() and not row.in_table:
            message = f"{name} is a string, not an array: read as ids with blanks or | between them"
            row.notes.add(message, row.line, kind=f"{name} is a string")
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parse_json(value, file=row.notes.file, line=row.line)
        try:
            ids = self.read(value, name)
        except WrongCellError as cell:
            raise row.wrong(cell.reason, cell.fix) from cell
        distinct = tuple(dict.fromkeys(ids or ()))
        if ids is not None and len(distinct) < len(ids):
            twice = next(doc for at, doc in enumerate(ids) if doc in ids[:at])
            row.notes.add(f"{name} names {shown(twice)} twice: read once", row.line, kind="retrieved twice")
        return None if ids is None else distinct

    def read(self, value: Json, name: str) -> tuple[str, ...] | None:
        """The ids that a cell names, repeated ones too."""
        if not isinstance(value, list):
            cell = self.text.read(value, name).strip()
            value = [text.strip() for text in (cell.split("|") if "|" in cell else cell.split())]
            if not cell:
                return None
        for element in value:
            blank = isinstance(element, str) and is_blank(element)
            if isinstance(element, bool) or not isinstance(element, str | int) or blank:
                what = "an empty one" if blank else json_type(element)
                raise WrongCellError(f"{name} must hold ids, found {what}", f"Give {name} as an array of document ids.")
        return tuple(str(element) for element in value)


class Options(Column[tuple[str, ...]]):
    """Words of options: a list, an object ``{A: words}``, a cell "A. words | B. words"; () where there are none."""

    __slots__ = ()

    def read(self, value: Json, name: str) -> tuple[str, ...]:
        """The words of a cell's options, without their letters."""
        if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
            try:
                value = parse_json(value, file="")
            except InputError as error:
                raise WrongCellError(f"{name} is no JSON list: {error.reason}", "Write a JSON list.") from error
        if isinstance(value, dict):
            inner = value.get("text")
            value = inner if isinstance(inner, list) else [value[key] for key in sorted(value)]
        if isinstance(value, list):
            return tuple(_LABELLED.sub("", TEXT_OR_NUMBER.read(element, name).strip()) for element in value)
        parts = _BETWEEN.split(self.text.read(value, name).strip())
        return tuple(_LABELLED.sub("", part.strip()) for part in parts if part.strip()) if len(parts) > 1 else ()


_LABELLED = re.compile(r"^[(\[]?[A-Ja-j][)\].:]\s*")
_BETWEEN = re.compile(r"\s*\|\s*|\s*\n\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a table of answers.

    Attributes:
        columns: All that are read.
        fix: How to write the table, for errors of missing columns.
        telling: Of several missing columns the one that is named, "" for the first.
    """

    columns: tuple[Column[Any], ...]
    fix: str
    telling: str = ""

    @property
    def names(self) -> frozenset[str]:
        """All names of declared columns."""
        return frozenset(name for column in self.columns for name in column.names)

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the columns that must be there."""
        return tuple(column.name for column in self.columns if column.required)
