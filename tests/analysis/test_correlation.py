"""Correlation of EE-R with EU."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from fairviz.analysis.correlation import quality_correlation
from tests.analysis.curves import seed

tables = arrays(np.float64, (2, 6), elements=st.integers(0, 4).map(float))


@given(tables, tables)
def test_both_agree_with_scipy(x: np.ndarray, y: np.ndarray) -> None:
    ours = quality_correlation(x, y, rng=seed(), n_resamples=2)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(ours.pearson)
        assert math.isnan(ours.spearman)
        return
    assert ours.pearson == pytest.approx(stats.pearsonr(x.ravel(), y.ravel()).statistic)
    assert ours.spearman == pytest.approx(stats.spearmanr(x.ravel(), y.ravel()).statistic)


def test_intervals_resample_whole_queries() -> None:
    # one value per query, repeated at every α: more α tell nothing more
    x, noise = seed(1).normal(size=40), seed(2).normal(size=40)
    once = quality_correlation(x[None], (x + noise)[None], rng=seed())
    often = quality_correlation(
        np.tile(x, (5, 1)), np.tile(x + noise, (5, 1)), rng=seed(), n_resamples=2000
    )
    assert often.pearson_interval == pytest.approx(once.pearson_interval)
    assert often.spearman_interval == pytest.approx(once.spearman_interval, abs=0.01)
    assert once.pearson in once.pearson_interval
    assert (often.n_points, often.n_queries) == (200, 40)


def test_undefined_points_are_left_out() -> None:
    x = np.array([[0.0, 1.0, 2.0, math.nan]])
    y = np.array([[1.0, 3.0, 5.0, 7.0]])
    found = quality_correlation(x, y, rng=seed(), n_resamples=5)
    assert (found.pearson, found.n_points) == (pytest.approx(1), 3)
    with pytest.raises(ValueError, match="one shape"):
        quality_correlation(x, y[:, :2], rng=seed())
