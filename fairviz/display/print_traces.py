"""Traces of plotly as artists of Matplotlib: lines, bands, markers, bars, boxes, cells, text; in colours or greys."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Matplotlib leaves keyword arguments untyped.

import base64
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.patches import Rectangle

from fairviz.display.print_text import width_of
from fairviz.display.theme import LIGHT, TEXT_SIZE, Layout

RGBA = tuple[float, float, float, float]
DASHES = ("solid", "dash", "dot", "dashdot", "10px,2px", "2px,5px")
"""Of lines that only a colour told apart, in greyscale."""
GREY_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_PATTERNS = {"dash": (6.0, 4.0), "dot": (1.5, 3.0), "dashdot": (6.0, 3.0, 1.5, 3.0), "longdash": (10.0, 4.0)}
_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "triangle-right": ">",
    "triangle-left": "<",
    "pentagon": "p",
    "hexagon": "h",
    "star": "*",
    "cross": "P",
    "x": "X",
    "cross-thin": "+",
    "x-thin": "x",
    "line-ns": "|",
    "line-ew": "_",
}
_STROKES = frozenset("+x|_")
"""Markers without a ground."""
_SIZES = {"D": 0.82, "o": 0.92, "s": 0.88}
"""How large a marker is beside plotly's of the same size."""


class Scale(NamedTuple):
    """Points of a px of the screen, and of the text."""

    pixel: float
    text: float

    def type(self, size: float | None) -> float:
        """Points of a text: what is small on the screen is never smaller than what was asked for."""
        return max(self.text, self.text * float(size or 0) / TEXT_SIZE)


class Text(NamedTuple):
    """A text that belongs to a data point."""

    x: float
    y: float
    html: str
    size: float
    colour: Any
    right: float = 0.0
    above: float = 0.0
    across: str = "center"
    up: str = "middle"


class Inks:
    """Colours as they are printed: on white paper, or as greys that are far enough apart.

    In greyscale each hue of the traces has a grey of its own, from black on in even steps by its lightness, a dash and
    a marker; what has no hue, and grounds, keep their lightness.
    """

    def __init__(self, traces: Sequence[Layout], *, greyscale: bool) -> None:
        self.greyscale = greyscale
        hues = list(dict.fromkeys(colour for trace in traces for colour in _hues(trace)))
        joined = [one for one in traces if "lines" in str(one.get("mode")) and not _is_dashed(one)]
        self._looks = {hue: i for i, hue in enumerate(dict.fromkeys(h for one in joined for h in _hues(one)))}
        by_light = sorted(hues, key=lambda hue: (_lightness(_parsed(hue)), hue))
        steps = max(len(by_light) - 1, 1)
        self._greys = {hue: 0.62 * i / steps for i, hue in enumerate(by_light)}

    def of(self, colour: Any, otherwise: str) -> Any:
        """The colour to print with."""
        if colour is None or colour == "none":
            colour = otherwise
        if colour == "none":
            return "none"
        red, green, blue, alpha = _parsed(str(colour))
        if str(colour).upper() == LIGHT.page:
            red = green = blue = 1.0
        if not self.greyscale:
            return red, green, blue, alpha
        grey = self._greys.get(_key(str(colour)), _lightness((red, green, blue, alpha)))
        return grey, grey, grey, alpha

    def place(self, colour: Any) -> int:
        """Which of the dashes and markers is this hue's; 0 without one or in colour."""
        return self._looks.get(_key(str(colour)), 0) if self.greyscale else 0


def draw_trace(axes: Axes, trace: Layout, layout: Layout, scale: Scale, inks: Inks, *, order: float) -> Iterator[Text]:
    """Draw one trace; the texts that belong to it are returned, to be measured and set by the page."""
    if trace.get("visible") in (False, "legendonly"):
        return
    draw = {"scatter": _scatter, "scattergl": _scatter, "bar": _bars, "box": _boxes, "heatmap": _cells}
    yield from draw[trace.get("type", "scatter")](axes, trace, layout, scale, inks, order)


def values_of(trace: Layout, letter: str) -> list[Any]:
    """Coordinates of a trace, as plain values."""
    if trace.get("type") == "heatmap" and trace.get(letter) is None:
        shape = np.asarray(listed(trace["z"]), dtype=float).shape
        return [-0.5, (shape[1] if letter == "x" else shape[0]) - 0.5]
    if trace.get("type") == "box" and letter == "y":
        return [value for key in ("lowerfence", "upperfence") for value in listed(trace.get(key))]
    other = "y" if letter == "x" else "x"
    if trace.get(letter) is None and trace.get("type", "scatter") in ("scatter", "bar"):
        return list(range(len(listed(trace.get(other)))))  # as plotly counts
    return listed(trace.get(letter))


def dash_of(dash: Any, width: float) -> Any:
    """Matplotlib's pattern for plotly's, which counts px where Matplotlib counts widths of the line."""
    if not dash or dash == "solid":
        return "solid"
    lengths = _PATTERNS.get(str(dash)) or tuple(float(part) for part in re.findall(r"[\d.]+", str(dash)))
    if len(lengths) % 2:
        lengths *= 2
    return (0, tuple(length / max(float(width), 0.1) for length in lengths))


def _scatter(axes: Axes, trace: Layout, _: Layout, scale: Scale, inks: Inks, order: float) -> Iterator[Text]:
    x, y = (_numbers(trace, letter) for letter in "xy")
    mode: str = trace.get("mode") or ("lines+markers" if x.size < 20 else "lines")
    line: Layout = trace.get("line", {})
    clip: bool = trace.get("cliponaxis", True) is not False
    opacity = float(trace.get("opacity", 1.0))
    if trace.get("fill") and trace["fill"] != "none":
        _fill(axes, trace, x, y, inks, order)
    marker: Layout = trace.get("marker", {})
    width = float(line.get("width", 2))
    colour: Any = line.get("color") or _first(marker.get("color"))
    if "lines" in mode and width > 0:
        look = inks.place(colour)
        dash = line.get("dash")
        own: Layout = {}
        if look and not _is_dashed(trace) and x.size > 1:
            dash = DASHES[look % len(DASHES)]
            if "markers" not in mode and np.isfinite(x).sum() > 2:
                own = {
                    "marker": GREY_MARKERS[look % 8],
                    "markersize": 6 * scale.pixel,
                    "markevery": max(x.size // 8, 1),
                }
        axes.plot(
            x,
            y,
            color=inks.of(colour, "#444444"),
            linewidth=width * scale.pixel,
            linestyle=dash_of(dash, width),
            alpha=opacity,
            zorder=order,
            clip_on=clip,
            solid_capstyle="butt",
            solid_joinstyle="round",
            drawstyle="steps-post" if line.get("shape") == "hv" else "default",
            scalex=False,
            scaley=False,
            **own,
        )
    if "error_x" in trace or "error_y" in trace:
        _errors(axes, trace, x, y, colour, scale, inks, order)
    if "markers" in mode:
        _markers(axes, x, y, marker, colour, opacity, scale, inks, order, clip)
    if "text" in mode:
        yield from _texts(trace, x, y, scale, inks)


def _fill(axes: Axes, trace: Layout, x: Any, y: Any, inks: Inks, order: float) -> None:
    """A band: one polygon for each stretch without a gap."""
    colour = inks.of(trace.get("fillcolor"), "#CCCCCC")
    known = np.isfinite(x) & np.isfinite(y)
    for part in np.split(np.arange(x.size), np.flatnonzero(~known)):
        points = part[known[part]]
        if points.size > 1:
            bx, by = x[points], y[points]
            if trace["fill"] in ("tozeroy", "tonexty"):
                bx, by = np.concatenate([bx, bx[::-1]]), np.concatenate([by, np.zeros(by.size)])
            axes.fill(bx, by, facecolor=colour, edgecolor="none", linewidth=0, zorder=order - 0.0005)


def _markers(
    axes: Axes,
    x: Any,
    y: Any,
    marker: Layout,
    colour: Any,
    opacity: float,
    scale: Scale,
    inks: Inks,
    order: float,
    clip: bool,
) -> None:
    """Points, each with its own symbol, size and colours where it has them."""
    edge: Layout = marker.get("line", {})
    for i in range(x.size):
        if not (np.isfinite(x[i]) and np.isfinite(y[i])):
            continue
        symbol = str(_each(marker.get("symbol"), i, "circle"))
        hollow = symbol.endswith("-open")
        shape = _MARKERS.get(symbol.removesuffix("-open"), "o")
        size = float(_each(marker.get("size"), i, 6)) * scale.pixel * _SIZES.get(shape, 1.0)
        fill: Any = _each(marker.get("color"), i, colour)
        rim: Any = _each(edge.get("color"), i, fill)
        width = float(_each(edge.get("width"), i, 0)) * scale.pixel
        if hollow or shape in _STROKES:
            rim, width = (rim if shape in _STROKES else fill), max(width, 1.2 * scale.pixel)
        seen = opacity * float(_each(marker.get("opacity"), i, 1.0))
        if size < 0.3 or seen == 0:  # what only hovering finds
            continue
        axes.plot(
            [x[i]],
            [y[i]],
            linestyle="none",
            marker=shape,
            markersize=size,
            markerfacecolor="none" if hollow else inks.of(fill, "#444444"),
            markeredgecolor=inks.of(rim, "#444444"),
            markeredgewidth=width,
            alpha=seen,
            zorder=order + 0.0004,
            clip_on=clip,
            scalex=False,
            scaley=False,
        )


def _errors(axes: Axes, trace: Layout, x: Any, y: Any, colour: Any, scale: Scale, inks: Inks, order: float) -> None:
    for key, is_x in (("error_x", True), ("error_y", False)):
        bars: Layout | None = trace.get(key)
        if not bars or bars.get("array") is None:
            continue
        above = np.asarray(listed(bars["array"]), dtype=float)
        below = above if bars.get("symmetric", True) else np.asarray(listed(bars["arrayminus"]), dtype=float)
        ink = inks.of(bars.get("color") or colour, "#444444")
        for i in range(x.size):
            ends = (x if is_x else y)[i] + np.array([-below[i], above[i]])
            if np.isfinite(ends).all():
                at = (ends, [y[i]] * 2) if is_x else ([x[i]] * 2, ends)
                width = float(bars.get("thickness", 2)) * scale.pixel
                axes.plot(*at, color=ink, linewidth=width, zorder=order - 0.0004, scalex=False, scaley=False)


def _texts(trace: Layout, x: Any, y: Any, scale: Scale, inks: Inks) -> Iterator[Text]:
    font: Layout = trace.get("textfont", {})
    for i in range(x.size):
        if not (np.isfinite(x[i]) and np.isfinite(y[i])):
            continue
        words = str(_each(trace.get("text"), i, ""))
        where = str(_each(trace.get("textposition"), i, "middle center"))
        up, across = [*where.split(" "), "center"][:2]
        gap = 4 * scale.pixel
        yield Text(
            float(x[i]),
            float(y[i]),
            words,
            scale.type(_each(font.get("size"), i, TEXT_SIZE)),
            inks.of(_each(font.get("color"), i, None), LIGHT.ink),
            {"left": -gap, "right": gap}.get(across, 0.0),
            {"top": gap, "bottom": -gap}.get(up, 0.0),
            {"left": "right", "right": "left"}.get(across, "center"),
            {"top": "bottom", "bottom": "top"}.get(up, "middle"),
        )


def _bars(axes: Axes, trace: Layout, layout: Layout, scale: Scale, inks: Inks, order: float) -> Iterator[Text]:
    lying = trace.get("orientation") == "h"
    at, length = (_numbers(trace, letter) for letter in ("yx" if lying else "xy"))
    marker: Layout = trace.get("marker", {})
    edge: Layout = marker.get("line", {})
    pattern: Layout = marker.get("pattern", {})
    font: Layout = trace.get("textfont", trace.get("insidetextfont", {}))
    apart = np.diff(np.unique(at[np.isfinite(at)]))
    usual = (1 - float(layout.get("bargap", 0.2))) * (float(apart.min()) if apart.size else 1.0)
    starts: dict[tuple[float, bool], float] = axes.__dict__.setdefault("fairviz_stack", {})
    for i in range(at.size):
        if not (np.isfinite(at[i]) and np.isfinite(length[i])):
            continue
        stack = (float(at[i]), bool(length[i] < 0))
        base = _each(trace.get("base"), i, None)
        if base is None:
            base = starts.get(stack, 0.0) if layout.get("barmode") in ("stack", "relative") else 0.0
            starts[stack] = float(base) + float(length[i])
        wide = float(_each(trace.get("width"), i, usual))
        offset = float(_each(trace.get("offset"), i, -wide / 2))
        fill = inks.of(_each(marker.get("color"), i, None), "#444444")
        hatch = _each(pattern.get("shape"), i, "")
        corner = (float(base), at[i] + offset) if lying else (at[i] + offset, float(base))
        size = (length[i], wide) if lying else (wide, length[i])
        width = float(_each(edge.get("width"), i, 0)) * scale.pixel
        ink = inks.of(_each(edge.get("color"), i, None), "#444444")
        look: Layout = {"facecolor": fill, "linewidth": width, "zorder": order}
        look["alpha"] = _each(marker.get("opacity"), i, trace.get("opacity"))
        axes.add_patch(Rectangle(corner, *size, edgecolor=ink if width else "none", **look))
        if hatch:
            lines = inks.of(_each(pattern.get("fgcolor"), i, None), "#888888")
            look = {"facecolor": "none", "edgecolor": lines, "linewidth": 0.0, "hatch": 3 * str(hatch)}
            axes.add_patch(Rectangle(corner, *size, zorder=order, **look))
        if words := str(_each(trace.get("text"), i, "")):
            middle = corner[0] + size[0] / 2, corner[1] + size[1] / 2
            type_size = scale.type(_each(font.get("size"), i, TEXT_SIZE))
            ends = axes.transData.transform([corner, (corner[0] + size[0], corner[1] + size[1])])
            if abs(ends[1][0] - ends[0][0]) >= width_of(words, type_size) or not lying:
                ground = _lightness(fill) if fill != "none" else 1.0
                colour = inks.of(_each(font.get("color"), i, None), "#FFFFFF" if ground < 0.55 else LIGHT.ink)
                yield Text(*middle, words, type_size, colour)


def _boxes(axes: Axes, trace: Layout, _: Layout, scale: Scale, inks: Inks, order: float) -> Iterator[Text]:
    at = _numbers(trace, "x")
    names = ("lowerfence", "q1", "median", "q3", "upperfence")
    low, first, middle, third, high = (np.asarray(listed(trace[name]), dtype=float) for name in names)
    half = float(trace.get("width", 0.5)) / 2
    line: Layout = trace.get("line", {})
    width = float(line.get("width", 2)) * scale.pixel
    ink, fill = inks.of(line.get("color"), "#444444"), inks.of(trace.get("fillcolor"), "none")
    for i in range(at.size):
        box = Rectangle((at[i] - half, first[i]), 2 * half, third[i] - first[i], facecolor=fill, edgecolor=ink)
        box.set(linewidth=width, zorder=order)
        axes.add_patch(box)
        strokes = [
            ((at[i] - half, at[i] + half), (middle[i],) * 2),
            ((at[i],) * 2, (low[i], first[i])),
            ((at[i],) * 2, (third[i], high[i])),
            *(((at[i] - half / 2, at[i] + half / 2), (end,) * 2) for end in (low[i], high[i])),
        ]
        for xs, ys in strokes:
            axes.plot(xs, ys, color=ink, linewidth=width, zorder=order, scalex=False, scaley=False)
    yield from ()


def _cells(axes: Axes, trace: Layout, _: Layout, scale: Scale, inks: Inks, order: float) -> Iterator[Text]:
    z = np.asarray(listed(trace["z"]), dtype=float)
    rows, columns = z.shape
    x = _numbers(trace, "x") if trace.get("x") is not None else np.arange(columns)
    y = _numbers(trace, "y") if trace.get("y") is not None else np.arange(rows)
    low = float(trace.get("zmin", np.nanmin(z) if np.isfinite(z).any() else 0.0))
    high = float(trace.get("zmax", np.nanmax(z) if np.isfinite(z).any() else 1.0))
    ramp = LinearSegmentedColormap.from_list(
        "cells", [(float(at), inks.of(colour, "#FFFFFF")) for at, colour in trace["colorscale"]]
    )
    gaps = [float(trace.get(f"{letter}gap", 0)) * scale.pixel for letter in "xy"]
    (x0, y0), (x1, y1) = axes.transData.transform([(0, 0), (1, 1)])
    gap_x, gap_y = gaps[0] / abs(float(x1 - x0)), gaps[1] / abs(float(y1 - y0))
    for i, j in np.argwhere(np.isfinite(z)).tolist():
        share = min(max((float(z[i, j]) - low) / (high - low or 1.0), 0.0), 1.0)
        corner = (float(x[j]) - 0.5 + gap_x / 2, float(y[i]) - 0.5 + gap_y / 2)
        axes.add_patch(Rectangle(corner, 1 - gap_x, 1 - gap_y, facecolor=ramp(share), edgecolor="none", zorder=order))
    yield from ()


def listed(values: Any) -> list[Any]:
    """Values as plotly keeps them: a sequence, an array, or the bytes of one."""
    if values is None:
        return []
    if isinstance(values, dict):
        held: Layout = values
        array = np.frombuffer(base64.b64decode(held["bdata"]), dtype=np.dtype(held["dtype"]))
        if "shape" in held:
            array = array.reshape([int(part) for part in str(held["shape"]).split(",")])
        return array.tolist()
    return np.asarray(values, dtype=object).tolist()


def _numbers(trace: Layout, letter: str) -> Any:
    """Coordinates as numbers: names by the order in which they come, gaps as NaN."""
    values = values_of(trace, letter)
    names = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    if names:
        return np.array([float(names.index(value)) if isinstance(value, str) else math.nan for value in values])
    # Twelve digits: sums in another order may differ in the last, and equal charts are to give equal bytes.
    return np.array([math.nan if value is None else float(f"{value:.12g}") for value in values], dtype=float)


def _each(values: Any, place: int, otherwise: Any) -> Any:
    """A setting that is one for all points, or one for each."""
    if values is None:
        return otherwise
    if isinstance(values, dict | list | tuple | np.ndarray):
        known = listed(values)
        return known[place] if place < len(known) else otherwise
    return values


def _first(values: Any) -> Any:
    return _each(values, 0, None)


def _parsed(colour: str) -> RGBA:
    """Red, green, blue and opacity of a colour as plotly writes it."""
    parts = re.fullmatch(r"rgba?\(([^)]*)\)", colour.replace(" ", ""))
    if parts is None:
        return to_rgba(colour)
    values = [float(part) for part in parts[1].split(",")]
    return values[0] / 255, values[1] / 255, values[2] / 255, values[3] if len(values) > 3 else 1.0


def _key(colour: str) -> str:
    """A hue whatever its opacity."""
    red, green, blue, _ = _parsed(colour) if colour not in ("None", "none") else (0, 0, 0, 0)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _lightness(colour: RGBA) -> float:
    """What a grey of the same lightness is, 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 12.92 * luminance if luminance <= 0.0031308 else 1.055 * luminance ** (1 / 2.4) - 0.055


def _is_dashed(trace: Layout) -> bool:
    return trace.get("line", {}).get("dash") not in (None, "solid")


def _hues(trace: Layout) -> Iterator[str]:
    """Colours of the lines and points of a trace that are no grey."""
    for part in (trace.get("line", {}), trace.get("marker", {}), trace.get("marker", {}).get("line", {})):
        colour = part.get("color")
        colours = [colour] if isinstance(colour, str) else listed(colour) if colour is not None else []
        for one in colours:
            if isinstance(one, str):
                red, green, blue, _ = _parsed(one)
                if max(red, green, blue) - min(red, green, blue) > 0.1:
                    yield _key(one)
