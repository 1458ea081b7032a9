"""Export, first part: which measures of every system, and their table."""

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.metrics.spec import parse_measures, split_measures
from fairviz.model import Dataset
from fairviz.report.against_target import reads_groups
from pages._export_asked import asked_for
from pages._export_chosen import Chosen, Form
from pages._export_groups import grouping, with_group
from pages._export_results import measure_results
from pages._export_systems import can_group, evaluation, is_light, offered, usual
from pages._recorded import sources, usual_source
from pages._shared import callout, counts_line, empty_state, section

FORMS: dict[str, Form] = {"Means": "means", "Per query": "queries", "Two systems": "compared"}


def measure_part(loaded: Dataset) -> Chosen | None:
    """Show the part; returns its settings, None where there is nothing to measure."""
    section(
        "Measures of every system",
        "Means with 95 % bootstrap intervals, one row per query, or two systems paired by query",
    )
    if not offered(loaded):
        empty_state(
            "Nothing to measure yet",
            "Measures of rankings need a run and judgements, those of groups a run and group "
            "labels, those of answers recorded outputs.",
        )
        return None
    chosen = _controls(loaded)
    if not chosen.measures:
        counts_line("Choose a measure above, or type one, such as nDCG@20 or EED(norm='none')@10.")
        return chosen
    key = (loaded.fingerprint, chosen.measures, chosen.given_from, chosen.against)
    icon, light = ":material/calculate:", is_light(loaded)
    if not asked_for("export_measures", key, "Compute the table", icon=icon, light=light):
        return chosen
    try:
        with st.spinner("Measuring …"):
            found = evaluation(loaded, chosen.measures, chosen.given_from, chosen.against)
    except FairvizError as error:
        callout("These measures cannot be computed", str(error))
        return chosen
    measure_results(loaded, chosen, found)
    return chosen


def _controls(loaded: Dataset) -> Chosen:
    typed = st.multiselect(
        "Measures",
        offered(loaded),
        default=usual(loaded),
        key="measures",
        accept_new_options=True,
        bind="query-params",
        help="Choose or type: NAME(param=value, …)@k, such as EED(norm='none')@10 or RBP(p=0.8). "
        "Every measure of ir-measures has its name here too.",
    )
    known, given_from = sources(loaded), ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        form = st.segmented_control(
            "Rows", list(FORMS), default="Means", required=True, key="rows", bind="query-params"
        )
        if loaded.outputs and known:
            given_from = st.selectbox(
                "Items given",
                known,
                index=known.index(usual_source(loaded)),
                key="given",
                bind="query-params",
                width=220,
                help="These outputs do not record the list they were given: it is taken from the "
                "first k of a run, or from the references that they record.",
            )
    measures = tuple(dict.fromkeys(part for text in typed for part in _split(text)))
    chosen = Chosen(measures, FORMS[form or "Means"], str(given_from))
    if not can_group(loaded) or not any(map(_of_groups, measures)):
        return chosen
    groups = grouping(loaded)
    return chosen._replace(measures=with_group(measures, groups.group), against=groups.against)


def _of_groups(text: str) -> bool:
    try:
        return any(map(reads_groups, parse_measures([text])))
    except FairvizError:
        return False  # said where it is evaluated


def _split(text: str) -> list[str]:
    try:
        return split_measures(text)
    except FairvizError:
        return [text]  # said where it is evaluated
