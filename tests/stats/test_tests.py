"""t-tests, Holm's correction, and the exact sign-flip test against enumeration of all sign patterns."""

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from fairviz.stats import tests
from fairviz.stats.tests import holm, mcnemar_exact, paired_t_test, sign_flip, two_sample_t_test, verdict

A = np.array([1.0, 2.0, 4.0, 3.5, math.nan])
B = np.array([0.5, 2.5, 1.0, 3.0, 1.0])


def test_tests_agree_with_scipy() -> None:
    paired = stats.ttest_rel(A[:4], B[:4])
    ours = paired_t_test(A, B)
    assert (ours.t, ours.p) == pytest.approx((paired.statistic, paired.pvalue))
    for equal in (True, False):
        known = stats.ttest_ind(A[:4], B, equal_var=equal)
        ours = two_sample_t_test(A, B, equal_variance=equal)
        assert (ours.t, ours.p) == pytest.approx((known.statistic, known.pvalue))


def test_conformance_tests_of_expected_utility(shared: Path) -> None:
    folder = shared / "data/expected-exposure/fairrag"
    known = json.loads((folder / "curve_expected.json").read_text())
    points = np.loadtxt(folder / "curve_points.tsv", skiprows=1)
    baseline = np.array(known["baseline_eu"])
    paired = paired_t_test(points[points[:, 1] == 1, 4], baseline)
    wanted = known["paired_alpha1_vs_baseline"]
    assert (paired.t, paired.p, paired.df) == pytest.approx((wanted["t"], wanted["p"], wanted["df"]), abs=1e-9)
    for row in known["intervals"]:
        inside = (points[:, 2] >= row["lo"]) & (points[:, 2] < row["hi"])
        if row["closed_right"]:
            inside |= points[:, 2] == row["hi"]
        for name, equal in (("student", True), ("welch", False)):
            ours = two_sample_t_test(points[inside, 4], baseline, equal_variance=equal)
            assert ours.difference == pytest.approx(row["delta_vs_baseline"], abs=1e-9)
            assert (ours.t, ours.p, ours.df) == pytest.approx(
                (row[name]["t"], row[name]["p"], row[name]["df"]), abs=1e-9
            )


def test_rounding_is_no_difference() -> None:
    same = paired_t_test(A, A + 1e-14)
    assert (same.difference, same.t, same.p) == (0, 0, 1)
    shifted = paired_t_test(np.array([1.5, 2.5, 3.5]), np.array([1.0, 2.0, 3.0]))
    assert (shifted.t, shifted.p) == (math.inf, 0)


def test_too_few_values_have_no_test() -> None:
    one, none = np.array([1.0]), np.array([math.nan])
    assert math.isnan(paired_t_test(one, np.zeros(1)).p)
    assert paired_t_test(one, np.zeros(1)).difference == 1
    assert math.isnan(paired_t_test(none, none).difference)
    assert math.isnan(two_sample_t_test(one, B, equal_variance=False).p)
    assert math.isnan(two_sample_t_test(none, B, equal_variance=True).difference)


def test_holm_by_hand() -> None:
    # sorted .01 .02 .04 → 3·.01, 2·.02, .04; the family leaves out what has no test
    adjusted = holm(np.array([0.04, math.nan, 0.01, 0.02]))
    np.testing.assert_allclose(adjusted, [0.04, math.nan, 0.03, 0.04])


@given(arrays(np.float64, st.integers(1, 9), elements=st.floats(0, 1)))
def test_holm_never_lowers_and_keeps_the_order(p_values: np.ndarray) -> None:
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0).all()


def test_verdicts() -> None:
    assert verdict(0.1, 0.01, 10) == "higher"
    assert verdict(-0.1, 0.01, 10) == "lower"
    assert verdict(-0.1, 0.05, 10) == "no significant difference"
    assert verdict(0.1, math.nan, 10) == "too few to test"
    assert verdict(0.1, 0.0, 9) == "too few to test"


def enumerated(differences: np.ndarray, denominators: np.ndarray) -> float:
    """Share of the 2^T patterns whose |sum| is at least the observed one, in fractions."""
    sums = [
        sum(Fraction(int(d), int(m)) for d, m in zip(column, denominators, strict=True)) for column in differences.T
    ]
    patterns = list(product((1, -1), repeat=len(sums)))
    as_far = [abs(sum(s * c for s, c in zip(signs, sums, strict=True))) >= abs(sum(sums)) for signs in patterns]
    return sum(as_far) / len(patterns)


WORLDS = st.integers(1, 3).flatmap(
    lambda j: st.integers(1, 8).flatmap(
        lambda t: st.tuples(
            st.lists(st.lists(st.integers(-4, 4), min_size=t, max_size=t), min_size=j, max_size=j),
            st.lists(st.integers(1, 9), min_size=j, max_size=j),
        )
    )
)


@given(world=WORLDS)
def test_sign_flips_are_the_enumeration(world: tuple[list[list[int]], list[int]]) -> None:
    differences, denominators = np.array(world[0]), np.array(world[1])
    for max_cells in (tests.MAX_CELLS, 2**7):  # longer ones are summed pattern by pattern
        result = sign_flip(differences, denominators, max_cells=max_cells)
        assert result.exact
        assert result.p == pytest.approx(enumerated(differences, denominators), abs=1e-12)


def test_few_clusters_are_counted_out_whatever_their_denominators() -> None:
    """Of contexts of 99991 and 99989 items sums are multiples of 10⁻¹⁰: too many to be held one beside the other.

    c_t = d_at/99991 + d_bt/99989 with d_a = 3 throughout and d_b = 1, but −4 in one of the ten clusters, whose c_t is
    below 0: as far from 0 as their sum are the patterns in which all ten signs are those of the data, or the other
    ones, those in which this cluster alone is turned, and its opposite: 4 of 2¹⁰.
    """
    of_contexts = np.array([[3] * 10, [1] * 9 + [-4]])
    result = sign_flip(of_contexts, np.array([99991, 99989]))
    assert result == (4 / 2**10, True)
    assert not sign_flip(np.tile(of_contexts, 3), np.array([99991, 99989])).exact  # 2²⁹ patterns of 30 clusters


@pytest.mark.parametrize("sizes", [[1], [2, 3, 7]])
def test_many_clusters_of_a_size_are_taken_at_once(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """By a transform instead of cluster by cluster, and drawn as heads of many coins instead of one by one."""
    for seed in range(4):
        signs = np.random.default_rng(seed).choice([-1, 0, 1, 1], size=(1, 60 * len(sizes)))
        differences = signs * np.tile(sizes, 60)
        one_by_one = sign_flip(differences, np.array([7]))
        drawn = sign_flip(differences, np.array([7]), max_cells=0)
        with monkeypatch.context() as patch:
            patch.setattr(tests, "ALIKE", 10)
            patch.setattr(tests, "MAX_STEPS", 0)
            patch.setattr(tests, "AT_ONCE", 5_000)
            at_once = sign_flip(differences, np.array([7]))
            drawn_at_once = sign_flip(differences, np.array([7]), max_cells=0)
        assert at_once.exact
        assert at_once.p == pytest.approx(one_by_one.p, abs=1e-11)
        assert drawn.p == pytest.approx(one_by_one.p, abs=0.006)
        assert drawn_at_once.p == pytest.approx(one_by_one.p, abs=0.006)
        assert not drawn_at_once.exact
    ahead = np.ones((1, 200), dtype=np.int64)
    monkeypatch.setattr(tests, "MAX_STEPS", 0)
    monkeypatch.setattr(tests, "ALIKE", 1)
    assert sign_flip(ahead, np.array([7])).p == 1e-12  # 2 of 2²⁰⁰


def test_drawn_patterns_are_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(3).integers(-9, 12, size=(1, 30))
    monkeypatch.setattr(tests, "AT_ONCE", 2**22)
    wanted = sign_flip(differences, np.array([1]), max_cells=0)
    monkeypatch.setattr(tests, "AT_ONCE", 30 * 777)
    assert sign_flip(differences, np.array([1]), max_cells=0) == wanted


@given(world=WORLDS, factor=st.integers(2, 50))
def test_scale_and_order_of_clusters_change_nothing(world: tuple[list[list[int]], list[int]], factor: int) -> None:
    differences, denominators = np.array(world[0]), np.array(world[1])
    p = sign_flip(differences, denominators).p
    assert sign_flip(factor * differences[:, ::-1], denominators).p == pytest.approx(p)
    assert sign_flip(-differences, factor * denominators).p == pytest.approx(p)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    n = first + second
    expected = stats.binomtest(first, n, 0.5).pvalue if n else 1.0
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_exact(first, second) == mcnemar_exact(second, first)
