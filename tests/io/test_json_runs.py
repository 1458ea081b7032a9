"""Runs as JSON of other tools, and as tables with a header: the same rows give the same run."""

import io
import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.errors import InputError
from fairviz.io.dataset import add_file
from fairviz.io.groups import read_groups
from fairviz.io.join import validate
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run
from fairviz.model import Dataset
from tests.io.written import ranked

SCORES = {"q2": {"a": 0.5, "b": 2.0}, "q1": {"b": 1.0, "c": -3.25, "a": 1.0}}
ROWS = [(query, doc, score) for query, scored in SCORES.items() for doc, score in scored.items()]


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def candidates(**of: Any) -> list[dict[str, Any]]:
    return [
        {
            "query": {"qid": q, "text": "?"},
            "candidates": [{"docid": d, "score": s, "doc": {"contents": "-"}} for d, s in docs.items()],
        }
        for q, docs in of.items()
    ]


def table(separator: str, *names: str) -> bytes:
    return "".join(f"{separator.join(map(str, row))}\n" for row in (names, *ROWS)).encode()


def frame(*names: str, rows: Any = ROWS) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows, schema=list(names), orient="row").write_parquet(file)
    return file.getvalue()


MTEB = {"mteb_model_meta": {"model_name": "org/e5", "revision": "1"}, "default": {"test": SCORES}}
FILES = {
    "ranx": as_bytes(SCORES),
    "PyLate": as_bytes({q: [{"id": d, "score": s} for d, s in docs.items()] for q, docs in SCORES.items()}),
    "PyLate's evaluator": b"".join(
        as_bytes({"query_id": q, "query": "?", "results": [{"corpus_id": d, "score": s} for d, s in docs.items()]})
        + b"\n"
        for q, docs in SCORES.items()
    ),
    "MTEB": as_bytes(MTEB),
    "RankLLM lines": b"".join(as_bytes(record) + b"\n" for record in candidates(**SCORES)),
    "RankLLM array": json.dumps(candidates(**SCORES), indent=2).encode(),
    "CSV": table(",", "query_id", "doc_id", "score"),
    "TSV of PyTerrier": table("\t", "qid", "docno", "score"),
    "CSV of LensKit": table(",", "user_id", "item_id", "score"),
    "records": b"".join(as_bytes(dict(zip(("query_id", "docid", "score"), row, strict=True))) + b"\n" for row in ROWS),
    "an array": as_bytes([dict(zip(("topic_id", "doc_id", "score"), row, strict=True)) for row in ROWS]),
    "Parquet of ranx": frame("q_id", "doc_id", "score"),
    "Parquet of RankLLM": frame("query", "candidates", rows=[tuple(row.values()) for row in candidates(**SCORES)]),
}
NAMED = {"MTEB": "org/e5"}
"""Files that say what made them."""


@pytest.mark.parametrize("name", FILES)
def test_each_is_recognised_and_gives_the_same_run(name: str) -> None:
    (run,) = add_file(Dataset(name="d"), ("mine.x", FILES[name])).runs
    assert ranked(run) == {"q2": [("b", 2.0), ("a", 0.5)], "q1": [("b", 1.0), ("a", 1.0), ("c", -3.25)]}
    assert run.system == NAMED.get(name, "mine")


def test_ragas_without_citations_says_what_was_retrieved() -> None:
    asked = {"user_input": "why?", "response": "So.", "retrieved_context_ids": ["b", "a", "b"]}
    other = {"user_input": "how?", "response": "Thus.", "retrieved_context_ids": [7]}
    nothing = {"user_input": "who?", "response": "-", "retrieved_context_ids": []}
    lines = b"".join(as_bytes(sample) + b"\n" for sample in (asked, other, asked, nothing))
    data = add_file(Dataset(name="d"), ("mine.jsonl", lines))
    assert ranked(data.runs[0]) == {"q1": [("b", 2.0), ("a", 1.0)], "q2": [("7", 1.0)]}
    assert [str(note) for note in data.notes] == ["mine.jsonl:4: nothing was retrieved: left out"]
    for sample, error in (
        (asked | {"retrieved_context_ids": ["a"]}, "a:5: question q1 of line 1 has another list here"),
        (asked | {"retrieved_context_ids": [None]}, "a:5: retrieved_context_ids holds no list of ids"),
    ):
        with pytest.raises(InputError, match=f"^{error}"):
            read_run(("a", lines + as_bytes(sample)))
    with pytest.raises(InputError, match=r"^a:1: no data: it holds no query"):
        read_run(("a", as_bytes(nothing)))


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "indented"])
def test_records_of_ragchecker_without_judgements_say_what_was_retrieved(indent: int | None) -> None:
    contexts = [{"doc_id": "d1", "text": "one"}, {"doc_id": None, "text": "two"}]
    unjudged = {"query_id": "7", "query": "Why?", "response": "So.", "retrieved_context": contexts}
    whole = json.dumps({"results": [unjudged]}, indent=indent).encode()
    unjudged_data = add_file(Dataset(name="d"), ("mine.json", whole))
    (run,) = unjudged_data.runs
    assert "1 answer that nobody judged: what they use" in str(unjudged_data.notes[0])
    # Where a document has no id its words name it, as among the documents given for answers.
    assert ranked(run) == {"7": [("d1", 2.0), ("doc-3fc4ccfe7458", 1.0)]}
    judged = json.dumps({"results": [unjudged | {"retrieved2response": [["Entailment", "Neutral"]]}]}, indent=indent)
    data = add_file(Dataset(name="d"), ("mine.json", judged.encode()))
    assert (len(data.runs), data.outputs[0].attributed.tolist()) == (0, [0])


def test_a_table_of_a_run_keeps_its_ranks_system_and_lines() -> None:
    rows = "qid,docno,score,rank,tag\nq,a,1,3,mine\nq,b,2,7,mine\n"
    parsed = read_ranked_run(("a.csv", rows.encode()))
    assert (parsed.value.system, parsed.format) == ("mine", "CSV run")
    assert ranked(parsed.value) == {"q": [("a", -3.0), ("b", -7.0)]}  # by rank, not by score
    without = read_ranked_run(("a.csv", table(",", "query_id", "doc_id", "score")))
    assert (ranked(without.value)["q2"], without.notes) == (
        [("b", -1.0), ("a", -2.0)],
        read_run(("a.csv", FILES["CSV"])).notes,
    )
    assert read_run(("a.csv", rows.encode())).lines == {"q": 2}


def test_a_table_of_several_systems_is_a_run_of_each_with_its_own_lines() -> None:
    rows = b"qid,docno,score,name\nq,a,1,mine\nq,a,4,other\nq,b,2,mine\nr,a,3,other\n"
    parsed = read_rankings(("a.csv", rows))
    assert [(each.value.system, each.lines) for each in parsed.every] == [
        ("mine", {"q": 2}),
        ("other", {"q": 3, "r": 5}),
    ]
    mine, other = (ranked(each.value) for each in parsed.every)
    assert (mine, other) == ({"q": [("b", 2.0), ("a", 1.0)]}, {"q": [("a", 4.0)], "r": [("a", 3.0)]})
    with pytest.raises(InputError, match=r"^a\.csv:6: duplicate document a for query q \(first on line 3\)"):
        read_rankings(("a.csv", rows + b"q,a,5,other\n"))
    assert [run.system for run in add_file(Dataset(name="d"), ("a.csv", rows)).runs] == ["mine", "other"]
    assert validate(("a.csv", rows)).value == {"systems": 2, "rows": 4}
    for read in (read_run, read_ranked_run):
        with pytest.raises(InputError, match=r"one system's .*: it holds 2 \(mine, other\)"):
            read(("a.csv", rows))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"qid,docno,score\nq,a,1\nq,b,x\n", "a:3: score is not a number: x"),
        (b"qid,docno,score\nq,a,1\n\nq,a,2\n", r"a:4: duplicate document a for query q \(first on line 2\)"),
        (b"qid,docno,score\nq,a,\n", "a:2: score is missing"),
        (b"qid,docno,score\nq,a b,1\n", "a:2: document id 'a b' is blank or holds a blank"),
        (b"qid,docno,score\nq,a\n", "a:2: 2 cells, header has 3"),
        (b"qid,docno,score\n", "a:1: no data rows"),
        (b'{"qid": "q", "docno": "a", "score": true}\n', "a:1: score is not a number: true"),
        (b'{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q", "docno": "b"}\n', "a:2: score is missing"),
        (as_bytes({"q": [{"score": 1.0}]}), "a:1: query q: an entry of its list names no document"),
        (as_bytes({"q": [{"id": "d"}]}), "a:1: query q, document d: expected a number, found null"),
        (as_bytes({"q": [{"id": "d", "score": 1}] * 2}), "a:1: duplicate document d for query q"),
        (as_bytes({"q": []}), "a:1: query q has no documents"),
        (
            as_bytes({"q": {"map": 0.3, "P_10": 0.1}}),
            r"a:1: values of measures \(map, P_10\), and no scores of documents",
        ),
        (as_bytes({"ndcg": {"NDCG@10": 0.3}, "map": {"MAP@10": 0.1}}), r"a:1: values of measures \(NDCG@10\)"),
        (as_bytes(MTEB | {"de": {"test": SCORES}}), "a:1: predictions of one .* default/test, de/test"),
        (as_bytes({"mteb_model_meta": {}, "default": {"test": {}}}), "a:1: no data: it holds no query"),
        (as_bytes({"mteb_model_meta": {}, "default": {}}), "a:1: predictions of one .* found none"),
        (json.dumps(MTEB, indent=1).replace("-3.25", '"x"').encode(), "a:14: query q1, document c: expected a number"),
        (as_bytes(candidates(q={"d": 1})[0] | {"query": {}}), "a:1: query has no qid"),
        (b"".join(as_bytes(candidates(q={"d": 1})[0]) + b"\n" for _ in "ab"), "a:2: query q stands on line 1, too"),
        (b'{"query": {"qid": "q"}, "candidates": null}\n', "a:1: query q: expected object of doc -> score, found null"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(content: bytes, error: str) -> None:
    with pytest.raises(InputError, match=f"^{error}"):
        read_run(("a", content))


def test_what_is_repaired_in_a_table_is_noted() -> None:
    for read in (read_run, read_ranked_run):
        assert "a:3: blank line skipped" in map(str, read(("a", b"qid,docno,score\nq,a,2\n\nq,b,1\n")).notes)
    labels = read_qrels(("a", b"qid,docno,label\nq,a,1\n\nq,b,0\n"))
    assert [str(note) for note in labels.notes] == ["a:3: blank line skipped"]


def test_whole_scores_of_ranx_and_beir_are_grades() -> None:
    judged = [("q", "a", 1), ("q", "b", 0)]
    for names in (("q_id", "doc_id", "score"), ("query-id", "corpus-id", "score"), ("qid", "docno", "label")):
        (labels,) = add_file(Dataset(name="d"), ("a.parquet", frame(*names, rows=judged))).qrels
        assert labels.grades.tolist() == [1, 0]
    assert np.array_equal(read_qrels(("a", b"qid,docno,label\nq,a,1\nq,b,0\n")).value.grades, [1, 0])


def test_ratings_of_items_by_users_are_grades() -> None:
    """They were read as groups called 5 and 3."""
    file = ("ratings.csv", b"user_id,item_id,rating,timestamp\nu1,i1,5,978302268\nu1,i2,3,978301968\n")
    (ratings,) = add_file(Dataset(name="d"), file).qrels
    assert (ratings.query_ids, ratings.grades.tolist()) == (("u1",), [5, 3])
    (labels,) = add_file(Dataset(name="d"), ("judged.csv", b"query,doc,relevance\nq,a,1\nq,b,0\n")).qrels
    assert (labels.query_ids, labels.grades.tolist()) == (("q",), [1, 0])


def test_groups_in_parquet_are_those_of_the_same_table() -> None:
    rows = [("a", "north"), ("b", "south"), ("c", None)]
    (labels,) = add_file(Dataset(name="d"), ("a.parquet", frame("docno", "region", rows=rows))).labels
    table = read_groups(("a.tsv", b"docno\tregion\na\tnorth\nb\tsouth\nc\t\n")).value
    assert (labels.attribute, labels.groups, labels.doc_ids) == (table.attribute, table.groups, table.doc_ids)
    assert (labels.weights != table.weights).nnz == 0


def test_judgements_of_ranx_in_json_are_those_of_trec() -> None:
    grades = {"q2": {"a": 2, "b": 0}, "q1": {"b": -1}}
    parsed = read_qrels(("mine.json", as_bytes(grades)), generator="small")
    trec = read_qrels(("mine.json", b"q2 0 a 2\nq2 0 b 0\nq1 0 b -1\n"), generator="small").value
    assert parsed.format == "JSON qrels, grades −1–2"
    assert (parsed.value.query_ids, parsed.value.doc_ids, parsed.value.name) == (trec.query_ids, trec.doc_ids, "mine")
    assert (parsed.value.grades.tolist(), parsed.value.docs.tolist()) == (trec.grades.tolist(), trec.docs.tolist())
    with pytest.raises(InputError, match=r"^a:3: query q, document d: relevance is not an integer: 0\.5"):
        read_qrels(("a", b'{"q": {\n"c": 1,\n"d": 0.5}}'))
    with pytest.raises(InputError, match=r"^a:1: expected object of query -> documents, found array"):
        read_qrels(("a", b"[1]"))
