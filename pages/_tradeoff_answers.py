"""The Trade-off page with the utility of recorded answers on the y axis."""

import streamlit as st

from fairviz.figures.axes import axis_name
from fairviz.figures.correlation import correlation_alt, correlation_figure
from fairviz.figures.curves import TradeoffView
from fairviz.figures.tradeoff import tradeoff_alt, tradeoff_figure
from fairviz.model import Dataset
from fairviz.report.answer_findings import above_words, correlation_finding, utility_finding
from fairviz.report.findings import Finding
from pages._shared import (
    colours,
    counts_line,
    dataset,
    empty_state,
    number,
    plural,
    readouts,
    rule,
    section,
    show_figure,
    signed,
)
from pages._tradeoff_alphas import alpha_section
from pages._tradeoff_downloads import Report, downloads, settings_line
from pages._tradeoff_outputs import (
    Answers,
    AnswerStatistics,
    answer_statistics,
    answers,
    answers_view,
)
from pages._tradeoff_settings import Settings
from pages._tradeoff_tables import area_table, change_table


def answers_page(loaded: Dataset, chosen: Settings) -> Finding | None:
    """Everything below the controls; returns what stands above them, None where there is nothing.

    Models are highlighted one at a time; the others are thin and grey.
    """
    found = answers(loaded, chosen)
    if not found.curves:
        reason = found.problems[0] if found.problems else "No answers were recorded along α."
        empty_state("No curve of recorded answers", reason)
        return None
    position = _model(found)
    known = answer_statistics(loaded, chosen, position)
    st.fragment(_look)(chosen, position)
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(known.areas, known.gaps, chosen, several=True)
    with right:
        if known.changes:
            change_table(known.changes, chosen, title="At each level of EE-D")
        if len(found.names) > 1 and known.above:
            counts_line(above_words(known.above))
    rule()
    alpha_section(found.utility(position))
    curve = found.utility(position)
    n_queries = len(curve.query_ids) - int(curve.n_undefined.max(initial=0))
    quality = axis_name(chosen.quality)
    finding = utility_finding(known.changes, quality=quality, n_queries=n_queries)
    view = answers_view(found, position).with_band(known.band)
    order = [position, *(i for i in range(len(found.names)) if i != position)]
    every = [found.whole(i) for i in order]
    line = settings_line(loaded.name, chosen)
    report = Report(finding, line, view, None, every, known.areas, known.changes)
    downloads(report, chosen, stem="fairviz-tradeoff-utility")
    return finding


def _model(found: Answers) -> int:
    if len(found.names) == 1:
        return 0
    name = st.selectbox("Model", found.names, key="model", bind="query-params", width=300)
    return found.names.index(name) if name in found.names else 0


def _look(chosen: Settings, position: int) -> None:
    """What moves with α: only α that were recorded can be looked at."""
    loaded = dataset()
    found = answers(loaded, chosen)
    known = answer_statistics(loaded, chosen, position)
    view = answers_view(found, position).with_band(known.band)
    left, right = st.columns([7, 4], gap="large")
    with left:
        _chart(view, _alpha(view), chosen)
    with right:
        _correlation(found, known, position)
    _counts(found, position)


def _alpha(view: TradeoffView) -> float:
    """The recorded α that is looked at."""
    known = [f"{alpha:g}" for alpha in view.line.alphas]
    usual = "2" if "2" in known else known[len(known) // 2]
    chosen = st.segmented_control(
        "α of the recorded lists",
        known,
        default=usual,
        required=True,
        key="recorded_alpha",
        bind="query-params",
    )
    return float(view.line.alphas[known.index(chosen or usual)])


def _chart(view: TradeoffView, alpha: float, chosen: Settings) -> None:
    here = view.at(alpha)
    end = view.deterministic
    quality = axis_name(chosen.quality)
    gap = here.y - float(end.y[0]) if end is not None and end.y.size else float("nan")
    readouts(
        [
            (number(here.x), "EE-D, disparity ↓", ""),
            (number(here.y), f"{quality}, utility ↑", ""),
            (signed(gap), f"{quality} − deterministic", ""),
        ]
    )
    figure = tradeoff_figure(view, colours=colours(), here=here)
    show_figure(figure, "tradeoff-utility", tradeoff_alt(view, here))


def _correlation(found: Answers, known: AnswerStatistics, position: int) -> None:
    told = correlation_finding(known.correlation)
    section(told.title, told.sentence)
    curves = found.curves[position]
    figure = correlation_figure(
        curves.relevance.quality,
        curves.utility.quality,
        curves.utility.alphas,
        colours=colours(),
        y_measure=curves.utility.y,
    )
    alt = correlation_alt(known.correlation.pearson, known.correlation.spearman, known.correlation.n_points)
    show_figure(figure, "correlation", alt)


def _counts(found: Answers, position: int) -> None:
    curve = found.utility(position)
    n_undefined = int(curve.n_undefined.max(initial=0))
    parts = [f"{plural(len(curve.query_ids) - n_undefined, 'query', 'queries')} in every mean"]
    if n_undefined:
        parts.append(f"{n_undefined} undefined")
    parts.append(f"{plural(curve.n_samples or 0, 'answer')} per query and α, plug-in EE-D")
    parts.append("EE-R by the usefulness labels of this generator")
    counts_line(" · ".join(parts))
