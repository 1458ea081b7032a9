"""Recorded answers on the Social bias page, from controls to downloads, the paper's models beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from fairviz.errors import FairvizError, InputError
from fairviz.model import Dataset, Run
from fairviz.show.words import Finding, count, interval, listing, number
from fairviz.studies.social_bias.by_k import k_lines, k_title
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.comparison import is_nothing
from fairviz.studies.social_bias.figures_by_k import by_k_alt, by_k_figure, k_bounds
from fairviz.studies.social_bias.findings import LESS, MORE, grid_title, levels_finding, measured_words, slopes_title
from fairviz.studies.social_bias.grids import BiasGrid, marks, rows_grid, turned
from fairviz.studies.social_bias.labels import (
    MEASURE_LABELS,
    POOLED,
    context_words,
    share_text,
    span_words,
    type_label,
    value_text,
    value_words,
)
from fairviz.studies.social_bias.measures import DIFF_BIAS, BiasMeasure, Leaning
from fairviz.studies.social_bias.published import lines_of_paper
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.tables import BiasResults, tables
from fairviz.studies.social_bias.unread import unread_finding
from pages._kit import (
    Cell,
    Column,
    Row,
    Two,
    callout,
    colours,
    counts_line,
    el,
    error_box,
    is_example,
    page_table,
    paint_first,
    rule,
    section,
    show_figure,
)
from pages._kit.cache import cached
from pages._kit.html import notes_below
from pages._kit.table import Drawing
from pages._social_bias.changes import changes_of, finding_of, show_changes
from pages._social_bias.dose import dose_section
from pages._social_bias.downloads import AnswersView, downloads
from pages._social_bias.drill import drill
from pages._social_bias.results import (
    LABELS,
    MatchedAnswers,
    Measured,
    Settings,
    choose_settings,
    documents_of_example,
    matched_answers,
    measured_answers,
    plain_rows,
    rows_by_k,
)
from pages._social_bias.signed_table import legend, panels, show_grid

# How many documents: bias and accuracy of one model by k, in both contexts.


MEASURES: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d", "acc_a", "acc_d")


@st.fragment
def curves(loaded: Dataset, settings: Settings, measure: BiasMeasure) -> None:
    """Four charts, where answers have at least two numbers of documents."""
    ks = [value for value in matched_answers(loaded).values.get("k", ()) if not is_nothing(value)]
    if len(ks) < 2:
        return
    fixed = tuple(pair for pair in settings.compared.fixed if pair[0] not in ("k", "setting"))
    if settings.column not in ("k", "setting", "model"):
        fixed = (*fixed, (settings.column, settings.value))
    rows = rows_by_k(loaded, fixed, settings.model, settings.ooc)
    top = st.container()
    types = list(dict.fromkeys(row.get("category") for row in rows))
    category = st.selectbox(
        "Bias type",
        types,
        key="k_type",
        bind="query-params",
        width=230,
        format_func=lambda name: type_label(name) if name else POOLED,
    )
    of_type = [row for row in rows if row.get("category") == category]
    with top:
        model = settings.names[settings.model]
        about = "percent. Bands: 95 % bootstrap over templates. Dashed level: without documents."
        section(k_title(k_lines(of_type, measure), measure), f"{model}, {about}")
    for pair in (MEASURES[:2], MEASURES[2:]):
        lines_of = [k_lines(of_type, name) for name in pair]
        bounds = [k_bounds(lines, name) for name, lines in zip(pair, lines_of, strict=True)]
        both = (min(low for low, _ in bounds), max(high for _, high in bounds))
        for name, lines, column in zip(pair, lines_of, st.columns(2, gap="medium"), strict=True):
            with column:
                way = "(↑ more right answers)" if name.startswith("acc") else "(+ = stereotype)"
                st.html(el("h3", f"{MEASURE_LABELS[name]} {way}", cls="fv-part"))
                figure = by_k_figure(lines, name, bounds=both, colours=colours())
                show_figure(figure, f"by-k-{name}", by_k_alt(lines, MEASURE_LABELS[name]))
    sizes = [row.n_items for row in of_type]
    counts_line(f"{span_words(min(sizes), max(sizes))} items in a point")


# Behind the numbers: counts, accuracy, both bounds and BBQ's own scores, row by row.


HEADINGS: Mapping[str, Mapping[str, str]] = {
    "ambiguous": {
        "row": "Cell",
        "n_as": "stereotyped",
        "n_ac": "against it",
        "n_au": "“unknown”, right",
        "n_ooc_a": "no option",
        "acc_a": "Acc",
        "diffbias_a": "Diff-Bias",
        "bound_a": "largest possible",
        "s_amb": "s_AMB",
    },
    "disambiguated": {
        "row": "Cell",
        "n_ss": "right where the stereotype holds",
        "n_cc": "right where it does not",
        "n_su": "“unknown”",
        "n_ooc_d": "no option",
        "acc_d": "Acc",
        "diffbias_d": "Diff-Bias",
        "bound_d_low": "possible",
        "s_dis": "s_DIS",
    },
}


def show_counts(rows: Sequence[BiasRow], column: str, measure: BiasMeasure) -> None:
    """Every rate with the counts it is made of, folded up.

    Args:
        rows: What was measured.
        column: What was compared: it names a row beside its bias type.
        measure: It says which questions are counted.
    """
    kind = context_words(measure)
    headings = HEADINGS[kind]
    drawn: dict[str, Drawing] = {
        "row": lambda row: _name(row, column),
        **{key: _share_of(key, whole) for key, whole in (("n_as", "n_a"), ("n_ac", "n_a"), ("n_au", "n_a"))},
        **{key: _share_of(key, whole) for key, whole in (("n_ss", "n_s"), ("n_cc", "n_c"))},
        "n_su": lambda row: count(_count(row, "n_su") + _count(row, "n_cu")),
        **{key: _value(key) for key in ("acc_a", "acc_d", "diffbias_a", "diffbias_d")},
        "bound_a": lambda row: f"±{number(row.number('bound_a'), 1)}",
        "bound_d_low": _possible,
        "s_amb": lambda row: value_text(row.number("s_amb"), "s_amb"),
        "s_dis": lambda row: value_text(row.number("s_dis"), "s_dis"),
    }
    with st.expander(f"Counts and bounds of {kind} questions"):
        page_table(
            tables(BiasResults(rows))["rows"],
            show=tuple(headings),
            drawn=drawn,
            columns={
                key: Column(label=heading, align="right" if key != "row" else "left")
                for key, heading in headings.items()
            },
            caption=f"Counts of {kind} questions",
            narrow="scroll",
            tall=True,
        )


def _name(row: Row, column: str) -> Cell:
    compared = str(row.get(column) or "")
    parts = [type_label(str(row.get("category") or ""))]
    parts += [value_words(column, compared)] if compared else []
    below = str(row.get("model") or "") if column != "model" else ""
    return Two(top=" · ".join(parts), below=below) if below else " · ".join(parts)


def _count(row: Row, key: str) -> int:
    return int(row.number(key))


def _share_of(part: str, whole: str) -> Drawing:
    return lambda row: share_text(_count(row, part), _count(row, whole))


def _value(measure: BiasMeasure) -> Drawing:
    def drawn(row: Row) -> Two:
        ends = row.number(f"{measure}_low"), row.number(f"{measure}_high")
        return Two(top=value_text(row.number(measure), measure), below=interval(*ends, 1))

    return drawn


def _possible(row: Row) -> Cell:
    ends = row.number("bound_d_low"), row.number("bound_d_high")
    return el("span", interval(*ends, 1), style="white-space:nowrap")


# What retrievers found: the share of stereotypical documents, where it can be known.


EXAMPLE_SETTING = "full"
"""The collection that the example's runs are about: only there both polarities can be retrieved."""


def retrieved_line(loaded: Dataset, settings: Settings) -> None:
    """One line below the table, where retrievers are compared and their runs are known."""
    if settings.column != "retriever":
        return
    setting = dict(settings.compared.fixed).get("setting", EXAMPLE_SETTING)
    if is_example() and not setting.startswith(EXAMPLE_SETTING):
        return
    k = dict(settings.compared.fixed).get("k", "")
    share_of = shares(loaded, settings.values, int(k) if k.isdigit() and int(k) else 0, is_example())
    if not share_of:
        return
    parts = [
        f"{name} {number(share.share, 1)} % ({interval(*share.interval, 1)}; "
        f"{share.n_documents} labelled documents of {share.n_queries} queries)"
        for name, share in share_of.items()
    ]
    collection = next(iter(share_of.values())).collection
    counts_line(
        f"Stereotypical among the documents retrieved{f', k = {k}' if k else ''}: {listing(parts)}."
        f" In the collection: {number(collection, 1)} %. 95 % bootstrap over queries."
    )


@cached
def shares(loaded: Dataset, retrievers: tuple[str, ...], k: int, shipped: bool) -> dict[str, StereotypeShare]:
    """The share of each retriever that has a run: its tag is, or holds, the retriever's name."""
    runs, labels = documents_of_example() if shipped else (loaded.runs, loaded.labels)
    polarity = next((own for own in labels if STEREOTYPICAL in own.groups), None)
    if polarity is None:
        return {}
    share_of: dict[str, StereotypeShare] = {}
    for name in retrievers:
        run = _run_of(name, runs)
        if run is not None:
            share_of[name] = stereotype_share(run, polarity, k=k or None)
    return share_of


def _run_of(retriever: str, runs: tuple[Run, ...]) -> Run | None:
    name = retriever.casefold()
    if not name:
        return None
    exact = [run for run in runs if run.system.casefold() == name]
    return next(iter([*exact, *(run for run in runs if name in run.system.casefold())]), None)


ORDERED = ("setting", "retriever", "k", "shots")
"""Columns whose values a line may join."""
ARROWS = {MORE: "▲", LESS: "▼"}


def answers(loaded: Dataset, measure: BiasMeasure, *, first: bool, show_title: Callable[[Finding], None]) -> None:
    """Controls, then what they show.

    Args:
        loaded: Data with questions and answers.
        measure: What is shown.
        first: Whether this is the page's first part, so that its finding is the page's title.
        show_title: Shows the page's title.
    """
    try:
        with st.spinner("Matching answers with their questions …"):
            matched = matched_answers(loaded)
    except InputError as error:
        show_title(Finding("These answers cannot be matched with their questions", ""))
        error_box(error)
        return
    top = st.container()
    settings = choose_settings(loaded, matched)
    if not matched.columns:
        _nothing_compared(loaded, settings, measure, show_title if first else None)
        return
    diff_bias = DIFF_BIAS[measure]
    try:
        with st.spinner("Measuring and testing every cell …"):
            measured = measured_answers(loaded, settings.compared, settings.ooc)
    except FairvizError as error:
        if first:
            show_title(Finding("These answers cannot be compared this way", ""))
        callout("Why not", str(error))
        return
    with top:
        _say_unread(matched, measured.rows, diff_bias, settings)
    changes = changes_of(measured, settings, diff_bias)
    finding = headline(changes, measured, settings, diff_bias)
    if first:
        show_title(finding)
    else:
        with top:
            section(finding.title, f"{_whose()} {finding.sentence}")
    signed_table(matched, measured, settings, measure)
    retrieved_line(loaded, settings)
    paint_first()
    slopes(measured, settings, measure)
    rule()
    if changes:
        show_changes(changes, settings)
        rule()
    curves(loaded, settings, measure)
    dose_section(loaded, settings, measure)
    show_counts(_of_model(measured, settings), settings.column, diff_bias)
    if changes:
        rule()
        drill(loaded, settings, diff_bias)
    rule()
    section("Take it with you", "The numbers as tables, the charts as a page.")
    grid = worded(grid_of(measured, settings, measure), settings)
    downloads(loaded.name, measure, AnswersView(finding, measured, grid, changes, settings))


def _say_unread(matched: MatchedAnswers, rows: Sequence[BiasRow], measure: BiasMeasure, settings: Settings) -> None:
    """Say first how many answers were not read, and what they could change."""
    found = unread_finding(
        rows,
        measure,
        read_by=matched.read_by,
        n_unread=matched.n_unread,
        n_answers=matched.answers.items.size,
        ooc=settings.ooc,
    )
    if found is not None:
        callout(found.title, found.sentence)


def signed_table(matched: MatchedAnswers, measured: Measured, settings: Settings, measure: BiasMeasure) -> None:
    """The signed table, the change of every cell tested."""
    grid = grid_of(measured, settings, measure)
    diff_bias = DIFF_BIAS[measure]
    against = settings.before
    rule()
    section(
        grid_title(measured.changes, against=against, measure=diff_bias)
        if measured.changes
        else f"{MEASURE_LABELS[measure]} by {LABELS[settings.column].lower()}",
        f"{MEASURE_LABELS[measure]}, percent. ▲ ▼: Diff-Bias further towards the stereotype, or "
        f"further away from it, than with {against} (exact test, Holm). Bold: highest and lowest "
        "of a row. Grey without colour: fewer than 100 items or 10 templates, not tested."
        if measured.changes
        else "Percent. Items are not the same, so nothing is paired and nothing tested. Grey: few.",
    )
    legend(grid)
    one_model = len(grid.rows) == 1
    arrows = _arrows(measured, grid, settings, diff_bias)
    if one_model:
        arrows = {(b, r, c): arrow for (r, b, c), arrow in arrows.items()}
    table = turned(grid) if one_model else grid
    show_grid(
        worded(table, settings),
        marks(table),
        caption=f"{MEASURE_LABELS[measure]} of the loaded answers",
        highlighted=settings.who,
        mean=False,
        arrows=arrows,
        corner="Bias type" if one_model else "Model",
    )
    counts_line(
        measured_words(
            measured.rows,
            measured.part,
            n_items=len(matched.items),
            n_unmatched=matched.n_unmatched,
            ooc=settings.ooc,
        )
    )
    notes_below(*matched.notes)


def slopes(measured: Measured, settings: Settings, measure: BiasMeasure) -> None:
    """One panel per bias type; dotted: the paper's models where it has the same settings."""
    grid = grid_of(measured, settings, measure)
    column = settings.column
    beside = lines_of_paper(grid) if column == "setting" else {}
    grid = worded(grid, settings)
    who = grid.rows[0] if len(grid.rows) == 1 else settings.who
    rule()
    also = " Dotted: the five models of the paper's Table 2." if beside else ""
    others = "Thin: other models. " if len(grid.rows) > 1 else ""
    section(
        _slopes_title(measured, settings, DIFF_BIAS[measure]),
        f"{MEASURE_LABELS[measure]}, percent; bars: 95 % bootstrap over templates. {others}Hollow: few items.{also}",
    )
    panels(grid, key="own", highlighted=who, beside=beside, joined=column in ORDERED)


def grid_of(measured: Measured, settings: Settings, measure: BiasMeasure) -> BiasGrid:
    """Models by bias types by values of the compared column."""
    column = settings.column
    row = "" if column == "model" else "model"
    grid = rows_grid(measured.rows, measure, row=row, column=column, columns=settings.values)
    return replace(grid, sides=measured.sides)


def worded(grid: BiasGrid, settings: Settings) -> BiasGrid:
    """The grid with models by their short names, and words for values that say "nothing"."""
    return replace(
        grid,
        rows=tuple(settings.names.get(name, name) for name in grid.rows),
        columns=tuple(settings.words(name) for name in grid.columns),
    )


def _arrows(
    measured: Measured, grid: BiasGrid, settings: Settings, measure: BiasMeasure
) -> dict[tuple[int, int, int], str]:
    """Cells whose change is significant."""
    arrows: dict[tuple[int, int, int], str] = {}
    column = settings.column
    for change in measured.changes:
        known = change.measure == measure and change.verdict in ARROWS
        if not known or change.get("stereotyped") or not change.get("category"):
            continue
        row = 0 if column == "model" else grid.rows.index(change.get("model"))
        at = (row, grid.blocks.index(change.get("category")), grid.place(change.get(column)))
        arrows[at] = ARROWS[change.verdict]
    return arrows


def headline(changes: Sequence[BiasChange], measured: Measured, settings: Settings, measure: Leaning) -> Finding:
    """What changed against a baseline, said after where that stands; levels where there is none by nature."""
    rows = _of_model(measured, settings)
    if not changes or not is_nothing(settings.compared.reference):
        return levels_finding(rows, measure, column=settings.column, names=settings.names)
    before = [row for row in rows if row.get(settings.column) == settings.compared.reference]
    level = levels_finding(before, measure, column="model", names=settings.names)
    finding = finding_of(changes, settings)
    return finding._replace(sentence=f"With {settings.before}: {level.title}. {finding.sentence}")


def _slopes_title(measured: Measured, settings: Settings, measure: Leaning) -> str:
    """What the line in ink does, by the tested changes; its levels where nothing is compared with a baseline."""
    changes, compared = changes_of(measured, settings, measure), settings.compared
    if not changes or not is_nothing(compared.reference):
        return levels_finding(
            _of_model(measured, settings), measure, column=settings.column, names=settings.names
        ).title
    value, who = settings.value, settings.who
    return slopes_title(changes, column=settings.column, value=value, reference=compared.reference, who=who)


def _of_model(measured: Measured, settings: Settings) -> list[BiasRow]:
    """Rows of the chosen model; all of them where models are compared."""
    return [row for row in measured.rows if settings.column == "model" or row.get("model") == settings.model]


def _nothing_compared(
    loaded: Dataset, settings: Settings, measure: BiasMeasure, show_title: Callable[[Finding], None] | None
) -> None:
    """One set of answers: values with intervals, no test."""
    rows = plain_rows(loaded, settings.compared, settings.ooc)
    diff_bias = DIFF_BIAS[measure]
    finding = levels_finding(rows, diff_bias, column="model", names=settings.names)
    if show_title is not None:
        show_title(finding)
    else:
        section(finding.title, f"{_whose()} {finding.sentence}")
    _say_unread(matched_answers(loaded), rows, diff_bias, settings)
    grid = turned(rows_grid(rows, measure, row="", column="model"))
    legend(grid)
    show_grid(grid, 0 * marks(grid), caption=MEASURE_LABELS[measure], mean=False, corner="Bias type")
    show_counts(rows, "model", diff_bias)
    callout(
        "Nothing to compare with",
        "Load answers of a second model, or of the same model under "
        "another setting (column setting), to see what changes and whether chance could do as "
        "much.",
        calm=True,
    )


def _whose() -> str:
    return "The example's answers, made by the project's own small experiment." if is_example() else "Your answers."
