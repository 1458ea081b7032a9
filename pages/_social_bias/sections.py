"""Sections of the page Social bias: levels, what retrieval changes, the dose of stereotypical documents."""

import math
from collections.abc import Callable, Mapping, Sequence

import polars as pl
import streamlit as st

from fairviz.display.html import html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import LIGHT, plotly_script
from fairviz.display.words import number, p_value, plural, signed
from fairviz.errors import FairvizError
from fairviz.model import Dataset
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.social_bias.analysis import analyse, changes_against, measured_rows, shown_rows, sides_of
from fairviz.studies.social_bias.answers import reading_words
from fairviz.studies.social_bias.charts import (
    KINDS,
    Panel,
    dose_alt,
    dose_figure,
    levels_span,
)
from fairviz.studies.social_bias.columns import (
    changes_table,
    levels_table,
    printed_changes_table,
    with_reading,
)
from fairviz.studies.social_bias.documents import CONTEXTS
from fairviz.studies.social_bias.findings import (
    change_finding,
    dose_finding,
    groups_finding,
    measured_words,
    right_title,
    rows_finding,
    slope_words,
)
from fairviz.studies.social_bias.labels import (
    Sides,
    group_words,
    measure_label,
    type_label,
    value_text,
    value_words,
    words_of,
)
from fairviz.studies.social_bias.matching import MatchedAnswers
from fairviz.studies.social_bias.rows import (
    LESS,
    MORE,
    Row,
    by_type,
    is_tested,
)
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Chart
from pages._kit import callout, counts_line, section, show_chart
from pages._kit.commands import study_files
from pages._kit.controls import choose_name
from pages._kit.downloads import download, figure_drawer
from pages._kit.html import (
    Cell,
    Column,
    Glyph,
    Html,
    Tone,
    Toned,
    Two,
    around_zero,
    el,
    html_table,
    muted,
    notes_below,
    page_table,
)
from pages._kit.html import Row as TableRow
from pages._social_bias.item import item_section
from pages._social_bias.published import chosen
from pages._social_bias.results import (
    Settings,
    choose_comparison,
    doses,
)

READABLE = 11.0
"""Percent from which a part of a bar has room for its number."""
SIGNS: tuple[Tone, Tone] = ("plackett-luce", "optimal")
"""Tones of leans against the stereotype, and towards it."""


def level_table(
    rows: Sequence[Row],
    settings: Settings,
    sides: Mapping[str, Sides],
    *,
    about: str,
    named: Callable[[TableRow], str] = lambda row: row.text("category"),
    caption: str,
) -> None:
    """Rows as the study's table has them: answers as a bar, Diff-Bias as a dot with its interval; a phone has fewer.

    Args:
        rows: By model and bias type, or stereotyped group, in the order in which they are read.
        settings: What is looked at.
        sides: Whom either sign favours, by bias type.
        about: What rows are of.
        named: What a row is of.
        caption: Of the table.
    """
    measure = settings.asked.measure

    def sized(row: TableRow) -> Cell:
        n, templates = (int(row.number(key)) for key in ("n_questions", "n_templates"))
        return Two(top=named(row), below=f"{plural(n, 'question')}, {plural(templates, 'template')}")

    def tone(row: TableRow) -> Tone | None:
        return SIGNS[row.number(measure) > 0] if row.number("p_holm") < SIGNIFICANCE else None

    def value(row: TableRow) -> Cell:
        low, high, untested = row.number("low"), row.number("high"), math.isnan(row.number("p_holm"))
        between = "" if math.isnan(low) else f"{signed(low, 0)} to {signed(high, 0)}"
        text = value_text(row.number(measure), measure, 0)
        return Two(top=text, below=between, tone=tone(row) or ("mute" if untested else ""))

    def verdict(row: TableRow) -> Cell:
        hue, words = tone(row), row.text("verdict")
        return Toned(text=words, tone=hue) if hue else muted(words)

    def p(row: TableRow) -> Cell:
        p = row.number("p_holm")
        return muted("not\N{NO-BREAK SPACE}tested" if math.isnan(p) else p_value(p))

    page_table(
        levels_table(rows, measure, sides, settings.names),
        show=("category", "model", "answers", "interval", measure, "p_holm", "verdict"),
        drawn={
            "category": sized,
            "answers": _bar,
            "interval": lambda row: _dot(row, measure, tone(row)),
            measure: value,
            "p_holm": p,
            "verdict": verdict,
        },
        columns={
            "category": about,
            "model": Column(label="Model", short=True),
            "answers": Column(label=words_of("parts")[measure], wide=True),
            "interval": Column(label="◂ against · towards the stereotype ▸", span=levels_span(rows, measure), zero=0.0),
            measure: Column(label="Diff-Bias", align="right"),
            "p_holm": Column(label="p (Holm)", align="right", wide=True),
            "verdict": Column(label="In words", short=True),
        },
        caption=caption,
    )


def _dot(row: TableRow, key: str, tone: Tone | None) -> Cell:
    """A dot with its interval, filled where a tone says that it is significant; nothing without an interval."""
    low, high = row.number("low"), row.number("high")
    glyph = Glyph(value=row.number(key), low=low, high=high, filled=bool(tone), tone=tone or "mute")
    return "" if math.isnan(low) else glyph


def _bar(row: TableRow) -> Html:
    own = {kind: row.number(kind) for kind in ("against", "unknown", "right", "towards") if row.get(kind) is not None}
    drawn = (
        el(
            "span",
            number(share, 0) if share >= READABLE else None,
            cls=f"fv-part-{kind}",
            style=f"flex:{share:.3f} 0 0",
        )
        for kind, share in own.items()
        if share
    )
    said = ", ".join(f"{kind} {number(share, 0)} %" for kind, share in own.items())
    return el("span", *drawn, cls="fv-stacked", role="img", aria_label=said)


# About whom: the questions of one bias type, by the group that their stereotype is about.


def groups_section(rows: Sequence[Row], order: Sequence[str], settings: Settings) -> None:
    """One bias type split by group, the widest first; the others by a control."""
    measure = settings.asked.measure
    asked = settings.asked
    shown = [
        row
        for row in rows
        if row["model"] in asked.models and row["category"] in asked.types and row["stereotyped"] != ""
    ]
    types = by_type(shown, measure)
    split = [kind for kind in order if len({row["stereotyped"] for row in types.get(kind, ())}) > 1]
    if not split:
        return
    left, right = st.columns([7, 3], vertical_alignment="bottom")
    usual = next((i for i, kind in enumerate(split) if any(is_tested(row, measure) for row in types[kind])), 0)
    kind = split[0]
    if len(split) > 1:
        with right:
            kind = choose_name("Bias type split by group", split, "group", first=usual, width=230, words=type_label)
    finding = groups_finding(types[kind], measure)
    with left:
        section(finding.title, finding.sentence)
    groups = list(dict.fromkeys(row["stereotyped"] for row in types[kind]))
    own = sorted(types[kind], key=lambda row: groups.index(row["stereotyped"]))
    level_table(
        own,
        settings,
        {},
        about=f"{type_label(kind)} questions whose stereotype is …",
        named=lambda row: f"about {group_words(kind, row.text('stereotyped'))}",
        caption=f"{type_label(kind)} by stereotyped group",
    )


# How often answers are right where the context gives the answer.


def right_section(types: Mapping[str, Sequence[Row]], settings: Settings) -> None:
    """% right by bias type and model: who never answers has no lean and no use."""
    rows = [row for own in types.values() for row in own]
    models = list(dict.fromkeys(row["model"] for row in rows))
    section(right_title(rows, settings.names))
    of = {(row["category"], row["model"]): row["acc_d"] for row in rows}
    cells = [
        [type_label(kind), *(value_text(of.get((kind, model), float("nan")), "acc_d", 0) for model in models)]
        for kind in types
    ]
    heads = ["% right", *map(settings.name, models)]
    html_table(heads, cells, caption="Right answers, percent", narrow="scroll")


SHOWN = ("subject", "reference", "value", "interval", "change", "p_holm")
TONES: dict[str, Tone] = {MORE: "optimal", LESS: "plackett-luce"}


def shown_changes(changes: pl.DataFrame, order: Sequence[str], settings: Settings, value: str) -> pl.DataFrame:
    """Changes to one value in the context that is looked at, in the order of the levels."""
    asked, names = settings.asked, changes.cast({pl.Enum: pl.String})
    own = [
        pl.col("measure") == asked.measure,
        pl.col(asked.compare) == value,
        pl.col("category").is_in(order),
    ]
    if asked.compare != "model":
        own.append(pl.col("model").is_in(asked.models))
    return names.filter(*own).sort(pl.col("category").cast(pl.Enum(order)), maintain_order=True)


def change_table(changes: pl.DataFrame, settings: Settings, before: str, after: str) -> None:
    """Diff-Bias before and after by bias type, and its change with interval and test.

    Args:
        changes: What is shown.
        settings: What is looked at.
        before: What is compared with, in words.
        after: What is compared, in words.
    """
    ends = [end for row in changes.select("low", "high", "change").iter_rows() for end in row]
    several = settings.asked.compare != "model" and changes["model"].n_unique() > 1
    page_table(
        changes_table(changes),
        show=SHOWN,
        drawn={
            "subject": lambda row: _subject(row, settings, several),
            "reference": lambda row: _value(row, "reference", settings),
            "value": lambda row: _value(row, "value", settings),
            "interval": lambda row: _dot(row, "change", TONES.get(row.text("verdict"))),
            "change": _change,
            "p_holm": lambda row: muted(
                p_value(row.number("p_holm")) if row["tested"] else "not\N{NO-BREAK SPACE}tested"
            ),
        },
        columns={
            "subject": "Bias type",
            "reference": Column(label=before, align="right", wide=True),
            "value": Column(label=after, align="right", wide=True),
            "interval": Column(label="Change, 95 % interval", span=around_zero(ends), zero=0.0),
            "change": Column(label="points", align="right"),
            "p_holm": Column(label="p (Holm)", align="right", wide=True),
        },
        caption=f"Diff-Bias with {before} and {after}, by bias type",
    )


def change_files(changes: pl.DataFrame, every: pl.DataFrame, read: str, **ends: str) -> None:
    """Buttons: every change that p is corrected over as CSV, those shown as LaTeX."""
    download(
        "CSV of every tested change",
        lambda: csv_text(with_reading(changes_table(every), read)),
        file_name="fairviz-social-bias-changes.csv",
        mime="text/csv",
        key="bias-changes-csv",
    )
    download(
        "LaTeX of these changes",
        lambda: latex_text(with_reading(printed_changes_table(changes, **ends), read), label="tab:social-bias-changes"),
        file_name="fairviz-social-bias-changes.tex",
        mime="application/x-tex",
        key="bias-changes-tex",
    )


def _subject(row: TableRow, settings: Settings, several: bool) -> Cell:
    kind = type_label(row.text("category"))
    return el("span", kind, el("span", f" · {settings.name(row.text('model'))}", cls="fv-mute")) if several else kind


def _value(row: TableRow, key: str, settings: Settings) -> Cell:
    text = value_text(row.number(key), settings.asked.measure, 0)
    return text if row["tested"] else muted(text)


def _change(row: TableRow) -> Cell:
    text = signed(row.number("change"), 0)
    tone = TONES.get(row.text("verdict"))
    return Toned(text=text, tone=tone) if tone else text if row["tested"] else muted(text)


FILLS = {"against": "against", "unknown": "unknown", "stereotyped": "towards"}


def dose_section(loaded: Dataset, settings: Settings) -> None:
    """Stacks as retrieved, solid, beside those of collections of one kind, pale; a line where there are none."""
    asked = settings.asked
    responses, refused = doses(loaded, settings.compared, CONTEXTS[asked.measure == "diffbias_d"])
    given = {column: asked.to for column in ("k", "retriever") if asked.compare == column}
    responses = [
        response
        for response in responses
        if response["model"] in asked.models and all(response[column] == value for column, value in given.items())
    ]
    if not responses:
        section("Stereotypical documents given, and answers", f"{refused} {words_of('documents_needed')}".strip())
        return
    rows = shown_rows(measured_rows(loaded, settings.compared), asked)
    one_letter = {row["model"] for row in rows if row["one_letter"]}
    finding = dose_finding(responses, settings.names, one_letter)
    section(finding.title, finding.sentence)
    several = len({response["retriever"] for response in responses}) > 1
    named = [f"“{settings.name(response['model'])}”" for response in responses]
    panels = [
        Panel(
            f"{name} · {response['retriever']}" if several and response["retriever"] else name,
            slope_words(response),
            response["stacks"],
        )
        for name, response in zip(named, responses, strict=True)
    ]
    entries = (
        el("li", el("span", cls=f"fv-swatch fv-part-{FILLS[kind]}", aria_hidden="true"), el("span", words))
        for kind, words in KINDS.items()
    )
    st.html(el("ul", *entries, cls="fv-legend", aria_label="Parts of a column"))
    show_chart(lambda palette: dose_figure(panels, colours=palette), "social-bias-dose", dose_alt(panels))
    first = responses[0]
    about = ", ".join(part for part in (first["retriever"], f"k = {first['k']}" if first["k"] else "") if part)
    st.html(
        el("p", f"Stereotypical documents among those given ({about}); below, n or the collection.", cls="fv-counts")
    )


def answers(loaded: Dataset, matched: MatchedAnswers, settings: Settings, rows: Sequence[Row]) -> None:
    """Level, about whom, change beside dose, one item.

    Args:
        loaded: Data with questions and answers.
        matched: The same, matched.
        settings: What is looked at.
        rows: Those that are looked at.
    """
    measure = settings.asked.measure
    types = by_type(rows, measure, settings.asked.sort)
    shown = [row for own in types.values() for row in own]
    sides = sides_of(loaded, settings.compared)
    levels = rows_finding(rows, measure, sides)
    left, right = st.columns([4, 3], vertical_alignment="bottom")
    with left:
        section(levels.title, levels.sentence)
    read = reading_words(chosen(loaded, settings))
    chart = Chart("social_bias", "levels", (shown, measure, settings.names))
    with right:
        downloads(loaded, chart, read, settings.said(matched))
    level_table(shown, settings, sides, about="Bias type", caption="Diff-Bias by bias type and model")
    counts_line(measured_words(rows, n_items=len(matched.items), n_unmatched=matched.reading.n_unmatched))
    notes_below(*matched.reading.others)
    by_group = measured_rows(loaded, settings.compared, ("model", "category", "stereotyped"), to=settings.asked.to)
    groups_section(by_group.rows(named=True), list(types), settings)
    left, right = st.columns(2, gap="large")
    with left:
        reference, value = _changes(loaded, matched, settings, list(types))
    with right:
        dose_section(loaded, settings)
    if measure == "diffbias_a":
        with right if reference else left:
            right_section(types, settings)
    item_section(loaded, settings, reference, value)


def _changes(loaded: Dataset, matched: MatchedAnswers, settings: Settings, order: Sequence[str]) -> tuple[str, str]:
    """The table of changes, where there is anything to compare; returns what is compared, before and after."""
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        reference, value = choose_comparison(loaded, matched, settings)
        foot = st.container(horizontal=True, gap="small")
    with top:
        if not reference:
            section(*words_of("to_compare").get(settings.asked.compare, words_of("to_compare")[""]))
            return "", ""
        try:
            against = (settings.asked.compare, reference)
            measured = changes_against(loaded, settings.compared, against)
        except FairvizError as error:
            callout("These answers cannot be compared", str(error))
            return "", ""
        column, names = settings.asked.compare, settings.names
        shown = shown_changes(measured, order, settings, value)
        finding = change_finding(shown.rows(named=True), column=column, value=value, reference=reference, names=names)
        section(finding.title, finding.sentence)
        before, after = (value_words(column, settings.name(end)) for end in (reference, value))
        change_table(shown, settings, before, after)
    with foot:
        change_files(shown, measured, reading_words(chosen(loaded, settings)), reference=before, value=after)
    return reference, value


STEM = "fairviz-social-bias"


def downloads(loaded: Dataset, chart: Chart, read: str, asked: BiasSettings) -> None:
    """Buttons beside the title of the levels.

    Args:
        loaded: The data.
        chart: The levels.
        read: What a person had unread answers read as, in words.
        asked: What is looked at, for a command.
    """
    with st.container(horizontal=True, gap="small"):
        figure_drawer(lambda: chart.draw(colours=LIGHT), f"{STEM}-levels", caption=chart.alt)
        study_files(
            STEM,
            "This table",
            ("bias", asked),
            lambda: analyse(loaded, asked).tables,
            csv="rows",
            latex=["levels"],
            html=lambda: _report(loaded, chart, read, asked),
        )


def _report(loaded: Dataset, chart: Chart, read: str, asked: BiasSettings) -> str:
    found = analyse(loaded, asked)
    (finding,), figure = found.findings, chart.in_report("social-bias", measure_label(asked.measure))
    sections = [
        section_of(found.tables, finding.title, finding.sentence, read, blocks=["levels", figure]),
        section_of(found.tables, "Counts behind every number", blocks=["rows"]),
    ]
    return html_text("Social bias", sections, lead=f"{loaded.name}.", plotly_js=plotly_script())
