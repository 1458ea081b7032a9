"""Export, last part: everything as one zip, and what to cite."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.display.bundle import PinnedTable
from fairviz.display.methods import bibliography, citations
from fairviz.display.paper import PrintedFigure
from fairviz.display.words import count, listing, plural
from fairviz.model import Dataset
from fairviz.report.assemble import Request, assembled
from fairviz.studies.tradeoff.along_alpha import measured_at
from pages._attribution.results import Settings as AnswerSettings
from pages._export.systems import SEED, MeasureSelection, requested
from pages._kit import counts_line, download, el, error_box, section
from pages._kit.faults import as_input_error
from pages._kit.pins import pinned_figures, pinned_tables, unpin_all
from pages._kit.recorded_outputs import usual_k
from pages._tradeoff.results import Settings as CurveSettings

PREPARED, READY = "export_bundle", "export_bundle_ready"
BIBLIOGRAPHY = "fairviz.bib"


class Parts(NamedTuple):
    """Settings of the parts of the page; None = the data has nothing for it."""

    measures: MeasureSelection | None
    curves: CurveSettings | None
    answers: AnswerSettings | None


def pinned_title(parts: Parts) -> str:
    """What is ready to be taken: the pins, else what there is without any."""
    if not any(parts):
        return "Nothing to measure in these files yet"
    counts = [
        plural(len(some), noun)
        for some, noun in ((pinned_figures(), "pinned figure"), (pinned_tables(), "pinned table"))
        if some
    ]
    return f"{listing(counts)}, ready for the bundle" if counts else "Nothing pinned: the bundle will hold all tables"


def bundle_part(loaded: Dataset, parts: Parts) -> None:
    """What is pinned, then a button that prepares the zip, and one that hands it out."""
    section(
        "Bundle for a paper",
        "A zip of every table as CSV and LaTeX, what you pinned below tables and figures of any page, a report in "
        "which α and the target can be moved without a server, methods, citations, checksums, and a script that "
        "makes report and tables again",
    )
    figures, tables = pinned_figures(), pinned_tables()
    if figures or tables:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            counts_line(f"Pinned: {listing([one.stem for one in (*figures, *tables)])}")
            st.button("Unpin all", type="tertiary", key="unpin-figures", on_click=unpin_all)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _packing(loaded, parts, figures, tables)


def _packing(loaded: Dataset, parts: Parts, figures: Sequence[PrintedFigure], tables: Sequence[PinnedTable]) -> None:
    pins = (tuple(figure.command for figure in figures), tuple((table.stem, table.page) for table in tables))
    key = (loaded.arrangement, parts, pins)
    if not requested(PREPARED, key, "Prepare the bundle", icon=":material/folder_zip:"):
        counts_line("Parts not yet computed below are computed when you press the button.")
        return
    ready = st.session_state.get(READY)
    if ready is None or ready[0] != key:
        try:
            with st.spinner("Computing the report …"):
                ready = (key, packed(loaded, parts, figures, tables))
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


def packed(
    loaded: Dataset,
    parts: Parts,
    figures: Sequence[PrintedFigure] = (),
    pinned: Sequence[PinnedTable] = (),
) -> bytes:
    """The zip of all parts that the data has something for, as ``fairviz report --format bundle`` makes it."""
    return assembled(loaded, request(loaded, parts)).bundle(figures=figures, pinned=pinned)


def request(loaded: Dataset, parts: Parts) -> Request:
    """What the parts of the page are set to."""
    measures, curves, answers = parts
    shown = curves or answers
    return Request(
        measures=measures.measures if measures else (),
        k=shown.k if shown else usual_k(loaded),
        gain=shown.gain if shown else "graded",
        scores=curves.scores if curves else "given",
        offset=curves.offset if curves else 1.0,
        alphas=tuple(measured_at(loaded.runs).tolist()),
        judgements=curves.judgements if curves else 0,
        against=measures.against if measures else None,
        seed=SEED,
    )


def cite_part() -> None:
    """What to cite, ready to copy."""
    section("Cite", "The papers that define these measures and policies, and fairviz")
    download("BibTeX", bibliography(), file_name=BIBLIOGRAPHY, mime="application/x-bibtex", key="bibtex")
    with st.expander(f"{plural(len(citations()), 'work')}, and what each is cited for"):
        left, right = st.columns([4, 7], gap="large")
        left.html(el("ul", *(el("li", f"{citation.title}: {citation.what}") for citation in citations())))
        right.code(bibliography(), language=None, wrap_lines=True)
