"""The price of fairness: points by hand, budgets, the point of no return."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fairviz.attention import Discounted, TopK
from fairviz.model import GroupLabels, Target
from fairviz.pool import RankedLists, pool, ranked_lists
from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.axes import ListPolicy, PriceAxes, one_list_each, price_axes
from fairviz.studies.policy_lab.budget import (
    best_inside,
    furthest,
    nearest,
    paired_intervals,
    point_of_no_return,
    purchase,
)
from fairviz.studies.policy_lab.price import (
    TODAY,
    PriceCurve,
    PricePoint,
    largest_gap,
    point_summaries,
    point_summary,
    price_point,
    queries_without,
)
from tests.nouns import qrels_of, run_of

RUN = run_of({"q1": {"a": 4, "b": 3, "c": 2, "d": 1}, "q2": {"a": 2, "e": 1}})

QRELS = qrels_of({"q1": {"a": 1, "d": 2}, "q2": {"e": 1}, "q3": {"a": 1}})

LABELS = GroupLabels(
    attribute="region",
    groups=("x", "y"),
    doc_ids=("a", "b", "c", "d"),
    weights=csr_array(np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])),
)

HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))


def axes(**choices: object) -> PriceAxes:
    options = {"attention": TopK(2), "k": 2} | choices
    return price_axes(pool(RUN, QRELS), LABELS, HALF, **options)  # type: ignore[arg-type]


def test_today_by_hand() -> None:
    """q1 shows a, b (both x): shares 1, 0, half of |1 − .5| + |0 − .5| = 50 points off.

    nDCG@2 of q1: gains 1, 0 in the order a, b; DCG = 1; ideal d (2), a (1): 2 + 1/log2(3).
    q2 shows a (x) and e (unlabelled): labelled attention is all x, 50 points; DCG 1/log2(3) of 1.
    q3 was not ranked: undefined.
    """
    read = axes()
    policy = one_list_each(ranked_lists(RUN, read.pools), read.pools.docs.size)
    off, quality, shares = read.read(policy)
    np.testing.assert_allclose(off, [50, 50, np.nan])
    np.testing.assert_allclose(shares[:2], [[1, 0], [1, 0]])
    np.testing.assert_allclose(quality, [1 / (2 + 1 / np.log2(3)), 1 / np.log2(3), np.nan])


def test_unlabelled_documents_as_a_group() -> None:
    """q2 shows a and e: shares x ½, y 0, unlabelled ½ against ½, ½, 0: half of 0 + ½ + ½ = 50.

    With topk both count alike; were e left out, x would have all.
    """
    read = axes(missing="group")
    policy = one_list_each(ranked_lists(RUN, read.pools), read.pools.docs.size)
    np.testing.assert_allclose(read.read(policy).shares[1], [0.5, 0, 0.5])
    np.testing.assert_allclose(read.read(policy).off[1], 50)


def test_a_mixture_is_read_by_its_expected_attention() -> None:
    """Half a, b and half c, d in q1: each group has half of the attention, 0 points off."""
    read = axes()
    lists = RankedLists(np.array([0, 1, 2, 3]), np.array([0, 2, 4]), np.array([0, 0]))
    policy = ListPolicy(lists=lists, chances=np.array([0.5, 0.5]), n_rows=read.pools.docs.size)
    off, quality, _ = read.read(policy)
    assert off[0] == pytest.approx(0)
    # DCG: ½ · 1 (a first) + ½ · 2/log2(3) (d second)
    assert quality[0] == pytest.approx((0.5 + 1 / np.log2(3)) / (2 + 1 / np.log2(3)))


def test_ndcg_agrees_with_ir_measures() -> None:
    import ir_measures

    read = axes(attention=Discounted(3), k=3)
    policy = one_list_each(ranked_lists(RUN, read.pools), read.pools.docs.size)
    found = dict(zip(read.pools.query_ids, read.read(policy).quality, strict=True))
    run = [
        ir_measures.ScoredDoc(q, d, s)
        for q, ds in {"q1": "abcd", "q2": "ae"}.items()
        for d, s in zip(ds, range(9, 0, -1), strict=False)
    ]
    judged = (("q1", "a", 1), ("q1", "d", 2), ("q2", "e", 1))
    qrels = [ir_measures.Qrel(*one) for one in judged]
    for one in ir_measures.iter_calc([ir_measures.nDCG @ 3], qrels, run):
        assert found[one.query_id] == pytest.approx(one.value)


def test_queries_without_a_candidate_are_counted() -> None:
    """q1 has both groups; q2 has a (x) and e (unlabelled), no y; q3 has no candidates at all."""
    assert queries_without(axes().without_candidates()).tolist() == [0, 1]


def curve(method: str, points: list[tuple[float, float]], *, n: int = 8) -> PriceCurve:
    """Points (off, quality), the same for every query but for a wobble that cancels."""
    wobble = np.where(np.arange(n) % 2, 0.01, -0.01)
    made = [
        PricePoint(float(i), np.full(n, off), quality + wobble, np.tile([0.9, 0.1], (n, 1)))
        for i, (off, quality) in enumerate(points)
    ]
    return PriceCurve(system="s", method=method, query_ids=tuple(map(str, range(n))), points=tuple(made))


NOW = curve(TODAY, [(40, 0.8)])

DRAWN = bootstrap_counts(8, rng=np.random.default_rng(0))

POINTS = st.lists(st.tuples(st.floats(0, 60), st.floats(0.1, 1)), min_size=1, max_size=9)


def test_a_point_beside_today() -> None:
    """0.72 instead of 0.8 is −10 %; 40 → 30 is 10 points nearer; every query loses."""
    one = point_summary(curve("m", [(30, 0.72)]), 0, NOW)
    assert (one.off, one.moved, one.quality) == pytest.approx((30, 10, 0.72))
    assert one.change == pytest.approx(-0.1)
    assert (one.n_worse, one.n_better, one.n_unchanged) == (8, 0, 0)
    assert (one.n_queries, one.n_undefined) == (8, 0)


def test_queries_without_a_value_leave_both_means() -> None:
    point = PricePoint(1.0, np.array([10.0, np.nan, 30]), np.array([0.5, 1, np.nan]), np.ones((3, 1)))
    now = PricePoint(np.nan, np.array([20.0, 20, 20]), np.array([1.0, 1, 1]), np.ones((3, 1)))
    queries = ("a", "b", "c")
    one = point_summary(
        PriceCurve(system="s", method="m", query_ids=queries, points=(point,)),
        0,
        PriceCurve(system="s", method=TODAY, query_ids=queries, points=(now,)),
    )
    assert (one.off, one.moved, one.change, one.n_queries, one.n_undefined) == (10, 10, -0.5, 1, 2)


def test_the_best_point_inside_a_budget() -> None:
    """Losses 1, 2.5, 5 %; the second is nearest. Inside 3 %: the second; 2 %: the first."""
    found = point_summaries(curve("m", [(35, 0.792), (25, 0.78), (26, 0.76)]), NOW)
    assert best_inside(found, 0.03) == found[1]
    assert best_inside(found, 0.02) == found[0]
    assert best_inside(found, 0.005) is None
    assert best_inside(found, 0.5) == found[1]  # the strongest is not the nearest


def test_a_point_that_gets_no_nearer_is_never_bought() -> None:
    further = curve("m", [(41, 0.8), (40, 0.9)])
    got = purchase(further, NOW, budget=1.0, resamples=DRAWN)
    assert got.point is None
    assert nearest([got]) is None


def test_the_nearest_inside_the_budget_is_ahead_and_ties_keep_quality() -> None:
    one = purchase(curve("one", [(30, 0.79)]), NOW, budget=0.03, resamples=DRAWN)
    two = purchase(curve("two", [(30, 0.795)]), NOW, budget=0.03, resamples=DRAWN)
    far = purchase(curve("far", [(5, 0.3)]), NOW, budget=0.03, resamples=DRAWN)
    assert nearest([one, two, far]) is two
    reach = furthest([point_summaries(curve(m, p), NOW) for m, p in (("one", [(30, 0.79)]), ("far", [(5, 0.3)]))])
    assert reach is not None
    assert (reach.method, reach.off) == ("far", 5)


def test_intervals_are_of_the_ratio_of_means() -> None:
    """Every query loses a tenth of its own value, so every resample loses exactly a tenth."""
    now, after = np.array([0.2, 0.4, 0.9, 1.0]), np.array([0.18, 0.36, 0.81, 0.9])
    off = np.array([30.0, 30, 30, 30])

    def one(method: str, values: np.ndarray, off: np.ndarray) -> PriceCurve:
        point = PricePoint(1.0, off, values, np.ones((4, 1)))
        return PriceCurve(system="s", method=method, query_ids=tuple("abcd"), points=(point,))

    change, moved = paired_intervals(
        one("m", after, off - 4), one(TODAY, now, off), 0, bootstrap_counts(4, rng=np.random.default_rng(1))
    )
    assert change == pytest.approx((-0.1, -0.1))
    assert moved == pytest.approx((4, 4))


def test_one_query_has_no_interval() -> None:
    one, now = curve("m", [(30, 0.8)], n=1), curve(TODAY, [(40, 0.8)], n=1)
    got = purchase(one, now, budget=0.1, resamples=np.ones((3, 1)))
    assert np.isnan(got.change.low)


def test_the_point_of_no_return_by_hand() -> None:
    """Moved 5, 12, 14, 13 points for 1, 4, 12, 20 %: net 4, 8, 2, −7.

    After the second strength every step costs more percent than it moves points; after the third
    nothing gets nearer.
    """
    points = [(35, 0.792), (28, 0.768), (26, 0.704), (27, 0.64)]
    assert point_of_no_return(point_summaries(curve("m", points), NOW)) == (1, 2, 4)


def test_no_strength_pays_where_the_first_step_costs_more_than_it_moves() -> None:
    assert point_of_no_return(point_summaries(curve("m", [(39, 0.72), (38, 0.6)]), NOW)) == (-1, 1, 2)
    assert point_of_no_return(point_summaries(curve("m", [(41, 0.8)]), NOW)) == (-1, -1, 1)


@given(POINTS)
def test_beyond_the_point_of_no_return_loss_outgrows_movement(
    points: list[tuple[float, float]],
) -> None:
    found = point_summaries(curve("m", points), NOW)
    pays, nearest, _ = point_of_no_return(found)
    start = found[pays] if pays >= 0 else None
    moved, change = (start.moved, start.change) if start else (0.0, 0.0)
    for later in found[pays + 1 :]:
        assert 100 * (change - later.change) >= later.moved - moved - 1e-5
    if nearest >= 0:
        assert all(later.off >= found[nearest].off - 1e-5 for later in found[nearest:])


@given(st.floats(0, 1), st.floats(0, 1), POINTS)
def test_a_larger_budget_never_buys_less(low: float, high: float, points: list[tuple[float, float]]) -> None:
    found = point_summaries(curve("m", points), NOW)
    small, large = best_inside(found, min(low, high)), best_inside(found, max(low, high))
    if small is not None:
        assert large is not None
        assert large.off <= small.off + 1e-8


def test_the_group_furthest_under_its_target() -> None:
    """Shares .9 and .1 against ½ and ½: the second lacks 40 points; on target none does."""
    now = point_summary(NOW, 0, NOW)
    assert largest_gap(now, np.tile([0.5, 0.5], (8, 1))) == 1
    assert largest_gap(now, np.tile([0.9, 0.1], (8, 1))) is None


def test_repeats_of_a_random_re_ranker_are_averaged_and_kept() -> None:
    """a, b (50 off) and c, d (50 off): each repeat is a list of its own, not one mixture."""
    read = axes()
    n = read.pools.docs.size
    first = one_list_each(RankedLists(np.array([0, 1]), np.array([0, 2]), np.array([0])), n)
    second = one_list_each(RankedLists(np.array([2, 3]), np.array([0, 2]), np.array([0])), n)
    point = price_point(read, [first, second], strength=0.3)
    assert point.off[0] == pytest.approx(50)
    assert point.repeats[:, 0] == pytest.approx([50, 50])
    np.testing.assert_allclose(point.shares[0], [0.5, 0.5])
