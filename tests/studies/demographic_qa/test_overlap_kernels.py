"""Overlap of lists: by hand, laws, and sets word for word."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.studies.demographic_qa.overlap import Held, held, intersection_over_union, pairwise_jaccard


def held_of(questions: list[list[list[int]]], k: int | None = None) -> Held:
    flat = [each for lists in questions for each in lists]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in flat])]).astype(np.int64)
    docs = np.array([doc for each in flat for doc in each], dtype=np.int32)
    return held(docs, offsets, n_lists=len(questions[0]), n_docs=10, k=k)


def test_by_hand() -> None:
    """{0, 1, 2}, {1, 2, 3}, {2, 3}: all 1/4; pairs 2/4, 1/4, 2/3."""
    lists = held_of([[[0, 1, 2], [1, 2, 3], [3, 2]]])
    assert intersection_over_union(lists).tolist() == [0.25]
    assert pairwise_jaccard(lists)[0].tolist() == [
        [1, 0.5, 0.25],
        [0.5, 1, pytest.approx(2 / 3)],
        [0.25, pytest.approx(2 / 3), 1],
    ]


def test_the_first_k_count_each_once() -> None:
    """First 3: {4, 5} (4 stands twice) and {5, 6, 7}: 1/4; 8 and 4 are below."""
    lists = held_of([[[4, 4, 5, 8], [5, 6, 7, 4]]], k=3)
    assert intersection_over_union(lists).tolist() == [0.25]


def test_empty_lists() -> None:
    """Two empty lists have no overlap to speak of; an empty and a full one have none."""
    both, one = held_of([[[], []], [[1], [1]]]), held_of([[[], [1]]])
    assert np.isnan(intersection_over_union(both)[0])
    assert np.isnan(pairwise_jaccard(both)[0]).all()
    assert intersection_over_union(both)[1] == 1
    assert intersection_over_union(one).tolist() == [0]
    assert np.isnan(pairwise_jaccard(one)[0, 0, 0])
    assert pairwise_jaccard(one)[0, 0, 1] == 0


worlds = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=n, max_size=n),
        min_size=1,
        max_size=4,
    )
)
cuts = st.none() | st.integers(1, 9)


@given(questions=worlds, k=cuts)
def test_word_for_word(questions: list[list[list[int]]], k: int | None) -> None:
    lists = held_of(questions, k)
    total, pairs = intersection_over_union(lists), pairwise_jaccard(lists)
    for q, question in enumerate(questions):
        sets = [set(each[:k]) for each in question]
        union = set.union(*sets)
        if union:
            assert total[q] == len(set.intersection(*sets)) / len(union)
        else:
            assert np.isnan(total[q])
        for v, w in combinations(range(len(sets)), 2):
            if sets[v] | sets[w]:
                assert pairs[q, v, w] == len(sets[v] & sets[w]) / len(sets[v] | sets[w])
            else:
                assert np.isnan(pairs[q, v, w])


@given(questions=worlds, k=cuts)
def test_laws(questions: list[list[list[int]]], k: int | None) -> None:
    lists = held_of(questions, k)
    total, pairs = intersection_over_union(lists), pairwise_jaccard(lists)
    known = pairs[~np.isnan(pairs)]
    assert ((known >= 0) & (known <= 1)).all()
    assert np.array_equal(pairs, pairs.transpose(0, 2, 1), equal_nan=True)
    smallest = np.where(np.isnan(pairs), np.inf, pairs).min(axis=(1, 2))
    defined = ~np.isnan(total)
    assert (total[defined] <= smallest[defined]).all()


@given(each=st.lists(st.integers(0, 9), min_size=1, max_size=8), data=st.data())
def test_the_same_documents_in_any_order_are_1(each: list[int], data: st.DataObject) -> None:
    again = data.draw(st.permutations(each))
    assert intersection_over_union(held_of([[each, again, each]])).tolist() == [1]
