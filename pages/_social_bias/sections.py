"""The published tables of the Social bias page: signed tables, slopes, contradictions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.errors import FairvizError, InputError
from fairviz.model import Dataset, FloatArray
from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import Table, csv_text, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding, count, percent, plural
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.figures import (
    HEIGHT,
    bias_style,
    short_column,
    slope_bounds,
    slopes_alt,
    slopes_figure,
)
from fairviz.studies.social_bias.findings import (
    LESS,
    MEASURE_LABELS,
    MORE,
    grid_title,
    range_title,
    rows_finding,
    span_words,
    type_label,
    value_text,
)
from fairviz.studies.social_bias.measures import BiasMeasure, bias_type
from fairviz.studies.social_bias.published import (
    NOT_TESTED,
    SETTINGS,
    VIEWS,
    PublishedView,
    collections_finding,
    flag_notes,
    marks_words,
    published_view,
    slopes_title,
    stereotypical_shares,
    view_finding,
    view_grid,
    view_table,
)
from fairviz.studies.social_bias.rows import BiasRow, is_without_rag
from fairviz.studies.social_bias.tables import changes_content, every_change, grid_content, rows_content
from fairviz.studies.social_bias.views import MEAN, BiasGrid, Marks, marks, rows_grid, turned
from pages._kit import (
    Html,
    callout,
    colours,
    counts_line,
    download_row,
    el,
    error_box,
    is_example,
    paint_first,
    rule,
    section,
    show_figure,
)
from pages._kit.html import notes_below
from pages._social_bias.changes import changes_table, counts_table, finding, table_rows
from pages._social_bias.drill import drill
from pages._social_bias.results import LABELS, Chosen, Measured, Own, comparison, measured, own, plain_rows
from pages._social_bias.retrieval import curves, retrieved_line

# Downloads of the Social bias page: all cells as CSV, the table shown as LaTeX, all as HTML.


STEM = "fairviz-social-bias"


class Shown(NamedTuple):
    """What the answers part of the page shows, for its downloads."""

    finding: Finding
    found: Measured
    grid: BiasGrid
    rows: list[BiasChange]
    chosen: Chosen


def downloads(name: str, measure: BiasMeasure, shown: Shown) -> None:
    """Answers: every measured row, every change, the table shown, the report."""
    download_row(
        STEM,
        frame_csv=lambda: csv_text(rows_content(shown.found.rows)),
        latex=lambda: latex_text(_changes(shown), label="tab:social-bias"),
        html=lambda: _report(name, measure, shown),
    )
    st.download_button(
        "CSV of every tested change",
        lambda: csv_text(every_change(shown.found.changes)),
        file_name=f"{STEM}-changes.csv",
        mime="text/csv",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        key="bias-changes-csv",
    )
    counts_line(
        "CSV: every cell with counts, six measures and bounds. LaTeX: the table of changes. HTML: "
        "all of it with charts and the published tables."
    )


def published_downloads(measure: BiasMeasure) -> None:
    """The printed tables as they are shown."""
    label = MEASURE_LABELS[measure]
    grid = view_grid(VIEWS[0], measure)
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(grid_content(grid, caption=label)),
        latex=lambda: latex_text(grid_content(grid, caption=label), label="tab:published"),
        html=lambda: html_text(
            "Social bias, published results", published_sections(measure), plotly_js=plotly_script()
        ),
    )


def published_sections(measure: BiasMeasure) -> list[Section]:
    """A report of the paper's tables: values, slopes, contradictions."""
    sections: list[Section] = []
    for view in VIEWS:
        grid = view_grid(view, measure)
        said = collections_finding(grid) if view is VIEWS[0] else view_finding(view, grid)
        caption = f"{view.label}: {MEASURE_LABELS[measure]}, percent"
        paragraphs = (said.sentence, NOT_TESTED, *flag_notes(grid))
        blocks = (grid_content(grid, caption=caption), *_figures(grid, "mean"))
        sections.append(Section(said.title, paragraphs, blocks))
    return sections


def _report(name: str, measure: BiasMeasure, shown: Shown) -> str:
    label = MEASURE_LABELS[measure]
    one = shown.grid.rows[0] if len(shown.grid.rows) == 1 else shown.chosen.who
    table = grid_content(shown.grid, caption=f"{label}, percent")
    sections = [
        Section(shown.finding.title, (shown.finding.sentence,), (_changes(shown), table, *_figures(shown.grid, one))),
        Section("Counts behind every number", (), (rows_content(shown.found.rows),)),
        *published_sections(measure),
    ]
    return html_text("Social bias", sections, lead=f"{name}.", plotly_js=plotly_script())


def _changes(shown: Shown) -> Table:
    before, after = shown.chosen.before, shown.chosen.after
    who = f" of {shown.chosen.who}" if shown.chosen.who else ""
    caption = f"Diff-Bias{who}: {after} against {before}, paired by item (Holm over tested rows)"
    return changes_content(shown.rows, reference=before, value=after, caption=caption)


def _figures(grid: BiasGrid, highlighted: str) -> Sequence[Figure]:
    bounds = slope_bounds([grid])
    figures: list[Figure] = []
    for block, name in enumerate(grid.blocks):
        light, dark = in_both_themes(
            lambda colours, block=block: slopes_figure(
                grid, block, highlighted=highlighted, bounds=bounds, colours=colours
            )
        )
        alt = slopes_alt(grid, block, highlighted=highlighted)
        caption = f"{type_label(name or grid.about)}: {highlighted or 'your answers'}"
        figures.append(Figure(light, dark, alt, caption=caption, name=STEM))
    return figures


# The signed table: models by bias type and setting, the colour of a sign, bold where marked.


DAGGER = "†"

TALL = 330
"""Height of a panel that stands alone, in px."""

PANELS = 4
"""Panels in a row; two on a phone."""


def grid_table(
    grid: BiasGrid,
    marked: Marks,
    *,
    caption: str,
    highlighted: str = MEAN,
    mean: bool = True,
    arrows: Mapping[tuple[int, int, int], str] | None = None,
    share: Sequence[str] = (),
    corner: str = "Model",
) -> None:
    """Show a grid; cells of few items are grey and have no ground.

    Args:
        grid: The values.
        marked: What stands in bold.
        caption: What the table holds, for who cannot see it.
        highlighted: The row that charts draw in ink.
        mean: Whether a last row has the mean of the models.
        arrows: Marks of cells whose change was tested, by place.
        share: A further row about the columns of the first block, such as shares of documents.
        corner: Heading of the first column.
    """
    rows = [_row(grid, marked, i, highlighted, arrows or {}) for i in range(len(grid.rows))]
    if mean and len(grid.rows) > 1:
        rows.append(_mean_row(grid))
    if share:
        cells = (el("td", text) for text in share)
        rows.append(el("tr", el("th", share_label(), scope="row"), *cells, cls="fv-share"))
    inside = el(
        "table",
        el("caption", caption, cls="fv-unseen"),
        el("thead", *_heads(grid, corner)),
        el("tbody", *rows),
        cls="fv-table fv-signed",
    )
    st.html(el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label=caption))


def share_label() -> str:
    """Heading of the row of document shares."""
    return "stereotypical documents"


def legend(grid: BiasGrid) -> None:
    """What the two colours mean, above the table; accuracy is a grey that darkens."""
    if not grid.signed:
        st.html(el("p", "The darker the grey, the more answers are right. Accuracy has no sign.", cls="fv-counts"))
        return
    parts = (
        ("optimal", "+ towards the stereotype: favours the advantaged group"),
        ("plackett-luce", "− against it: favours the other group"),
    )
    entries = [
        el("li", el("span", cls=f"fv-swatch fv-fill-{tone}", aria_hidden="true"), el("span", text))
        for tone, text in parts
    ]
    entries.append(el("li", el("span", "0 neither")))
    st.html(el("ul", *entries, cls="fv-legend", aria_label="Colours of the table"))


def panels(
    grid: BiasGrid,
    *,
    key: str,
    highlighted: str,
    grids: Sequence[BiasGrid] = (),
    beside: Mapping[str, tuple[FloatArray, tuple[str, ...]]] | None = None,
    joined: bool = True,
) -> None:
    """A slope panel per block, all on one range.

    Args:
        grid: The values.
        key: Of the charts; each block has its number behind it.
        highlighted: The row in ink.
        grids: All grids that share the range; this one if none are named.
        beside: Lines of a paper in the same columns, with their names, by block.
        joined: Whether lines join the columns; models side by side have no order.
    """
    bounds = slope_bounds(grids or [grid])
    wide = min(PANELS, len(grid.blocks))
    with st.container(key=f"bias_panels_{key}"):
        for start in range(0, len(grid.blocks), PANELS):
            for place, column in enumerate(st.columns(wide, gap="small"), start=start):
                if place >= len(grid.blocks):
                    continue
                with column:
                    name = grid.blocks[place]
                    st.html(el("h3", type_label(name or grid.about), cls="fv-part"))
                    lines, names = (beside or {}).get(name, (None, ()))
                    figure = slopes_figure(
                        grid,
                        place,
                        highlighted=highlighted,
                        bounds=bounds,
                        colours=colours(),
                        beside=lines,
                        beside_names=names,
                        height=HEIGHT if wide > 1 else TALL,
                        joined=joined,
                    )
                    show_figure(figure, f"{key}-{place}", slopes_alt(grid, place, highlighted=highlighted))


def _heads(grid: BiasGrid, name_of_rows: str) -> list[Html]:
    n = len(grid.columns)
    below = [
        el("th", short_column(name), scope="col", cls="fv-first" if i == 0 else "")
        for _ in grid.blocks
        for i, name in enumerate(grid.columns)
    ]
    corner = el("th", el("span", name_of_rows, cls="fv-unseen"), scope="col")
    if grid.blocks == ("",):
        return [el("tr", corner, *below)]
    above = (el("th", type_label(name), scope="colgroup", colspan=n, cls="fv-types fv-first") for name in grid.blocks)
    return [el("tr", el("td"), *above), el("tr", corner, *below)]


def _row(
    grid: BiasGrid,
    marked: Marks,
    row: int,
    highlighted: str,
    arrows: Mapping[tuple[int, int, int], str],
) -> Html:
    cells: list[Html] = []
    for block in range(len(grid.blocks)):
        for column in range(len(grid.columns)):
            at = (row, block, column)
            value, few = float(grid.values[at]), bool(grid.small[at])
            text: Html | str = value_text(value, grid.measure)
            if marked[at] and not few:
                text = el("strong", text)
            flag = grid.flags.get(at)
            dagger = el("sup", DAGGER) if flag else None
            arrow = el("span", f"\N{NO-BREAK SPACE}{arrows[at]}") if at in arrows else None
            cls = " ".join(name for name, on in (("fv-first", column == 0), ("fv-few", few)) if on)
            style = None if few or value != value else bias_style(value, grid.measure)
            cells.append(el("td", text, dagger, arrow, cls=cls, style=style, title=flag))
    name = grid.rows[row]
    shown = type_label(name) if bias_type(name) else name
    cls = "fv-chosen" if name == highlighted else ""
    return el("tr", el("th", shown, scope="row"), *cells, cls=cls)


def _mean_row(grid: BiasGrid) -> Html:
    cells = (
        el(
            "td",
            value_text(float(value), grid.measure),
            cls="fv-first" if column == 0 else "",
            style=bias_style(float(value), grid.measure) if value == value else None,
        )
        for block in grid.mean
        for column, value in enumerate(block.tolist())
    )
    return el("tr", el("th", MEAN, scope="row"), *cells, cls="fv-mean")


# Recorded answers as a signed table and as slopes, the paper's models beside them.


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


# The answers part of the Social bias page, from controls to downloads.


def answers(loaded: Dataset, measure: BiasMeasure, *, first: bool, say: Callable[[Finding], None]) -> None:
    """Controls, then what they show.

    Args:
        loaded: Data with questions and answers.
        measure: What is shown.
        first: Whether this is the page's first part, so that its finding is the page's title.
        say: Shows the page's title.
    """
    try:
        with st.spinner("Matching answers with their questions …"):
            mine = own(loaded)
    except InputError as error:
        say(Finding("These answers cannot be matched with their questions", ""))
        error_box(error)
        return
    top = st.container()
    chosen = comparison(loaded, mine)
    if not mine.columns:
        _nothing_compared(loaded, chosen, measure, say if first else None)
        return
    of_bias: BiasMeasure = "diffbias_a" if measure.endswith("_a") else "diffbias_d"
    try:
        with st.spinner("Measuring and testing every cell …"):
            found = measured(loaded, chosen.compared, chosen.ooc)
    except FairvizError as error:
        say(Finding("These answers cannot be compared this way", "")) if first else None
        callout("Why not", str(error))
        return
    rows = table_rows(found, chosen, of_bias)
    said = finding(rows, chosen) if rows else _unpaired(found, chosen, of_bias)
    if first:
        say(said)
    else:
        with top:
            section(said.title, f"{_whose()} {said.sentence}")
    signed_table(mine, found, chosen, measure)
    retrieved_line(loaded, chosen)
    paint_first()
    slopes(found, chosen, measure)
    rule()
    if rows:
        changes_table(rows, chosen)
        rule()
    curves(loaded, chosen, measure)
    _show_counts(found.rows, chosen, of_bias)
    if rows:
        rule()
        drill(loaded, chosen, of_bias)
    rule()
    section("Take it with you", "The numbers as tables, the charts as a page.")
    grid = named(own_grid(found, chosen, measure), chosen)
    downloads(loaded.name, measure, Shown(said, found, grid, rows, chosen))


def _unpaired(found: Measured, chosen: Chosen, measure: BiasMeasure) -> Finding:
    """The finding of one model in languages whose items are not the same."""
    here = [row for row in found.rows if row.get("model") == chosen.model]
    return rows_finding(here, measure, who=chosen.who, noun="cell")


def _show_counts(rows: tuple[BiasRow, ...], chosen: Chosen, measure: BiasMeasure) -> None:
    column = chosen.compared.column
    here = [row for row in rows if column == "model" or row.get("model") == chosen.model]
    counts_table(here, column, measure)


def _nothing_compared(
    loaded: Dataset, chosen: Chosen, measure: BiasMeasure, say: Callable[[Finding], None] | None
) -> None:
    """One set of answers: values with intervals, no test."""
    rows = plain_rows(loaded, chosen.compared, chosen.ooc)
    of_bias: BiasMeasure = "diffbias_a" if measure.endswith("_a") else "diffbias_d"
    said = rows_finding(rows, of_bias, who=chosen.model)
    if say is not None:
        say(said)
    else:
        section(said.title, f"{_whose()} {said.sentence}")
    grid = turned(rows_grid(rows, measure, row="", column="model"))
    legend(grid)
    grid_table(grid, 0 * marks(grid), caption=MEASURE_LABELS[measure], mean=False, corner="Bias type")
    counts_table(list(rows), "model", of_bias)
    callout(
        "Nothing to compare with",
        "Load answers of a second model, or of the same model under "
        "another setting (column setting), to see what changes and whether chance could do as "
        "much.",
        calm=True,
    )


def _whose() -> str:
    return "The example's answers, made by the project's own small experiment." if is_example() else "Your answers."


COLLECTIONS = VIEWS[0]

MEAN_LABEL = "mean of the models"


def highlight(measure: BiasMeasure) -> str:
    """The control that picks the line in ink; every table of the paper knows these models."""
    models = view_grid(published_view("generators"), measure).rows
    first = view_grid(COLLECTIONS, measure).rows
    names = [MEAN_LABEL, *first, *(model for model in models if model not in first)]
    picked = st.selectbox("Highlight a model", names, key="highlight", bind="query-params")
    return MEAN if picked == MEAN_LABEL else str(picked)


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
    grid_table(grid, marks(grid), caption=f"{label}, published", highlighted=highlighted)
    notes(COLLECTIONS, measure, grid)
    rule()
    section(
        slopes_title(grid, highlighted),
        "Percentage points. Thin lines: the other models. Above the line of zero answers favour "
        "the group named there, below it the other one."
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
    picked = st.segmented_control(
        "The paper's other tables",
        [view.slug for view in others],
        default=others[0].slug,
        format_func=lambda slug: published_view(slug).label,
        key="table",
        bind="query-params",
        required=True,
    )
    view = published_view(picked or others[0].slug)
    grid = view_grid(view, measure)
    found = view_finding(view, grid)
    with top:
        section(found.title, f"{found.sentence} {marks_words(view, grid)}")
    shown = highlighted if highlighted in grid.rows else MEAN
    wide = len(grid.blocks) < 2 and len(grid.columns) > 2
    left, right = st.columns([5, 4] if wide else [3, 2], gap="large")
    with left:
        shares = stereotypical_shares() if view.slug == "retrievers" else {}
        grid_table(
            grid,
            marks(grid, view.rule(measure)),
            caption=found.title,
            highlighted=shown,
            share=[percent(shares[name] / 100, 1) if name in shares else "–" for name in grid.columns]
            if shares
            else (),
        )
        notes(view, measure, grid)
    with right:
        panels(grid, key=f"table-{view.slug}", highlighted=shown)


def notes(view: PublishedView, measure: BiasMeasure, grid: BiasGrid) -> None:
    """What cannot be tested, and what contradicts itself: shown, not repaired."""
    said = view_table(view, measure).remarks
    remarks = [remark for remark in said if not remark.startswith("The paper marks")]
    flags = [f"{DAGGER} {note}" for note in flag_notes(grid)]
    notes_below(NOT_TESTED, *flags, *remarks)
