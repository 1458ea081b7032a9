"""One query before and after: which method, which strength, which query, and what becomes of its list."""

from typing import NamedTuple

import streamlit as st

from fairviz.display.words import listing, quoted
from fairviz.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.studies.policy_lab.figures_lists import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.findings import before_after_finding, chance_words
from fairviz.studies.policy_lab.lists import BeforeAfter, Move, title_of
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.results import (
    NAMES,
    PLAIN,
    STRENGTHS,
    Results,
    compared_lists,
    example_query,
    strength_words,
)
from pages._kit import Html, colours, counts_line, el, empty_state, section, show_figure
from pages._kit.controls import choose_query, following
from pages._kit.table import swatch
from pages._policy_lab.results import SEED, Settings

COLOURED = 6
"""Groups up to which each has a colour of its own."""
USUAL = ""
"""The method, or the strength, that stands for what is shown above."""


class SelectedReranking(NamedTuple):
    """What stands in the section: also what is downloaded.

    Attributes:
        method, strength: The re-ranking.
        lists: The query's two lists; None where no query can be shown.
    """

    method: str
    strength: float
    lists: BeforeAfter | None = None

    @property
    def label(self) -> str:
        """The re-ranking in words."""
        return f"{NAMES[self.method]}, {strength_words(self.method, self.strength)}"


def before_after_section(
    loaded: Dataset, prices: Prices, settings: Settings, results: Results
) -> SelectedReranking | None:
    """Choose a query and a re-ranking, and see the list change."""
    known = [query for query, n in zip(prices.axes.pools.query_ids, prices.axes.pools.n_retrieved, strict=True) if n]
    row, names = st.container(horizontal=True, key="lab_head"), [reach.method for reach in results.outcome.reaches]
    head = row.container()
    if not names or not known:
        with head:
            section("One query, before and after")
        empty_state("Nothing to compare", "No method is chosen, or no query has candidates.")
        return None
    words = loaded.texts or {}
    with row.popover("Another query or method", icon=":material/tune:", width="content"):
        first = _usual(prices, results, *_standing(results, names), known)
        query = choose_query("Query", known, words, key="lab_query", first=first, param="query")
        method, strength = _setting(prices, results, names)
    lists, drawn = compared_lists(prices, method, strength, query)
    chance = chance_words(drawn, random=prices.is_random(method, strength), seed=SEED)
    chosen = SelectedReranking(method, strength, lists)
    finding = before_after_finding(lists, settings.quality_label)
    with head:
        section(finding.title, f"{quoted(words.get(query, query))} {finding.sentence} {chosen.label}. {chance}")
    _draw(loaded, lists, prices, PLAIN[method])
    more = f"The first {MOST} of {lists.k} ranks are drawn. " if lists.k > MOST else ""
    if below := f"{more}{_without(prices, query)}":
        counts_line(below)
    return chosen


def _standing(results: Results, names: list[str]) -> tuple[str, float]:
    """The re-ranking that the titles above speak of, else the strongest of the first method."""
    reach = results.outcome.best or results.outcome.reaches[0]
    shown = reach.shown
    return reach.method, STRENGTHS[names[0]].grid[-1] if shown is None else shown.point.strength


def _usual(prices: Prices, results: Results, method: str, strength: float, known: list[str]) -> str:
    """The example of the setting; else the first query that shows a label."""
    today, pools = prices.today.points[0], prices.axes.pools
    seen = dict(zip(pools.query_ids, (today.attention.sum(axis=1) > 0).tolist(), strict=True))
    example = example_query(prices, method, strength, spoken=results.outcome.spoken).query
    return example or next((query for query in known if seen[query]), known[0])


def _setting(prices: Prices, results: Results, names: list[str]) -> tuple[str, float]:
    """The re-ranking to look at: what the titles speak of unless another is chosen."""
    standing, usual = _standing(results, names)
    chosen = following(
        "method",
        USUAL,
        lambda text: text if text in (USUAL, *names) else None,
        lambda: st.selectbox(
            "Method",
            [USUAL, *names],
            format_func=lambda name: NAMES[name] if name else f"Closest: {NAMES[standing]}",
            key="method",
        ),
    )
    method = chosen or standing
    reach = next(each for each in results.outcome.reaches if each.method == method)
    if chosen:
        usual = STRENGTHS[method].grid[-1] if reach.shown is None else reach.shown.point.strength
    grid = [f"{setting.point.strength:g}" for setting in prices.settings(method)]
    symbol = STRENGTHS[method].symbol
    text = following(
        "strength",
        USUAL,
        lambda text: text if text in (USUAL, *grid) else None,
        lambda: st.selectbox(
            f"Strength ({symbol})",
            [USUAL, *grid],
            format_func=lambda value: value or f"as above, {usual:g}",
            key="strength",
            help=f"First: {STRENGTHS[method].weakest}. Last: {STRENGTHS[method].strongest}.",
        ),
    )
    return method, float(text) if text else usual


def _draw(loaded: Dataset, lists: BeforeAfter, prices: Prices, after: str) -> None:
    groups, passages = prices.axes.members.groups, loaded.passages or {}
    shown = {move.group for move in lists.moves} if len(groups) <= COLOURED else set[str]()
    used = [i for i, group in enumerate(groups) if group in shown]
    legend = [el("li", swatch(groups, i), el("span", _named(groups[i]))) for i in used]
    if any(not move.group for move in lists.moves):
        legend.append(el("li", el("span", cls="fv-swatch fv-fill-mute"), el("span", "no group")))
    legend.append(el("li", el("span", "filled: judged useful, hollow: not", cls="fv-mute")))
    st.html(el("ul", *legend, cls="fv-legend", aria_label="colours of groups"))
    with st.container(key="lab_wide"):
        show_figure(
            before_after_figure(lists, colours=colours(), groups=groups, after=after, titles=passages),
            "before-after",
            before_after_alt(lists, after, passages),
        )
    rows = [_line(move, lists, str(move.after), passages) for move in lists.after]
    out = [_line(move, lists, "out", passages) for move in lists.before if lists.left(move)]
    st.html(el("ol", *rows, *out, cls="fv-lab-list", aria_label=f"with {after}"))


def _line(move: Move, lists: BeforeAfter, place: str, passages: dict[str, str]) -> Html:
    step = f"▲{move.climbed}" if move.climbed > 0 else f"▼{-move.climbed}" if move.climbed else ""
    facts = [
        f"new, from rank {move.before}" if lists.entered(move) else f"was {move.before}" if lists.left(move) else step,
        _named(move.group) if move.group else "no group",
        "useful" if move.useful else "not useful",
    ]
    words = " · ".join(fact for fact in facts if fact)
    return el("li", el("strong", place), el("span", title_of(move.doc_id, passages)), el("span", words, cls="fv-mute"))


def _named(group: str) -> str:
    return "no label" if group == UNLABELLED else group


def _without(prices: Prices, query: str) -> str:
    """Groups that this query has no candidate of."""
    axes, at = prices.axes, prices.axes.pools.query_ids.index(query)
    lacks = [
        quoted(_named(group))
        for group, none, aim in zip(axes.members.groups, axes.without_candidates()[at], axes.target[at], strict=True)
        if none and aim > 1e-6
    ]
    if not lacks:
        return ""
    depth = int(axes.pools.n_retrieved[at])
    return f"None of this query's {depth} candidates is labelled {listing(lacks, 'or')}."
