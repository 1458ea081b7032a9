"""The price of fairness: points by hand, budgets, the point of no return."""

import numpy as np
import pytest

from fairviz.pool import RankedLists
from fairviz.studies.policy_lab.axes import one_list_each
from fairviz.studies.policy_lab.price import TODAY, PriceCurve, PricePoint, largest_gap, point_summary, price_point
from tests.studies.policy_lab.curves import NOW, curve
from tests.studies.policy_lab.test_axes import axes


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
