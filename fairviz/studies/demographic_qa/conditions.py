"""Strategies compared, with and without the vote: Ji et al. (2025), Tables 2–4, 5 and 6."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.model.variants import VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import Resampling, cluster_means, common_differences, mean_intervals
from fairviz.stats.tests import SIGNIFICANCE, holm
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.rows import MIN_SIZE, VariantRow, variant_rows
from fairviz.studies.demographic_qa.sheet import (
    By,
    Grouping,
    GroupRate,
    Sheet,
    combinations,
    rows_about,
    sheet,
)
from fairviz.studies.demographic_qa.votes import VoteResult, VoteRule, cast_votes, measured_vote
from fairviz.studies.demographic_qa.voting import TieRule

# Conditions under which a model answered, side by side: which gaps can be told from chance.


PLAIN = ("plain", "none", "baseline", "no mitigation", "no_mitigation", "")
"""What the strategy without a remedy may be called."""

STRATEGIES = ("cot", "chain-of-thought", "counterfactual", "adversarial", "majority vote")
"""Strategies of Ji et al. (2025) in the order of their tables."""


class Ends(NamedTuple):
    """The two groups of an attribute's largest difference, and the test of it.

    Attributes:
        row: The attribute.
        worst: The group with the lower rate.
        best: The group with the higher rate.
        gap: Their paired gap.
        p: McNemar's exact test, corrected by Holm over every pair that was looked at.
    """

    row: VariantRow
    worst: GroupRate
    best: GroupRate
    gap: PairedGap
    p: float

    @property
    def apart(self) -> bool:
        """Whether two groups of enough answers differ: by corrected test and by interval."""
        ends = self.gap.interval
        told = self.p < SIGNIFICANCE and (ends.low > 0 or ends.high < 0)
        return told and not self.row.small


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
        p: McNemar's exact test, Holm over all gaps of the comparison.
        small: Whether one of the two groups is below the minimum size.
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

    @property
    def remedy(self) -> bool:
        """Whether the strategy is a remedy."""
        return not is_plain(self.strategy)

    @property
    def apart(self) -> bool:
        """Whether groups of enough answers differ: by corrected test and by interval."""
        return not self.small and self.p < SIGNIFICANCE and (self.low > 0 or self.high < 0)


def is_plain(strategy: str) -> bool:
    """Whether a strategy is the condition without a remedy.

    Examples:
        >>> is_plain("Plain"), is_plain("COT")
        (True, False)
    """
    return strategy.strip().lower() in PLAIN


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
    known = [gap for gap in row.gaps if gap.n]
    return row.widest or max(known, key=lambda gap: abs(gap.gap), default=None)


def widest_ends(rows: Sequence[VariantRow]) -> list[Ends]:
    """The largest difference of each attribute that has one, Holm over all pairs of all rows."""
    pairs = [gap for row in rows for gap in row.gaps]
    corrected = holm(np.array([gap.p for gap in pairs], dtype=np.float64)).tolist()
    p_of = {id(gap): p for gap, p in zip(pairs, corrected, strict=True)}
    found: list[Ends] = []
    for row in rows:
        gap = widest_gap(row)
        if gap is not None:
            rates = {group.value: group for group in row.groups}
            best, worst = ends_of(row, gap)
            found.append(Ends(row, rates[worst], rates[best], gap, p_of[id(gap)]))
    return found


def ends_of(row: VariantRow, gap: PairedGap) -> tuple[str, str]:
    """The better and the worse group of a gap; of equal ones the first of the pair is first."""
    return (gap.second, gap.first) if gap.second == row.best else (gap.first, gap.second)


def condition_gaps(conditions: Sequence[Condition]) -> dict[str, list[ConditionGap]]:
    """Attribute -> one gap per condition that has it, Holm over all of them.

    An attribute of two groups has one sign everywhere: the group that does better in the first
    condition comes first. With more groups it is each condition's own widest gap, best − worst.
    """
    found: dict[str, list[ConditionGap]] = {}
    for condition in conditions:
        for row in condition.rows:
            gap = widest_gap(row)
            if gap is not None and not np.isnan(gap.gap):
                before = found.setdefault(row.attribute, [])
                before.append(_turned(condition, row, gap, before[0] if before else None))
    every = [one for gaps in found.values() for one in gaps]
    corrected = iter(holm(np.array([one.p for one in every], dtype=np.float64)).tolist())
    return {name: [replace(one, p=next(corrected)) for one in gaps] for name, gaps in found.items()}


def _turned(condition: Condition, row: VariantRow, gap: PairedGap, before: ConditionGap | None) -> ConditionGap:
    """The gap with the right group first."""
    ends = {gap.first, gap.second}
    steady = before is not None and len(row.groups) == 2 and {before.first, before.second} == ends
    first = before.first if before is not None and steady else ends_of(row, gap)[0]
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
        p=gap.p,
        small=row.small,
    )


STRATEGY_COLUMNS = ("model", "dataset", "strategy")


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyRow:
    """One strategy of one model on one dataset, without and with the majority vote.

    Attributes:
        row: Without the vote: score (mean outcome of the answers about groups), DP, EO, overlap.
        all: Vote over all variants and the neutral one: its accuracy; DP is 0 by construction.
        within: Vote within each group over the other attributes: DP and EO with the vote.
        change: Mean over questions of the vote's outcome (``all``) − that without it; NaN if no
            question has both.
        interval: 95 %, paired bootstrap over questions.
        n: Questions with both.
    """

    row: VariantRow
    all: VoteResult
    within: VoteResult
    change: float
    interval: Interval
    n: int

    @property
    def by(self) -> By:
        """The combination of columns."""
        return self.row.by

    def get(self, column: str) -> str:
        """Value of a by-column or "attribute"."""
        return self.row.get(column)


def strategy_rows(
    answers: VariantAnswers,
    attribute: str,
    *,
    by: Sequence[str] = STRATEGY_COLUMNS,
    ties: TieRule = "neutral",
    min_size: int = MIN_SIZE,
    threshold: float | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> tuple[StrategyRow, ...]:
    """The ablation of the vote, one row per combination that has the attribute.

    Args:
        answers: The answers.
        attribute: "race", or "race+gender".
        by: Columns to separate.
        ties: What happens where a vote is tied.
        min_size: Groups with fewer answers are marked small.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        seed: Of the bootstrap.
        n_resamples: Resamples.
    """
    plain = variant_rows(
        answers,
        by=by,
        min_size=min_size,
        threshold=threshold,
        seed=seed,
        n_resamples=n_resamples,
        attribute=attribute,
    )
    return with_votes(
        answers,
        plain,
        rule=VoteRule(voters="all", ties=ties),
        min_size=min_size,
        threshold=threshold,
        seed=seed,
        n_resamples=n_resamples,
    )


def with_votes(
    answers: VariantAnswers,
    rows: Sequence[VariantRow],
    *,
    rule: VoteRule,
    min_size: int = MIN_SIZE,
    threshold: float | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> tuple[StrategyRow, ...]:
    """Rows of :func:`~fairviz.studies.demographic_qa.rows.variant_rows` with both votes beside them.

    Args:
        answers: The answers that the rows were made of, with the same ``threshold``.
        rows: The rows.
        rule: How votes are counted; who votes is "all" and "within" whatever it says.
        min_size: Groups with fewer answers are marked small.
        threshold: As for the rows.
        seed: Of the bootstrap.
        n_resamples: Resamples.
    """
    laid = sheet(answers, threshold=threshold)
    found: list[StrategyRow] = []
    columns = [name for name, _ in rows[0].by] if rows else []
    rows_of = dict(combinations(answers, columns))
    for row in rows:
        chosen = rows_of[row.by]
        grouping = rows_about(answers, chosen, row.attribute)
        if grouping is None:
            continue
        everyone, own = replace(rule, voters="all"), replace(rule, voters="within")
        votes = [
            measured_vote(laid, chosen, grouping, one, min_size=min_size, seed=seed, n_resamples=n_resamples)
            for one in (everyone, own)
        ]
        differences = vote_changes(laid, chosen, grouping, everyone)
        found.append(
            StrategyRow(
                row=row,
                all=votes[0],
                within=votes[1],
                change=float(differences.mean()) if differences.size else float("nan"),
                interval=mean_intervals([differences], Resampling(seed, n_resamples))[0],
                n=int(differences.size),
            )
        )
    return tuple(found)


def vote_changes(laid: Sheet, rows: IntArray, grouping: Grouping, rule: VoteRule) -> FloatArray:
    """(Q) outcome of the vote − mean outcome about groups, of the questions that have both."""
    taken = cast_votes(laid, rows, grouping, rule)
    questions = np.concatenate([laid.questions[grouping.rows], taken.questions])
    scores = np.concatenate([laid.scores[grouping.rows], taken.scores])
    kinds = np.repeat([0, 1], [grouping.rows.size, taken.scores.size])
    plain, voted = cluster_means(scores, questions, kinds, 2).means
    return common_differences(voted, plain)
