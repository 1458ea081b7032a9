"""Fusion of runs: by hand, laws, and the expected files of real systems."""

from collections import defaultdict
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion, reciprocal_rank_scores
from fairviz.io.rankings import read_ranked_run
from fairviz.model import Run
from tests.nouns import run_of

ONE = run_of({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 1}}, "one")
TWO = run_of({"q1": {"c": 9, "a": 1}, "q3": {"d": 1}}, "two")


def lists(run: Run) -> dict[str, list[tuple[str, float]]]:
    return {
        query: [(run.doc_ids[d], s) for d, s in zip(run.docs[a:b].tolist(), run.scores[a:b].tolist(), strict=True)]
        for query, a, b in zip(run.query_ids, run.offsets[:-1], run.offsets[1:], strict=True)
    }


def test_by_hand() -> None:
    """q1: a 1/61 + 1/62, c 1/63 + 1/61, b 1/62. q2 and q3 are in one run each."""
    fused = reciprocal_rank_fusion([ONE, TWO])
    assert fused.system == "rrf"
    found = lists(fused)
    assert list(found) == ["q1", "q2", "q3"]
    assert [doc for doc, _ in found["q1"]] == ["a", "c", "b"]
    assert [s for _, s in found["q1"]] == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62])
    assert found["q2"] == [("b", 1 / 61)]
    assert found["q3"] == [("d", 1 / 61)]


def test_ties_by_document_id_ascending() -> None:
    """x and y swap ranks 1 and 2: equal sums."""
    x_first = run_of({"q": {"x": 2, "y": 1}})
    fused = reciprocal_rank_fusion([x_first, run_of({"q": {"y": 2, "x": 1}})])
    assert [doc for doc, _ in lists(fused)["q"]] == ["x", "y"]


def test_depth_counts_ranks_and_top_counts_documents() -> None:
    """Depth 1 leaves a (1/61) and c (1/61) of q1; top 1 then keeps a."""
    assert [d for d, _ in lists(reciprocal_rank_fusion([ONE, TWO], depth=1))["q1"]] == ["a", "c"]
    short = reciprocal_rank_fusion([ONE, TWO], depth=1, top=1)
    assert lists(short)["q1"] == [("a", 1 / 61)]
    assert set(short.doc_ids) == {"a", "b", "d"}


def test_ranks_as_given_and_not_scores() -> None:
    """The file ranks b first although a has the score: b 1/(0+1), a 1/(0+7)."""
    ranked = read_ranked_run(("a.run", b"q Q0 a 7 2 t\nq Q0 b 1 1 t\n")).value
    assert lists(reciprocal_rank_fusion([ranked], k=0, ranked=True))["q"] == [("b", 1.0), ("a", 1 / 7)]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"runs": []}, "at least one run"),
        ({"runs": [ONE], "k": -1}, "k >= 0"),
        ({"runs": [ONE], "k": float("nan")}, "k >= 0"),
        ({"runs": [ONE], "depth": 0}, ">= 1"),
        ({"runs": [ONE], "top": 0}, ">= 1"),
    ],
)
def test_mistakes(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        reciprocal_rank_fusion(**arguments)  # type: ignore[arg-type]


def test_a_rank_of_0_needs_a_k() -> None:
    ranked = run_of({"q": {"a": 0}})
    with pytest.raises(UsageError, match="start at 0"):
        reciprocal_rank_fusion([ranked], k=0, ranked=True)
    assert reciprocal_rank_fusion([ranked], k=1, ranked=True).scores.tolist() == [1.0]


def test_notes_name_missing_queries_and_ties() -> None:
    """q2 is missing from two, q3 from one; q1 of depth 1 has a tie of a and c."""
    fused = reciprocal_rank_fusion([ONE, TWO], depth=1)
    said = [str(note) for note in fusion_notes([ONE, TWO], fused)]
    assert said[0].startswith("one: lacks 1 of 3 queries (q3)")
    assert said[1].startswith("two: lacks 1 of 3 queries (q2)")
    assert said[2].startswith("rrf: 2 tied scores")
    assert not fusion_notes([ONE], reciprocal_rank_fusion([ONE]))


@pytest.mark.parametrize("k", [60, 100])
def test_real_systems(shared: Path, k: int) -> None:
    folder = shared / "data/real/runs"
    names = ("bm25", "bm25_rankzephyr_rho", "fused_rankzephyr")
    runs = [read_ranked_run(folder / f"raggy-dev.{name}.run.gz").value for name in names]
    expected: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for line in (folder / f"expected_rrf_k{k}.top20.run").read_text().splitlines():
        query, _, doc, _, score, _ = line.split()
        expected[query].append((doc, float(score)))
    found = lists(reciprocal_rank_fusion(runs, k=k, depth=100, top=20, ranked=True))
    assert found.keys() == expected.keys()
    assert len(found) == 120
    for query, documents in expected.items():
        assert [doc for doc, _ in found[query]] == [doc for doc, _ in documents]
        assert [s for _, s in found[query]] == pytest.approx([s for _, s in documents], abs=1e-9)


# Credit of items, without runs.


def scores(rows: list[tuple[int, int, int]], k: float = 60) -> dict[int, float]:
    """Rows of (item, ranking, rank) → item → credit."""
    items, rankings, ranks = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    distinct, scores = reciprocal_rank_scores(items, rankings, ranks, k=k)
    return dict(zip(distinct.tolist(), scores.tolist(), strict=True))


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(1, 50)), max_size=40)


@given(rows=rows, k=st.integers(0, 100))
def test_the_sum_word_for_word(rows: list[tuple[int, int, int]], k: int) -> None:
    expected: dict[int, float] = {}
    for item in {item for item, *_ in rows}:
        for ranking in range(5):
            ranks = [rank for i, r, rank in rows if (i, r) == (item, ranking)]
            if ranks:
                expected[item] = expected.get(item, 0.0) + 1 / (k + min(ranks))
    assert scores(rows, k) == pytest.approx(expected)


def test_equal_sums_are_tied_whatever_their_terms() -> None:
    """1/2 + 1/6 = 1/3 + 1/3, which floating point adds to two neighbouring numbers.

    Nor do 1/3 + 1/6 and 1/4 + 1/4 differ: all sums of two credits up to rank 60 that are equal as
    fractions have one score.
    """
    pairs = [(a, b) for a in range(1, 61) for b in range(a, 61)]
    keys = [key for key in range(len(pairs)) for _ in range(2)]
    ranks = [rank for pair in pairs for rank in pair]
    _, scores = reciprocal_rank_scores(np.array(keys), np.array([0, 1] * len(pairs)), np.array(ranks), k=1)
    by_fraction: dict[Fraction, set[float]] = {}
    for (a, b), score in zip(pairs, scores.tolist(), strict=True):
        by_fraction.setdefault(Fraction(1, 1 + a) + Fraction(1, 1 + b), set()).add(score)
    assert all(len(scores) == 1 for scores in by_fraction.values())
    assert len(by_fraction) == len({score for scores in by_fraction.values() for score in scores})


def test_ranks_1_2_and_7_add_up_alike_in_any_order() -> None:
    """1/61 + 1/62 + 1/67 in binary is one number or another, by the order of adding."""
    result = {
        scores([(1, ranking, rank) for ranking, rank in enumerate(ranks)])[1] for ranks in permutations((1, 2, 7))
    }
    assert len(result) == 1
    assert len({1 / (60 + a) + 1 / (60 + b) + 1 / (60 + c) for a, b, c in permutations((1, 2, 7))}) > 1
