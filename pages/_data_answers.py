"""Recorded answers on the Data page: to bias questions, and to demographic variants."""

import streamlit as st

from fairviz.analysis.answer_joins import BiasJoin, VariantCounts, bias_join, variant_counts
from fairviz.errors import InputError
from fairviz.model import Dataset
from pages._join import rankings
from pages._shared import (
    Cell,
    cached,
    callout,
    count,
    counts_line,
    html_table,
    percent,
    plural,
    section,
    stacked_bar,
)
from pages._table import Tone

MANY = 12
"""Models from which their table scrolls."""
_GREY: Tone = "grade0"
_LOSS: Tone = "optimal"


@cached
def matched(loaded: Dataset) -> BiasJoin | tuple[str, str]:
    """Bias questions beside their answers, or why they do not join and what to do."""
    try:
        return bias_join(loaded.bias_items, loaded.bias_predictions)
    except InputError as error:
        return str(error), error.fix


@cached
def counted(loaded: Dataset) -> tuple[VariantCounts, ...]:
    """How complete the answers to variants are, file by file."""
    return tuple(variant_counts(answers) for answers in loaded.variants)


def any_answers(loaded: Dataset) -> bool:
    """Whether there are bias questions, answers to them, or answers to variants."""
    return bool(loaded.bias_items or loaded.bias_predictions or loaded.variants)


def alone(loaded: Dataset) -> bool:
    """Whether answers are all there is to evaluate: no rankings, no judgements, no outputs."""
    others = (*rankings(loaded), *loaded.qrels, *loaded.labels, *loaded.outputs)
    return any_answers(loaded) and not others


def answers_title(loaded: Dataset) -> str:
    """What can be measured where answers are all there is."""
    if loaded.bias_items and loaded.bias_predictions:
        found = matched(loaded)
        if isinstance(found, BiasJoin):
            items = plural(found.n_items, "bias question")
            return f"{count(found.n_answered)} of {items} are answered"
        return "The answers and the bias questions do not join"
    if loaded.variants:
        n = sum(one.n_blocks for one in counted(loaded))
        complete = sum(one.n_complete for one in counted(loaded))
        return f"{count(complete)} of {plural(n, 'set')} of variants can be compared"
    lacks = "questions" if loaded.bias_predictions else "answers"
    return f"No {lacks} are loaded yet"


def lacking(loaded: Dataset) -> str:
    """What to load next, where one half of bias questions and answers is missing."""
    if loaded.bias_items and not loaded.bias_predictions:
        return "Load answers to the bias questions: example_id, model, raw_prediction or pred."
    if loaded.bias_predictions and not loaded.bias_items:
        return "Load the bias questions that were answered: BBQ's files, or a table of items."
    return ""


def bias(loaded: Dataset) -> None:
    """Bias questions and answers: what is answered, by whom, and what names no option."""
    if not (loaded.bias_items or loaded.bias_predictions):
        return
    section("Bias questions", "Questions with three options, and the answers of models to them.")
    if not (loaded.bias_items and loaded.bias_predictions):
        counts_line(f"Nothing to join yet. {lacking(loaded)}")
        return
    found = matched(loaded)
    if not isinstance(found, BiasJoin):
        callout(f"The answers do not join: {found[0]}.", found[1])
        return
    stacked_bar(
        "Questions",
        [("answered", found.n_answered, "plackett-luce"), ("not answered", found.n_items - found.n_answered, _GREY)],
    )
    rows: list[list[Cell]] = [
        [
            one.model,
            count(one.n_answers),
            count(one.n_items),
            count(one.n_out_of_choice),
            percent(one.n_out_of_choice / one.n_answers, 1),
        ]
        for one in found.models
    ]
    html_table(
        ["Model", "answers", "questions", "out of choice", "share"],
        rows,
        caption="Answers to bias questions by model",
        tall=len(rows) > MANY,
    )
    left_out = [
        f"{plural(n, what)} {why}, left out."
        for n, what, why in (
            (found.n_unmatched, "answer", "to questions that are not loaded"),
            (found.n_undefined, "question", "without a biased option"),
        )
        if n
    ]
    counts_line(" ".join([*left_out, "Out of choice = names none of the three options."]))
    for note in found.notes:
        counts_line(note)


def variants(loaded: Dataset) -> None:
    """Answers to demographic variants: complete questions, sizes of groups, unread answers."""
    for one in counted(loaded):
        section(
            f"Variants in {one.name}",
            "The same questions about different people; complete = every variant is answered.",
        )
        stacked_bar(
            "Questions, for each model and strategy",
            [
                ("complete", one.n_complete, "plackett-luce"),
                *([("lacks a variant", one.n_blocks - one.n_complete, _LOSS)] if one.n_complete < one.n_blocks else []),
            ],
        )
        rows: list[list[Cell]] = [
            [
                group.value,
                group.attribute or "reference",
                count(group.n_questions),
                count(group.n_answers),
                count(group.n_unread),
            ]
            for group in one.groups
        ]
        html_table(
            ["Group", "attribute", "questions", "answers", "not read"],
            rows,
            caption=f"Answers by group in {one.name}",
        )
        counts_line(
            "Intersectional variants count for each of their groups. Not read = names no option; "
            "it counts as no answer, never as the first option."
        )


def show(loaded: Dataset) -> None:
    """Both, side by side where both are loaded."""
    if not any_answers(loaded):
        return
    if (loaded.bias_items or loaded.bias_predictions) and loaded.variants:
        left, right = st.columns([1, 1], gap="large")
        with left:
            bias(loaded)
        with right:
            variants(loaded)
        return
    bias(loaded)
    variants(loaded)
