"""Experiment: from material and a description to answers, watched, and to the other pages."""

import streamlit as st

from fairviz.experiment.runner import Experiment
from fairviz.experiment.studies import Study
from fairviz.show.words import count, plural
from pages._experiment import asking, choice, description, results
from pages._kit import browser, empty_state, header, rule

HOW_TO_READ = """
**A study** is a folder: a description (TOML), its material, the answers and the results. The shell reads the same
folder: `fairviz experiment run study.toml`.

**Bill** counts what is asked before anything is asked. **Pilot** asks 20 and shows prompts and raw answers. **Run**
works in a process of its own: stop it, close the page, go on tomorrow; no answer is asked for twice.

fairviz plans, asks and collects; the answers are those of the model that you name.
"""


def page() -> None:
    """Choose or make a study, then bill, pilot, run, results."""
    if not browser.on_this_machine():
        header("Experiment", "Experiments run on your own machine", "", how=HOW_TO_READ)
        empty_state(
            "This server is shared",
            "Start fairviz on your own machine: fairviz app, or in the shell fairviz experiment check STUDY.toml.",
        )
        return
    choice.follow_new()
    top = st.container()
    study = choice.chosen()
    if study is None:
        with top:
            header("Experiment", "Ask a model of your own", "Material, bill, pilot, run, results.", how=HOW_TO_READ)
        choice.make()
        return
    experiment = description.read(study)
    with top:
        header(f"Experiment · {study.name}", *_finding(study, experiment), how=HOW_TO_READ)
    if experiment is not None:
        bill = asking.due(study, experiment)
        results.show(study, experiment.settings.kind)
        asking.run(study, experiment, bill)
        asking.show_bill(experiment, bill)
        asking.show_pilot(study, experiment, bill.pilot)
        rule()
    description.edit(study)


def _finding(study: Study, experiment: Experiment | None) -> tuple[str, str]:
    """What stands above: how far the study is, and what it is made of."""
    if experiment is None:
        return "The description has faults", "Mend what is listed; nothing was asked."
    state = study.state
    material = ", ".join(f"{count(n)} {what}" for what, n in experiment.source.material.items())
    if state.running:
        return f"Running: {plural(state.n_stored, 'answer')} stored", material
    if state.finished:
        return "Finished: open the results", material
    due = asking.due(study, experiment)
    if not due.charges:
        return "Ready to run: no language model is asked", material
    return (f"{plural(due.n_missing, 'answer')} to ask for" if due.n_missing else "Every answer is there"), material


page()
