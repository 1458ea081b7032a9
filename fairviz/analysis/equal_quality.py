"""What equal quality costs: the EE-D that two policies need for the same quality."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.mean_curve import (
    MeanCurve,
    all_queries,
    as_recorded,
    first_reach,
    n_defined,
    rising,
)
from fairviz.analysis.uncertainty import N_RESAMPLES, Interval, data_and_resamples, interval_of
from fairviz.errors import UndefinedError
from fairviz.model import Curve, FloatArray


class Saving(NamedTuple):
    """How much less EE-D one policy needs than another for the same quality.

    Attributes:
        quality: The quality at which they are compared.
        reference: EE-D that the reference needs.
        other: EE-D that the other needs; NaN if it never reaches the quality.
        share: 1 − other / reference; 0.52 = "52 % less".
        interval: Of the share; in each resample the level is the reference's quality there.
        n_queries: Queries in the means.
    """

    quality: float
    reference: float
    other: float
    share: float
    interval: Interval
    n_queries: int


def disparity_saved(
    reference: Curve,
    other: Curve,
    *,
    rng: np.random.Generator,
    alpha: float | None = None,
    quality: float | None = None,
    n_resamples: int = N_RESAMPLES,
) -> Saving:
    """How much less EE-D ``other`` needs than ``reference`` for the same quality.

    The point on the reference is fixed in advance, by its α or by a quality on the data's own
    mean curve. Each resample reads the reference's EE-D and quality at that point, and the EE-D at
    which ``other`` reaches that quality: the comparison is paired.

    Args:
        reference: The curve to save against (Plackett–Luce).
        other: The curve that may need less (``optimal``).
        rng: Source of chance.
        alpha: α of a point of the reference; between grid points, straight lines.
        quality: Instead of ``alpha``, a quality that the reference reaches.
        n_resamples: Resamples of the queries.

    Raises:
        ValueError: Unless exactly one of ``alpha`` and ``quality`` is given.
        UndefinedError: If the reference has no such point.
    """
    queries = all_queries([reference, other])
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    points = as_recorded(reference, queries, counts)
    place = _place(reference, points, alpha, quality)
    needed, level = (_at(axis, place) for axis in points)
    cheaper = first_reach(rising(as_recorded(other, queries, counts)), level)
    shares = np.full(needed.shape, np.nan)
    np.divide(needed - cheaper, needed, out=shares, where=needed != 0)
    n_queries = min(n_defined(reference), n_defined(other))
    return Saving(
        quality=float(level[0]),
        reference=float(needed[0]),
        other=float(cheaper[0]),
        share=float(shares[0]),
        interval=interval_of(shares, n_queries),
        n_queries=n_queries,
    )


def _place(curve: Curve, points: MeanCurve, alpha: float | None, quality: float | None) -> tuple[int, float]:
    """Where on the curve: the point before, and how far on to the next."""
    if (alpha is None) == (quality is None):
        raise ValueError("give either an alpha or a quality")
    path = curve.alphas if quality is None else points.y[:, 0]
    wanted = alpha if quality is None else quality
    before, after = path[:-1], path[1:]
    between = (np.minimum(before, after) <= wanted) & (wanted <= np.maximum(before, after))
    if not between.any():
        raise UndefinedError(f"{curve.system} ({curve.policy}) has no point at {wanted:g}")
    step = int(np.argmax(between))
    width = after[step] - before[step]
    return step, float((wanted - before[step]) / width) if width else 0.0


def _at(axis: FloatArray, place: tuple[int, float]) -> FloatArray:
    """(B) values at a place on the curve, by straight lines."""
    step, part = place
    return (1 - part) * axis[step] + part * axis[step + 1]
