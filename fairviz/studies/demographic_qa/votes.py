"""Majority votes over variants: one answer from the answers to all of a question, and what it does to the rates.

Ji et al. (2025) ask every demographic variant and take the most frequent option; of open answers they take the largest
cluster by similarity. Kernels on R answers and U questions. Who votes is the caller's choice; what happens at a tie is
a rule by name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.variants import NOT_MENTIONED
from fairviz.stats.bootstrap import Interval
from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.chance import UNTESTED, Difference, level
from fairviz.studies.demographic_qa.measures import Counted, counted
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

TieRule: TypeAlias = Literal["neutral", "abstain", "first", "alphabetical"]
"""At a tie: the neutral variant's answer where it is among the tied ones, else the first in the
alphabet; no answer; the tied answer that was given first; the first in the alphabet."""

TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)

CLUSTER_THRESHOLD = 0.5
"""Cosine from which two answers are alike, unless another one is named."""

NO_ANSWER = -1
"""The vote has no answer: it abstains, nobody voted, or most answers are unreadable."""

NOT_ASKED = -2
"""The question has no neutral variant."""


class Votes(NamedTuple):
    """(U) what each question's vote says.

    Attributes:
        choice: Option with most votes, :data:`NO_ANSWER`.
        tied: Whether several options had most votes.
        n_voters: Answers that voted.
    """

    choice: IntArray
    tied: BoolArray
    n_voters: IntArray


def majority_vote(
    questions: IntArray,
    choices: IntArray,
    n_questions: int,
    n_options: int,
    *,
    ties: TieRule,
    neutral: IntArray | None = None,
    unreadable: Literal["vote", "leave"] = "vote",
) -> Votes:
    """The option that most voters of a question chose.

    Args:
        questions: (R) question of each voter.
        choices: (R) option of each voter, in alphabetical order; −1 = unreadable.
        n_questions: U.
        n_options: L.
        ties: What happens where several options have most votes.
        neutral: (U) option of the neutral variant, −1 = unreadable, :data:`NOT_ASKED`; for
            ``ties="neutral"``.
        unreadable: Whether unreadable answers vote, as one option of their own that comes last in
            the alphabet (default), or leave the vote to the others.

    Examples:
        >>> questions, choices = np.array([0, 0, 0, 1, 1]), np.array([1, 1, 0, 0, 1])
        >>> majority_vote(questions, choices, 2, 2, ties="abstain")
        Votes(choice=array([ 1, -1]), tied=array([False,  True]), n_voters=array([3, 2]))
    """
    if unreadable == "leave":
        questions, choices = questions[choices >= 0], choices[choices >= 0]
    width = n_options + 1
    columns = np.where(choices < 0, n_options, choices)  # unreadable answers: the last column
    cells = questions.astype(np.int64) * width + columns
    counts = np.bincount(cells, minlength=n_questions * width).reshape(n_questions, width)
    leading = counts == counts.max(axis=1, keepdims=True)
    leading &= counts > 0
    tied = leading.sum(axis=1) > 1
    winner = leading.argmax(axis=1)  # first in the alphabet
    if ties == "first":
        winner = _first_given(cells, leading)
    elif ties == "neutral" and neutral is not None:
        preferred = np.where(neutral < 0, n_options, neutral)
        preferred_leads = tied & leading[np.arange(n_questions), preferred] & (neutral != NOT_ASKED)
        winner = np.where(preferred_leads, preferred, winner)
    elif ties == "abstain":
        winner = np.where(tied, n_options, winner)
    answered = leading.any(axis=1) & (winner < n_options)
    return Votes(np.where(answered, winner, NO_ANSWER), tied, counts.sum(axis=1))


def _first_given(cells: IntArray, leading: BoolArray) -> IntArray:
    """(U) the leading option whose first vote is the earliest row."""
    first = np.full(leading.size, cells.size)
    first[cells[::-1]] = np.arange(cells.size)[::-1]  # the last write is the earliest row
    return np.where(leading, first.reshape(leading.shape), cells.size + 1).argmin(axis=1)


class ClusterVote(NamedTuple):
    """The vote over open answers of one question.

    Attributes:
        answer: Position of the answer that speaks for all, :data:`NO_ANSWER` if it abstains.
        tied: Whether several clusters were largest.
        clusters: (N) cluster of each answer, numbered by their first answer.
    """

    answer: int
    tied: bool
    clusters: IntArray


def cluster_vote(
    vectors: FloatArray,
    texts: Sequence[str],
    *,
    ties: TieRule,
    threshold: float = CLUSTER_THRESHOLD,
    neutral: int = -1,
) -> ClusterVote:
    """The medoid of the largest cluster of similar answers.

    The medoid is the answer with the largest summed cosine to its cluster, the first of equals.

    Args:
        vectors: (N, D) embedding of each answer.
        texts: N answers, for the alphabetical tie rule.
        ties: Which of several largest clusters speaks.
        threshold: Cosine from which two answers are alike.
        neutral: Position of the neutral variant's answer, −1 = none.
    """
    if not texts:
        return ClusterVote(NO_ANSWER, False, np.zeros(0, dtype=np.int64))
    alike = cosine_similarity(vectors)
    clusters = similarity_clusters(alike, threshold=threshold)
    sizes = np.bincount(clusters)
    largest = np.flatnonzero(sizes == sizes.max())
    medoids = [_medoid(alike, np.flatnonzero(clusters == cluster)) for cluster in largest]
    if largest.size == 1:
        return ClusterVote(medoids[0], False, clusters)
    if ties == "abstain":
        return ClusterVote(NO_ANSWER, True, clusters)
    if ties == "first":
        return ClusterVote(medoids[0], True, clusters)
    if ties == "neutral" and neutral >= 0 and clusters[neutral] in largest:
        place = largest.tolist().index(clusters[neutral])
        return ClusterVote(medoids[place], True, clusters)
    return ClusterVote(min(medoids, key=lambda place: texts[place]), True, clusters)


def similarity_clusters(alike: FloatArray, *, threshold: float) -> IntArray:
    """(N) cluster of each of N answers: connected components of the pairs that are alike, numbered by first answer.

    Args:
        alike: (N, N) similarity of each pair.
        threshold: Similarity from which a pair is alike.

    Examples:
        >>> chain = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])
        >>> similarity_clusters(chain, threshold=0.5).tolist()
        [0, 0, 0]
    """
    from scipy.sparse.csgraph import connected_components  # as long to load as all else: where it is used

    return connected_components(alike >= threshold, directed=False)[1].astype(np.int64)


def cosine_similarity(vectors: FloatArray) -> FloatArray:
    """(N, N) cosine of each pair of rows; two rows of zeros are alike (1), one and another not."""
    lengths = np.sqrt((vectors**2).sum(axis=1))
    units = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
    empty = lengths == 0
    return np.where(empty[:, None] & empty[None, :], 1.0, units @ units.T)


WORD = re.compile(r"[^\W_]+")
"""Letters and digits of any script."""


def token_vectors(texts: Sequence[str]) -> FloatArray:
    """(N, D) counts of lower-cased words: the embedding that needs no model.

    Answers in the same words are alike (1), without a word in common not (0); paraphrases in other
    words are not seen, for which a sentence encoder is needed.

    Examples:
        >>> token_vectors(["Rest and water", "water"])
        array([[1., 1., 1.],
               [0., 0., 1.]])
    """
    words = [_words(text) for text in texts]
    places: dict[str, int] = {}
    for text in words:
        for word in text:
            places.setdefault(word, len(places))
    vectors = np.zeros((len(words), max(len(places), 1)))
    for row, text in enumerate(words):
        np.add.at(vectors[row], [places[word] for word in text], 1.0)
    return vectors


@lru_cache(maxsize=4096)  # an answer votes under each attribute, and variants answer alike
def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.casefold()))


def _medoid(alike: FloatArray, members: IntArray) -> int:
    within = alike[np.ix_(members, members)].sum(axis=1)
    return int(members[np.isclose(within, within.max(), rtol=0, atol=1e-12).argmax()])


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
    """

    voters: Voters
    ties: TieRule = "neutral"
    unreadable: Literal["vote", "leave"] = "vote"
    threshold: float = CLUSTER_THRESHOLD


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


def measured_vote(
    votes: CountedVotes,
    values: Sequence[str],
    rule: VoteRule,
    *,
    min_size: int,
    resampling: Resampling,
    mean: Mean | None = None,
) -> VoteResult:
    """Measure the votes of one attribute.

    Args:
        votes: What they add up to.
        values: The groups of the attribute.
        rule: Who voted, and how.
        min_size: Groups with fewer votes are left out of DP and EO (see ``compared``).
        resampling: Of the questions.
        mean: Their mean outcome, where it is known already: that of whole questions is one for all attributes.
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
            level(each.groups(compared(each.rates.n, min_size)).table, resampling)
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


def cast_votes(answer_sheet: Sheet, rows: IntArray, grouping: Grouping | None, rule: VoteRule) -> CountedVotes:
    """Let the rows of one combination vote: per question and group of a grouping, without one per question; counted."""
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
    scores = np.where(gold_known, decided.scores, np.nan)
    questions, of = answer_sheet.questions[first], keys % width
    return CountedVotes(
        known=counted(scores, questions, of, width),
        answerable=counted(np.where(answerable, scores, np.nan), questions, of, width),
        n=keys.size,
        n_ties=int(decided.tied.sum()),
        n_abstained=int(decided.abstained.sum()),
        n_voters=int(decided.n_voters.sum()),
        most_voters=int(decided.n_voters.max(initial=0)),
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
    """Outcomes of V votes.

    Attributes:
        scores: (V) outcome of the answer chosen; 0 without an answer.
        tied, abstained: (V) whether answers tied; whether there is no answer.
        n_voters: (V) answers in the vote.
    """

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
            token_vectors(texts),
            texts,
            ties=rule.ties,
            threshold=rule.threshold,
            neutral=int(neutral[0]) if neutral.size else NO_ANSWER,
        )
        tied[place] = winner.tied
        abstained[place] = winner.answer < 0
        if winner.answer >= 0:
            scores[place] = answer_sheet.scores[rows[winner.answer]]
    return _Decided(scores, tied, abstained, np.diff(ends))
