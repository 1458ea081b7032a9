"""Overlap of every two variants: numbers in cells, colour by what they differ in."""

from dataclasses import replace

import numpy as np

from fairviz.display.theme import DARK, LIGHT
from fairviz.studies.demographic_qa.charts import (
    OverlapView,
    overlap_alt,
    overlap_figure,
    overlap_floor,
)
from tests.app.reading import EVIL
from tests.display.views import named

NAN = float("nan")
PERCENT = np.array([[100.0, 81.0, 66.1], [81.0, 100.0, NAN], [66.1, NAN, 100.0]])
VIEW = OverlapView(names=("no attribute", "Asian", "male"), percent=PERCENT, floor=60.0, k=10)


def test_cells_hold_the_lower_triangle() -> None:
    figure = overlap_figure(VIEW, colours=LIGHT)
    numbers = named(figure, "numbers")
    assert list(numbers.text) == ["81", "66"]
    assert list(zip(numbers.x, numbers.y, strict=True)) == [(0, 0), (0, 1)]
    assert list(figure.layout.yaxis.ticktext) == ["Asian", "male"]
    assert list(figure.layout.xaxis.ticktext) == ["no attribute", "Asian"]
    assert list(named(figure, "undefined").x) == [1]
    assert (named(figure, "overlap").zmin, named(figure, "overlap").zmax) == (60.0, 100)


def test_the_numbers_can_be_read_on_their_fill() -> None:
    deep = replace(VIEW, percent=np.array([[100.0, 60.0], [60.0, 100.0]]), names=("a", "b"))
    assert list(named(overlap_figure(deep, colours=LIGHT), "numbers").textfont.color) == ["#FFFFFF"]
    assert list(named(overlap_figure(deep, colours=DARK), "numbers").textfont.color) == ["#000000"]


def test_the_scale_starts_at_tens_below_the_least() -> None:
    assert overlap_floor([PERCENT]) == 60.0
    assert overlap_floor([np.full((2, 2), 100.0)]) == 90.0
    assert overlap_floor([np.full((2, 2), NAN)]) == 0.0
    assert overlap_floor([]) == 0.0


def test_words_and_no_markup() -> None:
    assert "from 66 % (no attribute and male) to 81 % (no attribute and Asian)" in overlap_alt(VIEW)
    assert "no two variants" in overlap_alt(replace(VIEW, names=("a",), percent=np.ones((1, 1))))
    assert len(overlap_figure(replace(VIEW, names=("a",)), colours=LIGHT).data) == 0
    evil = replace(VIEW, names=(EVIL, "b", "c"))
    assert "<img" not in overlap_figure(evil, colours=LIGHT).to_json()
