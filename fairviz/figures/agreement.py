"""Kendall's τ between measures: a triangle of cells (Raj et al. 2022, Figure 1)."""

import numpy as np
import plotly.graph_objects as go

from fairviz.analysis.agreement import Agreement, PairAgreement
from fairviz.analysis.measured_systems import short_names
from fairviz.figures.labels import CHARACTER
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, plain

CELL = 30
"""Height of a cell in px."""
LONGEST = 22
"""Characters of a measure string beside the triangle."""
TILT = -35


def agreement_figure(agreement: Agreement, *, colours: Palette, height: int | None = None) -> go.Figure:
    """The lower triangle of τ: teal = same order of systems, amber = reversed, page = unrelated.

    Args:
        agreement: τ of each pair; undefined cells are hatched.
        colours: Light or dark.
        height: Of the chart in px; None = 30 px a measure.
    """
    names = [plain(measure, longest=LONGEST) for measure in short_names(agreement.measures)]
    n = max(len(names) - 1, 0)  # the first measure has no row, the last no column
    longest = max(map(len, names), default=0) * CHARACTER
    below = round(0.6 * longest) + 24
    layout = base_layout(
        colours,
        height=height or max(n, 1) * CELL + below + 12,
        margin={"l": round(longest) + 14, "t": 8, "b": below, "r": 12},
    )
    bare: Layout = {"showgrid": False, "showline": False, "ticks": "", "tickvals": list(range(n))}
    layout["xaxis"] = axis(colours, bounds=(-0.5, n - 0.5), ticktext=names[:-1], tickangle=TILT, **bare)
    layout["yaxis"] = axis(colours, bounds=(n - 0.5, -0.5), ticktext=names[1:], **bare)
    if not agreement.pairs:
        return go.Figure({"data": [], "layout": layout})
    place = {measure: i for i, measure in enumerate(agreement.measures)}
    known = [one for one in agreement.pairs if not np.isnan(one.tau)]
    unknown = [one for one in agreement.pairs if np.isnan(one.tau)]
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
        f"Kendall's τ-{agreement.variant} of {len(known)} pairs of measures, from {low.tau:.2f} "
        f"({low.measure_a} and {low.measure_b}) to {high.tau:.2f} ({high.measure_a} and "
        f"{high.measure_b}); {len(agreement.pairs) - len(known)} undefined."
    )


def cell_fill(tau: float, colours: Palette) -> str:
    """The page at τ = 0, towards teal above and amber below, in proportion.

    Examples:
        >>> from fairviz.figures.theme import LIGHT
        >>> cell_fill(1.0, LIGHT) == LIGHT.agree.lower()
        True
    """
    end = colours.agree if tau > 0 else colours.oppose
    parts = zip(_parts(colours.page), _parts(end), strict=True)
    mixed = (round(page + abs(tau) * (other - page)) for page, other in parts)
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink_on(fill: str) -> str:
    """Black or white, whichever is read better on a fill: always at least 4.5:1.

    The palette's own ink and page reach only 3.9:1 in the middle of the scale.
    """
    return max(("#000000", "#FFFFFF"), key=lambda text: _contrast(text, fill))


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
    lower = np.tril(np.ones((len(agreement.measures),) * 2), -1) > 0
    shown = np.where(lower, agreement.matrix, np.nan)[1:, :-1]
    return {
        "type": "heatmap",
        "name": "τ",
        "z": shown,
        "zmin": -1,
        "zmax": 1,
        "colorscale": [[0, colours.oppose], [0.5, colours.page], [1, colours.agree]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }


def _numbers(known: list[PairAgreement], place: dict[str, int], colours: Palette) -> Layout:
    x, y = _at(known, place)
    return {
        "type": "scatter",
        "mode": "text",
        "name": "numbers",
        "x": x,
        "y": y,
        "text": [tau_text(one.tau) for one in known],
        "textfont": {
            "size": SMALL_SIZE,
            "color": [ink_on(cell_fill(one.tau, colours)) for one in known],
        },
        "customdata": [[plain(one.measure_a), plain(one.measure_b), one.tau, one.n_systems] for one in known],
        "hovertemplate": (
            "%{customdata[0]} and %{customdata[1]}<br>τ = %{customdata[2]:.3f}, %{customdata[3]} systems<extra></extra>"
        ),
    }


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
        "customdata": [[plain(o.measure_a), plain(o.measure_b), o.n_systems] for o in unknown],
        "hovertemplate": (
            "%{customdata[0]} and %{customdata[1]}<br>undefined: %{customdata[2]} systems have "
            "both, or one is equal for all<extra></extra>"
        ),
    }


def _at(pairs: list[PairAgreement], place: dict[str, int]) -> tuple[list[int], list[int]]:
    """Columns and rows of the triangle."""
    return [place[one.measure_a] for one in pairs], [place[one.measure_b] - 1 for one in pairs]


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def _contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
