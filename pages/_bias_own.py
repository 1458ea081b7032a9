"""Recorded answers as a signed table and as slopes, the paper's models beside them."""

from dataclasses import replace

import numpy as np

from fairviz.analysis.bias_grid import BiasGrid, marks
from fairviz.analysis.bias_published import SETTINGS, VIEWS, view_grid
from fairviz.analysis.bias_settings import is_without_rag
from fairviz.analysis.bias_view import rows_grid, turned
from fairviz.metrics.bias_types import bias_type
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.model import FloatArray
from fairviz.report.bias_findings import LESS, MORE, grid_title, range_title
from fairviz.report.bias_words import MEASURE_LABELS, span_words
from fairviz.report.words import count
from pages._bias_answers import Measured, Own
from pages._bias_grid import grid_table, legend, notes_below, panels
from pages._bias_settings import LABELS, Chosen
from pages._shared import counts_line, plural, rule, section

ORDERED = ("setting", "retriever", "k", "shots")
"""Columns whose values a line may join."""
ARROWS = {MORE: "▲", LESS: "▼"}


def own_grid(found: Measured, chosen: Chosen, measure: BiasMeasure) -> BiasGrid:
    """Models by bias types by values of the compared column."""
    column = chosen.compared.column
    row = "" if column == "model" else "model"
    return rows_grid(found.rows, measure, row=row, column=column, columns=chosen.values)


def signed_table(mine: Own, found: Measured, chosen: Chosen, measure: BiasMeasure) -> None:
    """The signed table, the change of every cell tested."""
    grid = own_grid(found, chosen, measure)
    of_bias: BiasMeasure = "diffbias_a" if measure.endswith("_a") else "diffbias_d"
    against = chosen.before
    rule()
    section(
        grid_title(found.changes, against=against, measure=of_bias)
        if found.changes
        else f"{MEASURE_LABELS[measure]} by {LABELS[chosen.column].lower()}",
        f"{MEASURE_LABELS[measure]}, percent. ▲ ▼: Diff-Bias further towards the stereotype, or "
        f"further away from it, than with {against} (exact test, Holm). Bold: highest and lowest "
        "of a row. Grey without colour: fewer than 100 items or 10 templates, not tested."
        if found.changes
        else "Percent. Items are not the same, so nothing is paired and nothing tested. Grey: few.",
    )
    legend(grid)
    one = len(grid.rows) == 1
    arrows = _arrows(found, grid, chosen, of_bias)
    if one:
        arrows = {(b, r, c): arrow for (r, b, c), arrow in arrows.items()}
    table = turned(grid) if one else grid
    shown = named(table, chosen)
    grid_table(
        shown,
        marks(table),
        caption=f"{MEASURE_LABELS[measure]} of the loaded answers",
        highlighted=chosen.who,
        mean=False,
        arrows=arrows,
        corner="Bias type" if one else "Model",
    )
    counts_line(_own_counts(mine, found, chosen))
    notes_below(*mine.notes)


def slopes(found: Measured, chosen: Chosen, measure: BiasMeasure) -> None:
    """One panel per bias type; dotted: the paper's models where it has the same settings."""
    grid = own_grid(found, chosen, measure)
    column = chosen.compared.column
    beside = _beside(grid, measure) if column == "setting" else {}
    shown = named(grid, chosen)
    who = shown.rows[0] if len(shown.rows) == 1 else chosen.who
    rule()
    also = " Dotted: the five models of the paper's Table 2." if beside else ""
    others = "Thin: other models. " if len(grid.rows) > 1 else ""
    section(
        range_title(shown, who),
        f"{MEASURE_LABELS[measure]}, percent; bars: 95 % bootstrap over templates. {others}Hollow: few items.{also}",
    )
    panels(shown, key="own", highlighted=who, beside=beside, joined=column in ORDERED)


def _arrows(found: Measured, grid: BiasGrid, chosen: Chosen, measure: BiasMeasure) -> dict[tuple[int, int, int], str]:
    """Cells whose change is told from chance."""
    arrows: dict[tuple[int, int, int], str] = {}
    column = chosen.compared.column
    for change in found.changes:
        known = change.measure == measure and change.verdict in ARROWS
        if not known or change.get("stereotyped") or not change.get("category"):
            continue
        row = 0 if column == "model" else grid.rows.index(change.get("model"))
        at = (row, grid.blocks.index(change.get("category")), grid.place(change.get(column)))
        arrows[at] = ARROWS[change.verdict]
    return arrows


def named(grid: BiasGrid, chosen: Chosen) -> BiasGrid:
    """The grid with models by their short names, and words for values that say "nothing"."""
    return replace(
        grid,
        rows=tuple(chosen.names.get(name, name) for name in grid.rows),
        columns=tuple(chosen.words(name) for name in grid.columns),
    )


def _own_counts(mine: Own, found: Measured, chosen: Chosen) -> str:
    items = [row.n_items for row in found.rows]
    n_items = int(np.unique(found.part.items).size)
    missing = sum(row.n_missing for row in found.rows)
    out = sum(row.counts.n_ooc_a + row.counts.n_ooc_d for row in found.rows)
    skipped = sum(row.counts.skipped_no_target for row in found.rows)
    parts = [
        f"{count(int(found.part.items.size))} answers to {count(n_items)} of {count(len(mine.items))} items",
        f"{span_words(min(items), max(items))} items in a cell" if items else "",
        f"{plural(out, 'answer')} out of choice, {'left out' if chosen.ooc == 'drop' else 'counted as wrong'}",
        f"{plural(skipped, 'answer')} without a biased option, left out" if skipped else "",
        f"{count(missing)} unanswered" if missing else "",
        f"{count(mine.n_unmatched)} answers to unknown items, left out" if mine.n_unmatched else "",
    ]
    return " · ".join(part for part in parts if part)


def _beside(grid: BiasGrid, measure: BiasMeasure) -> dict[str, tuple[FloatArray, tuple[str, ...]]]:
    """Lines of the paper's models per bias type, in the columns of these answers."""
    paper = view_grid(VIEWS[0], measure)
    of_paper = {kind.slug: i for i, name in enumerate(paper.blocks) if (kind := bias_type(name))}
    columns = [_of_paper(name) for name in grid.columns]
    if sum(column is not None for column in columns) < 2:
        return {}
    found: dict[str, tuple[FloatArray, tuple[str, ...]]] = {}
    for name in grid.blocks:
        kind = bias_type(name)
        if kind is None or kind.slug not in of_paper:
            continue
        lines = np.full((len(paper.rows), len(columns)), np.nan)
        for i, column in enumerate(columns):
            if column is not None:
                lines[:, i] = paper.values[:, of_paper[kind.slug], paper.place(column)]
        found[name] = (lines, paper.rows)
    return found


def _of_paper(setting: str) -> str | None:
    """The paper's setting that a name means."""
    if is_without_rag(setting):
        return SETTINGS[0]
    start = setting.casefold()
    return next((name for name in SETTINGS[1:] if start.startswith(name.split("-")[0])), None)
