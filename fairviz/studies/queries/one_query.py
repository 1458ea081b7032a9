"""One query of a run at one α: exact exposure of what was retrieved, its target, EE-D and EE-R."""

import math
from dataclasses import dataclass

import numpy as np

from fairviz.attention import TopK
from fairviz.exposure import Gain, exposure_bounds, run_exposure, target_exposure
from fairviz.metrics.exposure import attainable, ee_disparity, ee_relevance
from fairviz.model import FloatArray, Pools
from fairviz.policies import ScoreScale
from fairviz.studies.tradeoff.along_alpha import only_query, query_exposures
from fairviz.studies.tradeoff.curves import relevance_measure
from fairviz.studies.tradeoff.figures_queries import QueryExposure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """One query at one α; ``quality`` is its EE-R as a measure string, ``target`` NaN where nobody judged the query."""

    bars: QueryExposure
    scores: FloatArray
    target: FloatArray
    judged: tuple[bool, ...]
    disparity: float
    relevance: float
    n_retrieved: int
    quality: str

    @property
    def stays(self) -> float:
        """Share of attention that stays on the items of the deterministic list."""
        return float(self.bars.exposure[self.bars.fixed > 0].sum() / self.bars.exposure.sum())

    @property
    def useful(self) -> float:
        """Share of attention on useful items."""
        return self._useful(self.bars.exposure)

    @property
    def fixed_useful(self) -> float:
        """The same of the deterministic list."""
        return self._useful(self.bars.fixed)

    @property
    def is_judged(self) -> bool:
        """Whether anybody judged the query."""
        return not np.isnan(self.target).all()

    def _useful(self, exposure: FloatArray) -> float:
        total = float(exposure.sum()) if self.is_judged else 0.0
        return float(exposure[self.bars.gains > 0].sum()) / total if total else math.nan


def seen(
    pools: Pools,
    query: str,
    *,
    k: int,
    alpha: float,
    gain: Gain = "graded",
    scores: ScoreScale = "given",
    offset: float = 1.0,
) -> Seen:
    """Exact exposure of one query's retrieved items, and its measures; the target as relevance is counted.

    Args:
        pools: Of the run, one of whose queries it is.
        query: Its id.
        k: Items that the reader sees.
        alpha: Fairness control.
        gain: Graded usefulness, or useful / not useful.
        scores: How scores become s̄.
        offset: Of the logits.
    """
    at = pools.query_ids.index(query)
    query_pool, attention = only_query(pools, at), TopK(k)
    (mean_exposure,) = query_exposures(
        pools, at, alphas=np.array([alpha]), attention=attention, offset=offset, scores=scores
    )
    target = target_exposure(query_pool, attention, gain=gain)
    bounds = exposure_bounds(target, query_pool.offsets, attention)
    n = int(query_pool.n_retrieved[0])
    docs: list[int] = query_pool.docs[:n].tolist()
    return Seen(
        bars=QueryExposure(
            exposure=mean_exposure[:n],
            fixed=run_exposure(query_pool, attention)[:n],
            gains=query_pool.gains[:n],
            names=tuple(query_pool.doc_ids[d] for d in docs),
        ),
        scores=query_pool.scores[:n],
        target=target[:n] if query_pool.judged.any() else np.full(n, np.nan),
        judged=tuple(bool(j) for j in query_pool.judged[:n]),
        disparity=float(attainable(ee_disparity(mean_exposure, query_pool.offsets), *bounds.disparity)[0]),
        relevance=float(attainable(ee_relevance(mean_exposure, target, query_pool.offsets), *bounds.relevance)[0]),
        n_retrieved=n,
        quality=relevance_measure(attention, gain),
    )
