"""Metrics at every rank: the numbers that are drawn, and which lines are named."""

import numpy as np

from fairviz.show.theme import DARK, LIGHT
from fairviz.studies.agreement.figures import rank_series_alt, rank_series_figure
from fairviz.studies.agreement.series import SERIES, Gains, RankSeries, SeriesMetric
from tests.show.views import named, texts


def series(system: str, **rows: list[float]) -> RankSeries:
    depth = len(next(iter(rows.values())))
    values = np.full((len(SERIES), 1, depth), np.nan)
    for metric, row in rows.items():
        values[SERIES.index(metric), 0] = row  # pyright: ignore[reportArgumentType]
    return RankSeries(system=system, gains=Gains(irm="nDCG"), query_ids=("q",), values=values)


FOUND = [
    series("bm25", FAIR=[0.1, 0.2, 0.3], KL=[np.inf, 0.4, 0.2]),
    series("bm25 · re-ranked", FAIR=[0.4, 0.5, 0.6], KL=[0.3, 0.1, 0.05]),
    series("other", FAIR=[np.nan, 0.9, 0.8], KL=[np.nan] * 3),
]


def test_lines_are_the_means_at_each_rank() -> None:
    figure = rank_series_figure(FOUND, "FAIR", colours=LIGHT, highlighted=["bm25"])
    line = named(figure, "bm25")
    assert list(line.x) == [1, 2, 3]
    assert list(line.y) == [0.1, 0.2, 0.3]
    np.testing.assert_equal(np.array(named(figure, "other").y), [np.nan, 0.9, 0.8])
    low, high = figure.layout.yaxis.range
    assert low < 0.1 < 0.9 < high


def test_highlighted_lines_are_named_and_the_others_grey() -> None:
    figure = rank_series_figure(
        FOUND,
        "FAIR",
        colours=DARK,
        highlighted=["bm25", "bm25 · re-ranked"],
        dashed=["bm25 · re-ranked"],
    )
    assert named(figure, "other").line.color == DARK.faint
    assert named(figure, "bm25").line.color == DARK.ink
    own = named(figure, "bm25 · re-ranked")
    assert own.line.color == DARK.plackett_luce.line
    assert own.line.dash != "solid"
    assert named(figure, "bm25").line.dash == "solid"
    shown = " ".join(texts(figure))
    assert "<b>bm25</b>" in shown
    assert "re-ranked" in shown
    assert "other" not in shown


def test_the_axis_says_the_direction_and_the_gains() -> None:
    shown = {metric: texts(rank_series_figure(FOUND, metric, colours=LIGHT))[0] for metric in SERIES}
    assert shown["FAIR"].startswith("FAIR (nDCG gains)  (↑")
    assert "↓" in shown["KL"]
    assert all("↑" in text or "↓" in text for text in shown.values())


def test_infinite_and_undefined_ranks_are_gaps() -> None:
    figure = rank_series_figure(FOUND, "KL", colours=LIGHT, highlighted=["bm25", "other"])
    np.testing.assert_equal(np.array(named(figure, "bm25").y), [np.nan, 0.4, 0.2])
    assert np.isnan(np.array(named(figure, "other").y)).all()
    assert not any("other" in text for text in texts(figure))  # nothing to name
    low, high = figure.layout.yaxis.range
    assert low <= 0 < 0.4 < high


def test_nothing_and_markup() -> None:
    assert len(rank_series_figure([], "KL", colours=LIGHT).data) == 0
    odd = [series("<b>x</b>", KL=[0.1, 0.2])]
    figure = rank_series_figure(odd, "KL", colours=LIGHT, highlighted=["<b>x</b>"])
    assert "<b>x" not in figure.data[0].hovertemplate
    assert "&lt;b&gt;x" in " ".join(texts(figure))


def test_alt_tells_where_each_line_begins_and_ends() -> None:
    metric: SeriesMetric = "KL"
    assert rank_series_alt(FOUND, metric) == (
        "KL at each rank. bm25 from 0.40 at rank 2 to 0.20 at rank 3; bm25 · re-ranked from 0.30 "
        "at rank 1 to 0.05 at rank 3."
    )
    assert "No rank" in rank_series_alt([], metric)
