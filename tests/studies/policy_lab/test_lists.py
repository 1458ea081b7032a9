"""One query before and after re-ranking, counted by hand."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.effectiveness import standard_values
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.bench import price_point
from fairviz.studies.policy_lab.examples import compared_lists, example_order
from fairviz.studies.policy_lab.strengths import reranked, reranked_run
from tests.studies.policy_lab.lists import compared
from tests.studies.policy_lab.reranked import ids, rerank
from tests.studies.policy_lab.ten_documents import HALF, LABELS, QRELS, RUN, grown


def test_entries_exits_and_moves() -> None:
    """First 3 of abcde become a, e, b: e enters from rank 5, c leaves to 4; c was useful."""
    result = compared("abcde", "aebcd", k=3, useful={"c", "a"}, groups={"e": "x"})
    assert [docs(moves) for moves in (result.side("before"), result.side("after"))] == ["abc", "aeb"]
    assert (docs(result.entered), docs(result.left)) == ("e", "c")
    assert docs(result.moves.rows(named=True)) == "abec"  # by the best rank, of equals what stood there today
    by_id = {move["doc_id"]: move for move in result.moves.rows(named=True)}
    assert [by_id[doc]["step"] for doc in "abce"] == ["", "▼1", "▼1", "▲3"]
    assert (by_id["e"]["group"], by_id["a"]["group"]) == ("x", "")
    assert (by_id["c"]["useful"], by_id["e"]["useful"]) == (True, False)


def docs(moves: list[dict[str, Any]]) -> str:
    return "".join(move["doc_id"] for move in moves)


@given(st.permutations("abcdefgh"), st.integers(1, 10))
def test_as_many_enter_as_leave(after: list[str], k: int) -> None:
    result = compared("abcdefgh", "".join(after), k=k, useful="bdf")
    assert len(result.entered) == len(result.left)
    assert docs(result.side("after")) == "".join(after[:k])
    assert docs(result.side("before")) == "abcdefgh"[:k]


@pytest.mark.parametrize("method", ["det-greedy", "det-cons", "det-const-sort", "novelty"])
def test_a_whole_run_is_the_librarys_own(method: str) -> None:
    """Full strength aims at the target itself; all queries, also the one without judgements."""
    prices = grown()
    reranker = find_reranker(method)
    strength = 1.0 if reranker.strength is None else reranker.strength.grid[-1]
    made = reranked_run(RUN, reranker, prices.whole_bench, strength, seed=0, n_samples=1)
    options = {} if reranker.strength is None else {reranker.strength.option: strength}
    own = rerank(RUN, method, labels=LABELS, target=HALF, k=4, **options)
    for query in range(3):
        assert ids(made, query) == ids(own, query)
    assert (np.diff(made.scores[:10]) < 0).all()


def test_only_the_first_items_are_re_ranked() -> None:
    prices = grown(depth=6)
    made = reranked_run(RUN, find_reranker("det-greedy"), prices.whole_bench, 1.0, seed=0, n_samples=1)
    for query in range(3):
        assert sorted(ids(made, query)[:6]) == sorted(ids(RUN, query)[:6])
        assert ids(made, query)[6:] == ids(RUN, query)[6:]
    assert ids(made, 0) != ids(RUN, 0)


@pytest.mark.parametrize("method", ["plackett-luce", "optimal", "fairness-of-exposure"])
def test_drawn_rankings_have_the_exact_quality_on_average(method: str) -> None:
    """4,000 draws: the standard error of a mean nDCG is below 0.3 / √4000 = 0.005."""
    prices = grown()
    reranker = find_reranker(method)
    strength = 0.05 if method == "fairness-of-exposure" else 2.0
    made = reranked_run(RUN, reranker, prices.whole_bench, strength, seed=3, n_samples=4_000)
    assert made.n_samples.tolist() == [4_000] * 3
    policies = reranked(reranker, prices.bench, strength, n_repeats=1, seed=0)
    exact = price_point(prices.bench, policies)
    drawn = standard_values(made, QRELS, [parse_measure("nDCG@4")])[0].values
    np.testing.assert_allclose(drawn, exact.quality, atol=0.02)


def test_the_list_to_look_at() -> None:
    prices = grown()
    assert example_order(prices, "det-greedy", 1.0, 0)[1] == "Every visit shows this list."
    order, words = example_order(prices, "fairness-of-exposure", 0.0, 0)
    assert re.fullmatch(r"This query has \d+ lists, shown at random; this one \d+\u202f% of the time\.", words)
    assert sorted(order.tolist()) == list(range(10))
    order, words = example_order(prices, "plackett-luce", 4.0, 0)
    assert "by expected attention" in words
    assert order.tolist() == list(range(10))  # expected attention follows the scores
    assert "one of them (seed 0)" in example_order(prices, "fair-epsilon-greedy", 0.5, 0)[1]


def test_one_query_before_and_after() -> None:
    """q1 starts a b c d, all x; half and half needs f and g, the first of y, in the first four."""
    prices = grown()
    result = compared_lists(prices, "det-greedy", 1.0, "q1", {"f": "Title\nText."})
    assert docs(result.side("before")) == "abcd"
    assert sorted(docs(result.side("after"))) == list("abfg")
    assert [move["useful"] for move in result.entered].count(True) == 1
    assert {*result.moves["group"]} == {"x", "y"}
    assert sorted(result.moves["title"]) == ["Title", "a", "b", "c", "d", "g"]
