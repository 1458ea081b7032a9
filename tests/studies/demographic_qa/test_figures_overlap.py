"""Grids: overlap of every two variants, scores by strategy; numbers in cells, colour by what they differ in."""

from dataclasses import replace

import numpy as np

from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.demographic_qa.figures_overlap import (
    OverlapView,
    ScoreGrid,
    grid_scale,
    overlap_alt,
    overlap_figure,
    overlap_floor,
    scores_alt,
    scores_figure,
)
from tests.app.reading import EVIL
from tests.show.views import named, texts

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


VALUES = np.array([[21.5, 23.2, 26.6], [9.5, np.nan, 8.5]])
GRID = ScoreGrid(
    rows=("MMLU", "MedQA"),
    heads={0: "DeepSeek", 1: "Llama"},
    columns=("Plain", "Counterfactual", "Majority Vote"),
    values=VALUES,
    scale=grid_scale(VALUES),
    flags=frozenset({(1, 2)}),
)


def test_cells_hold_scores_and_the_best_of_a_row_is_bold() -> None:
    figure = scores_figure(GRID, colours=LIGHT)
    numbers = named(figure, "numbers")
    assert list(numbers.text) == ["21.5", "23.2", "<b>26.6</b>", "<b>9.5</b>", "8.5*"]
    assert list(numbers.x) == [0, 1, 2, 0, 2]
    assert list(numbers.y) == [1, 1, 1, 3, 3]  # a heading above each row
    assert [text for text in texts(figure) if "DeepSeek" in text] == ["<b>DeepSeek</b>"]
    assert list(figure.layout.yaxis.ticktext) == ["MMLU", "MedQA"]


def test_the_first_column_is_the_page_and_losses_are_amber() -> None:
    fills = list(named(scores_figure(GRID, colours=LIGHT), "cells").marker.color)
    assert fills[0] == fills[3] == LIGHT.page.lower()
    parts = [int(fills[4][i : i + 2], 16) for i in (1, 3, 5)]
    assert parts[0] > parts[2]  # more red than blue
    parts = [int(fills[2][i : i + 2], 16) for i in (1, 3, 5)]
    assert parts[0] < parts[2]


def test_one_scale_for_all_rows() -> None:
    assert GRID.scale == 6.0  # 26.6 − 21.5 = 5.1, in whole points
    assert grid_scale(np.zeros((0, 0))) == 1.0
    assert grid_scale(np.array([[np.nan, 3.0]])) == 1.0


def test_words_headings_and_no_markup() -> None:
    assert "DeepSeek MMLU: Plain 21.5, best Majority Vote 26.6" in scores_alt(GRID)
    heads = list(scores_figure(GRID, colours=LIGHT).layout.xaxis.ticktext)
    assert heads == ["Plain", "Counter-<br>factual", "Majority<br>Vote"]
    empty = replace(GRID, rows=(), heads={}, values=np.zeros((0, 3)))
    assert len(scores_figure(empty, colours=LIGHT).data) == 0
    evil = replace(GRID, rows=(EVIL, "b"), heads={0: EVIL}, columns=(EVIL, "b", "c"))
    assert "<img" not in scores_figure(evil, colours=LIGHT).to_json()
