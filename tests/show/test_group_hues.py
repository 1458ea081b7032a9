"""Groups keep their colours, and these can be seen and read."""

import pytest

from fairviz.groups import UNLABELLED
from fairviz.show.theme import DARK, FURTHER, LIGHT, Palette, group_hues
from tests.show.test_theme import contrast

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
def test_further_groups_can_be_seen_and_read(colours: Palette) -> None:
    for hue in FURTHER[colours.name]:
        assert contrast(hue.line, colours.page) >= 3, hue.line
        assert contrast(hue.text, colours.page) >= 4.5, hue.text


@THEMES
def test_six_groups_look_different(colours: Palette) -> None:
    hues = group_hues(list("abcdef"), colours)
    assert len({hue.line for hue in hues}) == len({hue.marker for hue in hues}) == 6
    assert tuple(hue[:2] for hue in hues[:3]) == colours.groups


@THEMES
def test_what_has_no_label_is_never_a_colour(colours: Palette) -> None:
    for groups in (["a", "b", UNLABELLED], [UNLABELLED, "a", "b"]):
        hues = dict(zip(groups, group_hues(groups, colours), strict=True))
        assert hues[UNLABELLED].line == colours.faint
        assert hues["b"].line == colours.groups[1].line  # a group does not change its colour


def test_many_groups_are_grey_from_the_seventh() -> None:
    hues = group_hues([str(i) for i in range(9)], LIGHT)
    assert len(hues) == 9
    assert {hue.line for hue in hues[6:]} == {LIGHT.faint}
