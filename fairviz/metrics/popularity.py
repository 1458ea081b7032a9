"""Popularity, as recommender systems are measured by it: Gini, catalogue coverage, ARP, APLT; kernels, descriptions.

Gini and coverage are of the whole system: how the places of all lists together are spread over the catalogue, which is
every candidate, ranked or judged, of a ranked query, and every item of a table of popularity. They have no interval: a
query that is drawn twice shows no item that was not shown before, so that resamples look more uneven than the system
is. ARP and APLT are means over lists. An item is as popular as the share of the ranked queries that find it useful, so
that judgements of a training period have popularity of that period; where a table counts how often items were chosen,
as popular as that count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairviz.metrics.describe import Measure, Options, declared
from fairviz.model import BoolArray, Exposure, FloatArray, IntArray, Pools
from fairviz.model.arrays import Ids, ratio, segment_ids, segment_sums
from fairviz.model.results import Counts
from fairviz.resources import content

# Kernels.


def gini(totals: FloatArray) -> float:
    r"""Gini coefficient, :math:`\sum_i (2i - n - 1) x_{(i)} / (n \sum_i x_i)` with :math:`x_{(i)}` rising.

    Args:
        totals: (D) what each item has in all, at least 0.

    Returns:
        0 = all items have the same … (n − 1) / n = one item has everything; NaN where there is nothing.

    Examples:
        >>> gini(np.array([2.0, 2.0])), gini(np.array([0.0, 0.0, 0.0, 8.0]))
        (0.0, 0.75)
    """
    whole = float(totals.sum())
    if not whole:
        return float("nan")
    n = totals.size
    return float(((2 * np.arange(1, n + 1) - n - 1) * np.sort(totals)).sum() / (n * whole))


def coverage(totals: FloatArray) -> float:
    """Share of the items that have anything: 0 = none … 1 = all; NaN without items.

    Examples:
        >>> coverage(np.array([0.0, 1.0, 3.0, 0.0]))
        0.5
    """
    return float((totals > 0).mean()) if totals.size else float("nan")


def long_tail(popularity: FloatArray, head: float) -> BoolArray:
    """Which items are outside the short head: the most popular ones that together have a share of all popularity.

    Items of equal popularity are on the same side: one is in the head if those that are more popular have less than the
    share.

    Args:
        popularity: (D) of each item, at least 0.
        head: Share of all popularity that the head has.

    Examples:
        >>> long_tail(np.array([8.0, 1.0, 1.0, 0.0]), 0.8)
        array([False,  True,  True,  True])
    """
    levels, level = np.unique(popularity, return_inverse=True)
    of_level = np.bincount(level, weights=popularity, minlength=levels.size)
    more = popularity.sum() - np.cumsum(of_level)  # what all more popular items have
    return more[level] >= head * popularity.sum() * (1 - 1e-12)


# Measures.


@dataclass(frozen=True, kw_only=True)
class PopularityEvidence:
    """What every popularity measure of one system is computed from.

    Attributes:
        pools: The system's rankings aligned with judgements.
        shown: (M) share of a query's lists in which an item is among the first k.
        counts: How often each document was chosen, by its id; None: what judgements say.
    """

    pools: Pools
    shown: Exposure
    counts: Mapping[str, float] | None = None

    @cached_property
    def ranked(self) -> BoolArray:
        """(M) whether an item is a candidate of a query that was ranked: the catalogue has no others."""
        return (self.pools.n_retrieved > 0)[segment_ids(self.pools.offsets)]

    @cached_property
    def candidates(self) -> list[str]:
        """Ids of the candidates of the ranked queries: the first items of the catalogue."""
        return Ids.of(self.pools.doc_ids).column.gather(np.unique(self.pools.docs[self.ranked])).to_list()

    @cached_property
    def items(self) -> IntArray:
        """(M) items of the catalogue, numbered without gaps; 0 for candidates of queries that were not ranked."""
        items = np.zeros(self.pools.docs.size, dtype=np.int64)
        items[self.ranked] = np.unique(self.pools.docs[self.ranked], return_inverse=True)[1]
        return items

    @cached_property
    def n_counted(self) -> tuple[int, int]:
        """Candidates that the table counts, and all of them."""
        return sum(doc in (self.counts or {}) for doc in self.candidates), len(self.candidates)

    @property
    def n_items(self) -> int:
        """Items of the catalogue: candidates, then those that the table alone names."""
        return len(self.candidates) + len(self.counts or ()) - self.n_counted[0]

    @cached_property
    def popularity(self) -> FloatArray:
        """(D) counts of the catalogue's items, 0 of those without one; without a table shares of the ranked queries."""
        if self.counts is not None:
            beside = self.counts.keys() - {*self.candidates}
            own = (self.counts.get(doc, 0.0) for doc in self.candidates)
            return np.array([*own, *(self.counts[doc] for doc in sorted(beside))], dtype=np.float64)
        useful = self.ranked & (self.pools.gains > 0)
        return np.bincount(self.items, useful, self.n_items) / max(int((self.pools.n_retrieved > 0).sum()), 1)

    def over_lists(self, values: FloatArray) -> FloatArray:
        """(Q) means of (D) values of items over the lists of each query; NaN where nothing is popular, or shown."""
        offsets = self.pools.offsets
        if not self.popularity.any():
            return np.full(offsets.size - 1, np.nan)
        return ratio(segment_sums(values[self.items] * self.shown, offsets), segment_sums(self.shown, offsets))


@dataclass(frozen=True, slots=True)
class OfTotals:
    """A function of what each item has over all queries.

    Attributes:
        evidence: Of the system.
        combine: From (D) totals to the value.
    """

    evidence: PopularityEvidence
    combine: Callable[[FloatArray], float]

    @property
    def defined(self) -> BoolArray:
        """(Q) queries that take part."""
        return self.evidence.pools.n_retrieved > 0

    def __call__(self, counts: Counts) -> FloatArray:
        """(B) values of those queries that count; NaN where one counts more than once."""
        queries, evidence = segment_ids(self.evidence.pools.offsets), self.evidence
        values = np.full(len(counts), np.nan)
        for at, row in enumerate(counts):
            if row.max(initial=0) <= 1:
                totals = np.bincount(evidence.items, evidence.shown * row[queries], evidence.n_items)
                values[at] = self.combine(totals.astype(np.float64))
        return values


class PopularityMeasure(Measure):
    """A popularity measure: of the whole system, by :data:`OF_TOTALS`, or a mean over lists, by :data:`OF_ITEMS`."""


OF_TOTALS: Mapping[str, Callable[[FloatArray], float]] = {"Gini": gini, "Coverage": coverage}
"""From (D) places of items over all queries to the value."""
OF_ITEMS: Mapping[str, Callable[[PopularityEvidence, Options], FloatArray]] = {
    "ARP": lambda evidence, _: evidence.popularity,
    "APLT": lambda evidence, options: long_tail(evidence.popularity, options["head"]).astype(np.float64),
}
"""The value of each item of the catalogue."""

POPULARITY_MEASURES = tuple(
    PopularityMeasure(name=name, **declared(record))
    for name, record in content("methods/measures")["popularity"].items()
)
