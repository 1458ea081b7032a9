"""How far a study is, in a title, and what to do next, in a sentence."""

from typing import NamedTuple

from fairviz.display.words import duration, plural
from fairviz.experiments.background import State
from fairviz.experiments.bill import N_PILOT, Bill

STOPPED = "error:"
"""Begins a line of the log that says why a run ended."""


class Stage(NamedTuple):
    """Where a study stands.

    Attributes:
        title: What is known of it.
        next: What to do next.
    """

    title: str
    next: str


def stage(state: State, due: Bill | None) -> Stage:
    """The stage of a study.

    Args:
        state: What is known of its folder.
        due: What is still to be asked; None: its description cannot be followed.
    """
    if state.running:
        return Stage("The run is under way", "Close the page if you like: it continues. Stopping it loses no answer.")
    if due is None:
        return Stage("The description has mistakes", "Correct the keys listed below, then save; nothing was asked.")
    if state.finished:
        return Stage("Finished: the results are complete", "Open them on the other pages.")
    if errors_of(state):
        return Stage("The last run stopped with an error", "Read the message below, correct the cause and continue.")
    if not due.charges:
        return Stage("Ready to run: no language model is asked", "Start the run.")
    if not due.n_missing:
        return Stage("Every answer is stored", "Start the run: it makes no calls and writes the results.")
    title = f"{plural(due.n_missing, 'call')} to make"
    title += f", about {duration(due.seconds)}" if due.seconds is not None else ""
    if not any(charge.n_stored for charge in due.charges):
        return Stage(title, f"Ask a pilot of {N_PILOT} and read the answers before the others are asked.")
    stored = plural(state.n_stored, "answer is", "answers are")
    return Stage(title, f"Read the answers below, then let the run ask the others. {stored} stored.")


def errors_of(state: State) -> list[str]:
    """What the log of a run that stopped with an error says; nothing where it did not."""
    return list(state.log) if any(line.startswith(STOPPED) for line in state.log) else []
