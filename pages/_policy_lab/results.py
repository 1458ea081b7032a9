"""The policies of the lab and the lists that readers see: computed, remembered."""

from typing import NamedTuple

import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.display.words import listing, quoted
from fairviz.evaluation.joins import first_items
from fairviz.evaluation.systems import named_rankings
from fairviz.grouping import UNLABELLED, Missing
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.model import Dataset, MeasureSpec, Target
from fairviz.report.group_pages import PolicyLabSettings
from fairviz.rerankers.catalogue import RERANKERS
from fairviz.studies.policy_lab.axes import DEEPEST, GroupDepths, QualityName, quality_label
from fairviz.studies.policy_lab.distances import asked_distance
from fairviz.studies.policy_lab.figures import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.findings import before_after_finding, chance_words
from fairviz.studies.policy_lab.lists import BeforeAfter, Move, title_of
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.results import (
    DEPTH,
    FIRST,
    LABELS,
    NAMES,
    PLAIN,
    STRENGTHS,
    Aim,
    Choices,
    Results,
    compared_lists,
    depths_under,
    example_query,
    strength_words,
)
from pages._kit import colours, counts_line, empty_state, section, show_figure
from pages._kit.cache import cached, cached_few
from pages._kit.commands import held_against
from pages._kit.controls import (
    AS_PUBLISHED,
    ScorePolicy,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_policy,
    choose_query,
    choose_unlabelled,
    following,
    one_of,
    whole,
)
from pages._kit.html import Html, el
from pages._kit.table import swatch
from pages._kit.target import first_attribute

POINTS = "points of attention that would have to move, all queries together"
MEASURES: dict[str, str] = {"": POINTS} | {
    measure.name: f"{measure.title} ({measure.label})" for measure in GROUP_MEASURES
}
"""Measures of distance by their name on the page; the first is half of L1 of all queries together."""

K = 10
QUALITIES: dict[str, QualityName] = {"nDCG": "nDCG", "EE-R": "EER"}
QUALITY_WORDS = {"nDCG": "useful documents first (nDCG)", "EE-R": "attention on useful documents (EE-R)"}
SEED = 0


class Settings(NamedTuple):
    """What is computed; plain values, so that it is the key of what is remembered.

    Attributes:
        system, attribute, judgements: Indices into the data.
        k: Ranks that count.
        depth: Candidates of a query that are re-ranked, unless a group asks for more.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        quality: What re-ranking may cost.
        judged: Whether methods that can use judgements may look at them.
        measure: Name of another distance than points off target; empty for these.
        policy: How scores become a policy, for Plackett–Luce and the optimal policy.
    """

    system: int
    attribute: int
    judgements: int
    k: int
    depth: int
    browsing: Browsing
    unlabelled: Missing
    quality: QualityName
    judged: bool
    measure: str
    policy: ScorePolicy = AS_PUBLISHED

    @property
    def attention(self) -> Attention:
        """How attention falls with rank, down to k."""
        return attention(self.browsing, cutoff=self.k)

    @property
    def quality_label(self) -> str:
        """Name of the quality measure."""
        return quality_label(self.quality, self.k)


# Controls: every one stands in the address.


def settings(loaded: Dataset) -> Settings:
    """The popovers of what is measured."""
    usual = next(iter(QUALITIES))
    with st.popover(f"Quality: {following('quality', usual, one_of(QUALITIES))}", width="content"):
        quality = following(
            "quality",
            usual,
            one_of(QUALITIES),
            lambda: st.radio(
                "What re-ranking may cost",
                list(QUALITIES),
                format_func=QUALITY_WORDS.__getitem__,
                key="quality",
                help="nDCG: gains discounted by rank over the best list. EE-R: expected exposure of useful documents, "
                "scaled to what any order could reach.",
            ),
        )
    with st.popover("More", icon=":material/tune:", width="content"):
        return _more(loaded, QUALITIES[quality])


def _more(loaded: Dataset, quality: QualityName) -> Settings:
    system = choose_place("System", [run.system for run in loaded.runs], "system", width=260)
    names = [labels.attribute for labels in loaded.labels]
    attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=260)
    judgements = choose_judgements(loaded, loaded.runs[system], width=260)
    k = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST)
    depth = following(
        "candidates",
        DEPTH,
        whole(2, DEEPEST),
        lambda: st.number_input(
            "Candidates per query",
            2,
            DEEPEST,
            key="candidates",
            help="How many documents are re-ranked, from the top: more where some group has none among them. "
            "The rest keeps its order below.",
        ),
    )
    browsing, unlabelled = choose_browsing(width=260), choose_unlabelled()
    measure = following(
        "distance",
        "",
        one_of(MEASURES),
        lambda: st.selectbox(
            "How distance is measured", list(MEASURES), format_func=MEASURES.__getitem__, key="distance"
        ),
    )
    judged = _switch(
        "judged",
        "Let methods see the judgements",
        "Three methods can use known usefulness (FAIR ε-greedy, α-DCG greedy, fairness of exposure). Off, they know "
        "scores and order alone, as in use.",
    )
    policy = choose_policy()
    return Settings(
        system=system,
        attribute=attribute,
        judgements=judgements,
        k=k,
        depth=max(depth, k),
        browsing=browsing,
        unlabelled=unlabelled,
        quality=quality,
        judged=judged,
        measure=measure,
        policy=policy,
    )


def choose_budget() -> tuple[float, bool]:
    """Budget, and the switch for fixed lists."""
    budget = following(
        "budget",
        3.0,
        lambda text: float(text) if text.replace(".", "", 1).isdecimal() and 0.5 <= float(text) <= 20 else None,
        lambda: st.slider("Largest acceptable loss of quality", 0.5, 20.0, step=0.5, format="%g %%", key="budget"),
    )
    return budget / 100, _switch("fixed", "Fixed lists only", "")


def choose_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""
    usual = SEPARATOR.join(FIRST)
    n = sum(name in LABELS for name in following("methods", usual, _methods).split(SEPARATOR))
    with st.popover(f"Methods: {n} of {len(LABELS)}", width="content"):
        methods = following("methods", usual, _methods, _choose_methods)
    return tuple(name for name in methods.split(SEPARATOR) if name in LABELS)


SEPARATOR = "_"
"""Between the names of methods in the address."""
NO_METHOD = "none"
"""What the address has where no method is compared."""


def _choose_methods() -> str:
    """The control; as text, because the address has one."""
    if "methods_chosen" not in st.session_state:
        st.session_state["methods_chosen"] = [
            name for name in LABELS if name in str(st.session_state["methods"]).split(SEPARATOR)
        ]
    selection = st.multiselect(
        "Methods to compare",
        list(LABELS),
        key="methods_chosen",
        format_func=NAMES.__getitem__,
        placeholder="Choose at least one",
        help="\n\n".join(f"**{reranker.plain}** ({reranker.label}): {reranker.summary}" for reranker in RERANKERS),
    )
    return SEPARATOR.join(name for name in LABELS if name in selection) or NO_METHOD


def _methods(text: str) -> str | None:
    return text if text == NO_METHOD or set(text.split(SEPARATOR)) <= LABELS.keys() else None


def _switch(key: str, label: str, help: str) -> bool:
    """A switch that stands in the address as 1."""
    on = {"1": 1, "True": 1, "0": 0, "False": 0}
    return bool(following(key, 0, on.get, lambda: int(st.toggle(label, key=key, help=help or None))))


# What was tried, and what a budget buys.


@cached_few
def prices_of(loaded: Dataset, settings: Settings, aim: Aim) -> Prices:
    """What was tried on one run under one target; shared by all that look at it.

    Raises:
        FairvizError: The chosen distance has no value on these data.
    """
    run = first_items(loaded.runs[settings.system], depths_of(loaded, settings, aim).depths)
    return Prices(
        run,
        loaded.qrels[settings.judgements],
        loaded.labels[settings.attribute],
        aim.target,
        attention=settings.attention,
        k=settings.k,
        quality=settings.quality,
        missing=settings.unlabelled,
        judged=settings.judged,
        measure=_measure(loaded, settings, aim),
        scores=settings.policy.scores,
        offset=settings.policy.offset,
        seed=SEED,
    )


@cached
def depths_of(loaded: Dataset, settings: Settings, aim: Aim) -> GroupDepths:
    """How deep each query of the run is re-ranked."""
    return depths_under(
        loaded.runs[settings.system],
        loaded.qrels[settings.judgements],
        loaded.labels[settings.attribute],
        aim.target,
        usual=settings.depth,
        k=settings.k,
        missing=settings.unlabelled,
    )


def _measure(loaded: Dataset, settings: Settings, aim: Aim) -> MeasureSpec | None:
    if not settings.measure:
        return None
    labels, measure = loaded.labels[settings.attribute], settings.measure
    return asked_distance(
        measure, labels, aim.target, k=settings.k, browsing=settings.browsing, missing=settings.unlabelled
    )


def as_told(
    loaded: Dataset, settings: Settings, chosen: Choices, *, target: Target | None, group: str
) -> PolicyLabSettings:
    """What a command has to be told to print the tables again.

    Args:
        loaded: The data.
        settings: What is computed.
        chosen: What is chosen of it.
        target: As it stands, unrounded; None before anybody set one.
        group: The group that a person moved last, if any.
    """
    return PolicyLabSettings(
        k=settings.k,
        system=named_rankings(loaded)[settings.system].system,
        group=group,
        budget=round(100 * chosen.budget, 9),
        fixed="yes" if chosen.fixed else "no",
        methods=() if chosen.methods == FIRST else chosen.methods,
        quality=settings.quality,
        depth=settings.depth,
        browsing=settings.browsing,
        unlabelled=settings.unlabelled,
        judged="yes" if settings.judged else "no",
        measure=settings.measure,
        scores=settings.policy.scores,
        offset=settings.policy.offset,
        judgements=settings.judgements,
        against=held_against(loaded, settings.attribute, target),
    )


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
        one_of((USUAL, *names)),
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
        one_of((USUAL, *grid)),
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
