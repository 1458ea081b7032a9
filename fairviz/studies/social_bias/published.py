"""What the printed tables of rag-social-biases (Zhang et al. 2025) show, counted: cells, a title and a sentence each.

How a table is laid out and marked is read from :mod:`fairviz.display.published`; in which order its columns are read
stands here. The paper prints neither counts nor intervals, so nothing is tested; what is said of a table counts its
cells and stands in ``content/answers/printed.yaml``, where a test counts again.
"""

from functools import cache
from typing import NamedTuple

import polars as pl

from fairviz.display.published import Layout, layout_of, mark_words, marks
from fairviz.display.words import Finding, listing
from fairviz.io.published import read_published
from fairviz.model import PublishedTable
from fairviz.resources import content
from fairviz.studies.social_bias.labels import type_label
from fairviz.studies.social_bias.measures import BiasMeasure

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
def printed_cells(view: PublishedView, measure: BiasMeasure) -> pl.DataFrame:
    """The printed values of a measure, models and blocks as printed, columns in the order people read them.

    Returns:
        A row per value: ``model``; ``block``, a bias type or data set, "" where there is one; ``column``; ``name`` of
        both; ``value`` in percent, null where none is printed; ``flag``, what contradicts itself there, or "";
        ``bold``, whether the paper's rule marks it; ``signed``, whether it is a Diff-Bias.
    """
    table, layout = view_table(view, measure), view.layout(measure)
    *blocks, column = [name for name in (*layout.down, *layout.across) if name != "model"]
    named = {
        "model": table.column("model"),
        "block": table.column(blocks[0]) if blocks else [""] * len(table.rows),
        "column": table.column(column),
    }
    other = "acc_d" if measure == "acc_a" else "acc_a"
    flags = ["" if flag.casefold().startswith(other) else flag for flag in table.flags]  # of another measure
    read = {"model": dict.fromkeys(named["model"]), "block": dict.fromkeys(named["block"]), "column": view.columns}
    cells = (
        pl.DataFrame({name: map(str, cells) for name, cells in named.items()})
        .with_columns(pl.Series("value", table.column(measure), dtype=pl.Float64), flag=pl.Series(flags))
        .sort([pl.col(name).cast(pl.Enum(list(map(str, order)))) for name, order in read.items()])
    )
    compared = cells.fill_null(float("nan")).partition_by("model", "block")
    bold = [mark != "" for own in compared for mark in marks(own["value"].to_list(), layout.rule)]
    names = [" · ".join(filter(None, (type_label(of), name))) for of, name in cells.select("block", "column").rows()]
    return cells.with_columns(name=pl.Series(names), bold=pl.Series(bold), signed=pl.lit(not measure.startswith("acc")))


def stereotypical_shares() -> dict[str, float]:
    """Percent of stereotypical documents that each retriever of the paper retrieved (Table 5)."""
    table = read_published(PAPER, 5)
    pairs = zip(table.column("retriever"), table.column("stereo_documents"), strict=True)
    return {str(name): float(share) for name, share in pairs if isinstance(share, int | float)}


def view_finding(view: PublishedView, measure: BiasMeasure) -> Finding:
    """Title and sentence of one printed table: what it shows, counted."""
    return Finding(**content("answers/printed")[PAPER][view.slug][measure])


def marks_words(view: PublishedView, measure: BiasMeasure) -> str:
    """What bold type means in a printed table."""
    rule = view.layout(measure).rule
    if rule == "extremes":
        return f"Bold: highest and lowest of the {len(view.columns)} columns for a model, as the paper marks."
    return mark_words(rule)


def flag_notes(cells: pl.DataFrame) -> tuple[str, ...]:
    """What contradicts itself in print, each contradiction once, with its place."""
    places: dict[str, list[str]] = {}
    for flag, *names in cells.filter(pl.col("flag") != "").select("flag", "model", "block", "column").rows():
        places.setdefault(flag, []).append(", ".join(name for name in names if name))
    return tuple(f"{listing(where)}: {flag}." for flag, where in places.items())
