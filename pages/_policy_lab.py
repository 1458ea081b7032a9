"""Policy lab: controls, the statements under the hand, what they lead to, other methods, one query, downloads."""

import io
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import polars as pl
import streamlit as st

from fairviz.display.words import (
    UNDEFINED,
    capital,
    count,
    count_word,
    in_words,
    interval,
    listing,
    number,
    percent,
    plural,
    quoted,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import named_rankings
from fairviz.io.rankings import write_run, write_samples
from fairviz.io.targets import bounds_text
from fairviz.kernels.grouping import UNLABELLED, off_target_share
from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.effectiveness import standard_values
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.model import Dataset, FloatArray, RankingSample, Run, ShareBounds
from fairviz.points.columns import spacing_note
from fairviz.points.targets import WORTH_SAYING, exposure_of, share_scale
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.groups.findings import share_words
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis, analyse, is_set, prices_under
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.brief import CostScale, brief, cost_box, cost_scale, cost_ticks, queries_box, way_box
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.charts import (
    MOST,
    before_after_alt,
    before_after_figure,
    frontier_alt,
    frontier_figure,
    least_loss_alt,
    least_loss_figure,
)
from fairviz.studies.policy_lab.examples import BeforeAfter, before_after_finding, compared_lists, example_query
from fairviz.studies.policy_lab.findings import (
    answers,
    budget_words,
    change_interval,
    change_words,
    counted,
    depth_words,
    frontier_title,
    left_out_words,
    line_title,
    lists_title,
    methods_title,
    moves_title,
    payers_words,
    payments_title,
    price_finding,
    reach_words,
    searched_words,
    shares_in_words,
    side_effects_title,
)
from fairviz.studies.policy_lab.settings import DEEPEST, FIRST, PolicyLabSettings, QualityName
from fairviz.studies.policy_lab.stated import StatedOutcome, stated_run
from fairviz.studies.policy_lab.strengths import (
    LABELS,
    N_DRAWN,
    NAMES,
    PLAIN,
    STRENGTHS,
    Prices,
    reranked_run,
    setting_words,
    strength_words,
)
from pages._kit import (
    callout,
    callout_box,
    colours,
    counts_line,
    empty_state,
    fold,
    rule,
    section,
    section_head,
    show_chart,
    show_figure,
    step_by_step,
)
from pages._kit.commands import study_files
from pages._kit.controls import (
    AS_PUBLISHED,
    BROWSING,
    CHOICES,
    ScorePolicy,
    choose,
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
    standing_several,
)
from pages._kit.downloads import download
from pages._kit.html import Column, Html, around_zero, el, glyph, in_tone, join, muted, swatch, table, two_lines
from pages._kit.link import name_mark
from pages._kit.target import (
    FREE,
    STATEMENTS,
    TARGET,
    Editing,
    first_attribute,
    group_row,
    preset_pills,
    state_anew,
    statement_rows,
)

POINTS = "points of attention that would have to move, all queries together"
MEASURES: dict[str, str] = {"": POINTS} | {
    measure.name: f"{measure.title} ({measure.label})" for measure in GROUP_MEASURES
}
"""Measures of distance by their name on the page; the first is half of L1 of all queries together."""

K, DEPTH = PolicyLabSettings.k, PolicyLabSettings.candidates


# Controls: every one stands in the address.


def choose_all(loaded: Dataset) -> tuple[float, bool, tuple[int, int, PolicyLabSettings]]:
    """Budget, one list for everybody, and behind More: places of system and groups, and the settings of the study."""
    budget = following(
        "budget",
        3.0,
        decimal(0.5, 20),
        lambda: st.slider("Largest acceptable loss of quality", 0.5, 20.0, step=0.5, format="%g %%", key="budget"),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        fixed = _switch("fixed", "One list for everybody")
        with st.popover("More", icon=":material/tune:", width="content"):
            quality = choose("quality", draw=st.radio, format_func=CHOICES["quality"]["words"].get)
            return budget, fixed, _more(loaded, quality)


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


def standing_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""
    return standing_several(LABELS, "methods", usual=FIRST)


def choose_methods() -> tuple[str, ...]:
    """Choose the methods that are compared."""
    with st.popover(f"Methods: {len(standing_methods())} of {len(LABELS)}", width="content"):
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


# What is asked for.

ROOM = 9
"""Rows up to which all are in sight; more scroll."""
HEIGHT = 440
"""Of the rows that scroll, in px."""
HOW = (
    "One row per group. Choose what its share has to be and drag the bracket; “next point”: change of quality by "
    "scores, %, if the statement asks for one more point."
)
STATED_KEY = (
    ("allowed", "allowed: drag its edge, or arrow keys"),
    ("ring", "today"),
    ("dot", "after"),
)
CLOSE = 1e-9


def choose_statements(loaded: Dataset, edit: Editing) -> tuple[str, ...]:
    """Presets, and further attributes about which something can be stated; their names."""
    with st.popover("Set all", icon=":material/format_list_bulleted:", width="content"):
        if len(edit.groups) > 1:
            preset_pills(edit, stands=st.session_state.get(STATEMENTS, TARGET) == TARGET)
        for label, way in (("Nothing is asked", FREE), ("Today’s shares at least", FLOORS)):
            st.button(label, key=f"all-{way}", on_click=_set_all, args=(loaded, edit, way), type="tertiary")
    names = [labels.attribute for at, labels in enumerate(loaded.attributes) if at != edit.attribute]
    if not names:
        return ()
    with st.popover("Add an attribute", icon=":material/add:", width="content"):
        return choose_several("Ask about these, too", names, "also", mark=name_mark)


FLOORS = "floors"
"""All statements at once: no group gets less than today, to a whole percent."""


def _set_all(loaded: Dataset, edit: Editing, statements: str) -> None:
    """Set the statements of the attribute that counts at once, and take back all others."""
    shares: FloatArray | None = st.session_state.get(f"{edit.where}-today")
    if statements == FLOORS and shares is not None and not np.isnan(shares).any():
        attribute = loaded.attributes[edit.attribute].attribute
        low = np.floor(100 * shares + CLOSE) / 100
        names = (attribute,) * low.size
        bounds = ShareBounds(attributes=names, groups=edit.groups, low=low, high=np.ones(low.size))
        statements = bounds_text(bounds)
    state_anew(edit, statements if statements != FLOORS else FREE)


def rows_section(edit: Editing, outcome: StatedOutcome, also: Sequence[str]) -> None:
    """What is asked for: a row for each group of the attribute that counts, of those that are stated or chosen.

    Args:
        edit: The target of the attribute that counts.
        outcome: What holding the statements does.
        also: Further attributes.
    """
    own = outcome.stated.beside.of.labels.attribute
    shown = pl.col("is_stated") | (pl.col("attribute") == own) | pl.col("attribute").is_in(also)
    first = pl.col("attribute") != own
    groups = (
        outcome.groups.filter(shown)
        .with_row_index("place")
        .sort(first, pl.col("place").min().over("attribute"), -pl.col("today").fill_nan(0), maintain_order=True)
    )
    st.session_state[f"{edit.where}-today"] = groups.filter(attribute=own).sort("at")["today"].to_numpy()
    rows = [_statement_row(edit, row, own, outcome) for row in groups.rows(named=True)]
    high = groups.select(pl.max_horizontal("low", pl.when(pl.col("high") < 1).then("high"), "after")).to_series()
    today = groups["today"].to_numpy()
    ticks = share_scale(today, high.to_numpy(), np.array([1.1 * float(np.nanmax(today, initial=0.1)) / 2]))
    attributes = [capital(name) for name in groups["attribute"].unique(maintain_order=True)]
    with st.container(height=HEIGHT if len(rows) > ROOM else "content", border=False):
        statement_rows(edit, rows, attributes, ticks, key=STATED_KEY)


def _statement_row(edit: Editing, row: dict[str, Any], own: str, outcome: StatedOutcome) -> dict[str, Any]:
    is_own, stated = row["attribute"] == own, not outcome.statements.is_empty()
    today, after = (UNDEFINED if math.isnan(row[side]) else share_words(row[side]) for side in ("today", "after"))
    word = "too few" if outcome.silent and row["word"] == "cannot tell" else row["word"]
    price = row["price"] if abs(row["price"]) >= 0.005 or math.isnan(row["price"]) else 0.0
    marks = {"low": row["low"], "high": row["high"], "share": row["today"]}
    return group_row(
        row["group"],
        row["at"],
        marks | {"reach": row["after"] if stated else math.nan},
        groups=edit.groups if is_own else (),
        attribute=row["attribute"],
        own=is_own,
        today=today,
        after=after if stated else UNDEFINED,
        mark="" if word == "stays" or not stated else word,
        next="–" if math.isnan(row["price"]) else in_words(price, 2, sign=True) if price else "0",
        spoken=f"{today} today{f', {after} after' if stated else ''}",
    )


# What the statements lead to.

TONES = {"moves": "plackett-luce", "stays in budget": "gain", "over budget": "loss"}
"""Colours of what may be said; everything else is hatched ink."""


def answers_strip(outcome: StatedOutcome) -> Html:
    """The four answers under the title."""
    parts: list[Html] = []
    for answer in answers(outcome):
        tone = TONES.get(answer.mark, "unsure")
        mark = el("span", answer.mark, cls=f"fv-word fv-word-{tone}") if answer.mark else None
        value = el("p", mark, " " if mark else "", el("strong", answer.value))
        parts.append(el("div", el("p", answer.question, cls="fv-mute"), value, el("p", answer.note, cls="fv-mute")))
    return el("div", *parts, cls="fv-answers")


def line(outcome: StatedOutcome) -> None:
    """The least loss at each distance from the statements."""
    if outcome.statements.is_empty() or outcome.silent or outcome.stated.distance_today < CLOSE:
        return
    how = "Least loss at each distance from your statements, exact. Dashed: the same lists by judgements, 95\u202f%."
    section(line_title(outcome), how)
    show_chart(lambda colours: least_loss_figure(outcome, colours=colours), "least-loss", least_loss_alt(outcome))


def consequences(outcome: StatedOutcome) -> None:
    """Who gains, who pays; what happens to other attributes; which queries show one list."""
    rule()
    changed = outcome.groups.filter(pl.col("word") != "")
    halves = (
        (payments_title(outcome), changed.filter("is_stated")),
        (side_effects_title(outcome), changed.filter(~pl.col("is_stated"))),
    )
    about = "Change of the share of attention, points; 95\u202f% interval for all groups of the table together."
    for column, (title, groups) in zip(st.columns(2, gap="medium"), halves, strict=True):
        if groups.is_empty():
            continue
        with column:
            section(title, about)
            st.html(_changes(title, groups, several=groups["attribute"].n_unique() > 1))
    rule()
    quality = outcome.stated.settings.quality_label
    section(lists_title(outcome), f"How often the likeliest list is shown; below, the change of {quality}.")
    st.html(_lists_strip(outcome.queries))


def _changes(title: str, groups: pl.DataFrame, *, several: bool = False, due: str = "") -> Html:
    """Groups by what they gain, with their intervals drawn on one range.

    Args:
        title: What is above them.
        groups: As of :func:`~fairviz.studies.policy_lab.budget.moved_shares`.
        several: Whether of several attributes.
        due: What a ``target`` of each is called; "" where there is none.
    """
    span = around_zero([*groups["change_low"], *groups["change_high"], *groups["change"]])
    rows: list[list[str]] = []
    for row in groups.sort(pl.col("change"), descending=True, maintain_order=True).rows(named=True):
        sure = row["word"] == "moves"
        tone = ("gain" if row["change"] > 0 else "loss") if sure else ""
        name = join(row["group"], " ", el("span", row["attribute"], cls="fv-mute")) if several else row["group"]
        text = in_words(100 * row["change"], sign=True)
        drawn = glyph(row["change"], row["change_low"], row["change_high"], span=span, tone=tone)
        shares = " → ".join(shares_in_words(row["today"], row["after"]))
        ends = interval(100 * row["change_low"], 100 * row["change_high"], 1)
        points = two_lines(in_tone(text, tone) if sure else muted(text), ends)
        rows.append([name, shares, *([percent(row["target"], 1)] if due else []), points, drawn])
    heads = ["group", "share", *([due] if due else []), "points", Column("95 % interval")]
    return table(heads, rows, caption=title, narrow="scroll", tall=len(rows) > 12)


MOST_CELLS = 40
"""Queries up to which each has a cell; of more, those that switch are listed."""


def _lists_strip(queries: pl.DataFrame) -> Html:
    """A cell for each query: how often its likeliest list is shown, and what becomes of its quality."""
    shown = queries if queries.height <= MOST_CELLS else queries.filter(pl.col("n_lists") > 1)
    largest = max(queries.select(pl.col("change").abs().max()).item() or 0.0, CLOSE)
    cells: list[Html] = []
    for row in shown.rows(named=True):
        change, part = row["change"], 100 * row["chance"]
        rest = f"{100 - part:.0f}" if row["n_lists"] == 2 else "…"
        words = "one list" if row["n_lists"] == 1 else f"{part:.0f} : {rest}"
        side = "up" if change > CLOSE else "down" if change < -CLOSE else "even"
        visits = el("span", cls="fv-visits-bar", style=f"width:{part:.0f}%")
        moved = el("span", cls=f"fv-visits-change fv-{side}", style=f"height:{24 * abs(change) / largest:.1f}px")
        cells.append(
            el(
                "li",
                el("span", row["query_id"], cls="fv-visits-name"),
                el("span", visits, cls=f"fv-visits-track fv-{'one' if row['n_lists'] == 1 else 'several'}"),
                el("span", words),
                el("span", moved, cls=f"fv-visits-axis fv-{side}"),
                el("span", in_words(change, 2, sign=True), cls=f"fv-visits-number fv-{side}"),
            )
        )
    return el("ol", *cells, cls="fv-visits", aria_label="queries")


# Other methods: how far each gets towards the shares that the statements lead to.


def other_methods(loaded: Dataset, settings: PolicyLabSettings) -> tuple[PolicyLabSettings, tuple[str, float] | None]:
    """Methods that re-rank query by query, where somebody opens them.

    Returns:
        The settings with the methods that are compared; the method and strength that are looked at.
    """
    rule()
    aim = "the shares that your statements lead to" if is_set(loaded, settings) else "equal shares"
    about = f"Each aims at {aim}: how far it gets, the best line, one query before and after"
    with fold("Other methods", about, key="lab-methods") as is_open:
        if not is_open:
            return settings, None
        settings = replace(settings, methods=choose_methods())
        try:
            prices = prices_under(loaded, settings)
        except FairvizError as error:
            callout("This distance has no value on these data", str(error))
            return settings, None
        step_by_step([(NAMES[name], partial(prices.compute, [name])) for name in settings.methods])
        analysis = analyse(loaded, settings)
        if n := analysis.outcome.hidden:
            which = "the one method that shows" if n == 1 else f"the {count_word(n)} methods that show"
            counts_line(f"One list for everybody hides {which} lists at random.")
        finding = price_finding(analysis.outcome)
        section(finding.title, finding.sentence)
        st.html(methods(analysis, provenance(loaded, settings, prices)))
        if not analysis.outcome.silent:
            frontier(analysis.outcome)
        return settings, before_after_section(loaded, analysis)


# How far each method gets.


def methods(analysis: PolicyLabAnalysis, remark: str) -> Html:
    """One row per method: from today to the target, cost, queries; what was re-ranked; who gains and who pays.

    Where nothing may be claimed the title of the page says so: what was re-ranked is left.
    """
    outcome = analysis.outcome
    if outcome.silent:
        return el("p", remark, cls="fv-counts")
    title = methods_title(outcome)
    subtitle = (
        f"How far each gets from today to {outcome.distance.aim} within {budget_words(outcome.budget)}, what that "
        f"costs ({searched_words(outcome.n_tried)}; dashed: your budget), and how many queries lose."
    )
    rows = _table(outcome, title) if outcome.reaches else None
    note = el("p", f"{_note(analysis)} {remark}", cls="fv-counts", style="margin-top:.5rem")
    return join(section_head(title, subtitle), rows, note, _payments(analysis))


def _table(outcome: Outcome, title: str) -> Html:
    """Methods with their drawings, below the key of these."""
    scale = cost_scale(outcome)
    marks = {
        "certain": "moves, stays in budget",
        "estimate": "cannot tell whether it moves or stays in budget",
        "over": "over budget by estimate",
    }
    keys = (el("li", el("span", cls=f"fv-swatch fv-{kind}"), el("span", text)) for kind, text in marks.items())
    quality = ("change of quality ", el("span", outcome.quality, cls="fv-mute"), cost_ticks(scale))
    today = f"today, {outcome.distance.words(outcome.now['off'], unit=True)}"
    heads = (("Method",), (today,), quality, ("searches (queries): worse, same, better",))
    inside = el(
        "table",
        el("caption", title, cls="fv-unseen"),
        el("thead", el("tr", *(el("th", *parts, scope="col") for parts in heads))),
        el("tbody", *(_row(reach, outcome, scale) for reach in outcome.reaches)),
        cls="fv-table fv-methods",
    )
    return join(
        el("ul", *keys, cls="fv-legend fv-marks", aria_label="marks"),
        el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label="methods"),
    )


def _row(reach: Row, outcome: Outcome, scale: CostScale) -> Html:
    shown, words, method = reach["shown"], reach_words(reach, outcome), reach["method"]
    name = join(PLAIN[method], el("span", LABELS[method], cls="fv-below"))
    if shown is None:
        return el("tr", el("th", name, scope="row"), el("td", words, colspan=3, cls="fv-mute"))
    lists, badge = (
        ("fv-lists", "fixed list") if shown["is_fixed"] else ("fv-lists fv-random", "random: one of several lists")
    )
    first, _, rest = words.partition(";")
    way = (way_box(reach, outcome), el("p", el("strong", first), f";{rest}" if rest else ""))
    cost = el("p", el("strong", change_words(shown["change"])), change_interval(shown))
    return el(
        "tr",
        el("th", name, el("span", badge, cls=lists), scope="row"),
        el("td", *way, title=strength_words(method, shown["strength"])),
        el("td", cost_box(shown, scale), cost),
        el("td", queries_box(shown), el("p", counted(shown))),
        cls="fv-best" if outcome.best is reach else "",
    )


def _note(analysis: PolicyLabAnalysis) -> str:
    """What was left out, over which queries, how sure, which of several settings."""
    outcome, prices = analysis.outcome, analysis.prices
    left = [
        f"{NAMES[name]} is left out: {reason}." for name, reason in prices.refused(analysis.settings.methods).items()
    ]
    now, pools = outcome.now, prices.bench.pools
    missing = len(pools.missing_queries)
    undefined = now["n_undefined"] - missing
    queries = f"{plural(now['n_queries'], 'query', 'queries')} in every mean"
    if outcome.distance.in_points and now["n_labelled"] < now["n_queries"]:
        queries += f", {count(now['n_labelled'])} of them with labelled documents today"
    if undefined:
        queries += f"; {count(undefined)} left out (nothing judged useful)"
    if missing:
        queries += f"; {plural(missing, 'judged query is', 'judged queries are')} not among these lists"
    unlabelled = percent(outcome.unlabelled)
    lacks = f"{unlabelled} of attention goes to unlabelled documents." if outcome.unlabelled > WORTH_SAYING else ""
    alike = "Near ties: the safer setting is shown, then the cheaper."
    how = "intervals by resampling queries, paired with today (bootstrap)."
    drawn = "" if prices.measure is None else f"Policies: {N_DRAWN} rankings drawn, seed {prices.settings.seed}."
    policy, of_scores = ScorePolicy(analysis.settings.scores, analysis.settings.offset), {"plackett-luce", "optimal"}
    spaced = policy != AS_PUBLISHED and of_scores & {reach["method"] for reach in outcome.reaches}
    scores = spacing_note(*policy) if spaced else ""
    return " ".join(part for part in (*left, f"{queries}; {how}", lacks, alike, drawn, scores) if part)


def _payments(analysis: PolicyLabAnalysis) -> Html | None:
    """Groups by what they gain under the setting of the title; nothing where none is proposed."""
    if analysis.outcome.best is None:
        return None
    shares, due = analysis.shares, analysis.outcome.distance.due
    title, (most, below) = moves_title(shares), payers_words(shares, due)
    about = "Share of labelled attention; intervals of changes are for all groups and settings together."
    head = section_head(title, f"{most} {about}".strip())
    return join(head, callout_box(below) if below else None, _changes(title, shares, due=due))


# The best that any method achieves.


def frontier(outcome: Outcome) -> None:
    """The settings that no other beats: a line with its band, and their names beside it, folded on a phone."""
    distance = outcome.distance
    section(
        frontier_title(outcome),
        f"The best that any method achieves (line; band: {searched_words(outcome.n_tried)}). Faint dots: settings "
        f"that another one beats. The best of {outcome.settings.height} tries is a little flattering: expect "
        "slightly less.",
    )
    left, right = st.columns([17, 8], gap="medium")
    with left:
        show_chart(lambda colours: frontier_figure(outcome, colours=colours), "frontier", frontier_alt(outcome))
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
        for each in outcome.frontier.rows(named=True)
    ]
    heads = ["No.", Column("Setting"), "distance" if not distance.in_points else "points", "quality"]
    with right:
        settings_table = table(heads, rows, caption="Settings on the line, by number", narrow="scroll", tall=True)
        name = el("summary", f"{plural(len(rows), 'setting')} on the line, by number")
        st.html(el("details", name, settings_table, cls="fv-settings"))
        if gone := left_out_words(outcome):
            counts_line(gone)


# What was re-ranked.


def provenance(loaded: Dataset, settings: PolicyLabSettings, prices: Prices) -> str:
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
        example, _ = example_query(prices, *_standing(outcome.best or outcome.reaches[0]), spoken=outcome.spoken)
        first = example or next((query for query in query_ids if seen[query]), query_ids[0])
        query = choose_query("Query", query_ids, words, first=first, key="query")
        method, strength = _setting(prices, outcome)
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


def _setting(prices: Prices, outcome: Outcome) -> tuple[str, float]:
    """The re-ranking to look at: what the titles above speak of unless another is chosen."""
    by_method = {reach["method"]: reach for reach in outcome.reaches}
    standing = (outcome.best or outcome.reaches[0])["method"]
    titles = {USUAL: f"Closest: {NAMES[standing]}"} | {name: NAMES[name] for name in by_method}
    method = choose_one("Method", titles, "method", format_func=titles.get) or standing
    _, usual = _standing(by_method[method])
    grid = [f"{strength:g}" for strength in prices.tried(method)["strength"]]
    symbol = STRENGTHS[method].symbol

    def words(value: str) -> str:
        return value or f"as above, {usual:g}"

    text = choose_one(
        f"Strength ({symbol})",
        [USUAL, *grid],
        "strength",
        format_func=words,
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
        rank, words = "out" if move["left"] else str(move["after"]), " · ".join(filter(None, facts))
        lines.append(el("li", el("strong", rank), el("span", move["title"]), el("span", words, cls="fv-mute")))
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


def downloads(
    loaded: Dataset, settings: PolicyLabSettings, outcome: StatedOutcome, selection: tuple[str, float] | None
) -> None:
    """Who decides and why, then the files; these are written when a button is pressed."""
    system = outcome.stated.beside.of.ranked.system
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # What people write into the brief; the budget begins as it is set.
        usual = {"budget": f"at most {budget_words(outcome.budget)} of quality ({settings.quality_label})"}
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
            lambda: brief(loaded, analyse(loaded, settings), decided, browsing=BROWSING[settings.browsing]),
            "fairviz-brief.html",
            icon=":material/description:",
            kind="primary",
        )
        if not outcome.statements.is_empty():
            download(
                "Lists for the service (TREC run)",
                lambda: _written(stated_run(outcome, n_samples=N_SAMPLES)),
                f"{system}+statements.run",
                key="lab-lists",
                kind="secondary",
                help=_about_lists(outcome),
            )
        if selection is not None:
            prices = prices_under(loaded, settings)
            download(
                "Download the re-ranked lists (TREC run)",
                lambda: run_text(prices, selection),
                f"{system}+{selection[0]}.run",
                key="lab-run",
                kind="secondary",
                help=_about_run(prices, settings, selection),
            )
    tables = ("policy-lab", settings), lambda: analyse(loaded, settings).tables
    study_files("fairviz-statements", "Statements", *tables, csv="statements", latex=["statements"])
    study_files("fairviz-price", "Methods and settings", *tables, csv="points", latex=["methods"])
    counts_line("The address of this page holds statements, budget, methods and query: copy it to share.")


def _about_lists(outcome: StatedOutcome) -> str:
    """What the file of lists holds."""
    about = f"The lists that hold your statements: {lists_title(outcome)}."
    if not outcome.n_lotteries:
        return about
    seed = outcome.stated.settings.seed
    return f"{about} The file holds {N_SAMPLES} drawn rankings of each query, seed {seed}, their number in column 2."


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
    return _written(ranked)


def _written(ranked: Run | RankingSample) -> str:
    """Rankings in TREC's six columns."""
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
    today = standard_values(prices.run, prices.stated.qrels, [spec])[0].values
    qualities = point.quality[~np.isnan(point.quality)]
    # ir-measures counts a judged query without a value as 0
    mean = float(qualities.sum() / max(today.size, 1))
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
