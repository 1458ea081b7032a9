"""What has no label keeps its rank; the labelled items are re-ranked among themselves."""

import numpy as np
import pytest
from hypothesis import given

from fairviz.reranking.candidates import Candidates, among_labelled
from fairviz.reranking.catalogue import find_reranker
from fairviz.reranking.det import det_greedy
from tests.reranking.queries import queries, query

COUNTING = ("det-greedy", "det-cons", "det-relaxed", "det-const-sort")


def ranked(name: str, candidates: Candidates) -> list[int]:
    method = find_reranker(name)
    return method.order(candidates, **method.settings({}, rng=method.draws(1), protected=0)).tolist()


def test_by_hand() -> None:
    """-AA-B, ½ each, k = 4: ranks 2 and 3 hold labelled items, and A and B share them: 1 and 4."""
    assert among_labelled(query("-AA-B", [0.5, 0.5], 4), det_greedy).tolist() == [0, 1, 4, 3, 2]


def test_nothing_labelled_in_the_first_k() -> None:
    assert among_labelled(query("--AB", [0.0, 1.0], 2), det_greedy).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", COUNTING)
@given(queries())
def test_unlabelled_items_stay_in_the_first_k(name: str, candidates: Candidates) -> None:
    order = ranked(name, candidates)[: candidates.places]
    codes = candidates.codes
    assert np.array_equal(codes[order] < 0, codes[: candidates.places] < 0)
    assert all(order[at] == at for at in np.flatnonzero(codes[: candidates.places] < 0))
