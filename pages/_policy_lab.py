"""Policy lab: its controls, the target under the hand, what it costs, who gains and pays, one query, the downloads."""

import io
import math
from typing import Any, cast

import numpy as np
import polars as pl
import streamlit as st

from fairviz.display.words import UNDEFINED, count, in_words, interval, listing, number, percent, plural, quoted
from fairviz.evaluation.systems import named_rankings
from fairviz.io.rankings import write_run, write_samples
from fairviz.kernels.grouping import UNLABELLED, off_target_share
from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.points.columns import spacing_note
from fairviz.points.targets import WORTH_SAYING, exposure_of, share_scale
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.groups.findings import share_words
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis
from fairviz.studies.policy_lab.brief import CostScale, brief, cost_box, cost_scale, cost_ticks, queries_box, way_box
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.charts import (
    MOST,
    before_after_alt,
    before_after_figure,
    frontier_alt,
    frontier_figure,
)
from fairviz.studies.policy_lab.examples import BeforeAfter, before_after_finding, compared_lists, example_query
from fairviz.studies.policy_lab.findings import (
    budget_words,
    change_interval,
    change_words,
    counted,
    depth_words,
    frontier_title,
    left_out_words,
    methods_title,
    payments,
    reach_words,
    searched_words,
    warning_title,
)
from fairviz.studies.policy_lab.price import N_DRAWN, Prices, Row
from fairviz.studies.policy_lab.settings import DEEPEST, FIRST, PolicyLabSettings, QualityName
from fairviz.studies.policy_lab.strengths import (
    LABELS,
    NAMES,
    PLAIN,
    STRENGTHS,
    reranked_run,
    setting_words,
    strength_words,
)
from pages._kit import callout_box, colours, counts_line, empty_state, section, section_head, show_chart, show_figure
from pages._kit.commands import study_files
from pages._kit.controls import (
    AS_PUBLISHED,
    BROWSING,
    ScorePolicy,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_number,
    choose_one,
    choose_place,
    choose_policy,
    choose_query,
    choose_several,
    choose_unlabelled,
    decimal,
    following,
    one_of,
    standing_several,
)
from pages._kit.downloads import download
from pages._kit.html import Column, Html, el, join, keyed, swatch, table
from pages._kit.target import Editing, first_attribute, target_row, target_rows

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
    names = [labels.attribute for labels in loaded.attributes]
    attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=260)
    judgements = choose_judgements(loaded, loaded.runs[system], width=260)
    k = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST)
    about = (
        "How many documents are re-ranked, from the top: more where some group has none among them. "
        "The rest keeps its order below."
    )
    depth = choose_number("Candidates per query", 2, DEEPEST, DEPTH, "candidates", help=about)
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
        decimal(0.5, 20),
        lambda: st.slider(
            "Largest acceptable loss of quality", 0.5, 20.0, step=0.5, format="%g %%", key="budget", width=300
        ),
    )
    return budget, _switch("fixed", "Fixed lists only")


def choose_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""
    n = len(standing_several(LABELS, "methods", usual=FIRST))
    with st.popover(f"Methods: {n} of {len(LABELS)}", width="content"):
        return choose_several(
            "Methods to compare",
            LABELS,
            "methods",
            usual=FIRST,
            empty=True,
            format_func=NAMES.__getitem__,
            placeholder="Choose at least one",
            help="\n\n".join(f"**{reranker.plain}** ({reranker.label}): {reranker.summary}" for reranker in RERANKERS),
        )


# The target under the hand.

ROOM = 8
"""Groups up to which all rows are in sight; more scroll."""
HEIGHT = 380
"""Of the rows that scroll, in px."""


def rows_section(edit: Editing, analysis: PolicyLabAnalysis) -> None:
    """The target under the hand, with the shares of today and those with the setting that is proposed."""
    shares, found, n = analysis.shares.sort("at"), analysis.outcome, len(edit.groups)
    title = "Your target" if edit.state.is_set else "Equal shares, until you set a target"
    section(title, "Raise one, the others make room.")
    rows: list[dict[str, Any]] = []
    for row in shares.sort(pl.col("today").fill_nan(0), descending=True, maintain_order=True).rows(named=True):
        words = [UNDEFINED if math.isnan(share) else share_words(share) for share in (row["today"], row["after"])]
        last = words[1] if found.proposed else UNDEFINED
        rows.append(
            target_row(
                edit,
                row["at"],
                share=row["today"],
                ends=(row["today_low"], row["today_high"]),
                reach=row["after"] if found.proposed else math.nan,
                today=words[0],
                words=last,
                spoken=f"{words[0]} today, {last} after; {found.distance.due} {percent(row['target'])}",
            )
        )
    key = [("share", "share today, 95\u202f% interval"), ("reach", "after, with the setting that is proposed")]
    off = "" if found.silent else f"{found.distance.words(found.now['off'], unit=True)} today"
    with st.container(height=HEIGHT if n > ROOM else "content", border=False):
        today, high, after, target = (shares[key].to_numpy() for key in ("today", "today_high", "after", "target"))
        ticks = share_scale(today, np.fmax(high, after), target)
        target_rows(edit, rows, ticks, key=key, last="after", foot=("share of labelled attention", off))


# How far each method gets.


def methods(analysis: PolicyLabAnalysis, told: str) -> Html:
    """One row per method: from today to the target, cost, queries; what was re-ranked; who gains and who pays.

    Where nothing may be claimed the title of the page says so: what was re-ranked is left.
    """
    found = analysis.outcome
    if found.silent:
        return el("p", told, cls="fv-counts")
    title = methods_title(found)
    subtitle = (
        f"How far each gets from today to {found.distance.aim} within {budget_words(found.budget)}, what that costs "
        f"({searched_words(found.n_tried)}; dashed: your budget), and how many queries lose."
    )
    rows = _table(found, title) if found.reaches else None
    note = el("p", f"{_note(analysis)} {told}", cls="fv-counts", style="margin-top:.5rem")
    return join(section_head(title, subtitle), rows, note, _payments(analysis))


def _table(found: Outcome, title: str) -> Html:
    """Methods with their drawings, below the key of these."""
    scale = cost_scale(found)
    marks = {
        "certain": "moves, stays in budget",
        "estimate": "cannot tell whether it moves or stays in budget",
        "over": "over budget by estimate",
    }
    keys = (el("li", el("span", cls=f"fv-swatch fv-{kind}"), el("span", text)) for kind, text in marks.items())
    quality = ("change of quality ", el("span", found.quality, cls="fv-mute"), cost_ticks(scale))
    today = f"today, {found.distance.words(found.now['off'], unit=True)}"
    heads = (("Method",), (today,), quality, ("searches (queries): worse, same, better",))
    inside = el(
        "table",
        el("caption", title, cls="fv-unseen"),
        el("thead", el("tr", *(el("th", *parts, scope="col") for parts in heads))),
        el("tbody", *(_row(reach, found, scale) for reach in found.reaches)),
        cls="fv-table fv-methods",
    )
    return join(
        el("ul", *keys, cls="fv-legend fv-marks", aria_label="marks"),
        el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label="methods"),
    )


def _row(reach: Row, found: Outcome, scale: CostScale) -> Html:
    shown, words, method = reach["shown"], reach_words(reach, found), reach["method"]
    name = join(PLAIN[method], el("span", LABELS[method], cls="fv-below"))
    if shown is None:
        return el("tr", el("th", name, scope="row"), el("td", words, colspan=3, cls="fv-mute"))
    lists, badge = (
        ("fv-lists", "fixed list") if shown["is_fixed"] else ("fv-lists fv-random", "random: one of several lists")
    )
    first, _, rest = words.partition(";")
    way = (way_box(reach, found), el("p", el("strong", first), f";{rest}" if rest else ""))
    cost = el("p", el("strong", change_words(shown["change"])), change_interval(shown))
    return el(
        "tr",
        el("th", name, el("span", badge, cls=lists), scope="row"),
        el("td", *way, title=strength_words(method, shown["strength"])),
        el("td", cost_box(shown, scale), cost),
        el("td", queries_box(shown), el("p", counted(shown))),
        cls="fv-best" if found.best is reach else "",
    )


def _note(analysis: PolicyLabAnalysis) -> str:
    """What was left out, over which queries, how sure, which of several settings."""
    found, prices = analysis.outcome, analysis.prices
    left = [f"{NAMES[name]} is left out: {reason}." for name, reason in analysis.refused.items()]
    now, pools = found.now, prices.bench.pools
    missing = len(pools.missing_queries)
    undefined = now["n_undefined"] - missing
    queries = f"{plural(now['n_queries'], 'query', 'queries')} in every mean"
    if found.distance.in_points and now["n_labelled"] < now["n_queries"]:
        queries += f", {count(now['n_labelled'])} of them with labelled documents today"
    if undefined:
        queries += f"; {count(undefined)} left out (nothing judged useful)"
    if missing:
        queries += f"; {plural(missing, 'judged query is', 'judged queries are')} not among these lists"
    unlabelled = percent(found.unlabelled)
    lacks = f"{unlabelled} of attention goes to unlabelled documents." if found.unlabelled > WORTH_SAYING else ""
    alike = "Near ties: the safer setting is shown, then the cheaper."
    how = "intervals by resampling queries, paired with today (bootstrap)."
    drawn = "" if prices.measure is None else f"Policies: {N_DRAWN} rankings drawn, seed {prices.settings.seed}."
    policy, of_scores = ScorePolicy(analysis.settings.scores, analysis.settings.offset), {"plackett-luce", "optimal"}
    spaced = policy != AS_PUBLISHED and of_scores & {reach["method"] for reach in found.reaches}
    scores = spacing_note(*policy) if spaced else ""
    return " ".join(part for part in (*left, f"{queries}; {how}", lacks, alike, drawn, scores) if part)


# Who gains, and who pays.


def _payments(analysis: PolicyLabAnalysis) -> Html | None:
    """Groups by what they gain under the setting of the title; nothing where none is proposed."""
    if analysis.outcome.best is None:
        return None
    shares, distance = analysis.shares, analysis.outcome.distance
    title, sentence, warning = payments(shares, is_set=distance.is_set)
    groups = shares.sort("at")["group"].to_list()
    rows = [
        [
            keyed(groups, row["at"]),
            *(percent(row[side], 1) for side in ("today", "after", "target")),
            in_words(100 * row["change"], sign=True),
            interval(100 * row["change_low"], 100 * row["change_high"], 1),
            row["payment"],
        ]
        for row in shares.rows(named=True)
    ]
    heads = ["group", "today", "after", distance.due, "change, points", "95 % interval", Column()]
    about = "Share of labelled attention; intervals of changes are for all groups and settings together."
    return join(
        section_head(title, f"{sentence} {about}".strip()),
        callout_box(warning_title(is_set=distance.is_set), warning) if warning else None,
        table(heads, rows, caption="Who gains and who pays, by group", narrow="scroll", tall=True),
    )


# The best that any method achieves.


def frontier(found: Outcome) -> None:
    """The settings that no other beats: a line with its band, and their names beside it, folded on a phone."""
    distance = found.distance
    section(
        frontier_title(found),
        f"The best that any method achieves (line; band: {searched_words(found.n_tried)}). Faint dots: settings "
        f"that another one beats. The best of {found.settings.height} tries is a little flattering: expect "
        "slightly less.",
    )
    left, right = st.columns([17, 8], gap="medium")
    with left:
        show_chart(lambda colours: frontier_figure(found, colours=colours), "frontier", frontier_alt(found))
    rows = [
        [
            str(each["number"]),
            join(
                PLAIN[each["method"]],
                " ",
                el("span", f"{LABELS[each['method']]}, {'fixed' if each['is_fixed'] else 'random'}", cls="fv-mute"),
            ),
            f"{distance.words(each['off'])} off",
            change_words(each["change"]),
        ]
        for each in found.frontier.rows(named=True)
    ]
    heads = ["No.", Column("Setting"), "distance" if not distance.in_points else "points", "quality"]
    with right:
        known = table(heads, rows, caption="Settings on the line, by number", narrow="scroll", tall=True)
        name = el("summary", f"{plural(len(rows), 'setting')} on the line, by number")
        st.html(el("details", name, known, cls="fv-settings"))
        if gone := left_out_words(found):
            counts_line(gone)


# What was re-ranked.


def told(loaded: Dataset, settings: PolicyLabSettings, prices: Prices) -> str:
    """Run, candidates, and today's distance over all queries of the run where that is another, as Groups has it."""
    words = f"{prices.run.system}, ranks 1 to {settings.k}. {depth_words(prices.depths)}".strip()
    exposure = exposure_of(loaded, *prices.held.key, settings.browsing, settings.k)
    if prices.measure is not None or exposure.n_labelled == prices.now["n_labelled"] or exposure.is_few:
        return words
    off = 100 * float(off_target_share(exposure.shares, prices.held.target.shares))
    return (
        f"{words} Over all {plural(exposure.n_labelled, 'query', 'queries')} with labelled documents, judged or not, "
        f"{number(off, 1)} points of attention would have to move today, as on Groups & targets."
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
    prices, found, settings = analysis.prices, analysis.outcome, analysis.settings
    bench, pools = prices.bench, prices.bench.pools
    known = [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    row, names = st.container(horizontal=True, key="lab_head"), [reach["method"] for reach in found.reaches]
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
        example, _ = example_query(prices, *_standing(found.best or found.reaches[0]), spoken=found.spoken)
        first = example or next((query for query in known if seen[query]), known[0])
        query = choose_query("Query", known, words, first=first, key="query")
        method, strength = _setting(prices, found)
    lists = compared_lists(prices, method, strength, query, loaded.passages or {})
    finding, question = before_after_finding(lists, settings.quality_label), words.get(query, query)
    stop = "" if question.endswith((".", "?", "!", "…")) else "."
    with head:
        chosen = f"{setting_words(method, strength)}. {lists.words}"
        section(finding.title, f"{quoted(question)}{stop} {finding.sentence} {chosen}")
    _draw(lists, bench.members.groups, PLAIN[method])
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


def _standing(reach: Row) -> tuple[str, float]:
    """A method with the strength that stands for it, else its strongest."""
    method, shown = reach["method"], reach["shown"]
    return method, STRENGTHS[method].grid[-1] if shown is None else shown["strength"]


def _setting(prices: Prices, found: Outcome) -> tuple[str, float]:
    """The re-ranking to look at: what the titles above speak of unless another is chosen."""
    by_method = {reach["method"]: reach for reach in found.reaches}
    standing = (found.best or found.reaches[0])["method"]
    titles = {USUAL: f"Closest: {NAMES[standing]}"} | {name: NAMES[name] for name in by_method}
    method = choose_one("Method", titles, "method", format_func=titles.get) or standing
    _, usual = _standing(by_method[method])
    grid = [f"{strength:g}" for strength in prices.tried(method)["strength"]]
    symbol = STRENGTHS[method].symbol
    text = choose_one(
        f"Strength ({symbol})",
        [USUAL, *grid],
        "strength",
        format_func=lambda value: value or f"as above, {usual:g}",
        help=f"First: {STRENGTHS[method].weakest}. Last: {STRENGTHS[method].strongest}.",
    )
    return method, float(text) if text else usual


def _draw(lists: BeforeAfter, groups: tuple[str, ...], after: str) -> None:
    shown = {*lists.moves["group"]}
    used = [i for i, group in enumerate(groups) if group in shown] if len(groups) <= COLOURED else []
    legend = [el("li", swatch(groups, i), el("span", UNNAMED.get(groups[i], groups[i]))) for i in used]
    if "" in shown:
        legend.append(el("li", el("span", cls="fv-swatch fv-fill-mute"), el("span", "no group")))
    legend.append(el("li", el("span", "filled: judged useful, hollow: not", cls="fv-mute")))
    st.html(el("ul", *legend, cls="fv-legend", aria_label="colours of groups"))
    with st.container(key="lab_wide"):
        show_figure(
            before_after_figure(lists, colours=colours(), groups=groups, after=after),
            "before-after",
            before_after_alt(lists, after),
        )
    lines: list[Html] = []
    for move in (*lists.side("after"), *lists.left):
        before = move["before"]
        facts = [
            f"new, from rank {before}" if move["entered"] else f"was {before}" if move["left"] else move["step"],
            UNNAMED.get(move["group"], move["group"]) or "no group",
            "useful" if move["useful"] else "not useful",
        ]
        place, words = "out" if move["left"] else str(move["after"]), " · ".join(filter(None, facts))
        lines.append(el("li", el("strong", place), el("span", move["title"]), el("span", words, cls="fv-mute")))
    st.html(el("ol", *lines, cls="fv-lab-list", aria_label=f"with {after}"))


# Downloads.

N_SAMPLES = 20
"""Rankings per query in the file of a policy."""
FIELDS = (
    ("decides", "Decides", "Who takes the decision"),
    ("decision", "Decision", "What is decided, and until when"),
    ("budget", "Budget", "What may be given up"),
    ("why", "Why", "Why these targets"),
)
"""What people write into the brief: an empty field is a ruled line there."""


def downloads(loaded: Dataset, found: PolicyLabAnalysis, selection: tuple[str, float] | None) -> None:
    """Who decides and why, then the files; these are written when a button is pressed."""
    prices, settings = found.prices, found.settings
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # What people write into the brief; the budget begins as it is set.
        usual = {"budget": f"at most {budget_words(found.outcome.budget)} of quality ({settings.quality_label})"}
        with st.popover("Who decides, and why", icon=":material/edit_note:"):
            decided = {
                name: st.text_input(
                    label,
                    usual.get(name, ""),
                    key=f"brief_{name}_{usual.get(name, '')}",
                    placeholder=hint,
                    max_chars=240,
                )
                for name, label, hint in FIELDS
            }
        download(
            "One-page brief",
            lambda: brief(loaded, found, decided, browsing=BROWSING[settings.browsing]),
            "fairviz-brief.html",
            icon=":material/description:",
            kind="primary",
        )
        if selection is not None:
            download(
                "Download the re-ranked lists (TREC run)",
                lambda: run_text(prices, selection),
                f"{prices.run.system}+{selection[0]}.run",
                key="lab-run",
                kind="secondary",
                help=_about_run(prices, settings, selection),
            )
        files = ("policy-lab", settings), lambda: found.tables
        study_files("fairviz-price", "Methods and settings", *files, csv="points", latex=["methods"])
    counts_line("The address of this page holds target, budget, methods and query: copy it to share.")


def run_text(prices: Prices, selection: tuple[str, float]) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = reranked_run(
        cast("Run", prices.held.of.ranked),  # with its documents below those that are re-ranked
        find_reranker(selection[0]),
        prices.whole_bench,
        selection[1],
        seed=prices.settings.seed,
        n_samples=N_SAMPLES,
    )
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def _about_run(prices: Prices, settings: PolicyLabSettings, selection: tuple[str, float]) -> str:
    """What the file holds, and the number that another tool will give for it."""
    point = prices.point(*selection)
    about = f"{setting_words(*selection)}: {plural(len(prices.run.query_ids), 'query', 'queries')} of the run"
    if find_reranker(selection[0]).is_policy:
        return (
            f"{about}. It shows each visitor one of several lists, drawn at random: the file holds {N_SAMPLES} drawn "
            f"rankings of each query, seed {prices.settings.seed}, their number in column 2."
        )
    if point is None or settings.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{settings.k}")
    today = standard_values(prices.run, prices.qrels, [spec])[0].values
    known = point.quality[~np.isnan(point.quality)]
    # ir-measures counts a judged query without a value as 0
    mean = float(known.sum() / max(today.size, 1))
    repeats = (
        " (mean of the repeats; its lists are drawn at random, and the file holds one of them)"
        if prices.is_random(*selection)
        else ""
    )
    return (
        f"{about}. ir-measures gives it nDCG@{settings.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )
