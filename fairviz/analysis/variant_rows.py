"""Answers to demographic variants, by attribute: accuracy, parity, paired gaps, votes."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from fairviz.analysis.retrieval_overlap import Overlap, lists_of, retrieval_overlap
from fairviz.analysis.uncertainty import N_RESAMPLES
from fairviz.analysis.variant_agreement import agreement
from fairviz.analysis.variant_gaps import paired_gaps
from fairviz.analysis.variant_groups import (
    GroupRate,
    Widest,
    condition_rates,
    group_rates,
    overall,
    widest,
)
from fairviz.analysis.variant_letters import Letters, letters
from fairviz.analysis.variant_row import VariantRow
from fairviz.analysis.variant_sheet import (
    ALL_VALUES,
    By,
    Grouping,
    Sheet,
    combinations,
    groupings,
    sheet,
)
from fairviz.analysis.variant_votes import Voters, VoteRule, measured_vote
from fairviz.metrics.votes import TieRule
from fairviz.model import IntArray
from fairviz.model.variants import VariantAnswers

__all__ = ["MIN_SIZE", "OUTCOMES", "Outcome", "VariantRow", "overlaps", "variant_rows"]

Outcome: TypeAlias = Literal["correct", "letters"]
"""What Ŷ = 1 means: the answer is right; or also, one versus rest, that it is a certain option."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

MIN_SIZE = 10
"""Groups with fewer answers are marked small and leave the largest difference to the others."""


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
    found: list[VariantRow] = []
    for pairs, rows in combinations(answers, by):
        conditions = condition_rates(laid, rows, min_size=min_size, seed=seed, n_resamples=n_resamples)
        found += [
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
    return tuple(found)


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
        n_questions=int(np.unique(questions).size),
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
    chosen = np.zeros(len(answers), dtype=np.bool_)
    chosen[rows] = True
    lists = lists_of(answers, grouping.attribute, rows=chosen)
    return tuple(retrieval_overlap(lists, k=k, seed=seed) for k in depths or (None,))
