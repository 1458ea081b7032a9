"""Recorded outputs of retrieval-augmented generation, one JSON object a line.

TREC RAG 2024 and 2025, reports of TREC RAGTIME, and fairviz' own: ``system``, ``task``,
``retriever``, ``generator``, ``policy``, ``alpha``, ``k``, ``query_id``, ``query``, ``sample``,
``ranking`` (or ``references``), ``text``, ``utility``, ``attributed``, ``date``; all but ``query_id`` may be
absent. Where it is known which sentence cites what, ``answer`` stands in place of ``text``, as TREC RAG has it:
``[{"text": …, "citations": [document id, …]}, …]``.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.columns import DOC
from fairviz.io.json import FileRow, Head, Json, json_records, json_type
from fairviz.io.limits import LONG_ANSWER
from fairviz.io.logs import objects
from fairviz.io.names import check_ids, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.rag_traces import OutputRow, Producer, day_of, read_traces, trace_tool
from fairviz.io.source import Source, reader
from fairviz.model import Factors, GivenFrom, IntArray, RagAnswer, RagOutputs, Sentence
from fairviz.model.arrays import encoded, offsets_of
from fairviz.model.dataset import described, factors_of

_FIX = (
    "Give TREC RAG 2024 or 2025 JSON Lines, or fairviz JSON Lines with query_id, ranking, text, utility and attributed."
)


def outputs_of(producer: Producer, rows: Sequence[OutputRow], file: str) -> RagOutputs:
    """The noun of one producer, of which there is at least one answer.

    Raises:
        InputError: A sample of a query is answered twice, or some answers say what was given to the generator and
            others do not.
    """
    system, factors = producer
    first: dict[tuple[str, str], OutputRow] = {}
    for row in rows:
        before = first.setdefault((row.query, row.sample), row)
        if before is not row:
            _refuse_second_answer(before, row, file)
        if row.given_from != rows[0].given_from:
            reason = f"only some answers of {shown(system)} record what was given to it"
            fix = "Record the ranking of every answer, or of none."
            raise InputError(reason, file=file, line=row.line, fix=fix)
    queries = encoded(pl.Series([row.query for row in rows]))
    order: IntArray = np.argsort(queries.codes, kind="stable")
    places: list[int] = order.tolist()
    ordered = [rows[index] for index in places]
    lists = [row.context for row in ordered], [row.attributed for row in ordered]
    docs = encoded(pl.Series([doc for part in lists for listed in part for doc in listed], dtype=pl.String))
    given_offsets, attributed_offsets = (np.cumsum([0, *map(len, part)]) for part in lists)
    context, attributed = np.split(docs.codes, [given_offsets[-1]])
    recorded = RagOutputs(
        system=system,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes[order], len(queries.values)),
        samples=tuple(row.sample for row in ordered),
        given_from=ordered[0].given_from,
        given_offsets=given_offsets,
        given=context,
        attributed_offsets=attributed_offsets,
        attributed=attributed,
        texts=tuple(row.text for row in ordered),
        utilities=np.array([row.utility for row in ordered], dtype=np.float64),
        sentences=tuple(row.sentences for row in ordered) if any(row.sentences for row in ordered) else (),
        dates=tuple(row.date for row in ordered) if any(row.date for row in ordered) else (),
    )
    return described(recorded, factors)


def _refuse_second_answer(before: OutputRow, row: OutputRow, file: str) -> None:
    query = shown(row.query)
    if before.id_type != row.id_type:
        reason = f"duplicate topic {query} (int and string): line {before.line} and this one"
    elif row.given_from == "references":
        reason = f"topic {query} answered twice (line {before.line})"
    else:
        sample = shown(row.sample)
        reason = f"sample {sample} of query {query} answered twice (line {before.line})"
    raise InputError(reason, file=file, line=row.line, fix="Keep one answer of each.")


# Answers of the TREC RAG track: ``references`` and an ``answer`` of cited sentences.
#
# 2024 (https://trec-rag.github.io): ``run_id``, ``topic_id``, ``topic``, citations as positions in
# ``references``, from 0. 2025: the same under ``metadata`` with ``narrative_id`` and ``narrative``;
# citations as positions or as document ids. RAGTIME (https://trec-ragtime.github.io): ``responses`` in place of
# ``answer``, citations as ids or as confidences by id; without ``references``, the names of ``documents`` were given.


def _note_base(citations: Sequence[tuple[int, int, int]], notes: NoteBook) -> None:
    """Say where the citations of a file look as if they counted from 1.

    Args:
        citations: Each that is a place: the place, of how many references, and the line of its answer.
        notes: Where it is said.
    """
    reaching = next(((n, line) for number, n, line in citations if number == n), None)
    if reaching is not None and all(0 < number <= n for number, n, _ in citations):
        message = f"citations look 1-based (never 0, reach {reaching[0]} of {reaching[0]} references)"
        notes.add(f"{message}; they are read from 0", reaching[1])


def _cited_positions(record: dict[str, Json], row: OutputRow) -> list[tuple[int, int, int]]:
    """The citations of an answer that are places, as :func:`_note_base` takes them."""
    references = record.get("references" if row.given_from == "references" else "ranking")
    n_references = len(references) if isinstance(references, list) else 0
    lists = [sentence["citations"] for sentence in objects(record.get("answer"))]
    cited = [citation for listed in lists if isinstance(listed, list) for citation in listed]
    return [(number, n_references, row.line) for number in cited if isinstance(number, int)]


_TRACK = "See the track's format description."


def _trec_row(fields: FileRow, stem: str) -> OutputRow:
    """One TREC RAG answer; its system is called ``stem`` where the record has no run id.

    Raises:
        InputError: A field is missing or of another type.
    """
    record = fields.record
    metadata = fields.of_kind(dict, record.get("metadata", {**record}), "metadata", _TRACK)
    about = fields._replace(record=metadata)
    key = next((key for key in ("topic_id", "narrative_id", "request_id") if key in metadata), "narrative_id")
    query = about.identifier(key)
    is_report = "responses" in record and "answer" not in record
    part = "responses" if is_report else "answer"
    field = "documents" if is_report and not record.get("references") else "references"
    missing = [key for key in ("references", "answer") if key not in record]
    if missing and not is_report:
        raise fields.wrong(f"missing {'/'.join(missing)}", _TRACK)
    given_from: GivenFrom = "references" if record.get(field) or not is_report else "nowhere"
    references = _references(fields, field) if given_from == "references" else []
    citable = set(references) if given_from == "references" else None
    sentences = _sentences(fields, part, references, citable)
    if not sentences:
        fields.note("empty answer")
    text = _joined(sentences)
    _note_length(text, fields, stated=metadata.get("response_length", record.get("response_length")))
    return OutputRow(
        line=fields.line,
        producer=(about.optional_text("run_id") or stem, Factors()),
        query=query,
        given_from=given_from,
        context=list(dict.fromkeys(references)),
        attributed=_all_cited(sentences),
        sentences=sentences,
        text=text,
        question=about.optional_text("topic" if key == "topic_id" else "narrative"),
        id_type=json_type(metadata[key]),
    )


def _joined(sentences: tuple[Sentence, ...]) -> str:
    """The answer that sentences make; :class:`Sentences` says where each ends in it."""
    return " ".join(text for text, _ in sentences)


def _all_cited(sentences: tuple[Sentence, ...]) -> list[str]:
    return list(dict.fromkeys(doc for _, cited in sentences for doc in cited))


def _references(fields: FileRow, name: str) -> list[str]:
    """The documents given: an array of ids, or the names of an object of documents."""
    kind: Any = list if name == "references" else dict
    listed = fields.of_kind(kind, fields.record[name], name, _TRACK)
    references = [fields.of_kind(str, reference, "a reference", _TRACK) for reference in listed]
    for reference in filter(is_blank, references):
        raise fields.wrong(f"a reference is blank: '{shown(reference)}'", _TRACK)
    for reference, n in Counter(references).items():
        if n > 1:
            message = f"duplicate reference {shown(reference)}"
            fields.notes.add(message, fields.line, kind="duplicate reference", count=n - 1)
    return references


def _sentences(fields: FileRow, part: str, references: list[str], citable: set[str] | None) -> tuple[Sentence, ...]:
    """The sentences of an answer with the documents that each cites.

    Args:
        fields: The record.
        part: Where it has them: "answer", "responses".
        references: What citations that are places count.
        citable: The documents that can be cited; None: any.

    Raises:
        InputError: They are no sentences with citations.
    """
    answer = fields.of_kind(list, fields.record[part], part, _TRACK)
    return tuple(_sentence(each, f"{part}[{i}]", references, citable, fields) for i, each in enumerate(answer))


def _sentence(value: Json, path: str, references: list[str], citable: set[str] | None, fields: FileRow) -> Sentence:
    sentence = fields.of_kind(dict, value, path, _TRACK)
    for key in ("text", "citations"):
        if key not in sentence:
            raise fields.wrong(f"{path}.{key} missing", _TRACK)
    text = fields.of_kind(str, sentence["text"], f"{path}.text", _TRACK)
    citations = sentence["citations"]
    if isinstance(citations, dict):
        citations = _by_confidence(citations, path, fields)
    citations = fields.of_kind(list, citations, f"{path}.citations", _TRACK)
    if not text.strip():
        fields.note(f"{path}.text is blank", "blank sentence")
    docs = [_cited(citation, path, references, citable, fields) for citation in citations]
    return text.strip(), tuple(dict.fromkeys(doc for doc in docs if doc is not None))


def _by_confidence(citations: dict[str, Json], path: str, fields: FileRow) -> list[Json]:
    """Documents cited with a confidence each, from the most confident on."""
    confidences: dict[str, float] = {}
    for doc, confidence in citations.items():
        if isinstance(confidence, bool) or not isinstance(confidence, int | float):
            raise fields.wrong(f"{path} cites {shown(doc)} with {json_type(confidence)}, no confidence", _TRACK)
        confidences[doc] = -confidence
    return [*sorted(confidences, key=confidences.__getitem__)]


def _cited(citation: Json, path: str, references: list[str], citable: set[str] | None, fields: FileRow) -> str | None:
    """The document that a citation means, or None with a note where there is no such reference.

    Any document may be cited where no references are ``citable``.
    """
    if isinstance(citation, str):
        if citation in citable if citable is not None else not is_blank(citation):
            return citation
        message = f"{path} cites {shown(citation)} which is not in references: ignored"
        fields.note(message, "unknown citation")
        return None
    if isinstance(citation, bool) or not isinstance(citation, int):
        description = str(citation) if isinstance(citation, float) else json_type(citation)
        raise fields.wrong(f"citation must be an integer: {description}", _TRACK)
    if citation < 0:
        raise fields.wrong(f"{path} has a negative citation: {citation}", _TRACK)
    if citation >= len(references):
        message = f"{path} cites reference {citation} but there are {len(references)} references (0-based): ignored"
        fields.note(message, "citation out of range")
        return None
    return references[citation]


def _note_length(text: str, fields: FileRow, *, stated: Json = None) -> None:
    """Note a long answer, and a stated length that no way of counting words explains."""
    counted = len(text.split())
    if counted > LONG_ANSWER:
        fields.note(f"answer is {counted} words long", "long answer")
    is_stated = isinstance(stated, int | float) and not isinstance(stated, bool)
    if is_stated and abs(stated - counted) > max(10, counted // 10):
        fields.note(f"response_length {stated:g} but counted {counted}", "response length")


class RecordedOutputs(NamedTuple):
    """What a file of outputs holds.

    Attributes:
        outputs: One noun per system (retriever, policy, α, generator), in file order.
        questions: The words of the queries, where the file has them.
    """

    outputs: tuple[RagOutputs, ...]
    questions: dict[str, str]


@reader
def read_outputs(source: Source) -> Parsed[RecordedOutputs]:
    """Read recorded outputs.

    Args:
        source: A path or ``(name, bytes)``: TREC RAG 2024 or 2025, fairviz JSON Lines, samples of Ragas or spans of
            OpenInference whose answers cite (:mod:`fairviz.io.rag_traces`), plain or gzip'ed.

    Returns:
        The outputs of each system, with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read, or a record is of neither layout.
    """
    notes = NoteBook(source.name)
    rows, layout = _answers(source, notes)
    by_producer: dict[Producer, list[OutputRow]] = {}
    lines: dict[str, int] = {}
    for row in rows:
        by_producer.setdefault(row.producer, []).append(row)
        lines.setdefault(row.query, row.line)
    outputs = tuple(outputs_of(producer, answers, source.name) for producer, answers in by_producer.items())
    check_ids(tuple(lines), "query id", lambda i: list(lines.values())[i], notes)
    questions = {row.query: row.question for row in reversed(rows) if row.question}
    recorded = RecordedOutputs(outputs, questions)
    return notes.parsed(recorded, layout, lines)


def _answers(source: Source, notes: NoteBook) -> tuple[list[OutputRow], str]:
    """The answers in the order of the file, and what the file is.

    Raises:
        InputError: The file cannot be read, or a record is of neither layout.
    """
    head = Head(source)
    tool = trace_tool(head.keys, head.text) if head.is_json else None
    if tool is not None:
        return read_traces(source, tool, notes), f"RAG outputs ({tool})"
    citations: list[tuple[int, int, int]] = []
    rows: list[OutputRow] = []
    layouts: list[str] = []
    stem = source.stem
    for line, record in json_records(source, notes):
        fields = FileRow(record, line, notes)
        layouts.append(_layout(fields))
        rows.append((_own_row if layouts[-1] == _OWN else _trec_row)(fields, stem))
        citations += _cited_positions(record, rows[-1])
    _note_base(citations, notes)
    return rows, layouts[0]


_OWN = "fairviz RAG outputs"
_OF_ANSWERS = ("ranking", "references", "text", "answer", "utility", "attributed")
"""Fields that say something of an answer."""


def _layout(fields: FileRow) -> str:
    """Which track a record is of.

    Raises:
        InputError: Of none, and it is not ours.
    """
    if {"metadata", "topic_id", "narrative_id"} & fields.record.keys():
        of_2025 = "TREC RAG 2025" if "metadata" in fields.record else "TREC RAG 2024"
        return "TREC RAGTIME" if "responses" in fields.record else of_2025
    if "query_id" not in fields.record:
        raise fields.wrong("missing topic_id/references/answer", _FIX)
    if not fields.record.keys().isdisjoint(DOC) and fields.record.keys().isdisjoint(_OF_ANSWERS):
        raise fields.wrong("a document of a query, and no answer (a run, or judgements?)", _FIX)
    return _OWN


def write_outputs(outputs: Iterable[RagOutputs], to: TextIO, *, questions: dict[str, str] | None = None) -> None:
    """Write outputs as fairviz JSON Lines; :func:`read_outputs` gives them back.

    Args:
        outputs: Outputs of one or more systems.
        to: An open text file.
        questions: The words of the queries, repeated with each answer.
    """
    for answers in outputs:
        about = {"system": answers.system, **factors_of(answers).stated}
        for q, query in enumerate(answers.query_ids):
            question = {"query": questions[query]} if questions and query in questions else {}
            for answer in answers.answers(q):
                record = {**about, "query_id": query, **question, **_fields(answer, answers.given_from)}
                to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _fields(answer: RagAnswer, given_from: GivenFrom) -> dict[str, Json]:
    record: dict[str, Json] = {"sample": answer.sample}
    if given_from != "nowhere":
        record[given_from] = list(answer.given)
    if answer.sentences:
        record["answer"] = [{"text": text, "citations": list(cited)} for text, cited in answer.sentences]
    else:
        record["text"] = answer.text
    record["utility"] = None if math.isnan(answer.utility) else answer.utility
    if answer.date:
        record["date"] = answer.date
    record["attributed"] = list(answer.used)
    return record


_LISTS: tuple[GivenFrom, ...] = ("ranking", "references")


def _own_row(fields: FileRow, stem: str) -> OutputRow:
    record, line, notes, _ = fields
    given_from: GivenFrom = next((name for name in _LISTS if name in record), "nowhere")
    context = fields.identifiers(given_from)
    citable = set(context)
    sentences = _own_sentences(record, context, None if given_from == "nowhere" else citable, fields)
    if len(citable) < len(context):
        raise fields.wrong(f"{given_from} names a document twice", "Name each document once.")
    attributed: dict[str, None] = {}
    for doc in fields.identifiers("attributed") if "attributed" in record else _all_cited(sentences):
        if doc in attributed:
            notes.add(f"{shown(doc)} is attributed twice: read once", line, kind="twice")
        elif given_from != "nowhere" and doc not in citable:
            message = f"attributed {shown(doc)} is not in {given_from}: ignored"
            notes.add(message, line, kind="not given")
        else:
            attributed[doc] = None
    text = _joined(sentences) if sentences else fields.text("text")
    _note_length(text, fields)
    utility = fields.number("utility")
    query = fields.identifier("query_id")
    time = fields.optional_text("date") or ""
    if time and not day_of(time):
        raise fields.wrong(f"date {shown(time)} is no day", "Write it as 2026-03-01.")
    alpha = fields.number("alpha")
    if alpha is not None and alpha < 0:
        raise fields.wrong(f"alpha is negative: {alpha:g}", "Give alpha from 0 on.")
    system = fields.optional_text("system") or stem
    named = {name: fields.optional_text(name) for name in ("task", "retriever", "generator", "policy", "dataset")}
    return OutputRow(
        line=line,
        producer=(system, Factors(**named, alpha=alpha, k=fields.integer("k", least=1))),
        query=query,
        sample=fields.identifier("sample", "1"),
        given_from=given_from,
        context=context,
        attributed=list(attributed),
        sentences=sentences,
        text=text,
        utility=math.nan if utility is None else utility,
        date=day_of(time),
        question=fields.optional_text("query"),
        id_type="number" if isinstance(record["query_id"], int) else "string",
    )


def _own_sentences(
    record: Mapping[str, Json], context: list[str], citable: set[str] | None, fields: FileRow
) -> tuple[Sentence, ...]:
    """The sentences of an answer that records them in place of its text."""
    if record.get("answer") is None:
        return ()
    sentences = _sentences(fields, "answer", context, citable)
    if sentences and record.get("text") is not None:
        raise fields.wrong("both text and answer are given", "Give one: the sentences make the text.")
    return sentences
