"""The price of fairness on the page: read-outs, chart, words, table."""

import numpy as np
import streamlit as st

from fairviz.rerank.catalogue import RERANKERS
from fairviz.show.words import THIN, UNDEFINED, count, listing, number, plural, signed
from fairviz.studies.policy_lab.budget import point_of_no_return
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.findings import chart_title, furthest_words, price_words, without_words
from fairviz.studies.policy_lab.price import PointSummary
from fairviz.studies.policy_lab.progressive import N_DRAWN, ProgressivePrices
from fairviz.studies.policy_lab.tables import tables
from pages._kit import (
    Cell,
    Column,
    Key,
    Row,
    Two,
    colours,
    counts_line,
    el,
    muted,
    page_table,
    readouts,
    section,
    show_figure,
)
from pages._policy_lab.results import LABELS, LETTERS, SEED, SYMBOL_OF, Results, Settings, lacking, purchase_results

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
    """Today → the best re-ranker inside the budget."""
    point = results.best.point if results.best else None
    decimals = 1 if results.points else 3
    unit = "points of attention off target" if results.points else "distance from the target"
    arrow, to = (" → ", f", today → {results.label}") if point else ("", ", today")
    off, level = number(results.now.off, decimals), number(results.now.quality)
    if point is None:
        readouts([(off, unit + to, ""), (level, quality + to, "")])
        return
    readouts(
        [
            (f"{off}{arrow}{number(point.off, decimals)}", unit + to, "plackett-luce"),
            (f"{level}{arrow}{number(point.quality)}", quality + to, ""),
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
    section(
        chart_title(
            results.best,
            results.far,
            label=results.label,
            far_label=far,
            n_shown=len(results.view.lines),
            budget=budget,
            points=results.points,
        ),
        "The price of fairness. Each line is one re-ranker, turned up from today's lists. Ringed: "
        "its nearest point inside your budget. Below the dotted line: over budget.",
    )
    show_figure(price_figure(results.view, colours=colours()), "price", price_alt(results.view))
    _counts(results, prices)


def table(results: Results, quality: str) -> None:
    """What each re-ranker buys inside the budget."""
    section(
        "What each re-ranker buys inside the budget",
        "Its nearest point to the target. Intervals: 95 % bootstrap over queries, paired with "
        "today; queries counted by what happens to their own quality.",
    )
    page_table(
        tables(purchase_results(results, quality))["purchases"],
        show=("reranker", "strength", "off_target", "change_percent", "n_worse", "n_better", "words"),
        drawn={
            "reranker": lambda row: _key(METHODS[row.text("reranker")], results),
            "off_target": lambda row: _off(row, 1 if results.points else 3),
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
        caption="What each re-ranker buys inside the budget",
    )


def _off(row: Row, decimals: int) -> Cell:
    off = row.number("off_target")
    return UNDEFINED if np.isnan(off) else el("strong", number(off, decimals))


def _change(row: Row) -> Cell:
    if row["strength"] is None:
        return UNDEFINED
    low, high = row.number("low"), row.number("high")
    between = "too few queries" if np.isnan(low) else f"{signed(low, 1)} to {signed(high, 1)}"
    return Two(top=f"{signed(row.number('change_percent'), 1)}{THIN}%", below=between)


def _words(row: Row) -> Cell:
    words = row.text("words")
    return muted(words) if row["strength"] is None else words


def _key(method: str, results: Results) -> Key:
    """Name and marker of a re-ranker, as in the chart: in accent where it is the nearest inside the budget."""
    best = results.best is not None and results.best.method == method
    tone = "plackett-luce" if best else "mute"
    return Key(text=LABELS[method], tone=tone, mark=GLYPHS[SYMBOL_OF[method]])


def words(results: Results, prices: ProgressivePrices) -> None:
    """The way of the best re-ranker, its point of no return, and what re-ranking cannot do."""
    far = LABELS[results.far.method] if results.far else ""
    best = results.best.method if results.best else ""
    method = best or (results.far.method if results.far else "")
    parts: list[str] = []
    if method:
        points: list[PointSummary] = results.summaries[method]
        parts += price_words(
            LABELS[method], points, point_of_no_return(points), symbol=LETTERS[method], points=results.points
        )
        parts.append(furthest_words(results.far, far, best=method, points=results.points))
    names, n_without, n_queries = lacking(prices)
    parts.append(without_words(names, n_without, n_queries))
    if any(n_without):
        parts.append("Only better retrieval helps there.")
    text = el("p", el("strong", "In words. "), " ".join(part for part in parts if part))
    st.html(el("div", text, cls="fv-callout fv-calm", role="note"))


def _counts(results: Results, prices: ProgressivePrices) -> None:
    pools, now = prices.axes.pools, results.now
    parts = [f"{plural(now.n_queries, 'query', 'queries')} in every mean"]
    missing = len(pools.missing_queries)
    undefined = now.n_undefined - missing
    if undefined:
        parts.append(
            f"{count(undefined)} undefined (nothing labelled in today's first "
            f"{prices.axes.k}, or nothing judged useful)"
        )
    if missing:
        parts.append(f"{plural(missing, 'judged query is', 'judged queries are')} not in the run")
    methods = {line.method for line in results.view.lines}
    drawn = [reranker for reranker in RERANKERS if reranker.name in methods]
    chance = [reranker.label for reranker in drawn if reranker.random]
    if chance:
        parts.append(f"{listing(chance)}: mean of {prices.n_repeats} repeats, bars from lowest to highest, seed {SEED}")
    policies = [reranker.label for reranker in drawn if reranker.is_policy]
    if policies:
        exact = "exact expected attention" if prices.measure is None else (f"{N_DRAWN} rankings drawn, seed {SEED}")
        parts.append(f"{listing(policies)}: {exact}")
    empty = [
        name
        for name, weight in zip(prices.axes.members.groups, prices.axes.members.weights.sum(axis=0), strict=True)
        if not weight
    ]
    if empty:
        parts.append(f"no document in the pool is labelled {listing(empty, 'or')}")
    counts_line(" · ".join(parts))


def candidates_words(settings: Settings, prices: ProgressivePrices) -> str:
    """What was re-ranked, for the grey sentence."""
    sizes = prices.axes.pools.n_retrieved
    median = int(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 0
    return (
        f"{prices.run.system}: {plural(int((sizes > 0).sum()), 'query', 'queries')}, the first "
        f"{settings.depth} candidates of each (median {median}) re-ranked for the top {settings.k}; "
        "what follows keeps its order."
    )
