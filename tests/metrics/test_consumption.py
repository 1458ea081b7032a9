"""EU, EAR, EAE-D kernels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairviz.metrics.consumption import (
    attributed_disparity,
    attribution_rate,
    concentration,
    equal_chance,
    largest_utility,
)


def test_largest_utility_by_hand() -> None:
    utilities = np.array([-1.0, -3.0, math.nan, math.nan])
    best = largest_utility(utilities, np.array([0, 3, 4, 4]))
    np.testing.assert_array_equal(best, [-1.0, math.nan, math.nan])


@given(arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 5))))
def test_bounds_of_attributed_disparity(used: np.ndarray) -> None:
    """Rows are outputs, columns the k given items, given in every output."""
    n, k = used.shape
    attributed = used.mean(axis=0)
    rate = attribution_rate(used.sum(axis=1), np.array([0, n]), k=k)[0]
    disparity = attributed_disparity(attributed, np.array([0, k]))[0] / k
    assert rate**2 - 1e-12 <= disparity <= rate + 1e-12  # all alike … a fixed list
    if n == 1:
        assert disparity == pytest.approx(rate)


@given(arrays(np.float64, st.integers(1, 8), elements=st.floats(0.01, 1)), st.floats(0.01, 1))
def test_equal_use_lies_on_the_line_of_equal_chance(exposure: np.ndarray, rate: float) -> None:
    whole = np.array([0, exposure.size])
    x = attributed_disparity(exposure, whole) / 5
    y = attributed_disparity(rate * exposure, whole) / 5
    np.testing.assert_allclose(y, equal_chance(x, np.array([rate])))
    share = concentration(5 * x, np.array([exposure.sum()]))
    np.testing.assert_allclose(share, concentration(5 * y, np.array([rate * exposure.sum()])))


def test_concentration_counts_effective_sources() -> None:
    # two items share exposure 3 : 1, so (9 + 1)/16
    exposure = np.array([0.75, 0.25])
    value = concentration(np.array([exposure @ exposure, 0.0]), np.array([1.0, 0.0]))
    np.testing.assert_allclose(value, [10 / 16, math.nan])
