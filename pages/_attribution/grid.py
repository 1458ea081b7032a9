"""All systems of a task on the Attribution page: a small panel each, how far each is from the baseline, what lacks."""

from dataclasses import replace

import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text, folded
from fairviz.display.words import capital, considered, count, listing, plural, signed
from fairviz.model import Dataset
from fairviz.studies.attribution.figures import panel_axes
from fairviz.studies.attribution.findings import plain_measure, use_finding
from fairviz.studies.attribution.grid import UseComparison, panel_view
from fairviz.studies.attribution.panels import Pair
from fairviz.studies.attribution.tables import AttributionResults, tables
from fairviz.studies.tradeoff.panels import PanelView, factor_texts, system_name, toned
from pages._attribution.panels import IN_A_ROW
from pages._attribution.results import Results, Settings, beside, path_curves
from pages._kit import (
    Cell,
    Column,
    Glyph,
    Row,
    Toned,
    around_zero,
    callout,
    counts_line,
    download_row,
    muted,
    page_table,
    section,
)
from pages._kit.commands import page_commands
from pages._kit.panels import Look, pin_chosen, show_panels

CHART = "attribution-grid"
OPENED = "attribution_opened"
TALL, ENDS = 40, 15
"""Rows from which a table folds its middle, and how many then stay at either end."""


# What is not drawn, and why.


WARNED = (
    "Check that the answers were generated from it. Cited documents that were not retrieved count nowhere on this page."
)


def warnings(result: Results) -> None:
    """Outputs that could not be measured, and those made from other lists than assumed."""
    if result.problems:
        callout("Some outputs are not measured", " ".join(result.problems))
    doubtful = [
        (group.name, points.matches) for group in result.groups for points in group.points if points.matches.warning
    ]
    if doubtful:
        counts = [f"{name}: {count(matches.n_outside)} of {count(matches.n_cited)}" for name, matches in doubtful]
        first = doubtful[0][1]
        where = f"the first {first.k} of {first.paired or 'the recorded lists'}"
        callout(f"Many cited documents are not in {where}", f"{' · '.join(counts)}. {WARNED}")


def only_cited(result: Results) -> None:
    """Why ranks and attention are not drawn for generators whose references hold only what was cited."""
    names = [group.name for group in result.groups if group.only_cited]
    if names and len(names) < len(result.groups):  # else the page's title says it
        callout(
            f"Not drawn: the context of {listing(names)} is known from references only",
            "Load the run that these answers were generated from, and choose it above. Their references list little "
            "but what was cited: every rank would seem cited alike, and use as concentrated as retrieval.",
        )


# The panels.


def opened(result: Results, view: Look) -> Results:
    """What is shown at full size: the chosen system; while none is, all that have room in a row, else the first."""
    chosen = view.pinned._replace(policy=None) if view.pinned else None
    for group in result.groups:
        if group.factors == chosen:
            return result.only(group)
    return result if len(result.groups) <= IN_A_ROW else result.only(result.groups[0])


def was_opened() -> bool:
    """Whether a panel was pressed since this was asked last."""
    return st.session_state.pop(OPENED, False)


def _open() -> None:
    pin_chosen(CHART)
    st.session_state[OPENED] = True


def grid(loaded: Dataset, selection: Settings, view: Look, pair: Pair, setting: str) -> None:
    """A small panel per system; a pressed one is shown at full size."""
    compared = _compared(loaded, selection, view, pair, setting)
    curves = path_curves(loaded, selection, view.task, view.off, pair)
    laid = panel_view(
        curves,
        pair=pair,
        scale=selection.scale,
        axes=panel_axes(pair, selection.scale, selection.relevance_name),
        rows=view.rows,
        columns=view.columns,
        colour=view.colour,
        baseline=view.baseline._replace(task=view.task),
        pinned=view.pinned,
        compared=compared,
        order=view.order,
    )
    show_panels(
        laid,
        by=view.by,
        key=CHART,
        title=use_finding(compared).title if compared else f"{plural(len(curves), 'system')} side by side",
        words=lambda drawn: _key_words(drawn, view, setting, compared),
        hint="Press a panel's line for its full size.",
        on_select=_open,
    )


def _compared(loaded: Dataset, selection: Settings, view: Look, pair: Pair, setting: str) -> UseComparison | None:
    baseline = view.baseline._replace(task=view.task)
    return beside(loaded, selection, view.task, view.off, pair, setting, baseline, view.by)


def _key_words(laid: PanelView, view: Look, setting: str, compared: UseComparison | None) -> str:
    hue = f"Colours: {view.colour}" if view.colour else "Blue: this system"
    parts = [
        f"Means over queries along α. {hue}, 95 % intervals",
        "dashed: baseline" if view.colour else "dashed: baseline, black in its own panel",
        "grey: the others",
        *(["solid black in every panel: at full size below"] if laid.pinned else []),
    ]
    if any(one.deterministic is not None for one in laid.curves):
        parts.append("■ deterministic list")
    if laid.diagonal:
        parts.append("dotted: y = x")
    corner = ""
    if compared is not None:
        corner = f" Corner: {compared.measure}, {setting}, and difference from the baseline (bold = significant)."
    return f"{'; '.join(parts)}.{corner}"


def differences(loaded: Dataset, selection: Settings, view: Look, pair: Pair, setting: str) -> None:
    """Each system beside the baseline, the largest difference first."""
    compared = _compared(loaded, selection, view, pair, setting)
    base = system_name(view.baseline, view.by)
    if compared is None:
        counts_line(f"{base} has no answers for {setting}: choose another baseline, or another α.")
        return
    known = tables(AttributionResults(k=selection.k, compared=[compared]))
    if "consumption-differences" not in known:
        return
    table = known["consumption-differences"]
    gaps = [row.gap for row in compared.rows if row.gap is not None]
    n = len(table.rows)
    section(
        f"{capital(plain_measure(compared.measure))} of each system minus that of {base}",
        f"{setting}; paired by query; 95 % interval (not corrected); filled: unlikely to be chance "
        f"({considered(compared.n_tests)}). {use_finding(compared).sentence}".strip(),
    )
    pinned = [i for i, row in enumerate(compared.rows[1:]) if row.factors == view.pinned]
    whole = n <= TALL or st.toggle(f"Show all {n} rows", key="use_whole")
    short = folded(table, most=n if whole else TALL, ends=ENDS, also=pinned)
    page_table(
        short.table,
        show=("name", "value", "difference", "reach", "p_holm", "n_queries"),
        drawn={
            "name": lambda row: _name(row, view),
            "difference": lambda row: _difference(row, falls=compared.falls),
            "reach": lambda row: _reach(row, falls=compared.falls),
        },
        columns={
            "name": "System",
            "value": Column(label=compared.measure, align="right"),
            "difference": Column(label="Δ", align="right"),
            "reach": Column(label="less · more", span=around_zero(x for gap in gaps for x in gap.interval), zero=0.0),
            "n_queries": Column(label="queries", align="right", wide=True),
        },
        caption=f"{compared.measure} beside {base}",
        between={place: f"… {plural(gone, 'more row')}" for place, gone in short.after.items()},
        narrow="scroll",
    )
    stem = "consumption-differences"
    told = replace(
        selection.as_command(),
        task=view.task or "",
        lists=setting,
        axes=pair,
        baseline=factor_texts(view.baseline.known.items()),
        off=factor_texts(view.off),
    )
    download_row(
        "fairviz-attribution-differences",
        "These differences",
        frame_csv=lambda: csv_text(table),
        latex=lambda: latex_text(table, label=f"tab:{stem}"),
        commands=lambda: page_commands("attribution", told, csv=stem, latex=[stem]),
    )


def _name(row: Row, view: Look) -> str:
    return system_name(view.baseline._replace(**{name: row.get(name) for name in view.by}), view.by)


def _difference(row: Row, *, falls: bool) -> Cell:
    tone = toned(row.text("verdict"), falls=falls)
    text = signed(row.number("difference"), 3)
    return Toned(text=text, tone=tone) if tone else text


def _reach(row: Row, *, falls: bool) -> Cell:
    low, tone = row.number("low"), toned(row.text("verdict"), falls=falls)
    if low != low:
        return muted(row.text("verdict"))
    return Glyph(
        value=row.number("difference"), low=low, high=row.number("high"), filled=bool(tone), tone=tone or "mute"
    )
