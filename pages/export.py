"""Export: tables, figures and commands of the loaded data, to take into a paper or a class."""

import streamlit as st

from fairviz.display.words import plural
from fairviz.evaluation.systems import lead_of
from fairviz.model import Dataset
from fairviz.studies.attribution.analysis import analyse, recorded_of
from fairviz.studies.attribution.settings import AttributionSettings
from pages._attribution import downloads
from pages._export import (
    Parts,
    bundle_part,
    cite_part,
    curve_part,
    is_light,
    measure_part,
    pinned_title,
    preview,
    requested,
    save_part,
)
from pages._kit import callout, counts_line, page_head, rule, section
from pages._kit.controls import choose_cutoff, relevance
from pages._kit.recorded_outputs import problems_of, usual_k
from pages._kit.session import dataset

ANSWERS_ASKED = "export_answers"


def answer_part(loaded: Dataset, k: int | None) -> AttributionSettings | None:
    """What generators were given and used; returns the settings, None where there are no recorded outputs.

    Args:
        loaded: The data.
        k: Of the curves above; None where there are none, and k is asked for here.
    """
    section(
        "Consumption",
        "EAR, sources given and used, EE-D and EAE-D of each generator; every (query, α) point",
    )
    if not loaded.outputs:
        counts_line("Consumption needs recorded outputs: TREC RAG or fairviz JSONL files.")
        return None
    if k is None:
        k = choose_cutoff("Cutoff k", usual=usual_k(loaded), help="Only the first k retrieved documents count.")
    selection = AttributionSettings(k=k, rel=relevance(loaded))
    key, light = (loaded.arrangement, selection), is_light(loaded)
    icon = ":material/format_quote:"
    if not requested(ANSWERS_ASKED, key, "Compute consumption", icon=icon, light=light):
        return selection
    with st.spinner("Measuring the answers …"):
        recorded = recorded_of(loaded, selection)
    if problems := problems_of(recorded):
        callout("Some outputs are not measured", " ".join(problems))
    if recorded.matches:
        table = analyse(loaded, selection).tables["consumption"]
        downloads(loaded, selection)
        with st.expander(f"Preview: {plural(len(table.rows), 'system and setting', 'systems and settings')}"):
            counts_line(table.caption)  # outside: a caption would scroll sideways with its table
            preview(table)
    return selection


def page() -> None:
    """What a person takes first, then part by part; nothing heavy is computed before it is asked for."""
    loaded = dataset()
    head, top = page_head("export"), st.container()
    measures = measure_part(loaded)
    rule()
    curves = curve_part(loaded)
    rule()
    answers = answer_part(loaded, curves.k if curves else None)
    rule()
    cite_part()
    parts = Parts(measures, curves, answers)
    head(pinned_title(parts), lead_of(loaded))
    with top:
        study, bundle = st.columns(2, gap="large") if any(parts) else (st.container(), None)
        with study:
            save_part(loaded)
        if bundle:
            with bundle:
                bundle_part(loaded, parts)
        rule()


page()
