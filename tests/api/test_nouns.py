"""Nouns of what a notebook holds: the same as of a file with the same rows, and errors that name row and column."""

import sys
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc

import fairviz as fv
from fairviz.api.nouns import references_of, several
from fairviz.errors import DataWarning, InputError, UsageError
from fairviz.io.groups import read_groups
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run
from fairviz.model import RankingSample, Run
from tests.io.written import read_samples

TREC = "2 Q0 a 1 0.1 bm25\n1 Q0 b 1 3 bm25\n1 Q0 a 2 2.5 bm25\n1 Q0 c 3 2.5 bm25\n"
OTHER = [{"qid": 1, "docno": "a", "score": 1.0, "name": "two"}, {"qid": 2, "docno": "a", "score": 1.0, "name": "two"}]
ROWS = {"qid": [2, 1, 1, 1], "docno": list("abac"), "score": [0.1, 3.0, 2.5, 2.5]}


class Ranx:
    """What ranx' Run and Qrels have that is looked at: ``name`` and ``to_dict()``."""

    def __init__(self, content: dict[str, dict[str, float]], name: str | None) -> None:
        self.name = name
        self._content = content

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self._content


def assert_same_run(one: Run | RankingSample, other: Run | RankingSample) -> None:
    assert (one.system, one.query_ids) == (other.system, other.query_ids)
    assert one.scores.tolist() == other.scores.tolist()
    assert [one.doc_ids[d] for d in one.docs] == [other.doc_ids[d] for d in other.docs]


@pytest.mark.filterwarnings("ignore:.*tied scores:fairviz.DataWarning")
@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS | {"query": ["x", "y", "y", "y"], "rank": [0, 0, 1, 2], "docid": [7, 8, 7, 9]}),
        pd.DataFrame(ROWS).astype({"qid": "category", "docno": "category"}).set_index("qid"),
        pa.table({"query_id": ["2", "1", "1", "1"], "doc_id": list("abac"), "score": [0.1, 3.0, 2.5, 2.5]}),
        {2: {"a": np.float64(0.1)}, 1: {"b": 3, "a": 2.5, "c": 2.5}},
        Ranx({"2": {"a": 0.1}, "1": {"b": 3.0, "a": 2.5, "c": 2.5}}, "bm25"),
        pl.LazyFrame(ROWS),
        pd.DataFrame(ROWS).to_dict("records"),
        [ScoredDoc(str(query), doc, score) for query, doc, score in zip(*ROWS.values(), strict=True)],
        (ScoredDoc(str(query), doc, score) for query, doc, score in zip(*ROWS.values(), strict=True)),
    ],
    ids=["frame", "PyTerrier", "index", "arrow", "dict", "ranx", "lazy", "records", "rows", "iterator"],
)
def test_a_run_is_the_same_of_whatever_holds_it(source: Any) -> None:
    """Ties by document id descending: c before a."""
    assert_same_run(fv.run(source, name="bm25"), read_run(("bm25.run", TREC.encode())).value)


def test_what_a_reader_would_note_is_a_warning_on_the_line_that_called() -> None:
    with pytest.warns(fv.DataWarning, match="DataFrame 'x': row 2: 2 tied scores") as told:
        fv.run(pd.DataFrame(ROWS), name="x")
    assert told[0].filename == __file__


def test_a_dict_is_no_sample_of_rankings() -> None:
    with pytest.raises(UsageError, match="a dict holds one ranking of a query"):
        fv.run({"q1": {"a": 1.0}}, samples=True)


def test_a_run_is_called_as_its_source_says() -> None:
    assert fv.run({"q": {"a": 1.0}}).system == "run"
    assert fv.run(Ranx({"q": {"a": 1.0}}, "dense")).system == "dense"
    assert fv.run(pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1], "system": ["splade"]})).system == "splade"
    named = fv.run(("bm25.run", TREC.encode())[0:1] and fv.run({"q": {"a": 1.0}}, name="a"), name="b")
    assert (named.system, named.tag) == ("b", "a")  # samples find their run by the tag


def test_single_precision_scores_keep_their_values() -> None:
    score = np.float32(0.1)
    run = fv.run(pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": pd.Series([score], dtype="float32")}))
    assert run.scores.tolist() == [float(score)]


def test_samples_of_a_frame_are_those_of_a_file() -> None:
    frame = pd.DataFrame({"qid": ["q"] * 4, "sample": [1, 1, 2, 2], "docno": list("abba"), "rank": [1, 2, 1, 2]})
    file = "q 1 a 1 0 x\nq 1 b 2 0 x\nq 2 b 1 0 x\nq 2 a 2 0 x\n"
    sample, other = fv.run(frame, name="x"), read_samples(("s", file.encode())).value
    assert sample.n_samples.tolist() == other.n_samples.tolist() == [2]
    assert sample.docs.tolist() == other.docs.tolist()
    in_order = fv.run(frame.drop(columns="rank"), name="x")  # without ranks, the order of the rows
    assert in_order.docs.tolist() == other.docs.tolist()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            pd.DataFrame(ROWS).assign(docno="a"),
            "DataFrame 'x': row 2: duplicate document a for query 1 (first in row 1)",
        ),
        (pd.DataFrame(ROWS).assign(score=[1, np.nan, 1, 1]), "DataFrame 'x': row 1: score is missing"),
        (
            pd.DataFrame(ROWS).assign(score=[1, 2, np.inf, 1]),
            "DataFrame 'x': row 2, column 'score': score is not finite: inf",
        ),
        (
            pd.DataFrame(ROWS).assign(docno=["a", "b c", "d", "e"]),
            "DataFrame 'x': row 1, column 'docno': document id 'b c' is blank or holds a blank",
        ),
        (pd.DataFrame(ROWS).assign(qid=1.5), "DataFrame 'x': column qid holds Float64, and a query id is text"),
        (pd.DataFrame(ROWS).assign(docno=[["a"]] * 4), "DataFrame 'x': column docno holds List("),
        (pd.DataFrame(ROWS).assign(docno=[1, "a", 2, 3]), "DataFrame 'x': not a table: "),
        (pd.DataFrame(ROWS).drop(columns="docno"), "DataFrame 'x': no column of documents (doc_id, docno"),
        (pd.DataFrame(ROWS)[:0], "DataFrame 'x': no rows"),
        (
            pd.DataFrame(ROWS).assign(system=list("abab")),
            "DataFrame 'x': one system's rankings are needed: it holds 2 (a, b)",
        ),
        ({"q": {"a": "high"}}, "dict 'x': query q, document a: expected a number, found string"),
        ({"q": 3}, "dict 'x': query q: expected object of doc -> score, found number"),
        ({"q": {"map": 0.3, "ndcg": 0.5}}, "dict 'x': values of measures (map, ndcg), and no scores of documents"),
        ({"q": ["a", "a"]}, "dict 'x': query q: expected object of doc -> score, found array"),
        ({"q": {"a", "b"}}, "dict 'x': query q: expected object of doc -> score, found string"),
        (3, "expected a path, a frame, rows or a dict, found int"),
        (StringIO(TREC), "expected a path, a frame, rows or a dict, found StringIO"),
    ],
)
def test_bad_rankings_are_one_line_that_names_row_and_column(source: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        fv.run(source, name="x")
    assert str(error.value).startswith(said)
    assert error.value.fix
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore:.*tied scores:fairviz.DataWarning")
def test_a_table_of_several_systems_is_all_of_them_for_what_compares(tmp_path: Path) -> None:
    judged = {"1": ["b"], "2": ["a"]}
    table = pd.DataFrame([*pd.DataFrame(ROWS).assign(name="one").to_dict("records"), *OTHER])
    table.to_csv(tmp_path / "all.csv", index=False)
    frames = {name: own.drop(columns="name") for name, own in table.groupby("name", sort=False)}
    means = [
        fv.evaluate(runs, judged, ["P@1"]).frame().set_index("system")["value"].to_dict()
        for runs in (table, table.to_dict("records"), frames, tmp_path / "all.csv", fv.load(table).runs)
    ]
    assert means == [{"one": 1.0, "two": 0.5}] * len(means)


def test_documents_in_a_list_are_ranked_in_a_run_and_relevant_in_judgements() -> None:
    run = fv.run({"q": ["b", "a", 7]})
    assert ([run.doc_ids[d] for d in run.docs], run.scores.tolist()) == (["b", "a", "7"], [3.0, 2.0, 1.0])
    for listed in (["a", "b"], ("a", "b"), {"a", "b"}, {"a": True, "b": np.True_}, {"a": 1.0, "b": 1}):
        judged = fv.qrels({"q": listed})
        assert {judged.doc_ids[d]: grade for d, grade in zip(judged.docs, judged.grades, strict=True)} == {
            "a": 1,
            "b": 1,
        }
    both = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}}
    assert fv.evaluate(both, {"q": ["a"]}, ["P@1"]).frame()["value"].tolist() == [1.0, 0.0]
    rows = [Qrel("q", "a", 1), Qrel("q", "b", 0)]
    frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "rel": [True, False]})
    for source in (rows, iter(rows), frame):
        assert fv.qrels(source).grades.tolist() == [1, 0]
    with pytest.raises(InputError, match="row 1: rel is missing"):
        fv.qrels(frame.assign(rel=pd.Series([True, None], dtype="boolean")))


def test_a_noun_goes_out_to_ranx_as_the_dicts_that_its_classes_take(monkeypatch: pytest.MonkeyPatch) -> None:
    ranx = SimpleNamespace(Run=lambda lists, name: Ranx(lists, name), Qrels=lambda lists: Ranx(lists, None))
    monkeypatch.setitem(sys.modules, "ranx", cast("ModuleType", ranx))
    run, judged = fv.run({"q": {"a": 1.0, "b": 2.0}}, name="own").to_ranx(), fv.qrels({"q": ["a"]}).to_ranx()
    assert (run.name, run.to_dict(), judged.to_dict()) == ("own", {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1}})


def test_labels_keep_in_their_frame_what_the_attribute_does_not_apply_to() -> None:
    labels = fv.labels({"a": "north", "b": "does not apply", "c": "south"}, name="region")
    again = fv.labels(labels.frame())
    assert again.not_applicable.sum() == labels.not_applicable.sum() == 1
    assert again.groups == labels.groups == ("north", "south")


def test_dicts_in_a_list_are_several_nouns_unless_they_are_rows() -> None:
    nested = [{"instance": {"id": "1"}, "completions": [{"text": "A"}]}]  # as HELM writes its records
    assert (several(nested, rows=()), several(nested)) == ([nested], nested)
    assert fv.evaluate([{"q": {"a": 1.0}}, {"q": {"a": 2.0}}], {"q": ["a"]}, ["P@1"]).frame()["system"].nunique() == 2
    labels = fv.load([{"doc_id": "a", "region": "north"}, {"doc_id": "b", "region": "south"}]).labels
    assert [each.groups for each in labels] == [("north", "south")]


@pytest.mark.parametrize("column", ["grade", "relevance", "label"])
def test_judgements_are_the_same_of_a_frame_and_a_file(column: str) -> None:
    frame = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], column: [2.0, 0.0, 1.0]})
    judged, other = fv.qrels(frame, generator="llama"), read_qrels(("q", b"1 0 a 2\n1 0 b 0\n2 0 a 1\n")).value
    assert judged.grades.tolist() == other.grades.tolist()
    assert (judged.query_ids, judged.doc_ids, judged.generator) == (other.query_ids, other.doc_ids, "llama")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"q": {"a": 0.5}}, "dict: query q, document a: relevance is not an integer: 0.5"),
        (
            pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "a"], "label": [0, 1]}),
            "DataFrame: row 1: conflicting judgements for q a: 0 (row 0) and 1",
        ),
        (
            pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [5000]}),
            "DataFrame: row 0, column 'label': relevance grade 5000 is out of range",
        ),
    ],
)
def test_bad_judgements_name_row_and_column(source: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        fv.qrels(source)
    assert str(error.value) == said


def test_groups_are_the_same_of_a_dict_a_frame_and_a_file() -> None:
    file = read_groups(("region.tsv", b"doc_id\tregion\na\tnorth\nb\tsouth\n")).value
    frame = pd.DataFrame({"docno": ["a", "b"], "region": ["north", "south"]})
    for made in (fv.labels({"a": "north", "b": "south"}, name="region"), fv.labels(frame)):
        assert (made.attribute, made.groups, made.doc_ids) == (file.attribute, file.groups, file.doc_ids)
        assert (made.weights.toarray() == file.weights.toarray()).all()
    half = fv.labels({"a": {"north": 0.5, "south": 0.5}}, name="region")
    assert half.weights.toarray().tolist() == [[0.5, 0.5]]
    with pytest.raises(InputError, match=r"^DataFrame: row 1: a has two group labels: x \(row 0\), y"):
        fv.labels(pd.DataFrame({"doc_id": ["a", "a"], "group": ["x", "y"]}))
    with pytest.raises(InputError, match=r"^DataFrame: which column holds the groups\? It has: one, two"):
        fv.labels(pd.DataFrame({"doc_id": ["a"], "one": ["x"], "two": ["y"]}))


def test_of_several_attributes_a_name_takes_one_and_load_all(tmp_path: Path) -> None:
    frame = pd.DataFrame({"doc_id": ["a", "b"], "region": ["n", "s"], "size": ["big", "small"]})
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_parquet(tmp_path / "people.parquet")
    for source in (frame, tmp_path / "people.csv", tmp_path / "people.parquet"):
        assert fv.labels(source, name="Size").groups == ("big", "small")
        assert [labels.attribute for labels in fv.load(source).labels] == ["region", "size"]
        of_size = fv.groups({"q": {"a": 2, "b": 1}}, groups=source, groups_by="size", target={"big": 0.5, "small": 0.5})
        assert of_size.frame()["group"].tolist() == ["big", "small"], "as the command takes it"
    with pytest.raises(InputError, match=r"people.csv: which column holds the groups\? It has: region, size"):
        fv.labels(tmp_path / "people.csv")


def test_targets_are_presets_dicts_and_files(example: Path) -> None:
    assert fv.target("Uniform") == "uniform"
    made, read = fv.target({"a": 0.25, "b": np.float64(0.75)}), fv.target(example / "target.json")
    assert not isinstance(made, str)
    assert made.shares.tolist() == [0.25, 0.75]
    assert not isinstance(read, str)
    with pytest.raises(InputError, match=r"^dict: target shares sum to 0.5$"):
        fv.target({"a": 0.5})
    with pytest.raises(InputError, match=r"^expected a path, a preset or a dict of shares, found list$"):
        fv.target([0.5, 0.5])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unifrom: file not found"):
        fv.target("unifrom")
    with pytest.raises(InputError, match="a list of dicts, found one dict"):
        fv.outputs({"query_id": "q1"})  # type: ignore[arg-type]


def test_outputs_are_records_or_a_frame() -> None:
    rows = [{"system": "tiny", "query_id": "q", "text": "Yes.", "ranking": ["a", "b"], "utility": 1}]
    for source in (rows, pd.DataFrame(rows)):
        (made,) = fv.outputs(source)
        assert (made.system, made.texts, made.utilities.tolist(), made.given.size) == ("tiny", ("Yes.",), [1.0], 2)
    with pytest.raises(InputError, match=r"^list: row 1: "):
        fv.outputs([*rows, {"text": "No."}])


def test_references_are_a_file_or_a_dict(example: Path) -> None:
    assert references_of({"q": "yes", "r": ["a", "b"]}) == {"q": ("yes",), "r": ("a", "b")}
    assert references_of(example / "references.jsonl")
    assert references_of(None) is None


def test_ranks_of_a_frame_decide_among_ties_on_request() -> None:
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": 1.0, "rank": [1, 2]})
    with pytest.warns(DataWarning, match="2 tied scores: ordered by rank"):
        found = fv.run(frame, ties="rank")
    assert [found.doc_ids[doc] for doc in found.docs] == ["a", "b"]
