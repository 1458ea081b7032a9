"""The part of the Trade-off page that moves with α: slider, read-outs, chart, one query.

Nothing is computed here on a move: curves and exposures of every α are there already.
"""

import numpy as np
import streamlit as st

from fairviz.analysis.growing import ALPHAS, only_query
from fairviz.attention import TopK
from fairviz.exposure import run_exposure
from fairviz.figures.axes import axis_name
from fairviz.figures.curves import TradeoffView
from fairviz.figures.one_query import (
    SHOWN,
    QueryExposure,
    grade_legend,
    query_alt,
    query_figure,
)
from fairviz.figures.tradeoff import tradeoff_alt, tradeoff_figure
from fairviz.model import Dataset, FloatArray, Pools
from fairviz.report.findings import query_finding
from pages._query import choose_query
from pages._shared import (
    colours,
    counts_line,
    el,
    number,
    plural,
    readouts,
    section,
    show_figure,
    signed,
)
from pages._tradeoff_curves import FIXED_ALPHA, Shown, one_query
from pages._tradeoff_settings import Settings


def alpha_slider() -> float:
    """The slider: how strongly the ranking follows the scores."""
    return st.slider(
        "α: how strongly the ranking follows the scores",
        0.0,
        8.0,
        FIXED_ALPHA,
        0.125,
        format="%g",
        key="alpha",
        bind="query-params",
        help="0: every retrieved item alike. 8: almost the deterministic list. "
        "Logits are (s + offset)^α of the min–max scores s.",
    )


def curve_panel(view: TradeoffView, alpha: float) -> None:
    """Read-outs and the disparity–quality chart at α."""
    here = view.at(alpha)
    end = view.deterministic
    quality = axis_name(view.line.y_measure)
    gap = here.y - float(end.y[0]) if end is not None and end.y.size else float("nan")
    readouts(
        [
            (number(here.x), "EE-D, disparity ↓", ""),
            (number(here.y), f"{quality}, quality ↑", ""),
            (number(here.optimal_x), f"EE-D, optimal, same {quality}", "optimal"),
            (signed(gap), f"{quality} − deterministic", ""),
        ]
    )
    show_figure(
        tradeoff_figure(view, colours=colours(), here=here),
        "tradeoff",
        tradeoff_alt(view, here),
    )


def query_panel(loaded: Dataset, chosen: Settings, shown: Shown, alpha: float) -> None:
    """Exposure of one query's items at α."""
    pools = shown.pools
    words: dict[str, str] = loaded.texts or {}
    ids = [q for q, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    if not ids:
        return
    first = _first_defined(shown, ids)
    picked = choose_query("One query", ids, words, key="tradeoff_query", first=first)
    query = pools.query_ids.index(picked)
    exposures = one_query(loaded, chosen, query)
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    bars = QueryExposure(
        exposure=exposures[int(np.argmin(np.abs(ALPHAS - alpha)))],
        fixed=_fixed(pools, query, chosen.k),
        gains=pools.gains[rows],
    )
    found = query_finding(bars.exposure, bars.fixed, bars.gains, shown=SHOWN)
    section(found.title, found.sentence)
    show_figure(query_figure(bars, colours=colours()), "one-query", query_alt(bars))
    grade_key(bars)


def grade_key(bars: QueryExposure) -> None:
    """The key of the bars' colours."""
    entries = (
        el(
            "li",
            el("span", cls=f"fv-swatch fv-fill-grade{grade}", aria_hidden="true"),
            el("span", name),
        )
        for grade, (_, name) in enumerate(grade_legend(bars, colours=colours()))
    )
    title = el("li", el("span", "grade", cls="fv-mute"))
    st.html(el("ul", title, *entries, cls="fv-legend", aria_label="colours by grade"))


def counts(shown: Shown, n_exact: int, *, sampled: bool) -> None:
    """What is in the means, what is not, and how exact it is."""
    pools = shown.pools
    n_undefined = int(shown.main.n_undefined.max(initial=0))
    missing = len(pools.missing_queries)
    n_defined = len(pools.query_ids) - n_undefined
    parts = [f"{plural(n_defined, 'query', 'queries')} in every mean"]
    if n_undefined - missing:
        parts.append(f"{n_undefined - missing} undefined (nothing can differ in their pools)")
    if missing:
        named = ", ".join(pools.missing_queries[:3]) + (" …" if missing > 3 else "")
        judged = plural(missing, "judged query is", "judged queries are")
        parts.append(f"{judged} not in the run ({named})")
    if pools.unjudged_queries:
        unjudged = plural(len(pools.unjudged_queries), "query of the run has", "queries of the run have")
        parts.append(f"{unjudged} no judgements")
    parts.append(f"exact exposure at {n_exact} values of α, no sampling noise")
    if sampled:
        parts.append("crosses: recorded samples, plug-in EE-D")
    counts_line(" · ".join(parts))


def _fixed(pools: Pools, query: int, k: int) -> FloatArray:
    return run_exposure(only_query(pools, query), TopK(k))


def _first_defined(shown: Shown, ids: list[str]) -> str:
    """The first query that is on the chart."""
    known: list[bool] = np.asarray(shown.main.defined.all(axis=0)).tolist()
    on_chart = {q for q, here in zip(shown.main.query_ids, known, strict=True) if here}
    return next((q for q in ids if q in on_chart), ids[0])
