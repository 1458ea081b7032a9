"""Levels as a forest: Diff-Bias of every bias type and model on one scale, for papers; the page has it in its table."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain
from fairviz.display.words import in_words, interval
from fairviz.studies.social_bias.labels import place_words, type_label
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import BiasRow

LINE = 24
"""Height of a row, px."""
TOP, BELOW, LEFT = 34, 34, 190
AIR = 0.06
NARROWEST = 5.0


def levels_span(rows: Sequence[BiasRow], measure: Leaning) -> tuple[float, float]:
    """One range for all rows: 0, every value and every interval, with some air."""
    ends = [end for row in rows for end in (row.values[measure], *row.intervals[measure]) if not math.isnan(end)]
    low, high = min([0.0, *ends]), max([NARROWEST, *ends])
    air = AIR * (high - low)
    return low - air, high + air


def levels_figure(
    rows: Sequence[BiasRow], measure: Leaning, names: Mapping[str, str], *, colours: Palette
) -> go.Figure:
    """A dot with its interval per row: filled and in the colour of its sign where significant, else hollow.

    Args:
        rows: Rows by model and bias type, in the order in which they are read.
        measure: Diff-Bias in one of the contexts.
        names: Short names of models.
        colours: Light or dark.
    """
    layout = base_layout(
        colours, height=LINE * len(rows) + TOP + BELOW, margin={"l": LEFT, "r": 12, "t": TOP, "b": BELOW}
    )
    places = list(range(len(rows), 0, -1))
    layout["xaxis"] = axis(colours, title="Diff-Bias, %", bounds=levels_span(rows, measure))
    layout["yaxis"] = axis(
        colours,
        bounds=(0.4, len(rows) + 0.6),
        showgrid=False,
        showline=False,
        ticks="",
        tickvals=places,
        ticktext=[plain(_label(row, names), longest=32) for row in rows],
    )
    zero: Layout = {"type": "line", "x0": 0, "x1": 0, "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    layout["shapes"] = [zero | {"line": {"color": colours.ink, "width": 1.2}}]
    ends = (
        ("right", -6, "◂ against the stereotype", colours.plackett_luce),
        ("left", 6, "towards it ▸", colours.optimal),
    )
    layout["annotations"] = [
        note(
            colours,
            words,
            x=0,
            yref="paper",
            y=1,
            xanchor=anchor,
            xshift=shift,
            yanchor="bottom",
            font={"size": SMALL_SIZE, "color": hue.text},
        )
        for anchor, shift, words, hue in ends
    ]
    tones = [_tone(row, measure, colours) for row in rows]
    data: list[Layout] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "interval",
            "x": list(row.intervals[measure]),
            "y": [place, place],
            "line": {"width": 3, "color": tone},
            "hoverinfo": "skip",
        }
        for row, place, tone in zip(rows, places, tones, strict=True)
    ]
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "Diff-Bias",
            "x": [row.values[measure] for row in rows],
            "y": places,
            "marker": {
                "size": 9,
                "color": [tone if row.leans(measure) else colours.page for row, tone in zip(rows, tones, strict=True)],
                "line": {"width": 2, "color": tones},
            },
            "text": [plain(_label(row, names)) for row in rows],
            "hovertemplate": "%{text}: %{x:+.1f}<extra></extra>",
        }
    )
    return go.Figure({"data": data, "layout": layout})


def levels_alt(rows: Sequence[BiasRow], measure: Leaning, names: Mapping[str, str]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"{_label(row, names)} {in_words(row.values[measure], sign=True)} ({interval(*row.intervals[measure], 1)})"
        for row in rows
    ]
    return f"Diff-Bias in percent with 95 % interval over templates. {'; '.join(parts)}."


def _label(row: BiasRow, names: Mapping[str, str]) -> str:
    model = names.get(row.get("model"), row.get("model"))
    given = place_words(row.one_place) if row.one_place else ""
    return " · ".join(part for part in (type_label(row.get("category")), model, given) if part)


def _tone(row: BiasRow, measure: Leaning, colours: Palette) -> str:
    way = row.leans(measure)
    return colours.positive if way > 0 else colours.negative if way < 0 else colours.faint
