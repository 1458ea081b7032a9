"""Text on paper: the few tags that charts use, set in the one font that is embedded, and measured before it is drawn.

The font comes with Matplotlib, so that the same text has the same width on every machine; what it has no sign for is
set as "�".
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Matplotlib leaves keyword arguments untyped.

import html
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextToPath

FAMILY = "DejaVu Sans"
LEADING = 1.25
"""Height of a line beside the size of its type."""
ASCENT = 0.76
"""Height of a capital with its accent."""
_TAG = re.compile(r"<(/?)(b|i|br|span|sup|sub)(?:\s[^>]*)?/?>")
_UNSEEN = dict.fromkeys((0x200B, 0x2060, 0xFEFF), "") | {0x202F: "\N{THIN SPACE}", 0x00A0: " "}


class Box(NamedTuple):
    """What a text covers of the page, in points from its bottom left corner."""

    left: float
    bottom: float
    right: float
    top: float


class Place(NamedTuple):
    """Where a text stands: a point, which part of its box is there, and how it is turned (degrees, anticlockwise)."""

    x: float
    y: float
    across: str = "center"
    up: str = "middle"
    turned: float = 0.0


class _Run(NamedTuple):
    text: str
    bold: bool


def write(
    figure: Figure, text: str, place: Place, *, size: float, colour: str, align: str = "", ground: str | None = None
) -> Box:
    """Set a text that may hold ``<b>`` and ``<br>``; returns what it covers.

    Args:
        figure: The page, at 72 dots per inch.
        text: As plotly takes it.
        place: Where.
        size: Of the type, in points.
        colour: Of the ink.
        align: Of its lines: left, center, right; as it stands where not said.
        ground: Colour behind it.
    """
    lines = list(_lines(text))
    widths = [sum(_width(run.text, run.bold, size) for run in line) for line in lines]
    width, height = max(widths), size * (LEADING * (len(lines) - 1) + 1.0)
    left = {"left": 0.0, "center": -width / 2, "right": -width}[place.across]
    top = {"top": 0.0, "middle": height / 2, "bottom": height}[place.up]
    page_width, page_height = (72 * inches for inches in figure.get_size_inches())
    cos, sin = math.cos(math.radians(place.turned)), math.sin(math.radians(place.turned))
    corners = [(x, y) for x in (left, left + width) for y in (top - height, top)]
    turned = [(place.x + x * cos - y * sin, place.y + x * sin + y * cos) for x, y in corners]
    xs, ys = zip(*turned, strict=True)
    if ground:
        patch = Rectangle(
            ((place.x + left - 2) / page_width, (place.y + top - height - 1) / page_height),
            (width + 4) / page_width,
            (height + 2) / page_height,
            transform=figure.transFigure,
            facecolor=ground,
            edgecolor="none",
            zorder=8,
        )
        figure.add_artist(patch)
    side = {"left": 0.0, "center": 0.5, "right": 1.0}[align or place.across]
    for i, (line, used) in enumerate(zip(lines, widths, strict=True)):
        x, y = left + side * (width - used), top - ASCENT * size - 0.07 * size - i * LEADING * size
        for run in line:
            figure.text(
                (place.x + x * cos - y * sin) / page_width,
                (place.y + x * sin + y * cos) / page_height,
                run.text,
                fontproperties=_font(run.bold, size),
                color=colour,
                ha="left",
                va="baseline",
                rotation=place.turned,
                rotation_mode="anchor",
                parse_math=False,
                zorder=9,
            )
            x += _width(run.text, run.bold, size)
    return Box(min(xs), min(ys), max(xs), max(ys))


def width_of(text: str, size: float) -> float:
    """Points that the longest line of a text takes."""
    return max(sum(_width(run.text, run.bold, size) for run in line) for line in _lines(text))


def _lines(text: str) -> Iterator[list[_Run]]:
    line: list[_Run] = []
    bold, at = 0, 0
    for tag in _TAG.finditer(text):
        line += _runs(text[at : tag.start()], bold > 0)
        at = tag.end()
        closing, name = tag.groups()
        if name == "br":
            yield line
            line = []
        elif name == "b":
            bold += -1 if closing else 1
    yield [*line, *_runs(text[at:], bold > 0)]


def _runs(text: str, bold: bool) -> list[_Run]:
    written = html.unescape(text).translate(_UNSEEN)
    known = _signs(bold)
    written = "".join(sign if ord(sign) in known else "\N{REPLACEMENT CHARACTER}" for sign in written)
    return [_Run(written, bold)] if written else []


def _font(bold: bool, size: float) -> FontProperties:
    return FontProperties(family=FAMILY, weight="bold" if bold else "normal", size=size)


@cache
def _signs(bold: bool) -> frozenset[int]:
    """What the font has a sign for."""
    font: Any = get_font(findfont(_font(bold, 7.0)))
    return frozenset(font.get_charmap())


@cache
def _measured(text: str, bold: bool) -> float:
    measure: Any = TextToPath().get_text_width_height_descent(text, _font(bold, 100.0), ismath=False)
    return float(measure[0]) / 100.0


def _width(text: str, bold: bool, size: float) -> float:
    return _measured(text, bold) * size
