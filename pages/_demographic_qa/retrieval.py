"""What a mention changes in retrieval: overlap of lists, ranking quality, retriever and k."""

import streamlit as st

from fairviz.io.published import read_published
from fairviz.model import Dataset
from fairviz.show.table import csv_text
from fairviz.show.words import count, interval, number, p_value, signed
from fairviz.studies.demographic_qa.figures_conditions import SlopePanel, slopes_alt, slopes_figure
from fairviz.studies.demographic_qa.figures_grids import overlap_alt, overlap_figure
from fairviz.studies.demographic_qa.findings import heading, spoken
from fairviz.studies.demographic_qa.overlap import CUTOFFS, Overlap, lists_of_runs, retrieval_overlap
from fairviz.studies.demographic_qa.quality import VALUES, VariantQuality, VariantRuns, variant_quality, variant_runs
from fairviz.studies.demographic_qa.remedies import (
    CITED,
    PAPER,
    estimators_words,
    overlap_title,
    quality_title,
    quality_words,
    retriever_title,
    retrievers_title,
)
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.tables import overlap_content
from fairviz.studies.demographic_qa.views import overlap_views, published_slopes, retriever_panels
from pages._demographic_qa.results import Answers, Settings, overlaps_of
from pages._kit import (
    Column,
    Glyph,
    Two,
    colours,
    counts_line,
    download_row,
    el,
    html_table,
    rule,
    section,
    show_figure,
)
from pages._kit.cache import cached

COLOUR = "The stronger the colour, the less in common."

ESTIMATORS = (
    "Three estimators, per question, then the mean. all: documents in the lists of all values per "
    "document in any; pairwise: mean Jaccard of pairs of values; neutral: mean Jaccard with the "
    "list without attribute. The paper does not say which it used."
)


def runs_of(loaded: Dataset) -> tuple[VariantRuns, ...]:
    """Loaded runs that are variants by their names."""
    values = dict(VALUES)
    for answers in loaded.variants:
        values |= dict(zip(answers.attributes, answers.values, strict=True))
    return variant_runs(loaded.runs, values)


def overlap(loaded: Dataset, chosen: Settings | None) -> None:
    """Triangles of the documents recorded with answers, and of runs of variants."""
    one = chosen.chosen if chosen is not None else None
    recorded = one is not None and any(row.overlap for row in one.single)
    retrieved = runs_of(loaded)
    if not recorded and not retrieved:
        return
    rule()
    top = st.container()
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
    every: list[tuple[str, Overlap]] = []
    if recorded and one is not None:
        found = overlaps_of(loaded, one.file, one.by, k)
        with top:
            _overlap_head(found, one.part("retriever"), "the answers' documents")
        _triangles(found, "overlap")
        every += [("answers", each) for each in found]
    for place, runs in enumerate(retrieved):
        found = overlaps_of_runs(loaded, place, k)
        with top if not (recorded or place) else st.container():
            _overlap_head(found, runs.retriever, f"runs {runs.retriever}")
        _triangles(found, f"overlap-{place}")
        every += [(runs.retriever, each) for each in found]
        _quality(loaded, place)
    counts_line(ESTIMATORS)
    download_row("fairviz-overlap", frame_csv=lambda: csv_text(overlap_content(every)))


@cached
def overlaps_of_runs(loaded: Dataset, place: int, k: int) -> tuple[Overlap, ...]:
    """Overlap of each attribute of one retriever's runs."""
    one = runs_of(loaded)[place]
    return tuple(retrieval_overlap(lists_of_runs(one.runs, a), k=k) for a in one.attributes)


@cached
def quality_of_runs(loaded: Dataset, place: int) -> VariantQuality:
    """nDCG@10 of each variant's run."""
    return variant_quality(runs_of(loaded)[place].runs, loaded.qrels[0])


def by_retriever(chosen: Settings) -> None:
    """Overlap, DP, EO and score against k, where there are several settings."""
    alike = [
        one
        for one in chosen.answers
        if one.part("depth").isdecimal()
        and all(one.part(n) == chosen.chosen.part(n) for n in ("model", "dataset", "strategy"))
    ]
    settings = {(one.part("retriever"), one.part("depth")) for one in alike if one.rows}
    if len(settings) < 2:
        return
    rule()
    attribute = _attribute(alike, str(st.session_state.get("attribute", "")))
    alike.sort(key=lambda one: int(one.part("depth")))
    rows = [row for one in alike for row in one.rows if row.attribute == attribute]
    section(
        retriever_title(rows),
        f"{heading(attribute)}; overlap of all given documents, estimator all. The same "
        "model, dataset and strategy as chosen above.",
    )
    _panels(retriever_panels(rows), "retriever")
    counts_line(_retriever_counts(rows))


def published_retrievers() -> None:
    """Table 5."""
    table = read_published(PAPER, 5)
    section(
        retrievers_title(table),
        f"DeepSeek-R1-8B ({CITED}, Table 5), which names no dataset. Each panel has a range of its own.",
    )
    _panels(published_slopes(table), "table-5")


def _overlap_head(found: tuple[Overlap, ...] | list[Overlap], retriever: str, of: str) -> None:
    section(
        overlap_title(found, retriever=retriever),
        f"Overlap of the first {found[0].k} documents of {of} (shared per all), mean over questions, %. {COLOUR}"
        if found
        else "",
    )


def _triangles(found: tuple[Overlap, ...] | list[Overlap], key: str) -> None:
    views = overlap_views(found)
    columns = st.columns(max(len(views), 2), gap="large")
    for column, view, one in zip(columns, views, found, strict=False):
        with column:
            st.html(el("h3", heading(one.attribute), cls="fv-part"))
            figure = overlap_figure(view, colours=colours())
            show_figure(figure, f"{key}-{one.attribute.replace('+', '-')}", overlap_alt(view))
    for one in found:
        counts_line(estimators_words(one))
        for note in one.notes:
            counts_line(note)


def _quality(loaded: Dataset, place: int) -> None:
    if not loaded.qrels:
        return
    found = quality_of_runs(loaded, place)
    section(
        quality_title(found),
        "Ranking quality of each variant's list by the same judgements; difference to the list "
        "without attribute, paired by question (bootstrap; t-test, Holm over the table).",
    )
    rows = found.rows
    ends = [e for row in rows for e in row.difference_interval if e == e]
    span = (min([*ends, -0.01]), max([*ends, 0.01]))
    columns = [
        Column(label="Attribute"),
        Column(label="Value"),
        Column(label=rows[0].measure + " ↑", align="right"),
        Column(label="to neutral", align="right"),
        Column(label="95 % interval", span=span, zero=0.0),
        Column(label="p (Holm)", align="right"),
        Column(label="questions", align="right"),
    ]
    cells = [
        [
            spoken(row.attribute) or "–",
            spoken(row.value),
            Two(top=number(row.mean), below=interval(*row.interval)),
            signed(row.difference),
            Glyph(
                value=row.difference,
                low=row.difference_interval.low,
                high=row.difference_interval.high,
                filled=row.p_holm < 0.05,
            )
            if row.difference == row.difference
            else "",
            p_value(row.p_holm),
            count(row.n_questions),
        ]
        for row in rows
    ]
    html_table(columns, cells, caption="Ranking quality by variant", narrow="scroll")
    counts_line(quality_words(found))


def _panels(panels: tuple[SlopePanel, ...], key: str) -> None:
    for i, (column, panel) in enumerate(zip(st.columns(4, gap="medium"), panels, strict=True)):
        with column:
            figure = slopes_figure(panel, colours=colours())
            show_figure(figure, f"{key}-{i}", slopes_alt(panel))


def _attribute(alike: list[Answers], asked: str) -> str:
    known = list(dict.fromkeys(row.attribute for one in alike for row in one.rows))
    return asked if asked in known else known[0]


def _retriever_counts(rows: list[VariantRow]) -> str:
    parts = [f"{row.get('retriever')} k = {row.get('k')}: {sum(g.n for g in row.groups)}" for row in rows]
    return f"Answers: {', '.join(parts)}"
