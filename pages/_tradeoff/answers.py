"""The Trade-off page with the utility of recorded answers on the y axis: curves, statistics, what is shown."""

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from fairviz.display.bands import Band
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding, capital, number, plural, signed
from fairviz.evaluation.systems import feeding
from fairviz.kernels.attention import TopK
from fairviz.model import Dataset
from fairviz.points.curves import relevance_measure
from fairviz.points.estimates import estimated_points
from fairviz.points.intervals import AboveBaseline, IntervalRow, models_above_baseline
from fairviz.points.models import Answers, ModelEstimates, answering, by_model, estimates_of
from fairviz.points.recorded import recorded
from fairviz.points.summary import CurveAreas
from fairviz.points.view import EstimatedPoints, Line, TradeoffView
from fairviz.points.words import left_out_words
from fairviz.stats.correlation import Correlation, quality_correlation
from fairviz.studies.attribution.charts import correlation_alt, correlation_figure
from fairviz.studies.attribution.findings import above_words, correlation_finding, utility_finding
from fairviz.studies.tradeoff.analysis import Report
from fairviz.studies.tradeoff.charts import tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.columns import TradeoffResults, tables
from fairviz.studies.tradeoff.findings import estimates_note, undefined_finding
from pages._kit import colours, counts_line, empty_state, readouts, rule, section, show_chart, show_figure
from pages._kit.cache import cached
from pages._kit.controls import choose_name
from pages._kit.html import Column
from pages._kit.link import inspect_link, selected_queries
from pages._kit.recorded_outputs import problems_of
from pages._kit.session import dataset
from pages._kit.table import muted, page_table, with_interval
from pages._tradeoff.downloads import area_table, change_table, downloads, settings_line
from pages._tradeoff.results import SEED, Settings, chart_band, rng
from pages._tradeoff.sections import alpha_section


class AnswerStatistics(NamedTuple):
    """What is estimated from recorded answers.

    Attributes:
        band: Of the highlighted model.
        areas: Of all models of its task, the highlighted one first.
        changes: Its interval table; empty without a recorded deterministic list.
        above: Models of its task above their own deterministic list, per interval.
        correlation: EE-R against EU of its (query, α) points.
    """

    band: Band | None
    areas: CurveAreas
    changes: tuple[IntervalRow, ...]
    above: tuple[AboveBaseline, ...]
    correlation: Correlation


@cached
def answers(loaded: Dataset, selection: Settings) -> Answers:
    """Measure the recorded answers and order them by α."""
    measured = recorded(loaded, selection.k, selection.gain)
    best = selection.quality == "EU/best"
    return answering(measured.points, loaded.outputs, best=best, problems=problems_of(measured))


def answers_view(models: Answers, position: int) -> TradeoffView:
    """The chart of all models with one highlighted."""
    end = models.baseline(position)
    return TradeoffView(
        lines=[Line.of(models.utility(i)) for i in models.alike(position)],
        system=models.labels[position],
        deterministic=None if end is None else Line.of(end),
        joined=end is not None,
        exact=False,
    )


def drawn_view(loaded: Dataset, selection: Settings, position: int) -> TradeoffView:
    """The chart with the band of the highlighted model, and its points between the recorded α."""
    models = answers(loaded, selection)
    known = answer_statistics(loaded, selection, position)
    view = replace(answers_view(models, position), band=known.band, left_out=known.areas.left_out)
    return replace(view, estimated=points_of(between_alphas(loaded, selection, position), models.labels[position]))


@cached
def answer_statistics(loaded: Dataset, selection: Settings, position: int) -> AnswerStatistics:
    """Band, areas, interval tables and correlation."""
    models = answers(loaded, selection)
    changes = [models.changes(i, test=selection.test, seed=SEED) for i in models.alike(position)]
    curves = models.curves[position]
    known = [table for table in changes if table]
    return AnswerStatistics(
        band=chart_band(models.whole(position)),
        areas=models.areas(position, weights=selection.weights, seed=SEED),
        changes=changes[0],
        above=models_above_baseline(known) if known else (),
        correlation=quality_correlation(curves.relevance.quality, curves.utility.quality, rng=rng()),
    )


def answers_page(loaded: Dataset, selection: Settings) -> Finding | None:
    """Everything below the controls; returns what stands above them, None where there is nothing.

    Models are highlighted one at a time; the others are thin and grey.
    """
    models = answers(loaded, selection)
    if not models.curves:
        reason = models.problems[0] if models.problems else "No answers were recorded along α."
        empty_state("No curve of recorded answers", reason)
        return None
    position = _model(models)
    if not models.utility(position).defined.any():
        short = f"EE-D has no value for any query at k = {selection.k}: the lists hold no more documents than that."
        empty_state("Nothing to draw", f"{short} Choose a smaller k.")
        return undefined_finding()
    known = answer_statistics(loaded, selection, position)
    st.fragment(_look)(selection, position)
    rule()
    left, right = st.columns([5, 7], gap="large")
    alike = models.alike(position)
    with left:
        area_table(known.areas, selection, several=True)
    with right:
        if known.changes:
            change_table(known.changes, selection, title="At each level of disparity (EE-D)")
        if len(alike) > 1 and known.above:
            counts_line(above_words(known.above))
    rule()
    alpha_section(models.utility(position))
    curve = models.utility(position)
    n_queries = len(curve.query_ids) - int(curve.n_undefined.max(initial=0))
    quality = axis_name(selection.quality)
    finding = utility_finding(known.changes, quality=quality, n_queries=n_queries)
    found = between_alphas(loaded, selection, position).estimates
    view = drawn_view(loaded, selection, position)
    line = settings_line(loaded, selection)
    report = Report(
        finding,
        line,
        view,
        None,
        models.drawn(position, found),
        known.areas,
        known.changes,
        selection.quality_name,
        selection.test,
        *selection.policy,
        factors=models.made_of(position),
        estimates=found,
    )
    downloads(report, selection, stem="fairviz-tradeoff-utility", model=models.names[position])
    return finding


def _model(models: Answers) -> int:
    if len(models.names) == 1:
        return 0
    return models.names.index(choose_name("Model", models.names, "model", width=300))


def _look(selection: Settings, position: int) -> None:
    """What moves with α: only α that were recorded can be looked at."""
    loaded = dataset()
    models = answers(loaded, selection)
    known = answer_statistics(loaded, selection, position)
    view = drawn_view(loaded, selection, position)
    left, right = st.columns([7, 4], gap="large")
    with left:
        _chart(view, _alpha(view), selection)
        between_section(between_alphas(loaded, selection, position))
    with right:
        _correlation(models, known, position, selection)
    _counts(models, position)


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


def _chart(view: TradeoffView, alpha: float, selection: Settings) -> None:
    point = view.at(alpha)
    end = view.deterministic
    quality = axis_name(selection.quality)
    gap = point.y - float(end.y[0]) if end is not None and end.y.size else float("nan")
    readouts(
        [
            (number(point.x), "EE-D, disparity ↓", ""),
            (number(point.y), f"{quality}, utility ↑", ""),
            (signed(gap), f"{quality} − deterministic", ""),
        ]
    )
    alt = tradeoff_alt(view, point)
    show_chart(lambda palette: tradeoff_figure(view, colours=palette, point=point), "tradeoff-utility", alt)
    if view.left_out:
        counts_line(left_out_words(view.left_out))


def _correlation(models: Answers, known: AnswerStatistics, position: int, selection: Settings) -> None:
    finding = correlation_finding(known.correlation)
    section(finding.title, finding.sentence)
    curves = models.curves[position]
    figure = correlation_figure(
        curves.relevance.quality,
        curves.utility.quality,
        curves.utility.alphas,
        query_ids=curves.utility.query_ids,
        colours=colours(),
        x_measure=relevance_measure(TopK(selection.k), selection.gain),
        y_measure=curves.utility.y,
    )
    alt = correlation_alt(known.correlation.pearson, known.correlation.spearman, known.correlation.n_points)
    show_figure(figure, "correlation", alt, on_select="rerun", brush=True)
    inspect_link(selected_queries("correlation"))


def _counts(models: Answers, position: int) -> None:
    curve = models.utility(position)
    n_undefined = int(curve.n_undefined.max(initial=0))
    parts = [f"{plural(len(curve.query_ids) - n_undefined, 'query', 'queries')} in every point of the curve"]
    if n_undefined:
        parts.append(f"{n_undefined} undefined")
    parts.append(f"{plural(curve.n_samples or 0, 'answer')} per query and α, plug-in EE-D")
    parts.append("EE-R by the usefulness labels of this generator")
    counts_line(" · ".join(parts))


# What a model's answers say between the α at which they were recorded: points, a line of words, a table.


@cached
def between_alphas(loaded: Dataset, selection: Settings, position: int) -> ModelEstimates:
    """Estimates of the model at this position among those with answers along α."""
    members = by_model(recorded(loaded, selection.k, selection.gain).points)[position]
    best = loaded.outputs if selection.quality == "EU/best" else None
    return estimates_of(members, feeding(loaded), loaded.qrels, k=selection.k, best=best)


def points_of(found: ModelEstimates, name: str) -> EstimatedPoints | None:
    """What is drawn of them."""
    return None if found.estimates is None else estimated_points(found.estimates, system=name, seed=SEED)


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
            tables(TradeoffResults(estimates=found.estimates))["estimates"],
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
