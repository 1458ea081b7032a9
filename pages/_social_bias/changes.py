"""The table of changes: one model under two conditions, tested item by item, group by group."""

import math
from collections.abc import Sequence

from fairviz.show.words import Finding, count, interval, p_value, signed
from fairviz.studies.social_bias.cell_colours import bias_style
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.findings import changes_finding
from fairviz.studies.social_bias.labels import bias_type, short_column, subject_label, value_text
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import ranges_of_paper
from fairviz.studies.social_bias.rows import is_without_rag
from fairviz.studies.social_bias.tables import BiasResults, holm_words, tables
from pages._kit import Cell, Column, Glyph, Html, Row, el, page_table, section
from pages._kit.html import notes_below
from pages._social_bias.results import Measured, Settings

NARROWEST = 5.0
"""Half of the narrowest range of the interval column, in points."""

SHOWN = (
    "subject",
    "n_items",
    "n_templates",
    "reference",
    "value",
    "change",
    "change_abs",
    "interval",
    "p_holm",
    "verdict",
)


def changes_of(measured: Measured, settings: Settings, measure: BiasMeasure) -> list[BiasChange]:
    """Changes of the chosen model and value: all types together, each type, then its groups."""
    column = settings.column
    changes = [
        change
        for change in measured.changes
        if change.measure == measure
        and change.get(column) == settings.value
        and (column == "model" or change.get("model") == settings.model)
    ]
    order = {name: i for i, name in enumerate(dict.fromkeys(change.get("category") for change in changes))}
    n_groups = {
        category: sum(change.get("category") == category and bool(change.get("stereotyped")) for change in changes)
        for category in order
    }
    told_apart = [
        change for change in changes if not (change.get("stereotyped") and n_groups[change.get("category")] < 2)
    ]
    return sorted(
        told_apart,
        key=lambda change: (order[change.get("category")], change.get("stereotyped") != "", change.get("stereotyped")),
    )


def finding_of(changes: Sequence[BiasChange], settings: Settings) -> Finding:
    """The headline of the table."""
    names = settings.names if settings.column == "model" else {}
    reference = settings.compared.reference
    return changes_finding(
        changes,
        column=settings.column,
        value=names.get(settings.value, settings.value),
        reference=names.get(reference, reference),
        who=settings.who,
    )


def show_changes(changes: Sequence[BiasChange], settings: Settings) -> None:
    """The table, one bias type after the other."""
    before, after = short_column(settings.before), short_column(settings.after)
    who = f"{settings.who}: from" if settings.who else "From"
    section(
        f"{who} {settings.before} to {settings.after}, type by type and group by group",
        "Diff-Bias, percent; change in points (right: towards the stereotype) with 95 % bootstrap "
        "over templates. Filled: significant after Holm. Hollow: not. "
        f"{holm_words(changes)}, those of other models, values and contexts among them.",
    )
    ends = [end for change in changes for end in (*change.interval, change.change) if not math.isnan(end)]
    low, high = min([-NARROWEST, *ends]), max([NARROWEST, *ends])
    air = 0.03 * (high - low)
    printed = _printed_ranges(changes, settings)
    page_table(
        tables(BiasResults(changes=changes))["changes"],
        show=(*SHOWN, "paper") if printed else SHOWN,
        drawn={
            "subject": _subject,
            "n_items": lambda row: _grey(count(int(row.number("n_items"))), row),
            "n_templates": lambda row: _grey(count(int(row.number("n_templates"))), row),
            "reference": lambda row: _value(row, "reference"),
            "value": lambda row: _value(row, "value"),
            "change": _change,
            "change_abs": lambda row: _grey(signed(row.number("change_abs"), 1), row),
            "interval": _glyph,
            "p_holm": _p_holm,
            "verdict": _verdict,
            "paper": lambda row: "" if row.text("stereotyped") else printed.get(row.text("category"), ""),
        },
        columns={
            "subject": "Bias type",
            "n_items": Column(label="Items", align="right"),
            "n_templates": Column(label="Templates", align="right", wide=True),
            "reference": Column(label=before, align="right"),
            "value": Column(label=after, align="right"),
            "change": Column(label="Change", align="right"),
            "change_abs": Column(label="Δ|Diff-Bias|", align="right", wide=True),
            "interval": Column(label="95 % interval", span=(low - air, high + air), zero=0.0),
            "p_holm": Column(label="p (Holm)", align="right"),
            "verdict": "In words",
            "paper": Column(label="In the paper", align="right", wide=True),
        },
        caption=f"Diff-Bias with {before} and {after}, by bias type and group",
        narrow="scroll",
    )
    p_is_drawn = any(change.tested and not change.exact for change in changes)
    notes_below(
        "Grey: fewer than 100 items or 10 templates. Shown, but neither coloured nor tested.",
        "Some p are of 100 000 drawn sign flips: their exact distribution is too long." if p_is_drawn else "",
        "In the paper: the changes of its five models from no RAG to the same collection; other "
        "questions, models and documents, so for the eye alone."
        if printed
        else "",
    )


def _subject(row: Row) -> Html:
    group = row.text("stereotyped")
    label = subject_label(row.text("category"), group)
    style = "padding-left:1.1rem;display:inline-block" if group else ""
    if not row["tested"]:
        return el("span", label, cls="fv-mute", style=style)
    return el("span", label, style=style) if group else el("strong", label)


def _value(row: Row, key: str) -> Html:
    """A value on the ground of its sign; grey where it is not tested."""
    value, measure = row.number(key), _measure(row)
    text = value_text(value, measure)
    if not row["tested"]:
        return el("span", text, cls="fv-mute")
    style = f"{bias_style(value, measure)};padding:.2rem .5rem;border-radius:3px"
    return el("span", text, style=f"{style};display:inline-block;min-width:3.4rem")


def _measure(row: Row) -> BiasMeasure:
    return "diffbias_a" if row["measure"] == "diffbias_a" else "diffbias_d"


def _change(row: Row) -> Html:
    text = signed(row.number("change"), 1)
    return el("strong", text) if row["tested"] else _grey(text, row)


def _glyph(row: Row) -> Cell:
    low, high = row.number("low"), row.number("high")
    if math.isnan(low):
        return ""
    return Glyph(value=row.number("change"), low=low, high=high, filled=_is_significant(row))


def _p_holm(row: Row) -> Html:
    text = p_value(row.number("p_holm")) if row["tested"] else "not tested"
    return el("span", text, cls="fv-mute", style="white-space:nowrap")


def _verdict(row: Row) -> Html:
    verdict = row.text("verdict")
    return el("strong", verdict) if _is_significant(row) else _grey(verdict.replace(" ", "\N{NO-BREAK SPACE}"), row)


def _is_significant(row: Row) -> bool:
    return bool(row["tested"]) and "stereotype" in row.text("verdict")


def _grey(text: str, row: Row) -> Html:
    return el("span", text, cls="" if row["tested"] else "fv-mute")


def _printed_ranges(changes: Sequence[BiasChange], settings: Settings) -> dict[str, str]:
    """The range of the paper's changes from no retrieval to the same collection, by bias type."""
    if settings.column != "setting" or not is_without_rag(settings.compared.reference) or not changes:
        return {}
    ranges = ranges_of_paper(changes[0].measure, settings.value)
    kinds = {change.get("category"): bias_type(change.get("category")) for change in changes}
    return {
        category: interval(*ranges[kind.slug], 1)
        for category, kind in kinds.items()
        if kind is not None and kind.slug in ranges
    }
