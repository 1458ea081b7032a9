"""One system along α: either gain from one pass, frontiers at the same disparity, the ends of the oracle."""

import numpy as np
import pytest

from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Pools
from fairviz.points.curves import (
    CurveSettings,
    PolicySettings,
    PoolAxes,
    oracle_ends,
    plackett_luce_curves,
    query_exposures,
    tradeoff_curve,
)
from fairviz.policies import PlackettLuce
from tests.nouns import qrels_of, run_of

RUN = run_of(
    {
        "q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5},
        "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0},
        "q3": {"x": 1.0, "y": 2.0},
    }
)
QRELS = qrels_of({"q1": {"b": 2, "c": 1, "z": 1}, "q2": {"g": 1}, "q3": {"x": 1}, "q4": {"a": 1}})
FEW = np.arange(9.0)


def pools() -> Pools:
    return pool(RUN, QRELS)


def reference(gain: Gain, *, k: int = 2, offset: float = 1.0) -> Curve:
    settings = CurveSettings(alphas=FEW, attention=TopK(k), offset=offset)
    return plackett_luce_curves(pools(), settings, system="sys")[gain]


@pytest.mark.parametrize("gain", ["graded", "binary"])
@pytest.mark.parametrize("offset", [1.0, 0.0])
def test_one_pass_gives_both_gains_as_each_alone(gain: Gain, offset: float) -> None:
    alone = tradeoff_curve(
        pools(),
        CurveSettings(alphas=FEW, attention=TopK(2), offset=offset, gain=gain),
        system="sys",
        policy="plackett-luce",
    )
    both = reference(gain, offset=offset)
    assert both.y == alone.y
    np.testing.assert_array_equal(both.alphas, FEW)
    for axis in ("disparity", "quality", "score"):
        np.testing.assert_array_equal(getattr(both, axis), getattr(alone, axis))


def test_points_between_join_the_grid_by_rising_alpha() -> None:
    whole = reference("graded")
    mixed = whole.only(FEW[::2].tolist()).run_on(whole.only(FEW[1::2].tolist())).rising()
    np.testing.assert_array_equal(mixed.alphas, FEW)
    np.testing.assert_array_equal(mixed.quality, whole.quality)


def test_the_oracle_goes_on_to_both_sides() -> None:
    ends = oracle_ends(PoolAxes.of(pools(), PolicySettings(attention=TopK(2), gain="binary")), reference("binary"))
    assert np.isnan(ends.alphas).all()
    assert ends.mean_disparity[0] == pytest.approx(0, abs=1e-9)
    assert ends.mean_disparity[-1] == pytest.approx(1, abs=1e-6)
    assert ends.mean_quality[-1] == pytest.approx(1, abs=1e-6)


def test_the_oracle_of_nothing_has_no_point() -> None:
    """k as large as every pool: nothing can differ, and nothing fails."""
    axes = PoolAxes.of(pools(), PolicySettings(attention=TopK(20), gain="binary"))
    assert not oracle_ends(axes, reference("binary", k=20)).defined.any()


def test_exposure_of_one_query_is_its_part_of_the_whole() -> None:
    whole = pools()
    own = query_exposures(whole, 1, CurveSettings(alphas=np.array([2.0]), attention=TopK(2)))
    rows = slice(int(whole.offsets[1]), int(whole.offsets[2]))
    every = PlackettLuce(2.0, 1.0).exposure(whole, TopK(2))
    np.testing.assert_allclose(own[0], every[rows], atol=1e-12)
