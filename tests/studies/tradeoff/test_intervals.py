"""The interval table."""

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.model import Curve
from fairviz.points.intervals import IntervalTest, models_above_baseline, quality_by_interval
from tests.studies.tradeoff.curves import curve, rows_of, seed

NAN = math.nan

# three queries at four α; the third query has no baseline
LINE = curve(
    [[0.1, 0.15, 0.1], [0.15, 0.5, 0.1], [1.2, 0.9, 0.1], [1.0, 1.0, 0.1]],
    [[0.2, 0.5, 0.9], [0.4, 0.7, 0.9], [0.6, 0.8, 0.9], [9.0, 9.0, 0.9]],
)
BASE = curve([[1, 1, 1]], [[0.5, 0.6, NAN]], policy="deterministic")


def intervals(line: Curve, base: Curve, **settings: Any) -> list[SimpleNamespace]:
    return rows_of(quality_by_interval(line, base, **settings))


def test_holm_runs_over_the_cells_that_enough_queries_have() -> None:
    """Ten queries have points in the first interval and in the last; in the third only nine of them."""
    x = np.repeat([[0.1], [0.9], [0.5]], 10, axis=1)
    x[2, 9] = NAN
    y = seed().normal(0.5, 0.1, size=(3, 10))
    first, _, third, _, last = intervals(curve(x, y), curve(np.ones((1, 10)), np.zeros((1, 10))), rng=seed())
    assert (first.n_queries, third.n_queries) == (10, 9)
    assert sorted((first.p_holm, last.p_holm)) == sorted(
        (2 * min(first.p, last.p), max(2 * min(first.p, last.p), max(first.p, last.p)))
    )
    assert third.p < 0.05
    assert math.isnan(third.p_holm)
    assert third.verdict == "too few to test"


def test_unpaired_tests_take_every_point() -> None:
    first = intervals(LINE, BASE, rng=seed(), test="welch")[0]
    assert first.quality == pytest.approx((0.2 + 0.4 + 0.5) / 3)
    assert first.difference == pytest.approx(1.1 / 3 - 0.55)
    third = intervals(LINE, BASE, rng=seed(), test="student", baseline_queries="all")[2]
    assert third.difference == pytest.approx(0.7 - 0.55)  # q1's point against both baselines


def test_a_clear_loss_is_called_lower() -> None:
    shift = seed(1).normal(size=50)
    x = np.full((1, 50), 0.1)
    lower = curve(x, shift[None] - 0.1 + 0.01 * seed(2).normal(size=50))
    base = curve(np.ones((1, 50)), shift[None], policy="deterministic")
    first = intervals(lower, base, rng=seed())[0]
    assert first.verdict == "lower"
    assert first.high < 0
    unpaired = intervals(lower, base, rng=seed(), test="welch")[0]
    assert unpaired.verdict == "no significant difference"  # what queries share drowns it
    # the interval stays paired: resamples of queries move both sides alike
    assert (unpaired.low, unpaired.high) == pytest.approx((first.low, first.high), abs=1e-9)


def test_models_above_their_baseline_are_counted() -> None:
    lines = LINE, curve(LINE.disparity, LINE.quality + 1)
    models = pl.concat([quality_by_interval(line, BASE, rng=seed()) for line in lines])
    counts = rows_of(models_above_baseline(models))
    assert [row.n_above for row in counts] == [1, 0, 2, 0, 2]
    assert [row.n_models for row in counts] == [2, 0, 2, 0, 2]
    assert counts[0].n_higher <= counts[0].n_above


@pytest.mark.parametrize("test", ["paired", "welch"])
def test_a_model_that_is_at_its_list_is_not_above_it(test: IntervalTest) -> None:
    """0.1 + 0.2 is 0.3 but for rounding, in every second query: 0 of 1 above, though the numbers differ by 5.6e-17."""
    alike = curve(np.full((1, 12), 0.5), np.array([[0.1 + 0.2, 0.3] * 6]))
    rows = quality_by_interval(alike, curve(np.ones((1, 12)), np.full((1, 12), 0.3)), rng=seed(), test=test)
    assert rows["difference"][2] == 0
    counts = models_above_baseline(rows).select("n_above", "n_models")
    assert counts.rows() == [(0, n) for n in (0, 0, 1, 0, 0)]


def test_the_baseline_is_one_point_of_the_same_quality() -> None:
    with pytest.raises(ValueError, match="one point with EER"):
        intervals(LINE, LINE, rng=seed())


def test_conformance_interval_means(shared: Path) -> None:
    folder = shared / "data/expected-exposure/fairrag"
    known = json.loads((folder / "curve_expected.json").read_text())
    points = np.loadtxt(folder / "curve_points.tsv", skiprows=1)
    query_ids = tuple(str(int(q)) for q in points[:50, 0])

    def axis(column: int) -> np.ndarray:
        return points[:, column].reshape(4, 50)

    def utility(x: np.ndarray, y: np.ndarray) -> Curve:
        return replace(curve(x, y), query_ids=query_ids, y="EU")

    base = utility(np.ones((1, 50)), np.array([known["baseline_eu"]]))
    rows = intervals(utility(axis(2), axis(4)), base, rng=seed(), test="student", baseline_queries="all")
    for row, wanted in zip(rows, known["intervals"], strict=True):
        if wanted["closed_right"]:  # theirs counts EE-D = 1 in the last interval, ours does not
            at_one = (axis(2) == 1).sum()
            assert row.n_points + at_one == wanted["n"]
            continue
        assert row.n_points == wanted["n"]
        assert row.quality == pytest.approx(wanted["mean_eu"], abs=1e-9)
        assert row.difference == pytest.approx(wanted["delta_vs_baseline"], abs=1e-9)
        assert row.p == pytest.approx(wanted["student"]["p"], abs=1e-9)
