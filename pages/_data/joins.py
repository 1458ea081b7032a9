"""How the loaded files join, on the page: queries, items, groups, answers."""

import streamlit as st

from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.show.words import count, listing, percent, plural
from fairviz.studies.demographic_qa.joins import VariantCounts, variant_counts
from fairviz.studies.social_bias.joins import BiasJoin, bias_join
from pages._data.join_report import Join, answered, doubtful, join_report, rankings
from pages._kit import Cell, cached, callout, counts_line, html_table, section, stacked_bar
from pages._kit.html import Tone

# Recorded answers on the Data page: to bias questions, and to demographic variants.


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


NAMED = 8
"""Missing queries that are named; the rest is counted."""


def chosen(loaded: Dataset) -> Join | None:
    """Choose the system and the judgements, where there are several; None where one is missing."""
    ranked = rankings(loaded)
    if not ranked or not loaded.qrels:
        return None
    system = judgements = 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(ranked) > 1:
            names = [one.system for one in ranked]
            system = st.selectbox(
                "System",
                range(len(names)),
                key="join_system",
                format_func=names.__getitem__,
                width=220,
            )
        if len(loaded.qrels) > 1:
            labels = [q.name for q in loaded.qrels]
            judgements = st.selectbox(
                "Judgements",
                range(len(labels)),
                key="join_judgements",
                format_func=labels.__getitem__,
                width=220,
            )
    return join_report(loaded, system, judgements)


def title(loaded: Dataset, found: Join | None) -> str:
    """What can be evaluated: a count of what is loaded."""
    if found is not None:
        ranked = plural(found.ranked, "query", "queries")
        return f"{count(found.evaluated)} of {ranked} can be evaluated"
    if alone(loaded):
        return answers_title(loaded)
    if rankings(loaded):
        return "No judgements are loaded yet"
    return "No run is loaded yet"


def sentence(loaded: Dataset, found: Join | None, *, example: bool) -> str:
    """What is missing, what was repaired, and where files stay."""
    parts: list[str] = []
    if alone(loaded):
        parts += filter(None, [lacking(loaded)])
    elif found is None:
        parts.append(
            "Load judgements (qrels) to see how useful the ranked items are."
            if rankings(loaded)
            else "Load a run: one line per query and document, with a score."
        )
    else:
        if found.unjudged:
            has = "has" if found.unjudged == 1 else "have"
            n = plural(found.unjudged, "query", "queries")
            parts.append(f"{n} of {found.system} {has} no judgements.")
        if found.alike:
            has = "has" if found.alike == 1 else "have"
            n = plural(found.alike, "query", "queries")
            parts.append(f"{n} {has} judgements that are all alike, so no ranking can be better.")
    n_notes = len(loaded.notes)
    parts.append(f"{plural(n_notes, 'note')} from reading, below." if n_notes else "Nothing was repaired.")
    parts.append(
        "This is the shipped example; the first file you add replaces it."
        if example
        else "Files stay in this browser session."
    )
    return " ".join(parts)


def queries_and_items(loaded: Dataset, found: Join | None) -> None:
    """Two bars: the queries of the rankings, and the ranked items of the judged ones."""
    if found is None:
        missing = "judgements" if rankings(loaded) else "a run"
        counts_line(f"Nothing to join yet: add {missing} to see what can be evaluated.")
        return
    if found.trouble is not None:
        reason, fix = found.trouble
        callout(f"{found.system} and {found.qrels} do not join: {reason}.", fix)
        return
    stacked_bar(
        f"Queries of {found.system}",
        [
            ("evaluated", found.evaluated, "plackett-luce"),
            *([("judged alike", found.alike, _LOSS)] if found.alike else []),
            *([("not judged", found.unjudged, _GREY)] if found.unjudged else []),
        ],
    )
    zero, one, two, three = found.grades
    parts: list[tuple[str, int, Tone]] = [
        ("grade 3 or more", three, "grade3"),
        ("grade 2", two, "grade2"),
        ("grade 1", one, "grade1"),
        ("grade 0 or less", zero, "mute"),
        ("not judged", found.items_unjudged, "grade0"),
    ]
    judged = plural(found.evaluated + found.alike, "judged query", "judged queries")
    stacked_bar(f"Ranked items of the {judged}", [part for part in parts if part[1]])
    counts_line(f"{_missing(found)} Items without a judgement count as not useful.")


def _missing(found: Join) -> str:
    names = list(found.missing)
    if not names:
        return "Judged queries missing from the ranking: none."
    shown = [*names[:NAMED], f"{len(names) - NAMED} more"] if len(names) > NAMED else names
    return f"Judged queries missing from the ranking, undefined: {listing(shown)}."


def answers(loaded: Dataset) -> None:
    """Recorded outputs: how many, of which queries, and whether they cite what they were given."""
    found = answered(loaded)
    if not found:
        return
    section(
        "The answers",
        "Recorded outputs; of others = citations of documents that the generator was not given.",
    )
    rows: list[list[Cell]] = [
        [
            one.name,
            count(one.n_answers),
            count(one.n_queries),
            "–" if one.n_unknown is None else count(one.n_unknown),
            count(one.n_cited),
            percent(one.n_outside / one.n_cited if one.n_cited else float("nan"), 1),
        ]
        for one in found
    ]
    html_table(
        ["Generator", "answers", "queries", "not in the run", "citations", "of others"],
        rows,
        caption="Recorded outputs and their citations",
    )
    doubted = [one for one in found if one.doubt]
    if doubted:
        callout(*doubtful(doubted))
