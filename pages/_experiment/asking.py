"""The bill before anything is asked, a pilot to read, and the run that is watched."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.experiment import background
from fairviz.experiment.asking import Request
from fairviz.experiment.bill import N_PILOT, Bill, bill, bill_table, pilot_requests, texts_of, tried
from fairviz.experiment.runner import Experiment
from fairviz.experiment.studies import Study
from fairviz.show.words import count, duration, percent
from pages._kit import callout, counts_line, el, join, page_table, section

TICK = 1.0
"""Seconds between two looks at a run."""


class Due(NamedTuple):
    """What is still to be asked.

    Attributes:
        bill: Calls, tokens and cost.
        pilot: The requests of a pilot.
    """

    bill: Bill
    pilot: tuple[Request, ...]


def due(study: Study, experiment: Experiment) -> Due:
    """Counted once, and again when answers have come: every prompt is made for it."""
    held: tuple[object, Due] | None = st.session_state.get("due")
    mark = (study.name, id(experiment), study.state.n_stored)
    if held is None or held[0] != mark:
        with st.spinner("Counting what will be asked …"):
            held = mark, Due(bill(experiment), pilot_requests(experiment))
        st.session_state["due"] = held
    return held[1]


def show_bill(experiment: Experiment, bill_: Bill) -> None:
    """Calls, tokens and cost by round and model."""
    if not bill_.charges:
        section("Nothing to pay", "No language model is asked: the components that count words answer at once.")
        return
    cost = "no price is set" if bill_.cost is None else f"about {count(bill_.cost, 2)} at the prices set"
    section(
        f"{count(bill_.n_missing)} calls to make", f"{cost}. Equal prompts are asked once; stored ones never again."
    )
    page_table(bill_table(bill_.charges))
    how = "Tokens follow the answers that are stored." if bill_.measured else "A token is taken for four characters."
    most = " Rounds behind unanswered ones are counted at most." if bill_.at_most else ""
    counts_line(how + most)


def show_pilot(study: Study, experiment: Experiment, requests: Sequence[Request]) -> None:
    """A button, then prompts and raw answers."""
    if not requests:
        return
    section("Pilot", f"{N_PILOT} requests from all over, to read before the others are asked. They count.")
    if st.button(f"Ask {N_PILOT}", icon=":material/experiment:", disabled=study.state.running):
        _start(study, experiment, "pilot")
    answers = tried(experiment, requests)
    answered = [one for one in answers if one.answer]
    if not answered:
        return
    n_unread = sum(one.read is None for one in answered)
    counts_line(f"{len(answered)} of {len(answers)} answered; {n_unread} unread ({percent(n_unread / len(answered))})")
    if n_unread:
        callout(
            "Some answers name no option",
            "They are kept as they are and counted as unread. A clearer instruction or a larger model may mend it.",
        )
    for one in answered:
        with st.expander(one.request.custom_id.rpartition("|")[0].replace("|", " · ")):
            st.html(join(*(el("pre", text, cls="fv-source") for text in texts_of(one.request))))
            read = "unread" if one.read is None else f"read as {one.read}"
            st.html(join(el("p", el("strong", "Answer: "), one.answer), el("p", read, cls="fv-mute")))


def run(study: Study, experiment: Experiment, bill_: Bill) -> None:
    """Start, watch, stop, go on."""
    state = study.state
    n_all = sum(charge.n_requests for charge in bill_.charges)
    section(
        "Run",
        "In a process of its own: close this page and open it again as you like. What came is stored.",
    )
    if state.running:
        st.fragment(_watch, run_every=TICK)(study, n_all, time.monotonic(), state.n_stored)
        return
    again = "Go on" if state.n_stored else "Start"
    label = "Run it again" if state.finished else again
    if st.button(label, type="secondary" if state.finished else "primary", icon=":material/play_arrow:"):
        _start(study, experiment, "run")
    if faults := [line for line in state.log if line.startswith("error:")]:
        callout("The last run did not end well", "What came is stored.")
        st.code("\n".join(faults), language=None, wrap_lines=True)


def _start(study: Study, experiment: Experiment, action: Literal["run", "pilot"]) -> None:
    try:
        background.start(study.description, study.results, action=action, keys=_keys(experiment))
    except FairvizError as error:
        callout("It was not started", str(error))
    else:
        st.rerun()


def _watch(study: Study, n_all: int, since: float, n_before: int) -> None:
    """How far the run is, and how long it will take at the speed since this page looked."""
    state = study.state
    if not state.running:
        st.rerun()
    share = min(state.n_stored / n_all, 1.0) if n_all else 0.0
    came, passed = state.n_stored - n_before, time.monotonic() - since
    left = duration(passed * (n_all - state.n_stored) / came) if came > 0 and n_all > state.n_stored else ""
    words = f"{count(state.n_stored)} of at most {count(n_all)} answers" if n_all else "counting words"
    st.progress(share, text=f"{words}{f', about {left} left' if left else ''}")
    if st.button("Stop", icon=":material/stop:", key="stop_run"):
        background.stop(study.results)
        st.rerun()


def _keys(experiment: Experiment) -> dict[str, str]:
    """Keys of endpoints from Streamlit's secrets, for variables that the environment lacks."""
    secrets = _secrets()
    return {name: secrets[name] for name in experiment.key_names if name not in os.environ and name in secrets}


def _secrets() -> Mapping[str, str]:
    try:
        return {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:
        return {}
