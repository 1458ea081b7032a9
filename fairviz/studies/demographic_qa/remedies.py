"""What the page says of remedies: gaps, disparities and votes by strategy.

Counts are of the estimates shown; what is told from 0 is so by a test, corrected over all that were searched.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray
from fairviz.show.words import listing, number, percent, plural
from fairviz.stats.tests import verdict
from fairviz.studies.demographic_qa.conditions import ConditionGap
from fairviz.studies.demographic_qa.names import heading, points, spoken, strategy_name
from fairviz.studies.demographic_qa.strategies import StrategyRow, votes_holm

TIES = {
    "neutral": "the neutral variant's answer if it is tied, else the first in the alphabet",
    "abstain": "no answer, counted as wrong",
    "first": "the answer given first",
    "alphabetical": "the first in the alphabet",
}
"""Tie rules in words."""


class Disparity(NamedTuple):
    """DP and EO of one condition, 0 to 1, with its score; NaN = undefined.

    Attributes:
        name: The strategy, or what else tells conditions apart.
        plain: Whether others are compared with it.
        dp, eo: Largest differences between groups.
        score: Mean outcome.
        groups: The groups of DP, the better one first.
        n: Answers behind it; None for a vote.
        dp_macro, dp_max: DP of the options, mean and largest; None where there are none.
    """

    name: str
    plain: bool
    dp: float
    eo: float
    score: float
    groups: str = ""
    n: int | None = None
    dp_macro: float | None = None
    dp_max: float | None = None


def gaps_title(gaps: Sequence[ConditionGap]) -> str:
    """How many gaps can be told from 0; where there are remedies, what these do to them."""
    if not gaps:
        return "No gap to show"
    n_significant = sum(gap.significant for gap in gaps)
    plain_and_remedy = _remedied(gaps)
    if plain_and_remedy:
        narrower = sum(abs(after.gap) < abs(before.gap) for before, after in plain_and_remedy)
        wider = sum(abs(after.gap) > abs(before.gap) for before, after in plain_and_remedy)
        before, left = sum(p.significant for p, _ in plain_and_remedy), sum(r.significant for _, r in plain_and_remedy)
        strategies = _one_strategy([after for _, after in plain_and_remedy])
        if left:
            words = f"{left} can be told from 0, {before} without"
        else:
            words = "none can be told from 0" + (", with or without" if not before else " any more")
        return f"{strategies}: {narrower} of {plural(len(plain_and_remedy), 'gap')} narrower, {wider} wider; {words}"
    widest = max(gaps, key=lambda gap: abs(gap.gap))
    if not n_significant:
        return f"None of {plural(len(gaps), 'gap')} can be told from 0"
    words = f"{n_significant} of {plural(len(gaps), 'gap')} can be told from 0"
    if len(gaps) == 1:
        words = "The gap can be told from 0"
    return f"{words}; the widest is {points(widest.gap)} ({widest.name}, {spoken(widest.attribute)})"


def panel_title(gaps: Sequence[ConditionGap]) -> str:
    """Heading of one attribute's panel: which group is subtracted from which."""
    pairs = {(gap.first, gap.second) for gap in gaps}
    if len(pairs) == 1:
        ((first, second),) = pairs
        return f"{spoken(first)} minus {spoken(second)}"
    return f"{heading(gaps[0].attribute)}: widest gap" if gaps else ""


def disparities_title(rows: Sequence[Disparity], *, published: bool = False, significant: bool = True) -> str:
    """What strategies do to DP and EO, counted against the plain one, and which does most.

    Args:
        rows: Conditions, the plain one among them.
        published: Whether they are a paper's.
        significant: Whether the plain condition's DP can be told from 0; what cannot has nothing to show.
    """
    head = "Published: " if published else ""
    plain = next((row for row in rows if row.plain), None)
    others = [row for row in rows if row is not plain]
    if plain is None or not others:
        return f"{head}{_range(rows, significant)}"
    if not significant:
        return (
            f"{head}{plain.name}’s DP of {points(plain.dp)} cannot be told from 0, so nothing can be seen to narrow it"
        )
    both = [row for row in others if _less(row, plain)]
    below = [row for row in others if row.score < plain.score]
    counts = (
        f"{_counted(len(both), len(others), f'narrows {_which(rows)}')} and "
        f"{_counted(len(below), len(others), f'scores below {plain.name}')}"
    )
    smallest = min(others, key=lambda row: (row.dp, row.eo))
    if smallest in both and sum(row.dp == smallest.dp for row in others) == 1:
        counts += f"; {smallest.name} does most"
    return f"{head}{counts}"


def vote_title(gains: Sequence[StrategyRow]) -> str:
    """What the vote adds, over the conditions whose test, corrected over all of them, tells it from nothing."""
    if not gains:
        return "No vote to take"
    verdicts = [verdict(gain.change, p, gain.n) for gain, p in zip(gains, votes_holm(gains), strict=True)]
    more = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "higher"]
    less = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "lower"]
    rest = len(gains) - len(more) - len(less)
    if rest == len(gains):
        return "No change in score by a majority vote can be shown"
    if len(more) == len(gains):
        low, high = min(gain.change for gain in more), max(gain.change for gain in more)
        span = points(low, 1) if len(more) == 1 else f"{number(100 * low, 1)} to {points(high, 1)}"
        return f"A majority vote over the variants adds {span}"
    parts = [f"adds points for {len(more)}"] if more else []
    parts += [f"costs points for {len(less)}"] if less else []
    parts += [f"cannot be told apart for {rest}"] if rest else []
    return f"A majority vote {listing(parts)} of {len(gains)} conditions"


def vote_counts(gains: Sequence[StrategyRow]) -> str:
    """Voters, ties, and the tie rule behind the votes."""
    if not gains:
        return ""
    ties = sum(gain.all.n_ties for gain in gains)
    votes = sum(gain.all.n_votes for gain in gains)
    voters = sorted({f"{gain.all.n_voters:.3g}" for gain in gains})
    return (
        f"{plural(votes, 'vote')} of {listing(voters, 'or')} answers on average, the neutral one "
        f"among them; {plural(ties, 'tie')}, decided by: {TIES[gains[0].all.ties]}"
    )


def vote_within_words(rows: Sequence[StrategyRow]) -> str:
    """What a vote within each group does to the disparity, where it can do anything."""
    parts = [
        f"{spoken(strategy.get('attribute'))} {points(strategy.row.dp, 1)} → {points(strategy.within.dp, 1)}"
        for strategy in rows
        if not strategy.within.note and not np.isnan(strategy.within.dp)
    ]
    if not parts:
        return "Within groups there is nothing to vote over: every group has one variant of each question."
    return f"DP without and with a vote within each group: {'; '.join(parts)}."


def scores_title(columns: Sequence[str], values: FloatArray, *, published: bool = False) -> str:
    """How often each strategy scores best over the rows of a grid, alone or with others."""
    head = "Published: " if published else ""
    rows = values[(~np.isnan(values)).sum(axis=1) > 1]
    if not len(rows):
        return f"{head}no row has two strategies to compare"
    top = rows == np.nanmax(rows, axis=1)[:, None]
    won = top.sum(axis=0)
    best, n = int(won.argmax()), len(rows)
    shared = " (alone or with others)" if (top.sum(axis=1)[top[:, best]] > 1).any() else ""
    where = f"all of {plural(n, 'row')}" if won[best] == n else f"{won[best]} of {n} rows"
    return f"{head}{columns[best]} scores highest in {where}{shared}"


def score_range(names: Sequence[tuple[str, str]], scores: Sequence[float]) -> str:
    """Lowest and highest score of one's own conditions; a description, no comparison.

    Args:
        names: (row, strategy) of each score.
        scores: 0 to 1, NaN = undefined.
    """
    defined = [(score, name) for score, name in zip(scores, names, strict=True) if score == score]
    if not defined:
        return "No condition has a score"
    (low, where), (high, there) = min(defined), max(defined)
    return f"Scores from {percent(low, 1)} ({_joined(where)}) to {percent(high, 1)} ({_joined(there)})"


def _range(rows: Sequence[Disparity], significant: bool) -> str:
    defined = [row for row in rows if not np.isnan(row.dp)]
    if not defined:
        return "no largest difference between groups has a value"
    low, high = min(defined, key=lambda r: r.dp), max(defined, key=lambda r: r.dp)
    end = "" if significant else ", not told from 0"
    if low is high:
        return f"DP is {points(low.dp)}{end}"
    return f"DP from {points(low.dp)} ({low.name}) to {points(high.dp)} ({high.name}){end}"


def _joined(name: tuple[str, str]) -> str:
    return ", ".join(part for part in name if part)


def _remedied(gaps: Sequence[ConditionGap]) -> list[tuple[ConditionGap, ConditionGap]]:
    """(plain, remedy) of the same row and attribute."""
    plain = {(gap.name, gap.attribute): gap for gap in gaps if not gap.remedy}
    return [(plain[gap.name, gap.attribute], gap) for gap in gaps if gap.remedy and (gap.name, gap.attribute) in plain]


def _one_strategy(gaps: Sequence[ConditionGap]) -> str:
    names = {strategy_name(gap.strategy) for gap in gaps}
    return f"With {names.pop()}" if len(names) == 1 else f"With {len(names)} strategies"


def _less(row: Disparity, plain: Disparity) -> bool:
    """Whether every disparity that both have is smaller."""
    pairs = [(row.dp, plain.dp), (row.eo, plain.eo)]
    known = [(a, b) for a, b in pairs if not (np.isnan(a) or np.isnan(b))]
    return bool(known) and all(a < b for a, b in known)


def _which(rows: Sequence[Disparity]) -> str:
    return "DP" if all(np.isnan(row.eo) for row in rows) else "both disparities"


def _counted(n: int, of: int, verb: str) -> str:
    """How many: every strategy narrows …, none scores …, 2 of 4 narrow it."""
    if n == of:
        return f"every strategy {verb}"
    if n == 0:
        return f"none {verb}"
    first, _, rest = verb.partition(" ")
    return f"{n} of {of} {first if n == 1 else first.removesuffix('s')} {rest}"
