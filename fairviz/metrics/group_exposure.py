"""Exposure of groups: its size, its relation to usefulness, and ratios between two groups.

Kernels take one row of numbers per query, or one row of means over queries: every value here is a
function of such means, which is how the papers define measures of a whole system (E_πρ).
"""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.metrics.attention_share import shares
from fairviz.model import FloatArray, IndexArray, IntArray

Aggregate: TypeAlias = Literal["sum", "mean"]
"""Whether a group's exposure is that of all its items together, or of each on average."""


def group_disparity(exposure: FloatArray) -> FloatArray:
    """EED = ‖ε_π‖² over groups (Raj et al., Eq. 5): lowest where groups are exposed alike.

    Examples:
        >>> group_disparity(np.array([[1.0, 2.0]]))
        array([5.])
    """
    return (exposure**2).sum(axis=-1)


def group_relevance(exposure: FloatArray, target: FloatArray) -> FloatArray:
    """EER = ⟨ε_π, ε*⟩ over groups, without the paper's factor 2: higher is better."""
    return (exposure * target).sum(axis=-1)


def group_loss(exposure: FloatArray, target: FloatArray) -> FloatArray:
    """EEL = ‖ε_π − ε*‖² over groups (Raj et al., Eq. 9): 0 = as under an ideal policy."""
    return ((exposure - target) ** 2).sum(axis=-1)


def log_ratio(plus: FloatArray, minus: FloatArray, *, eps: float) -> FloatArray:
    """ln(plus + ε) − ln(minus + ε): 0 = alike, above 0 = more for the first.

    Args:
        plus: Quantity of the protected group, ≥ 0.
        minus: The same of the others.
        eps: Keeps logarithms finite; with 0 a quantity of 0 has no ratio.

    Returns:
        NaN where a quantity is undefined, or 0 with ``eps`` 0.

    Examples:
        >>> float(log_ratio(np.array(2.0), np.array(1.0), eps=0.0).round(6))
        0.693147
    """
    given = (plus + eps > 0) & (minus + eps > 0)
    logs = [np.log(side + eps, out=np.full(side.shape, np.nan), where=given) for side in (plus, minus)]
    return logs[0] - logs[1]


def per_utility(quantity: FloatArray, utility: FloatArray) -> FloatArray:
    """Exposure per usefulness; NaN where the group has nothing useful."""
    undefined = np.full(np.broadcast(quantity, utility).shape, np.nan)
    return np.divide(quantity, utility, out=undefined, where=utility > 0)


def inequity(attention: FloatArray, utility: FloatArray) -> FloatArray:
    """IAA = ‖ε − Υ‖₁ of shares (Raj et al., Eq. 8): 0 = in proportion, at most 2.

    Args:
        attention: (…, G) attention on each group.
        utility: (…, G) usefulness of each group's items.
    """
    return np.abs(shares(attention) - shares(utility)).sum(axis=-1)


def item_inequity(gaps: FloatArray, items: IndexArray, queries: IntArray, counts: FloatArray) -> FloatArray:
    """IAA over items: Σ_d |A_d − R_d|, both summed over rankings (Biega et al. 2018, Eq. 4).

    Args:
        gaps: (N) attention minus usefulness of an item in one query, each normalised to 1 per
            ranking.
        items: (N) item of each gap.
        queries: (N) its query.
        counts: (B, Q) how often each resample holds each query.

    Returns:
        (B) values ≥ 0, growing with the number of rankings.
    """
    order = np.argsort(items, kind="stable")
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    found = np.zeros(len(counts))
    for b, row in enumerate(counts):  # one resample at a time: items × resamples need not fit
        found[b] = np.abs(np.add.reduceat(gaps[order] * row[queries[order]], starts)).sum()
    return found if gaps.size else np.full(len(counts), np.nan)
