"""How two files match: counted by hand, told where little does."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from fairviz.io.join import join_groups, join_outputs, join_qrels, join_target, judged_rows, labelled_rows
from fairviz.io.rag import read_outputs
from fairviz.model import GroupLabels, Target
from tests.nouns import qrels_of, run_of, sample_of
from tests.refused import refused

RUN = run_of({"q1": {"a": 3, "b": 2}, "q2": {"a": 2, "c": 1}, "q3": {"d": 1}})


def labels_of(*docs: str) -> GroupLabels:
    return GroupLabels(attribute="region", groups=("n",), doc_ids=docs, weights=csr_array(np.ones((len(docs), 1))))


def test_queries_and_judged_documents_are_counted() -> None:
    qrels = qrels_of({"q2": {"c": 1, "x": 0}, "q1": {"a": 0, "b": 2}, "q4": {"a": 1}})
    assert judged_rows(RUN, qrels) == (4, 3)  # a b | a c, of which a is not judged for q2
    assert [str(note) for note in join_qrels(RUN, qrels, file="a.run", lines={"q3": 5})] == [
        "a.run:5: query q3 is not in the qrels: ignored",
        "a.run: query q4 has judgements but no results: undefined, counted (0 in ir-measures)",
    ]


def test_rows_of_every_sample_count() -> None:
    sample = sample_of({"q1": [["a", "b"], ["b", "c"]], "q2": [["a"]]})
    assert judged_rows(sample, qrels_of({"q1": {"b": 1}})) == (4, 2)


def test_few_matches_are_told() -> None:
    long = run_of({"q": {f"d{i}": -i for i in range(10)}})
    one, none = qrels_of({"q": {"d3": 1}}), qrels_of({"q": {"3": 1}})
    assert [n.message for n in join_qrels(long, one)] == ["10 % of retrieved documents are judged"]
    assert [n.message for n in join_qrels(long, none)] == ["0 % of retrieved documents are judged: d0 here, 3 there"]
    assert [n.message for n in join_groups(long, labels_of("d3"))] == ["10 % of retrieved documents have a group label"]
    assert join_groups(long, labels_of("d3", "d4")) == ()
    assert labelled_rows(long, labels_of("d3", "d4")) == (10, 2)


@pytest.mark.parametrize(
    ("here", "there", "hint"),
    [
        ("Q1", "q1", "upper and lower case"),
        ("q1", "001", "same numbers, written differently"),
        ("x", "y", "same collection"),
    ],
)
def test_the_likely_cause_of_no_match(here: str, there: str, hint: str) -> None:
    run, qrels = run_of({here: {"a": 1}}), qrels_of({there: {"a": 1}})
    with refused(match=f"no query in common with the qrels: {here} ", fix=hint):
        join_qrels(run, qrels)


def test_groups_and_target() -> None:
    target = Target(groups=("n", "w"), shares=np.array([0.5, 0.5]))
    assert [note.message for note in join_target(labels_of("a"), target)] == ["target group w has no labelled document"]


def test_outputs_and_the_queries_of_a_run(shared: Path) -> None:
    path = shared / "data/real/rag/rag25-format.gpt-4o.30topics.jsonl"
    (outputs,) = read_outputs(path).value.outputs
    notes = join_outputs(outputs, [*outputs.query_ids[1:], "other"], other_file="b.run")
    assert [note.message for note in notes] == [f"query {outputs.query_ids[0]} is not in b.run"]
