"""DetGreedy, DetCons and DetRelaxed (Geyik, Ambler & Kenthapadi, KDD 2019, algorithms 1 and 2).

All three fill rank after rank. A group that is below its minimum ⌊p_g k⌋ comes first, the one with
the best next item of several. Otherwise a group below its maximum ⌈p_g k⌉ may grow, and the three
differ in which. The published algorithms end where a group runs out; here

- a group without items left is passed over;
- where no group may grow, the best item left is taken, whatever its group.

Items whose group has share 0, and unlabelled ones, have no minimum and no maximum above 0, so they
are taken by the second rule alone; the catalogue leaves unlabelled items at their ranks
(:mod:`fairviz.rerank.labelled`). Soft labels count by their largest weight.
"""

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.rerank.candidates import Candidates, completed
from fairviz.rerank.quotas import Quotas, quotas

SAME_KEY = 9
"""Decimals in which two keys must agree to be equal: 2/0.6 is 1/0.3."""


def det_greedy(candidates: Candidates) -> IntArray:
    """Of the groups that may grow, the one with the best next item (algorithm 1).

    Returns:
        (n) item positions, the first min(k, n) re-ranked. With four or more groups a minimum may
        be missed at some ranks, for several may fall due at once.
    """
    bounds = quotas(candidates.target, candidates.places)
    return _filled(candidates, bounds, np.zeros(bounds.most.shape))


def det_cons(candidates: Candidates) -> IntArray:
    """Of the groups that may grow, the one soonest due: least ⌈p_g k⌉ / p_g (algorithm 2).

    Ties go to the better next item.
    """
    bounds = quotas(candidates.target, candidates.places)
    return _filled(candidates, bounds, _soonest(candidates, bounds))


def det_relaxed(candidates: Candidates) -> IntArray:
    """As DetCons by ⌈⌈p_g k⌉ / p_g⌉, so that more groups tie and the better item decides."""
    bounds = quotas(candidates.target, candidates.places)
    return _filled(candidates, bounds, np.ceil(_soonest(candidates, bounds)))


def _soonest(candidates: Candidates, bounds: Quotas) -> FloatArray:
    """(k, G) the rank at which the group's maximum becomes its minimum."""
    ranks = np.full(bounds.most.shape, np.inf)
    shares = np.broadcast_to(candidates.target, ranks.shape)
    np.divide(bounds.most, shares, out=ranks, where=shares > 0)
    return ranks.round(SAME_KEY)


def _filled(candidates: Candidates, bounds: Quotas, keys: FloatArray) -> IntArray:
    """Fill rank after rank; of groups that may grow the smallest key, then the best next item.

    The loops run over ranks and groups, a handful of the latter, on plain lists: that is several
    times faster than arrays of such length.
    """
    n, groups = candidates.n, range(len(candidates.target))
    codes = candidates.codes
    queues = [[*np.flatnonzero(codes == code).tolist(), n] for code in (*groups, -1)]
    taken = [0] * len(queues)
    heads = [queue[0] for queue in queues]
    chosen: list[int] = []
    rows = zip(bounds.least.tolist(), bounds.most.tolist(), keys.tolist(), strict=True)
    for least, most, key in rows:
        late = [heads[g] for g in groups if taken[g] < least[g]]
        item = min(late, default=n)
        if item == n:
            open_ = [(key[g], heads[g]) for g in groups if taken[g] < most[g] and heads[g] < n]
            item = min(open_)[1] if open_ else min(heads)
        group = heads.index(item)
        taken[group] += 1
        heads[group] = queues[group][taken[group]]
        chosen.append(item)
    return completed(np.array(chosen, dtype=np.int64), n)
