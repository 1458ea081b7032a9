"""Names in the chart of the price of fairness: at the end of each line, or where it falls off."""

from typing import NamedTuple

import numpy as np

from fairviz.figures.labels import CHARACTER, LINE, Frame, Label, Spot, around
from fairviz.figures.price_view import PriceLine, PriceView, in_words
from fairviz.figures.theme import Palette, plain

LONGEST = 26
"""Characters of a re-ranker's name in the chart."""
WIDE_ENOUGH = 0.2
"""Part of the chart from which what nobody reaches is named."""


class Fall(NamedTuple):
    """Where a line leaves the chart at its foot, and the lowest value it goes to."""

    x: float
    lowest: float


def off_the_scale(line: PriceLine, today: float, frame: Frame) -> Fall | None:
    """Where a line crosses the foot of the chart; None where it stays on it."""
    floor = frame.y[0]
    x, y = np.concatenate([[today], line.x]), np.concatenate([[0.0], line.y])
    below = np.flatnonzero(y < floor)
    if not below.size:
        return None
    i = int(below[0])
    part = (floor - y[i - 1]) / (y[i] - y[i - 1])
    crossing = float(x[i - 1] + part * (x[i] - x[i - 1]))
    low, high = sorted(frame.x)
    return Fall(min(max(crossing, low), high), float(np.nanmin(y)))


def price_labels(view: PriceView, frame: Frame, colours: Palette) -> list[Label]:
    """Labels by importance: what is out of reach, today, the best re-ranker, then the others."""
    labels = [*_out_of_reach(view, frame, colours), _budget(view, frame, colours)]
    labels += [
        Label(
            html="<b>today</b>",
            width=5,
            colour=colours.ink,
            spots=around(view.today, 0.0, 5, gap=12.0),
        )
    ]
    first = [line for line in view.lines if line.method == view.best]
    rest = [line for line in view.lines if line.method != view.best]
    for line in first + rest:
        label = _named(line, view, frame, colours)
        if label is not None:
            labels.append(label)
    return labels


def _budget(view: PriceView, frame: Frame, colours: Palette) -> Label:
    """The name of the dotted line, from the left on where nothing is in the way."""
    text = f"budget {in_words(view.budget)} %"
    floor = frame.y[0]
    if -view.budget < floor:
        text += ", below this chart"
    width = len(text)
    room = 0.5 * (width * CHARACTER + 8) / min(frame.widths)
    parts = np.linspace(min(room, 0.5), max(1 - room, 0.5), 7)
    at = [frame.x[0] + float(part) * (frame.x[1] - frame.x[0]) for part in parts]
    spots = [Spot(x, max(-view.budget, floor), 0.0, -LINE / 2 - 1) for x in at]
    return Label(html=text, width=width, colour=colours.mute, spots=spots)


def _out_of_reach(view: PriceView, frame: Frame, colours: Palette) -> list[Label]:
    """The name of the shaded area, where it is wide enough for one."""
    ideal, reach = view.scale.ideal, view.reach()
    width = abs(reach - ideal) / max(abs(frame.x[1] - frame.x[0]), 1e-9)
    if np.isnan(width) or width < WIDE_ENOUGH:
        return []
    spot = Spot((reach + ideal) / 2, frame.y[1], 0.0, LINE + 8)
    text = "no re-ranker<br>gets here"
    return [Label(html=text, width=12, n_lines=2, colour=colours.mute, spots=[spot])]


def _above_the_foot(fall: Fall, width: int, frame: Frame) -> list[Spot]:
    """Places beside the end of a line that leaves the chart, then higher up along it."""
    spots = [spot for spot in around(fall.x, frame.y[0], width, n_lines=2) if spot.down < 0]
    higher = [spot._replace(down=spot.down - up) for up in (30.0, 60.0, 95.0) for spot in spots[:6]]
    return spots + higher


def _named(line: PriceLine, view: PriceView, frame: Frame, colours: Palette) -> Label | None:
    best = line.method == view.best
    colour = colours.plackett_luce.text if best else colours.mute
    name = plain(line.label, longest=LONGEST)
    width = min(len(line.label), LONGEST)
    fall = off_the_scale(line, view.today, frame)
    if fall is not None:
        value = f"{in_words(fall.lowest, 0, sign=True)} % below"
        return Label(
            html=f"{name}<br>{value}",
            width=max(width, len(value)),
            n_lines=2,
            colour=colour,
            spots=_above_the_foot(fall, width, frame),
        )
    known = np.flatnonzero(~(np.isnan(line.x) | np.isnan(line.y)))
    if not known.size:
        return None
    # the point nearest to the target is what a person looks for; the last of equal ones
    x = line.x[known] if view.scale.falling else -line.x[known]
    end = int(known[int(np.flatnonzero(x == x.min())[-1])])
    # where its end is crowded, a line is named at another of its points
    spots = around(float(line.x[end]), float(line.y[end]), width)
    for i in known[::-1]:
        spots += around(float(line.x[i]), float(line.y[i]), width)[:10]
    html = f"<b>{name}</b>" if best else name
    return Label(html=html, width=width, colour=colour, spots=spots)
