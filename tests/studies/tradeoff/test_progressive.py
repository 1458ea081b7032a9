"""Curves computed coarse to fine: the same points as at once, in the order that shows most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.attention import TopK
from fairviz.model import Pools
from fairviz.policies import PlackettLuce
from fairviz.pool import pool
from fairviz.studies.tradeoff.curves import tradeoff_curve
from fairviz.studies.tradeoff.progressive import ALPHAS, GrowingCurves, coarse_to_fine, query_exposures
from tests.nouns import qrels_of, run_of

RUN = run_of(
    {
        "q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5},
        "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.0},
        "q3": {"x": 1.0, "y": 2.0},
    }
)
QRELS = qrels_of({"q1": {"b": 2, "c": 1, "z": 1}, "q2": {"g": 1}, "q3": {"x": 1}, "q4": {"a": 1}})
FEW = np.arange(9.0)


def pools() -> Pools:
    return pool(RUN, QRELS)


def growing(**more: object) -> GrowingCurves:
    return GrowingCurves(pools(), system="sys", attention=TopK(2), alphas=FEW, **more)  # type: ignore[arg-type]


@given(st.integers(0, 200))
def test_every_index_comes_once_and_the_ends_come_first(n: int) -> None:
    order = coarse_to_fine(n)
    assert sorted(order) == list(range(n))
    assert order[: min(n, 2)] == ([0, n - 1] if n > 1 else list(range(n)))


@given(st.integers(2, 120), st.integers(2, 120))
def test_points_so_far_are_spread_evenly(n: int, so_far: int) -> None:
    """After any number of steps, no gap is more than about twice another."""
    shown = sorted(coarse_to_fine(n)[:so_far])
    gaps = np.diff(shown)
    assert gaps.max() <= 2 * gaps.min() + 2


@pytest.mark.parametrize("gain", ["graded", "binary"])
@pytest.mark.parametrize("offset", [1.0, 0.0])
@pytest.mark.parametrize("policy", ["plackett-luce", "optimal", "oracle"])
def test_grown_points_equal_those_computed_at_once(policy, gain, offset) -> None:  # type: ignore[no-untyped-def]
    grown = growing(offset=offset)
    assert grown.advance(gain, {"plackett-luce": 9, policy: 9})
    curve = grown.curve(policy, gain)
    whole = tradeoff_curve(
        pools(),
        system="sys",
        policy=policy,
        alphas=FEW,
        attention=TopK(2),
        offset=offset,
        gain=gain,
    )
    assert curve is not None
    np.testing.assert_array_equal(curve.alphas, FEW)
    np.testing.assert_allclose(curve.disparity, whole.disparity, atol=1e-12)
    np.testing.assert_allclose(curve.quality, whole.quality, atol=1e-12)
    np.testing.assert_allclose(curve.score, whole.score, atol=1e-12)


def test_nothing_is_there_before_the_first_step() -> None:
    grown = growing()
    assert grown.curve("plackett-luce", "binary") is None
    assert grown.n_points("plackett-luce", "binary") == 0


def test_one_step_at_least_even_without_time() -> None:
    grown = growing()
    assert not grown.advance("graded", {"plackett-luce": 9}, seconds=0)
    assert grown.n_points("plackett-luce", "graded") == 1
    assert grown.advance("graded", {"plackett-luce": 1}, seconds=0)  # all that is wanted is there


def test_plackett_luce_serves_both_gains_at_once() -> None:
    grown = growing()
    grown.advance("graded", {"plackett-luce": 5})
    assert grown.n_points("plackett-luce", "binary") == 5
    assert grown.n_points("optimal", "binary") == 0


def test_policies_grow_together() -> None:
    """All have five points before any has nine: an early chart is coarse, not one-sided."""
    grown = growing()
    wanted = {"plackett-luce": 9, "optimal": 9, "oracle": 9}
    seen: list[tuple[int, ...]] = []
    while not grown.advance("binary", wanted, seconds=0):  # type: ignore[arg-type]
        seen.append(tuple(grown.n_points(policy, "binary") for policy in wanted))  # type: ignore[arg-type]
    assert (5, 5, 5) in seen
    assert not any(most > 5 and least < 5 for most, *_, least in seen)


def test_frontiers_meet_the_disparity_of_plackett_luce() -> None:
    grown = growing()
    grown.advance("graded", {"plackett-luce": 9, "optimal": 9})
    drawn, best = (grown.curve(policy, "graded") for policy in ("plackett-luce", "optimal"))
    assert drawn is not None
    assert best is not None
    np.testing.assert_allclose(drawn.mean_disparity, best.mean_disparity, atol=1e-9)
    assert (best.mean_score >= drawn.mean_score - 1e-9).all()


def test_the_oracle_goes_on_to_both_sides() -> None:
    grown = growing()
    grown.advance("binary", {"plackett-luce": 9, "oracle": 9})
    ends = grown.oracle_ends("binary")
    assert np.isnan(ends.alphas).all()
    assert ends.mean_disparity[0] == pytest.approx(0, abs=1e-9)
    assert ends.mean_disparity[-1] == pytest.approx(1, abs=1e-6)
    assert ends.mean_quality[-1] == pytest.approx(1, abs=1e-6)


def test_single_points() -> None:
    """The fixed list has all disparity there is; uniform over the pool has none."""
    grown = growing()
    assert grown.point("deterministic", "graded").mean_disparity == pytest.approx([1])
    assert grown.point("uniform", "graded").mean_disparity == pytest.approx([0])


def test_exposure_of_one_query_is_its_part_of_the_whole() -> None:
    whole = pools()
    own = query_exposures(whole, 1, alphas=np.array([2.0]), attention=TopK(2))
    rows = slice(int(whole.offsets[1]), int(whole.offsets[2]))
    every = PlackettLuce(2.0, 1.0).exposure(whole, TopK(2))
    np.testing.assert_allclose(own[0], every[rows], atol=1e-12)


def test_the_grid_has_the_papers_values_at_coarse_levels() -> None:
    """α = 1, 2, 4, 8 are among the first nine points, where every curve has a mark."""
    first = {float(ALPHAS[i]) for i in coarse_to_fine(ALPHAS.size)[:9]}
    assert {0.0, 1.0, 2.0, 3.0, 4.0, 8.0} <= first


def test_the_oracle_of_nothing_has_no_point() -> None:
    """k as large as every pool: nothing can differ, and nothing fails."""
    grown = GrowingCurves(pools(), system="sys", attention=TopK(20), alphas=FEW)
    grown.advance("binary", {"plackett-luce": 2, "oracle": 2})
    assert not grown.oracle_ends("binary").defined.any()
