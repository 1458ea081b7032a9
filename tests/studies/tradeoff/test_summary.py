"""AUC table, differences and bands."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.errors import UndefinedError
from fairviz.stats.bootstrap import tail
from fairviz.studies.tradeoff.summary import auc_difference, band, curve_summaries, joined
from tests.studies.tradeoff.curves import curve, seed

LEFT = curve([0, 0.5, 1], [0, 1, 1])
RIGHT = curve([0.5, 1.5], [0, 2], policy="optimal")


def test_all_curves_are_compared_over_the_range_they_share() -> None:
    left, right = curve_summaries([LEFT, RIGHT], rng=seed())
    assert (left.low, left.high) == (right.low, right.high) == (0.5, 1.0)
    assert left.auc == 1  # flat there
    assert right.auc == 0.5  # from 0 at .5 to 1 at 1
    assert right.slope == 2
    assert (left.system, left.policy, left.n_queries, left.n_undefined) == (
        "bm25",
        "plackett-luce",
        1,
        0,
    )
    assert math.isnan(left.auc_interval.low)  # one query


def test_single_points_neither_bound_the_range_nor_have_an_area() -> None:
    dot = curve([0.9], [1], policy="deterministic")
    left, point = curve_summaries([LEFT, dot], rng=seed())
    assert (left.low, left.high) == (0, 1)
    assert math.isnan(point.auc)
    assert math.isnan(point.slope)
    (alone,) = curve_summaries([dot], rng=seed())
    assert math.isnan(alone.low)


def test_no_common_range_is_undefined() -> None:
    left, right = curve_summaries([LEFT, curve([2, 3], [0, 1])], rng=seed())
    assert math.isnan(left.auc)
    assert math.isnan(right.auc)


def test_disparity_that_turns_back_is_read_over_the_covered_range() -> None:
    """With ``offset=0`` disparity peaks at a small α and falls again."""
    (back,) = curve_summaries([curve([0, 1, 0.5], [0, 1, 0.5])], rng=seed())
    assert (back.low, back.high) == (0, 1)
    assert back.auc == pytest.approx(0.5)
    assert back.slope == pytest.approx(1)


def noisy(n_queries: int = 40) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(0, 1, 9)[:, None] + np.zeros(n_queries)
    return x, np.sqrt(x) + seed(1).normal(size=n_queries)


def test_intervals_hold_the_spread_of_queries() -> None:
    x, y = noisy()
    (row,) = curve_summaries([curve(x, y)], rng=seed())
    spread = 1.96 * y[0].std() / math.sqrt(40)  # each query is the mean curve moved up or down
    assert row.auc_interval.low == pytest.approx(row.auc - spread, abs=0.05)
    assert row.auc_interval.high == pytest.approx(row.auc + spread, abs=0.05)
    # moving a curve up or down leaves its slope: it is the same in all queries
    assert np.isnan(row.slope_interval).all()


def test_differences_are_paired() -> None:
    x, y = noisy()
    lift = seed(2).normal(0.01, 0.001, size=40)
    better = auc_difference(curve(x, y + lift), curve(x, y), rng=seed())
    assert better.difference == pytest.approx(lift.mean())
    assert better.interval == pytest.approx((0.01, 0.01), abs=0.001)
    assert better.n_queries == 40
    same = auc_difference(curve(x, y), curve(x, y), rng=seed())
    assert same.difference == 0
    assert np.isnan(same.interval).all()


def test_undefined_queries_are_counted() -> None:
    x, y = noisy(3)
    x[0, 1] = math.nan
    (row,) = curve_summaries([curve(x, y)], rng=seed())
    assert (row.n_queries, row.n_undefined) == (3, 1)


def test_the_band_follows_the_mean_curve() -> None:
    x, y = noisy()
    strip = band(curve(x, y), rng=seed(), n_points=9)
    np.testing.assert_allclose(strip.disparity, np.linspace(0, 1, 9))
    np.testing.assert_allclose(strip.quality, y.mean(axis=1))
    assert (strip.interval.low < strip.quality).all()
    assert (strip.quality < strip.interval.high).all()
    assert strip.interval.high[0] - strip.interval.low[0] == pytest.approx(
        2 * 1.96 * y[0].std() / math.sqrt(40), rel=0.1
    )


def test_a_band_needs_two_queries_and_a_point() -> None:
    strip = band(LEFT, rng=seed(), n_points=3)
    np.testing.assert_array_equal(strip.quality, [0, 1, 1])
    assert np.isnan(strip.interval.low).all()
    with pytest.raises(UndefinedError, match="no point"):
        band(curve([math.nan, math.nan], [1, 1]), rng=seed())


def test_joining_closes_a_curve() -> None:
    end = curve([1.5], [1], policy="deterministic")
    (row,) = curve_summaries([joined(LEFT, end)], rng=seed())
    assert row.high == 1.5
    assert row.policy == "plackett-luce"
    with pytest.raises(ValueError, match="same queries"):
        joined(LEFT, curve([[1, 2]], [[1, 2]]))


@given(
    arrays(np.float64, (6, 5), elements=st.floats(0.01, 1)),
    arrays(np.float64, (6, 5), elements=st.floats(0, 1)),
)
def test_areas_and_slopes_agree_with_numpy(steps: np.ndarray, y: np.ndarray) -> None:
    x = np.cumsum(steps, axis=0)
    mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
    (row,) = curve_summaries([curve(x, y)], rng=seed(), n_resamples=2)
    width = mean_x[-1] - mean_x[0]
    assert row.auc == pytest.approx(np.trapezoid(mean_y, mean_x) / width)
    (plain,) = curve_summaries([curve(x, y)], rng=seed(), weights="points", n_resamples=2)
    assert plain.slope == pytest.approx(np.polyfit(mean_x, mean_y, 1)[0], abs=1e-9)
    spacing = np.zeros(6)
    spacing[:-1] += np.diff(mean_x) / 2
    spacing[1:] += np.diff(mean_x) / 2
    weighted = np.polyfit(mean_x, mean_y, 1, w=np.sqrt(spacing))  # numpy squares its weights
    assert row.slope == pytest.approx(weighted[0], abs=1e-9)


def test_area_intervals_agree_with_a_literal_bootstrap() -> None:
    x = np.sort(seed(3).random((4, 7)), axis=0)
    y = seed(4).random((4, 7))
    (row,) = curve_summaries([curve(x, y)], rng=seed(), n_resamples=200)
    areas = []
    for drawn in seed().integers(0, 7, size=(200, 7)):
        a, b = x[:, drawn].mean(axis=1), y[:, drawn].mean(axis=1)
        areas.append(np.trapezoid(b, a) / (a[-1] - a[0]))
    assert row.auc_interval == pytest.approx(tuple(np.quantile(areas, [tail(7), 1 - tail(7)])))
