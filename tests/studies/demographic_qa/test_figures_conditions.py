"""Conditions side by side: two marks a row with their numbers, and lines over k."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.show.theme import DARK, LIGHT, Palette
from fairviz.studies.demographic_qa.figures_conditions import (
    PairRow,
    PairsView,
    SlopeLine,
    SlopePanel,
    pairs_alt,
    pairs_figure,
    pairs_span,
    slopes_alt,
    slopes_figure,
)
from tests.app.reading import EVIL
from tests.show.views import named, texts

PLAIN = PairRow(name="Plain", first=13.0, second=11.0, words="18.7")
VOTE = PairRow(name="Majority Vote", first=7.0, second=6.0, words="22.9", bold=True)
VIEW = PairsView(rows=(PLAIN, VOTE), first="DP", second="EO", axis="points ↓", head="accuracy ↑", squares=True)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_stand_at_their_values(colours: Palette) -> None:
    figure = pairs_figure(VIEW, span=pairs_span([VIEW], zero=True), colours=colours)
    dp, eo = named(figure, "DP"), named(figure, "EO")
    assert (list(dp.x), list(dp.y)) == ([13, 7], [0, 1])
    assert (list(eo.x), list(eo.y)) == ([11, 6], [0, 1])
    assert (dp.marker.symbol, dp.marker.color) == ("square", colours.agree)
    assert (eo.marker.symbol, eo.marker.color) == ("circle", colours.page)
    assert list(named(figure, "between").x) == [13, 11, None, 7, 6, None]


def test_before_is_hollow_and_after_is_full() -> None:
    view = replace(VIEW, squares=False, first="mean", second="vote")
    figure = pairs_figure(view, span=(0, 20), colours=LIGHT)
    assert named(figure, "mean").marker.color == LIGHT.page
    assert named(figure, "vote").marker.color == LIGHT.agree


def test_numbers_stand_outside_the_two_marks() -> None:
    figure = pairs_figure(VIEW, span=(0, 20), colours=LIGHT)
    beside = {n.text: n.xanchor for n in figure.layout.annotations}
    assert beside["11"] == "right"
    assert beside["13"] == "left"
    assert "<b>22.9</b>" in texts(figure)
    assert "accuracy ↑" in texts(figure)


def test_equal_numbers_are_printed_once() -> None:
    view = replace(VIEW, rows=(replace(PLAIN, first=7.0, second=7.0),))
    assert texts(pairs_figure(view, span=(0, 20), colours=LIGHT)).count("7") == 1


def test_undefined_is_said_and_not_drawn() -> None:
    one = replace(PLAIN, second=np.nan)
    neither = replace(PLAIN, name="x", first=np.nan, second=np.nan)
    view = replace(VIEW, rows=(one, neither))
    figure = pairs_figure(view, span=pairs_span([view], zero=True), colours=LIGHT)
    assert list(named(figure, "between").x) == []
    assert texts(figure).count("undefined") == 1
    assert "EO undefined" in pairs_alt(view)


def test_the_range_holds_every_value() -> None:
    low, high = pairs_span([VIEW], zero=True)
    assert low < 0 < 13 < high
    low, high = pairs_span([VIEW], zero=False)
    assert 0 < low < 6
    assert pairs_span([replace(VIEW, rows=())], zero=True) == (0.0, 1.0)
    same = replace(VIEW, rows=(replace(PLAIN, first=5.0, second=5.0),))
    low, high = pairs_span([same], zero=False)
    assert low < 5 < high


def test_names_are_no_markup() -> None:
    view = replace(VIEW, rows=(replace(PLAIN, name=EVIL, words=EVIL, hover=EVIL),), head=EVIL)
    assert "<img" not in pairs_figure(view, span=(0, 1), colours=LIGHT).to_json()


PANEL = SlopePanel(
    title="DP, points ↓",
    lines=(
        SlopeLine(name="BM25", k=(10, 15, 20), values=(12.0, 11.0, 10.0)),
        SlopeLine(name="Contriever", k=(10, 15, 20), values=(8.0, np.nan, 6.0)),
    ),
    decimals=0,
)


def test_lines_have_their_values_dashes_and_ends() -> None:
    figure = slopes_figure(PANEL, colours=LIGHT)
    bm25, other = named(figure, "BM25"), named(figure, "Contriever")
    assert (list(bm25.x), list(bm25.y)) == ([10, 15, 20], [12, 11, 10])
    assert bm25.line.dash != other.line.dash
    assert bm25.marker.symbol != other.marker.symbol
    said = texts(figure)
    assert said == ["<b>DP, points ↓</b>", "12", "10", "BM25", "8", "6", "Contriever"]
    low, high = figure.layout.yaxis.range
    assert low < 6
    assert high > 12


def test_words_one_point_and_nothing() -> None:
    assert "Contriever: 8 at k = 10, undefined at k = 15" in slopes_alt(PANEL)
    one = SlopePanel(title="x", lines=(SlopeLine(name=EVIL, k=(5,), values=(1.0,)),))
    figure = slopes_figure(one, colours=LIGHT)
    assert "<img" not in texts(figure)[-1]
    assert texts(figure)[1] == "1.0"
    none = SlopePanel(title="x", lines=(SlopeLine(name="a", k=(5,), values=(np.nan,)),))
    assert texts(slopes_figure(none, colours=LIGHT)) == ["<b>x</b>"]
    assert texts(slopes_figure(SlopePanel(title="x", lines=()), colours=LIGHT)) == ["<b>x</b>"]
