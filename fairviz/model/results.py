"""What the library computes: pools, exposures, scores and curves.

Resampled queries are how often each resample holds each query, in bounded memory.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model.arrays import (
    BoolArray,
    DocIds,
    FloatArray,
    IndexArray,
    IntArray,
    check_indices,
    check_offsets,
    frozen,
)


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """A matrix of (B, Q) counts whose columns are equal within a unit: a query, or a group of queries drawn as one.

    Attributes:
        counts: (B, U) how often each resample holds each unit; of groups so weighed that every row is of Q queries.
        units: (Q) unit of each query; None where every query is its own.
    """

    counts: FloatArray
    units: IntArray | None = None

    def __len__(self) -> int:
        """B."""
        return len(self.counts)

    def __iter__(self) -> Iterator[FloatArray]:
        """(Q) counts of one resample after the other."""
        return iter(self.counts) if self.units is None else (row[self.units] for row in self.counts)

    @property
    def n_queries(self) -> int:
        """Q."""
        return self.counts.shape[1] if self.units is None else self.units.size

    def __matmul__(self, values: FloatArray | BoolArray) -> FloatArray:
        """(B) or (B, P) totals of (Q) or (Q, P) values under each resample.

        Examples:
            >>> resamples = Resamples(np.array([[2.0, 0.0]]), units=np.array([0, 1, 0]))
            >>> resamples @ np.array([1.0, 10.0, 5.0])
            array([12.])
        """
        return self.counts @ in_units(values.T, self.units, self.counts.shape[1]).T

    def totals(self, rows: FloatArray) -> FloatArray:
        """(…, B) totals of (…, Q) rows under each resample."""
        return in_units(rows, self.units, self.counts.shape[1]) @ self.counts.T

    def of(self, queries: IntArray) -> "Resamples":
        """The columns of some queries."""
        if self.units is None:
            return Resamples(self.counts[:, queries])
        return Resamples(self.counts, self.units[queries])

    def only(self, keep: BoolArray) -> "Resamples":
        """The resamples, where only (Q) some queries count.

        Examples:
            >>> one = Resamples(np.array([[2.0, 1.0]]))
            >>> one.only(np.array([True, False])) @ np.array([1.0, 10.0])
            array([2.])
        """
        if self.units is None:
            return Resamples(self.counts * keep)
        nothing = np.zeros((len(self), 1))
        return Resamples(np.hstack([self.counts, nothing]), np.where(keep, self.units, self.counts.shape[1]))

    def cells(self, resamples: slice, queries: IntArray) -> FloatArray:
        """Counts of some resamples, a column for each of the queries, which may come again."""
        return self.counts[resamples][:, queries if self.units is None else self.units[queries]]


Counts: TypeAlias = FloatArray | Resamples
"""(B, Q) how often each query counts."""


def in_units(rows: FloatArray | BoolArray, units: IntArray | None, n_units: int) -> FloatArray:
    """(…, U) totals of (…, Q) rows by unit: the rows themselves where every query is its own.

    Examples:
        >>> in_units(np.array([[1.0, 10.0, 5.0]]), np.array([0, 1, 0]), 2)
        array([[ 6., 10.]])
    """
    if units is None:
        return rows.astype(np.float64, copy=False)
    flat = rows.reshape(-1, units.size)
    sums = np.array([np.bincount(units, row, n_units) for row in flat], dtype=np.float64)
    return sums.reshape(*rows.shape[:-1], n_units)


Exposure: TypeAlias = FloatArray
"""(M) expected attention per pool row, aligned with the rows of a :class:`Pools`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pools:
    """The one alignment of rankings, judgements and labels: per query, its pool of items.

    Rows of a query stand in this order: first the items that were retrieved, best first; then the
    judged items that were not. Kernels take ``(values, offsets)`` of a Pools and see no ids.

    Attributes:
        query_ids: Q queries: the judged ones where judgements are given, else those of the run.
        doc_ids: D document ids; ``docs`` points into them.
        offsets: (Q+1) rows of query q.
        docs: (M) document index.
        scores: (M) retrieval score, NaN = not retrieved.
        gains: (M) max(grade, 0); 0 = unjudged or not useful.
        judged: (M) whether the item was judged for this query.
        n_retrieved: (Q) retrieved items: the first rows of each query. 0 = query missing.
        unjudged_queries: Queries of the run that have no judgements, left out.
    """

    query_ids: tuple[str, ...]
    doc_ids: DocIds
    offsets: IntArray
    docs: IndexArray
    scores: FloatArray
    gains: FloatArray
    judged: np.ndarray[tuple[int], np.dtype[np.bool_]]
    n_retrieved: IntArray
    unjudged_queries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_offsets(self.offsets, len(self.query_ids), self.docs.size, "pools")
        check_indices(self.docs, len(self.doc_ids), "pool items")
        frozen(self.offsets, self.docs, self.scores, self.gains, self.n_retrieved)

    @property
    def sizes(self) -> IntArray:
        """(Q) items in the pool of each query."""
        return np.diff(self.offsets)

    @property
    def missing_queries(self) -> tuple[str, ...]:
        """Judged queries for which nothing was retrieved: undefined, counted, named."""
        return tuple(query for query, n in zip(self.query_ids, self.n_retrieved, strict=True) if n == 0)


ParamValue: TypeAlias = str | int | float | bool | dict[int, int]
"""What a parameter of a measure can be; only ``nDCG(gains={…})`` takes a mapping."""


@dataclass(frozen=True, slots=True)
class MeasureSpec:
    """A measure string, parsed once.

    Attributes:
        name: Catalogue name ("EED") or an ir-measures name ("nDCG").
        params: Parameters as typed, validated.
        cutoff: The ``@k``, if any.
        text: The string as typed, if it was.
    """

    name: str
    params: dict[str, ParamValue] = field(default_factory=dict[str, ParamValue])
    cutoff: int | None = None
    text: str = ""

    @property
    def shown(self) -> str:
        """What results call it: the text, or the name where there is none."""
        return self.text or self.name


Flags: TypeAlias = dict[str, "bool | int | float | str"]
"""Facts that stand beside a number: ``single_sample``, ``n_smoothed``, …"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """One measure of one system, per query; NaN = undefined.

    Attributes:
        system: Name of the system.
        measure: The measure string as typed.
        query_ids: Q queries.
        values: (Q) value per query, NaN = undefined.
        aggregate: How the system's value is made of them.
        unranked: (Q) queries that the system did not rank; None: none.
        tied: (2, Q) smallest and largest value over all orders of tied documents; None: their order changes none, or
            the ends are not known.
        flags: Extra facts a reader of the number needs ("single_sample": True).
    """

    system: str
    measure: str
    query_ids: tuple[str, ...]
    values: FloatArray
    aggregate: Literal["mean", "min", "max"] = "mean"
    unranked: BoolArray | None = None
    tied: FloatArray | None = None
    flags: Flags = field(default_factory=dict[str, "bool | int | float | str"])

    @property
    def tie_band(self) -> tuple[float, float] | None:
        """Smallest and largest mean over all orders of tied documents; None as ``tied``."""
        if self.tied is None:
            return None
        low, high = (float(ends[~np.isnan(ends)].mean()) for ends in self.tied)
        return low, high

    @property
    def ranked(self) -> BoolArray:
        """(Q) queries that the system ranked, or answered."""
        return np.ones(self.values.size, dtype=np.bool_) if self.unranked is None else ~self.unranked

    def among(self, queries: Collection[str]) -> "Scores":
        """The scores, undefined for queries that the system did not rank and for all but these."""
        keep = self.ranked & np.array([query in queries for query in self.query_ids], dtype=np.bool_)
        return self if keep.all() else self.kept(keep)

    def kept(self, keep: BoolArray) -> "Scores":
        """The scores, undefined but for these (Q) queries."""
        values, tied = (None if ends is None else np.where(keep, ends, np.nan) for ends in (self.values, self.tied))
        return replace(self, values=values, tied=tied)

    @property
    def n_queries(self) -> int:
        """Queries asked about, defined or not."""
        return self.values.size

    @property
    def n_undefined(self) -> int:
        """Queries without a value."""
        return int(np.isnan(self.values).sum())

    @property
    def n_defined(self) -> int:
        """Queries in the mean."""
        return self.n_queries - self.n_undefined

    @property
    def value(self) -> float:
        """Mean (or smallest, or largest) over the queries that have a value; NaN if none has."""
        defined = self.values[~np.isnan(self.values)]
        if not defined.size:
            return float("nan")
        if self.aggregate != "mean":
            return float(defined.min() if self.aggregate == "min" else defined.max())
        if np.isinf(defined).any() and np.unique(defined[np.isinf(defined)]).size > 1:
            return float("nan")  # ∞ − ∞
        return float(defined.mean())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemScore:
    """One measure of one system that is a function of means over queries: one value, not Q.

    Attributes:
        system: Name of the system.
        measure: The measure string as typed.
        query_ids: Q queries asked about.
        defined: (Q) those that take part.
        statistic: (B, Q) how often each query counts -> (B) the value then.
        flags: Extra facts a reader of the number needs.
    """

    system: str
    measure: str
    query_ids: tuple[str, ...]
    defined: BoolArray
    statistic: Callable[[Counts], FloatArray]
    flags: Flags = field(default_factory=dict[str, "bool | int | float | str"])

    @property
    def ranked(self) -> BoolArray:
        """(Q) queries that take part."""
        return self.defined

    def among(self, queries: Collection[str]) -> "SystemScore":
        """The score, where none but these queries take part."""
        keep = np.array([query in queries for query in self.query_ids], dtype=np.bool_)
        whole = self.statistic

        def statistic(counts: Counts) -> FloatArray:
            return whole(counts.only(keep) if isinstance(counts, Resamples) else counts * keep)

        return self if keep.all() else replace(self, defined=self.defined & keep, statistic=statistic)

    @property
    def n_queries(self) -> int:
        """Queries asked about, taking part or not."""
        return len(self.query_ids)

    @property
    def n_undefined(self) -> int:
        """Queries that take no part."""
        return int((~self.defined).sum())

    @property
    def n_defined(self) -> int:
        """Queries that take part."""
        return self.n_queries - self.n_undefined

    @property
    def is_resampled(self) -> bool:
        """Whether it has a value of queries that are drawn twice, so that resamples say how sure it is."""
        return not np.isnan(self.statistic(np.full((1, len(self.query_ids)), 2.0))).all()

    @property
    def value(self) -> float:
        """The value with every query counted once; NaN where it is undefined."""
        if not self.defined.any():
            return float("nan")
        return float(self.statistic(np.ones((1, len(self.query_ids))))[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """A disparity–quality curve of one system under one policy: A points over Q queries.

    Points average over the queries where both axes are defined.

    Attributes:
        system: Name of the system.
        policy: "plackett-luce", "optimal", "oracle", "uniform", "deterministic", "sampled", …
        query_ids: Q queries.
        alphas: (A) fairness control of each point, NaN = the point has none.
        disparity: (A, Q) x per query, NaN = undefined. EE-D unless ``x`` says otherwise.
        quality: (A, Q) y per query.
        score: (A, Q) ⟨ε, s̄⟩, mean normalised score of what is shown; NaN = no scores.
        n_samples: Rankings drawn per query, None = exact.
        n_effective: (A) effective answers per query of points that are estimated from answers recorded at other α;
            None = none is.
        x, y: Labels of the axes as in the catalogue ("EED", "EER", "EU").
    """

    system: str
    policy: str
    query_ids: tuple[str, ...]
    alphas: FloatArray
    disparity: FloatArray
    quality: FloatArray
    score: FloatArray
    n_samples: int | None = None
    n_effective: FloatArray | None = None
    x: str = "EED"
    y: str = "EER"

    def __post_init__(self) -> None:
        shape = (self.alphas.size, len(self.query_ids))
        if not self.disparity.shape == self.quality.shape == self.score.shape == shape:
            raise ValueError(f"curve: expected arrays of shape {shape}")

    @property
    def defined(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """(A, Q) where both axes have a value."""
        return ~(np.isnan(self.disparity) | np.isnan(self.quality))

    @property
    def n_undefined(self) -> IntArray:
        """(A) queries that are in no mean of that point."""
        return (~self.defined).sum(axis=1)

    @property
    def n_defined(self) -> int:
        """Queries in the mean of the point that has fewest."""
        return len(self.query_ids) - int(self.n_undefined.max(initial=0))

    @property
    def mean_disparity(self) -> FloatArray:
        """(A) x of each point, NaN where no query is defined."""
        return _mean_where(self.disparity, self.defined)

    @property
    def mean_quality(self) -> FloatArray:
        """(A) y of each point."""
        return _mean_where(self.quality, self.defined)

    @property
    def mean_score(self) -> FloatArray:
        """(A) mean of ⟨ε, s̄⟩ over the same queries, NaN where scores are unknown."""
        return _mean_where(self.score, self.defined)

    def at(self, places: IntArray | BoolArray) -> "Curve":
        """The points at some places."""
        return replace(self, **{name: getattr(self, name)[places] for name in _ALONG})

    def only(self, alphas: Sequence[float]) -> "Curve":
        """The points at some α (NaN: those without one), in their own order."""
        return self.at(np.isin(self.alphas, alphas) | (np.isnan(self.alphas) & bool(np.isnan(alphas).any())))

    def run_on(self, end: "Curve") -> "Curve":
        """The curve with the points of another one at its end: the deterministic list closes Plackett–Luce.

        Raises:
            ValueError: If their queries differ.
        """
        if self.query_ids != end.query_ids:
            raise ValueError("only curves over the same queries can be joined")
        both = {name: np.concatenate([getattr(self, name), getattr(end, name)]) for name in _ALONG}
        return replace(self, **both, n_effective=None)

    def rising(self) -> "Curve":
        """The curve with its points by rising α."""
        return self.at(np.argsort(self.alphas, kind="stable"))


_ALONG = ("alphas", "disparity", "quality", "score")
"""What a curve has of each of its points."""


def _mean_where(values: FloatArray, where: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> FloatArray:
    counts = where.sum(axis=1)
    sums = np.where(where, values, 0.0).sum(axis=1)
    means: FloatArray = sums / np.maximum(counts, 1)
    means[counts == 0] = np.nan
    return means
