"""Recorded outputs: fairviz JSON Lines come back, TREC RAG is read, oddities noted or refused."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.names import is_blank
from fairviz.io.notes import Parsed
from fairviz.io.rag import RecordedOutputs, read_outputs, write_outputs
from fairviz.model import RagOutputs
from tests.fuzz.law import said_sentences
from tests.io.written import written
from tests.refused import refused

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)
ids = texts.filter(lambda text: not is_blank(text))
answers = st.fixed_dictionaries(
    {
        "given": st.lists(st.sampled_from("abcde"), unique=True, max_size=4),
        "cited": st.lists(st.integers(0, 3), unique=True, max_size=3),
        "text": texts,
        "utility": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    }
)


@st.composite
def recorded(draw: st.DrawFn) -> RagOutputs:
    queries = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    per_query = [draw(st.lists(answers, min_size=1, max_size=3)) for _ in queries]
    rows = [row for found in per_query for row in found]
    given_from = draw(st.sampled_from(["ranking", "references", "nowhere"]))
    given_docs = [row["given"] if given_from != "nowhere" else [] for row in rows]
    known = [docs if given_from != "nowhere" else list("abcde") for docs in given_docs]
    cited = [[docs[i] for i in row["cited"] if i < len(docs)] for row, docs in zip(rows, known, strict=True)]
    return RagOutputs(
        system=draw(ids),
        query_ids=tuple(queries),
        doc_ids=tuple("abcde"),
        offsets=np.cumsum([0, *map(len, per_query)]),
        samples=tuple(str(i) for found in per_query for i in range(len(found))),
        given_from=given_from,
        given_offsets=np.cumsum([0, *map(len, given_docs)]),
        given=np.array(["abcde".index(d) for docs in given_docs for d in docs], dtype=np.int32),
        attributed_offsets=np.cumsum([0, *map(len, cited)]),
        attributed=np.array(["abcde".index(d) for docs in cited for d in docs], dtype=np.int32),
        texts=tuple(row["text"] for row in rows),
        utilities=np.array([math.nan if (u := row["utility"]) is None else u for row in rows]),
        task=draw(st.none() | ids),
        retriever=draw(st.none() | ids),
        generator=draw(st.none() | ids),
        policy=draw(st.none() | ids),
        alpha=draw(st.none() | st.floats(0, 8)),
        k=draw(st.none() | st.integers(1, 20)),
    )


def content(of: RagOutputs) -> list[Any]:
    """All that a noun says, with ids instead of places."""
    per_output = [
        (
            [of.doc_ids[d] for d in of.given[of.given_offsets[o] : of.given_offsets[o + 1]]],
            [of.doc_ids[d] for d in of.attributed[of.attributed_offsets[o] : of.attributed_offsets[o + 1]]],
            of.samples[o],
            of.texts[o],
            repr(float(of.utilities[o])),
        )
        for o in range(len(of.samples))
    ]
    about = (of.system, of.task, of.retriever, of.generator, of.policy, of.alpha, of.k)
    return [about, of.query_ids, of.offsets.tolist(), of.given_from, *per_output]


@given(recorded())
def test_outputs_survive_their_file(outputs: RagOutputs) -> None:
    (again,) = read_outputs(written(lambda noun, to: write_outputs([noun], to), outputs)).value[0]
    assert content(again) == content(outputs)


def test_each_sentence_keeps_what_it_cites() -> None:
    answer = [
        {"text": " One. ", "citations": [1, 0, 1]},
        {"text": "", "citations": []},
        {"text": "Two here.", "citations": ["c"]},
    ]
    wanted = [[("One.", ["b", "a"]), ("", []), ("Two here.", ["c"])], []]
    of_2025 = read(trec(answer=answer, run_id="s"), trec(answer=[], query="p", run_id="s")).value
    own = read(
        {"system": "s", "query_id": "q", "references": ["a", "b", "c"], "answer": answer},
        {"system": "s", "query_id": "p", "references": ["a", "b", "c"], "answer": []},
    ).value
    for parsed in (of_2025, own):
        (outputs,) = parsed.outputs
        assert outputs.texts == ("One.  Two here.", "")
        assert said_sentences(outputs) == wanted
        assert content(outputs)[4][1] == ["b", "a", "c"]  # attributed: all that is cited
        (again,) = read_outputs(written(lambda noun, to: write_outputs(noun, to), parsed.outputs)).value.outputs
        assert said_sentences(again) == wanted
        assert content(again) == content(outputs)


def test_outputs_of_a_task_of_lamp_are_read() -> None:
    (outputs,) = read({"task": "LaMP-1", "query_id": "q", "ranking": ["a"], "text": "t"}).value.outputs
    assert outputs.task == "LaMP-1"


def test_sentences_without_a_list_may_cite_any_document() -> None:
    (outputs,) = read({"query_id": "q", "answer": [{"text": "t", "citations": ["x", " "]}]}).value.outputs
    assert said_sentences(outputs) == [[("t", ["x"])]]
    assert read({"query_id": "q", "text": "t"}).value.outputs[0].sentences == ()


def test_the_words_of_queries_come_back() -> None:
    upload = lines({"query_id": "q", "text": "t", "query": "why?"}, {"query_id": "p"})
    parsed = read_outputs(upload).value
    assert parsed.questions == {"q": "why?"}
    again = written(lambda noun, to: write_outputs(noun, to, questions=parsed.questions), parsed.outputs)
    assert read_outputs(again).value.questions == {"q": "why?"}


def lines(*records: dict[str, Any] | str) -> tuple[str, bytes]:
    texts = (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records)
    return ("a.jsonl", "".join(text + "\n" for text in texts).encode())


def read(*records: dict[str, Any] | str) -> Parsed[RecordedOutputs]:
    return read_outputs(lines(*records))


def said(parsed: Parsed[RecordedOutputs]) -> list[tuple[int | None, str]]:
    return [(note.line, note.message) for note in parsed.notes]


def trec(*citations: object, query: object = "q", **changes: object) -> dict[str, Any]:
    answer = [{"text": " one two ", "citations": list(citations)}]
    return {"topic_id": query, "references": ["a", "b", "c"], "answer": answer, **changes}


def test_citations_of_2024_count_from_0() -> None:
    (outputs,) = read(trec(2, 0, 2, run_id="sys", topic="why?")).value.outputs
    assert [outputs.doc_ids[d] for d in outputs.attributed] == ["c", "a"]
    assert (outputs.system, outputs.given_from, outputs.texts) == ("sys", "references", ("one two",))
    assert read(trec(topic="why?")).value.questions == {"q": "why?"}


def test_2025_keeps_the_same_under_metadata() -> None:
    record = trec("b", 0, query=7)
    about = {"run_id": "sys", "narrative_id": 7, "narrative": "why?"}
    record = {"metadata": about, "references": record["references"], "answer": record["answer"]}
    parsed = read(record)
    (outputs,) = parsed.value.outputs
    assert parsed.format == "TREC RAG 2025"
    assert outputs.query_ids == ("7",)
    assert [outputs.doc_ids[d] for d in outputs.attributed] == ["b", "a"]
    assert parsed.value.questions == {"7": "why?"}


def report(*citations: object, **changes: object) -> dict[str, Any]:
    responses = [{"text": "one.", "citations": cites} for cites in citations]
    about = {"team_id": "t", "run_id": "sys", "topic_id": "300", "task": "english"}
    return {"metadata": about, "responses": responses, **changes}


def test_reports_of_ragtime() -> None:
    of_confidence = report({"b": 20, "a": 80.5}, {}, references=["a", "b", "c"])
    parsed = read(of_confidence)
    (outputs,) = parsed.value.outputs
    assert parsed.format == "TREC RAGTIME"
    assert (outputs.system, outputs.query_ids, outputs.given_from) == ("sys", ("300",), "references")
    assert [outputs.doc_ids[d] for d in outputs.attributed] == ["a", "b"]  # by falling confidence
    assert [outputs.doc_ids[d] for d in outputs.given] == ["a", "b", "c"]
    (outputs,) = read(report(["x"], ["y"], documents={"x": {"text": "…"}, "y": {}, "z": {}})).value.outputs
    assert [outputs.doc_ids[d] for d in outputs.given] == ["x", "y", "z"]
    (outputs,) = read(report(["x"], ["y"])).value.outputs
    assert outputs.given_from == "nowhere"
    assert [outputs.doc_ids[d] for d in outputs.attributed] == ["x", "y"]


def test_runs_of_several_systems_in_one_file() -> None:
    rows = [{"query_id": "q", "system": s, "alpha": a} for s in "xy" for a in (1, 2.5)]
    outputs = read(*rows).value.outputs
    assert [(one.system, one.alpha) for one in outputs] == [("x", 1.0), ("x", 2.5), ("y", 1.0), ("y", 2.5)]
    assert [one.system for one in read({"query_id": "q"}).value.outputs] == ["a"]  # the stem


@pytest.mark.parametrize(
    ("record", "note"),
    [
        (trec(3, 0), "answer[0] cites reference 3 but there are 3 references (0-based): ignored"),
        (trec("z"), "answer[0] cites z which is not in references: ignored"),
        (trec(references=["a", "a"]), "duplicate reference a"),
        (trec(answer=[]), "empty answer"),
        (trec(response_length=99), "response_length 99 but counted 2"),
        ({"query_id": "q", "ranking": ["a"], "attributed": ["b"]}, "attributed b is not in ranki"),
        ({"query_id": "q", "attributed": ["b", "b"]}, "b is attributed twice: read once"),
        ({"query_id": "q", "text": "x " * 20_001}, "answer is 20001 words long"),
    ],
)
def test_noted(record: dict[str, Any], note: str) -> None:
    (line, message) = said(read("", record))[-1]
    assert line == 2
    assert message.startswith(note)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (trec(-1), r"answer\[0\] has a negative citation: -1"),
        (trec(True), "citation must be an integer: true"),
        (trec(1.5), r"citation must be an integer: 1.5"),
        (trec(references="a"), "references must be an array, found string"),
        (trec(references=[1]), "a reference must be a string, found number"),
        (trec(answer="text"), "answer must be an array, found string"),
        (trec(answer=["text"]), r"answer\[0\] must be an object, found string"),
        (trec(answer=[{"text": "t"}]), r"answer\[0\].citations missing"),
        (trec(answer=[{"text": 1, "citations": []}]), r"answer\[0\].text must be a string"),
        (trec(query=None), "missing topic_id"),
        (trec(query=1.5), "topic_id must be a string or an integer, found number"),
        ({"metadata": []}, "metadata must be an object, found array"),
        ({"topic_id": "q", "answer": []}, "missing references"),
        (report({"a": "high"}), r"responses\[0\] cites a with string, no confidence"),
        (report("a"), r"responses\[0\].citations must be an array, found string"),
        (report(["a"], documents=["a"]), "documents must be an object, found array"),
        ({"x": 1}, "missing topic_id/references/answer"),
        ({"query_id": ""}, "query_id is empty"),
        ({"query_id": "q", "answer": "t"}, "answer must be an array, found string"),
        ({"query_id": "q", "answer": [{"text": "t"}]}, r"answer\[0\].citations missing"),
        ({"query_id": "q", "text": "t", "answer": [{"text": "t", "citations": []}]}, "both text and answer are given"),
        ({"query_id": "q", "utility": "high"}, "utility must be a number, found string"),
        ({"query_id": "q", "utility": True}, "utility must be a number, found true"),
        ({"query_id": "q", "k": 1.5}, "k must be an integer, found number"),
        ({"query_id": "q", "ranking": ["a", "a"]}, "ranking names a document twice"),
        ({"query_id": "q", "ranking": [[]]}, "an element of ranking must be a string"),
        ({"query_id": "p", "sample": 1}, r"sample 1 of query p answered twice \(line 1\)"),
        ({"query_id": "q", "ranking": []}, "only some answers of a record what was given"),
    ],
)
def test_refused(record: dict[str, Any], reason: str) -> None:
    with refused(match=rf"^a.jsonl:2: {reason}"):
        read({"query_id": "p"}, record)


def test_one_array_is_read_with_a_note() -> None:
    upload = ("a.json", json.dumps([{"query_id": "q"}, {"query_id": "p"}]).encode())
    parsed = read_outputs(upload)
    assert said(parsed) == [(1, "file is one JSON array, read as 2 records")]
    assert parsed.value.outputs[0].query_ids == ("q", "p")
