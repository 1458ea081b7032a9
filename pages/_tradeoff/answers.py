"""The Trade-off page with the utility of recorded answers on the y axis: curves, statistics, what is shown."""

from dataclasses import replace

import streamlit as st

from fairviz.display.theme import axis_name
from fairviz.display.words import Finding, capital, plural
from fairviz.model import Curve, Dataset
from fairviz.points.conditions import ModelEstimates
from fairviz.points.outputs import recorded
from fairviz.points.view import TradeoffView
from fairviz.points.words import left_out_words
from fairviz.studies.tradeoff.analysis import AnswersAnalysis, models_of, of_answers
from fairviz.studies.tradeoff.charts import correlation_alt, correlation_figure, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.columns import estimates_table
from fairviz.studies.tradeoff.findings import above_words, correlation_finding, estimates_note, readings
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import colours, counts_line, empty_state, readouts, rule, section, show_chart, show_figure
from pages._kit.controls import choose_name
from pages._kit.html import Column, muted, page_table, with_interval
from pages._kit.link import inspect_link, selected_queries
from pages._kit.recorded_outputs import problems_of
from pages._kit.session import dataset
from pages._tradeoff.downloads import area_table, change_table, downloads
from pages._tradeoff.sections import alpha_section


def answers_page(loaded: Dataset, selection: TradeoffSettings) -> Finding | None:
    """Everything below the controls; returns what stands above them, None where there is nothing.

    Models are highlighted one at a time; the others are thin and grey.
    """
    models = models_of(loaded, selection)
    if not models:
        problems = problems_of(recorded(loaded, selection.n_seen, selection.gain))
        reason = problems[0] if problems else "No answers were recorded along α."
        empty_state("No curve of recorded answers", reason)
        return None
    names = [one.name for one in models]
    chosen = names[0] if len(names) == 1 else choose_name("Model", names, "model", width=300)
    selection = replace(selection, model=chosen)
    made = of_answers(loaded, selection)
    curve = made.model.answered
    if not curve.defined.any():
        k = selection.n_seen
        short = f"EE-D has no value for any query at k = {k}: the lists hold no more documents than that."
        empty_state("Nothing to draw", f"{short} Choose a smaller k.")
        return made.headline
    st.fragment(_look)(selection)
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(made, selection, several=True)
    with right:
        if made.changes:
            change_table(made, selection, title="At each level of disparity (EE-D)")
        if made.above:
            counts_line(above_words(made.above))
    rule()
    alpha_section(curve)
    downloads(made, selection, stem="fairviz-tradeoff-utility")
    return made.headline


def _look(selection: TradeoffSettings) -> None:
    """What moves with α: only α that were recorded can be looked at."""
    loaded = dataset()
    made = of_answers(loaded, selection)
    left, right = st.columns([7, 4], gap="large")
    with left:
        _chart(made.view, _alpha(made.view), selection)
        between_section(made.between)
    with right:
        _correlation(made, selection)
    _counts(made.model.answered)


def _alpha(view: TradeoffView) -> float:
    """The recorded α that is looked at."""
    known = [f"{alpha:g}" for alpha in view.line.alphas]
    usual = "2" if "2" in known else known[len(known) // 2]
    selection = st.segmented_control(
        "α of the recorded lists",
        known,
        default=usual,
        required=True,
        key="recorded_alpha",
        bind="query-params",
    )
    return float(view.line.alphas[known.index(selection or usual)])


def _chart(view: TradeoffView, alpha: float, selection: TradeoffSettings) -> None:
    point = view.at(alpha)
    disparity, quality, _, gap = readings(view, point)
    readouts([disparity, (quality[0], f"{selection.quality_name}, utility ↑", ""), gap])
    alt = tradeoff_alt(view, point)
    show_chart(lambda palette: tradeoff_figure(view, colours=palette, point=point), "tradeoff-utility", alt)
    if view.left_out:
        counts_line(left_out_words(view.left_out))


def _correlation(made: AnswersAnalysis, selection: TradeoffSettings) -> None:
    found, utility = made.correlation, made.model.answered
    finding = correlation_finding(found)
    section(finding.title, finding.sentence)
    both = replace(utility, disparity=made.model.relevance.quality, x=selection.relevance)
    figure = correlation_figure(both, colours=colours())
    alt = correlation_alt(found.pearson, found.spearman, found.n_points)
    show_figure(figure, "correlation", alt, on_select="rerun", brush=True)
    inspect_link(selected_queries("correlation"))


def _counts(curve: Curve) -> None:
    n_undefined = int(curve.n_undefined.max(initial=0))
    parts = [f"{plural(len(curve.query_ids) - n_undefined, 'query', 'queries')} in every point of the curve"]
    if n_undefined:
        parts.append(f"{n_undefined} undefined")
    parts.append(f"{plural(curve.n_samples or 0, 'answer')} per query and α, plug-in EE-D")
    parts.append("EE-R by the usefulness labels of this generator")
    counts_line(" · ".join(parts))


def between_section(found: ModelEstimates) -> None:
    """Where points are estimated and where that is refused, and the numbers on demand."""
    if found.estimates is None:
        if found.reason:
            counts_line(f"Nothing is estimated between the recorded α: {found.reason}.")
        return
    note = estimates_note(found.estimates)
    drawn = "Open diamonds, with bars of ± two standard errors of the drawn lists"
    counts_line(f"{drawn}: {note}." if found.estimates.utility.shown.any() else f"{capital(note)}.")
    utility = found.estimates.utility.measure
    with st.expander("Utility (EU), attribution rate (EAR) and concentration of use (EAE-D) between the recorded α"):
        page_table(
            estimates_table(found.estimates),
            show=("alpha", "EED", "eu", "ear", "eaed", "n_effective", "estimated"),
            drawn={
                "alpha": lambda row: f"{row.number('alpha'):g}",
                "eu": with_interval(utility, f"{utility}_low", f"{utility}_high"),
                "ear": with_interval("EAR", "EAR_low", "EAR_high"),
                "eaed": with_interval("EAED", "EAED_low", "EAED_high"),
                "n_effective": lambda row: f"{row.number('n_effective'):.0f}",
                "estimated": lambda row: muted("" if row["estimated"] == "estimated" else "too few answers"),
            },
            columns={
                "eu": Column(label=axis_name(utility), align="right"),
                "ear": Column(label="EAR", align="right"),
                "eaed": Column(label="EAE-D", align="right"),
                "n_effective": Column(label="effective size", align="right", wide=True),
                "estimated": Column(label=""),
            },
            caption="Estimated between the recorded α",
            narrow="scroll",
        )
