"""Attention by group: by hand, on real data, and against every re-ranking there is."""

import json
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fairviz.attention import Attention, Discounted, Logarithmic, TopK
from fairviz.groups import membership, with_unlabelled
from fairviz.io.groups import read_groups
from fairviz.io.rankings import read_samples
from fairviz.model import GroupLabels, Run
from fairviz.pool import pool
from fairviz.studies.groups.attainable import attainable_shares
from fairviz.studies.groups.by_rank import EDGES, share_by_rank, wilson
from fairviz.studies.groups.shares import group_exposure, share_intervals
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import DOCS, attentions, runs


def labels_of(weights: dict[str, dict[str, float]], groups: tuple[str, ...]) -> GroupLabels:
    rows = [[weights[doc].get(group, 0.0) for group in groups] for doc in weights]
    return GroupLabels(attribute="kind", groups=groups, doc_ids=tuple(weights), weights=csr_array(np.array(rows)))


A, B = {"a": 1.0}, {"b": 1.0}

LABELS = labels_of({"d1": A, "d2": B, "d4": B, "d5": {"a": 0.5, "b": 0.5}}, ("a", "b"))

RUN = run_of({"q1": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}, "q2": {"d3": 2, "d5": 1}})
"""q1: a b – b; q2: – half a, half b."""


@st.composite
def soft_labels(draw: st.DrawFn) -> GroupLabels:
    """Three groups; hard, soft and partly missing labels."""
    part = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
    made: dict[str, dict[str, float]] = {}
    for doc in draw(st.sets(st.sampled_from(DOCS), min_size=1)):
        raw = [draw(part) for _ in "abc"]
        total = max(sum(raw), 1.0)
        made[doc] = {group: share / total for group, share in zip("abc", raw, strict=True)}
    return labels_of(made, ("a", "b", "c"))


def test_attention_by_hand() -> None:
    # attention 1, 1/2 … of log2: ranks 1, 2, 4 of q1 weigh 1, 1, 1/2; rank 2 of q2 weighs 1
    pools = pool(RUN, None)
    found = group_exposure(RUN, pools, membership(pools, LABELS), Logarithmic())
    assert found.attention.tolist() == [[1.0, 1.5], [0.5, 0.5]]
    assert found.unlabelled == pytest.approx([1 / np.log2(3), 1.0])
    assert found.shares.tolist() == pytest.approx([1.5 / 3.5, 2 / 3.5])
    assert found.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    assert found.unlabelled_candidates.tolist() == [1.0, 1.0]
    # per item: a 1.5 / 1.5 = 1, b 2 / 2.5 = 0.8, all 3.5 / 4 = 0.875
    assert found.per_item.tolist() == pytest.approx([1 / 0.875, 0.8 / 0.875])
    assert found.n_labelled == 2


def test_places_end_where_attention_ends() -> None:
    pools = pool(RUN, None)
    found = group_exposure(RUN, pools, membership(pools, LABELS), TopK(2))
    assert found.places.tolist() == [[1.0, 1.0], [0.5, 0.5]]
    assert found.unlabelled_places.tolist() == [0.0, 1.0]
    assert found.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]


def test_judged_documents_that_were_not_retrieved_are_no_candidates() -> None:
    pools = pool(RUN, qrels_of({"q1": {"d9": 1, "d5": 1}}), queries="ranked")
    members = membership(pools, LABELS)
    found = group_exposure(RUN, pools, members, TopK(2))
    assert found.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    plain = pool(RUN, None)
    reach = attainable_shares(pools, members, TopK(2))
    alone = attainable_shares(plain, membership(plain, LABELS), TopK(2))
    assert reach.high.tolist() == alone.high.tolist()


def test_a_sample_counts_as_one_ranking() -> None:
    sample = sample_of({"q1": [["d1", "d2"], ["d2", "d1"], ["d2", "d3"]]})
    pools = pool(sample, None)
    found = group_exposure(sample, pools, membership(pools, LABELS), TopK(1))
    assert found.attention[0] == pytest.approx([1 / 3, 2 / 3])


def test_without_labelled_attention_nothing_is_said() -> None:
    run = run_of({"q1": {"d3": 1.0}})
    pools = pool(run, None)
    found = group_exposure(run, pools, membership(pools, LABELS), TopK(1))
    assert np.isnan(found.shares).all()
    assert np.isnan(found.per_item).all()
    assert found.unlabelled_share == 1.0
    assert np.isnan(share_intervals(found).shares.low).all()
    reach = attainable_shares(pools, membership(pools, LABELS), TopK(1))
    assert np.isnan(reach.low).all()
    assert reach.without.tolist() == [1, 1]


def test_unlabelled_as_a_group_takes_what_is_left() -> None:
    pools = pool(RUN, None)
    members = with_unlabelled(membership(pools, LABELS))
    found = group_exposure(RUN, pools, members, TopK(2))
    assert found.groups == ("a", "b", "unlabelled")
    assert found.shares.tolist() == pytest.approx([1.5 / 4, 1.5 / 4, 1 / 4])
    assert found.unlabelled.tolist() == [0.0, 0.0]


def test_real_rankings_of_which_almost_nothing_is_labelled(shared: Path) -> None:
    folder = shared / "data" / "real" / "fair"
    wanted = json.loads((folder / "expected_fair.json").read_text())["seq1-5"]
    sample = read_samples(folder / "fairtrec2022-task2-p09.seq1-5.tsv").value
    labels = read_groups(folder / "gender-labels.tsv").value
    pools = pool(sample, None)
    found = group_exposure(sample, pools, membership(pools, labels), Logarithmic())
    shares = dict(zip(found.groups, found.shares.tolist(), strict=True))
    key = "exposure_share_labelled_only(disc=1/log2(max(r,2)))"
    assert shares == pytest.approx(wanted[key])
    assert found.unlabelled_share == pytest.approx(wanted["unlabelled_exposure_share"])


def test_intervals_shrink_to_the_share_where_queries_are_alike() -> None:
    run = run_of({f"q{i}": {"d1": 2, "d2": 1} for i in range(4)})
    pools = pool(run, None)
    found = group_exposure(run, pools, membership(pools, LABELS), TopK(2))
    ends = share_intervals(found)
    assert ends.shares.low.tolist() == ends.shares.high.tolist() == [0.5, 0.5]
    assert ends.per_item.low.tolist() == pytest.approx([1.0, 1.0])


def test_intervals_hold_the_share() -> None:
    run = run_of({f"q{i}": {f"d{1 + i % 3}": 2, "d2": 1} for i in range(30)})
    pools = pool(run, None)
    found = group_exposure(run, pools, membership(pools, LABELS), Discounted())
    ends = share_intervals(found)
    assert (ends.shares.low < found.shares).all()
    assert (found.shares < ends.shares.high).all()


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
    found = attainable_shares(pools, membership(pools, labels), attention)
    every = by_brute_force(run, labels, attention)
    if not every:
        assert np.isnan(found.low).all() or np.nansum(found.high) == 0
        return
    assert found.low == pytest.approx(np.min(every, axis=0), abs=1e-9)
    assert found.high == pytest.approx(np.max(every, axis=0), abs=1e-9)


def test_a_soft_label_beside_an_unlabelled_item_keeps_its_shares() -> None:
    """One place: where d2 is seen a gets 1/3 and c 2/3; where d1 is, nothing is shared."""
    labels = labels_of({"d2": {"a": 1 / 3, "c": 2 / 3}}, ("a", "b", "c"))
    run = run_of({"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 2, "d2": 1}})
    pools = pool(run, None)
    found = attainable_shares(pools, membership(pools, labels), TopK(1))
    assert found.low.tolist() == pytest.approx([1 / 3, 0.0, 2 / 3])
    assert found.high.tolist() == pytest.approx([1 / 3, 0.0, 2 / 3])


def test_one_of_four_candidates_cannot_fill_a_top_two() -> None:
    # a has one item: first of two places at best 1/2 when all are labelled; at worst none
    labels = labels_of({"d1": A, "d2": B, "d3": B, "d4": B}, ("a", "b"))
    run = run_of({"q1": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}, "q2": {"d2": 2, "d3": 1}})
    pools = pool(run, None)
    found = attainable_shares(pools, membership(pools, labels), TopK(2))
    assert found.high.tolist() == pytest.approx([1 / 4, 1.0])
    assert found.low.tolist() == pytest.approx([0.0, 3 / 4])
    assert found.without.tolist() == [1, 0]
    assert found.n_queries == 2


def test_ranks_are_pooled_until_a_share_says_something() -> None:
    # 20 queries × 8 labelled ranks: ranks 1 and 2 have 20 each (pooled to 40), 3–5 60, 6–8 60
    docs = {f"d{i}": 9.0 - i for i in range(1, 9)}
    run = run_of({f"q{i}": docs for i in range(20)})
    labels = labels_of({f"d{i}": A if i < 3 else B for i in range(1, 9)}, ("a", "b"))
    pools = pool(run, None)
    found = share_by_rank(run, pools, membership(pools, labels))
    assert list(zip(found.first.tolist(), found.last.tolist(), strict=True)) == [
        (1, 2),
        (3, 5),
        (6, 8),
    ]
    assert found.n.tolist() == [40.0, 60.0, 60.0]
    assert found.shares[:, 0].tolist() == [1.0, 0.0, 0.0]
    cut = share_by_rank(run, pools, membership(pools, labels), depth=4)
    assert (cut.last.tolist(), cut.n.tolist()) == ([2, 4], [40.0, 40.0])


def test_too_few_places_are_one_bin_that_says_so() -> None:
    pools = pool(RUN, None)
    found = share_by_rank(RUN, pools, membership(pools, LABELS))
    assert (found.first.tolist(), found.last.tolist(), found.n.tolist()) == ([1], [4], [4.0])
    assert found.high[0, 0] - found.low[0, 0] > 0.5


def test_a_small_rest_joins_the_bin_before_it() -> None:
    run = run_of({f"q{i}": {"d1": 2} | ({"d2": 1} if i < 5 else {}) for i in range(40)})
    pools = pool(run, None)
    found = share_by_rank(run, pools, membership(pools, LABELS))
    assert (found.first.tolist(), found.last.tolist(), found.n.tolist()) == ([1], [2], [45.0])


def test_bins_begin_where_the_edges_are() -> None:
    assert list(EDGES) == sorted(set(EDGES))


def test_wilson_by_hand() -> None:
    # 0 of 10: high = z²/(n + z²) = 3.8415 / 13.8415 = 0.2775
    low, high = wilson(np.array([0.0]), np.array([10.0]))
    assert (low[0], high[0]) == (0.0, pytest.approx(0.27754, abs=1e-4))
    assert np.isnan(wilson(np.array([np.nan]), np.array([0.0]))).all()
