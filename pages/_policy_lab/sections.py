"""Downloads of the Policy lab: tables, the re-ranked run, a one-page brief."""

import io
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.groups import UNLABELLED
from fairviz.io import write_run, write_samples
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.rerank.catalogue import RERANKERS, find_reranker
from fairviz.show.html import Figure
from fairviz.show.table import csv_text, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding, count, listing, number, percent, plural, signed
from fairviz.studies.policy_lab.brief import Brief, brief_html
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.figures_lists import MOST, before_after_alt, before_after_figure
from fairviz.studies.policy_lab.findings import (
    before_after_finding,
    chart_title,
    furthest_words,
    price_words,
    row_words,
    without_words,
)
from fairviz.studies.policy_lab.lists import BeforeAfter, Move
from fairviz.studies.policy_lab.price import Bought, Standing, no_return
from fairviz.studies.policy_lab.progressive import N_DRAWN, GrowingPrices, query_before_after, reranked_run, shown_order
from fairviz.studies.policy_lab.tables import bought_table, in_order, point_table
from pages._kit import (
    Cell,
    Column,
    Html,
    Key,
    Toned,
    Two,
    colours,
    counts_line,
    download_row,
    el,
    empty_state,
    html_table,
    readouts,
    section,
    show_figure,
    user_text,
)
from pages._kit.controls import choose_query
from pages._kit.share_bars import swatch
from pages._policy_lab.results import (
    LABELS,
    LETTERS,
    SEED,
    STRENGTHS,
    SYMBOL_OF,
    Results,
    Settings,
    lacking,
    strength_words,
)

# The price of fairness on the page: read-outs, chart, words, table.


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


# Before and after on the page: one query, one re-ranker, one strength.


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


class Shown(NamedTuple):
    """What stands in the section: also what is downloaded.

    Attributes:
        method, strength: The re-ranking.
        found: The query's two lists; None where no query can be shown.
    """

    method: str
    strength: float
    found: BeforeAfter | None

    @property
    def label(self) -> str:
        """The re-ranking in words."""
        return f"{LABELS[self.method]}, {strength_words(self.method, self.strength)}"


def before_after_section(loaded: Dataset, growing: GrowingPrices, chosen: Settings, found: Results) -> Shown | None:
    """Choose a re-ranking and a query, and see the list change."""
    known = [query for query, n in zip(growing.axes.pools.query_ids, growing.axes.pools.n_retrieved, strict=True) if n]
    head = st.container()
    if not found.found or not known:
        with head:
            section("Before and after, one query at a time")
        empty_state("Nothing to compare", "No re-ranker is chosen, or no query has candidates.")
        return None
    words = loaded.texts or {}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        first = _first_changed(growing, found, known)
        query = choose_query("Query", known, words, key="lab_query", first=first)
        method, strength = _setting(found)
    shown = _compare(growing, method, strength, query)
    said = before_after_finding(shown, chosen.quality_label)
    name = f"{LABELS[method]}, {strength_words(method, strength)}"
    with head:
        section(said.title, f"Before and after, one query at a time. {said.sentence} {name}.")
    if query in words:
        user_text(words[query])
    _draw(shown, growing, LABELS[method])
    note = _how_often(growing, method, strength, growing.axes.pools.query_ids.index(query))
    more = f" · the first {MOST} of {shown.k} ranks are drawn" if shown.k > MOST else ""
    missing = _without(growing, growing.axes.pools.query_ids.index(query))
    counts_line(f"Filled: judged useful; hollow: not{more}{note}{missing}")
    return Shown(method, strength, shown)


def _first_changed(growing: GrowingPrices, found: Results, known: list[str]) -> str:
    """The first query whose attention the nearest re-ranker moves between groups."""
    if found.best is None or found.best.standing is None:
        return known[0]
    curve = growing.curve(found.best.method)
    if curve is None:
        return known[0]
    after = curve.at(found.best.standing.strength).shares
    apart = np.abs(after - growing.today.points[0].shares).sum(axis=1)
    moved = dict(zip(growing.axes.pools.query_ids, (apart > MOVED).tolist(), strict=True))
    return next((query for query in known if moved[query]), known[0])


def _setting(found: Results) -> tuple[str, float]:
    """The re-ranking to look at: the nearest inside the budget unless another is chosen."""
    best = found.best.method if found.best else next(iter(found.found))
    names = list(found.found)
    method = st.selectbox(
        "Re-ranker",
        names,
        index=names.index(best),
        format_func=lambda name: LABELS[name],
        key=f"lab_method_{best}",
        width=230,
    )
    grid = [one.strength for one in found.found[method]]
    place = found.view.ringed.get(method, len(grid) - 1)
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


def _compare(growing: GrowingPrices, method: str, strength: float, query: str) -> BeforeAfter:
    bench = growing.bench
    at = growing.axes.pools.query_ids.index(query)
    order = shown_order(find_reranker(method), bench, strength, at, seed=SEED).order
    curve = growing.curve(method)
    after = float("nan") if curve is None else float(curve.at(strength).quality[at])
    quality = (float(growing.today.points[0].quality[at]), after)
    return query_before_after(bench, at, order, quality=quality)


def _draw(shown: BeforeAfter, growing: GrowingPrices, after: str) -> None:
    groups = growing.axes.members.groups
    used = [i for i, g in enumerate(groups) if any(move.group == g for move in shown.moves)]
    legend = (el("li", swatch(groups, i), el("span", _named(groups[i]))) for i in used)
    st.html(el("ul", *legend, cls="fv-legend", aria_label="colours of groups"))
    with st.container(key="lab_wide"):
        show_figure(
            before_after_figure(shown, colours=colours(), groups=groups, after=after),
            "before-after",
            before_after_alt(shown, after),
        )
    out = [_line(move, shown, "out") for move in shown.before if shown.left(move)]
    rows = [_line(move, shown, str(move.after)) for move in shown.after]
    st.html(PHONE + el("ol", *rows, *out, cls="fv-lab-list", aria_label=f"with {after}"))


def _line(move: Move, shown: BeforeAfter, place: str) -> Html:
    step = f"▲{move.climbed}" if move.climbed > 0 else f"▼{-move.climbed}" if move.climbed else ""
    facts = [
        step,
        "new" if shown.entered(move) else "",
        _named(move.group) if move.group else "",
        "useful" if move.useful else "",
    ]
    said = " · ".join(fact for fact in facts if fact)
    return el("li", el("strong", place), el("span", move.doc_id), el("span", said, cls="fv-mute"))


def _named(group: str) -> str:
    return "no label" if group == UNLABELLED else group


def _how_often(growing: GrowingPrices, method: str, strength: float, at: int) -> str:
    """What the list on the right is, where the re-ranking is no single list."""
    reranker = find_reranker(method)
    if reranker.random:
        return f" · one of its lists, seed {SEED}; the quality is the mean of its repeats"
    if not reranker.is_policy:
        return ""
    drawn = shown_order(reranker, growing.bench, strength, at, seed=SEED)
    if np.isnan(drawn.chance):
        return " · this policy shows many lists; these are its documents by expected attention"
    if drawn.n_lists == 1:
        return ""
    return f" · this policy shows {drawn.n_lists} lists; this one in {percent(drawn.chance)} of cases"


def _without(growing: GrowingPrices, at: int) -> str:
    """Groups that this query has no candidate of."""
    axes = growing.axes
    lacks = [
        _named(group)
        for group, none, wanted in zip(axes.members.groups, axes.without_candidates()[at], axes.target[at], strict=True)
        if none and wanted > 1e-6
    ]
    return f" · no candidate of this query is labelled {', '.join(lacks)}" if lacks else ""


N_SAMPLES = 20
"""Rankings per query in the file of a policy."""

HEIGHT = 300
"""Of the chart in the brief, in px: what fits on a page with everything else."""


def downloads(
    loaded: Dataset,
    growing: GrowingPrices,
    chosen: Settings,
    found: Results,
    shown: Shown | None,
    said: Finding,
) -> None:
    """The row of tables, the run, the brief; files are written when a button is pressed."""
    section("Take it with you", "The numbers as tables, the lists as a run, the finding on a page.")
    table = bought_table(
        found.every,
        found.best,
        labels=LABELS,
        symbols=LETTERS,
        refused=found.refused,
        caption=f"What each re-ranker buys for {found.view.budget:g} % of {chosen.quality_label}",
        points=found.points,
    )
    every = {"today": [found.now], **found.found}
    download_row(
        "fairviz-price",
        frame_csv=lambda: csv_text(point_table(growing.run.system, every, LABELS)),
        latex=lambda: latex_text(table, label="tab:price"),
    )
    if shown is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.download_button(
            "Download the re-ranked run (TREC)",
            lambda: run_text(loaded, growing, chosen, shown),
            file_name=f"{growing.run.system}+{shown.method}.run",
            mime="text/plain",
            icon=":material/download:",
            on_click="ignore",
            key="lab-run",
        )
        st.download_button(
            "One-page brief",
            lambda: brief(loaded, growing, chosen, found, shown, said),
            file_name="fairviz-brief.html",
            mime="text/html",
            icon=":material/description:",
            on_click="ignore",
            key="lab-brief",
        )
    counts_line(_about_run(growing, chosen, shown))


def run_text(loaded: Dataset, growing: GrowingPrices, chosen: Settings, shown: Shown) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = _ranked(loaded.runs[chosen.system], growing, shown)
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def brief(
    loaded: Dataset,
    growing: GrowingPrices,
    chosen: Settings,
    found: Results,
    shown: Shown,
    said: Finding,
) -> str:
    """The finding for one target as a page that prints."""
    light, dark = in_both_themes(lambda colours: price_figure(found.view, colours=colours, height=HEIGHT))
    shares = growing.axes.target[0] if len(growing.axes.target) else []
    groups = growing.axes.members.groups
    goal = ", ".join(f"{g} {percent(float(s))}" for g, s in zip(groups, shares, strict=True))
    words = loaded.texts or {}
    asked = "" if shown.found is None else words.get(shown.found.query_id, shown.found.query_id)
    return brief_html(
        Brief(
            finding=said,
            data=f"{loaded.name}: {growing.run.system}, top {chosen.k}, "
            f"{plural(found.now.n_queries, 'query', 'queries')}.",
            target=goal,
            figure=Figure(light, dark, price_alt(found.view), name="fairviz-price"),
            bought=bought_table(
                found.every,
                found.best,
                labels=LABELS,
                symbols=LETTERS,
                refused={},
                points=found.points,
            ),
            question=asked,
            shown=shown.found,
            reranking=shown.label,
            limits=without_words(*lacking(growing)),
            k=chosen.k,
            depth=chosen.depth,
            quality=chosen.quality_label,
        ),
        plotly_js=plotly_script(),
    )


def _ranked(run: Run, growing: GrowingPrices, shown: Shown) -> Run | RankingSample:
    return reranked_run(
        run,
        find_reranker(shown.method),
        growing.whole_bench,
        shown.strength,
        seed=SEED,
        n_samples=N_SAMPLES,
    )


def _about_run(growing: GrowingPrices, chosen: Settings, shown: Shown) -> str:
    """What the file holds, and the number that another tool will give for it."""
    curve = growing.curve(shown.method)
    about = f"{shown.label}: all {len(growing.run.query_ids)} queries of the run"
    if find_reranker(shown.method).is_policy:
        return f"{about}; {N_SAMPLES} rankings of each drawn, seed {SEED}, number in column 2."
    if curve is None or chosen.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{chosen.k}")
    today = standard_values(growing.run, growing.qrels, [spec])[0].values
    values = curve.at(shown.strength).quality
    known = values == values
    # ir-measures counts a judged query without a value as 0
    mean = float(values[known].sum() / max(today.size, 1))
    repeats = " (mean of the repeats; the file holds one)" if find_reranker(shown.method).random else ""
    return (
        f"{about}. ir-measures gives it nDCG@{chosen.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )
