"""Groups of one attribute: dots and intervals, references, small groups grey, one range."""

import numpy as np

from fairviz.display.theme import LIGHT, Palette
from fairviz.studies.demographic_qa.charts import groups_alt, groups_figure, shared_span
from tests.display.test_theme import THEMES
from tests.display.views import named, texts


def group(value: str, rate: float, low: float, high: float, n: int, *, small: bool = False) -> dict[str, object]:
    return {"value": value, "rate": rate, "low": low, "high": high, "n": n, "small": small}


WHITE = group("White", 0.935, 0.916, 0.950, 801)
BLACK = group("Black", 0.844, 0.817, 0.868, 801)
ROW = {
    "attribute": "race",
    "unit": "right answers",
    "groups": [WHITE, BLACK],
    "conditions": [{"value": "neutral", "rate": 0.896}],
    "guess": np.nan,
}
SPAN = (0.8, 1.0)


@THEMES
def test_dots_and_intervals_stand_at_their_rates(colours: Palette) -> None:
    figure = groups_figure(ROW, span=SPAN, colours=colours)
    dots = named(figure, "groups")
    assert list(dots.x) == [0.935, 0.844]
    assert list(dots.y) == [0, -1]
    assert list(dots.marker.color) == list(colours.groups[:2])
    assert list(dots.marker.symbol) == ["circle", "diamond"]
    assert tuple(named(figure, "interval 1").x) == (0.817, 0.868)
    assert list(named(figure, "nobody mentioned").x) == [0.896, 0.896, None] * 2
    heights = [y for y in named(figure, "nobody mentioned").y if y is not None]
    assert max(heights) < 0.18  # where the name of the first group begins
    right = groups_figure(ROW, span=(0.4, 1.0), colours=colours)  # no name stands there
    assert list(named(right, "nobody mentioned").x) == [0.896, 0.896]
    assert named(figure, "nobody mentioned").line.dash is not None


def test_guessing_is_drawn_where_it_lies_in_the_range() -> None:
    low = groups_figure(ROW | {"guess": 0.25}, span=(0.2, 1.0), colours=LIGHT)
    assert named(low, "guessing").line.dash == "dot"
    assert named(low, "guessing").x[0] == 0.25
    assert "guessing: 25.0\u202f%" in groups_alt(ROW | {"guess": 0.25})
    high = groups_figure(ROW | {"guess": 0.25}, span=SPAN, colours=LIGHT)
    assert "guessing" not in {trace.name for trace in high.data}


def test_every_group_is_named_with_its_rate() -> None:
    assert texts(groups_figure(ROW, span=SPAN, colours=LIGHT)) == [
        "<b>White</b>  93.5\u202f%",
        "<b>Black</b>  84.4\u202f%",
    ]
    assert "Black 84.4\u202f% (81.7 to 86.8) of 801" in groups_alt(ROW)
    assert "nobody mentioned: 89.6\u202f%" in groups_alt(ROW)
    assert groups_alt(ROW).startswith("Right answers by race: White 93.5")
    bare = groups_alt(ROW | {"unit": "ROUGE-L", "conditions": [], "groups": [WHITE | {"value": "high_income"}]})
    assert bare.startswith("Mean ROUGE-L by race: high income 93.5")
    assert "nobody" not in bare


def test_small_groups_are_grey_and_said_to_be() -> None:
    few = BLACK | {"n": 8, "small": True}
    figure = groups_figure(ROW | {"groups": [WHITE, few]}, span=SPAN, colours=LIGHT)
    assert list(named(figure, "groups").marker.symbol) == ["circle", "circle-open"]
    assert named(figure, "groups").marker.color[1] == LIGHT.faint
    assert "few: n = 8" in texts(figure)[1]


def test_undefined_is_not_drawn_as_zero() -> None:
    empty = group("Asian", np.nan, np.nan, np.nan, 0)
    panel = ROW | {"groups": [WHITE, empty], "conditions": []}
    figure = groups_figure(panel, span=SPAN, colours=LIGHT)
    assert np.isnan(named(figure, "groups").x[1])
    assert {trace.name for trace in figure.data} == {"groups", "interval 0"}
    assert "undefined: no answers" in texts(figure)[1]
    assert shared_span([panel | {"groups": [empty]}]) == (0.0, 1.0)


def test_more_groups_than_colours_are_all_in_ink() -> None:
    many = tuple(WHITE | {"value": f"cell {i}"} for i in range(12))
    figure = groups_figure(ROW | {"groups": many}, span=SPAN, colours=LIGHT)
    assert set(named(figure, "groups").marker.color) == {LIGHT.ink}
    assert len(texts(figure)) == 12


def test_one_range_holds_every_panel() -> None:
    low = BLACK | {"rate": 0.52, "low": 0.45, "high": 0.59}
    span = shared_span([ROW, ROW | {"groups": [low]}])
    assert span == (0.4, 1.0)
    assert groups_figure(ROW, span=span, colours=LIGHT).layout.xaxis.range == span
