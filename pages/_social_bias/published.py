"""The published tables of the Social bias page: signed tables, slopes, contradictions."""

import streamlit as st

from fairviz.show.words import percent
from fairviz.studies.social_bias.grids import MEAN, BiasGrid, marks
from fairviz.studies.social_bias.labels import MEASURE_LABELS
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    NOT_TESTED,
    VIEWS,
    PublishedView,
    flag_notes,
    marks_words,
    published_view,
    slopes_title,
    stereotypical_shares,
    view_finding,
    view_grid,
    view_table,
)
from pages._kit import rule, section
from pages._kit.html import notes_below
from pages._social_bias.signed_table import DAGGER, legend, panels, show_grid

MEAN_LABEL = "mean of the models"


def highlight(measure: BiasMeasure) -> str:
    """The control that picks the line in ink; every table of the paper knows these models."""
    models = view_grid(published_view("generators"), measure).rows
    first = view_grid(COLLECTIONS, measure).rows
    names = [MEAN_LABEL, *first, *(model for model in models if model not in first)]
    name = st.selectbox("Highlight a model", names, key="highlight", bind="query-params")
    return MEAN if name == MEAN_LABEL else str(name)


def published(measure: BiasMeasure) -> str:
    """Table 2 (or 7) with its slopes; returns the model in ink."""
    grid = view_grid(COLLECTIONS, measure)
    label = MEASURE_LABELS[measure]
    section(
        f"{label}, by bias type, document collection and model",
        f"Percentage points, signed; the colour is neutral at 0. {marks_words(COLLECTIONS, grid)}"
        if grid.signed
        else f"Percent of answers that are right. {marks_words(COLLECTIONS, grid)}",
    )
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        highlighted = highlight(measure)
    with left:
        legend(grid)
    show_grid(grid, marks(grid), caption=f"{label}, published", highlighted=highlighted)
    notes(COLLECTIONS, measure, grid)
    rule()
    section(
        slopes_title(grid, highlighted),
        "Percentage points. Thin lines: the other models."
        if grid.signed
        else "Percent right. Thin lines: the other models.",
    )
    panels(grid, key="published", highlighted=highlighted)
    return highlighted


@st.fragment
def more_published(measure: BiasMeasure, highlighted: str) -> None:
    """The paper's other tables, one at a time."""
    others = [view for view in VIEWS if view is not COLLECTIONS]
    top = st.container()
    slug = st.segmented_control(
        "The paper's other tables",
        [view.slug for view in others],
        default=others[0].slug,
        format_func=lambda slug: published_view(slug).label,
        key="table",
        bind="query-params",
        required=True,
    )
    view = published_view(slug or others[0].slug)
    grid = view_grid(view, measure)
    finding = view_finding(view, grid)
    with top:
        section(finding.title, f"{finding.sentence} {marks_words(view, grid)}")
    in_ink = highlighted if highlighted in grid.rows else MEAN
    wide = len(grid.blocks) < 2 and len(grid.columns) > 2
    left, right = st.columns([5, 4] if wide else [3, 2], gap="large")
    with left:
        shares = stereotypical_shares() if view.slug == "retrievers" else {}
        show_grid(
            grid,
            marks(grid, view.rule(measure)),
            caption=finding.title,
            highlighted=in_ink,
            share=[percent(shares[name] / 100, 1) if name in shares else "–" for name in grid.columns]
            if shares
            else (),
        )
        notes(view, measure, grid)
    with right:
        panels(grid, key=f"table-{view.slug}", highlighted=in_ink)


def notes(view: PublishedView, measure: BiasMeasure, grid: BiasGrid) -> None:
    """What cannot be tested, and what contradicts itself: shown, not repaired."""
    every_remark = view_table(view, measure).remarks
    remarks = [remark for remark in every_remark if not remark.startswith("The paper marks")]
    flags = [f"{DAGGER} {note}" for note in flag_notes(grid)]
    notes_below(NOT_TESTED, *flags, *remarks)
