import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, Cascade, TopK
from fairviz.kernels.exposure import exposure_bounds, run_exposure, sample_exposure, target_exposure, uniform_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import attainable, ee_disparity, ee_loss, ee_relevance, unbiased_disparity
from fairviz.model import Qrels, RankingSample, Run
from fairviz.model.arrays import segment_sums
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import attentions, judged, literal_target, runs, samples


def test_target_by_hand() -> None:
    # k = 3, one item of gain 2, one of gain 1, three of gain 0 (one of them unjudged):
    # positions 1 | 2 | 3, 4, 5 -> 1, 1, and (1 + 0 + 0)/3 for each of the others.
    run = run_of({"q": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}})
    pools = pool(run, qrels_of({"q": {"c": 2, "a": 1, "b": 0, "d": -1}}))
    assert target_exposure(pools, TopK(3)) == pytest.approx([1, 1 / 3, 1, 1 / 3, 1 / 3])


def test_binary_target_is_the_papers() -> None:
    # m = 2 <= k = 3 of n = 6: useful 1, others (k − m)/(n − m) = 1/4.
    run = run_of({"q": {f"d{i}": 6.0 - i for i in range(6)}})
    few = pool(run, qrels_of({"q": {"d0": 3, "d5": 1}}))
    assert target_exposure(few, TopK(3), gain="binary") == pytest.approx([1, *[0.25] * 4, 1])
    # m = 4 > k = 3: useful k/m = 3/4, others 0. With rel = 2 only two are useful.
    many = pool(run, qrels_of({"q": {"d0": 1, "d1": 1, "d2": 2, "d3": 2}}))
    assert target_exposure(many, TopK(3), gain="binary") == pytest.approx([*[0.75] * 4, 0, 0])
    assert target_exposure(many, TopK(3), gain="binary", rel=2)[2:4] == pytest.approx([1, 1])


def test_uniform_has_the_share_of_useful_items_as_attainable_ee_r() -> None:
    # The paper's 31 %: at uniform, binary attainable EE-R is m/n where m > k. Here 4/6.
    run = run_of({"q": {f"d{i}": 6.0 - i for i in range(6)}})
    pools = pool(run, qrels_of({"q": {"d0": 1, "d1": 1, "d2": 1, "d3": 1}}))
    target = target_exposure(pools, TopK(2), gain="binary")
    bounds = exposure_bounds(target, pools.offsets, TopK(2))
    value = ee_relevance(uniform_exposure(pools, TopK(2)), target, pools.offsets)
    assert attainable(value, *bounds.relevance) == pytest.approx([4 / 6])


def test_one_fixed_list_has_attainable_ee_d_1_for_topk() -> None:
    run = run_of({"q": {f"d{i}": 6.0 - i for i in range(6)}})
    pools = pool(run, qrels_of({"q": {"d0": 1, "x": 1}}))
    bounds = exposure_bounds(target_exposure(pools, TopK(2)), pools.offsets, TopK(2))
    disparity = ee_disparity(run_exposure(pools, TopK(2)), pools.offsets)
    assert attainable(disparity, *bounds.disparity) == pytest.approx([1])


def test_undefined_where_nothing_can_differ() -> None:
    run = run_of({"small": {"a": 2.0, "b": 1.0}, "alike": dict.fromkeys("abcd", 1.0)})
    pools = pool(run, qrels_of({"small": {"a": 1}, "alike": dict.fromkeys("abcd", 1)}))
    target = target_exposure(pools, TopK(3))
    bounds = exposure_bounds(target, pools.offsets, TopK(3))
    exposure = run_exposure(pools, TopK(3))
    # n <= k: every item is always seen. Equal gains: no list is better than another.
    assert np.isnan(attainable(ee_disparity(exposure, pools.offsets), *bounds.disparity)).tolist() == [True, False]
    assert np.isnan(attainable(ee_relevance(exposure, target, pools.offsets), *bounds.relevance)).all()


def test_cascade_by_hand() -> None:
    # p = .5, phi = .5, grades 2 and 1 of at most 2: φ = .5 and .25.
    # ranks: 1; .5·(1 − .5) = .25; .25·(.5)(.75) = .09375
    sample = sample_of({"q": [["a", "b", "c"]]})
    pools = pool(sample, qrels_of({"q": {"a": 2, "b": 1, "c": 0}}))
    got = sample_exposure(sample, pools, Cascade(0.5, 0.5))
    assert got.exposure == pytest.approx([1, 0.25, 0.09375])


@given(run=runs(), qrels=judged(), model=attentions, gain=st.sampled_from(["graded", "binary"]))
def test_target_is_the_definition(run: Run, qrels: Qrels, model: Attention, gain: str) -> None:
    pools = pool(run, qrels)
    target = target_exposure(pools, model, gain=gain)  # type: ignore[arg-type]
    for a, b in zip(pools.offsets[:-1], pools.offsets[1:], strict=True):
        gains = pools.gains[a:b] if gain == "graded" else (pools.gains[a:b] >= 1) * 1.0
        assert target[a:b] == pytest.approx(literal_target(list(gains), model.weights(b - a)))


@given(sample=samples(), qrels=judged(), model=attentions)
def test_laws_of_expected_exposure(sample: RankingSample, qrels: Qrels, model: Attention) -> None:
    pools = pool(sample, qrels)
    target = target_exposure(pools, model)
    got = sample_exposure(sample, pools, model)
    n = pools.offsets
    # EE-L = EE-D − 2 EE-R + ‖ε*‖²
    assert ee_loss(got.exposure, target, n) == pytest.approx(
        ee_disparity(got.exposure, n) - 2 * ee_relevance(got.exposure, target, n) + ee_disparity(target, n)
    )
    # The target spends exactly the attention of the pool.
    spent = [model.weights(int(size)).sum() for size in pools.sizes]
    assert segment_sums(target, n) == pytest.approx(np.array(spent))
    # Jensen: one ranking is the most concentrated policy of its length.
    assert (ee_disparity(got.exposure, n) <= got.mean_square + 1e-12).all()


@given(sample=samples(), qrels=judged(), model=attentions)
def test_exposure_is_the_mean_over_rankings(sample: RankingSample, qrels: Qrels, model: Attention) -> None:
    pools = pool(sample, qrels)
    got = sample_exposure(sample, pools, model).exposure
    for q, query in enumerate(pools.query_ids):
        i = sample.query_ids.index(query)
        drawn = range(sample.query_offsets[i], sample.query_offsets[i + 1])
        literal = {pools.doc_ids[pools.docs[r]]: 0.0 for r in range(*pools.offsets[q : q + 2])}
        for s in drawn:
            ranking = sample.docs[sample.sample_offsets[s] : sample.sample_offsets[s + 1]]
            for rank, doc in enumerate(ranking):
                weight = model.weights(len(ranking))[rank]
                literal[sample.doc_ids[doc]] += float(weight) / len(drawn)
        assert got[pools.offsets[q] : pools.offsets[q + 1]] == pytest.approx(list(literal.values()))


@given(run=runs(), qrels=judged(), model=attentions, seed=st.integers(0, 10))
def test_no_ranking_of_the_pool_passes_the_bounds(run: Run, qrels: Qrels, model: Attention, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pools = pool(run, qrels)
    target = target_exposure(pools, model)
    bounds = exposure_bounds(target, pools.offsets, model)
    exposure = np.concatenate([rng.permutation(model.weights(int(size))) for size in pools.sizes]).astype(np.float64)
    mixed = (exposure + uniform_exposure(pools, model)) / 2
    for eps in (exposure, mixed):
        for interval, value in zip(
            (bounds.disparity, bounds.relevance, bounds.loss),
            (
                ee_disparity(eps, pools.offsets),
                ee_relevance(eps, target, pools.offsets),
                ee_loss(eps, target, pools.offsets),
            ),
            strict=True,
        ):
            assert (value >= interval.low - 1e-9).all()
            assert (value <= interval.high + 1e-9).all()


def test_unbiased_disparity_is_right_on_average() -> None:
    # Two items, k = 1, each first with chance 1/2: ‖ε‖² = 1/2. Over all 4 pairs of draws:
    # plug-in 1, 1/2, 1/2, 1 (mean 3/4), unbiased 2·plug-in − 1 = 1, 0, 0, 1 (mean 1/2).
    draws = [["ab", "ab"], ["ab", "ba"], ["ba", "ab"], ["ba", "ba"]]
    plugin, unbiased = [], []
    for drawn in draws:
        sample = sample_of({"q": [list(ranking) for ranking in drawn]})
        pools = pool(sample, qrels_of({"q": {"a": 1}}))
        got = sample_exposure(sample, pools, TopK(1))
        plugin.append(ee_disparity(got.exposure, pools.offsets))
        unbiased.append(unbiased_disparity(plugin[-1], got.mean_square, got.n_samples))
    assert np.mean(plugin) == pytest.approx(0.75)
    assert np.mean(unbiased) == pytest.approx(0.5)


def test_unbiased_is_undefined_for_a_single_ranking() -> None:
    one = np.array([1])
    assert np.isnan(unbiased_disparity(np.array([1.0]), np.array([1.0]), one)).all()


@given(sample=samples(), qrels=judged(), order=st.permutations(range(9)), model=attentions)
def test_relabelling_documents_changes_nothing(
    sample: RankingSample, qrels: Qrels, order: list[int], model: Attention
) -> None:
    from dataclasses import replace

    names = {f"d{i}": f"d{j}" for i, j in enumerate(order)}
    renamed = (
        replace(sample, doc_ids=tuple(names[d] for d in sample.doc_ids)),
        replace(qrels, doc_ids=tuple(names[d] for d in qrels.doc_ids)),
    )
    values = []
    for s, q in ((sample, qrels), renamed):
        pools = pool(s, q)
        target = target_exposure(pools, model)
        exposure = sample_exposure(s, pools, model).exposure
        values.append(ee_relevance(exposure, target, pools.offsets))
    assert values[0] == pytest.approx(values[1])
