"""Behind the numbers: counts, accuracy, both bounds and BBQ's own scores, cell by cell."""

import streamlit as st

from fairviz.analysis.bias_rows import BiasRow
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.report.bias_findings import value_words
from fairviz.report.bias_words import context_words, share_text, type_label, value_text
from fairviz.report.words import count, interval, number
from pages._shared import Cell, Column, Two, el, html_table


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
