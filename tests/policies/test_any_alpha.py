"""Plackett–Luce is exact for every α that is accepted, and ends at the list."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.model import Pools, Run
from fairviz.points.curves import CurveSettings, policy_curves
from fairviz.policies import PlackettLuce
from tests.loaded import example as shipped_example
from tests.nouns import qrels_of, run_of
from tests.policies.exactly import decimal_levels, enumerated_exactly
from tests.strategies import attentions

LARGE = (8.0, 16.0, 32.0, 64.0, 100.0, 200.0, 500.0, 1000.0)
MODELS = {
    "topk": TopK(5),
    "rbp": Attention("rbp", cutoff=None),
    "geometric": Attention("geometric", cutoff=None),
    "log": Attention("log", cutoff=None),
    "dcg": Attention("dcg", cutoff=10),
}
CLOSE = {
    "close to the top": [1.0, 1 - 1e-9, 1 - 2e-9, 0.5, 0.0],
    "close in the middle": [3.0, 1.0 + 1e-9, 1.0, 1.0 - 1e-12, 0.0],
    "close to the end": [1.0, 0.002, 0.001, 0.0005, 0.0],
    "closer than one part in 10^16": [1.0, 1e-19, 0.0],
    "tied": [2.0, 2.0, 1.0, 1.0, 0.0],
    "huge": [1.7e308, 1.6e308, 0.0, -1.7e308],
    "tiny": [3e-320, 2e-320, 1e-320, 0.0],
}


def scored(scores: list[float]) -> Run:
    return run_of({"q": {f"d{i}": score for i, score in enumerate(scores)}})


def falling(scores: list[float], policy: PlackettLuce, model: Attention) -> np.ndarray:
    """Exposure of the items, best first."""
    return policy.exposure(pool(scored(scores), None), model)


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("alpha", [8.0, 60.0, 63.5, 100.0, 200.0, 500.0, 1000.0])
@pytest.mark.parametrize("case", CLOSE)
def test_exposure_is_that_of_all_rankings(case: str, alpha: float, offset: int) -> None:
    scores = sorted(CLOSE[case], reverse=True)
    for model in (TopK(2), Attention("rbp", cutoff=None)):
        wanted = enumerated_exactly(decimal_levels(scores), alpha, offset, model.weights(len(scores)))
        assert falling(scores, PlackettLuce(alpha, offset), model) == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(
    scores=st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1 + 1e-12]), min_size=1, max_size=5),
    alpha=st.floats(0, 1000) | st.sampled_from([0.0, 64.0, 1000.0]),
    offset=st.sampled_from([0, 1]),
    model=attentions,
)
def test_any_scores_at_any_alpha(scores: list[float], alpha: float, offset: int, model: Attention) -> None:
    scores = sorted(scores, reverse=True)
    weights = model.weights(len(scores))
    exposure = falling(scores, PlackettLuce(alpha, offset), model)
    assert exposure == pytest.approx(enumerated_exactly(decimal_levels(scores), alpha, offset, weights), abs=1e-8)
    assert exposure.sum() == pytest.approx(weights.sum(), abs=1e-8)
    tied = np.flatnonzero(np.diff(scores) == 0)
    assert exposure[tied] == pytest.approx(exposure[tied + 1], abs=1e-14)


@functools.cache
def example() -> tuple[Run, Pools]:
    loaded = shipped_example()
    return loaded.runs[0], pool(loaded.runs[0], loaded.qrels[0])


@pytest.mark.parametrize("alpha", [2.0, 64.0, 200.0, 1000.0])
@pytest.mark.parametrize("offset", [0, 1])
def test_samples_agree_at_any_alpha(alpha: float, offset: int) -> None:
    """Items so close that the order stays a matter of chance: s̄ near 1/α (offset 1) or near 1 (offset 0)."""
    near = np.arange(8) / (6 * alpha)
    scores = [*(1 - near if offset == 0 else near), 1.0 - offset, 1.0, 0.25]
    policy, pools = PlackettLuce(alpha, offset), pool(scored(scores), None)
    sample = policy.sample(scored(scores), depth=4, n_samples=40_000, rng=np.random.default_rng(7))
    exposure = policy.exposure(pools, TopK(4))
    assert ((exposure > 0.05) & (exposure < 0.95)).sum() >= 4
    # Standard error of a share of 40,000 is at most 0.0025.
    assert sample_exposure(sample, pools, TopK(4)).exposure == pytest.approx(exposure, abs=0.0125)


@pytest.mark.parametrize("alpha", [64.0, 200.0, 1000.0])
def test_ties_are_drawn_in_any_order_at_any_alpha(alpha: float) -> None:
    """Noise added to 2^200 would be lost, and ties would keep the order of the file."""
    run = scored([3.0, 3.0, 3.0, 1.0, 1.0, 0.0])
    sample = PlackettLuce(alpha).sample(run, depth=4, n_samples=40_000, rng=np.random.default_rng(3))
    for cutoff, shares in ((1, [1 / 3, 1 / 3, 1 / 3, 0, 0, 0]), (4, [1, 1, 1, 1 / 2, 1 / 2, 0])):
        drawn = sample_exposure(sample, pool(run, None), TopK(cutoff)).exposure
        assert drawn == pytest.approx(np.array(shares), abs=0.0125)


def test_optimal_and_oracle_follow_to_the_largest_alpha() -> None:
    run, pools = example()
    for model in (MODELS["topk"], MODELS["rbp"]):
        drawn, optimal, oracle, *_ = policy_curves(
            run,
            pools,
            CurveSettings(policies=("plackett-luce", "optimal", "oracle"), alphas=np.array(LARGE), attention=model),
        )
        assert optimal.mean_disparity == pytest.approx(drawn.mean_disparity, abs=1e-9)
        assert oracle.mean_disparity == pytest.approx(drawn.mean_disparity, abs=1e-9)
        assert (optimal.score.mean(axis=1) >= drawn.score.mean(axis=1) - 1e-9).all()


@pytest.mark.parametrize("model", [TopK(1), TopK(2), Attention("rbp", cutoff=None)], ids=["top 1", "top 2", "rbp"])
def test_optimal_tells_close_scores_apart_as_plackett_luce_does(model: Attention) -> None:
    """Scores 1e−9 apart, at the top and in the middle: both are in order for sure from α = 64 on."""
    run = scored([1.0, 1 - 1e-9, 0.5, 0.5 - 1e-9, 0.0])
    alphas = np.array([1.0, 20.0, 26.0, 28.0, 64.0, 1000.0])
    drawn, optimal, *_ = policy_curves(
        run,
        pool(run, qrels_of({"q": {"d1": 1}})),
        CurveSettings(policies=("plackett-luce", "optimal"), alphas=alphas, attention=model),
    )
    assert drawn.mean_disparity[-1] == pytest.approx(1)
    assert optimal.mean_disparity == pytest.approx(drawn.mean_disparity, abs=1e-11)
