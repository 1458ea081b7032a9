"""Recorded outputs of retrieval-augmented generation, one JSON object a line.

TREC RAG 2024 and 2025 (:mod:`fairviz.formats.rag_trec`), and fairviz' own: ``system``, ``task``,
``retriever``, ``generator``, ``policy``, ``alpha``, ``k``, ``query_id``, ``query``, ``sample``,
``ranking`` (or ``references``), ``text``, ``utility``, ``attributed``; all but ``query_id`` may be
absent.
"""

import json
import math
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple, TextIO

from fairviz.errors import InputError
from fairviz.formats.fields import Fields
from fairviz.formats.foreign import FIX, refuse_foreign
from fairviz.formats.json_lines import json_records
from fairviz.formats.limits import LONG_ANSWER
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.output_rows import OutputRow, Producer, build_outputs, questions
from fairviz.formats.rag_trec import CitationBase, is_trec_rag, trec_row
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.formats.strict_json import Json
from fairviz.formats.text import head_of
from fairviz.model import GivenFrom, RagOutputs


class RecordedOutputs(NamedTuple):
    """What a file of outputs holds.

    Attributes:
        outputs: One noun per system (retriever, policy, α, generator), in file order.
        questions: The words of the queries, where the file has them.
    """

    outputs: tuple[RagOutputs, ...]
    questions: dict[str, str]


def read_outputs(file: FileInput | Source) -> Parsed[RecordedOutputs]:
    """Read recorded outputs.

    Args:
        file: A path or ``(name, bytes)``: TREC RAG 2024 or 2025, or fairviz JSON Lines, plain or
            gzip'ed.

    Returns:
        The outputs of each system, with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read; formats of other tools are named.
    """
    source = as_source(file)
    refuse_foreign(head_of(source).decode(errors="replace"), source.name)
    book = NoteBook(source.name)
    base = CitationBase()
    rows: list[OutputRow] = []
    label = ""
    with closing(json_records(source, book)) as records:
        for line, record in records:
            if is_trec_rag(record):
                rows.append(trec_row(record, line, source.stem, base, book))
                found = "TREC RAG 2025" if "metadata" in record else "TREC RAG 2024"
            elif "query_id" in record:
                rows.append(_own_row(record, line, source.stem, book))
                found = "fairviz RAG outputs"
            else:
                reason = "missing topic_id/references/answer"
                raise InputError(reason, file=source.name, line=line, fix=FIX)
            label = label or found
    base.note(book)
    outputs = build_outputs(rows, source.name)
    lines: dict[str, int] = {}
    for row in rows:
        lines.setdefault(row.query, row.line)
    note_odd_ids(tuple(lines), "query id", lambda i: list(lines.values())[i], book)
    return Parsed(
        value=RecordedOutputs(outputs, questions(rows)),
        file=source.name,
        format=label,
        notes=book.notes,
        lines=lines,
    )


def write_outputs(outputs: Sequence[RagOutputs], to: TextIO, *, questions: dict[str, str] | None = None) -> None:
    """Write outputs as fairviz JSON Lines; :func:`read_outputs` gives them back.

    Args:
        outputs: Outputs of one or more systems.
        to: An open text file.
        questions: The words of the queries, repeated with each answer.
    """
    for answers in outputs:
        about = {
            key: value
            for key in ("system", "task", "retriever", "generator", "policy", "alpha", "k")
            if (value := getattr(answers, key)) is not None
        }
        for q, query in enumerate(answers.query_ids):
            asked = {"query": questions[query]} if questions and query in questions else {}
            for o in range(int(answers.offsets[q]), int(answers.offsets[q + 1])):
                record = {**about, "query_id": query, **asked, **_answer(answers, o)}
                to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _answer(answers: RagOutputs, o: int) -> dict[str, Json]:
    given = answers.given[answers.given_offsets[o] : answers.given_offsets[o + 1]]
    start, end = answers.attributed_offsets[o], answers.attributed_offsets[o + 1]
    record: dict[str, Json] = {"sample": answers.samples[o]}
    if answers.given_from != "nowhere":
        record[answers.given_from] = [answers.doc_ids[doc] for doc in given.tolist()]
    record["text"] = answers.texts[o]
    utility = float(answers.utilities[o])
    record["utility"] = None if math.isnan(utility) else utility
    record["attributed"] = [answers.doc_ids[doc] for doc in answers.attributed[start:end].tolist()]
    return record


def _own_row(record: dict[str, Json], line: int, stem: str, book: NoteBook) -> OutputRow:
    fields = Fields(record, line, book.file)
    given_from: GivenFrom = "nowhere"
    if "ranking" in record:
        given_from = "ranking"
    elif "references" in record:
        given_from = "references"
    given = fields.identifiers(given_from) if given_from != "nowhere" else []
    known = set(given)
    if len(known) < len(given):
        reason = f"{given_from} names a document twice"
        raise InputError(reason, file=book.file, line=line, fix="Name each document once.")
    attributed: dict[str, None] = {}
    for doc in fields.identifiers("attributed"):
        if doc in attributed:
            book.add(f"{shown(doc)} is attributed twice: read once", line, kind="twice")
        elif given_from != "nowhere" and doc not in known:
            message = f"attributed {shown(doc)} is not in {given_from}: ignored"
            book.add(message, line, kind="not given")
        else:
            attributed[doc] = None
    text = fields.text("text")
    n_words = len(text.split()) if len(text) > LONG_ANSWER else 0
    if n_words > LONG_ANSWER:
        book.add(f"answer is {n_words} words long", line, kind="long answer")
    utility = fields.number("utility")
    query = fields.identifier("query_id")
    return OutputRow(
        line=line,
        producer=Producer(
            fields.optional_text("system") or stem,
            fields.optional_text("task"),
            fields.optional_text("retriever"),
            fields.optional_text("generator"),
            fields.optional_text("policy"),
            fields.number("alpha"),
            fields.whole("k"),
        ),
        query=query,
        sample=fields.identifier("sample", "1"),
        given_from=given_from,
        given=given,
        attributed=list(attributed),
        text=text,
        utility=math.nan if utility is None else utility,
        question=fields.optional_text("query"),
        id_type="number" if isinstance(record["query_id"], int) else "string",
    )
