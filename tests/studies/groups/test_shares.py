"""Attention by group: by hand, on real data; and what re-ranking can make of all shares at once."""

import json
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import betaincinv

from fairviz.io.groups import read_groups
from fairviz.kernels.attention import Attention, Discounted, TopK
from fairviz.kernels.grouping import membership, off_target_share, with_unlabelled
from fairviz.kernels.pool import pool
from fairviz.model import FloatArray, GroupLabels, RankingSample, Run
from fairviz.points.shares import (
    GroupExposure,
    attention_by_group,
    corrected_intervals,
    effective_draws,
    group_exposure,
    per_item_intervals,
    share_of_all_queries,
    share_range,
)
from fairviz.studies.groups.system import JointReach, joint_reach
from tests.io.written import read_samples
from tests.metrics.labels import hard_labels, labels_of
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import DOCS, attentions, runs
from tests.studies.groups.test_findings import exposure

A, B = {"a": 1.0}, {"b": 1.0}

RUN = run_of({"q1": {"d1": 4, "d2": 3, "d3": 2, "d4": 1}, "q2": {"d3": 2, "d5": 1}})
"""q1: a b – b; q2: – half a, half b."""


LABELS = labels_of({"d1": A, "d2": B, "d4": B, "d5": {"a": 0.5, "b": 0.5}}, ("a", "b"))


def seen(attention: Attention, system: Run | RankingSample = RUN, *, labels: GroupLabels = LABELS) -> GroupExposure:
    """What each group gets of the attention that falls on the system's own candidates."""
    pools = pool(system, None)
    return group_exposure(system, pools, membership(pools, labels), attention)


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
    result = seen(Attention("log"))
    assert result.attention.tolist() == [[1.0, 1.5], [0.5, 0.5]]
    assert result.unlabelled == pytest.approx([1 / np.log2(3), 1.0])
    assert result.shares.tolist() == pytest.approx([1.5 / 3.5, 2 / 3.5])
    assert result.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    assert result.unlabelled_candidates.tolist() == [1.0, 1.0]
    # per item: a 1.5 / 1.5 = 1, b 2 / 2.5 = 0.8, all 3.5 / 4 = 0.875
    assert result.per_item.tolist() == pytest.approx([1 / 0.875, 0.8 / 0.875])
    assert result.n_labelled == 2


def test_bounds_do_not_range_over_documents_to_which_the_attribute_does_not_apply() -> None:
    """d3, unlabelled in LABELS, takes 1/log2(3) of q1 and 1 of q2: with it, b may have more than half."""
    outside = labels_of({"d1": A, "d2": B, "d3": {}, "d4": B, "d5": {"a": 0.5, "b": 0.5}}, ("a", "b"))
    pools = pool(RUN, None)
    lacking, free = (group_exposure(RUN, pools, membership(pools, x), Attention("log")) for x in (LABELS, outside))
    assert free.shares.tolist() == lacking.shares.tolist()
    assert (free.unlabelled_share, free.not_applicable, lacking.not_applicable) == (0, 2, 0)  # of both queries
    known, ranges = (share_range(x.attention.sum(axis=0), float(x.unlabelled.sum())) for x in (free, lacking))
    assert known.low.tolist() == known.high.tolist() == free.shares.tolist()
    assert (ranges.low < known.low).all()
    assert (ranges.high > known.high).all()


def test_any_exposure_is_read_as_a_list_is() -> None:
    pools = pool(RUN, None)
    members = membership(pools, LABELS)
    as_listed = np.array([1, 1, 1 / np.log2(3), 0.5, 1, 1])  # attention at ranks 1 to 4, and 1 to 2
    assert attention_by_group(as_listed, pools, members).tolist() == [[1.0, 1.5], [0.5, 0.5]]
    mixed = (as_listed + np.array([0.5, 1, 1 / np.log2(3), 1, 1, 1])) / 2  # half of the time d1 and d4 change places
    shares = share_of_all_queries(attention_by_group(mixed, pools, members)).shares
    assert shares == pytest.approx(np.array([1.25, 2.25]) / 3.5)


def test_a_share_of_all_queries_is_that_of_the_page_and_undefined_queries_say_nothing() -> None:
    rng = np.random.default_rng(3)
    attention = rng.random((20, 3))
    pooled = share_of_all_queries(attention)
    assert pooled.shares == pytest.approx(attention.sum(axis=0) / attention.sum())
    assert (pooled.ends.low < pooled.shares).all()
    assert (pooled.shares < pooled.ends.high).all()
    again = share_of_all_queries(np.vstack([attention, np.full(3, np.nan)]))
    assert again.shares == pytest.approx(pooled.shares)
    assert again.n_queries == 20
    alone = share_of_all_queries(attention[:1])
    assert np.isnan(alone.ends.low).all()
    assert not alone.drawn.size


def test_places_end_where_attention_ends() -> None:
    result = seen(TopK(2))
    assert result.places.tolist() == [[1.0, 1.0], [0.5, 0.5]]
    assert result.unlabelled_places.tolist() == [0.0, 1.0]
    assert result.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]


def test_judged_documents_that_were_not_retrieved_are_no_candidates() -> None:
    pools = pool(RUN, qrels_of({"q1": {"d9": 1, "d5": 1}}), queries="ranked")
    members = membership(pools, LABELS)
    result = group_exposure(RUN, pools, members, TopK(2))
    assert result.candidates.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    plain = pool(RUN, None)
    reached, without = (
        joint_reach(some, of, TopK(2)).nearest(np.array([1.0, 0.0])).tolist()
        for some, of in ((pools, members), (plain, membership(plain, LABELS)))
    )
    assert reached == without


def test_a_sample_counts_as_one_ranking() -> None:
    sample = sample_of({"q1": [["d1", "d2"], ["d2", "d1"], ["d2", "d3"]]})
    result = seen(TopK(1), sample)
    assert result.attention[0] == pytest.approx([1 / 3, 2 / 3])


def test_without_labelled_attention_nothing_is_said() -> None:
    run = run_of({"q1": {"d3": 1.0}})
    pools = pool(run, None)
    result = group_exposure(run, pools, membership(pools, LABELS), TopK(1))
    assert np.isnan(result.shares).all()
    assert np.isnan(result.per_item).all()
    assert result.unlabelled_share == 1.0
    assert np.isnan(share_of_all_queries(result.attention).ends.low).all()
    reach = joint_reach(pools, membership(pools, LABELS), TopK(1))
    assert reach.without.tolist() == [1, 1]


def test_unlabelled_as_a_group_takes_what_is_left() -> None:
    pools = pool(RUN, None)
    members = with_unlabelled(membership(pools, LABELS))
    result = group_exposure(RUN, pools, members, TopK(2))
    assert result.groups == ("a", "b", "unlabelled")
    assert result.shares.tolist() == pytest.approx([1.5 / 4, 1.5 / 4, 1 / 4])
    assert result.unlabelled.tolist() == [0.0, 0.0]


def test_real_rankings_of_which_almost_nothing_is_labelled(shared: Path) -> None:
    folder = shared / "data" / "real" / "fair"
    wanted = json.loads((folder / "expected_fair.json").read_text())["seq1-5"]
    sample = read_samples(folder / "fairtrec2022-task2-p09.seq1-5.tsv").value
    labels = read_groups(folder / "gender-labels.tsv").value
    result = seen(Attention("log"), sample, labels=labels)
    shares = dict(zip(result.groups, result.shares.tolist(), strict=True))
    key = "exposure_share_labelled_only(disc=1/log2(max(r,2)))"
    assert shares == pytest.approx(wanted[key])
    assert result.unlabelled_share == pytest.approx(wanted["unlabelled_exposure_share"])


def test_there_is_no_interval_where_queries_are_alike() -> None:
    run = run_of({f"q{i}": {"d1": 2, "d2": 1} for i in range(12)})
    result = seen(TopK(2), run)
    assert result.shares.tolist() == [0.5, 0.5]
    for interval in (share_of_all_queries(result.attention).ends, per_item_intervals(result)):
        assert np.isnan(interval).all()


def test_intervals_hold_the_share() -> None:
    run = run_of({f"q{i}": {f"d{1 + i % 3}": 2, "d2": 1} for i in range(30)})
    result = seen(Discounted(), run)
    ends = share_of_all_queries(result.attention).ends
    assert (ends.low < result.shares).all()
    assert (result.shares < ends.high).all()


def test_corrected_intervals_are_the_share_where_all_is_alike_and_wider_than_single_ones() -> None:
    """Equal lists move no share; shares that differ by query have wider intervals for two groups than for one."""
    alike = group_exposure(RUN, pools := pool(RUN, None), membership(pools, LABELS), TopK(1))
    same = replace(alike, query_ids=tuple("abc"), attention=np.tile([3.0, 1.0], (3, 1)), candidates=np.ones((3, 2)))
    ends, _ = corrected_intervals(same)
    assert ends.low == pytest.approx([0.75, 0.25], abs=1e-3)
    assert ends.high == pytest.approx([0.75, 0.25], abs=1e-3)
    rows = np.random.default_rng(0).random((12, 2))
    mixed = replace(same, query_ids=tuple("abcdefghijkl"), attention=rows, candidates=np.ones((12, 2)))
    single = share_of_all_queries(rows).ends
    assert (np.subtract(*corrected_intervals(mixed)[0]) < np.subtract(*single)).all()  # low − high


def test_clustered_places_are_worth_as_many_draws_as_their_variance_says() -> None:
    """Half of 20 queries with 10 places each show only a, half only b: 20 draws, not 200; mixed lists are more."""
    rows = np.tile([[1.0, 0.0], [0.0, 1.0]], (10, 1)) / 20
    whole = effective_draws(np.array([0.5, 0.5]), rows - 0.5 / 20, 20, 200.0, level=0.95)
    exact = betaincinv(0.5 * 19, 0.5 * 19 + 1, 0.025)  # v = 0.25 / 19
    assert whole.low == pytest.approx([exact, exact])
    assert whole.high == pytest.approx([1 - exact, 1 - exact])
    even = effective_draws(np.array([0.5, 0.5]), (rows - 0.5 / 20) / 100, 20, 200.0, level=0.95)
    # by t with 19 degrees of freedom: 0.5 ± 2.093 √v, √v = 0.5 / √19 / 100
    assert even.high == pytest.approx(0.5 + 2.093 * 0.5 / 19**0.5 / 100, abs=1e-4)


def test_a_group_that_is_never_shown_is_worth_as_many_draws_as_all_groups_together() -> None:
    """None of 19 draws, though there are 200 places: up to 1 − 0.025^(1/19)."""
    rows = np.tile([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], (10, 1)) / 20
    shares = np.array([0.5, 0.5, 0.0])
    ends = effective_draws(shares, rows - shares / 20, 20, 200.0, level=0.95)
    assert (ends.low[2], ends.high[2]) == pytest.approx((0.0, 1 - 0.025 ** (1 / 19)))


def test_a_group_that_is_never_shown_gets_less_than_its_candidates_are_due() -> None:
    """None of 40 places, though 20 of 100 candidates, of which queries have more or fewer: 0.8^40 is 0.0001."""
    world = exposure([[2.0, 0.0]] * 20, [0.0] * 20, [[5.0, 0.0], [3.0, 2.0]] * 10)
    ends = corrected_intervals(world)[1]
    assert ends.high[1] < 1 < ends.low[0]


# What re-ranking can make of them: against every mix of all orders, and the program in full.


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
