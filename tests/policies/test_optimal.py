import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.exposure import exposure_bounds, target_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import attainable, ee_disparity, ee_relevance
from fairviz.model import Qrels, Run
from fairviz.model.arrays import segment_sums
from fairviz.policies import PlackettLuce, frontier, normalised_scores
from fairviz.policies.optimal import PRECISION, defined_queries, project
from tests.nouns import qrels_of, run_of
from tests.strategies import attentions, judged, runs

values = st.lists(st.floats(-3, 3), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(values=values, k=st.integers(1, 4))
def test_projection_is_the_nearest_point(values: list[float], k: int) -> None:
    """Against a general solver of the quadratic programme over the capped simplex."""
    falling = np.array(sorted(values, reverse=True))
    k = min(k, falling.size)
    point = project(falling, np.array([0, falling.size]), TopK(k).weights(falling.size))
    solved = minimize(
        lambda x: ((x - falling) ** 2).sum(),
        np.full(falling.size, k / falling.size),
        jac=lambda x: 2 * (x - falling),
        bounds=[(0, 1)] * falling.size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - k},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert ((point - falling) ** 2).sum() <= ((solved.x - falling) ** 2).sum() + 1e-7


def test_topk_projection_by_hand() -> None:
    # u/λ = 3, 1, 0.5 and k = 2: clip(u/λ − τ, 0, 1) with τ = 0.25 gives 1, 0.75, 0.25.
    point = project(np.array([3.0, 1.0, 0.5]), np.array([0, 3]), np.array([1.0, 1.0, 0.0]))
    assert point == pytest.approx([1, 0.75, 0.25])


@settings(max_examples=20, deadline=None)
@given(run=runs(), qrels=judged(), model=attentions, alpha=st.floats(0, 8), seed=st.integers(0, 99))
def test_no_policy_passes_the_frontiers(run: Run, qrels: Qrels, model: Attention, alpha: float, seed: int) -> None:
    """DESIGN 2.4: at equal mean EE-D nothing over the run's items has more score than ``optimal``,
    and nothing over the pool more EE-R than ``oracle``."""
    pools = pool(run, qrels)
    target = target_exposure(pools, model)
    bounds = exposure_bounds(target, pools.offsets, model)
    used = defined_queries(pools, bounds)
    if not used.any():
        return

    def mean_disparity(eps: np.ndarray) -> float:
        return attainable(ee_disparity(eps, pools.offsets), *bounds.disparity)[used].mean()

    def mean_relevance(eps: np.ndarray) -> float:
        values = ee_relevance(eps, target, pools.offsets)
        return attainable(values, *bounds.relevance)[used].mean()

    scores = np.nan_to_num(normalised_scores(pools))

    def mean_score(eps: np.ndarray) -> float:
        return segment_sums(eps * scores, pools.offsets)[used].mean()

    rng = np.random.default_rng(seed)
    rivals = [PlackettLuce(alpha).exposure(pools, model)]
    other = run_of(
        {
            q: {run.doc_ids[d]: float(rng.random()) for d in run.docs[a:b]}
            for q, a, b in zip(run.query_ids, run.offsets[:-1], run.offsets[1:], strict=True)
        }
    )
    other_pools = pool(other, qrels)
    by_item = {
        (q, d): e
        for q, d, e in zip(
            np.repeat(np.arange(pools.sizes.size), other_pools.sizes),
            (other_pools.doc_ids[d] for d in other_pools.docs),
            PlackettLuce(alpha).exposure(other_pools, model),
            strict=True,
        )
    }
    query = np.repeat(np.arange(pools.sizes.size), pools.sizes)
    names = (pools.doc_ids[d] for d in pools.docs)
    rivals.append(np.array([by_item[q, d] for q, d in zip(query, names, strict=True)]))
    for rival in rivals:
        wanted = mean_disparity(rival)
        (best,) = frontier("optimal", pools, target, model).at(np.array([wanted]))
        (oracle,) = frontier("oracle", pools, target, model).at(np.array([wanted]))
        assert mean_disparity(best) <= wanted + 1e-8
        # Near uniform the score grows with the root of EE-D, and so does what PRECISION leaves open.
        assert mean_score(best) >= mean_score(rival) - 2 * PRECISION**0.5
        # A rival that fills fewer than k places may spend less than uniform does (EE-D < 0).
        assert mean_disparity(oracle) <= max(wanted, 0) + 1e-8
        assert mean_relevance(oracle) >= mean_relevance(rival) - 2 * PRECISION**0.5


def test_the_oracle_ends_at_the_target_and_goes_on_at_ee_r_1() -> None:
    run = run_of({"q": {f"d{i}": 6.0 - i for i in range(6)}})
    pools = pool(run, qrels_of({"q": {"d3": 1, "d4": 1, "d5": 1}}))
    target = target_exposure(pools, TopK(2))
    oracle = frontier("oracle", pools, target, TopK(2))
    end, beyond, last = oracle.at(np.array([oracle.mean_disparity(-20.0), 0.7, 1.0], dtype=np.float64))
    bounds = exposure_bounds(target, pools.offsets, TopK(2))
    assert end == pytest.approx(target)
    for exposure, disparity in ((beyond, 0.7), (last, 1.0)):
        assert attainable(ee_disparity(exposure, pools.offsets), *bounds.disparity) == (pytest.approx([disparity]))
        relevance = ee_relevance(exposure, target, pools.offsets)
        assert attainable(relevance, *bounds.relevance) == pytest.approx([1])


def test_frontier_without_a_defined_query_is_left_uniform() -> None:
    pools = pool(run_of({"q": {"a": 1.0, "b": 0.0}}), qrels_of({"q": {"a": 0, "b": 0}}))
    target = target_exposure(pools, TopK(1))
    (exposure,) = frontier("optimal", pools, target, TopK(1)).at(np.array([0.5]))
    assert exposure == pytest.approx([0.5, 0.5])
