"""DetGreedy, DetCons, DetRelaxed and DetConstSort by hand and by law."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.reranking.candidates import Candidates
from fairviz.reranking.det import det_cons, det_const_sort, det_greedy, det_relaxed, due_ranks, quotas
from tests.reranking.queries import queries, query, targets

ALL = (det_greedy, det_cons, det_relaxed, det_const_sort)


def test_det_greedy_by_hand() -> None:
    """AAABB, ½ each: rank 1 max ⌈½⌉ = 1 each, the best is 0 (A). Rank 2: ⌊1⌋ = 1 B is late, 3.
    Rank 3: minimum 1, maximum 2 each, the best left is 1 (A). Rank 4: ⌊2⌋ = 2 B, 4."""
    assert det_greedy(query("AAABB", [0.5, 0.5], 4)).tolist() == [0, 3, 1, 4, 2]


def test_the_three_differ_in_who_may_grow() -> None:
    """AAB with shares 0.4, 0.6, rank 1: both maxima are 1. DetGreedy takes the best item, 0.
    DetCons: 1/0.4 = 2.5 and 1/0.6 = 1.67, so B, 2. DetRelaxed: ⌈2.5⌉ = 3, ⌈1.67⌉ = 2, so B."""
    assert det_greedy(query("AAB", [0.4, 0.6], 1))[0] == 0
    assert det_cons(query("AAB", [0.4, 0.6], 1))[0] == 2
    assert det_relaxed(query("AAB", [0.4, 0.6], 1))[0] == 2
    # 0.4 and 0.35 of three groups: 2.5 and 2.86, both 3 when rounded up, so that DetRelaxed
    # takes the better item and DetCons the group sooner due.
    assert det_cons(query("BBAC", [0.4, 0.35, 0.25], 1))[0] == 2
    assert det_relaxed(query("BBAC", [0.4, 0.35, 0.25], 1))[0] == 0


def test_keys_that_differ_by_rounding_tie() -> None:
    """Shares 0.45, 0.15, 0.4: DetCons begins A, C, A, C. At rank 5 A's maximum is 3, B's 1, and
    3/0.45 is 1/0.15, in doubles 6.666666666666666 and …667: the better item decides, 0 (B)."""
    assert det_cons(query("BAAACC", [0.45, 0.15, 0.4], 5)).tolist() == [1, 4, 2, 5, 0, 3]


def test_a_group_that_has_run_out_is_passed_over() -> None:
    """AAAAB, ½ each. After 0 and 4 there is no B: at rank 3 A may grow to 2 (item 1); at rank 4 A
    has its minimum 2 and maximum 2, B is late but empty: the best left, 2."""
    for method in (det_greedy, det_cons, det_relaxed):
        assert method(query("AAAAB", [0.5, 0.5], 4)).tolist() == [0, 4, 1, 2, 3]


def test_unlabelled_items_come_where_no_group_may_grow() -> None:
    """-AB-, ½ each, k = 4: A and B may grow at ranks 1 and 2, then both are empty."""
    for method in ALL[:3]:
        assert method(query("-AB-", [0.5, 0.5], 4)).tolist() == [1, 2, 0, 3]


def test_det_const_sort_by_hand() -> None:
    """AAABB, ½ each: at k = 2 A (0) and B (3) fall due, at k = 4 items 1 and 4. 3 keeps rank 2
    against 1, for it may not be pushed below rank 2; as printed it slips to rank 3."""
    given_ = query("AAABB", [0.5, 0.5], 4)
    assert det_const_sort(given_).tolist() == [0, 3, 1, 4, 2]
    assert det_const_sort(given_, bound="printed").tolist() == [0, 1, 3, 2, 4]


def test_shares_that_miss_a_whole_number_by_rounding() -> None:
    """0.29 × 100 is 28.999999999999996 in doubles, 0.07 × 100 is 7.000000000000001."""
    least, most = quotas(np.array([0.29, 0.07]), 100)
    assert least[-1].tolist() == most[-1].tolist() == [29, 7]
    # 21/0.35 is 60.00000000000001: the 21st item is due at rank 60.
    assert due_ranks(np.array([0.35]), np.array([21.0])).tolist() == [60]


def shortfalls(candidates: Candidates, order: np.ndarray) -> np.ndarray:
    """(places, G) by how much each prefix misses ⌊p k⌋, where the group has that many items."""
    shown = np.cumsum(candidates.weights[order], axis=0)[: candidates.places]
    least, _ = quotas(candidates.target, candidates.places)
    return np.minimum(least, candidates.weights.sum(axis=0)) - shown


@given(queries(most=6))
def test_det_const_sort_keeps_every_minimum(candidates: Candidates) -> None:
    order = det_const_sort(candidates)
    assert (shortfalls(candidates, order) <= 0).all()


@pytest.mark.parametrize("method", [det_greedy, det_cons, det_relaxed])
@given(targets(3), st.text("ABC", max_size=10), st.integers(1, 16))
def test_up_to_three_groups_keep_every_minimum(
    method: Callable[[Candidates], np.ndarray], target: list[float], labels: str, depth: int
) -> None:
    """As long as no group runs out: then others grow in its stead."""
    groups = "ABC"[: len(target)]
    enough = "".join(group * 16 for group in groups)
    candidates = query("".join(c for c in labels if c in groups) + enough, target, depth)
    assert (shortfalls(candidates, method(candidates)) <= 0).all()


@given(queries(unlabelled=False, most=3), st.integers(0, 2))
def test_a_target_that_the_run_meets_changes_nothing(candidates: Candidates, group: int) -> None:
    """All attention to one group, which all items belong to."""
    n_groups = candidates.target.size
    weights = np.zeros((candidates.n, n_groups))
    weights[:, group % n_groups] = 1.0
    own = Candidates(weights=weights, target=weights[0], depth=3) if candidates.n else candidates
    for method in ALL:
        assert method(own).tolist() == list(range(candidates.n))
