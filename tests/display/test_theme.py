"""Colours contrast enough to be seen and read, mean the same everywhere, and groups keep theirs."""

import json
from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.theme import (
    DARK,
    LIGHT,
    Palette,
    base_layout,
    figure_json,
    group_hues,
    in_both_themes,
    look_colour,
    plain,
)
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Look

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
def test_text_can_be_read_and_lines_can_be_seen_on_the_page_and_on_the_ground_of_published_results(
    colours: Palette,
) -> None:
    """Which one can tell from the page."""
    assert contrast(colours.published, colours.page) >= 1.1
    hues = (colours.plackett_luce, colours.optimal, colours.oracle)
    for ground in (colours.page, colours.published):
        for text in (colours.ink, colours.mute, *(hue.text for hue in hues)):
            assert contrast(text, ground) >= 4.5, text
        for hue in hues:
            assert contrast(hue.line, ground) >= 3, hue.line
    for mark in (*colours.groups, *colours.systems, colours.unknown):
        assert contrast(mark, colours.page) >= 3, mark


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


CONES = {
    "all cones": np.eye(3),
    "no long": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no middle": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Linear RGB as seen without a kind of cone: Machado, Oliveira and Fernandes 2009, table 1, severity 1."""
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 12.0


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* of linear sRGB under D65."""
    of_white = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    x, y, z = np.where(of_white > 216 / 24389, np.cbrt(of_white), (24389 / 27 * of_white + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours: tuple[str, ...], seen: np.ndarray) -> float:
    """Smallest ΔE 1976 of all pairs."""
    places = [lab(seen @ np.array(linear(colour))) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(places, 2))


@THEMES
@pytest.mark.parametrize("cones", CONES)
def test_colours_beside_each_other_stay_apart_to_every_reader(colours: Palette, cones: str) -> None:
    policies = (colours.plackett_luce.line, colours.optimal.line, colours.oracle.line, colours.ink, colours.faint)
    sides = (colours.positive, colours.negative), (colours.agree, colours.oppose)
    for together in (colours.groups, colours.systems, policies, colours.grades, *sides):
        assert nearest(together, CONES[cones]) >= APART, together


@THEMES
def test_a_colour_that_would_not_be_seen_is_moved_towards_the_ink(colours: Palette) -> None:
    for colour in ("#FFFFFE", "#000001", "#FFFF00"):
        assert contrast(look_colour(Look(colour), colours, ""), colours.page) >= 3
    assert look_colour(Look("#1B7F3A"), LIGHT, "") == "#1B7F3A"


@THEMES
def test_six_groups_look_different_and_are_named_in_ink(colours: Palette) -> None:
    hues = group_hues(list("abcdef"), colours)
    assert len({hue.line for hue in hues}) == len({hue.marker for hue in hues}) == 6
    assert tuple(hue.line for hue in hues) == colours.groups
    assert {hue.text for hue in hues} == {colours.ink}


@THEMES
def test_what_has_no_label_is_never_a_colour(colours: Palette) -> None:
    for groups in (["a", "b", UNLABELLED], [UNLABELLED, "a", "b"]):
        hues = dict(zip(groups, group_hues(groups, colours), strict=True))
        assert hues[UNLABELLED].line == colours.faint
        assert hues["b"].line == colours.groups[1]  # a group does not change its colour


def test_more_than_six_groups_are_grey() -> None:
    hues = group_hues([*map(str, range(7)), UNLABELLED], LIGHT)
    assert {hue.line for hue in hues} == {LIGHT.faint}
    assert len(group_hues([*map(str, range(6)), UNLABELLED], LIGHT)) == 7
