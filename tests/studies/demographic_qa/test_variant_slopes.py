"""Lines over k: values, numbers at both ends, names, dashes."""

import numpy as np

from fairviz.show.theme import LIGHT
from fairviz.studies.demographic_qa.figures_conditions import SlopeLine, SlopePanel, slopes_alt, slopes_figure
from tests.app.reading import EVIL
from tests.show.views import named, texts

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
