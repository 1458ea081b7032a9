"""Agreement of measures: do measures of groups order the systems alike, and which one answers a question?"""

import streamlit as st

from fairviz.evaluation.systems import rankings_by_alpha
from pages._agreement import agreement_sections
from pages._kit import control_row, counts_line, page_head, rule, without_data
from pages._kit.controls import choose_cutoff, choose_judgements, choose_place, choose_unlabelled
from pages._kit.session import dataset
from pages._kit.target import first_attribute

K = 10

loaded = dataset()
if not loaded.labels or not (loaded.runs or loaded.samples):
    without_data("agreement")
    st.stop()


@st.fragment
def page() -> None:
    """The finding, what is compared, and how the measures agree."""
    say = page_head("agreement")
    row, options = control_row()
    ranked = rankings_by_alpha(loaded)
    with options:
        system = choose_place("Highlighted system", [one.system for one in ranked], "system", width=280)
        k = choose_cutoff("Cutoff k", usual=K, most=1000, width=105)
        unlabelled = choose_unlabelled()
    with row:
        names = [labels.attribute for labels in loaded.attributes]
        attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=160)
        judgements = choose_judgements(loaded, ranked[system], width=180) if loaded.qrels else None
    agreement_sections(
        loaded,
        say,
        attribute=attribute,
        system=system,
        judgements=judgements,
        unlabelled=unlabelled,
        k=k,
        options=options,
    )


page()
rule()
with st.container(horizontal=True):
    st.page_link("pages/groups.py", label="Set the target", icon=":material/tune:")
    st.page_link(
        "pages/learn.py",
        label="Which measure answers your question?",
        icon=":material/school:",
        query_params={"chapter": "Choose a metric"},
    )
counts_line("The address of this page holds its settings: copy it to share.")
