"""EE-D over queries at each α with its tests: the paper's Figure 3, on both quality axes."""

import numpy as np
import streamlit as st

from fairviz.analysis.by_alpha import AlphaTest, alpha_tests, disparity_by_alpha, only_alphas
from fairviz.figures.ee_distribution import ee_distribution_alt, ee_distribution_figure
from fairviz.figures.tradeoff import MARKED_ALPHAS
from fairviz.model import Curve
from fairviz.report.answer_findings import alpha_title
from pages._shared import (
    Cell,
    Column,
    Toned,
    colours,
    count,
    html_table,
    p_value,
    plural,
    section,
    show_figure,
    signed,
)

MOST = 8
"""α shown at most; an exact curve shows the paper's four."""


def alpha_section(curve: Curve) -> None:
    """Boxes of EE-D per α, and a paired t-test between every two of them."""
    if curve.alphas.size > MOST or curve.n_samples is None:
        curve = only_alphas(curve, MARKED_ALPHAS)
    spreads, tests = disparity_by_alpha(curve), alpha_tests(curve)
    if not any(spread.n_queries for spread in spreads):
        return
    n = max(spread.n_queries for spread in spreads)
    source = "exact" if curve.n_samples is None else "plug-in from recorded samples"
    section(
        alpha_title(tests),
        f"EE-D of {plural(n, 'query', 'queries')} at each α, {source}; box: quartiles, whiskers: "
        "extremes, diamond: mean; paired t, Holm over the pairs",
    )
    left, right = st.columns([5, 7], gap="large", vertical_alignment="center")
    with left:
        figure = ee_distribution_figure(spreads, colours=colours())
        show_figure(figure, "ee-distribution", ee_distribution_alt(spreads))
    with right:
        columns = [
            Column(label="α"),
            Column(label="Δ EE-D", align="right"),
            Column(label="p (Holm)", align="right"),
            Column(label=""),
            Column(label="queries", align="right", wide=True),
        ]
        html_table(columns, [_alpha_row(test) for test in tests], caption="EE-D between α", narrow="scroll")


def _alpha_row(test: AlphaTest) -> list[Cell]:
    if np.isnan(test.p_holm):
        verdict = "too few to test"
    elif test.p_holm < 0.05:
        verdict = "higher" if test.difference > 0 else "lower"
    else:
        verdict = "not distinguishable"
    return [
        f"{test.low:g} → {test.high:g}",
        signed(test.difference, 3 if abs(test.difference) >= 0.001 else 5),
        p_value(test.p_holm),
        Toned(text=verdict, tone="mute", bold=False),
        count(test.n_queries),
    ]
