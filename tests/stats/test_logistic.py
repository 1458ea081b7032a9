"""Slope of shares over a dose: by hand, on worlds without effect, and where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.stats.logistic import logistic_slope


def test_two_doses_are_an_odds_ratio() -> None:
    """Dose 0: 10 of 40, odds 1/3; dose 2: 30 of 40, odds 3. Nine times in two steps: 3 a step."""
    fit = logistic_slope(np.array([0.0, 2.0]), np.array([[5.0, 15.0], [5.0, 15.0]]), np.array([[20.0, 20.0]] * 2))
    assert fit.odds_ratio == pytest.approx(3)
    assert fit.n_clusters == 2
    assert fit.low == pytest.approx(fit.high)  # both clusters say the same


def test_clusters_of_one_are_the_jackknife_of_a_two_by_two_table() -> None:
    """With one row per cluster and two doses, CR3 is n/(n−1) of the jackknife of each odds."""
    trials = np.concatenate([np.tile([1.0, 0.0], (20, 1)), np.tile([0.0, 1.0], (20, 1))])
    won = trials * (np.arange(40) % 20 < np.repeat([5, 12], 20))[:, None]
    fit = logistic_slope(np.array([0.0, 1.0]), won, trials)
    assert fit.slope == pytest.approx(np.log((12 / 8) / (5 / 15)))
    # score y − p of a row over the information of its dose without the row: Σ (y − p)² / ((n − 1) p q)² = n p q / …
    variance = sum(20 * p * (1 - p) / (19 * p * (1 - p)) ** 2 for p in (0.25, 0.6)) * 39 / 40
    assert (fit.high - fit.low) / 2 / 2.0226909 == pytest.approx(np.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize(
    ("won", "slope"),
    [([0, 0, 0], np.nan), ([4, 4, 4], np.nan), ([0, 0, 3], np.inf), ([3, 0, 0], -np.inf), ([0, 2, 4], np.inf)],
)
def test_where_no_finite_slope_fits_there_is_no_test(won: list[int], slope: float) -> None:
    fit = logistic_slope(np.arange(3.0), np.array([won, won], float), np.full((2, 3), 4.0))
    assert fit.slope == pytest.approx(slope, nan_ok=True)
    assert np.isnan([fit.low, fit.high, fit.p]).all()


def test_one_dose_or_one_cluster_cannot_be_tested() -> None:
    assert np.isnan(logistic_slope(np.array([3.0]), np.array([[1.0]]), np.array([[2.0]])).slope)
    one = logistic_slope(np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
    assert np.isfinite(one.slope)
    assert np.isnan(one.p)
    leaning = np.array([[1.0, 3.0], [1.0, 0.0]])  # the second cluster has no dose 1: without the first, no slope
    assert np.isnan(logistic_slope(np.array([0.0, 1.0]), leaning, np.array([[4.0, 4.0], [4.0, 0.0]])).p)


@given(st.integers(0, 2**32 - 1))
def test_order_of_clusters_and_swapped_outcomes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trials = rng.integers(1, 9, (12, 4)).astype(float)
    won = rng.binomial(trials.astype(int), 0.4).astype(float)
    doses = np.arange(4.0)
    fit = logistic_slope(doses, won, trials)
    order = rng.permutation(12)
    assert np.allclose(fit, logistic_slope(doses, won[order], trials[order]))
    lost = logistic_slope(doses, trials - won, trials)
    assert (lost.slope, lost.p) == pytest.approx((-fit.slope, fit.p))


def test_worlds_without_effect_are_claimed_in_one_of_twenty() -> None:
    """Templates differ a lot, dose does nothing: 400 worlds of 12 templates × 20 answers."""
    rng = np.random.default_rng(0)
    claims = 0
    for _ in range(400):
        share = 1 / (1 + np.exp(-rng.normal(0, 1, 12)))
        trials = rng.multinomial(20, [0.1, 0.3, 0.4, 0.2], 12)
        won = rng.binomial(trials, share[:, None]).astype(float)
        claims += logistic_slope(np.arange(4.0), won, trials.astype(float)).p < 0.05
    assert claims <= 32  # 20 are expected; more than 32 in one of 200 such tests
