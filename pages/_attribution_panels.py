"""The charts and the table of the Attribution page, for one setting of the lists."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.analysis.output_panels import (
    PAIRS,
    Generation,
    Pair,
    Panel,
    consumption_panel,
)
from fairviz.analysis.output_points import OutputPoints, cited_by_rank
from fairviz.analysis.output_summary import OutputSummary
from fairviz.figures.attribution import (
    attribution_alt,
    attribution_figure,
    n_off_scale,
    shared_ranges,
)
from fairviz.figures.attribution_marks import Ranges
from fairviz.figures.cited_by_rank import cited_by_rank_alt, cited_by_rank_figure
from fairviz.report.consumption_findings import rank_title
from pages._attribution_results import Results
from pages._attribution_settings import Settings
from pages._shared import (
    Cell,
    Column,
    Glyph,
    Toned,
    Two,
    colours,
    count,
    counts_line,
    el,
    html_table,
    interval,
    join,
    number,
    plural,
    section,
    show_figure,
    signed,
)

PAIR_TITLES: dict[Pair, str] = {
    "EED-EAED": "What is given, what is used",
    "EED-EAR": "More equal lists, less used?",
    "EER-EAR": "More useful lists, more used?",
}
IN_A_ROW = 3
NO_BREAK = "\N{NO-BREAK SPACE}"


def under(group: Generation, setting: str) -> OutputPoints | None:
    """What one generator did under a setting; None where it was not recorded."""
    return group.points[group.settings.index(setting)] if setting in group.settings else None


class Look(NamedTuple):
    """What the panels are drawn for.

    Attributes:
        chosen: The page's settings.
        setting: Which lists the answers were made from.
        selected: The query that is ringed.
        on_pick: What happens when a point of a chart is pressed.
    """

    chosen: Settings
    setting: str
    selected: str | None
    on_pick: Callable[[str], None]


def scatter_row(results: Results, pair: Pair | None, look: Look) -> None:
    """One panel per generator on one pair of axes, or all pairs of the only generator."""
    scale = look.chosen.scale
    pairs: list[Pair]
    if pair is None:
        panels = [consumption_panel(results.groups[0], each, scale) for each in PAIRS]
        pairs = [*PAIRS]
        titles = [PAIR_TITLES[each] for each in PAIRS]
        rows = [[panel] for panel in panels]
    else:
        panels = [consumption_panel(group, pair, scale) for group in results.groups]
        pairs, titles = [pair] * len(panels), [panel.name for panel in panels]
        rows = [panels] * len(panels)
    for start in range(0, len(panels), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for i in range(start, min(start + IN_A_ROW, len(panels))):
            with columns[i - start]:
                _head(panels[i], shared_ranges(rows[i], pairs[i]), titles[i], look.setting)
                _panel(panels[i], pairs[i], shared_ranges(rows[i], pairs[i]), look, position=i)


def _head(panel: Panel, ranges: Ranges, title: str, setting: str) -> None:
    told = plural(panel.n_points(setting), "query", "queries")
    if below := n_off_scale(panel, ranges):
        told += f" · {plural(below, 'point')} at 0, on the edge"
    st.html(join(el("h3", title, cls="fv-part"), el("p", told, cls="fv-counts")))


def _panel(panel: Panel, pair: Pair, ranges: Ranges, look: Look, *, position: int) -> None:
    key = f"attribution-{position}-{pair.lower()}"
    scale, setting = look.chosen.scale, look.setting
    figure = attribution_figure(
        panel, ranges=ranges, pair=pair, scale=scale, setting=setting,
        colours=colours(), selected=look.selected,
    )  # fmt: skip
    alt = attribution_alt(panel, pair=pair, scale=scale, setting=setting)
    show_figure(figure, key, alt, on_select=lambda: look.on_pick(key))


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
        + (
            "; Δ: share of use minus share of retrieval, unbiased, where lists vary"
            if results.tested
            else ""
        )
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
        value=change.difference, low=change.interval.low, high=change.interval.high,
        filled=apart, tone=tone,
    )  # fmt: skip
    return [Toned(text=signed(change.difference), tone=tone, bold=apart), drawn]


def _span(rows: Sequence[OutputSummary]) -> tuple[float, float]:
    ends = [0.0, *(end for row in rows for end in row.change.interval if not np.isnan(end))]
    air = 0.06 * max(max(ends) - min(ends), 1e-6)
    return min(ends) - air, max(ends) + air


def counted(results: Results, chosen: Settings, setting: str) -> None:
    """What is in the points, and how it was estimated."""
    parts: list[str] = []
    found = [under(group, setting) for group in results.groups]
    shown = [points for points in found if points is not None]
    n = [int(points.n_samples.max(initial=0)) for points in shown]
    if n:
        parts.append(f"{plural(max(n), 'answer')} per query")
    nothing = sum(int((np.nan_to_num(p.attributed_exposure, nan=1) == 0).sum()) for p in shown)
    if nothing:
        parts.append(f"{plural(nothing, 'point')} where no given item is cited: undefined on share")
    estimate = "unbiased" if chosen.estimate == "unbiased" else "plug-in"
    parts.append(f"{estimate} estimate from the same answers on both axes")
    if shown and all(points.single_sample for points in shown):
        parts.append("one answer per query: EAE-D / k is EAR, every list is a fixed one")
    if chosen.scale == "k":
        parts.append(
            "on this scale no point can lie above y = x, because ε_a ≤ ε; above the line of "
            "equal chance, y = EAR²·x, the generator concentrates attention further"
        )
    counts_line(" · ".join(parts))
