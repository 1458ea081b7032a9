"""A chart on paper: what plotly shows, drawn by Matplotlib at the size of a column, a page or a slide.

Matplotlib writes SVG and PDF by itself; plotly's own way to them (kaleido) starts a browser. The chart is translated,
not drawn anew: traces, axes, shapes and annotations of the figure keep their place, and all px become points by the
same factor, so that type has the size that was asked for. A label that would leave the page pushes the plotting area.
Equal figures give equal bytes: no dates, no random names, embedded fonts.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Matplotlib leaves keyword arguments untyped.

import math
import threading
from io import BytesIO
from typing import Any

import matplotlib
import plotly.graph_objects as go
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.ticker import MaxNLocator, NullLocator

from fairviz.display.paper import CALL_OUT, LEAST, LEAST_HEIGHT, SLIDE_HEIGHT, WIDTHS, Kind, Paper
from fairviz.display.print_text import LEADING, Box, Place, typeset, width_of, write
from fairviz.display.print_traces import Inks, Scale, dash_of, draw_trace, listed, values_of
from fairviz.display.theme import SMALL_SIZE, TEXT_SIZE, Layout

POINTS = 72 / 25.4
EDGE = 2.0
"""Points that stay empty along the edge of the page."""
LOOKS = 4
"""How often the plotting area makes room at most: text that is given room may need other room."""
_ONE_AT_A_TIME = threading.Lock()  # Matplotlib's settings belong to the process
_SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "fairviz", "path.simplify": False}


def file_of(figure: go.Figure, paper: Paper, kind: Kind) -> tuple[bytes, str]:
    """The chart as a file, the same bytes for the same chart, and the letters of it that no installed font has."""
    empty = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None, "Producer": None, "Creator": None}}
    defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if "backend" not in name}
    settings: Any = {**defaults, **_SETTINGS}  # whatever a person has set in a notebook
    with _ONE_AT_A_TIME, matplotlib.rc_context(settings), typeset(paper.family) as lost:
        page = _drawn(figure, paper)
        written = BytesIO()
        page.savefig(written, format=kind, metadata=empty[kind])
    return written.getvalue(), "".join(sorted(lost))


def drawn(figure: go.Figure, paper: Paper) -> Figure:
    """The chart as a Matplotlib figure at the size of the paper."""
    with typeset(paper.family):
        return _drawn(figure, paper)


def _drawn(figure: go.Figure, paper: Paper) -> Figure:
    content: Layout = figure.to_plotly_json()
    traces = [one for one in content["data"] if paper.call_outs or one.get("meta") != CALL_OUT]
    layout: Layout = content["layout"]
    notes = [one for one in layout.get("annotations", ()) if paper.call_outs or one.get("name") != CALL_OUT]
    inks = Inks(traces, greyscale=paper.greyscale)
    margins: Layout = {"l": 44, "r": 12, "t": 34, "b": 44} | layout.get("margin", {})
    points = paper.points
    if paper.width == "slide":  # a slide is as high as it is: many rows of panels need smaller type
        least = float((layout.get("meta") or {}).get(LEAST_HEIGHT, 0)) * points / SMALL_SIZE
        points = max(LEAST, points * min(1.0, SLIDE_HEIGHT * POINTS / (least or 1.0)))
    scale = Scale(pixel=points / SMALL_SIZE, text=points)
    room = {side: float(margins[side]) * scale.pixel for side in "lrtb"}
    height = float(layout.get("height", 400)) * scale.pixel
    if paper.width == "slide":
        height = SLIDE_HEIGHT * POINTS
    looks = 0
    while True:
        page = _Page(WIDTHS[paper.width] * POINTS, height, room, layout, traces, scale, inks)
        page.draw(traces, notes)
        over, looks = page.overflow(), looks + 1
        if max(over.values()) <= 0.01 or looks == LOOKS:
            return page.figure
        for side in "lr":
            most = 0.6 * page.width - (room["l"] + room["r"] - room[side])
            room[side] = max(room[side], min(room[side] + over[side], most))
        for side in "tb":
            room[side] += over[side]
            height += over[side] if paper.width != "slide" else 0.0


class _Page:
    """One page: its axes, and all that was drawn so far."""

    def __init__(
        self,
        width: float,
        height: float,
        room: dict[str, float],
        layout: Layout,
        traces: list[Layout],
        scale: Scale,
        inks: Inks,
    ) -> None:
        self.width, self.height, self.layout, self.scale, self.inks = width, height, layout, scale, inks
        self.figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor="white")
        self.left, self.bottom = room["l"], room["b"]
        self.across = max(width - room["l"] - room["r"], 10.0)
        self.up = max(height - room["t"] - room["b"], 10.0)
        self.boxes: list[Box] = []
        self.axes: dict[tuple[str, str], Axes] = {}
        pairs = [(one.get("xaxis", "x"), one.get("yaxis", "y")) for one in traces] or [("x", "y")]
        for x, y in dict.fromkeys(pairs):
            self.axes[x, y] = self._axes(x, y, traces)

    def draw(self, traces: list[Layout], notes: list[Layout]) -> None:
        """Everything, from the ground up."""
        shapes: list[Layout] = list(self.layout.get("shapes", ()))
        for shape in shapes:
            self._shape(shape)
        for place, trace in enumerate(traces):
            axes = self.axes[trace.get("xaxis", "x"), trace.get("yaxis", "y")]
            for text in draw_trace(axes, trace, self.layout, self.scale, self.inks, order=3 + place / 1000):
                x, y = axes.transData.transform((text.x, text.y))
                spot = Place(float(x) + text.right, float(y) + text.above, text.across, text.up)
                self._write(text.html, spot, size=text.size, colour=text.colour)
        for one in notes:
            self._note(one)

    def overflow(self) -> dict[str, float]:
        """Points by which text leaves the page on each side."""
        boxes = self.boxes or [Box(EDGE, EDGE, EDGE, EDGE)]
        return {
            "l": max(0.0, EDGE - min(box.left for box in boxes)),
            "r": max(0.0, max(box.right for box in boxes) - self.width + EDGE),
            "t": max(0.0, max(box.top for box in boxes) - self.height + EDGE),
            "b": max(0.0, EDGE - min(box.bottom for box in boxes)),
        }

    def _write(self, text: str, place: Place, *, size: float, colour: str, **more: Any) -> None:
        if text:
            self.boxes.append(write(self.figure, text, place, size=size, colour=colour, **more))

    def _settings(self, name: str) -> Layout:
        """Settings of the axis that traces call ``x2``."""
        settings: Layout = self.layout.get(f"{name[0]}axis{name[1:]}", {})
        if (other := settings.get("matches")) and "range" not in settings:
            return {"range": self._settings(other).get("range")} | settings
        return settings

    def _axes(self, x: str, y: str, traces: list[Layout]) -> Axes:
        across, up = self._settings(x), self._settings(y)
        x_from, x_to = across.get("domain") or (0.0, 1.0)
        y_from, y_to = up.get("domain") or (0.0, 1.0)
        left, bottom = self.left + x_from * self.across, self.bottom + y_from * self.up
        wide, high = (x_to - x_from) * self.across, (y_to - y_from) * self.up
        page = (self.width, self.height)
        axes = self.figure.add_axes((left / page[0], bottom / page[1], wide / page[0], high / page[1]))
        axes.patch.set_visible(False)
        axes.set_axisbelow(True)
        for spine in axes.spines.values():
            spine.set_visible(False)
        own = [one for one in traces if (one.get("xaxis", "x"), one.get("yaxis", "y")) == (x, y)]
        for letter, settings in (("x", across), ("y", up)):
            self._axis(axes, letter, settings, own, {"x": wide, "y": high}[letter])
        return axes

    def _axis(self, axes: Axes, letter: str, settings: Layout, traces: list[Layout], length: float) -> None:
        """Range, ticks, grid, line and title of one axis."""
        is_x = letter == "x"
        limits, axis = (axes.set_xlim, axes.xaxis) if is_x else (axes.set_ylim, axes.yaxis)
        known = [value for trace in traces for value in values_of(trace, letter)]
        names = list(dict.fromkeys(value for value in known if isinstance(value, str)))
        log = settings.get("type") == "log"
        if log:
            (axes.set_xscale if is_x else axes.set_yscale)("log")
        low, high = _range(settings, known, names)
        limits(*((10**low, 10**high) if log else (low, high)))
        axis.set_tick_params(which="both", length=0, labelbottom=False, labelleft=False)
        axis.set_major_locator(NullLocator())
        axis.set_minor_locator(NullLocator())
        ticks, labels = _ticks(settings, low, high, names, length)
        top = is_x and settings.get("side") == "top"
        right = not is_x and settings.get("side") == "right"
        edge = {(True, False): "bottom", (True, True): "top", (False, False): "left", (False, True): "right"}
        spine = axes.spines[edge[is_x, top or right]]
        spine.set_visible(bool(settings.get("showline")))
        spine.set_linewidth(self.scale.pixel)
        spine.set_color(self.inks.of(settings.get("linecolor"), "#444444"))
        if settings.get("visible") is False:
            return
        inside = [
            (at, words) for at, words in zip(ticks, labels, strict=True) if min(low, high) <= at <= max(low, high)
        ]
        at_data = [10**at if log else at for at, _ in inside]
        if settings.get("showgrid", True):
            for at in at_data:
                line = axes.axvline if is_x else axes.axhline
                line(at, color=self.inks.of(settings.get("gridcolor"), "#EEEEEE"), linewidth=self.scale.pixel, zorder=0)
        if settings.get("zeroline") and low < 0 < high:
            colour = self.inks.of(settings.get("zerolinecolor"), "#444444")
            (axes.axvline if is_x else axes.axhline)(0, color=colour, linewidth=self.scale.pixel, zorder=0.5)
        length_of_tick = float(settings.get("ticklen", 4)) * self.scale.pixel if settings.get("ticks") else 0.0
        if length_of_tick:
            axis.set_ticks(at_data, labels=[])
            colour = self.inks.of(settings.get("tickcolor"), "#444444")
            axis.set_tick_params(length=length_of_tick, width=self.scale.pixel, color=colour)
        far = self._tick_labels(
            axes, settings, at_data, [words for _, words in inside], length_of_tick, is_x, top or right
        )
        self._axis_title(axes, settings, far, is_x, top or right)

    def _tick_labels(
        self,
        axes: Axes,
        settings: Layout,
        ticks: list[float],
        labels: list[str],
        away: float,
        is_x: bool,
        other_side: bool,
    ) -> float:
        """Draw the labels; returns how far from the axis they reach, in points."""
        if not settings.get("showticklabels", True) or not labels:
            return away
        font: Layout = settings.get("tickfont", {})
        size, colour = self.scale.type(font.get("size")), self.inks.of(font.get("color"), "#444444")
        angle = -float(settings.get("tickangle") or 0.0)
        box = axes.bbox
        gap, far = away + 2.5 * self.scale.pixel, away
        for at, words in zip(ticks, labels, strict=True):
            point = axes.transData.transform((at, at))
            x, y = float(point[0]), float(point[1])
            if not is_x:
                spot = Place(box.x1 + gap, y, "left") if other_side else Place(box.x0 - gap, y, "right")
            elif angle:
                spot = Place(x, box.y0 - gap, "right" if angle > 0 else "left", "middle", angle)
            else:
                spot = Place(
                    x, box.y1 + gap if other_side else box.y0 - gap, "center", "bottom" if other_side else "top"
                )
            before = len(self.boxes)
            self._write(words, spot, size=size, colour=colour)
            for drawn_box in self.boxes[before:]:
                far = max(far, box.y0 - drawn_box.bottom if is_x else box.x0 - drawn_box.left)
        return far

    def _axis_title(self, axes: Axes, settings: Layout, away: float, is_x: bool, other_side: bool) -> None:
        title: Any = settings.get("title") or {}
        if isinstance(title, str):
            title = {"text": title}
        text: str = title.get("text") or ""
        font: Layout = title.get("font", {})
        size, colour = self.scale.type(font.get("size", TEXT_SIZE)), self.inks.of(font.get("color"), "#1F2328")
        box = axes.bbox
        standoff = 0.6 * float(title.get("standoff", 8)) * self.scale.pixel
        if is_x:
            text = _fitted(text, size, self.width - 2 * EDGE)
            at = max(EDGE + width_of(text, size) / 2, (box.x0 + box.x1) / 2)
            at = min(at, self.width - EDGE - width_of(text, size) / 2)
            y = box.y1 + away + standoff if other_side else box.y0 - away - standoff
            self._write(text, Place(at, y, "center", "bottom" if other_side else "top"), size=size, colour=colour)
        else:
            spot = Place(box.x0 - away - standoff - size / 2, (box.y0 + box.y1) / 2, turned=90.0)
            self._write(text, spot, size=size, colour=colour)

    def _at(self, ref: str, value: Any, is_x: bool) -> float:
        """A place of a shape or an annotation, in points."""
        start, span = (self.left, self.across) if is_x else (self.bottom, self.up)
        if ref == "paper":
            return start + float(value) * span
        name = ref.removesuffix(" domain")
        axes = next(axes for pair, axes in self.axes.items() if name in pair)
        box = axes.bbox
        if ref.endswith(" domain"):
            low, high = (box.x0, box.x1) if is_x else (box.y0, box.y1)
            return low + float(value) * (high - low)
        if self._settings(name).get("type") == "log":
            value = 10 ** float(value)
        point = axes.transData.transform((value, value))
        return float(point[0] if is_x else point[1])

    def _shape(self, shape: Layout) -> None:
        """A line or a rectangle."""
        ends = [
            (
                self._at(shape.get("xref", "x"), shape[f"x{i}"], True),
                self._at(shape.get("yref", "y"), shape[f"y{i}"], False),
            )
            for i in (0, 1)
        ]
        (x0, y0), (x1, y1) = ((x / self.width, y / self.height) for x, y in ends)
        line: Layout = shape.get("line", {})
        order = -1.0 if shape.get("layer") == "below" else 6.0
        width = float(line.get("width", 2)) * self.scale.pixel
        ink = self.inks.of(line.get("color"), "#444444")
        host = next(iter(self.axes.values()))  # an artist of the axes, so that it can lie below the traces
        look: Layout = {"transform": self.figure.transFigure, "clip_on": False, "zorder": order}
        look["alpha"] = shape.get("opacity")
        if shape.get("type") == "line":
            look |= {"linestyle": dash_of(line.get("dash"), line.get("width", 2)), "solid_capstyle": "butt"}
            host.plot([x0, x1], [y0, y1], color=ink, linewidth=width, scalex=False, scaley=False, **look)
            return
        fill = self.inks.of(shape.get("fillcolor"), "none")
        host.add_artist(
            Rectangle(
                (x0, y0), x1 - x0, y1 - y0, facecolor=fill, edgecolor=ink if width else "none", linewidth=width, **look
            )
        )

    def _note(self, one: Layout) -> None:
        """An annotation, with the hairline or the arrow that ties it to its point."""
        x = self._at(one.get("xref", "x"), one["x"], True)
        y = self._at(one.get("yref", "y"), one["y"], False)
        x += float(one.get("xshift") or 0) * self.scale.pixel
        y += float(one.get("yshift") or 0) * self.scale.pixel
        font: Layout = one.get("font", {})
        size, colour = self.scale.type(font.get("size", TEXT_SIZE)), self.inks.of(font.get("color"), "#1F2328")
        across, up = one.get("xanchor", "auto"), one.get("yanchor", "auto")
        place = Place(
            x,
            y,
            across if across != "auto" else _anchor(one, "x", ("left", "center", "right")),
            up if up != "auto" else _anchor(one, "y", ("bottom", "middle", "top")),
            -float(one.get("textangle") or 0),
        )
        if one.get("showarrow", True):
            if one.get("axref", "pixel") == "pixel":
                tail = (x + float(one.get("ax", 0)) * self.scale.pixel, y - float(one.get("ay", 0)) * self.scale.pixel)
            else:
                tail = (self._at(one["axref"], one["ax"], True), self._at(one["ayref"], one["ay"], False))
            lines = one.get("text", "").count("<br>") + 1 if one.get("text") else 0
            clear = (width_of(one.get("text", ""), size) / 2 + 1.5, lines * LEADING * size / 2 + 1.0)
            self._arrow(one, _outside(tail, (x, y), clear) if lines else tail, (x, y))
            place = place._replace(x=tail[0], y=tail[1], across="center", up="middle")
        text: str = one.get("text", "")
        ground = one.get("bgcolor")
        behind = None if ground is None or ground.replace(" ", "").endswith(",0)") else self.inks.of(ground, "none")
        if place.turned == 0 and width_of(text, size) > self.width - 2 * EDGE:
            text = _fitted(text, size, self.width - 2 * EDGE)
        self._write(text, place, size=size, colour=colour, align=one.get("align", "center"), ground=behind)

    def _arrow(self, one: Layout, tail: tuple[float, float], head: tuple[float, float]) -> None:
        colour = self.inks.of(one.get("arrowcolor"), "#444444")
        width = float(one.get("arrowwidth", 1)) * self.scale.pixel
        self.figure.add_artist(
            FancyArrowPatch(
                (tail[0] / self.width, tail[1] / self.height),
                (head[0] / self.width, head[1] / self.height),
                transform=self.figure.transFigure,
                arrowstyle="-|>" if one.get("arrowhead", 1) else "-",
                mutation_scale=6 * width,
                shrinkA=float(one.get("startstandoff", 0)) * self.scale.pixel,
                shrinkB=float(one.get("standoff", 0)) * self.scale.pixel,
                color=colour,
                linewidth=width,
                zorder=7,
            )
        )


def _range(settings: Layout, known: list[Any], names: list[str]) -> tuple[float, float]:
    """Ends of an axis in the terms of plotly: powers of ten where it is logarithmic."""
    given = settings.get("range")
    if given:
        return float(given[0]), float(given[1])
    if names:
        return -0.5, len(names) - 0.5
    numbers = [float(value) for value in known if value is not None and not math.isnan(float(value))]
    if not numbers:
        return 0.0, 1.0
    low, high = min(numbers), max(numbers)
    air = 0.05 * (high - low or 1.0)
    return low - air, high + air


def _ticks(settings: Layout, low: float, high: float, names: list[str], length: float) -> tuple[list[float], list[str]]:
    """Places of ticks, as powers of ten where the axis is logarithmic, and their labels."""
    log = settings.get("type") == "log"
    given = settings.get("tickvals")
    suffix: str = settings.get("ticksuffix") or ""
    if given is not None:
        at = [float(value) for value in listed(given)]
        words = [str(text) for text in listed(settings.get("ticktext")) or [_number(value) for value in at]]
        return [math.log10(value) for value in at] if log else at, [f"{text}{suffix}" for text in words]
    if names:
        return [float(i) for i in range(len(names))], names
    if log:
        powers = list(range(math.ceil(min(low, high)), math.floor(max(low, high)) + 1))
        return [float(power) for power in powers], [f"{_number(10.0**power)}{suffix}" for power in powers]
    most = max(int(settings.get("nticks") or 0) or round(length / 30), 2)
    at = [
        float(value)
        for value in MaxNLocator(nbins=most, steps=[1, 2, 5, 10]).tick_values(min(low, high), max(low, high))
    ]
    if str(settings.get("tickformat", "")).endswith("%"):
        return at, [f"{_number(100 * value)}%" for value in at]
    return at, [f"{_number(value)}{suffix}" for value in at]


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}".replace("-", "\N{MINUS SIGN}")


def _anchor(one: Layout, letter: str, names: tuple[str, str, str]) -> str:
    """Where plotly anchors a text that does not say so: by thirds of the paper, else in its middle."""
    if one.get(f"{letter}ref") != "paper" or one.get("showarrow", True):
        return names[1]
    return names[0] if one[letter] <= 1 / 3 else names[2] if one[letter] >= 2 / 3 else names[1]


def _outside(tail: tuple[float, float], head: tuple[float, float], half: tuple[float, float]) -> tuple[float, float]:
    """Where the way from a text to its point leaves the box of the text; the point itself where it lies inside."""
    away = [end - start for start, end in zip(tail, head, strict=True)]
    share = min((room / abs(step) for room, step in zip(half, away, strict=True) if step), default=1.0)
    share = min(share, 1.0)
    return tail[0] + share * away[0], tail[1] + share * away[1]


def _fitted(text: str, size: float, room: float) -> str:
    """A title that is too long for the page, on several lines."""
    if width_of(text, size) <= room or "<" in text:
        return text
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "<br>".join(lines)
