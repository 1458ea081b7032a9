"""The price of fairness on the page: read-outs, chart, words, table."""

import numpy as np
import streamlit as st

from fairviz.rerank.catalogue import RERANKERS
from fairviz.show.words import count, listing, number, plural, signed
from fairviz.studies.policy_lab.budget import Bought, no_return
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.findings import (
    chart_title,
    furthest_words,
    price_words,
    row_words,
    without_words,
)
from fairviz.studies.policy_lab.price import Standing
from fairviz.studies.policy_lab.progressive import N_DRAWN, GrowingPrices
from fairviz.studies.policy_lab.tables import in_order
from pages._kit import (
    Cell,
    Column,
    Key,
    Toned,
    Two,
    colours,
    counts_line,
    el,
    html_table,
    readouts,
    section,
    show_figure,
)
from pages._policy_lab.results import (
    LABELS,
    LETTERS,
    SEED,
    SYMBOL_OF,
    Results,
    Settings,
    lacking,
    strength_words,
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

THIN = "\N{NARROW NO-BREAK SPACE}"


def strip(found: Results, quality: str) -> None:
    """Today → the best re-ranker inside the budget."""
    one = found.best.standing if found.best else None
    decimals = 1 if found.points else 3
    unit = "points of attention off target" if found.points else "distance from the target"
    arrow, to = (" → ", f", today → {found.label}") if one else ("", ", today")
    off, kept = number(found.now.off, decimals), number(found.now.quality)
    if one is None:
        readouts([(off, unit + to, ""), (kept, quality + to, "")])
        return
    readouts(
        [
            (f"{off}{arrow}{number(one.off, decimals)}", unit + to, "plackett-luce"),
            (f"{kept}{arrow}{number(one.quality)}", quality + to, ""),
            (
                f"{count(one.n_worse)} of {count(one.n_queries)}",
                f"queries lose quality; {count(one.n_better)} gain, {count(one.n_unchanged)} unchanged",
                "",
            ),
        ]
    )


def chart(found: Results, growing: GrowingPrices, budget: float) -> None:
    """The lines, with the finding above and the counts below."""
    far = LABELS[found.far.method] if found.far else ""
    section(
        chart_title(
            found.best,
            found.far,
            label=found.label,
            far_label=far,
            n_shown=len(found.view.lines),
            budget=budget,
            points=found.points,
        ),
        "The price of fairness. Each line is one re-ranker, turned up from today's lists. Ringed: "
        "its nearest point inside your budget. Below the dotted line: over budget.",
    )
    show_figure(price_figure(found.view, colours=colours()), "price", price_alt(found.view))
    _counts(found, growing)


def table(found: Results, quality: str) -> None:
    """What each re-ranker buys inside the budget."""
    section(
        "What each re-ranker buys inside the budget",
        "Its nearest point to the target. Intervals: 95 % bootstrap over queries, paired with "
        "today; queries counted by what happens to their own quality.",
    )
    off = "Points off target ↓" if found.points else "Distance ↓"
    columns = [
        Column(label="Re-ranker"),
        Column(label="Strength", align="right"),
        Column(label=off, align="right"),
        Column(label=f"{quality}, 95 % interval ↑", align="right"),
        Column(label="Queries worse", align="right"),
        Column(label="better", align="right"),
        Column(label="In words"),
    ]
    rows = [_row(one, found) for one in in_order(found.every)]
    for name, reason in found.refused.items():
        words = Toned(text=row_words(Bought(name, None), None, reason), tone="mute", bold=False)
        rows.append([_key(name, "mute"), "–", "–", "–", "–", "–", words])
    html_table(columns, rows, caption="What each re-ranker buys inside the budget")


def _row(one: Bought, found: Results) -> list[Cell]:
    best = found.best is not None and one.method == found.best.method
    words = row_words(one, found.best, points=found.points)
    standing = one.standing
    if standing is None:
        said = Toned(text=words, tone="mute", bold=False)
        return [_key(one.method, "mute"), "–", "–", "–", "–", "–", said]
    low, high = one.change
    between = "too few queries" if np.isnan(low) else (f"{signed(100 * low, 1)} to {signed(100 * high, 1)}")
    return [
        _key(one.method, "plackett-luce" if best else "mute"),
        strength_words(one.method, standing.strength),
        el("strong", number(standing.off, 1 if found.points else 3)),
        Two(top=f"{signed(100 * standing.change, 1)}{THIN}%", below=between),
        count(standing.n_worse),
        count(standing.n_better),
        words,
    ]


def _key(method: str, tone: str) -> Key:
    return Key(text=LABELS[method], tone=tone, mark=GLYPHS[SYMBOL_OF[method]])  # type: ignore[arg-type]


def words(found: Results, growing: GrowingPrices) -> None:
    """The way of the best re-ranker, its point of no return, and what re-ranking cannot do."""
    far = LABELS[found.far.method] if found.far else ""
    best = found.best.method if found.best else ""
    shown = best or (found.far.method if found.far else "")
    parts: list[str] = []
    if shown:
        points: list[Standing] = found.found[shown]
        parts += price_words(LABELS[shown], points, no_return(points), symbol=LETTERS[shown], points=found.points)
        parts.append(furthest_words(found.far, far, best=shown, points=found.points))
    names, n_without, n_queries = lacking(growing)
    parts.append(without_words(names, n_without, n_queries))
    if any(n_without):
        parts.append("Only better retrieval helps there.")
    text = el("p", el("strong", "In words. "), " ".join(part for part in parts if part))
    st.html(el("div", text, cls="fv-callout fv-calm", role="note"))


def _counts(found: Results, growing: GrowingPrices) -> None:
    pools, now = growing.axes.pools, found.now
    parts = [f"{plural(now.n_queries, 'query', 'queries')} in every mean"]
    missing = len(pools.missing_queries)
    undefined = now.n_undefined - missing
    if undefined:
        parts.append(
            f"{count(undefined)} undefined (nothing labelled in today's first "
            f"{growing.axes.k}, or nothing judged useful)"
        )
    if missing:
        parts.append(f"{plural(missing, 'judged query is', 'judged queries are')} not in the run")
    shown = {line.method for line in found.view.lines}
    drawn = [one for one in RERANKERS if one.name in shown]
    chance = [one.label for one in drawn if one.random]
    if chance:
        parts.append(
            f"{listing(chance)}: mean of {growing.n_repeats} repeats, bars from lowest to highest, seed {SEED}"
        )
    policies = [one.label for one in drawn if one.is_policy]
    if policies:
        exact = "exact expected attention" if growing.measure is None else (f"{N_DRAWN} rankings drawn, seed {SEED}")
        parts.append(f"{listing(policies)}: {exact}")
    empty = [
        name
        for name, weight in zip(growing.axes.members.groups, growing.axes.members.weights.sum(axis=0), strict=True)
        if not weight
    ]
    if empty:
        parts.append(f"no document in the pool is labelled {listing(empty, 'or')}")
    counts_line(" · ".join(parts))


def candidates_words(chosen: Settings, growing: GrowingPrices) -> str:
    """What was re-ranked, for the grey sentence."""
    sizes = growing.axes.pools.n_retrieved
    median = int(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 0
    return (
        f"{growing.run.system}: {plural(int((sizes > 0).sum()), 'query', 'queries')}, the first "
        f"{chosen.depth} candidates of each (median {median}) re-ranked for the top {chosen.k}; "
        "what follows keeps its order."
    )
