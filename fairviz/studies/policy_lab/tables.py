"""What each re-ranker buys inside the budget, and every point of every curve, as tables."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairviz.show.table import Cell, Table, keyed
from fairviz.studies.policy_lab.budget import Bought
from fairviz.studies.policy_lab.findings import row_words
from fairviz.studies.policy_lab.lists import BeforeAfter
from fairviz.studies.policy_lab.price import Standing

BOUGHT_COLUMNS = (
    "Re-ranker",
    "strength",
    "off target",
    "change of quality, %",
    "low",
    "high",
    "queries worse",
    "better",
    "unchanged",
    "in words",
)

POINT_COLUMNS = (
    "system",
    "re-ranker",
    "strength",
    "off target",
    "moved",
    "quality",
    "change of quality, %",
    "n_queries",
    "n_undefined",
    "worse",
    "better",
    "unchanged",
)


def bought_table(
    every: Sequence[Bought],
    best: Bought | None,
    *,
    labels: Mapping[str, str],
    symbols: Mapping[str, str],
    refused: Mapping[str, str],
    caption: str = "",
    points: bool = True,
) -> Table:
    """One row per re-ranker: the nearest first, then those that buy nothing, then the refused.

    Args:
        every: What each buys.
        best: The nearest of them.
        labels: Name of each method in print.
        symbols: Symbol of each method's strength.
        refused: Why others do not apply.
        caption: Of the table.
        points: Whether distance is in points of attention.
    """
    rows = [_bought_row(one, best, labels, symbols, points) for one in in_order(every)]
    rows += [
        (labels[name], *[None] * 8, row_words(Bought(name, None), None, reason)) for name, reason in refused.items()
    ]
    signed = BOUGHT_COLUMNS[3:6]
    return Table(
        keyed(*BOUGHT_COLUMNS, signed=signed),
        tuple(rows),
        caption,
        decimals=1,
    )


def in_order(every: Sequence[Bought]) -> list[Bought]:
    """By distance from the target; those that buy nothing last."""
    return sorted(
        every,
        key=lambda one: (np.inf, 0.0) if one.standing is None else (one.standing.off, -one.standing.change),
    )


def point_table(system: str, every: Mapping[str, Sequence[Standing]], labels: Mapping[str, str]) -> Table:
    """Every strength of every re-ranker, unrounded in CSV.

    Args:
        system: Name of the run.
        every: Points of each method beside today's lists, "today" among them.
        labels: Name of each method in print.
    """
    rows = [
        (
            system,
            labels.get(method, method),
            None if np.isnan(one.strength) else one.strength,
            one.off,
            one.moved,
            one.quality,
            100 * one.change,
            one.n_queries,
            one.n_undefined,
            one.n_worse,
            one.n_better,
            one.n_unchanged,
        )
        for method, found in every.items()
        for one in found
    ]
    caption = "Every strength of every re-ranker beside today's lists."
    return Table(
        keyed(*POINT_COLUMNS, signed=(POINT_COLUMNS[6],)),
        tuple(rows),
        caption,
    )


def before_after_table(found: BeforeAfter, *, caption: str = "") -> Table:
    """The first k of one query, before and after, side by side."""
    old, new = found.before, found.after
    rows: list[tuple[Cell, ...]] = []
    for rank in range(1, max(len(old), len(new)) + 1):
        was = old[rank - 1] if rank <= len(old) else None
        now = new[rank - 1] if rank <= len(new) else None
        came = "" if now is None else "new" if found.entered(now) else _climbed(now.climbed)
        rows.append(
            (
                rank,
                "" if was is None else was.doc_id,
                "" if now is None else now.doc_id,
                came,
                "" if now is None else now.group or "no label",
                "" if now is None else "useful" if now.useful else "",
            )
        )
    return Table(keyed("rank", "today", "re-ranked", "moved", "label", "judged"), tuple(rows), caption)


def _climbed(ranks: int) -> str:
    return "" if not ranks else f"▲{ranks}" if ranks > 0 else f"▼{-ranks}"


def _bought_row(
    one: Bought,
    best: Bought | None,
    labels: Mapping[str, str],
    symbols: Mapping[str, str],
    points: bool,
) -> tuple[Cell, ...]:
    words = row_words(one, best, points=points)
    found = one.standing
    if found is None:
        return (labels[one.method], *[None] * 8, words)
    ends = [None if np.isnan(end) else 100 * end for end in one.change]
    strength = f"{symbols[one.method]} = {found.strength:g}"
    counts = (found.n_worse, found.n_better, found.n_unchanged)
    change = None if np.isnan(found.change) else 100 * found.change
    return (labels[one.method], strength, found.off, change, *ends, *counts, words)
