"""Distances by any group measure: what they are of, and where they have none."""

import numpy as np
import pytest

from fairviz.errors import FairvizError
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.studies.policy_lab.bench import distance, has_ideal
from tests.studies.policy_lab.ten_documents import grown


def test_points_off_target_are_half_the_l1_distance_of_awrf() -> None:
    """Over all queries together: the measure's value is Σ|share − target|, a hundredth of twice the points."""
    points, measured = grown(), grown(measure="AWRF(distance='l1', browsing='dcg', over='system')@4")
    for prices in (points, measured):
        prices.compute(["det-greedy", "fair-epsilon-greedy"])
    for method in ("det-greedy", "fair-epsilon-greedy"):
        a, b = points.tried(method), measured.tried(method)
        fixed = a["is_fixed"]  # else the measure is the mean of repeats, and points are of their mean attention
        assert (a["off"] / 50).filter(fixed).to_list() == pytest.approx(b["off"].filter(fixed).to_list(), abs=1e-9)
        assert a["quality"].filter(fixed).to_list() == b["quality"].filter(fixed).to_list()


def test_a_measure_of_the_whole_system_has_no_queries() -> None:
    prices = grown(measure="logDP(group='y')@4")
    prices.compute(["det-greedy"])
    off = prices.tried("det-greedy")["off"][-1]
    assert np.isfinite(off)
    assert off < prices.now["off"]


def test_a_measure_that_the_data_refuse_says_why() -> None:
    with pytest.raises(FairvizError, match="nowhere"):
        grown(measure="logDP(group='nowhere')@4")


def test_distances_are_smaller_nearer_the_ideal() -> None:
    values = np.array([-0.4, 0.2, 0.7])
    np.testing.assert_allclose(distance(CATALOGUE["nDKL"], values), values)
    np.testing.assert_allclose(distance(CATALOGUE["nDRKL"], values), 1 - values)
    np.testing.assert_allclose(distance(CATALOGUE["MinSkew"], values), np.abs(values))
    assert has_ideal(CATALOGUE["nDKL"])
