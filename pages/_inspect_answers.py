"""The answers to one query: text with the sources of its sentences, items given and items used."""

import math

import streamlit as st

from fairviz.experiment.words import sentences
from fairviz.model import Dataset, RagOutputs, Run
from pages._inspect_parts import shortened
from pages._inspect_query import Answer, Seen, answers, tone
from pages._shared import (
    Cell,
    Column,
    Html,
    Key,
    Toned,
    counts_line,
    el,
    html_table,
    join,
    number,
    plural,
)


def outputs(loaded: Dataset, run: Run, query: str, found: Seen) -> None:
    """One recorded answer, the items it was given, and those it used."""
    having = [one for one in loaded.outputs if query in one.query_ids]
    if not having:
        counts_line("No recorded answers for this query. Load RAG outputs on the Data page.")
        return
    labels = {label(one, i): one for i, one in enumerate(having)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Answers of", list(labels), key="answers", bind="query-params", width=300)
        source = labels.get(chosen, having[0])
        given = answers(source, query, run)
        at = 1
        if len(given) > 1:
            at = int(
                st.number_input(
                    f"Answer, of {len(given)}", 1, len(given), 1, key="answer", bind="query-params", width=140
                )
            )
    one = given[min(at, len(given)) - 1]
    passages = loaded.passages or {}
    st.html(_text(one, passages))
    _sources(one, passages, found)
    utility = "" if math.isnan(one.utility) else f" · utility {number(one.utility)}"
    inside = sum(1 for doc in one.used if doc in one.given)
    outside = len(one.used) - inside
    counts_line(
        f"sample {one.sample} · {inside} used of {plural(len(one.given), 'given item')}"
        + (f" · {outside} cited that were not given" if outside else "")
        + utility
        + (f" · given = first {len(one.given)} of {run.system}" if one.paired else "")
        + " · used = attributed by the recorded method"
    )


def label(one: RagOutputs, position: int) -> str:
    """Outputs by what tells them apart."""
    alpha = "" if one.alpha is None else f" · α = {one.alpha:g}"
    policy = f" · {one.policy}" if one.policy and one.alpha is None else ""
    name = one.generator or one.system
    return f"{position + 1} · {name}{policy}{alpha}"


def _text(one: Answer, passages: dict[str, str]) -> Html:
    """The answer; a sentence that stands in a used item carries that item's number."""
    if not one.text:
        return el("p", "(empty answer)", cls="fv-text fv-mute")
    rest, parts = one.text, [Html("")]
    for sentence in sentences(one.text):
        before, _, rest = rest.partition(sentence)
        numbers = [_place(one, doc) for doc in one.used if sentence in passages.get(doc, "")]
        source = el("sup", ", ".join(numbers), cls="fv-tone-gain") if numbers else None
        parts.append(join(before, sentence, source))
    return el("p", *parts, rest, cls="fv-text fv-answer")


def _place(one: Answer, doc: str) -> str:
    return str(one.given.index(doc) + 1) if doc in one.given else doc


def _sources(one: Answer, passages: dict[str, str], found: Seen) -> None:
    gains = dict(zip(found.bars.names, found.bars.gains.tolist(), strict=True))
    every = [*one.given, *(doc for doc in one.used if doc not in one.given)]
    rows: list[list[Cell]] = [
        [
            str(one.given.index(doc) + 1) if doc in one.given else "not given",
            Key(text=doc, tone=tone(gains.get(doc, 0)), code=True),
            Toned(text="✓ used", tone="gain") if doc in one.used else Toned(text="not used", tone="mute", bold=False),
            *([_passage(one, doc, passages.get(doc, ""))] if passages else []),
        ]
        for doc in every
    ]
    columns = [
        Column(label="Given at"),
        Column(label="Document", short=True),
        Column(label="In the answer", short=True),
    ]
    if passages:
        columns.append(Column(label="Text"))
    html_table(columns, rows, caption="Items given and used", tall=len(rows) > 12)


def _passage(one: Answer, doc: str, text: str) -> Html:
    """The sentences that the answer took from a used item, marked; else how the item begins."""
    taken = [s for s in sentences(one.text) if s in text] if doc in one.used else []
    if not taken:
        return join(shortened(text))
    return join(*(part for s in taken for part in (el("mark", s), " ")))
