"""One system along α: the grids of α, its Plackett–Luce curve for either gain, and the ends of the oracle."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.attention import Attention
from fairviz.exposure import Gain, target_exposure
from fairviz.model import Curve, Exposure, FloatArray, IntArray, Pools, Run
from fairviz.policies import PlackettLuce, ScoreScale, frontier
from fairviz.studies.tradeoff.curves import PoolAxes, exposure_curve, pool_axes, relevance_measure
from fairviz.studies.tradeoff.intervals import only_alphas
from fairviz.studies.tradeoff.summary import joined

GAINS: tuple[Gain, Gain] = ("graded", "binary")
ALPHAS: FloatArray = np.arange(65) / 8
"""The slider's grid: 0, 1/8, …, 8."""
GRID, COARSE = 33, 17
"""Points along α from which areas, slopes and everything else that is estimated is read, the same for every curve and
on every surface (0:8:33, the default of the command too); fewer where a run is large."""
LARGE = 30_000
"""Lines of a run from which fewer points are computed: more would keep a person waiting."""


def measured_at(runs: Sequence[Run]) -> FloatArray:
    """(A) the α from which the areas of some runs are read: one grid for all of them.

    Examples:
        >>> measured_at([]).size
        33
    """
    large = any(run.docs.size > LARGE for run in runs)
    return np.linspace(0.0, 8.0, COARSE if large else GRID)


def on_grid(curve: Curve, alphas: FloatArray) -> Curve:
    """The points of a curve on the grid that all curves share, and those without an α."""
    return only_alphas(curve, [*alphas.tolist(), np.nan])


def by_alpha(first: Curve, second: Curve) -> Curve:
    """The points of two curves of one policy of a system, by rising α."""
    both = joined(first, second)
    order = np.argsort(both.alphas, kind="stable")
    return replace(
        both,
        alphas=both.alphas[order],
        disparity=both.disparity[order],
        quality=both.quality[order],
        score=both.score[order],
    )


def gain_axes(pools: Pools, gain: Gain, attention: Attention, scores: ScoreScale) -> PoolAxes:
    """What the curves of one gain are measured by; for binary gain a document is relevant from grade 1."""
    return pool_axes(pools, target_exposure(pools, attention, gain=gain), attention, scores=scores)


def plackett_luce_curves(
    pools: Pools,
    *,
    system: str,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    scores: ScoreScale = "given",
) -> dict[Gain, Curve]:
    """Exact Plackett–Luce along α for graded and for binary gain.

    Exposure does not depend on the gain: one pass, which takes nearly all of the time, gives both.

    Args:
        pools: A scored run with its judgements.
        system: Name of the system.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """
    exposures = [PlackettLuce(float(a), offset, scores).exposure(pools, attention) for a in alphas]

    def curve(gain: Gain) -> Curve:
        axes, quality = gain_axes(pools, gain, attention, scores), relevance_measure(attention, gain)
        return exposure_curve(axes, exposures, system, "plackett-luce", alphas, quality=quality)

    return {gain: curve(gain) for gain in GAINS}


def oracle_ends(axes: PoolAxes, reference: Curve, attention: Attention) -> Curve:
    """The oracle outside the disparities of a Plackett–Luce curve: from uniform, and up to EE-D 1, without an α."""
    inner = reference.mean_disparity[~np.isnan(reference.mean_disparity)]
    low, high = float(inner.min(initial=1.0)), float(inner.max(initial=0.0))
    outside = np.concatenate([np.linspace(0, low, 13)[:-1], [max(high, 1.0)]])
    exposures: Sequence[Exposure] = frontier("oracle", axes.pools, axes.target, attention).at(outside)
    nowhere = np.full(outside.size, np.nan)
    return exposure_curve(axes, exposures, reference.system, "oracle", nowhere, quality=reference.y)


def query_exposures(
    pools: Pools,
    query: int,
    *,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    scores: ScoreScale = "given",
) -> FloatArray:
    """(A, n) exact Plackett–Luce exposure of one query's n pool items at each α.

    Args:
        pools: A scored run with its judgements.
        query: Index of the query in ``pools``.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """
    single = only_query(pools, query)
    return np.stack([PlackettLuce(float(a), offset, scores).exposure(single, attention) for a in alphas])


def only_query(pools: Pools, query: int) -> Pools:
    """The pool of one query, still pointing into the same ids."""
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    ends: IntArray = np.array([0, rows.stop - rows.start], dtype=np.int64)
    return Pools(
        query_ids=pools.query_ids[query : query + 1],
        doc_ids=pools.doc_ids,
        offsets=ends,
        docs=pools.docs[rows],
        scores=pools.scores[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        n_retrieved=pools.n_retrieved[query : query + 1],
    )
