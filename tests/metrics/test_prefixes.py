"""Measures of prefixes by hand: a, b, c, d with groups A B A B against even shares, and edges."""

from math import inf, log, log2, nan

import numpy as np
import pytest

from fairviz.divergence import prefix_divergence
from fairviz.metrics.fair import fair
from fairviz.metrics.prefixes import (
    fair_binomial,
    feasible_rank,
    infeasible_at,
    infeasible_count,
    infeasible_index,
    kl_at,
    largest,
    ndkl,
    ndrkl,
    shortfalls,
    skews,
    smallest,
)
from fairviz.model import FloatArray, IntArray

A, B, NONE = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]
EVEN = np.array([[0.5, 0.5]])


def rows(*lists: list[list[float]]) -> tuple[FloatArray, IntArray]:
    flat = [row for each in lists for row in each]
    sizes = np.cumsum([0, *map(len, lists)])
    return np.array(flat).reshape(-1, 2), sizes.astype(np.int64)


def test_divergence_of_every_prefix() -> None:
    """A: ln 2; A B: 0; A B A: 2/3 ln 4/3 + 1/3 ln 2/3; A B A B: 0."""
    weights, offsets = rows([A, B, A, B])
    third = 2 / 3 * log(4 / 3) + 1 / 3 * log(2 / 3)
    result = prefix_divergence(weights, offsets, EVEN)
    assert result == pytest.approx([log(2), 0, third, 0])
    assert kl_at(result, offsets) == pytest.approx([0])
    z = 1 + 1 / log2(3) + 1 / 2 + 1 / log2(5)
    assert ndkl(result, offsets) == pytest.approx([(log(2) + third / 2) / z])
    better = 1 / (log(2) + 1) + 1 / log2(3) + 1 / (third + 1) / 2 + 1 / log2(5)
    assert ndrkl(result, offsets) == pytest.approx([better / z])


def test_lists_do_not_touch_each_other() -> None:
    weights, offsets = rows([A, A], [], [B, A])
    target = np.array([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    result = prefix_divergence(weights, offsets, target)
    # 1/2 ln 2 + 1/2 ln 2/3 after B A
    assert result == pytest.approx([log(2), log(2), log(4 / 3), (log(2) + log(2 / 3)) / 2])
    assert kl_at(result, offsets) == pytest.approx([log(2), nan, result[3]], nan_ok=True)
    assert np.isnan(ndkl(result, offsets)[1])


def test_a_group_without_a_share() -> None:
    """Off what the target rules out: KL is infinite from there on, its terms of nDRKL are 0."""
    weights, offsets = rows([A, B])
    result = prefix_divergence(weights, offsets, np.array([[1.0, 0.0]]))
    assert result.tolist() == [0, inf]
    assert ndkl(result, offsets).tolist() == [inf]
    assert ndrkl(result, offsets) == pytest.approx([1 / (1 + 1 / log2(3))])


def test_prefixes_without_labels_count_as_on_target() -> None:
    """Nothing says that they are off target: KL 0 in nDKL, 1/(0 + 1) in nDRKL, no discount in FAIR."""
    weights, offsets = rows([NONE, A])
    result = prefix_divergence(weights, offsets, EVEN)
    assert result == pytest.approx([nan, log(2)], nan_ok=True)
    z = 1 + 1 / log2(3)
    assert ndkl(result, offsets) == pytest.approx([log(2) / log2(3) / z])
    closeness = (1 + 1 / (log(2) + 1) / log2(3)) / z
    assert ndrkl(result, offsets) == pytest.approx([closeness])
    alike = fair(1 / np.log2([2.0, 3.0]), result, offsets, np.array([z]))  # as useful everywhere
    assert alike == pytest.approx([closeness])
    nothing, ends = rows([NONE, NONE])
    unknown = prefix_divergence(nothing, ends, EVEN)
    assert np.isnan([*ndkl(unknown, ends), *ndrkl(unknown, ends)]).all()


def test_without_a_target_all_is_undefined() -> None:
    weights, offsets = rows([A, B])
    unknown = np.array([[nan, nan]])
    assert np.isnan(prefix_divergence(weights, offsets, unknown)).all()
    assert np.isnan(skews(weights, offsets, unknown)).all()
    short = shortfalls(weights, offsets, unknown)
    for kernel in (infeasible_count, infeasible_index, infeasible_at, feasible_rank):
        assert np.isnan(kernel(short, offsets)).all()


def test_skews() -> None:
    """A A B: ln(2/3 / 1/4) and ln(1/3 / 3/4); none of B: −∞; a target of 0: skipped."""
    weights, offsets = rows([A, A, B], [A], [A])
    result = skews(weights, offsets, np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]))
    assert result == pytest.approx(np.array([[log(8 / 3), log(4 / 9)], [log(2), -inf], [0, nan]]), nan_ok=True)
    assert smallest(result) == pytest.approx([log(4 / 9), -inf, 0])
    assert largest(result) == pytest.approx([log(8 / 3), log(2), 0])


def test_shortfalls() -> None:
    """p = (1/2, 1/2), list A A B B: due of B are 0 1 1 2, there are 0 0 1 2: short at rank 2."""
    weights, offsets = rows([A, A, B, B])
    short = shortfalls(weights, offsets, EVEN)
    assert short.tolist() == [0, 1, 0, 0]
    assert infeasible_count(short, offsets).tolist() == [1]
    assert infeasible_index(short, offsets).tolist() == [1]
    assert feasible_rank(short, offsets).tolist() == [1]
    assert infeasible_at(short, offsets).tolist() == [0]


def test_shortfalls_of_several_groups_in_one_prefix_count_each() -> None:
    """Two of nothing: both groups are due 1 from rank 2 on, 1 each at 3 as well."""
    weights, offsets = rows([NONE, NONE, NONE])
    short = shortfalls(weights, offsets, EVEN)
    assert short.tolist() == [0, 2, 2]
    assert infeasible_count(short, offsets).tolist() == [4]
    assert infeasible_index(short, offsets).tolist() == [2]
    assert infeasible_at(short, offsets).tolist() == [1]


def test_products_that_miss_a_whole_number_by_rounding() -> None:
    """0.29 · 100 is 28.999999999999996 in floating point, and 29 items are due."""
    weights, offsets = rows([A] * 72 + [B] * 28)
    short = shortfalls(weights, offsets, np.array([[0.71, 0.29]]))
    assert short[-1] == 1


def test_mean_binomial_chance() -> None:
    """p = 1/4, list B A: P(m ≤ 0 | 1) = 3/4; P(m ≤ 1 | 2) = 1 − 1/16."""
    result = fair_binomial(np.array([0.0, 1.0]), np.array([0, 2]), np.array([0.25]))
    assert result == pytest.approx([(3 / 4 + 15 / 16) / 2])


def test_chances_of_0_and_1() -> None:
    """Nothing is due: never too few; everything is: only lists of the group alone are enough."""
    rows, offsets = np.array([0.0, 1.0, 1.0]), np.array([0, 1, 3, 3])
    assert fair_binomial(rows, offsets, np.zeros(3)) == pytest.approx([1, 1, nan], nan_ok=True)
    assert fair_binomial(rows, offsets, np.ones(3)) == pytest.approx([0, 1, nan], nan_ok=True)
