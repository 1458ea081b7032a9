"""Overlap of every two variants: numbers in cells, colour by what they differ in."""

from fairviz.display.theme import DARK, LIGHT
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.charts import overlap_alt, overlap_figure, overlap_floor
from tests.app.reading import EVIL
from tests.display.views import named

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
