"""Names of several systems beside the disparity–quality chart, which has no legend."""

import numpy as np

from fairviz.figures.curves import Line, TradeoffView
from fairviz.figures.labels import Frame
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, note, plain
from fairviz.model import FloatArray

NAME_GAP = 15.0
"""Least distance between two system names, px."""
LONGEST_NAME = 17


def system_names(view: TradeoffView, frame: Frame, colours: Palette) -> list[Layout]:
    """Names of several systems right of the plot, at the height where their lines end."""
    if not view.others:
        return []
    lines = [view.line, *view.others]
    ends = np.array([_end(line, view)[1] for line in lines])
    span = frame.y[1] - frame.y[0]
    heights = _apart((frame.y[1] - ends) / span * frame.height, NAME_GAP, frame.height)
    names: list[Layout] = []
    for line, down in zip(lines, heights, strict=True):
        own = line.system == view.system
        name = plain(line.system, longest=LONGEST_NAME)
        names.append(
            note(
                colours,
                f"<b>{name}</b>" if own else name,
                x=1,
                xref="paper",
                y=frame.y[1] - down / frame.height * span,
                xanchor="left",
                yanchor="middle",
                xshift=6,
                font={
                    "size": SMALL_SIZE,
                    "color": colours.plackett_luce.text if own else colours.mute,
                },
            )
        )
    return names


def _end(line: Line, view: TradeoffView) -> tuple[float, float]:
    x, y = view.drawn if line.system == view.system else (line.x, line.y)
    return float(x[-1]), float(y[-1])


def _apart(wanted: FloatArray, gap: float, height: float) -> FloatArray:
    """Heights nearest to those wanted with at least ``gap`` between neighbours."""
    order = np.argsort(wanted, kind="stable")
    placed = wanted[order].astype(float)
    for i in range(1, placed.size):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    placed -= max(0.0, (placed[-1] - height) if placed.size else 0.0)
    for i in range(placed.size - 2, -1, -1):
        placed[i] = min(placed[i], placed[i + 1] - gap)
    heights = np.empty_like(placed)
    heights[order] = placed
    return heights
