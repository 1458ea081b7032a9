"""Distances by any group measure: what they are of, and where they have none."""

import numpy as np
import pytest

from fairviz.errors import FairvizError
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.studies.policy_lab.axes import points_off
from fairviz.studies.policy_lab.distances import distance, has_ideal
from fairviz.studies.policy_lab.price import point_summary
from tests.studies.policy_lab.ten_documents import grown


def test_points_off_target_are_half_the_l1_distance_of_awrf() -> None:
    """Over all queries together: the measure's value is Σ|share − target|, a hundredth of twice the points."""
    points, measured = grown(), grown(measure="AWRF(distance='l1', browsing='dcg', over='system')@4")
    for prices in (points, measured):
        prices.compute(["det-greedy", "fair-epsilon-greedy"])
    for method in ("det-greedy", "fair-epsilon-greedy"):
        one, two = points.curve(method), measured.curve(method)
        assert one is not None
        assert two is not None
        for a, b in zip(one.points, two.points, strict=True):
            if a.is_fixed:  # else the measure is the mean of repeats, and points are of their mean attention
                assert points_off(a.attention, one.target) / 50 == pytest.approx(b.overall, abs=1e-9)
            np.testing.assert_array_equal(a.quality, b.quality)


def test_a_measure_of_the_whole_system_has_no_queries() -> None:
    prices = grown(measure="logDP(group='y')@4")
    prices.compute(["det-greedy"])
    curve = prices.curve("det-greedy")
    assert curve is not None
    one = point_summary(curve, len(curve.points) - 1, prices.today)
    assert np.isfinite(one.off)
    assert one.off < point_summary(prices.today, 0, prices.today).off


def test_a_measure_that_the_data_refuse_says_why() -> None:
    with pytest.raises(FairvizError, match="nowhere"):
        grown(measure="logDP(group='nowhere')@4")


def test_distances_are_smaller_nearer_the_ideal() -> None:
    values = np.array([-0.4, 0.2, 0.7])
    np.testing.assert_allclose(distance(CATALOGUE["nDKL"], values), values)
    np.testing.assert_allclose(distance(CATALOGUE["nDRKL"], values), 1 - values)
    np.testing.assert_allclose(distance(CATALOGUE["MinSkew"], values), np.abs(values))
    assert has_ideal(CATALOGUE["nDKL"])
