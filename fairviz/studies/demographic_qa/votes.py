"""Majority votes over variants: one answer from the answers to all of a question, and what it does to the rates.

Ji et al. (2025) ask every demographic variant and take the most frequent option; of open answers they take the largest
cluster by similarity. Kernels on R answers and U questions. Who votes is the caller's choice; what happens at a tie is
a rule by name.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import polars as pl

from fairviz.model import BoolArray, FloatArray, IntArray, VariantAnswers
from fairviz.studies.demographic_qa.answers import codes_of
from fairviz.studies.demographic_qa.settings import CLUSTER_THRESHOLD, TieRule, VariantsSettings

NO_ANSWER = -1
"""The vote has no answer: it abstains, nobody voted, or most answers are unreadable."""

NOT_ASKED = -2
"""The question has no neutral variant."""


def majority_vote(
    questions: IntArray,
    choices: IntArray,
    n_questions: int,
    n_options: int,
    *,
    ties: TieRule,
    neutral: IntArray | None = None,
    unreadable: Literal["vote", "leave"] = "vote",
) -> tuple[IntArray, BoolArray, IntArray]:
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

    Returns:
        (U) option with most votes, :data:`NO_ANSWER`; whether several had most; how many answers voted.

    Examples:
        >>> questions, choices = np.array([0, 0, 0, 1, 1]), np.array([1, 1, 0, 0, 1])
        >>> majority_vote(questions, choices, 2, 2, ties="abstain")
        (array([ 1, -1]), array([False,  True]), array([3, 2]))
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
        winner = _first_leading(cells, leading)
    elif ties == "neutral" and neutral is not None:
        preferred = np.where(neutral < 0, n_options, neutral)
        preferred_leads = tied & leading[np.arange(n_questions), preferred] & (neutral != NOT_ASKED)
        winner = np.where(preferred_leads, preferred, winner)
    elif ties == "abstain":
        winner = np.where(tied, n_options, winner)
    answered = leading.any(axis=1) & (winner < n_options)
    return np.where(answered, winner, NO_ANSWER), tied, counts.sum(axis=1)


def _first_leading(cells: IntArray, leading: BoolArray) -> IntArray:
    """(U) the leading option whose first vote is the earliest row."""
    first = np.full(leading.size, cells.size)
    first[cells[::-1]] = np.arange(cells.size)[::-1]  # the last write is the earliest row
    return np.where(leading, first.reshape(leading.shape), cells.size + 1).argmin(axis=1)


def cluster_vote(
    texts: Sequence[str], *, ties: TieRule, threshold: float = CLUSTER_THRESHOLD, neutral: int = NO_ANSWER
) -> tuple[int, bool]:
    """The medoid of the largest cluster of similar answers, and whether several clusters were largest.

    The medoid is the answer with the largest summed cosine to its cluster, the first of equals.

    Args:
        texts: N answers to one question.
        ties: Which of several largest clusters speaks.
        threshold: Cosine from which two answers are alike.
        neutral: Position of the neutral variant's answer, :data:`NO_ANSWER` without one.

    Returns:
        Position of the answer that speaks for all, :data:`NO_ANSWER` if the vote abstains.
    """
    alike = cosine_similarity(token_vectors(texts))
    clusters = similarity_clusters(alike, threshold=threshold)
    sizes = np.bincount(clusters)
    largest: list[int] = np.flatnonzero(sizes == sizes.max()).tolist()
    medoids = [_medoid(alike, np.flatnonzero(clusters == cluster)) for cluster in largest]
    tied, winner = len(largest) > 1, medoids[0]
    if tied and ties == "abstain":
        winner = NO_ANSWER
    elif tied and ties == "neutral" and neutral >= 0 and clusters[neutral] in largest:
        winner = medoids[largest.index(clusters[neutral])]
    elif tied and ties != "first":
        winner = min(medoids, key=lambda index: texts[index])
    return winner, tied


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
    within: FloatArray = alike[np.ix_(members, members)].sum(axis=1)
    return int(members[np.isclose(within, within.max(), rtol=0, atol=1e-12).argmax()])


BY_CONSTRUCTION = "one answer per question, whoever asks: the difference between groups is 0 by construction"
ONE_VOTER = "every group has one variant per question, so that its vote is that variant's answer"


def cast_votes(answers: VariantAnswers, voters: pl.DataFrame, settings: VariantsSettings) -> pl.DataFrame:
    """Let answers vote, those of one unit about one group of an attribute together.

    Args:
        answers: The answers.
        voters: Those that vote, with the columns of their frame, attribute and group and what these are called.
        settings: How votes are counted.

    Returns:
        A row per vote: combination, attribute, name, group, value, question; score of the answer chosen, 0 without one
        and null where no right answer is recorded; able: whether any voter's question is answerable; tied, abstained,
        n_voters.
    """
    shared = ("combination", "name", "value", "question", "neutral")
    recorded = pl.col("score").is_not_null().any()
    ballots = (
        voters.select("attribute", "group", "unit", *shared, "row", "score", "right", "able")
        .sort("row")
        .group_by("attribute", "group", "unit", maintain_order=True)
        .agg(
            pl.col(shared).first(),
            pl.col("row", "score"),
            pl.col("right").to_physical().max(),
            pl.col("able").any(),
            known=recorded,
        )
    )
    decide = _closed if answers.kind == "closed" else _open
    score = pl.when("known").then("score")
    decided = ballots.drop("score").hstack(decide(answers, ballots, settings))
    named = ("combination", "attribute", "name", "group", "value", "question")
    return decided.select(*named, "able", "tied", "abstained", "n_voters", score=score)


def _closed(answers: VariantAnswers, ballots: pl.DataFrame, settings: VariantsSettings) -> pl.DataFrame:
    choices = codes_of(answers.frame["choice"])
    neutral = ballots["neutral"].cast(pl.Int64).fill_null(NO_ANSWER).to_numpy()
    choice, tied, n_voters = majority_vote(
        np.repeat(np.arange(ballots.height), ballots["row"].list.len()),
        choices[ballots["row"].explode()],
        ballots.height,
        len(answers.names("choice")),
        ties=settings.vote_ties,
        neutral=np.where(neutral >= 0, choices[neutral], NOT_ASKED),
        unreadable=settings.unreadable,
    )
    right = (choice == codes_of(ballots["right"])) & (choice >= 0)
    return pl.DataFrame({"score": right * 1.0, "tied": tied, "abstained": choice < 0, "n_voters": n_voters})


def _open(answers: VariantAnswers, ballots: pl.DataFrame, settings: VariantsSettings) -> pl.DataFrame:
    words: list[str] = answers.frame["words"].to_list()
    decided: list[tuple[float | None, bool, bool, int]] = []
    rows: list[int]
    for rows, scores, neutral in ballots.select("row", "score", "neutral").iter_rows():
        if len(rows) == 1:  # which speaks for itself
            decided.append((scores[0], False, False, 1))
            continue
        winner, tied = cluster_vote(
            [words[row] for row in rows],
            ties=settings.vote_ties,
            threshold=settings.similarity,
            neutral=rows.index(neutral) if neutral in rows else NO_ANSWER,
        )
        decided.append((scores[winner] if winner >= 0 else 0.0, tied, winner < 0, len(rows)))
    schema = {"score": pl.Float64, "tied": pl.Boolean, "abstained": pl.Boolean, "n_voters": pl.Int64}
    return pl.DataFrame(decided, schema=schema, orient="row")
