"""Chances of recorded rankings against enumeration, and what the weights promise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.kernels.pool import RankedLists
from fairviz.model import Run, ScoreScale
from fairviz.policies import PlackettLuce
from fairviz.policies.reweighting import balance_weights, log_chances
from tests.nouns import run_of

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-9, 2.5, 7.0]), min_size=1, max_size=5)


def one_query(scores: list[float]) -> Run:
    return run_of({"q": {f"d{i}": score for i, score in enumerate(scores)}})


def lists_of(rankings: list[tuple[int, ...]]) -> RankedLists:
    """Rankings of one query, as places in its run."""
    sizes = [len(ranking) for ranking in rankings]
    return RankedLists(
        np.array([row for ranking in rankings for row in ranking], dtype=np.int64),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.zeros(len(rankings), dtype=np.int64),
    )


def every(n: int, k: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(n), k))


@settings(max_examples=20, deadline=None)
@given(scores=SCORES, k=st.integers(1, 5), alpha=st.floats(0, 6), offset=st.sampled_from([0.0, 1.0]))
def test_chances_equal_the_product_of_choices(scores: list[float], k: int, alpha: float, offset: float) -> None:
    run = one_query(scores)
    n = len(scores)
    rankings = every(n, min(k, n))
    policy = PlackettLuce(alpha, offset)
    width = run.scores[0] - run.scores[-1]
    logits = policy.logits((run.scores - run.scores[-1]) / width if width > 0 else np.zeros(n))
    parts = np.exp(logits - logits.max())
    if width == 0 or alpha == 0:
        parts = np.ones(n)
    literal = [
        math.prod(parts[d] / sum(parts[i] for i in range(n) if i not in ranking[:j]) for j, d in enumerate(ranking))
        for ranking in rankings
    ]
    assert np.exp(log_chances(policy, run, lists_of(rankings))) == pytest.approx(literal, rel=1e-6, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(
    scores=SCORES,
    k=st.integers(1, 5),
    alpha=st.sampled_from([0.0, 0.3, 2.0, 8.0, 40.0, 300.0, 1000.0]),
    offset=st.sampled_from([0.0, 1.0]),
    scale=st.sampled_from(["given", "ranks", "zscore"]),
)
def test_chances_of_all_rankings_sum_to_one(
    scores: list[float], k: int, alpha: float, offset: float, scale: ScoreScale
) -> None:
    run = one_query(scores)
    rankings = every(len(scores), min(k, len(scores)))
    chances = np.exp(log_chances(PlackettLuce(alpha, offset, scale), run, lists_of(rankings)))
    assert chances.sum() == pytest.approx(1, abs=1e-9)


def test_near_ties_below_a_huge_gap_keep_their_digits() -> None:
    """At α = 1,000 the first item leads by 10^300 nats, and the next two still differ by a coin's toss."""
    run = one_query([1.0, 1e-4 + 1e-7, 1e-4, 0.0])
    upper, lower = (1.0001 + 1e-7) ** 1000, 1.0001**1000
    first = 1 / (1 + math.exp(lower - upper) + math.exp(1 - upper))
    chances = log_chances(PlackettLuce(1000), run, lists_of([(0, 1), (1, 0)]))
    assert chances[0] == pytest.approx(math.log(first), rel=1e-6)
    assert chances[1] < -1e290


def test_lists_that_no_policy_draws_have_no_chance() -> None:
    chances = log_chances(PlackettLuce(1), one_query([1.0, 0.0]), lists_of([(0, 0), (-1,), (1, 0), ()]))
    assert np.isnan(chances[:2]).all()
    assert chances[2] == pytest.approx(-math.log(1 + math.e))
    assert chances[3] == 0


@pytest.mark.parametrize("wanted", [0.0, 1.0, 3.0, 8.0])
def test_weights_average_one_and_estimate_any_function_without_bias(wanted: float) -> None:
    """In expectation over the mixture, by enumeration: Σ mixture(r) w(r) f(r) = Σ p(r) f(r)."""
    run, rankings = one_query([3.0, 2.5, 1.0, 0.5, 0.0]), lists_of(every(5, 3))
    recorded = np.stack([log_chances(PlackettLuce(a), run, rankings) for a in (1.0, 4.0)])
    shares = np.repeat([[0.25], [0.75]], recorded.shape[1], axis=1)
    chances = log_chances(PlackettLuce(wanted), run, rankings)
    weights = balance_weights(chances, recorded, shares)
    mixture = (np.exp(recorded) * shares).sum(axis=0)
    values = np.random.default_rng(0).normal(size=chances.size)
    assert mixture @ weights == pytest.approx(1)
    assert (mixture * weights) @ values == pytest.approx(np.exp(chances) @ values)


def test_at_a_recorded_alpha_no_weight_exceeds_the_number_of_draws_by_its_own() -> None:
    run, rankings = one_query([3.0, 2.5, 1.0, 0.5, 0.0]), lists_of(every(5, 3))
    recorded = np.stack([log_chances(PlackettLuce(a), run, rankings) for a in (1.0, 8.0)])
    shares = np.repeat([[0.2], [0.8]], recorded.shape[1], axis=1)
    assert balance_weights(recorded[0], recorded, shares).max() <= 5 + 1e-9
    alone = balance_weights(recorded[1], recorded[1:], np.ones((1, shares.shape[1])))
    assert alone == pytest.approx(np.ones(alone.size))
