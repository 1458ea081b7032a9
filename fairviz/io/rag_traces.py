"""Outputs that evaluation and tracing tools record.

Samples of Ragas, DeepEval and RAGChecker, spans of OpenInference (Phoenix, Arize) and OpenTelemetry, traces of
Langfuse. They are read where they hold what was given to the generator and an answer that cites it: ``[1]``, ``[2, 3]``
are places among the given documents, from 1 (from 0 where any answer cites ``[0]``), ``[ID]`` is a document's id. Where
no answer cites anything there is nothing to attribute, and the file is refused by the tool's name.

Samples have a question, an answer and the contexts given: ``user_input``, ``response``, ``retrieved_contexts`` (words)
and ``retrieved_context_ids`` (Ragas); ``input``, ``actual_output``, ``retrieval_context`` (DeepEval); ``query``,
``response``, ``retrieved_context`` with ``doc_id`` and ``text`` under ``results`` (RAGChecker, whose judgements
``retrieved2response`` say what an answer uses where it does not cite). Spans have
``attributes``, flat (``retrieval.documents.0.document.id``), nested, or as OTLP's list of key and value, by
OpenInference's names or OpenTelemetry's (``gen_ai.retrieval.documents``, ``gen_ai.output.messages``). Observations of
Langfuse are spans, too; spans of one trace are one answer, of the day on which the first of them began; a question that
is asked again has one more answer. Documents without an id are named by the address that their metadata have (``url``,
``source``), else by a hash of their words, so that equal ones stay equal; a document that is given in several parts is
one document, and each part is a place that can be cited.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple, TypeAlias

from fairviz.io.json import FileRow, Head, Json, as_place, as_text, first_keys, json_records, value_in
from fairviz.io.logs import field_text, objects, text_at, text_of, whole_object
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.model import Factors, GivenFrom, Sentence
from fairviz.numerals import count, part_of, plural

RAGAS = "a RAGAS sample"
DEEPEVAL = "a DeepEval test case"
RAGCHECKER = "a RAGChecker record"
SPANS = "OpenInference or OpenTelemetry spans"
LANGFUSE = "Langfuse traces"
TOOLS = (SPANS, LANGFUSE, RAGCHECKER, DEEPEVAL, RAGAS)
"""Tools whose records are read, as messages call what they write."""

_CITED = re.compile(r"\[([^\[\]\n]{1,200})\]")
_MESSAGE_PART = re.compile(r"gen_ai\.output\.messages\.0\.parts\.[0-9]+\.content")
_CLAIMS = '"retrieved2response"'
_ANY_CITED = re.compile(r'"(?:response|answer|actual_output)"\s*:\s*"(?:[^"\\]|\\.)*?\[\w')
NOT_CITED = "no answer cites a document that it was given (this looks like {tool})"
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
        context: The documents given to the generator, distinct.
        attributed: The documents that it cites, distinct.
        text: The answer.
        question: The query's words, where recorded.
        sample: Which of the query's answers it is.
        sentences: The sentences that make the text, with the documents that each cites, where that is recorded.
        utility: Recorded utility, NaN where there is none.
        date: Its day, as 2026-03-01; empty where it is not recorded.
        id_type: "string" or "number": how the file wrote the query's id.
    """

    line: int
    producer: Producer
    query: str
    given_from: GivenFrom
    context: list[str]
    attributed: list[str]
    text: str
    question: str | None
    sample: str = "1"
    sentences: tuple[Sentence, ...] = ()
    utility: float = math.nan
    date: str = ""
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
    if '"parentObservationId"' in head:
        return LANGFUSE
    names = ("openinference.span.kind", "retrieval.documents", '"span_kind"', '"resourceSpans"')
    if any(name in head for name in names) or ("attributes" in keys and ('"trace_id"' in head or '"traceId"' in head)):
        return SPANS
    tool = sample_tool(keys, head)
    return tool if _ANY_CITED.search(head) or (tool == RAGCHECKER and _CLAIMS in head) else None


def sample_tool(keys: set[str], head: str) -> str | None:
    """The tool whose samples a file holds, whether answers cite or not; arguments of :func:`trace_tool`."""
    if is_ragchecker(head):
        return RAGCHECKER
    if {"input", "actual_output"} <= keys:
        return DEEPEVAL
    is_ragas = {"user_input", "retrieved_contexts", "retrieved_context_ids"} & keys
    return RAGAS if is_ragas or {"question", "contexts", "answer"} <= keys else None


def is_ragchecker(head: str) -> bool:
    """Whether a file holds records of RAGChecker, judged or not.

    Args:
        head: The first part of the file.
    """
    return '"retrieved_context"' in head and '"response"' in head


def records_of(source: Source, tool: str, notes: NoteBook) -> list[tuple[int, dict[str, Json]]]:
    """The records that a tool wrote, each with its line: lines, an array, or one object around them."""
    head = Head(source)
    notes.of_log = True
    if tool in (RAGCHECKER, LANGFUSE, SPANS) and not head.is_array and first_keys(head.text) is None:
        records = [(1, whole_object(source, notes))]
    else:
        records = list(json_records(source, notes))
    if tool == RAGCHECKER and "results" in records[0][1]:
        return list(enumerate(objects(records[0][1]["results"]), start=1))
    return records


def read_traces(source: Source, tool: str, notes: NoteBook) -> list[OutputRow]:
    """The answers of a file, each with the documents that it cites.

    Raises:
        InputError: A record lacks what a trace needs, or no answer cites a document.
    """
    read = records_of(source, tool, notes)
    rows = list(_spans(read, source, notes) if tool in (SPANS, LANGFUSE) else _samples(read, source, notes))
    from_zero = any("0" in _marks(row.text) and "0" not in row.context for row in rows)
    n_beyond = 0
    for row in rows:
        for mark in _marks(row.text):
            number = as_place(mark)
            index = -1 if number is None else number - (not from_zero)
            if mark not in row.context and not 0 <= index < len(row.context):
                n_beyond += mark.isdecimal()
            elif (cited := mark if mark in row.context else row.context[index]) not in row.attributed:
                row.attributed.append(cited)
    if not any(row.attributed for row in rows):
        raise source.wrong(NOT_CITED.format(tool=tool), FIX, 1)
    if n_beyond:
        notes.add(f"{count(n_beyond)} citations are of no document that was given: ignored")
    if from_zero:
        notes.add("citations count from 0")
    return [row._replace(context=list(dict.fromkeys(row.context))) for row in rows]


def _row(
    source: Source, line: int, query: str, question: str, context: Sequence[str], text: str, generator: str
) -> OutputRow:
    """An answer, whose citations are yet to be read."""
    producer = source.stem, Factors(generator=generator or None)
    return OutputRow(line, producer, query, "ranking", list(context), [], text, question or None)


def _marks(text: str) -> list[str]:
    """What stands in square brackets: places and ids."""
    marks: list[str] = []
    for match in _CITED.finditer(text):
        marks += [part.strip().removeprefix("doc ").removeprefix("Doc ") for part in re.split(r"[,;]", match[1])]
    return [mark for mark in marks if mark]


def _named(content: str) -> str:
    return "doc-" + hashlib.sha256(" ".join(content.split()).encode()).hexdigest()[:12]


_CONTEXTS = ("retrieved_contexts", "contexts", "retrieval_context", "retrieved_context")
"""What is given to the generator is called so."""


def _samples(records: Sequence[tuple[int, dict[str, Json]]], source: Source, notes: NoteBook) -> Iterator[OutputRow]:
    questions: dict[str, str] = {}
    is_judged = any(record.get("retrieved2response") for _, record in records)
    n_answers: Counter[tuple[Producer, str, str]] = Counter()
    unjudged: list[OutputRow] = []
    for line, record in records:
        prompt = _field(record, "user_input", "question", "input", "query")
        if isinstance(prompt, list):
            reason = "this RAGAS sample is of several turns: one question and one answer are read"
            raise source.wrong(reason, "Write each turn as a sample of its own.", line)
        question = text_of(prompt)
        for name in (*_CONTEXTS, "retrieved_context_ids"):
            fix = "Give what was retrieved as an array, a document each."
            FileRow(record, line, notes).of_kind(list, record.get(name) or [], name, fix)
        contexts = _field(record, *_CONTEXTS)
        ids = record.get("retrieved_context_ids")
        context: list[str] = [as_text(each) or "" for each in ids] if isinstance(ids, list) else []
        if any(map(is_blank, context)):
            context = []
        if not context and isinstance(contexts, list):
            context = [document_id(each) for each in contexts]
            if not all(isinstance(each, dict) for each in contexts):
                notes.add("contexts have no ids: each is named by its words", line, kind="no ids")
        text = text_of(_field(record, "response", "answer", "actual_output"))
        name = questions.setdefault(question, f"q{len(questions) + 1}")
        query = field_text(record, "query_id", "sample_id", "id")
        query = name if is_blank(query) else query
        row = _row(source, line, query, question, context, text, field_text(record, "model"))
        labels = record.get("retrieved2response")
        if is_judged and not labels and not _marks(text):
            unjudged.append(row)
            continue
        n_answers[row.producer, query, question] += 1
        row.attributed.extend(_entailing(labels, row.context))
        yield row._replace(sample=str(n_answers[row.producer, query, question]))
    repeated = sum(n > 1 for n in n_answers.values())
    if repeated:
        notes.add(f"{plural(repeated, 'question')} asked more than once: each answer is a sample of its question")
    alone = [row for row in unjudged if not n_answers[row.producer, row.query, row.question or ""]]
    yield from (row._replace(context=[]) for row in alone)  # of what is not known to be given nothing is 0
    if unjudged:
        none = part_of(len(unjudged), plural(len(records), "answer"), "was judged by nobody", "were judged by nobody")
        left_out = ", and those whose question has a judged answer are left out" if len(alone) < len(unjudged) else ""
        notes.add(f"{none}: what they use of what they were given, and with it EAR, is undefined{left_out}")


def _entailing(labels: Json, context: Sequence[str]) -> list[str]:
    """The documents that entail a claim of the answer, as RAGChecker judged each claim by each document."""
    claims = [claim for claim in labels if isinstance(claim, list)] if isinstance(labels, list) else []
    places = {index for claim in claims for index, label in enumerate(claim) if label == "Entailment"}
    return [doc for index, doc in enumerate(context) if index in places]


def _field(record: dict[str, Json], *names: str) -> Json:
    """The first of these fields that is there and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def document_id(context: Json) -> str:
    """The id of a document: its own, else a name made of its words."""
    fields = context if isinstance(context, dict) else {}
    name = field_text(fields, "id", "doc_id", "document_id") or _address(fields.get("metadata"))
    words = text_at(fields, "content", "page_content", "pageContent", "text") or text_of(context)
    return _named(words) if is_blank(name) else name


def _address(metadata: Json) -> str:
    """The web address of a document in its metadata, which may be written as JSON text; empty where there is none."""
    fields = value_in(metadata) if isinstance(metadata, str) else metadata
    address = field_text(fields, "url", "source") if isinstance(fields, dict) else ""
    return address if address.startswith(("http://", "https://")) else ""


def day_of(text: str) -> str:
    """The day of a time: ISO 8601, or nanoseconds since 1970 (in UTC); empty where it is neither.

    Examples:
        >>> day_of("2026-03-01T23:59:00Z"), day_of("1772409540000000000"), day_of("yesterday")
        ('2026-03-01', '2026-03-01', '')
    """
    try:
        if text.isascii() and text.isdecimal():
            return datetime.fromtimestamp(int(text) // 10**9, UTC).date().isoformat()
        return date.fromisoformat(text[:10]).isoformat() if text[4:5] == "-" else ""
    except (ValueError, OverflowError, OSError):
        return ""


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
    questions: dict[tuple[str, str], str] = {}
    n_answers: Counter[str] = Counter()
    for spans in traces.values():
        spans.sort(key=lambda span: span.start)
        retrieved: list[str] = []
        reranked: list[str] = []
        for span in spans:
            for key in ("retrieval.documents", "gen_ai.retrieval.documents"):
                retrieved += [doc for doc in _documents(span.attributes, key) if doc not in retrieved]
            reranked = _documents(span.attributes, "reranker.output_documents") or reranked
        answering = [span for span in spans if _output(span)]
        if (not retrieved and not reranked) or not answering:
            n_without += 1
            continue
        root = next((span for span in spans if span.is_root), spans[0])
        models = [span for span in answering if span.kind == "LLM"]
        answer = root if _output(root) and root.kind != "RETRIEVER" else (models or answering)[-1]
        question = next((text for span in (root, *spans) if (text := _question(span.attributes))), "")
        name = questions.setdefault((question, "" if question else root.trace), f"q{len(questions) + 1}")
        text = _output(answer)
        model = next((field_text(span.attributes, "llm.model_name", "gen_ai.request.model") for span in models), "")
        n_answers[name] += 1
        row = _row(source, root.line, name, question, reranked or retrieved, text, model)
        day = next((day for span in spans if (day := day_of(span.start))), "")
        yield row._replace(sample=str(n_answers[name]), date=day)
    if n_without:
        hold = part_of(n_without, plural(len(traces), "trace"), "holds", "hold")
        notes.add(f"{hold} no documents or no answer: left out")


def _spans_of(record: dict[str, Json], line: int) -> Iterator[_Span]:
    """The spans of a record: itself, those of an OTLP export, or a trace of Langfuse and its observations."""
    groups = objects(record.get("resourceSpans"))
    if groups:
        for group in groups:
            for scope in objects(group.get("scopeSpans")):
                for span in objects(scope.get("spans")):
                    yield from _spans_of(span, line)
        return
    if "observations" in record:
        trace = record.get("trace", record)
        of = trace if isinstance(trace, dict) else record
        yield _observation({**of, "traceId": of.get("id"), "startTime": of.get("timestamp")}, line)
        for observation in objects(record["observations"]):
            yield _observation(observation, line)
        return
    if "parentObservationId" in record:
        yield _observation(record, line)
        return
    pairs = record.get("attributes")
    if isinstance(pairs, list):  # OTLP: key and typed value
        named_values = {field_text(pair, "key"): _otlp(pair.get("value")) for pair in objects(pairs)}
        record = {**record, "attributes": named_values}
    flat = _flattened(record)
    attributes = {key.removeprefix("attributes."): flat[key] for key in flat if key.startswith("attributes.")}
    for key in [key for key, value in attributes.items() if key.startswith("gen_ai.") and isinstance(value, str)]:
        attributes |= _flattened(value_in(text_of(attributes[key])) or attributes[key], key)

    def named(*keys: str) -> str | None:
        return next((text_of(flat[key]) for key in keys if flat.get(key)), None)

    trace = named("context.trace_id", "trace_id", "traceId")
    is_root = named("parent_id", "parentSpanId", "parent_span_id", "parentId") is None
    kind = text_of(attributes.get("openinference.span.kind") or flat.get("span_kind")).rsplit(".", 1)[-1].upper()
    kind = kind or _KINDS.get(text_of(attributes.get("gen_ai.operation.name")), "")
    start = named("start_time", "startTimeUnixNano", "startTime") or ""
    yield _Span(line, str(line) if trace is None else trace, is_root, kind, start, attributes)


_KINDS = {
    "retrieval": "RETRIEVER",
    "embeddings": "EMBEDDING",
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
}
"""OpenInference's kind of span by OpenTelemetry's name of the operation."""


def _observation(record: dict[str, Json], line: int) -> _Span:
    """A trace or an observation of Langfuse: who was asked what, what came out, the documents of a retriever."""
    kind = field_text(record, "type").upper()
    output = record.get("output")
    attributes: dict[str, Json] = {
        "input.value": _words(record.get("input")),
        "output.value": _words(output),
        "llm.model_name": field_text(record, "model"),
    }
    if kind == "RETRIEVER":
        documents = output.get("documents") if isinstance(output, dict) else output
        ids = [document_id(each) for each in documents] if isinstance(documents, list) else []
        attributes |= {f"retrieval.documents.{i}.document.id": doc for i, doc in enumerate(ids)}
    trace, start = field_text(record, "traceId"), field_text(record, "startTime")
    is_root = is_blank(field_text(record, "parentObservationId"))
    return _Span(line, trace or str(line), is_root, {"GENERATION": "LLM"}.get(kind, kind), start, attributes)


def _words(value: Json) -> str:
    """The words of an input or an output: a text, the last of some messages, or the field that holds them."""
    if isinstance(value, list):
        value = value[-1] if value else None
    names = ("answer", "output", "response", "question", "query", "input", "messages")
    inner = _field(value, *names) if isinstance(value, dict) else None
    return text_of(value) if inner is None else _words(inner)


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
            index = as_place(number)
            if index is not None:
                documents.setdefault(index, {})[field.removeprefix("document.")] = as_text(value) or ""
    ordered = [documents[index] for index in sorted(documents)]
    ids = [(each.get("id", "") or _metadata_address(each), each.get("content", "")) for each in ordered]
    return [_named(content) if is_blank(name) else name for name, content in ids if content or not is_blank(name)]


def _metadata_address(fields: dict[str, str]) -> str:
    """The address in the metadata of a document of a span, written as one text or as fields."""
    metadata: Json = {key: fields.get(f"metadata.{key}", "") for key in ("url", "source")}
    return _address(fields.get("metadata")) or _address(metadata)


def _question(attributes: dict[str, Json]) -> str:
    return text_of(attributes.get("input.value")) or text_of(attributes.get("gen_ai.retrieval.query.text"))


def _output(span: _Span) -> str:
    if span.kind in ("RETRIEVER", "RERANKER", "EMBEDDING"):
        return ""
    attributes = span.attributes
    message = attributes.get("llm.output_messages.0.message.content")
    parts = [text_of(value) for key, value in attributes.items() if _MESSAGE_PART.fullmatch(key)]
    return text_of(message) or "".join(parts) or text_of(attributes.get("output.value"))
