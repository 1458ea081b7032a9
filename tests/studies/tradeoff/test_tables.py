"""Tables of the trade-off for papers and files: columns, rows, captions."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.points.curves import compare_points
from fairviz.points.intervals import alpha_tests, disparity_by_alpha, quality_by_interval
from fairviz.points.summary import compared_areas
from fairviz.studies.tradeoff.columns import (
    alpha_tests_table,
    comparison_table,
    intervals_table,
    points_table,
    spreads_table,
    summary_table,
)
from tests.studies.tradeoff.curves import curve, seed

X = [[0.1, 0.2], [0.5, 0.7], [0.9, 0.8]]
Y = [[0.3, 0.1], [0.4, 0.5], [0.6, 0.7]]


def test_points_have_the_columns_of_the_command_line() -> None:
    """α = 0: EE-D (0.1 + 0.2) / 2, EE-R (0.3 + 0.1) / 2."""
    table = points_table([curve(X, Y)])
    assert table.keys[:5] == ("system", "policy", "alpha", "EED", "EER")
    first = dict(zip(table.keys, table.rows[0], strict=True))
    assert first["EED"] == pytest.approx(0.15)
    assert first["EER"] == pytest.approx(0.2)
    assert (first["n_queries"], first["n_undefined"], first["n_samples"]) == (2, 0, None)
    assert len(table.rows) == 3
    assert (table.keys[4], table.headings[4]) == ("EER", "EER")
    binary = points_table([replace(curve(X, Y), y="EER(rel=1)@5")])
    assert (binary.keys[4], binary.headings[4]) == ("EER", "EER(rel=1)@5")
    assert "EER(rel=1)@5" in binary.caption
    assert csv_text(table).count("\n") == 4


def test_points_without_an_alpha_leave_it_empty() -> None:
    lines = csv_text(points_table([curve([[0.1]], [[0.2]])])).splitlines()
    assert lines[1].startswith("bm25,plackett-luce,0.0,")
    nothing = points_table([])
    assert nothing.rows == ()


def test_areas_name_their_range() -> None:
    table = summary_table(compared_areas([curve(X, Y), curve(X, Y, policy="optimal")], rng=seed()), quality="EE-R")
    assert "EE-D 0.15 to 0.85" in table.caption
    assert table.rows[0][:2] == ("bm25", "plackett-luce")  # for programs; people read its name
    assert "2\u202f000 resamples" in table.caption
    assert "Plackett--Luce" in latex_text(table)
    cells = [dict(zip(table.keys, row, strict=True)) for row in table.rows]
    assert [cell["difference"] for cell in cells] == [None, 0.0]
    assert [cell["n_compared"] for cell in cells] == [None, 2]


def test_every_interval_has_a_row_also_where_it_is_empty() -> None:
    end = curve([[1.0, 1.0]], [[0.6, 0.8]], policy="deterministic")
    rows = quality_by_interval(curve(X, Y), end, rng=seed())
    table = intervals_table(rows, quality="EE-R", test="paired t")
    assert len(table.rows) == 5
    cells = [dict(zip(table.keys, row, strict=True)) for row in table.rows]
    assert [cell["n_queries"] for cell in cells] == [1, 1, 1, 1, 2]
    assert "paired t" in table.caption


def test_distribution_by_alpha_and_its_tests() -> None:
    points = curve(X, Y).only([0, 2])
    assert points.alphas.tolist() == [0, 2]
    np.testing.assert_array_equal(points.disparity, [X[0], X[2]])
    spreads = spreads_table(disparity_by_alpha(points))
    assert spreads.rows[0][:2] == (0.0, pytest.approx(0.15))
    tests = alpha_tests_table(alpha_tests(points))
    # (0.9 − 0.1 + 0.8 − 0.2) / 2
    assert tests.rows[0][:3] == (0.0, 2.0, pytest.approx(0.7))


def test_keys_of_every_table_are_plain() -> None:
    main = curve(X, Y)
    end = curve([[1.0, 1.0]], [[0.6, 0.8]], policy="deterministic")
    points = points_table([main])
    assert points.audience == "programs"
    for table in (
        points,
        summary_table(compared_areas([main], rng=seed()), quality="EE-R"),
        intervals_table(quality_by_interval(main, end, rng=seed()), quality="EE-R", test="paired t"),
        spreads_table(disparity_by_alpha(main)),
        alpha_tests_table(alpha_tests(main)),
    ):
        assert all(key == key.lower() or key in ("EED", "EER") for key in table.keys)


def test_two_systems_have_an_area_and_points() -> None:
    end = curve([[1.0, 1.0]], [[0.6, 0.8]], policy="deterministic")
    points = compare_points(curve(X, Y), curve(Y, X), end, end, alpha=2.0, seed=0)
    (gap,) = compared_areas([curve(Y, X), curve(X, Y)], rng=seed()).gaps
    table = comparison_table(gap, points)
    assert [row[0] for row in table.rows[:2]] == ["AUC", "EE-D at α = 2"]
    assert table.rows[0][6] == "too few to test"  # two queries
