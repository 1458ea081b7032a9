"""Systems of the Attribution page at full size: a point per query, for one setting of the lists."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.words import plural
from fairviz.studies.attribution.figures import Ranges, attribution_alt, attribution_figure, n_off_scale, shared_ranges
from fairviz.studies.attribution.panels import Generation, Pair, Panel, consumption_panel
from fairviz.studies.attribution.points import OutputPoints
from pages._attribution.results import Results, Settings, known_pairs
from pages._kit import counts_line, el, join, show_chart

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

    selection: Settings
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
        relevance=view.selection.relevance_name,
    )
    alt = attribution_alt(panel, pair=pair, scale=scale, setting=setting, relevance=view.selection.relevance_name)
    show_chart(
        lambda palette: draw(colours=palette), key, alt, on_select=lambda: view.on_pick(key, setting), brush=True
    )


def counted(results: Results, selection: Settings, setting: str) -> None:
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
