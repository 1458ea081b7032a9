"""Recorded answers: computed, remembered; the grid of tasks and its panels."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text, folded
from fairviz.display.words import capital, considered, count, listing, plural, signed
from fairviz.evaluation.outputs import Estimate
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset
from fairviz.points.generations import Generation, Pair, Panel, consumption_panel
from fairviz.points.outputs import OutputPoints
from fairviz.points.recorded import Recorded
from fairviz.points.view import PanelView, factor_texts, system_name, toned
from fairviz.studies.attribution.analysis import (
    ALPHA,
    Results,
    compared_under,
    path_curves,
    setting_names,
    usual_setting,
)
from fairviz.studies.attribution.charts import (
    Ranges,
    attribution_alt,
    attribution_figure,
    n_off_scale,
    panel_axes,
    shared_ranges,
)
from fairviz.studies.attribution.columns import AttributionResults, tables
from fairviz.studies.attribution.findings import plain_measure, use_finding
from fairviz.studies.attribution.grid import UseComparison, panel_view
from fairviz.studies.attribution.settings import AttributionSettings
from pages._kit import callout, counts_line, section, show_chart
from pages._kit.commands import study_commands
from pages._kit.controls import bound_number, choose_relevance
from pages._kit.downloads import download_row
from pages._kit.html import Cell, Column, Glyph, Toned, el, join
from pages._kit.panels import Look, pin_chosen, show_panels
from pages._kit.recorded_outputs import problems_of, usual_k
from pages._kit.table import Row, around_zero, muted, page_table

SCALES: dict[str, Scale] = {"min-max": "minmax", "share": "share", "k": "k"}
ESTIMATES: dict[str, Estimate] = {"plug-in": "plugin", "unbiased": "unbiased"}
PAIRS: dict[str, Pair] = {
    "EE-D, EAE-D": "EED-EAED",
    "EE-D, EAR": "EED-EAR",
    "EE-R, EAR": "EER-EAR",
}


def settings(loaded: Dataset) -> AttributionSettings:
    """Show the controls in a row and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        scale = st.segmented_control(
            "Scale",
            list(SCALES),
            default="share",
            required=True,
            key="scale",
            bind="query-params",
            help="min-max: attainable EE-D beside EAE-D / k (the paper's). share: how attention "
            "is shared, whatever its amount. k: both divided by k; no point can lie above y = x.",
        )
        k = bound_number(
            "Context size k",
            1,
            100,
            usual_k(loaded),
            "items",
            width=120,
            help="Only the first k retrieved documents count.",
        )
        gain = choose_relevance(disabled=not loaded.qrels)
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            estimate = st.radio(
                "Estimate of both disparities",
                list(ESTIMATES),
                key="estimate",
                bind="query-params",
                help="The plug-in of N outputs is too high by about (mean ‖ε_π‖² − ‖ε‖²) / N; the "
                "unbiased estimate is undefined for one output. On the scale “share” it is always the unbiased one, "
                "but for answers of one output per query.",
                disabled=scale == "share",
            )
    return AttributionSettings(
        k=k,
        gain=gain,
        scale=SCALES[scale or "share"],
        estimate=ESTIMATES[estimate or "plug-in"],
    )


def setting_control(groups: Sequence[Generation]) -> str:
    """Which lists the answers were made from: an α, or the deterministic list."""
    names = setting_names(groups)
    if len(names) == 1:
        return names[0]
    usual = usual_setting(names)
    labels = [name.removeprefix(ALPHA) for name in names]
    selection = st.segmented_control(
        "α of the retrieved context",
        labels,
        default=usual.removeprefix(ALPHA),
        required=True,
        key="lists_at",
        bind="query-params",
        help="Answers were recorded for lists drawn at these α, and for the deterministic list.",
    )
    return names[labels.index(selection)] if selection in labels else usual


def known_pairs(result: "Results") -> list[Pair]:
    """Axes that have a value: without judgements there is no EE-R."""
    judged = any(not np.isnan(points.relevance).all() for group in result.groups for points in group.points)
    return [pair for pair in PAIRS.values() if judged or pair != "EER-EAR"]


def pair_control(result: "Results") -> Pair:
    """Which two measures the panels of several systems show."""
    known = known_pairs(result)
    usual = "EE-D, EAR" if result.single_sample else "EE-D, EAE-D"  # of one answer concentration is decided by EAR
    selection = st.segmented_control(
        "Axes",
        [name for name, pair in PAIRS.items() if pair in known],
        default=usual,
        required=True,
        key="axes",
        bind="query-params",
    )
    return PAIRS[selection or usual]


def looked_at(selection: AttributionSettings, view: Look) -> AttributionSettings:
    """The settings with the task that is looked at, without what is excluded."""
    return replace(selection, task=view.task or "", off=factor_texts(view.off))


def _beside(selection: AttributionSettings, view: Look, pair: Pair, setting: str) -> AttributionSettings:
    """The same with what is compared, and the baseline."""
    baseline = factor_texts(view.baseline.known.items())
    return replace(looked_at(selection, view), lists=setting, axes=pair, baseline=baseline)


PAIR_TITLES: dict[Pair, str] = {
    "EED-EAED": "Is use more concentrated than retrieval? (EAE-D, EE-D)",
    "EED-EAR": "Does more equal retrieval lower the share used? (EAR, EE-D)",
    "EER-EAR": "Are more relevant lists used more? (EAR, EE-R)",
}
IN_A_ROW = 3


def under(group: Generation, setting: str) -> OutputPoints | None:
    """What one generator did under a setting; None where it was not recorded."""
    return group.points[group.settings.index(setting)] if setting in group.settings else None


class FullSize(NamedTuple):
    """What the panels are drawn for.

    Attributes:
        selection: The page's settings.
        setting: Which lists the answers were made from.
        selected: The query that is ringed.
        on_pick: What happens when points of a chart are selected: the chart, the setting.
    """

    selection: AttributionSettings
    setting: str
    selected: str | None
    on_pick: Callable[[str, str], None]


def scatter_row(results: Results, pair: Pair | None, view: FullSize) -> None:
    """One panel per generator on one pair of axes, or all pairs of the only generator."""
    scale = view.selection.scale
    pairs: Sequence[Pair] = known_pairs(results) if pair is None else [pair for _ in results.groups]
    if pair is None:
        panels = [consumption_panel(results.groups[0], pair_shown, scale) for pair_shown in pairs]
        titles = [PAIR_TITLES[pair_shown] for pair_shown in pairs]
        rows = [[panel] for panel in panels]
    else:
        panels = [consumption_panel(group, pair, scale) for group in results.groups]
        titles = [panel.name for panel in panels]
        rows = [panels] * len(panels)
    for start in range(0, len(panels), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for i in range(start, min(start + IN_A_ROW, len(panels))):
            with columns[i - start]:
                _head(panels[i], shared_ranges(rows[i], pairs[i]), titles[i], view.setting)
                _panel(panels[i], pairs[i], shared_ranges(rows[i], pairs[i]), view, position=i)


def _head(panel: Panel, ranges: Ranges, title: str, setting: str) -> None:
    counts = plural(panel.n_points(setting), "query", "queries")
    if below := n_off_scale(panel, ranges):
        counts += f" · {plural(below, 'point')} at 0, on the edge"
    st.html(join(el("h2", title, cls="fv-part"), el("p", counts, cls="fv-counts")))


def _panel(panel: Panel, pair: Pair, ranges: Ranges, view: FullSize, *, position: int) -> None:
    key = f"attribution-{position}-{pair.lower()}"
    scale, setting = view.selection.scale, view.setting
    draw = partial(
        attribution_figure,
        panel,
        ranges=ranges,
        pair=pair,
        scale=scale,
        setting=setting,
        selected=view.selected,
        relevance=view.selection.relevance,
    )
    alt = attribution_alt(panel, pair=pair, scale=scale, setting=setting, relevance=view.selection.relevance)
    show_chart(
        lambda palette: draw(colours=palette), key, alt, on_select=lambda: view.on_pick(key, setting), brush=True
    )


def counted(results: Results, selection: AttributionSettings, setting: str) -> None:
    """What is in the points, and how it was estimated."""
    parts: list[str] = []
    measured = [under(group, setting) for group in results.groups]
    present = [points for points in measured if points is not None]
    n = [int(points.n_samples.max(initial=0)) for points in present]
    if n:
        parts.append(f"{plural(max(n), 'answer')} per query")
    nothing = sum(int((np.nan_to_num(p.attributed_exposure, nan=1) == 0).sum()) for p in present)
    if nothing:
        parts.append(f"{plural(nothing, 'point')} where no given document is cited: undefined on share")
    several = any(not points.single_sample for points in present)
    on_share = selection.scale == "share" and several
    estimate = "unbiased" if on_share or selection.estimate == "unbiased" else "plug-in"
    parts.append(f"{estimate} estimate from the same answers on both axes")
    if present and all(points.single_sample for points in present):
        parts.append("one answer per query: EAE-D / k is EAR, every list is a fixed one")
    if any(points.source is None for points in present) and selection.scale == "minmax":
        parts.append(
            "the run that fed some answers is not loaded: the candidates of EE-D and EE-R are the documents of their "
            "lists, and the judged ones"
        )
    if selection.scale == "k":
        parts.append(
            "on this scale no point can lie above y = x, because ε_a ≤ ε; above the line of "
            "equal chance, y = EAR²·x, the generator concentrates attention further"
        )
    counts_line(" · ".join(parts))


CHART = "attribution-grid"
OPENED = "attribution_opened"
TALL, ENDS = 40, 15
"""Rows from which a table folds its middle, and how many then stay at either end."""


# What is not drawn, and why.


WARNED = (
    "Check that the answers were generated from it. Cited documents that were not retrieved count nowhere on this page."
)


def warnings(result: Results, found: Recorded) -> None:
    """Outputs that could not be measured, and those made from other lists than assumed."""
    if problems := problems_of(found):
        callout("Some outputs are not measured", " ".join(problems))
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


def grid(loaded: Dataset, selection: AttributionSettings, view: Look, pair: Pair, setting: str) -> None:
    """A small panel per system; a pressed one is shown at full size."""
    compared = compared_under(loaded, _beside(selection, view, pair, setting))
    curves = path_curves(loaded, replace(looked_at(selection, view), axes=pair))
    laid = panel_view(
        curves,
        pair=pair,
        scale=selection.scale,
        axes=panel_axes(pair, selection.scale, selection.relevance),
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


def differences(loaded: Dataset, selection: AttributionSettings, view: Look, pair: Pair, setting: str) -> None:
    """Each system beside the baseline, the largest difference first."""
    told = _beside(selection, view, pair, setting)
    compared = compared_under(loaded, told)
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
    download_row(
        "fairviz-attribution-differences",
        "These differences",
        frame_csv=lambda: csv_text(table),
        latex=lambda: latex_text(table, label=f"tab:{stem}"),
        commands=lambda: study_commands("attribution", told, csv=stem, latex=[stem]),
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
