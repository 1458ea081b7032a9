"""The description of a study: read, edited, checked; and a form for who is asked."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.experiments.runner import Experiment
from fairviz.experiments.studies import Study, add_material, with_generators
from fairviz.io.whole import write_whole
from pages._kit import callout, el, join, section

TEXT = "description_text"


def edit(study: Study) -> None:
    """The text in a box, the files beside it, and a form for an endpoint."""
    section("Description and material", "What is asked of whom. The reference on experiments lists every key.")
    left, right = st.columns([7, 5], gap="large")
    with left:
        if st.session_state.get("description_of") != study.name:
            st.session_state["description_of"] = study.name
            st.session_state[TEXT] = study.text()
        st.text_area("Description (TOML)", key=TEXT, height=380)
        changed, running = unsaved(study), study.state.running
        with st.container(horizontal=True):
            st.button(
                "Save and check",
                type="primary" if changed else "secondary",
                icon=":material/save:",
                disabled=not changed or running,
                on_click=lambda: write_whole(study.description, st.session_state[TEXT].encode()),
            )
            st.button("Discard changes", icon=":material/undo:", disabled=not changed, on_click=forget_edits)
    with right:
        st.html(join(el("p", "Files", cls="fv-kicker"), *(el("p", name) for name in study.material())))
        _add_files(study)
        _ask_a_model(study)


def unsaved(study: Study) -> bool:
    """Whether the box holds another text than the file."""
    return st.session_state.get("description_of") == study.name and st.session_state[TEXT] != study.text()


def forget_edits() -> None:
    """Show the description as the file has it."""
    st.session_state.pop("description_of", None)


def _add_files(study: Study) -> None:
    with st.form("more_material", border=False, clear_on_submit=True):
        files = st.file_uploader("Add files", accept_multiple_files=True, key="more_files")
        if st.form_submit_button("Add", disabled=study.state.running) and files:
            try:
                add_material(study, {file.name: file.getvalue() for file in files})
            except FairvizError as error:
                callout("Nothing was added", str(error))
            else:
                st.rerun()


def _ask_a_model(study: Study) -> None:
    """Tables for an endpoint or for weights on this machine, put into the description."""
    with st.expander("Ask a language model"), st.form("endpoint", border=False):
        st.caption(
            "Any server that speaks OpenAI's protocol: vLLM, llama.cpp, ollama, a service. The key is read from the "
            "environment variable or from Streamlit's secrets; it is never written down."
        )
        base_url = st.text_input("Address", "http://127.0.0.1:8000/v1", key="base_url")
        model = st.text_input("Model", key="model_name", placeholder="as the server calls it")
        key_env = st.text_input("Environment variable with the API key", "OPENAI_API_KEY", key="key_env")
        left, right = st.columns(2)
        max_tokens = left.number_input("Maximum tokens per answer", 1, 4096, 32, key="max_tokens")
        concurrency = right.number_input("Concurrent requests", 1, 64, 4, key="concurrency")
        changed = unsaved(study)
        if changed:
            st.caption("Save or discard your changes to the description first.")
        if st.form_submit_button("Put the model into the description", disabled=changed or study.state.running):
            if not model.strip():
                callout("The model has no name", "Write what the server calls it.")
                return
            table = generator_table(
                {
                    "name": "openai",
                    "label": model.strip(),
                    "base_url": base_url.strip(),
                    "model": model.strip(),
                    "key_env": key_env.strip(),
                    "temperature": 0,
                    "max_tokens": int(max_tokens),
                    "concurrency": int(concurrency),
                }
            )
            write_whole(study.description, with_generators(study.text(), [table]).encode())
            forget_edits()
            st.rerun()


def generator_table(settings: Mapping[str, str | int]) -> str:
    """A table ``[[generator]]`` of these settings; empty ones are left out."""
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items() if value != ""]
    return "\n".join(["[[generator]]", *lines])


def _toml(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(c for c in escaped if c.isprintable())}"'


def read(study: Study) -> Experiment | None:
    """The experiment of the description; None, and all that is wrong with it, where it cannot be read."""
    try:
        return _read(study.description, study.results, _stamp(study))
    except FairvizError as error:
        callout("The description has mistakes", "Each line below names a key and what is wrong with it.")
        st.code(str(error).replace(f"{study.folder}/", ""), language=None, wrap_lines=True)
        return None


@st.cache_resource(max_entries=4, show_spinner="Reading the material …")
def _read(description: Path, results: Path, stamp: tuple[tuple[str, int, int], ...]) -> Experiment:
    return Experiment(description, output=results)


def _stamp(study: Study) -> tuple[tuple[str, int, int], ...]:
    """Changes with every file beside the description."""
    facts = ((path.name, path.stat()) for path in sorted(study.folder.iterdir()) if path.is_file())
    return tuple((name, fact.st_mtime_ns, fact.st_size) for name, fact in facts)
