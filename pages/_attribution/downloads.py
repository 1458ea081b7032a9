"""Citations by rank and the table of the Attribution page, and its downloads: points as CSV, summary, all as HTML."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from fairviz.display.html import html_text
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import NO_INTERVAL, considered, count, number, plural, signed
from fairviz.model import Dataset, Factors
from fairviz.stats.bootstrap import PairedDifference, in_one_table
from fairviz.stats.tests import verdict
from fairviz.studies.attribution.figures_answers import cited_by_rank_alt, cited_by_rank_figure
from fairviz.studies.attribution.findings import rank_title
from fairviz.studies.attribution.points import cited_by_rank
from fairviz.studies.attribution.report import STEM, Results, report_sections, report_tables
from fairviz.studies.attribution.tables import AttributionResults, tables
from fairviz.studies.tradeoff.panels import system_name
from pages._attribution.grid import TALL
from pages._attribution.panels import IN_A_ROW, under
from pages._attribution.results import SEED, Settings
from pages._kit import (
    Cell,
    Column,
    Row,
    Toned,
    around_zero,
    colours,
    download_row,
    el,
    glyph,
    muted,
    page_table,
    section,
    show_figure,
    with_interval,
)
from pages._kit.commands import page_commands
from pages._kit.recorded_outputs import given_words


def downloads(loaded: Dataset, selection: Settings, tasks: Sequence[Results]) -> None:
    """The row of buttons; files are written when one is pressed."""
    relevance = selection.relevance_name
    known = partial(report_tables, tasks, k=selection.k, relevance=relevance, seed=SEED)

    def page() -> str:
        sections = report_sections(tasks, known(), relevance=relevance, scale=selection.scale, seed=SEED)
        lead = f"{loaded.name}: k = {selection.k}. Retrieved context of {given_words(loaded)}."
        return html_text("Attribution", sections, lead=lead, plotly_js=plotly_script())

    download_row(
        STEM,
        "Points and means",
        frame_csv=lambda: csv_text(known()["consumption-points"]),
        latex=lambda: latex_text(known()["consumption"], label="tab:consumption"),
        html=page,
        commands=lambda: page_commands(
            "attribution", selection.as_command(), csv="consumption-points", latex=["consumption"]
        ),
    )


NO_BREAK = "\N{NO-BREAK SPACE}"


def result_section(result: Results, shown: Results, setting: str) -> None:
    """Citations by rank of what is shown at full size, where they are not shown first, and the numbers of all."""
    if result.single_sample:
        summary_section(result)
        return
    if len(result.groups) > 1:
        rank_row(shown, setting)
        summary_section(result)
        return
    left, right = st.columns([5, 7], gap="large")
    with left:
        rank_row(shown, setting)
    with right:
        summary_section(result)


def rank_row(results: Results, setting: str) -> None:
    """How often the document at each retrieval rank is cited, per generator."""
    named = [(group.name, under(group, setting)) for group in results.known.groups]
    listed = [(name, points, cited_by_rank(points.matches)) for name, points in named if points]
    if not listed:
        return
    n = max(int((~np.isnan(points.rate)).sum()) for _, points, _ in listed)
    section(
        rank_title([decline for _, decline in results.declines]),
        f"Share of answers that cite the document at each retrieval rank; {plural(n, 'query', 'queries')}, {setting}",
    )
    highest = max(float(np.nanmax(shares, initial=0)) for _, _, shares in listed)
    columns = st.columns(IN_A_ROW, gap="medium") if len(listed) > 1 else [st.container()]
    for i, (name, _, shares) in enumerate(listed):
        with columns[i % len(columns)]:
            if len(listed) > 1:
                st.html(el("h3", name, cls="fv-part"))
            show_figure(
                cited_by_rank_figure(shares, highest=highest, colours=colours()),
                f"cited-by-rank-{i}",
                cited_by_rank_alt(name, shares),
            )


def summary_section(results: Results) -> None:
    """Every generator under every setting: how much is used, from how many sources."""
    section(
        "Effective number of sources",
        "1 / mean of ‖ε‖² / (Σε)² over queries, given → used"
        + ("; Δ: share of use minus share of retrieval, unbiased, where lists vary" if results.tested else "")
        + "; 95 % bootstrap intervals"
        + (f"; filled: unlikely to be chance (paired t, {considered(len(results.tested))})" if results.tested else ""),
    )
    several, compared = len(results.groups) > 1, bool(results.tested)
    corrected = in_one_table([row.change for row in results.tested])
    changes = {(row.name, row.setting): change for row, change in zip(results.tested, corrected, strict=True)}

    def name_of(row: Row) -> str:
        return system_name(Factors()._replace(**{name: row.get(name) for name in results.by}), results.by)

    def change_of(row: Row) -> PairedDifference | None:
        return changes.get((name_of(row), row.text("lists")))

    def lists(row: Row) -> str:
        name = f"{name_of(row)}, {row['lists']}" if several else row.text("lists")
        return name.replace(" = ", f"{NO_BREAK}={NO_BREAK}")

    def sources(row: Row) -> str:
        given, used = row.number("sources_given"), row.number("sources_used")
        return f"{number(given, 1)}{NO_BREAK}→{NO_BREAK}{number(used, 1)}"

    ends = (end for row in results.tested for end in row.change.interval)
    k = results.groups[0].points[0].matches.k
    page_table(
        tables(AttributionResults(k=k, summaries=results.rows))["consumption"],
        show=("lists", "sources", *(("change", "interval") if compared else ()), "EAR", "counts"),
        drawn={
            "lists": lists,
            "sources": sources,
            "change": lambda row: _change(change_of(row)),
            "interval": lambda row: _change_glyph(change_of(row)),
            "EAR": with_interval("EAR", "EAR_low", "EAR_high"),
            "counts": lambda row: f"{count(int(row.number('n_queries')))} · {count(int(row.number('n_outputs')))}",
        },
        columns={
            "lists": Column(label="System and lists" if several else "Retrieved context"),
            "sources": Column(label="sources", align="right"),
            "change": Column(label="Δ share", align="right"),
            "interval": Column(label="Δ, 95 % interval", span=around_zero(ends), zero=0.0),
            "EAR": Column(label="EAR ↑", align="right"),
            "counts": Column(label="queries · answers", align="right", wide=True),
        },
        caption="Use of the retrieved context",
        narrow="scroll",
        tall=len(results.rows) > TALL,
    )


def _change(change: PairedDifference | None) -> Cell:
    """Consumed minus retrieved concentration, where it may be compared."""
    if change is None:
        return muted("–")
    if np.isnan(change.interval.low):
        return signed(change.difference)
    apart = _apart(change)
    return Toned(text=signed(change.difference), tone="ink" if apart else "mute", bold=apart)


def _change_glyph(change: PairedDifference | None) -> Cell:
    if change is None:
        return ""
    if np.isnan(change.interval.low):
        return muted(NO_INTERVAL)
    return glyph(change.difference, *change.interval, apart=_apart(change))


def _apart(change: PairedDifference) -> bool:
    return verdict(change.difference, change.p_holm, change.n_queries) in ("higher", "lower")
