"""EE-D needed for the same quality."""

import math

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.points.summary import disparity_saved
from tests.studies.tradeoff.curves import curve, seed

REFERENCE = curve([0, 0.4, 0.8], [0, 0.4, 0.8])
CHEAPER = curve([0, 0.2, 0.8], [0, 0.4, 0.8], policy="optimal")


def test_saving_by_hand() -> None:
    # at α = 1 the reference has quality .4 for .4; the other reaches .4 at .2
    saving = disparity_saved(REFERENCE, CHEAPER, alpha=1, rng=seed())
    assert (saving.quality, saving.reference, saving.other) == (0.4, 0.4, 0.2)
    assert saving.share == 0.5
    assert saving.n_queries == 1
    assert math.isnan(saving.interval.low)


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


def test_a_curve_saves_nothing_against_itself() -> None:
    saving = disparity_saved(REFERENCE, REFERENCE, alpha=1, rng=seed())
    assert saving.share == pytest.approx(0)
