"""How the loaded files join, on the page: queries, items, groups, answers."""

import streamlit as st

from fairviz.model import Dataset
from fairviz.show.words import count, listing, percent, plural
from fairviz.studies.demographic_qa.joins import unread_words
from fairviz.studies.social_bias.joins import BiasJoin
from fairviz.studies.social_bias.unread import unread_finding
from pages._data import results
from pages._data.results import Coverage, answered, counted, doubtful, matched, narrow, rankings
from pages._kit import Cell, Column, callout, counts_line, html_table, section, stacked_bar
from pages._kit.html import Tone
from pages._kit.recorded_outputs import pairing_controls, pairs_of

MANY = 12
"""Models from which their table scrolls."""
NAMED = 8
"""Missing queries that are named; the rest is counted."""
_GREY: Tone = "grade0"
_LOSS: Tone = "optimal"


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
        join = matched(loaded)
        if isinstance(join, BiasJoin):
            items = plural(join.n_items, "bias question")
            return f"{count(join.n_answered)} of {items} are answered"
        return "The answers and the bias questions do not join"
    if loaded.variants:
        n = sum(counts.n_blocks for counts in counted(loaded))
        complete = sum(counts.n_complete for counts in counted(loaded))
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
    join = matched(loaded)
    if not isinstance(join, BiasJoin):
        callout(f"The answers do not join: {join[0]}.", join[1])
        return
    stacked_bar(
        "Questions",
        [("answered", join.n_answered, "plackett-luce"), ("not answered", join.n_items - join.n_answered, _GREY)],
    )
    n_answers = sum(model.n_answers for model in join.models)
    said = unread_finding((), "diffbias_a", read_by=join.read_by, n_unread=join.n_unread, n_answers=n_answers)
    if said is not None:
        callout(said.title, said.sentence)
    for note in join.reading:
        counts_line(f"{note[:1].upper()}{note[1:]}.")
    rows: list[list[Cell]] = [
        [
            model.model,
            count(model.n_answers),
            count(model.n_items),
            count(model.n_out_of_choice),
            percent(model.n_out_of_choice / model.n_answers, 1),
        ]
        for model in join.models
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
            (join.n_unmatched, "answer", "to questions that are not loaded"),
            (join.n_undefined, "question", "without a biased option"),
        )
        if n
    ]
    counts_line(" ".join([*left_out, "Out of choice = names none of the three options."]))
    for note in join.notes:
        counts_line(note)


def variants(loaded: Dataset) -> None:
    """Answers to demographic variants: complete questions, sizes of groups, unread answers."""
    for counts in counted(loaded):
        section(
            f"Variants in {counts.name}",
            "The same questions about different people; complete = every variant is answered.",
        )
        said = unread_words(counts.n_unread, counts.n_answers)
        if said is not None:
            callout(said.title, said.sentence)
        stacked_bar(
            "Questions, for each model and strategy",
            [
                ("complete", counts.n_complete, "plackett-luce"),
                *(
                    [("lacks a variant", counts.n_blocks - counts.n_complete, _LOSS)]
                    if counts.n_complete < counts.n_blocks
                    else []
                ),
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
            for group in counts.groups
        ]
        html_table(
            ["Group", "attribute", "questions", "answers", "not read"],
            rows,
            caption=f"Answers by group in {counts.name}",
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


def depths(loaded: Dataset) -> None:
    """Say at the top which runs are too shallow to be compared with the others."""
    shallow = narrow(loaded)
    if shallow:
        names = listing([one.system for one in shallow])
        callout(f"Left out of comparisons of curves: {names}", " ".join(one.words for one in shallow))


def coverage(loaded: Dataset) -> Coverage | None:
    """Choose the system and the judgements, where there are several; None where one is missing."""
    ranked = rankings(loaded)
    if not ranked or not loaded.qrels:
        return None
    system = judgements = 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(ranked) > 1:
            names = [system_rankings.system for system_rankings in ranked]
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
    return results.coverage(loaded, system, judgements)


def title(loaded: Dataset, coverage: Coverage | None) -> str:
    """What can be evaluated: a count of what is loaded."""
    if coverage is not None:
        ranked = plural(coverage.ranked, "query", "queries")
        return f"{count(coverage.evaluated)} of {ranked} can be evaluated"
    if alone(loaded):
        return answers_title(loaded)
    if rankings(loaded):
        return "No judgements are loaded yet"
    return "No run is loaded yet"


def sentence(loaded: Dataset, coverage: Coverage | None, *, example: bool) -> str:
    """What is missing, what was repaired, and where files stay."""
    parts: list[str] = []
    if alone(loaded):
        parts += filter(None, [lacking(loaded)])
    elif coverage is None:
        parts.append(
            "Load judgements (qrels) to see how useful the ranked items are."
            if rankings(loaded)
            else "Load a run: one line per query and document, with a score."
        )
    else:
        if coverage.unjudged:
            has = "has" if coverage.unjudged == 1 else "have"
            n = plural(coverage.unjudged, "query", "queries")
            parts.append(f"{n} of {coverage.system} {has} no judgements.")
        if coverage.alike:
            n = plural(coverage.alike, "query", "queries")
            parts.append(f"{n} excluded: every judged document has the same grade (EE-R undefined).")
    n_notes = len(loaded.notes)
    parts.append(f"{plural(n_notes, 'note')} from reading, below." if n_notes else "Nothing was repaired.")
    parts.append(
        "This is the shipped example; the first file you add replaces it."
        if example
        else "Files stay in this browser session."
    )
    return " ".join(parts)


def queries_and_items(loaded: Dataset, coverage: Coverage | None) -> None:
    """Two bars: the queries of the rankings, and the ranked items of the judged ones."""
    if coverage is None:
        missing = "judgements" if rankings(loaded) else "a run"
        counts_line(f"Nothing to join yet: add {missing} to see what can be evaluated.")
        return
    if coverage.trouble is not None:
        reason, fix = coverage.trouble
        callout(f"{coverage.system} and {coverage.qrels} do not join: {reason}.", fix)
        return
    stacked_bar(
        f"Queries of {coverage.system}",
        [
            ("evaluated", coverage.evaluated, "plackett-luce"),
            *([("all judged documents have one grade", coverage.alike, _LOSS)] if coverage.alike else []),
            *([("not judged", coverage.unjudged, _GREY)] if coverage.unjudged else []),
        ],
    )
    grade_0, grade_1, grade_2, grade_3 = coverage.grades
    parts: list[tuple[str, int, Tone]] = [
        ("grade 3 or more", grade_3, "grade3"),
        ("grade 2", grade_2, "grade2"),
        ("grade 1", grade_1, "grade1"),
        ("grade 0 or less", grade_0, "mute"),
        ("not judged", coverage.items_unjudged, "grade0"),
    ]
    judged = plural(coverage.evaluated + coverage.alike, "judged query", "judged queries")
    stacked_bar(f"Ranked items of the {judged}", [part for part in parts if part[1]])
    counts_line(f"{_missing(coverage)} Items without a judgement count as not useful.")


def _missing(coverage: Coverage) -> str:
    names = list(coverage.missing)
    if not names:
        return "Judged queries missing from the ranking: none."
    shown = [*names[:NAMED], f"{len(names) - NAMED} more"] if len(names) > NAMED else names
    return f"Judged queries missing from the ranking, undefined: {listing(shown)}."


def answers(loaded: Dataset) -> None:
    """Recorded outputs: how many, of which queries, and whether they cite what they were given."""
    generators = answered(loaded)
    if not generators:
        return
    section(
        "The answers",
        "Recorded outputs, and their citations of documents that were not retrieved for the generator.",
    )
    pairing_controls(loaded)
    for question in dict.fromkeys(pairing.question for pairing in pairs_of(loaded)):
        if question:
            title = f"{question[:1].upper()}{question[1:]}"
            callout(title, "Choose above which run made the lists that these answers were written from.")
    rows: list[list[Cell]] = [
        [
            generator.name,
            generator.fed,
            count(generator.n_answers),
            count(generator.n_queries),
            "–" if generator.n_unknown is None else count(generator.n_unknown),
            count(generator.n_cited),
            percent(generator.n_outside / generator.n_cited if generator.n_cited else float("nan"), 1),
        ]
        for generator in generators
    ]
    html_table(
        [
            Column(label="Generator"),
            Column(label="lists from"),
            *(Column(label=name, align="right") for name in ("answers", "queries", "not in the run", "citations")),
            Column(label="cited, not retrieved", align="right"),
        ],
        rows,
        caption="Recorded outputs and their citations",
    )
    doubted = [generator for generator in generators if generator.doubt]
    if doubted:
        callout(*doubtful(doubted))
