"""Which α to record and how often: proposals beside the design of the description, taken into it by a button."""

import streamlit as st

from fairviz.display.words import plural
from fairviz.errors import FairvizError
from fairviz.experiments.designs import Choices, alphas_text, choices, design_table, redesigned_text
from fairviz.experiments.rankings.config import RankingConfig
from fairviz.experiments.runner import Experiment
from fairviz.experiments.studies import Study
from fairviz.io.whole import write_whole
from pages._experiment import description
from pages._kit import callout, counts_line, page_table

USUAL_WIDTH = 0.02


def plan(study: Study, experiment: Experiment) -> None:
    """The planner, computed when it is opened."""
    if not isinstance(experiment.settings, RankingConfig):
        return
    opened = st.expander("Plan α and samples for a wanted interval", key="design_open", on_change="rerun")
    if opened.open:
        with opened:
            _propose(study, experiment)


def _propose(study: Study, experiment: Experiment) -> None:
    width = st.number_input(
        "Half width of the 95 % interval of expected utility (EU)",
        min_value=0.001,
        max_value=1.0,
        value=USUAL_WIDTH,
        step=0.005,
        format="%.3f",
        key="design_width",
        width=320,
        help="At every α between the least and the largest of the description.",
    )
    try:
        found = _choices(study, experiment, width)
    except FairvizError as error:
        callout("No design can be proposed", str(error))
        return
    page_table(design_table(found))
    counts_line(" ".join(_assumptions(found)))
    if found.design.refusal:
        callout("No design reaches this interval", found.design.refusal)
        return
    _take(study, found)


def _choices(study: Study, experiment: Experiment, width: float) -> Choices:
    """Computed once, and again when answers have come: every prompt is made for each bill."""
    mark = (study.name, id(experiment), study.state.n_stored, width)
    held: tuple[object, Choices] | None = st.session_state.get("designs")
    if held is None or held[0] != mark:
        with st.spinner("Trying designs …"):
            held = mark, choices(experiment, half_width=width)
        st.session_state["designs"] = held
    return held[1]


def _assumptions(found: Choices) -> list[str]:
    """What the intervals rest on."""
    told: list[str] = []
    for cell in found.design.cells:
        known = f"as {plural(cell.n_answers, 'answer')} show" if cell.n_answers else "assumed until there are answers"
        answers, questions = cell.spread
        told.append(
            f"{cell.task}, {cell.retriever}: standard deviation of utility {answers:.3f} between answers, "
            f"{questions:.3f} between questions ({known})."
        )
    return told


def _take(study: Study, found: Choices) -> None:
    names = {
        f"α {alphas_text(one.alphas)}; {one.n_samples} samples; ± {one.half_width:.3g}": one
        for one in found.design.proposals
    }
    chosen = st.selectbox("Proposal", list(names), key="design_chosen", width=420)
    unsaved = description.unsaved(study)
    if st.button(
        "Write this design into the description",
        icon=":material/edit_note:",
        disabled=study.state.running or unsaved,
        help="Save or discard your changes to the description first." if unsaved else None,
    ):
        write_whole(study.description, redesigned_text(study.text(), names[chosen]).encode())
        description.forget_edits()
        st.rerun()
