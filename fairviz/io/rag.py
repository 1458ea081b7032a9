"""Recorded outputs of retrieval-augmented generation, one JSON object a line.

TREC RAG 2024 and 2025, and fairviz' own: ``system``, ``task``,
``retriever``, ``generator``, ``policy``, ``alpha``, ``k``, ``query_id``, ``query``, ``sample``,
``ranking`` (or ``references``), ``text``, ``utility``, ``attributed``; all but ``query_id`` may be
absent. Where it is known which sentence cites what, ``answer`` stands in place of ``text``, as TREC RAG has it:
``[{"text": …, "citations": [document id, …]}, …]``.
"""

import json
import math
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple, TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.io.ids import check_ids
from fairviz.io.json import Fields, Json, head_keys, json_records, json_type
from fairviz.io.limits import LONG_ANSWER
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.rag_traces import Trace, read_traces, trace_tool
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import head_of
from fairviz.model import GivenFrom, RagOutputs, Sentences

_FIX = (
    "Give TREC RAG 2024 or 2025 JSON Lines, or fairviz JSON Lines with query_id, ranking, text, utility and attributed."
)


class Producer(NamedTuple):
    """What produced an answer; answers of one producer are one noun."""

    system: str
    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    alpha: float | None = None
    k: int | None = None
    dataset: str | None = None


class OutputRow(NamedTuple):
    """One recorded answer.

    Attributes:
        line: Where it stands.
        producer: What produced it.
        query: Its query.
        sample: Which of the query's answers it is.
        given_from: Where the given documents were recorded.
        given: The documents given to the generator, distinct.
        attributed: The documents that it cites, distinct.
        sentences: The sentences that make the text, with the documents that each cites, where that is recorded.
        text: The answer.
        utility: Recorded utility, NaN where there is none.
        question: The query's words, where recorded.
        id_type: "string" or "number": how the file wrote the query's id.
    """

    line: int
    producer: Producer
    query: str
    sample: str
    given_from: GivenFrom
    given: list[str]
    attributed: list[str]
    sentences: list[tuple[str, list[str]]]
    text: str
    utility: float
    question: str | None
    id_type: str


def build_outputs(rows: Sequence[OutputRow], file: str) -> tuple[RagOutputs, ...]:
    """One noun per producer, in file order.

    Args:
        rows: The answers in file order.
        file: Name of the file.

    Raises:
        InputError: A sample of a query is answered twice, or some answers of a producer say what
            was given to the generator and others do not.
    """
    by_producer: dict[Producer, list[OutputRow]] = {}
    for row in rows:
        by_producer.setdefault(row.producer, []).append(row)
    return tuple(outputs_of(producer, answers, file) for producer, answers in by_producer.items())


def given_to_some(row: OutputRow, file: str) -> InputError:
    """What is wrong with an answer that says of what was given what others of its producer do not."""
    reason = f"only some answers of {shown(row.producer.system)} record what was given to it"
    return InputError(reason, file=file, line=row.line, fix="Record the ranking of every answer, or of none.")


def questions(rows: Sequence[OutputRow]) -> dict[str, str]:
    """The words of each query, where any answer records them."""
    return {row.query: row.question for row in reversed(rows) if row.question}


def outputs_of(producer: Producer, rows: Sequence[OutputRow], file: str) -> RagOutputs:
    """The noun of one producer.

    Args:
        producer: What produced the answers.
        rows: The answers, at least one; all to a query, if any.
        file: Name of the file.

    Raises:
        InputError: As :func:`build_outputs`.
    """
    first: dict[tuple[str, str], OutputRow] = {}
    by_query: dict[str, list[OutputRow]] = {}
    for row in rows:
        before = first.setdefault((row.query, row.sample), row)
        if before is not row:
            _refuse_second_answer(before, row, file)
        if row.given_from != rows[0].given_from:
            raise given_to_some(row, file)
        by_query.setdefault(row.query, []).append(row)
    ordered = [row for answers in by_query.values() for row in answers]
    docs: dict[str, int] = {}
    given = [[docs.setdefault(doc, len(docs)) for doc in row.given] for row in ordered]
    cited = [[docs.setdefault(doc, len(docs)) for doc in row.attributed] for row in ordered]
    sentences = _sentences(ordered, docs)
    return RagOutputs(
        query_ids=tuple(by_query),
        doc_ids=tuple(docs),
        offsets=np.cumsum([0, *(len(answers) for answers in by_query.values())]),
        samples=tuple(row.sample for row in ordered),
        given_from=ordered[0].given_from,
        given_offsets=np.cumsum([0, *(len(codes) for codes in given)]),
        given=np.array([code for codes in given for code in codes], dtype=np.int32),
        attributed_offsets=np.cumsum([0, *(len(codes) for codes in cited)]),
        attributed=np.array([code for codes in cited for code in codes], dtype=np.int32),
        texts=tuple(row.text for row in ordered),
        utilities=np.array([row.utility for row in ordered], dtype=np.float64),
        sentences=sentences,
        system=producer.system,
        task=producer.task,
        retriever=producer.retriever,
        generator=producer.generator,
        policy=producer.policy,
        alpha=producer.alpha,
        k=producer.k,
        dataset=producer.dataset,
    )


def _sentences(rows: list[OutputRow], docs: dict[str, int]) -> Sentences | None:
    """The sentences of all answers; None where no answer records them."""
    flat = [cited for row in rows for _, cited in row.sentences]
    if not flat:
        return None
    ends = [np.cumsum([len(text) + 1 for text, _ in row.sentences], dtype=np.int64) - 1 for row in rows]
    return Sentences(
        offsets=np.cumsum([0, *(len(row.sentences) for row in rows)]),
        ends=np.concatenate(ends),
        citation_offsets=np.cumsum([0, *map(len, flat)]),
        citations=np.array([docs.setdefault(doc, len(docs)) for cited in flat for doc in cited], dtype=np.int32),
    )


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
# citations as positions or as document ids.


@dataclass
class CitationBase:
    """Whether the citations of a file look as if they counted from 1."""

    any_zero: bool = False
    reach_end: int | None = None  # first line with a citation equal to the number of references
    n_references: int = 0
    beyond: bool = False

    def see(self, citation: int, n_references: int, line: int) -> None:
        """Take in one citation."""
        self.any_zero |= citation == 0
        self.beyond |= citation > n_references
        if citation == n_references and self.reach_end is None:
            self.reach_end, self.n_references = line, n_references

    def note(self, notes: NoteBook) -> None:
        """Say so where they do."""
        if self.reach_end is not None and not self.any_zero and not self.beyond:
            n = self.n_references
            message = f"citations look 1-based (never 0, reach {n} of {n} references)"
            notes.add(f"{message}; they are read from 0", self.reach_end)


class _Where(NamedTuple):
    line: int
    notes: NoteBook

    def refuse(self, reason: str) -> InputError:
        return InputError(reason, file=self.notes.file, line=self.line, fix="See the track's format description.")

    def note(self, message: str, kind: str) -> None:
        self.notes.add(message, self.line, kind=kind)


def is_trec_rag(record: dict[str, Json]) -> bool:
    """Whether a record is meant as a TREC RAG answer."""
    return "metadata" in record or "topic_id" in record or "narrative_id" in record


def trec_row(record: dict[str, Json], line: int, stem: str, base: CitationBase, notes: NoteBook) -> OutputRow:
    """One TREC RAG answer.

    Args:
        record: The object on the line.
        line: Its line.
        stem: The system's name where the record has no run id.
        base: Takes in the citations.
        notes: Where oddities are noted.

    Raises:
        InputError: A field is missing or of another type.
    """
    where = _Where(line, notes)
    metadata = record.get("metadata", record)
    if not isinstance(metadata, dict):
        raise where.refuse(f"metadata must be an object, found {json_type(metadata)}")
    about = Fields(metadata, line, notes.file)
    key = "topic_id" if "topic_id" in metadata else "narrative_id"
    query = about.identifier(key)
    missing = [key for key in ("references", "answer") if key not in record]
    if missing:
        raise where.refuse(f"missing {'/'.join(missing)}")
    references = _references(record["references"], where)
    answer = record["answer"]
    if not isinstance(answer, list):
        raise where.refuse(f"answer must be an array of sentences, found {json_type(answer)}")
    if not answer:
        where.note("empty answer", "empty answer")
    known = set(references)
    sentences = [_sentence(sentence, i, references, known, base, where) for i, sentence in enumerate(answer)]
    text = _joined(sentences)
    n_words = len(text.split())
    if n_words > LONG_ANSWER:
        where.note(f"answer is {n_words} words long", "long answer")
    _check_length(metadata.get("response_length", record.get("response_length")), n_words, where)
    return OutputRow(
        line=line,
        producer=Producer(about.optional_text("run_id") or stem),
        query=query,
        sample="1",
        given_from="references",
        given=list(dict.fromkeys(references)),
        attributed=_all_cited(sentences),
        sentences=sentences,
        text=text,
        utility=float("nan"),
        question=about.optional_text("topic" if key == "topic_id" else "narrative"),
        id_type=json_type(metadata[key]),
    )


def _joined(sentences: list[tuple[str, list[str]]]) -> str:
    """The answer that sentences make; :class:`Sentences` says where each ends in it."""
    return " ".join(text for text, _ in sentences)


def _all_cited(sentences: list[tuple[str, list[str]]]) -> list[str]:
    return list(dict.fromkeys(doc for _, cited in sentences for doc in cited))


def _references(value: Json, where: _Where) -> list[str]:
    if not isinstance(value, list):
        raise where.refuse(f"references must be an array, found {json_type(value)}")
    references: list[str] = []
    seen: set[str] = set()
    for reference in value:
        if not isinstance(reference, str):
            raise where.refuse(f"a reference must be a string, found {json_type(reference)}")
        if is_blank(reference):
            raise where.refuse(f"a reference is blank: '{shown(reference)}'")
        if reference in seen:
            where.note(f"duplicate reference {shown(reference)}", "duplicate reference")
        references.append(reference)
        seen.add(reference)
    return references


def _sentence(
    sentence: Json,
    i: int,
    references: list[str],
    known: set[str] | None,
    base: CitationBase,
    where: _Where,
) -> tuple[str, list[str]]:
    if not isinstance(sentence, dict):
        raise where.refuse(f"answer[{i}] must be an object, found {json_type(sentence)}")
    for key in ("text", "citations"):
        if key not in sentence:
            raise where.refuse(f"answer[{i}].{key} missing")
    text, citations = sentence["text"], sentence["citations"]
    if not isinstance(text, str):
        raise where.refuse(f"answer[{i}].text must be a string, found {json_type(text)}")
    if not isinstance(citations, list):
        raise where.refuse(f"answer[{i}].citations must be an array, found {json_type(citations)}")
    if not text.strip():
        where.note(f"answer[{i}].text is blank", "blank sentence")
    docs = [_cited(citation, i, references, known, base, where) for citation in citations]
    return text.strip(), list(dict.fromkeys(doc for doc in docs if doc is not None))


def _cited(
    citation: Json,
    i: int,
    references: list[str],
    known: set[str] | None,
    base: CitationBase,
    where: _Where,
) -> str | None:
    """The document that a citation means, or None with a note where there is no such reference.

    Any document may be cited where no references are ``known``.
    """
    if isinstance(citation, str):
        if citation in known if known is not None else not is_blank(citation):
            return citation
        message = f"answer[{i}] cites {shown(citation)} which is not in references: ignored"
        where.note(message, "unknown citation")
        return None
    if isinstance(citation, bool) or not isinstance(citation, int):
        raise where.refuse(f"citation must be an integer: {_json_text(citation)}")
    if citation < 0:
        raise where.refuse(f"answer[{i}] has a negative citation: {citation}")
    base.see(citation, len(references), where.line)
    if citation >= len(references):
        where.note(
            f"answer[{i}] cites reference {citation} but there are {len(references)} references (0-based): ignored",
            "citation out of range",
        )
        return None
    return references[citation]


def _json_text(value: Json) -> str:
    return str(value) if isinstance(value, float) else json_type(value)


def _check_length(stated: Json, counted: int, where: _Where) -> None:
    """Note a length that no way of counting words explains."""
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return
    if abs(stated - counted) > max(10, counted // 10):
        where.note(f"response_length {stated:g} but counted {counted}", "response length")


class RecordedOutputs(NamedTuple):
    """What a file of outputs holds.

    Attributes:
        outputs: One noun per system (retriever, policy, α, generator), in file order.
        questions: The words of the queries, where the file has them.
    """

    outputs: tuple[RagOutputs, ...]
    questions: dict[str, str]


@reader
def read_outputs(file: FileInput | Source) -> Parsed[RecordedOutputs]:
    """Read recorded outputs.

    Args:
        file: A path or ``(name, bytes)``: TREC RAG 2024 or 2025, fairviz JSON Lines, samples of Ragas or spans of
            OpenInference whose answers cite (:mod:`fairviz.io.rag_traces`), plain or gzip'ed.

    Returns:
        The outputs of each system, with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read, or a record is of neither layout.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    answers = Answers(source, notes)
    rows = list(answers.rows())
    outputs = build_outputs(rows, source.name)
    lines: dict[str, int] = {}
    for row in rows:
        lines.setdefault(row.query, row.line)
    check_queries(lines, notes)
    return Parsed(
        value=RecordedOutputs(outputs, questions(rows)),
        file=source.name,
        format=answers.format,
        notes=notes.collected,
        lines=lines,
    )


class Answers:
    """The answers of a file, one after the other.

    Args:
        source: The file.
        notes: Where repairs are noted.

    Attributes:
        format: What the file is, once it has been read.
    """

    def __init__(self, source: Source, notes: NoteBook) -> None:
        self.format = ""
        self._source, self._notes = source, notes

    def rows(self) -> Generator[OutputRow, None, None]:
        """The answers in the order of the file.

        Raises:
            InputError: The file cannot be read, or a record is of neither layout.
        """
        source, notes = self._source, self._notes
        head = head_of(source).decode(errors="replace").lstrip()
        tool = trace_tool(head_keys(head), head) if head[:1] in ("{", "[") else None
        if tool is not None:
            self.format = f"RAG outputs ({tool})"
            for trace, cited in read_traces(source, tool, notes):
                yield _traced(trace, cited, source.stem)
            return
        base = CitationBase()
        with closing(json_records(source, notes)) as records:
            for line, record in records:
                if is_trec_rag(record):
                    yield trec_row(record, line, source.stem, base, notes)
                    layout = "TREC RAG 2025" if "metadata" in record else "TREC RAG 2024"
                elif "query_id" in record:
                    yield _own_row(record, line, source.stem, base, notes)
                    layout = "fairviz RAG outputs"
                else:
                    reason = "missing topic_id/references/answer"
                    raise InputError(reason, file=source.name, line=line, fix=_FIX)
                self.format = self.format or layout
        base.note(notes)


def _traced(trace: Trace, cited: list[str], stem: str) -> OutputRow:
    """An answer that another tool recorded."""
    return OutputRow(
        line=trace.line,
        producer=Producer(stem, generator=trace.generator or None),
        query=trace.query,
        sample="1",
        given_from="ranking",
        given=trace.given,
        attributed=cited,
        sentences=[],
        text=trace.text,
        utility=math.nan,
        question=trace.question or None,
        id_type="string",
    )


def check_queries(lines: dict[str, int], notes: NoteBook) -> None:
    """Refuse ids of queries that cannot be seen, and note odd ones.

    Args:
        lines: First line of each query.
        notes: Where to note.

    Raises:
        InputError: One is blank.
    """
    check_ids(tuple(lines), "query id", lambda i: list(lines.values())[i], notes)


def write_outputs(outputs: Iterable[RagOutputs], to: TextIO, *, questions: dict[str, str] | None = None) -> None:
    """Write outputs as fairviz JSON Lines; :func:`read_outputs` gives them back.

    Args:
        outputs: Outputs of one or more systems.
        to: An open text file.
        questions: The words of the queries, repeated with each answer.
    """
    for answers in outputs:
        about = {
            key: value
            for key in ("system", "task", "dataset", "retriever", "generator", "policy", "alpha", "k")
            if (value := getattr(answers, key)) is not None
        }
        for q, query in enumerate(answers.query_ids):
            question = {"query": questions[query]} if questions and query in questions else {}
            for o in range(int(answers.offsets[q]), int(answers.offsets[q + 1])):
                record = {**about, "query_id": query, **question, **_answer(answers, o)}
                to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _answer(answers: RagOutputs, o: int) -> dict[str, Json]:
    given = answers.given[answers.given_offsets[o] : answers.given_offsets[o + 1]]
    start, end = answers.attributed_offsets[o], answers.attributed_offsets[o + 1]
    record: dict[str, Json] = {"sample": answers.samples[o]}
    if answers.given_from != "nowhere":
        record[answers.given_from] = [answers.doc_ids[doc] for doc in given.tolist()]
    sentences = [] if answers.sentences is None else answers.sentences.of(o, answers.texts[o])
    if sentences:
        record["answer"] = [
            {"text": text, "citations": [answers.doc_ids[doc] for doc in docs.tolist()]} for text, docs in sentences
        ]
    else:
        record["text"] = answers.texts[o]
    utility = float(answers.utilities[o])
    record["utility"] = None if math.isnan(utility) else utility
    record["attributed"] = [answers.doc_ids[doc] for doc in answers.attributed[start:end].tolist()]
    return record


def _own_row(record: dict[str, Json], line: int, stem: str, base: CitationBase, notes: NoteBook) -> OutputRow:
    fields = Fields(record, line, notes.file)
    given_from: GivenFrom = "nowhere"
    if "ranking" in record:
        given_from = "ranking"
    elif "references" in record:
        given_from = "references"
    given = fields.identifiers(given_from) if given_from != "nowhere" else []
    known = set(given)
    sentences = _own_sentences(record, given, None if given_from == "nowhere" else known, base, _Where(line, notes))
    if len(known) < len(given):
        reason = f"{given_from} names a document twice"
        raise InputError(reason, file=notes.file, line=line, fix="Name each document once.")
    attributed: dict[str, None] = {}
    for doc in fields.identifiers("attributed") if "attributed" in record else _all_cited(sentences):
        if doc in attributed:
            notes.add(f"{shown(doc)} is attributed twice: read once", line, kind="twice")
        elif given_from != "nowhere" and doc not in known:
            message = f"attributed {shown(doc)} is not in {given_from}: ignored"
            notes.add(message, line, kind="not given")
        else:
            attributed[doc] = None
    text = _joined(sentences) if sentences else fields.text("text")
    n_words = len(text.split()) if len(text) > LONG_ANSWER else 0
    if n_words > LONG_ANSWER:
        notes.add(f"answer is {n_words} words long", line, kind="long answer")
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
            fields.optional_text("dataset"),
        ),
        query=query,
        sample=fields.identifier("sample", "1"),
        given_from=given_from,
        given=given,
        attributed=list(attributed),
        sentences=sentences,
        text=text,
        utility=math.nan if utility is None else utility,
        question=fields.optional_text("query"),
        id_type="number" if isinstance(record["query_id"], int) else "string",
    )


def _own_sentences(
    record: dict[str, Json], given: list[str], known: set[str] | None, base: CitationBase, where: _Where
) -> list[tuple[str, list[str]]]:
    """The sentences of an answer that records them in place of its text."""
    answer = record.get("answer")
    if answer is None:
        return []
    if not isinstance(answer, list):
        raise where.refuse(f"answer must be an array of sentences, found {json_type(answer)}")
    if answer and record.get("text") is not None:
        reason = "both text and answer are given"
        raise InputError(reason, file=where.notes.file, line=where.line, fix="Give one: the sentences make the text.")
    return [_sentence(sentence, i, given, known, base, where) for i, sentence in enumerate(answer)]
