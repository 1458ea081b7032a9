"""Export, last part: everything as one zip, and what to cite."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.evaluate.evaluate import Evaluation, score_intervals
from fairviz.evaluate.tables import MeasureResults
from fairviz.evaluate.tables import tables as measure_tables
from fairviz.exposure import Gain
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset
from fairviz.show.bundle import bundle
from fairviz.show.html import Code, Section, section_of
from fairviz.show.methods import (
    CITATIONS,
    bibliography,
    curve_command,
    evaluate_command,
    methods_paragraph,
    tradeoff_command,
)
from fairviz.show.paper import PrintedFigure
from fairviz.show.table import Table
from fairviz.show.theme import plotly_script
from fairviz.show.words import count, listing, plural
from pages._attribution import downloads as answer_downloads
from pages._attribution.results import Settings as AnswerSettings
from pages._attribution.results import whole
from pages._compare.sections import bundled
from pages._export.curves import compute, grid, report
from pages._export.systems import SEED, MeasureSelection, evaluation, facts, folder, pairs, requested
from pages._kit import counts_line, download, el, error_box, is_example, section
from pages._kit.controls import AS_PUBLISHED, ScorePolicy
from pages._kit.faults import as_input_error
from pages._kit.figure_drawer import pinned, unpin_all
from pages._tradeoff import downloads as curve_downloads
from pages._tradeoff.results import Settings as CurveSettings

PREPARED, READY = "export_bundle", "export_bundle_ready"
BIBLIOGRAPHY = "fairviz.bib"


class Parts(NamedTuple):
    """Settings of the parts of the page; None = the data has nothing for it."""

    measures: MeasureSelection | None
    curves: CurveSettings | None
    answers: AnswerSettings | None


def bundle_part(loaded: Dataset, parts: Parts) -> None:
    """A button that prepares the zip, then one that hands it out."""
    section(
        "Everything in one file",
        "A zip of the tables above as CSV and LaTeX, the pinned figures, an HTML report with its figures, a methods "
        "paragraph, citations, checksums of your files, and the commands to reproduce it",
    )
    figures = pinned()
    if figures:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            names = listing([figure.stem for figure in figures])
            counts_line(f"{plural(len(figures), 'pinned figure')}: {names}")
            st.button("Unpin all", type="tertiary", key="unpin-figures", on_click=unpin_all)
    key = (loaded.arrangement, parts, tuple(figure.command for figure in figures))
    if not requested(PREPARED, key, "Prepare the bundle", icon=":material/folder_zip:"):
        counts_line("Parts that are not shown above yet are computed then.")
        return
    ready = st.session_state.get(READY)
    if ready is None or ready[0] != key:
        try:
            with st.spinner("Writing the report …"):
                ready = (key, packed(loaded, parts, figures))
        except Exception as error:  # whatever it is, the page stands
            error_box(as_input_error(error))
            return
        st.session_state[READY] = ready
    content: bytes = ready[1]
    download(
        "Download the bundle",
        content,
        file_name=f"fairviz-{loaded.fingerprint[:8]}.zip",
        mime="application/zip",
        key="bundle",
        kind="primary",
    )
    counts_line(f"{count(max(1, len(content) // 1024))} KB; equal data and settings, equal bytes.")


def packed(loaded: Dataset, parts: Parts, figures: Sequence[PrintedFigure] = ()) -> bytes:
    """The zip of all parts that the data has something for."""
    sections: list[Section] = []
    tables: dict[str, Table] = {}
    commands: list[str] = []
    measures = parts.measures.measures if parts.measures else ()
    against = parts.measures.against if parts.measures else None
    requested_measures = parse_measures(measures) if measures else []
    result = evaluation(loaded, measures, against) if requested_measures else Evaluation((), ())
    refusals = {refusal.measure for refusal in result.refused}
    specs = [spec for spec in requested_measures if spec.text not in refusals]
    if result.scores:
        known = measure_tables(
            MeasureResults(
                evaluation=result,
                intervals=score_intervals(result.scores, seed=SEED),
                per_query=True,
                measures=requested_measures,
                seed=SEED,
                facts=facts(loaded, against),
            )
        )
        tables |= known
        about = tuple(f"{name.capitalize()}: {value}." for name, value in facts(loaded, against))
        to_read = [stem for stem, table in known.items() if table.audience != "programs"]
        sections.append(section_of(known, "Measures", *about, blocks=to_read))
        paired = pairs(loaded)
        commands.append(evaluate_command(loaded, specs, folder=folder(), pairs=paired, per_query=True, against=against))
    curves: tuple[int, Gain, str] | None = None
    policy = AS_PUBLISHED
    if parts.curves:
        settings = parts.curves
        compute(loaded, settings)
        content, alphas = report(loaded, settings), grid(loaded)
        known = curve_downloads.report_tables(content, settings)
        tables |= known
        sections += curve_downloads.report_sections(content, known, stem="fairviz-curves")
        commands.append(
            curve_command(
                loaded,
                judgements=settings.judgements,
                k=settings.k,
                gain=settings.gain,
                alphas=alphas,
                folder=folder(),
                scores=settings.scores,
                offset=settings.offset,
            )
        )
        curves = (settings.k, settings.gain, alphas)
        policy = ScorePolicy(settings.scores, settings.offset)
    shown = parts.curves or parts.answers
    comparison = bundled(loaded, shown.k, shown.gain, policy.scores) if shown else None
    if shown and comparison:
        tables |= comparison.tables
        sections += comparison.sections
        commands.append(
            tradeoff_command(
                loaded,
                quality=comparison.quality,
                k=shown.k,
                gain=shown.gain,
                alphas=grid(loaded),
                folder=folder(),
                scores=policy.scores,
                pairs=pairs(loaded),
            )
        )
    if parts.answers:
        tasks = whole(loaded, parts.answers)
        if tasks[0].groups:
            known = answer_downloads.report_tables(loaded, parts.answers, tasks)
            tables |= known
            sections += answer_downloads.report_sections(loaded, parts.answers, tasks, known)
    methods = methods_paragraph(loaded, specs, curves=curves, policy=policy, against=against, seed=SEED)
    closing = (Code("\n\n".join(commands)), Code(bibliography(), "References"))
    return bundle(
        loaded,
        title=f"fairviz: {loaded.name}",
        sections=[*sections, Section("Methods", (methods,), closing)],
        tables=tables,
        lead=lead_of(loaded),
        folder=folder(),
        example=is_example(),
        methods=methods,
        commands=commands,
        plotly_js=plotly_script(),
        figures=figures,
    )


def lead_of(loaded: Dataset) -> str:
    """What is loaded, and its mark."""
    systems = len(loaded.runs) + len(loaded.samples) + len(loaded.outputs)
    files = plural(len(loaded.files), "file")
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    queries = f" and {plural(len(judged), 'judged query', 'judged queries')}" if judged else ""
    return f"{plural(systems, 'system') if systems else files}{queries}, fingerprint {loaded.fingerprint[:12]}."


def cite_part() -> None:
    """What to cite, ready to copy."""
    section("Cite", "The papers whose measures and policies these are, and fairviz")
    left, right = st.columns([4, 7], gap="large")
    with left:
        st.html(el("ul", *(el("li", f"{citation.title}: {citation.what}") for citation in CITATIONS)))
        download("BibTeX", bibliography(), file_name=BIBLIOGRAPHY, mime="application/x-bibtex", key="bibtex")
    right.code(bibliography(), language=None, wrap_lines=True)
