"""How many documents: bias and accuracy of one model by k, in both contexts."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.analysis.bias_rows import BiasRow
from fairviz.analysis.bias_settings import is_without_rag
from fairviz.analysis.bias_view import is_nothing
from fairviz.figures.bias_by_k import KLine, by_k_alt, by_k_figure, k_bounds
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.model import Dataset
from fairviz.report.bias_findings import POOLED
from fairviz.report.bias_words import MEASURE_LABELS, points, span_words, type_label
from pages._bias_answers import own, rows_by_k
from pages._bias_settings import Chosen
from pages._shared import colours, counts_line, el, listing, section, show_figure

MEASURES: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d", "acc_a", "acc_d")


class Step(NamedTuple):
    """Difference of a setting between its smallest and its largest k."""

    setting: str
    change: float


@st.fragment
def curves(loaded: Dataset, chosen: Chosen, measure: BiasMeasure) -> None:
    """Four charts, where answers have at least two numbers of documents."""
    mine = own(loaded)
    known = [value for value in mine.values.get("k", ()) if not is_nothing(value)]
    if len(known) < 2:
        return
    fixed = tuple(pair for pair in chosen.compared.fixed if pair[0] not in ("k", "setting"))
    if chosen.compared.column not in ("k", "setting", "model"):
        fixed = (*fixed, (chosen.compared.column, chosen.value))
    rows = rows_by_k(loaded, fixed, chosen.model, chosen.ooc)
    top = st.container()
    types = list(dict.fromkeys(row.get("category") for row in rows))
    picked = st.selectbox(
        "Bias type",
        types,
        key="k_type",
        bind="query-params",
        width=230,
        format_func=lambda name: type_label(name) if name else POOLED,
    )
    here = [row for row in rows if row.get("category") == picked]
    with top:
        who = chosen.names[chosen.model]
        about = "percent. Bands: 95 % bootstrap over templates. Dashed level: without documents."
        section(_title(_lines(here, measure), measure), f"{who}, {about}")
    for pair in (MEASURES[:2], MEASURES[2:]):
        bounds = [k_bounds(_lines(here, one), one) for one in pair]
        both = (min(low for low, _ in bounds), max(high for _, high in bounds))
        for one, column in zip(pair, st.columns(2, gap="medium"), strict=True):
            with column:
                way = "(↑ more right answers)" if one.startswith("acc") else "(+ = stereotype)"
                st.html(el("h3", f"{MEASURE_LABELS[one]} {way}", cls="fv-part"))
                lines = _lines(here, one)
                figure = by_k_figure(lines, one, bounds=both, colours=colours())
                show_figure(figure, f"by-k-{one}", by_k_alt(lines, MEASURE_LABELS[one]))
    sizes = [row.n_items for row in here]
    counts_line(f"{span_words(min(sizes), max(sizes))} items in a point")


def _lines(rows: list[BiasRow], measure: BiasMeasure) -> list[KLine]:
    """A line per setting, and a level for what has no documents."""
    settings = dict.fromkeys(row.get("setting") for row in rows)
    found: list[KLine] = []
    for setting in settings:
        here = [row for row in rows if row.get("setting") == setting]
        flat = is_without_rag(setting) or all(is_nothing(row.get("k")) for row in here)
        here = here[:1] if flat else [row for row in here if not is_nothing(row.get("k"))]
        here.sort(key=lambda row: _k(row.get("k")))
        ends = np.array([row.intervals[measure] for row in here], dtype=np.float64)
        found.append(
            KLine(
                name=setting,
                k=np.array([] if flat else [_k(row.get("k")) for row in here], dtype=np.float64),
                values=np.array([row.values[measure] for row in here]),
                low=ends[:, 0],
                high=ends[:, 1],
            )
        )
    return found


def _k(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _title(lines: list[KLine], measure: BiasMeasure) -> str:
    """How far each setting is from its smallest k at its largest; no test, so no verdict."""
    moving = [line for line in lines if line.k.size > 1]
    if not moving:
        return "Answers by number of documents"
    low, high = f"{moving[0].k[0]:g}", f"{moving[0].k[-1]:g}"
    parts = [
        f"{points(float(line.values[-1] - line.values[0]), sign=True)} with {line.name or 'RAG'}" for line in moving
    ]
    what = MEASURE_LABELS[measure].replace("Accuracy", "accuracy")
    return f"From {low} to {high} documents, {what} changes by {listing(parts)}"
