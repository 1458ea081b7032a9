"""Majority votes over variants, and what they do to accuracy and parity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.variants import NOT_MENTIONED
from fairviz.stats.bootstrap import Interval
from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, level
from fairviz.studies.demographic_qa.counted import Counted, counted
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    Grouping,
    Mean,
    Sheet,
    Widest,
    compared,
    neutral_rows,
    overall,
    widest,
)
from fairviz.studies.demographic_qa.voting import (
    CLUSTER_THRESHOLD,
    NO_ANSWER,
    NOT_ASKED,
    Embedding,
    Linkage,
    TieRule,
    cluster_vote,
    majority_vote,
    token_vectors,
)

Voters: TypeAlias = Literal["within", "all", "groups"]
"""All variants about one group, over their other attributes; all variants of a question and its
neutral one; all variants without the neutral one. The original question never votes."""

VOTERS: tuple[Voters, ...] = get_args(Voters)

BY_CONSTRUCTION = "one answer per question, whoever asks: the difference between groups is 0 by construction"
ONE_VOTER = "every group has one variant per question, so that its vote is that variant's answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRule:
    """Who votes, and how the votes are counted.

    Attributes:
        voters: Who.
        ties: What happens at a tie.
        unreadable: Whether unreadable answers vote, as an option of their own.
        threshold: Cosine from which two open answers are alike.
        linkage: How open answers form clusters.
        embed: Open answers to vectors.
    """

    voters: Voters
    ties: TieRule = "neutral"
    unreadable: Literal["vote", "leave"] = "vote"
    threshold: float = CLUSTER_THRESHOLD
    linkage: Linkage = "connected"
    embed: Embedding = token_vectors


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
        dp_level, eo_level: Chance level, interval and p of ``dp`` and ``eo``; undefined where these are 0 by
            construction, or, as nothing was put to a vote, those of the answers.
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
    dp_level: Difference = UNTESTED
    eo_level: Difference = UNTESTED


class CountedVotes(NamedTuple):
    """What votes add up to.

    Attributes:
        known: Outcomes of the votes, by group ``within`` groups, else as of one.
        answerable: Those of votes on answerable questions.
        n: Votes.
        n_ties: Votes in which several answers led.
        n_abstained: Votes without an answer.
        n_voters: Answers in all votes.
        most_voters: Answers in the vote that has most.
    """

    known: Counted
    answerable: Counted
    n: int
    n_ties: int
    n_abstained: int
    n_voters: int
    most_voters: int


def counted_votes(votes: "Cast", n_groups: int) -> CountedVotes:
    """Add up votes question by question."""
    scores = np.where(votes.answerable, votes.scores, np.nan)
    return CountedVotes(
        known=counted(votes.scores, votes.questions, votes.groups, n_groups),
        answerable=counted(scores, votes.questions, votes.groups, n_groups),
        n=int(votes.scores.size),
        n_ties=int(votes.tied.sum()),
        n_abstained=int(votes.abstained.sum()),
        n_voters=int(votes.n_voters.sum()),
        most_voters=int(votes.n_voters.max(initial=0)),
    )


def measured_vote(
    votes: CountedVotes,
    values: Sequence[str],
    rule: VoteRule,
    *,
    min_size: int,
    resampling: Resampling,
    mean: Mean | None = None,
    n_permutations: int = N_PERMUTATIONS,
) -> VoteResult:
    """Measure the votes of one attribute.

    Args:
        votes: What they add up to.
        values: The groups of the attribute.
        rule: Who voted, and how.
        min_size: Groups with fewer votes are left out of DP and EO (see ``compared``).
        resampling: Of the questions.
        mean: Their mean outcome, where it is known already: that of whole questions is one for all attributes.
        n_permutations: Permutations behind the chance level of DP and EO.
    """
    within = rule.voters == "within"
    rates, rates_answerable = votes.known.rates, votes.answerable.rates
    mean = mean or overall(votes.known, resampling)
    if within:
        dp = widest(rates.rate, rates.n, values, min_size)
        eo = widest(rates_answerable.rate, rates_answerable.n, values, min_size).value
        by_group = dict(zip(values, rates.rate.tolist(), strict=True))
    else:
        several = len(values) > 1
        dp = Widest(0.0 if several and rates.n[0] else float("nan"), "", "")
        eo = 0.0 if several and rates_answerable.n[0] else float("nan")
        by_group = dict.fromkeys(values, mean.value)
    one_voter_each = votes.most_voters <= 1
    levels = [UNTESTED, UNTESTED]
    if within and not one_voter_each:
        levels = [
            level(each.groups(compared(each.rates.n, min_size)).table, resampling, n_permutations=n_permutations)
            for each in (votes.known, votes.answerable)
        ]
    return VoteResult(
        voters=rule.voters,
        ties=rule.ties,
        n_votes=votes.n,
        n_ties=votes.n_ties,
        n_abstained=votes.n_abstained,
        n_voters=votes.n_voters / votes.n if votes.n else float("nan"),
        accuracy=mean.value,
        interval=mean.interval,
        accuracy_by_group=by_group,
        dp=dp.value,
        eo=eo,
        best=dp.best,
        worst=dp.worst,
        note=(ONE_VOTER if one_voter_each else "") if within else BY_CONSTRUCTION,
        dp_level=levels[0],
        eo_level=levels[1],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cast:
    """V votes that were taken.

    Attributes:
        units: (V) the unit (see Sheet) of each vote.
        questions: (V) its question.
        groups: (V) the group it is about; 0 if it is about all.
        scores: (V) outcome of the answer chosen; 0 without an answer, NaN = right one not recorded.
        answerable: (V) whether the question is recorded as answerable.
        tied, abstained: (V) whether answers tied; whether there is no answer.
        n_voters: (V) answers in the vote.
    """

    units: IntArray
    questions: IntArray
    groups: IntArray
    scores: FloatArray
    answerable: BoolArray
    tied: BoolArray
    abstained: BoolArray
    n_voters: IntArray


class Ballots(NamedTuple):
    """Who votes on what.

    Attributes:
        voters: (N) rows that vote.
        votes: (N) the vote, 0 … n − 1, that each takes part in.
        n: V, number of votes.
        neutral: (V) row of the neutral variant of the vote's question, −1 = none.
    """

    voters: IntArray
    votes: IntArray
    n: int
    neutral: IntArray


def cast_votes(answer_sheet: Sheet, rows: IntArray, grouping: Grouping | None, rule: VoteRule) -> Cast:
    """Let the rows of one combination vote: per question and group of a grouping, without one per question."""
    voters, groups = electorate(answer_sheet, rows, grouping, rule.voters)
    width = 1 if grouping is None else max(len(grouping.values), 1)
    keys, votes = np.unique(answer_sheet.units[voters] * width + groups, return_inverse=True)
    votes = votes.reshape(-1)
    units = keys // width
    first = np.full(keys.size, len(answer_sheet.scores), dtype=np.int64)
    np.minimum.at(first, votes, voters)
    ballots = Ballots(voters, votes, keys.size, _neutral_of(answer_sheet, rows, units))
    decided = (_closed if answer_sheet.answers.kind == "closed" else _open)(answer_sheet, ballots, rule)
    gold_known = np.zeros(keys.size, dtype=np.bool_)
    gold_known[votes[~np.isnan(answer_sheet.scores[voters])]] = True
    answerable = np.zeros(keys.size, dtype=np.bool_)
    answerable[votes[answer_sheet.answerable[voters]]] = True
    return Cast(
        units=units,
        questions=answer_sheet.questions[first],
        groups=keys % width,
        scores=np.where(gold_known, decided.scores, np.nan),
        answerable=answerable,
        tied=decided.tied,
        abstained=decided.abstained,
        n_voters=decided.n_voters,
    )


def electorate(
    answer_sheet: Sheet, rows: IntArray, grouping: Grouping | None, voters: Voters
) -> tuple[IntArray, IntArray]:
    """(N) rows that vote, in the order of the file, and (N) the group that each votes for.

    ``within``: everything said about the group, in intersectional variants as well. Else: every
    variant about anybody, whatever its attribute, for all groups at once.
    """
    answers = answer_sheet.answers
    if grouping is None:
        given = (answers.given[rows] != NOT_MENTIONED).any(axis=1)
        if voters == "all":
            given |= neutral_rows(answers)[rows]
        return rows[given], np.zeros(int(given.sum()), dtype=np.int64)
    if "+" in grouping.attribute or grouping.attribute == ALL_VALUES:
        order = np.argsort(grouping.rows, kind="stable")
        return grouping.rows[order], grouping.groups[order]
    place = answers.attributes.index(grouping.attribute)
    given = answers.given[rows, place].astype(np.int64)
    group_of = np.full(len(answers.values[place]) + 1, NOT_MENTIONED)
    for group, value in enumerate(grouping.values):
        group_of[answers.values[place].index(value)] = group
    groups = group_of[given]  # the last place stands for "not mentioned" (−1)
    return rows[groups >= 0], groups[groups >= 0]


class _Decided(NamedTuple):
    """(V) see :class:`Cast`."""

    scores: FloatArray
    tied: BoolArray
    abstained: BoolArray
    n_voters: IntArray


def _neutral_of(answer_sheet: Sheet, rows: IntArray, units: IntArray) -> IntArray:
    """(V) the neutral row of each unit, the first of several; −1 = none."""
    neutral = rows[neutral_rows(answer_sheet.answers)[rows]]
    own = answer_sheet.units[neutral]
    order = np.argsort(own, kind="stable")
    place = np.searchsorted(own[order], units)
    is_there = place < own.size
    is_there[is_there] = own[order[place[is_there]]] == units[is_there]
    neutral_of_unit = np.full(units.size, NO_ANSWER)
    neutral_of_unit[is_there] = neutral[order[place[is_there]]]
    return neutral_of_unit


def _closed(answer_sheet: Sheet, ballots: Ballots, rule: VoteRule) -> _Decided:
    answers = answer_sheet.answers
    neutral = ballots.neutral
    choice = np.where(neutral >= 0, answers.choices[neutral].astype(np.int64), NOT_ASKED)
    votes = majority_vote(
        ballots.votes,
        answers.choices[ballots.voters].astype(np.int64),
        ballots.n,
        len(answers.options),
        ties=rule.ties,
        neutral=choice,
        unreadable=rule.unreadable,
    )
    golds = np.full(ballots.n, NO_ANSWER)
    np.maximum.at(golds, ballots.votes, answers.golds[ballots.voters].astype(np.int64))
    right = (votes.choice == golds) & (votes.choice >= 0)
    return _Decided(right.astype(np.float64), votes.tied, votes.choice < 0, votes.n_voters)


def _open(answer_sheet: Sheet, ballots: Ballots, rule: VoteRule) -> _Decided:
    answers = answer_sheet.answers
    order = np.argsort(ballots.votes, kind="stable")
    ends = np.searchsorted(ballots.votes[order], np.arange(ballots.n + 1))
    scores, tied = np.zeros(ballots.n), np.zeros(ballots.n, dtype=np.bool_)
    abstained = np.zeros(ballots.n, dtype=np.bool_)
    for place in range(ballots.n):
        rows = ballots.voters[order[ends[place] : ends[place + 1]]]
        if rows.size == 1:  # which speaks for itself
            scores[place] = answer_sheet.scores[rows[0]]
            continue
        texts = [answers.words.values[int(code)] for code in answers.words.codes[rows]]
        neutral = np.flatnonzero(rows == ballots.neutral[place])
        winner = cluster_vote(
            rule.embed(texts),
            texts,
            ties=rule.ties,
            threshold=rule.threshold,
            linkage=rule.linkage,
            neutral=int(neutral[0]) if neutral.size else NO_ANSWER,
        )
        tied[place] = winner.tied
        abstained[place] = winner.answer < 0
        if winner.answer >= 0:
            scores[place] = answer_sheet.scores[rows[winner.answer]]
    return _Decided(scores, tied, abstained, np.diff(ends))
