"""Recorded answers: computed, remembered; the grid of tasks and its panels."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from fairviz.display.words import capital, considered, count, listing, plural
from fairviz.evaluation.outputs import Estimate
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset
from fairviz.points.generations import Generation, Pair, Panel, consumption_panel
from fairviz.points.outputs import Recorded
from fairviz.points.panels import PanelView
from fairviz.points.view import factor_texts, system_name
from fairviz.studies.attribution.analysis import (
    ALPHA,
    Results,
    compared_under,
    path_curves,
    setting_names,
    usual_setting,
)
from fairviz.studies.attribution.charts import (
    Axes,
    attribution_alt,
    attribution_figure,
    n_off_scale,
    shared_axes,
)
from fairviz.studies.attribution.columns import differences_table
from fairviz.studies.attribution.findings import plain_measure, use_finding
from fairviz.studies.attribution.grid import UseComparison, panel_view
from fairviz.studies.attribution.settings import AttributionSettings
from pages._kit import callout, counts_line, section, show_chart
from pages._kit.commands import study_files
from pages._kit.controls import bound_number, choose_relevance
from pages._kit.html import el, join
from pages._kit.panels import Look, forest, pin_chosen, show_panels
from pages._kit.recorded_outputs import problems_of, usual_k

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


def scatter_row(
    results: Results,
    selection: AttributionSettings,
    pairs: Sequence[Pair],
    setting: str,
    *,
    selected: str | None,
    on_pick: Callable[[str, str], None],
) -> None:
    """One panel per generator on one pair of axes, or several pairs of the only generator.

    Args:
        results: The generators.
        selection: The page's settings.
        pairs: What stands on the axes.
        setting: Which lists the answers were made from.
        selected: The query that is ringed.
        on_pick: What happens when points of a chart are selected: the chart, the setting.
    """
    scale, groups = selection.scale, results.groups
    if len(groups) == 1:
        panels = [consumption_panel(groups[0], pair, scale) for pair in pairs]
        titles = [PAIR_TITLES[pair] for pair in pairs]
        axes = [shared_axes([panel], pair) for panel, pair in zip(panels, pairs, strict=True)]
    else:
        panels = [consumption_panel(group, pairs[0], scale) for group in groups]
        titles = [panel.curve.system for panel in panels]
        pairs = [pairs[0] for _ in panels]
        axes = [shared_axes(panels, pairs[0])] * len(panels)
    columns = st.columns(IN_A_ROW, gap="medium")
    for i, panel in enumerate(panels):
        if i and i % IN_A_ROW == 0:
            columns = st.columns(IN_A_ROW, gap="medium")
        with columns[i % IN_A_ROW]:
            _head(panel, axes[i], titles[i], setting)
            key, shown = f"attribution-{i}-{pairs[i].lower()}", replace(selection, axes=pairs[i])
            draw = partial(attribution_figure, panel, shown, axes=axes[i], setting=setting, selected=selected)
            show_chart(
                lambda palette, draw=draw: draw(colours=palette),
                key,
                attribution_alt(panel, shown, setting=setting),
                on_select=lambda key=key: on_pick(key, setting),
                brush=True,
            )


def _head(panel: Panel, axes: Axes, title: str, setting: str) -> None:
    counts = plural(panel.n_points(setting), "query", "queries")
    if below := n_off_scale(panel, axes):
        counts += f" · {plural(below, 'point')} at 0, on the edge"
    st.html(join(el("h2", title, cls="fv-part"), el("p", counts, cls="fv-counts")))


def counted(results: Results, selection: AttributionSettings, setting: str) -> None:
    """What is in the points, and how it was estimated."""
    parts: list[str] = []
    measured = [group.under(setting) for group in results.groups]
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
    shown = replace(looked_at(selection, view), axes=pair)
    curves = path_curves(loaded, shown)
    laid = panel_view(curves, view.layout, shown, compared)
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
        *(["solid black in every panel: at full size below"] if laid.layout.pinned else []),
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
    table = differences_table([compared], k=selection.k)
    section(
        f"{capital(plain_measure(compared.measure))} of each system minus that of {base}",
        f"{setting}; paired by query; 95 % interval (not corrected); filled: unlikely to be chance "
        f"({considered(compared.n_tests)}). {use_finding(compared).sentence}".strip(),
    )
    forest(
        table,
        key="use_whole",
        name=lambda row: system_name(view.baseline._replace(**{name: row.get(name) for name in view.by}), view.by),
        label="Δ",
        pinned=[i - 1 for i, factors in enumerate(compared.means) if i and factors == view.pinned],
        falls=compared.falls,
        value=compared.measure,
        caption=f"{compared.measure} beside {base}",
    )
    files, stem = ("fairviz-attribution-differences", "These differences"), "consumption-differences"
    study_files(*files, ("attribution", told), lambda: {stem: table}, csv=stem, latex=[stem])
