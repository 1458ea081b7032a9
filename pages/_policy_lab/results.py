"""The policies of the lab and the lists that readers see: computed, remembered."""

import streamlit as st

from fairviz.display.words import listing, quoted
from fairviz.evaluation.systems import named_rankings
from fairviz.kernels.grouping import UNLABELLED
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.model import Dataset
from fairviz.reranking.catalogue import RERANKERS
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.charts import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.examples import (
    BeforeAfter,
    before_after_finding,
    compared_lists,
    example_query,
    title_of,
)
from fairviz.studies.policy_lab.price import Prices
from fairviz.studies.policy_lab.settings import DEEPEST, FIRST, PolicyLabSettings, QualityName
from fairviz.studies.policy_lab.strengths import LABELS, NAMES, PLAIN, STRENGTHS, setting_words
from pages._kit import colours, counts_line, empty_state, section, show_figure
from pages._kit.controls import (
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_one,
    choose_place,
    choose_policy,
    choose_query,
    choose_unlabelled,
    following,
    one_of,
    whole,
)
from pages._kit.html import Html, el, swatch
from pages._kit.target import first_attribute

POINTS = "points of attention that would have to move, all queries together"
MEASURES: dict[str, str] = {"": POINTS} | {
    measure.name: f"{measure.title} ({measure.label})" for measure in GROUP_MEASURES
}
"""Measures of distance by their name on the page; the first is half of L1 of all queries together."""

K, DEPTH = PolicyLabSettings.k, PolicyLabSettings.candidates
QUALITIES: dict[str, QualityName] = {"nDCG": "nDCG", "EE-R": "EER"}
QUALITY_WORDS = {"nDCG": "useful documents first (nDCG)", "EE-R": "attention on useful documents (EE-R)"}


# Controls: every one stands in the address.


def choose(loaded: Dataset) -> tuple[int, int, PolicyLabSettings]:
    """The popovers of what is measured: places of system and groups, and the settings of the study."""
    with st.popover(f"Quality: {following('quality', 'nDCG', one_of(QUALITIES))}", width="content"):
        quality = choose_one(
            "What re-ranking may cost",
            QUALITIES,
            "quality",
            draw=st.radio,
            format_func=QUALITY_WORDS.__getitem__,
            help="nDCG: gains discounted by rank over the best list. EE-R: expected exposure of useful documents, "
            "scaled to what any order could reach.",
        )
    with st.popover("More", icon=":material/tune:", width="content"):
        return _more(loaded, QUALITIES[quality])


def _switch(key: str, label: str, help: str | None = None) -> bool:
    """A switch that stands in the address as 1."""
    on = {"1": 1, "True": 1, "0": 0, "False": 0}
    return bool(following(key, 0, on.get, lambda: int(st.toggle(label, key=key, help=help))))


def _more(loaded: Dataset, quality: QualityName) -> tuple[int, int, PolicyLabSettings]:
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
    measure = choose_one("How distance is measured", MEASURES, "distance", format_func=MEASURES.__getitem__)
    judged = _switch(
        "judged",
        "Let methods see the judgements",
        "Three methods can use known usefulness (FAIR ε-greedy, α-DCG greedy, fairness of exposure). Off, they know "
        "scores and order alone, as in use.",
    )
    policy = choose_policy()
    settings = PolicyLabSettings(
        k=k,
        system=named_rankings(loaded)[system].system,
        quality=quality,
        candidates=max(depth, k),
        browsing=browsing,
        unlabelled=unlabelled,
        judged=judged,
        distance=measure,
        scores=policy.scores,
        offset=policy.offset,
        judgements=judgements,
    )
    return system, attribute, settings


def choose_budget() -> tuple[float, bool]:
    """Budget in percent, and the switch for fixed lists."""
    budget = following(
        "budget",
        3.0,
        lambda text: float(text) if text.replace(".", "", 1).isdecimal() and 0.5 <= float(text) <= 20 else None,
        lambda: st.slider(
            "Largest acceptable loss of quality", 0.5, 20.0, step=0.5, format="%g %%", key="budget", width=300
        ),
    )
    return budget, _switch("fixed", "Fixed lists only")


def choose_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""

    def read(text: str) -> str | None:
        return text if text == NO_METHOD or set(text.split(SEPARATOR)) <= LABELS.keys() else None

    def draw() -> str:
        """The control; as text, because the address has one."""
        if "methods_chosen" not in st.session_state:
            before = str(st.session_state["methods"]).split(SEPARATOR)
            st.session_state["methods_chosen"] = [name for name in LABELS if name in before]
        selection = st.multiselect(
            "Methods to compare",
            list(LABELS),
            key="methods_chosen",
            format_func=NAMES.__getitem__,
            placeholder="Choose at least one",
            help="\n\n".join(f"**{reranker.plain}** ({reranker.label}): {reranker.summary}" for reranker in RERANKERS),
        )
        return SEPARATOR.join(name for name in LABELS if name in selection) or NO_METHOD

    usual = SEPARATOR.join(FIRST)
    n = sum(name in LABELS for name in following("methods", usual, read).split(SEPARATOR))
    with st.popover(f"Methods: {n} of {len(LABELS)}", width="content"):
        methods = following("methods", usual, read, draw)
    return tuple(name for name in methods.split(SEPARATOR) if name in LABELS)


SEPARATOR = "_"
"""Between the names of methods in the address."""
NO_METHOD = "none"
"""What the address has where no method is compared."""


UNNAMED = {UNLABELLED: "no label"}
"""What documents without a label are called."""
COLOURED = 6
"""Groups up to which each has a colour of its own."""
USUAL = ""
"""The method, or the strength, that stands for what is shown above."""


def before_after_section(loaded: Dataset, analysis: PolicyLabAnalysis) -> tuple[str, float] | None:
    """Choose a query and a re-ranking, and see the list change; the method and its strength."""
    prices, found, settings = analysis.prices, analysis.outcome, analysis.settings
    bench, pools = prices.bench, prices.bench.pools
    known = [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    row, names = st.container(horizontal=True, key="lab_head"), [reach.method for reach in found.reaches]
    head = row.container()
    if not names or not known:
        with head:
            section("One query, before and after")
        empty_state("Nothing to compare", "No method is chosen, or no query has candidates.")
        return None
    words = loaded.texts or {}
    with row.popover("Another query or method", icon=":material/tune:", width="content"):
        # The example of the setting; else the first query that shows a label.
        seen = dict(zip(pools.query_ids, (prices.today.attention.sum(axis=1) > 0).tolist(), strict=True))
        example, _ = example_query(prices, *_standing(found, names), spoken=found.spoken)
        first = example or next((query for query in known if seen[query]), known[0])
        query = choose_query("Query", known, words, key="lab_query", first=first, param="query")
        method, strength = _setting(prices, found, names)
    lists, chance = compared_lists(prices, method, strength, query)
    chosen = f"{setting_words(method, strength)}. {chance}"
    finding = before_after_finding(lists, settings.quality_label)
    with head:
        section(finding.title, f"{quoted(words.get(query, query))} {finding.sentence} {chosen}")
    _draw(loaded, lists, prices, PLAIN[method])
    below = f"The first {MOST} of {lists.k} ranks are drawn. " if lists.k > MOST else ""
    at = pools.query_ids.index(query)
    weights = bench.members.weights[bench.rows(at)].sum(axis=0)
    sides = zip(bench.members.groups, weights, bench.target, strict=True)
    if lacks := [quoted(UNNAMED.get(group, group)) for group, weight, aim in sides if weight <= 0 and aim > 1e-6]:
        depth = int(pools.n_retrieved[at])
        below += f"None of this query's {depth} candidates is labelled {listing(lacks, 'or')}."
    if below:
        counts_line(below)
    return method, strength


def _standing(found: Outcome, names: list[str]) -> tuple[str, float]:
    """The re-ranking that the titles above speak of, else the strongest of the first method."""
    reach = found.best or found.reaches[0]
    shown = reach.shown
    return reach.method, STRENGTHS[names[0]].grid[-1] if shown is None else shown.strength


def _setting(prices: Prices, found: Outcome, names: list[str]) -> tuple[str, float]:
    """The re-ranking to look at: what the titles speak of unless another is chosen."""
    standing, usual = _standing(found, names)
    titles = {USUAL: f"Closest: {NAMES[standing]}"} | {name: NAMES[name] for name in names}
    chosen = choose_one("Method", titles, "method", format_func=titles.get)
    method = chosen or standing
    reach = next(each for each in found.reaches if each.method == method)
    if chosen:
        usual = STRENGTHS[method].grid[-1] if reach.shown is None else reach.shown.strength
    grid = [f"{setting.strength:g}" for setting in prices.tried(method)]
    symbol = STRENGTHS[method].symbol
    text = choose_one(
        f"Strength ({symbol})",
        [USUAL, *grid],
        "strength",
        format_func=lambda value: value or f"as above, {usual:g}",
        help=f"First: {STRENGTHS[method].weakest}. Last: {STRENGTHS[method].strongest}.",
    )
    return method, float(text) if text else usual


def _draw(loaded: Dataset, lists: BeforeAfter, prices: Prices, after: str) -> None:
    groups, passages = prices.bench.members.groups, loaded.passages or {}
    shown = {move.group for move in lists.moves} if len(groups) <= COLOURED else set[str]()
    used = [i for i, group in enumerate(groups) if group in shown]
    legend = [el("li", swatch(groups, i), el("span", UNNAMED.get(groups[i], groups[i]))) for i in used]
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
    lines: list[Html] = []
    for place, move in [*((str(move.after), move) for move in lists.after), *(("out", move) for move in lists.left)]:
        facts = [
            f"new, from rank {move.before}" if move.entered else f"was {move.before}" if move.left else move.arrow,
            UNNAMED.get(move.group, move.group) or "no group",
            "useful" if move.useful else "not useful",
        ]
        title, words = title_of(move.doc_id, passages), " · ".join(filter(None, facts))
        lines.append(el("li", el("strong", place), el("span", title), el("span", words, cls="fv-mute")))
    st.html(el("ol", *lines, cls="fv-lab-list", aria_label=f"with {after}"))
