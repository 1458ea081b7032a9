"""Text on paper: the few tags that charts use, set in a font that is embedded, and measured before it is drawn.

The font comes with Matplotlib, so that the same text has the same width on every machine. A letter that it does not
have is set in the first installed font that has it; one that no font has, as "�", and it is told which.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Matplotlib leaves keyword arguments untyped.

import html
import math
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, FontProperties, findfont, fontManager, get_font
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextToPath

from fairviz.display.paper import Family

NAMES: dict[Family, str] = {"sans": "DejaVu Sans", "serif": "DejaVu Serif"}
"""Fonts that come with Matplotlib."""
LOST = "\N{REPLACEMENT CHARACTER}"
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


class _Face(NamedTuple):
    """A font: a file, or a family of Matplotlib's own where there is none."""

    family: str
    bold: bool
    file: str = ""


class _Run(NamedTuple):
    text: str
    face: _Face


_FAMILY: ContextVar[Family] = ContextVar("_FAMILY", default="sans")
_LOST: ContextVar[set[str] | None] = ContextVar("_LOST", default=None)


@contextmanager
def typeset(family: Family) -> Generator[set[str]]:
    """Set texts in a family; yields the letters that no installed font has, as they are met."""
    lost: set[str] = set()
    before = _FAMILY.set(family), _LOST.set(lost)
    try:
        yield lost
    finally:
        _FAMILY.reset(before[0])
        _LOST.reset(before[1])


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
    widths = [sum(_width(run, size) for run in line) for line in lines]
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
                fontproperties=_font(run.face, size),
                color=colour,
                ha="left",
                va="baseline",
                rotation=place.turned,
                rotation_mode="anchor",
                parse_math=False,
                zorder=9,
            )
            x += _width(run, size)
    return Box(min(xs), min(ys), max(xs), max(ys))


def width_of(text: str, size: float) -> float:
    """Points that the longest line of a text takes."""
    return max(sum(_width(run, size) for run in line) for line in _lines(text))


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
    """Letters of one font after the other."""
    lost = _LOST.get()
    written = html.unescape(text).translate(_UNSEEN)
    usual = _Face(NAMES[_FAMILY.get()], bold)
    found = [(sign, usual if ord(sign) in _signs(usual) else _fallback(sign)) for sign in written]
    if lost is not None:
        lost |= {sign for sign, face in found if face is None}
    known = [(sign, face) if face else (LOST, usual) for sign, face in found]
    return [_Run("".join(sign for sign, _ in part), face) for face, part in groupby(known, key=lambda pair: pair[1])]


def _font(face: _Face, size: float) -> FontProperties:
    if face.file:
        return FontProperties(fname=face.file, size=size)
    return FontProperties(family=face.family, weight="bold" if face.bold else "normal", size=size)


@cache
def _signs(face: _Face) -> frozenset[int]:
    """What a font has a sign for; nothing where it cannot be read."""
    try:
        font: Any = get_font(face.file or findfont(_font(face, 7.0)))
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap())


@cache
def _fallback(sign: str) -> _Face | None:
    """The first installed font that has a letter; None where none has it."""
    return next((face for face in _installed() if ord(sign) in _signs(face)), None)


@cache
def _installed() -> tuple[_Face, ...]:
    """Upright fonts of this machine: Noto's first, which are drawn to stand beside each other."""

    def order(one: FontEntry) -> tuple[bool, bool, str, int, str]:
        return not one.name.startswith("Noto Sans"), _weight(one) != 400, one.name, _weight(one), one.fname

    upright = (one for one in fontManager.ttflist if one.style == "normal" and not _NO_LETTERS.search(one.name))
    return tuple(_Face(one.name, False, one.fname) for one in sorted(upright, key=order))


def _weight(one: FontEntry) -> int:
    return one.weight if isinstance(one.weight, int) else 400


_NO_LETTERS = re.compile(r"^Last ?Resort|Emoji|^cm\w+10$|Symbol|Dingbats")
"""Fonts of boxes, of pictures in colours, and of signs in places of letters."""


@cache
def _measured(text: str, face: _Face) -> float:
    measure: Any = TextToPath().get_text_width_height_descent(text, _font(face, 100.0), ismath=False)
    return float(measure[0]) / 100.0


def _width(run: _Run, size: float) -> float:
    return _measured(run.text, run.face) * size
