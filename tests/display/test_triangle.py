"""The triangle of cells by hand: three names, a number, a page-coloured number, and an undefined pair."""

import numpy as np

from fairviz.display.marks import CELL_NARROWEST, CHARACTER, LONGEST_NAME, TriangleCell, narrowest, triangle_figure
from fairviz.display.theme import LIGHT
from tests.display.views import named

SHADES = {"zmin": 0, "zmax": 1, "colorscale": [[0, LIGHT.page], [1, LIGHT.agree]]}
CELLS = [
    TriangleCell(0, 1, "a and b: 0.5", ".50", LIGHT.mute),
    TriangleCell(0, 2, "a and c: 0.1", ".10", LIGHT.ink, 0.1),
    TriangleCell(1, 2, "b and c: undefined"),
]


def test_a_cell_stands_in_the_row_of_its_second_and_the_column_of_its_first_name() -> None:
    figure = triangle_figure("abc", CELLS, title="share", shades=SHADES, colours=LIGHT)
    numbers = named(figure, "numbers")
    assert list(zip(numbers.x, numbers.y, numbers.text, strict=True)) == [(0, 0, ".50"), (0, 1, ".10"), (1, 1, "–")]
    assert list(numbers.hovertext) == ["a and b: 0.5", "a and c: 0.1", "b and c: undefined"]
    np.testing.assert_array_equal(
        named(figure, "share").z, [[np.nan, np.nan], [0.1, np.nan]]
    )  # a and c alone are shaded
    assert list(figure.layout.yaxis.ticktext) == ["b", "c"]
    assert [(note.text, note.x, note.y) for note in figure.layout.annotations] == [("a", -0.45, -1), ("b", 0.55, 0)]


def test_a_chart_is_as_wide_as_two_margins_and_its_cells_at_least() -> None:
    for name, n_shown in (("abcd", 4), ("x" * 100, LONGEST_NAME)):
        figure = triangle_figure([name, "b", "c"], CELLS, title="share", shades=SHADES, colours=LIGHT)
        assert narrowest(figure) == 2 * (14 + round(CHARACTER * n_shown)) + 2 * CELL_NARROWEST


def test_without_cells_nothing_is_drawn() -> None:
    for names in ([], ["a"]):
        figure = triangle_figure(names, [], title="share", shades=SHADES, colours=LIGHT)
        assert (len(figure.data), len(figure.layout.annotations)) == (0, 0)
