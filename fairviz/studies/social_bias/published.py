"""Printed tables of rag-social-biases (Zhang et al. 2025): without counts and intervals, nothing of them is tested."""

from typing import Any

import polars as pl

from fairviz.display.published import PublishedTable, mark_words, marks, read_published
from fairviz.display.table import Table, keyed
from fairviz.display.words import Finding, listing
from fairviz.resources import content
from fairviz.studies.social_bias.labels import type_label
from fairviz.studies.social_bias.measures import BiasMeasure

PAPER = "rag-social-biases"
CITED = "Zhang, Zhou & Bollegala 2025"
NOTHING_TO_TEST = "The paper prints no counts and no intervals: no test is possible on these cells."


def printed_views() -> dict[str, Any]:
    """Printed tables by slug, two of one shape each: of Diff-Bias, and of the accuracy of the same answers."""
    return content("answers/printed")[PAPER]


def printed_of(view: str, measure: BiasMeasure) -> PublishedTable:
    """The printed table of a view that has a measure."""
    return read_published(PAPER, printed_views()[view]["tables"][measure.partition("_")[0]])


def printed_cells(view: str, measure: BiasMeasure) -> pl.DataFrame:
    """The printed values of a measure, models and blocks as printed, columns in the order people read them.

    Returns:
        A row per value: ``model``; ``block``, a bias type or data set, "" where there is one; ``column``; ``name`` of
        both; ``value`` in percent, null where none is printed; ``flag``, what contradicts itself there, or "";
        ``bold``, whether the paper's rule marks it; ``signed``, whether it is a Diff-Bias.
    """
    table = printed_of(view, measure)
    layout = table.layout
    *blocks, column = [name for name in (*layout.down, *layout.across) if name != "model"]
    other = "acc_d" if measure == "acc_a" else "acc_a"
    flags = ["" if flag.casefold().startswith(other) else flag for flag in table.flags]  # of another measure
    cells = table.cells.select(
        "model",
        block=pl.col(blocks[0]) if blocks else pl.lit(""),
        column=column,
        value=measure,
        flag=pl.Series(flags),
        bold=marks(measure, layout.rule).over(layout.among) != "",
        signed=pl.lit(not measure.startswith("acc")),
    )
    orders = {name: cells[name].unique(maintain_order=True) for name in ("model", "block")}
    orders["column"] = pl.Series(printed_views()[view]["columns"])
    cells = cells.sort(pl.col(name).cast(pl.Enum(order)) for name, order in orders.items())
    names = [" · ".join(filter(None, (type_label(of), name))) for of, name in cells.select("block", "column").rows()]
    return cells.with_columns(name=pl.Series(names))


def stereotypical_shares() -> dict[str, float]:
    """Percent of stereotypical documents that each retriever of the paper retrieved (Table 5)."""
    return dict(read_published(PAPER, 5).cells.select("retriever", "stereo_documents").drop_nulls().rows())


def grid_table(cells: pl.DataFrame, *, caption: str) -> Table:
    """Printed values side by side: a row per model, a column per bias type and setting, called by both.

    Args:
        cells: Of one measure (:func:`printed_cells`).
        caption: Of the table.
    """
    wide = cells.pivot("name", index="model", values="value")
    names = wide.columns[1:]
    columns = keyed("model", *names, signed=names if cells["signed"].all() else ())
    return Table(columns, tuple(wide.rows()), caption=caption, decimals=1)


def printed_finding(view: str, measure: BiasMeasure) -> Finding:
    """Title and sentence of one printed table: what it shows, counted (by ``content``, where a test counts again)."""
    return Finding(**printed_views()[view][measure])


def bold_words(view: str, measure: BiasMeasure) -> str:
    """What bold type means in a printed table."""
    table = printed_of(view, measure)
    if table.layout.rule == "extremes":
        n_columns = len(printed_views()[view]["columns"])
        return f"Bold: highest and lowest of the {n_columns} columns for a model, as the paper marks."
    return mark_words(table)


def flag_notes(cells: pl.DataFrame) -> tuple[str, ...]:
    """What contradicts itself in print, each contradiction once, with its places.

    Args:
        cells: Printed values (:func:`printed_cells`).
    """
    place = pl.concat_list("model", "block", "column").list.filter(pl.element() != "").list.join(", ")
    flagged = cells.filter(pl.col("flag") != "").group_by("flag", maintain_order=True).agg(place)
    return tuple(f"{listing(places)}: {flag}." for flag, places in flagged.rows())
