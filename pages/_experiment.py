"""Parts of the page Experiment: what is described and chosen, the asking of a model, and what its answers gave."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from fairviz.display.words import count, duration, percent, plural
from fairviz.errors import FairvizError
from fairviz.experiments.asking import ModelRequest, texts_of
from fairviz.experiments.bill import N_PILOT, Bill, bill, bill_table, tried
from fairviz.experiments.runner import ANSWERS_READ, Experiment
from fairviz.experiments.studies import (
    TEMPLATES,
    KeptStudy,
    add_material,
    make_study,
    studies,
    studies_folder,
    template_of,
    with_generators,
)
from fairviz.io.manifest import MANIFEST
from fairviz.io.source import Options
from fairviz.io.whole import write_whole
from pages._kit import callout, counts_line, section, uploads
from pages._kit.controls import choose_name
from pages._kit.html import el, join, page_table

NEW = "new study"


def chosen() -> KeptStudy | None:
    """The study that is looked at; None where a new one is to be made."""
    if made := st.session_state.pop("study_made", None):
        st.session_state["study"] = made
    named_studies = {study.name: study for study in studies()}
    if not named_studies:
        return None
    return named_studies.get(choose_name("Study", [*named_studies, NEW], "study", width=320))


def make() -> None:
    """A form: what to start from, own files, a name."""
    section("A new study", f"A folder in {studies_folder()}: description, material, answers and results.")
    with st.form("new_study", border=False):
        left, right = st.columns([1, 1], gap="large")
        with left:
            kind = st.radio(
                "Start from an example",
                list(TEMPLATES),
                format_func=lambda kind: TEMPLATES[kind]["title"],
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
            description, material = template_of(kind)
            own = {file.name: file.getvalue() for file in files}
            written = [file for file in own if file.endswith(".toml")]
            try:
                if written:
                    description, material = own.pop(written[0]).decode(), dict[str, bytes]()
                study = make_study(name.strip(), description, {**material, **own})
            except (FairvizError, UnicodeDecodeError) as error:
                callout("The study was not created", str(error))
                return
            st.session_state["study_made"] = study.name
            st.rerun()


TEXT = "description_text"


def edit(study: KeptStudy) -> None:
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


def unsaved(study: KeptStudy) -> bool:
    """Whether the box holds another text than the file."""
    return st.session_state.get("description_of") == study.name and st.session_state[TEXT] != study.text()


def forget_edits() -> None:
    """Show the description as the file has it."""
    st.session_state.pop("description_of", None)


def _add_files(study: KeptStudy) -> None:
    with st.form("more_material", border=False, clear_on_submit=True):
        files = st.file_uploader("Add files", accept_multiple_files=True, key="more_files")
        if st.form_submit_button("Add", disabled=study.state.running) and files:
            try:
                add_material(study, {file.name: file.getvalue() for file in files})
            except FairvizError as error:
                callout("Nothing was added", str(error))
            else:
                st.rerun()


def _ask_a_model(study: KeptStudy) -> None:
    """Tables for an endpoint or for weights on this machine, put into the description."""
    with st.expander("Ask a language model"), st.form("endpoint", border=False):
        st.caption(
            "Any server that speaks OpenAI's protocol: vLLM, llama.cpp, ollama, a service. The key is read from the "
            "environment variable or from Streamlit's secrets; it is never written down."
        )
        base_url = st.text_input("Address", "http://127.0.0.1:8000/v1", key="base_url").strip()
        model = st.text_input("Model", key="model_name", placeholder="as the server calls it").strip()
        key_env = st.text_input("Environment variable with the API key", "OPENAI_API_KEY", key="key_env").strip()
        left, right = st.columns(2)
        limits = {
            "max_tokens": int(left.number_input("Maximum tokens per answer", 1, 4096, 32, key="max_tokens")),
            "concurrency": int(right.number_input("Concurrent requests", 1, 64, 4, key="concurrency")),
        }
        changed = unsaved(study)
        if changed:
            st.caption("Save or discard your changes to the description first.")
        if st.form_submit_button("Put the model into the description", disabled=changed or study.state.running):
            if not model:
                callout("The model has no name", "Write what the server calls it.")
                return
            server = {"name": "openai", "label": model, "base_url": base_url, "model": model, "key_env": key_env}
            table = generator_table({**server, "temperature": 0, **limits})
            write_whole(study.description, with_generators(study.text(), [table]).encode())
            forget_edits()
            st.rerun()


def generator_table(settings: Mapping[str, str | int]) -> str:
    """A table ``[[generator]]`` of these settings; empty ones are left out."""
    lines = ["[[generator]]"]
    for key, value in settings.items():
        if value != "":
            text = value if isinstance(value, int) else "".join(filter(str.isprintable, value))
            lines.append(f"{key} = {json.dumps(text, ensure_ascii=False)}")
    return "\n".join(lines)


def read(study: KeptStudy) -> Experiment | None:
    """The experiment of the description; None, and all that is wrong with it, where it cannot be read."""
    try:
        facts = ((path.name, path.stat()) for path in sorted(study.folder.iterdir()) if path.is_file())
        stamp = tuple((name, fact.st_mtime_ns, fact.st_size) for name, fact in facts)  # of every file beside it
        return _read(study.description, study.results, stamp)
    except FairvizError as error:
        callout("The description has mistakes", "Each line below names a key and what is wrong with it.")
        st.code(str(error).replace(f"{study.folder}/", ""), language=None, wrap_lines=True)
        return None


@st.cache_resource(max_entries=4, show_spinner="Reading the material …")
def _read(description: Path, results: Path, stamp: tuple[tuple[str, int, int], ...]) -> Experiment:
    return Experiment(description, output=results)


TICK = 1.0
"""Seconds between two looks at a run."""


def due(study: KeptStudy, experiment: Experiment) -> Bill:
    """What is still to be asked, counted once, and again when answers have come: every prompt is made for it."""
    cached: tuple[object, Bill] | None = st.session_state.get("due")
    mark = (study.name, id(experiment), study.state.n_stored)
    if cached is None or cached[0] != mark:
        with st.spinner("Counting what will be asked …"):
            cached = mark, bill(experiment)
        st.session_state["due"] = cached
    return cached[1]


def run(study: KeptStudy, experiment: Experiment, bill_: Bill) -> None:
    """Pilot, start, watch, stop, continue."""
    state = study.state
    if state.running:
        section(
            f"The {state.action or 'run'}",
            "It continues when you close this page; open the page again to see how far it is.",
        )
        st.fragment(_watch, run_every=TICK)(study, bill_, time.monotonic(), state.n_stored)
        return
    if state.errors:
        callout(f"The last {state.action or 'run'} stopped with an error", "The answers received so far are stored.")
        st.code("\n".join(state.errors), language=None, wrap_lines=True)
    pilot_first = bill_.n_missing > 0 and not bill_.n_stored
    with st.container(horizontal=True):
        only_pilot = state.n_stored <= N_PILOT
        if (
            only_pilot
            and next(experiment.answers.missing(bill_.pilot), None)
            and st.button(
                f"Ask a pilot of {N_PILOT}",
                type="primary" if pilot_first else "secondary",
                icon=":material/experiment:",
            )
        ):
            _start(study, experiment, "pilot")
        label = "Run again" if state.finished else "Start the run" if only_pilot else "Continue the run"
        kind = "secondary" if pilot_first or state.finished else "primary"
        if st.button(label, type=kind, icon=":material/play_arrow:"):
            _start(study, experiment, "run")


def show_bill(bill_: Bill) -> None:
    """Calls, tokens, cost and time by round and model."""
    if not bill_.n_requests:
        section("Nothing to pay", "No language model is asked: these components count words.")
        return
    section(bill_.title, "Equal prompts are asked once, stored ones never again.")
    page_table(bill_table(bill_))
    if bill_.n_missing:
        counts_line(bill_.caption)


def show_pilot(study: KeptStudy, experiment: Experiment, requests: Sequence[ModelRequest]) -> None:
    """Prompts and raw answers of the pilot, as far as they were asked."""
    answers = tried(experiment, requests)
    answered = {
        request.custom_id.rpartition("|")[0].replace("|", " · "): (request, answer)
        for request, answer, _ in answers
        if answer is not None
    }
    if not answered:
        return
    n_unread = sum(answer is not None and read is None for _, answer, read in answers)
    summary = f"Pilot: {len(answered)} of {plural(len(answers), 'prompt')} answered, {n_unread or 'none'} unread"
    # What is read before the run is open; afterwards it is there for who looks.
    shown = st.expander(summary, expanded=study.state.n_stored <= N_PILOT, key="pilot", on_change="rerun")
    if not shown.open:
        return
    with shown:
        if n_unread:
            callout(
                f"{percent(n_unread / len(answered))} of the answers name no option",
                "They are kept as they are and counted as unread. A clearer instruction or a larger model may help.",
            )
        request, answer = answered[st.selectbox("Prompt in full", list(answered), key="pilot_prompt")]
        st.html(join(*(el("pre", text, cls="fv-source") for text in texts_of(request))))
        st.html(el("p", el("strong", "Answer: "), answer or "(an empty answer)"))


def _start(study: KeptStudy, experiment: Experiment, action: Literal["run", "pilot"]) -> None:
    try:
        study.start(action, keys=_keys(experiment))
    except FairvizError as error:
        callout("It was not started", str(error))
    else:
        st.rerun()


def _watch(study: KeptStudy, bill_: Bill, since: float, n_before: int) -> None:
    """How far the run is, and how long it will take at the speed since this page looked, or of the answers before."""
    state = study.state
    if not state.running:
        st.rerun()
    n_all = bill_.n_requests
    n_all = min(n_all, n_before + N_PILOT) if state.action == "pilot" else n_all
    n_left, came = n_all - state.n_stored, state.n_stored - n_before
    expected = None if bill_.seconds is None or not bill_.n_missing else bill_.seconds / bill_.n_missing
    each = (time.monotonic() - since) / came if came > 0 else expected
    words = f"{count(state.n_stored)} of at most {count(n_all)} answers" if n_all else "counting words"
    left = f", about {duration(each * n_left)} left" if each is not None and n_left > 0 else ""
    st.progress(min(state.n_stored / n_all, 1.0) if n_all else 0.0, text=f"{words}{left}")
    if st.button("Stop", icon=":material/stop:", key="stop_run"):
        study.stop()
        st.rerun()


def _keys(experiment: Experiment) -> dict[str, str]:
    """Keys of endpoints from Streamlit's secrets, for variables that the environment lacks."""
    try:
        secrets = {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:
        return {}
    return {name: secrets[name] for name in experiment.key_names if name not in os.environ and name in secrets}


PAGES = {
    "rankings": (("pages/tradeoff.py", "Trade-off"), ("pages/attribution.py", "Attribution")),
    "bias": (("pages/social_bias.py", "Social bias"),),
    "variants": (("pages/demographic_qa.py", "Demographic QA"),),
}
"""Where the results of a kind are read."""

N_SHOWN = 100
"""Answers in the list on the page; all of them are in the file."""


def show(study: KeptStudy, kind: str) -> None:
    """A button that loads every file, and the pages to go on to."""
    if not study.state.finished:
        return
    manifest = json.loads((study.results / MANIFEST).read_text(encoding="utf-8"))
    names = list(manifest["files"])
    section("Results", f"{plural(len(names), 'file')} in {study.results}, each with its sha256 in {MANIFEST}.")
    names = _by_one_attributor([name for name in names if name != ANSWERS_READ], manifest["configuration"])
    if st.button("Open the results", type="primary", icon=":material/folder_open:"):
        material = [name for name in map(str, study.material()) if name.endswith((".jsonl", ".tsv", ".csv"))]
        paths = (*(study.folder / name for name in material), *(study.results / name for name in names))
        uploads.adopt(uploads.opened(((path.name, path, Options()) for path in paths), study.name))
        st.session_state["opened_study"] = study.name
        st.rerun()
    if st.session_state.get("opened_study") == study.name:
        for page, label in (*PAGES.get(kind, ()), ("pages/data.py", "All files, on Data")):
            st.page_link(page, label=label, icon=":material/arrow_forward:")


def show_answers(study: KeptStudy, experiment: Experiment) -> None:
    """The beginning of the list of prompts, answers and what is read out of them, folded away."""
    n_stored = study.state.n_stored
    if not n_stored or study.state.running:
        return
    shown = st.expander(
        f"Prompts and answers: {plural(n_stored, 'answer')} stored", key="answers_read", on_change="rerun"
    )
    if not shown.open:
        return
    table = experiment.answers_read(N_SHOWN)
    with shown:
        page_table(table, tall=True)
        rest = f"; {ANSWERS_READ} in {study.results} lists all" if study.state.finished else ""
        counts_line(f"The first {plural(len(table.rows), 'prompt')} of the study{rest}.")


def _by_one_attributor(names: list[str], configuration: Mapping[str, Any]) -> list[str]:
    """The files to open: the same answers stand once under each attributor, and those of one are looked at."""
    labels = [table["label"] for table in configuration.get("attributor", ())]
    if len(labels) < 2:
        return names
    chosen = choose_name("Attributions by", labels, "attributor", width=320)
    of = {name: [label for label in labels if name.endswith(f".{label}.jsonl.gz")] for name in names}
    return [name for name in names if not of[name] or max(of[name], key=len) == chosen]
