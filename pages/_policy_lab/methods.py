"""Other methods beside the statements: how far each gets, one query before and after."""

from dataclasses import replace
from functools import partial

import polars as pl
import streamlit as st

from fairviz.display.markup import rendered
from fairviz.display.words import quoted
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis, analyse, is_set, prices_under
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.brief import cost_scale
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.charts import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.examples import BeforeAfter, before_after_finding, compared_lists, example_query
from fairviz.studies.policy_lab.findings import budget_words, change_interval, change_words, searched_words
from fairviz.studies.policy_lab.methods_findings import (
    below_words,
    comparison_words,
    counted,
    methods_finding,
    points,
    provenance_words,
    reach_words,
)
from fairviz.studies.policy_lab.settings import FIRST, PolicyLabSettings
from fairviz.studies.policy_lab.strengths import Prices, setting_words, strength_of, strength_words
from pages._kit import colours, counts_line, empty_state, fold, rule, section, show_figure, step_by_step
from pages._kit.controls import choose_one, choose_query, choose_several, standing_several
from pages._kit.html import Html, el, swatch

# Other methods: how far each gets towards the shares that the statements lead to.


def _names() -> list[str]:
    return [reranker.name for reranker in RERANKERS]


def _full_name(name: str) -> str:
    return find_reranker(name).full_name


def standing_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""
    return standing_several(_names(), "methods", usual=FIRST)


def choose_methods() -> tuple[str, ...]:
    """Choose the methods that are compared."""
    with st.popover(f"Methods: {len(standing_methods())} of {len(RERANKERS)}", width="content"):
        return choose_several(
            "Methods to compare",
            _names(),
            "methods",
            usual=FIRST,
            empty=True,
            format_func=_full_name,
            placeholder="Choose at least one",
            help="\n\n".join(f"**{reranker.plain}** ({reranker.label}): {reranker.summary}" for reranker in RERANKERS),
        )


def other_methods(
    loaded: Dataset, settings: PolicyLabSettings
) -> tuple[PolicyLabSettings, tuple[str, float] | None, pl.DataFrame | None]:
    """Methods that re-rank query by query, where somebody opens them.

    Returns:
        The settings with the methods that are compared; the method and strength that are looked at; where the methods
        stand on the picture of the least loss.
    """
    rule()
    aim = "the shares that your statements lead to" if is_set(loaded, settings) else "equal shares"
    about = f"Each aims at {aim}: how far it gets, one query before and after"
    with fold("Other methods", about, key="lab-methods") as is_open:
        if not is_open:
            return settings, None, None
        settings = replace(settings, methods=choose_methods())
        prices = prices_under(loaded, settings)
        step_by_step([(_full_name(name), partial(prices.compute, [name])) for name in settings.methods])
        analysis = analyse(loaded, settings)
        finding = methods_finding(analysis.outcome)
        section(finding.title, finding.sentence)
        st.html(methods(analysis, finding.title, provenance_words(loaded, settings, prices)))
        selection = before_after_section(loaded, analysis)
        return settings, selection, prices.crosses(analysis.outcome.reaches)


# How far each method gets.


def methods(analysis: PolicyLabAnalysis, title: str, remark: str) -> Html:
    """One row per method: from today to the target, cost, queries; what was re-ranked.

    Where nothing may be claimed the title of the page says so: what was re-ranked is left.
    """
    outcome = analysis.outcome
    if outcome.silent:
        return el("p", remark, cls="fv-counts")
    return rendered(
        "methods.html",
        title=title,
        subtitle=f"How far each gets from today to {outcome.aim} within {budget_words(outcome.budget)}, what that "
        f"costs ({searched_words(outcome.tried.height)}; dashed: your budget), and how many queries lose.",
        today=f"today, {points(outcome.now['off'])} points {outcome.off}",
        outcome=outcome,
        scale=cost_scale(outcome.budget, [reach["shown"] for reach in outcome.reaches if reach["shown"]]),
        find_reranker=find_reranker,
        reach_words=reach_words,
        strength_words=strength_words,
        change_words=change_words,
        change_interval=change_interval,
        counted=counted,
        note=f"{comparison_words(outcome, analysis.prices, analysis.settings)} {remark}",
    )


# One query, before and after.

UNNAMED = {UNLABELLED: "no label"}
"""What documents without a label are called."""
COLOURED = 6
"""Groups up to which each has a colour of its own."""
USUAL = ""
"""The method, or the strength, that stands for what is shown above."""


def before_after_section(loaded: Dataset, analysis: PolicyLabAnalysis) -> tuple[str, float] | None:
    """Choose a query and a re-ranking, and see the list change; the method and its strength."""
    prices, outcome, settings = analysis.prices, analysis.outcome, analysis.settings
    bench, pools = prices.bench, prices.bench.pools
    query_ids = [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    row, names = st.container(horizontal=True, key="lab_head"), [reach["method"] for reach in outcome.reaches]
    head = row.container()
    if not names or not query_ids:
        with head:
            section("One query, before and after")
        empty_state("Nothing to compare", "No method is chosen, or no query has candidates.")
        return None
    words = loaded.texts or {}
    with row.popover("Another query or method", icon=":material/tune:", width="content"):
        # The example of the setting; else the first query that shows a label.
        seen = dict(zip(pools.query_ids, (prices.today.attention.sum(axis=1) > 0).tolist(), strict=True))
        example = example_query(prices, *_standing(outcome.best or outcome.reaches[0]))
        first = example or next((query for query in query_ids if seen[query]), query_ids[0])
        query = choose_query("Query", query_ids, words, first=first, key="query")
        method, strength = _setting(prices, outcome)
    lists = compared_lists(prices, method, strength, query, loaded.passages or {})
    finding, question = before_after_finding(lists, settings.quality_label, settings.unit), words.get(query, query)
    stop = "" if question.endswith((".", "?", "!", "…")) else "."
    with head:
        chosen = f"{setting_words(method, strength)}. {lists.words}"
        section(finding.title, f"{quoted(question)}{stop} {finding.sentence} {chosen}")
    _draw(lists, bench.members.groups, find_reranker(method).plain)
    below = below_words(lists, bench, unlabelled=UNNAMED[UNLABELLED], most=MOST)
    if below:
        counts_line(below)
    return method, strength


def _standing(reach: Row) -> tuple[str, float]:
    """A method with the strength that stands for it, else its strongest."""
    method, shown = reach["method"], reach["shown"]
    return method, strength_of(find_reranker(method)).grid[-1] if shown is None else shown["strength"]


def _setting(prices: Prices, outcome: Outcome) -> tuple[str, float]:
    """The re-ranking to look at: what the titles above speak of unless another is chosen."""
    by_method = {reach["method"]: reach for reach in outcome.reaches}
    standing = (outcome.best or outcome.reaches[0])["method"]
    titles = {USUAL: f"Closest: {_full_name(standing)}"} | {name: _full_name(name) for name in by_method}
    method = choose_one("Method", titles, "method", format_func=titles.get) or standing
    _, usual = _standing(by_method[method])
    grid = [f"{strength:g}" for strength in prices.tried(method)["strength"]]
    own = strength_of(find_reranker(method))

    def words(value: str) -> str:
        return value or f"as above, {usual:g}"

    text = choose_one(
        f"Strength ({own.symbol})",
        [USUAL, *grid],
        "strength",
        format_func=words,
        help=f"First: {own.weakest}. Last: {own.strongest}.",
    )
    return method, float(text) if text else usual


def _draw(lists: BeforeAfter, groups: tuple[str, ...], after: str) -> None:
    shown = {*lists.moves["group"]}
    used = [i for i, group in enumerate(groups) if group in shown] if len(groups) <= COLOURED else []
    legend = [el("li", swatch(groups, i), el("span", UNNAMED.get(groups[i], groups[i]))) for i in used]
    if "" in shown:
        legend.append(el("li", el("span", cls="fv-swatch fv-fill-mute"), el("span", "no group")))
    if lists.judged:
        legend.append(el("li", el("span", "filled: judged useful, hollow: not", cls="fv-mute")))
    st.html(el("ul", *legend, cls="fv-legend", aria_label="colours of groups"))
    with st.container(key="lab_wide"):
        show_figure(
            before_after_figure(lists, colours=colours(), groups=groups, after=after),
            "before-after",
            before_after_alt(lists, after),
        )
    moves = [*lists.side("after"), *lists.left]
    st.html(rendered("reranked_list.html", moves=moves, after=after, judged=lists.judged, unnamed=UNNAMED))
