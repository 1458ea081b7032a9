"""Bootstrap over queries: by hand and as laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from benchmarks.coverage import Population, coverage
from fairviz.model import Resamples
from fairviz.stats import bootstrap
from fairviz.stats.bootstrap import (
    Interval,
    Resampling,
    bootstrap_counts,
    bootstrap_interval,
    bootstrap_intervals,
    data_and_resamples,
    interval_of,
    mean_intervals,
    paired_bootstrap,
    percentiles,
    resampled_means,
    resampled_p,
    tail,
)
from tests.studies.tradeoff.curves import seed

values = arrays(np.float64, st.integers(2, 20), elements=st.floats(-5, 5))


def test_fewer_than_two_values_have_no_interval() -> None:
    for few in ([], [1.0], [1.0, math.nan]):
        interval = bootstrap_interval(np.array(few), rng=seed())
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)


def test_values_that_are_all_equal_have_no_interval() -> None:
    for equal in ([0.3] * 12, [0.1 + 0.2, 0.3] * 6, [math.inf] * 12):  # 0.1 + 0.2 is 0.3 but for rounding
        assert np.isnan(bootstrap_interval(np.array(equal), rng=seed())).all()
        assert np.isnan(bootstrap_intervals([np.array(equal)], seed=0)).all()


def test_rows_of_one_table_have_the_levels_of_their_own_sizes() -> None:
    drawn = np.tile(np.arange(1001.0), (2, 1))
    ends = percentiles(drawn, np.array([5, 40]))
    np.testing.assert_allclose(ends.low, 1000 * tail(np.array([5, 40])))
    np.testing.assert_allclose(ends.high, 1000 - ends.low)


@pytest.mark.parametrize("n", [5, 10, 14, 40])
@pytest.mark.parametrize("population", ["normal", "beta(.5, .8)"])
def test_intervals_cover_the_mean_as_often_as_they_say(population: Population, n: int) -> None:
    # 2,000 samples: one standard error is 0.5 points. Plain percentiles of 5 values cover 84 to 86 %.
    covered = coverage(population, n, n_samples=2_000, n_resamples=400, rng=seed(n))
    assert covered.expanded > 0.90 if n < 10 else 0.925 < covered.expanded < 0.97


def test_undefined_queries_are_left_out() -> None:
    holes = bootstrap_interval(np.array([1.0, math.nan, 4.0, 2.0]), rng=seed())
    assert holes == bootstrap_interval(np.array([1.0, 4.0, 2.0]), rng=seed())


def test_interval_of_a_mean_agrees_with_the_normal_limit() -> None:
    # 400 values of standard deviation 1: mean ± 1.96/√400 = ± 0.098
    sample = seed(1).normal(size=400)
    sample = (sample - sample.mean()) / sample.std()
    interval = bootstrap_interval(sample, rng=seed(2))
    assert interval.low == pytest.approx(-0.098, abs=0.01)
    assert interval.high == pytest.approx(0.098, abs=0.01)


@given(values)
def test_the_interval_lies_within_the_values(sample: np.ndarray) -> None:
    interval = bootstrap_interval(sample, rng=seed(), n_resamples=50)
    if np.ptp(sample) < 1e-9:
        return
    assert sample.min() - 1e-9 <= interval.low <= interval.high <= sample.max() + 1e-9


def test_counts_and_indices_are_the_same_resamples() -> None:
    drawn = seed().integers(0, 6, size=(3, 6))
    counts = bootstrap_counts(6, rng=seed(), n_resamples=3).counts
    np.testing.assert_array_equal(counts, [np.bincount(row, minlength=6) for row in drawn])


@given(st.lists(values, max_size=4))
def test_rows_do_not_depend_on_the_company_they_are_in(rows: list[np.ndarray]) -> None:
    rows = [*rows, np.array([1.0, math.nan, 3.0]), np.array([1.0, math.nan])]
    together = bootstrap_intervals(rows, seed=0, n_resamples=30)
    alone = [bootstrap_interval(row, rng=seed(), n_resamples=30) for row in rows]
    np.testing.assert_allclose(together, alone, atol=1e-12)


def test_an_infinite_value_moves_no_other_row() -> None:
    """Infinite means are not interpolated between; those of the row beside them are, as alone."""
    finite, infinite = np.arange(14) ** 2.0, np.array([-math.inf, *range(13)])
    together = bootstrap_intervals([finite, infinite], seed=0)
    assert together == [bootstrap_intervals([row], seed=0)[0] for row in (finite, infinite)]
    assert together[1].low == -math.inf


def test_of_many_queries_groups_are_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each query is in one of 16 groups of 4 or 5, drawn at random, whose counts are those of 16 queries."""
    monkeypatch.setattr(bootstrap, "MOST", 16)
    resamples = data_and_resamples(70, rng=seed(5), n_resamples=200)
    dense = np.array(list(resamples))  # (B, Q)
    assert (len(resamples), resamples.n_queries, dense.shape) == (201, 70, (201, 70))
    assert dense[0].tolist() == [1.0] * 70
    groups = np.unique(dense, axis=1, return_inverse=True)[1].ravel()
    assert sorted(np.bincount(groups).tolist()) == [4] * 10 + [5] * 6
    assert (np.diff(groups) != 0).sum() > 16, "neighbours have no group of their own"
    np.testing.assert_allclose(dense.sum(axis=1), 70)
    rng = seed(5)
    rng.permutation(70)
    drawn = bootstrap_counts(16, rng=rng, n_resamples=200).counts
    weight = dense[1:].max(axis=1) / drawn.max(axis=1)  # of each resample, so that it is of 70 queries
    columns = {tuple(column) for column in np.rint(dense[1:] / weight[:, None]).T.tolist()}
    assert columns == {tuple(column) for column in drawn.T.tolist()}


@given(st.integers(1, 40), st.integers(0, 5))
def test_products_are_those_of_the_counts_of_each_query(n: int, chosen: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "MOST", 12)
        resamples = bootstrap_counts(n, rng=seed(n), n_resamples=7)
    dense, rng = np.array(list(resamples)), seed(1)
    rows = rng.normal(size=(2, 3, n))
    np.testing.assert_allclose(resamples.totals(rows), rows @ dense.T, atol=1e-12)
    np.testing.assert_allclose(resamples @ rows[0].T, dense @ rows[0].T, atol=1e-12)
    np.testing.assert_allclose(resamples @ (rows[0, 0] > 0), dense @ (rows[0, 0] > 0), atol=1e-12)
    queries = rng.integers(0, n, size=chosen)
    np.testing.assert_array_equal(resamples.cells(slice(2, 5), queries), dense[2:5][:, queries])
    np.testing.assert_array_equal(np.array(list(resamples.of(queries))), dense[:, queries])


def test_intervals_of_many_queries_are_as_wide_as_theory_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A high mean: were totals divided by the number of queries, groups of 4 and 5 would widen it by a half.

    So they would that of tables of a sum and a number per query.
    """
    monkeypatch.setattr(bootstrap, "MOST", 400)
    rng = seed(4)
    rows = [(rng.random(1_800) < 0.9).astype(np.float64) for _ in range(8)]
    wanted = np.mean([2 * 1.96 * row.std() / math.sqrt(row.size) for row in rows])
    found = [
        bootstrap_intervals(rows, seed=1),
        [paired_bootstrap(row, np.zeros(1_800), rng=seed(1)).interval for row in rows],
        [interval_of(data_and_resamples(1_800, rng=seed(1)) @ row / 1_800, 1_800) for row in rows],
        mean_intervals([np.stack([row, np.ones_like(row)]) for row in rows], Resampling(1, 2_000)),
    ]
    widths = [float(np.mean([high - low for low, high in intervals])) for intervals in found]
    assert widths[0] == pytest.approx(wanted, rel=0.06)
    assert widths[3] == pytest.approx(wanted, rel=0.06)
    assert widths[1] == pytest.approx(widths[0])
    assert widths[2] == pytest.approx(widths[0]), "a total is of as many queries in every resample"


def test_an_infinite_value_makes_the_means_of_its_group_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a resample holds both infinities, of two groups or of one, its mean is undefined."""
    monkeypatch.setattr(bootstrap, "MOST", 3)
    resamples = bootstrap_counts(9, rng=seed(2), n_resamples=60)
    dense = np.array(list(resamples))
    for other in range(1, 9):
        row = np.arange(9.0)
        row[0], row[other] = math.inf, -math.inf
        (sums,), sizes = bootstrap._in_units(row[None, :], resamples.units)
        means = bootstrap._means(sums, sizes, resamples.counts)
        above, below = dense[:, 0] > 0, dense[:, other] > 0
        expected = np.where(above & below, math.nan, np.where(above, math.inf, -math.inf))
        np.testing.assert_array_equal(np.where(above | below, means, expected), expected)
        assert np.isfinite(means[~(above | below)]).all()


def test_resampled_means_by_hand() -> None:
    # the second resample holds query 0 twice, query 1 never and query 2 once: (2·1 + 4)/3
    counts = np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    rows = np.array([[1.0, 2.0, 4.0], [1.0, math.nan, 4.0]])
    means = resampled_means(rows, Resamples(counts), ~np.isnan(rows))
    np.testing.assert_allclose(means, [[7 / 3, 2.0, 2.0], [2.5, 2.0, math.nan]])


@given(values)
def test_a_system_does_not_differ_from_itself(sample: np.ndarray) -> None:
    same = paired_bootstrap(sample, sample, rng=seed(), n_resamples=20)
    assert same.difference == 0
    assert np.isnan(same.interval).all()


def test_pairing_removes_what_queries_share() -> None:
    hard = seed(3).normal(scale=10, size=50)
    own = seed(4).normal(scale=0.1, size=50)
    shift = paired_bootstrap(hard + own, hard, rng=seed())
    assert shift.difference == pytest.approx(own.mean())
    assert shift.interval == pytest.approx(bootstrap_interval(own, rng=seed()))
    with pytest.raises(ValueError, match="one shape"):
        paired_bootstrap(hard, hard[1:], rng=seed())


def test_p_of_a_resampled_mean_is_that_of_the_t_test() -> None:
    sample = seed(5).normal(0.4, 1, size=(3, 20))
    drawn = data_and_resamples(20, rng=seed(6), n_resamples=20_000).totals(sample) / 20
    wanted = [stats.ttest_1samp(row, 0).pvalue for row in sample]
    assert resampled_p(drawn, 20) == pytest.approx(wanted, rel=0.08)
    assert resampled_p(drawn[0], 20, null=float(drawn[0, 0])) == pytest.approx(1)


def test_p_is_small_in_5_of_100_worlds_without_effect() -> None:
    values = seed(7).beta(0.5, 0.8, size=(2_000, 14))
    drawn = data_and_resamples(14, rng=seed(8), n_resamples=300).totals(values) / 14
    assert 0.035 < (resampled_p(drawn, 14, null=0.5 / 1.3) < 0.05).mean() < 0.07


def test_p_of_what_never_varies_or_is_undefined() -> None:
    rows = np.array([[0.3, 0.3, 0.3], [0.0, 0.0, 0.0], [math.nan, 1.0, 2.0], [1.0, 2.0, 0.0]])
    assert resampled_p(rows, np.array([5, 5, 5, 1])).tolist() == pytest.approx([0, 1, math.nan, math.nan], nan_ok=True)


def test_an_interval_says_what_it_holds() -> None:
    assert 0 in Interval(-1.0, 1.0)
    assert 2 not in Interval(-1.0, 1.0)
    assert 0 not in Interval(math.nan, math.nan)


def test_the_level_is_expanded_by_the_number_of_values() -> None:
    """Hesterberg 2015, section 6: Phi(sqrt(n/(n-1)) t), of one number and of many."""
    sizes = np.array([[5, 1, 40], [5, 0, 100_000]])
    some = np.where(sizes > 1, sizes, 2.0)
    expected = np.where(sizes > 1, stats.norm.cdf(np.sqrt(some / (some - 1)) * stats.t.ppf(0.025, some - 1)), np.nan)
    np.testing.assert_allclose(tail(sizes), expected, rtol=1e-12)
    assert tail(40) == tail(sizes)[0, 2]
    assert np.shape(tail(40)) == ()
    assert np.isnan(tail(1))
