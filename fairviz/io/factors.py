"""A table of systems: ``system``, its ``label``, its look, what it is made of (task, retriever, …), one line each."""

import csv
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, TextIO

from fairviz.io.answer_table import Column, Layout, from_zero, one_of, read_rows, text_or_number
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.model import COLOURS, DASHES, FACTORS, Factors

COLUMNS = ("label", "colour", "dash", "date", *FACTORS)
FIX = f"Write a header: system, then some of {', '.join(COLUMNS)}; comma or tab between them."


_DATE = re.compile(r"\d{4}(-\d{2}){0,2}")


def is_factors(names: set[str]) -> bool:
    """Whether the names in a header are those of such a table.

    Examples:
        >>> is_factors({"system", "task", "retriever"}), is_factors({"system", "region"}), is_factors({"system"})
        (True, False, False)
    """
    return "system" in names and len(names) > 1 and names <= {"system", *COLUMNS}


def _date(text: str) -> str | None:
    """A year, a month or a day."""
    whole = f"{text}-01-01"[:10]
    try:
        date.fromisoformat(whole)
    except ValueError:
        return None
    return text if _DATE.fullmatch(text) else None


def date_of_tag(tag: str) -> str:
    """The date that a run tag says; empty where it says none.

    Examples:
        >>> date_of_tag("bm25;date=2026-03-01"), date_of_tag("bm25;date=2026-13"), date_of_tag("bm25")
        ('2026-03-01', '', '')
    """
    parts = (part.partition("=") for part in tag.split(";")[1:])
    return next((day for name, _, text in parts if name == "date" and (day := _date(text))), "")


def _colour(text: str) -> str | None:
    """A colour by its name, or as red, green and blue in two hexadecimal digits each."""
    colour = text.strip()
    if re.fullmatch("#[0-9A-Fa-f]{6}", colour):
        return colour.upper()
    return colour.lower() if colour.lower() in COLOURS else None


def _dash(text: str) -> str | None:
    """A dash by its name."""
    dash = text.strip().lower()
    return dash if dash in DASHES else None


def _size(text: str) -> int | None:
    """A number of documents from 1 on."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0 else None


_SYSTEM = Column(text_or_number, ("system",), filled=True)


def _column(name: str, reading: Callable[[str], Any], wrong: str, fix: str) -> Column[Any]:
    """A column whose empty cells say nothing."""
    return Column(one_of(reading, f"{name} {{cell}} is no {wrong}", fix, text=text_or_number, blank=("",)), (name,))


_OF_COLOURS = f"Write one of {', '.join(COLOURS)}, or #RRGGBB, such as #1B5560."
_COLUMNS: dict[str, Column[Any]] = {
    **{name: Column(text_or_number, (name,)) for name in COLUMNS},
    "date": _column("date", _date, "year, month or day", "Write it as 2026-03-01."),
    "colour": _column("colour", _colour, "colour", _OF_COLOURS),
    "dash": _column("dash", _dash, "dash", f"Write one of {', '.join(DASHES)}."),
    "alpha": _column("alpha", from_zero, "number from 0 on", "Write it as 0.5."),
    "k": _column("k", _size, "whole number from 1 on", "Write it as 5."),
}


@reader
def read_factors(source: Source) -> Parsed[dict[str, Factors]]:
    """Factors of systems by their name; an empty cell says nothing.

    Raises:
        InputError: No column ``system``, an unknown or repeated column, a line of another length, a system or a label
            twice, an α or a k that is no number.
    """
    notes = NoteBook(source.name)
    factors: dict[str, Factors] = {}
    lines: dict[str, int] = {}
    labels: dict[str, int] = {}
    for row in read_rows(source, Layout(FIX, ("system",)), notes):
        if unknown := row.record.keys() - {"system", *COLUMNS}:
            at_header = row._replace(line=1) if row.in_table else row
            raise at_header.wrong(f"unknown column {shown(min(unknown))}", FIX)
        system = _SYSTEM.of(row).strip()
        cells = {name: column.of(row) for name, column in _COLUMNS.items()}
        cells |= {name: cell.strip() or None for name, cell in cells.items() if isinstance(cell, str)}
        if lines.setdefault(system, row.line) != row.line:
            raise row.wrong(
                f"{shown(system)} stands twice (first on line {lines[system]})", "Keep one line per system."
            )
        label = cells["label"]
        if label is not None and labels.setdefault(label, row.line) != row.line:
            reason = f"the label {shown(label)} stands twice (first on line {labels[label]})"
            raise row.wrong(reason, "Give each system its own.")
        factors[system] = Factors(**cells)
    return notes.parsed(factors, "factors of systems", lines)


def write_factors(systems: Mapping[str, Factors], to: TextIO) -> None:
    """Write the factors of systems that one of them has; :func:`read_factors` gives them back.

    Args:
        systems: Factors by the name of the system.
        to: An open text file.
    """
    columns = [name for name in COLUMNS if any(getattr(factors, name) is not None for factors in systems.values())]
    table = csv.writer(to, delimiter="\t", lineterminator="\n")
    table.writerow(["system", *columns])
    for system, factors in systems.items():
        table.writerow([system, *("" if (cell := getattr(factors, name)) is None else cell for name in columns)])
