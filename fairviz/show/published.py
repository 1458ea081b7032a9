"""A published table laid out as its paper prints it, with the paper's marking and its notes."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fairviz.model import PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.show.words import number

__all__ = ["Printed", "PrintedPart", "PrintedTable", "label", "printed_table"]

Mark: TypeAlias = Literal["", "largest", "smallest", "best"]

Rule: TypeAlias = Literal["", "extremes", "nearest 0", "highest"]
"""What a paper sets in bold: nothing, largest and smallest, the value nearest 0, the largest."""

NOTHING = "—"


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


class _Layout(NamedTuple):
    """How long form becomes the printed form.

    Attributes:
        down: Columns that name a row.
        across: Columns that name a column of the printed table.
        values: Columns of the values; several stand in one cell.
        rule: What the paper marks.
        among: Rows with equal values of these columns are compared for the marking.
    """

    down: tuple[str, ...]
    across: tuple[str, ...]
    values: tuple[str, ...]
    rule: Rule = ""
    among: tuple[str, ...] = ()


_BIAS, _ACC = ("diffbias_a", "diffbias_d"), ("acc_a", "acc_d")


def _social(
    bias: int, accuracy: int, down: str, across: str, among: str, rules: Sequence[Rule]
) -> dict[tuple[str, int], _Layout]:
    return {
        ("rag-social-biases", n): _Layout(
            tuple(down.split()), tuple(across.split()), values, rule, tuple(among.split())
        )
        for n, values, rule in zip((bias, accuracy), (_BIAS, _ACC), rules, strict=True)
    }


_EXTREMES: tuple[Rule, Rule] = ("extremes", "extremes")

_LAYOUTS: dict[tuple[str, int], _Layout] = {
    ("rag-social-biases", 1): _Layout(("dataset",), ("bias_type",), ("documents",)),
    **_social(2, 7, "bias_type setting", "model", "bias_type model", _EXTREMES),
    **_social(3, 8, "model", "setting", "model", _EXTREMES),
    **_social(4, 9, "model", "dataset setting", "dataset model", _EXTREMES),
    **_social(5, 10, "model", "retriever", "model", _EXTREMES),
    **_social(11, 12, "model", "retrieval shots", "model retrieval", ("nearest 0", "highest")),
    ("rag-medical-bias", 2): _Layout(("model", "dataset"), ("strategy",), ("score", "overlap")),
    ("fair-metric", 1): _Layout(("dataset",), ("metric", "k"), ("value",)),
    ("fair-metric", 2): _Layout(("dataset",), ("metric", "k"), ("value",)),
    ("fair-metric", 3): _Layout(("k", "dataset"), ("metric", "coefficient"), ("value", "stars")),
    ("fair-metric", 4): _Layout(("judgements", "k"), ("algorithm",), ("max_skew",)),
    ("comparing", 5): _Layout(("what",), ("experiment",), ("count",)),
}
"""The tables that are printed in another form than long; all others are shown as they are."""

_LABELS = {
    "diffbias_a": "Diff-Bias_a",
    "diffbias_d": "Diff-Bias_d",
    "acc_a": "Acc_a",
    "acc_d": "Acc_d",
    "rouge_l": "ROUGE-L, %",
    "accuracy": "Accuracy, %",
    "dp": "DP",
    "eo": "EO",
    "k": "k",
    "with_mv": "With vote",
    "no_mv": "Without vote",
    "max_skew": "MaxSkew",
    "overlap": "Overlap, %",
    "more_fair": "Better value",
    "score": "Score, %",
}

_STRONG: dict[Rule, str] = {
    "": "",
    "extremes": "Bold: largest (↑) and smallest (↓) of those that the paper compares and colours.",
    "nearest 0": "Bold: nearest 0 of each pair, as the paper marks.",
    "highest": "Bold: the higher of each pair, as the paper marks.",
}


def label(column: str) -> str:
    """The heading of a column.

    Examples:
        >>> label("diffbias_a"), label("bias_type")
        ('Diff-Bias_a', 'Bias type')
    """
    return _LABELS.get(column, column.replace("_", " ").capitalize())


def printed_table(table: PublishedTable) -> PrintedTable:
    """A table as its paper lays it out; one without a layout of its own row by row."""
    layout = _LAYOUTS.get((table.paper, table.number))
    notes = tuple(dict.fromkeys(flag for flag in table.flags if flag))
    marked = [(notes.index(flag) + 1,) if flag else () for flag in table.flags]
    if layout is None:
        rows = tuple(
            tuple(Printed((PrintedPart(text),), numbers if not place else ()) for place, text in enumerate(row))
            for row, numbers in zip(_long(table), marked, strict=True)
        )
        return PrintedTable(tuple(label(name) for name in table.columns), rows, "", "", notes)
    return _across(table, layout, marked, notes)


def _across(
    table: PublishedTable,
    layout: _Layout,
    marked: Sequence[tuple[int, ...]],
    notes: tuple[str, ...],
) -> PrintedTable:
    down, across = _keys(table, layout.down), _keys(table, layout.across)
    places = list(dict.fromkeys(across))
    cells: dict[tuple[str, ...], dict[tuple[str, ...], Printed]] = {}
    for row, column, parts, numbers in zip(down, across, _parts(table, layout), marked, strict=True):
        cells.setdefault(row, {})[column] = Printed(parts, numbers)
    gap = Printed((PrintedPart(NOTHING),))
    rows = [
        (*(Printed((PrintedPart(name),)) for name in row), *(by_column.get(x, gap) for x in places))
        for row, by_column in cells.items()
    ]
    head = [*(label(name) for name in layout.down), *(" · ".join(names) for names in places)]
    if table.number == 5 and "stereo_documents" in table.columns:
        rows.insert(0, _shares(table, across, places))
    several = " / ".join(map(label, layout.values)) if len(layout.values) > 1 else ""
    if "stars" in layout.values:
        several = "p < .05 *, p < .01 **, p < .001 ***"
    return PrintedTable(tuple(head), tuple(rows), several, _STRONG[layout.rule], notes)


def _parts(table: PublishedTable, layout: _Layout) -> Iterable[tuple[PrintedPart, ...]]:
    """The parts of each row's cell, with marks."""
    if layout.values == ("value", "stars"):
        stars = (int(cell) if isinstance(cell, float) else 0 for cell in table.column("stars"))
        texts = _texts(table.column("value"))
        return ((PrintedPart(text + "*" * n),) for text, n in zip(texts, stars, strict=True))
    among = _keys(table, layout.among)
    columns = (
        map(PrintedPart, _texts(cells), _marks(cells, among, layout.rule))
        for cells in (table.column(name) for name in layout.values)
    )
    return zip(*columns, strict=True)


def _shares(
    table: PublishedTable, across: Sequence[tuple[str, ...]], places: Sequence[tuple[str, ...]]
) -> tuple[Printed, ...]:
    """The line above Table 5: stereotypical documents by retriever."""
    texts = dict(zip(across, _texts(table.column("stereo_documents")), strict=True))
    cells = (texts[place] + (" %" if texts[place] != NOTHING else "") for place in places)
    return tuple(Printed((PrintedPart(text),)) for text in ("Stereotypical documents", *cells))


def _marks(cells: Sequence[PrintedCell], among: Sequence[tuple[str, ...]], rule: Rule) -> list[Mark]:
    """What each value is among those it is compared with."""
    values = [cell for cell in cells if isinstance(cell, float)]
    if not rule or len(values) < len(cells):
        return [""] * len(cells)
    groups: dict[tuple[str, ...], list[float]] = {}
    for key, value in zip(among, values, strict=True):
        groups.setdefault(key, []).append(value)
    return [_mark(value, groups[key], rule) for key, value in zip(among, values, strict=True)]


def _mark(value: float, others: Sequence[float], rule: Rule) -> Mark:
    low, high = min(others), max(others)
    if rule == "nearest 0":
        return "best" if abs(value) == min(abs(other) for other in others) else ""
    if rule == "highest":
        return "best" if value == high else ""
    return "largest" if value == high else ("smallest" if value == low else "")


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
    decimals = max((_decimals(cell) for cell in cells if isinstance(cell, float)), default=0)
    return [_text(cell, decimals) for cell in cells]


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
