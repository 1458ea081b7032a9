"""Before and after on the page: one query, one re-ranker, one strength."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.groups import UNLABELLED
from fairviz.model import Dataset
from fairviz.rerank.catalogue import find_reranker
from fairviz.show.words import listing, percent, quoted
from fairviz.studies.policy_lab.figures_lists import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.findings import before_after_finding
from fairviz.studies.policy_lab.lists import BeforeAfter, Move, example_order, query_before_after
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from pages._kit import Html, colours, counts_line, el, empty_state, section, show_figure, user_text
from pages._kit.controls import choose_query
from pages._kit.share_bars import swatch
from pages._policy_lab.results import LABELS, SEED, STRENGTHS, Results, Settings, strength_words

PHONE = """<style>
.fv-lab-list { display: none; margin: 0; padding: 0; list-style: none; }
.stApp .fv-lab-list li { display: flex; gap: .6rem; padding: .3rem 0; margin: 0; font-size: .9rem;
  border-bottom: 1px solid var(--fv-rule); overflow-wrap: anywhere; align-items: baseline; }
.fv-lab-list strong { flex: none; min-width: 1.6rem; text-align: right; }
.fv-lab-list .fv-mute { margin-left: auto; text-align: right; flex: none; max-width: 55%; }
@media (max-width: 500px) { .fv-lab-list { display: block; } .st-key-lab_wide { display: none; } }
</style>"""
"""The S-curves need width: a phone gets the list as text."""

MOVED = 0.01
"""Share of attention that must change groups for a query to be the first that is shown."""


class SelectedReranking(NamedTuple):
    """What stands in the section: also what is downloaded.

    Attributes:
        method, strength: The re-ranking.
        lists: The query's two lists; None where no query can be shown.
    """

    method: str
    strength: float
    lists: BeforeAfter | None

    @property
    def label(self) -> str:
        """The re-ranking in words."""
        return f"{LABELS[self.method]}, {strength_words(self.method, self.strength)}"


def before_after_section(
    loaded: Dataset, prices: ProgressivePrices, settings: Settings, results: Results
) -> SelectedReranking | None:
    """Choose a re-ranking and a query, and see the list change."""
    known = [query for query, n in zip(prices.axes.pools.query_ids, prices.axes.pools.n_retrieved, strict=True) if n]
    head = st.container()
    if not results.summaries or not known:
        with head:
            section("Before and after, one query at a time")
        empty_state("Nothing to compare", "No re-ranker is chosen, or no query has candidates.")
        return None
    words = loaded.texts or {}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        first = _first_changed(prices, results, known)
        query = choose_query("Query", known, words, key="lab_query", first=first)
        method, strength = _setting(results)
    lists = _compare(prices, method, strength, query)
    finding = before_after_finding(lists, settings.quality_label)
    name = f"{LABELS[method]}, {strength_words(method, strength)}"
    with head:
        section(finding.title, f"Before and after, one query at a time. {finding.sentence} {name}.")
    if query in words:
        user_text(words[query])
    _draw(lists, prices, LABELS[method])
    note = _how_often(prices, method, strength, prices.axes.pools.query_ids.index(query))
    more = f" · the first {MOST} of {lists.k} ranks are drawn" if lists.k > MOST else ""
    missing = _without(prices, prices.axes.pools.query_ids.index(query))
    counts_line(f"Filled: judged useful; hollow: not{more}{note}{missing}")
    return SelectedReranking(method, strength, lists)


def _first_changed(prices: ProgressivePrices, results: Results, known: list[str]) -> str:
    """The first query whose attention the nearest re-ranker moves between groups, else one that shows a label."""
    seen = prices.today.points[0].attention.sum(axis=1) > 0
    shown = dict(zip(prices.axes.pools.query_ids, seen.tolist(), strict=True))
    fallback = next((query for query in known if shown[query]), known[0])
    curve = None if results.best is None else prices.curve(results.best.method)
    if curve is None or results.best is None or results.best.point is None:
        return fallback
    after = curve.at(results.best.point.strength).shares
    apart = np.nan_to_num(np.abs(after - prices.today.points[0].shares).sum(axis=1))
    moved = dict(zip(prices.axes.pools.query_ids, (apart > MOVED).tolist(), strict=True))
    return next((query for query in known if moved[query]), fallback)


def _setting(results: Results) -> tuple[str, float]:
    """The re-ranking to look at: the nearest within the budget unless another is chosen."""
    best = results.best.method if results.best else next(iter(results.summaries))
    names = list(results.summaries)
    method = st.selectbox(
        "Re-ranker",
        names,
        index=names.index(best),
        format_func=lambda name: LABELS[name],
        key=f"lab_method_{best}",
        width=230,
    )
    grid = [summary.strength for summary in results.summaries[method]]
    place = results.view.ringed.get(method, len(grid) - 1)
    strength = st.select_slider(
        f"Strength {STRENGTHS[method].symbol}",
        grid,
        value=grid[place],
        format_func=lambda value: f"{value:g}",
        key=f"lab_strength_{method}_{place}",
        width=260,
        help=f"First: {STRENGTHS[method].weakest}. Last: {STRENGTHS[method].strongest}.",
    )
    return method, float(strength)


def _compare(prices: ProgressivePrices, method: str, strength: float, query: str) -> BeforeAfter:
    bench = prices.bench
    at = prices.axes.pools.query_ids.index(query)
    order = example_order(find_reranker(method), bench, strength, at, seed=SEED).order
    curve = prices.curve(method)
    after = float("nan") if curve is None else float(curve.at(strength).quality[at])
    quality = (float(prices.today.points[0].quality[at]), after)
    return query_before_after(bench, at, order, quality=quality)


def _draw(lists: BeforeAfter, prices: ProgressivePrices, after: str) -> None:
    groups = prices.axes.members.groups
    used = [i for i, g in enumerate(groups) if any(move.group == g for move in lists.moves)]
    legend = (el("li", swatch(groups, i), el("span", _named(groups[i]))) for i in used)
    st.html(el("ul", *legend, cls="fv-legend", aria_label="colours of groups"))
    with st.container(key="lab_wide"):
        show_figure(
            before_after_figure(lists, colours=colours(), groups=groups, after=after),
            "before-after",
            before_after_alt(lists, after),
        )
    out = [_line(move, lists, "out") for move in lists.before if lists.left(move)]
    rows = [_line(move, lists, str(move.after)) for move in lists.after]
    st.html(PHONE + el("ol", *rows, *out, cls="fv-lab-list", aria_label=f"with {after}"))


def _line(move: Move, lists: BeforeAfter, place: str) -> Html:
    step = f"▲{move.climbed}" if move.climbed > 0 else f"▼{-move.climbed}" if move.climbed else ""
    facts = [
        step,
        "new" if lists.entered(move) else "",
        _named(move.group) if move.group else "",
        "useful" if move.useful else "",
    ]
    words = " · ".join(fact for fact in facts if fact)
    return el("li", el("strong", place), el("span", move.doc_id), el("span", words, cls="fv-mute"))


def _named(group: str) -> str:
    return "no label" if group == UNLABELLED else group


def _how_often(prices: ProgressivePrices, method: str, strength: float, at: int) -> str:
    """What the list on the right is, where the re-ranking is no single list."""
    reranker = find_reranker(method)
    if reranker.random:
        return f" · each visit shows another list at random; this is one of them, seed {SEED}; quality: mean of repeats"
    if not reranker.is_policy:
        return ""
    drawn = example_order(reranker, prices.bench, strength, at, seed=SEED)
    if np.isnan(drawn.chance):
        return " · each visit shows one of many lists at random; these are its documents by expected attention"
    if drawn.n_lists == 1:
        return " · for this query every visit shows this list"
    return f" · each visit shows one of {drawn.n_lists} lists at random; this one {percent(drawn.chance)} of the time"


def _without(prices: ProgressivePrices, at: int) -> str:
    """Groups that this query has no candidate of."""
    axes = prices.axes
    lacks = [
        quoted(_named(group))
        for group, none, aim in zip(axes.members.groups, axes.without_candidates()[at], axes.target[at], strict=True)
        if none and aim > 1e-6
    ]
    if not lacks:
        return ""
    depth = int(axes.pools.n_retrieved.max(initial=0))
    return f" · none of this query's first {depth} candidates is labelled {listing(lacks, 'or')}"
