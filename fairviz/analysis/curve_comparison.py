"""Two systems' curves side by side, paired by query: area first, then points fixed in advance."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.comparison import Comparison, compare_all
from fairviz.analysis.summary import auc_difference, joined
from fairviz.analysis.uncertainty import N_RESAMPLES, PairedDifference
from fairviz.model import Curve, FloatArray, Scores


class CurveComparison(NamedTuple):
    """A system's curve minus another one's.

    Attributes:
        area: Of the AUC over the EE-D that both cover.
        points: EE-D and quality at one α, quality of the deterministic lists; Holm over them.
            What no query has on both sides is left out.
    """

    area: PairedDifference
    points: tuple[Comparison, ...]


def compare_curves(
    curve: Curve,
    reference: Curve,
    end: Curve,
    reference_end: Curve,
    *,
    alpha: float,
    seed: int,
    close: bool = True,
    n_resamples: int = N_RESAMPLES,
) -> CurveComparison:
    """Compare two systems under one policy.

    Args:
        curve: Of the system, with a point at ``alpha``.
        reference: Of the other system, with a point there too.
        end: The system's deterministic list, one point.
        reference_end: The other's.
        alpha: Where disparity and quality are compared, fixed in advance.
        seed: Of every interval.
        close: Whether the deterministic list closes the curves, see ``joined``.
        n_resamples: Resamples of the queries.
    """
    lines = (joined(curve, end), joined(reference, reference_end)) if close else (curve, reference)
    area = auc_difference(*lines, rng=np.random.default_rng(seed), n_resamples=n_resamples)
    at, there = (_nearest(each.alphas, alpha) for each in (curve, reference))
    values = (
        (f"EE-D at α = {alpha:g}", curve.disparity[at], reference.disparity[there]),
        (f"EE-R at α = {alpha:g}", curve.quality[at], reference.quality[there]),
        ("EE-R of the deterministic list", end.quality[0], reference_end.quality[0]),
    )
    pairs = [(_scores(curve, measure, ours), _scores(reference, measure, theirs)) for measure, ours, theirs in values]
    return CurveComparison(area, compare_all(pairs, seed=seed, n_resamples=n_resamples))


def _scores(curve: Curve, measure: str, values: FloatArray) -> Scores:
    return Scores(system=curve.system, measure=measure, query_ids=curve.query_ids, values=values)


def _nearest(alphas: FloatArray, alpha: float) -> int:
    return int(np.nanargmin(np.abs(alphas - alpha)))
