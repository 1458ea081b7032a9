"""Slope panels of bias: one range, the meaning of the sign at its edges, a sign's colour, hollow where few."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.social_bias.favoured import Sides
from fairviz.studies.social_bias.figures_slopes import edge_names, point_text, slope_bounds, slopes_alt, slopes_figure
from fairviz.studies.social_bias.grids import BiasGrid, Cell, bias_grid
from fairviz.studies.social_bias.published import VIEWS, view_grid

SETTINGS = ("w/o RAG", "full-set", "stereo-set", "anti-set")
EVIL = '<a href="http://198.51.100.7">m</a>'


def grid(measure: str = "diffbias_a") -> BiasGrid:
    cells = [
        Cell("m1", "Age", name, value, value - 3, value + 3, small=name == "anti-set")
        for name, value in zip(SETTINGS, (5.0, 0.0, 20.0, -10.0), strict=True)
    ]
    cells += [Cell(EVIL, "Age", name, 1.0) for name in SETTINGS]
    return bias_grid(cells, measure)  # type: ignore[arg-type]


def drawn(figure: object, name: str) -> Any:
    return next(t for t in figure.data if t.name == name)  # type: ignore[attr-defined]


def notes(figure: object) -> list[str]:
    return [a.text for a in figure.layout.annotations]  # type: ignore[attr-defined]


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_points_have_the_colour_of_their_sign_and_are_hollow_where_few(colours) -> None:  # type: ignore[no-untyped-def]
    figure = slopes_figure(grid(), 0, highlighted="m1", bounds=(-20, 30), colours=colours)
    points = drawn(figure, "highlighted")
    assert list(points["y"]) == [5.0, 0.0, 20.0, -10.0]
    assert list(points["marker"]["color"]) == [
        colours.positive,
        colours.ink,
        colours.positive,
        colours.page,
    ]
    assert list(figure.layout.yaxis.range) == [-20, 30]


def test_the_meaning_of_the_sign_stands_at_each_edge() -> None:
    figure = slopes_figure(grid(), 0, highlighted="m1", bounds=(-20, 30), colours=LIGHT)
    assert notes(figure)[:2] == ["▲ towards the stereotype", "▼ against the stereotype"]
    assert {"+5", "0", "+20", "−10"} <= set(notes(figure))
    named = replace(grid(), sides={"Age": Sides("favours “nonOld”", f"favours “{EVIL}”")})
    above, below, *_ = notes(slopes_figure(named, 0, highlighted="m1", bounds=(-20, 30), colours=LIGHT))
    assert above == "▲ favours “nonOld”"
    assert "<a" not in below
    assert edge_names(named, 0)[1] == f"favours “{EVIL}”"


def test_printed_tables_name_no_group() -> None:
    for view in VIEWS:
        paper = view_grid(view, "diffbias_a")
        assert {edge_names(paper, i) for i in range(len(paper.blocks))} == {Sides()}


def test_accuracy_has_no_sign_no_groups_and_a_fixed_range() -> None:
    acc = grid("acc_a")
    figure = slopes_figure(acc, 0, highlighted="m1", bounds=slope_bounds([acc]), colours=LIGHT)
    assert notes(figure)[0] == "↑ more right answers"
    assert slope_bounds([acc]) == (-4.0, 108.0)
    assert not figure.layout.shapes
    assert set(drawn(figure, "highlighted")["marker"]["color"]) <= {LIGHT.ink, LIGHT.page}


def test_one_range_holds_every_value_and_interval_and_zero() -> None:
    low, high = slope_bounds([grid()])
    assert low < -13
    assert high > 23
    positive = bias_grid([Cell("m", "Age", "a", 50.0)], "diffbias_a")
    assert slope_bounds([positive])[0] < 0
    empty = bias_grid([Cell("m", "Age", "a", math.nan)], "diffbias_a")
    assert slope_bounds([empty])[0] < 0 < slope_bounds([empty])[1]


def test_other_rows_are_grey_and_names_of_people_are_text() -> None:
    figure = slopes_figure(grid(), 0, highlighted="m1", bounds=(-20, 30), colours=LIGHT)
    thin = drawn(figure, "other models")
    assert thin["line"]["color"] == LIGHT.faint
    assert np.isnan(thin["y"][-1])
    assert "<a" not in str(figure.to_json()).replace("\\u003c", "<")


def test_lines_of_a_paper_are_dotted_and_gaps_stay_gaps() -> None:
    lines = np.array([[1.0, np.nan, 3.0, 4.0]])
    figure = slopes_figure(
        grid(), 0, highlighted="m1", bounds=(-20, 30), colours=LIGHT, beside=lines, beside_names=("GPT-3.5",)
    )
    paper = drawn(figure, "the paper's models")
    assert paper["line"]["dash"] == "dot"
    assert paper["connectgaps"] is False
    assert np.isnan(paper["y"][1])


def test_models_side_by_side_are_not_joined() -> None:
    figure = slopes_figure(grid(), 0, highlighted="m1", bounds=(-20, 30), colours=LIGHT, joined=False)
    assert drawn(figure, "highlighted")["mode"] == "markers"
    assert drawn(figure, "interval")["mode"] == "lines"
    assert "other models" not in [t.name for t in figure.data]


def test_the_mean_is_drawn_without_interval() -> None:
    paper = view_grid(VIEWS[0], "diffbias_a")
    figure = slopes_figure(paper, 1, highlighted="mean", bounds=(-20, 60), colours=LIGHT)
    assert "interval" not in [t.name for t in figure.data]
    assert drawn(figure, "highlighted")["y"][0] == pytest.approx(31.92)


def test_small_values_do_not_read_as_zero() -> None:
    assert point_text(-0.4) == "−0.4"
    assert point_text(float("nan")) == ""


def test_alt_says_values_and_directions() -> None:
    said = slopes_alt(grid(), 0, highlighted="m1")
    assert said == (
        "Age: m1, in percent: w/o RAG +5.0, full-set ±0.0, stereo-set +20.0, anti-set −10.0. Above "
        "zero: towards the stereotype; below: against the stereotype."
    )
