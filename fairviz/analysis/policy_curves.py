"""All curves of one run: the policies asked for, exact or sampled, and the two fixed points."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.analysis.tradeoff import exposure_curve
from fairviz.attention import Attention
from fairviz.exposure import (
    Gain,
    run_exposure,
    sample_exposure,
    target_exposure,
    uniform_exposure,
)
from fairviz.model import Curve, Exposure, FloatArray, Pools, Run
from fairviz.policies import PlackettLuce, optimal_frontier, oracle_frontier

CurvePolicy: TypeAlias = Literal["plackett-luce", "optimal", "oracle"]
"""Policies that α moves, in the order in which they are listed."""

FRONTIERS = {"optimal": optimal_frontier, "oracle": oracle_frontier}


class Draws(NamedTuple):
    """How Plackett–Luce is sampled instead of computed."""

    n_samples: int
    rng: np.random.Generator


def policy_curves(
    run: Run,
    pools: Pools,
    *,
    policies: Sequence[CurvePolicy],
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    gain: Gain = "graded",
    rel: int = 1,
    draws: Draws | None = None,
    on_step: Callable[[], None] = lambda: None,
) -> list[Curve]:
    """Attainable EE-D and EE-R of each policy along α, then the uniform and deterministic points.

    The frontiers meet the mean EE-D of exact Plackett–Luce at each α, so that their points are
    compared at equal disparity, whether or not the Plackett–Luce points are sampled.

    Args:
        run: The scored run.
        pools: Its alignment with the judgements.
        policies: Which curves.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        draws: Sample Plackett–Luce so often, instead of computing it exactly.
        on_step: Called after each α of each curve.

    Returns:
        Curves in the order of ``policies``, then "uniform" and "deterministic".
    """
    target = target_exposure(pools, attention, gain=gain, rel=rel)

    def curve(policy: str, exposures: Sequence[Exposure], at: FloatArray) -> Curve:
        return exposure_curve(pools, exposures, target, attention, run.system, policy, at)

    def exact(alpha: float) -> Exposure:
        exposure = PlackettLuce(alpha, offset).exposure(pools, attention)
        on_step()
        return exposure

    def drawn(alpha: float, how: Draws) -> Exposure:
        depth = int(np.count_nonzero(attention.weights(int(np.diff(run.offsets).max(initial=1)))))
        policy = PlackettLuce(alpha, offset)
        sample = policy.sample(run, depth=depth, n_samples=how.n_samples, rng=how.rng)
        on_step()
        return sample_exposure(sample, pools, attention).exposure

    values: list[float] = alphas.tolist()
    curves: list[Curve] = []
    reference: Curve | None = None
    if draws is None or set(policies) & set(FRONTIERS):
        reference = curve("plackett-luce", [exact(alpha) for alpha in values], alphas)
    for policy in policies:
        if policy != "plackett-luce":
            if reference is not None:
                frontier = FRONTIERS[policy](pools, target, attention)
                curves.append(curve(policy, frontier.at(reference.mean_disparity), alphas))
        elif draws is not None:
            sampled = curve(policy, [drawn(alpha, draws) for alpha in values], alphas)
            curves.append(replace(sampled, n_samples=draws.n_samples))
        elif reference is not None:
            curves.append(reference)
    nowhere = np.array([np.nan])
    curves.append(curve("uniform", [uniform_exposure(pools, attention)], nowhere))
    curves.append(curve("deterministic", [run_exposure(pools, attention)], nowhere))
    return curves
