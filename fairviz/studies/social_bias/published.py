"""What the printed tables of rag-social-biases (Zhang et al. 2025) show, counted: a grid, a title and a sentence each.

A row of a grid is a model, a block a bias type (or data set), a column a setting (or retriever), as the papers print
them. How a table is laid out and marked is read from :mod:`fairviz.display.published`; in which order its columns are
read stands here. The paper prints neither counts nor intervals, so nothing is tested; every clause counts cells.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from fairviz.display.published import Layout, Rule, layout_of, mark_words, marks
from fairviz.display.words import THIN, Finding, listing, number, plural
from fairviz.io.published import read_published
from fairviz.model import FloatArray
from fairviz.model.published import PublishedTable
from fairviz.studies.social_bias.labels import context_words, points
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

    def column(self, name: str) -> FloatArray:
        """(R, B) values of a column.

        Raises:
            ValueError: There is no such column.
        """
        return self.values[:, :, self.columns.index(name)]

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


class Moves(NamedTuple):
    """How a measure differs between two columns, over all rows and blocks that have both; cells are not tested.

    Attributes:
        n_up: Where it is higher after.
        n_down: Where it is lower.
        n: Pairs of values.
        mean: Mean difference in points; NaN of nothing.
    """

    n_up: int
    n_down: int
    n: int
    mean: float


def moves(differences: FloatArray) -> Moves:
    """Count where a measure rises and falls."""
    known = differences[~np.isnan(differences)]
    mean = float(known.mean()) if known.size else math.nan
    return Moves(int((known > 0).sum()), int((known < 0).sum()), int(known.size), mean)


def _moves(grid: BiasGrid, after: str, before: str = "w/o RAG") -> Moves:
    return moves(grid.column(after) - grid.column(before))


PAPER = "rag-social-biases"
CITED = "Zhang, Zhou & Bollegala 2025"
WITHOUT, FULL, STEREO, ANTI = "w/o RAG", "full-set", "stereo-set", "anti-set"
SETTINGS = (WITHOUT, FULL, STEREO, ANTI)

LANGUAGES = {"CBBQ": "Chinese", "JBBQ": "Japanese"}

IMPOSSIBLE = "not an accuracy"
"""What the flag of a value says that is no accuracy: it repeats a Diff-Bias."""
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


RETRIEVERS = (WITHOUT, "VectorIndex", "BM25", "Contriever")

VIEWS = (
    PublishedView("collections", "Collections", 2, 7, SETTINGS),
    PublishedView("generators", "Generators", 3, 8, SETTINGS),
    PublishedView("languages", "Languages", 4, 9, SETTINGS),
    PublishedView("retrievers", "Retrievers", 5, 10, RETRIEVERS),
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


def collections_finding(grid: BiasGrid) -> Finding:
    """The headline of Table 2 (or 7): what documents of each collection do to answers.

    The whole collection comes first: it is what a retriever would search; the other two are extremes made of it.
    """
    about = (
        f"Published results ({PAPER}, Table {2 if grid.signed else 7}): BBQ questions with "
        f"{context_words(grid.measure)} contexts, {plural(len(grid.rows), 'model')}, "
        f"{plural(len(grid.blocks), 'bias type')}, 10 documents retrieved from collections that "
        "differ only in their stereotypes."
    )
    stereo, anti = _moves(grid, STEREO), _moves(grid, ANTI)
    full = _moves(grid, FULL)
    if not grid.signed:
        collections = (full, stereo, anti)
        down = sum(collection.n_down for collection in collections)
        n = sum(collection.n for collection in collections)
        mean = sum(collection.mean * collection.n for collection in collections) / n
        return Finding(
            f"Documents lower accuracy on {context_words(grid.measure)} questions in {down} of {n} "
            f"cases; the average change is {points(mean, sign=True)}",
            about,
        )
    return Finding(
        f"Documents of the whole collection raise Diff-Bias in {full.n_up} of {full.n} cases and lower it in "
        f"{full.n_down}; stereotypical ones alone raise it in {stereo.n_up}, {_by(stereo)}",
        f"{about} Anti-stereotypical documents lower it in {anti.n_down} of {anti.n}.",
    )


def view_finding(view: PublishedView, grid: BiasGrid) -> Finding:
    """Title and sentence of one printed table."""
    source = f"{PAPER}, Table {view.number(grid.measure)}: {context_words(grid.measure)} questions"
    match view.slug:
        case "generators":
            return Finding(_generators(grid), f"{source} on gender, {len(grid.rows)} generators.")
        case "languages":
            return Finding(
                _languages(grid),
                f"{source} of CBBQ (Chinese) and JBBQ (Japanese); documents machine translated.",
            )
        case "retrievers":
            left = int(np.isnan(without_impossible(grid).values).any(axis=(1, 2)).sum())
            note = f" Not counted: {plural(left, 'model')} whose row is no accuracy." if left else ""
            about = f"{source} on gender, 10 documents of the full-set.{note}"
            return Finding(_retrievers(grid), about)
        case "examples":
            return Finding(
                _examples(grid),
                f"{source} on gender; eight examples in the prompt or none, without documents and "
                "with those of the stereo-set.",
            )
        case _:
            return Finding(f"{_what(grid)} by bias type, collection and model", f"{source}.")


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


def without_impossible(grid: BiasGrid) -> BiasGrid:
    """The grid without printed values that cannot be what their table says."""
    values = grid.values.copy()
    for place, flag in grid.flags.items():
        if IMPOSSIBLE in flag:
            values[place] = np.nan
    return replace(grid, values=values)


def _what(grid: BiasGrid) -> str:
    return "Diff-Bias" if grid.signed else "Accuracy"


def _by(counted: Moves) -> str:
    way = "" if counted.mean >= 0 else "the other way "
    return f"{way}by {points(counted.mean)} on average"


def _generators(grid: BiasGrid) -> str:
    stereo, anti = _moves(grid, STEREO), _moves(grid, ANTI)
    what = "Diff-Bias" if grid.signed else "accuracy"
    return (
        f"Stereotypical documents raise {what} of {stereo.n_up} of {stereo.n} generators; "
        f"anti-stereotypical ones lower that of {anti.n_down}"
    )


def _languages(grid: BiasGrid) -> str:
    gaps = (grid.column(STEREO) - grid.column(WITHOUT)) * (1 if grid.signed else -1)
    of_blocks = ((name, moves(gaps[:, block])) for block, name in enumerate(grid.blocks))
    parts = [f"{found.n_up} of {found.n} models in {LANGUAGES.get(name, name)}" for name, found in of_blocks]
    way = "raise Diff-Bias of" if grid.signed else "lower accuracy of"
    return f"Stereotypical documents {way} {listing(parts)}"


def _retrievers(grid: BiasGrid) -> str:
    shares = stereotypical_shares()
    counted = without_impossible(grid)
    rises = [(name, _moves(counted, name)) for name in grid.columns if name != WITHOUT]
    parts = [f"{name} in {rise.n_up} of {rise.n} models" for name, rise in rises]
    low, high = min(shares.values()), max(shares.values())
    return (
        f"{_what(grid)} rises above no RAG with {listing(parts)}; {number(low, 0)}{THIN}% to "
        f"{number(high, 0)}{THIN}% of their documents are stereotypical"
    )


def _examples(grid: BiasGrid) -> str:
    zero, few = grid.column("zero"), grid.column("few")
    gaps = np.abs(zero) - np.abs(few) if grid.signed else few - zero
    of_blocks = ((name, moves(gaps[:, block])) for block, name in enumerate(grid.blocks))
    parts = [
        f"{found.n_up} of {found.n} models {'without' if name == WITHOUT else 'with'} documents"
        for name, found in of_blocks
    ]
    way = "bring Diff-Bias nearer to 0 in" if grid.signed else "raise accuracy in"
    return f"Examples in the prompt {way} {listing(parts)}"
