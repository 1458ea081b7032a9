"""The bill before anything is asked, a pilot to read, and the run that is watched."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st

from fairviz.display.words import count, duration, percent, plural
from fairviz.errors import FairvizError
from fairviz.experiments import background
from fairviz.experiments.asking import Request, texts_of
from fairviz.experiments.bill import N_PILOT, Bill, Tried, bill, bill_table, tried
from fairviz.experiments.runner import Experiment
from fairviz.experiments.studies import Study
from pages._kit import callout, counts_line, el, join, page_table, section

TICK = 1.0
"""Seconds between two looks at a run."""


def due(study: Study, experiment: Experiment) -> Bill:
    """What is still to be asked, counted once, and again when answers have come: every prompt is made for it."""
    held: tuple[object, Bill] | None = st.session_state.get("due")
    mark = (study.name, id(experiment), study.state.n_stored)
    if held is None or held[0] != mark:
        with st.spinner("Counting what will be asked …"):
            held = mark, bill(experiment)
        st.session_state["due"] = held
    return held[1]


def run(study: Study, experiment: Experiment, bill_: Bill) -> None:
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
    stored = any(charge.n_stored for charge in bill_.charges)
    pilot_first = bill_.n_missing > 0 and not stored
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
    if not bill_.charges:
        section("Nothing to pay", "No language model is asked: these components count words.")
        return
    cost = (
        "Cost unknown: no price_input and price_output, or no max_tokens, is set"
        if bill_.cost is None
        else f"Expected cost {count(bill_.cost, 2)} at the prices set"
    )
    time_ = "time is known after the pilot" if bill_.seconds is None else f"expected time {duration(bill_.seconds)}"
    written = bill_.completion_tokens
    answers = "an unknown number of answer tokens" if written is None else f"{count(written)} answer tokens"
    section(
        f"Bill: {count(bill_.prompt_tokens)} prompt tokens and {answers}"
        if bill_.n_missing
        else "Bill: nothing is left to pay",
        (f"{cost}; {time_}. " if bill_.n_missing else "") + "Equal prompts are asked once, stored ones never again.",
    )
    page_table(bill_table(bill_.charges))
    how = (
        "Tokens are projected from the stored answers."
        if bill_.measured
        else "Tokens are estimated: four characters each, answers as long as max_tokens allows."
    )
    most = " Rounds that depend on missing answers are counted at most." if bill_.at_most else ""
    counts_line(how + most)


def show_pilot(study: Study, experiment: Experiment, requests: Sequence[Request]) -> None:
    """Prompts and raw answers of the pilot, as far as they were asked."""
    answers = tried(experiment, requests)
    answered = [one for one in answers if one.answer is not None]
    if not answered:
        return
    n_unread = sum(one.read is None for one in answered)
    said = f"Pilot: {len(answered)} of {plural(len(answers), 'prompt')} answered, {n_unread or 'none'} unread"
    # What is read before the run is open; afterwards it is there for who looks.
    shown = st.expander(said, expanded=study.state.n_stored <= N_PILOT, key="pilot", on_change="rerun")
    if shown.open:
        with shown:
            _read_pilot(answered, n_unread)


def _read_pilot(answered: Sequence[Tried], n_unread: int) -> None:
    if n_unread:
        callout(
            f"{percent(n_unread / len(answered))} of the answers name no option",
            "They are kept as they are and counted as unread. A clearer instruction or a larger model may help.",
        )
    names = {one.request.custom_id.rpartition("|")[0].replace("|", " · "): one for one in answered}
    chosen = names[st.selectbox("Prompt in full", list(names), key="pilot_prompt")]
    st.html(join(*(el("pre", text, cls="fv-source") for text in texts_of(chosen.request))))
    st.html(el("p", el("strong", "Answer: "), chosen.answer or "(an empty answer)"))


def _start(study: Study, experiment: Experiment, action: Literal["run", "pilot"]) -> None:
    try:
        background.start(study.description, study.results, action=action, keys=_keys(experiment))
    except FairvizError as error:
        callout("It was not started", str(error))
    else:
        st.rerun()


def _watch(study: Study, bill_: Bill, since: float, n_before: int) -> None:
    """How far the run is, and how long it will take at the speed since this page looked, or of the answers before."""
    state = study.state
    if not state.running:
        st.rerun()
    n_all = sum(charge.n_requests for charge in bill_.charges)
    n_all = min(n_all, n_before + N_PILOT) if state.action == "pilot" else n_all
    n_left, came = n_all - state.n_stored, state.n_stored - n_before
    each = (time.monotonic() - since) / came if came > 0 else _seconds_each(bill_)
    words = f"{count(state.n_stored)} of at most {count(n_all)} answers" if n_all else "counting words"
    left = f", about {duration(each * n_left)} left" if each is not None and n_left > 0 else ""
    st.progress(min(state.n_stored / n_all, 1.0) if n_all else 0.0, text=f"{words}{left}")
    if st.button("Stop", icon=":material/stop:", key="stop_run"):
        background.stop(study.results)
        st.rerun()


def _seconds_each(bill_: Bill) -> float | None:
    return None if bill_.seconds is None or not bill_.n_missing else bill_.seconds / bill_.n_missing


def _keys(experiment: Experiment) -> dict[str, str]:
    """Keys of endpoints from Streamlit's secrets, for variables that the environment lacks."""
    secrets = _secrets()
    return {name: secrets[name] for name in experiment.key_names if name not in os.environ and name in secrets}


def _secrets() -> Mapping[str, str]:
    try:
        return {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:
        return {}
