"""Behind the numbers: counts, accuracy, both bounds and BBQ's own scores, row by row."""

from collections.abc import Mapping, Sequence

import streamlit as st

from fairviz.show.words import count, interval, number
from fairviz.studies.social_bias.labels import context_words, share_text, type_label, value_text, value_words
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.tables import rows_table
from pages._kit import Cell, Column, Row, Two, el, page_table
from pages._kit.table import Drawing

HEADINGS: Mapping[str, Mapping[str, str]] = {
    "ambiguous": {
        "row": "Cell",
        "n_as": "stereotyped",
        "n_ac": "against it",
        "n_au": "“unknown”, right",
        "n_ooc_a": "no option",
        "acc_a": "Acc",
        "diffbias_a": "Diff-Bias",
        "bound_a": "largest possible",
        "s_amb": "s_AMB",
    },
    "disambiguated": {
        "row": "Cell",
        "n_ss": "right where the stereotype holds",
        "n_cc": "right where it does not",
        "n_su": "“unknown”",
        "n_ooc_d": "no option",
        "acc_d": "Acc",
        "diffbias_d": "Diff-Bias",
        "bound_d_low": "possible",
        "s_dis": "s_DIS",
    },
}


def show_counts(rows: Sequence[BiasRow], column: str, measure: BiasMeasure) -> None:
    """Every rate with the counts it is made of, folded up.

    Args:
        rows: What was measured.
        column: What was compared: it names a row beside its bias type.
        measure: It says which questions are counted.
    """
    kind = context_words(measure)
    headings = HEADINGS[kind]
    drawn: dict[str, Drawing] = {
        "row": lambda row: _name(row, column),
        **{key: _share_of(key, whole) for key, whole in (("n_as", "n_a"), ("n_ac", "n_a"), ("n_au", "n_a"))},
        **{key: _share_of(key, whole) for key, whole in (("n_ss", "n_s"), ("n_cc", "n_c"))},
        "n_su": lambda row: count(_count(row, "n_su") + _count(row, "n_cu")),
        **{key: _value(key) for key in ("acc_a", "acc_d", "diffbias_a", "diffbias_d")},
        "bound_a": lambda row: f"±{number(row.number('bound_a'), 1)}",
        "bound_d_low": _possible,
        "s_amb": lambda row: value_text(row.number("s_amb"), "s_amb"),
        "s_dis": lambda row: value_text(row.number("s_dis"), "s_dis"),
    }
    with st.expander(f"Counts and bounds of {kind} questions"):
        page_table(
            rows_table(rows),
            show=tuple(headings),
            drawn=drawn,
            columns={
                key: Column(label=heading, align="right" if key != "row" else "left")
                for key, heading in headings.items()
            },
            caption=f"Counts of {kind} questions",
            narrow="scroll",
            tall=True,
        )


def _name(row: Row, column: str) -> Cell:
    compared = str(row.get(column) or "")
    parts = [type_label(str(row.get("category") or ""))]
    parts += [value_words(column, compared)] if compared else []
    below = str(row.get("model") or "") if column != "model" else ""
    return Two(top=" · ".join(parts), below=below) if below else " · ".join(parts)


def _count(row: Row, key: str) -> int:
    return int(row.number(key))


def _share_of(part: str, whole: str) -> Drawing:
    return lambda row: share_text(_count(row, part), _count(row, whole))


def _value(measure: BiasMeasure) -> Drawing:
    def drawn(row: Row) -> Two:
        ends = row.number(f"{measure}_low"), row.number(f"{measure}_high")
        return Two(top=value_text(row.number(measure), measure), below=interval(*ends, 1))

    return drawn


def _possible(row: Row) -> Cell:
    ends = row.number("bound_d_low"), row.number("bound_d_high")
    return el("span", interval(*ends, 1), style="white-space:nowrap")
