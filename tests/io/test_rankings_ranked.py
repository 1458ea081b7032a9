"""Runs by their rank column: ranks stand as scores beside the documents that they were given for."""

import json

import numpy as np
import pytest

from fairviz.io.rankings import read_ranked_run


def read(text: str, name: str = "a.run") -> tuple[dict[tuple[str, str], int], list[str]]:
    parsed = read_ranked_run((name, text.encode()))
    run = parsed.value
    queries = np.repeat(np.array(run.query_ids), np.diff(run.offsets)).tolist()
    docs = [run.doc_ids[d] for d in run.docs]
    ranks = (-run.scores).astype(int).tolist()
    return (dict(zip(zip(queries, docs, strict=True), ranks, strict=True)), [note.message for note in parsed.notes])


def test_ranks_as_given_in_any_order_of_lines() -> None:
    text = "q2 Q0 b 5 1 t\nq1 Q0 a 9 3 t\nq2 Q0 a 2 8 t\nq1 Q0 c 4 1 t\n"
    ranks, notes = read(text)
    assert ranks == {("q2", "b"): 5, ("q1", "a"): 9, ("q2", "a"): 2, ("q1", "c"): 4}
    assert notes == ["rank order and score order disagree for 1 of 2 queries: the ranks decide"]


def test_ties_of_scores_are_no_matter() -> None:
    """By score b would stand first; the ranks say a, and no note speaks of ties."""
    text = "q Q0 a 1 2 t\nq Q0 b 2 2 t\n"
    parsed = read_ranked_run(("a.run", text.encode()))
    assert not parsed.notes
    by_rank = parsed.value
    assert [by_rank.doc_ids[d] for d in by_rank.docs] == ["a", "b"]
    assert by_rank.scores.tolist() == [-1.0, -2.0]


@pytest.mark.parametrize("ranks", ["0 0", "1 1", "x 1", "1.5 2", "-1 1", "1e300 2"])
def test_ranks_that_say_nothing(ranks: str) -> None:
    """Then the scores do: b before a."""
    first, second = ranks.split()
    found, notes = read(f"q Q0 a {first} 1 t\nq Q0 b {second} 2 t\n")
    assert found == {("q", "b"): 1, ("q", "a"): 2}
    assert notes[-1] == "rank column cannot be used: ranks are counted in the order of the scores"


def test_formats_without_ranks() -> None:
    ranks, notes = read(json.dumps({"q": {"a": 1, "b": 2}}), "a.json")
    assert (ranks, notes) == ({("q", "b"): 1, ("q", "a"): 2}, [])
    ranks, notes = read("id\tpage_id\n1\t7\n1\t5\n", "fair.tsv")
    assert (ranks, notes) == ({("1", "7"): 1, ("1", "5"): 2}, [])
