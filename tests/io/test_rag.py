"""Recorded outputs: fairviz JSON Lines come back, TREC RAG is read, oddities noted or refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.names import is_blank
from fairviz.io.notes import Parsed
from fairviz.io.rag import RecordedOutputs, read_outputs, write_outputs
from tests.fuzz.law import READINGS, check_comes_back, said_sentences
from tests.io.written import written
from tests.refused import refused

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)
ids = texts.filter(lambda text: not is_blank(text))
docs = st.lists(st.sampled_from("abcde"), unique=True, max_size=4)
factors = st.fixed_dictionaries(
    {"system": ids},
    optional=dict.fromkeys(("task", "retriever", "generator", "policy"), ids)
    | {"alpha": st.floats(0, 8), "k": st.integers(1, 20)},
)
answers = st.fixed_dictionaries(
    {"query_id": ids, "text": texts, "attributed": docs},
    optional={"utility": st.floats(allow_nan=False, allow_infinity=False)},
)


@given(factors, st.lists(answers, min_size=1, max_size=6), st.sampled_from(["ranking", "references", ""]), st.data())
def test_outputs_survive_their_file(
    about: dict[str, Any], rows: list[dict[str, Any]], given_from: str, data: st.DataObject
) -> None:
    listed = [{given_from: data.draw(docs)} if given_from else {} for _ in rows]
    records = [about | row | given | {"sample": i} for i, (row, given) in enumerate(zip(rows, listed, strict=True))]
    outputs = read(*records).value
    ordered = sorted(records, key=lambda record: outputs.outputs[0].query_ids.index(record["query_id"]))
    assert outputs.outputs[0].texts == tuple(record["text"] for record in ordered)
    check_comes_back(outputs, READINGS["outputs"])


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
        cited = outputs.attributed[: outputs.attributed_offsets[1]].tolist()
        assert [outputs.doc_ids[doc] for doc in cited] == ["b", "a", "c"]  # all that the first answer cites
        check_comes_back(parsed, READINGS["outputs"])


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
