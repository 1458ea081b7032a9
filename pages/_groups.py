"""Groups & targets: its controls, the rows that show each group beside its target, and the measures below them."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from fairviz.display.table import csv_text
from fairviz.display.words import count_word, interval, noun, number, percent, plural
from fairviz.evaluation.systems import named_rankings, rankings_by_alpha
from fairviz.kernels.divergence import l1
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.points.shares import GroupExposure, OffTarget, distance_range
from fairviz.points.targets import moved, share_scale
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.analysis import PANELS, GroupsAnalysis, analyse, largest
from fairviz.studies.groups.charts import by_rank_alt, by_rank_figure
from fairviz.studies.groups.findings import (
    MANY,
    amount,
    bounds_sentence,
    bounds_title,
    by_rank_title,
    per_item_title,
    reach_sentence,
    rows_title,
    share_words,
    spoken,
)
from fairviz.studies.groups.measures import ROWS, Answer
from fairviz.studies.groups.settings import GroupsSettings
from pages._kit import colours, counts_line, fold, in_rows, section, show_figure
from pages._kit.commands import against_target, study_files
from pages._kit.controls import (
    GROUP,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_unlabelled,
    standing_cutoff,
    standing_group,
    standing_unit,
)
from pages._kit.downloads import download
from pages._kit.html import (
    Cell,
    PageColumn,
    PageRow,
    Tone,
    el,
    folded_list,
    glyph,
    join,
    keyed,
    muted,
    on_range,
    page_table,
    swatch,
    two_lines,
)
from pages._kit.target import (
    Editing,
    choose_labels,
    editing,
    group_row,
    preset_pills,
    set_weights,
    target_files,
    target_rows,
)

K, DEEPEST = 10, 1000


def choose(loaded: Dataset) -> tuple[Editing, GroupsSettings, bool]:
    """The row of controls; what is chosen stands in them, so that they need no line of labels.

    Returns:
        The target under the hand, the settings of the study, and whether the Policy lab can say what a target costs.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="groups_controls"):
        names = [ranked.system for ranked in rankings_by_alpha(loaded)]
        system = choose_place("System", names, "system", width=170, inside="")
        attribute = choose_labels(loaded, width=190, inside="Groups: ")
        browsing = choose_browsing(width=250)
        with st.popover(f"First {standing_cutoff(usual=K, most=DEEPEST)} ranks", width="content"):
            k = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST)
        with st.popover("More", width="content"):
            unlabelled = choose_unlabelled()
            judgements = (
                choose_judgements(loaded, (*loaded.runs, *loaded.samples)[system], width=260) if loaded.qrels else None
            )
            standing = partial(
                editing, loaded, attribute=attribute, system=system, judgements=judgements, unlabelled=unlabelled
            )
            if len((edit := standing()).groups) > 1:
                target_files(edit, loaded)
    edit = standing()  # as a file may have set it
    settings = GroupsSettings(
        k=k,
        system=named_rankings(loaded)[system].system,
        group=standing_group(edit.groups),
        browsing=browsing,
        unlabelled=unlabelled,
        judgements=judgements or 0,
        unit=standing_unit(),
        against=against_target(loaded, attribute, edit.target if edit.state.is_set else None),
    )
    return edit, settings, system < len(loaded.runs)


CARRIED = ("target", "locks", "group", "system", "labels", "judgements", "k", "attention", "unlabelled", "unit")
"""What the button takes to the Policy lab, as it stands in the address."""


def unknown_strip(exposure: GroupExposure, title: str, sentence: str) -> None:
    """How much of the attention has a label at all: grey, and hatched for the rest."""
    rest = 0.0 if math.isnan(exposure.unlabelled_share) else exposure.unlabelled_share
    parts = (
        el("span", style=f"flex:{1 - rest:.6f} 0 0;background:var(--fv-axis)"),
        el("span", cls="fv-hatched", style=f"flex:{rest:.6f} 0 0;min-width:3px") if rest else None,
    )
    bar = el("div", *parts, cls="fv-stack", aria_hidden="true", style="height:.7rem;margin:0 0 .45rem;gap:2px")
    words = el("p", el("strong", title, style="color:var(--fv-ink)"), f" {sentence}", cls="fv-sub", style="margin:0")
    st.html(el("div", bar, words))


def rows_section(edit: Editing, beside: GroupsAnalysis) -> None:
    """Title, presets and the rows themselves."""
    rows, off, n_queries = beside.rows, beside.off, beside.fixed.exposure.n_labelled
    many = rows.height > MANY
    how = f"{'Type a target;' if many else 'Move one target and'} the others make room"
    locked = "; a locked one stays" if rows.height > 2 else ""
    title = rows_title(rows, is_set=beside.is_set)
    section(title, f"One row per group, largest first. {how}{locked}. The targets always sum to 100\u202f%.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="groups_presets"):
        preset_pills(edit)
        _raise_one(edit)
    target_rows(
        edit,
        [_row(edit, row, drags=not many, is_set=beside.is_set) for row in rows.rows(named=True)],
        share_scale(*(rows[key].to_numpy() for key in ("share", "high", "target"))),
        key=_key(rows.height, n_queries),
        last="gap today",
        foot=_foot(edit, off, few=n_queries < MIN_UNITS),
    )


def _key(n: int, n_queries: int) -> list[tuple[str, str]]:
    """What the marks of n groups mean."""
    few = n_queries < MIN_UNITS
    interval = "too few queries for an interval" if few else f"95\u202f% interval over {n_queries} queries"
    return [
        ("share", f"share today, {interval}"),
        ("tone", f"over, under, gap not significant (corrected for {n} groups)")
        if n > MANY
        else ("reach", "closest that re-ordering could bring all groups together"),
    ]


def _foot(edit: Editing, off: OffTarget, *, few: bool) -> tuple[str, str]:
    """What shares are of, and the distance of all."""
    whole = "attention" if UNLABELLED in edit.groups else "labelled attention"
    whose = "target" if edit.state.is_set else "equal shares"
    distance = "" if few or math.isnan(off.off) else f"{number(100 * off.off, 0)} points off {whose} in all"
    return f"share of {whole}", distance


def _row(edit: Editing, row: dict[str, Any], *, drags: bool, is_set: bool) -> dict[str, Any]:
    reach = row["reached"] if drags or row["is_missed"] else math.nan
    return group_row(
        row["group"],
        row["at"],
        {"share": row["share"], "low": row["low"], "high": row["high"], "reach": reach},
        groups=edit.groups,
        today="–" if math.isnan(row["share"]) else share_words(row["share"]),
        tone=row["gap"],
        words=row["words"],
        spoken=row["words"],
        said=spoken(row, is_set=is_set),
    )


def see_costs(beside: GroupsAnalysis, *, has_price: bool) -> None:
    """The button to the Policy lab, which opens with this target, and what re-ranking can do at all."""
    target = beside.targeted.target
    sentence = reach_sentence(
        beside.fixed.reach, beside.nearest, target.shares, target.groups, unit=beside.settings.unit
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="groups_costs"):
        carried = {name: st.query_params[name] for name in CARRIED if name in st.query_params}
        st.page_link(
            "pages/policy_lab.py",
            label="See what this costs →",
            query_params=carried,
            width="content",
            disabled=not has_price,
            help=None if has_price else "A price needs ranked lists with scores (a run): these were drawn.",
        )
        counts_line(f"{sentence} Policy lab opens with these targets." if has_price else sentence)


def _raise_one(edit: Editing) -> None:
    """Choose a group and a share; the rest stays in proportion."""

    def set_one(group: str, share: int) -> None:
        st.session_state[GROUP] = group
        set_weights(edit.where, moved(edit.state.weights, edit.groups.index(group), share))

    with st.popover("Raise one group …", width="content"):
        names = [group for group in edit.groups if group != UNLABELLED]
        chosen = st.selectbox("Group", names, key=f"{edit.where}-raise-group")
        share = st.number_input("Its share, in percent", 0, 100, 30, key=f"{edit.where}-raise-share")
        st.button("Set this target", on_click=set_one, args=(chosen, int(share)), type="primary")
        counts_line("The other targets keep their proportions; locks are opened.")


# The measures of groups, and what is folded away below them.


IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


def by_rank(beside: GroupsAnalysis) -> None:
    """One panel per group: its share at each rank against the target."""
    bins, exposure, unit = beside.fixed.bins, beside.fixed.exposure, beside.settings.unit
    title = by_rank_title(bins, exposure.groups, few=exposure.is_few, unit=unit)
    with fold("By rank", title, key="by_rank") as is_open:
        if not is_open or not bins.n.sum() > 0:
            return
        counts_line(
            f"Share of labelled {unit} by rank with 95 % intervals over queries; the finding by a test over queries "
            "(t-test), corrected for having looked at all groups. Dashed: target. Ranks are pooled; the smallest point "
            f"rests on {int(bins.n.min())} labelled places of the first {beside.settings.k} ranks."
        )
        target, groups = beside.targeted.target.shares, largest(exposure)
        for group in in_rows(groups, IN_A_ROW):
            name, share = exposure.groups[group], float(target[group])
            with st.container(gap="xsmall"):
                aim = el("span", f"target {percent(share)}", cls="fv-mute", style="white-space:nowrap")
                named = el("strong", name, style="min-width:0")
                st.html(el("p", swatch(exposure.groups, group), named, aim, cls="fv-keyed"))
                shown = (bins, exposure.groups, group, share)
                figure = by_rank_figure(*shown, few=exposure.is_few, colours=colours())
                show_figure(figure, f"by-rank-{group}", by_rank_alt(*shown))
        if len(exposure.groups) > PANELS:
            counts_line(f"The {PANELS} largest of {len(exposure.groups)} groups.")


def per_document(beside: GroupsAnalysis) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, sure = beside.fixed.exposure, beside.fixed.corrected[1]  # of one searched among all groups
    unit, name = beside.settings.unit, noun(beside.settings.unit)
    with fold(f"Per {name}", per_item_title(exposure, sure, unit), key="per_document") as is_open:
        if not is_open:
            return
        ends = beside.fixed.per_item
        counts_line(
            "Parity asks for equal shares whatever a group's size; proportionality for equal attention per retrieved "
            f"{name}: 1.00 = as much as one labelled {name} gets on average. Intervals: of each group alone; filled: "
            f"apart from 1 by one widened for {count_word(len(exposure.groups))} groups, as is the finding."
        )
        certain = ~np.bool_(exposure.is_few) & ((sure.low > 1) | (sure.high < 1))
        apart: dict[str, bool] = dict(zip(exposure.groups, certain.tolist(), strict=True))
        highest = float(np.nanmax(np.concatenate([ends.low, ends.high, exposure.per_item, [2.0]])))

        def around_one(row: PageRow) -> Cell:
            """Filled where it is apart from 1, corrected over the groups."""
            tone: Tone = "ink" if apart[row.text("group")] else ""
            ends = (row.number(key) for key in ("per_document", "low", "high"))
            return glyph(*ends, span=(0.0, 1.05 * highest), tone=tone, zero=1.0)

        page_table(
            beside.tables["per-document"],
            {
                "group": PageColumn(cell=lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group")))),
                "n_candidates": PageColumn(cell=lambda row: amount(row.number("n_candidates"))),
                "share_of_candidates": PageColumn(),
                "share_of_attention": PageColumn(),
                "per_document": PageColumn(),
                **({} if exposure.is_few else {"low": PageColumn(), "high": PageColumn()}),
                "interval": PageColumn("95 % interval", around_one),
            },
            narrow="scroll",
        )


def missing_labels(beside: GroupsAnalysis) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    exposure, aims, is_set, unit = beside.unknown, beside.aims, beside.is_set, beside.settings.unit
    labelled, rest = exposure.attention.sum(axis=0), float(exposure.unlabelled.sum())
    title = bounds_title(exposure, aims, is_set=is_set, unit=unit)
    with fold("If labels were known", title, key="missing_labels") as is_open:
        if not is_open:
            return
        counts_line(
            f"Bar: the group's share of all attention if none, or all, of the unlabelled {unit} were its own. "
            f"Dot: share of labelled attention. Line: {'target' if is_set else 'equal share'}."
        )

        def drawn(row: PageRow) -> Cell:
            ends = row.number("least"), row.number("most")
            return on_range(row.number("share_of_labelled"), ends, span=(0, 1), best=row.number("target"), target=True)

        page_table(
            beside.tables["missing-labels"],
            {
                "group": PageColumn(cell=lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group")))),
                "share_of_labelled": PageColumn(),
                "least": PageColumn(),
                "most": PageColumn(),
                "target": PageColumn(),
                "bar": PageColumn(cell=drawn),
            },
            narrow="scroll",
        )
        if float(aims.sum()) > 0:
            now = float(l1(exposure.shares, aims))
            counts_line(bounds_sentence(distance_range(labelled, rest, aims, l1), now, is_set=is_set))


def answers_table(beside: GroupsAnalysis) -> None:
    """A row per question: what the lists say, the measure that says it, its interval on the measure's range."""
    exposure = beside.fixed.exposure
    over = plural(exposure.n_labelled, "query", "queries")
    by_question = {answer["question"]: answer for answer in beside.answers}

    def of(row: PageRow) -> Answer:
        return by_question[row.text("question")]

    def named(row: PageRow) -> Cell:
        measure = el("span", row.text("measure"), cls="fv-below", style="white-space:normal")
        return join(el("strong", row.text("question")), measure)

    def value(row: PageRow) -> Cell:
        return muted(of(row)["shown"]) if of(row)["is_few"] else el("strong", of(row)["shown"])

    def between(row: PageRow) -> Cell:
        return "too few queries" if of(row)["is_few"] else of(row)["between"]

    def on_its_range(row: PageRow) -> Cell:
        answer, ends = of(row), (row.number("low"), row.number("high"))
        return "" if answer["is_few"] else on_range(answer["value"], ends, span=answer["span"], best=answer["best"])

    with st.container(key="groups_answers"):
        counts_line(
            f"{over}: too few for intervals and verdicts, so values stand in grey."
            if exposure.is_few
            else f"Green line: the best value. Intervals: 95\u202f%, by resampling {over} (bootstrap); that of the "
            f"worst group is widened because the worst of {count_word(len(exposure.groups))} groups was picked."
        )
        page_table(
            beside.tables["answers"],
            {
                "question": PageColumn(cell=named),
                "words": PageColumn("Answer"),
                "value": PageColumn("Value", value, align="right", short=True),
                "interval": PageColumn("95 % interval", between, short=True),
                "drawn": PageColumn(cell=on_its_range, wide=True),
                "better": PageColumn("Better", lambda row: muted(row.text("better")), short=True),
            },
        )


def all_measures(loaded: Dataset, settings: GroupsSettings) -> None:
    """Every measure, section by section, and downloads of these numbers; computed when opened."""
    with fold(f"All {len(ROWS)} measures", "in numbers and words; CSV and LaTeX", key="all_measures") as is_open:
        if not is_open:
            return
        analysis = analyse(loaded, settings)
        tables, measured = analysis.tables, [row for row in analysis.measures if not row["result"].refused]
        counts_line(
            f"Group of interest, G+: {settings.group}; move another target to look at another. Arrow: the direction "
            "that improves. Green line: where it is best. Intervals: 95 %, by resampling queries (bootstrap)."
        )
        by_measure = {row["result"].measure: row for row in measured}
        table = tables["measures"]
        table = replace(table, rows=tuple(row for row in table.rows if row[table.keys.index("measure")] in by_measure))

        def name(row: PageRow) -> Cell:
            of = by_measure[row.text("measure")]
            label = join(el("strong", of["label"]), f" {of['arrow']}", el("span", of["goal"], cls="fv-below"))
            return el("span", label, title=row.text("measure"))

        def value(row: PageRow) -> Cell:
            """Over too few queries grey, and without interval."""
            of = by_measure[row.text("measure")]
            words = number(of["result"].value)
            return muted(words) if of["is_few"] else two_lines(words, interval(*of["result"].interval))

        def drawn(row: PageRow) -> Cell:
            of = by_measure[row.text("measure")]
            ends = of["result"].interval
            return "" if of["is_few"] else on_range(of["result"].value, ends, span=of["span"], best=of["best"])

        page_table(
            table,
            {
                "measure": PageColumn("Measure", name),
                "value": PageColumn("Value, 95 % interval", value, align="right"),
                "drawn": PageColumn(cell=drawn),
                "n_queries": PageColumn(wide=True),
                "n_undefined": PageColumn(wide=True),
                "words": PageColumn("In plain words"),
                "section": PageColumn("Asks", wide=True),
            },
            caption="Group measures of one system",
        )
        # What a person types in a command is a choice here: the row of one group, which follows the target that moves.
        reasons = {row["label"]: row["result"].refused for row in analysis.measures if row["result"].refused}
        reasons |= {label: f"Choose one group to compute {label}" for label, why in reasons.items() if "group=" in why}
        if reasons:
            entries = (el("li", el("strong", label), f": {why}") for label, why in reasons.items())
            folded_list(f"{plural(len(reasons), 'measure')} not on these data, and why", entries, is_open=True)
        files = ("groups", settings), lambda: tables
        study_files("fairviz-groups", "All measures", *files, csv="measures", latex=["measures-printed"])
        download("Shares, CSV", lambda: csv_text(tables["shares"]), "fairviz-shares.csv")
