"""What a budget buys: the best point inside it, its intervals, the point of no return."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.budget import (
    best_inside,
    furthest,
    nearest,
    paired_intervals,
    point_of_no_return,
    purchase,
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
    assert (reach.method, reach.off) == ("far", 5)


def test_intervals_are_of_the_ratio_of_means() -> None:
    """Every query loses a tenth of its own value, so every resample loses exactly a tenth: but for a thousandth."""
    now, after = np.array([0.2, 0.4, 0.9, 1.0]), np.array([0.18, 0.36, 0.81, 0.901])
    off = np.array([30.0, 30, 30, 30])

    def one(method: str, values: np.ndarray, off: np.ndarray) -> PriceCurve:
        point = PricePoint(1.0, off, values, np.ones((4, 1)))
        return PriceCurve(system="s", method=method, query_ids=tuple("abcd"), points=(point,))

    change, moved = paired_intervals(
        one("m", after, off - [4, 4, 4, 5]), one(TODAY, now, off), 0, bootstrap_counts(4, rng=np.random.default_rng(1))
    )
    assert change == pytest.approx((-0.1, -0.0995), abs=1e-3)
    assert moved == pytest.approx((4, 4.9), abs=0.11)


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
    result = point_summaries(curve("m", points), NOW)
    pays, nearest, _ = point_of_no_return(result)
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
