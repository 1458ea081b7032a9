"""Accuracy and Diff-Bias of counts: by hand, and the laws of the papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.resources import content
from fairviz.studies.social_bias.labels import bias_type
from fairviz.studies.social_bias.measures import MEASURES, bias_measures, bound_a, bounds_d

TABLES = arrays(np.float64, (3, 4), elements=st.integers(0, 30).map(float))
"""Counts: contexts a, s, c by answers s, c, u, out of choice."""


def measured(counts: object, ooc: str = "drop") -> dict[str, float]:
    found = bias_measures(np.array(counts, dtype=float), ooc)  # type: ignore[arg-type]
    return {name: float(value) for name, value in found.items()}


def test_by_hand() -> None:
    """Ten ambiguous items (3 s, 1 c, 6 u), ten stereotyped (8, 1, 1), ten counter (2, 7, 1).

    Acc_a = 6/10. Acc_d = (8 + 7)/20. Diff-Bias_a = (3 − 1)/10. Diff-Bias_d = 8/10 − 7/10.
    s_AMB = (1 − 0.6)(2·3/4 − 1) = 0.4·0.5. s_DIS = 2·(8 + 2)/(8 + 1 + 2 + 7) − 1 = 20/18 − 1.
    """
    found = measured([[3, 1, 6, 0], [8, 1, 1, 0], [2, 7, 1, 0]])
    wanted = [60, 75, 20, 10, 20, 100 * (20 / 18 - 1)]
    assert [found[name] for name in MEASURES] == pytest.approx(wanted)


def test_out_of_choice_leaves_or_counts() -> None:
    """Two of ten ambiguous answers are out of choice: 4 u and 3 s − 1 c of 8, or of 10."""
    counts = [[3, 1, 4, 2], [4, 0, 0, 1], [0, 4, 0, 1]]
    dropped, counting = measured(counts), measured(counts, "count")
    assert (dropped["acc_a"], counting["acc_a"]) == (50, 40)
    assert (dropped["diffbias_a"], counting["diffbias_a"]) == (25, 20)
    assert (dropped["acc_d"], counting["acc_d"]) == (100, 80)


def test_nothing_is_undefined_and_never_0() -> None:
    found = measured(np.zeros((3, 4)))
    assert all(np.isnan(value) for value in found.values())
    only_unknown = measured([[0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 5, 0]])
    assert (only_unknown["acc_a"], only_unknown["acc_d"], only_unknown["diffbias_a"]) == (100, 0, 0)
    assert np.isnan(only_unknown["s_amb"])
    assert np.isnan(only_unknown["s_dis"])


@given(counts=TABLES)
def test_diff_bias_stays_within_its_bounds(counts: np.ndarray) -> None:
    found = bias_measures(counts)
    n = counts[:, :3].sum(axis=1)
    if n[0]:
        assert abs(found["diffbias_a"]) <= bound_a(np.array(found["acc_a"])) + 1e-9
    if n[1] and n[2]:
        low, high = bounds_d(found["acc_d"], n[1], n[2])
        assert low - 1e-9 <= found["diffbias_d"] <= high + 1e-9


@given(right=st.integers(0, 60), n_s=st.integers(1, 30), n_c=st.integers(1, 30))
def test_the_bounds_of_diff_bias_d_are_reached(right: int, n_s: int, n_c: int) -> None:
    """Largest with all right answers in stereotyped contexts first, smallest in the others."""
    right = min(right, n_s + n_c)
    n_ss = min(right, n_s)
    n_cc = min(right, n_c)
    acc = np.array(100 * right / (n_s + n_c))
    low, high = bounds_d(acc, np.array(float(n_s)), np.array(float(n_c)))
    assert high == pytest.approx(100 * (n_ss / n_s - (right - n_ss) / n_c))
    assert low == pytest.approx(100 * ((right - n_cc) / n_s - n_cc / n_c))


@given(acc=st.floats(0, 100), n=st.integers(1, 500))
def test_the_papers_bound_where_contexts_are_even(acc: float, n: int) -> None:
    """|Diff-Bias_d| ≤ 1 − |2 Acc_d − 1| (Equation 6)."""
    low, high = bounds_d(np.array(acc), np.array(float(n)), np.array(float(n)))
    assert high == pytest.approx(100 - abs(2 * acc - 100), abs=1e-9)
    assert low == pytest.approx(-high)


@given(counts=TABLES)
def test_s_amb_is_diff_bias_a_wherever_a_group_was_named(counts: np.ndarray) -> None:
    found = bias_measures(counts)
    if counts[0, :2].sum():
        assert found["s_amb"] == pytest.approx(found["diffbias_a"], abs=1e-9)


@given(counts=TABLES)
def test_turning_the_stereotype_round_turns_the_sign(counts: np.ndarray) -> None:
    turned = counts[[0, 2, 1]][:, [1, 0, 2, 3]]
    here, there = bias_measures(counts), bias_measures(turned)
    for name in ("diffbias_a", "diffbias_d", "s_amb", "s_dis"):
        assert here[name] == pytest.approx(-there[name], nan_ok=True, abs=1e-9)
    for name in ("acc_a", "acc_d"):
        assert here[name] == pytest.approx(there[name], nan_ok=True)


def test_bias_types_are_found_by_every_name() -> None:
    types = content("answers/bias")["types"]
    names = [name for slug, kind in types.items() for name in (slug.casefold(), *kind["aliases"])]
    assert (len(types), len(set(names))) == (11, len(names))
    assert all(bias_type(name.upper()) is not None for name in names)
