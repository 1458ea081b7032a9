"""Area, slope and crossings of mean curves."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from fairviz.model import Resamples
from fairviz.points.summary import MeanCurve, all_queries, as_recorded, first_reach, heights, mean_height, rising, slope
from tests.studies.tradeoff.curves import curve


def points(x: object, y: object) -> MeanCurve:
    return MeanCurve(np.array(x, dtype=np.float64)[:, None], np.array(y, dtype=np.float64)[:, None])


def area(line: MeanCurve, low: float, high: float) -> float:
    return float(mean_height(line, np.array([low]), np.array([high]))[0])


def test_undefined_points_are_no_part_of_a_curve() -> None:
    whole, holed = points([0, 1], [0, 1]), points([0, math.nan, 1], [0, math.nan, 1])
    assert area(rising(holed), 0, 1) == area(whole, 0, 1) == 0.5
    assert slope(rising(holed))[0] == slope(whole)[0] == 1
    np.testing.assert_array_equal(heights(rising(holed), np.array([0.3])), [[0.3]])
    nothing = points([math.nan, math.nan], [math.nan, math.nan])
    assert np.isnan(heights(nothing, np.array([0.3]))).all()
    assert np.isnan(slope(nothing)).all()


def test_slope_by_hand() -> None:
    line = points([0, 1, 2], [0, 2, 2])
    # unweighted: x̄ = 1, ȳ = 4/3: (4/3 + 0 + 2/3)/2 = 1
    assert slope(line, weights="points")[0] == pytest.approx(1)
    # weights 1/2, 1, 1/2: x̄ = 1, ȳ = 3/2: (1/2·3/2 + 1/2·1/2)/(1/2 + 1/2) = 1
    assert slope(line)[0] == pytest.approx(1)
    # weights 1/2, 2, 3/2: x̄ = 2, ȳ = 2: (1/2·2·3 + 2·1·0 + 3/2·2·1)/(2 + 2 + 6)
    bent = points([0, 1, 4], [-1, 2, 3])
    assert slope(bent)[0] == pytest.approx(6 / 10)


def test_the_weighted_slope_hardly_depends_on_the_grid() -> None:
    even, crowded = np.linspace(0, 1, 200), np.linspace(0, 1, 200) ** 3
    by_grid = [slope(points(x, np.sqrt(x)))[0] for x in (even, crowded)]
    by_points = [slope(points(x, np.sqrt(x)), weights="points")[0] for x in (even, crowded)]
    assert by_grid[0] == pytest.approx(by_grid[1], rel=5e-3)
    assert by_points[0] != pytest.approx(by_points[1], rel=0.2)


def test_first_reach_by_hand() -> None:
    line = points([0.1, 0.5, 0.9], [0, 1, 0.5])
    for level, x in ((0.5, 0.3), (-1, 0.1), (1, 0.5)):
        assert first_reach(line, np.array([level]))[0] == pytest.approx(x)
    assert math.isnan(first_reach(line, np.array([1.1]))[0])


def test_means_take_the_queries_that_both_axes_have() -> None:
    line = curve([[0.2, math.nan, 0.4]], [[1, 5, math.nan]])
    mean = as_recorded(line, line.query_ids, Resamples(np.array([[1.0, 1, 1], [0, 1, 1]])))
    np.testing.assert_array_equal(mean.x, [[0.2, math.nan]])
    np.testing.assert_array_equal(mean.y, [[1.0, math.nan]])
    assert line.n_defined == 1


def test_curves_over_other_queries_find_their_columns() -> None:
    one, two = curve([[1, 2]], [[1, 2]]), curve([[3, 4, 5]], [[3, 4, 5]])
    queries = all_queries([one, two])
    assert queries == ("q0", "q1", "q2")
    assert as_recorded(one, queries, Resamples(np.array([[0.0, 1, 7]]))).x[0, 0] == 2
    with pytest.raises(ValueError, match="lack some of its queries"):
        as_recorded(two, one.query_ids, Resamples(np.ones((1, 2))))


@pytest.mark.parametrize(
    "name", ["interval_means_eu", "interval_means_eer", "interval_midpoint_eu", "per_alpha_means_eu"]
)
def test_conformance_slopes_and_areas(shared: Path, name: str) -> None:
    path = shared / "data/expected-exposure/fairrag/curve_expected.json"
    known = json.loads(path.read_text())["curves"][name]
    line = points(known["x"], known["y"])
    width = known["x"][-1] - known["x"][0]
    mean = area(line, known["x"][0], known["x"][-1])
    assert slope(line, weights="points")[0] == pytest.approx(known["slope"], abs=1e-9)
    assert mean * width == pytest.approx(known["auc_trapezoid"], abs=1e-9)
    if "auc_over_xrange" in known:
        assert mean == pytest.approx(known["auc_over_xrange"], abs=1e-9)
