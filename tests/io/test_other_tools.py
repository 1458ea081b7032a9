"""Tables as other tools write them, each read as the plain table is; and what looks like a file of another kind."""

import gzip
import io
import json
from typing import Any

import pandas as pd
import pytest

from fairviz.errors import InputError
from fairviz.io.formats import READERS, sniff
from fairviz.io.rag import read_outputs
from fairviz.io.variants import read_variants
from tests.refused import refused

LABELS = pd.DataFrame({"doc_id": ["d1", "d2", "d3"], "region": ["Asia", "Europe", "unknown"]})
SWAPPED = LABELS[["region", "doc_id"]]
RUN = pd.DataFrame({"query_id": [1, 1, 2], "doc_id": [10, 11, 10], "score": [2.5, 1.5, 7.0]})
WORDS = pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["one two", "three"]})
ASKED = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["one two", "three"]})


def parquet(frame: pd.DataFrame) -> bytes:
    to = io.BytesIO()
    frame.to_parquet(to)
    return to.getvalue()


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def read_as(role: str, content: bytes, name: str = "a") -> Any:
    assert sniff((name, content)).role == role
    return READERS[sniff((name, content)).role]((name, content))


def written_by_r(frame: pd.DataFrame, separator: str = " ") -> bytes:
    """As write.table does it: names of rows, which the header has no cell for."""
    named = frame.set_index((frame.index + 1).astype(str))
    return named.to_csv(sep=separator, quoting=2).removeprefix('""' + separator).encode()


LABEL_FILES = {
    "index of pandas": LABELS.to_csv().encode(),
    "quotes of R": LABELS.to_csv(index=False, quoting=1).encode(),
    "quotes and row names of R": LABELS.to_csv(quoting=1).encode(),
    "write.table of R": written_by_r(LABELS),
    "write.table of R, tabs": written_by_r(LABELS, "\t"),
    "quotes between tabs": LABELS.to_csv(index=False, sep="\t", quoting=1).encode(),
    "comments": b"# made by hand\n# twice\n" + LABELS.to_csv(index=False).encode(),
    "documents behind": SWAPPED.to_csv(index=False).encode(),
    "documents behind a tab": gzip.compress(SWAPPED.to_csv(index=False, sep="\t").encode(), mtime=0),
    "index in Parquet": parquet(LABELS.set_index(pd.Index([5, 6, 7]))),
    "index without a name": parquet(LABELS.assign(__index_level_0__=[5, 6, 7])),
    "categories in Parquet": parquet(LABELS.astype("category")),
    "array of JSON, as Polars and jsonlite write it": LABELS.to_json(orient="records").encode(),
    "array on several lines": LABELS.to_json(orient="records", indent=2).encode(),
}


@pytest.mark.parametrize("content", LABEL_FILES.values(), ids=LABEL_FILES)
def test_labels(content: bytes) -> None:
    parsed = read_as("groups", content)
    value = parsed.value
    assert not parsed.more
    assert (value.attribute, value.groups, value.doc_ids) == ("region", ("Asia", "Europe"), ("d1", "d2"))


RUN_FILES = {
    "index of pandas": RUN.to_csv().encode(),
    "comment": b"# made by hand\n" + RUN.to_csv(index=False).encode(),
    "blanks behind commas": RUN.to_csv(index=False).replace(",", ", ").encode(),
    "blanks in columns": RUN.to_string(index=False).encode(),
    "write.table of R": written_by_r(RUN),
    "write.table of R, commas": written_by_r(RUN, ","),
    "ids that became floats": parquet(RUN.astype({"query_id": float, "doc_id": float})),
    "nullable columns": parquet(RUN.convert_dtypes()),
}


@pytest.mark.parametrize("content", RUN_FILES.values(), ids=RUN_FILES)
def test_runs(content: bytes) -> None:
    rows = read_as("run", content).value.frame()
    assert rows["query_id"].tolist() == ["1", "1", "2"]
    assert rows["doc_id"].tolist() == ["10", "11", "10"]
    assert rows["score"].tolist() == [2.5, 1.5, 7.0]


def test_ids_that_a_float_does_not_tell_apart_are_refused() -> None:
    for ids in ([2.0**53, 1.0, 2.0], [1.5, 1.0, 2.0], [float("nan"), 1.0, 2.0]):
        with pytest.raises(InputError, match=r"doc_id holds Float64|doc_id is missing"):
            READERS["run"](("a", parquet(RUN.assign(doc_id=ids))))


@pytest.mark.parametrize(
    ("role", "content"),
    [
        ("corpus", WORDS.to_csv(index=False).encode()),
        ("corpus", WORDS.to_csv(index=False, sep="\t").encode()),
        ("corpus", WORDS.assign(title="").to_csv().encode()),
        ("corpus", parquet(WORDS.rename(columns={"doc_id": "docno"}))),
        ("corpus", lines({"id": "d1", "contents": "one two"}, {"id": "d2", "contents": "three"})),
        ("queries", ASKED.to_csv(index=False).encode()),
        ("queries", ASKED.rename(columns={"query_id": "qid", "text": "query"}).to_csv(index=False).encode()),
        ("queries", lines({"qid": "q1", "query": "one two"}, {"qid": "q2", "query": "three"})),
        ("queries", ASKED.assign(weight=[1, 2]).to_csv(index=False).encode()),
    ],
)
def test_words(role: str, content: bytes) -> None:
    letter = "d" if role == "corpus" else "q"
    assert read_as(role, content).value == {f"{letter}1": "one two", f"{letter}2": "three"}


def test_questions_with_weights_in_a_table_give_both() -> None:
    content = ASKED.assign(weight=[1, 2]).to_csv(index=False).encode()
    assert sniff(("a.csv", content)).also == "weights"
    assert READERS["weights"](("a.csv", content)).value == {"q1": 1.0, "q2": 2.0}


@pytest.mark.parametrize("role", ["weights", "popularity", "systems"])
def test_small_tables_with_an_index(role: str) -> None:
    frame = {
        "weights": pd.DataFrame({"query_id": ["a", "b"], "weight": [1, 2]}),
        "popularity": pd.DataFrame({"doc_id": ["a", "b"], "count": [1, 2]}),
        "systems": pd.DataFrame({"system": ["a", "b"], "k": [1, 2]}),
    }[role]
    plain = read_as(role, frame.to_csv(index=False).encode()).value
    assert read_as(role, frame.to_csv().encode()).value == plain
    assert read_as(role, parquet(frame)).value == plain


ANSWERS = [
    {"qid": 1, "attribute": "sex", "value": value, "gold": "A", "prediction": "A", "retrieved": ["d1", "d'2"]}
    for value in "fm"
]


def test_lists_that_pandas_wrote_into_cells() -> None:
    plain = read_variants(("a", lines(*ANSWERS))).value.frame
    assert read_variants(("a", pd.DataFrame(ANSWERS).to_csv(index=False).encode())).value.frame.equals(plain)
    with pytest.raises(InputError, match=r"^a:2: retrieved is no list"):
        read_variants(("a", b"qid,attribute,value,gold,prediction,retrieved\n1,sex,f,A,A,[d1\n"))
    with pytest.raises(InputError, match=r"^a:2: retrieved is no list"):
        read_variants(("a", b'qid,attribute,value,gold,prediction,retrieved\n1,sex,f,A,A,"[""\\ud800""]"\n'))


def test_whole_numbers_that_became_floats_in_answers_and_outputs() -> None:
    plain = read_variants(("a", lines(*ANSWERS))).value.frame
    assert read_variants(("a", parquet(pd.DataFrame(ANSWERS).astype({"qid": float})))).value.frame.equals(plain)
    (of,) = read_outputs(("a", lines({"query_id": 7.0, "k": 5.0, "text": "So."}))).value.outputs
    assert (of.query_ids, of.k) == (("7",), 5)


# What is refused, and where.

UNLABELLED = {"question_index": "1", "context": "c", "question": "q", "ans0": "a", "context_condition": "ambig"}


@pytest.mark.parametrize(
    ("role", "content", "error"),
    [
        ("groups", b"# 1\n# 2\ndoc_id,region\nd1,Asia\nd2,Asia,x\n", "a:5: 3 cells, header has 2"),
        ("groups", b"doc_id,region\n1,d1,Asia\n", "a:2: 3 cells, header has 2"),  # of no quotes R's are uncertain
        ("groups", b"# 1\nd1 Asia\n", "a:2: expected a header"),
        ("run", b"# 1\nquery_id,doc_id,score\nq,d1,1\nq,d2,nan\n", "a:4: score is not finite"),
        ("run", b"# 1\nquery_id,doc_id,score,score\n", "a:2: duplicate column"),
        ("groups", b"doc_id,Asia,Europe\nd1,0.5,0.5\nd2,1,\n", "a:1: columns Asia, Europe hold weights"),
        ("groups", b"doc_id,text\nd1,some words\n", "a:1: expected a header"),
        ("rag", lines({"query_id": "q1", "doc_id": "d1", "score": 1.5}), "a:1: a document of a query, and no answer"),
        ("rag", lines({"query_id": "q1", "text": "", "alpha": -1}), "a:1: alpha is negative"),
        ("rag", lines({"query_id": "q1", "text": "", "k": 0}), "a:1: k is out of range: 0"),
        ("run", RUN.to_json().encode(), "a:1: query_id must be text or a whole number, found an object"),
        ("rag", b"q1 Q0 d1 1 2.5 tag\n", "a:1: no JSON: q1 Q0 d1 1 2.5 tag"),
        ("target", b"group,share\na,1\n", "a:1: no JSON: group,share"),
        (
            "rag",
            lines(
                {"user_input": "q", "retrieved_contexts": ["a"], "response": "So [1]."},
                {"user_input": "r", "retrieved_contexts": "['a']", "response": "So [1]."},
            ),
            "a:2: retrieved_contexts must be an array, found string",
        ),
        ("bias-items", lines(UNLABELLED), "a:1: not bias questions: missing label"),
        ("sniff", b"\n \n", "a: no data lines"),
        ("sniff", b"# a\n# b\n", "a: no data lines"),
        ("sniff", gzip.compress(b"", mtime=0), "a: no data lines"),
        (
            "sniff",
            b"doc_id;region\nd1;Asia\n",
            "a:1: semicolons stand between its cells: doc_id;region (this looks like: group",
        ),
        (
            "sniff",
            b"q1,Q0,d1,1,2.5,tag\n",
            "a:1: commas stand between its cells: q1,Q0,d1,1,2.5,tag (this looks like: TREC",
        ),
        ("sniff", b"a,b,c,d\n", "a:1: format not recognised"),
        ("sniff", b"ARROW1\0\0 and so on", "a:1: not a text file (Arrow, or Feather)"),
        (
            "sniff",
            b"user_input,retrieved_contexts,response\nq,['a'],So [1].\n",
            "a:1: cells hold no lists (this looks like a RAGAS",
        ),
        (
            "sniff",
            b"input,actual_output,retrieval_context\nq,So [1].,['a']\n",
            "a:1: cells hold no lists (this looks like a DeepEval",
        ),
        ("sniff", b"num_ret \t301\t1\nmap \t301\t0.5\n", "a:1: values that trec_eval printed, no rankings"),
        ("sniff", b"sep=;\r\nqid;docno;score\r\n", "a:1: the first line tells Excel what separates cells"),
        ("sniff", b"What is the capital of\n", "a:1: format not recognised: What is the capital of"),
        ("sniff", b"\xef\xbb\xbfPK\x03\x04,\n", "a: this is a ZIP archive"),
        (
            "sniff",
            lines({"user_input": "q", "retrieved_contexts": ["a"], "response": "So."}),
            "a:1: no answer cites a document that it was given (this looks like a RAGAS sample)",
        ),
    ],
)
def test_refused(role: Any, content: bytes, error: str) -> None:
    with refused(error):
        {**READERS, "sniff": sniff}[role](("a", content))


def test_attributes_of_numbers_that_are_no_weights_are_labels() -> None:
    parsed = read_as("groups", b"doc_id,female,senior\nd1,1,1\nd2,0,1\n")
    assert [parsed.value.attribute, *(more.value.attribute for more in parsed.more)] == ["female", "senior"]


def test_true_and_false_are_no_shares() -> None:
    assert sniff(("a", b'{"q1": {"d1": true, "d2": false}}')).role == "run"


def test_a_study_is_refused_by_its_name() -> None:
    with refused(match=r"this is a study of fairviz", fix="fairviz app"):
        sniff(("last.fairviz", b"PK\x03\x04 and so on"))
