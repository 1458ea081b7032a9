"""Colours contrast enough to be seen and read, and mean the same everywhere."""

import json

import plotly.graph_objects as go
import plotly.io as pio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.theme import DARK, LIGHT, Palette, base_layout, figure_json, in_both_themes, plain

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def linear(colour: str) -> list[float]:
    """Linear red, green, blue of sRGB."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@THEMES
def test_text_can_be_read_on_the_page(colours: Palette) -> None:
    hues = (colours.plackett_luce, colours.optimal, colours.oracle)
    for text in (colours.ink, colours.mute, *(hue.text for hue in hues)):
        assert contrast(text, colours.page) >= 4.5, text


@THEMES
def test_lines_can_be_seen_on_the_page(colours: Palette) -> None:
    for hue in (colours.plackett_luce, colours.optimal, colours.oracle):
        assert contrast(hue.line, colours.page) >= 3, hue.line


@THEMES
def test_published_results_stand_on_a_ground_of_their_own(colours: Palette) -> None:
    """One can tell it from the page, and read and see on it what can be read and seen on the page."""
    assert contrast(colours.published, colours.page) >= 1.1
    for hue in (colours.plackett_luce, colours.optimal, colours.oracle):
        assert contrast(hue.text, colours.published) >= 4.5
        assert contrast(hue.line, colours.published) >= 3
    assert contrast(colours.mute, colours.published) >= 4.5


@THEMES
def test_grades_are_steps(colours: Palette) -> None:
    """Useful grades rise in contrast with the page."""
    steps = [contrast(fill, colours.page) for fill in colours.grades[1:]]
    assert steps == sorted(steps)
    assert len(set(colours.grades)) == 4


@given(st.text())
def test_text_of_people_cannot_be_markup(text: str) -> None:
    shown = plain(text, longest=20)
    assert "<" not in shown
    assert ">" not in shown


def test_a_long_name_is_cut() -> None:
    assert plain("x" * 30, longest=10) == "x" * 9 + "…"
    assert plain("x" * 10, longest=10) == "x" * 10


def test_charts_are_transparent_without_legend_or_zoom() -> None:
    layout = base_layout(LIGHT, height=100, margin={"r": 50})
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert (layout["showlegend"], layout["dragmode"]) == (False, False)
    assert layout["margin"] == {"l": 44, "r": 50, "t": 34, "b": 44}


def test_a_figure_in_a_file_is_the_same_whatever_the_host_has_as_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def written() -> str:
        return figure_json(go.Figure(go.Scatter(y=[1, 2]), layout={"height": 100}))

    alone = written()
    monkeypatch.setattr(pio.templates, "default", "ggplot2")  # as Streamlit sets its own
    assert written() == alone


def test_a_figure_in_a_file_is_as_exact_as_a_screen() -> None:
    draw = lambda _: go.Figure(go.Scatter(x=[1 / 3, 2e-9], y=[1, None], name="0.33333333333"))  # noqa: E731
    light, _ = in_both_themes(draw)
    (drawn,) = json.loads(light)["data"]
    assert (drawn["x"], drawn["y"], drawn["name"]) == ([0.3333333, 2e-9], [1, None], "0.33333333333")
