"""Citations by rank and the table of the Attribution page."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import csv_text, frame_table, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import count, interval, number, plural, signed
from fairviz.studies.attribution.figures import attribution_alt, attribution_figure, shared_ranges
from fairviz.studies.attribution.figures_more import cited_by_rank_alt, cited_by_rank_figure
from fairviz.studies.attribution.findings import rank_title
from fairviz.studies.attribution.panels import OutputSummary, consumption_panel
from fairviz.studies.attribution.points import cited_by_rank, points_frame
from fairviz.studies.attribution.tables import summary_content
from pages._attribution.panels import IN_A_ROW, under
from pages._attribution.results import Results, Settings
from pages._kit import Cell, Column, Glyph, Toned, Two, colours, download_row, el, html_table, section, show_figure

# Downloads of the Attribution page: every point as CSV, the summary as LaTeX, all as HTML.


STEM = "fairviz-attribution"


def downloads(name: str, chosen: Settings, found: Results) -> None:
    """The row of buttons; files are written when one is pressed."""

    def points() -> str:
        every = [each for group in found.groups for each in group.points]
        return csv_text(frame_table(points_frame(every)))

    def table() -> str:
        return latex_text(summary_content(found.rows, k=chosen.k), label="tab:attribution")

    def page() -> str:
        sections = report_sections(chosen, found)
        lead = f"{name}: k = {chosen.k}, items given: {chosen.given_from}."
        return html_text("Attribution", sections, lead=lead, plotly_js=plotly_script())

    download_row(STEM, frame_csv=points, latex=table, html=page)


def report_sections(chosen: Settings, found: Results) -> list[Section]:
    """What a report says of recorded outputs: a chart per generator, and the summary."""
    charts = tuple(_charts(chosen, found))
    return [
        Section(found.finding.title, (found.finding.sentence,), charts),
        Section("Use of the lists given", (), (summary_content(found.rows, k=chosen.k),)),
    ]


def _charts(chosen: Settings, found: Results) -> list[Figure]:
    """EE-D against EAE-D of each generator, its first setting coloured."""
    panels = [consumption_panel(group, "EED-EAED", chosen.scale) for group in found.groups]
    ranges = shared_ranges(panels, "EED-EAED")
    figures: list[Figure] = []
    for panel in panels:
        setting = panel.settings[0]
        light, dark = in_both_themes(
            lambda colours, panel=panel, setting=setting: attribution_figure(
                panel,
                ranges=ranges,
                pair="EED-EAED",
                scale=chosen.scale,
                setting=setting,
                colours=colours,
            )
        )
        alt = attribution_alt(panel, pair="EED-EAED", scale=chosen.scale, setting=setting)
        figures.append(Figure(light, dark, alt, caption=panel.name, name=STEM))
    return figures


NO_BREAK = "\N{NO-BREAK SPACE}"


def tables(found: Results, setting: str) -> None:
    """Citations by rank, where they are not shown first, and the numbers."""
    if found.single_sample:
        summary_table(found)
        return
    if len(found.groups) > 1:
        rank_row(found, setting)
        summary_table(found)
        return
    left, right = st.columns([5, 7], gap="large")
    with left:
        rank_row(found, setting)
    with right:
        summary_table(found)


def rank_row(results: Results, setting: str) -> None:
    """How often the item at each rank of the list given is cited, per generator."""
    named = [(group.name, under(group, setting)) for group in results.groups]
    shown = [(name, points, cited_by_rank(points.found)) for name, points in named if points]
    if not shown:
        return
    n = max(int((~np.isnan(points.rate)).sum()) for _, points, _ in shown)
    section(
        rank_title([decline for _, decline in results.declines]),
        f"Share of answers that cite the item at each rank of the list given; "
        f"{plural(n, 'query', 'queries')}, {setting}",
    )
    highest = max(float(np.nanmax(shares, initial=0)) for _, _, shares in shown)
    columns = st.columns(IN_A_ROW, gap="medium") if len(shown) > 1 else [st.container()]
    for i, (name, _, shares) in enumerate(shown):
        with columns[i % len(columns)]:
            if len(shown) > 1:
                st.html(el("h3", name, cls="fv-part"))
            show_figure(
                cited_by_rank_figure(shares, highest=highest, colours=colours()),
                f"cited-by-rank-{i}",
                cited_by_rank_alt(name, shares),
            )


def summary_table(results: Results) -> None:
    """Every generator under every setting: how much is used, from how many sources."""
    section(
        "Effective number of sources",
        "1 / (‖ε‖² / (Σε)²), mean over queries, given → used"
        + ("; Δ: share of use minus share of retrieval, unbiased, where lists vary" if results.tested else "")
        + "; 95 % bootstrap intervals",
    )
    several, compared = len(results.groups) > 1, bool(results.tested)
    tested = {(row.name, row.setting): row for row in results.tested}
    rows: list[list[Cell]] = []
    for row in results.rows:
        name = f"{row.name}, {row.setting}" if several else row.setting
        rows.append(
            [
                name.replace(" = ", f"{NO_BREAK}={NO_BREAK}"),
                f"{number(row.given, 1)}{NO_BREAK}→{NO_BREAK}{number(row.used, 1)}",
                *(_change(tested.get((row.name, row.setting))) if compared else ()),
                Two(top=number(row.rate), below=interval(*row.rate_interval)),
                f"{count(row.n_queries)} · {count(row.n_outputs)}",
            ]
        )
    difference = [
        Column(label="Δ share", align="right"),
        Column(label="Δ, 95 % interval", span=_span(results.tested), zero=0.0),
    ]
    columns: list[Column | str] = [
        Column(label="Generator and lists" if several else "Lists given"),
        Column(label="sources", align="right"),
        *(difference if compared else ()),
        Column(label="EAR ↑", align="right"),
        Column(label="queries · answers", align="right", wide=True),
    ]
    html_table(columns, rows, caption="Use of the lists given", narrow="scroll")


def _change(row: OutputSummary | None) -> list[Cell]:
    """Cells for consumed minus retrieved concentration, where it may be compared."""
    if row is None:
        return [Toned(text="–", tone="mute", bold=False), ""]
    change = row.change
    if np.isnan(change.interval.low):
        return [signed(change.difference), Toned(text="too few", tone="mute", bold=False)]
    apart = 0 not in change.interval
    tone = "ink" if apart else "mute"
    drawn = Glyph(
        value=change.difference,
        low=change.interval.low,
        high=change.interval.high,
        filled=apart,
        tone=tone,
    )
    return [Toned(text=signed(change.difference), tone=tone, bold=apart), drawn]


def _span(rows: Sequence[OutputSummary]) -> tuple[float, float]:
    ends = [0.0, *(end for row in rows for end in row.change.interval if not np.isnan(end))]
    air = 0.06 * max(max(ends) - min(ends), 1e-6)
    return min(ends) - air, max(ends) + air
