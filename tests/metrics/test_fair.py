"""FAIR by hand: what each rank adds, ideal lists, and its edges."""

from math import inf, nan

import numpy as np

from fairviz.metrics.fair import fair, ideal_order

ASPECTS = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
GAINS = np.array([2.0, 1.0, 0.0])
ONE = np.array([0, 3])


def test_ideal_lists() -> None:
    """By gain; greedily: the item of both aspects, then of equals the one with the smaller tie."""
    aspects = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    offsets, ties = np.array([0, 4]), np.array([1, 0, 2, 3])
    gains = np.array([1.0, 0.0, 3.0, 2.0])
    by_gain = ideal_order("nDCG", gains, aspects, offsets, alpha=0.5, ties=ties)
    assert by_gain.tolist() == [2, 3, 0, 1]
    greedy = ideal_order("alpha_nDCG", gains, aspects, offsets, alpha=0.5, ties=ties)
    assert greedy.tolist() == [2, 1, 0, 3]


def test_the_ideal_of_err_ia_is_greedy_by_its_own_gains() -> None:
    """α 0.9, aspects (0, 1/4), (0, 3/4), (1/2, 0), (1, 0): the last, then the second, then what adds most.

    ERR-IA: 0.225 · (1 − 0.675) = 0.073 of the first, 0.45 · 0.1 = 0.045 of the third; α-nDCG: 1/4 · 0.1^(3/4) = 0.044,
    1/2 · 0.1 = 0.05.
    """
    aspects, offsets, ties = np.array([[0, 0.25], [0, 0.75], [0.5, 0], [1.0, 0]]), np.array([0, 4]), np.arange(4)

    def order(irm: str) -> list[int]:
        ideal = ideal_order(irm, np.ones(4), aspects, offsets, alpha=0.9, ties=ties)  # type: ignore[arg-type]
        return ideal.tolist()

    assert order("ERR_IA") == [3, 1, 0, 2]
    assert order("alpha_nDCG") == order("NRBP") == [3, 1, 2, 0]


def test_fair_at_its_edges() -> None:
    """Infinite: term 0. No label yet: no discount. No label at all, nothing useful: undefined."""
    terms = np.array([1.0, 0.5])
    offsets = np.array([0, 2])

    def value(first: float, second: float, ideal: float = 2.0, *, additive: bool = True) -> float:
        divergence = np.array([first, second])
        return float(fair(terms, divergence, offsets, np.array([ideal]), additive=additive)[0])

    assert value(0, inf) == 0.5
    assert value(0, inf, additive=False) == 0
    assert value(nan, 0) == 0.75
    assert np.isnan(value(nan, nan))
    assert np.isnan(value(0, 0, ideal=0))


def test_the_ideal_does_not_depend_on_the_order_of_groups() -> None:
    # weights in tenths: items of one gain whose sums differ in the last digit, by the order of the groups
    rng = np.random.default_rng(4)
    orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]]
    for _ in range(200):
        tenths = rng.multinomial(10, [0.25] * 4, 8) / 10
        ties = rng.permutation(8)
        for irm in ("alpha_nDCG", "NRBP", "ERR_IA"):
            lists = {
                tuple(ideal_order(irm, np.ones(8), tenths[:, order], np.array([0, 8]), alpha=0.5, ties=ties).tolist())
                for order in orders
            }
            assert len(lists) == 1, irm
