"""Accuracy and Diff-Bias of counts: by hand, and the laws of the papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.resources import content
from fairviz.studies.social_bias.labels import bias_type
from fairviz.studies.social_bias.measures import bias_measures, bound_a, bounds_d

TABLES = arrays(np.float64, (3, 4), elements=st.integers(0, 30).map(float))
"""Counts: contexts a, s, c by answers s, c, u, out of choice."""


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


def test_bias_types_are_found_by_every_name() -> None:
    types = content("answers/bias")["types"]
    names = [name for slug, kind in types.items() for name in (slug.casefold(), *kind["aliases"])]
    assert (len(types), len(set(names))) == (11, len(names))
    assert all(bias_type(name.upper()) is not None for name in names)
