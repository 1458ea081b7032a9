"""Charts of groups: values, colours, fixed ranges, nothing undefined drawn, no markup."""

import re
from dataclasses import replace

import numpy as np
import pytest

from fairviz.show.theme import DARK, LIGHT, Palette, group_hues
from fairviz.studies.groups.by_rank import RankBins
from fairviz.studies.groups.figures import (
    SharesView,
    by_rank_alt,
    by_rank_figure,
    highest_share,
    shares_alt,
    shares_figure,
)
from tests.app.reading import EVIL
from tests.show.views import named, texts

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])

VIEW = SharesView(
    groups=("women", "men", "both"),
    shares=np.array([0.5, 0.34, 0.16]),
    low=np.array([0.42, 0.26, np.nan]),
    high=np.array([0.59, 0.42, np.nan]),
    target=np.array([0.45, 0.45, 0.10]),
    reach_low=np.array([0.1, 0.0, np.nan]),
    reach_high=np.array([0.9, 0.8, np.nan]),
    others=np.array([[0.4, 0.4, 0.2], [0.6, 0.3, 0.1]]),
    other_names=("one", "two"),
    words=("50 %, not distinguishable from 45 %", "34 %, 11 points under", "16 %"),
)
BINS = RankBins(
    first=np.array([1, 3]),
    last=np.array([2, 9]),
    n=np.array([40.0, 31.0]),
    shares=np.array([[0.25, 0.75], [0.5, 0.5]]),
    low=np.array([[0.14, 0.60], [0.34, 0.34]]),
    high=np.array([[0.40, 0.86], [0.66, 0.66]]),
    p=np.full(2, np.nan),
)


@THEMES
def test_marks_stand_at_their_shares_in_the_groups_colours(colours: Palette) -> None:
    figure = shares_figure(VIEW, colours=colours)
    own, target, others = (named(figure, n) for n in ("this system", "target", "other systems"))
    assert list(own.x) == [0.5, 0.34, 0.16]
    assert list(own.y) == [0, -1, -2]
    assert list(target.x) == [0.45, 0.45, 0.10]
    assert list(own.marker.color) == list(colours.groups[:3])
    assert list(own.marker.symbol) == ["circle", "diamond", "square"]
    assert list(others.x) == [0.4, 0.4, 0.2, 0.6, 0.3, 0.1]
    assert target.marker.line.color == colours.ink


def test_intervals_and_reach_stand_where_there_are_any() -> None:
    figure = shares_figure(VIEW, colours=LIGHT)
    bars = [trace for trace in figure.data if trace.name.startswith("interval")]
    assert [tuple(bar.x) for bar in bars] == [(0.42, 0.59), (0.26, 0.42)]
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(0.1, 0.9), (0.0, 0.8)]


def test_ranges_do_not_follow_the_target() -> None:
    moved = replace(VIEW, target=np.array([1.0, 0.0, 0.0]))
    one, other = (shares_figure(view, colours=LIGHT).layout for view in (VIEW, moved))
    assert one.xaxis.range == other.xaxis.range
    assert one.yaxis.range == other.yaxis.range
    assert one.xaxis.range[0] < 0
    assert one.xaxis.range[1] > 1


def test_every_group_is_named_with_what_is_said_of_it() -> None:
    figure = shares_figure(VIEW, colours=LIGHT)
    assert texts(figure)[1] == "<b>men</b>  34 %, 11 points under"
    assert "men: 34 %, target 45 %, 34 %, 11 points under" in shares_alt(VIEW)
    tops = [note.y for note in figure.layout.annotations]
    assert tops == sorted(tops, reverse=True)


def test_long_names_go_on_in_the_next_line_and_none_is_cut_off() -> None:
    long = "Documents published by large commercial publishers in the United States and Canada"
    solid = "Supercalifragilisticexpialidocious_without_spaces_in_the_group_name"
    figure = shares_figure(replace(VIEW, groups=(long, solid, "a")), colours=LIGHT)
    for name, text in zip((long, solid, "a"), texts(figure), strict=True):
        bare = re.sub("<br>|</?b>", "", text)
        assert bare.replace(" ", "").startswith(name.replace(" ", ""))
        assert max(map(len, re.sub("</?b>", "", text).split("<br>"))) <= 62
    assert figure.layout.height > shares_figure(VIEW, colours=LIGHT).layout.height


def test_too_few_queries_are_grey() -> None:
    few = replace(VIEW, few=True, low=np.full(3, np.nan), high=np.full(3, np.nan))
    figure = shares_figure(few, colours=LIGHT)
    assert set(named(figure, "this system").marker.color) == {LIGHT.faint}
    assert not [trace for trace in figure.data if trace.name.startswith("interval")]


def test_names_are_no_markup() -> None:
    evil = replace(VIEW, groups=(EVIL, "men", "both"), other_names=(EVIL, "two"))
    figure = shares_figure(evil, colours=LIGHT)
    assert "<img" not in texts(figure)[0]
    assert "<img" not in named(figure, "this system").customdata[0]
    assert "<img" not in named(figure, "other systems").customdata[0]


def test_one_system_alone_is_drawn() -> None:
    alone = replace(VIEW, others=np.empty((0, 3)), other_names=())
    assert len(named(shares_figure(alone, colours=LIGHT), "other systems").x) == 0


@THEMES
def test_a_panel_holds_share_interval_and_target(colours: Palette) -> None:
    hue = group_hues(("a", "b"), colours)[1]
    figure = by_rank_figure(BINS, 1, target=0.6, highest=0.9, hue=hue, colours=colours)
    assert list(named(figure, "share").y) == [0.75, 0.5]
    assert list(named(figure, "target").y) == [0.6, 0.6]
    assert list(named(figure, "interval").y) == [0.86, 0.66, 0.34, 0.60]
    assert named(figure, "share").line.color == hue.line
    assert list(figure.layout.xaxis.ticktext) == ["1–2", "3–9"]


def test_panels_of_a_row_have_one_range_that_holds_every_interval() -> None:
    top = highest_share(BINS)
    assert top == pytest.approx(0.9)
    for group in (0, 1):
        hue = group_hues(("a", "b"), LIGHT)[group]
        figure = by_rank_figure(BINS, group, target=0.1, highest=top, hue=hue, colours=LIGHT)
        assert tuple(figure.layout.yaxis.range) == (0, pytest.approx(1.04 * top))


def test_a_target_above_the_range_is_said_instead() -> None:
    hue = group_hues(("a",), LIGHT)[0]
    figure = by_rank_figure(BINS, 0, target=0.95, highest=0.9, hue=hue, colours=LIGHT)
    assert "target 95\u202f% ↑" in texts(figure)
    assert "target" not in {trace.name for trace in figure.data}
    assert figure.layout.yaxis.range[1] < 0.95  # the range does not follow the target


def test_one_bin_has_a_bar_wide_enough_to_see() -> None:
    one = RankBins(
        first=BINS.first[:1],
        last=BINS.last[:1],
        n=BINS.n[:1],
        shares=BINS.shares[:1],
        low=BINS.low[:1],
        high=BINS.high[:1],
        p=BINS.p,
    )
    hue = group_hues(("a", "b"), LIGHT)[0]
    figure = by_rank_figure(one, 0, target=0.3, highest=0.9, hue=hue, colours=LIGHT)
    assert max(named(figure, "interval").x) - min(named(figure, "interval").x) == 0.5


def test_the_panel_in_words() -> None:
    assert by_rank_alt(BINS, 0, name="a", target=0.3) == (
        "Share of a by rank, target 30 %. ranks 1–2: 25 % (of 40); ranks 3–9: 50 % (of 31)."
    )


def test_a_range_without_any_interval_is_whole() -> None:
    nothing = RankBins(
        first=BINS.first,
        last=BINS.last,
        n=np.zeros(2),
        shares=np.full((2, 2), np.nan),
        low=np.full((2, 2), np.nan),
        high=np.full((2, 2), np.nan),
        p=BINS.p,
    )
    assert highest_share(nothing) == 1.0
