"""How scores become s̄: as given, by rank, by z-score."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.pool import pool
from fairviz.model import SCORE_SCALES, Qrels, Run, ScoreScale
from fairviz.points.curves import CurveSettings, Drawing, draw_rankings, policy_curves
from fairviz.policies import PlackettLuce
from fairviz.policies.scales import min_max, scaled
from tests.loaded import example
from tests.nouns import run_of
from tests.policies.exactly import enumerated_exactly
from tests.strategies import attentions, judged, runs

lists = st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=1, max_size=12)


def one(scores: list[float], scale: ScoreScale) -> tuple[list[float], list[float]]:
    """s̄ and falls of one query."""
    levels, falls = scaled(np.array(scores), np.array([0, len(scores)]), scale)
    return levels.tolist(), falls.tolist()


def test_by_hand() -> None:
    # min–max of 10, 8, 0: 1, 0.8, 0.
    levels, falls = one([10, 8, 0], "given")
    assert levels == pytest.approx([1, 0.8, 0])
    assert falls == pytest.approx([0, 0.2, 0.8])
    # Mean 4, deviations 4, 0, −4, standard deviation √(32/3) = 3.266: z = 1.2247; 1/2 ± 1.2247/4.
    levels, falls = one([8, 4, 0], "zscore")
    assert levels == pytest.approx([0.80619, 0.5, 0.19381], abs=1e-5)
    assert falls == pytest.approx([0, 0.30619, 0.30619], abs=1e-5)


def test_a_z_score_below_minus_2_is_0_and_one_above_2_exceeds_1() -> None:
    # Of nine equal scores and one apart z = 3 of that one: 1/2 + 3/4, or 1/2 − 3/4 → 0; of the others ∓1/3.
    levels, falls = one([10, *[0] * 9], "zscore")
    assert levels == pytest.approx([1.25, *[1 / 2 - 1 / 12] * 9])
    assert falls == pytest.approx([0, 10 / 12, *[0] * 8])
    levels, falls = one([*[0] * 9, -10], "zscore")
    assert levels == pytest.approx([*[1 / 2 + 1 / 12] * 9, 0])
    assert falls == pytest.approx([*[0] * 9, 7 / 12])


@pytest.mark.parametrize("scale", SCORE_SCALES)
def test_constant_scores_are_uniform_on_every_scale(scale: ScoreScale) -> None:
    pools = pool(run_of({"q": dict.fromkeys("abcd", 7.0), "r": {"x": 1.0}}), None)
    assert PlackettLuce(8, scores=scale).exposure(pools, TopK(1)) == pytest.approx([*[0.25] * 4, 1])


@given(scores=lists, scale=st.sampled_from(SCORE_SCALES))
def test_levels_fall_by_their_falls(scores: list[float], scale: ScoreScale) -> None:
    scores.sort(reverse=True)
    levels, falls = one(scores, scale)
    assert falls == pytest.approx([0, *(-np.diff(levels))], abs=1e-12)
    assert min(falls) >= 0
    if scale != "zscore":
        assert all((fall > 0) == (i > 0 and scores[i] < scores[i - 1]) for i, fall in enumerate(falls))
    if scale == "given":
        assert levels == min_max(np.array(scores), np.array([0, len(scores)])).tolist()


@given(scores=lists, slope=st.sampled_from([0.5, 2.0, 1024.0]), scale=st.sampled_from(SCORE_SCALES))
def test_no_scale_depends_on_the_unit_of_the_scores(scores: list[float], slope: float, scale: ScoreScale) -> None:
    scores.sort(reverse=True)
    assert one([slope * score for score in scores], scale)[0] == pytest.approx(one(scores, scale)[0], abs=1e-9)


def test_scores_that_rise_are_refused() -> None:
    with pytest.raises(ValueError, match="fall"):
        one([1, 2], "given")
    with pytest.raises(ValueError, match="given, ranks, zscore"):
        PlackettLuce(1, scores="rank")  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(run=runs(), qrels=judged(), model=attentions, alpha=st.floats(0, 1000))
def test_ranks_depend_on_the_order_alone(run: Run, qrels: Qrels, model: Attention, alpha: float) -> None:
    """Any rising transformation leaves them: bit for bit."""
    other = replace(run, scores=np.exp(run.scores) + run.scores)
    policy = PlackettLuce(alpha, scores="ranks")
    ours, theirs = (policy.exposure(pool(each, qrels), model) for each in (run, other))
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("scale", SCORE_SCALES)
def test_policies_keep_their_order_on_every_scale(scale: ScoreScale) -> None:
    """At the mean EE-D of Plackett–Luce nothing has more of the same s̄ than ``optimal``; the oracle ignores scores."""
    loaded = example()
    run, pools = loaded.runs[0], pool(loaded.runs[0], loaded.qrels[0])
    drawn, optimal, oracle, *_ = policy_curves(
        run,
        pools,
        CurveSettings(
            policies=("plackett-luce", "optimal", "oracle"),
            alphas=np.array([1.0, 4.0, 8.0]),
            attention=TopK(5),
            scores=scale,
        ),
    )
    assert optimal.mean_disparity == pytest.approx(drawn.mean_disparity, abs=1e-9)
    assert (optimal.score.mean(axis=1) >= drawn.score.mean(axis=1) - 1e-9).all()
    assert (oracle.mean_quality >= np.maximum(drawn.mean_quality, optimal.mean_quality) - 1e-9).all()


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 8.0, 200.0, 1000.0])
def test_z_scores_beyond_1_are_exact_at_any_alpha(alpha: float, offset: int) -> None:
    """(1.25 + 1)^1000 is no double, the exposure is one."""
    scores = [10.0, *[0.0] * 4]
    levels = [Decimal("1"), *[Decimal("0.375")] * 4]  # z = 2 and −1/2
    run = run_of({"q": {f"d{i}": score for i, score in enumerate(scores)}})
    weights = TopK(2).weights(5)
    exposure = PlackettLuce(alpha, offset, "zscore").exposure(pool(run, None), TopK(2))
    assert exposure == pytest.approx(enumerated_exactly(levels, alpha, offset, weights), abs=1e-9)


def test_an_outlier_of_z_9_is_first_at_the_largest_alpha() -> None:
    """s̄ = 1/2 + 9.9/4 = 2.99: 3.99^1000 = 10^601."""
    run = run_of({"q": {f"d{i}": float(i == 0) for i in range(100)}})
    exposure = PlackettLuce(1000, scores="zscore").exposure(pool(run, None), TopK(1))
    assert exposure == pytest.approx([1, *[0] * 99])


def test_samples_see_the_same_scale() -> None:
    run = run_of({"q": {"a": 100.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    for scale in SCORE_SCALES:
        drawing = Drawing(policy="plackett-luce", alpha=2.0, attention=TopK(1), depth=1, n_samples=20_000, scores=scale)
        sample = draw_rankings(run, drawing, rng=np.random.default_rng(1))
        shares = np.bincount(sample.docs, minlength=4) / 20_000
        exposure = PlackettLuce(2.0, scores=scale).exposure(pool(run, None), TopK(1))
        assert shares == pytest.approx(exposure, abs=0.02)  # five standard errors
