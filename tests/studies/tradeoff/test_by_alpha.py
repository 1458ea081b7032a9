"""Distribution of EE-D per α."""

import math

import numpy as np
import pytest

from fairviz.points.intervals import alpha_tests, disparity_by_alpha
from fairviz.stats.tests import paired_t_test
from tests.studies.tradeoff.curves import curve, seed


def test_quartiles_by_hand() -> None:
    spreads = disparity_by_alpha(curve([[0, 1, 2, 3, 4, math.nan], [math.nan] * 6], np.zeros((2, 6))))
    assert spreads[0] == (0, 2, 0, 1, 2, 3, 4, 5)
    assert spreads[1].n_queries == 0
    assert math.isnan(spreads[1].median)


def test_every_two_alphas_are_compared_by_query() -> None:
    x = np.sort(seed().random((3, 20)), axis=0)
    tests = alpha_tests(curve(x, x))
    assert [(t.low, t.high) for t in tests] == [(0, 1), (0, 2), (1, 2)]
    assert all(t.difference > 0 and t.p_holm >= t.p for t in tests)
    assert tests[0].p == pytest.approx(paired_t_test(x[1], x[0]).p)
    assert tests[0].n_queries == 20
