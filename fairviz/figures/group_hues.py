"""Colour and marker of every group: the same on every page, whatever else is drawn.

Three groups have the colours of the theme, the next three come from here; further groups are grey
and told apart by their names. Items without a label have none of the colours and use up none.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.figures.theme import GROUP_MARKERS, Hue, Palette
from fairviz.groups import UNLABELLED

FURTHER = {
    "light": (Hue("#A64C8C", "#8A3D74"), Hue("#7A6A53", "#655640"), Hue("#7F8F00", "#5C6800")),
    "dark": (Hue("#D98CC0", "#D98CC0"), Hue("#C2B093", "#C2B093"), Hue("#B9C83A", "#B9C83A")),
}
MARKERS = (*GROUP_MARKERS, "triangle-up", "pentagon", "triangle-down")


class GroupHue(NamedTuple):
    """How one group looks: the shade of its marks, the shade of its name, its marker."""

    line: str
    text: str
    marker: str


def group_hues(groups: Sequence[str], colours: Palette) -> list[GroupHue]:
    """The look of each group, in the order of the labels.

    Examples:
        >>> from fairviz.figures.theme import LIGHT
        >>> [hue.marker for hue in group_hues(["a", "b", "unlabelled"], LIGHT)]
        ['circle', 'diamond', 'circle-open']
    """
    hues = (*colours.groups, *FURTHER[colours.name])
    looks = iter(
        [GroupHue(*hue, marker=marker) for hue, marker in zip(hues, MARKERS, strict=True)]
        + [GroupHue(colours.faint, colours.mute, "circle")] * len(groups)
    )
    unknown = GroupHue(colours.faint, colours.mute, "circle-open")
    return [unknown if group == UNLABELLED else next(looks) for group in groups]
