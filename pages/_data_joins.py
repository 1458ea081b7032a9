"""How the loaded files join, on the page: queries, items, groups, answers."""

import streamlit as st

from fairviz.model import Dataset
from pages import _data_answers
from pages._join import Join, join_report, rankings
from pages._join_answers import answered, doubtful
from pages._shared import (
    Cell,
    callout,
    count,
    counts_line,
    html_table,
    listing,
    percent,
    plural,
    section,
    stacked_bar,
)
from pages._table import Tone

NAMED = 8
"""Missing queries that are named; the rest is counted."""
_LOSS: Tone = "optimal"
_GREY: Tone = "grade0"


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
    if _data_answers.alone(loaded):
        return _data_answers.answers_title(loaded)
    if rankings(loaded):
        return "No judgements are loaded yet"
    return "No run is loaded yet"


def sentence(loaded: Dataset, found: Join | None, *, example: bool) -> str:
    """What is missing, what was repaired, and where files stay."""
    parts: list[str] = []
    if _data_answers.alone(loaded):
        parts += filter(None, [_data_answers.lacking(loaded)])
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
