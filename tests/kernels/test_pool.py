from dataclasses import replace

import numpy as np
import pytest

from fairviz.kernels.pool import pool
from tests.nouns import qrels_of, run_of, sample_of


def rows(pools, q: int) -> list[str]:
    a, b = pools.offsets[q], pools.offsets[q + 1]
    return [pools.doc_ids[d] for d in pools.docs[a:b]]


def test_ranked_first_then_judged_and_queries_of_the_qrels() -> None:
    run = run_of({"q2": {"a": 1.0, "b": 3.0}, "q9": {"z": 1.0}})
    pools = pool(run, qrels_of({"q1": {"a": 1}, "q2": {"c": 2, "b": -1}}))
    assert pools.query_ids == ("q1", "q2")
    assert (rows(pools, 0), rows(pools, 1)) == (["a"], ["b", "a", "c"])
    assert pools.n_retrieved.tolist() == [0, 2]
    assert pools.scores[1:3].tolist() == [3, 1]
    assert np.isnan(pools.scores[[0, 3]]).all()
    assert pools.gains.tolist() == [1, 0, 0, 2]  # grade -1 is gain 0
    assert pools.judged.tolist() == [True, True, False, True]
    assert pools.unjudged_queries == ("q9",)
    assert pools.missing_queries == ("q1",)


def test_run_members_only_leaves_unranked_judged_items_out() -> None:
    run = run_of({"q": {"a": 1.0, "b": 3.0}})
    pools = pool(run, qrels_of({"q": {"c": 2, "b": 1}}), members="run")
    assert rows(pools, 0) == ["b", "a"]
    assert pools.gains.tolist() == [1, 0]


def test_without_judgements_the_queries_are_those_of_the_run() -> None:
    pools = pool(run_of({"q": {"a": 1.0}, "r": {"b": 1.0}}), None)
    assert pools.query_ids == ("q", "r")
    assert not pools.judged.any()


def test_the_items_of_samples_join_in_order_of_appearance() -> None:
    sample = sample_of({"q": [["a", "b"], ["c", "a"]]})
    pools = pool(sample, qrels_of({"q": {"d": 1, "a": 1}}))
    assert rows(pools, 0) == ["a", "b", "c", "d"]
    assert pools.n_retrieved.tolist() == [3]
    assert np.isnan(pools.scores).all()


def test_a_sample_stands_in_the_pool_of_its_run() -> None:
    run = run_of({"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}})
    drawn = replace(sample_of({"q": [["x", "b"]]}), source=run)
    qrels = qrels_of({"q": {"b": 1, "z": 1}, "r": {"z": 1}})
    pools = pool(drawn, qrels)
    assert (rows(pools, 0), rows(pools, 1)) == (["x", "b", "a", "z"], ["a", "z"])
    assert pools.n_retrieved.tolist() == [2, 0]  # the second query was not drawn
    assert rows(pool(drawn, qrels, members="run"), 0) == ["x", "b", "a"]


def test_several_subtopics_of_a_document_count_by_the_largest_grade() -> None:
    from fairviz.model import Qrels

    qrels = Qrels(
        name="div",
        query_ids=("q",),
        doc_ids=("a",),
        offsets=np.array([0, 3]),
        docs=np.array([0, 0, 0], dtype=np.int32),
        grades=np.array([1, 3, 0]),
        subtopics=np.array([0, 1, 2], dtype=np.int32),
        subtopic_ids=("1", "2", "3"),
    )
    assert pool(run_of({"q": {"a": 1.0}}), qrels).gains.tolist() == [3]


def test_duplicate_ids_are_refused_by_the_nouns() -> None:
    run = run_of({"q": {"a": 1.0}, "r": {"a": 1.0}})
    with pytest.raises(ValueError, match="distinct"):
        replace(run, query_ids=("q", "q"))
