"""Figures for papers: their size, type and colours, the fonts in the file, and what is said without a browser."""

import re
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import fairviz as fv
from fairviz.display.paper import NO_BROWSER, Chart, for_paper, printed
from fairviz.display.theme import LIGHT, base_layout
from fairviz.errors import UsageError
from fairviz.resources import example_folder
from fairviz.studies.tradeoff.charts import tradeoff_figure
from tests.display.views import view

CHART = tradeoff_figure(view(), colours=LIGHT, point=view().at(2))


@pytest.fixture
def example() -> Chart:
    """The Trade-off figure of the example."""
    run, qrels = (example_folder() / name for name in ("bm25.run", "usefulness.qrels"))
    return fv.tradeoff(run, qrels, k=5, policy="all").figure()


def traces(chart: Chart = CHART, **paper: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = for_paper(chart, **paper)["data"]
    return found


def curves(**paper: Any) -> list[dict[str, Any]]:
    """The lines of the policies: those that a hue tells apart."""
    names = {"plackett-luce", "optimal", "oracle"}
    return [one for one in traces(**paper) if "lines" in one["mode"] and one.get("name") in names]


@pytest.mark.filterwarnings("ignore::fairviz.DataWarning")
def test_a_column_is_84_mm_wide_with_its_fonts_in_the_file(example: Chart, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a figure needs no network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    pdf, svg, png = printed(example, "pdf", "svg", "png")
    assert pdf.startswith(b"%PDF")
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
    assert float(box[1]) / 72 * 25.4 == pytest.approx(84, abs=0.05)
    assert b"/FontFile" in pdf
    assert b"Type3" not in pdf
    assert re.search(rb'<svg[^>]* width="317\.48', svg)  # px, 96 to the inch
    assert "EER@5, quality" in svg.decode()
    assert int.from_bytes(png[16:20], "big") == pytest.approx(84 / 25.4 * 300, abs=1)


@pytest.mark.slow
def test_the_same_bytes_twice() -> None:
    assert printed(CHART, "pdf", "svg", "png") == printed(CHART, "pdf", "svg", "png")


@pytest.mark.parametrize(("width", "points"), [(84, 8), (174, 8), (254, 14)])
def test_the_smallest_text_has_the_points_that_are_asked_for(width: float, points: float) -> None:
    layout = for_paper(CHART, width=width, points=points)["layout"]
    pixel = width / 25.4 * 72 / layout["width"]  # points of a px
    sizes = [layout["xaxis"]["tickfont"]["size"], *(one["font"]["size"] for one in layout["annotations"])]
    assert min(sizes) * pixel == pytest.approx(points)
    assert layout["height"] == CHART.layout.height


def test_what_is_for_the_screen_is_left_out() -> None:
    texts = [one["text"] for one in for_paper(CHART)["layout"]["annotations"]]
    assert not [text for text in texts if "α = 2" in text]
    assert any("optimal" in text for text in texts)  # direct labels stay: they are the legend
    assert "α = 2" in str(CHART.layout.annotations)
    assert len(traces()) < len(CHART.data)


def test_paper_is_white_whoever_draws() -> None:
    layout = for_paper(CHART)["layout"]
    assert (layout["paper_bgcolor"], layout["plot_bgcolor"]) == ("#FFFFFF", "#FFFFFF")
    assert LIGHT.page not in str(traces())
    CHART.layout.template = "plotly_dark"
    assert for_paper(CHART)["layout"] == layout


def test_greys_are_apart_and_lines_differ_in_dash() -> None:
    drawn = curves(greyscale=True)
    colours = [one["line"]["color"] for one in drawn]
    levels = sorted(int(re.fullmatch(r"rgba\((\d+),\1,\1,1\.0\)", colour)[1]) for colour in colours)  # type: ignore[index]
    assert levels[0] == 0
    assert min(b - a for a, b in pairwise(levels)) > 50
    assert len({one["line"].get("dash") for one in drawn}) == len(drawn) == 3
    coloured = [one["line"]["color"] for one in curves()]
    assert coloured == [LIGHT.oracle.line, LIGHT.optimal.line, LIGHT.plackett_luce.line]


def test_a_solid_line_that_its_colour_alone_tells_apart_has_a_dash_and_markers_in_greyscale() -> None:
    lines = [
        go.Scatter(x=[0, 1, 2], y=[i, 1, 2], mode="lines", line={"color": colour})
        for i, colour in enumerate((*LIGHT.groups[:3], LIGHT.groups[0]))
    ]
    first, second, third, again = traces(go.Figure(lines, base_layout(LIGHT, height=300)), greyscale=True)
    assert first["mode"] == again["mode"] == "lines"
    assert "dash" not in first["line"]
    assert second["line"]["dash"] != third["line"]["dash"]
    assert second["marker"]["symbol"] != third["marker"]["symbol"]
    assert second["marker"]["color"] == second["line"]["color"]


def test_eight_systems_of_one_colour_are_told_apart_by_grey_dash_and_marks() -> None:
    """A dash that a system has stays; its other traces take its grey, and the darkest is black and solid."""
    look = {"mode": "lines", "marker": {"size": 7}}
    dashes = ["solid"] * 6 + ["dashdot", "6px,3px"]
    lines = [
        go.Scatter(x=[0, 1], y=[i, 1], legendgroup=f"s{i}", line={"color": colour, "dash": dash}, **look)
        for i, (dash, colour) in enumerate(zip(dashes, ["#8A8D91"] * 7 + [LIGHT.ink], strict=True))
    ]
    square = go.Scatter(x=[1], y=[1], mode="markers", marker={"color": "#8A8D91"}, legendgroup="s3")
    *drawn, last = traces(go.Figure([*lines, square], base_layout(LIGHT, height=300)), greyscale=True)
    levels = sorted(int(re.findall(r"\d+", trace["line"]["color"])[0]) for trace in drawn)
    assert levels[0] == 0
    assert min(b - a for a, b in pairwise(levels)) >= 20
    assert len({trace["line"]["dash"] for trace in drawn}) == len({trace["marker"]["symbol"] for trace in drawn}) == 8
    assert [trace["line"]["dash"] for trace in drawn[6:]] == dashes[6:]
    assert drawn[7]["line"]["color"] == "rgba(0,0,0,1.0)"
    assert last["marker"]["color"] == drawn[3]["line"]["color"]


def test_colours_in_words_become_greys_and_the_words_of_a_person_stay() -> None:
    layout = base_layout(LIGHT, height=300)
    words = "<span style='color:#0072B2'>●</span> #0072B2"
    layout["annotations"] = [{"text": words, "x": 0, "y": 0}]
    chart = go.Figure(go.Bar(x=["#0072B2"], y=[1], marker={"color": np.array(["#0072B2"])}), layout)
    content = for_paper(chart, greyscale=True)
    assert content["layout"]["annotations"][0]["text"] == "<span style='color:rgba(0,0,0,1.0)'>●</span> #0072B2"
    assert list(content["data"][0]["x"]) == ["#0072B2"]
    assert content["data"][0]["marker"]["color"] == ["rgba(0,0,0,1.0)"]


@pytest.mark.parametrize(
    ("paper", "why"),
    [({"width": 49}, "a figure of 49 mm: expected 50 to 500 mm"), ({"points": 41}, "text of 41 points: expected 7 to")],
)
def test_a_size_that_no_paper_has_is_refused(paper: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        for_paper(CHART, **paper)


def test_without_a_browser_the_line_names_the_download_of_the_chart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    for path in (tmp_path / "none", broken):
        monkeypatch.setenv("BROWSER_PATH", str(path))
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
        with pytest.raises(UsageError, match=re.escape(NO_BROWSER)) as raised:
            printed(CHART, "pdf")
        assert "\n" not in str(raised.value)
        assert "“Download SVG”" in str(raised.value)
