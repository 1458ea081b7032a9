"""Sections of the page Export: systems, curves, the bundle and the study."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import streamlit as st

from fairviz.display.bundle import PinnedTable
from fairviz.display.methods import AgainstTarget, bibliography, citations
from fairviz.display.paper import PrintedFigure
from fairviz.display.words import count, listing, plural
from fairviz.kernels.exposure import Gain
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.words import spacing_note
from fairviz.reporting.assemble import assembled
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import SUFFIX
from fairviz.reporting.study_settings import Settings as StudySettings
from fairviz.studies.agreement.analysis import agreement_measures
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.tradeoff.analysis import beside, of_system
from fairviz.studies.tradeoff.charts import tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._demographic_qa import counted_elsewhere
from pages._kit import callout, colours, counts_line, section, show_figure, step_by_step
from pages._kit.commands import study_command
from pages._kit.controls import choose_cutoff, choose_judgements, choose_policy, choose_relevance
from pages._kit.downloads import as_input_error, download, error_box
from pages._kit.html import el
from pages._kit.keeping import pinned_figures, pinned_tables, unpin_all
from pages._kit.recorded_outputs import usual_k
from pages._kit.study import Reading, saving
from pages._social_bias import read_elsewhere
from pages._tradeoff.downloads import downloads
from pages._tradeoff.results import has_utility, steps


def requested(key: str, settings: object, label: str, *, icon: str, light: bool = False) -> bool:
    """Whether the work was asked for with these settings; else shows the button that asks.

    Args:
        key: Of the session's memory.
        settings: What the work depends on; other settings ask again.
        label: Of the button.
        icon: Of the button.
        light: Whether the work takes a moment only and needs no button.
    """
    if light or st.session_state.get(key) == settings:
        return True
    st.button(
        label, icon=icon, type="primary", key=f"{key}_button", on_click=lambda: st.session_state.update({key: settings})
    )
    return False


Form: TypeAlias = Literal["means", "queries", "compared"]
SEED = 0


class MeasureSelection(NamedTuple):
    """What the table shows.

    Attributes:
        measures: Measure strings.
        form: Means, values per query, or two systems compared.
        against: Groups and target, where there are labels.
    """

    measures: tuple[str, ...]
    form: Form
    against: AgainstTarget | None = None


OF_RANKINGS = (
    "EED@5",
    "EER@5",
    "EER(rel=1)@5",
    "EEL@5",
    "nDCG@10",
    "EED(norm='none')@5",
    "EED(browsing='rbp', p=0.8)",
    "AP",
    "P@5",
    "RR",
    "R@20",
    "Judged@5",
)
CUTOFF = 10
OF_GROUPS = (
    "Skew@10",
    *(m for m in agreement_measures(CUTOFF, judged=False)),
    "AWRF(distance='l1', over='system')",
    "FAIR(irm='nDCG')@10",
    "FAIR(irm='RBP')@10",
    "FAIR(irm='ERR_IA')@10",
    "IAA(utility='score')",
)
OF_ANSWERS = ("EU(norm='best')",)
OF_REFERENCES = ("EU(utility='rougeL')", "EU(utility='f1')", "EU(utility='accuracy')")


def offered(loaded: Dataset) -> list[str]:
    """Measures that the data has something for; any other can be typed."""
    measures: list[str] = []
    if loaded.runs or loaded.samples:
        measures += [text for text in OF_RANKINGS if loaded.qrels or not _needs_judgements(text)]
    if can_group(loaded):
        measures += [text for text in OF_GROUPS if loaded.qrels or not _needs_judgements(text)]
    if loaded.outputs:
        k = usual_k(loaded)
        measures += ["EU", *OF_ANSWERS] if has_utility(loaded) else []
        measures += [f"EAR@{k}", f"EAED@{k}", f"EAED(norm='none')@{k}"]
        measures += OF_REFERENCES if loaded.references else ()
    return measures


def usual(loaded: Dataset, gain: Gain = "graded") -> list[str]:
    """Where to begin: the measures of the page's first look, relevance counted as on every page."""
    k = usual_k(loaded)
    first_look = ["EER@5" if gain == "graded" else "EER(rel=1)@5", "nDCG@10", "AWRF", "nDKL@10"]
    first_look += ["EU", f"EAR@{k}", f"EAED@{k}"]
    if loaded.samples:
        first_look.append("EED@5")  # of one fixed list it is always 1
    return [measure for measure in offered(loaded) if measure in first_look]


def can_group(loaded: Dataset) -> bool:
    """Whether rankings and group labels are there."""
    return bool((loaded.runs or loaded.samples) and loaded.labels)


def is_light(loaded: Dataset) -> bool:
    """Whether measuring takes a moment: then nobody has to press a button first."""
    rows = sum(ranked.docs.size for ranked in (*loaded.runs, *loaded.samples))
    return rows + sum(len(outputs.samples) for outputs in loaded.outputs) <= 100_000


def _needs_judgements(text: str) -> bool:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    return measure is None or "qrels" in measure.needed(spec.params)


ASKED = "export_curves"


def curve_part(loaded: Dataset) -> TradeoffSettings | None:
    """Show the part; returns its settings, None where the data has no curve."""
    section(
        "Trade-off curves",
        "Every point of every policy, areas and slopes, intervals of EE-D; ready at once where Trade-off was open",
    )
    if not loaded.runs or not loaded.qrels:
        counts_line("Curves need a run with scores, and judgements.")
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        selection = _controls(loaded)
        key = (loaded.arrangement, selection)
        asked = requested(ASKED, key, "Compute the curves", icon=":material/show_chart:")
    if asked:
        step_by_step(steps(loaded, selection))
        _show(loaded, selection)
    return selection


def _controls(loaded: Dataset) -> TradeoffSettings:
    run = loaded.runs[0]
    judgements = choose_judgements(loaded, run)
    k = choose_cutoff("Cutoff k", usual=usual_k(loaded))
    gain = choose_relevance()
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        policy = choose_policy()
    return TradeoffSettings(
        system=run.system,
        judgements=judgements,
        k=k,
        gain=gain,
        quality="EER",
        offset=policy.offset,
        scores=policy.scores,
    )


def _show(loaded: Dataset, selection: TradeoffSettings) -> None:
    content = of_system(loaded, selection, fine=True)
    counts_line(f"{content.headline.title}. {content.headline.sentence}")
    downloads(content, selection, stem="fairviz-curves")
    with st.expander("Preview of the chart"):
        point = content.view.at(FIXED_ALPHA)
        figure = tradeoff_figure(content.view, colours=colours(), point=point)
        show_figure(figure, "export-tradeoff", tradeoff_alt(content.view, point))
        for one in beside(loaded, selection)[1]:
            counts_line(f"Left out: {one.words}")
        counts_line(spacing_note(selection.scores, selection.offset))
    with st.expander("Command"):
        st.code(study_command(loaded, "tradeoff", selection, ()), language="bash", wrap_lines=True)


PREPARED, READY = "export_bundle", "export_bundle_ready"
BIBLIOGRAPHY = "fairviz.bib"


class Parts(NamedTuple):
    """Settings of the parts of the page; None = the data has nothing for it."""

    measures: MeasureSelection | None
    curves: TradeoffSettings | None
    answers: AttributionSettings | None


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
                ready = (key, assembled(loaded, request(loaded, parts)).bundle(figures=figures, pinned=tables))
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


def request(loaded: Dataset, parts: Parts) -> Request:
    """What the parts of the page are set to."""
    measures, curves, answers = parts
    shown = curves or answers
    return Request(
        measures=measures.measures if measures else (),
        k=(shown.k if shown else None) or usual_k(loaded),
        gain=shown.gain if shown else "graded",
        scores=curves.scores if curves else "given",
        offset=curves.offset if curves else 1.0,
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


def save_part(loaded: Dataset) -> None:
    """Its name, a note to whoever opens it, and the button that writes it."""
    section(
        "Save study",
        "One file with the data, the settings of every page, what you pinned, and the numbers with the versions that "
        "computed them. Drop it on Data to go on, or start with it: fairviz app FILE",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        asked = st.text_input(
            "Name", loaded.name, max_chars=100, key="study_name_saved", persist_state="session", width=200
        )
        name = asked.strip() or loaded.name
        refused: list[str] = st.session_state.setdefault("study_refused", [])
        note = st.text_input("Note for whoever opens it", key="study_note", persist_state="session", width=420)
        download(
            "Save study",
            saving(name, note, reading, refused),
            file_name=file_name(name),
            mime="application/zip",
            key="study_saved",
            icon=":material/save:",
            kind="primary",
            notes=refused,
        )
    for line in refused:
        callout("Saved without some numbers", line, calm=True)
    pins = len(pinned_figures()) + len(pinned_tables())
    pinned = f" and {plural(pins, 'pin')}" if pins else ""
    n = plural(len({file.name for file in loaded.files}), "file")
    counts_line(f"It holds the content of {n}{pinned}: send it to people who may have the data.")


def file_name(name: str) -> str:
    """What the file is called, on every system."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "study"
    return f"{stem}{SUFFIX}"


def reading(loaded: Dataset, settings: StudySettings) -> Reading:
    """How the pages of recorded answers read them; None where there are no answers.

    Args:
        loaded: The data.
        settings: Of all pages.
    """
    unknown = read_elsewhere(loaded, settings.pages.get("Social bias", {}))
    bias = BiasSettings(unknown=unknown) if loaded.bias_predictions else None
    return bias, counted_elsewhere(settings.pages.get("Demographic QA", {})) if loaded.variants else None
