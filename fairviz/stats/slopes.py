"""Does an outcome rise with a dose? The slope of a straight line whose rows come in clusters.

Two parameters from sums by cluster and dose, so that the fit costs the same for a hundred answers and for a million.
Answers of one cluster (a template, a question) are not independent: the variance is the sandwich over clusters (Liang
and Zeger 1986) with each cluster's residuals as if it had been left out (CR3, the jackknife's), and Student's t of G−1
degrees of freedom: the plain one claims too much of ten or twenty templates.
"""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray

SINGULAR = 1e-9
"""Below this a slope hangs on one cluster alone: without it there is none, and nothing to test."""


class ClusteredSlope(NamedTuple):
    """How the mean outcome changes with one unit of dose.

    Attributes:
        slope: Change per unit; NaN where it is not defined.
        low, high: Ends of its 95 % interval.
        p: Two-sided, of no change; NaN where nothing can be tested.
        n_clusters: Clusters with trials.
    """

    slope: float
    low: float
    high: float
    p: float
    n_clusters: int


def clustered_slope(doses: FloatArray, sums: FloatArray, trials: FloatArray) -> ClusteredSlope:
    """Fit outcome = a + b·dose by least squares and test b = 0, clusters being the units.

    Args:
        doses: (D) distinct doses.
        sums: (G, D) sum of the outcomes by cluster and dose.
        trials: (G, D) their number.

    Returns:
        NaN where fewer than two doses have trials.

    Examples:
        >>> fit = clustered_slope(np.array([0.0, 2.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
        >>> fit.slope  # (3/4 - 1/4) / 2
        0.25
    """
    from scipy.special import stdtr, stdtrit

    used = trials.sum(axis=1) > 0
    n_clusters = int(used.sum())
    undefined = ClusteredSlope(np.nan, np.nan, np.nan, np.nan, n_clusters)
    total: FloatArray = trials.sum(axis=0)
    if (total > 0).sum() < 2:
        return undefined
    x: FloatArray = np.stack([np.ones_like(doses), doses - float(total @ doses) / float(total.sum())])  # centred
    own: FloatArray = np.einsum("id,gd,jd->gij", x, trials, x)  # (G, 2, 2) information of each cluster
    bread: FloatArray = np.asarray(np.linalg.inv(own.sum(axis=0)), dtype=np.float64)
    beta: FloatArray = bread @ (x @ sums.sum(axis=0))
    slope = float(beta[1])
    leverage: FloatArray = np.eye(2) - own @ bread
    if n_clusters < 2 or (np.abs(np.linalg.det(leverage)) < SINGULAR).any():
        return undefined._replace(slope=slope)
    residuals: FloatArray = ((sums - trials * (beta @ x)) @ x.T)[:, :, None]
    scores: FloatArray = np.asarray(np.linalg.solve(leverage, residuals), dtype=np.float64)[:, :, 0]
    variance: FloatArray = bread @ (scores.T @ scores) @ bread * (n_clusters - 1) / n_clusters
    error = float(np.sqrt(variance[1, 1]))
    reach = float(stdtrit(n_clusters - 1, 0.975)) * error
    p = 2 * float(stdtr(n_clusters - 1, -abs(slope) / error)) if error > 0 else np.nan
    return ClusteredSlope(slope, slope - reach, slope + reach, p, n_clusters)
