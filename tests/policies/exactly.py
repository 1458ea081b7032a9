"""Plackett–Luce by enumeration, its logits in 400 digits."""

import itertools
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

DIGITS = Context(prec=400)
"""2^1000 has 302 digits; what is left tells neighbours apart that differ by 1e-90."""

SURE = 700.0
"""Nats from which e^x counts as infinite."""


def decimal_levels(scores: Sequence[float]) -> list[Decimal]:
    """s̄ = (s − min) / (max − min) of scores as they are, all 0 where they are constant."""
    exact = [Fraction(score) for score in scores]
    low, width = min(exact), max(exact) - min(exact)
    with localcontext(DIGITS):
        shares = [(score - low) / width if width else Fraction(0) for score in exact]
        return [Decimal(share.numerator) / Decimal(share.denominator) for share in shares]


def enumerated_exactly(levels: Sequence[Decimal], alpha: float, offset: int, weights: np.ndarray) -> np.ndarray:
    """(n) ε by summing over all n! rankings; logits are (s̄ + offset)^α."""
    n = len(levels)
    with localcontext(DIGITS):
        # 0^0 is 1 here, as everywhere in this field; Decimal refuses it.
        logits = [(level + offset) ** Decimal(alpha) if alpha else Decimal(1) for level in levels]
        above = [[float(max(min(b - a, Decimal(SURE)), Decimal(-SURE))) for b in logits] for a in logits]
    odds = np.exp(np.array(above))  # odds[i, j] = weight of j over weight of i
    exposure = np.zeros(n)
    for ranking in itertools.permutations(range(n)):
        probability = 1.0
        for i, doc in enumerate(ranking):
            probability /= odds[doc, list(ranking[i:])].sum()
        exposure[list(ranking)] += probability * weights
    return exposure
