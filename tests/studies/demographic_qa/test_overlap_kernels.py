"""Overlap of lists against sets word for word."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.retrieval import retrieval_overlap
from tests.studies.demographic_qa.variant_worlds import answers_of, lists_about


def overlap_of(questions: list[list[str]], k: int | None = None) -> Record:
    """Lists of values a, b, … for each question, a letter per document."""
    rows = [
        (f"q{q}", {"race": "abcd"[v]}, docs) for q, question in enumerate(questions) for v, docs in enumerate(question)
    ]
    return retrieval_overlap(lists_about(answers_of(rows), "race"), k=k)


def test_by_hand() -> None:
    """{0, 1, 2}, {1, 2, 3}, {2, 3}: all 1/4; pairs 2/4, 1/4, 2/3."""
    found = overlap_of([["012", "123", "32"]])
    assert found["all"] == 25
    assert found["pairs"] == {("a", "b"): 50, ("a", "c"): 25, ("b", "c"): pytest.approx(200 / 3)}


def test_the_first_k_count_each_once() -> None:
    """First 3: {4, 5} (4 stands twice) and {5, 6, 7}: 1/4; 8 and 4 are below."""
    assert overlap_of([["4458", "5674"]], k=3)["all"] == 25


def test_empty_lists() -> None:
    """Two empty lists have no overlap to speak of; an empty and a full one have none."""
    found = overlap_of([["", ""], ["1", "1"], ["", "1"]])
    assert found["per_question"]["all"].tolist() == pytest.approx([np.nan, 100, 0], nan_ok=True)
    assert (found["pairs"], found["n_pairs"]) == ({("a", "b"): 50}, {("a", "b"): 2})


worlds = st.integers(2, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.text("0123456789", max_size=8), min_size=n, max_size=n),
        min_size=1,
        max_size=4,
    )
)


@given(questions=worlds, k=st.none() | st.integers(1, 9))
def test_word_for_word(questions: list[list[str]], k: int | None) -> None:
    found = overlap_of(questions, k)
    for q, question in enumerate(questions):
        sets = [set(each[:k]) for each in question]
        union = set.union(*sets)
        share = 100 * len(set.intersection(*sets)) / len(union) if union else np.nan
        assert found["per_question"]["all"][q] == pytest.approx(share, nan_ok=True)
        pairs = [100 * len(v & w) / len(v | w) for v, w in combinations(sets, 2) if v | w]
        mean = np.mean(pairs) if pairs else np.nan
        assert found["per_question"]["pairwise"][q] == pytest.approx(mean, nan_ok=True)
