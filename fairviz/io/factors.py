"""A table of systems: ``system``, its ``label``, what it is made of (task, retriever, generator, …), one line each."""

import csv
import math
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any, TextIO

from fairviz.errors import InputError
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import whole_text
from fairviz.model import FACTORS, Factors
from fairviz.numerals import plural

COLUMNS = ("label", *FACTORS)
FIX = f"Write a header: system, then some of {', '.join(COLUMNS)}; comma or tab between them."


def is_factors(line: str) -> bool:
    """Whether a first line is the header of such a table.

    Examples:
        >>> is_factors("system,task,retriever"), is_factors("system,region"), is_factors("system")
        (True, False, False)
    """
    names = [name.strip().lower() for name in line.split("\t" if "\t" in line else ",")]
    return "system" in names and len(names) > 1 and {*names} <= {"system", *COLUMNS}


@reader
def read_factors(file: FileInput | Source) -> Parsed[dict[str, Factors]]:
    """Factors of systems by their name; an empty cell says nothing.

    Raises:
        InputError: No column ``system``, an unknown or repeated column, a line of another length, a system or a label
            twice, an α or a k that is no number.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    head = text.partition("\n")[0]
    rows = csv.reader(text.splitlines(), delimiter="\t" if "\t" in head else ",", strict=True)
    try:
        header = [name.strip().lower() for name in next(rows, list[str]())]
        _check(header, source.name)
        known: dict[str, Factors] = {}
        lines: dict[str, int] = {}
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                reason = f"{plural(len(row), 'cell')}, the header has {len(header)}"
                raise InputError(reason, file=source.name, line=rows.line_num, fix=FIX)
            cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
            system = cells.pop("system")
            if not system:
                raise InputError("the system has no name", file=source.name, line=rows.line_num, fix=FIX)
            if system in known:
                reason = f"{shown(system)} stands twice (first on line {lines[system]})"
                raise InputError(reason, file=source.name, line=rows.line_num, fix="Keep one line per system.")
            known[system] = _factors(cells, source.name, rows.line_num)
            label = known[system].label
            if label is not None and (same := next((one for one in lines if known[one].label == label), None)):
                reason = f"the label {shown(label)} stands twice (first on line {lines[same]})"
                raise InputError(reason, file=source.name, line=rows.line_num, fix="Give each system its own.")
            lines[system] = rows.line_num
    except csv.Error as error:
        raise InputError(f"not a table: {error}", file=source.name, line=rows.line_num, fix=FIX) from error
    return notes.parsed(known, "factors of systems", lines)


def read_factor_rows(rows: Iterable[Mapping[str, Any]]) -> Parsed[dict[str, Factors]]:
    """The same of rows in memory.

    Args:
        rows: ``system`` and what it is made of; None says nothing.

    Raises:
        InputError: As :func:`read_factors`, with the row in place of the line.
    """
    given = list(rows)
    names = list(dict.fromkeys(name for row in given for name in row))
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    table.writerows([_cell(row.get(name)) for name in names] for row in given)
    file = "systems"
    try:
        return read_factors(Source(file, None, text.getvalue().encode()))
    except InputError as error:
        of = f"row {error.line - 1}: " if error.line is not None and error.line > 1 else ""
        raise InputError(f"{of}{error.reason}", file=file, fix=error.fix) from None


def _cell(value: Any) -> str:
    """A value as it is typed; frames have whole numbers beside missing ones as floats."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def write_factors(systems: Mapping[str, Factors], to: TextIO) -> None:
    """Write the factors of systems that one of them has; :func:`read_factors` gives them back.

    Args:
        systems: Factors by the name of the system.
        to: An open text file.
    """
    columns = [name for name in COLUMNS if any(getattr(said, name) is not None for said in systems.values())]
    table = csv.writer(to, delimiter="\t", lineterminator="\n")
    table.writerow(["system", *columns])
    for system, said in systems.items():
        table.writerow([system, *("" if (cell := getattr(said, name)) is None else cell for name in columns)])


def _factors(cells: dict[str, str], file: str, line: int) -> Factors:
    said = Factors()._replace(**{name: cell for name, cell in cells.items() if cell and name not in ("alpha", "k")})
    alpha, k = cells.get("alpha", ""), cells.get("k", "")
    try:
        said = said._replace(alpha=float(alpha) if alpha else None)
    except ValueError:
        said = said._replace(alpha=math.nan)
    if said.alpha is not None and not 0 <= said.alpha < math.inf:
        raise InputError(f"alpha {shown(alpha)} is no number from 0 on", file=file, line=line, fix="Write it as 0.5.")
    if k and not (k.isascii() and k.isdecimal() and int(k) > 0):
        raise InputError(f"k {shown(k)} is no whole number from 1 on", file=file, line=line, fix="Write it as 5.")
    return said._replace(k=int(k) if k else None)


def _check(header: list[str], file: str) -> None:
    if "system" not in header:
        raise InputError("no column named system", file=file, line=1, fix=FIX)
    unknown = [name for name in header if name not in ("system", *COLUMNS)]
    if unknown:
        raise InputError(f"unknown column {shown(unknown[0])}", file=file, line=1, fix=FIX)
    if len(set(header)) < len(header):
        raise InputError("a column stands twice", file=file, line=1, fix=FIX)
