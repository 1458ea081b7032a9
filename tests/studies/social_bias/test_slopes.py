"""Slope of an outcome over a dose: by hand, on worlds without effect, and where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.stats.tests import two_sample_t_test
from fairviz.studies.social_bias.documents import clustered_slope


def test_two_doses_are_a_difference_per_unit() -> None:
    """Dose 0: 10 of 40; dose 2: 30 of 40. Half more in two steps: a quarter a step."""
    fit = clustered_slope(np.array([0.0, 2.0]), np.array([[5.0, 15.0], [5.0, 15.0]]), np.array([[20.0, 20.0]] * 2))
    assert fit["slope"] == pytest.approx(0.25)
    assert fit["low"] == pytest.approx(fit["high"])  # both clusters say the same


def test_clusters_of_one_are_the_jackknife_of_two_means() -> None:
    """With one row per cluster and two doses, CR3 is the jackknife: Welch's error times √(n/(n−1) (G−1)/G)."""
    rng = np.random.default_rng(0)
    low, high = rng.integers(-1, 2, (2, 20)).astype(float)
    trials = np.concatenate([np.tile([1.0, 0.0], (20, 1)), np.tile([0.0, 1.0], (20, 1))])
    fit = clustered_slope(np.array([0.0, 1.0]), trials * np.concatenate([low, high])[:, None], trials)
    welch = two_sample_t_test(high, low, equal_variance=False)
    assert fit["slope"] == pytest.approx(welch.difference)
    error = np.sqrt((high.var() + low.var()) / 19 * 20 / 19 * 39 / 40)
    assert (fit["high"] - fit["slope"]) / 2.0226909 == pytest.approx(error, rel=1e-6)


def test_one_dose_or_one_cluster_cannot_be_tested() -> None:
    assert np.isnan(clustered_slope(np.array([3.0]), np.array([[1.0]]), np.array([[2.0]]))["slope"])
    one = clustered_slope(np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
    assert one["slope"] == pytest.approx(0.5)
    assert np.isnan(one["p"])
    leaning = np.array([[1.0, 3.0], [1.0, 0.0]])  # the second cluster has no dose 1: without the first, no slope
    assert np.isnan(clustered_slope(np.array([0.0, 1.0]), leaning, np.array([[4.0, 4.0], [4.0, 0.0]]))["p"])


@given(st.integers(0, 2**32 - 1))
def test_order_of_clusters_and_swapped_outcomes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trials = rng.integers(1, 9, (12, 4)).astype(float)
    sums = rng.binomial(trials.astype(int), 0.4).astype(float)
    doses = np.arange(4.0)
    fit = clustered_slope(doses, sums, trials)
    order = rng.permutation(12)
    assert clustered_slope(doses, sums[order], trials[order]) == pytest.approx(fit)
    swapped = clustered_slope(doses, -sums, trials)
    assert (swapped["slope"], swapped["p"]) == pytest.approx((-fit["slope"], fit["p"]))


def test_worlds_without_effect_are_claimed_in_one_of_twenty() -> None:
    """Templates lean a lot, dose does nothing: 400 worlds of 12 templates × 20 answers along (+1) or against (−1)."""
    rng = np.random.default_rng(0)
    claims = 0
    for _ in range(400):
        share = 1 / (1 + np.exp(-rng.normal(0, 1, 12)))
        trials = rng.multinomial(20, [0.1, 0.3, 0.4, 0.2], 12)
        sums = 2.0 * rng.binomial(trials, share[:, None]) - trials
        claims += clustered_slope(np.arange(4.0), sums, trials.astype(float))["p"] < 0.05
    assert claims <= 32  # 20 are expected; more than 32 in one of 200 such tests
