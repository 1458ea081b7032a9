import itertools
import json
import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from fairviz.stats.correlation import EXACT_UP_TO, Variant, chance_tau, kendall_tau
from tests.metrics.test_group_conformance import rows_of

LISTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=0, max_size=12)  # few levels: many ties


@pytest.mark.parametrize("variant", get_args(Variant))
@given(LISTS)
def test_is_scipys(variant: Variant, pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    x, y = np.asarray(x), np.asarray(y)
    ours = kendall_tau(x, y, variant=variant)
    constant = len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2
    if constant:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(float(kendalltau(x, y, variant=variant).statistic), abs=1e-12)


@pytest.mark.parametrize("variant", get_args(Variant))
def test_expected_values(shared: Path, variant: Variant) -> None:
    file = shared / "data" / "ranking-metrics" / "inputs" / "correlation.json"
    pairs = {one["id"]: one for one in json.loads(file.read_text())}
    wanted = [row for row in rows_of("tau") if row.metric == f"kendall_tau_{variant}"]
    assert len(wanted) == 5
    for row in wanted:
        found = kendall_tau(*(np.array(pairs[row.case][side]) for side in "xy"), variant=variant)
        assert abs(found - row.value) <= row.tolerance


def test_infinite_values_are_extremes() -> None:
    x = np.array([-np.inf, 0.0, 5.0, np.inf])
    assert kendall_tau(x, np.arange(4.0)) == 1
    assert kendall_tau(np.array([np.inf, np.inf, 1.0]), np.array([2.0, 2.0, 1.0]), variant="b") == 1


def test_undefined_leave_the_pair() -> None:
    x, y = np.array([1.0, 2.0, np.nan, 3.0]), np.array([1.0, 2.0, 0.0, np.nan])
    assert kendall_tau(x, y) == 1  # two systems are left
    assert math.isnan(kendall_tau(x[:1], y[:1]))
    assert math.isnan(kendall_tau(np.array([np.nan, 1.0]), np.array([1.0, 2.0])))


def test_rounding_is_a_tie() -> None:
    x = np.array([0.1 + 0.2, 0.3, 1.0])  # the first two differ by 5e-17
    assert kendall_tau(x, np.array([1.0, 1.0, 2.0]), variant="b") == 1


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_chance_by_enumeration(n: int) -> None:
    first = np.arange(n, dtype=float)
    taus = np.array([abs(kendall_tau(first, np.array(p, dtype=float))) for p in itertools.permutations(first)])
    reached = [t for t in np.unique(np.round(taus, 9)) if (taus >= t - 1e-9).mean() <= 0.05]
    found = chance_tau(n)
    assert (math.isnan(found) and not reached) or found == pytest.approx(min(reached))


def test_chance_goes_over_into_the_normal() -> None:
    exact, normal = chance_tau(EXACT_UP_TO), chance_tau(EXACT_UP_TO + 1)
    assert exact == pytest.approx(normal, abs=0.003)
    assert chance_tau(200) < chance_tau(101) < 1
    assert math.isnan(chance_tau(1))
