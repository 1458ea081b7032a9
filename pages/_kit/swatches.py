"""The swatch that names the colour of a group."""

from collections.abc import Sequence

from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.grouping import UNLABELLED
from pages._kit.html import Html, el

WHOLE = 24
"""Characters up to which a name is not broken."""


def swatch(groups: Sequence[str], at: int) -> Html:
    """The little square that stands for a group; hatched for items without a label."""
    if groups[at] == UNLABELLED:
        return el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return el("span", cls="fv-swatch", style=f"background:light-dark({light},{dark})", aria_hidden="true")


def keyed(groups: Sequence[str], at: int, more: str = "") -> Html:
    """Swatch and name of a group for a table; short names stay on one line."""
    name = f"{groups[at]}{more}"
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    return el("span", swatch(groups, at), el("span", name), cls="fv-keyed", style=whole)
