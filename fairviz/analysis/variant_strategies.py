"""Strategies compared, with and without the vote: Ji et al. (2025), Tables 2–4, 5 and 6."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairviz.analysis.uncertainty import N_RESAMPLES, Interval
from fairviz.analysis.variant_ballots import VoteRule, cast_votes
from fairviz.analysis.variant_groups import by_question, mean_intervals
from fairviz.analysis.variant_row import VariantRow
from fairviz.analysis.variant_rows import MIN_SIZE, variant_rows
from fairviz.analysis.variant_sheet import By, Grouping, Sheet, combinations, rows_about, sheet
from fairviz.analysis.variant_votes import VoteResult, measured_vote
from fairviz.metrics.votes import TieRule
from fairviz.model import FloatArray, IntArray
from fairviz.model.variants import VariantAnswers

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
    """Rows of :func:`~fairviz.analysis.variant_rows.variant_rows` with both votes beside them.

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
                interval=mean_intervals([differences], seed=seed, n_resamples=n_resamples)[0],
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
    means = by_question(scores, questions, kinds, 2).means
    differences: FloatArray = means[1] - means[0]
    return differences[~np.isnan(differences)]
