"""Groups keep their colours, and these can be seen and told apart by every reader."""

from itertools import combinations

import numpy as np
import pytest

from fairviz.display.theme import LIGHT, Palette, group_hues
from fairviz.kernels.grouping import UNLABELLED
from tests.display.test_theme import THEMES, contrast, linear

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
    for together in (colours.groups, policies, colours.grades, *sides):
        assert nearest(together, CONES[cones]) >= APART, together


@THEMES
def test_marks_of_groups_can_be_seen(colours: Palette) -> None:
    for mark in (*colours.groups, colours.unknown):
        assert contrast(mark, colours.page) >= 3, mark


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
