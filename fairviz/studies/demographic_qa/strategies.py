"""Strategies compared, with and without the majority vote: Ji et al. (2025), Tables 2–4, 5 and 6."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, lcm
from typing import NamedTuple

import numpy as np

from fairviz.compiled import side_by_side
from fairviz.model import Qrels
from fairviz.model.variants import VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval
from fairviz.stats.disaggregation import Resampling, common_differences, mean_intervals
from fairviz.stats.tests import ROUNDING, holm, sign_flip
from fairviz.studies.demographic_qa.chance import UNTESTED, Difference, change
from fairviz.studies.demographic_qa.measures import Counted, on_common
from fairviz.studies.demographic_qa.rows import MIN_SIZE, VariantRow
from fairviz.studies.demographic_qa.sheet import ALL_VALUES, Answerable, By, compared, overall
from fairviz.studies.demographic_qa.tallies import AttributeTally, Counting, Tallies, tallies_of
from fairviz.studies.demographic_qa.votes import CountedVotes, VoteResult, Voters, VoteRule, measured_vote

VOTES: tuple[Voters, ...] = ("all", "within")
"""Who votes beside each strategy."""

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


def with_votes(
    answers: VariantAnswers,
    rows: Sequence[VariantRow],
    *,
    rule: VoteRule,
    min_size: int = MIN_SIZE,
    threshold: float | None = None,
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
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
        n_resamples: Resamples.
    """
    tallies = tallies_of(
        answers,
        Counting(threshold=threshold, rule=rule, voters=VOTES),
        by=[name for name, _ in rows[0].by] if rows else [],
        pooled=any(row.attribute == ALL_VALUES for row in rows),
        answerable=answerable,
        qrels=qrels,
    )
    return voted(tallies, rows, rule, min_size=min_size, resampling=Resampling(0, n_resamples))


def voted(
    tallies: Tallies,
    rows: Sequence[VariantRow],
    rule: VoteRule,
    *,
    min_size: int,
    resampling: Resampling,
) -> tuple[StrategyRow, ...]:
    """Rows with both votes beside them, of tallies in which both (:data:`VOTES`) were counted."""
    over_all, within = replace(rule, voters="all"), replace(rule, voters="within")
    used = dict.fromkeys(row.by for row in rows)
    means = {by: overall(tallies.of(by).votes["all"].known, resampling) for by in used}

    def with_both(row: VariantRow) -> StrategyRow | None:
        combination = tallies.of(row.by)
        tally = combination.attribute(row.attribute)
        if tally is None:
            return None
        votes = [
            measured_vote(
                combination.votes_of(tally, voting.voters),
                tally.values,
                voting,
                min_size=min_size,
                resampling=resampling,
                mean=means[row.by] if voting is over_all else None,
            )
            for voting in (over_all, within)
        ]
        if row.by_construction:
            votes[1] = replace(votes[1], dp_level=UNTESTED, eo_level=UNTESTED)
        dp_change, eo_change = UNTESTED, UNTESTED
        if not votes[1].note and not row.by_construction:
            of_votes = combination.votes_of(tally, "within")
            found = changes_within(tally, of_votes, resampling, min_size=min_size)
            dp_change = _of_a_real_difference(found[0], votes[1].dp_level, row.dp_level)
            eo_change = _of_a_real_difference(found[1], votes[1].eo_level, row.eo_level)
        gain = _gain(tally.known, combination.votes_of(tally, "all").known, resampling)
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

    return corrected_votes([strategy for strategy in side_by_side(with_both, rows) if strategy])


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
    tally: AttributeTally,
    votes: CountedVotes,
    resampling: Resampling,
    *,
    min_size: int,
) -> tuple[Difference, Difference]:
    """DP and EO of votes within groups minus those of the answers, each question's answers about a group as one mean.

    A vote is one answer where there were several: means weigh the same, so that both sides can be swapped.
    """
    found: list[Difference] = []
    for answers, of_votes in ((tally.known, votes.known), (tally.answerable, votes.answerable)):
        kept = compared(np.minimum(answers.rates.n, of_votes.rates.n), min_size)
        plain, others = (_as_means(each.groups(kept)) for each in (answers, of_votes))
        sides = on_common(others, plain)
        found.append(change(sides[0].table, sides[1].table, resampling))
    return found[0], found[1]


def _as_means(some: Counted) -> Counted:
    """Each question's answers about a group as one."""
    return Counted(some.questions, np.nan_to_num(some.table.means), (some.n > 0).astype(np.float64))


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
) -> dict[By, VoteGain]:
    """What a vote over all variants changes, of each combination that asks about groups.

    Args:
        answers: The answers.
        wanted: Combinations of the same columns.
        rule: How votes are counted.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
    """
    by = [name for name, _ in wanted[0]] if wanted else []
    tallies = tallies_of(answers, Counting(threshold=threshold, rule=rule, voters=("all",)), by=by, pooled=True)
    gains: dict[By, VoteGain] = {}
    for combination in (tallies.of(pairs) for pairs in wanted):
        if combination.attributes:
            whole = combination.attribute(ALL_VALUES) or combination.attributes[0]
            gains[combination.by] = _gain(whole.known, combination.votes_of(whole, "all").known, Resampling(0))
    return gains


def _gain(answers: Counted, votes: Counted, resampling: Resampling) -> VoteGain:
    """The change on the questions that have a vote and answers about groups.

    The sign of each question's change is a coin where the vote changes nothing. Student's t finds a change too often
    in so few values of so few questions (ten of them, two conditions: 6.3 % of worlds without effect).
    """
    of_answers, of_votes = answers.of_all, votes.of_all
    plain, voted = (each.table.means[0] for each in on_common(of_answers, of_votes))
    differences = common_differences(voted, plain)
    if not differences.size:
        return VoteGain(float("nan"), UNDEFINED, 0, float("nan"))
    steps = lcm(*{int(n) for n in np.concatenate([of_answers.n[0], of_votes.n[0]]) if n})
    if steps > FINEST or (np.abs(np.rint(steps * differences) - steps * differences) > steps * ROUNDING).any():
        steps = FINEST
    counted = np.rint(steps * differences).astype(np.int64)[None]
    return VoteGain(
        float(differences.mean()),
        mean_intervals([differences], resampling)[0],
        int(differences.size),
        sign_flip(counted, np.array([steps]), seed=resampling.seed).p,
    )
