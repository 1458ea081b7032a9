"""Controls of the Demographic QA page: whose answers, to what, and what counts as right."""

from typing import NamedTuple

import streamlit as st

from fairviz.metrics.votes import TieRule
from fairviz.model import Dataset
from fairviz.report.variant_words import condition_name
from pages._demographic_results import Answers, all_answers, counting

LABELS = {
    "model": "Model",
    "dataset": "Dataset",
    "strategy": "Strategy",
    "retriever": "Retriever",
    "depth": "k, documents",
}
THRESHOLDS = ("mean", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")
"""Open answers: their mean ROUGE-L, or right from this ROUGE-L on."""
TIES: tuple[TieRule, ...] = ("neutral", "alphabetical", "first", "abstain")
MIN_SIZE = 10
NOT_GIVEN = "not given"
"""What an option is called whose column a file does not have."""


class Settings(NamedTuple):
    """What is looked at."""

    threshold: float | None
    ties: TieRule
    min_size: int
    answers: tuple[Answers, ...]
    chosen: Answers


def settings(loaded: Dataset) -> Settings:
    """The row of controls; a control stands only where there is a choice."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        place = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        with st.popover("More", type="tertiary"):
            ties = st.selectbox(
                "Ties of the majority vote",
                TIES,
                key="ties",
                bind="query-params",
                help="neutral: the answer to the variant without attribute, if it is tied, else "
                "the first in the alphabet. abstain: no answer, which counts as wrong.",
            )
            min_size = st.number_input(
                "Small groups have fewer answers than",
                1,
                1000,
                MIN_SIZE,
                key="min_size",
                bind="query-params",
                help="They are shown in grey and left out of the largest difference.",
            )
    with counting(loaded):
        answers = all_answers(loaded, None, int(min_size))
    with place:
        chosen = _choose(answers)
        threshold = _threshold() if chosen.kind == "open" else None
    if threshold is not None:
        at = answers.index(chosen)
        with counting(loaded):
            answers = all_answers(loaded, threshold, int(min_size))
        chosen = answers[at]
    return Settings(threshold, ties, int(min_size), answers, chosen)


def _choose(answers: tuple[Answers, ...]) -> Answers:
    """Narrow down, part by part."""
    left = list(answers)
    for name, label in LABELS.items():
        values = list(dict.fromkeys(one.part(name) or NOT_GIVEN for one in left))
        if len({one.part(name) for one in answers}) > 1:
            width = 190 if name == "model" else 150
            picked = st.selectbox(label, values, key=name, bind="query-params", width=width)
            left = [one for one in left if (one.part(name) or NOT_GIVEN) == picked] or left
    return left[0]


def _threshold() -> float | None:
    picked = st.selectbox(
        "Right from ROUGE-L",
        THRESHOLDS,
        key="rouge",
        bind="query-params",
        width=150,
        help="mean: groups are compared by their mean ROUGE-L. A number: an open answer counts as "
        "right from this ROUGE-L on; the paper does not say which it used.",
    )
    return None if picked == "mean" else float(picked)


def whose(chosen: Settings) -> str:
    """Whose answers these are, to what."""
    one = chosen.chosen
    parts = {
        "model": one.part("model"),
        "dataset": one.part("dataset"),
        "strategy": one.part("strategy"),
        "retriever": one.part("retriever"),
        "k": one.part("depth"),
    }
    return f"answers of {condition_name(parts)}"
