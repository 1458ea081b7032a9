"""Quantiles of Student's t for whole degrees of freedom, by sums that end.

SciPy has them, and takes 0.15 s to load, as long as a command that reads a run of 100,000 lines works. What loads it
anyway goes on asking it; intervals, which every command gives, ask here.
"""

import math
from functools import lru_cache

LARGE = 1000
"""Degrees of freedom from which the expansion about the normal quantile is as near as a double comes."""

_STEPS = 100
"""Of Newton's method, which needs four to six, at one degree of freedom and an extreme level some twenty."""


@lru_cache(maxsize=4096)
def two_sided(level: float, degrees: int) -> float:
    r"""The t that \|T\| stays below with a probability: ``level`` between 0 and 1, with whole degrees of freedom >= 1.

    For up to :data:`LARGE` of them the probability is a sum of half as many terms (Abramowitz & Stegun 1964, 26.7.3–4),
    solved by Newton's method: it is concave, so that steps from below never pass the solution. For more, the expansion
    of 26.7.5.

    Examples:
        >>> round(two_sided(0.95, 1), 3), round(two_sided(0.95, 10), 3), round(two_sided(0.95, 10**6), 4)
        (12.706, 2.228, 1.96)
    """
    normal = _solved(level, 0.0, None)
    return _solved(level, normal, degrees) if degrees < LARGE else _expanded(normal, degrees)


def beyond(z: float) -> float:
    """Probability that a standard normal variable lies above z.

    Examples:
        >>> beyond(0.0), round(beyond(1.96), 3)
        (0.5, 0.025)
    """
    return math.erfc(z / math.sqrt(2)) / 2


def _solved(level: float, start: float, degrees: int | None) -> float:
    """Where the probability of lying within ±t is ``level``, from a t below; None: of the normal distribution."""
    t = start
    for _ in range(_STEPS):
        if degrees is None:
            within, density = math.erf(t / math.sqrt(2)), math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
        else:
            within, density = _within(t, degrees), _density(t, degrees)
        step = (level - within) / (2 * density)
        t += step
        if step <= 4e-16 * t:
            break
    return t


def _within(t: float, degrees: int) -> float:
    """Probability of lying within ±t."""
    angle = math.atan2(t, math.sqrt(degrees))
    square = degrees / (degrees + t * t)
    if degrees % 2:
        term, total = 1.0, 1.0 if degrees > 1 else 0.0
        for i in range(1, (degrees - 1) // 2):
            term *= square * (2 * i) / (2 * i + 1)
            total += term
        return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
    term, total = 1.0, 1.0
    for i in range(1, degrees // 2):
        term *= square * (2 * i - 1) / (2 * i)
        total += term
    return math.sin(angle) * total


def _density(t: float, degrees: int) -> float:
    scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    return math.exp(scale - (degrees + 1) / 2 * math.log1p(t * t / degrees)) / math.sqrt(degrees * math.pi)


def _expanded(z: float, degrees: int) -> float:
    """26.7.5 of Abramowitz & Stegun, with the term of the fifth power."""
    square = z * z
    terms = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
        (((((27 * square + 339) * square + 930) * square - 1782) * square - 765) * square + 17955) / 368640,
    )
    return z * (1 + math.fsum(term / degrees**power for power, term in enumerate(terms, start=1)))
