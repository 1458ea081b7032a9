import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from fairviz.studies.ranks.analysis import PARTNERS, SERIES, RankSeries, rank_correlation, series_correlations


def series_of(values: np.ndarray) -> RankSeries:
    ids = tuple(f"q{i}" for i in range(values.shape[1]))
    return RankSeries(system="sys", irm="alpha_nDCG", query_ids=ids, values=values)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=20))
def test_is_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    result = rank_correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(result["pearson"])
        assert math.isnan(result["p_spearman"])
        return
    pearson, spearman = pearsonr(x, y), spearmanr(x, y)
    assert result["pearson"] == pytest.approx(pearson.statistic, abs=1e-12)
    assert result["p"] == pytest.approx(pearson.pvalue, abs=1e-7)
    assert result["spearman"] == pytest.approx(spearman.statistic, abs=1e-12)
    assert result["p_spearman"] == pytest.approx(spearman.pvalue, abs=1e-7)


def test_undefined_ranks_leave_and_infinite_ones_are_extremes() -> None:
    nan, inf = np.nan, np.inf
    result = rank_correlation(np.array([nan, 1.0, 2.0, 3.0]), np.array([0.0, inf, 5.0, 4.0]))
    assert result["n_ranks"] == 3
    assert math.isnan(result["pearson"])
    assert result["spearman"] == -1
    assert result["p_spearman"] == 0
    nothing = rank_correlation(np.full(3, nan), np.ones(3))
    assert nothing["n_ranks"] == 0
    assert math.isnan(nothing["pearson"])


def test_a_series_of_rounding_is_constant() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.3])
    up = np.arange(4.0)
    assert rank_correlation(up, np.append(x, 1.0))["spearman"] == rank_correlation(up, up == 3)["spearman"]
    assert math.isnan(rank_correlation(x, np.arange(3.0))["pearson"])


def test_table_3() -> None:
    values = np.zeros((len(SERIES), 3, 12))
    values[SERIES.index("FAIR")] = np.arange(12) / 12 + np.array([[0.0], [0.1], [0.2]])
    values[SERIES.index("nDCG")] = np.arange(12) ** 2 + np.array([[5.0], [3.0], [0.0]])
    result = series_correlations(series_of(values), rng=np.random.default_rng(0), cutoffs=(10, 12, 20), n_resamples=20)
    assert [(row["k"], row["metric"]) for row in result] == [
        (k, metric)
        for k in (10, 12)
        for metric in PARTNERS  # the series ends before 20
    ]
    ndcg = result[0]
    assert ndcg["n_ranks"] == 10
    assert ndcg["spearman"] == pytest.approx(1)
    assert ndcg["spearman_queries"] == pytest.approx(-1)  # down the ranks alike, over queries reversed
    assert ndcg["n_queries"] == 3
    assert math.isnan(result[1]["pearson"])  # RBP is constant


def test_too_few_queries_have_neither_p_nor_interval() -> None:
    rng = np.random.default_rng(0)
    for n in (9, 10):
        (cell,) = series_correlations(
            series_of(rng.random((len(SERIES), n, 10))), rng=rng, cutoffs=(10,), partners=("nDCG",), n_resamples=20
        )
        assert not math.isnan(cell["pearson"] + cell["spearman_queries"])
        judged = [cell[name] for name in ("p", "p_spearman", "pearson_queries_low", "pearson_queries_high")]
        assert [math.isnan(value) for value in judged] == [n == 9] * 4
