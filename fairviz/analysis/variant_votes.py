"""Majority votes over variants, and what they do to accuracy and parity."""

from dataclasses import dataclass

import numpy as np

from fairviz.analysis.uncertainty import Interval
from fairviz.analysis.variant_ballots import VOTERS, Voters, VoteRule, cast_votes
from fairviz.analysis.variant_groups import Widest, overall, widest
from fairviz.analysis.variant_sheet import Grouping, Sheet
from fairviz.metrics.parity_of_answers import rates_by_group
from fairviz.metrics.votes import TieRule
from fairviz.model import IntArray

__all__ = ["VOTERS", "VoteResult", "VoteRule", "Voters", "measured_vote"]

BY_CONSTRUCTION = "one answer per question, whoever asks: the difference between groups is 0 by construction"
ONE_VOTER = "every group has one variant per question, so that its vote is that variant's answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteResult:
    """Accuracy and parity after a vote.

    Attributes:
        voters: Who voted.
        ties: The rule at ties.
        n_votes: Votes taken: one per question, ``within`` one per question and group.
        n_ties: Votes in which several answers led.
        n_abstained: Votes without an answer, which count as wrong.
        n_voters: Mean number of answers in a vote.
        accuracy: Share of votes that are right, or mean ROUGE-L of the answers chosen.
        interval: 95 %, bootstrap over questions.
        accuracy_by_group: Group -> accuracy; the same for all unless ``within``.
        dp, eo: Largest difference between groups; 0 by construction unless ``within``. EO is NaN
            without answerable questions.
        best, worst: The groups of ``dp``; "" where it is undefined or 0 by construction.
        note: What to know of these numbers, "" if nothing.
    """

    voters: Voters
    ties: TieRule
    n_votes: int
    n_ties: int
    n_abstained: int
    n_voters: float
    accuracy: float
    interval: Interval
    accuracy_by_group: dict[str, float]
    dp: float
    eo: float
    best: str
    worst: str
    note: str


def measured_vote(
    laid: Sheet,
    rows: IntArray,
    grouping: Grouping,
    rule: VoteRule,
    *,
    min_size: int,
    seed: int,
    n_resamples: int,
) -> VoteResult:
    """Take the votes of one attribute and measure them.

    Args:
        laid: The answers.
        rows: Those of one combination of columns.
        grouping: The groups of the attribute in them.
        rule: Who votes, and how.
        min_size: Groups with fewer votes are left out of DP and EO (see ``compared``).
        seed: Of the bootstrap.
        n_resamples: Resamples.
    """
    within = rule.voters == "within"
    taken = cast_votes(laid, rows, grouping, rule)
    n_groups = len(grouping.values) if within else 1
    rates = rates_by_group(taken.scores, taken.groups, n_groups)
    among = rates_by_group(np.where(taken.answerable, taken.scores, np.nan), taken.groups, n_groups)
    mean = overall(taken.scores, taken.questions, seed=seed, n_resamples=n_resamples)
    if within:
        dp = widest(rates.rate, rates.n, grouping.values, min_size)
        eo = widest(among.rate, among.n, grouping.values, min_size).value
        by_group = dict(zip(grouping.values, rates.rate.tolist(), strict=True))
    else:
        several = len(grouping.values) > 1
        dp = Widest(0.0 if several and rates.n[0] else float("nan"), "", "")
        eo = 0.0 if several and among.n[0] else float("nan")
        by_group = dict.fromkeys(grouping.values, mean.value)
    one_each = bool((taken.n_voters <= 1).all())
    return VoteResult(
        voters=rule.voters,
        ties=rule.ties,
        n_votes=int(taken.scores.size),
        n_ties=int(taken.tied.sum()),
        n_abstained=int(taken.abstained.sum()),
        n_voters=float(taken.n_voters.mean()) if taken.n_voters.size else float("nan"),
        accuracy=mean.value,
        interval=mean.interval,
        accuracy_by_group=by_group,
        dp=dp.value,
        eo=eo,
        best=dp.best,
        worst=dp.worst,
        note=(ONE_VOTER if one_each else "") if within else BY_CONSTRUCTION,
    )
