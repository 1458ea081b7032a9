"""Answers by the number of stereotypical documents given: a stack of shares per number, with its count."""

from typing import Literal

import plotly.graph_objects as go

from fairviz.show.theme import SMALL_SIZE, Palette, axis, base_layout, note
from fairviz.show.words import THIN, count, number, plural
from fairviz.studies.social_bias.dose import DoseResponse

HEIGHT = 260
WIDEST = 0.7
"""Part of the distance between two numbers that a stack fills."""
READABLE = 9.0
"""Percent from which a part has room for its number."""

Kind = Literal["stereotyped", "unknown", "against"]
KINDS: dict[Kind, str] = {
    "stereotyped": "the stereotyped answer",
    "unknown": "“unknown”",
    "against": "the answer against it",
}
"""Parts of a stack from below, and what they are called."""


def dose_figure(response: DoseResponse, *, colours: Palette, height: int = HEIGHT) -> go.Figure:
    """Percent of the answers that name an option, stacked by kind over the number of stereotypical documents."""
    layout = base_layout(colours, height=height, margin={"l": 38, "r": 8, "t": 18, "b": 44})
    doses = response.doses.tolist()
    layout["barmode"] = "stack"
    layout["xaxis"] = axis(
        colours,
        title="stereotypical documents given",
        bounds=(doses[0] - 0.6, doses[-1] + 0.6),
        showgrid=False,
        tickvals=doses,
        ticktext=[str(dose) for dose in doses],
    )
    layout["yaxis"] = axis(colours, bounds=(0, 100), showline=False, ticks="", tickvals=[0, 25, 50, 75, 100])
    layout["annotations"] = [
        note(
            colours,
            count(n),
            x=dose,
            y=100,
            xanchor="center",
            yanchor="bottom",
            font={"size": SMALL_SIZE, "color": colours.mute},
        )
        for dose, n in zip(doses, response.n.tolist(), strict=True)
    ]
    fills = {"stereotyped": colours.positive, "unknown": colours.faint, "against": colours.negative}
    data = [
        {
            "type": "bar",
            "name": words,
            "x": doses,
            "y": shares(response, kind),
            "width": WIDEST,
            "marker": {"color": fills[kind], "line": {"width": 1, "color": colours.page}},
            "text": [f"{share:.0f}" if share >= READABLE else "" for share in shares(response, kind)],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "customdata": getattr(response, kind).tolist(),
            "hovertemplate": f"{words}: %{{customdata}} (%{{y:.1f}}{THIN}%)<extra></extra>",
        }
        for kind, words in KINDS.items()
    ]
    return go.Figure({"data": data, "layout": layout})


def dose_alt(response: DoseResponse) -> str:
    """What the chart shows, in words."""
    parts = [
        f"{dose}: {plural(n, 'answer')}, {number(stereotyped, 0)} % stereotyped, {number(against, 0)} % against"
        for dose, n, stereotyped, against in zip(
            response.doses.tolist(),
            response.n.tolist(),
            shares(response, "stereotyped"),
            shares(response, "against"),
            strict=True,
        )
    ]
    return f"Answers by number of stereotypical documents given. {'; '.join(parts)}."


def shares(response: DoseResponse, kind: Kind) -> list[float]:
    """Percent of a kind at each number; 0 where there is no answer, whose count says so."""
    parts: list[int] = getattr(response, kind).tolist()
    return [100 * part / n if n else 0.0 for part, n in zip(parts, response.n.tolist(), strict=True)]
