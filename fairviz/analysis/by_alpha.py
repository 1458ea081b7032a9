"""How disparity is distributed at each α, and whether α tells apart (Kim & Diaz, Figure 3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairviz.analysis.significance import holm, paired_t_test
from fairviz.model import Curve


class Spread(NamedTuple):
    """Distribution of EE-D over the queries at one α; NaN where no query has a value."""

    alpha: float
    mean: float
    minimum: float
    quarter: float
    median: float
    three_quarters: float
    maximum: float
    n_queries: int


class AlphaTest(NamedTuple):
    """Paired t-test of EE-D between two α, one value per query."""

    low: float
    high: float
    difference: float
    p: float
    p_holm: float
    n_queries: int


def only_alphas(curve: Curve, alphas: Sequence[float]) -> Curve:
    """The points of a curve at some α, in its own order."""
    kept = np.isin(curve.alphas, alphas)
    return replace(
        curve,
        alphas=curve.alphas[kept],
        disparity=curve.disparity[kept],
        quality=curve.quality[kept],
        score=curve.score[kept],
    )


def disparity_by_alpha(curve: Curve) -> tuple[Spread, ...]:
    """Mean, extremes and quartiles of EE-D over queries, per point of the curve."""
    return tuple(
        _spread(float(alpha), row[~np.isnan(row)]) for alpha, row in zip(curve.alphas, curve.disparity, strict=True)
    )


def alpha_tests(curve: Curve) -> tuple[AlphaTest, ...]:
    """Paired (per-query) t-tests of EE-D between every two α, with Holm over the pairs.

    ``difference`` is the mean EE-D at the higher α minus that at the lower. Points without an α
    take no part.
    """
    known = np.flatnonzero(~np.isnan(curve.alphas))
    order: list[int] = known[np.argsort(curve.alphas[known], kind="stable")].tolist()
    pairs = list(combinations(order, 2))
    tests = [paired_t_test(curve.disparity[b], curve.disparity[a]) for a, b in pairs]
    adjusted: list[float] = holm(np.array([test.p for test in tests])).tolist()
    return tuple(
        AlphaTest(
            low=float(curve.alphas[a]),
            high=float(curve.alphas[b]),
            difference=test.difference,
            p=test.p,
            p_holm=p_holm,
            n_queries=int((~np.isnan(curve.disparity[a] - curve.disparity[b])).sum()),
        )
        for (a, b), test, p_holm in zip(pairs, tests, adjusted, strict=True)
    )


def _spread(alpha: float, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Spread:
    if values.size == 0:
        return Spread(alpha, *[np.nan] * 6, n_queries=0)
    quartiles: list[float] = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Spread(alpha, float(values.mean()), *quartiles, n_queries=values.size)
