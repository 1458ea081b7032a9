"""The price of fairness on the page: read-outs, chart, words, table."""

import numpy as np
import streamlit as st

from fairviz.groups import off_target_share
from fairviz.model import Dataset
from fairviz.rerank.catalogue import RERANKERS, find_reranker
from fairviz.show.words import THIN, UNDEFINED, Finding, count, in_words, listing, number, percent, plural
from fairviz.stats.bootstrap import UNDEFINED as UNDEFINED_INTERVAL
from fairviz.studies.groups.findings import WORTH_SAYING
from fairviz.studies.groups.shares import GroupExposure
from fairviz.studies.policy_lab.budget import nearest, paired_intervals, turning_point
from fairviz.studies.policy_lab.depth import GroupDepths
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.findings import (
    certain_words,
    chart_title,
    depth_words,
    furthest_words,
    price_finding,
    price_words,
)
from fairviz.studies.policy_lab.progressive import N_DRAWN, ProgressivePrices
from fairviz.studies.policy_lab.tables import tables
from fairviz.studies.tradeoff.findings import spacing_note
from pages._groups.results import exposure_of
from pages._kit import (
    Cell,
    Column,
    Key,
    Row,
    Two,
    counts_line,
    el,
    muted,
    page_table,
    readouts,
    section,
    show_chart,
)
from pages._kit.controls import AS_PUBLISHED, ScorePolicy
from pages._policy_lab.results import (
    DECIMALS,
    LABELS,
    LETTERS,
    SEED,
    SYMBOL_OF,
    Aim,
    Results,
    Settings,
    purchase_results,
    resamples,
)

GLYPHS = {
    "square": "■",
    "circle": "●",
    "triangle-up": "▲",
    "diamond": "◆",
    "x-thin-open": "✕",
    "cross-thin-open": "✚",
    "triangle-down": "▼",
    "star": "★",
    "hexagon": "⬢",
    "pentagon": "⬟",
    "triangle-left": "◀",
    "triangle-right": "▶",
}

METHODS = {label: name for name, label in LABELS.items()}


def strip(results: Results, quality: str) -> None:
    """Today → the best re-ranker within the budget."""
    point = results.best.point if results.best else None
    decimals = 1 if results.points else DECIMALS
    unit = "points of attention off target" if results.points else "distance from the target"
    off, level = number(results.now.off, decimals), number(results.now.quality)
    n = plural(results.now.n_queries, "query", "queries")
    if point is None:
        tone = "mute" if results.silent else ""
        readouts([(off, f"{unit}, today", tone), (level, f"{quality}, today", tone), (n, "in every number", tone)])
        return
    to = f", today → {results.label}"
    readouts(
        [
            (f"{off} → {number(point.off, decimals)}", unit + to, "plackett-luce"),
            (f"{level} → {number(point.quality)}", quality + to, ""),
            (
                f"{count(point.n_worse)} of {count(point.n_queries)}",
                f"queries lose quality; {count(point.n_better)} gain, {count(point.n_unchanged)} unchanged",
                "",
            ),
        ]
    )


def chart(results: Results, prices: ProgressivePrices, budget: float) -> None:
    """The lines, with the finding above and the counts below."""
    far = LABELS[results.far.method] if results.far else ""
    rings = (
        ""
        if results.silent
        else " Ringed: its closest point within your budget; a thin ring where that is not certain."
    )
    section(
        chart_title(
            results.best,
            results.far,
            label=results.label,
            far_label=far,
            n_shown=len(results.view.lines),
            budget=budget,
            points=results.points,
            silent=results.silent,
        ),
        f"The price of fairness. Each line is one re-ranker, turned up from today's lists.{rings} Below the dotted "
        "line: over budget.",
    )
    show_chart(lambda palette: price_figure(results.view, colours=palette), "price", price_alt(results.view))
    _counts(results, prices)


def finding(
    results: Results, prices: ProgressivePrices, settings: Settings, depths: GroupDepths, budget: float
) -> Finding:
    """What the target costs within the budget: title and sentence of the page."""
    return price_finding(
        results.best,
        results.now,
        group=results.group or None,
        share=results.share,
        label=results.label,
        quality=settings.quality_label,
        budget=budget,
        points=results.points,
        measure=settings.measure.partition(":")[0],
        unlabelled=prices.unlabelled_share,
        depths=depths,
        reranker=None if results.best is None else find_reranker(results.best.method),
    )


def table(results: Results, quality: str) -> None:
    """What each re-ranker achieves within the budget."""
    title = "What each re-ranking method achieves within the budget"
    section(
        title,
        "Its closest point to the target. Intervals: 95 % bootstrap over queries, paired with "
        "today; queries counted by what happens to their own quality.",
    )
    page_table(
        tables(purchase_results(results, quality))["purchases"],
        show=("reranker", "strength", "off_target", "change_percent", "n_worse", "n_better", "words"),
        drawn={
            "reranker": lambda row: _key(METHODS[row.text("reranker")], results),
            "off_target": lambda row: _off(row, 1 if results.points else DECIMALS),
            "change_percent": _change,
            "words": _words,
        },
        columns={
            "strength": Column(label="Strength", align="right"),
            "off_target": "Points off target ↓" if results.points else "Distance ↓",
            "change_percent": f"{quality}, 95 % interval ↑",
            "n_worse": "Queries worse",
            "words": "In words",
        },
        caption=title,
    )


def _off(row: Row, decimals: int) -> Cell:
    off = row.number("off_target")
    return UNDEFINED if np.isnan(off) else el("strong", number(off, decimals))


def _change(row: Row) -> Cell:
    if row["strength"] is None:
        return UNDEFINED
    low, high = row.number("low"), row.number("high")
    between = UNDEFINED if np.isnan(low) else f"{in_words(low, sign=True)} to {in_words(high, sign=True)}"
    return Two(top=f"{in_words(row.number('change_percent'), sign=True)}{THIN}%", below=between)


def _words(row: Row) -> Cell:
    words = row.text("words")
    return muted(words) if row["strength"] is None else words


def _key(method: str, results: Results) -> Key:
    """Name and marker of a re-ranker, as in the chart: in accent where it is the nearest within the budget."""
    best = results.best is not None and results.best.method == method
    tone = "plackett-luce" if best else "mute"
    return Key(text=LABELS[method], tone=tone, mark=GLYPHS[SYMBOL_OF[method]])


def words(results: Results, prices: ProgressivePrices, depths: GroupDepths, budget: float) -> None:
    """The way of the best re-ranker, where going on stops paying, what re-ranking cannot do; a greater depth."""
    far = LABELS[results.far.method] if results.far else ""
    best = results.best.method if results.best else ""
    method = best or (results.far.method if results.far else "")
    parts: list[str] = []
    if method:
        points = [point for point in results.summaries[method] if not point.is_apart and not point.is_few]
        turn = turning_point(points)
        curve = prices.curve(method)
        sure = UNDEFINED_INTERVAL
        if curve is not None and turn.nearest >= 0:
            drawn = resamples(len(prices.today.query_ids))
            sure = paired_intervals(curve, prices.today, points[turn.nearest].place, drawn).change
        parts += price_words(LABELS[method], points, turn, symbol=LETTERS[method], points=results.points, change=sure)
        parts.append(furthest_words(results.far, far, best=method, points=results.points))
        sure_of = nearest([each for each in results.purchases if each.is_certain])
        label = "" if sure_of is None else LABELS[sure_of.method]
        parts.append(certain_words(results.best, sure_of, label, budget=budget, points=results.points))
    parts.append(depth_words(depths))
    text = el("p", el("strong", "In words. "), " ".join(part for part in parts if part))
    st.html(el("div", text, cls="fv-callout fv-calm", role="note"))
    policy = ScorePolicy(prices.bench.scale, prices.bench.offset)
    if policy != AS_PUBLISHED and {"plackett-luce", "optimal"} & results.summaries.keys():
        counts_line(spacing_note(*policy))
    if depths.enough:
        st.button(
            f"Re-rank the first {count(depths.enough)} candidates",
            on_click=_deeper,
            args=(depths.enough,),
            key="lab_deeper",
            icon=":material/vertical_align_bottom:",
        )


def _deeper(depth: int) -> None:
    st.session_state["lab_depth"] = depth


def _counts(results: Results, prices: ProgressivePrices) -> None:
    pools, now = prices.axes.pools, results.now
    n = plural(now.n_queries, "query", "queries")
    parts = [f"one set of {n} in every number"]
    if results.points and now.n_labelled < now.n_queries:
        parts.append(f"{count(now.n_labelled)} of them show labelled documents today")
    still = results.view.still
    if still:
        parts.append(f"{listing(still)} {'changes' if len(still) == 1 else 'change'} nothing: at today's point")
    missing = len(pools.missing_queries)
    undefined = now.n_undefined - missing
    if undefined:
        parts.append(
            f"{count(undefined)} left out (nothing judged useful{'' if results.points else ', or no distance'})"
        )
    if missing:
        parts.append(f"{plural(missing, 'judged query is', 'judged queries are')} not in the run")
    if prices.unlabelled_share > WORTH_SAYING:
        parts.append(f"{percent(prices.unlabelled_share)} of attention goes to unlabelled documents")
    methods = {line.method for line in results.view.lines}
    drawn = [reranker for reranker in RERANKERS if reranker.name in methods]
    chance = [reranker.label for reranker in drawn if reranker.random]
    if chance:
        parts.append(f"{listing(chance)}: mean of {prices.n_repeats} repeats, bars from lowest to highest, seed {SEED}")
    policies = [reranker.label for reranker in drawn if reranker.is_policy]
    if policies:
        exact = "exact expected attention" if prices.measure is None else f"{N_DRAWN} rankings drawn, seed {SEED}"
        shows = "shows" if len(policies) == 1 else "show"
        parts.append(f"{listing(policies)} {shows} one of several lists at random on each visit: {exact}")
    counts_line(" · ".join(parts))


def _exposure(loaded: Dataset, settings: Settings) -> GroupExposure:
    """What Groups & targets shows of this run, over all its queries."""
    return exposure_of(
        loaded,
        settings.attribute,
        settings.system,
        settings.judgements,
        settings.unlabelled,
        settings.browsing,
        settings.k,
    )


def some_unlabelled(loaded: Dataset, settings: Settings) -> bool:
    """Whether a candidate has no label."""
    return bool(_exposure(loaded, settings).unlabelled_candidates.sum() > 0)


def whole_run_words(loaded: Dataset, settings: Settings, aim: Aim, results: Results) -> str:
    """Today's distance over all queries of the run, as Groups & targets has it; empty where these are all of them."""
    exposure = _exposure(loaded, settings)
    if not results.points or exposure.n_labelled == results.now.n_labelled:
        return ""
    named = dict(zip(aim.groups, aim.target.shares.tolist(), strict=True))
    target = np.array([named.get(group, 0.0) for group in exposure.groups])
    off = 100 * float(off_target_share(exposure.shares, target))
    return (
        f"Over all {plural(exposure.n_labelled, 'query', 'queries')} with labelled documents, judged or not, today's "
        f"lists are {number(off, 1)} points off target, as on Groups & targets."
    )


def candidates_words(settings: Settings, prices: ProgressivePrices) -> str:
    """What was re-ranked, for the grey sentence."""
    sizes = prices.axes.pools.n_retrieved
    median = int(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 0
    which = "the first" if median >= settings.depth else "up to"
    return (
        f"{prices.run.system}: {plural(int((sizes > 0).sum()), 'judged query', 'judged queries')}, {which} "
        f"{settings.depth} candidates of each (median {median}) re-ranked for the top {settings.k}; "
        "what follows keeps its order."
    )
