"""What a mention changes in retrieval: overlap of lists, ranking quality, retriever and k."""

import math
from collections.abc import Sequence

import streamlit as st

from fairviz.display.table import csv_text
from fairviz.display.words import considered, signed
from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.report.answer_pages import DemographicQaSettings
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.demographic_qa.figures_overlap import overlap_alt, overlap_figure
from fairviz.studies.demographic_qa.findings_retrieval import (
    estimators_words,
    overlap_title,
    quality_title,
    quality_words,
)
from fairviz.studies.demographic_qa.names import heading, spoken
from fairviz.studies.demographic_qa.overlap import CUTOFFS, Overlap
from fairviz.studies.demographic_qa.quality import VariantQuality, variant_quality
from fairviz.studies.demographic_qa.results import RetrievalResults
from fairviz.studies.demographic_qa.runs import loaded_variant_runs
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.tables_retrieval import REFERENCE
from fairviz.studies.demographic_qa.views import overlap_views
from pages._demographic_qa.results import Settings, overlaps_of
from pages._kit import (
    Column,
    Glyph,
    Row,
    callout,
    colours,
    counts_line,
    download_row,
    el,
    page_table,
    section,
    show_figure,
    with_interval,
)
from pages._kit.cache import cached
from pages._kit.commands import page_commands
from pages._kit.controls import usual_judgements

COLOUR = "The stronger the colour, the less in common."
ESTIMATORS = (
    "Three estimators, per question, then the mean. all: documents in the lists of all values per "
    "document in any; pairwise: mean Jaccard of pairs of values; neutral: mean Jaccard with the "
    "list without attribute. The paper does not say which it used."
)


def overlap(loaded: Dataset, settings: Settings | None) -> None:
    """Triangles of the documents recorded with answers, and of runs of variants, whose quality is beside them."""
    selected = settings.selected if settings is not None else None
    recorded = selected is not None and any(row.overlap for row in selected.rows)
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
    all_overlaps: list[tuple[str, Overlap]] = []
    if recorded and selected is not None:
        overlaps = overlaps_of(loaded, selected.key, k)
        _overlap_head(overlaps, selected.part("retriever"), "the answers' documents")
        _triangles(overlaps, "overlap")
        all_overlaps += [("answers", of_attribute) for of_attribute in overlaps]
    for place, runs in enumerate(retrieved):
        overlaps = overlaps_of_runs(loaded, place, k)
        _overlap_head(overlaps, runs.retriever, f"runs {runs.retriever}")
        _triangles(overlaps, f"overlap-{place}")
        all_overlaps += [(runs.retriever, of_attribute) for of_attribute in overlaps]
        _quality(loaded, place)
    counts_line(ESTIMATORS)
    download_row(
        "fairviz-overlap",
        "Documents in common",
        frame_csv=lambda: csv_text(tables(VariantResults(overlaps=all_overlaps))["overlap_pairs"]),
        commands=lambda: page_commands("demographic_qa", _said(settings, k), csv="overlap"),
    )


def _said(settings: Settings | None, k: int) -> DemographicQaSettings:
    """What the table depends on, for a command."""
    return settings.said(compared=k) if settings else DemographicQaSettings(compared=k)


def headline_of_runs(loaded: Dataset) -> str:
    """What the runs of variants say of retrieval, where no answers are loaded; "" without such runs."""
    retrieved = loaded_variant_runs(loaded)
    return overlap_title(overlaps_of_runs(loaded, 0, CUTOFFS[0]), retriever=retrieved[0].retriever) if retrieved else ""


@cached
def overlaps_of_runs(loaded: Dataset, place: int, k: int) -> tuple[Overlap, ...]:
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


def _overlap_head(overlaps: Sequence[Overlap], retriever: str, whose: str) -> None:
    section(
        overlap_title(overlaps, retriever=retriever),
        f"Overlap of the first {overlaps[0].k} documents of {whose} (shared per all), mean over questions, %. {COLOUR}"
        if overlaps
        else "",
    )


def _triangles(overlaps: Sequence[Overlap], key: str) -> None:
    views = overlap_views(overlaps)
    columns = st.columns(max(len(views), 2), gap="large")
    for column, view, overlap_of_attribute in zip(columns, views, overlaps, strict=False):
        with column:
            st.html(el("h3", heading(overlap_of_attribute.attribute), cls="fv-part"))
            figure = overlap_figure(view, colours=colours())
            show_figure(figure, f"{key}-{overlap_of_attribute.attribute.replace('+', '-')}", overlap_alt(view))
    for overlap_of_attribute in overlaps:
        counts_line(estimators_words(overlap_of_attribute))
        for note in overlap_of_attribute.notes:
            counts_line(note)


def _quality(loaded: Dataset, place: int) -> None:
    if not loaded.qrels:
        return
    quality = quality_of_runs(loaded, place)
    if isinstance(quality, InputError):
        callout(f"The runs and {loaded.qrels[0].name} do not join: {quality.reason}.", quality.fix)
        return
    table = tables(VariantResults(retrieval=RetrievalResults(quality=quality)))["quality"]
    section(
        quality_title(quality),
        "Ranking quality of each variant's list by the same judgements; difference to the list "
        f"without attribute, paired by question (bootstrap). Filled: unlikely to be chance (paired t-test, "
        f"{considered(quality.n_tests)}).",
    )
    ends = [end for row in quality.rows for end in row.difference_interval if end == end]
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
            "mean": quality.rows[0].measure + " ↑",
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
