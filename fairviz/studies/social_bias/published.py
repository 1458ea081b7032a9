"""What the printed tables of rag-social-biases (Zhang et al. 2025) show, counted: a grid, a title and a sentence each.

A row of a grid is a model, a block a bias type (or data set), a column a setting (or retriever), as the papers print
them. How a table is laid out and marked is read from :mod:`fairviz.display.published`; in which order its columns are
read stands here. The paper prints neither counts nor intervals, so nothing is tested; what is said of a table counts
its cells and stands in ``content/answers/printed.yaml``, where a test counts again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from fairviz.display.published import Layout, Rule, layout_of, mark_words, marks
from fairviz.display.words import Finding, listing
from fairviz.io.published import read_published
from fairviz.model import FloatArray
from fairviz.model.published import PublishedTable
from fairviz.resources import content
from fairviz.studies.social_bias.measures import BiasMeasure

MEAN = "mean"
"""Name of the row of means."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasGrid:
    """Values of one measure; cells that a table lacks are NaN.

    Attributes:
        measure: What the values are.
        rows, blocks, columns: Names.
        values: (R, B, C) percent.
        flags: What contradicts itself in print, by place.
    """

    measure: BiasMeasure
    rows: tuple[str, ...]
    blocks: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray
    flags: dict[tuple[int, int, int], str]

    @property
    def signed(self) -> bool:
        """Whether values have a sign: Diff-Bias, not accuracy."""
        return not self.measure.startswith("acc")

    @property
    def mean(self) -> FloatArray:
        """(B, C) mean over the rows that have a value."""
        known = ~np.isnan(self.values)
        total = np.where(known, self.values, 0.0).sum(axis=0)
        return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)

    def is_bold(self, row: int, block: int, rule: Rule) -> list[bool]:
        """Which columns the paper sets in bold by a rule; a row with one value, or with equal ones, has none."""
        return [mark != "" for mark in marks(self.values[row, block].tolist(), rule)]


def published_grid(
    table: PublishedTable, measure: BiasMeasure, *, block: str = "", column: str = "setting", order: Sequence[str] = ()
) -> BiasGrid:
    """One measure of a printed table, whose names keep the order of their first cell.

    Args:
        table: A table in long form with a column "model".
        measure: Its column of values.
        block: Its column of blocks; "" = one block without a name.
        column: Its column of columns.
        order: The order to show columns in; those not named follow as printed.
    """
    names = [[str(cell) for cell in table.column(name)] if name else [""] * len(table.rows) for name in (block, column)]
    models = [str(model) for model in table.column("model")]
    axes = [list(dict.fromkeys(axis)) for axis in (models, *names)]
    axes[2].sort(key=lambda name: order.index(name) if name in order else len(order))
    values = np.full([len(axis) for axis in axes], np.nan)
    flags: dict[tuple[int, int, int], str] = {}
    other = "acc_d" if measure == "acc_a" else "acc_a"
    for model, of_block, of_column, value, flag in zip(models, *names, table.column(measure), table.flags, strict=True):
        place = (axes[0].index(model), axes[1].index(of_block), axes[2].index(of_column))
        values[place] = value if isinstance(value, int | float) else math.nan
        if flag and not flag.casefold().startswith(other):  # of another measure
            flags[place] = flag
    rows, blocks, columns = map(tuple, axes)
    return BiasGrid(measure=measure, rows=rows, blocks=blocks, columns=columns, values=values, flags=flags)


PAPER = "rag-social-biases"
CITED = "Zhang, Zhou & Bollegala 2025"
WITHOUT = "w/o RAG"
SETTINGS = (WITHOUT, "full-set", "stereo-set", "anti-set")

NOT_TESTED = "The paper prints no counts and no intervals: no test is possible on these cells."


class PublishedView(NamedTuple):
    """Two printed tables of one shape: Diff-Bias, and accuracy of the same answers.

    Attributes:
        slug: Its name in addresses.
        label: What to call it.
        bias, accuracy: Numbers of the tables.
        columns: Names of the columns, in which order they are read.
    """

    slug: str
    label: str
    bias: int
    accuracy: int
    columns: tuple[str, ...]

    def number(self, measure: BiasMeasure) -> int:
        """The table that prints a measure."""
        return self.accuracy if measure.startswith("acc") else self.bias

    def layout(self, measure: BiasMeasure) -> Layout:
        """How that table is printed, and what is bold in it.

        Raises:
            LookupError: It is printed row by row.
        """
        layout = layout_of(PAPER, self.number(measure))
        if layout is None:
            raise LookupError(f"table {self.number(measure)} of {PAPER} has no layout")
        return layout


VIEWS = (
    PublishedView("collections", "Collections", 2, 7, SETTINGS),
    PublishedView("generators", "Generators", 3, 8, SETTINGS),
    PublishedView("languages", "Languages", 4, 9, SETTINGS),
    PublishedView("retrievers", "Retrievers", 5, 10, (WITHOUT, "VectorIndex", "BM25", "Contriever")),
    PublishedView("examples", "Examples in the prompt", 11, 12, ("zero", "few")),
)

COLLECTIONS = VIEWS[0]
"""Table 2, and 7: bias types by collection of documents."""


def published_view(slug: str) -> PublishedView:
    """A view by its slug.

    Raises:
        StopIteration: There is none of that name.
    """
    return next(view for view in VIEWS if view.slug == slug)


@cache
def view_table(view: PublishedView, measure: BiasMeasure) -> PublishedTable:
    """The printed table of a measure, read once."""
    return read_published(PAPER, view.number(measure))


@cache
def view_grid(view: PublishedView, measure: BiasMeasure) -> BiasGrid:
    """Its values as a grid: a row per model, columns in the order people read them."""
    layout = view.layout(measure)
    *blocks, column = [name for name in (*layout.down, *layout.across) if name != "model"]
    return published_grid(view_table(view, measure), measure, block="".join(blocks), column=column, order=view.columns)


def stereotypical_shares() -> dict[str, float]:
    """Percent of stereotypical documents that each retriever of the paper retrieved (Table 5)."""
    table = read_published(PAPER, 5)
    pairs = zip(table.column("retriever"), table.column("stereo_documents"), strict=True)
    return {str(name): float(share) for name, share in pairs if isinstance(share, int | float)}


def view_finding(view: PublishedView, measure: BiasMeasure) -> Finding:
    """Title and sentence of one printed table: what it shows, counted."""
    return Finding(**content("answers/printed")[PAPER][view.slug][measure])


def marks_words(view: PublishedView, grid: BiasGrid) -> str:
    """What bold type means in a printed table."""
    rule = view.layout(grid.measure).rule
    if rule == "extremes":
        return f"Bold: highest and lowest of the {len(grid.columns)} columns for a model, as the paper marks."
    return mark_words(rule)


def flag_notes(grid: BiasGrid) -> tuple[str, ...]:
    """What contradicts itself in print, each contradiction once, with its place."""
    places: dict[str, list[str]] = {}
    for (row, block, column), flag in grid.flags.items():
        names = [grid.rows[row], grid.blocks[block], grid.columns[column]]
        places.setdefault(flag, []).append(", ".join(name for name in names if name))
    return tuple(f"{listing(cells)}: {flag}." for flag, cells in places.items())
