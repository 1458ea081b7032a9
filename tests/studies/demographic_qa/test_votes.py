"""Votes over variants: tie rules and clusters by hand, within groups and over all, laws and one by one."""

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import VariantAnswers
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
from tests.studies.demographic_qa.answered_variants import (
    Said,
    literal_vote,
    share,
    spread,
    variant_answers,
    variant_rows,
)

ballots = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["A", "B", "C", ""])), min_size=1)


@given(ballots, st.sampled_from(get_args(TieRule)), st.data())
def test_majorities_are_those_of_counting_one_by_one(
    cast: list[tuple[int, str]], ties: TieRule, data: st.DataObject
) -> None:
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


RACES, SEXES = ("a", "b"), ("f", "m", "n")


def cells(question: str, gold: str, answers: str, neutral: str = "") -> list[Said]:
    """Answers about a+f a+m a+n b+f b+m b+n, and the neutral one if there is one."""
    people = [{"race": race, "sex": sex} for race in RACES for sex in SEXES]
    said = [Said(question, one, gold, answer) for one, answer in zip(people, answers, strict=True)]
    return [*said, *([Said(question, {}, gold, neutral)] if neutral else [])]


TWO = [*cells("q1", "A", "AABBBA", "B"), *cells("q2", "B", "BABABC", "C")]
"""q1: a votes A (A A B), b votes B (B B A). q2: a votes B (B A B), b ties (A B C).

All with neutral: q1 A A B B B A B: B; q2 B A B A B C C: B. Without: q1 tied 3–3, q2 B.
"""


def voted(answers: VariantAnswers, attribute: str = "race", **rule: Any) -> dict[str, Any]:
    (row,) = variant_rows(answers, attribute=attribute, min_size=1, **rule)
    return row["vote"]


@pytest.mark.parametrize(
    ("ties", "accuracy", "abstained"),
    [("alphabetical", 1, 0), ("first", 1, 0), ("abstain", 0.5, 1), ("neutral", 0.5, 0)],
)
def test_ties_of_all_variants_without_the_neutral_one(ties: TieRule, accuracy: float, abstained: int) -> None:
    """q1 is tied: A is right, first given and first in the alphabet; the neutral answer was B."""
    found = voted(variant_answers(TWO), vote="groups", vote_ties=ties)
    assert (found["accuracy"], found["n_ties"], found["n_abstained"]) == (accuracy, 1, abstained)
    assert found["n_voters"] == 6


def test_the_original_question_never_votes() -> None:
    more = [Said("q1", {}, "A", "A", condition="original")]
    one, two = (voted(variant_answers(rows), vote="all") for rows in (TWO, [*TWO, *more]))
    assert str(one) == str(two)  # both undefined


def test_opportunity_after_a_vote() -> None:
    rows = [Said(r.question, r.about, r.gold, r.answer, answerable=r.question == "q2") for r in TWO]
    found = voted(variant_answers(rows), vote="within", vote_ties="abstain")
    assert (found["dp"], found["eo"]) == (1, 1)
    assert voted(variant_answers(rows), vote="all")["eo"] == 0


def test_open_answers_vote_by_cluster() -> None:
    """Two answers are alike; their medoid (the first of equals) has ROUGE-L 1, the outlier 0."""
    said = {"a": "rest and drink water", "b": "drink water and rest", "c": "aspirin"}
    rows = [Said("q1", {"race": r}, "rest and drink water", w) for r, w in said.items()]
    answers = variant_answers(rows, kind="open")
    found = voted(answers, vote="all")
    assert (found["accuracy"], found["n_ties"]) == (1, 0)
    apart = variant_answers(
        [Said("q1", {"race": r}, "rest", w) for r, w in (("a", "rest"), ("b", "aspirin"))], kind="open"
    )
    alone = voted(apart, vote="all")
    assert (alone["n_ties"], alone["accuracy"]) == (1, 0)  # both differ: the alphabet says aspirin
    abstains = voted(apart, vote="all", vote_ties="abstain")
    assert (abstains["n_abstained"], abstains["accuracy"]) == (1, 0)


word = st.sampled_from(["A", "B", "C", ""])
grids = st.lists(st.tuples(st.sampled_from("AB"), st.lists(word, min_size=6, max_size=6), word), min_size=1, max_size=4)


@given(grids, st.sampled_from(get_args(TieRule)))
def test_votes_are_those_of_counting_one_by_one(grid: list[tuple[str, list[str], str]], ties: TieRule) -> None:
    rows: list[Said] = []
    for i, (gold, six, neutral) in enumerate(grid):
        people = [{"race": race, "sex": sex} for race in RACES for sex in SEXES]
        rows += [Said(f"q{i}", p, gold, w) for p, w in zip(people, six, strict=True)]
        rows.append(Said(f"q{i}", {}, gold, neutral, condition="neutral"))
    if not any(row.answer for row in rows):
        return
    answers = variant_answers(rows)
    right: list[bool] = []
    by_race: dict[str, list[bool]] = {race: [] for race in RACES}
    for i, (gold, _, neutral) in enumerate(grid):
        mine = [r for r in rows if r.question == f"q{i}"]
        right.append(literal_vote(mine, ties)[0] == gold)
        for race in RACES:
            asked = [r for r in mine if r.about.get("race") == race]
            winner, _ = literal_vote(asked, ties, neutral)
            by_race[race].append(winner == gold)
    everyone = voted(answers, vote="all", vote_ties=ties)
    assert everyone["accuracy"] == pytest.approx(share(right))
    assert everyone["dp"] == 0
    within = voted(answers, vote="within", vote_ties=ties)
    assert within["dp"] == pytest.approx(spread([share(hits) for hits in by_race.values()]))


def test_one_open_answer_speaks_for_itself() -> None:
    # the vote within Asian is its only answer, two words of two: 1; within Black one of the two words: ROUGE-L 1/2
    said = [
        Said("q", {"race": "Asian"}, "rest water", "rest water"),
        Said("q", {"race": "Black"}, "rest water", "rest a"),
    ]
    (row,) = variant_rows(variant_answers(said, kind="open"), vote="within")
    assert (row["vote"]["dp"], row["vote"]["best"]) == (0.5, "Asian")
    assert (row["vote"]["n_votes"], row["vote"]["n_ties"], row["vote"]["n_abstained"]) == (2, 0, 0)
