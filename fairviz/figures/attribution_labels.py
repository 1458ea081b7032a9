"""The direct labels of a scatter panel of consumption, placed by the rule of ``labels``."""

import numpy as np

from fairviz.analysis.output_panels import Panel
from fairviz.figures.attribution_marks import Ranges
from fairviz.figures.labels import Frame, Label, around, beside, place, written
from fairviz.figures.theme import Layout, Palette, plain
from fairviz.model import FloatArray

WIDTHS = (270.0, 310.0)
"""Width of the plotting area of one of three panels, and of one on a phone, in px."""


def panel_labels(
    panel: Panel,
    ranges: Ranges,
    setting: str,
    colours: Palette,
    *,
    identity: bool,
    height: float,
) -> list[Layout]:
    """Names of the mean under the setting, of y = x and of the line of equal chance."""
    frame = Frame(_drawn_range(ranges.x, ranges), _drawn_range(ranges.y, ranges), WIDTHS, height)
    at = panel.position(setting)
    obstacles = [_path_points(panel, ranges), _chosen(panel, at, ranges)]
    lines: list[tuple[float, str, str]] = []
    if identity:
        lines.append((1.0, "y = x", colours.ink))
    slope = float(panel.chance[at]) if at >= 0 else np.nan
    if slope > 0:
        lines.append((slope, "equal chance", colours.optimal.text))
    labels: list[Label] = []
    drawn = [(_straight_points(slope, ranges, frame), text, ink) for slope, text, ink in lines]
    obstacles += [points for points, _, _ in drawn]
    mean = _mean(panel, at, setting, ranges, colours)
    if mean is not None:
        labels.append(mean)
    for points, text, ink in drawn:
        if len(points) > 1:
            spots = beside(points[:, 0], points[:, 1], width=len(text))
            labels.append(Label(html=text, width=len(text), colour=ink, spots=spots))
    spots = place(labels, np.vstack(obstacles), frame)
    return [written(label, spot, colours) for label, spot in zip(labels, spots, strict=True)]


def _mean(panel: Panel, at: int, setting: str, ranges: Ranges, colours: Palette) -> Label | None:
    if at < 0 or not (np.isfinite(panel.path_x[at]) and np.isfinite(panel.path_y[at])):
        return None
    if ranges.axes == "log" and min(panel.path_x[at], panel.path_y[at]) <= 0:
        return None
    x, y = _drawn(panel.path_x[at : at + 1], ranges), _drawn(panel.path_y[at : at + 1], ranges)
    text = f"{plain(setting, longest=16)}, mean {panel.path_y[at]:.3g}"
    spots = around(float(x[0]), float(y[0]), len(text), gap=14)
    return Label(html=f"<b>{text}</b>", width=len(text), colour=colours.ink, spots=spots)


def _drawn(values: FloatArray, ranges: Ranges) -> FloatArray:
    return np.log10(values) if ranges.axes == "log" else values


def _drawn_range(ends: tuple[float, float], ranges: Ranges) -> tuple[float, float]:
    low, high = _drawn(np.array(ends), ranges).tolist()
    return low, high


def _path_points(panel: Panel, ranges: Ranges) -> FloatArray:
    """Points along the path of the means."""
    known = np.isfinite(panel.path_x) & np.isfinite(panel.path_y)
    if ranges.axes == "log":
        known &= (panel.path_x > 0) & (panel.path_y > 0)
    x, y = _drawn(panel.path_x[known], ranges), _drawn(panel.path_y[known], ranges)
    if x.size < 2:
        return np.column_stack([x, y])
    steps: FloatArray = np.linspace(0, x.size - 1, 12 * x.size)
    places = np.arange(x.size)
    return np.column_stack([np.interp(steps, places, x), np.interp(steps, places, y)])


def _chosen(panel: Panel, at: int, ranges: Ranges) -> FloatArray:
    """The coloured points."""
    here = (panel.setting == at) & np.isfinite(panel.x) & np.isfinite(panel.y)
    if ranges.axes == "log":
        here &= (panel.x > 0) & (panel.y > 0)
    return np.column_stack([_drawn(panel.x[here], ranges), _drawn(panel.y[here], ranges)])


def _straight_points(slope: float, ranges: Ranges, frame: Frame) -> FloatArray:
    """Points of y = slope · x that lie inside the frame."""
    x = np.linspace(*ranges.x, 60) if ranges.axes == "linear" else np.geomspace(*ranges.x, 60)
    points = np.column_stack([_drawn(x, ranges), _drawn(slope * x, ranges)])
    inside = (points[:, 1] > frame.y[0]) & (points[:, 1] < frame.y[1])
    return points[inside]
