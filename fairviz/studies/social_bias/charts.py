"""Answers to bias questions as figures: a forest of Diff-Bias by bias type, and answers by documents given.

The forest has every bias type and model on one scale, for papers; the page has it in its table. The other is a panel
per model, a stack of shares per number of stereotypical documents.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import plotly.graph_objects as go
import polars as pl

from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, ink_on, mixed, note, plain, scatter
from fairviz.display.words import THIN, count, in_words, interval, number, plural
from fairviz.studies.social_bias.findings import slope_words
from fairviz.studies.social_bias.labels import short_column, type_label
from fairviz.studies.social_bias.rows import Row

LINE = 24
"""Height of a row, px."""
TOP, BELOW, LEFT = 34, 34, 190
AIR = 0.06
NARROWEST = 5.0


def levels_span(levels: pl.DataFrame) -> tuple[float, float]:
    """One range for all rows: 0, every value and every interval, with some air."""
    ends = [end for row in levels.select("value", "low", "high").rows() for end in row if not math.isnan(end)]
    low, high = min([0.0, *ends]), max([NARROWEST, *ends])
    air = AIR * (high - low)
    return low - air, high + air


def levels_figure(levels: pl.DataFrame, names: Mapping[str, str], *, colours: Palette) -> go.Figure:
    """A dot with its interval per row: filled and in the colour of its sign where significant, else hollow.

    Args:
        levels: Rows by model and bias type, in the order in which they are read.
        names: Short names of models.
        colours: Light or dark.
    """
    rows = levels.rows(named=True)
    layout = base_layout(
        colours, height=LINE * len(rows) + TOP + BELOW, margin={"l": LEFT, "r": 12, "t": TOP, "b": BELOW}
    )
    places = list(range(len(rows), 0, -1))
    layout["xaxis"] = axis(colours, title="Diff-Bias, %", bounds=levels_span(levels))
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
    position = {"x": 0, "yref": "paper", "y": 1, "yanchor": "bottom"}
    layout["annotations"] = [
        note(colours, words, **position, xanchor=anchor, xshift=shift, font={"size": SMALL_SIZE, "color": hue.text})
        for anchor, shift, words, hue in ends
    ]
    tones = [{1: colours.positive, -1: colours.negative, 0: colours.faint}[row["way"]] for row in rows]
    data = [
        scatter("interval", "lines", [row["low"], row["high"]], [at, at], line={"width": 3, "color": tone})
        for row, at, tone in zip(rows, places, tones, strict=True)
    ]
    fills = [tone if row["way"] else colours.page for row, tone in zip(rows, tones, strict=True)]
    data.append(
        scatter(
            "Diff-Bias",
            "markers",
            [row["value"] for row in rows],
            places,
            marker={"size": 9, "color": fills, "line": {"width": 2, "color": tones}},
            text=[plain(_label(row, names)) for row in rows],
            hovertemplate="%{text}: %{x:+.1f}<extra></extra>",
        )
    )
    return go.Figure({"data": data, "layout": layout})


def levels_alt(levels: pl.DataFrame, names: Mapping[str, str]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"{_label(row, names)} {in_words(row['value'], sign=True)} ({interval(row['low'], row['high'], 1)})"
        for row in levels.iter_rows(named=True)
    ]
    return f"Diff-Bias in percent with 95 % interval over templates. {'; '.join(parts)}."


def _label(row: Row, names: Mapping[str, str]) -> str:
    model = names.get(row["model"], row["model"])
    return " · ".join(part for part in (type_label(row["category"]), model, row["one_letter"]) if part)


HEIGHT = 320
"""Of one row of panels, px."""
WIDEST = 0.84
"""Part of the distance between two numbers that a stack fills."""
READABLE = 9.0
"""Percent from which a part has room for its number."""
PALE = 0.55
"""Part of the colour that collections of one kind keep."""
ACROSS = 2
"""Panels in a row."""

Kind = Literal["stereotyped", "unknown", "against"]
KINDS: dict[Kind, str] = {
    "against": "against the stereotype",
    "unknown": "“unknown”",
    "stereotyped": "towards the stereotype",
}
"""Parts of a stack from below, and what they are called."""


def dose_figure(responses: Sequence[Row], names: Mapping[str, str], *, colours: Palette) -> go.Figure:
    """Percent of the answers that name an option, stacked by kind over the number of stereotypical documents.

    Args:
        responses: A panel each: slopes of models, with the columns of their stacks in the order of their numbers
            (:func:`~.documents.stacks`) as ``stacks``.
        names: Short names of models.
        colours: Light or dark.
    """
    n_rows = -(-len(responses) // ACROSS)
    layout = base_layout(colours, height=HEIGHT * n_rows, margin={"l": 30, "r": 4, "t": 58, "b": 44})
    layout |= {"barmode": "stack", "annotations": []}
    data: list[Layout] = []
    for index, (response, name) in enumerate(zip(responses, _panels(responses, names), strict=True)):
        row, column = divmod(index, ACROSS)
        across = min(ACROSS, len(responses))
        left, right = column / across + 0.03 * bool(column), (column + 1) / across - 0.03 * (column < across - 1)
        top = 1 - row / n_rows
        bottom = 1 - (row + 1) / n_rows + (0.24 if row < n_rows - 1 else 0)
        end = "" if not index else str(index + 1)
        stacks: list[Row] = response["stacks"].rows(named=True)
        xs = list(range(len(stacks)))
        layout[f"xaxis{end}"] = axis(
            colours,
            bounds=(-0.6, len(xs) - 0.4),
            showgrid=False,
            tickangle=0,
            tickvals=xs,
            ticktext=[f"<b>{_numbers(stack)}</b><br>{_below(stack)}" for stack in stacks],
        ) | {"domain": [left, right], "anchor": f"y{end}"}
        layout[f"yaxis{end}"] = axis(
            colours, bounds=(0, 100), showline=False, ticks="", tickvals=[0, 50, 100], showticklabels=not column
        ) | {"domain": [bottom, top], "anchor": f"x{end}"}
        about: Layout = {"xref": "paper", "x": left, "xanchor": "left", "yref": "paper", "y": top, "yanchor": "bottom"}
        lines = (f"<b>{plain(name, longest=24)}</b>", *map(plain, slope_words(response).split("; ")))
        layout["annotations"].append(
            note(colours, "<br>".join(lines), **about, yshift=4, font={"size": SMALL_SIZE, "color": colours.ink})
        )
        data += [_part(stacks, kind, end, colours) for kind in KINDS]
    return go.Figure({"data": data, "layout": layout})


def dose_alt(responses: Sequence[Row], names: Mapping[str, str]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"{name}, {slope_words(response)}: "
        + "; ".join(
            f"{_numbers(stack, named=True)}: {plural(stack['n'], 'answer')}, "
            f"{number(share(stack, 'stereotyped'), 0)} % towards, {number(share(stack, 'against'), 0)} % against"
            for stack in response["stacks"].iter_rows(named=True)
        )
        for response, name in zip(responses, _panels(responses, names), strict=True)
    ]
    return f"Answers by number of stereotypical documents given. {'. '.join(parts)}."


def _panels(responses: Sequence[Row], names: Mapping[str, str]) -> list[str]:
    """What each panel is called: its model, and its retriever where there are several."""
    models = [f"“{names.get(response['model'], response['model'])}”" for response in responses]
    retrievers = [response["retriever"] for response in responses]
    if len({*retrievers}) == 1:
        return models
    return [" · ".join(filter(None, named)) for named in zip(models, retrievers, strict=True)]


def share(stack: Row, kind: Kind) -> float:
    """Percent of a kind; 0 where there is no answer, whose count says so."""
    return 100 * stack[f"n_{kind}"] / stack["n"] if stack["n"] else 0.0


def _numbers(stack: Row, *, named: bool = False) -> str:
    """Numbers of documents of a column; ``named``: with the collection that forced it."""
    numbers = "–".join(map(str, dict.fromkeys((stack["low"], stack["high"]))))
    return f"{numbers} ({stack['setting']})" if named and stack["setting"] else numbers


def _below(stack: Row) -> str:
    """What stands below the number of documents: the collection that forced it, else how many answers there are."""
    return plain(short_column(stack["setting"]), longest=8) or f"n {count(stack['n'])}"


def _part(stacks: Sequence[Row], kind: Kind, end: str, colours: Palette) -> Layout:
    own = {"stereotyped": colours.positive, "unknown": colours.grades[0], "against": colours.negative}[kind]
    fills = [mixed(colours.page, own, PALE) if stack["setting"] else own for stack in stacks]
    shares = [share(stack, kind) for stack in stacks]
    return {
        "type": "bar",
        "name": KINDS[kind],
        "x": list(range(len(shares))),
        "y": shares,
        "xaxis": f"x{end}",
        "yaxis": f"y{end}",
        "width": WIDEST,
        "marker": {"color": fills, "line": {"width": 1, "color": colours.page}},
        "text": [f"{part:.0f}" if part >= READABLE else "" for part in shares],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "insidetextfont": {"size": SMALL_SIZE, "color": [ink_on(fill) for fill in fills]},
        "textangle": 0,
        "customdata": [[stack[f"n_{kind}"], stack["n"]] for stack in stacks],
        "hovertemplate": f"{KINDS[kind]}: %{{customdata[0]}} of %{{customdata[1]}} (%{{y:.1f}}{THIN}%)<extra></extra>",
    }
