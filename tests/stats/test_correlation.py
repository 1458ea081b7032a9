"""Correlation of EE-R with EU."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from fairviz.stats.bootstrap import tail
from fairviz.stats.correlation import quality_correlation
from tests.studies.tradeoff.curves import seed

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


def test_undefined_points_are_left_out() -> None:
    x = np.array([[0.0, 1.0, 2.0, math.nan]])
    y = np.array([[1.0, 3.0, 5.0, 7.0]])
    found = quality_correlation(x, y, rng=seed(), n_resamples=5)
    assert (found.pearson, found.n_points) == (pytest.approx(1), 3)
    with pytest.raises(ValueError, match="one shape"):
        quality_correlation(x, y[:, :2], rng=seed())


def test_intervals_agree_with_a_literal_bootstrap() -> None:
    x = np.round(seed(1).random((3, 8)), 1)  # with ties
    y = np.round(x + seed(2).random((3, 8)), 1)
    y[0, 2] = math.nan
    found = quality_correlation(x, y, rng=seed(), n_resamples=300)
    drawn = seed().integers(0, 8, size=(300, 8))
    known = [stats.spearmanr(x[:, q].ravel(), y[:, q].ravel(), nan_policy="omit")[0] for q in drawn]
    assert found.spearman_interval == pytest.approx(tuple(np.quantile(known, [tail(8), 1 - tail(8)])))
    pairs = [(x[:, q].ravel(), y[:, q].ravel()) for q in drawn]
    linear = [np.corrcoef(a[~np.isnan(b)], b[~np.isnan(b)])[0, 1] for a, b in pairs]
    assert found.pearson_interval == pytest.approx(tuple(np.quantile(linear, [tail(8), 1 - tail(8)])))


def test_chunks_of_resamples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = seed(1).random((2, 9)), seed(2).random((2, 9))
    whole = quality_correlation(x, y, rng=seed(), n_resamples=50)
    monkeypatch.setattr("fairviz.stats.correlation.CELLS", 40)
    assert quality_correlation(x, y, rng=seed(), n_resamples=50) == whole


def test_no_common_point_is_undefined() -> None:
    found = quality_correlation(np.array([[math.nan]]), np.array([[1.0]]), rng=seed())
    assert math.isnan(found.pearson)
    assert math.isnan(found.spearman)
    assert found.n_points == 0
