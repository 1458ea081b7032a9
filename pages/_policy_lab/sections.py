"""Sections of the page Policy lab: the target under the hand, what it costs, who gains and loses."""

import math
from typing import Any

import numpy as np
import streamlit as st

from fairviz.display.words import UNDEFINED, count, in_words, interval, number, percent, plural
from fairviz.kernels.grouping import off_target_share
from fairviz.model import Dataset
from fairviz.points.targeted import WORTH_SAYING, exposure_of
from fairviz.points.targets import share_scale
from fairviz.points.words import spacing_note
from fairviz.studies.groups.findings import share_words
from fairviz.studies.policy_lab import boxes
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis
from fairviz.studies.policy_lab.budget import Outcome, Reach
from fairviz.studies.policy_lab.charts import frontier_alt, frontier_figure
from fairviz.studies.policy_lab.findings import (
    budget_words,
    change_interval,
    change_words,
    counted,
    depth_words,
    frontier_title,
    left_out_words,
    methods_title,
    payment,
    payments,
    reach_words,
    searched_words,
    warning_title,
)
from fairviz.studies.policy_lab.price import N_DRAWN, Prices
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import LABELS, NAMES, PLAIN, strength_words
from pages._kit import callout_box, counts_line, section, section_head, show_chart
from pages._kit.controls import AS_PUBLISHED, ScorePolicy
from pages._kit.html import Column, Html, el, join, keyed, table
from pages._kit.target import Editing, target_row, target_rows

ROOM = 8
"""Groups up to which all rows are in sight; more scroll."""
HEIGHT = 380
"""Of the rows that scroll, in px."""


def rows_section(edit: Editing, analysis: PolicyLabAnalysis) -> None:
    """The target under the hand, with the shares of today and those with the setting that is proposed."""
    shares, found, n = analysis.shares, analysis.outcome, len(edit.groups)
    title = "Your target" if edit.state.is_set else "Equal shares, until you set a target"
    section(title, "Raise one, the others make room.")
    rows: list[dict[str, Any]] = []
    for group in np.argsort(-np.nan_to_num(shares.today.shares), kind="stable").tolist():
        today, after = (float(side.shares[group]) for side in (shares.today, shares.after))
        words = [UNDEFINED if math.isnan(share) else share_words(share) for share in (today, after)]
        last = words[1] if found.proposed else UNDEFINED
        rows.append(
            target_row(
                edit,
                group,
                share=today,
                ends=(float(shares.today.ends.low[group]), float(shares.today.ends.high[group])),
                reach=after if found.proposed else math.nan,
                today=words[0],
                words=last,
                spoken=f"{words[0]} today, {last} after; {found.distance.due} {percent(float(shares.target[group]))}",
            )
        )
    key = [("share", "share today, 95\u202f% interval"), ("reach", "after, with the setting that is proposed")]
    off = "" if found.silent else f"{found.distance.words(found.now.off, unit=True)} today"
    with st.container(height=HEIGHT if n > ROOM else "content", border=False):
        ticks = share_scale(shares.today.shares, np.fmax(shares.today.ends.high, shares.after.shares), shares.target)
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
    scale = boxes.cost_scale(found)
    marks = {
        "certain": "moves, stays in budget",
        "estimate": "cannot tell whether it moves or stays in budget",
        "over": "over budget by estimate",
    }
    keys = (el("li", el("span", cls=f"fv-swatch fv-{kind}"), el("span", text)) for kind, text in marks.items())
    quality = ("change of quality ", el("span", found.quality, cls="fv-mute"), boxes.cost_ticks(scale))
    today = f"today, {found.distance.words(found.now.off, unit=True)}"
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


def _row(reach: Reach, found: Outcome, scale: boxes.CostScale) -> Html:
    shown, words = reach.shown, reach_words(reach, found)
    name = join(PLAIN[reach.method], el("span", LABELS[reach.method], cls="fv-below"))
    if shown is None:
        return el("tr", el("th", name, scope="row"), el("td", words, colspan=3, cls="fv-mute"))
    lists, badge = (
        ("fv-lists", "fixed list") if shown.is_fixed else ("fv-lists fv-random", "random: one of several lists")
    )
    first, _, rest = words.partition(";")
    way = (boxes.way_box(reach, found), el("p", el("strong", first), f";{rest}" if rest else ""))
    cost = el("p", el("strong", change_words(shown.change)), change_interval(shown.change_ends))
    return el(
        "tr",
        el("th", name, el("span", badge, cls=lists), scope="row"),
        el("td", *way, title=strength_words(reach.method, shown.strength)),
        el("td", boxes.cost_box(shown, scale, found), cost),
        el("td", boxes.queries_box(shown), el("p", counted(shown))),
        cls="fv-best" if found.best is reach else "",
    )


def _note(analysis: PolicyLabAnalysis) -> str:
    """What was left out, over which queries, how sure, which of several settings."""
    found, prices = analysis.outcome, analysis.prices
    left = [f"{NAMES[name]} is left out: {reason}." for name, reason in analysis.refused.items()]
    now, pools = found.now, prices.bench.pools
    missing = len(pools.missing_queries)
    undefined = now.n_undefined - missing
    queries = f"{plural(now.n_queries, 'query', 'queries')} in every mean"
    if found.distance.in_points and now.n_labelled < now.n_queries:
        queries += f", {count(now.n_labelled)} of them with labelled documents today"
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
    spaced = policy != AS_PUBLISHED and of_scores & {reach.method for reach in found.reaches}
    scores = spacing_note(*policy) if spaced else ""
    return " ".join(part for part in (*left, f"{queries}; {how}", lacks, alike, drawn, scores) if part)


# Who gains, and who pays.


def _payments(analysis: PolicyLabAnalysis) -> Html | None:
    """Groups by what they gain under the setting of the title; nothing where none is proposed."""
    if analysis.outcome.best is None:
        return None
    shares, distance = analysis.shares, analysis.outcome.distance
    title, sentence, warning = payments(shares, is_set=distance.is_set)
    rows = [
        [
            keyed(shares.groups, at),
            *(percent(float(share[at]), 1) for share in (shares.today.shares, shares.after.shares, shares.target)),
            in_words(100 * float(shares.after.shares[at] - shares.today.shares[at]), sign=True),
            interval(100 * float(shares.gains.low[at]), 100 * float(shares.gains.high[at]), 1),
            payment(shares, at),
        ]
        for at in shares.by_gain
    ]
    heads = ["group", "today", "after", distance.due, "change, points", "95 % interval", Column(label="")]
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
        f"that another one beats. The best of {len(found.settings)} tries is a little flattering: expect "
        "slightly less.",
    )
    left, right = st.columns([17, 8], gap="medium")
    with left:
        show_chart(lambda colours: frontier_figure(found, colours=colours), "frontier", frontier_alt(found))
    rows = [
        [
            str(number_),
            join(
                PLAIN[each.method],
                " ",
                el("span", f"{LABELS[each.method]}, {'fixed' if each.is_fixed else 'random'}", cls="fv-mute"),
            ),
            f"{distance.words(each.off)} off",
            change_words(each.change),
        ]
        for number_, each in enumerate(found.frontier, start=1)
    ]
    heads = ["No.", Column(label="Setting"), "distance" if not distance.in_points else "points", "quality"]
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
    if prices.measure is not None or exposure.n_labelled == prices.now.n_labelled or exposure.is_few:
        return words
    off = 100 * float(off_target_share(exposure.shares, prices.held.target.shares))
    return (
        f"{words} Over all {plural(exposure.n_labelled, 'query', 'queries')} with labelled documents, judged or not, "
        f"{number(off, 1)} points of attention would have to move today, as on Groups & targets."
    )
