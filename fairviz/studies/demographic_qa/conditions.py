"""Which differences between groups are significant under which conditions, and what remedies do to them.

The widest gap of an attribute was searched among all pairs of its groups: its p is that of DP, by permutation within
questions, where every draw is searched likewise; corrected over all levels and changes (of single attributes,
or of combinations) under all conditions that are loaded. How small a gap would have shown is said, too.

Of models, prompts, retrieval and votes there is a finding each, and nothing that no test tells. A remedy narrows a gap
where the gap without it is significant and its change is; it widens one where the change and its own gap are. What is 0
by construction is not counted, as nobody is mentioned any more.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.display.words import interval, listing, number, plural, signed
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE, holm, mcnemar_exact, verdict
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.joins import MOST_UNREAD
from fairviz.studies.demographic_qa.names import condition_name, points, spoken
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.sheet import By, GroupRate
from fairviz.studies.demographic_qa.strategies import StrategyRow, VoteGain, votes_holm

POWER = 0.8
"""Chance of finding a gap, where it is said how many questions that takes."""


def too_unread(row: VariantRow) -> bool:
    """Whether more answers about its groups are unread than any verdict can stand."""
    return 100 * sum(group.n_unparsed for group in row.groups) > MOST_UNREAD * sum(group.n for group in row.groups)


class Ends(NamedTuple):
    """The two groups of an attribute's largest difference, and the test of it.

    Attributes:
        row: The attribute.
        worst: The group with the lower rate.
        best: The group with the higher rate.
        gap: Their paired gap.
    """

    row: VariantRow
    worst: GroupRate
    best: GroupRate
    gap: PairedGap

    @property
    def p(self) -> float:
        """The p of DP, corrected by Holm over the table of rows."""
        return self.row.dp_level.p_holm

    @property
    def significant(self) -> bool:
        """Whether two groups of enough answers and questions differ, by the corrected test."""
        return self.row.dp_level.significant and not self.row.small and self.gap.n >= MIN_UNITS

    @property
    def interval(self) -> Interval:
        """Interval of the gap that is wide enough for all pairs of all tested rows: t, Bonferroni's level."""
        return wide_interval(self.gap, self.n_searched)

    @property
    def n_searched(self) -> int:
        """Pairs of all tested rows, among which it is the widest of its row."""
        return self.row.dp_level.n_tests * len(self.row.gaps)


def wide_interval(gap: PairedGap, n_searched: int) -> Interval:
    """Interval of a gap that was searched among so many: Student's, at level 1 − 0.05 / number searched.

    Examples:
        >>> from fairviz.stats.bootstrap import UNDEFINED
        >>> gap = PairedGap("a", "b", 0.5, UNDEFINED, 10, 6, 1, 0.125, 0.125, se=0.1)
        >>> [round(end, 3) for end in wide_interval(gap, 1)], [round(end, 3) for end in wide_interval(gap, 6)]
        ([0.274, 0.726], [0.164, 0.836])
    """
    from scipy.special import stdtrit  # as long to load as all else: where it is used

    if gap.n < 2 or np.isnan(gap.se) or gap.se == 0:
        return UNDEFINED
    reach = -float(stdtrit(gap.n - 1, SIGNIFICANCE / 2 / max(n_searched, 1))) * gap.se
    return Interval(max(-1.0, gap.gap - reach), min(1.0, gap.gap + reach))


def detectable(rows: Sequence[VariantRow]) -> float:
    """The smallest gap between two groups that would have been significant in every pair; NaN where none would.

    A pair is held to McNemar's test at 0.05 over all tests of the table and all pairs of its attribute, with as many
    questions going the other way as did. Scores between 0 and 1: Student's interval of the same level.
    """
    needed = [
        _needed(gap, max(row.dp_level.n_tests, 1) * len(row.gaps)) for row in rows if not row.small for gap in row.gaps
    ]
    return max(needed, default=float("nan")) if not any(np.isnan(gap) for gap in needed) else float("nan")


def _needed(gap: PairedGap, n_searched: int) -> float:
    least = SIGNIFICANCE / n_searched
    if gap.n < MIN_UNITS:
        return float("nan")
    if abs(abs(gap.first_only - gap.second_only) / gap.n - abs(gap.gap)) > ROUNDING:  # not right and wrong
        ends = wide_interval(gap, n_searched)
        return float("nan") if np.isnan(ends.low) else (ends.high - ends.low) / 2
    against = min(gap.first_only, gap.second_only)
    for ahead in range(against + 1, gap.n - against + 1):
        if mcnemar_exact(ahead, against) <= least:
            return (ahead - against) / gap.n
    return float("nan")


def questions_needed(rows: Sequence[VariantRow], gap: float) -> int:
    r"""Questions that would show a gap of this size in every pair four times in five, as far as these data tell.

    :math:`(z_{1-\alpha/2m} + z_{0.8})^2 \, \sigma^2 / g^2`, with the level corrected for the m tests and pairs searched
    and the variance of the questions' differences: of the pair where it is largest, and no smaller than a gap g of
    right and wrong answers has, g − g². 0 where no two groups are compared.
    """
    from scipy.special import ndtri  # as long to load as all else: where it is used

    needed = [0.0]
    for row in rows:
        level = SIGNIFICANCE / 2 / (max(row.dp_level.n_tests, 1) * max(len(row.gaps), 1))
        reach = -float(ndtri(level)) + float(ndtri(POWER))
        for pair in row.gaps if not row.small else ():
            spread = 0.0 if np.isnan(pair.se) else pair.n * pair.se**2
            needed.append(reach**2 * max(spread, gap - gap**2) / gap**2)
    return int(np.ceil(max(needed)))


class FromNeutral(NamedTuple):
    """How all groups of some attributes differ from the question that mentions nobody.

    Attributes:
        least, most: The smallest and the largest gap, both of one sign: group − neutral.
        mean: Mean of the gaps.
        interval: 95 % of it, Student's over questions at the widest of the groups' standard errors.
        p: The largest p of the groups (McNemar, Holm over the groups): all of them differ.
        n_groups: Groups.
    """

    least: float
    most: float
    mean: float
    interval: Interval
    p: float
    n_groups: int


def from_neutral(rows: Sequence[VariantRow]) -> FromNeutral | None:
    """Whether every group of enough answers is answered better, or every one worse, than the neutral question.

    None where it was not asked, or where one of the groups cannot be told from it.
    """
    from scipy.special import stdtrit  # as long to load as all else: where it is used

    small = {(row.attribute, group.value) for row in rows for group in row.groups if group.small}
    gaps = [
        gap
        for row in rows
        if not row.small
        for gap in row.to_reference
        if (row.attribute, gap.first) not in small and gap.n
    ]
    if not gaps or min(gap.n for gap in gaps) < MIN_UNITS:
        return None
    values = np.array([gap.gap for gap in gaps])
    p = float(holm(np.array([gap.p for gap in gaps])).max())
    if not (p < SIGNIFICANCE and ((values > 0).all() or (values < 0).all())):
        return None
    order = np.argsort(np.abs(values))
    widest = max(gaps, key=lambda gap: gap.se)
    reach = -float(stdtrit(widest.n - 1, SIGNIFICANCE / 2)) * widest.se
    mean = float(values.mean())
    ends = Interval(max(-1.0, mean - reach), min(1.0, mean + reach))
    return FromNeutral(float(values[order[0]]), float(values[order[-1]]), mean, ends, p, len(gaps))


def widest_gap(row: VariantRow) -> PairedGap | None:
    """The paired gap of the two groups of DP; where all rates are equal, the widest of all pairs.

    None where DP is undefined.
    """
    if np.isnan(row.dp):
        return None
    defined = [gap for gap in row.gaps if gap.n]
    return row.widest or max(defined, key=lambda gap: abs(gap.gap), default=None)


def widest_ends(rows: Sequence[VariantRow]) -> list[Ends]:
    """The largest difference of each attribute that has one."""
    ends: list[Ends] = []
    for row in rows:
        gap = widest_gap(row)
        if gap is not None:
            rates = {group.value: group for group in row.groups}
            best, worst = ends_of(row, gap)
            ends.append(Ends(row, rates[worst], rates[best], gap))
    return ends


def widest_first(rows: Sequence[VariantRow]) -> list[VariantRow]:
    """The attributes, those with a significant difference before the others, wide before narrow."""
    significant = {row_ends.row.attribute for row_ends in widest_ends(rows) if row_ends.significant}
    return sorted(rows, key=lambda row: (row.attribute not in significant, -row.dp if row.dp == row.dp else 1.0))


def ends_of(row: VariantRow, gap: PairedGap) -> tuple[str, str]:
    """The better and the worse group of a gap; of equal ones the first of the pair is first."""
    return (gap.second, gap.first) if gap.second == row.best else (gap.first, gap.second)


TIES = {
    "neutral": "the neutral variant's answer if it is tied, else the first in the alphabet",
    "abstain": "no answer, counted as wrong",
    "first": "the answer given first",
    "alphabetical": "the first in the alphabet",
}
"""Tie rules in words."""

SAID = 3
"""Changes that are told one by one; more of them are counted."""


def levels_finding(rows: Sequence[VariantRow], *, what: str) -> str:
    """In how many conditions each attribute has a significant gap, with the range of the gaps.

    Args:
        rows: Of several conditions.
        what: What there are several of ("model", "setting").
    """
    if unread := _unread(rows):
        return unread
    parts: list[str] = []
    for attribute in dict.fromkeys(row.attribute for row in rows):
        gaps = [row for row in rows if row.attribute == attribute and not np.isnan(row.dp) and not row.by_construction]
        if not gaps:
            continue
        low, high = (number(100 * pick(row.dp for row in gaps), 0) for pick in (min, max))
        span = f"{low} points" if low == high else f"{low} to {high} points"
        n = sum(_significant(row) for row in gaps)
        found = f"significant gap in {n}" if n else "no significant gap in any"
        several = f" of {plural(len(gaps), what)}" if len(gaps) > 1 or n else ""
        parts.append(f"{spoken(attribute)}: {found}{several} ({span})")
    if not parts:
        return "no two groups to compare"
    return "; ".join(parts)


def change_finding(rows: Sequence[VariantRow], *, without: str) -> str:
    """What remedies do to the gap of each attribute, against their natural baselines; "" where there are none.

    Args:
        rows: Of the remedies, and of what they are compared with.
        without: What makes the baseline ("with the plain prompt", "without documents").
    """
    changed = [row for row in rows if row.natural and not row.small and not np.isnan(row.dp_change.value)]
    counted = [row for row in changed if not (row.by_construction or row.one_option)]
    bases = {(row.by, row.attribute): row for row in rows}
    if not changed:
        return ""
    if unread := _unread(rows):
        return unread
    constructed = listing(list(dict.fromkeys(_named(row) for row in changed if row.by_construction)))
    removed = f"; {constructed}: 0 by construction, as nobody is mentioned" if constructed else ""
    if one := listing(list(dict.fromkeys(_named(row) for row in changed if row.one_option))):
        removed += f"; {one}: one answer whatever is asked, no verdict"
    if any(base.one_option for row in changed if (base := bases.get((row.base or (), row.attribute)))):
        return f"no verdict: {without}, one answer is given whatever is asked"
    told = [(row, verb) for row in counted if (verb := _verb(row, bases.get((row.base or (), row.attribute))))]
    if told:
        words = [_change_words(row, verb) for row, verb in told[:SAID]]
        more = f"; {len(told) - SAID} more significant" if len(told) > SAID else ""
        rest = len(counted) - len(told)
        others = f"; no significant change in the other {rest} of {len(counted)}" if rest else ""
        return f"{'; '.join(words)}{more}{others}{removed}"
    base_gaps = {row.attribute: base for row in changed if (base := bases.get((row.base or (), row.attribute)))}
    gaps = ", ".join(f"{spoken(name)} {points(base.dp)}" for name, base in base_gaps.items())
    are, verb = ("gap", "is") if len(base_gaps) == 1 else ("gaps", "are")
    if not any(_significant(base) for base in base_gaps.values()):
        return f"the {are} {without} ({gaps}) {verb} not significant, so no reduction can be shown{removed}"
    return f"no significant change of the {are} {without} ({gaps}){removed}"


def _unread(rows: Sequence[VariantRow]) -> str:
    """Why nothing is said of conditions of which some are too unread for a verdict."""
    conditions = list(dict.fromkeys(row.by for row in rows))
    unread = {row.by for row in rows if too_unread(row)}
    if not unread:
        return ""
    share = f" in {len(unread)} of {len(conditions)} conditions" if len(conditions) > 1 else ""
    return f"no verdict: too many answers are unread{share}"


def _significant(row: VariantRow) -> bool:
    return row.dp_level.significant and not row.small


def _verb(row: VariantRow, base: VariantRow | None) -> str:
    """What a remedy does, as far as tests tell."""
    if row.dp_change.verdict == "lower" and base is not None and _significant(base):
        return "narrows"
    return "widens" if row.dp_change.verdict == "higher" and _significant(row) else ""


def _change_words(row: VariantRow, verb: str) -> str:
    low, high = sorted(abs(100 * end) for end in row.dp_change.interval)
    between = "" if np.isnan(low) else f" ({interval(low, high, 0)})"
    return (
        f"{_named(row)} {verb} the {spoken(row.attribute)} gap by {points(row.dp_change.value)}{between}, "
        f"to {number(100 * row.dp, 0)}"
    )


def _named(row: VariantRow) -> str:
    """What tells a remedy from its base."""
    return condition_name(dict(differing(row.by, row.base or ()))) or "the other"


def differing(by: By, base: By) -> By:
    """The columns in which a combination differs from another."""
    other = dict(base)
    return tuple((name, value) for name, value in by if other.get(name) != value)


def vote_title(gains: Sequence[VoteGain | StrategyRow], rows: Sequence[VariantRow] = ()) -> str:
    """What the vote adds, over the conditions whose test, corrected over all of them, tells it from nothing.

    Args:
        gains: One per condition.
        rows: Of these conditions, that say how much was read.
    """
    if unread := _unread(rows):
        return unread
    if not gains:
        return "no vote to take"
    verdicts = [verdict(gain.change, p, gain.n) for gain, p in zip(gains, votes_holm(gains), strict=True)]
    more = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "higher"]
    less = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "lower"]
    rest = len(gains) - len(more) - len(less)
    if rest == len(gains):
        low, high = (100 * pick(gain.change for gain in gains) for pick in (min, max))
        return f"no significant change in right answers by a vote over all variants ({_span(low, high)} points)"
    if len(more) == len(gains):
        low, high = min(gain.change for gain in more), max(gain.change for gain in more)
        span = points(low, 1) if len(more) == 1 else f"{number(100 * low, 1)} to {points(high, 1)}"
        return f"a vote over all variants adds {span}"
    parts = [f"helps {len(more)}"] if more else []
    parts += [f"costs points in {len(less)}"] if less else []
    others = f"; the other {rest} show{'s' if rest == 1 else ''} no significant change" if rest else ""
    return f"a vote over all variants {listing(parts)} of {plural(len(gains), 'condition')}{others}"


def _span(low: float, high: float) -> str:
    ends = (signed(low, 1), signed(high, 1))
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
