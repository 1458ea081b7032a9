"""Chosen re-rankings as lists: the same as the library's own, the rest in its order."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fairviz.attention import Discounted
from fairviz.errors import FairvizError
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import GroupLabels, RankingSample, Run, Target
from fairviz.rerank.catalogue import find_reranker
from fairviz.studies.policy_lab.distances import distance, has_ideal
from fairviz.studies.policy_lab.lists import example_order, first_items, query_before_after, reranked_run
from fairviz.studies.policy_lab.price import point_summary, price_point
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from fairviz.studies.policy_lab.reranking import rerank
from fairviz.studies.policy_lab.strengths import reranked
from tests.nouns import qrels_of, run_of

DOCS = "abcdefghij"

RUN = run_of(
    {
        "q1": {doc: 20.0 - i for i, doc in enumerate(DOCS)},
        "q2": {doc: 20.0 - i for i, doc in enumerate(reversed(DOCS))},
        "q3": {doc: 20.0 - i for i, doc in enumerate("acegibdfhj")},
    }
)

QRELS = qrels_of({"q1": {"a": 1, "f": 2}, "q2": {"c": 1, "i": 1}})

LABELS = GroupLabels(
    attribute="side",
    groups=("x", "y"),
    doc_ids=tuple("abcdefgh"),
    weights=csr_array(np.array([[1.0, 0]] * 5 + [[0, 1.0]] * 3)),
)

HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))


def grown(depth: int = 10, measure: str = "") -> ProgressivePrices:
    return ProgressivePrices(
        first_items(RUN, depth),
        QRELS,
        LABELS,
        HALF,
        attention=Discounted(4),
        k=4,
        measure=parse_measure(measure) if measure else None,
    )


def ids(run: Run, query: int) -> list[str]:
    docs = run.docs[run.offsets[query] : run.offsets[query + 1]].tolist()
    return [run.doc_ids[doc] for doc in docs]


@pytest.mark.parametrize("method", ["det-greedy", "det-cons", "det-const-sort", "novelty"])
def test_a_whole_run_is_the_librarys_own(method: str) -> None:
    """Full strength aims at the target itself; all queries, also the one without judgements."""
    prices = grown()
    reranker = find_reranker(method)
    strength = 1.0 if reranker.strength is None else reranker.strength.grid[-1]
    made = reranked_run(RUN, reranker, prices.whole_bench, strength, seed=0, n_samples=1)
    options = {} if reranker.strength is None else {reranker.strength.option: strength}
    own = rerank(RUN, method, labels=LABELS, target=HALF, k=4, **options)
    assert isinstance(made, Run)
    assert isinstance(own, Run)
    for query in range(3):
        assert ids(made, query) == ids(own, query)
    assert (np.diff(made.scores[:10]) < 0).all()


def test_only_the_first_items_are_re_ranked() -> None:
    prices = grown(depth=6)
    made = reranked_run(RUN, find_reranker("det-greedy"), prices.whole_bench, 1.0, seed=0, n_samples=1)
    assert isinstance(made, Run)
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
    assert isinstance(made, RankingSample)
    assert made.n_samples.tolist() == [4_000] * 3
    policies = reranked(reranker, prices.bench, strength, n_repeats=1, seed=0)
    exact = price_point(prices.axes, policies)
    drawn = standard_values(made, QRELS, [parse_measure("nDCG@4")])[0].values
    np.testing.assert_allclose(drawn, exact.quality, atol=0.02)


def test_the_list_to_look_at() -> None:
    prices = grown()
    single = example_order(find_reranker("det-greedy"), prices.bench, 1.0, 0, seed=0)
    assert (single.chance, single.n_lists) == (1.0, 1)
    lottery = example_order(find_reranker("fairness-of-exposure"), prices.bench, 0.0, 0, seed=0)
    assert 0 < lottery.chance <= 1
    assert sorted(lottery.order.tolist()) == list(range(10))
    blind = example_order(find_reranker("plackett-luce"), prices.bench, 4.0, 0, seed=0)
    assert np.isnan(blind.chance)
    assert blind.order.tolist() == list(range(10))  # expected attention follows the scores


def test_one_query_before_and_after() -> None:
    """q1 starts a b c d, all x; half and half needs f and g, the first of y, in the first four."""
    prices = grown()
    order = example_order(find_reranker("det-greedy"), prices.bench, 1.0, 0, seed=0).order
    found = query_before_after(prices.bench, 0, order, quality=(0.5, 0.9))
    assert [move.doc_id for move in found.before] == list("abcd")
    assert sorted(move.doc_id for move in found.after) == list("abfg")
    assert (found.n_entered, found.n_left, found.n_useful_gained) == (2, 2, 1)
    assert {move.group for move in found.after} == {"x", "y"}


def test_points_off_target_are_half_the_l1_distance_of_awrf() -> None:
    """The measure's value is Σ|share − target|; a hundredth of twice the points."""
    points, measured = grown(), grown(measure="AWRF(distance='l1', browsing='dcg')@4")
    for prices in (points, measured):
        prices.advance(["det-greedy", "fair-epsilon-greedy"])
    for method in ("det-greedy", "fair-epsilon-greedy"):
        one, two = points.curve(method), measured.curve(method)
        assert one is not None
        assert two is not None
        for a, b in zip(one.points, two.points, strict=True):
            np.testing.assert_allclose(a.off / 50, b.off, atol=1e-9)
            np.testing.assert_array_equal(a.quality, b.quality)


def test_a_measure_of_the_whole_system_has_no_queries() -> None:
    prices = grown(measure="logDP(group='y')@4")
    prices.advance(["det-greedy"])
    curve = prices.curve("det-greedy")
    assert curve is not None
    one = point_summary(curve, len(curve.points) - 1, prices.today)
    assert np.isfinite(one.off)
    assert one.off < point_summary(prices.today, 0, prices.today).off


def test_a_measure_that_the_data_refuse_says_why() -> None:
    with pytest.raises(FairvizError, match="nowhere"):
        grown(measure="logDP(group='nowhere')@4")


def test_distances_are_smaller_nearer_the_ideal() -> None:
    values = np.array([-0.4, 0.2, 0.7])
    np.testing.assert_allclose(distance(CATALOGUE["nDKL"], values), values)
    np.testing.assert_allclose(distance(CATALOGUE["nDRKL"], values), 1 - values)
    np.testing.assert_allclose(distance(CATALOGUE["MinSkew"], values), np.abs(values))
    assert has_ideal(CATALOGUE["nDKL"])
