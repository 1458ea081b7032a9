"""Experiment: from material and a description to answers, watched, and to the other pages."""

import streamlit as st

from fairviz.display.words import listing, plural
from fairviz.experiments.runner import Experiment
from fairviz.experiments.studies import KeptStudy, stage
from pages import _experiment as parts
from pages._kit import page_head, rule, without_data
from pages._kit.session import on_this_machine


def page() -> None:
    """Choose or make a study, then bill, pilot, run, results."""
    if not on_this_machine():
        without_data("experiment", subject="this server")
        return
    top = st.container()
    study = parts.chosen()
    with top:
        head = page_head("experiment", subject=study.name if study else parts.NEW)
    if study is None:
        lead = "Start from an example or from your own files; fairviz counts the calls before it makes any."
        head("Ask a language model about your own material", lead)
        parts.make()
        return
    experiment = parts.read(study)
    head(*_head(study, experiment))
    if experiment is not None:
        bill = parts.due(study, experiment)
        parts.show(study, experiment.settings.kind)
        parts.run(study, experiment, bill)
        parts.show_bill(bill)
        parts.show_pilot(study, experiment, bill.pilot)
        parts.show_answers(study, experiment)
        rule()
    parts.edit(study)


def _head(study: KeptStudy, experiment: Experiment | None) -> tuple[str, str]:
    """How far the study is, what comes next, and what it is made of."""
    title, next_ = stage(study.state, None if experiment is None else parts.due(study, experiment))
    material = experiment.source.material.items() if experiment else ()
    made_of = listing([plural(n, what.removesuffix("s"), what) for what, n in material])
    return title, f"{next_} Material: {made_of}." if made_of else next_


page()
