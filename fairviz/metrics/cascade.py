"""Expected exposure where attention reads the gains of a ranking on its way down (GERR).

Attention belongs to a ranking, not to a rank (Diaz et al. 2020, 4.1): exposure comes from rankings only, and the target
from an ideal one.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.attention import Cascade
from fairviz.exposure import sample_exposure
from fairviz.model import Exposure, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids


class CascadeExposure(NamedTuple):
    """Exposure under a cascade.

    Attributes:
        exposure: (M) expected exposure ε.
        target: (M) target exposure ε*.
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings of each query.
    """

    exposure: Exposure
    target: Exposure
    mean_square: FloatArray
    n_samples: IntArray


def cascade_exposure(
    ranked: Run | RankingSample, pools: Pools, cascade: Cascade, *, largest_gain: float
) -> CascadeExposure:
    """Expected and target exposure of one system's rankings.

    Args:
        ranked: A run is one ranking per query.
        pools: The alignment of ``ranked`` with the judgements.
        cascade: Patience, and the chance that an item of the largest gain satisfies.
        largest_gain: Of all judgements, whichever of them are in the pools.
    """
    among = float(pools.gains.max(initial=0.0))
    if among > 0:  # sample_exposure relates gains to the largest among the pools
        cascade = replace(cascade, phi=cascade.phi * among / largest_gain)
    sample = _as_sample(ranked) if isinstance(ranked, Run) else ranked
    sampled = sample_exposure(sample, pools, cascade)
    return CascadeExposure(sampled.exposure, _target(pools, cascade), sampled.mean_square, sampled.n_samples)


def _target(pools: Pools, cascade: Cascade) -> Exposure:
    """The exposure of one ideal ranking, shared within blocks of equal gain.

    Positions of a block are reached by the same items above and like items within, so that the
    mean over the block is the target of each of its items.
    """
    query = segment_ids(pools.offsets)
    order = np.lexsort((-pools.gains, query))
    ideal = RankingSample(
        system="ideal",
        query_ids=pools.query_ids,
        doc_ids=pools.doc_ids,
        query_offsets=np.arange(len(pools.query_ids) + 1),
        sample_offsets=pools.offsets,
        docs=pools.docs[order],
    )
    exposure = sample_exposure(ideal, pools, cascade).exposure
    keys = np.stack([query.astype(np.float64), pools.gains])
    _, block = np.unique(keys, axis=1, return_inverse=True)
    return (np.bincount(block, weights=exposure) / np.bincount(block))[block]


def _as_sample(run: Run) -> RankingSample:
    """A run as one ranking per query."""
    return RankingSample(
        system=run.system,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(run.query_ids) + 1),
        sample_offsets=run.offsets,
        docs=run.docs,
    )
