"""Charts of groups: values, colours, fixed ranges, nothing undefined drawn, no markup."""

from dataclasses import fields, replace

import numpy as np
import pytest

from fairviz.display.theme import LIGHT, Palette, group_hues
from fairviz.studies.groups.charts import by_rank_alt, by_rank_figure, highest_share
from fairviz.studies.groups.system import RankBins
from tests.display.test_theme import THEMES
from tests.display.views import named, texts

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
def test_a_panel_holds_share_interval_and_target(colours: Palette) -> None:
    hue = group_hues(("a", "b"), colours)[1]
    figure = by_rank_figure(BINS, ("a", "b"), 1, 0.6, colours=colours)
    assert list(named(figure, "share").y) == [0.75, 0.5]
    assert list(named(figure, "target").y) == [0.6, 0.6]
    assert list(named(figure, "interval").y) == [0.60, 0.34, 0.66, 0.86]
    assert named(figure, "share").line.color == hue.line
    assert list(figure.layout.xaxis.ticktext) == ["1–2", "3–9"]


def test_panels_of_a_row_have_one_range_that_holds_every_interval() -> None:
    top = highest_share(BINS)
    assert top == pytest.approx(0.9)
    for group in (0, 1):
        figure = by_rank_figure(BINS, ("a", "b"), group, 0.1, colours=LIGHT)
        assert tuple(figure.layout.yaxis.range) == (0, pytest.approx(1.04 * top))


def test_a_target_above_the_range_is_said_instead() -> None:
    figure = by_rank_figure(BINS, ("a", "b"), 0, 0.95, colours=LIGHT)
    assert "target 95\u202f% ↑" in texts(figure)
    assert "target" not in {trace.name for trace in figure.data}
    assert figure.layout.yaxis.range[1] < 0.95  # the range does not follow the target


def test_one_bin_has_a_bar_wide_enough_to_see() -> None:
    one = RankBins(**{field.name: getattr(BINS, field.name)[:1] for field in fields(BINS)})
    figure = by_rank_figure(one, ("a", "b"), 0, 0.3, few=True, colours=LIGHT)
    assert named(figure, "share").line.color == LIGHT.faint
    assert max(named(figure, "interval").x) - min(named(figure, "interval").x) == 0.5


def test_the_panel_in_words() -> None:
    assert by_rank_alt(BINS, ("a", "b"), 0, 0.3) == (
        "Share of a by rank, target 30 %. ranks 1–2: 25 % (of 40); ranks 3–9: 50 % (of 31)."
    )


def test_a_range_without_any_interval_is_whole() -> None:
    unknown = np.full((2, 2), np.nan)
    assert highest_share(replace(BINS, n=np.zeros(2), shares=unknown, low=unknown, high=unknown)) == 1.0
