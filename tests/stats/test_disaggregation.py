"""Disaggregation of recorded answers: each step by hand, and against the same one answer at a time."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import Factor
from fairviz.stats import bootstrap, disaggregation
from fairviz.stats.bootstrap import bootstrap_counts, data_and_resamples
from fairviz.stats.disaggregation import (
    ClusterMeans,
    Resampling,
    alike,
    clusters_of,
    combinations_of,
    common_differences,
    distinct,
    grouped,
    holm_by_family,
    intervals_of,
    mean_intervals,
    partners,
)
from fairviz.stats.tests import holm

codes = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 4), st.integers(0, 1)), max_size=12)


@given(rows=codes)
@pytest.mark.parametrize("largest_table", [4, 2**24])
def test_combinations_are_those_of_unique_rows(rows: list[tuple[int, int, int]], largest_table: int) -> None:
    """Codes are looked up in a table, or sorted where it would be too large, with the same result."""
    table = np.array(rows, dtype=np.int16).reshape(len(rows), 3)
    with patch.object(disaggregation, "MAX_TABLE", largest_table):
        combinations = combinations_of([*table.T], len(rows))
    known, of = np.unique(table, axis=0, return_inverse=True)
    np.testing.assert_array_equal(combinations.codes, known)
    np.testing.assert_array_equal(combinations.of, of.reshape(-1))
    assert combinations.n == len(known)
    assert combinations.listed() == known.tolist()


def test_without_columns_all_rows_are_one_group() -> None:
    groups = grouped([], 3)
    assert (groups.values, groups.of.tolist(), groups.pairs(0)) == (((),), [0, 0, 0], ())
    assert grouped([], 0).values == ()
    assert grouped([], 0).rows() == []


def test_groups_by_hand() -> None:
    """m1·x in rows 0 and 3, m1·y in row 2, m2·y in row 1; m2·x does not occur."""
    model, setting = Factor.of("model", ["m1", "m2", "m1", "m1"]), Factor.of("setting", ["x", "y", "y", "x"])
    groups = grouped([model, setting], 4)
    assert groups.values == (("m1", "x"), ("m1", "y"), ("m2", "y"))
    assert groups.pairs(1) == (("model", "m1"), ("setting", "y"))
    assert [rows.tolist() for rows in groups.rows()] == [[0, 3], [2], [1]]


def test_distinct_codes_of_nothing() -> None:
    occurring, places = distinct(np.zeros(0, dtype=np.int64), 5)
    assert (occurring.size, places.size) == (0, 0)


def test_sums_by_cluster_by_hand() -> None:
    """Group 0 answers clusters 2 (twice) and 7, group 2 cluster 2; group 1 nothing.

    Cells are 0 1 0 1 with values 1 2 3 4.
    """
    clusters = clusters_of(np.array([0, 0, 0, 2]), np.array([2, 7, 2, 2]), 3)
    assert (clusters.groups.tolist(), clusters.clusters.tolist(), clusters.sizes.tolist()) == (
        [0, 0, 2],
        [2, 7, 2],
        [2, 0, 1],
    )
    cells, values = np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    assert clusters.sums(cells, 2).tolist() == [[2, 0, 0], [0, 1, 1]]
    tables = clusters.by_group(clusters.sums(cells, 2, values))
    assert [table.tolist() for table in tables] == [[[4, 0], [0, 2]], [[], []], [[0], [4]]]


def test_a_group_in_one_cluster_has_no_interval() -> None:
    """Group 0 answers clusters 0 and 1 (right, wrong), group 1 cluster 0 alone, group 2 nothing."""
    table = ClusterMeans(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]))
    intervals = table.intervals(Resampling(0, 200))
    assert tuple(intervals[0]) == (0, 1)
    assert all(math.isnan(end) for interval in intervals[1:] for end in interval)
    nothing = ClusterMeans(np.zeros((2, 0)), np.zeros((2, 0)))
    assert all(math.isnan(end) for interval in nothing.intervals(Resampling(0, 20)) for end in interval)


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
    """Each cluster is in one group, all rows have the same groups, and groups are of one size but for one cluster."""
    monkeypatch.setattr(bootstrap, "MOST", 16)
    resampling = Resampling(5, 200)
    drawn = resampling.sums(np.eye(70))  # (clusters, B): how often each resample holds each
    groups = np.unique(drawn, axis=0, return_inverse=True)[1].ravel()
    assert sorted(np.bincount(groups).tolist()) == [4] * 10 + [5] * 6
    counts = bootstrap_counts(16, rng=np.random.default_rng(5), n_resamples=200).counts
    assert {tuple(row) for row in drawn.tolist()} == {tuple(row) for row in counts.T.tolist()}
    rows = np.random.default_rng(0).random((3, 70))
    np.testing.assert_allclose(resampling.sums(rows), rows @ drawn)
    assert (resampling.sums(np.ones((1, 70))) != 70).any()


def test_intervals_of_groups_are_as_wide_as_those_of_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A high rate: were totals divided by the number of clusters, groups of 4 and 5 would widen it by a half."""
    monkeypatch.setattr(bootstrap, "MOST", 400)
    rng = np.random.default_rng(4)
    rows = [(rng.random(1_800) < 0.9).astype(np.float64) for _ in range(8)]
    widths = [interval.high - interval.low for interval in mean_intervals(rows, Resampling(1, 2_000))]
    wanted = [2 * 1.96 * row.std() / math.sqrt(row.size) for row in rows]
    assert np.mean(widths) == pytest.approx(np.mean(wanted), rel=0.06)


def test_a_measure_of_one_table_does_not_depend_on_the_company_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five tables of two shapes, at most two at a time."""
    tables = [np.full((2, n), float(i)) for i, n in enumerate([3, 4, 3, 3, 4])]
    assert list(alike(tables, 2)) == [[0, 2], [3], [1, 4]]
    assert list(alike(tables, None)) == [[0, 2, 3], [1, 4]]
    assert list(alike([])) == []
    monkeypatch.setattr(disaggregation, "STACKED", 13)  # numbers: two tables of 6, one of 8
    assert list(alike(tables)) == [[0, 2], [3], [1], [4]]
    monkeypatch.setattr(disaggregation, "STACKED", 1)
    assert list(alike(tables)) == [[0], [2], [3], [1], [4]]
    assert list(alike(tables, None)) == [[0, 2, 3], [1, 4]]


def test_intervals_are_undefined_below_two_clusters() -> None:
    drawn = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [math.nan] * 3])
    intervals = intervals_of(drawn, np.array([2, 1, 5]))
    assert intervals[0].low < 2 < intervals[0].high
    assert all(math.isnan(end) for interval in intervals[1:] for end in interval)


def test_intervals_of_means_are_each_rows_own() -> None:
    rows = [np.arange(5.0), np.array([1.0]), np.arange(5.0) ** 2, np.array([0.0, 1.0]), np.zeros(0)]
    together = mean_intervals(rows, Resampling(1, 40))
    alone = [mean_intervals([row], Resampling(1, 40))[0] for row in rows]
    np.testing.assert_allclose(together, alone)
    assert [math.isnan(interval.low) for interval in together] == [False, True, False, False, True]


def test_partners_are_paired_missed_and_counted() -> None:
    """Keys 0 1 2 of the reference, 1 twice; others ask for 2, 3 and 0."""
    keys = np.array([0, 1, 2, 1, 2, 3, 0])
    paired = partners(keys, np.array([True] * 4 + [False] * 3))
    assert paired.rows.tolist() == [4, 6]
    assert paired.references.tolist() == [2, 0]
    assert (paired.n_unpaired, paired.n_repeated) == (1, 1)
    nobody = partners(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
    assert (nobody.rows.size, nobody.n_unpaired, nobody.n_repeated) == (0, 0, 0)


def test_differences_are_taken_where_both_have_a_value() -> None:
    first, second = np.array([1.0, math.nan, 0.5, 0.0]), np.array([0.0, 1.0, math.nan, 1.0])
    assert common_differences(first, second).tolist() == [1, -1]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("ab")), min_size=1, max_size=10))
def test_holm_within_each_family(tests: list[tuple[float, str]]) -> None:
    p_values, families = np.array([p for p, _ in tests]), [family for _, family in tests]
    corrected = holm_by_family(p_values, families)
    for name in set(families):
        own = [i for i, family in enumerate(families) if family == name]
        np.testing.assert_array_equal(corrected[own], holm(p_values[own]))


def test_untested_rows_are_of_no_family() -> None:
    assert math.isnan(holm_by_family(np.array([0.02, math.nan]), ["a", "a"])[1])
    assert holm_by_family(np.array([0.02, math.nan]), ["a", "a"])[0] == 0.02
    assert holm_by_family(np.zeros(0), []).size == 0


def test_numbers_of_clusters_are_those_of_the_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """By marks in a table, and by sorting where the table were too large."""
    rng = np.random.default_rng(0)
    groups, clusters = rng.integers(0, 5, size=200), rng.integers(0, 90, size=200)
    wanted = [len({*clusters[groups == group].tolist()}) for group in range(6)]
    for largest in (2**24, 1):
        monkeypatch.setattr(disaggregation, "MAX_TABLE", largest)
        assert disaggregation.n_clusters(groups, clusters, 6).tolist() == wanted
