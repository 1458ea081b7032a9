"""Results of Groups & targets as rows: groups beside their targets, every measure, attention per document, labels."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.table import Cell, Column, Table, keyed, labelled
from fairviz.display.words import DOCUMENTS, noun, plural, points
from fairviz.model import FloatArray
from fairviz.points.columns import QUERIES
from fairviz.points.shares import MOST_UNLABELLED, SAME, GroupExposure, off_target_groups, share_range
from fairviz.stats.bootstrap import Intervals, described
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.measures import SECTIONS, Answer, MeasureRow, MeasureValue, arrow_of

# The groups as one reads them: a row each, largest share first, on one scale, with what may be said of its gap.

Gap: TypeAlias = Literal["over", "under", "even", "silent"]
"""Over or under its target, not significantly off it, or nothing may be claimed."""

VISIBLE = 0.01
"""Among many groups, gap between target and reach from which the reach is drawn."""


def target_rows(
    exposure: GroupExposure, ends: Intervals, target: FloatArray, nearest: FloatArray, *, is_set: bool = True
) -> pl.DataFrame:
    """A row per group of one system under one target, the largest share first.

    Args:
        exposure: Attention by group.
        ends: (G) 95 % intervals of its shares.
        target: (G) target shares.
        nearest: (G) shares of the nearest mix of re-rankings.
        is_set: Whether somebody set the target; else it is equal shares, and called so.

    Returns:
        ``at``, its place among the groups, and ``group``, its name; its ``share`` of attention today with its interval,
        ``low`` to ``high``; its ``target``; what the mix of re-rankings that is nearest to all targets gives it,
        ``reached``, and whether it ``is_missed``, as far as can be seen; NaN = undefined. ``gap``: what may be said of
        share and target, and ``words``, the same in words: "17 points over".
    """
    shares, off = exposure.shares, off_target_groups(exposure, target)
    low, high = np.full((2, shares.size), np.nan) if exposure.is_few else ends
    silent = exposure.is_few or exposure.unlabelled_share > MOST_UNLABELLED
    pairs = zip(shares.tolist(), target.tolist(), off.tolist(), strict=True)
    gaps = [_gap(share, aim, off=apart, silent=silent, is_set=is_set) for share, aim, apart in pairs]
    frame = pl.DataFrame(
        {"at": range(shares.size), "group": exposure.groups, "share": shares, "low": low, "high": high}
        | {"target": target, "reached": nearest, "is_missed": np.abs(nearest - target) >= VISIBLE}
        | {"gap": [gap for gap, _ in gaps], "words": [words for _, words in gaps]}
    )
    return frame.sort(pl.col("share").fill_nan(0), descending=True, maintain_order=True)


def _gap(share: float, target: float, *, off: bool, silent: bool, is_set: bool) -> tuple[Gap, str]:
    if math.isnan(share):
        return "silent", "undefined: no labelled attention"
    if silent and not off:
        return "silent", "no verdict"
    if abs(share - target) < SAME:
        return "even", "on target" if is_set else "an equal share"
    if not off:
        return "even", "no significant gap"
    gap = "under" if share < target else "over"
    return gap, f"{points(share - target)} {gap}"


# Tables.


WITHOUT_LABELS = frozenset({"nDCG"})
"""Measures of the table that read no labels."""

ON_PAPER = ("section", "measure", "direction", "value", "low", "high", "n_queries", "n_undefined", "words")
"""Columns of the table of one system on paper: the caption names the system."""


ENDS = labelled("interval", low="", high="")
"""Of the interval of the column before."""


def measure_row(
    row: MeasureRow,
    result: MeasureValue,
    *,
    group: str,
    k: int,
    n_groups: int,
    n_labelled: int | None = None,
    unit: str = DOCUMENTS,
) -> dict[str, Any]:
    """What is shown of one measure.

    Args:
        row: The measure.
        result: Its value.
        group: The group of interest, G+.
        k: Ranks seen.
        n_groups: How many groups there are.
        n_labelled: Queries with labelled attention: a measure of groups rests on no more.
        unit: What is ranked.

    Returns:
        ``section``, ``label`` and ``goal``: where it stands, its name, where it is best; ``arrow``: which way it
        improves; ``result``; ``span``: range of its drawing, ``best``: where it is best within that; ``words``: the
        value in plain words; ``is_few``: whether it rests on too few queries for anything to be said of it.
    """
    rests_on = result.n_defined
    if n_labelled is not None and row.label not in WITHOUT_LABELS:
        rests_on = min(rests_on, n_labelled)
    is_few = rests_on < MIN_UNITS and not result.refused and not math.isnan(result.value)
    words = result.missing or row.says(result.value, group=group, k=k, n_groups=n_groups, unit=unit)
    if not result.missing and row.best == 0 and result.interval.low < 0 < result.interval.high:
        words += " Not significantly different from 0."
    low, high = _span(row, result, k, n_groups)
    return {
        "section": row.section,
        "label": row.label.replace("per document", f"per {noun(unit)}"),
        "goal": row.goal,
        "arrow": arrow_of(result.measure),
        "result": result,
        "span": (low, high),
        "best": min(max(row.best, low), high),
        "words": f"No verdict: {plural(rests_on, 'query', 'queries')}." if is_few else words,
        "is_few": is_few,
    }


def group_table(rows: Sequence[Mapping[str, Any]], *, system: str, target: Mapping[str, float]) -> Table:
    """Every measure of one system, refused ones with their reason: the columns of ``fairviz evaluate``, and words."""

    def cells(row: Mapping[str, Any]) -> tuple[Cell, ...]:
        result: MeasureValue = row["result"]
        numbers = (result.value, result.n_defined, result.n_undefined, *result.interval)
        return (system, result.measure, *numbers, SECTIONS[row["section"]], row["goal"], row["words"])

    shares = ", ".join(f"{group} {share:.4g}" for group, share in target.items())
    return Table(
        (
            *keyed("system", "measure"),
            *labelled("number", value="", n_queries="queries", n_undefined="undefined"),
            *ENDS,
            *labelled(section="", direction="", words="in words"),
        ),
        tuple(map(cells, rows)),
        caption=f"Group measures of {system}; target: {shares}; intervals: {described(seed=0)}",
    )


def shares_table(rows: pl.DataFrame) -> Table:
    """A row per group, the largest share first: today with its interval, target, what re-ranking reaches jointly."""
    return Table.of(
        rows.with_columns(gap="words"),
        (
            Column("group", "Group"),
            *labelled("share", share="today", low="", high="", target="", reached="reach of re-ranking"),
            Column("gap", "gap today"),
        ),
        "Share of attention by group, its target, and what re-ranking reaches of all targets at once",
    )


def answers_table(answers: Sequence[Answer]) -> Table:
    """A row per question."""
    return Table.of(
        answers,
        (
            *labelled(question="Question", words="Answer"),
            Column("value", "Value", "number"),
            *ENDS,
            Column("measure"),
            QUERIES,
            Column("better", "Better"),
        ),
        "Five questions about these lists",
    )


def per_document_table(exposure: GroupExposure, ends: Intervals, unit: str = DOCUMENTS) -> Table:
    """Total and per-item attention of each group: parity, and proportion to numbers.

    Args:
        exposure: Attention by group.
        ends: Intervals of attention per item.
        unit: What is ranked.
    """
    candidates = exposure.candidates.sum(axis=0)
    shares = candidates / max(float(candidates.sum()), 1e-12)
    columns = (candidates, shares, exposure.shares, exposure.per_item, ends.low, ends.high)
    return Table(
        (
            Column("group", "Group"),
            Column("n_candidates", "candidates", "number"),
            *labelled("share", share_of_candidates="share of candidates", share_of_attention="share of attention"),
            Column("per_document", f"attention per {noun(unit)}", "number"),
            *ENDS,
        ),
        tuple(zip(exposure.groups, *(column.tolist() for column in columns), strict=True)),
        caption=f"Attention per {noun(unit)} by group",
    )


def missing_labels_table(exposure: GroupExposure, target: FloatArray) -> Table:
    """Shares that the missing labels leave open: least and most of all attention.

    Args:
        exposure: Attention by group, that of items without a label apart.
        target: (G) target shares.
    """
    bounds = share_range(exposure.attention.sum(axis=0), float(exposure.unlabelled.sum()))
    columns = (exposure.shares, bounds.low, bounds.high, target)
    return Table(
        (
            Column("group", "Group"),
            Column("share_of_labelled", "of labelled attention", "share"),
            *labelled("share", least="of all attention, least", most="of all attention, most", target=""),
        ),
        tuple(zip(exposure.groups, *(column.tolist() for column in columns), strict=True)),
        caption="Shares that the missing labels leave open",
    )


def _span(row: MeasureRow, result: MeasureValue, k: int, n_groups: int) -> tuple[float, float]:
    match row.span:
        case "ranks":
            return 0, k
        case "places":
            return 0, k * max(n_groups - 1, 1)
        case "values":
            ends = [end for end in (result.value, result.interval.high) if math.isfinite(end)]
            return 0, 1.15 * max([1e-9, *ends])
        case (low, high):
            return low, high
