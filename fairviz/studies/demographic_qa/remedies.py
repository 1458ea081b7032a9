"""What the page says of remedies: gaps, disparities and votes by strategy.

Counts are of the estimates shown; what is significant is so by a test, corrected over all that were searched.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray
from fairviz.show.words import listing, number, percent, plural
from fairviz.stats.tests import verdict
from fairviz.studies.demographic_qa.baselines import is_plain
from fairviz.studies.demographic_qa.chance import UNTESTED, Difference
from fairviz.studies.demographic_qa.conditions import ConditionGap
from fairviz.studies.demographic_qa.names import heading, points, spoken, strategy_name
from fairviz.studies.demographic_qa.rows import VariantRow
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
        dp_level, eo_level: What chance gives, interval and test of both.
        dp_change, eo_change: Against the base.
        natural: Whether the base is a natural one, so that sentences count the change.
        by_construction: Whether DP is 0 because nobody is mentioned any more.
        small: Whether its groups have too few answers for any claim.
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
    dp_level: Difference = UNTESTED
    eo_level: Difference = UNTESTED
    dp_change: Difference = UNTESTED
    eo_change: Difference = UNTESTED
    natural: bool = False
    by_construction: bool = False
    small: bool = False

    @property
    def significant(self) -> bool:
        """Whether DP is larger than chance makes it, between groups of enough answers."""
        return self.dp_level.significant and not self.small

    @property
    def counted(self) -> bool:
        """Whether its change is a claim that sentences may count."""
        constructed = self.by_construction or self.small
        return self.natural and not constructed and not np.isnan(self.dp_change.value)


def disparity_of(name: str, strategy: str, row: VariantRow) -> Disparity:
    """DP and EO of one condition as they are.

    Args:
        name: What to call it.
        strategy: Its strategy, "" where none was recorded.
        row: The attribute under this condition.
    """
    return Disparity(
        name,
        strategy != "" and is_plain(strategy),
        row.dp,
        row.eo,
        row.score,
        groups=_groups(row.best, row.worst),
        n=sum(group.n for group in row.groups),
        dp_macro=row.dp_macro if row.dp_letters else None,
        dp_max=row.dp_max if row.dp_letters else None,
        dp_level=row.dp_level,
        eo_level=row.eo_level,
        dp_change=row.dp_change,
        eo_change=row.eo_change,
        natural=row.natural,
        by_construction=row.by_construction,
        small=row.small,
    )


def voted_disparities(named: Sequence[tuple[str, StrategyRow]]) -> list[Disparity]:
    """DP and EO with a vote within groups, of the conditions whose groups have several variants of a question.

    Args:
        named: What to call each condition, and its votes.
    """
    return [
        Disparity(
            f"{name} + vote",
            False,
            strategy.within.dp,
            strategy.within.eo,
            strategy.within.accuracy,
            groups=_groups(strategy.within.best, strategy.within.worst),
            dp_level=strategy.within.dp_level,
            eo_level=strategy.within.eo_level,
            dp_change=strategy.dp_change,
            eo_change=strategy.eo_change,
            by_construction=strategy.row.by_construction,
        )
        for name, strategy in named
        if not strategy.within.note
    ]


def _groups(best: str, worst: str) -> str:
    if best == worst:
        return "all alike" if best else ""
    return f"{spoken(best)} − {spoken(worst)}"


def gaps_title(gaps: Sequence[ConditionGap]) -> str:
    """How many gaps are significant; where there are remedies, how many without and with them.

    A gap that is 0 by construction is not counted.
    """
    gaps = [gap for gap in gaps if not gap.by_construction]
    if not gaps:
        return "No gap to show"
    n_significant = sum(gap.significant for gap in gaps)
    plain_and_remedy = _remedied(gaps)
    if plain_and_remedy:
        before, left = sum(p.significant for p, _ in plain_and_remedy), sum(r.significant for _, r in plain_and_remedy)
        strategies = _one_strategy([after for _, after in plain_and_remedy])
        n = plural(len(plain_and_remedy), "gap")
        if not before and not left:
            return f"{strategies}, as without: none of {n} is significant"
        return f"{strategies}, {left} of {n} {_are(left)} significant; without, {before}"
    widest = max(gaps, key=lambda gap: abs(gap.gap) if gap.significant else -1.0)
    if not n_significant:
        return f"None of {plural(len(gaps), 'gap')} is significant"
    words = f"{n_significant} of {plural(len(gaps), 'gap')} {_are(n_significant)} significant"
    if len(gaps) == 1:
        words = "The gap is significant"
    return f"{words}; the widest is {points(widest.gap)} ({widest.name}, {spoken(widest.attribute)})"


def _are(n: int) -> str:
    return "is" if n < 2 else "are"


def panel_title(gaps: Sequence[ConditionGap]) -> str:
    """Heading of one attribute's panel: which group is subtracted from which."""
    pairs = {(gap.first, gap.second) for gap in gaps}
    if len(pairs) == 1:
        ((first, second),) = pairs
        return f"{spoken(first)} minus {spoken(second)}"
    return f"{heading(gaps[0].attribute)}: widest gap" if gaps else ""


def disparities_title(rows: Sequence[Disparity], *, published: bool = False) -> str:
    """What strategies do to DP: published ones as printed, one's own as far as tests allow.

    A strategy narrows DP where the baseline's is significant and the change is; it widens DP where the change and its
    own DP are. What is 0 by construction, and votes, are not counted.

    Args:
        rows: Conditions, the plain one among them.
        published: Whether they are a paper's, which has no tests.
    """
    if published:
        return f"Published: {_printed(rows)}"
    plain = next((row for row in rows if row.plain), None)
    others = [row for row in rows if row.counted]
    if plain is None or not others:
        return _levels(rows)
    wider = sum(row.dp_change.verdict == "higher" and row.significant for row in others)
    widened = f"{_counted(wider, len(others), 'widens DP significantly')}" if wider else ""
    if not plain.significant:
        words = f"the baseline gap ({points(plain.dp)}) is not significant, so no reduction can be shown"
        return f"{words}; {widened}" if widened else words
    narrower = [row for row in others if row.dp_change.verdict == "lower"]
    if not narrower and not wider:
        return (
            f"no significant change of the baseline gap ({points(plain.dp)}) by "
            f"{'any of ' if len(others) > 1 else ''}{plural(len(others), 'strategy', 'strategies')}"
        )
    counts = [_counted(len(narrower), len(others), "narrows DP significantly")] if narrower else []
    return "; ".join([*counts, *([widened] if widened else [])])


def disparity_notes(rows: Sequence[Disparity]) -> str:
    """What is 0 by construction and therefore not tested, and how often chance alone gives what is seen."""
    constructed = [row.name for row in rows if row.by_construction and not row.name.endswith("+ vote")]
    n_tests = max((row.dp_level.n_tests for row in rows if row.n is not None), default=0)
    n_votes = max((row.dp_level.n_tests for row in rows if row.n is None), default=0)
    of_votes = f", of votes over {n_votes}" if n_votes else ""
    parts = [
        "p: permutation within questions, changes by swapping whole questions; Holm over "
        f"{plural(n_tests, 'test')}{of_votes}."
    ]
    if constructed:
        parts.append(f"{listing(constructed)}: 0 by construction, as nobody is mentioned any more; not counted.")
    return " ".join(parts if n_tests else parts[1:])


def _levels(rows: Sequence[Disparity]) -> str:
    """In how many conditions DP is larger than chance makes it."""
    tested = [row for row in rows if not np.isnan(row.dp) and not row.by_construction and row.n is not None]
    if not tested:
        return "no largest difference between groups has a value"
    low, high = (number(100 * pick(row.dp for row in tested), 1) for pick in (min, max))
    span = f"{low} points" if low == high else f"{low}–{high} points"
    n = sum(row.significant for row in tested)
    if len(tested) == 1:
        return f"DP is {'' if n else 'not '}significant ({span})"
    if not n:
        return f"no significant DP in any of {len(tested)} conditions ({span})"
    return f"DP is significant in {n} of {len(tested)} conditions ({span})"


def _printed(rows: Sequence[Disparity]) -> str:
    """Counts of a paper's values against its plain condition, and which does most."""
    plain = next((row for row in rows if row.plain), None)
    others = [row for row in rows if row is not plain]
    if plain is None or not others:
        return _range(rows)
    both = [row for row in others if _less(row, plain)]
    below = [row for row in others if row.score < plain.score]
    counts = (
        f"{_counted(len(both), len(others), f'narrows {_which(rows)}')} and "
        f"{_counted(len(below), len(others), f'scores below {plain.name}')}"
    )
    smallest = min(others, key=lambda row: (row.dp, row.eo))
    if smallest in both and sum(row.dp == smallest.dp for row in others) == 1:
        counts += f"; {smallest.name} does most"
    return counts


def vote_title(gains: Sequence[StrategyRow]) -> str:
    """What the vote adds, over the conditions whose test, corrected over all of them, tells it from nothing."""
    if not gains:
        return "No vote to take"
    verdicts = [verdict(gain.change, p, gain.n) for gain, p in zip(gains, votes_holm(gains), strict=True)]
    more = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "higher"]
    less = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "lower"]
    rest = len(gains) - len(more) - len(less)
    if rest == len(gains):
        return "No significant change in score by a majority vote"
    if len(more) == len(gains):
        low, high = min(gain.change for gain in more), max(gain.change for gain in more)
        span = points(low, 1) if len(more) == 1 else f"{number(100 * low, 1)} to {points(high, 1)}"
        return f"A majority vote over the variants adds {span}"
    parts = [f"helps {len(more)}"] if more else []
    parts += [f"costs points in {len(less)}"] if less else []
    others = f"; the other {rest} show{'s' if rest == 1 else ''} no significant change" if rest else ""
    return f"Majority voting {listing(parts)} of {plural(len(gains), 'condition')}{others}"


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


def score_range(scores: Sequence[float]) -> str:
    """Lowest and highest score of one's own conditions, which are not named, as none is tested against the others.

    Args:
        scores: 0 to 1, NaN = undefined.
    """
    defined = [score for score in scores if score == score]
    if not defined:
        return "No condition has a score"
    return f"Scores of {plural(len(defined), 'condition')}: {percent(min(defined), 1)} to {percent(max(defined), 1)}"


def _range(rows: Sequence[Disparity]) -> str:
    defined = [row for row in rows if not np.isnan(row.dp)]
    if not defined:
        return "no largest difference between groups has a value"
    low, high = min(defined, key=lambda r: r.dp), max(defined, key=lambda r: r.dp)
    if low is high:
        return f"DP is {points(low.dp)}"
    return f"DP from {points(low.dp)} ({low.name}) to {points(high.dp)} ({high.name})"


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
