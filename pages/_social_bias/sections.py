"""Sections of the page Social bias: levels, what retrieval changes, the dose of stereotypical documents."""

import math
from collections.abc import Callable, Mapping, Sequence

import polars as pl
import streamlit as st

from fairviz.display.html import html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import Table, csv_text
from fairviz.display.theme import LIGHT, plotly_script
from fairviz.display.words import Finding, number, p_value, plural, signed
from fairviz.errors import FairvizError
from fairviz.model import Dataset
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
    rows_table,
    with_reading,
)
from fairviz.studies.social_bias.findings import (
    change_finding,
    dose_finding,
    groups_finding,
    measured_words,
    right_title,
    rows_finding,
    slope_words,
    verdict_words,
)
from fairviz.studies.social_bias.labels import (
    Sides,
    group_words,
    measure_label,
    type_label,
    value_text,
    value_words,
)
from fairviz.studies.social_bias.matching import MatchedAnswers
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import (
    LESS,
    MORE,
    Row,
    by_type,
    is_tested,
    leans,
    n_questions,
    shares,
)
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Chart
from pages._kit import callout, counts_line, section, show_chart
from pages._kit.commands import study_commands
from pages._kit.controls import choose_name
from pages._kit.downloads import download, download_row
from pages._kit.figure_drawer import figure_drawer
from pages._kit.html import Cell, Column, Glyph, Html, Tone, Toned, el, html_table, notes_below
from pages._kit.table import Row as TableRow
from pages._kit.table import around_zero, muted, page_table
from pages._social_bias.item import item_section
from pages._social_bias.published import chosen
from pages._social_bias.results import (
    Scale,
    Settings,
    changes_against,
    choose_comparison,
    context_of,
    doses,
    group_rows,
    level_rows,
    on_scale,
    sides_of,
    tick_labels,
)

READABLE = 11.0
"""Percent from which a part of a bar has room for its number."""
PARTS: dict[Leaning, tuple[tuple[str, str], ...]] = {
    "diffbias_a": (("plackett-luce", "against"), ("mute", "unknown (right)"), ("optimal", "towards")),
    "diffbias_d": (
        ("plackett-luce", "wrong, against"),
        ("mute", "unknown"),
        ("mute", "right"),
        ("optimal", "wrong, towards"),
    ),
}
WIDTHS = ("17%", "13%", "19%", "27%", "8%", "7%", "9%")


def level_table(types: Mapping[str, Sequence[Row]], settings: Settings, sides: Mapping[str, Sides]) -> None:
    """The table; on a phone name, dot and value of each row."""
    measure = settings.asked.measure
    scale = Scale(*levels_span([row for own in types.values() for row in own], measure))
    bodies = (el("tbody", *_rows(own, settings, sides, scale)) for own in types.values())
    caption = "Diff-Bias by bias type and model"
    foot = el(
        "tr", el("td", colspan=3, cls="fv-desk"), el("td", tick_labels(scale)), el("td", colspan=3, cls="fv-desk")
    )
    inside = el(
        "table",
        el("caption", caption, cls="fv-unseen"),
        el("colgroup", *(el("col", style=f"width:{width}") for width in WIDTHS)),
        el("thead", _head(measure)),
        *bodies,
        el("tfoot", foot, aria_hidden="true"),
        cls="fv-table fv-levels",
    )
    st.html(el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label=caption))


def _head(measure: Leaning) -> Html:
    shares: list[Html | str] = []
    for tone, words in PARTS[measure]:
        shares += [el("span", words, cls=f"fv-tone-{tone}"), " · "]
    ends = el(
        "span",
        el("span", "◂ against", cls="fv-tone-plackett-luce"),
        el("span", "towards the stereotype ▸", cls="fv-tone-optimal"),
        cls="fv-ends",
    )
    heads = ("Bias type", "Model", el("span", *shares[:-1], el("br"), "% of answers"), ends)
    numbers = ("Diff-Bias", "p (Holm)", "In words")
    cells = [el("th", head, scope="col") for head in heads]
    cells += [el("th", head, scope="col", cls="" if head == "In words" else "fv-right") for head in numbers]
    return el("tr", *cells)


def _rows(own: Sequence[Row], settings: Settings, sides: Mapping[str, Sides], scale: Scale) -> list[Html]:
    measure, kind = settings.asked.measure, own[0]["category"]
    n = max(n_questions(row, measure) for row in own)
    templates = plural(max(row["n_templates"] for row in own), "template")
    about = (el("strong", type_label(kind)), el("span", plural(n, "question")), el("span", templates))
    about += tuple(el("span", words) for words in _favoured(own, measure, sides))
    head = el("th", *about, scope="rowgroup", rowspan=len(own), cls="fv-of-type")
    rows: list[Html] = []
    for place, row in enumerate(own):
        way, tested = leans(row, measure), is_tested(row, measure)
        grey = "" if tested else " fv-few"
        tone = {1: "fv-tone-optimal", -1: "fv-tone-plackett-luce", 0: "fv-tone-ink" if tested else "fv-few"}[way]
        words = verdict_words(row, measure, {})
        value, ends = value_text(row[measure], measure, 0), _interval(row, measure)
        cells = (
            el("th", settings.name(row["model"]), scope="row", cls=f"fv-model{grey}"),
            el("td", _bar(row, measure), cls="fv-desk"),
            el("td", on_scale(scale, row[measure], *_ends(row, measure), way=way)),
            el("td", el("strong", value, cls=tone) if tested else value, ends, cls=f"fv-right{grey}"),
            el("td", p_value(row[f"{measure}_p_holm"]) if tested else "not tested", cls="fv-right fv-mute fv-desk"),
            el("td", el("strong", words) if way else words, cls="fv-desk" if way else "fv-mute fv-desk"),
        )
        rows.append(el("tr", *([head] if not place else []), *cells))
    return rows


def _favoured(own: Sequence[Row], measure: Leaning, sides: Mapping[str, Sides]) -> list[str]:
    """Whom a significant lean of a bias type favours, once for its rows."""
    said = (verdict_words(row, measure, sides) for row in own if leans(row, measure))
    return list(dict.fromkeys(words for words in said if ": " in words))


def _ends(row: Row, measure: Leaning) -> tuple[float, float]:
    return row[f"{measure}_low"], row[f"{measure}_high"]


def _interval(row: Row, measure: Leaning) -> Html | None:
    """The interval in words: for who does not see the scale, and where a phone has room for it."""
    low, high = _ends(row, measure)
    return None if low != low else el("span", f" {signed(low, 0)} to {signed(high, 0)}", cls="fv-interval")


def _bar(row: Row, measure: Leaning) -> Html:
    own = shares(row, measure)
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
    shown = [row for row in rows if row["model"] in settings.asked.models and row["category"] in settings.asked.types]
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
    own = types[kind]
    finding = groups_finding(own, measure)
    with left:
        section(finding.title, finding.sentence)
    groups = list(dict.fromkeys(row["stereotyped"] for row in own))
    models = list(dict.fromkeys(row["model"] for row in own))
    scale = Scale(*levels_span(own, measure))
    by_place = {(row["stereotyped"], row["model"]): row for row in own}
    heads = [Column(label=f"{type_label(kind)} questions whose stereotype is …")]
    heads += [Column(label=settings.name(model)) for model in models]
    cells = [
        [_about(kind, group, own, measure), *(_cell(by_place.get((group, model)), measure, scale) for model in models)]
        for group in groups
    ]
    html_table(heads, cells, caption=f"{type_label(kind)} by stereotyped group", narrow="cards")


def _about(kind: str, group: str, own: Sequence[Row], measure: Leaning) -> Html:
    of_group = [row for row in own if row["stereotyped"] == group]
    n, templates = (
        max(sizes) for sizes in zip(*((n_questions(r, measure), r["n_templates"]) for r in of_group), strict=True)
    )
    size = f"{plural(n, 'question')}, {plural(templates, 'template')}"
    return el("span", el("strong", f"about {group_words(kind, group)}"), el("span", size, cls="fv-below"))


def _cell(row: Row | None, measure: Leaning, scale: Scale) -> Html | str:
    if row is None or row[measure] != row[measure]:
        return ""
    way = leans(row, measure)
    tone = {1: "fv-tone-optimal", -1: "fv-tone-plackett-luce", 0: ""}[way]
    value = value_text(row[measure], measure, 0)
    said = el("strong", value, cls=tone) if way else value
    given = el("span", row["one_letter"], cls="fv-below") if row["one_letter"] else None
    return el(
        "span",
        el(
            "span",
            on_scale(scale, row[measure], *_ends(row, measure), way=way),
            style="flex:1 1 auto;min-width:9rem",
        ),
        el("span", said, _interval(row, measure), given, cls="" if is_tested(row, measure) else "fv-few"),
        style="display:flex;gap:.7rem;align-items:center",
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
    html_table(
        ["% right", *map(settings.name, models)],
        cells,
        caption="Right answers, percent",
        narrow="scroll",
    )


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


def change_section(changes: pl.DataFrame, settings: Settings, reference: str, value: str) -> None:
    """Title and table.

    Args:
        changes: What is shown.
        settings: What is looked at.
        reference: What is compared with.
        value: What is compared.
    """
    column = settings.asked.compare
    finding = change_finding(
        changes.rows(named=True), column=column, value=value, reference=reference, names=settings.names
    )
    section(finding.title, finding.sentence)
    before, after = (value_words(column, settings.name(end)) for end in (reference, value))
    ends = [end for row in changes.select("low", "high", "change").iter_rows() for end in row]
    several = column != "model" and changes["model"].n_unique() > 1
    page_table(
        changes_table(changes),
        show=SHOWN,
        drawn={
            "subject": lambda row: _subject(row, settings, several),
            "reference": lambda row: _value(row, "reference", settings),
            "value": lambda row: _value(row, "value", settings),
            "interval": _glyph,
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


def change_files(
    changes: pl.DataFrame,
    every: pl.DataFrame,
    settings: Settings,
    reference: str,
    value: str,
    read: str,
) -> None:
    """Buttons: every change that p is corrected over as CSV, those shown as LaTeX."""
    before, after = (value_words(settings.asked.compare, settings.name(end)) for end in (reference, value))
    download(
        "CSV of every tested change",
        lambda: csv_text(with_reading(changes_table(every), read)),
        file_name="fairviz-social-bias-changes.csv",
        mime="text/csv",
        key="bias-changes-csv",
    )
    download(
        "LaTeX of these changes",
        lambda: latex_text(
            with_reading(printed_changes_table(changes, reference=before, value=after), read),
            label="tab:social-bias-changes",
        ),
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


def _glyph(row: TableRow) -> Cell:
    low, high = row.number("low"), row.number("high")
    if math.isnan(low):
        return ""
    tone = TONES.get(row.text("verdict"))
    return Glyph(value=row.number("change"), low=low, high=high, filled=tone is not None, tone=tone or "mute")


def _change(row: TableRow) -> Cell:
    text = signed(row.number("change"), 0)
    tone = TONES.get(row.text("verdict"))
    return Toned(text=text, tone=tone) if tone else text if row["tested"] else muted(text)


FILLS = {"against": "against", "unknown": "unknown", "stereotyped": "towards"}
NEEDED = (
    "Load two more files to see this: the run of documents that the answers were given (queries named by bias type and "
    "example id, such as Age-0), and their polarity (doc_id, and stereo or anti)."
)


def dose_section(loaded: Dataset, settings: Settings) -> None:
    """Stacks as retrieved, solid, beside those of collections of one kind, pale; a line where there are none."""
    asked = settings.asked
    responses, refused = doses(loaded, settings.compared, context_of(asked.measure))
    given = {column: asked.to for column in ("k", "retriever") if asked.compare == column}
    responses = [
        response
        for response in responses
        if response["model"] in asked.models and all(response[column] == value for column, value in given.items())
    ]
    if not responses:
        section("Stereotypical documents given, and answers", f"{refused} {NEEDED}".strip())
        return
    rows = level_rows(loaded, settings.compared).rows(named=True)
    one_letter = {row["model"] for row in rows if asked.shows(row) and row["one_letter"]}
    finding = dose_finding(responses, settings.names, one_letter)
    section(finding.title, finding.sentence)
    several = len({response["retriever"] for response in responses}) > 1
    panels = [
        Panel(
            _name(response["model"], response["retriever"] if several else "", settings),
            slope_words(response),
            response["stacks"],
        )
        for response in responses
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


def _name(model: str, retriever: str, settings: Settings) -> str:
    return " · ".join(part for part in (f"“{settings.name(model)}”", retriever) if part)


NOT_LISTED = "If it is not in the list, load its answers, too."
RETRIEVAL = ("Choose a run without retrieval to see what retrieval changes", NOT_LISTED)
TO_COMPARE = {
    "language": ("Changes between languages are not shown", "They were asked different questions."),
    "model": ("Choose a model to compare with, to see what differs", NOT_LISTED),
    **dict.fromkeys(("shots", "size", "tuned"), ("Choose what to compare with, to see what changes", NOT_LISTED)),
}
"""What to do where nothing is compared, by what sets answers apart."""


def answers(
    loaded: Dataset,
    matched: MatchedAnswers,
    settings: Settings,
    finding: Finding,
    every: pl.DataFrame,
    rows: Sequence[Row],
) -> None:
    """Level, about whom, change beside dose, one item.

    Args:
        loaded: Data with questions and answers.
        matched: The same, matched.
        settings: What is looked at.
        finding: The title of the page.
        every: All rows that p is corrected over.
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

    def known() -> dict[str, Table]:
        made = {"rows": rows_table(every), "levels": levels_table(shown, measure, sides, settings.names)}
        return {stem: with_reading(table, read) for stem, table in made.items()}

    chart = Chart("social_bias", "levels", (shown, measure, settings.names))
    with right:
        downloads(loaded.name, finding, known, chart, read, settings.said(matched))
    level_table(types, settings, sides)
    counts_line(measured_words(rows, n_items=len(matched.items), n_unmatched=matched.reading.n_unmatched))
    notes_below(*matched.reading.others)
    groups_section(group_rows(loaded, settings.compared, settings.asked.to), list(types), settings)
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
            section(*TO_COMPARE.get(settings.asked.compare, RETRIEVAL))
            return "", ""
        try:
            measured = changes_against(loaded, settings.compared, reference)
        except FairvizError as error:
            callout("These answers cannot be compared", str(error))
            return "", ""
        shown = shown_changes(measured, order, settings, value)
        change_section(shown, settings, reference, value)
    with foot:
        change_files(shown, measured, settings, reference, value, reading_words(chosen(loaded, settings)))
    return reference, value


STEM = "fairviz-social-bias"


def downloads(
    name: str, finding: Finding, known: Callable[[], dict[str, Table]], chart: Chart, read: str, asked: BiasSettings
) -> None:
    """Buttons beside the title of the levels.

    Args:
        name: Of the data.
        finding: The title of the page.
        known: Makes the tables of the levels, and of all rows that p is corrected over.
        chart: The levels.
        read: What a person had unread answers read as, in words.
        asked: What is looked at, for a command.
    """
    with st.container(horizontal=True, gap="small"):
        figure_drawer(lambda: chart.draw(colours=LIGHT), f"{STEM}-levels", caption=chart.alt)
        download_row(
            STEM,
            "This table",
            frame_csv=lambda: csv_text(known()["rows"]),
            latex=lambda: latex_text(known()["levels"], label="tab:levels"),
            html=lambda: _report(name, finding, known(), chart, read, asked.measure),
            commands=lambda: study_commands("bias", asked, csv="rows", latex=["levels"]),
        )


def _report(name: str, finding: Finding, known: Mapping[str, Table], chart: Chart, read: str, measure: Leaning) -> str:
    figure = chart.in_report("social-bias", measure_label(measure))
    sections = [
        section_of(known, finding.title, finding.sentence, read, blocks=["levels", figure]),
        section_of(known, "Counts behind every number", blocks=["rows"]),
    ]
    return html_text("Social bias", sections, lead=f"{name}.", plotly_js=plotly_script())
