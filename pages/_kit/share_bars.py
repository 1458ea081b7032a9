"""The swatch that names the colour of a group."""

from collections.abc import Sequence

from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.grouping import UNLABELLED
from pages._kit.html import Html, el

WHOLE = 24
"""Characters up to which a name is not broken."""


def fill(groups: Sequence[str], at: int) -> str:
    """CSS that fills with a group's colour in either theme."""
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return f"background:light-dark({light},{dark});color:light-dark({_on(light)},{_on(dark)})"


def swatch(groups: Sequence[str], at: int) -> Html:
    """The little square that stands for a group; hatched for items without a label."""
    if groups[at] == UNLABELLED:
        return el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    return el("span", cls="fv-swatch", style=fill(groups, at), aria_hidden="true")


def keyed(groups: Sequence[str], at: int, more: str = "") -> Html:
    """Swatch and name of a group for a table; short names stay on one line."""
    name = f"{groups[at]}{more}"
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    return el("span", swatch(groups, at), el("span", name), cls="fv-keyed", style=whole)


def _on(colour: str) -> str:
    """Ink or white, whichever is read better on a fill."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return LIGHT.ink if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.2 else "#FFFFFF"
