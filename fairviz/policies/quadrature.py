"""The nodes of the integral of exact exposure: how close, from where, and until when.

In x = log t the integrand is analytic and the trapezoid rule converges geometrically.
"""

import math

import numba
import numpy as np

from fairviz.model import FloatArray

LANES = 16
DOUBLINGS = 7
STEP = DOUBLINGS * math.log(2) / LANES
"""0.303 in log t: a block of ``LANES`` nodes spans 7 doublings of t."""

TOLERANCE = 1e-8
"""Bound on the error of an exposure; what is measured is about a tenth of it."""

FIRST_NODE = -27.0
"""Log of the expected number of arrivals before the first node: what is lost there is e^−27."""

LAST_RATE = math.log(40.0)
"""Log of w·t from which an item has arrived but for e^−40."""

CERTAIN = 4e-16
"""Chance of not having arrived that is no more than rounding."""

NEGLIGIBLE = 1e-18
"""Chance of a count that changes no exposure."""


def refinements(weights: FloatArray) -> int:
    """Smallest R for which the trapezoid rule with step STEP/R keeps the tolerance.

    The count passes K within a relative width of about 1/√K in t, so a large K needs closer nodes.
    v is a mixture of top-k attentions with shares v_k − v_(k+1). Moved by iθ off the real line, the
    integrand of top-k grows like cos(θ)^−(k+1), so its error is about the smallest value over θ of
    exp(−2πθ/h) cos(θ)^−(k+1), found where tan θ = 2π/(h(k+1)).
    """
    shares = -np.diff(weights, append=0.0)
    powers = np.arange(2, weights.size + 2, dtype=np.float64)
    refined = 1
    while True:
        frequency = 2 * np.pi * refined / STEP
        theta = np.arctan(frequency / powers)
        error = np.exp(-frequency * theta - powers * np.log(np.cos(theta)))
        if float(shares @ error) <= TOLERANCE:
            return refined
        refined += 1


@numba.njit(cache=True)
def first_node(logits: FloatArray, origin: int) -> float:
    """Log time, relative to −``logits[origin]``, before which none of the later items arrives.

    Log times are kept relative to a logit: at a large α logits lie millions of nats apart, where a
    sum of both would lose its digits.
    """
    return FIRST_NODE - math.log(np.exp(logits[origin:] - logits[origin]).sum())
