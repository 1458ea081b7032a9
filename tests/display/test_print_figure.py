"""Figures for papers: what is on the page, how large it is, and that equal charts give equal bytes."""

import re
import socket
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from fairviz.display import print_text
from fairviz.display.paper import WIDTHS, Kind, Paper, Width, printed
from fairviz.display.print_figure import drawn
from fairviz.display.print_text import width_of
from fairviz.display.theme import LIGHT, axis, base_layout, note
from fairviz.errors import UsageError
from fairviz.studies.tradeoff.figures import frame_of, tradeoff_figure
from tests.display.views import line, view

SHOWN = view()
CHART = tradeoff_figure(SHOWN, colours=LIGHT, point=SHOWN.at(2))
OTHERS = [line(system=f"a system with a long name {i}", top=0.6 + i / 20) for i in range(3)]
MANY = tradeoff_figure(view(others=OTHERS), colours=LIGHT)


def lines(figure: go.Figure, **how: object) -> list[Line2D]:
    """Lines of the traces that are joined, without the grid."""
    page = drawn(figure, Paper(**how))  # type: ignore[arg-type]
    return [one for one in page.axes[0].lines if one.get_zorder() > 1 and len(np.asarray(one.get_xdata())) > 2]


def words(figure: go.Figure, **how: object) -> set[str]:
    return {text.get_text() for text in drawn(figure, Paper(**how)).texts}  # type: ignore[arg-type]


@pytest.mark.parametrize("width", list(WIDTHS))
def test_the_page_is_as_wide_as_was_asked_for(width: Width) -> None:
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", printed(CHART, Paper(width=width), "pdf"))
    assert box is not None
    across, up = (float(points) / 72 * 25.4 for points in box.groups())
    assert across == pytest.approx(WIDTHS[width], abs=0.01)
    if width == "slide":
        assert up / across == pytest.approx(9 / 16, abs=1e-3)


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_equal_charts_give_equal_bytes_without_a_date_and_without_a_network(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a figure needs no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    first, second = (printed(CHART, Paper(), kind) for _ in range(2))
    assert first == second
    assert b"Date" not in first
    assert b"<dc:date" not in first


def test_the_fonts_are_embedded_as_outlines() -> None:
    content = printed(CHART, Paper(), "pdf")
    assert b"/FontFile2" in content
    assert b"Type3" not in content


def test_axes_have_the_ranges_of_the_chart() -> None:
    axes = drawn(CHART, Paper()).axes[0]
    frame = frame_of(SHOWN)
    assert axes.get_xlim() == pytest.approx(frame.x)
    assert axes.get_ylim() == pytest.approx(frame.y)


def test_every_curve_goes_through_its_points() -> None:
    own = next(one for one in lines(CHART) if to_rgb(one.get_color()) == to_rgb(LIGHT.plackett_luce.line))
    x, y = SHOWN.drawn
    np.testing.assert_allclose(np.asarray(own.get_xdata(), dtype=float), x)
    np.testing.assert_allclose(np.asarray(own.get_ydata(), dtype=float), y)
    assert len(lines(CHART)) == 3  # Plackett–Luce, optimal, oracle


@pytest.mark.parametrize("width", list(WIDTHS))
@pytest.mark.parametrize("chart", [CHART, MANY], ids=["one system", "several"])
def test_no_text_is_small_or_leaves_the_page(chart: go.Figure, width: Width) -> None:
    asked = Paper(width=width, call_outs=True)
    page = drawn(chart, asked)
    assert min(text.get_fontsize() for text in page.texts) >= asked.points >= 7
    across, up = page.get_size_inches() * 72
    for text in page.texts:
        box = text.get_window_extent()
        assert box.x0 > -1
        assert box.x1 < across * 1.03 + 1, text.get_text()  # screens round the widths of letters
        assert -1 < box.y0 < box.y1 < up + 1


def test_call_outs_are_left_out_unless_asked_for() -> None:
    assert "α = 2" not in words(CHART)
    assert "α = 2" in words(CHART, call_outs=True)
    assert "optimal" in words(CHART)  # direct labels stay: they are the legend


def test_greys_are_apart_and_lines_differ_in_dash() -> None:
    drawn_lines = lines(CHART, greyscale=True)
    greys = [to_rgb(one.get_color()) for one in drawn_lines]
    assert all(red == green == blue for red, green, blue in greys)
    levels = sorted(red for red, _, _ in greys)
    assert min(high - low for low, high in pairwise(levels)) > 0.15
    assert len({str(one.get_linestyle()) + str(one._dash_pattern) for one in drawn_lines}) == 3  # type: ignore[attr-defined]


def test_lines_that_only_a_colour_told_apart_get_dashes_and_markers() -> None:
    hues = (LIGHT.plackett_luce, LIGHT.optimal, LIGHT.oracle)
    traces = [
        {"type": "scatter", "mode": "lines", "y": [i, i, i + 1], "line": {"color": hue.line}}
        for i, hue in enumerate(hues)
    ]
    chart = go.Figure({"data": traces, "layout": base_layout(LIGHT, height=300)})
    looks = {(str(one._dash_pattern), one.get_marker()) for one in lines(chart, greyscale=True)}  # type: ignore[attr-defined]
    assert len(looks) == 3
    assert {one.get_marker() for one in lines(chart)} == {"None"}


def test_small_multiples_keep_their_places_and_their_axes() -> None:
    layout = base_layout(LIGHT, height=400)
    data = []
    for i in range(4):
        name = str(i + 1) if i else ""
        across, up = [0.55 * (i % 2), 0.45 + 0.55 * (i % 2)], [0.55 * (i // 2), 0.45 + 0.55 * (i // 2)]
        layout[f"xaxis{name}"] = axis(LIGHT, bounds=(0, 2), domain=across, anchor=f"y{name}")
        layout[f"yaxis{name}"] = axis(LIGHT, bounds=(0, 4), domain=up, showticklabels=i % 2 == 0)
        data.append({"type": "scatter", "mode": "lines", "y": [0, i, 1], "xaxis": f"x{name}", "yaxis": f"y{name}"})
    layout["annotations"] = [note(LIGHT, "head", x=0.5, y=1.1, xref="x4 domain", yref="y4 domain")]
    page = drawn(go.Figure({"data": data, "layout": layout}), Paper(width="177mm"))
    assert len(page.axes) == 4
    boxes = [axes.bbox for axes in page.axes]
    assert boxes[0].x1 < boxes[1].x0
    assert boxes[0].y1 < boxes[2].y0
    assert [axes.get_ylim() for axes in page.axes] == [(0.0, 4.0)] * 4
    (head,) = (text for text in page.texts if text.get_text() == "head")
    place = head.get_position()[0] * page.get_size_inches()[0] * 72
    assert boxes[3].x0 < place < boxes[3].x1


def test_names_are_text_and_not_markup() -> None:
    chart = tradeoff_figure(view(others=[line(system="$x$ <b>&")]), colours=LIGHT)
    assert "$x$ <b>&" in words(chart)


@pytest.fixture
def no_other_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fonts that come with Matplotlib, whatever else this machine has."""
    shipped = tuple(face for face in print_text._installed() if "mpl-data" in face.file)
    monkeypatch.setattr(print_text, "_installed", lambda: shipped)
    print_text._fallback.cache_clear()
    yield
    print_text._fallback.cache_clear()


@pytest.mark.usefixtures("no_other_fonts")
def test_letters_that_the_font_lacks_are_set_in_an_installed_one_or_named() -> None:
    """Circled letters are in STIX, which comes with Matplotlib."""
    chart = tradeoff_figure(view(others=[line(system="aⒶⒷ日")]), colours=LIGHT)
    texts = {text.get_text(): text.get_fontfamily() for text in drawn(chart, Paper()).texts}
    assert {"a", "ⒶⒷ", "\N{REPLACEMENT CHARACTER}"} <= set(texts)
    said: list[str] = []
    content = printed(chart, Paper(), "pdf", on_lost=said.append)
    assert content == printed(chart, Paper(), "pdf")
    assert re.search(rb"/BaseFont /\S*STIX", content)
    assert re.search(rb"/BaseFont /\S*DejaVuSans", content)
    (line_,) = said
    assert line_.startswith("no installed font has 日, printed as")
    assert "Ⓐ" not in line_
    printed(CHART, Paper(), "svg", on_lost=pytest.fail)


def test_the_family_of_the_type_is_a_choice() -> None:
    content = printed(CHART, Paper(family="serif"), "pdf")
    assert b"DejaVuSerif" in content
    assert b"DejaVuSans" not in content
    assert Paper(family="serif").options == ["--width 84mm", "--font serif"]


def test_a_chart_read_from_a_file_is_the_same_chart() -> None:
    again = plotly.io.from_json(CHART.to_json())
    assert printed(again, Paper(), "svg") == printed(CHART, Paper(), "svg")


def test_what_cannot_be_printed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="expected 7 to 40 pt"):
        Paper(font_size=6)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r'needs matplotlib: .* -m pip install .*\[print\]"'):
        printed(CHART, Paper(), "pdf")


def test_a_label_that_would_leave_the_page_pushes_the_plotting_area() -> None:
    layout = base_layout(LIGHT, height=200)
    words = "a name without a margin"
    layout["annotations"] = [note(LIGHT, words, x=1, y=0.5, xref="paper", yref="paper", xanchor="left")]
    traces = [{"type": "scatter", "mode": "lines", "y": [1, 2]}]
    page = drawn(go.Figure({"data": traces, "layout": layout}), Paper())
    (text,) = (text for text in page.texts if text.get_text() == words)
    start, across = text.get_position()[0], page.get_size_inches()[0] * 72
    assert start * across + width_of(words, 7) <= across  # in outlines: screens round the widths of letters
    assert page.axes[0].bbox.x1 <= start * across + 1
