"""Results of the Policy lab as rows: what a budget buys, every point of every curve, one query before and after."""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from fairviz.show.table import Cell, Column, Table
from fairviz.studies.policy_lab.budget import Purchase
from fairviz.studies.policy_lab.findings import row_words
from fairviz.studies.policy_lab.lists import BeforeAfter
from fairviz.studies.policy_lab.price import PointSummary

CHANGE = (
    Column("change_percent", "change of quality, %", "signed"),
    Column("low", kind="signed"),
    Column("high", kind="signed"),
)
"""Change of mean quality in percent of today's, with its interval."""

ALWAYS, AT_RANDOM = "always the same", "drawn at random"
"""What two visits to one query see."""

RANDOMLY = "Lists at random: each visit shows one of several lists, numbers are averages over visits."

COUNTS = ("worse", "better", "unchanged")
"""What happens to the quality of queries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabResults:
    """What is known of the price of one target; None = not measured.

    Attributes:
        labels: Name of each method in print.
        symbols: Symbol of each method's strength.
        purchases: What each re-ranker buys.
        best: The nearest of them.
        refused: Why others do not apply.
        budget: What may be given up, in words.
        points: Whether distance is in points of attention.
        silent: Why no row has values; "" where they have.
        at_random: Methods that draw their lists at random.
        system: Name of the run.
        point_summaries: Points of each method beside today's lists, "today" among them.
        lists: One query, before and after.
    """

    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    symbols: Mapping[str, str] = field(default_factory=dict[str, str])
    purchases: Sequence[Purchase] | None = None
    best: Purchase | None = None
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    budget: str = ""
    points: bool = True
    silent: str = ""
    at_random: Container[str] = ()
    system: str = ""
    point_summaries: Mapping[str, Sequence[PointSummary]] | None = None
    lists: BeforeAfter | None = None


def purchases_table(
    purchases: Sequence[Purchase],
    best: Purchase | None,
    *,
    labels: Mapping[str, str],
    symbols: Mapping[str, str],
    refused: Mapping[str, str],
    caption: str = "",
    points: bool = True,
    silent: str = "",
    at_random: Container[str] = (),
) -> Table:
    """One row per re-ranker: the nearest first, then those that buy nothing, then the refused.

    Args:
        purchases: What each buys.
        best: The nearest of them.
        labels: Name of each method in print.
        symbols: Symbol of each method's strength.
        refused: Why others do not apply.
        caption: Of the table.
        points: Whether distance is in points of attention.
        silent: Why nothing may be claimed of these data: rows stay without values.
        at_random: Methods that show lists at random.
    """
    rows = [
        _purchase_row(bought, best, labels, symbols, points, silent, bought.method in at_random)
        for bought in _in_order(purchases)
    ]
    rows += [
        (
            labels[name],
            *[None] * 8,
            row_words(Purchase(name, None), None, reason),
            None,
            None,
            None,
            _lists(name, at_random),
        )
        for name, reason in refused.items()
    ]
    return Table(
        (
            Column("reranker", "Re-ranker"),
            Column("strength"),
            Column("off_target", "off target", "number"),
            *CHANGE,
            Column("n_worse", "queries worse", "number"),
            Column("n_better", "better", "number"),
            Column("n_unchanged", "unchanged", "number"),
            Column("words", "in words"),
            Column("within_budget", "within the budget", audience="programs"),
            Column("p", "p", "p", "programs"),
            Column("p_corrected", "p closer, corrected for all that was tried", "p"),
            Column("lists", audience="programs"),
        ),
        tuple(rows),
        caption,
        decimals=1,
    )


def point_table(
    system: str,
    point_summaries: Mapping[str, Sequence[PointSummary]],
    labels: Mapping[str, str],
    at_random: Container[str] = (),
) -> Table:
    """Every strength of every re-ranker, unrounded in CSV.

    Args:
        system: Name of the run.
        point_summaries: Points of each method beside today's lists, "today" among them.
        labels: Name of each method in print.
        at_random: Methods that show lists at random.
    """
    return Table(
        (
            Column("system"),
            Column("reranker", "re-ranker"),
            Column("strength", kind="number"),
            Column("off_target", "off target", "number"),
            Column("moved", kind="number"),
            Column("quality", kind="number"),
            CHANGE[0],
            Column("n_queries", kind="number"),
            Column("n_undefined", kind="number"),
            *(Column(f"n_{count}", count, "number") for count in COUNTS),
            Column("n_labelled", "queries with labels", "number"),
            Column("lists"),
        ),
        tuple(
            (
                system,
                labels.get(method, method),
                _defined(point.strength),
                point.off,
                point.moved,
                point.quality,
                100 * point.change,
                point.n_queries,
                point.n_undefined,
                point.n_worse,
                point.n_better,
                point.n_unchanged,
                point.n_labelled,
                _lists(method, at_random),
            )
            for method, curve in point_summaries.items()
            for point in curve
        ),
        "Every strength of every re-ranker beside today's lists; lists drawn at random: averages over visits.",
    )


def before_after_table(lists: BeforeAfter, *, caption: str = "") -> Table:
    """The first k of one query, before and after, side by side."""
    before, after = lists.before, lists.after
    rows: list[tuple[Cell, ...]] = []
    for rank in range(1, max(len(before), len(after)) + 1):
        was = before[rank - 1] if rank <= len(before) else None
        now = after[rank - 1] if rank <= len(after) else None
        moved = "" if now is None else "new" if lists.entered(now) else _climbed(now.climbed)
        rows.append(
            (
                rank,
                "" if was is None else was.doc_id,
                "" if now is None else now.doc_id,
                moved,
                "" if now is None else now.group or "no label",
                "" if now is None else "useful" if now.useful else "",
            )
        )
    return Table(
        (
            Column("rank"),
            Column("today"),
            Column("reranked", "re-ranked"),
            Column("moved"),
            Column("group", "label"),
            Column("judged"),
        ),
        tuple(rows),
        caption,
    )


def _in_order(purchases: Sequence[Purchase]) -> list[Purchase]:
    """By distance from the target; those that buy nothing last."""
    return sorted(
        purchases,
        key=lambda purchase: (
            (math.inf, 0.0) if purchase.point is None else (purchase.point.off, -purchase.point.change)
        ),
    )


def _climbed(ranks: int) -> str:
    return "" if not ranks else f"▲{ranks}" if ranks > 0 else f"▼{-ranks}"


def _purchase_row(
    bought: Purchase,
    best: Purchase | None,
    labels: Mapping[str, str],
    symbols: Mapping[str, str],
    points: bool,
    silent: str,
    at_random: bool,
) -> tuple[Cell, ...]:
    point = bought.point
    at_random = at_random and not (point is not None and symbols[bought.method] == "ε" and point.strength == 0)
    words = row_words(bought, best, points=points, silent=silent, at_random=at_random)
    lists = AT_RANDOM if at_random else ALWAYS
    if point is None or silent:
        return (labels[bought.method], *[None] * 8, words, None, None, None, lists)
    low, high = (_defined(100 * end) for end in bought.change)
    strength = f"{symbols[bought.method]} = {point.strength:g}"
    counts = (point.n_worse, point.n_better, point.n_unchanged)
    change = (_defined(100 * point.change), low, high)
    sure = "certain" if bought.is_certain else "not certain"
    p = (_defined(bought.p), _defined(bought.p_corrected))
    return (labels[bought.method], strength, point.off, *change, *counts, words, sure, *p, lists)


def _lists(method: str, at_random: Container[str]) -> str:
    return AT_RANDOM if method in at_random else ALWAYS


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def tables(results: LabResults) -> dict[str, Table]:
    """Every table that there are results for, by stem."""
    made: dict[str, Table] = {}
    if results.purchases is not None:
        made["purchases"] = purchases_table(
            results.purchases,
            results.best,
            labels=results.labels,
            symbols=results.symbols,
            refused=results.refused,
            caption=f"What each re-ranker achieves for {results.budget}. {RANDOMLY}" if results.budget else "",
            points=results.points,
            silent=results.silent,
            at_random=results.at_random,
        )
    if results.point_summaries is not None:
        made["points"] = point_table(results.system, results.point_summaries, results.labels, results.at_random)
    if results.lists is not None:
        made["before-after"] = before_after_table(results.lists)
    return made
