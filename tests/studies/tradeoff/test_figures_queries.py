"""EE-D per α, EE-R against EU, citations by rank: the numbers that are drawn."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.theme import DARK, LIGHT
from fairviz.points.intervals import disparity_by_alpha
from fairviz.studies.attribution.charts import cited_by_rank_alt, cited_by_rank_figure
from fairviz.studies.tradeoff.charts import (
    correlation_alt,
    correlation_figure,
    ee_distribution_alt,
    ee_distribution_figure,
)
from tests.display.views import named, texts
from tests.studies.tradeoff.curves import curve

SPREADS = disparity_by_alpha(curve([[0.1, 0.2, 0.3], [0.6, 0.9, 0.9]], [[0.5] * 3, [0.6] * 3]))


def test_boxes_are_the_quartiles_and_diamonds_the_means() -> None:
    figure = ee_distribution_figure(SPREADS, colours=LIGHT)
    box, mean = named(figure, "EE-D"), named(figure, "mean")
    assert list(box.x) == ["0", "1"]
    assert list(box.median) == pytest.approx([0.2, 0.9])
    assert list(box.q1) == pytest.approx([0.15, 0.75])
    assert list(box.lowerfence) == pytest.approx([0.1, 0.6])
    assert list(mean.y) == pytest.approx([0.2, 0.8])
    assert box.line.color == LIGHT.plackett_luce.line


def test_the_axis_of_boxes_is_0_to_1_unless_all_is_small() -> None:
    low, high = ee_distribution_figure(SPREADS, colours=LIGHT).layout.yaxis.range
    assert low <= 0 < 1 <= high
    small = disparity_by_alpha(curve([[0.01, 0.03]], [[0.5, 0.5]]))
    assert ee_distribution_figure(small, colours=LIGHT).layout.yaxis.range[1] < 0.05


def test_alphas_without_a_value_are_left_out() -> None:
    spreads = disparity_by_alpha(curve([[np.nan], [0.4]], [[0.5], [0.5]]))
    assert list(named(ee_distribution_figure(spreads, colours=LIGHT), "EE-D").x) == ["1"]
    none = disparity_by_alpha(curve([[np.nan]], [[0.5]]))
    assert len(ee_distribution_figure(none, colours=LIGHT).data) == 0
    assert "0.90" in ee_distribution_alt(SPREADS)


def test_correlation_shows_common_points_and_the_mean_of_each_alpha() -> None:
    x = np.array([[0.1, 0.3, np.nan], [0.5, 0.7, 0.9]])
    y = np.array([[0.2, 0.4, 0.9], [np.nan, 0.8, 0.6]])
    figure = correlation_figure(
        replace(curve(x, y), alphas=np.array([1.0, 2.0]), query_ids=("a", "b", "c"), x="EER", y="EU"), colours=DARK
    )
    dots, path = named(figure, "queries"), named(figure, "mean per α")
    assert list(zip(dots.x, dots.y, strict=True)) == [
        (0.1, 0.2),
        (0.3, 0.4),
        (0.7, 0.8),
        (0.9, 0.6),
    ]
    assert [tuple(data) for data in dots.customdata] == [("a", 1), ("b", 1), ("b", 2), ("c", 2)]
    assert list(path.x) == pytest.approx([0.2, 0.8])
    assert list(path.y) == pytest.approx([0.3, 0.7])
    assert list(path.customdata) == [1, 2]
    assert path.line.color == DARK.ink
    low, high = figure.layout.xaxis.range
    assert low < 0.1 < 0.9 < high
    assert any("EU" in text for text in texts(figure))
    assert "Spearman 0.31" in correlation_alt(0.2, 0.31, 4)


def test_correlation_of_nothing_is_an_empty_chart() -> None:
    nothing = np.full((1, 2), np.nan)
    figure = correlation_figure(curve(nothing, nothing), colours=LIGHT)
    assert len(named(figure, "queries").x) == 0


def test_first_and_last_rank_carry_their_number() -> None:
    shares = np.array([0.42, 0.3, 0.2, 0.07])
    figure = cited_by_rank_figure(shares, highest=0.53, colours=LIGHT)
    bars = named(figure, "cited")
    np.testing.assert_array_equal(bars.y, shares)
    assert [text for text in texts(figure) if "%" in text] == ["<b>42 %</b>", "<b>7 %</b>"]
    assert bars.marker.color[0] == bars.marker.color[3] == LIGHT.plackett_luce.line
    assert bars.marker.color[1] != bars.marker.color[0]


def test_panels_of_a_row_have_one_height() -> None:
    one, other = (cited_by_rank_figure(np.array([top, 0.1]), highest=0.6, colours=LIGHT) for top in (0.2, 0.6))
    assert tuple(one.layout.yaxis.range) == tuple(other.layout.yaxis.range)
    assert one.layout.yaxis.range[1] > 0.6


def test_ranks_that_nobody_was_given_have_no_number() -> None:
    shares = np.array([0.5, 0.25, np.nan])
    figure = cited_by_rank_figure(shares, highest=0.5, colours=LIGHT)
    assert [text for text in texts(figure) if "%" in text] == ["<b>50 %</b>", "<b>25 %</b>"]
    assert "rank 2 in 25%" in cited_by_rank_alt("bot", shares)
    assert "no answer" in cited_by_rank_alt("bot", np.full(2, np.nan))
