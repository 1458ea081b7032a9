"""Disaggregation of recorded answers: each step by hand, and against the same one answer at a time."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from fairviz.model import FloatArray
from fairviz.stats import bootstrap
from fairviz.stats.bootstrap import (
    Resampling,
    bootstrap_counts,
    data_and_resamples,
    mean_intervals,
    percentiles,
    resampled,
)


def means(*rows: FloatArray) -> list[FloatArray]:
    """Rows of a value per cluster as tables of sums and numbers."""
    return [np.stack([row, np.ones_like(row)]) for row in rows]


def test_resamples_are_those_of_the_seed_and_shared() -> None:
    rng = np.random.default_rng(4)
    sums = rng.normal(size=(2, 3, 6))
    resampling = Resampling(7, 50)
    counts = bootstrap_counts(6, rng=np.random.default_rng(7), n_resamples=50).counts
    np.testing.assert_array_equal(resampling.sums(np.eye(6)), counts.T)
    weights = data_and_resamples(6, rng=np.random.default_rng(7), n_resamples=50)
    np.testing.assert_allclose(resampling.data_and_sums(sums), weights.totals(sums))
    assert resampling.sums(np.zeros((2, 0))).tolist() == np.zeros((2, 50)).tolist()
    whole = np.array([[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 1.0, 0.0, 0.0, 3.0]])  # one row of one value
    assert resampling.sums(whole).tolist() == (whole @ counts.T).tolist()


def test_totals_of_whole_numbers_are_exact() -> None:
    rng = np.random.default_rng(1)
    whole, real = rng.integers(-2, 5, size=(3, 2, 90)).astype(np.float64), rng.random((4, 90))
    whole[0, 1], whole[1, 0] = 3.0, 0.0
    counts = bootstrap_counts(90, rng=np.random.default_rng(3), n_resamples=100).counts
    resampling = Resampling(3, 100)
    np.testing.assert_array_equal(resampling.sums(whole), whole @ counts.T)
    np.testing.assert_array_equal(resampling.sums(2.0**22 * whole), 2.0**22 * whole @ counts.T)  # in double precision
    np.testing.assert_array_equal(resampling.sums(real), real @ counts.T)


def test_of_many_clusters_groups_are_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cluster is in one of 16 groups of 4 or 5, whose counts are those of 16 clusters; all rows have the same."""
    monkeypatch.setattr(bootstrap, "MOST", 16)
    resampling = Resampling(5, 200)
    drawn = resampling.sums(np.eye(70))  # (clusters, B): how often each resample holds each
    counts = bootstrap_counts(16, rng=np.random.default_rng(5), n_resamples=200).counts
    assert {tuple(row) for row in drawn.tolist()} == {tuple(row) for row in counts.T.tolist()}
    rows = np.random.default_rng(0).random((3, 70))
    np.testing.assert_allclose(resampling.sums(rows), rows @ drawn)


def test_a_measure_of_one_table_does_not_depend_on_the_company_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five tables of two shapes, at most two at a time."""
    tables = [np.full((2, n), float(i)) for i, n in enumerate([3, 4, 3, 3, 4])]

    def places(some: Sequence[FloatArray] = tables) -> list[list[int]]:
        return [together for together, _ in resampled(some, Resampling(1, 5))]

    assert places() == [[0, 2, 3], [1, 4]]
    monkeypatch.setattr(bootstrap, "AT_ONCE", 2)
    assert places() == [[0, 2], [3], [1, 4]]
    assert places([]) == []
    monkeypatch.setattr(bootstrap, "STACKED", 13)  # numbers: two tables of 6, one of 8
    assert places() == [[0, 2], [3], [1], [4]]
    monkeypatch.setattr(bootstrap, "STACKED", 1)
    assert places() == [[0], [2], [3], [1], [4]]


def test_statistics_are_of_each_tables_own_totals() -> None:
    """The data's own first: 3 + 4 + 5 of the second row, whichever tables stand beside it."""
    tables = [np.arange(6.0).reshape(2, 3), np.zeros((2, 4)), np.ones((2, 3))]
    found = {
        place: row
        for places, drawn in resampled(tables, Resampling(1, 20))
        for place, row in zip(places, drawn[:, 1], strict=True)
    }
    assert [float(found[place][0]) for place in range(3)] == [12, 0, 3]
    assert found[0][1:].tolist() == Resampling(1, 20).sums(tables[0])[1].tolist()


def test_a_group_in_one_cluster_has_no_interval() -> None:
    """A group answers two clusters (right, wrong), one the first alone, one nothing; one has no cluster at all."""
    n = [np.array([1.0, 1.0]), np.array([1.0, 0.0]), np.zeros(2), np.zeros(0)]
    intervals = mean_intervals([np.stack([row * (np.arange(row.size) < 1), row]) for row in n], Resampling(0, 200))
    assert tuple(intervals[0]) == (0, 1)
    assert all(math.isnan(end) for interval in intervals[1:] for end in interval)


def test_intervals_are_undefined_below_two_clusters() -> None:
    drawn = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [math.nan] * 3])
    intervals = percentiles(drawn, np.array([2, 1, 5])).each
    assert intervals[0].low < 2 < intervals[0].high
    assert all(math.isnan(end) for interval in intervals[1:] for end in interval)


def test_intervals_of_means_are_each_rows_own() -> None:
    rows = [np.arange(5.0), np.array([1.0]), np.arange(5.0) ** 2, np.array([0.0, 1.0]), np.zeros(0)]
    together = mean_intervals(means(*rows), Resampling(1, 40))
    alone = [mean_intervals(means(row), Resampling(1, 40))[0] for row in rows]
    np.testing.assert_allclose(together, alone)
    assert [math.isnan(interval.low) for interval in together] == [False, True, False, False, True]
