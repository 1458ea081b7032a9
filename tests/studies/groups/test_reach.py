"""What re-ranking can make of all groups' shares at once: against every mix of all orders, and the program in full."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.grouping import membership, off_target_share
from fairviz.kernels.pool import pool
from fairviz.model import FloatArray, GroupLabels, Run
from fairviz.studies.groups.system import JointReach, joint_reach
from tests.metrics.labels import hard_labels, labels_of
from tests.nouns import qrels_of, run_of
from tests.strategies import attentions, runs
from tests.studies.groups.test_shares import A, B, soft_labels

THIRD = np.array([0.5, 0.2, 0.3])
TWO_PLACES = TopK(2)


def reach_of(run: Run, labels: GroupLabels, attention: Attention = TWO_PLACES) -> JointReach:
    pools = pool(run, None)
    return joint_reach(pools, membership(pools, labels), attention)


def by_brute_force(run: Run, labels: GroupLabels, attention: Attention) -> FloatArray:
    """Labelled attention by group of every combination of orders of the queries' items."""
    pools = pool(run, None)
    weights = membership(pools, labels).weights
    per_query: list[list[np.ndarray]] = []
    for first, last in zip(pools.offsets[:-1], pools.offsets[1:], strict=True):
        by_rank = attention.weights(last - first)
        per_query.append([by_rank @ weights[list(order)] for order in permutations(range(first, last))])
    return np.array([sum(chosen) for chosen in product(*per_query)])


def nearest_by_one_program(every: FloatArray, target: FloatArray) -> float:
    """Half of the smallest L1 over all mixes of these, a variable for each: μ ≥ 0 with Σ μ ΣA = 1."""
    n, n_groups = every.shape
    cost = np.concatenate([np.zeros(n), np.ones(2 * n_groups)])
    gaps = np.hstack([every.T, -np.eye(n_groups), np.eye(n_groups)])
    total = np.concatenate([every.sum(axis=1), np.zeros(2 * n_groups)])
    solved = linprog(cost, A_eq=np.vstack([gaps, total]), b_eq=np.append(target, 1.0), method="highs")
    return float(solved.fun) / 2


@settings(max_examples=20, deadline=None)
@given(runs(queries=2), soft_labels(), attentions, st.sampled_from([THIRD, np.eye(3)[0], np.ones(3) / 3]))
def test_no_mix_of_all_orders_is_nearer(
    run: Run, labels: GroupLabels, attention: Attention, target: FloatArray
) -> None:
    if np.diff(run.offsets).max() > 4:
        return
    every = by_brute_force(run, labels, attention)
    found = reach_of(run, labels, attention).nearest(target)
    every = every[every.sum(axis=1) > 1e-12]
    if not every.size:
        assert np.isnan(found).all()
        return
    assert found.sum() == pytest.approx(1)
    assert off_target_share(found, target) == pytest.approx(nearest_by_one_program(every, target), abs=1e-3)


def test_what_one_group_could_have_alone_all_groups_cannot_have_at_once() -> None:
    """Two places, one candidate each of a and b, two of c: a and b can have half each, never a target of 60 : 40."""
    labels = hard_labels({"d1": "a", "d2": "b", "d3": "c", "d4": "c"})
    run = run_of({"q1": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}})
    reach = reach_of(run, labels)
    assert reach.nearest(np.array([0.5, 0.5, 0.0])) == pytest.approx([0.5, 0.5, 0.0])
    short = reach.nearest(np.array([0.6, 0.4, 0.0]))
    assert short == pytest.approx([0.5, 0.45, 0.05], abs=1e-6)  # ten points short of a, whoever has them


def test_what_is_missing_is_spread_over_the_others() -> None:
    """a has one candidate of two places; its missing 20 points go to b and c alike, not to one of them."""
    labels = hard_labels({"d1": "a", "d2": "b", "d3": "b", "d4": "c", "d5": "c"})
    run = run_of({"q1": {"d1": 5, "d2": 4, "d3": 3, "d4": 2, "d5": 1}})
    found = reach_of(run, labels).nearest(np.array([0.7, 0.15, 0.15]))
    assert found == pytest.approx([0.5, 0.25, 0.25], abs=1e-6)


def test_queries_without_a_candidate_are_counted_over_the_whole_list() -> None:
    labels = labels_of({"d1": A, "d2": B, "d3": B, "d4": B}, ("a", "b"))
    run = run_of({"q1": {"d4": 4, "d2": 3, "d3": 2, "d1": 1}, "q2": {"d2": 2, "d3": 1}})
    reach = reach_of(run, labels)
    assert reach.without.tolist() == [1, 0]  # d1 stands at rank 4 of q1, below the two that are seen
    assert reach.n_queries == 2
    assert reach.nearest(np.array([0.25, 0.75])) == pytest.approx([0.25, 0.75])  # 1 of 4 places, from q1 alone
    assert reach.nearest(np.array([0.5, 0.5])) == pytest.approx([0.25, 0.75], abs=1e-6)


def test_without_labelled_candidates_nothing_can_be_reached() -> None:
    labels = labels_of({"d9": A, "d8": B}, ("a", "b"))
    run = run_of({"q1": {"d1": 1}})
    assert np.isnan(reach_of(run, labels).nearest(np.array([0.5, 0.5]))).all()


def test_only_what_was_retrieved_is_ranked_and_queries_without_candidates_are_not_counted() -> None:
    """Of q1 b is judged and was not retrieved; q2 was not answered; q3 has b alone."""
    labels = labels_of({"d1": A, "d2": B}, ("a", "b"))
    run = run_of({"q1": {"d1": 2.0}, "q3": {"d2": 1.0}})
    qrels = qrels_of({"q1": {"d2": 1}, "q2": {"d1": 1}, "q3": {"d2": 1}})
    pools = pool(run, qrels)
    reach = joint_reach(pools, membership(pools, labels), TopK(1))
    assert (reach.without.tolist(), reach.n_queries) == ([1, 1], 2)
    assert reach.nearest(np.array([0.0, 1.0])) == pytest.approx([0.5, 0.5])  # one place each
