"""Groups of one attribute as dots, intervals and references; the overlap of every two variants as a triangle."""

import numpy as np

from fairviz.display.theme import DARK, LIGHT, Palette
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.charts import (
    groups_alt,
    groups_figure,
    overlap_alt,
    overlap_figure,
    overlap_floor,
    shared_span,
)
from tests.app.reading import EVIL
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


NAN = float("nan")


def overlap(neutral: dict[str, float], **between: float) -> Record:
    """Percent in common with the list that mentions nobody, and of two values, named "one_other"."""
    pairs = [(None, value, share) for value, share in neutral.items()]
    pairs += [(*name.split("_"), share) for name, share in between.items()]  # type: ignore[list-item]
    return {"k": 10, "pairs": [dict(zip(("first", "second", "overlap"), pair, strict=True)) for pair in pairs]}


OVERLAP = overlap({"Asian": 81.0, "male": 66.1}, Asian_male=NAN)
ONE = overlap({"a": NAN})


def test_cells_hold_the_lower_triangle() -> None:
    figure = overlap_figure(OVERLAP, floor=60.0, colours=LIGHT)
    numbers = named(figure, "numbers")
    assert list(numbers.text) == ["81", "66", "–"]
    assert list(zip(numbers.x, numbers.y, strict=True)) == [(0, 0), (0, 1), (1, 1)]
    assert list(figure.layout.yaxis.ticktext) == ["Asian", "male"]
    assert [one.text for one in figure.layout.annotations] == ["no attribute", "Asian"]
    assert list(numbers.hovertext) == [
        *(f"no attribute and {name} % in common" for name in ("Asian<br>81.0", "male<br>66.1")),
        "never compared",
    ]
    assert (named(figure, "overlap").zmin, named(figure, "overlap").zmax) == (60.0, 100)


def test_the_numbers_can_be_read_on_their_fill() -> None:
    deep = overlap({"a": NAN, "b": NAN}, a_b=60.0)
    for colours, ink in ((LIGHT, "#FFFFFF"), (DARK, "#000000")):
        figure = overlap_figure(deep, floor=60.0, colours=colours)
        assert list(named(figure, "numbers").textfont.color) == [ink]
        assert list(figure.layout.yaxis.ticktext) == ["b"]  # without a list that mentions nobody


def test_the_scale_starts_at_tens_below_the_least() -> None:
    assert overlap_floor([overlap({"a": 100.0})]) == 90.0
    assert overlap_floor([]) == 0.0


def test_words_and_no_markup() -> None:
    assert "from 66 % (no attribute and male) to 81 % (no attribute and Asian)" in overlap_alt(OVERLAP)
    assert "no two variants" in overlap_alt(ONE)
    assert len(overlap_figure(ONE, floor=60.0, colours=LIGHT).data) == 0
    evil = overlap({EVIL: 81.0, "male": 66.1})
    assert "<img" not in overlap_figure(evil, floor=60.0, colours=LIGHT).to_json()
