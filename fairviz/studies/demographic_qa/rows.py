"""Rows of demographic variants: what an attribute does to the answers of one model, strategy and so on.

A row puts together what its parts compute: rates by group (``sheet``), paired gaps and agreement (``gaps``), votes
(``votes``) and retrieval overlap (``overlap``).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from fairviz.model import IntArray
from fairviz.model.variants import VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import combinations_of, holm_by_family
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.demographic_qa.gaps import Agreement, Letters, PairedGap, agreement, letters, paired_gaps
from fairviz.studies.demographic_qa.overlap import Overlap, lists_of, retrieval_overlap
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    NEUTRAL,
    By,
    Grouping,
    GroupRate,
    Sheet,
    Widest,
    combinations,
    condition_rates,
    group_rates,
    groupings,
    overall,
    sheet,
    widest,
)
from fairviz.studies.demographic_qa.votes import VoteResult, Voters, VoteRule, measured_vote
from fairviz.studies.demographic_qa.voting import TieRule

__all__ = ["MIN_SIZE", "OUTCOMES", "Outcome", "VariantRow", "corrected", "overlaps", "variant_rows"]

Outcome: TypeAlias = Literal["correct", "letters"]
"""What Ŷ = 1 means: the answer is right; or also, one versus rest, that it is a certain option."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

MIN_SIZE = MIN_UNITS
"""Groups with fewer answers are marked small and leave the largest difference to the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRow:
    """What one attribute does to the answers of one combination of model, strategy, ….

    Attributes:
        by: The combination, in the order asked for.
        attribute: "race"; "race+gender" for intersectional cells; "all": every value side by side.
        alone: False where the attribute occurs in intersectional variants only; their answers then
            count for it.
        n_questions: Questions asked about any of the groups.
        n_unknown: Answers left out because the right one is not recorded.
        groups: Rate of every group.
        conditions: Rate of every condition of reference (neutral, original).
        score: Mean outcome of the answers about groups, with its interval.
        dp: Largest difference of two groups' rates; NaN below two groups.
        eo: The same among answerable questions; NaN where none is recorded.
        best, worst: The groups of ``dp``: "" where it is undefined, one group twice where it is 0.
        eo_best, eo_worst: The groups of ``eo``, likewise.
        letters: One-versus-rest parity, empty unless ``outcome="letters"``.
        gaps: Every pair of groups, paired by question.
        vote: The vote asked for, or None.
        agreement: How often all variants of a question agree, are right, …
        overlap: Retrieval overlap at each depth, where documents were recorded.
    """

    by: By
    attribute: str
    alone: bool
    n_questions: int
    n_unknown: int
    groups: tuple[GroupRate, ...]
    conditions: tuple[GroupRate, ...]
    score: float
    score_interval: Interval
    dp: float
    eo: float
    best: str
    worst: str
    eo_best: str
    eo_worst: str
    letters: Letters
    gaps: tuple[PairedGap, ...]
    vote: VoteResult | None
    agreement: Agreement
    overlap: tuple[Overlap, ...]

    @property
    def accuracy(self) -> dict[str, float]:
        """Group -> rate."""
        return {group.value: group.rate for group in self.groups}

    @property
    def reference(self) -> GroupRate | None:
        """The neutral condition, None if it was not asked."""
        return next((condition for condition in self.conditions if condition.value == NEUTRAL), None)

    @property
    def small(self) -> bool:
        """Whether fewer than two groups reach the minimum size: then small ones are compared."""
        return sum(not group.small for group in self.groups) < 2

    @property
    def widest(self) -> PairedGap | None:
        """The paired gap of the two groups of ``dp``."""
        ends = {self.best, self.worst}
        return next((gap for gap in self.gaps if {gap.first, gap.second} == ends), None)

    @property
    def agree(self) -> float:
        """Share of questions on which all variants give one answer."""
        return self.agreement.agree

    @property
    def all_correct(self) -> float:
        """Share of questions on which every variant is answered right."""
        return self.agreement.all_correct

    @property
    def any_correct(self) -> float:
        """Share of questions on which at least one variant is answered right."""
        return self.agreement.any_correct

    @property
    def dp_letters(self) -> dict[str, float]:
        """Option -> one-versus-rest DP."""
        return self.letters.dp

    @property
    def eo_letters(self) -> dict[str, float]:
        """Option -> one-versus-rest EO."""
        return self.letters.eo

    @property
    def dp_macro(self) -> float:
        """Mean of the options' DP."""
        return self.letters.dp_macro

    @property
    def dp_max(self) -> float:
        """Largest of the options' DP."""
        return self.letters.dp_max

    @property
    def eo_macro(self) -> float:
        """Mean of the options' EO."""
        return self.letters.eo_macro

    @property
    def eo_max(self) -> float:
        """Largest of the options' EO."""
        return self.letters.eo_max

    def get(self, column: str) -> str:
        """Value of a by-column or "attribute", "" if there is none of that name."""
        return dict([*self.by, ("attribute", self.attribute)]).get(column, "")


def variant_rows(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    vote: Voters | None = None,
    ties: TieRule = "neutral",
    rule: VoteRule | None = None,
    outcome: Outcome = "correct",
    min_size: int = MIN_SIZE,
    threshold: float | None = None,
    depths: Sequence[int] = (),
    pooled: bool = False,
    attribute: str | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> tuple[VariantRow, ...]:
    """One row per combination of the columns and attribute.

    Args:
        answers: The answers.
        by: Columns to separate: any of model, dataset, strategy, retriever, k.
        vote: Also measure a vote ``within`` groups, over ``all`` variants, or over ``groups``.
        ties: What happens where a vote is tied.
        rule: The vote in full, instead of ``vote`` and ``ties``.
        outcome: "letters": one-versus-rest parity as well (closed answers).
        min_size: Groups with fewer answers are marked small.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself is compared.
        depths: Depths of the retrieval overlap; () = whole lists as recorded.
        pooled: Also a row "all" with the values of all attributes side by side.
        attribute: Only this one; None: all.
        seed: Of the bootstrap over questions.
        n_resamples: Resamples.

    Raises:
        UsageError: A column, threshold or outcome that does not fit the answers.
    """
    laid = sheet(answers, threshold=threshold)
    rule = rule or (VoteRule(voters=vote, ties=ties) if vote else None)
    results: list[VariantRow] = []
    for pairs, rows in combinations(answers, by):
        conditions = condition_rates(laid, rows, min_size=min_size, seed=seed, n_resamples=n_resamples)
        results += [
            _row(
                laid,
                rows,
                pairs,
                grouping,
                conditions,
                rule=rule,
                outcome=outcome,
                min_size=min_size,
                depths=depths,
                seed=seed,
                n_resamples=n_resamples,
            )
            for grouping in groupings(answers, rows, pooled=pooled)
            if attribute in (None, grouping.attribute)
        ]
    return corrected(results)


def corrected(rows: Sequence[VariantRow]) -> tuple[VariantRow, ...]:
    """The rows with the p of their gaps corrected over all pairs of their table, under every condition.

    Single attributes, combinations of attributes, and the values of all side by side are a table each: many pairs of
    combinations say nothing of a single attribute.
    """
    tables = [(row.attribute == ALL_VALUES, "+" in row.attribute) for row in rows]
    of_gaps = [table for row, table in zip(rows, tables, strict=True) for _ in row.gaps]
    gaps = [gap for row in rows for gap in row.gaps]
    p_holm = iter(holm_by_family(np.array([gap.p for gap in gaps], dtype=np.float64), of_gaps).tolist())
    sizes = Counter(table for table, gap in zip(of_gaps, gaps, strict=True) if not np.isnan(gap.p))
    return tuple(
        replace(row, gaps=tuple(replace(gap, p_holm=next(p_holm), n_tests=sizes[table]) for gap in row.gaps))
        for row, table in zip(rows, tables, strict=True)
    )


def _row(
    laid: Sheet,
    rows: IntArray,
    by: By,
    grouping: Grouping,
    conditions: tuple[GroupRate, ...],
    *,
    rule: VoteRule | None,
    outcome: Outcome,
    min_size: int,
    depths: Sequence[int],
    seed: int,
    n_resamples: int,
) -> VariantRow:
    groups = group_rates(laid, grouping, min_size=min_size, seed=seed, n_resamples=n_resamples)
    dp = _widest([(g.rate, g.n) for g in groups], grouping, min_size)
    eo = _widest([(g.rate_answerable, g.n_answerable) for g in groups], grouping, min_size)
    scores, questions = laid.scores[grouping.rows], laid.questions[grouping.rows]
    score = overall(scores, questions, seed=seed, n_resamples=n_resamples)
    return VariantRow(
        by=by,
        attribute=grouping.attribute,
        alone=grouping.alone,
        n_questions=combinations_of([questions], questions.size).n,
        n_unknown=int(np.isnan(scores).sum()),
        groups=groups,
        conditions=conditions,
        score=score.value,
        score_interval=score.interval,
        dp=dp.value,
        eo=eo.value,
        best=dp.best,
        worst=dp.worst,
        eo_best=eo.best,
        eo_worst=eo.worst,
        letters=letters(laid, grouping, min_size=min_size) if outcome == "letters" else Letters(),
        gaps=paired_gaps(laid, grouping, seed=seed, n_resamples=n_resamples),
        vote=(
            measured_vote(laid, rows, grouping, rule, min_size=min_size, seed=seed, n_resamples=n_resamples)
            if rule
            else None
        ),
        agreement=agreement(laid, grouping),
        overlap=overlaps(laid.answers, rows, grouping, depths, seed=seed),
    )


def _widest(rates: list[tuple[float, int]], grouping: Grouping, min_size: int) -> Widest:
    """The largest difference between groups given as (rate, n)."""
    return widest(
        np.array([rate for rate, _ in rates], dtype=np.float64),
        np.array([n for _, n in rates], dtype=np.int64),
        grouping.values,
        min_size,
    )


def overlaps(
    answers: VariantAnswers,
    rows: IntArray,
    grouping: Grouping,
    depths: Sequence[int],
    *,
    seed: int,
) -> tuple[Overlap, ...]:
    """Retrieval overlap of the attribute at each depth; () where no documents were recorded."""
    sizes = np.diff(answers.retrieved_offsets)
    if not grouping.alone or grouping.attribute == ALL_VALUES or not sizes[grouping.rows].any():
        return ()
    of_combination = np.zeros(len(answers), dtype=np.bool_)
    of_combination[rows] = True
    lists = lists_of(answers, grouping.attribute, rows=of_combination)
    return tuple(retrieval_overlap(lists, k=k, seed=seed) for k in depths or (None,))
