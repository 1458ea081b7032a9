"""Recorded answers, disaggregated: one measure for every group of answers, with intervals and tests.

Written once and applied to any measure, as Fairlearn's MetricFrame does, in five steps:

1. group: rows that agree in some columns are one group (:func:`grouped`);
2. sum: measures are functions of what is summed over answers, cluster by cluster (:func:`clusters_of`). Answers of a
   cluster, such as a question or the template of many questions, move together;
3. resample: clusters are drawn with replacement (:class:`Resampling`). As many clusters have the same draws, whoever
   asks, and that is what pairs two groups or two sides;
4. pair: answers with a reference's answer to the same (:func:`partners`), or groups on the clusters that both have
   (:func:`common_differences`);
5. correct: Holm over the tests that are seen at once (:func:`holm_by_family`).

Arrays in, arrays out; what is undefined is NaN, what is left out is counted.

Why arrays: at three million answers a table of all codes groups three times as fast as pandas' ``groupby``, and sums
and pairs ten times as fast as ``groupby`` and an ``Index`` do.
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import ratio
from fairviz.model.factors import Factor
from fairviz.model.results import in_units
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval, count_blocks, n_units, percentiles, units_of
from fairviz.stats.tests import holm

Codes: TypeAlias = NDArray[np.signedinteger[Any]]
"""Integers of any width that stand for values."""

MAX_TABLE = 2**24
"""Largest table of codes that is looked up rather than sorted."""

AT_ONCE = 64
"""Tables that are resampled in one matrix product."""

STACKED = 2**26
"""Numbers of which such tables have no more together, but for a table that has more by itself."""

# Group


class Combinations(NamedTuple):
    """The combinations of several columns' codes that occur.

    Attributes:
        codes: (G, K) code of each column; rows rise.
        of: (R) combination of each row.
    """

    codes: IntArray
    of: IntArray

    @property
    def n(self) -> int:
        """G, how many combinations occur."""
        return len(self.codes)

    def listed(self) -> list[list[int]]:
        """The combinations as numbers of Python."""
        return self.codes.tolist()


class Groups(NamedTuple):
    """Rows of a table, grouped by columns.

    Attributes:
        columns: Names of the columns.
        values: (G) the value of each column, group by group, in the order of the columns' values.
        of: (R) group of each row.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    of: IntArray

    def pairs(self, group: int) -> tuple[tuple[str, str], ...]:
        """(column, value) pairs of a group."""
        return tuple(zip(self.columns, self.values[group], strict=True))

    def rows(self) -> list[IntArray]:
        """Rows of each group, rising."""
        order = np.argsort(self.of, kind="stable")
        ends = np.searchsorted(self.of[order], np.arange(1, len(self.values)))
        return np.split(order, ends) if self.values else []


def distinct(codes: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Codes that occur, rising, and the place of each row's code among them; 0 ≤ codes < ``size``.

    As ``np.unique``, but without sorting where a table of all codes is small enough.

    Examples:
        >>> distinct(np.array([7, 2, 7]), 9)
        (array([2, 7]), array([1, 0, 1]))
    """
    if size > MAX_TABLE:
        occurring, places = np.unique(codes, return_inverse=True)
        return occurring, places.reshape(-1).astype(np.int64)
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes] = True
    places = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), places[codes]


def combinations_of(columns: Sequence[Codes], n_rows: int) -> Combinations:
    """Combinations of columns' codes; without columns all rows are one.

    Args:
        columns: (R) codes each.
        n_rows: R.

    Examples:
        >>> both = combinations_of([np.array([1, 0, 1]), np.array([-1, 5, -1])], 3)
        >>> both.codes.tolist(), both.of.tolist()
        ([[0, 5], [1, -1]], [1, 0, 1])
    """
    joint, size = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        width = high + 1 - low
        if size * width > MAX_TABLE:
            occurring, joint = distinct(joint, size)
            size = occurring.size
        joint = joint * width + (column.astype(np.int64) - low)
        size *= width
    occurring, of = distinct(joint, size)
    example = np.zeros(occurring.size, dtype=np.int64)
    example[of] = np.arange(n_rows)
    codes = np.zeros((occurring.size, len(columns)), dtype=np.int64)
    for place, column in enumerate(columns):
        codes[:, place] = column[example]
    return Combinations(codes, of)


def grouped(factors: Sequence[Factor], n_rows: int) -> Groups:
    """Group rows by the values of columns; combinations that do not occur are no groups.

    Args:
        factors: The columns, R rows each; none: all rows are one group.
        n_rows: R.

    Examples:
        >>> groups = grouped([Factor.of("model", ["b", "a", "b"]), Factor.of("k", ["5", "5", "5"])], 3)
        >>> groups.values, groups.of.tolist()
        ((('b', '5'), ('a', '5')), [0, 1, 0])
    """
    combinations = combinations_of([factor.codes for factor in factors], n_rows)
    values = tuple(
        tuple(factor.values[code] for factor, code in zip(factors, codes, strict=True))
        for codes in combinations.listed()
    )
    return Groups(tuple(factor.name for factor in factors), values, combinations.of)


# Sum


class Clusters(NamedTuple):
    """The clusters in which groups have answers.

    Attributes:
        groups: (X) group, rising.
        clusters: (X) a cluster in which it has answers, rising within the group.
        of: (A) which of these X each answer is in.
        ends: (G+1) the X of group g are those from ``ends[g]`` to ``ends[g + 1]``.
    """

    groups: IntArray
    clusters: IntArray
    of: IntArray
    ends: IntArray

    @property
    def sizes(self) -> IntArray:
        """(G) clusters in which each group has answers."""
        return np.diff(self.ends)

    def sums(self, cells: IntArray, n_cells: int, values: FloatArray | None = None) -> FloatArray:
        """(C, X) answers in each cell, or the sum of their values.

        Args:
            cells: (A) what is counted: 0 … C − 1, such as the context and the answer.
            n_cells: C.
            values: (A) what is summed; None counts.
        """
        n = self.groups.size
        sums = np.bincount(cells * n + self.of, values, minlength=n_cells * n)
        return sums.astype(np.float64).reshape(n_cells, n)

    def by_group(self, sums: FloatArray) -> list[FloatArray]:
        """(C, T) columns of each group's own T clusters."""
        ends: list[int] = self.ends.tolist()
        return [sums[:, start:end] for start, end in pairwise(ends)]


def n_clusters(groups: IntArray, clusters: IntArray, n_groups: int) -> IntArray:
    """(G) clusters in which each group has answers, where nothing else of them is asked.

    Examples:
        >>> n_clusters(np.array([0, 1, 0]), np.array([3, 3, 5]), 2)
        array([2, 1])
    """
    width = int(clusters.max(initial=0)) + 1
    if n_groups * width > 8 * MAX_TABLE:  # a mark is an eighth of a place
        return clusters_of(groups, clusters, n_groups).sizes
    occurs = np.zeros((n_groups, width), dtype=np.bool_)
    occurs[groups, clusters] = True
    return np.count_nonzero(occurs, axis=1).astype(np.int64)


def clusters_of(groups: IntArray, clusters: IntArray, n_groups: int) -> Clusters:
    """Lay A answers out by group and cluster; both are codes from 0.

    Examples:
        >>> clusters = clusters_of(np.array([0, 1, 0]), np.array([3, 3, 5]), 2)
        >>> clusters.sizes.tolist(), clusters.sums(np.array([0, 0, 0]), 1).tolist()
        ([2, 1], [[1.0, 1.0, 1.0]])
    """
    width = int(clusters.max(initial=0)) + 1
    occurring, of = distinct(groups * width + clusters, n_groups * width)
    group, cluster = np.divmod(occurring, width)
    return Clusters(group, cluster, of, np.searchsorted(group, np.arange(n_groups + 1)).astype(np.int64))


class ClusterMeans(NamedTuple):
    """(G, T) sums of outcomes and numbers of answers, by group and cluster; the T clusters are of all groups."""

    sums: FloatArray
    n: FloatArray

    @property
    def means(self) -> FloatArray:
        """(G, T) mean outcome; NaN where a group has no answer in a cluster."""
        return ratio(self.sums, self.n)

    def intervals(self, resampling: "Resampling") -> list[Interval]:
        """Interval of each group's mean outcome: clusters are resampled, with all their answers."""
        drawn = ratio(resampling.sums(self.sums), resampling.sums(self.n))
        return intervals_of(drawn, (self.n > 0).sum(axis=1))


# Resample


class Resampling(NamedTuple):
    """How clusters are resampled: T clusters have the same draws wherever they are asked for.

    Very many are resampled in groups (:mod:`fairviz.stats.bootstrap`), which differ in size by one: rates are to be
    made of totals of both, of outcomes and of numbers.
    """

    seed: int
    n_resamples: int = N_RESAMPLES

    def sums(self, sums: FloatArray) -> FloatArray:
        """(…, B) totals over the clusters under each resample, from (…, T) sums by cluster."""
        *shape, n_clusters = sums.shape
        if not n_clusters:
            return np.zeros((*shape, self.n_resamples))
        rows = in_units(sums.reshape(-1, n_clusters), _units(n_clusters, self.seed), n_units(n_clusters))
        with _drawing:  # else threads that begin at the same time draw the same
            counts = _drawn(rows.shape[1], self.seed, self.n_resamples)
        return (rows @ counts.T).reshape(*shape, self.n_resamples)

    def data_and_sums(self, sums: FloatArray) -> FloatArray:
        """(…, 1+B) first the totals of the data itself, then :meth:`sums`."""
        return np.concatenate([sums.sum(axis=-1, keepdims=True), self.sums(sums)], axis=-1)


_drawing = Lock()


@lru_cache(maxsize=2)
def _drawn(n_units: int, seed: int, n_resamples: int) -> FloatArray:
    """(B, T) resamples, held so that groups, pairs and votes of one table do not draw them again."""
    counts = np.empty((n_resamples, n_units))
    start = 0
    for block in count_blocks(n_units, rng=np.random.default_rng(seed), n_resamples=n_resamples):
        counts[start : start + len(block)] = block
        start += len(block)
    return counts


@lru_cache(maxsize=2)
def _units(n_clusters: int, seed: int) -> IntArray | None:
    return units_of(n_clusters, rng=np.random.default_rng(seed))


def alike(tables: Sequence[FloatArray], at_once: int | None = AT_ONCE) -> Iterator[list[int]]:
    """Places of tables of one shape, at most so many at a time; every place once."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for place, table in enumerate(tables):
        by_shape.setdefault(table.shape, []).append(place)
    for places in by_shape.values():
        fit = STACKED // max(1, tables[places[0]].size)
        step = max(1, min(at_once, fit)) if at_once else len(places)
        for start in range(0, len(places), step):
            yield places[start : start + step]


def intervals_of(drawn: FloatArray, n_clusters: IntArray) -> list[Interval]:
    """95 % intervals of N statistics from (N, B) resampled ones, of (N) clusters each; NaN ends below two."""
    ends = percentiles(drawn, n_clusters)
    return [Interval(low, high) for low, high in zip(ends.low.tolist(), ends.high.tolist(), strict=True)]


def mean_intervals(rows: Sequence[FloatArray], resampling: Resampling) -> list[Interval]:
    """Interval of the mean of each row, a value per cluster; rows of one length are one product."""
    intervals = [UNDEFINED] * len(rows)
    for places in alike(rows, at_once=None):
        n = rows[places[0]].size
        if n > 1:
            means = resampling.sums(np.stack([rows[i] for i in places])) / resampling.sums(np.ones(n))
            for i, interval in zip(places, intervals_of(means, np.full(len(places), n)), strict=True):
                intervals[i] = interval
    return intervals


# Pair


class Partners(NamedTuple):
    """Rows and the reference's rows that belong to them.

    Attributes:
        rows: (P) a row that is not the reference's.
        references: (P) the reference's row with its key.
        n_unpaired: Rows without one.
        n_repeated: Rows of the reference whose key another one has; of these any is taken.
    """

    rows: IntArray
    references: IntArray
    n_unpaired: int
    n_repeated: int


def partners(keys: IntArray, is_reference: BoolArray) -> Partners:
    """Pair every row that is not the reference's with the reference's row of its key.

    Args:
        keys: (R) what pairs agree in: codes from 0, as of :func:`combinations_of`.
        is_reference: (R) whether the row is the reference's.

    Examples:
        >>> partners(np.array([0, 1, 1, 2]), np.array([True, True, False, False]))
        Partners(rows=array([2]), references=array([1]), n_unpaired=1, n_repeated=0)
    """
    references, others = np.flatnonzero(is_reference), np.flatnonzero(~is_reference)
    row_of = np.full(int(keys.max(initial=-1)) + 1, -1, dtype=np.int64)
    row_of[keys[references]] = references
    partner = row_of[keys[others]]
    paired = partner >= 0
    n_keys = int((row_of >= 0).sum())
    return Partners(others[paired], partner[paired], int((~paired).sum()), references.size - n_keys)


def common_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """First − second on the clusters in which both have a value (not NaN).

    Examples:
        >>> common_differences(np.array([1.0, np.nan, 0.5]), np.array([0.0, 1.0, 0.5]))
        array([1., 0.])
    """
    differences = first - second
    return differences[~np.isnan(differences)]


# Correct


def holm_by_family(p_values: FloatArray, families: Sequence[Hashable]) -> FloatArray:
    """Holm's p-values, within each family of tests; undefined tests (NaN) are of no family.

    Args:
        p_values: (N) p of each test.
        families: (N) tests that are equal in it are corrected together.

    Examples:
        >>> holm_by_family(np.array([0.02, 0.03, 0.02]), ["a", "a", "b"])
        array([0.04, 0.04, 0.02])
    """
    places: dict[Hashable, list[int]] = {}
    for place, family in enumerate(families):
        places.setdefault(family, []).append(place)
    corrected = np.full(p_values.shape, np.nan)
    for family in places.values():
        corrected[family] = holm(p_values[family])
    return corrected
