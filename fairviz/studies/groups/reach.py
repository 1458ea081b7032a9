r"""What re-ranking can make of all groups' shares at once: the mix of rankings that comes nearest to a target.

Re-ranking cannot add documents, and attention that one group gains another loses: what each group could have alone says
little. Over every mix of rankings of each query's candidates, p_qgr being the expected number of items of group g at
rank r of query q, the shares nearest to a target t are those of

.. math:: \min_p \sum_g \left|\frac{A_g}{\sum_h A_h} - t_g\right|,\quad A_g = \sum_q\sum_r v_r\,p_{qgr},\quad
    \sum_g p_{qgr} = 1,\quad \sum_r p_{qgr} \le n_{qg}

a linear program once everything is divided by the labelled attention Σ A (Charnes and Cooper 1962). It has a variable
for each group, rank and query, and needs few of them: all that matters are the G sums A, and the largest Σ c_g A_g of
any ranking is found by sorting each query by c. So the program is solved over rankings that are added one by one while
a further one would help (Dantzig and Wolfe 1960). None of them depends on the target: the next target finds them.
"""

from dataclasses import dataclass, field

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.kernels.grouping import Membership, group_sums, off_target_share
from fairviz.model import FloatArray, IntArray, Pools
from fairviz.model.arrays import segment_ids

CLOSE = 1e-7
"""Gain in L1 below which a further ranking is not worth adding."""
EVEN = 1e-4
"""Weight of the largest excess and the largest lack beside the sum of all gaps.

Of mixes that are equally near it chooses the one that spreads them; it can cost two of its parts, 0.02 points."""
MOST = 2_000
"""Rankings after which something is wrong with the program, not with the data."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointReach:
    """What re-ranking one system's candidates can do for all groups at once; see :func:`joint_reach`.

    Attributes:
        weights: (N, G) membership of each candidate.
        by_rank: (N) attention at the ranks of its query.
        query: (N) its query, never falling.
        without: (G) queries that have candidates, none of them of the group, in the whole list.
        n_queries: Queries with candidates.
    """

    weights: FloatArray
    by_rank: FloatArray
    query: IntArray
    without: IntArray
    n_queries: int
    _found: list[FloatArray] = field(default_factory=list[FloatArray])

    def nearest(self, target: FloatArray) -> FloatArray:
        """(G) the shares nearest to a target that some mix of rankings of the candidates has; NaN without labels.

        Args:
            target: (G) shares, sum 1.
        """
        n_groups = target.size
        if not self._found:
            for group in range(n_groups):  # each group first in every list
                self._add(np.eye(n_groups)[group] + 1e-3)
        if not self._found:
            return np.full(n_groups, np.nan)
        for _ in range(MOST):
            shares, direction = _nearest_mix(np.array(self._found), target)
            if off_target_share(shares, target) < CLOSE or not self._add(direction):
                return shares
        raise ArithmeticError(f"no nearest mix after {MOST} rankings")

    def _add(self, direction: FloatArray) -> bool:
        """Find the rankings with the largest Σ c_g A_g; False where they help no mix."""
        order = np.lexsort((-(self.weights @ direction), self.query))
        attention = self.by_rank @ self.weights[order]
        helps = float(attention @ direction) > CLOSE * float(self.by_rank.sum()) and float(attention.sum()) > 0
        if helps:
            self._found.append(attention)
        return helps


def joint_reach(pools: Pools, members: Membership, attention: Attention) -> JointReach:
    """What re-ranking can do for all groups at once, for any target.

    Args:
        pools: The candidates are the retrieved items of each query.
        members: Groups of the pool rows; soft labels are shared among groups, unlabelled items count for none.
        attention: How attention falls with rank; at most as many ranks as there are candidates.

    Examples:
        A list of two with one item of each group gives both the same in a mix, and one all of it in none:

        >>> from fairviz.kernels.attention import TopK
        >>> from fairviz.kernels.grouping import Membership
        >>> pools = Pools(query_ids=("q",), doc_ids=("a", "b"), offsets=np.array([0, 2]), docs=np.array([0, 1]),
        ...     scores=np.zeros(2), gains=np.zeros(2), judged=np.zeros(2, bool), n_retrieved=np.array([2]))
        >>> members = Membership(groups=("x", "y"), weights=np.eye(2), not_applicable=np.zeros(2, bool),
        ...     known=np.ones((1, 2), bool), corpus=np.ones(2))
        >>> joint_reach(pools, members, TopK(1)).nearest(np.array([0.3, 0.7])).round(3)
        array([0.3, 0.7])
    """
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    retrieved = position < np.repeat(pools.n_retrieved, pools.sizes)
    rows = np.flatnonzero(retrieved)
    by_rank = attention.weights(int(pools.n_retrieved.max(initial=0)))[position[rows]]
    candidates = group_sums(members.weights * retrieved[:, None], pools)
    has_candidates = pools.n_retrieved > 0
    return JointReach(
        weights=members.weights[rows],
        by_rank=by_rank,
        query=segment_ids(pools.offsets)[rows],
        without=((candidates <= 0) & has_candidates[:, None]).sum(axis=0),
        n_queries=int(has_candidates.sum()),
    )


def _nearest_mix(found: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares of the mix of rankings that is nearest to a target, and the direction in which a further one would help.

    Args:
        found: (J, G) labelled attention by group of each ranking.
        target: (G) shares.

    Returns:
        (G) shares, and (G) prices of attention: a ranking A improves the mix where Σ price_g A_g > 0.
    """
    from scipy.optimize import linprog  # a third of a second, for this alone

    n, n_groups = found.shape
    scale = found.sum(axis=1).mean()
    columns = found / scale
    gaps, largest = np.eye(2 * n_groups), np.repeat(np.eye(2), n_groups, axis=0)  # every excess, then every lack
    result = linprog(
        np.concatenate([np.zeros(n), np.ones(2 * n_groups), [EVEN, EVEN]]),
        A_eq=np.block(
            [
                [columns.T, -np.eye(n_groups), np.eye(n_groups), np.zeros((n_groups, 2))],
                [columns.sum(axis=1)[None], np.zeros((1, 2 * n_groups + 2))],
            ]
        ),
        b_eq=np.append(target, 1.0),
        A_ub=np.hstack([np.zeros((2 * n_groups, n)), gaps, -largest]),
        b_ub=np.zeros(2 * n_groups),
        method="highs",
    )
    if result.x is None:
        raise ArithmeticError(f"the nearest mix was not found: {result.message}")
    mix: FloatArray = result.x[:n]
    shares: FloatArray = mix @ columns
    prices: FloatArray = result.eqlin.marginals
    return shares, prices[:-1] + prices[-1]
