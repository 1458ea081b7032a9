"""Strategies compared, with and without the majority vote: Ji et al. (2025), Tables 2–4, 5 and 6."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, lcm
from typing import NamedTuple

import numpy as np

from fairviz.cores import side_by_side
from fairviz.model import IntArray, Qrels
from fairviz.model.variants import VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval
from fairviz.stats.disaggregation import ClusterMeans, Resampling, cluster_means, common_differences, mean_intervals
from fairviz.stats.tests import ROUNDING, holm, sign_flip
from fairviz.studies.demographic_qa.answerable import Answerable
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, change, chosen
from fairviz.studies.demographic_qa.rows import MIN_SIZE, VariantRow, variant_rows
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    By,
    Grouping,
    Sheet,
    combinations,
    compared,
    groupings,
    rows_about,
    sheet,
)
from fairviz.studies.demographic_qa.votes import VoteResult, VoteRule, cast_votes, measured_vote
from fairviz.studies.demographic_qa.voting import TieRule

STRATEGY_COLUMNS = ("model", "dataset", "strategy")

FINEST = 10_000
"""Steps per point in which changes by a vote are counted, where they are no multiples of a larger one (ROUGE-L)."""


class VoteGain(NamedTuple):
    """What a vote over all variants changes of the score; the fields of :class:`StrategyRow` of the same names."""

    change: float
    interval: Interval
    n: int
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyRow:
    """One strategy of one model on one dataset, without and with the majority vote.

    Attributes:
        row: Without the vote: score (mean outcome of the answers about groups), DP, EO, overlap.
        all: Vote over all variants and the neutral one: its accuracy; DP is 0 by construction.
        within: Vote within each group over the other attributes: DP and EO with the vote.
        dp_change, eo_change: DP and EO with the vote within groups minus those without, on the same questions.
        change: Mean over questions of the vote's outcome (``all``) − that without it; NaN if no
            question has both.
        interval: 95 %, paired bootstrap over questions.
        n: Questions with both.
        p: Of no change: exact sign-flip test by question.
        p_holm: Corrected over every test of votes in its table, as those of ``within`` and of the changes are.
    """

    row: VariantRow
    all: VoteResult
    within: VoteResult
    change: float
    interval: Interval
    n: int
    p: float = float("nan")
    p_holm: float = float("nan")
    dp_change: Difference = UNTESTED
    eo_change: Difference = UNTESTED

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
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[StrategyRow, ...]:
    """The ablation of the vote, one row per combination that has the attribute.

    Args:
        answers: The answers.
        attribute: "race", or "race+gender".
        by: Columns to separate.
        ties: What happens where a vote is tied.
        min_size: Groups with fewer answers are marked small.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        answerable: Which questions are answerable, where the file does not say so.
        qrels: Judgements by question id, that say whether the evidence was right.
        seed: Of the bootstrap.
        n_resamples: Resamples.
        n_permutations: Permutations behind the chance level of DP and EO.
    """
    plain = variant_rows(
        answers,
        by=by,
        min_size=min_size,
        threshold=threshold,
        answerable=answerable,
        qrels=qrels,
        seed=seed,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        attribute=attribute,
    )
    return with_votes(
        answers,
        plain,
        rule=VoteRule(voters="all", ties=ties),
        min_size=min_size,
        threshold=threshold,
        answerable=answerable,
        qrels=qrels,
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
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
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
        answerable: As for the rows.
        qrels: As for the rows.
        seed: Of the bootstrap.
        n_resamples: Resamples.
    """
    answer_sheet = sheet(answers, threshold=threshold, answerable=answerable, qrels=qrels)
    resampling = Resampling(seed, n_resamples)
    columns = [name for name, _ in rows[0].by] if rows else []
    rows_of = dict(combinations(answers, columns))

    def voted(row: VariantRow) -> StrategyRow | None:
        answer_rows = rows_of[row.by]
        grouping = rows_about(answers, answer_rows, row.attribute)
        if grouping is None:
            return None
        over_all, within = replace(rule, voters="all"), replace(rule, voters="within")
        votes = [
            measured_vote(
                answer_sheet, answer_rows, grouping, voting, min_size=min_size, seed=seed, n_resamples=n_resamples
            )
            for voting in (over_all, within)
        ]
        if row.by_construction:
            votes[1] = replace(votes[1], dp_level=UNTESTED, eo_level=UNTESTED)
        dp_change, eo_change = UNTESTED, UNTESTED
        if not votes[1].note and not row.by_construction:
            found = changes_within(answer_sheet, answer_rows, grouping, within, resampling, min_size=min_size)
            dp_change = _of_a_real_difference(found[0], votes[1].dp_level, row.dp_level)
            eo_change = _of_a_real_difference(found[1], votes[1].eo_level, row.eo_level)
        gain = _gain(answer_sheet, answer_rows, grouping, over_all, resampling)
        return StrategyRow(
            row=row,
            all=votes[0],
            within=votes[1],
            change=gain.change,
            interval=gain.interval,
            n=gain.n,
            p=gain.p,
            dp_change=dp_change,
            eo_change=eo_change,
        )

    return corrected_votes([strategy for strategy in side_by_side(voted, rows) if strategy])


def corrected_votes(strategies: Sequence[StrategyRow]) -> tuple[StrategyRow, ...]:
    """The rows with p corrected by Holm over their table: every score, DP and EO of a vote, and every change by it."""
    of_parity = [(row.within.dp_level, row.within.eo_level, row.dp_change, row.eo_change) for row in strategies]
    values: list[float] = []
    for row, parity in zip(strategies, of_parity, strict=True):
        values += [row.p, *(each.p for each in parity)]
    n_tests = len(values) - sum(map(isnan, values))
    adjusted = iter(holm(np.array(values, dtype=np.float64)).tolist())
    rows: list[StrategyRow] = []
    for row, parity in zip(strategies, of_parity, strict=True):
        p_holm = next(adjusted)
        dp, eo, dp_change, eo_change = (each._replace(p_holm=next(adjusted), n_tests=n_tests) for each in parity)
        within = replace(row.within, dp_level=dp, eo_level=eo)
        rows.append(replace(row, within=within, p_holm=p_holm, dp_change=dp_change, eo_change=eo_change))
    return tuple(rows)


def votes_holm(gains: Sequence[VoteGain | StrategyRow]) -> list[float]:
    """P of what the vote changes, corrected over the rows that stand in one table."""
    return holm(np.array([gain.p for gain in gains], dtype=np.float64)).tolist()


def changes_within(
    answer_sheet: Sheet, rows: IntArray, grouping: Grouping, rule: VoteRule, resampling: Resampling, *, min_size: int
) -> tuple[Difference, Difference]:
    """DP and EO of votes within groups minus those of the answers, each question's answers about a group as one mean.

    A vote is one answer where there were several: means weigh the same, so that both sides can be swapped.
    """
    votes, n_groups = cast_votes(answer_sheet, rows, grouping, rule), len(grouping.values)
    questions = np.concatenate([votes.questions, answer_sheet.questions[grouping.rows]])
    groups = np.concatenate([votes.groups, n_groups + grouping.groups])
    scores = np.concatenate([votes.scores, answer_sheet.scores[grouping.rows]])
    answerable = np.concatenate([votes.answerable, answer_sheet.answerable[grouping.rows]])
    found: list[Difference] = []
    for known in (scores, np.where(answerable, scores, np.nan)):
        table = cluster_means(known, questions, groups, 2 * n_groups)
        means = ClusterMeans(np.nan_to_num(table.means), (table.n > 0).astype(np.float64))
        least = np.minimum(table.n[:n_groups].sum(axis=1), table.n[n_groups:].sum(axis=1)).astype(np.int64)
        kept = compared(least, min_size)
        found.append(change(chosen(means, kept), chosen(means, kept + n_groups), resampling))
    return found[0], found[1]


def _of_a_real_difference(changed: Difference, voted: Difference, plain: Difference) -> Difference:
    """The change with the larger p of the swaps and of the larger difference itself.

    Single votes vary more than means of answers, so that chance alone makes their largest difference larger; there is
    no change where the larger of both is no more than chance.
    """
    larger = voted if changed.value > 0 else plain
    return changed._replace(p=float(np.maximum(changed.p, larger.p)))


def vote_gains(
    answers: VariantAnswers,
    wanted: Sequence[By],
    rule: VoteRule,
    *,
    threshold: float | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> dict[By, VoteGain]:
    """What a vote over all variants changes, of each combination that asks about groups.

    Args:
        answers: The answers.
        wanted: Combinations of the same columns.
        rule: How votes are counted.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        seed: Of the bootstrap.
        n_resamples: Resamples.
    """
    answer_sheet, resampling = sheet(answers, threshold=threshold), Resampling(seed, n_resamples)
    rows_of = dict(combinations(answers, [name for name, _ in wanted[0]])) if wanted else {}
    gains: dict[By, VoteGain] = {}
    for by in wanted:
        found = groupings(answers, rows_of[by], pooled=True)
        if found:
            whole = next((grouping for grouping in found if grouping.attribute == ALL_VALUES), found[0])
            gains[by] = _gain(answer_sheet, rows_of[by], whole, replace(rule, voters="all"), resampling)
    return gains


def _gain(answer_sheet: Sheet, rows: IntArray, grouping: Grouping, rule: VoteRule, resampling: Resampling) -> VoteGain:
    """The change on the questions that have a vote and answers about groups.

    The sign of each question's change is a coin where the vote changes nothing. Student's t finds a change too often
    in so few values of so few questions (ten of them, two conditions: 6.3 % of worlds without effect).
    """
    votes = cast_votes(answer_sheet, rows, grouping, rule)
    questions = np.concatenate([answer_sheet.questions[grouping.rows], votes.questions])
    scores = np.concatenate([answer_sheet.scores[grouping.rows], votes.scores])
    kinds = np.repeat([0, 1], [grouping.rows.size, votes.scores.size])
    table = cluster_means(scores, questions, kinds, 2)
    differences = common_differences(table.means[1], table.means[0])
    if not differences.size:
        return VoteGain(float("nan"), UNDEFINED, 0, float("nan"))
    steps = lcm(*{int(n) for n in table.n.ravel() if n})
    if steps > FINEST or (np.abs(np.rint(steps * differences) - steps * differences) > steps * ROUNDING).any():
        steps = FINEST
    counted = np.rint(steps * differences).astype(np.int64)[None]
    return VoteGain(
        float(differences.mean()),
        mean_intervals([differences], resampling)[0],
        int(differences.size),
        sign_flip(counted, np.array([steps]), seed=resampling.seed).p,
    )
