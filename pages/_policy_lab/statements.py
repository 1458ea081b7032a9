"""Policy lab: controls, the statements under the hand, what they lead to, other methods, one query, downloads."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import streamlit as st

from fairviz.display.markup import rendered
from fairviz.display.words import UNDEFINED, capital, in_words, interval, shares_in_words
from fairviz.evaluation.systems import named_rankings
from fairviz.io.targets import bounds_text
from fairviz.model import Dataset, FloatArray, ShareBounds
from fairviz.points.targets import share_scale
from fairviz.studies.groups.findings import share_words
from fairviz.studies.policy_lab.charts import least_loss_alt, least_loss_figure
from fairviz.studies.policy_lab.columns import since_table, wrong_labels_table
from fairviz.studies.policy_lab.findings import (
    answers,
    changes_words,
    four_fifths_words,
    limits,
    line_title,
    line_words,
    lists_title,
    payments_title,
    side_effects_title,
    wrong_words,
)
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings, QualityName, wrong_by_group
from fairviz.studies.policy_lab.since import earlier, since, since_finding
from fairviz.studies.policy_lab.stated import StatedOutcome
from pages._kit import counts_line, fold, rule, section, show_chart
from pages._kit.controls import (
    CHOICES,
    choose,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_name,
    choose_number,
    choose_one,
    choose_place,
    choose_policy,
    choose_several,
    choose_unlabelled,
    decimal,
    following,
    standing_unit,
)
from pages._kit.html import (
    NO_BREAK,
    Html,
    PageColumn,
    around_zero,
    el,
    glyph,
    in_tone,
    join,
    muted,
    page_table,
    table,
    two_lines,
)
from pages._kit.link import name_mark
from pages._kit.target import (
    FREE,
    STATEMENTS,
    TARGET,
    Editing,
    choose_labels,
    group_row,
    preset_pills,
    state_anew,
    statement_rows,
)

OFTEN = {"file": "as in the file of weights", "alike": "all alike"}
"""How often queries are asked, by its name in the address."""

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
            quality: QualityName = "scores"
            if loaded.qrels:
                quality = choose("quality", draw=st.radio, format_func=CHOICES["quality"]["words"].get)
            return budget, fixed, _more(loaded, quality)


def _switch(key: str, label: str, help: str | None = None) -> bool:
    """A switch that stands in the address as 1."""
    on = {"1": 1, "True": 1, "0": 0, "False": 0}
    return bool(following(key, 0, on.get, lambda: int(st.toggle(label, key=key, help=help))))


def _more(loaded: Dataset, quality: QualityName) -> tuple[int, int, PolicyLabSettings]:
    system = choose_place("System", [run.system for run in loaded.runs], "system", width=260)
    attribute = choose_labels(loaded, width=260)
    judgements = choose_judgements(loaded, loaded.runs[system], width=260) if loaded.qrels else 0
    k, unit = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST), standing_unit()
    about = (
        f"How many {unit} are re-ranked, from the top: more where some group has none among them. "
        "The rest keeps its order below."
    )
    depth = choose_number("Candidates per query", 2, DEEPEST, DEPTH, "candidates", help=about)
    browsing, unlabelled = choose_browsing(width=260), choose_unlabelled()
    often = "How often each query is asked"
    alike = bool(loaded.weights) and choose_one(often, OFTEN, "weights", format_func=OFTEN.__getitem__) == "alike"
    judged = bool(loaded.qrels) and _switch(
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
        weights="alike" if alike else "file",
        **policy,
        judgements=judgements,
        unit=unit,
    )
    return system, attribute, settings


# What is asked for.

ROOM = 9
"""Rows up to which all are in sight; more scroll."""
HEIGHT = 440
"""Of the rows that scroll, in px."""
HOW = (
    "One row per group. Choose what its share has to be and drag the bracket; “next point”: change of quality by "
    "scores, %, if the statement asks for one more point."
)
STATED_KEY = (("allowed", "allowed: drag its edge, or arrow keys"), ("ring", "today"), ("dot", "after"))
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
    if ratio := four_fifths_words(outcome):
        counts_line(ratio)


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


def marked(word: str) -> Html:
    """What may be said, in its colour."""
    return el("span", word.replace(" ", NO_BREAK), cls=f"fv-word fv-word-{TONES.get(word, 'unsure')}")


def answers_strip(outcome: StatedOutcome) -> Html:
    """The four answers under the title."""
    parts: list[Html] = []
    for question, mark, value, note in answers(outcome):
        word = join(marked(mark), " ") if mark else None
        answer = el("p", word, el("strong", value))
        parts.append(el("div", el("p", question, cls="fv-mute"), answer, el("p", note, cls="fv-mute")))
    return el("div", *parts, cls="fv-answers")


def line(outcome: StatedOutcome, crosses: pl.DataFrame | None) -> None:
    """The least loss at each distance from the statements, with other methods where they are in sight."""
    stated = outcome.stated
    if outcome.statements.is_empty() or outcome.silent or stated.is_flat or stated.distance_today < CLOSE:
        return
    section(line_title(outcome), line_words(outcome, crosses))
    show_chart(partial(least_loss_figure, outcome, crosses), "least-loss", least_loss_alt(outcome, crosses))


def consequences(outcome: StatedOutcome) -> None:
    """Who gains, who pays; what happens to other attributes; which queries show one list."""
    rule()
    changed = outcome.groups.filter(pl.col("word") != "")
    halves = (
        (payments_title(outcome), changed.filter("is_stated")),
        (side_effects_title(outcome), changed.filter(~pl.col("is_stated"))),
    )
    about = changes_words(outcome)
    for column, (title, groups) in zip(st.columns(2, gap="medium"), halves, strict=True):
        if groups.is_empty():
            continue
        with column:
            section(title, about)
            st.html(changes(title, groups, several=groups["attribute"].n_unique() > 1))
    rule()
    quality = outcome.stated.settings.quality_label
    section(lists_title(outcome), f"How often the likeliest list is shown; below, the change of {quality}.")
    st.html(_lists_strip(outcome.queries))


def changes(title: str, groups: pl.DataFrame, *, several: bool = False) -> Html:
    """Groups by what they gain, with their intervals drawn on one range.

    Args:
        title: What is above them.
        groups: As of :func:`~fairviz.studies.policy_lab.budget.moved_shares`.
        several: Whether of several attributes.
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
        rows.append([name, shares, points, drawn])
    heads = ["group", "share", "points", PageColumn("95 % interval")]
    return table(heads, rows, caption=title, narrow="scroll", tall=len(rows) > 12)


MOST_CELLS = 40
"""Queries up to which each has a cell; of more, those that switch are listed."""


def _lists_strip(queries: pl.DataFrame) -> Html:
    """A cell for each query: how often its likeliest list is shown, and what becomes of its quality."""
    shown = queries if queries.height <= MOST_CELLS else queries.filter(pl.col("n_lists") > 1)
    largest = max(queries.select(pl.col("change").abs().max()).item() or 0.0, CLOSE)
    rows = [row | {"words": in_words(row["change"], 2, sign=True)} for row in shown.rows(named=True)]
    return rendered("visits.html", rows=rows, largest=largest, close=CLOSE)


# What the statements rest on.

MOST_WRONG = 50.0
"""Percent of labels up to which the slider goes."""


def if_labels_were_wrong(outcome: StatedOutcome) -> tuple[float, tuple[str, ...]]:
    """What a part of wrong labels leaves of the statements; the part, in percent, and that of single groups."""
    usual, read = PolicyLabSettings.wrong, decimal(0, MOST_WRONG)
    groups = outcome.groups.filter("is_stated")["group"].to_list()
    names = {**{name_mark(group): group for group in groups}, **{group: group for group in groups}}

    def renamed(text: str, name: Callable[[str], str]) -> str:
        parts = (part.rpartition("=") for part in wrong_by_group(text))
        return ";".join(f"{name(group)}={number}" for group, _, number in parts)

    def read_groups(text: str) -> str | None:
        with suppress(ValueError, KeyError):
            return renamed(text, names.__getitem__)
        return None

    mark = partial(renamed, name=name_mark)
    wrong, is_unread = following("wrong", usual, read), read_groups(st.session_state.get("wrong-of", "")) is None
    by_group = wrong_by_group(following("wrong-of", "", read_groups, mark=mark))
    with fold("If labels were wrong", wrong_words(outcome, wrong / 100, by_group), key="lab-wrong") as is_open:
        if is_open:
            label = "Labels of each group that are wrong, counted by attention"
            look = {"step": 0.5, "format": "%g %%", "key": "wrong"}
            following("wrong", usual, read, lambda: st.slider(label, 0.0, MOST_WRONG, **look))
            label, example = "Of single groups, where it is known, percent", f"{groups[0]}=10; {groups[-1]}=2"
            look = {"placeholder": example, "key": "wrong-of"}
            following("wrong-of", "", read_groups, lambda: st.text_input(label, **look), mark=mark)
            if is_unread:
                counts_line(f"Not read. Write a group and its percent, such as {example}.")
            page_table(wrong_labels_table(outcome, wrong / 100, by_group))
    return wrong, by_group


def since_last_time(loaded: Dataset, settings: PolicyLabSettings, outcome: StatedOutcome) -> PolicyLabSettings:
    """Shares beside those of an earlier run, where runs have dates; the settings with the run that is compared."""
    before = earlier(loaded, outcome.stated.beside.of.ranked.system)
    if len(before) > 1:
        run = choose_name("Compare with", before, "since", usual=before[-1], width=300)
        settings = replace(settings, since=run if run != before[-1] else "")
    compared = since(loaded, outcome.stated, settings.since)
    if compared is not None:
        with fold("Since last time", since_finding(compared, settings.unit).title, key="lab-since") as is_open:
            if is_open:
                counts_line(since_finding(compared, settings.unit).sentence)
                page_table(since_table(compared))
    return settings


def not_shown(outcome: StatedOutcome) -> None:
    """What the statements say nothing of."""
    shown = limits(outcome)
    with fold("What it does not show", "; ".join(each.title for each in shown), key="lab-limits"):
        items = (el("li", el("strong", capital(each.title)), f". {each.sentence}") for each in shown)
        st.html(el("ul", *items, cls="fv-text"))
