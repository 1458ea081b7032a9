"""Sections of the page Demographic QA: answers by group, what was retrieved, downloads."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st

from fairviz.display.html import Figure, Section, html_text, section_of
from fairviz.display.published import read_published
from fairviz.display.table import csv_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import capital, considered, percent, signed
from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.demographic_qa.analysis import analyse
from fairviz.studies.demographic_qa.charts import (
    groups_alt,
    groups_figure,
    overlap_alt,
    overlap_figure,
    overlap_floor,
    shared_span,
)
from fairviz.studies.demographic_qa.columns import (
    REFERENCE,
    STRATEGIES,
    doses_table,
    groups_table,
    overlap_pairs_table,
    published_table,
    quality_table,
    rows_table,
    strategies_table,
)
from fairviz.studies.demographic_qa.findings import (
    CITED,
    PAPER,
    TABLES,
    alone_words,
    change_finding,
    counts_words,
    doses_title,
    equal_opportunity_words,
    estimators_words,
    gap_words,
    levels_finding,
    next_step,
    overlap_title,
    panels_title,
    quality_title,
    quality_words,
    table_notes,
    unread_of,
    verdict_words,
    vote_title,
    widest_first,
    widest_pair,
)
from fairviz.studies.demographic_qa.frames import Record
from fairviz.studies.demographic_qa.loaded import (
    Combination,
    measured_rows,
    measured_votes,
    recorded_overlaps,
    unread_words,
    vote_gains,
)
from fairviz.studies.demographic_qa.names import heading, shortened, spoken, unit_of, words_of
from fairviz.studies.demographic_qa.retrieval import (
    VariantQuality,
    loaded_variant_runs,
    variant_quality,
)
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings
from fairviz.studies.study import Chart
from pages._demographic_qa.results import (
    Settings,
    cases_of,
    doses_of,
    guess_of,
)
from pages._kit import callout, colours, counts_line, header, section, show_chart, show_figure
from pages._kit.commands import study_commands, study_files
from pages._kit.controls import usual_judgements
from pages._kit.downloads import download_row
from pages._kit.html import Column, Glyph, Row, Toned, Two, around_zero, el, muted, page_table, with_interval
from pages._kit.session import cached

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


def head(loaded: Dataset, settings: Settings) -> None:
    """Who gets fewer right answers, what to do next, how many answers were read, how far all this goes."""
    selected = settings.selected
    finding = settings.finding
    what_next = next_step(selected.rows)
    header(f"Demographic QA · {loaded.name}", finding.title, finding.sentence, how="demographic_qa")
    st.html(el("p", what_next, cls="fv-next"))
    if unread := unread_words(*unread_of(selected.rows), kind=selected.kind):
        callout(unread.title, unread.sentence)
    callout(*words_of("caution").values())


def files(loaded: Dataset, asked: VariantsSettings, name: str, title: str, **wanted: Any) -> None:
    """Buttons for tables of the study; see :func:`~pages._kit.commands.study_files`."""
    study_files(name, title, ("variants", asked), lambda: analyse(loaded, asked).tables, **wanted)


def accuracy(loaded: Dataset, settings: Settings) -> None:
    """A panel per attribute, on one scale that no control but the outcome moves; significant gaps first."""
    selected = settings.selected
    rows = widest_first(selected.rows)
    guess = guess_of(loaded, selected.file, selected.by)
    guessing = f" Guessing would be right in {percent(guess)} (dotted)." if guess == guess else ""
    section(
        panels_title(rows),
        f"{capital(unit_of(selected.kind, settings.how.threshold))}, %, with 95 % intervals (bootstrap over "
        f"questions). Dashed: the same questions with nobody mentioned.{guessing}",
    )
    alike = [combination for combination in settings.answers if combination.kind == selected.kind]
    span = shared_span([row for combination in alike for row in combination.rows])
    for start in range(0, len(rows), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(rows), 2)), gap="medium")
        for column, row in zip(columns, rows[start : start + IN_A_ROW], strict=False):
            with column:
                st.html(el("h3", heading(row["attribute"]), cls="fv-part"))
                groups_chart(row, span, guess)


def groups_chart(row: Record, span: tuple[float, float], guess: float) -> None:
    """The rates of one attribute's groups."""
    key = f"answers-{row['attribute'].replace('+', '-')}"
    show_chart(lambda palette: groups_figure(row, span=span, guess=guess, colours=palette), key, groups_alt(row, guess))


def gaps_and_doses(loaded: Dataset, settings: Settings) -> None:
    """The widest gap of each attribute with its test, beside what retrieval gave each group."""
    said = words_of("page")
    doses = doses_table(doses_of(loaded, settings))
    left, right = st.columns([6, 5], gap="large") if doses.rows else (nullcontext(), nullcontext())
    with left:
        section("The widest gap of each attribute", said["gaps"])
        gaps_table(settings)
    if not doses.rows:
        counts_line(said["no_documents"])
        return
    with right:
        section(doses_title(cases_of(loaded, settings), settings.selected.rows), said["doses"])
        page_table(
            doses,
            show=[
                key
                for key in ("value", "overlap_neutral", "evidence", "right_with", "right_without")
                if key in doses.keys
            ],
            drawn={"value": _group},
            columns={
                "value": "Group",
                "overlap_neutral": Column(label="same documents", align="right"),
                "evidence": Column(label="right evidence", align="right"),
                "right_with": Column(label="right with it", align="right"),
                "right_without": Column(label="right without", align="right"),
            },
            narrow="scroll",
        )


def gaps_table(settings: Settings) -> None:
    """One line per attribute: the gap, what chance gives, who alone was right."""
    rows = settings.selected.rows
    shown = widest_first(rows)
    of_attribute = {row["attribute"]: row for row in shown}
    span = around_zero([end for row in shown for end in (100 * row["dp"], *_points_between(row))])
    page_table(
        rows_table(shown),
        show=("attribute", "dp", "bar", "words"),
        drawn={
            "attribute": lambda row: _pair(of_attribute[row.text("attribute")]),
            "bar": lambda row: _gap_bar(of_attribute[row.text("attribute")]),
            "dp": lambda row: _points(row),
            "words": lambda row: _in_words(of_attribute[row.text("attribute")]),
        },
        columns={
            "attribute": "Groups",
            "bar": Column(label="95 % interval", span=span, zero=0.0),
            "dp": Column(label="gap, points", align="right"),
            "words": Column(label="In words"),
        },
        caption="The widest gap of each attribute",
    )
    counts_line(counts_words(rows))
    if settings.selected.kind == "open":
        counts_line(words_of("as_they_stand"))


def _pair(row: Record) -> Two:
    pair = f"{shortened(row['best'])} − {shortened(row['worst'])}" if row["best"] != row["worst"] else "all equal"
    return Two(top=heading(row["attribute"]), below=pair if row["best"] else "")


def _points_between(row: Record) -> tuple[float, float]:
    """The interval of best − worst that every sentence prints; NaN where there is none."""
    ends = widest_pair(row)
    return (float("nan"), float("nan")) if ends is None else (100 * ends.interval.low, 100 * ends.interval.high)


def _gap_bar(row: Record) -> Glyph | str:
    low, high = _points_between(row)
    if row["dp"] != row["dp"] or low != low:
        return ""
    filled = verdict_words(row) == "significant"
    return Glyph(value=100 * row["dp"], low=low, high=high, filled=filled, tone="loss")


def _points(row: Row) -> Two | str:
    if row["dp"] is None or row.number("dp") != row.number("dp"):
        return "undefined"
    chance = row.number("dp_chance")
    below = "" if chance != chance else f"by chance {100 * chance:.1f}"
    return Two(top=f"{100 * row.number('dp'):.1f}", below=below)


def _in_words(row: Record) -> Two:
    verdict = verdict_words(row)
    return Two(top=verdict, below=alone_words(row), tone="loss" if verdict == "significant" else "mute")


def _group(row: Row) -> Toned | str:
    value = shortened(row.text("value"))
    return muted(f"{value} (nobody)") if row.text("attribute") == REFERENCE else value


def overlap(loaded: Dataset, settings: Settings | None) -> None:
    """Triangles of the documents recorded with answers, and of runs of variants, whose quality is beside them."""
    selected = settings.selected if settings is not None else None
    recorded = selected is not None and any(row["overlap"] for row in selected.rows)
    retrieved = loaded_variant_runs(loaded)
    if not recorded and not retrieved:
        return
    k = int(
        st.segmented_control(
            "k, documents compared",
            [str(n) for n in CUTOFFS],
            default=str(CUTOFFS[0]),
            key="compared",
            bind="query-params",
            required=True,
        )
        or CUTOFFS[0]
    )
    every: list[tuple[str, Record]] = []
    if recorded and selected is not None:
        overlaps = recorded_overlaps(loaded, selected.key, k)
        _overlaps(overlaps, "overlap", selected.parts["retriever"], "the answers' documents")
        every += [("answers", of_attribute) for of_attribute in overlaps]
    for place, runs in enumerate(retrieved):
        overlaps = overlaps_of_runs(loaded, place, k)
        _overlaps(overlaps, f"overlap-{place}", runs.retriever, f"runs {runs.retriever}")
        every += [(runs.retriever, of_attribute) for of_attribute in overlaps]
        _quality(loaded, place)
    counts_line(words_of("page")["estimators"])
    download_row(
        "fairviz-overlap",
        "Documents in common",
        frame_csv=lambda: csv_text(overlap_pairs_table(every)),
        commands=lambda: study_commands("variants", _said(settings, k), csv="overlap_pairs"),
    )


def _said(settings: Settings | None, k: int) -> VariantsSettings:
    """What the table depends on, for a command."""
    return settings.said(compared=k) if settings else VariantsSettings(compared=k)


def headline_of_runs(loaded: Dataset) -> str:
    """What the runs of variants say of retrieval, where no answers are loaded; "" without such runs."""
    retrieved = loaded_variant_runs(loaded)
    return overlap_title(overlaps_of_runs(loaded, 0, CUTOFFS[0]), retriever=retrieved[0].retriever) if retrieved else ""


@cached
def overlaps_of_runs(loaded: Dataset, place: int, k: int) -> list[Record]:
    """Overlap of each attribute of one retriever's runs."""
    return loaded_variant_runs(loaded)[place].overlaps(k)


@cached
def quality_of_runs(loaded: Dataset, place: int) -> VariantQuality | InputError:
    """nDCG@10 of each variant's run, or why no run joins the judgements."""
    runs = loaded_variant_runs(loaded)[place].runs
    judgements = usual_judgements(loaded, next(iter(runs.values()), None))
    try:
        return variant_quality(runs, loaded.qrels[judgements])
    except InputError as error:
        return error


def _overlaps(overlaps: Sequence[Record], key: str, retriever: str, whose: str) -> None:
    """A triangle per attribute, with what it says; keys of charts begin with ``key``."""
    about = ""
    if overlaps:
        first = f"the first {overlaps[0]['k']} documents of {whose}"
        about = f"Overlap of {first} (shared per all), mean over questions, %. {words_of('page')['colour']}"
    section(overlap_title(overlaps, retriever=retriever), about)
    floor = overlap_floor(overlaps)
    columns = st.columns(max(len(overlaps), 2), gap="large")
    for column, of_attribute in zip(columns, overlaps, strict=False):
        with column:
            st.html(el("h3", heading(of_attribute["attribute"]), cls="fv-part"))
            figure = overlap_figure(of_attribute, floor=floor, colours=colours())
            name = f"{key}-{of_attribute['attribute'].replace('+', '-')}"
            show_figure(figure, name, overlap_alt(of_attribute))
    for overlap_of_attribute in overlaps:
        counts_line(estimators_words(overlap_of_attribute))
        for note in overlap_of_attribute["notes"]:
            counts_line(note)


def _quality(loaded: Dataset, place: int) -> None:
    if not loaded.qrels:
        return
    quality = quality_of_runs(loaded, place)
    if isinstance(quality, InputError):
        callout(f"The runs and {loaded.qrels[0].name} do not join: {quality.reason}.", quality.fix)
        return
    table = quality_table(quality)
    section(
        quality_title(quality),
        f"{words_of('page')['quality']} (paired t-test, {considered(quality.n_tests)}).",
    )
    ends = [end for row in quality.rows for end in (row["difference_low"], row["difference_high"]) if end == end]
    span = (min([*ends, -0.01]), max([*ends, 0.01]))
    page_table(
        table,
        show=("attribute", "value", "mean", "difference", "bar", "p_holm", "n_questions"),
        drawn={
            "attribute": lambda row: "–" if row["attribute"] == REFERENCE else spoken(row.text("attribute")),
            "value": lambda row: spoken(row.text("value")),
            "mean": with_interval("mean", "low", "high"),
            "difference": lambda row: signed(row.number("difference")),
            "bar": _difference_bar,
        },
        columns={
            "attribute": "Attribute",
            "value": "Value",
            "mean": quality.rows[0]["measure"] + " ↑",
            "bar": Column(label="95 % interval", span=span, zero=0.0),
        },
        caption="Ranking quality by variant",
        narrow="scroll",
    )
    counts_line(quality_words(quality))


def _difference_bar(row: Row) -> Glyph | str:
    difference = row.number("difference")
    if math.isnan(difference):
        return ""
    return Glyph(
        value=difference,
        low=row.number("difference_low"),
        high=row.number("difference_high"),
        filled=row.number("p_holm") < SIGNIFICANCE and row.number("n_questions") >= MIN_UNITS,
    )


def downloads(loaded: Dataset, settings: Settings) -> None:
    """The row of buttons; files are written when one is pressed."""
    files(
        loaded,
        settings.said(),
        "fairviz-demographic-qa",
        "Answers by group, and this page",
        csv="groups",
        latex=["groups-printed"],
        html=lambda: _report(loaded, settings),
    )


def _report(loaded: Dataset, settings: Settings) -> str:
    """The page as a file."""
    selected = settings.selected
    finding = settings.finding
    return html_text(
        finding.title,
        report_sections(loaded, settings),
        lead=f"{loaded.name}: {finding.sentence} {next_step(selected.rows)}",
        plotly_js=plotly_script(),
    )


def report_sections(loaded: Dataset, settings: Settings) -> list[Section]:
    """What a report says: caution, rates, gaps under every condition, votes, retrieval, the published tables."""
    selected = settings.selected
    cells = measured_rows(loaded, settings.how, cells=True)
    votes = measured_votes(loaded, settings.votes)
    own = (*selected.rows, *cells.get(selected.key, ()))
    several = settings.siblings("model", "strategy", "retriever", "depth")
    at_this_depth = settings.siblings("model", "strategy")

    def known(answers: Sequence[Combination]) -> list[Record]:
        return [row for one in answers for row in (*votes.get(one.key, ()), *cells.get(one.key, ()))]

    sentences = [*(gap_words(row) for row in own), counts_words(own)]
    if selected.kind == "open":
        sentences.append(words_of("as_they_stand"))
    rows, rows_here = settings.rows("model", "strategy", "retriever", "depth"), settings.rows("model", "strategy")
    found = change_finding(settings.rows("strategy"), without="with the plain prompt") or levels_finding(
        rows, what="condition"
    )
    gains = vote_gains(loaded, settings.votes, tuple(other.key for other in at_this_depth))
    doses = doses_table(doses_of(loaded, settings))
    tables = {
        "groups": groups_table(known([selected]), captioned=True),
        "rows": rows_table(known(several)),
        "strategies": strategies_table(known(at_this_depth), caption=STRATEGIES),
        "doses": doses,
    }
    caution, tested = words_of("caution"), words_of("page")["tested"]
    sections = [
        Section(caution["title"], (caution["sentence"],)),
        section_of(tables, "By group", *sentences, blocks=[*_charts(own), "groups"]),
        section_of(tables, capital(found), tested, equal_opportunity_words(rows), blocks=["rows"]),
        section_of(tables, capital(vote_title(gains, rows_here)), blocks=["strategies"]),
    ]
    if doses.rows:
        title = doses_title(cases_of(loaded, settings), selected.rows)
        sections.append(section_of(tables, title, blocks=["doses"]))
    return [*sections, published_section()]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    printed = [read_published(PAPER, number) for number in TABLES]
    known = {f"published_{table.number}": published_table(table) for table in printed}
    return section_of(known, f"Published ({CITED})", *table_notes(printed), blocks=list(known))


def _charts(rows: Sequence[Record]) -> list[Figure]:
    options = {"span": shared_span(rows)}
    charts = (Chart("demographic_qa", "groups", (row,), options) for row in rows)
    return [
        chart.in_report("demographic-qa", shortened(row["attribute"])) for chart, row in zip(charts, rows, strict=True)
    ]
