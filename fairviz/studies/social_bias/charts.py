"""Answers to bias questions as a figure: a panel per model, a stack of shares per number of stereotypical documents."""

from collections.abc import Mapping, Sequence
from typing import Literal

import plotly.graph_objects as go

from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, ink_on, mixed, note, plain
from fairviz.display.words import THIN, count, number, plural
from fairviz.studies.social_bias.findings import slope_words
from fairviz.studies.social_bias.labels import short_column
from fairviz.studies.social_bias.rows import Row

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
