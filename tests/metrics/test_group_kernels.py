"""Kernels of group measures by hand: shares of attention, chances, ratios, pairs, FAIR."""

from math import inf, log, log2, nan

import numpy as np
import pytest

from fairviz.metrics.fair import fair, ideal_order, ideal_sum, irm_gains
from fairviz.metrics.group_exposure import (
    awrf,
    group_attention,
    group_disparity,
    group_loss,
    group_relevance,
    inequity,
    item_inequity,
    log_ratio,
    per_utility,
)
from fairviz.metrics.pairwise import ordered_pairs, pair_accuracy, pair_gap
from fairviz.metrics.prefixes import fair_binomial
from fairviz.metrics.statistic import OfItems, OfMeans

A, B, NONE = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]


# --- AWRF ---


def test_attention_on_groups() -> None:
    """First list 1·A + 1/2·(A/2, B/4), second 1·nothing + 1/2·B."""
    weights = np.array([A, [0.5, 0.25], NONE, B])
    found = group_attention(weights, np.array([1, 0.5, 1, 0.5]), np.array([0, 2, 4]))
    assert found.tolist() == [[1.25, 0.125], [0, 0.5]]


def test_awrf() -> None:
    """Attention 3 and 1: shares 3/4, 1/4 against 1/2, 1/2; middle 5/8, 3/8."""
    seen, even = np.array([[3.0, 1.0]]), np.array([[0.5, 0.5]])
    kl = 0.75 * log(1.5) + 0.25 * log(0.5)
    jsd = (0.75 * log(6 / 5) + 0.25 * log(2 / 3) + 0.5 * log(4 / 5) + 0.5 * log(4 / 3)) / 2
    assert awrf(seen, even, distance="kl") == pytest.approx([kl])
    assert awrf(seen, even, distance="jsd") == pytest.approx([jsd])
    assert awrf(seen, even, distance="l1") == pytest.approx([0.5])
    assert awrf(seen, even, distance="absdiff", group=1) == pytest.approx([0.25])


def test_awrf_at_its_ends() -> None:
    """All attention on the group without a share: ln 2, 2, infinite; none on any: undefined."""
    apart, target = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    assert awrf(apart, target, distance="jsd") == pytest.approx([log(2), nan], nan_ok=True)
    assert awrf(apart, target, distance="l1") == pytest.approx([2, nan], nan_ok=True)
    assert awrf(apart, target, distance="kl") == pytest.approx([inf, nan], nan_ok=True)
    with pytest.raises(ValueError, match="name it"):
        awrf(apart, target, distance="absdiff")


# --- FAIR of Zehlike et al. ---


def test_mean_binomial_chance() -> None:
    """p = 1/4, list B A: P(m ≤ 0 | 1) = 3/4; P(m ≤ 1 | 2) = 1 − 1/16."""
    found = fair_binomial(np.array([0.0, 1.0]), np.array([0, 2]), np.array([0.25]))
    assert found == pytest.approx([(3 / 4 + 15 / 16) / 2])


def test_chances_of_0_and_1() -> None:
    """Nothing is due: never too few; everything is: only lists of the group alone are enough."""
    rows, offsets = np.array([0.0, 1.0, 1.0]), np.array([0, 1, 3, 3])
    assert fair_binomial(rows, offsets, np.zeros(3)) == pytest.approx([1, 1, nan], nan_ok=True)
    assert fair_binomial(rows, offsets, np.ones(3)) == pytest.approx([0, 1, nan], nan_ok=True)


# --- exposure and ratios ---


def test_exposure_of_groups() -> None:
    """ε = (1, 2), ε* = (2, 1/2): 1 + 4; 2 + 1; 1 + 9/4."""
    exposure, target = np.array([[1.0, 2.0]]), np.array([[2.0, 0.5]])
    assert group_disparity(exposure).tolist() == [5]
    assert group_relevance(exposure, target).tolist() == [3]
    assert group_loss(exposure, target).tolist() == [3.25]


def test_ratios() -> None:
    plus, minus = np.array([2.0, 0.0, nan, 0.0]), np.array([1.0, 1.0, 1.0, 0.0])
    exact = log_ratio(plus, minus, eps=0)
    assert exact == pytest.approx([log(2), nan, nan, nan], nan_ok=True)
    smooth = log_ratio(plus, minus, eps=1e-6)
    wanted = [log(2 + 1e-6) - log(1 + 1e-6), log(1e-6) - log(1 + 1e-6), nan, 0]
    assert smooth == pytest.approx(wanted, nan_ok=True)
    assert per_utility(plus, np.array([4.0, 2.0, 1.0, 0.0])) == pytest.approx([0.5, 0, nan, nan], nan_ok=True)


def test_inequity() -> None:
    """Attention 3 : 1, usefulness 1 : 1: |3/4 − 1/2| + |1/4 − 1/2|; nothing useful: undefined."""
    attention, useful = np.array([[3.0, 1.0]] * 2), np.array([[1.0, 1.0], [0.0, 0.0]])
    assert inequity(attention, useful) == pytest.approx([0.5, nan], nan_ok=True)


def test_inequity_of_items_adds_up_before_the_absolute_value() -> None:
    """Item 0 has +1/2 and −1/2 in two queries, item 1 −1/4 in the second alone."""
    gaps, items = np.array([0.5, -0.5, -0.25]), np.array([0, 0, 1], dtype=np.int32)
    queries = np.array([0, 1, 1])
    counts = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    assert item_inequity(gaps, items, queries, counts).tolist() == [0.25, 1.0, 1.5]
    whole = OfItems(gaps, items, queries, np.array([True, True]))
    assert whole.per_query().tolist() == [0.5, 0.75]
    assert whole.under(np.array([[0.0, 0.0]])) == pytest.approx([nan], nan_ok=True)


def test_functions_of_means() -> None:
    """Each part is averaged over the queries that have it: (1 + 3)/2 over 4."""
    parts = np.array([[1.0, nan], [3.0, 4.0], [nan, nan]])
    ratio = OfMeans(parts, lambda rows: rows[:, 0] / rows[:, 1], lambda rows: rows[:, 0] == 3)
    assert ratio.defined.tolist() == [True, True, False]
    assert ratio.under(np.ones((1, 3))).tolist() == [0.5]
    assert ratio.per_query() == pytest.approx([nan, 0.75, nan], nan_ok=True)
    assert (ratio.n_smoothed(whole=False), ratio.n_smoothed(whole=True)) == (1, 0)


# --- pairs ---


def test_pairs() -> None:
    """Ranked A(1) B(2) A(0) B(0).

    Of A: its 1 stands above A(0), B(0): both right. Of B: its 2 below A(1), above A(0), B(0).
    """
    weights, gains = np.array([A, B, A, B]), np.array([1.0, 2.0, 0.0, 0.0])
    pairs = ordered_pairs(weights, gains, np.array([0, 4]))
    assert pairs.all.tolist() == [[[1, 1], [2, 1]]]
    assert pairs.right.tolist() == [[[1, 1], [1, 1]]]
    kinds = ("inter", "intra", "pairwise")
    assert [pair_accuracy(pairs, 1, kind)[0] for kind in kinds] == pytest.approx([1 / 2, 1, 2 / 3])
    assert pair_gap(pairs, 1, 0, "inter") == pytest.approx([1 / 2])


def test_soft_and_missing_labels_weigh_pairs() -> None:
    """Half of A, half of B over a quarter of B; the last item counts for no group."""
    weights = np.array([[0.5, 0.5], [0.0, 0.25], NONE])
    pairs = ordered_pairs(weights, np.array([1.0, 0.0, 0.0]), np.array([0, 3]))
    assert pairs.all.tolist() == [[[0, 0.125], [0, 0.125]]]
    assert np.isnan(pair_accuracy(pairs, 0, "intra")).all()


# --- FAIR of Gao et al. ---

ASPECTS = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])

GAINS = np.array([2.0, 1.0, 0.0])

ONE = np.array([0, 3])


def test_what_each_rank_adds() -> None:
    """α-nDCG: 1, (1/2 + 1)/log2 3; ERR-IA (1/2 each): 1/2·1/2, (1/2)(1/2·1/2 + 1/2)·1/2."""

    def terms(irm: str) -> list[float]:
        found = irm_gains(irm, GAINS, ASPECTS, ONE, alpha=0.5, patience=0.8)  # type: ignore[arg-type]
        return found.tolist()

    assert terms("nDCG") == pytest.approx([2, 1 / log2(3), 0])
    assert terms("RBP") == pytest.approx([0.2, 0.2 * 0.8, 0])
    assert terms("alpha_nDCG") == pytest.approx([1, 1.5 / log2(3), 0])
    assert terms("ERR_IA") == pytest.approx([0.25, 0.5 * (0.25 + 0.5) / 2, 0])


def test_ideal_lists() -> None:
    """By gain; greedily: the item of both aspects, then of equals the one with the smaller tie."""
    aspects = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    offsets, ties = np.array([0, 4]), np.array([1, 0, 2, 3])
    gains = np.array([1.0, 0.0, 3.0, 2.0])
    by_gain = ideal_order("nDCG", gains, aspects, offsets, alpha=0.5, ties=ties)
    assert by_gain.tolist() == [2, 3, 0, 1]
    greedy = ideal_order("alpha_nDCG", gains, aspects, offsets, alpha=0.5, ties=ties)
    assert greedy.tolist() == [2, 1, 0, 3]


def test_sums_of_ideal_lists_stop_at_the_cutoff() -> None:
    """Grades 3, 2, 1 of two queries: 3, then 3 + 2/log2 3, then with 1/2 of the last."""
    gains, aspects = np.array([1.0, 3.0, 2.0, 0.0, 1.0]), np.ones((5, 1))

    def sums(cutoff: int | None) -> list[float]:
        found = ideal_sum(
            "nDCG",
            gains,
            aspects,
            np.array([0, 4, 5]),
            alpha=0.5,
            patience=0.8,
            ties=np.arange(5),
            cutoff=cutoff,
        )
        return found.tolist()

    two = 3 + 2 / log2(3)
    assert sums(1) == pytest.approx([3, 1])
    assert sums(2) == pytest.approx([two, 1])
    assert sums(None) == pytest.approx([two + 0.5, 1])


def test_fair() -> None:
    """Terms 1, 1/2; KL ln 2 then 0: (1/(1 + ln 2) + 1/2)/2; at k alone (3/2)/1/2."""
    terms, divergence, offsets = np.array([1.0, 0.5]), np.array([log(2), 0.0]), np.array([0, 2])
    ideal = np.array([2.0])
    assert fair(terms, divergence, offsets, ideal) == pytest.approx([(1 / (1 + log(2)) + 0.5) / 2])
    assert fair(terms, divergence, offsets, ideal, additive=False) == pytest.approx([0.75])


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
