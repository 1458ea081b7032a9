"""Conditions under which a model answered, side by side: which gaps between groups are significant.

The widest gap of a condition was searched among all pairs of its groups: its p is that of DP, by permutation within
questions, where every draw is searched likewise; corrected over all levels and changes (of single attributes,
or of combinations) under all conditions that are loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE, holm, mcnemar_exact
from fairviz.studies.demographic_qa.baselines import is_plain
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.sheet import GroupRate

STRATEGIES = (
    *("cot", "chain-of-thought", "ji-chain-of-thought", "counterfactual", "ji-counterfactual", "consistency"),
    *("adversarial", "ji-adversarial", "no-mention", "majority vote"),
)
"""Strategies of Ji et al. (2025) in the order of their tables."""


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
        return wide_interval(self.gap, self.row.dp_level.n_tests * len(self.row.gaps))


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The rows of one combination of model, strategy and so on.

    Attributes:
        name: What tells it apart from the others, besides the strategy.
        strategy: Its strategy, "" where none was recorded.
        rows: One per attribute.
    """

    name: str
    strategy: str
    rows: tuple[VariantRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionGap:
    """The paired gap of one attribute under one condition; rates 0 to 1.

    Attributes:
        name, strategy: Of the condition.
        attribute: Whose groups.
        first, second: The two groups; the gap is first − second.
        gap, low, high: With its 95 % interval.
        p: Of DP, by permutation within questions, Holm over the table of rows.
        small: Whether one of the two groups, or their common questions, are too few.
        p_alone: The same, not corrected.
        by_construction: Whether it is 0 because nobody is mentioned any more.
    """

    name: str
    strategy: str
    attribute: str
    first: str
    second: str
    gap: float
    low: float
    high: float
    p: float
    small: bool
    p_alone: float = float("nan")
    by_construction: bool = False

    @property
    def remedy(self) -> bool:
        """Whether the strategy is a remedy."""
        return not is_plain(self.strategy)

    @property
    def significant(self) -> bool:
        """Whether groups of enough answers and questions differ, by the corrected test."""
        return not self.small and self.p < SIGNIFICANCE


def wide_interval(gap: PairedGap, n_searched: int) -> Interval:
    """Interval of a gap that was searched among so many: Student's, at level 1 − 0.05 / number searched.

    Examples:
        >>> from fairviz.stats.bootstrap import UNDEFINED
        >>> gap = PairedGap("a", "b", 0.5, UNDEFINED, 10, 6, 1, 0.125, 0.125, se=0.1)
        >>> [round(end, 3) for end in wide_interval(gap, 1)], [round(end, 3) for end in wide_interval(gap, 6)]
        ([0.274, 0.726], [0.164, 0.836])
    """
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


def ordered_strategies(names: Sequence[str]) -> list[str]:
    """Plain first, then the paper's order, then the others as they come.

    Examples:
        >>> ordered_strategies(["Adversarial", "mine", "Plain", "COT"])
        ['Plain', 'COT', 'Adversarial', 'mine']
    """

    def place(name: str) -> int:
        low = name.strip().lower()
        if is_plain(name):
            return 0
        return 1 + (STRATEGIES.index(low) if low in STRATEGIES else len(STRATEGIES))

    return sorted(names, key=place)


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


def ends_of(row: VariantRow, gap: PairedGap) -> tuple[str, str]:
    """The better and the worse group of a gap; of equal ones the first of the pair is first."""
    return (gap.second, gap.first) if gap.second == row.best else (gap.first, gap.second)


def condition_gaps(conditions: Sequence[Condition]) -> dict[str, list[ConditionGap]]:
    """Attribute -> one gap per condition that has it.

    An attribute of two groups has one sign everywhere: the group that does better in the first
    condition comes first. With more groups it is each condition's own widest gap, best − worst.
    """
    gaps_by_attribute: dict[str, list[ConditionGap]] = {}
    for condition in conditions:
        for row in condition.rows:
            gap = widest_gap(row)
            if gap is not None and not np.isnan(gap.gap):
                gaps_before = gaps_by_attribute.setdefault(row.attribute, [])
                gaps_before.append(_turned(condition, row, gap, gaps_before[0] if gaps_before else None))
    return gaps_by_attribute


def _turned(condition: Condition, row: VariantRow, gap: PairedGap, first_gap: ConditionGap | None) -> ConditionGap:
    """The gap with the right group first."""
    ends = {gap.first, gap.second}
    same_pair = first_gap is not None and len(row.groups) == 2 and {first_gap.first, first_gap.second} == ends
    first = first_gap.first if first_gap is not None and same_pair else ends_of(row, gap)[0]
    sign = 1 if gap.first == first else -1
    low, high = sorted(sign * end for end in gap.interval)
    return ConditionGap(
        name=condition.name,
        strategy=condition.strategy,
        attribute=row.attribute,
        first=first,
        second=gap.second if gap.first == first else gap.first,
        gap=sign * gap.gap,
        low=low,
        high=high,
        p=row.dp_level.p_holm,
        small=row.small or gap.n < MIN_UNITS,
        p_alone=row.dp_level.p,
        by_construction=row.by_construction,
    )
