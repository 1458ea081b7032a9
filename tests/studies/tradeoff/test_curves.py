"""All curves of a run, and two of them compared: order, points that frontiers meet, samples, EE-D at equal quality."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.points.curves import CurveSettings, policy_curves
from fairviz.points.summary import disparity_saved
from tests.nouns import qrels_of, run_of
from tests.steps import counted
from tests.studies.tradeoff.curves import curve, seed

RUN = run_of({"q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5}, "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0}})
QRELS = qrels_of({"q1": {"b": 2, "c": 1, "d": 1}, "q2": {"g": 1, "h": 2}})
ALPHAS = np.array([0.0, 1.0, 4.0])


def curves(*policies: str, **more: object):  # type: ignore[no-untyped-def]
    made = CurveSettings(policies=policies, alphas=ALPHAS, attention=TopK(2), **more)  # type: ignore[arg-type]
    return policy_curves(RUN, pool(RUN, QRELS), made)


def test_curves_come_as_asked_then_the_fixed_points() -> None:
    found = curves("oracle", "plackett-luce")
    assert [c.policy for c in found] == ["oracle", "plackett-luce", "uniform", "deterministic"]
    assert [c.alphas.size for c in found] == [3, 3, 1, 1]


def test_frontiers_are_asked_at_the_disparity_of_plackett_luce() -> None:
    oracle, optimal, drawn, *_ = curves("oracle", "optimal", "plackett-luce")
    for frontier in (oracle, optimal):
        np.testing.assert_allclose(frontier.mean_disparity, drawn.mean_disparity, atol=1e-9)
    assert (oracle.mean_quality >= drawn.mean_quality - 1e-9).all()
    assert (optimal.mean_score >= drawn.mean_score - 1e-9).all()


def test_frontiers_alone_do_not_need_the_curve_that_places_them() -> None:
    (optimal, *_), (_, beside, *_) = curves("optimal"), curves("plackett-luce", "optimal")
    np.testing.assert_array_equal(optimal.quality, beside.quality)


def test_samples_approach_the_exact_curve() -> None:
    exact = curves("plackett-luce")[0]
    drawn = curves("plackett-luce", samples=20_000, seed=5)[0]
    assert (exact.n_samples, drawn.n_samples) == (None, 20_000)
    np.testing.assert_allclose(drawn.mean_quality, exact.mean_quality, atol=0.01)
    np.testing.assert_allclose(drawn.mean_disparity, exact.mean_disparity, atol=0.01)
    assert not np.array_equal(drawn.quality, exact.quality)


def test_frontiers_stay_exact_beside_samples() -> None:
    exact = curves("optimal")[0]
    _, beside, *_ = curves("plackett-luce", "optimal", samples=3, seed=5)
    np.testing.assert_array_equal(beside.disparity, exact.disparity)


def test_steps_are_counted() -> None:
    """Once per α of each computed curve: the exact reference and the samples."""
    with counted() as steps:
        curves("plackett-luce", "optimal")
    assert (steps.expected, steps.done) == (ALPHAS.size, ALPHAS.size)
    with counted() as steps:
        curves("plackett-luce", "optimal", samples=2)
    assert (steps.expected, steps.done) == (2 * ALPHAS.size, 2 * ALPHAS.size)


@pytest.mark.parametrize("gain", ["graded", "binary"])
def test_gain_changes_quality_but_not_disparity(gain) -> None:  # type: ignore[no-untyped-def]
    found, graded = curves("plackett-luce", gain=gain)[0], curves("plackett-luce")[0]
    np.testing.assert_array_equal(found.disparity, graded.disparity)
    assert np.array_equal(found.quality, graded.quality) == (gain == "graded")


REFERENCE = curve([0, 0.4, 0.8], [0, 0.4, 0.8])
CHEAPER = curve([0, 0.2, 0.8], [0, 0.4, 0.8], policy="optimal")


def test_saving_by_hand() -> None:
    # at α = 1 the reference has quality .4 for .4; the other reaches .4 at .2
    saving = disparity_saved(REFERENCE, CHEAPER, alpha=1, rng=seed())
    assert (saving.quality, saving.reference, saving.other) == (0.4, 0.4, 0.2)
    assert saving.share == 0.5
    assert saving.n_queries == 1
    assert math.isnan(saving.interval.low)


def test_a_curve_of_one_point_is_compared_there() -> None:
    """Plackett–Luce at α = 3 alone: EE-D 0.4, EE-R 0.6; the other curve reaches 0.6 half way from 0.2 to 0.4."""
    one = replace(curve([0.4], [0.6]), alphas=np.array([3.0]))
    saving = disparity_saved(one, curve([0.2, 0.4], [0.5, 0.7]), alpha=3, rng=seed())
    assert (saving.reference, saving.other, saving.share) == pytest.approx((0.4, 0.3, 0.25))


def test_between_points_lines_are_straight() -> None:
    # halfway to α = 2: .6 for .6; the other is at .4 + 1/2·.4 there, x = .5
    saving = disparity_saved(REFERENCE, CHEAPER, alpha=1.5, rng=seed())
    assert saving.reference == pytest.approx(0.6)
    assert saving.other == pytest.approx(0.5)


def test_a_quality_never_reached_saves_nothing_known() -> None:
    saving = disparity_saved(REFERENCE, curve([0, 1], [0, 0.1]), alpha=2, rng=seed())
    assert math.isnan(saving.other)
    assert math.isnan(saving.share)


def test_places_must_exist() -> None:
    with pytest.raises(UndefinedError, match="no point at 9"):
        disparity_saved(REFERENCE, CHEAPER, alpha=9, rng=seed())


def test_the_comparison_is_paired() -> None:
    """Queries differ by far in quality, but each saves about half: so does every resample."""
    shift = seed(1).normal(size=30)
    x = np.linspace(0, 1, 5)[:, None] + np.zeros(30)
    y = x + shift
    saving = disparity_saved(curve(x, y), curve(x / 2, y), alpha=3, rng=seed())
    assert saving.share == pytest.approx(0.5)
    assert np.isnan(saving.interval).all()  # all save the same
    uneven = disparity_saved(curve(x, y), curve(x * seed(2).uniform(0.4, 0.6, 30), y), alpha=3, rng=seed())
    assert 0.45 < uneven.interval.low < uneven.share < uneven.interval.high < 0.55
