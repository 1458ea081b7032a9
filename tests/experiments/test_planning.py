"""Designs are tried before anything is asked: what they promise holds on other draws, and costs what is said."""

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.experiments.planning import Population, Proposal, Spread, promised, proposed, spread_of
from fairviz.model import Run
from fairviz.policies import PlackettLuce
from fairviz.policies.reweighting import LEAST_EFFECTIVE, balance_weights, effective_mean, effective_size, log_chances
from fairviz.pool import pool, ranked_lists
from tests.nouns import run_of

K = 3
WANTED = [1.0, 2.0, 3.0, 4.0, 5.0]
SPREAD = Spread(0.1)


@pytest.fixture(scope="module")
def run() -> Run:
    rng = np.random.default_rng(0)
    scores = rng.gamma(1.0, size=(8, 25))
    return run_of({f"q{q}": {f"d{i}": float(s) for i, s in enumerate(row)} for q, row in enumerate(scores)})


def designs(
    run: Run, *, half_width: float = 0.05, spread: Spread = SPREAD, n_questions: int | None = None
) -> list[Proposal]:
    rng = np.random.default_rng(1)
    population = Population(run, spread, n_questions)
    return proposed([population], k=K, wanted=WANTED, half_width=half_width, rng=rng, candidates=[2.0, 3.0, 4.0])


def sizes_on_other_draws(run: Run, design: Proposal, alphas: list[float], seed: int) -> tuple[np.ndarray, int]:
    """Effective size at some α, and distinct rankings, of an experiment that follows a design."""
    rng, pools = np.random.default_rng(seed), pool(run, None)
    drawn = [
        ranked_lists(PlackettLuce(a).sample(run, depth=K, n_samples=design.n_samples, rng=rng), pools)
        for a in design.alphas
    ]
    prompts = {tuple(row) for lists in drawn for row in lists.rows.reshape(-1, K).tolist()}
    queries = np.concatenate([lists.queries for lists in drawn])
    order = np.argsort(queries, kind="stable")
    offsets = np.searchsorted(queries[order], np.arange(len(run.query_ids) + 1)).astype(np.int64)

    def chances(alpha: float) -> np.ndarray:
        return np.concatenate([log_chances(PlackettLuce(alpha), run, lists) for lists in drawn])[order]

    recorded = np.stack([chances(a) for a in design.alphas])
    shares = np.full(recorded.shape, 1 / len(drawn))
    weights = [balance_weights(chances(a), recorded, shares) for a in alphas]
    return np.array([float(effective_mean(effective_size(w, offsets))) for w in weights]), len(prompts)


def test_what_is_proposed_is_enough_on_other_draws_and_costs_as_said(run: Run) -> None:
    found = designs(run)
    assert [one.calls for one in found] == sorted(one.calls for one in found)
    for design in (found[0], found[-1]):
        assert (design.alphas[0], design.alphas[-1]) == (1, 5)  # nothing is estimated beyond what is recorded
        assert design.n_effective >= LEAST_EFFECTIVE
        sizes, calls = sizes_on_other_draws(run, design, WANTED, seed=7)
        assert sizes.min() >= LEAST_EFFECTIVE
        assert calls == pytest.approx(design.calls, rel=0.05)
    assert len({one.alphas for one in found}) == len(found)


def test_a_narrower_interval_costs_more_and_is_as_narrow_as_wanted(run: Run) -> None:
    """8 questions: t = 2.365; ± 0.02 needs 0.1² / (8 (0.02 / 2.365)²) = 17.5 answers, ± 0.012 needs 48.5."""
    wide, narrow = designs(run, half_width=0.02)[0], designs(run, half_width=0.012)[0]
    assert wide.n_effective >= LEAST_EFFECTIVE
    assert narrow.n_effective >= 48.5
    assert narrow.half_width == pytest.approx(2.3646 * 0.1 / np.sqrt(8 * narrow.n_effective), abs=1e-5)
    assert narrow.half_width <= 0.012
    assert narrow.calls > wide.calls


def test_questions_scale_the_calls_and_narrow_the_interval(run: Run) -> None:
    few, many = designs(run)[0], designs(run, n_questions=80)[0]
    assert many.alphas == few.alphas
    assert many.calls == pytest.approx(10 * few.calls, abs=10)
    assert many.half_width < few.half_width / 3


def test_one_design_is_enough_in_every_population(run: Run) -> None:
    """The second one needs 48.5 answers for ± 0.012, the first one fewer; both are asked, and paid for."""
    rng = np.random.default_rng(1)
    both = [Population(run, Spread(0.05)), Population(run, SPREAD)]
    joint = proposed(both, k=K, wanted=WANTED, half_width=0.012, rng=rng, candidates=[3.0])[0]
    alone = designs(run, half_width=0.012)[0]
    assert joint.n_effective >= 48.5
    assert 0.009 < joint.half_width <= 0.012  # that of the second one: the first one's is half of it
    assert joint.calls > 1.5 * alone.calls


def test_what_a_design_promises_is_what_it_was_proposed_for(run: Run) -> None:
    design = designs(run, half_width=0.012)[0]
    options = {"k": K, "wanted": WANTED, "alphas": design.alphas, "rng": np.random.default_rng(9)}
    kept = promised([Population(run, SPREAD)], n_samples=design.n_samples, **options)  # type: ignore[arg-type]
    assert kept.calls == pytest.approx(design.calls, rel=0.05)
    assert kept.half_width == pytest.approx(design.half_width, rel=0.1)
    fewer = promised([Population(run, SPREAD)], n_samples=5, **options)  # type: ignore[arg-type]
    assert fewer.n_effective < LEAST_EFFECTIVE
    assert fewer.half_width > kept.half_width


def test_one_wanted_alpha_is_recorded_and_nothing_else(run: Run) -> None:
    (only,) = proposed([Population(run, Spread(0.1))], k=K, wanted=[8.0], half_width=0.05, rng=np.random.default_rng(0))
    assert (only.alphas, only.n_samples, only.n_effective) == ((8.0,), 25, 25)
    assert only.calls < 8 * 25  # equal prompts are asked once


def test_what_cannot_be_reached_is_said(run: Run) -> None:
    with pytest.raises(UndefinedError, match=r"8 questions differ too much for an interval of ± 0.05: .* ask more"):
        designs(run, spread=Spread(0.1, questions=0.1))
    with pytest.raises(UndefinedError, match=r"with at most 400 rankings each give ± 0.001"):
        designs(run, half_width=0.001)
    with pytest.raises(UndefinedError, match="two questions"):
        designs(run, n_questions=1)
    with pytest.raises(ValueError, match="positive half width"):
        designs(run, half_width=0)


def test_the_spread_of_a_pilot() -> None:
    """Within: (0 + 2 · 0.1² + 2 · 0.2²) / 4 = 0.025; means 0.4, 0.5, 0.9.

    The variance of the means is 0.07, of which answers make 0.025 (1/2 + 1/2 + 1/3) / 3.
    """
    utilities = np.array([0.4, 0.4, 0.4, 0.6, np.nan, 0.7, 0.9, 1.1])
    answers, questions = spread_of(utilities, np.array([0, 2, 5, 8]))
    assert answers**2 == pytest.approx((0.02 + 0.08) / 4)
    assert questions**2 == pytest.approx(0.07 - 0.025 * (4 / 3) / 3)
    with pytest.raises(UndefinedError, match="two answers"):
        spread_of(np.array([0.4, np.nan]), np.array([0, 1, 2]))
