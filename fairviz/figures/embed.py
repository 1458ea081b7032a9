"""Figures for files that stand on their own: as JSON, and the plotly.js that draws it."""

from collections.abc import Callable

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz.figures.theme import DARK, LIGHT, Palette


def plotly_script() -> str:
    """The source of plotly.js (4.8 MB), to stand in a file once."""
    return get_plotlyjs()


def in_both_themes(draw: Callable[[Palette], go.Figure]) -> tuple[str, str]:
    """A figure's JSON in light and in dark colours.

    Args:
        draw: Draws the figure in the colours of a palette.
    """
    return draw(LIGHT).to_json(), draw(DARK).to_json()
