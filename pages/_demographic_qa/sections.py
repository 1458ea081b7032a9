"""Right answers by group: a panel per attribute, intersectional cells, gaps of every condition."""

from functools import partial

import streamlit as st

from fairviz.show.words import listing
from fairviz.studies.demographic_qa.conditions import condition_gaps
from fairviz.studies.demographic_qa.figures_groups import (
    GroupPanel,
    gaps_alt,
    gaps_figure,
    gaps_span,
    groups_alt,
    groups_figure,
    shared_span,
)
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    cells_finding,
    counts_words,
    gap_words,
    panels_title,
)
from fairviz.studies.demographic_qa.joins import AS_THEY_STAND
from fairviz.studies.demographic_qa.names import heading, strategy_name, unit_of
from fairviz.studies.demographic_qa.remedies import gaps_title, panel_title
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.views import gap_marks, group_panel
from pages._demographic_qa.results import Combination, Settings, comparable, conditions
from pages._kit import counts_line, el, rule, section, show_chart

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""
CELL_ROW = 46
"""Height of a row of intersectional cells in px."""


def accuracy(settings: Settings) -> None:
    """A panel per attribute, on one scale that no control but the outcome moves."""
    rows, unit = settings.selected.single, unit_of(settings.selected.kind, settings.threshold)
    section(
        panels_title(rows),
        "With 95 % intervals (bootstrap over questions). Dashed: the same questions with no "
        "attribute given. Under each panel: the paired gap, on the same questions.",
    )
    span = _span(settings, unit)
    for start in range(0, len(rows), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(rows), 2)), gap="medium")
        for column, row in zip(columns, rows[start : start + IN_A_ROW], strict=False):
            with column:
                _head(heading(row.attribute))
                _panel(row, unit, span)
                counts_line(gap_words(row, unit=unit))
    counts_line(counts_words(rows))
    if settings.selected.kind == "open":
        counts_line(AS_THEY_STAND)
    counts_line(agreement_words(rows))


def cells(settings: Settings) -> None:
    """Every combination of two attributes; small ones stay in sight."""
    unit = unit_of(settings.selected.kind, settings.threshold)
    for row in settings.selected.cells:
        rule()
        finding = cells_finding(row, unit=unit)
        section(finding.title, finding.sentence)
        left, right = st.columns([3, 2], gap="large")
        with left:
            _panel(row, unit, _span(settings, unit, cells=True), height=CELL_ROW)
        with right:
            counts_line(gap_words(row, unit=unit))
            counts_line(counts_words([row]))


def gaps(settings: Settings) -> None:
    """The gap of every model and strategy, an attribute per panel, on one scale."""
    answers = comparable(settings.answers, settings.selected)
    if len(answers) < 2:
        return
    gaps_by_attribute = condition_gaps(conditions(answers))
    all_gaps = [gap for of_attribute in gaps_by_attribute.values() for gap in of_attribute]
    if not all_gaps:
        return
    rule()
    remedies = sorted({strategy_name(gap.strategy) for gap in all_gaps if gap.remedy})
    filled = f" Hollow: no remedy. Filled: {listing(remedies)}." if remedies else ""
    section(
        gaps_title(all_gaps),
        f"Paired gap, points, with 95 % intervals.{filled} Right of 0: the "
        "first-named group does better. Tests: of DP, by permutation within questions, Holm over all DP, EO and "
        "changes loaded.",
    )
    marks = {name: gap_marks(of_attribute) for name, of_attribute in gaps_by_attribute.items()}
    span = gaps_span(list(marks.values()))
    names = list(gaps_by_attribute)
    for start in range(0, len(names), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(names), 2)), gap="medium")
        for column, name in zip(columns, names[start : start + IN_A_ROW], strict=False):
            with column:
                title = panel_title(gaps_by_attribute[name])
                _head(title)
                draw = partial(gaps_figure, marks[name], span=span)
                alt = gaps_alt(marks[name], title)
                show_chart(lambda palette, draw=draw: draw(colours=palette), f"gaps-{names.index(name)}", alt)


def _head(text: str) -> None:
    st.html(el("h3", text, cls="fv-part"))


def _panel(row: VariantRow, unit: str, span: tuple[float, float], *, height: int = 0) -> None:
    panel = group_panel(row, unit=unit)
    size = {"row": height} if height else {}
    key = f"answers-{row.attribute.replace('+', '-')}"
    show_chart(lambda palette: groups_figure(panel, span=span, colours=palette, **size), key, groups_alt(panel))


def _span(settings: Settings, unit: str, *, cells: bool = False) -> tuple[float, float]:
    """Of all answers of this kind, so that a choice of model does not move the scale."""
    alike = [combination for combination in settings.answers if combination.kind == settings.selected.kind]
    return shared_span([panel for combination in alike for panel in _panels(combination, unit, cells=cells)])


def _panels(combination: Combination, unit: str, *, cells: bool) -> list[GroupPanel]:
    return [group_panel(row, unit=unit) for row in (combination.cells if cells else combination.single)]
