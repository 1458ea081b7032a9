"""Rankings drawn from a policy at one α."""

import numpy as np

from fairviz.attention import Attention
from fairviz.errors import UsageError
from fairviz.exposure import Gain, run_exposure, target_exposure
from fairviz.model import Qrels, RankingSample, Run
from fairviz.policies import PlackettLuce
from fairviz.policies.marginals import sample_marginals
from fairviz.pool import pool
from fairviz.studies.tradeoff.curves import FRONTIERS, CurvePolicy, exposure_curve


def draw_rankings(
    run: Run,
    *,
    policy: CurvePolicy,
    alpha: float,
    attention: Attention,
    depth: int,
    n_samples: int,
    rng: np.random.Generator,
    qrels: Qrels | None = None,
    offset: float = 1.0,
    gain: Gain = "graded",
    rel: int = 1,
) -> RankingSample:
    """Draw rankings of every query.

    Args:
        run: The scored run.
        policy: "plackett-luce" needs the scores alone. "optimal" has the mean EE-D that
            Plackett–Luce has at α, over the queries of the judgements or, without them, of the
            run; so has "oracle", which needs judgements.
        alpha: Fairness control.
        attention: The browsing model that the frontiers are optimal for.
        depth: Ranks kept.
        n_samples: Rankings per query.
        rng: Source of chance.
        qrels: Judgements.
        offset: 1 or 0, see :class:`PlackettLuce`.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.

    Raises:
        UsageError: The oracle lacks judgements.
    """
    reference = PlackettLuce(alpha, offset)
    if policy == "plackett-luce":
        return reference.sample(run, depth=depth, n_samples=n_samples, rng=rng)
    if policy == "oracle" and qrels is None:
        raise UsageError("the oracle knows the judgements: give --qrels FILE")
    pools = pool(run, qrels)
    # Without judgements the frontier counts every query on which the scores can differ.
    judged = qrels is not None
    target = target_exposure(pools, attention, gain=gain, rel=rel) if judged else run_exposure(pools, attention)
    exposure = reference.exposure(pools, attention)
    at = np.array([alpha])
    point = exposure_curve(pools, [exposure], target, attention, run.system, policy, at)
    matched = FRONTIERS[policy](pools, target, attention).at(point.mean_disparity)
    return sample_marginals(
        pools,
        matched[0],
        attention,
        system=run.system,
        policy=policy,
        alpha=alpha,
        depth=depth,
        n_samples=n_samples,
        rng=rng,
    )
