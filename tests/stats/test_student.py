"""Quantiles of Student's t and tails of the normal distribution, beside SciPy's."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from fairviz.stats.bootstrap import tail
from fairviz.stats.student import LARGE, beyond, two_sided

DEGREES = [*range(1, 60), 99, 100, 500, LARGE - 1, LARGE, LARGE + 1, 10**4, 10**6, 10**9]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_beyond_quantiles_lies_scipys_tail(level: float) -> None:
    """SciPy 1.15 has its quantiles to ten digits only, its tails to all."""
    ours = np.array([two_sided(level, degrees) for degrees in DEGREES])
    tails = stdtr(np.array(DEGREES, dtype=float), -ours)
    np.testing.assert_allclose(tails, np.full(len(DEGREES), (1 - level) / 2), rtol=1e-12)


def test_by_hand() -> None:
    """One degree is the Cauchy distribution; with two, t = (2u - 1) sqrt(2 / (4 u (1 - u))), u = 0.975."""
    assert two_sided(0.95, 1) == pytest.approx(math.tan(math.pi * 0.475), rel=1e-13)
    assert two_sided(0.95, 2) == pytest.approx(0.95 * math.sqrt(2 / (4 * 0.975 * 0.025)), rel=1e-13)
    assert two_sided(0.95, 10**15) == pytest.approx(-ndtri(0.025), rel=1e-14)


def test_sums_and_the_expansion_meet() -> None:
    below, at, above = (two_sided(0.95, LARGE + more) for more in (-1, 0, 1))
    assert below > at > above
    assert below - at == pytest.approx(at - above, rel=0.01)


def test_what_lies_beyond() -> None:
    z = np.linspace(-8, 8, 200)
    np.testing.assert_allclose([beyond(one) for one in z.tolist()], ndtr(-z), rtol=1e-13)


def test_tails_of_one_number_and_of_many() -> None:
    sizes = np.array([[5, 1, 40], [5, 0, 100_000]])
    some = np.where(sizes > 1, sizes, 2.0)
    expected = np.where(sizes > 1, ndtr(np.sqrt(some / (some - 1)) * stdtrit(some - 1, 0.025)), np.nan)
    np.testing.assert_allclose(tail(sizes), expected, rtol=1e-12)
    assert tail(40) == tail(sizes)[0, 2]
    assert np.shape(tail(40)) == ()
    assert np.isnan(tail(1))
