"""What any re-ranking could make of a group's share: by brute force over all orders."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings

from fairviz.attention import Attention, TopK
from fairviz.groups import membership
from fairviz.model import GroupLabels, Run
from fairviz.pool import pool
from fairviz.studies.groups.attainable import attainable_shares
from tests.nouns import run_of
from tests.strategies import attentions, runs
from tests.studies.groups.test_shares import A, B, labels_of, soft_labels


def by_brute_force(run: Run, labels: GroupLabels, attention: Attention) -> list[list[float]]:
    """Pooled shares of every combination of orders of the queries' items."""
    pools = pool(run, None)
    weights = membership(pools, labels).weights
    per_query: list[list[np.ndarray]] = []
    for first, last in zip(pools.offsets[:-1], pools.offsets[1:], strict=True):
        by_rank = attention.weights(last - first)
        orders = permutations(range(first, last))
        per_query.append([by_rank @ weights[list(order)] for order in orders])
    sums = [sum(chosen) for chosen in product(*per_query)]
    return [(s / s.sum()).tolist() for s in sums if s.sum() > 0]


@settings(max_examples=60, deadline=None)
@given(runs(queries=2), soft_labels(), attentions)
def test_no_re_ranking_leaves_the_attainable_range(run: Run, labels: GroupLabels, attention: Attention) -> None:
    if np.diff(run.offsets).max() > 4:
        return
    pools = pool(run, None)
    result = attainable_shares(pools, membership(pools, labels), attention)
    every = by_brute_force(run, labels, attention)
    if not every:
        assert np.isnan(result.low).all() or np.nansum(result.high) == 0
        return
    assert result.low == pytest.approx(np.min(every, axis=0), abs=1e-9)
    assert result.high == pytest.approx(np.max(every, axis=0), abs=1e-9)


def test_a_soft_label_beside_an_unlabelled_item_keeps_its_shares() -> None:
    """One place: where d2 is seen a gets 1/3 and c 2/3; where d1 is, nothing is shared."""
    labels = labels_of({"d2": {"a": 1 / 3, "c": 2 / 3}}, ("a", "b", "c"))
    run = run_of({"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 2, "d2": 1}})
    pools = pool(run, None)
    result = attainable_shares(pools, membership(pools, labels), TopK(1))
    assert result.low.tolist() == pytest.approx([1 / 3, 0.0, 2 / 3])
    assert result.high.tolist() == pytest.approx([1 / 3, 0.0, 2 / 3])


def test_one_of_four_candidates_cannot_fill_a_top_two() -> None:
    # a has one item: first of two places at best 1/2 when all are labelled; at worst none
    labels = labels_of({"d1": A, "d2": B, "d3": B, "d4": B}, ("a", "b"))
    run = run_of({"q1": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}, "q2": {"d2": 2, "d3": 1}})
    pools = pool(run, None)
    result = attainable_shares(pools, membership(pools, labels), TopK(2))
    assert result.high.tolist() == pytest.approx([1 / 4, 1.0])
    assert result.low.tolist() == pytest.approx([0.0, 3 / 4])
    assert result.without.tolist() == [1, 0]
    assert result.n_queries == 2
