"""Values of whole systems by hand: functions of means over queries."""

from math import nan

import numpy as np
import pytest

from fairviz.metrics.statistic import OfMeans


def test_functions_of_means() -> None:
    """Each part is averaged over the queries that have it: (1 + 3)/2 over 4."""
    parts = np.array([[1.0, nan], [3.0, 4.0], [nan, nan]])
    ratio = OfMeans(parts, lambda rows: rows[:, 0] / rows[:, 1], lambda rows: rows[:, 0] == 3)
    assert ratio.defined.tolist() == [True, True, False]
    assert ratio.under(np.ones((1, 3))).tolist() == [0.5]
    assert ratio.per_query() == pytest.approx([nan, 0.75, nan], nan_ok=True)
    assert (ratio.n_smoothed(whole=False), ratio.n_smoothed(whole=True)) == (1, 0)
