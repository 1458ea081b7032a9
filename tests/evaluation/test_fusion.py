"""Reciprocal rank credit: by hand, and laws."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.fuse import reciprocal_rank_scores


def scores(rows: list[tuple[int, int, int]], k: float = 60) -> dict[int, float]:
    """Rows of (item, ranking, rank) → item → credit."""
    items, rankings, ranks = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    distinct, scores = reciprocal_rank_scores(items, rankings, ranks, k=k)
    return dict(zip(distinct.tolist(), scores.tolist(), strict=True))


def test_by_hand() -> None:
    """Item 1 at ranks 1 and 3: 1/61 + 1/63. Item 2 at rank 2 of one ranking: 1/62."""
    assert scores([(1, 0, 1), (2, 0, 2), (1, 1, 3)]) == pytest.approx({1: 1 / 61 + 1 / 63, 2: 1 / 62}, abs=1e-15)


def test_an_item_that_stands_twice_counts_at_its_best_rank() -> None:
    """1/(0 + 2), not 1/2 + 1/5."""
    assert scores([(4, 0, 5), (4, 0, 2)], k=0) == {4: 0.5}


def test_ranks_1_2_and_7_add_up_alike_in_any_order() -> None:
    """1/61 + 1/62 + 1/67 in binary is one number or another, by the order of adding."""
    result = {
        scores([(1, ranking, rank) for ranking, rank in enumerate(ranks)])[1] for ranks in permutations((1, 2, 7))
    }
    assert len(result) == 1
    assert len({1 / (60 + a) + 1 / (60 + b) + 1 / (60 + c) for a, b, c in permutations((1, 2, 7))}) > 1


def test_nothing_gives_nothing() -> None:
    assert scores([]) == {}


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(1, 50)), max_size=40)


@given(rows=rows, data=st.data())
def test_the_order_of_rows_and_rankings_is_irrelevant_to_the_last_bit(
    rows: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    again = data.draw(st.permutations(rows))
    names = data.draw(st.permutations(range(5)))
    assert scores(rows) == scores([(item, names[r], rank) for item, r, rank in again])


@given(rows=rows, k=st.integers(0, 100))
def test_the_sum_word_for_word(rows: list[tuple[int, int, int]], k: int) -> None:
    expected: dict[int, float] = {}
    for item in {item for item, *_ in rows}:
        for ranking in range(5):
            ranks = [rank for i, r, rank in rows if (i, r) == (item, ranking)]
            if ranks:
                expected[item] = expected.get(item, 0.0) + 1 / (k + min(ranks))
    assert scores(rows, k) == pytest.approx(expected)


def test_equal_sums_are_tied_whatever_their_terms() -> None:
    """1/2 + 1/6 = 1/3 + 1/3, which floating point adds to two neighbouring numbers.

    Nor do 1/3 + 1/6 and 1/4 + 1/4 differ: all sums of two credits up to rank 60 that are equal as
    fractions have one score.
    """
    pairs = [(a, b) for a in range(1, 61) for b in range(a, 61)]
    keys = [key for key in range(len(pairs)) for _ in range(2)]
    ranks = [rank for pair in pairs for rank in pair]
    _, scores = reciprocal_rank_scores(np.array(keys), np.array([0, 1] * len(pairs)), np.array(ranks), k=1)
    by_fraction: dict[Fraction, set[float]] = {}
    for (a, b), score in zip(pairs, scores.tolist(), strict=True):
        by_fraction.setdefault(Fraction(1, 1 + a) + Fraction(1, 1 + b), set()).add(score)
    assert all(len(scores) == 1 for scores in by_fraction.values())
    assert len(by_fraction) == len({score for scores in by_fraction.values() for score in scores})
