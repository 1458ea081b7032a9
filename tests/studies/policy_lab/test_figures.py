"""The price of fairness: what is in the chart, what stays, what falls off."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.policy_lab.figures import ApartPoint, PriceLine, PriceView, frame_of, price_alt, price_figure
from tests.show.views import label_boxes, named, overlaps, texts


def line(method: str, x: list[float], y: list[float], symbol: str = "square") -> PriceLine:
    return PriceLine(
        method=method,
        label=method.capitalize(),
        symbol=symbol,
        x=np.array(x),
        y=np.array(y),
        words=tuple(f"{i / 10:g}" for i in range(len(x))),
    )


GREEDY = line("greedy", [23, 18, 15, 11], [-1.1, -2.0, -2.6, -3.2])
CONS = line("cons", [24, 17, 12], [-2.7, -3.5, -4.2], "circle")
BONUS = line("bonus", [20, 12, 6], [-6.0, -9.0, -11.1], "diamond")
BLIND = line("blind", [26, 26.2], [-11.5, -72.0], "x-thin-open")


def view(**changes: object) -> PriceView:
    shown = PriceView(
        lines=(GREEDY, CONS, BONUS, BLIND),
        today=25.9,
        quality="nDCG@10",
        budget=3.0,
        ringed={"greedy": 2, "cons": 0},
        best="greedy",
    )
    return replace(shown, **changes)  # type: ignore[arg-type]


def test_every_line_starts_today_and_goes_through_its_points() -> None:
    drawn = named(price_figure(view(), colours=LIGHT), "greedy")
    np.testing.assert_array_equal(drawn.x, [25.9, *GREEDY.x])
    np.testing.assert_array_equal(drawn.y, [0, *GREEDY.y])


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_best_is_thick_and_in_accent_the_others_grey(colours) -> None:  # type: ignore[no-untyped-def]
    figure = price_figure(view(), colours=colours)
    best, other = named(figure, "greedy"), named(figure, "cons")
    assert best.line.color == colours.plackett_luce.line
    assert other.line.color == colours.faint
    assert best.line.width > 1.5 * other.line.width
    assert {named(figure, m).marker.symbol[1] for m in ("greedy", "cons", "bonus", "blind")} == {
        "square",
        "circle",
        "diamond",
        "x-thin-open",
    }


def test_rings_are_on_the_best_points_inside_the_budget() -> None:
    rings = named(price_figure(view(), colours=LIGHT), "within the budget")
    assert list(zip(rings.x, rings.y, strict=True)) == [(15, -2.6), (24, -2.7)]
    none = price_figure(view(ringed={}, best=""), colours=LIGHT)
    assert "within the budget" not in [trace.name for trace in none.data]


def test_the_target_stands_at_the_right_and_what_nobody_reaches_is_shaded() -> None:
    figure = price_figure(view(), colours=LIGHT)
    left, right = figure.layout.xaxis.range
    assert left > 26.2 > 0 > right  # reversed
    shapes = {shape.name: shape for shape in figure.layout.shapes}
    assert (shapes["nobody"].x0, shapes["nobody"].x1) == (6, 0)
    assert shapes["target"].x0 == 0
    assert "no re-ranker<br>gets here" in texts(figure)
    assert shapes["budget"].y0 == -3


def test_a_measure_without_an_ideal_has_no_target_line() -> None:
    scale = view().scale._replace(ideal=float("nan"), falling=False)
    figure = price_figure(view(scale=scale), colours=LIGHT)
    assert {shape.name for shape in figure.layout.shapes} == {None, "budget"}
    assert figure.layout.xaxis.range[0] < figure.layout.xaxis.range[1]


def test_what_falls_off_the_scale_is_named_with_its_value() -> None:
    """−72 % dwarfs losses of 3 to 11 %; the line crosses the foot between 26 and 26.2."""
    figure = price_figure(view(), colours=LIGHT)
    floor = figure.layout.yaxis.range[0]
    assert -20 < floor < -11.5
    off = named(figure, "off the scale")
    assert list(off.y) == [floor]
    assert 26 < off.x[0] < 26.2
    assert "Blind<br>−72 % below" in texts(figure)


def test_a_budget_moves_rings_and_no_range() -> None:
    """Also not one that is below the chart, which is then said."""
    one, two = price_figure(view(), colours=LIGHT), price_figure(view(budget=30.0), colours=LIGHT)
    assert one.layout.xaxis.range == two.layout.xaxis.range
    assert one.layout.yaxis.range == two.layout.yaxis.range
    assert any("below this chart" in text for text in texts(two))


@pytest.mark.parametrize("best", ["greedy", "cons", "bonus", ""])
def test_labels_keep_apart(best: str) -> None:
    shown = view(best=best)
    figure = price_figure(shown, colours=LIGHT)
    frame = frame_of(shown)
    for width in frame.widths:
        assert overlaps(label_boxes(figure, frame, width)) == []
    for name in ("Greedy", "Cons", "Bonus"):
        assert sum(name in text for text in texts(figure)) == 1


def test_repeats_of_a_random_re_ranker_are_bars() -> None:
    spread = np.array([[22, 24, -1.5, -0.9]] * 4)
    figure = price_figure(view(lines=(replace(GREEDY, spread=spread),)), colours=LIGHT)
    drawn = named(figure, "greedy")
    assert (drawn.error_x.array[1], drawn.error_x.arrayminus[1]) == (1, 1)
    assert drawn.error_y.array[1] == pytest.approx(0.2)


def test_undefined_points_and_no_lines_are_drawn_empty() -> None:
    nothing = line("none", [float("nan")], [float("nan")])
    figure = price_figure(view(lines=(nothing,), ringed={}, best=""), colours=LIGHT)
    assert np.isfinite(figure.layout.yaxis.range).all()
    alone = price_figure(view(lines=(), ringed={}, best=""), colours=LIGHT)
    assert [trace.name for trace in alone.data] == ["today"]
    assert "None is ringed" in price_alt(view(lines=(), ringed={}, best=""))


def test_alt_text_holds_the_numbers() -> None:
    alt = price_alt(view())
    for text in ("25.9", "Greedy", "15.0 for −2.6 %", "6.0 for −11.1 %", "budget of 3.0 %"):
        assert text in alt


def test_rings_are_thin_where_the_budget_is_not_met_for_certain() -> None:
    rings = named(price_figure(view(certain=frozenset({"greedy"})), colours=LIGHT), "within the budget")
    sure, unsure = rings.marker.line.width
    assert sure > unsure


def test_a_point_over_other_queries_stands_apart_with_its_n() -> None:
    """Hollow, joined to nothing, in the ranges of the chart, and in words."""
    other = replace(CONS, x=np.array([24, np.nan, 12]), y=np.array([-2.7, np.nan, -4.2]))
    other = replace(other, apart=(ApartPoint(3.0, -3.0, 12, "λ = 0.2"),))
    shown = view(lines=(GREEDY, other))
    figure = price_figure(shown, colours=LIGHT)
    drawn = named(figure, "other queries")
    assert (list(drawn.x), list(drawn.y)) == ([3.0], [-3.0])
    assert drawn.marker.symbol == ("circle-open",)
    assert "over 12 queries only, not compared" in drawn.text[0]
    assert np.isnan(named(figure, "cons").x[2])
    assert shown.reach() == 11
    assert "1 hollow points are over fewer queries" in price_alt(shown)


def test_what_changes_nothing_is_named_below_the_chart() -> None:
    still = line("still", [25.9, 25.9], [0, 0])
    shown = view(lines=(GREEDY, still))
    assert shown.still == ["Still"]
    assert not [text for text in texts(price_figure(shown, colours=LIGHT)) if "Still" in text]


def test_no_axis_is_in_millionths() -> None:
    """All at one place: the axis is a point wide, not as wide as rounding."""
    shown = view(lines=(line("still", [1e-5], [0]),), today=0.0, ringed={}, best="")
    left, right = price_figure(shown, colours=LIGHT).layout.xaxis.range
    assert left - right >= 1


def test_names_are_text() -> None:
    bad = replace(GREEDY, label="<a href='x'>y</a>")
    figure = price_figure(view(lines=(bad,), ringed={}), colours=LIGHT)
    said = " ".join(texts(figure)) + " ".join(t for trace in figure.data for t in trace.text or ())
    assert "<a" not in said
