"""Exact Plackett–Luce exposure: rankings as the order of independent arrivals.

Item d arrives at time T_d ~ Exp(w_d) with w = exp(logit); the order of arrival is the ranking. So

    ε_d = ∫ w_d e^(−w_d t) · E[v_(1 + #others arrived by t)] dt,

where the inner expectation runs over a Poisson-binomial count. With prefix probabilities P_i(m)
(m arrivals among the items before i) and backward values V_i(m) = q_i V_(i+1)(m) + p_i V_(i+1)(m+1)
each item costs O(K) per node, for any attention of length K: O(nodes · n · K) a query. Two kernels
walk through it: one takes 16 nodes at a time, for the few ranks that a generator reads; one takes
them one by one and keeps only counts that have a chance, for attention that goes on.
"""

from fairviz.model import FloatArray, IntArray
from fairviz.policies.arrivals_long import long_exposure
from fairviz.policies.arrivals_short import short_exposure
from fairviz.policies.quadrature import refinements

SHORT = 32
"""Ranks up to which many nodes at a time are faster than few counts."""


def expected_exposure(logits: FloatArray, offsets: IntArray, lengths: IntArray, weights: FloatArray) -> FloatArray:
    """Exact Plackett–Luce exposure of every row.

    Args:
        logits: (M) logits, falling within the first ``lengths[q]`` rows of each query.
        offsets: (Q+1) rows of each query.
        lengths: (Q) ranked items of each query; further rows get 0.
        weights: (K) attention at ranks 1 … K, 0 below.

    Returns:
        (M) exposure, with an error below ``quadrature.TOLERANCE``.
    """
    kernel = short_exposure if weights.size <= SHORT else long_exposure
    return kernel(logits, offsets, lengths, weights, refinements(weights))
