"""The ground of a cell of the signed table: the page at 0, the colour of its sign further out."""

import math

from fairviz.show.fills import ink_on, mixed
from fairviz.show.theme import DARK, LIGHT, Palette
from fairviz.studies.social_bias.measures import BiasMeasure

FULL: dict[bool, float] = {True: 50.0, False: 25.0}
"""Points at which a colour is full, in ambiguous contexts and in disambiguated ones.

Fixed, so that the same shade means the same on every table of the page.
"""
ROOT = 0.85
"""Small values are lifted a little, so that ±5 is seen on the page."""
GREYEST = 0.42
"""Part of ink at an accuracy of 100, which has no sign and takes no hue."""


def bias_fill(value: float, measure: BiasMeasure, colours: Palette) -> str:
    """The ground of a value: orange towards the stereotype, blue away from it, grey for accuracy.

    Examples:
        >>> bias_fill(0.0, "diffbias_a", LIGHT) == LIGHT.page.lower()
        True
        >>> bias_fill(80.0, "diffbias_a", LIGHT) == LIGHT.positive.lower()
        True
    """
    if math.isnan(value):
        return colours.page.lower()
    if measure.startswith("acc"):
        return mixed(colours.page, colours.ink, GREYEST * min(max(value, 0.0), 100.0) / 100)
    end = colours.positive if value > 0 else colours.negative
    full = FULL[measure in ("diffbias_a", "s_amb")]
    return mixed(colours.page, end, min(abs(value) / full, 1.0) ** ROOT)


def bias_style(value: float, measure: BiasMeasure) -> str:
    """CSS of a cell in both themes: its ground, and black or white, whichever is read better."""
    light, dark = (bias_fill(value, measure, colours) for colours in (LIGHT, DARK))
    text = f"color:light-dark({ink_on(light)},{ink_on(dark)})"
    return f"background-color:light-dark({light},{dark});{text}"
