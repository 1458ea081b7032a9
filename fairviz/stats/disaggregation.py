"""Recorded answers, disaggregated: a statistic of every group of answers, with intervals.

Statistics are functions of what is summed over answers, cluster by cluster: answers of a cluster, such as a question or
the template of many questions, move together. Clusters are drawn with replacement (:class:`Resampling`). As many
clusters have the same draws, whoever asks, and that is what pairs two groups or two sides. Tables of one shape are one
matrix product.

Arrays in, arrays out; what is undefined is NaN.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import ratio
from fairviz.model.results import in_units
from fairviz.stats.bootstrap import N_RESAMPLES, Interval, count_blocks, n_units, percentiles, units_of

AT_ONCE = 64
"""Tables that are resampled in one matrix product."""

STACKED = 2**26
"""Numbers of which such tables have no more together, but for a table that has more by itself."""

EXACT = 2**24
"""Whole numbers below it, and their sums, are exact in single precision: half the memory, and half the time."""

HELD = 2**12
"""Rows of which the totals are held: 2 000 resamples of each are 66 MB together."""


class Resampling(NamedTuple):
    """How chance is drawn: T clusters have the same resamples wherever they are asked for.

    Very many are resampled in groups (:mod:`fairviz.stats.bootstrap`), which differ in size by one: rates are to be
    made of totals of both, of outcomes and of numbers.

    Attributes:
        seed: Of resamples, and of permutations.
        n_resamples: Resamples of the clusters.
        n_permutations: Permutations of a test; with the data itself 10,000, so that no p is below 0.0001.
    """

    seed: int
    n_resamples: int = N_RESAMPLES
    n_permutations: int = 9_999

    def sums(self, sums: FloatArray) -> FloatArray:
        """(…, B) totals over the clusters under each resample, from (…, T) sums by cluster."""
        *shape, n_clusters = sums.shape
        if not n_clusters:
            return np.zeros((*shape, self.n_resamples))
        rows = in_units(sums.reshape(-1, n_clusters), _units(n_clusters, self.seed), n_units(n_clusters))
        with _drawing:  # else threads that begin at the same time draw the same
            counts = _drawn(rows.shape[1], self.seed, self.n_resamples)
            cache = _cached_totals(rows.shape[1], self.seed, self.n_resamples)
        if (rows != np.rint(rows)).any():  # only of whole numbers are sums the same in every order
            return (rows @ counts.T.astype(np.float64)).reshape(*shape, self.n_resamples)
        marks = [blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
        totals = {mark: cache.get(mark) for mark in marks}
        places = {mark: index for index, mark in enumerate(marks) if totals[mark] is None}
        fresh = rows[list(places.values())]
        single = np.abs(fresh).max(initial=0.0) * n_clusters < EXACT
        products = fresh.astype(np.float32) @ counts.T if single else fresh @ counts.T.astype(np.float64)
        totals |= zip(places, products.astype(np.float64), strict=True)
        with _drawing:
            cache |= totals
            for mark in list(cache)[: max(0, len(cache) - HELD)]:
                del cache[mark]
        return np.array([totals[mark] for mark in marks]).reshape(*shape, self.n_resamples)

    def data_and_sums(self, sums: FloatArray) -> FloatArray:
        """(…, 1+B) first the totals of the data itself, then :meth:`sums`."""
        return np.concatenate([sums.sum(axis=-1, keepdims=True), self.sums(sums)], axis=-1)


_drawing = Lock()


@lru_cache(maxsize=2)
def _cached_totals(n_units: int, seed: int, n_resamples: int) -> dict[bytes, FloatArray]:
    """(B) totals of rows of whole numbers by their mark: groups, their pairs, votes and changes have the same rows."""
    return {}


@lru_cache(maxsize=2)
def _drawn(n_units: int, seed: int, n_resamples: int) -> NDArray[np.float32]:
    """(B, T) resamples, held so that groups, pairs and votes of one table do not draw them again."""
    counts = np.empty((n_resamples, n_units), dtype=np.float32)
    start = 0
    for block in count_blocks(n_units, rng=np.random.default_rng(seed), n_resamples=n_resamples):
        counts[start : start + len(block)] = block
        start += len(block)
    return counts


@lru_cache(maxsize=2)
def _units(n_clusters: int, seed: int) -> IntArray | None:
    return units_of(n_clusters, rng=np.random.default_rng(seed))


def resampled(tables: Sequence[FloatArray], resampling: Resampling) -> Iterator[tuple[list[int], FloatArray]]:
    """Totals of each table, of the data and under every resample of its clusters.

    Args:
        tables: (…, T) sums by cluster each, of any shapes.
        resampling: How clusters are drawn.

    Yields:
        Places of N tables of one shape, and their (N, …, 1+B) totals, the data's own first; every place once.
    """
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, table in enumerate(tables):
        by_shape.setdefault(table.shape, []).append(index)
    for alike in by_shape.values():
        step = max(1, min(AT_ONCE, STACKED // max(1, tables[alike[0]].size)))
        for start in range(0, len(alike), step):
            places = alike[start : start + step]
            yield places, resampling.data_and_sums(np.stack([tables[index] for index in places]))


def mean_intervals(tables: Sequence[FloatArray], resampling: Resampling) -> list[Interval]:
    """Interval of each mean outcome, from (2, T) sums of outcomes and numbers of answers by cluster."""
    ends: dict[int, Interval] = {}
    for places, totals in resampled(tables, resampling):
        n = np.array([np.count_nonzero(tables[index][1]) for index in places])
        drawn = ratio(totals[:, 0, 1:], totals[:, 1, 1:])
        ends |= dict(zip(places, percentiles(drawn, n).each, strict=True))
    return [ends[index] for index in range(len(tables))]
