"""The papers' published tables, laid out as they are printed, with the papers' marking and notes.

A table is shipped in long form, a row per printed value; a cell that contradicts another keeps its printed value and a
flag. Its :class:`Layout` is written once: the papers' index prints the table by it, the Social bias page reads rows,
columns and marking from it to draw the same values.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias, cast

from fairviz.display.words import number
from fairviz.model import PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.resources import content

Mark: TypeAlias = Literal["", "largest", "smallest", "best"]
Rule: TypeAlias = Literal["", "extremes", "nearest 0", "highest"]
"""What a paper sets in bold: nothing, largest and smallest, the value nearest 0, the largest."""
NOTHING = "—"


class Layout(NamedTuple):
    """How long form becomes the printed form.

    Attributes:
        down: Columns that name a row.
        across: Columns that name a column of the printed table.
        values: Columns of the values; several stand in one cell.
        rule: What the paper marks.
        among: Rows with equal values of these columns are compared for the marking.
        above: A column about the printed columns, whose values are the first line; "" for none.
    """

    down: tuple[str, ...]
    across: tuple[str, ...]
    values: tuple[str, ...]
    rule: Rule = ""
    among: tuple[str, ...] = ()
    above: str = ""


class PrintedPart(NamedTuple):
    """One number or word of a cell, and what its paper marks it as."""

    text: str
    mark: Mark = ""


class Printed(NamedTuple):
    """A cell: its parts stand beside each other with a stroke between; numbers of its notes."""

    parts: tuple[PrintedPart, ...]
    notes: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The cell without marks and notes."""
        return " / ".join(part.text for part in self.parts)


class PrintedTable(NamedTuple):
    """A table to be shown.

    Attributes:
        head: Heading of each column.
        rows: Cells, the first of a row names it.
        cells: What stands in a cell of several parts, "" where every column has its own heading.
        bold: What bold type means, "" for none.
        notes: What contradicts itself, numbered from 1.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Printed, ...], ...]
    cells: str
    bold: str
    notes: tuple[str, ...]


def label(column: str) -> str:
    """The heading of a column.

    Examples:
        >>> label("diffbias_a"), label("bias_type")
        ('Diff-Bias_a', 'Bias type')
    """
    labels: dict[str, str] = content("published")["labels"]
    return labels.get(column, column.replace("_", " ").capitalize())


def layout_of(paper: str, number: int) -> Layout | None:
    """How a table is printed; None for one that is printed row by row."""
    tables: dict[str, dict[int, dict[str, str]]] = content("published")["tables"]
    found = tables.get(paper, {}).get(number)
    if found is None:
        return None
    down, across, values, among = (tuple(found.get(name, "").split()) for name in ("down", "across", "values", "among"))
    return Layout(down, across, values, cast("Rule", found.get("rule", "")), among, found.get("above", ""))


def mark_words(rule: Rule) -> str:
    """What bold type means in a table that is marked by a rule."""
    bold: dict[Rule, str] = content("published")["bold"]
    return bold.get(rule, "")


def marks(values: Sequence[float], rule: Rule) -> list[Mark]:
    """What each value is among the others; equal values are marked alike, NaN and a lone value not at all.

    Examples:
        >>> marks([3.0, 1.0, 2.0], "extremes"), marks([-3.0, 1.0], "nearest 0"), marks([2.0, 2.0], "highest")
        (['largest', 'smallest', ''], ['', 'best'], ['', ''])
    """
    known = [value for value in values if not math.isnan(value)]
    if not rule or len(set(known)) < 2:
        return [""] * len(values)
    if rule == "nearest 0":
        nearest = min(map(abs, known))
        return ["best" if abs(value) == nearest else "" for value in values]
    low, high = min(known), max(known)
    if rule == "highest":
        return ["best" if value == high else "" for value in values]
    return ["largest" if value == high else "smallest" if value == low else "" for value in values]


def printed_table(table: PublishedTable) -> PrintedTable:
    """A table as its paper lays it out; one without a layout of its own row by row."""
    layout = layout_of(table.paper, table.number)
    notes = tuple(dict.fromkeys(flag for flag in table.flags if flag))
    notes_of_rows = [(notes.index(flag) + 1,) if flag else () for flag in table.flags]
    if layout is None:
        rows = tuple(
            tuple(Printed((PrintedPart(text),), numbers if not place else ()) for place, text in enumerate(row))
            for row, numbers in zip(_long(table), notes_of_rows, strict=True)
        )
        return PrintedTable(tuple(label(name) for name in table.columns), rows, "", "", notes)
    return _across(table, layout, notes_of_rows, notes)


def _across(
    table: PublishedTable, layout: Layout, notes_of_rows: Sequence[tuple[int, ...]], notes: tuple[str, ...]
) -> PrintedTable:
    down, across = _keys(table, layout.down), _keys(table, layout.across)
    places = list(dict.fromkeys(across))
    by_row: dict[tuple[str, ...], dict[tuple[str, ...], Printed]] = {}
    for row, column, parts, numbers in zip(down, across, _parts(table, layout), notes_of_rows, strict=True):
        by_row.setdefault(row, {})[column] = Printed(parts, numbers)
    gap = Printed((PrintedPart(NOTHING),))
    rows = [
        (*(Printed((PrintedPart(name),)) for name in names), *(cells.get(place, gap) for place in places))
        for names, cells in by_row.items()
    ]
    head = [*(label(name) for name in layout.down), *(" · ".join(names) for names in places)]
    if layout.above:
        # The line above the others: stereotypical documents by retriever.
        texts = dict(zip(across, _texts(table.column(layout.above)), strict=True))
        cells = (texts[place] + (" %" if texts[place] != NOTHING else "") for place in places)
        rows.insert(0, tuple(Printed((PrintedPart(text),)) for text in ("Stereotypical documents", *cells)))
    several = " / ".join(map(label, layout.values)) if len(layout.values) > 1 else ""
    if "stars" in layout.values:
        several = "p < .05 *, p < .01 **, p < .001 ***"
    return PrintedTable(tuple(head), tuple(rows), several, mark_words(layout.rule), notes)


def _parts(table: PublishedTable, layout: Layout) -> Iterable[tuple[PrintedPart, ...]]:
    """The parts of each row's cell, with marks."""
    if layout.values == ("value", "stars"):
        stars = (int(cell) if isinstance(cell, float) else 0 for cell in table.column("stars"))
        texts = _texts(table.column("value"))
        return ((PrintedPart(text + "*" * n),) for text, n in zip(texts, stars, strict=True))
    among = _keys(table, layout.among)
    columns = (
        map(PrintedPart, _texts(cells), _marks_among(cells, among, layout.rule))
        for cells in (table.column(name) for name in layout.values)
    )
    return zip(*columns, strict=True)


def _marks_among(cells: Sequence[PrintedCell], among: Sequence[tuple[str, ...]], rule: Rule) -> list[Mark]:
    """What each value is among those it is compared with."""
    compared: dict[tuple[str, ...], list[int]] = {}
    for row, names in enumerate(among):
        compared.setdefault(names, []).append(row)
    marked: list[Mark] = [""] * len(cells)
    values = [cell if isinstance(cell, float) else math.nan for cell in cells]
    for rows in compared.values():
        for row, mark in zip(rows, marks([values[row] for row in rows], rule), strict=True):
            marked[row] = mark
    return marked


def _keys(table: PublishedTable, names: Sequence[str]) -> list[tuple[str, ...]]:
    """For each row, the words of these columns; ranks are called by their name."""
    if not names:
        return [()] * len(table.rows)
    columns = (
        [f"k = {text}" for text in _texts(table.column(name))] if name == "k" else _texts(table.column(name))
        for name in names
    )
    return list(zip(*columns, strict=True))


def _texts(cells: Sequence[PrintedCell]) -> list[str]:
    """Cells in words; numbers of a column with as many decimals as the longest needs."""
    decimals = most_decimals(cells)
    return [_text(cell, decimals) for cell in cells]


def most_decimals(cells: Sequence[PrintedCell]) -> int:
    """Digits after the point of the number that is printed with most of them.

    Examples:
        >>> most_decimals([10.0, 20.0, "all"]), most_decimals([0.1, 0.12])
        (0, 2)
    """
    return max((_decimals(cell) for cell in cells if isinstance(cell, float)), default=0)


def _long(table: PublishedTable) -> Iterable[Sequence[str]]:
    """Rows in words; where each row is another measure, with decimals of its own."""
    if "metric" not in table.columns:
        return zip(*(_texts(table.column(name)) for name in table.columns), strict=True)
    decimals: dict[PrintedCell, int] = {}
    for metric, row in zip(table.column("metric"), table.rows, strict=True):
        numbers = (_decimals(cell) for cell in row if isinstance(cell, float))
        decimals[metric] = max([decimals.get(metric, 0), *numbers])
    return [
        [_text(cell, decimals[metric]) for cell in row]
        for metric, row in zip(table.column("metric"), table.rows, strict=True)
    ]


def _text(cell: PrintedCell, decimals: int) -> str:
    return number(cell, decimals) if isinstance(cell, float) else str(cell or NOTHING)


def _decimals(value: float) -> int:
    return 0 if value.is_integer() else len(repr(value).split(".")[1])
