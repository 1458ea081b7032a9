"""Paired gaps: one row a model, hollow without a remedy, one range, zero an ink line."""

from dataclasses import replace

import numpy as np

from fairviz.show.theme import LIGHT
from fairviz.studies.demographic_qa.figures_groups import GapMark, gaps_alt, gaps_figure, gaps_span
from tests.app.reading import EVIL
from tests.show.views import named

PLAIN = GapMark(row="Claude", condition="Plain", gap=10.2, low=7.6, high=12.9)

TOLD = GapMark(row="Claude", condition="COT", gap=8.0, low=4.9, high=11.0, remedy=True)

OTHER = GapMark(row="Gemini", condition="Plain", gap=-1.0, low=-4.0, high=2.0)

MARKS = [PLAIN, TOLD, OTHER]


def test_marks_stand_in_their_rows() -> None:
    figure = gaps_figure(MARKS, span=gaps_span([MARKS]), colours=LIGHT)
    dots = named(figure, "gaps")
    assert list(dots.x) == [10.2, 8.0, -1.0]
    assert list(dots.y) == [-0.12, 0.12, 1.0]
    assert list(dots.marker.color) == [LIGHT.page, LIGHT.agree, LIGHT.page]
    assert list(figure.layout.yaxis.ticktext) == ["Claude", "Gemini"]
    assert list(named(figure, "intervals").x) == [7.6, 12.9, None, -4.0, 2.0, None]
    assert list(named(figure, "intervals of remedies").x) == [4.9, 11.0, None]
    (zero,) = figure.layout.shapes
    assert (zero.x0, zero.x1, zero.line.color) == (0, 0, LIGHT.ink)


def test_the_range_holds_every_interval_and_zero() -> None:
    low, high = gaps_span([MARKS])
    assert low < -4.0
    assert high > 12.9
    low, high = gaps_span([[PLAIN]])
    assert low < 0
    low, high = gaps_span([[]])
    assert low < 0 < high


def test_without_an_interval_only_the_mark_is_drawn() -> None:
    bare = replace(PLAIN, low=np.nan, high=np.nan)
    figure = gaps_figure([bare], span=(-1, 20), colours=LIGHT)
    assert [trace.name for trace in figure.data] == ["gaps"]
    assert "Claude Plain 10.2" in gaps_alt([bare], "White minus Black")
    assert "7.6 to 12.9" in gaps_alt([PLAIN], "White minus Black")
    assert "\N{MINUS SIGN}1.0" in gaps_alt([OTHER], "x")


def test_small_groups_are_grey_and_names_no_markup() -> None:
    evil = replace(PLAIN, row=EVIL, condition=EVIL, pair=EVIL, small=True)
    figure = gaps_figure([evil], span=(-1, 20), colours=LIGHT)
    assert named(figure, "gaps").marker.line.color[0] == LIGHT.faint
    assert "<img" not in figure.to_json()
