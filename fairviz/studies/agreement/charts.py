"""Figures of agreement: the triangle of Kendall's τ, and a metric at every rank with a line per system."""

import numpy as np
import plotly.graph_objects as go

from fairviz.display.labels import CHARACTER
from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, cell_fill, ink_on, plain, scatter
from fairviz.display.words import plural
from fairviz.evaluation.compare import short_names
from fairviz.studies.agreement.pairs import Agreement, PairAgreement

CELL = 30
"""Height of a cell in px."""
LONGEST = 22
"""Characters of a measure string beside the triangle."""
TILT = -35


# Kendall's τ between measures: a triangle of cells (Raj et al. 2022, Figure 1).


def agreement_figure(agreement: Agreement, *, colours: Palette) -> go.Figure:
    """The lower triangle of τ: teal = same order of systems, amber = reversed, page = unrelated; of few queries grey.

    Args:
        agreement: τ of each pair; undefined cells are hatched.
        colours: Light or dark.
    """
    names = [plain(measure, longest=LONGEST) for measure in short_names(agreement.measures)]
    n = max(len(names) - 1, 0)  # the first measure has no row, the last no column
    longest = max(map(len, names), default=0) * CHARACTER
    below = round(0.6 * longest) + 24
    layout = base_layout(
        colours,
        height=max(n, 1) * CELL + below + 12,
        margin={"l": round(longest) + 14, "t": 8, "b": below, "r": 12},
    )
    bare: Layout = {"showgrid": False, "showline": False, "ticks": "", "tickvals": list(range(n))}
    layout["xaxis"] = axis(colours, bounds=(-0.5, n - 0.5), ticktext=names[:-1], tickangle=TILT, **bare)
    layout["yaxis"] = axis(colours, bounds=(n - 0.5, -0.5), ticktext=names[1:], **bare)
    if not agreement.pairs:
        return go.Figure({"data": [], "layout": layout})
    place = {measure: i for i, measure in enumerate(agreement.measures)}
    known = [pair for pair in agreement.pairs if not np.isnan(pair.tau)]
    unknown = [pair for pair in agreement.pairs if np.isnan(pair.tau)]
    data = [_cells(agreement, colours), _numbers(known, place, colours)]
    if unknown:
        data.append(_undefined(unknown, place, colours))
    return go.Figure({"data": data, "layout": layout})


def agreement_alt(agreement: Agreement) -> str:
    """What the chart shows, in words."""
    known = agreement.defined
    if not known:
        return "Kendall's τ between measures: no pair has a value."
    low, high = known[0], known[-1]
    return (
        f"Kendall's τ-{agreement.variant} of {plural(len(known), 'pair')} of measures, from {low.tau:.2f} "
        f"({low.measure_a} and {low.measure_b}) to {high.tau:.2f} ({high.measure_a} and "
        f"{high.measure_b}); {len(agreement.pairs) - len(known)} undefined."
    )


def tau_text(tau: float) -> str:
    """Two decimals without the leading 0, as correlations are printed.

    Examples:
        >>> tau_text(0.753), tau_text(-0.5), tau_text(1.0), tau_text(0.001)
        ('.75', '−.50', '1.00', '.00')
    """
    text = f"{abs(tau):.2f}"
    minus = "\N{MINUS SIGN}" if tau < 0 and float(text) else ""
    return minus + (text[1:] if text.startswith("0") else text)


def _cells(agreement: Agreement, colours: Palette) -> Layout:
    place = {measure: i for i, measure in enumerate(agreement.measures)}
    triangle = np.full((len(place), len(place)), np.nan)
    for pair in agreement.told:
        triangle[place[pair.measure_b], place[pair.measure_a]] = pair.tau
    return {
        "type": "heatmap",
        "name": "τ",
        "z": triangle[1:, :-1],
        "zmin": -1,
        "zmax": 1,
        "colorscale": [[0, colours.oppose], [0.5, colours.page], [1, colours.agree]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }


def _numbers(known: list[PairAgreement], place: dict[str, int], colours: Palette) -> Layout:
    inks = [colours.mute if pair.few else ink_on(cell_fill(pair.tau, colours)) for pair in known]
    return scatter(
        "numbers",
        "text",
        *_at(known, place),
        text=[tau_text(pair.tau) for pair in known],
        textfont={"size": SMALL_SIZE, "color": inks},
        customdata=[[plain(pair.measure_a), plain(pair.measure_b), pair.tau, pair.n_systems] for pair in known],
        hovertemplate="%{customdata[0]} and %{customdata[1]}<br>τ = %{customdata[2]:.3f}, %{customdata[3]} systems"
        "<extra></extra>",
    )


def _undefined(unknown: list[PairAgreement], place: dict[str, int], colours: Palette) -> Layout:
    x, y = _at(unknown, place)
    return {
        "type": "bar",
        "name": "undefined",
        "x": x,
        "base": [at - 0.46 for at in y],
        "y": [0.92] * len(y),
        "width": 0.92,
        "marker": {
            "color": colours.page,
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": colours.unknown, "size": 6, "solidity": 0.3},
        },
        "customdata": [[plain(pair.measure_a), plain(pair.measure_b), pair.n_systems] for pair in unknown],
        "hovertemplate": (
            "%{customdata[0]} and %{customdata[1]}<br>undefined: %{customdata[2]} systems have "
            "both, or one is equal for all<extra></extra>"
        ),
    }


def _at(pairs: list[PairAgreement], place: dict[str, int]) -> tuple[list[int], list[int]]:
    """Columns and rows of the triangle."""
    return [place[pair.measure_a] for pair in pairs], [place[pair.measure_b] - 1 for pair in pairs]


# One metric at every rank, a line per system (Gao et al. 2022, Figure 1).
