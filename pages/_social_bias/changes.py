"""Behind the numbers: counts, accuracy, both bounds and BBQ's own scores, cell by cell."""

import math

import numpy as np
import streamlit as st

from fairviz.show.words import Finding, count, interval, number, p_value, signed
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.figures import bias_style, short_column
from fairviz.studies.social_bias.findings import (
    change_label,
    changes_finding,
    context_words,
    share_text,
    type_label,
    value_text,
    value_words,
)
from fairviz.studies.social_bias.measures import BiasMeasure, bias_type
from fairviz.studies.social_bias.published import ANTI, FULL, STEREO, VIEWS, WITHOUT, view_grid
from fairviz.studies.social_bias.rows import BiasRow, is_without_rag
from pages._kit import Cell, Column, Glyph, Html, Two, el, html_table, section
from pages._kit.html import notes_below
from pages._social_bias.results import Chosen, Measured

# The table of changes: one model under two conditions, tested item by item, group by group.


FLOOR = 5.0
"""Half of the narrowest range of the interval column, in points."""


def table_rows(found: Measured, chosen: Chosen, measure: BiasMeasure) -> list[BiasChange]:
    """Changes of the chosen model and value: all types together, each type, then its groups."""
    column = chosen.compared.column
    rows = [
        change
        for change in found.changes
        if change.measure == measure
        and change.get(column) == chosen.value
        and (column == "model" or change.get("model") == chosen.model)
    ]
    order = {name: i for i, name in enumerate(dict.fromkeys(row.get("category") for row in rows))}
    groups = {
        category: sum(row.get("category") == category and bool(row.get("stereotyped")) for row in rows)
        for category in order
    }
    shown = [row for row in rows if not (row.get("stereotyped") and groups[row.get("category")] < 2)]
    return sorted(
        shown,
        key=lambda row: (order[row.get("category")], row.get("stereotyped") != "", row.get("stereotyped")),
    )


def finding(rows: list[BiasChange], chosen: Chosen) -> Finding:
    """The headline of the table."""
    names = chosen.names if chosen.column == "model" else {}
    reference = chosen.compared.reference
    return changes_finding(
        rows,
        column=chosen.column,
        value=names.get(chosen.value, chosen.value),
        reference=names.get(reference, reference),
        who=chosen.who,
    )


def changes_table(rows: list[BiasChange], chosen: Chosen) -> None:
    """The table, one bias type after the other."""
    before, after = short_column(chosen.before), short_column(chosen.after)
    who = f"{chosen.who}: from" if chosen.who else "From"
    section(
        f"{who} {chosen.before} to {chosen.after}, type by type and group by group",
        "Diff-Bias, percent; change in points (right: towards the stereotype) with 95 % bootstrap "
        "over templates. Filled: told from chance after Holm. Hollow: not.",
    )
    ends = [end for row in rows for end in (*row.interval, row.change) if not math.isnan(end)]
    low, high = min([-FLOOR, *ends]), max([FLOOR, *ends])
    air = 0.03 * (high - low)
    paper = _in_print(rows, chosen)
    columns = [
        Column(label="Bias type"),
        Column(label="Items", align="right"),
        Column(label="Templates", align="right", wide=True),
        Column(label=before, align="right"),
        Column(label=after, align="right"),
        Column(label="Change", align="right"),
        Column(label="Δ|Diff-Bias|", align="right", wide=True),
        Column(label="95 % interval", span=(low - air, high + air), zero=0.0),
        Column(label="p (Holm)", align="right"),
        Column(label="In words"),
    ]
    if paper:
        columns.append(Column(label="In the paper", align="right", wide=True))
    cells = [[*_cells(row), *([paper.get(id(row), "")] if paper else [])] for row in rows]
    html_table(
        columns,
        cells,
        caption=f"Diff-Bias with {before} and {after}, by bias type and group",
        narrow="scroll",
    )
    drawn = any(row.tested and not row.exact for row in rows)
    notes_below(
        "Grey: fewer than 100 items or 10 templates. Shown, but neither coloured nor tested.",
        "Some p are of 100 000 drawn sign flips: their exact distribution is too long." if drawn else "",
        "In the paper: the changes of its five models from no RAG to the same collection; other "
        "questions, models and documents, so for the eye alone."
        if paper
        else "",
    )


def _cells(row: BiasChange) -> list[Cell]:
    main = not row.get("stereotyped")
    label = change_label(row)
    style = "" if main else "padding-left:1.1rem;display:inline-block"
    name: Html = el("strong", label) if main and row.tested else el("span", label, style=style)
    if not row.tested:
        name = el("span", label, cls="fv-mute", style=style)
    change = signed(row.change, 1)
    return [
        name,
        _grey(count(row.n_items), row),
        _grey(count(row.n_templates), row),
        _value(row.reference, row),
        _value(row.value, row),
        el("strong", change) if row.tested else _grey(change, row),
        _grey(signed(row.change_abs, 1), row),
        _glyph(row),
        el("span", p_value(row.p_holm) if row.tested else "not tested", cls="fv-mute", style="white-space:nowrap"),
        el("strong", row.verdict)
        if row.tested and "stereotype" in row.verdict
        else _grey(row.verdict.replace(" ", "\N{NO-BREAK SPACE}"), row),
    ]


def _glyph(row: BiasChange) -> Cell:
    if math.isnan(row.interval.low):
        return ""
    significant = row.tested and "stereotype" in row.verdict
    return Glyph(value=row.change, low=row.interval.low, high=row.interval.high, filled=significant)


def _value(value: float, row: BiasChange) -> Html:
    """A value on the ground of its sign; grey where it is not tested."""
    text = value_text(value, row.measure)
    if not row.tested:
        return el("span", text, cls="fv-mute")
    style = f"{bias_style(value, row.measure)};padding:.2rem .5rem;border-radius:3px"
    return el("span", text, style=f"{style};display:inline-block;min-width:3.4rem")


def _grey(text: str, row: BiasChange) -> Html:
    return el("span", text, cls="" if row.tested else "fv-mute")


def _in_print(rows: list[BiasChange], chosen: Chosen) -> dict[int, str]:
    """The range of the paper's changes for rows of its bias types, by identity of the row."""
    reference, value = chosen.compared.reference, chosen.value.casefold()
    if chosen.compared.column != "setting" or not is_without_rag(reference):
        return {}
    after = next((name for name in (FULL, STEREO, ANTI) if value.startswith(name.split("-")[0])), None)
    if after is None or not rows:
        return {}
    grid = view_grid(VIEWS[0], rows[0].measure)
    gaps = grid.values[..., grid.place(after)] - grid.values[..., grid.place(WITHOUT)]
    places = {kind.slug: i for i, name in enumerate(grid.blocks) if (kind := bias_type(name))}
    found: dict[int, str] = {}
    for row in rows:
        kind = bias_type(row.get("category"))
        if kind is not None and kind.slug in places and not row.get("stereotyped"):
            column = gaps[:, places[kind.slug]]
            found[id(row)] = interval(float(np.min(column)), float(np.max(column)), 1)
    return found


def counts_table(rows: list[BiasRow], column: str, measure: BiasMeasure) -> None:
    """Every rate with the counts it is made of, folded up."""
    kind = context_words(measure)
    with st.expander(f"Counts and bounds of {kind} questions"):
        build = _ambiguous if kind == "ambiguous" else _disambiguated
        columns, cells = build(rows, column)
        html_table(columns, cells, caption=f"Counts of {kind} questions", narrow="scroll", tall=True)


def _ambiguous(rows: list[BiasRow], column: str) -> tuple[list[Column], list[list[Cell]]]:
    heads = [
        "Cell",
        "stereotyped",
        "against it",
        "“unknown”, right",
        "no option",
        "Acc",
        "Diff-Bias",
        "largest possible",
        "s_AMB",
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        n, v = row.counts, row.values
        cells.append(
            [
                _name(row, column),
                share_text(n.n_as, n.n_a),
                share_text(n.n_ac, n.n_a),
                share_text(n.n_au, n.n_a),
                count(n.n_ooc_a),
                _count_value(row, "acc_a"),
                _count_value(row, "diffbias_a"),
                f"±{number(row.bound_a, 1)}",
                value_text(v["s_amb"], "s_amb"),
            ]
        )
    return _heads(heads), cells


def _disambiguated(rows: list[BiasRow], column: str) -> tuple[list[Column], list[list[Cell]]]:
    heads = [
        "Cell",
        "right where the stereotype holds",
        "right where it does not",
        "“unknown”",
        "no option",
        "Acc",
        "Diff-Bias",
        "possible",
        "s_DIS",
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        n = row.counts
        cells.append(
            [
                _name(row, column),
                share_text(n.n_ss, n.n_s),
                share_text(n.n_cc, n.n_c),
                count(n.n_su + n.n_cu),
                count(n.n_ooc_d),
                _count_value(row, "acc_d"),
                _count_value(row, "diffbias_d"),
                el("span", interval(*row.bound_d, 1), style="white-space:nowrap"),
                value_text(row.values["s_dis"], "s_dis"),
            ]
        )
    return _heads(heads), cells


def _heads(names: list[str]) -> list[Column]:
    return [Column(label=name, align="right" if i else "left") for i, name in enumerate(names)]


def _name(row: BiasRow, column: str) -> Cell:
    who = [type_label(row.get("category"))]
    who += [value_words(column, row.get(column))] if row.get(column) else []
    below = row.get("model") if column != "model" else ""
    return Two(top=" · ".join(who), below=below) if below else " · ".join(who)


def _count_value(row: BiasRow, measure: BiasMeasure) -> Two:
    return Two(top=value_text(row.values[measure], measure), below=interval(*row.intervals[measure], 1))
