"""Results of the Policy lab as rows: how far each method gets, every setting, shares by group, one query."""

import math
from collections.abc import Mapping, Sequence

from fairviz.display.table import Cell, Column, Table
from fairviz.display.words import capital, plural
from fairviz.studies.policy_lab.budget import Outcome, Reach
from fairviz.studies.policy_lab.distances import Distance
from fairviz.studies.policy_lab.findings import payment, reach_words, searched_words
from fairviz.studies.policy_lab.price import Setting, SharesBeside
from fairviz.studies.policy_lab.strengths import LABELS, STRENGTHS

CHANGE = (
    Column("change_percent", "change of quality, %", "signed"),
    *(Column(end, kind="signed") for end in ("low", "high")),
)
"""Change of mean quality in percent of today's, with its interval."""

ALWAYS, AT_RANDOM = "always the same", "drawn at random"
"""What two visits to one query see."""

RANDOMLY = "Lists drawn at random: each visit shows one of several lists, numbers are averages over visits."

METHODS = (
    Column("reranker", "Method"),
    Column("lists"),
    Column("strength"),
    Column("verdict"),
    Column("off_target", "distance", "number"),
    Column("certain_off_target", "distance, where it moves and stays in budget", "number"),
    *CHANGE,
    Column("n_worse", "queries worse", "number"),
    Column("n_better", "better", "number"),
    Column("n_unchanged", "unchanged", "number"),
    Column("p_corrected", "p closer, corrected for all that was tried", "p"),
    Column("words", "in words"),
)
POINTS = (
    Column("system"),
    Column("reranker", "method"),
    Column("strength", kind="number"),
    Column("lists"),
    Column("frontier", "number on the frontier", "number"),
    Column("off_target", "distance", "number"),
    Column("moved", kind="number"),
    Column("quality", kind="number"),
    *CHANGE,
    Column("n_queries", kind="number"),
    Column("n_undefined", kind="number"),
    *(Column(f"n_{count}", count, "number") for count in ("worse", "better", "unchanged")),
    Column("n_labelled", "queries with labels", "number"),
    Column("verdict"),
)


def methods_table(outcome: Outcome, refused: Mapping[str, str]) -> Table:
    """One row per method: the best first, those over the budget last, then those that do not apply.

    Args:
        outcome: What the budget buys.
        refused: Why other methods do not apply.
    """
    rows = [_method_row(reach, outcome) for reach in outcome.reaches]
    rows += [{"reranker": LABELS[name], "words": f"left out: {reason}"} for name, reason in refused.items()]
    caption = (
        f"What each method achieves for {100 * outcome.budget:g} % of quality ({outcome.quality}). "
        f"{capital(searched_words(outcome.n_tried))}. {RANDOMLY} {_distance_words(outcome.distance)}"
    )
    return Table(METHODS, _cells(rows, METHODS), caption, decimals=1)


def _method_row(reach: Reach, outcome: Outcome) -> dict[str, Cell]:
    shown = reach.shown
    row: dict[str, Cell] = {"reranker": LABELS[reach.method], "words": outcome.silent or reach_words(reach, outcome)}
    if shown is None or outcome.silent:
        return row
    strength = f"{STRENGTHS[reach.method].symbol} = {shown.strength:g}"
    certain = None if reach.sure is None else reach.sure.off
    more: dict[str, Cell] = {"strength": strength, "certain_off_target": certain, "p_corrected": _defined(shown.p)}
    return row | _setting_row(shown, outcome) | more


def _setting_row(setting: Setting, outcome: Outcome) -> dict[str, Cell]:
    low, high = setting.change_ends
    return {
        "lists": ALWAYS if setting.is_fixed else AT_RANDOM,
        "strength": _defined(setting.strength),
        "verdict": setting.verdict(outcome.budget),
        "off_target": _defined(setting.off),
        "moved": _defined(setting.moved),
        "quality": _defined(setting.quality),
        "change_percent": _defined(100 * setting.change),
        "low": _defined(100 * low),
        "high": _defined(100 * high),
    } | {f"n_{count}": getattr(setting, f"n_{count}") for count in COUNTS}


COUNTS = ("queries", "undefined", "worse", "better", "unchanged", "labelled")
"""What queries are counted by."""


def point_table(outcome: Outcome, system: str) -> Table:
    """Every setting of every method, unrounded in CSV, with its number on the frontier.

    Args:
        outcome: What the budget buys.
        system: Name of the run.
    """
    numbers = {id(setting): number for number, setting in enumerate(outcome.frontier, start=1)}
    still: dict[str, Cell] = {"lists": ALWAYS, "moved": 0.0, "change_percent": 0.0, "verdict": None}
    rows = [_setting_row(outcome.now, outcome) | {"reranker": "today"} | still]
    for each in outcome.settings:
        named: dict[str, Cell] = {"reranker": LABELS[each.method], "frontier": numbers.get(id(each))}
        rows.append(_setting_row(each, outcome) | named)
    return Table(
        POINTS,
        _cells([row | {"system": system} for row in rows], POINTS),
        f"Every setting of every method beside today's lists; {searched_words(outcome.n_tried)}; lists drawn at "
        f"random: averages over visits. {_distance_words(outcome.distance)}",
    )


def _cells(rows: Sequence[Mapping[str, Cell]], columns: Sequence[Column]) -> tuple[tuple[Cell, ...], ...]:
    """Rows of cells in the order of the columns; what a row lacks is undefined."""
    return tuple(tuple(row.get(column.key) for column in columns) for row in rows)


def _distance_words(distance: Distance) -> str:
    """What the column of distances holds."""
    return f"Distance: points of attention {distance.off}." if distance.in_points else f"Distance: by {distance.label}."


def shares_table(shares: SharesBeside, outcome: Outcome) -> Table:
    """One row per group, what gains most first, in percent: what page and brief say of each."""
    moved = outcome.proposed is not None
    rows: list[tuple[Cell, ...]] = []
    for at in shares.by_gain:
        sides = ((side.shares, *side.ends) for side in (shares.today, shares.after))
        today, after = ([_defined(100 * float(values[at])) for values in side] for side in sides)
        gained = float(shares.after.shares[at] - shares.today.shares[at])
        change = [_defined(100 * value) for value in (gained, *(float(end[at]) for end in shares.gains))]
        unmoved: list[Cell] = [None] * 3
        ends: list[Cell] = [*today, *(after if moved else unmoved), *(change if moved else unmoved)]
        rows.append((shares.groups[at], *ends, _defined(100 * float(shares.target[at])), payment(shares, at) or None))
    columns = (
        Column(f"{side}{key}", f"{side}{name}", "signed" if side == "change" else "number")
        for side in ("today", "after", "change")
        for key, name in (("", ", %"), ("_low", ": low"), ("_high", ": high"))
    )
    n = shares.today.n_queries
    return Table(
        (
            Column("group"),
            *columns,
            Column("target", f"{outcome.distance.due}, %", "number"),
            Column("payment", "gains or loses"),
        ),
        tuple(rows),
        "Share of labelled attention by group, today and with the setting that comes closest within the budget; change "
        f"in points, with an interval for all groups and settings together. {plural(n, 'query', 'queries')} with "
        f"labelled documents, {outcome.now.n_queries - n} without say nothing of shares.",
        decimals=1,
    )


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
