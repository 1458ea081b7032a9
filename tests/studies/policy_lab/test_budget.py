"""What a budget buys: the best point inside it, its intervals, the turning point."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.groups.off_target import off_target
from fairviz.studies.policy_lab.budget import (
    best_inside,
    furthest,
    is_noticeable,
    nearest,
    paired_intervals,
    purchase,
    turning_point,
)
from fairviz.studies.policy_lab.price import TODAY, PriceCurve, PricePoint, point_summaries
from tests.studies.policy_lab.curves import DRAWN, NOW, curve

POINTS = st.lists(st.tuples(st.floats(0, 60), st.floats(0.1, 1)), min_size=1, max_size=9)


def test_the_best_point_inside_a_budget() -> None:
    """Losses 1, 2.5, 5 %; the second is nearest. Inside 3 %: the second; 2 %: the first."""
    result = point_summaries(curve("m", [(35, 0.792), (25, 0.78), (26, 0.76)]), NOW)
    assert best_inside(result, 0.03) == result[1]
    assert best_inside(result, 0.02) == result[0]
    assert best_inside(result, 0.005) is None
    assert best_inside(result, 0.5) == result[1]  # the strongest is not the nearest


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
    assert (reach.method, reach.off) == ("far", pytest.approx(5))


def test_intervals_are_of_the_ratio_of_means() -> None:
    """Every query loses a tenth of its own value, so every resample loses exactly a tenth."""
    now, after = np.array([0.2, 0.4, 0.9, 1.0]), np.array([0.18, 0.36, 0.81, 0.9])

    def one(method: str, values: np.ndarray, off: float) -> PriceCurve:
        point = PricePoint(1.0, np.tile([off / 100, 1 - off / 100], (4, 1)), values)
        target = np.tile([0.0, 1.0], (4, 1))
        return PriceCurve(system="s", method=method, query_ids=tuple("abcd"), target=target, points=(point,))

    change, moved, p = paired_intervals(
        one("m", after, 26), one(TODAY, now, 30), 0, bootstrap_counts(4, rng=np.random.default_rng(1))
    )
    assert change == pytest.approx((-0.1, -0.1))
    assert moved == pytest.approx((4, 4))
    assert p == 0  # no resample differs


def test_points_off_target_are_resampled_over_queries_as_groups_and_targets_does() -> None:
    """Every resample recomputes the shares of all its queries together: the same draws as the interval there."""
    rng = np.random.default_rng(3)
    attention, counts = rng.random((12, 2)), bootstrap_counts(12, rng=np.random.default_rng(0))
    target = np.tile([0.5, 0.5], (12, 1))
    queries = tuple(map(str, range(12)))
    on_target = PricePoint(1.0, np.ones((12, 2)), np.ones(12))
    now = PricePoint(np.nan, attention, np.ones(12))
    moved = paired_intervals(
        PriceCurve(system="s", method="m", query_ids=queries, target=target, points=(on_target,)),
        PriceCurve(system="s", method=TODAY, query_ids=queries, target=target, points=(now,)),
        0,
        counts,
    ).moved
    sums = counts @ attention
    drawn = off_target(attention.mean(axis=0), sums / sums.sum(axis=1, keepdims=True), target[0], len(attention))
    assert moved == pytest.approx(tuple(100 * end for end in drawn.interval))


def test_a_movement_that_nobody_would_notice_buys_nothing() -> None:
    """Of 40 points 5 % are 2: 1.9 are none, 2.1 are; 0.09 of 1 point are less than the last digit."""
    slight = purchase(curve("m", [(38.1, 0.8)]), NOW, budget=0.03, resamples=DRAWN)
    assert (slight.point, slight.lack) == (None, "slight")
    assert purchase(curve("m", [(37.9, 0.8)]), NOW, budget=0.03, resamples=DRAWN).point is not None
    assert not is_noticeable(0.09, 1.0)


def test_a_budget_is_met_for_certain_only_where_the_interval_is_inside() -> None:
    """Every query loses 2 %, give or take: inside 3 %; where half lose 8 % and half gain 4 %, the mean alone is."""
    sure = purchase(curve("m", [(30, 0.784)]), NOW, budget=0.03, resamples=DRAWN)
    assert sure.is_certain
    spread = curve("m", [(30, 0.784)])
    quality = 0.8 + np.where(np.arange(12) % 2, 0.032, -0.064)
    unsure = replace(spread, points=(spread.points[0]._replace(quality=quality),))
    got = purchase(unsure, NOW, budget=0.03, resamples=DRAWN)
    assert got.point is not None
    assert got.point.change == pytest.approx(-0.02)
    assert got.change.low < -0.03 < got.change.high
    assert not got.is_certain


def test_points_of_too_few_or_of_other_queries_are_never_bought() -> None:
    few = purchase(curve("m", [(30, 0.8)], n=9), curve(TODAY, [(40, 0.8)], n=9), budget=0.1, resamples=np.ones((3, 9)))
    assert (few.point, few.lack) == (None, "few")
    now, point = NOW.points[0], curve("m", [(30, 0.8)]).points[0]
    values = np.where(np.arange(12) < 11, 1.0, np.nan)
    today = replace(NOW, points=(now._replace(distance=np.full(12, 2.0)),))
    other = replace(curve("m", [(30, 0.8)]), points=(point._replace(distance=values),))
    apart = purchase(other, today, budget=0.1, resamples=DRAWN)
    assert (apart.point, apart.lack) == (None, "apart")


def test_one_query_has_no_interval() -> None:
    one, now = curve("m", [(30, 0.8)], n=1), curve(TODAY, [(40, 0.8)], n=1)
    assert np.isnan(paired_intervals(one, now, 0, np.ones((3, 1))).change.low)


def test_the_turning_point_by_hand() -> None:
    """Moved 5, 12, 14, 13 points for 1, 4, 12, 20 %: net 4, 8, 2, −7.

    After the second strength every step costs more percent than it moves points; after the third
    nothing gets nearer.
    """
    points = [(35, 0.792), (28, 0.768), (26, 0.704), (27, 0.64)]
    assert turning_point(point_summaries(curve("m", points), NOW)) == (1, 2, 4)


def test_no_strength_pays_where_the_first_step_costs_more_than_it_moves() -> None:
    assert turning_point(point_summaries(curve("m", [(39, 0.72), (38, 0.6)]), NOW)) == (-1, 1, 2)
    assert turning_point(point_summaries(curve("m", [(41, 0.8)]), NOW)) == (-1, -1, 1)


@given(POINTS)
def test_beyond_the_turning_point_loss_outgrows_movement(
    points: list[tuple[float, float]],
) -> None:
    result = point_summaries(curve("m", points), NOW)
    pays, nearest, _ = turning_point(result)
    start = result[pays] if pays >= 0 else None
    moved, change = (start.moved, start.change) if start else (0.0, 0.0)
    for later in result[pays + 1 :]:
        assert 100 * (change - later.change) >= later.moved - moved - 1e-5
    if nearest >= 0:
        assert all(later.off >= result[nearest].off - 1e-5 for later in result[nearest:])


@given(st.floats(0, 1), st.floats(0, 1), POINTS)
def test_a_larger_budget_never_buys_less(low: float, high: float, points: list[tuple[float, float]]) -> None:
    result = point_summaries(curve("m", points), NOW)
    small, large = best_inside(result, min(low, high)), best_inside(result, max(low, high))
    if small is not None:
        assert large is not None
        assert large.off <= small.off + 1e-8
