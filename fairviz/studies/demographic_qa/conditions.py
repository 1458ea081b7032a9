"""Conditions under which a model answered, side by side: which gaps between groups are significant.

The widest gap of a condition was searched among all pairs of its groups, and conditions among each other: p is that of
the table of gaps, corrected over every pair of every attribute (of every combination) under every
condition that is loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE, holm
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
        """McNemar's exact test, corrected by Holm over the table of gaps."""
        return self.gap.p_holm

    @property
    def significant(self) -> bool:
        """Whether two groups of enough answers and questions differ, by the corrected test."""
        return self.gap.significant and not self.row.small


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
        p: McNemar's exact test, Holm over the table of gaps: all pairs, of which this is the widest.
        small: Whether one of the two groups, or their common questions, are too few.
        p_alone: The same, not corrected.
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

    @property
    def remedy(self) -> bool:
        """Whether the strategy is a remedy."""
        return not is_plain(self.strategy)

    @property
    def significant(self) -> bool:
        """Whether groups of enough answers and questions differ, by the corrected test."""
        return not self.small and self.p < SIGNIFICANCE


class Tested(NamedTuple):
    """p-values of a row's level and change, corrected over the table that holds them; NaN = not tested."""

    dp: float
    eo: float
    dp_change: float
    eo_change: float


def levels_holm(rows: Sequence[VariantRow]) -> list[Tested]:
    """Holm over every level and change of a table's rows; one row that stands twice is one."""
    distinct = list({id(row): row for row in rows}.values())
    p_values = np.array(
        [[row.dp_level.p, row.eo_level.p, row.dp_change.p, row.eo_change.p] for row in distinct], dtype=np.float64
    ).reshape(-1, 4)
    adjusted: list[list[float]] = holm(p_values.reshape(-1)).reshape(-1, 4).tolist()
    of = {id(row): Tested(*own) for row, own in zip(distinct, adjusted, strict=True)}
    return [of[id(row)] for row in rows]


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
        p=gap.p_holm,
        small=row.small or gap.n < MIN_UNITS,
        p_alone=gap.p,
    )
