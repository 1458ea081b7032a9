import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.material import random_run
from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.pool import pool
from fairviz.model.arrays import frozen
from fairviz.policies import PlackettLuce, plackett_luce
from fairviz.policies.arrivals import SHORT, expected_exposure, long_exposure, refinements, short_exposure
from fairviz.policies.plackett_luce import _put_noise
from fairviz.policies.scales import min_max
from tests.nouns import qrels_of, run_of
from tests.strategies import attentions


def exact(logits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    n = logits.size
    return expected_exposure(gaps_of(logits), np.array([0, n]), length(n), weights)


def length(n: int) -> np.ndarray:
    """(1) ranked items of one query, read-only as those of pools are: a kernel is compiled anew for other arrays."""
    lengths = np.array([n])
    frozen(lengths)
    return lengths


def gaps_of(logits: np.ndarray) -> np.ndarray:
    """What the kernels take: how far each is below the one before."""
    return -np.diff(logits, prepend=logits[:1])


@pytest.mark.parametrize("cutoff", [1, 5, 20, 60])
@pytest.mark.parametrize("alpha", [0.0, 2.0, 8.0])
def test_long_lists_spend_all_attention(cutoff: int, alpha: float) -> None:
    """At n = 100 the count passes k within a narrow range of time: close nodes are needed."""
    scores = np.linspace(1, 0, 100) ** 2
    exposure = exact(PlackettLuce(alpha).logits(scores), np.ones(cutoff))
    assert exposure.sum() == pytest.approx(cutoff, abs=1e-7)
    assert (np.diff(exposure) <= 1e-9).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), n_items=st.integers(2, SHORT + 20), alpha=st.floats(0, 40), model=attentions)
def test_the_two_kernels_agree(seed: int, n_items: int, alpha: float, model: Attention) -> None:
    """One keeps only counts that have a chance, the other all; short lists are enumerated above."""
    scores = np.sort(np.random.default_rng(seed).random(n_items))[::-1]
    gaps = gaps_of(PlackettLuce(alpha).logits(scores))
    ends, lengths, weights = np.array([0, n_items]), length(n_items), model.weights(n_items)
    refined = refinements(weights)
    few = short_exposure(gaps, ends, lengths, weights, refined)
    many = long_exposure(gaps, ends, lengths, weights, refined)
    assert many == pytest.approx(few, abs=1e-11)
    assert few == pytest.approx(expected_exposure(gaps, ends, lengths, weights), abs=1e-11)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0, 6.0, 8.0])
@pytest.mark.parametrize("cutoff", [1, 2, 5, 13, SHORT])
def test_the_two_kernels_agree_on_lists_of_which_most_is_late(cutoff: int, alpha: float) -> None:
    """Long and short lists in turn: nothing of one stays for the next, and late items begin in the middle of some."""
    sizes = [700, 3, 41, 300, 17, 1000]
    rng = np.random.default_rng(0)
    lists = [np.sort(rng.random(n))[::-1] ** 2 for n in sizes]
    gaps = np.concatenate([gaps_of(PlackettLuce(alpha).logits(scores)) for scores in lists])
    ends, lengths, weights = np.cumsum([0, *sizes]), np.array(sizes), np.linspace(1, 0.5, cutoff)
    frozen(lengths)
    refined = refinements(weights)
    few = short_exposure(gaps, ends, lengths, weights, refined)
    assert few == pytest.approx(long_exposure(gaps, ends, lengths, weights, refined), rel=1e-10, abs=1e-14)


def test_attention_to_a_thousand_ranks_is_spent() -> None:
    """Σε = Σv, and what is ranked higher is seen more."""
    scores = np.linspace(1, 0, 1000) ** 3
    weights = 1 / np.log2(np.arange(2, 1002))
    exposure = exact(PlackettLuce(4).logits(scores), weights)
    assert exposure.sum() == pytest.approx(weights.sum(), abs=1e-8)
    assert (np.diff(exposure) <= 1e-12).all()


def test_judged_items_that_were_not_ranked_are_never_seen() -> None:
    pools = pool(run_of({"q": {"a": 1.0, "b": 0.0}}), qrels_of({"q": {"z": 3}}))
    exposure = PlackettLuce(1).exposure(pools, TopK(1))
    assert exposure[2] == 0
    # logits 2 and 1: first with chance e²/(e² + e) = 1/(1 + 1/e).
    assert exposure[0] == pytest.approx(1 / (1 + np.exp(-1)))


def test_equal_seeds_give_equal_samples_of_distinct_items() -> None:
    run = run_of({"q": {f"d{i}": float(i) for i in range(9)}})
    one, two = (PlackettLuce(1).sample(run, depth=5, n_samples=50, rng=np.random.default_rng(3)) for _ in range(2))
    assert one.docs.tolist() == two.docs.tolist()
    assert all(len(set(row)) == 5 for row in one.docs.reshape(50, 5).tolist())
    assert (one.policy, one.alpha) == ("plackett-luce", 1.0)


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937])
def test_noise_is_numpys(bits: type[np.random.BitGenerator]) -> None:
    """Gumbel noise of one stream, ordered query by query: rankings that were drawn from a seed stay what they are."""
    run = random_run(n_queries=3, n_items=40)
    behind = np.linspace(0.0, 4.0, 40)
    ours = np.random.Generator(bits(1)).random((100, 40))
    _put_noise(ours, behind)
    noise = np.random.Generator(bits(1)).gumbel(size=(100, 40))
    assert ours.tobytes() == (-(noise - behind)).tobytes()
    rng = np.random.Generator(bits(2))
    drawn = PlackettLuce(0.0).sample(run, depth=40, n_samples=7, rng=np.random.Generator(bits(2)))
    of_queries = [rng.gumbel(size=(7, 40)) for _ in range(3)]
    wanted = [run.docs[40 * q : 40 * q + 40][np.argsort(-rows, axis=1)] for q, rows in enumerate(of_queries)]
    assert drawn.docs.tolist() == np.concatenate(wanted).ravel().tolist()


@pytest.mark.parametrize("depth", [3, 100])
def test_the_next_rankings_of_a_stream_follow_whatever_is_held_at_once(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of 0 to 30 items; the noise of a query in one part and in several, and where the stream goes on."""
    rng = np.random.default_rng(0)
    lengths = np.concatenate([rng.integers(0, 31, size=20), [0, 0], np.full(5, 30)])
    whole = random_run(n_queries=lengths.size, n_items=30)
    kept = np.concatenate([30 * q + np.arange(n) for q, n in enumerate(lengths)])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    run = replace(whole, offsets=offsets, docs=whole.docs[kept], scores=whole.scores[kept].round(0))
    for policy in (PlackettLuce(0.0), PlackettLuce(2.0, scores="zscore"), PlackettLuce(50.0)):
        drawn: list[tuple[bytes, float]] = []
        for held in (2**17, 40):
            monkeypatch.setattr(plackett_luce, "NOISE_AT_ONCE", held)
            rng = np.random.default_rng(1)
            sample = policy.sample(run, depth=depth, n_samples=7, rng=rng)
            assert np.diff(sample.sample_offsets).tolist() == np.repeat(np.minimum(lengths, depth), 7).tolist()
            drawn.append((sample.docs.tobytes(), rng.random()))
        assert drawn[0] == drawn[1]


def test_a_random_zero_counts_as_the_next_number_above_it() -> None:
    """Noise of 0 would be infinite."""
    zero, least = np.zeros((1, 1)), np.full((1, 1), 2.0**-53)
    for numbers in (zero, least):
        _put_noise(numbers, np.zeros(1))
    assert np.isfinite(zero).all()
    assert zero == least


def test_wrong_parameters() -> None:
    with pytest.raises(ValueError, match="alpha"):
        PlackettLuce(-1)
    with pytest.raises(ValueError, match="offset"):
        PlackettLuce(1, 0.5)


@pytest.mark.parametrize("alpha", [1, 8])
def test_logits_are_the_published_codes(shared: Path, alpha: int) -> None:
    """(s̄ + 1)^α, but for negative scores, of which the reference subtracts the minimum twice."""
    folder = shared / "data/expected-exposure/fairrag"
    queries = {q["qid"]: q for q in json.loads((folder / "queries.json").read_text())}
    wanted = json.loads((folder / f"pl_logscores_bm25_alpha{alpha}.json").read_text())
    n_checked = 0
    for qid, logits in wanted.items():
        scores = np.array(queries[qid]["scores"])
        if scores.min() < 0:
            continue
        got = PlackettLuce(alpha).logits(min_max(scores, np.array([0, scores.size])))
        assert got == pytest.approx(np.array(logits), rel=1e-9), qid
        n_checked += 1
    assert n_checked == 45
