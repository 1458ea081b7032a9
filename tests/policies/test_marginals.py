from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.exposure import sample_exposure, target_exposure
from fairviz.kernels.pool import pool
from fairviz.policies import frontier
from fairviz.policies.marginals import decompose, drawn_sample, marginal_rankings, systematic
from fairviz.policies.optimal import project
from tests.nouns import qrels_of, run_of
from tests.strategies import attentions


@settings(max_examples=20, deadline=None)
@given(values=st.lists(st.floats(-3, 3), min_size=1, max_size=30), model=attentions)
def test_a_mixture_of_at_most_n_rankings_has_exactly_the_exposure(values: list[float], model: Attention) -> None:
    falling = np.array(sorted(values, reverse=True))
    weights = model.weights(falling.size)
    point = project(falling, np.array([0, falling.size]), weights)
    assert (np.diff(point) <= 1e-12).all()
    mixture = decompose(point, weights)
    rebuilt = np.zeros(falling.size)
    for chance, order in zip(*mixture, strict=True):
        assert sorted(order.tolist()) == list(range(falling.size))
        rebuilt[order] += chance * weights
    assert rebuilt == pytest.approx(point, abs=1e-9)
    assert mixture.chances.sum() == pytest.approx(1)
    assert (mixture.chances >= -1e-12).all()
    assert mixture.chances.size <= falling.size


def test_exposure_that_does_not_spend_the_attention_is_refused() -> None:
    with pytest.raises(ValueError, match="sums to"):
        decompose(np.array([0.5, 0.5, 0.0]), np.array([1.0, 0.5, 0.25]))


def test_items_that_were_judged_but_not_ranked_are_never_drawn() -> None:
    """Attention to all ranks of the run, with z judged and not ranked: a and b share it all."""
    pools = pool(run_of({"q": {"a": 1.0, "b": 0.0}}), qrels_of({"q": {"z": 1, "a": 2}}))
    model = Attention("rbp", patience=0.5)
    target = target_exposure(pools, model)
    (exposure,) = frontier("optimal", pools, target, model).at(np.array([-9.0]))
    rankings = marginal_rankings(pools, exposure, model, depth=2, n_samples=4000, rng=np.random.default_rng(1))
    drawn = drawn_sample(pools, dict(rankings), system="s", policy="optimal")
    assert "z" not in {drawn.doc_ids[d] for d in drawn.docs}
    # Uniform over a and b: (1 + 0.5) / 2 each; standard error 0.25/√4000 = 0.004.
    seen = sample_exposure(drawn, pools, model).exposure
    assert seen == pytest.approx([0.75, 0.75, 0.0], abs=0.016)


def test_systematic_sampling_has_the_given_chances_and_no_repeats() -> None:
    inclusion = np.array([1.0, 0.7, 0.6, 0.4, 0.3])
    drawn = systematic(inclusion, n_samples=50_000, rng=np.random.default_rng(5))
    assert drawn.shape == (50_000, 3)
    assert all(len(set(row)) == 3 for row in drawn[:500].tolist())
    # Standard error at most 0.0023.
    assert np.bincount(drawn.ravel()) / 50_000 == pytest.approx(inclusion, abs=0.012)


@pytest.mark.parametrize("model", [TopK(3), Attention("rbp", patience=0.6)])
@pytest.mark.parametrize("policy", ["optimal", "oracle"])
def test_sampled_rankings_of_a_frontier_have_its_exposure(
    model: Attention, policy: Literal["optimal", "oracle"]
) -> None:
    run = run_of({"q": {f"d{i}": 10.0 / (i + 1) for i in range(8)}, "gone": {"x": 1.0}})
    pools = pool(run, qrels_of({"q": {"d1": 2, "d5": 1, "z": 1}, "none": {"a": 1}}))
    (exposure,) = frontier(policy, pools, target_exposure(pools, model), model).at(np.array([0.3]))
    rankings = marginal_rankings(pools, exposure, model, depth=8, n_samples=40_000, rng=np.random.default_rng(2))
    sample = drawn_sample(pools, dict(rankings), system="s", policy=policy)
    assert sample.query_ids[0] == "q"
    drawn = sample_exposure(sample, pools, model).exposure
    q = pools.query_ids.index("q")
    rows = slice(int(pools.offsets[q]), int(pools.offsets[q + 1]))
    assert drawn[rows] == pytest.approx(exposure[rows], abs=0.0125)
