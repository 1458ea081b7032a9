"""What an item adds to a list, given what stands above it: the IRM_i of FAIR (Gao et al., 3.1).

Rank discounts are the same for every item that could stand at a rank, so they drop out of a greedy choice.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.model import FloatArray
from fairviz.rerankers.candidates import Candidates

Irm: TypeAlias = Literal["alpha_nDCG", "nDCG", "RBP", "ERR_IA"]
"""The measure whose gains are optimised."""


class Utility(NamedTuple):
    """Gains that fade: an item is worth ``worth · interest``.

    ``interest`` starts at 1 in every aspect and is multiplied by ``fade`` of each placed item.

    Attributes:
        worth: (n, A) per item and aspect.
        fade: (n, A) what is left of the interest in an aspect below the item.
    """

    worth: FloatArray
    fade: FloatArray


def utility(candidates: Candidates, irm: Irm, alpha: float) -> Utility:
    """The gains of a measure.

    - ``alpha_nDCG``: Σ_a J(d, a) (1 − α)^(how much of a stands above) (Eq. 4);
    - ``nDCG``: the gain; ``RBP``: 1 if useful (Eq. 7);
    - ``ERR_IA``: Σ_a P(a) R_a(d) Π_{above} (1 − R_a) with R_a = alpha · J(d, a); equal P(a) drop
      out.

    Without gains every item is useful alike.

    Args:
        candidates: The query.
        irm: The measure.
        alpha: Novelty discount of ``alpha_nDCG``, chance of satisfaction of ``ERR_IA``.
    """
    gains = np.ones(candidates.n) if candidates.gains is None else candidates.gains
    match irm:
        case "alpha_nDCG":
            covered = coverage(candidates)
            return Utility(covered, np.power(1 - alpha, covered))
        case "ERR_IA":
            satisfied = alpha * coverage(candidates)
            return Utility(satisfied, 1 - satisfied)
        case "nDCG":
            worth = gains[:, None]
        case "RBP":
            worth = (gains[:, None] > 0).astype(np.float64)
    return Utility(worth, np.ones(worth.shape))


def coverage(candidates: Candidates) -> FloatArray:
    """(n, A) J(d, a): judged aspects, else the groups of useful items (all, without gains)."""
    if candidates.aspects is not None:
        return candidates.aspects
    if candidates.gains is None:
        return candidates.weights
    return candidates.weights * (candidates.gains > 0)[:, None]
