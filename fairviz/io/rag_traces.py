"""Outputs that evaluation and tracing tools record: samples of Ragas, spans of OpenInference (Phoenix, Arize).

Read where they hold what was given to the generator and an answer that cites it: ``[1]``, ``[2, 3]`` are places among
the given documents, from 1 (from 0 where any answer cites ``[0]``), ``[ID]`` is a document's id. Where no answer cites
anything there is nothing to attribute, and the file is refused by the tool's name.

Ragas: ``user_input``, ``response``, ``retrieved_contexts`` (words) and ``retrieved_context_ids``. OpenInference: spans
with ``attributes``, flat (``retrieval.documents.0.document.id``), nested, or as OTLP's list of key and value; spans of
one trace are one answer. Documents without an id are named by a hash of their words, so that equal ones stay equal.
"""

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, TypeAlias

from fairviz.errors import InputError
from fairviz.io.json import Json, as_place, as_text, json_records
from fairviz.io.logs import field_text, objects, text_of
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.model import Factors, GivenFrom
from fairviz.numerals import count, part_of, plural

RAGAS = "a RAGAS sample"
SPANS = "OpenInference spans"
_CITED = re.compile(r"\[([^\[\]\n]{1,200})\]")
_ANY_CITED = re.compile(r'"(?:response|answer)"\s*:\s*"(?:[^"\\]|\\.)*?\[\w')
FIX = (
    "Record the documents given and let answers cite them as [1], or write fairviz JSON Lines: "
    "query_id, ranking, text, attributed."
)


Producer: TypeAlias = tuple[str, Factors]
"""What produced an answer: the name of a system, and what it is made of; answers of one are one noun."""


class OutputRow(NamedTuple):
    """One recorded answer.

    Attributes:
        line: Where it stands.
        producer: What produced it.
        query: Its query.
        given_from: Where the given documents were recorded.
        given: The documents given to the generator, distinct.
        attributed: The documents that it cites, distinct.
        text: The answer.
        question: The query's words, where recorded.
        sample: Which of the query's answers it is.
        sentences: The sentences that make the text, with the documents that each cites, where that is recorded.
        utility: Recorded utility, NaN where there is none.
        id_type: "string" or "number": how the file wrote the query's id.
    """

    line: int
    producer: Producer
    query: str
    given_from: GivenFrom
    given: list[str]
    attributed: list[str]
    text: str
    question: str | None
    sample: str = "1"
    sentences: Sequence[tuple[str, list[str]]] = ()
    utility: float = math.nan
    id_type: str = "string"


def trace_tool(keys: set[str], head: str) -> str | None:
    """The tool that recorded a file, None where it is no record of answers with citations.

    Args:
        keys: Names in the first record.
        head: The first part of the file.

    Examples:
        >>> trace_tool({"user_input", "response"}, '{"user_input": "q", "response": "It is so [1]."}')
        'a RAGAS sample'
        >>> trace_tool({"user_input", "response"}, '{"user_input": "q", "response": "It is so."}') is None
        True
    """
    told = ("openinference.span.kind", "retrieval.documents", '"span_kind"', '"resourceSpans"')
    if any(name in head for name in told) or ("attributes" in keys and ('"trace_id"' in head or '"traceId"' in head)):
        return SPANS
    is_ragas = bool({"user_input", "retrieved_contexts", "retrieved_context_ids"} & keys)
    return RAGAS if is_ragas and _ANY_CITED.search(head) else None


def read_traces(source: Source, tool: str, notes: NoteBook) -> list[OutputRow]:
    """The answers of a file, each with the documents that it cites.

    Raises:
        InputError: A record lacks what a trace needs, or no answer cites a document.
    """
    with closing(json_records(source, notes)) as records:
        read = list(records)
    rows = list(_ragas(read, source, notes) if tool == RAGAS else _spans(read, source, notes))
    from_zero = any("0" in _marks(row.text) and "0" not in row.given for row in rows)
    n_beyond = 0
    for row in rows:
        for mark in _marks(row.text):
            number = as_place(mark)
            place = -1 if number is None else number - (not from_zero)
            if mark not in row.given and not 0 <= place < len(row.given):
                n_beyond += mark.isdecimal()
            elif (cited := mark if mark in row.given else row.given[place]) not in row.attributed:
                row.attributed.append(cited)
    if not any(row.attributed for row in rows):
        reason = f"no answer cites a document that it was given (this looks like {tool})"
        raise InputError(reason, file=source.name, line=1, fix=FIX)
    if n_beyond:
        notes.add(f"{count(n_beyond)} citations are of no document that was given: ignored")
    if from_zero:
        notes.add("citations count from 0")
    return rows


def _row(
    source: Source, line: int, query: str, question: str, given: Sequence[str], text: str, generator: str
) -> OutputRow:
    """An answer, whose citations are yet to be read."""
    producer = source.stem, Factors(generator=generator or None)
    return OutputRow(line, producer, query, "ranking", list(dict.fromkeys(given)), [], text, question or None)


def _marks(text: str) -> list[str]:
    """What stands in square brackets: places and ids."""
    marks: list[str] = []
    for found in _CITED.finditer(text):
        marks += [part.strip().removeprefix("doc ").removeprefix("Doc ") for part in re.split(r"[,;]", found[1])]
    return [mark for mark in marks if mark]


def _named(content: str) -> str:
    return "doc-" + hashlib.sha256(" ".join(content.split()).encode()).hexdigest()[:12]


def _ragas(records: Sequence[tuple[int, dict[str, Json]]], source: Source, notes: NoteBook) -> Iterator[OutputRow]:
    questions: dict[str, str] = {}
    for line, record in records:
        asked = record.get("user_input", record.get("question"))
        if isinstance(asked, list):
            reason = "this RAGAS sample is of several turns: one question and one answer are read"
            raise InputError(reason, file=source.name, line=line, fix="Write each turn as a sample of its own.")
        question = text_of(asked)
        contexts, ids = record.get("retrieved_contexts", record.get("contexts")), record.get("retrieved_context_ids")
        given = [as_text(each) or "" for each in ids] if isinstance(ids, list) else []
        if any(map(is_blank, given)):
            given = []
        if not given and isinstance(contexts, list):
            given = [_named(text_of(each)) for each in contexts]
            notes.add("contexts have no ids: each is named by its words", line, kind="no ids")
        text = text_of(record.get("response", record.get("answer")))
        name = questions.setdefault(question, f"q{len(questions) + 1}")
        query = field_text(record, "query_id", "sample_id", "id")
        query = name if is_blank(query) else query
        yield _row(source, line, query, question, given, text, field_text(record, "model"))


# Spans: those of one trace are one answer.


class _Span(NamedTuple):
    line: int
    trace: str
    is_root: bool
    kind: str
    start: str
    attributes: dict[str, Json]


def _spans(records: Sequence[tuple[int, dict[str, Json]]], source: Source, notes: NoteBook) -> Iterator[OutputRow]:
    traces: dict[str, list[_Span]] = {}
    for line, record in records:
        for span in _spans_of(record, line):
            traces.setdefault(span.trace, []).append(span)
    n_without = 0
    questions: dict[str, str] = {}
    for spans in traces.values():
        spans.sort(key=lambda span: span.start)
        given: list[str] = []
        reranked: list[str] = []
        for span in spans:
            given += _documents(span.attributes, "retrieval.documents")
            reranked = _documents(span.attributes, "reranker.output_documents") or reranked
        answering = [span for span in spans if _output(span)]
        if (not given and not reranked) or not answering:
            n_without += 1
            continue
        root = next((span for span in spans if span.is_root), spans[0])
        models = [span for span in answering if span.kind == "LLM"]
        answer = root if _output(root) and root.kind != "RETRIEVER" else (models or answering)[-1]
        question = next((text for span in (root, *spans) if (text := text_of(span.attributes.get("input.value")))), "")
        name = questions.setdefault(question, f"q{len(questions) + 1}")
        text = _output(answer)
        model = next((text_of(span.attributes.get("llm.model_name")) for span in models), "")
        yield _row(source, root.line, name, question, reranked or given, text, model)
    if n_without:
        hold = part_of(n_without, plural(len(traces), "trace"), "holds", "hold")
        notes.add(f"{hold} no documents or no answer: left out")


def _spans_of(record: dict[str, Json], line: int) -> Iterator[_Span]:
    """The spans of a record: itself, or those of an OTLP export."""
    groups = objects(record.get("resourceSpans"))
    if groups:
        for group in groups:
            for scope in objects(group.get("scopeSpans")):
                for span in objects(scope.get("spans")):
                    yield from _spans_of(span, line)
        return
    flat = _flattened({key: value for key, value in record.items() if key != "attributes"})
    given = record.get("attributes")
    if isinstance(given, list):  # OTLP: key and typed value
        attributes = _flattened({field_text(pair, "key"): _otlp(pair.get("value")) for pair in objects(given)})
    else:
        attributes = _flattened(given) if isinstance(given, dict) else {}
    for key, value in flat.items():
        if key.startswith("attributes."):
            attributes[key.removeprefix("attributes.")] = value

    def named(*keys: str) -> str | None:
        return next((text_of(flat[key]) for key in keys if flat.get(key)), None)

    trace = named("context.trace_id", "trace_id", "traceId")
    is_root = named("parent_id", "parentSpanId", "parent_span_id", "parentId") is None
    kind = text_of(attributes.get("openinference.span.kind") or flat.get("span_kind")).rsplit(".", 1)[-1].upper()
    start = named("start_time", "startTimeUnixNano", "startTime") or ""
    yield _Span(line, str(line) if trace is None else trace, is_root, kind, start, attributes)


def _otlp(value: Json) -> Json:
    if isinstance(value, dict) and len(value) == 1:
        inner = next(iter(value.values()))
        return [_otlp(each) for each in objects(inner.get("values"))] if isinstance(inner, dict) else inner
    return value


def _flattened(value: Json, path: str = "") -> dict[str, Json]:
    """Nested names and places as one name with dots between."""
    pairs: Iterator[tuple[str, Json]]
    if isinstance(value, dict):
        pairs = iter(value.items())
    elif isinstance(value, list):
        pairs = ((str(i), each) for i, each in enumerate(value))
    else:
        return {path: value}
    flat: dict[str, Json] = {}
    for key, inner in pairs:
        flat |= _flattened(inner, f"{path}.{key}" if path else key)
    return flat


def _documents(attributes: dict[str, Json], name: str) -> list[str]:
    """Ids of the documents of a span, in their order."""
    documents: dict[int, dict[str, str]] = {}
    for key, value in attributes.items():
        if key.startswith(name + "."):
            number, _, field = key.removeprefix(name + ".").partition(".")
            place = as_place(number)
            if place is not None:
                documents.setdefault(place, {})[field.removeprefix("document.")] = as_text(value) or ""
    ordered = [documents[place] for place in sorted(documents)]
    ids = [(each.get("id", ""), each.get("content", "")) for each in ordered]
    return [_named(content) if is_blank(name) else name for name, content in ids if content or not is_blank(name)]


def _output(span: _Span) -> str:
    if span.kind in ("RETRIEVER", "RERANKER", "EMBEDDING"):
        return ""
    attributes = span.attributes
    message = attributes.get("llm.output_messages.0.message.content")
    return text_of(message) or text_of(attributes.get("output.value"))
