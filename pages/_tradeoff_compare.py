"""Two systems side by side on the Trade-off page, paired by query."""

import numpy as np
import streamlit as st

from fairviz.analysis.comparison import Comparison
from fairviz.analysis.curve_comparison import CurveComparison, compare_curves
from fairviz.analysis.uncertainty import PairedDifference
from fairviz.model import Dataset
from fairviz.report.findings import comparison_title
from pages._shared import (
    Cell,
    Column,
    Glyph,
    Toned,
    cached,
    count,
    html_table,
    p_value,
    section,
    signed,
)
from pages._tradeoff_curves import FIXED_ALPHA, SEED, growing
from pages._tradeoff_settings import Settings


@cached
def comparison(loaded: Dataset, chosen: Settings, other: str) -> CurveComparison | None:
    """The highlighted system minus another one; None where one has no point."""
    ours, theirs = (growing(loaded, name, chosen) for name in (chosen.system, other))
    first, second = (each.curve("plackett-luce", chosen.gain) for each in (ours, theirs))
    if first is None or second is None:
        return None
    ends = [each.point("deterministic", chosen.gain) for each in (ours, theirs)]
    return compare_curves(first, second, *ends, alpha=FIXED_ALPHA, seed=SEED, close=chosen.offset > 0)


def comparison_section(loaded: Dataset, chosen: Settings) -> None:
    """Choose another system and see every difference with its interval."""
    others = [run.system for run in loaded.runs if run.system != chosen.system]
    head = st.container()
    with st.container(horizontal=True):
        picked = st.selectbox("Compared with", others, key="other", bind="query-params", width=260)
    other = str(picked or others[0])
    found = comparison(loaded, chosen, other)
    if found is None:
        return
    with head:
        section(
            comparison_title(found.area, chosen.system, other),
            f"{chosen.system} minus {other}, both by Plackett–Luce; 95 % paired bootstrap over "
            "the queries that both have; paired t, Holm over the points",
        )
    gaps = [found.area.interval, *(row.interval for row in found.points)]
    ends = [0.0, *(end for gap in gaps for end in gap if not np.isnan(end))]
    air = 0.06 * max(max(ends) - min(ends), 1e-6)
    columns = [
        Column(label="Measure"),
        Column(label="Δ", align="right"),
        Column(label="Δ, 95 % interval", span=(min(ends) - air, max(ends) + air), zero=0.0),
        Column(label="p (Holm)", align="right"),
        Column(label=""),
        Column(label="queries", align="right", wide=True),
    ]
    rows = [_area_row(found.area), *(_compared_row(row) for row in found.points)]
    html_table(columns, rows, caption="Two systems, paired by query", narrow="scroll")


def _area_row(gap: PairedDifference) -> list[Cell]:
    if np.isnan(gap.interval.low):
        verdict = "too few to test"
    else:
        verdict = "not distinguishable" if 0 in gap.interval else "interval excludes 0"
    drawn = _drawn(gap, apart=verdict == "interval excludes 0")
    return ["AUC over the EE-D both cover", *drawn, "–", _muted(verdict), count(gap.n_queries)]


def _compared_row(row: Comparison) -> list[Cell]:
    gap = PairedDifference(row.difference, row.interval, row.n_queries)
    drawn = _drawn(gap, apart=row.verdict in ("higher", "lower"))
    return [row.measure, *drawn, p_value(row.p_holm), _muted(row.verdict), count(row.n_queries)]


def _drawn(gap: PairedDifference, *, apart: bool) -> list[Cell]:
    """A difference and its interval, in ink where they differ."""
    tone = "ink" if apart else "mute"
    value = Toned(text=signed(gap.difference), tone=tone, bold=apart)
    low, high = gap.interval
    if np.isnan(low):
        return [value, ""]
    return [value, Glyph(value=gap.difference, low=low, high=high, filled=apart, tone=tone)]


def _muted(text: str) -> Toned:
    return Toned(text=text, tone="mute", bold=False)
