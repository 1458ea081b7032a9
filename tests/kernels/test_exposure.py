import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, Cascade, TopK
from fairviz.kernels.exposure import exposure_bounds, run_exposure, sample_exposure, target_exposure, uniform_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import attainable, ee_disparity, ee_loss, ee_relevance
from fairviz.model import Qrels, RankingSample, Run
from fairviz.model.arrays import segment_sums
from tests.nouns import qrels_of, run_of, sample_of
from tests.strategies import attentions, judged, runs, samples


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


@given(run=runs(), qrels=judged(), model=attentions, seed=st.integers(0, 10))
def test_no_ranking_of_the_pool_passes_the_bounds(run: Run, qrels: Qrels, model: Attention, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pools = pool(run, qrels)
    target = target_exposure(pools, model)
    bounds = exposure_bounds(target, pools.offsets, model)
    exposure = np.concatenate([rng.permutation(model.weights(int(size))) for size in pools.sizes]).astype(np.float64)
    mixed = (exposure + uniform_exposure(pools, model)) / 2
    for eps in (exposure, mixed):
        for (low, high), value in zip(
            (bounds.disparity, bounds.relevance, bounds.loss),
            (
                ee_disparity(eps, pools.offsets),
                ee_relevance(eps, target, pools.offsets),
                ee_loss(eps, target, pools.offsets),
            ),
            strict=True,
        ):
            assert (value >= low - 1e-9).all()
            assert (value <= high + 1e-9).all()
