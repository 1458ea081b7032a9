"""Change: Diff-Bias of the same questions under two conditions, where a baseline is natural or a person chose one."""

import math
from collections.abc import Sequence

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.words import p_value, signed
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.findings import LESS, MORE, change_finding
from fairviz.studies.social_bias.labels import type_label, value_text, value_words
from fairviz.studies.social_bias.tables import BiasResults, tables
from pages._kit import Cell, Column, Glyph, Row, Tone, Toned, around_zero, download, el, muted, page_table, section
from pages._social_bias.results import Settings

SHOWN = ("subject", "reference", "value", "interval", "change", "p_holm")
TONES: dict[str, Tone] = {MORE: "optimal", LESS: "plackett-luce"}


def shown_changes(
    changes: Sequence[BiasChange], order: Sequence[str], settings: Settings, value: str
) -> list[BiasChange]:
    """Changes to one value in the context that is looked at, in the order of the levels."""
    own = [
        change
        for change in changes
        if change.measure == settings.measure
        and change.get(settings.column) == value
        and change.get("category") in order
        and (settings.column == "model" or change.get("model") in settings.models)
    ]
    return sorted(own, key=lambda change: order.index(change.get("category")))


def change_section(changes: Sequence[BiasChange], settings: Settings, reference: str, value: str) -> None:
    """Title and table.

    Args:
        changes: What is shown.
        settings: What is looked at.
        reference: What is compared with.
        value: What is compared.
    """
    column = settings.column
    finding = change_finding(changes, column=column, value=value, reference=reference, names=settings.names)
    section(finding.title, finding.sentence)
    before, after = (value_words(column, settings.name(end)) for end in (reference, value))
    ends = [end for change in changes for end in (*change.interval, change.change)]
    several = column != "model" and len({change.get("model") for change in changes}) > 1
    page_table(
        tables(BiasResults(changes=changes))["changes"],
        show=SHOWN,
        drawn={
            "subject": lambda row: _subject(row, settings, several),
            "reference": lambda row: _value(row, "reference", settings),
            "value": lambda row: _value(row, "value", settings),
            "interval": _glyph,
            "change": _change,
            "p_holm": lambda row: muted(
                p_value(row.number("p_holm")) if row["tested"] else "not\N{NO-BREAK SPACE}tested"
            ),
        },
        columns={
            "subject": "Bias type",
            "reference": Column(label=before, align="right", wide=True),
            "value": Column(label=after, align="right", wide=True),
            "interval": Column(label="Change, 95 % interval", span=around_zero(ends), zero=0.0),
            "change": Column(label="points", align="right"),
            "p_holm": Column(label="p (Holm)", align="right", wide=True),
        },
        caption=f"Diff-Bias with {before} and {after}, by bias type",
    )


def change_files(
    changes: Sequence[BiasChange],
    every: Sequence[BiasChange],
    settings: Settings,
    reference: str,
    value: str,
    read: str,
) -> None:
    """Buttons: every change that p is corrected over as CSV, those shown as LaTeX."""
    before, after = (value_words(settings.column, settings.name(end)) for end in (reference, value))
    shown = BiasResults(changes=changes, reference=before, value=after, reading=read)
    download(
        "CSV of every tested change",
        lambda: csv_text(tables(BiasResults(changes=every, reading=read))["changes"]),
        file_name="fairviz-social-bias-changes.csv",
        mime="text/csv",
        key="bias-changes-csv",
    )
    download(
        "LaTeX of these changes",
        lambda: latex_text(tables(shown)["changes-printed"], label="tab:social-bias-changes"),
        file_name="fairviz-social-bias-changes.tex",
        mime="application/x-tex",
        key="bias-changes-tex",
    )


def _subject(row: Row, settings: Settings, several: bool) -> Cell:
    kind = type_label(row.text("category"))
    return el("span", kind, el("span", f" · {settings.name(row.text('model'))}", cls="fv-mute")) if several else kind


def _value(row: Row, key: str, settings: Settings) -> Cell:
    text = value_text(row.number(key), settings.measure, 0)
    return text if row["tested"] else muted(text)


def _glyph(row: Row) -> Cell:
    low, high = row.number("low"), row.number("high")
    if math.isnan(low):
        return ""
    tone = TONES.get(row.text("verdict"))
    return Glyph(value=row.number("change"), low=low, high=high, filled=tone is not None, tone=tone or "mute")


def _change(row: Row) -> Cell:
    text = signed(row.number("change"), 0)
    tone = TONES.get(row.text("verdict"))
    return Toned(text=text, tone=tone) if tone else text if row["tested"] else muted(text)
