"""Votes: tie rules by hand, clusters, and a count that loops over the voters."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.studies.demographic_qa.settings import TieRule
from fairviz.studies.demographic_qa.votes import (
    NO_ANSWER,
    NOT_ASKED,
    cluster_vote,
    cosine_similarity,
    majority_vote,
    similarity_clusters,
    token_vectors,
)
from tests.studies.demographic_qa.answered_variants import Said, literal_vote

ballots = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["A", "B", "C", ""])), min_size=1)


@given(ballots, st.sampled_from(get_args(TieRule)), st.data())
def test_the_same_as_counting_one_by_one(cast: list[tuple[int, str]], ties: TieRule, data: st.DataObject) -> None:
    questions, words = [q for q, _ in cast], [w for _, w in cast]
    first = {q: i for i, q in reversed(list(enumerate(questions)))}
    asks = {q: data.draw(st.booleans()) for q in first}
    neutral = np.full(4, NOT_ASKED)
    for q, i in first.items():
        if asks[q]:
            neutral[q] = "ABC".find(words[i]) if words[i] else NO_ANSWER
    choices = np.array(["ABC".index(w) if w else -1 for w in words])
    choice, several, _ = majority_vote(np.array(questions), choices, 4, 3, ties=ties, neutral=neutral)
    for q in first:
        rows = [
            Said("q", {}, "A", w, condition="neutral" if asks[q] and i == first[q] else "x")
            for i, (p, w) in enumerate(cast)
            if p == q
        ]
        winner, tied = literal_vote(rows, ties)
        assert choice[q] == ("ABC".index(winner) if winner else NO_ANSWER)
        assert several[q] == tied


def test_cosines_by_hand() -> None:
    """(1,1)·(1,0) = 1/√2; two texts without words are alike, one and another are not."""
    vectors = token_vectors(["Rest, water", "rest!", "", "..."])
    found = cosine_similarity(vectors)
    assert found[0, 1] == pytest.approx(1 / np.sqrt(2))
    assert (found[2, 3], found[0, 2]) == (1, 0)


TEXTS = ["rest and water", "rest and drink water", "take aspirin", "rest", "aspirin"]


def test_the_largest_cluster_speaks_through_its_medoid() -> None:
    """Cosines to text 0: 3/√12 (1), 1/√3 (3). At 0.5: {0, 1, 3} and {2, 4}; 0 is the medoid."""
    alike = cosine_similarity(token_vectors(TEXTS))
    assert similarity_clusters(alike, threshold=0.5).tolist() == [0, 0, 1, 0, 1]
    assert cluster_vote(TEXTS, ties="abstain") == (0, False)


@pytest.mark.parametrize(
    ("ties", "neutral", "answer"),
    [
        ("abstain", -1, NO_ANSWER),
        ("first", -1, 0),
        ("alphabetical", -1, 2),
        ("neutral", 2, 2),
        ("neutral", 1, 0),
        ("neutral", -1, 2),
        ("neutral", 4, 2),  # the neutral answer stands alone: not among the largest clusters
    ],
)
def test_ties_of_clusters(ties: TieRule, neutral: int, answer: int) -> None:
    texts = ["water", "water", "aspirin", "aspirin", "sleep"]
    assert cluster_vote(texts, ties=ties, neutral=neutral) == (answer, True)
