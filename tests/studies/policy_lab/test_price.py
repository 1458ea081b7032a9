"""The price of fairness: points by hand, how many lists a visitor may see."""

import numpy as np
import pytest

from fairviz.model import Mixture
from fairviz.studies.policy_lab.bench import TODAY, PricePoint, as_policy, largest_gap, price_point, setting_beside
from tests.studies.policy_lab.curves import NOW, TARGET, points
from tests.studies.policy_lab.test_bench import axes


def test_a_point_beside_today() -> None:
    """0.72 instead of 0.8 is −10 %; 40 → 30 is 10 points nearer; every query loses."""
    (point,) = points((30, 0.72))
    one = setting_beside("m", point, NOW, TARGET)
    assert (one["off"], one["moved"], one["quality"]) == pytest.approx((30, 10, 0.72))
    assert one["change"] == pytest.approx(-0.1)
    assert (one["n_worse"], one["n_better"], one["n_unchanged"]) == (12, 0, 0)
    assert (one["n_queries"], one["n_undefined"], one["n_labelled"]) == (12, 0, 12)
    assert not one["is_few"]


def test_a_query_that_shows_no_label_is_in_every_number() -> None:
    """Shares of all queries together: 3 : 1 and 0 : 0 are 75 and 25 %, 25 points off a half; with the second query
    showing 0 : 2 it is 3 : 3. Both are over two queries."""
    now = PricePoint(np.nan, np.array([[3.0, 1], [0, 0]]), np.array([0.5, 0.5]))
    point = PricePoint(1.0, np.array([[3.0, 1], [0, 2]]), np.array([0.5, 0.4]))
    one = setting_beside("m", point, now, np.full(2, 0.5))
    assert (one["off"], one["moved"]) == pytest.approx((0, 25))
    assert one["shares"] == pytest.approx([0.5, 0.5])
    assert (one["n_queries"], one["n_labelled"]) == (2, 1)
    assert one["is_few"]


def test_the_group_furthest_under_its_target() -> None:
    """Shares .4 and .6, 9 : 1 wanted: the first lacks 50 points; on target none does."""
    now = setting_beside(TODAY, NOW, NOW, TARGET)
    assert largest_gap(now, np.array([0.9, 0.1])) == 0
    assert largest_gap(now, np.array([0.4, 0.6])) is None


def test_repeats_of_a_random_re_ranker_are_averaged_and_no_fixed_list() -> None:
    """a, b and c, d in q1, each all of one group (50 off); their mean shows both alike."""
    read = axes()
    first, second = (as_policy({0: Mixture.of_list(np.array(order))}, read) for order in ([0, 1], [2, 3]))
    point = price_point(read, [first, second], strength=0.3)
    assert set(point.n_lists) == {0}
    assert set(price_point(read, [first, first]).n_lists) == {1}
    np.testing.assert_allclose(point.shares[0], [0.5, 0.5])
