"""Expected-exposure measures of item-side fairness (Diaz et al. 2020; Kim & Diaz, 3.3.1).

Kernels: values per pool row and offsets in, one value per query out. EE-R carries no factor 2, so
EE-L = EE-D − 2·EE-R + ‖ε*‖².

What two published programs compute under these names stands at the end, for comparison: ``expeval`` is the program of
Diaz et al. (2020), ``fair_rag`` the code of Kim & Diaz. Both differ from the attainable normalisation, and from the
papers: their targets leave items out, and their bounds are not always bounds.
"""

from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.kernels.attention import Cascade
from fairviz.kernels.exposure import SampledExposure, sample_exposure, varies
from fairviz.model import Exposure, FloatArray, IndexArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_dots, segment_ids, segment_places, segment_sums

# Where attention reads the gains on its way down (GERR), exposure is of rankings only, and the target of an ideal one.


def cascade_exposure(
    ranked: Run | RankingSample, pools: Pools, cascade: Cascade, *, largest_gain: float
) -> tuple[SampledExposure, Exposure]:
    """Exposure of one system's rankings, and (M) its target.

    Args:
        ranked: A run is one ranking per query.
        pools: The alignment of ``ranked`` with the judgements.
        cascade: Patience, and the chance that an item of the largest gain satisfies.
        largest_gain: Of all judgements, whichever of them are in the pools.
    """
    among = float(pools.gains.max(initial=0.0))
    if among > 0:  # sample_exposure relates gains to the largest among the pools
        cascade = replace(cascade, phi=cascade.phi * among / largest_gain)
    sample = _one_each(ranked, ranked.docs) if isinstance(ranked, Run) else ranked
    return sample_exposure(sample, pools, cascade), _target(pools, cascade)


def _target(pools: Pools, cascade: Cascade) -> Exposure:
    """The exposure of one ideal ranking, shared within blocks of equal gain.

    Positions of a block are reached by the same items above and like items within, so that the
    mean over the block is the target of each of its items.
    """
    query = segment_ids(pools.offsets)
    order = np.lexsort((-pools.gains, query))
    ideal = _one_each(pools, pools.docs[order])
    return _shared(sample_exposure(ideal, pools, cascade).exposure, pools)


def _shared(exposure: Exposure, pools: Pools) -> Exposure:
    """(M) the mean of exposure over the items of a query that have one gain."""
    keys = np.stack([segment_ids(pools.offsets).astype(np.float64), pools.gains])
    _, block = np.unique(keys, axis=1, return_inverse=True)
    return (np.bincount(block, weights=exposure) / np.bincount(block))[block]


def _one_each(of: Run | Pools, docs: IndexArray) -> RankingSample:
    """One ranking per query."""
    return RankingSample(
        system="",
        query_ids=of.query_ids,
        doc_ids=of.doc_ids,
        query_offsets=np.arange(len(of.query_ids) + 1),
        sample_offsets=of.offsets,
        docs=docs,
    )


def ee_disparity(exposure: Exposure, offsets: IntArray) -> FloatArray:
    """EE-D, ‖ε‖²: how concentrated exposure is. Lower is more equal.

    Smallest where every item of the pool is exposed alike, largest for one fixed list.

    Args:
        exposure: (M) expected exposure per pool row.
        offsets: (Q+1) rows of each query.

    Examples:
        >>> ee_disparity(np.array([1.0, 1.0, 0.5, 0.5]), np.array([0, 2, 4]))
        array([2. , 0.5])
    """
    return segment_dots(exposure, exposure, offsets)


def ee_relevance(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-R, ⟨ε, ε*⟩: how much exposure is where usefulness is. Higher is better.

    Examples:
        >>> ee_relevance(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    return segment_dots(exposure, target, offsets)


def ee_loss(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-L, ‖ε − ε*‖²: distance from equal exposure of equally useful items. 0 = on target.

    Examples:
        >>> ee_loss(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    gap = exposure - target
    return segment_dots(gap, gap, offsets)


Part: TypeAlias = Literal["disparity", "relevance", "loss"]
"""EE-D, EE-R or EE-L."""


def plug_in(part: Part, exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """(Q) one of the three, from the exposure of the rankings at hand."""
    if part == "disparity":
        return ee_disparity(exposure, offsets)
    return (ee_relevance if part == "relevance" else ee_loss)(exposure, target, offsets)


def unbiased_disparity(disparity: FloatArray, mean_square: FloatArray, n_samples: IntArray | FloatArray) -> FloatArray:
    """EE-D from N sampled rankings without the plug-in's upward bias.

    E‖ε̂‖² = ‖ε‖² + (mean_π‖ε_π‖² − ‖ε‖²)/N, hence (N‖ε̂‖² − mean_π‖ε_π‖²)/(N−1).

    Args:
        disparity: (Q) plug-in ‖ε̂‖².
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings per query; of weighted ones their effective number, and means by squared weights in
            ``mean_square``.

    Returns:
        (Q) the estimate; NaN where N ≤ 1.
    """
    n = n_samples.astype(np.float64)
    unbiased = (n * disparity - mean_square) / np.where(n > 1, n - 1, 1)
    return np.where(n > 1, unbiased, np.nan)


def attainable(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """(value − low) / (high − low): 0 and 1 are the ends that any policy over the pool can have.

    Never clipped: a list shorter than the attention may lie outside [0, 1].

    Returns:
        (Q) the normalised values; NaN where low = high, since nothing can differ there.
    """
    open_ = varies(low, high)
    return np.where(open_, (values - low) / np.where(open_, high - low, 1.0), np.nan)


class Reference(NamedTuple):
    """One measure as a published program has it: raw values, its bounds, and its default."""

    raw: FloatArray
    low: FloatArray
    high: FloatArray
    default: float

    @property
    def normalised(self) -> FloatArray:
        """(value − low) / (high − low); the program's default where its bounds coincide."""
        width = self.high - self.low
        scaled = (self.raw - self.low) / np.where(width == 0, 1.0, width)
        return np.where(np.isnan(self.raw), np.nan, np.where(width == 0, self.default, scaled))


def fair_rag(part: Part, exposure: Exposure, pools: Pools, cutoff: int) -> Reference:
    """Kim & Diaz's published code: top-k attention, gain > 0 is useful, lower bounds 0.

    With m useful of n judged items: EE-D / k; the target is 1 (m ≤ k) or k/m for useful items and
    nothing for the others; EE-R / T and EE-L / (T + k) with T = m + (k−m)²/(n−m) or k²/m. A perfect
    list therefore scores EE-R < 1 where m < k. NaN where the code fails: m = 0, or n = m ≤ k.
    """
    useful = pools.gains > 0
    m = segment_sums(useful.astype(np.float64), pools.offsets)
    n = segment_sums(pools.judged.astype(np.float64), pools.offsets)
    defined = (m > 0) & ((n > m) | (m > cutoff))
    many = m > cutoff
    rest = np.where(many | ~defined, 1.0, n - m)
    m_safe = np.where(m > 0, m, 1.0)
    top = np.where(many, cutoff**2 / m_safe, m + (cutoff - m) ** 2 / rest)
    share = np.where(many, cutoff / m_safe, 1.0)
    target = np.where(useful, share[segment_ids(pools.offsets)], 0.0)
    high = {"disparity": np.full(m.size, float(cutoff)), "relevance": top, "loss": top + cutoff}[part]
    raw = plug_in(part, exposure, target, pools.offsets)
    return Reference(np.where(defined, raw, np.nan), np.zeros(m.size), high, 0.0)


def expeval(part: Part, exposure: Exposure, pools: Pools, *, patience: float, utility: float | None) -> Reference:
    """Diaz et al.'s expeval in its retrieval setting: RBP, or GERR where ``utility`` is given.

    Only relevant items have a target, and the number of items is infinite.

    Args:
        part: Of the three.
        exposure: (M) expected exposure under the same browsing model.
        pools: Rankings and judgements; any gain > 0 is relevant.
        patience: p.
        utility: u, the chance that a relevant item ends the reading; None = RBP.

    Returns:
        Values per query; NaN where nothing is relevant. A query that the run lacks gets the program's own worst
        values.
    """
    target = _expeval_target(pools, patience, utility or 0.0)
    squares = segment_sums(target**2, pools.offsets)
    n = segment_sums((pools.gains > 0).astype(np.float64), pools.offsets)
    base = patience if utility is None else patience * utility
    zero, widest = np.zeros(n.size), np.full(n.size, 1 / (1 - patience**2))
    reached = np.where(_n_grades(pools) < 2, 0.0, squares)
    high = {"disparity": widest, "relevance": reached, "loss": squares + 1 / (1 - base)}[part]
    worst = {"disparity": widest, "relevance": zero, "loss": reached}[part]
    raw = np.where(pools.n_retrieved == 0, worst, plug_in(part, exposure, target, pools.offsets))
    return Reference(np.where(n > 0, raw, np.nan), zero, high, 1.0 if part == "relevance" else 0.0)


def _expeval_target(pools: Pools, patience: float, utility: float) -> Exposure:
    """Mean, over the block of equal gain, of attention in an ideal ranking of the relevant items."""
    query = segment_ids(pools.offsets)
    position = segment_places(pools.offsets)
    relevant = segment_sums((pools.gains > 0).astype(np.float64), pools.offsets)[query]
    attention = np.empty(position.size)
    attention[np.lexsort((-pools.gains, query))] = patience**position * (1 - utility) ** np.minimum(position, relevant)
    return np.where(pools.gains > 0, _shared(attention, pools), 0.0)


def _n_grades(pools: Pools) -> IntArray:
    """Distinct gains among the relevant items of each query."""
    pairs = np.stack([segment_ids(pools.offsets).astype(np.float64), pools.gains])[:, pools.gains > 0]
    queries = np.unique(pairs, axis=1)[0].astype(np.int64)
    return np.bincount(queries, minlength=pools.sizes.size)
