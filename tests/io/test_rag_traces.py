"""Samples of Ragas and spans of OpenInference: what was given, what is cited."""

import json
import math
from itertools import pairwise
from typing import Any

import pytest

from fairviz.errors import InputError
from fairviz.evaluation.outputs import attribution_values
from fairviz.io.formats import sniff
from fairviz.io.rag import read_outputs
from fairviz.kernels.attribution import attribution
from fairviz.model import RagOutputs


def lines(*records: Any) -> tuple[str, bytes]:
    return "traces.jsonl", "".join(json.dumps(record) + "\n" for record in records).encode()


def cited(outputs: RagOutputs) -> list[list[str]]:
    ends = outputs.attributed_offsets.tolist()
    return [[outputs.doc_ids[doc] for doc in outputs.attributed[start:end].tolist()] for start, end in pairwise(ends)]


def ragas(response: str, **more: Any) -> dict[str, Any]:
    ids = {"retrieved_context_ids": ["d1", "d2", "d3"]}
    return {"user_input": "Why?", "response": response, "retrieved_contexts": ["a", "b", "c"], **ids, **more}


def test_ragas_samples_with_citations() -> None:
    file = lines(ragas("So [1], and so [3]."), ragas("Thus [2, 3] [9].", user_input="How?"), ragas("x", user_input="?"))
    assert sniff(file).role == "rag"
    parsed = read_outputs(file)
    (outputs,) = parsed.value.outputs
    assert cited(outputs) == [["d1", "d3"], ["d2", "d3"], []]
    assert outputs.given_from == "ranking"
    assert parsed.value.questions == {"q1": "Why?", "q2": "How?", "q3": "?"}
    assert any("1 citations are of no document" in note.message for note in parsed.notes)


def test_citations_by_id_and_from_zero() -> None:
    (outputs,) = read_outputs(lines(ragas("See [d2]."))).value.outputs
    assert cited(outputs) == [["d2"]]
    (outputs,) = read_outputs(lines(ragas("See [0] and [2]."))).value.outputs
    assert cited(outputs) == [["d1", "d3"]]


def test_contexts_without_ids_are_named_by_their_words() -> None:
    one = {"user_input": "Why?", "response": "So [1].", "retrieved_contexts": ["same words", "others"]}
    two = {**one, "user_input": "How?", "retrieved_contexts": ["others", "same  words"]}
    (outputs,) = read_outputs(lines(one, two)).value.outputs
    assert len(outputs.doc_ids) == 2
    assert cited(outputs) == [[outputs.doc_ids[0]], [outputs.doc_ids[1]]]


def test_samples_that_cite_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="missing topic_id/references/answer"):
        read_outputs(lines(ragas("So.")))
    with pytest.raises(InputError, match="no answer cites a document"):
        read_outputs(lines(ragas("So [see below].")))
    with pytest.raises(InputError, match="several turns"):
        read_outputs(lines(ragas("So [1]."), ragas("So [1].", user_input=[{"content": "Hi"}])))


def span(kind: str, attributes: Any, *, parent: str | None = "root", trace: str = "t1") -> dict[str, Any]:
    context = {"trace_id": trace, "span_id": kind}
    return {"name": kind, "context": context, "parent_id": parent, "attributes": attributes}


FLAT = (
    span(
        "RETRIEVER",
        {
            "openinference.span.kind": "RETRIEVER",
            "input.value": "Why?",
            "retrieval.documents.1.document.id": "d2",
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.content": "a",
        },
    ),
    span(
        "LLM",
        {"openinference.span.kind": "LLM", "llm.model_name": "m", "llm.output_messages.0.message.content": "So [2]."},
    ),
    span("CHAIN", {"openinference.span.kind": "CHAIN", "input.value": "Why?", "output.value": "So [2]."}, parent=None),
)
NESTED = (
    span("RETRIEVER", {"retrieval": {"documents": [{"document": {"id": "d1"}}, {"document": {"id": "d2"}}]}}),
    span("CHAIN", {"input": {"value": "Why?"}, "output": {"value": "So [d2]."}}, parent=None),
)


def exported(number: str, of: dict[str, Any], **parent: str) -> dict[str, Any]:
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in of["attributes"].items()]
    return {"traceId": "t1", "spanId": number, "attributes": attributes, **parent}


SPANS = [exported("a", FLAT[0], parentSpanId="b"), exported("b", FLAT[2])]
EXPORTED = {"resourceSpans": [{"scopeSpans": [{"spans": SPANS}]}]}


@pytest.mark.parametrize("records", [FLAT, NESTED, (EXPORTED,)], ids=["flat", "nested", "OTLP"])
@pytest.mark.parametrize("indent", [None, 2], ids=["lines", "indented"])
def test_spans_of_a_trace_are_one_answer(records: tuple[Any, ...], indent: int | None) -> None:
    whole = records[0] if len(records) == 1 else list(records)
    file = lines(*records) if indent is None else ("traces.json", json.dumps(whole, indent=indent).encode())
    assert sniff(file).role == "rag"
    parsed = read_outputs(file)
    (outputs,) = parsed.value.outputs
    assert outputs.doc_ids == ("d1", "d2")
    assert cited(outputs) == [["d2"]]
    assert parsed.value.questions == {"q1": "Why?"}


def test_traces_without_documents_are_left_out_and_counted() -> None:
    other = span("CHAIN", {"openinference.span.kind": "CHAIN", "output.value": "Hello"}, parent=None, trace="t2")
    parsed = read_outputs(lines(*FLAT, other))
    assert "1 of 2 traces holds no documents or no answer: left out" in [note.message for note in parsed.notes]


def read(file: tuple[str, bytes]) -> tuple[str, list[list[str]], list[str], dict[str, str]]:
    """The format of a file, what its answers cite, the documents, and the questions."""
    parsed = read_outputs(file)
    (outputs,) = parsed.value.outputs
    return sniff(file).label, cited(outputs), list(outputs.doc_ids), parsed.value.questions


CASE = {"input": "Why?", "actual_output": "So [2].", "retrieval_context": ["same words", "others"], "name": None}
CONTEXTS = [{"doc_id": "000", "text": "a"}, {"doc_id": "001", "text": "b"}]
RECORD = {"query_id": "7", "query": "Why?", "gt_answer": "x", "response": "So [2].", "retrieved_context": CONTEXTS}
OLDER = {"question": "Why?", "contexts": ["a", "b"], "answer": "She did [2].", "ground_truth": "she"}


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "indented"])
@pytest.mark.parametrize(
    ("tool", "content", "query"),
    [
        ("a DeepEval test case", [CASE], "q1"),
        ("a RAGChecker record", {"results": [RECORD]}, "7"),
        ("a RAGAS sample", [OLDER], "q1"),
    ],
)
def test_samples_of_other_tools(tool: str, content: object, query: str, indent: int | None) -> None:
    label, cites, docs, questions = read(("a.json", json.dumps(content, indent=indent).encode()))
    assert (label, cites, questions) == (f"RAG outputs ({tool})", [docs[1:]], {query: "Why?"})
    assert (docs == ["000", "001"]) == (query == "7")


def test_documents_that_entail_a_claim_are_used() -> None:
    contexts = [{"doc_id": str(i), "text": "a"} for i in range(3)]
    labels = [["Neutral", "Entailment", "Neutral"], ["Contradiction", "Entailment", "Neutral"]]
    record = {"query_id": "7", "query": "Why?", "response": "So.", "retrieved_context": contexts}
    file = ("outputs.json", json.dumps({"results": [{**record, "retrieved2response": labels}]}).encode())
    assert read(file)[1] == [["1"]]


def test_an_answer_of_which_nobody_judged_a_claim_is_an_output_without_ear() -> None:
    """An EAR of 0 would say that it uses nothing; where its text cites, that counts, and so does its text."""
    contexts = [{"doc_id": str(i), "text": "a"} for i in range(2)]
    labels = [("1", [["Entailment", "Neutral"]]), ("2", []), ("3", None), ("4", None), ("1", None)]
    records = [
        {"query_id": query, "query": f"Why {query}?", "response": "So [2]." if query == "3" else "So."}
        | {"retrieved_context": contexts, "retrieved2response": judged}
        for query, judged in labels
    ]
    parsed = read_outputs(("outputs.json", json.dumps({"results": records}).encode()))
    (outputs,) = parsed.value.outputs
    assert dict(zip(outputs.query_ids, cited(outputs), strict=True)) == {"1": ["0"], "3": ["1"], "2": [], "4": []}
    rates = attribution_values(attribution(outputs, k=2))
    assert dict(zip(outputs.query_ids, rates.tolist(), strict=True)) == pytest.approx(
        {"1": 1 / 2, "3": 1 / 2, "2": math.nan, "4": math.nan}, nan_ok=True
    )
    assert outputs.texts == ("So.", "So [2].", "So.", "So.")
    assert [note.message for note in parsed.notes] == [
        "3 of 5 answers were judged by nobody: what they use of what they were given, and with it EAR, is undefined, "
        "and those whose question has a judged answer are left out"
    ]


def test_a_question_of_samples_that_comes_again_has_one_more_answer() -> None:
    parsed = read_outputs(lines(ragas("So [1]."), ragas("So [2].", user_input="How?"), ragas("Thus [3].")))
    (outputs,) = parsed.value.outputs
    assert (outputs.query_ids, outputs.samples) == (("q1", "q2"), ("1", "2", "1"))
    assert cited(outputs) == [["d1"], ["d3"], ["d2"]]
    assert [note.message for note in parsed.notes] == [
        "1 question asked more than once: each answer is a sample of its question"
    ]
    two = [ragas("So [1].", sample_id="7"), ragas("So [2].", sample_id="7", user_input="How?")]
    with pytest.raises(InputError, match="sample 1 of query 7 answered twice"):
        read_outputs(lines(*two))


DOCUMENTS = [{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}]
MESSAGES = [{"role": "assistant", "parts": [{"type": "text", "content": "So [2]."}], "finish_reason": "stop"}]


@pytest.mark.parametrize("as_text", [False, True], ids=["structured", "JSON text"])
def test_spans_of_opentelemetry(as_text: bool) -> None:
    written: Any = json.dumps if as_text else lambda value: value
    retrieval = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "Why?",
        "gen_ai.retrieval.documents": written(DOCUMENTS),
    }
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages": written(MESSAGES)}
    file = lines(span("retrieve", retrieval), span("chat", chat))
    label, cites, docs, questions = read(file)
    assert label == "RAG outputs (OpenInference or OpenTelemetry spans)"
    assert (cites, docs, questions) == ([["d2"]], ["d1", "d2"], {"q1": "Why?"})


def observation(kind: str, parent: str | None, **of: Any) -> dict[str, Any]:
    return {"id": kind, "traceId": "t", "type": kind, "parentObservationId": parent, "startTime": "2026-01-01", **of}


LANGFUSE = {
    "id": "t",
    "name": "rag",
    "timestamp": "2026-01-01",
    "input": {"query": "Why?"},
    "output": {"answer": "So [2]."},
    "observations": [
        observation("RETRIEVER", None, input="Why?", output=[{"page_content": "a", "id": "d1"}, {"id": "d2"}]),
        observation("GENERATION", None, model="m", input=[{"role": "user", "content": "Why?"}], output="So [2]."),
    ],
}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(LANGFUSE, indent=2),
        json.dumps([LANGFUSE]),
        json.dumps({"trace": LANGFUSE, "observations": LANGFUSE["observations"], "scores": []}),
        "\n".join(json.dumps(row) for row in LANGFUSE["observations"]),
    ],
    ids=["trace", "traces", "downloaded", "observations"],
)
def test_traces_of_langfuse(content: str) -> None:
    label, cites, docs, questions = read(("trace-t.json", content.encode()))
    assert label == "RAG outputs (Langfuse traces)"
    assert (cites, docs, questions) == ([["d2"]], ["d1", "d2"], {"q1": "Why?"})


def test_records_with_long_texts_are_recognised_by_what_stands_behind_these() -> None:
    words = "so " * 30_000
    found = observation("RETRIEVER", None, input="Why?", output=[{"page_content": words, "id": "d1"}])
    traces = [
        LANGFUSE | {"id": trace, "output": "So [1].", "observations": [found | {"traceId": trace}]}
        for trace in ("t", "u")
    ]
    assert len(read_outputs(lines(*traces)).value.outputs[0].texts) == 2
    judged = RECORD | {"response": "So.", "retrieved_context": [{"doc_id": "d1", "text": words}]}
    results = {"results": [judged | {"retrieved2response": [["Entailment"]]}]}
    assert sniff(("a.json", json.dumps(results, indent=1).encode())).label == "RAG outputs (a RAGChecker record)"


def test_an_answer_has_the_day_of_its_trace_and_a_question_that_comes_again_one_more_answer() -> None:
    """Documents without an id are named by their web address; each part of one is a place that can be cited."""
    sources = ("https://a.org/x", "https://a.org/x", "https://b.org", "mine.pdf")
    found = {"openinference.span.kind": "RETRIEVER"} | {
        f"retrieval.documents.{i}.document.{key}": value
        for i, source in enumerate(sources)
        for key, value in (("content", f"part {i}"), ("metadata", json.dumps({"source": source})))
    }
    chain = {"openinference.span.kind": "CHAIN", "input.value": "Why?", "output.value": "So [3]."}
    file = lines(
        {**span("R", found, trace="t1"), "start_time": "2026-03-01T10:00:00+00:00"},
        {**span("C", chain, parent=None, trace="t1"), "start_time": "2026-03-01T09:59:59+00:00"},
        {**span("R", found, trace="t2"), "startTimeUnixNano": "1772496000000000000"},  # 2026-03-03
        {**span("C", chain, parent=None, trace="t2"), "startTimeUnixNano": "1772496000000000000"},
    )
    (outputs,) = read_outputs(file).value.outputs
    assert (outputs.query_ids, outputs.samples) == (("q1",), ("1", "2"))
    assert outputs.dates == ("2026-03-01", "2026-03-03")
    assert outputs.doc_ids[:2] == ("https://a.org/x", "https://b.org")
    assert outputs.doc_ids[2].startswith("doc-")  # a file on somebody's disk is no address
    assert cited(outputs) == [["https://b.org"]] * 2
