"""Which study is looked at, and how a new one is made."""

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.experiments.studies import TEMPLATES, Study, make_study, studies, studies_folder, template_of
from pages._kit import callout, section
from pages._kit.controls import choose_name

NEW = "new study"


def chosen() -> Study | None:
    """The study that is looked at; None where a new one is to be made."""
    known = {study.name: study for study in studies()}
    if not known:
        return None
    return known.get(choose_name("Study", [*known, NEW], "study", width=320))


def make() -> None:
    """A form: what to start from, own files, a name."""
    section("A new study", f"A folder in {studies_folder()}: description, material, answers and results.")
    with st.form("new_study", border=False):
        left, right = st.columns([1, 1], gap="large")
        with left:
            template = st.radio(
                "Start from an example",
                TEMPLATES,
                format_func=lambda one: one.words,
                key="template",
            )
        with right:
            files = st.file_uploader(
                "Files of your own (optional)",
                accept_multiple_files=True,
                key="material",
                help="Corpus, questions, references, BBQ items, documents, runs … Name them in the description, or "
                "give a description (.toml) with them: it takes the example's place.",
            )
            name = st.text_input("Name", placeholder="my-study", key="study_name", max_chars=64)
        if st.form_submit_button("Create the study", type="primary", icon=":material/add:"):
            _make(name, template, {file.name: file.getvalue() for file in files})


def _make(name: str, template: object, own: dict[str, bytes]) -> None:
    description, material = template_of(template)  # type: ignore[arg-type] -- Streamlit hands back what it was given
    written = [file for file in own if file.endswith(".toml")]
    try:
        if written:
            description, material = own.pop(written[0]).decode(), {}
        study = make_study(name.strip(), description, {**material, **own})
    except (FairvizError, UnicodeDecodeError) as error:
        callout("The study was not created", str(error))
        return
    st.session_state["study_made"] = study.name
    st.rerun()


def follow_new() -> None:
    """Show the study that was just made."""
    made = st.session_state.pop("study_made", None)
    if made:
        st.session_state["study"] = made
