"""Does a share rise with a dose? The slope of a logistic regression whose rows come in clusters.

Two parameters from counts by cluster and dose, so that the fit costs the same for a hundred answers and for a million.
Answers of one cluster (a template, a question) are not independent: the variance is the sandwich over clusters (Liang
and Zeger 1986) with each cluster's residuals as if it had been left out (CR3, the jackknife's), and Student's t of G−1
degrees of freedom: the plain one claims too much of ten or twenty templates.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from fairviz.model import FloatArray

STEPS, CONVERGED = 100, 1e-10
SINGULAR = 1e-9
"""Below this a slope hangs on one cluster alone: without it there is none, and nothing to test."""


class LogisticSlope(NamedTuple):
    """How the log odds of a success change with one unit of dose.

    Attributes:
        slope: Change of the log odds per unit; NaN where it is not defined, ±inf where a threshold of dose parts
            successes from failures.
        low, high: Ends of its 95 % interval.
        p: Two-sided, of no change; NaN where nothing can be tested.
        n_clusters: Clusters with trials.
    """

    slope: float
    low: float
    high: float
    p: float
    n_clusters: int

    @property
    def odds_ratio(self) -> float:
        """By what the odds are multiplied per unit of dose."""
        return float(np.exp(self.slope))


def logistic_slope(doses: FloatArray, successes: FloatArray, trials: FloatArray) -> LogisticSlope:
    """Fit log odds = a + b·dose and test b = 0, clusters being the units.

    Args:
        doses: (D) distinct doses.
        successes: (G, D) successes by cluster and dose.
        trials: (G, D) trials by cluster and dose.

    Returns:
        NaN where fewer than two doses have trials, or all or none succeed. Where doses with successes lie all above
        (or below) those with failures no finite slope fits best: ±inf, without a test.

    Examples:
        >>> fit = logistic_slope(np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
        >>> round(fit.odds_ratio, 6)  # (3/1) / (1/3)
        9.0
    """
    used = trials.sum(axis=1) > 0
    n_clusters = int(used.sum())
    undefined = LogisticSlope(np.nan, np.nan, np.nan, np.nan, n_clusters)
    total: FloatArray = trials.sum(axis=0)
    won: FloatArray = successes.sum(axis=0)
    if (total > 0).sum() < 2 or not won.any() or not (total - won).any():
        return undefined
    if way := _parted(doses, won, total - won):
        return undefined._replace(slope=way * np.inf)
    x: FloatArray = np.stack(
        [np.ones_like(doses), doses - float(total @ doses) / float(total.sum())]
    )  # centred: well conditioned
    beta: FloatArray = np.zeros(2)
    for _ in range(STEPS):
        share: FloatArray = expit(beta @ x)
        information = (x * (total * share * (1 - share))) @ x.T
        step = np.linalg.solve(information, x @ (won - total * share)).astype(np.float64, copy=False)
        beta = beta + step / max(1.0, float(np.abs(step).max()))  # no step is longer than 1, or it may overshoot
        if np.abs(step).max() < CONVERGED:
            break
    slope = float(beta[1])
    if n_clusters < 2:
        return undefined._replace(slope=slope)
    share = expit(beta @ x)
    weight = trials * (share * (1 - share))
    own: FloatArray = np.einsum("id,gd,jd->gij", x, weight, x)  # (G, 2, 2) information of each cluster
    together: FloatArray = own.sum(axis=0)
    bread = np.linalg.inv(together).astype(np.float64, copy=False)
    leverage: FloatArray = np.eye(2) - own @ bread
    if (np.abs(np.linalg.det(leverage)) < SINGULAR).any():
        return undefined._replace(slope=slope)
    residuals: FloatArray = ((successes - trials * share) @ x.T)[:, :, None]
    scores = np.linalg.solve(leverage, residuals).astype(np.float64, copy=False)[:, :, 0]
    variance: FloatArray = bread @ (scores.T @ scores) @ bread * (n_clusters - 1) / n_clusters
    error = float(np.sqrt(variance[1, 1]))
    reach = float(stdtrit(n_clusters - 1, 0.975)) * error
    p = 2 * float(stdtr(n_clusters - 1, -abs(slope) / error)) if error > 0 else np.nan
    return LogisticSlope(slope, slope - reach, slope + reach, p, n_clusters)


def _parted(doses: FloatArray, won: FloatArray, lost: FloatArray) -> int:
    """1 where doses with successes lie all above those with failures, −1 all below, 0 where they overlap."""
    with_success, with_failure = doses[won > 0], doses[lost > 0]
    return int(with_success.min() >= with_failure.max()) - int(with_success.max() <= with_failure.min())
