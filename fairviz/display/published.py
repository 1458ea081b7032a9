"""The papers' published tables: as shipped, and laid out as they are printed, with the papers' marking and notes.

A shipped table begins with comment lines that say what it holds: ``# paper:``, ``# table:`` and ``# title:``, then
``# column NAME: meaning, unit`` for every column and ``# remark:`` for what concerns the table as a whole. The CSV
below them is in long form, a row per printed combination; its last column ``flag`` says what contradicts itself or
another table. Such values are shown as printed and never repaired.

How a table is printed is its :class:`PrintedLayout`, which is content.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

import polars as pl

from fairviz.display.table import Column, Table, keyed
from fairviz.display.words import number
from fairviz.errors import UsageError
from fairviz.resources import content, data_folder

_TABLES: Final = {
    "rag-social-biases": range(1, 13),
    "rag-medical-bias": range(1, 8),
    "fair-metric": range(1, 5),
    "comparing": (1, 3, 4, 5),
}
PUBLISHED: Final = tuple((paper, number) for paper, some in _TABLES.items() for number in some)
"""(paper, number) of every shipped table, paper by paper."""
_COMMENT = re.compile(r"^# (paper|table|title|remark|column .+?): (.*)$", re.MULTILINE)

Mark: TypeAlias = Literal["", "largest", "smallest", "best"]
Rule: TypeAlias = Literal["", "extremes", "nearest 0", "highest"]
"""What a paper sets in bold: nothing, largest and smallest, the value nearest 0, the largest."""
NOTHING = "—"


class PrintedLayout(NamedTuple):
    """How long form becomes the printed form; a table without a layout of its own is printed row by row.

    Attributes:
        down: Columns that name a row.
        across: Columns that name a column of the printed table.
        values: Columns of the values; several stand in one cell.
        rule: What the paper marks.
        among: Rows with equal values of these columns are compared for the marking.
        above: A column about the printed columns, whose values are the first line; "" for none.
    """

    down: Sequence[str] = ()
    across: Sequence[str] = ()
    values: Sequence[str] = ()
    rule: Rule = ""
    among: Sequence[str] = ()
    above: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedTable:
    """Facts of a paper: one of its tables in long form, a row per printed combination.

    Attributes:
        paper: Slug of the paper ("rag-social-biases").
        number: The table's number in the paper.
        title: What it shows, in a sentence.
        meanings: What each column means, with its unit, by its name.
        cells: A column each: numbers where all its printed cells are, else words; null where nothing is printed.
        flags: What contradicts itself or another table, shown and not repaired; "" for none, one per row.
        remarks: The same for the table as a whole.
    """

    paper: str
    number: int
    title: str
    meanings: Mapping[str, str]
    cells: pl.DataFrame
    flags: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def layout(self) -> PrintedLayout:
        """How it is printed."""
        return PrintedLayout(**content("published")["tables"].get(self.paper, {}).get(self.number, {}))

    @property
    def notes(self) -> tuple[str, ...]:
        """What contradicts itself, each contradiction once."""
        return tuple(dict.fromkeys(flag for flag in self.flags if flag))


@cache
def read_published(paper: str, number: int) -> PublishedTable:
    """One shipped table.

    Args:
        paper: "rag-social-biases", "rag-medical-bias", "fair-metric" or "comparing".
        number: The table's number in the paper.

    Raises:
        UsageError: This table is not shipped.
    """
    if (paper, number) not in PUBLISHED:
        choices = "; ".join(f"{name} {', '.join(map(str, some))}" for name, some in _TABLES.items())
        raise UsageError(f"no published table {number} of '{paper}'; there are {choices}")
    return table_of((data_folder("published") / f"{paper}.table-{number:02d}.csv").read_text(encoding="utf-8"))


def table_of(text: str) -> PublishedTable:
    """A published table from a text of the layout above; what is shipped is tested, not checked here."""
    comments: list[tuple[str, str]] = _COMMENT.findall(text)
    head = dict(comments)
    rows = pl.read_csv(text.encode(), comment_prefix="#", infer_schema=False)
    printed = rows.drop("flag")
    numbers = printed.select(pl.all().cast(pl.Float64, strict=False))
    are_numbers = [name for name in printed.columns if numbers[name].null_count() == printed[name].null_count()]
    return PublishedTable(
        paper=head["paper"],
        number=int(head["table"]),
        title=head["title"],
        meanings={key.removeprefix("column "): words for key, words in comments if key.startswith("column ")},
        cells=printed.with_columns(numbers.select(are_numbers)),
        flags=tuple(rows["flag"].fill_null("")),
        remarks=tuple(words for key, words in comments if key == "remark"),
    )


class Printed(NamedTuple):
    """A cell as it is printed.

    Attributes:
        parts: Its numbers or words, each with what its paper marks it as; a stroke stands between them.
        note: Number of what contradicts itself there, from 1; 0 for nothing.
    """

    parts: Sequence[tuple[str, Mark]]
    note: int = 0

    @property
    def text(self) -> str:
        """The cell without marks and notes."""
        return " / ".join(text for text, _ in self.parts)


def label(column: str) -> str:
    """The heading of a column.

    Examples:
        >>> label("diffbias_a"), label("bias_type")
        ('Diff-Bias_a', 'Bias type')
    """
    labels: dict[str, str] = content("published")["labels"]
    return labels.get(column, column.replace("_", " ").capitalize())


def mark_words(table: PublishedTable) -> str:
    """What bold type means in a table, "" for nothing."""
    return content("published")["bold"].get(table.layout.rule, "")


def cell_words(table: PublishedTable) -> str:
    """What stands in a cell of several parts, "" where every column has its own heading."""
    values = table.layout.values
    if "stars" in values:
        return "p < .05 *, p < .01 **, p < .001 ***"
    return " / ".join(map(label, values)) if len(values) > 1 else ""


def marks(column: str, rule: Rule) -> pl.Expr:
    """What each value of a column is among the others; equal values are marked alike, a lone value not at all.

    Examples:
        >>> values = pl.DataFrame({"a": [3.0, 1.0, 2.0], "b": [-3.0, 1.0, None], "c": [2.0, 2.0, 2.0]})
        >>> values.select(marks("a", "extremes"), marks("b", "nearest 0"), marks("c", "highest")).rows()
        [('largest', '', ''), ('smallest', 'best', ''), ('', '', '')]
    """
    value = pl.col(column)
    of_rule: dict[Rule, dict[Mark, pl.Expr]] = {
        "": {},
        "extremes": {"largest": value == value.max(), "smallest": value == value.min()},
        "nearest 0": {"best": value.abs() == value.abs().min()},
        "highest": {"best": value == value.max()},
    }
    differ = value.drop_nulls().n_unique() > 1
    named = (pl.when(differ & is_marked).then(pl.lit(mark)) for mark, is_marked in of_rule[rule].items())
    return pl.coalesce(*named, pl.lit("")).alias(column)


def printed_columns(table: PublishedTable) -> dict[str, list[Printed]]:
    """The columns of a table as its paper lays it out, by heading; without a layout of its own row by row."""
    layout = table.layout
    notes = [table.notes.index(flag) + 1 if flag else 0 for flag in table.flags]
    if not layout.across:
        texts = _row_by_row(table.cells)
        columns = {label(name): _plain(texts[name]) for name in texts.columns}
        first = next(iter(columns))
        columns[first] = [cell._replace(note=note) for cell, note in zip(columns[first], notes, strict=True)]
        return columns
    names = table.cells.select(_texts(table.cells[name]) for name in (*layout.down, *layout.across))
    if "k" in names.columns:  # ranks are called by their name
        names = names.with_columns(pl.format("k = {}", "k").alias("k"))
    places = names.select(
        *layout.down, pl.concat_str(layout.across, separator=" · ").alias("across"), place=pl.int_range(pl.len())
    ).pivot("across", index=layout.down, values="place")
    gap = Printed([(NOTHING, "")])
    printed = [Printed(parts, note) for parts, note in zip(_parts(table.cells, layout), notes, strict=True)]
    columns = {label(name): _plain(places[name]) for name in layout.down}
    across = {name: places[name].to_list() for name in places.columns[len(layout.down) :]}
    columns |= {name: [gap if at is None else printed[at] for at in rows] for name, rows in across.items()}
    if layout.above:  # the line above the others: stereotypical documents by retriever
        texts = _texts(table.cells[layout.above])
        above = [texts[next(at for at in rows if at is not None)] for rows in across.values()]
        first = ["Stereotypical documents", *(text if text == NOTHING else f"{text} %" for text in above)]
        columns = {name: [*_plain([text]), *rows] for text, (name, rows) in zip(first, columns.items(), strict=True)}
    return columns


def printed_table(table: PublishedTable) -> Table:
    """A published table as its paper lays it out, without marks."""
    printed = printed_columns(table)
    rows = tuple(tuple(cell.text for cell in row) for row in zip(*printed.values(), strict=True))
    return Table(keyed(*printed), rows, caption=f"Table {table.number}: {table.title}")


def long_table(table: PublishedTable) -> Table:
    """A published table as shipped, with as many decimals as it prints, and its flags."""
    columns = [Column(own.name, label(own.name), decimals=most_decimals(own)) for own in table.cells]
    cells = table.cells
    if table.notes:
        columns.append(Column("note"))
        cells = cells.with_columns(note=pl.Series(table.flags))
    return Table(tuple(columns), tuple(cells.rows()), caption=f"Table {table.number}: {table.title}")


def _plain(texts: Iterable[str]) -> list[Printed]:
    return [Printed([(text, "")]) for text in texts]


def _parts(cells: pl.DataFrame, layout: PrintedLayout) -> Iterable[tuple[tuple[str, Mark], ...]]:
    """The parts of each row's cell, with marks."""
    texts = {name: _texts(cells[name]).to_list() for name in layout.values}
    if stars := texts.pop("stars", None):
        with_stars = (text + "*" * int(n.replace(NOTHING, "0")) for text, n in zip(texts["value"], stars, strict=True))
        return (((text, ""),) for text in with_stars)
    marked = cells.with_columns(
        marks(name, layout.rule).over(layout.among) if layout.rule else pl.lit("").alias(name) for name in layout.values
    )
    return zip(*(zip(texts[name], marked[name], strict=True) for name in layout.values), strict=True)


def _texts(cells: pl.Series) -> pl.Series:
    """Cells in words, numbers with as many decimals as the longest needs."""
    decimals = most_decimals(cells)
    return pl.Series(cells.name, [_text(cell, decimals) for cell in cells])


def _row_by_row(cells: pl.DataFrame) -> pl.DataFrame:
    """Rows in words; where each row is another measure, with decimals of its own."""
    if "metric" not in cells.columns:
        return cells.select(_texts(cells[name]) for name in cells.columns)
    numbers = cells.select("metric", pl.col(pl.Float64)).unpivot(index="metric").drop_nulls()
    decimals = {metric: most_decimals(own["value"]) for (metric,), own in numbers.group_by("metric")}
    digits = [decimals.get(metric, 0) for metric in cells["metric"]]
    return pl.DataFrame({own.name: list(map(_text, own, digits)) for own in cells})


def most_decimals(cells: pl.Series) -> int:
    """Digits after the point of the number that is printed with most of them.

    Examples:
        >>> most_decimals(pl.Series([10.0, 20.0, None])), most_decimals(pl.Series([0.1, 0.12]))
        (0, 2)
    """
    if not cells.dtype.is_float():
        return 0
    return max((0 if value.is_integer() else len(repr(value).split(".")[1]) for value in cells.drop_nulls()), default=0)


def _text(cell: str | float | None, decimals: int) -> str:
    return number(cell, decimals) if isinstance(cell, float) else str(cell or NOTHING)
