"""Export, second part: the trade-off curves of the loaded runs, computed when asked for."""

import streamlit as st

from fairviz.display.methods import curve_command
from fairviz.model import Dataset
from fairviz.studies.tradeoff.along_alpha import measured_at
from fairviz.studies.tradeoff.figures import tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.findings import spacing_note
from pages._export.systems import can_judge, requested
from pages._kit import colours, counts_line, section, show_figure, step_by_step
from pages._kit.controls import choose_cutoff, choose_judgements, choose_policy, choose_relevance
from pages._kit.recorded_outputs import usual_k
from pages._tradeoff.downloads import downloads, report_of
from pages._tradeoff.results import (
    Settings,
    others,
    steps,
)

ASKED = "export_curves"


def curve_part(loaded: Dataset) -> Settings | None:
    """Show the part; returns its settings, None where the data has no curve."""
    section(
        "Trade-off curves",
        "Every point of every policy, areas and slopes, intervals of EE-D; ready at once where Trade-off was open",
    )
    if not loaded.runs or not can_judge(loaded):
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


def grid(loaded: Dataset) -> str:
    """The α from which areas are read, as the command line writes them."""
    return f"0:8:{measured_at(loaded.runs).size}"


def _controls(loaded: Dataset) -> Settings:
    run = loaded.runs[0]
    judgements = choose_judgements(loaded, run)
    k = choose_cutoff("Cutoff k", usual=usual_k(loaded))
    gain = choose_relevance()
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        policy = choose_policy()
    return Settings(
        system=run.system,
        judgements=judgements,
        k=k,
        gain=gain,
        quality="EER",
        offset=policy.offset,
        scores=policy.scores,
    )


def _show(loaded: Dataset, selection: Settings) -> None:
    content = report_of(loaded, selection)
    counts_line(f"{content.finding.title}. {content.finding.sentence}")
    downloads(content, selection, stem="fairviz-curves")
    with st.expander("Preview of the chart"):
        figure = tradeoff_figure(content.view, colours=colours(), point=content.point)
        show_figure(figure, "export-tradeoff", tradeoff_alt(content.view, content.point))
        for one in others(loaded, selection).left_out:
            counts_line(f"Left out: {one.words}")
        counts_line(spacing_note(selection.scores, selection.offset))
    with st.expander("Command"):
        st.code(
            curve_command(
                loaded,
                judgements=selection.judgements,
                k=selection.k,
                gain=selection.gain,
                alphas=grid(loaded),
                scores=selection.scores,
                offset=selection.offset,
            ),
            language="bash",
            wrap_lines=True,
        )
