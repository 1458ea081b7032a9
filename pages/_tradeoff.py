"""Parts of the page Trade-off: curves, what a point of them shows, tables, downloads, recorded answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from fairviz.display.theme import LIGHT
from fairviz.display.words import Finding, capital, considered, count, listing, plural
from fairviz.evaluation.rankings import query_notes
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import run_exposure
from fairviz.model import Curve, Dataset, FloatArray, Pools, candidates_words
from fairviz.points.columns import change_title, detectable_words, left_out_words, spacing_note
from fairviz.points.curves import ALPHAS, FIXED_ALPHA, only_query, query_exposures
from fairviz.points.estimates import Estimates
from fairviz.points.exact import exact_curve, pools_seen
from fairviz.points.intervals import alpha_tests, disparity_by_alpha
from fairviz.points.outputs import recorded
from fairviz.points.view import TradeoffView
from fairviz.studies.queries.charts import ITEMS_DRAWN, query_alt, query_figure
from fairviz.studies.tradeoff.analysis import (
    AnswersAnalysis,
    TradeoffAnalysis,
    comparable_runs,
    fine_curve,
    models_of,
    of_answers,
    report_sections,
    samples_of,
)
from fairviz.studies.tradeoff.charts import (
    MARKED_ALPHAS,
    correlation_alt,
    correlation_figure,
    ee_distribution_alt,
    ee_distribution_figure,
    tradeoff_alt,
    tradeoff_caption,
    tradeoff_figure,
)
from fairviz.studies.tradeoff.columns import alpha_tests_table, estimates_table
from fairviz.studies.tradeoff.findings import (
    above_words,
    alpha_title,
    area_title,
    areas_sentence,
    areas_title,
    correlation_finding,
    estimates_note,
    query_finding,
    readings,
)
from fairviz.studies.tradeoff.settings import TEST_NAMES, TradeoffSettings
from pages._kit import colours, counts_line, empty_state, readouts, rule, section, show_chart, show_figure
from pages._kit.commands import report, study_command, study_files
from pages._kit.controls import choose_alpha, choose_name, choose_one, choose_query
from pages._kit.downloads import figure_drawer
from pages._kit.html import (
    Cell,
    PageColumn,
    PageRow,
    Tone,
    around_zero,
    change,
    dotted,
    grade_key,
    muted,
    page_table,
    reach,
)
from pages._kit.link import inspect_link, selected_queries
from pages._kit.recorded_outputs import problems_of
from pages._kit.session import cached, dataset

MOST = 8
"""α shown at most; an exact curve shows the paper's four."""


def alpha_section(curve: Curve) -> None:
    """Boxes of EE-D per α, and a paired t-test between every two of them."""
    if curve.alphas.size > MOST or curve.n_samples is None:
        curve = curve.only(MARKED_ALPHAS)
    spreads, tests = disparity_by_alpha(curve), alpha_tests(curve)
    n = int(spreads["n_queries"].to_numpy().max(initial=0))
    if not n:
        return
    source = "exact" if curve.n_samples is None else "plug-in from recorded samples"
    section(
        alpha_title(tests),
        f"EE-D of {plural(n, 'query', 'queries')} at each α, {source}; box: quartiles, whiskers: "
        f"extremes, diamond: mean; paired t ({considered(tests['p_holm'].count())})",
    )
    left, right = st.columns([5, 7], gap="large", vertical_alignment="center")
    with left:
        figure = ee_distribution_figure(spreads, colours=colours())
        show_figure(figure, "ee-distribution", ee_distribution_alt(spreads))
    with right:
        page_table(
            alpha_tests_table(tests),
            {
                "between": PageColumn("α", lambda row: f"{row.number('alpha_low'):g} → {row.number('alpha_high'):g}"),
                **{"difference": PageColumn("Δ EE-D"), "p_holm": PageColumn(), "n_queries": PageColumn(wide=True)},
            },
            caption="EE-D between α",
            narrow="scroll",
        )


def alpha_slider() -> float:
    """The slider: how strongly the ranking follows the scores."""
    return choose_alpha(
        FIXED_ALPHA,
        help="0: uniform random. 8: almost the deterministic list. "
        "Logits are (s + offset)^α of the scores s, scaled per query.",
    )


def curve_panel(view: TradeoffView, alpha: float, selection: TradeoffSettings) -> None:
    """Read-outs, the disparity–quality chart at α, and what of the scores it depends on."""
    point = view.at(alpha)
    readouts(readings(view, point))
    show_figure(tradeoff_figure(view, colours=colours(), point=point), "tradeoff", tradeoff_alt(view, point))
    if view.left_out:
        counts_line(left_out_words(view.left_out))
    counts_line(spacing_note(selection.scores, selection.offset))


def query_panel(loaded: Dataset, selection: TradeoffSettings, alpha: float) -> None:
    """Exposure of one query's items at α."""
    pools = pools_seen(loaded, selection.seen())
    words: dict[str, str] = loaded.texts or {}
    ids = ranked_queries(pools)
    if not ids:
        return
    first = first_query(exact_curve(loaded, selection.seen()), ids)
    picked = choose_query("One query", ids, words, first=first)
    query = pools.query_ids.index(picked)
    exposures = one_query(loaded, selection, query)
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    exposure = exposures[int(np.argmin(np.abs(ALPHAS - alpha)))]
    fixed, gains = run_exposure(only_query(pools, query), TopK(selection.n_seen)), pools.gains[rows]
    result = query_finding(exposure, fixed, gains, shown=ITEMS_DRAWN)
    section(result.title, result.sentence)
    figure = query_figure(exposure, fixed, gains, colours=colours())
    show_figure(figure, "one-query", query_alt(exposure, fixed, gains))
    grade_key(gains)


def counts(loaded: Dataset, selection: TradeoffSettings, view: TradeoffView) -> None:
    """What is in the means, what is not, and how exact it is."""
    pools, main = pools_seen(loaded, selection.seen()), exact_curve(loaded, selection.seen())
    run = next(run for run in loaded.runs if run.system == selection.system)
    n_other = len(samples_of(loaded, selection, shown=False))  # their tags name other scores or another offset
    missing, n_undefined = len(pools.missing_queries), int(main.n_undefined.max(initial=0))
    alike = n_undefined - missing
    parts = [
        f"{plural(len(pools.query_ids) - n_undefined, 'query', 'queries')} in every point of the curves",
        f"{alike} excluded (all candidates have equal gain)" if alike else "",
        *(note.message for note in query_notes(run, loaded.qrels[selection.judgements])),
        candidates_words(run),
        f"exact exposure at {view.line.alphas.size} values of α",
        "crosses: recorded samples, plug-in EE-D" if "sampled" in view.policies else "",
        f"not drawn: {plural(n_other, 'recorded sample')} of other scores or another offset" if n_other else "",
    ]
    counts_line(" · ".join(filter(None, parts)))


# What the page looks up.


def can_rank(loaded: Dataset) -> bool:
    """Whether there are scores and judgements, so that policies can be made and judged."""
    return bool(loaded.runs and loaded.qrels)


def has_utility(loaded: Dataset) -> bool:
    """Whether any recorded answer has a utility."""
    return any((outputs.utilities == outputs.utilities).any() for outputs in loaded.outputs)


def steps(loaded: Dataset, selection: TradeoffSettings) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for the chart, one after the other: of whom, and the function that leaves it in the cache."""
    own, seen = selection.system, selection.seen()
    return [
        (f"Plackett–Luce of {own}", partial(exact_curve, loaded, seen)),
        (f"Optimal policy of {own}", partial(exact_curve, loaded, seen, "optimal")),
        (f"Oracle limit of {own}", partial(exact_curve, loaded, seen, "oracle")),
        *(
            (f"Plackett–Luce of {name}", partial(exact_curve, loaded, selection.seen(name)))
            for name in comparable_runs(loaded, selection)[0]
        ),
        (f"Finer steps of {own}", partial(fine_curve, loaded, selection)),
    ]


def ranked_queries(pools: Pools) -> list[str]:
    """Queries for which something was retrieved."""
    return [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]


def first_query(main: Curve, ids: Sequence[str]) -> str:
    """The first of some queries that is on the chart."""
    is_defined: list[bool] = np.asarray(main.defined.all(axis=0)).tolist()
    on_chart = {q for q, drawn in zip(main.query_ids, is_defined, strict=True) if drawn}
    return next((q for q in ids if q in on_chart), ids[0])


@cached
def one_query(loaded: Dataset, selection: TradeoffSettings, query: int) -> FloatArray:
    """(A, n) exposure of one query's items on the slider's grid."""
    seen = selection.seen()
    return query_exposures(pools_seen(loaded, seen), query, seen.settings())


def why_undefined(pools: Pools, k: int) -> str:
    """How many queries lack what a trade-off needs, and of which kind."""
    ranked = pools.n_retrieved > 0
    small = int((ranked & (pools.sizes <= k)).sum())
    parts = [f"{plural(len(pools.query_ids), 'judged query', 'judged queries')}"]
    if missing := int((~ranked).sum()):
        parts.append(f"{missing} not in the run")
    if small:
        parts.append(f"{small} with no more than {k} documents in the pool: try a smaller k")
    if alike := int(np.sum(ranked)) - small:
        parts.append(f"{alike} whose judged documents all have the same grade")
    return " · ".join(parts)


# The tables, and the downloads: points as CSV, tables as LaTeX, all as one HTML file.


JOINER, NO_BREAK = "\N{WORD JOINER}", "\N{NO-BREAK SPACE}"
ENDS = ("disparity_low", "disparity_high")


def area_table(made: TradeoffAnalysis, selection: TradeoffSettings, *, several: bool) -> None:
    """AUC and slope of each curve over the range all cover, and paired differences over the same range.

    Args:
        made: Its areas, the highlighted curve's first; systems without a query in common with it stand apart.
        selection: The page's settings.
        several: Whether curves are of several systems, which are named then.
    """
    areas, quality = made.areas, selection.quality_name
    first = areas.rows.row(0, named=True)
    system, n_curves = first["system"], areas.rows.height
    if n_curves == 1:
        title = "Area and slope"
    elif several:
        title = areas_title(areas.gaps, system)
    else:
        title = area_title(areas.gaps[0], better="optimal", other="Plackett–Luce", quality=quality)
    section(title, areas_sentence(first, areas.gaps, quality=quality, of_systems=several))
    page_table(
        made.tables["areas"],
        {
            "curve": PageColumn("Curve", lambda row: _curve_key(row, made.view, several=several)),
            "auc": PageColumn("AUC ↑"),
            "slope": PageColumn(),
            "difference": PageColumn("Difference in AUC"),
            "verdict": PageColumn(""),
        },
        caption="Area under each curve and its slope",
        narrow="scroll",
    )
    if areas.left_out:
        counts_line(left_out_words(areas.left_out))
    apart = [gap.system for gap in areas.gaps if not gap.n_queries and gap.system not in areas.left_out]
    if apart:
        counts_line(f"No query in common with {system}, so not compared: {listing(list(dict.fromkeys(apart)))}.")


def change_table(made: TradeoffAnalysis, selection: TradeoffSettings, *, title: str = "") -> None:
    """Quality in each interval of EE-D minus that of the deterministic list.

    Args:
        made: Its interval table.
        selection: The page's settings.
        title: Instead of the finding, where that stands at the head of the page.
    """
    rows, quality = made.changes, selection.quality_name
    section(
        title or change_title(rows, quality),
        f"{quality} minus the deterministic list of the same queries; "
        f"{TEST_NAMES[selection.test]} ({considered(rows['p_holm'].count())})"
        + (f". {power}" if (power := detectable_words(rows)) else ""),
    )
    span = around_zero(end for name in ("low", "high") for end in rows[name].drop_nulls())
    page_table(
        made.tables["intervals"],
        {
            "range": PageColumn("EE-D", _range),
            "quality": PageColumn(quality, align="right", wide=True),
            "difference": PageColumn("Δ", lambda row: change(row) if row["n_queries"] else "–", align="right"),
            "interval": PageColumn("Δ, 95 % interval", lambda row: reach(row, span=span)),
            "p_holm": PageColumn(f"p{NO_BREAK}(Holm)"),
            "verdict": PageColumn("", _interval_verdict),
            "counts": PageColumn("queries · points", _interval_counts, align="right", wide=True),
        },
        caption=f"{quality} by interval of EE-D against the deterministic list",
        narrow="scroll",
    )


def _range(row: PageRow) -> str:
    return f"{JOINER}–{JOINER}".join(f"{row.number(end):.1f}" for end in ENDS)


def _interval_counts(row: PageRow) -> str:
    return f"{count(int(row.number('n_queries')))} · {count(int(row.number('n_points')))}"


def _curve_name(system: str, policy: str, words: str, *, several: bool) -> str:
    named = system if policy == "plackett-luce" else f"{system}, {words}"
    return named if several else words


def _curve_key(row: PageRow, view: TradeoffView, *, several: bool) -> Cell:
    """A name in the chart's colour: its system's, or its policy's; of another system than the highlighted one grey."""
    policy, words = str(row["policy"]), row.text("policy")
    tone: Tone = "optimal" if policy == "optimal" else "plackett-luce"
    system = row.text("system")
    name, look = _curve_name(system, policy, words, several=several), view.looks.get(system)
    return dotted(name, tone if system == view.system else "mute", look=None if policy == "optimal" else look)


def _interval_verdict(row: PageRow) -> Cell:
    verdict = row.text("verdict") if row["n_queries"] else "no points here"
    return muted(verdict.replace(" ", NO_BREAK))


IN_LATEX = ("areas", "intervals")
"""Tables of the LaTeX download."""


def downloads(made: TradeoffAnalysis, selection: TradeoffSettings, *, stem: str = "fairviz-tradeoff") -> None:
    """The row of buttons; files are written when one is pressed.

    Args:
        made: What they hold.
        selection: The page's settings, with the model whose answers the curves are of.
        stem: Name of the files.
    """
    page = partial(report, "Disparity and quality", lambda: report_sections(made, stem=stem), made.lead)
    files = (stem, "Curves, and this page")
    study_files(*files, ("tradeoff", selection), lambda: made.tables, csv="curves", latex=IN_LATEX, html=page)
    if "tradeoff" in made.charts:
        (view,) = made.charts["tradeoff"].results
        caption = tradeoff_caption(view, made.curves[0], k=selection.n_seen)
        command = partial(study_command, dataset(), "tradeoff", selection)
        figure_drawer(lambda: made.charts["tradeoff"].draw(colours=LIGHT), stem, caption=caption, command=command)


# The page with the utility of recorded answers on the y axis.


def answers_page(loaded: Dataset, selection: TradeoffSettings) -> Finding | None:
    """Everything below the controls; returns what stands above them, None where there is nothing.

    Models are highlighted one at a time; the others are thin and grey.
    """
    models = models_of(loaded, selection)
    if not models:
        problems = problems_of(recorded(loaded, selection.n_seen, *selection.usefulness))
        reason = problems[0] if problems else "No answers were recorded along α."
        empty_state("No curve of recorded answers", reason)
        return None
    names = [model.name for model in models]
    selection = replace(selection, model=choose_name("Model", names, "model", width=300))
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
        if made.changes.height:
            change_table(made, selection, title="At each level of disparity (EE-D)")
        if remark := above_words(made.above):
            counts_line(remark)
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
        between_section(*made.between)
    with right:
        _correlation(made, selection)
    _counts(made.model.answered)


def _alpha(view: TradeoffView) -> float:
    """The recorded α that is looked at."""
    choices = [f"{alpha:g}" for alpha in view.line.alphas]
    usual = "2" if "2" in choices else choices[len(choices) // 2]
    look = {"usual": usual, "draw": st.segmented_control, "required": True}
    return float(
        view.line.alphas[choices.index(choose_one("α of the recorded lists", choices, "recorded_alpha", **look))]
    )


def _chart(view: TradeoffView, alpha: float, selection: TradeoffSettings) -> None:
    point = view.at(alpha)
    disparity, quality, _, gap = readings(view, point)
    readouts([disparity, (quality[0], f"{selection.quality_name}, utility ↑", ""), gap])
    alt = tradeoff_alt(view, point)
    show_chart(partial(tradeoff_figure, view, point=point), "tradeoff-utility", alt)
    if view.left_out:
        counts_line(left_out_words(view.left_out))


def _correlation(made: AnswersAnalysis, selection: TradeoffSettings) -> None:
    correlation, utility = made.correlation, made.model.answered
    finding = correlation_finding(correlation)
    section(finding.title, finding.sentence)
    both = replace(utility, disparity=made.model.relevance.quality, x=selection.relevance)
    figure = correlation_figure(both, colours=colours())
    alt = correlation_alt(correlation.pearson, correlation.spearman, correlation.n_points)
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


def between_section(estimates: Estimates | None, omission: str) -> None:
    """Where points are estimated and where that is refused, and the numbers on demand."""
    if estimates is None:
        if omission:
            counts_line(f"{capital(omission)}.")
        return
    note = estimates_note(estimates)
    drawn = "Open diamonds, with bars of ± two standard errors of the drawn lists"
    counts_line(f"{drawn}: {note}." if estimates.utility.shown.any() else f"{capital(note)}.")
    with st.expander("Utility (EU), attribution rate (EAR) and concentration of use (EAE-D) between the recorded α"):
        page_table(estimates_table(estimates), show_caption=True, narrow="scroll")
