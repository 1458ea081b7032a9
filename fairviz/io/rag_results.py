"""The ``rag_results`` of a study of medical questions (rag-medical-bias), one JSON object for each variant.

``query``, ``category`` and ``value`` say which variant of which question was asked, ``sensitive_answers`` what was
answered to it, ``neutral_answers`` what was answered to the question without the mention, ``ground_truth`` the right
answer, ``retrieval_info`` the documents. Variants are of one question where ``qid``, ``question_id`` or ``id`` says so,
else where their queries differ by the value alone.
"""

import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TypeAlias

from fairviz.io.json import FileRow, Json, as_text, json_records
from fairviz.io.logs import field_text, first, text_of
from fairviz.io.names import folded_record, is_blank
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.numerals import count

_ANSWERED = ("answer_choice", "answer", "prediction", "response", "choice", "text", "output")
_DOC = ("id", "doc_id", "docid", "_id", "document_id", "pmid", "passage_id", "title")
_NESTED = ("documents", "docs", "retrieved", "snippets", "results", "ids", "doc_ids", "retrieved_ids")
_IDS = ("qid", "question_id", "query_id", "id")
_FIX = "Give query, category, value, sensitive_answers, neutral_answers and ground_truth."
_FACTORS = ("model", "dataset", "strategy", "retriever", "k")
_Fold: TypeAlias = Callable[[dict[str, Json]], dict[str, Json]]


def is_rag_results(keys: set[str]) -> bool:
    """Whether the keys of a record are those of ``rag_results``.

    Examples:
        >>> is_rag_results({"query", "sensitive_answers", "neutral_answers", "category", "value", "ground_truth"})
        True
    """
    return "sensitive_answers" in keys and "query" in keys


def rag_result_records(source: Source, notes: NoteBook) -> list[tuple[int, dict[str, Json]]]:
    """The answers as records of ``qid attribute value gold prediction``, with the line of each.

    There is one of each variant, and of each neutral question.

    Raises:
        InputError: A record lacks a field.
    """
    with closing(json_records(source, notes)) as records:
        read = [
            (line, variant)
            for line, record in records
            for variant in _each_variant(folded_record(record, file=source.name, line=line))
        ]
    values = {field_text(record, "value") for _, record in read}
    named = {name for _, record in read for name in _IDS if field_text(record, name)}
    identifier = next((name for name in _IDS if name in named), None)
    if identifier == "id" and len({field_text(record, "id") for _, record in read}) == len(read):
        identifier = None  # a number of each record
    questions: dict[str, str] = {}
    rows: list[tuple[int, dict[str, Json]]] = []
    neutral: dict[tuple[str, ...], str] = {}
    differing = 0
    for line, record in read:
        for name in ("category", "value", "sensitive_answers"):
            if record.get(name) in (None, ""):
                raise FileRow(record, line, notes).lacks(name, fix=_FIX)
        stem = _without_value(field_text(record, "query"), values)
        name = questions.setdefault(stem, f"q{len(questions) + 1}")
        question = field_text(record, identifier) if identifier else name
        about = {name: record[name] for name in (*_FACTORS, "options") if record.get(name) is not None}
        about |= {"qid": question, "gold": text_of(first(record.get("ground_truth")))}
        info = record.get("retrieval_info")
        fold: _Fold = partial(folded_record, file=source.name, line=line)
        several = record["sensitive_answers"]
        if isinstance(several, list) and len(several) > 1:
            notes.add("sensitive_answers holds several answers: the first is read", line, kind="several")
        row = {"attribute": field_text(record, "category"), "value": field_text(record, "value")}
        row |= {"prediction": _answer(record["sensitive_answers"], fold)}
        rows.append((line, about | row | _documents(_part(info, "sensitive"), fold)))
        if record.get("neutral_answers") in (None, "", []):
            continue
        answer = _answer(record["neutral_answers"], fold)
        key = (question, *(field_text(about, name) for name in _FACTORS))
        if key not in neutral:
            neutral[key] = answer
            row = {"attribute": "none", "value": "neutral", "prediction": answer}
            rows.append((line, about | row | _documents(_part(info, "neutral", alone=True), fold)))
        differing += neutral[key] != answer
    if differing:
        times = f"{count(differing)} times: the first is read"
        notes.add(f"neutral_answers differ between the variants of a question {times}")
    return rows


def _each_variant(record: dict[str, Json]) -> list[dict[str, Json]]:
    """A record for each value, where one holds several: lists of equal length, or answers by value."""
    values, answers = record.get("value"), record.get("sensitive_answers")
    if isinstance(values, list) and isinstance(answers, list) and len(values) == len(answers):
        pairs = list(zip(values, answers, strict=True))
    elif isinstance(answers, dict) and len(answers) > 1 and not {key.lower() for key in answers} & {*_ANSWERED}:
        pairs = [(value, answer) for value, answer in answers.items()]
    else:
        return [record]
    return [{**record, "value": value, "sensitive_answers": answer} for value, answer in pairs]


def _answer(value: Json, fold: _Fold) -> str:
    """An answer in words: of several the first, of an object its answer."""
    value = first(value)
    if isinstance(value, dict):
        inner = fold(value)
        value = next((inner[name] for name in (*_ANSWERED, *inner) if name in inner), None)
    return text_of(value)


def _part(info: Json, name: str, *, alone: bool = False) -> Json:
    """The documents of one of the two questions, where they stand apart; else of the variant."""
    if isinstance(info, dict):
        for key, value in info.items():
            if name in key.lower():
                return value
        if any("neutral" in key.lower() or "sensitive" in key.lower() for key in info):
            return None
    return None if alone else info


def _documents(info: Json, fold: _Fold) -> dict[str, Json]:
    """Ids of documents under ``retrieved``, nothing where none are told."""
    if isinstance(info, dict):
        inner = fold(info)
        documents = next((inner[name] for name in _NESTED if isinstance(inner.get(name), list)), None)
        return _documents(documents, fold)
    if not isinstance(info, list):
        return {}
    ids: list[str] = []
    for element in info:
        text = field_text(fold(element), *_DOC) if isinstance(element, dict) else as_text(element) or ""
        if not is_blank(text):
            ids.append(" ".join(text.split()))
    return {"retrieved": [*dict.fromkeys(ids)]} if ids else {}


def _without_value(query: str, values: set[str]) -> str:
    """A query without the values of groups, which tell the variants of one question apart."""
    text = query.casefold()
    for value in sorted(values, key=len, reverse=True):
        if value:
            text = re.sub(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", " ", text)
    words: list[str] = re.findall(r"\w+", re.sub(r"\ban?\b", " ", text))
    return " ".join(words)
