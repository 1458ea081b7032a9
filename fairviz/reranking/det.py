"""DetGreedy, DetCons, DetRelaxed and DetConstSort (Geyik, Ambler & Kenthapadi, KDD 2019, algorithms 1 to 3).

The first k ranks should hold ⌊p_g k⌋ to ⌈p_g k⌉ items of a group. The first three fill rank after rank. A group that is
below its minimum comes first, the one with the best next item of several. Otherwise a group below its maximum may grow,
and the three differ in which. DetConstSort takes the minimums as constraints of an insertion sort.

The published algorithms end where a group runs out; here a group without items left is passed over, and where no group
may grow, the best item left is taken, whatever its group. Items whose group has share 0, and unlabelled ones, have no
minimum and no maximum above 0, so they are taken by the second rule alone; the catalogue leaves unlabelled items at
their ranks (:func:`fairviz.reranking.candidates.among_labelled`). Soft labels count by their largest weight.
"""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.reranking.candidates import Candidates, completed

SAME_KEY = 9
"""Decimals in which two keys must agree to be equal: 2/0.6 is 1/0.3."""

Bound: TypeAlias = Literal["feasible", "printed"]
"""How far down a better item may push another: to its last feasible rank, or one beyond."""
ROUNDING = 1e-9
"""A product this close to a whole number is it: 0.29 × 100 is 29, not 28.999999999999996."""


def quotas(target: FloatArray, depth: int) -> tuple[FloatArray, FloatArray]:
    """(k, G) least and (k, G) most items of each group in each prefix: ⌊p_g k⌋ and ⌈p_g k⌉ for k = 1 … depth.

    Examples:
        >>> least, most = quotas(np.array([0.25, 0.75]), 2)
        >>> least.tolist(), most.tolist()
        ([[0.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 2.0]])
    """
    shares = np.arange(1, depth + 1)[:, None] * target
    return np.floor(shares + ROUNDING), np.ceil(shares - ROUNDING)


def due_ranks(target: FloatArray, nth: FloatArray) -> FloatArray:
    """The first k at which ⌊p k⌋ reaches ``nth``; infinite for a share of 0.

    Args:
        target: (n) share of each item's group.
        nth: (n) the how-manieth of its group the item is, from 1.

    Examples:
        >>> due_ranks(np.array([0.3, 0.3, 0.0]), np.array([1.0, 3.0, 1.0]))
        array([ 4., 10., inf])
    """
    due = np.full(target.shape, np.inf)
    np.divide(nth - ROUNDING, target, out=due, where=target > 0)
    return np.ceil(due)


def det_greedy(candidates: Candidates) -> IntArray:
    """Choose, of the groups that may grow, the one with the best next item (algorithm 1).

    Returns:
        (n) item positions, the first min(k, n) re-ranked. With four or more groups a minimum may
        be missed at some ranks, for several may fall due at once.
    """
    return _filled(candidates, np.zeros((candidates.places, candidates.target.size)))


def det_cons(candidates: Candidates) -> IntArray:
    """Choose, of the groups that may grow, the one soonest due: least ⌈p_g k⌉ / p_g (algorithm 2).

    Ties go to the better next item.
    """
    return _filled(candidates, _soonest(candidates))


def det_relaxed(candidates: Candidates) -> IntArray:
    """Choose, of the groups that may grow, the one soonest due by ⌈⌈p_g k⌉ / p_g⌉ (algorithm 2, relaxed).

    More groups tie than without the outer rounding, and the better next item decides.
    """
    return _filled(candidates, np.ceil(_soonest(candidates)))


def _soonest(candidates: Candidates) -> FloatArray:
    """(k, G) the rank at which the group's maximum becomes its minimum."""
    target, (_, most) = candidates.target, quotas(candidates.target, candidates.places)
    return np.divide(most, target, out=np.full(most.shape, np.inf), where=target > 0).round(SAME_KEY)


def _filled(candidates: Candidates, keys: FloatArray) -> IntArray:
    """Fill rank after rank; of groups that may grow the smallest key, then the best next item.

    The loops run over ranks and groups, a handful of the latter, on plain lists: that is several
    times faster than arrays of such length.
    """
    n, groups = candidates.n, range(len(candidates.target))
    codes = candidates.codes
    queues = [[*np.flatnonzero(codes == code).tolist(), n] for code in (*groups, -1)]
    taken = [0] * len(queues)
    heads = [queue[0] for queue in queues]
    order: list[int] = []
    bounds = quotas(candidates.target, candidates.places)
    for least, most, key in zip(*(rows.tolist() for rows in (*bounds, keys)), strict=True):
        late = [heads[g] for g in groups if taken[g] < least[g]]
        item = min(late, default=n)
        if item == n:
            open_ = [(key[g], heads[g]) for g in groups if taken[g] < most[g] and heads[g] < n]
            item = min(open_)[1] if open_ else min(heads)
        group = heads.index(item)
        taken[group] += 1
        heads[group] = queues[group][taken[group]]
        order.append(item)
    return completed(np.array(order, dtype=np.int64), n)


def det_const_sort(candidates: Candidates, *, bound: Bound = "feasible") -> IntArray:
    """Append each group's next item when its minimum ⌊p_g k⌋ grows; let better items rise.

    An item may be pushed down to the rank k at which it fell due. The rank counter runs on after a
    group is exhausted, so the others fill the list as they fall due. Unlabelled items and those of
    groups with share 0 never fall due: they are appended after all others, best first, and rise
    like any other item (the catalogue leaves unlabelled ones at their ranks). Soft labels count by
    their largest weight.

    Args:
        candidates: The query.
        bound: "feasible" keeps every minimum at every prefix, as long as the group has items.
            "printed" takes the paper's ``maxIndices[start − 1] >= start`` on arrays counted from
            0, as AIF360 and FairRankTune do or did: an item may slip one rank below its bound.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    n, places = candidates.n, candidates.places
    if n == 0:
        return completed(np.empty(0, dtype=np.int64), n)
    due = _due(candidates)
    order = np.lexsort((np.arange(n), due))
    # The printed loop runs once more ("while lastEmpty <= kmax"); either way all groups that
    # grow at the last rank enter before the list is cut.
    last = min(places - (bound == "feasible"), n - 1)
    entering = order[: int(np.searchsorted(due[order], due[order[last]], side="right"))]
    slack = 2 if bound == "feasible" else 1
    lowest = np.arange(entering.size) + slack  # the rank (from 1) one place down, or none down
    ranked = np.empty(entering.size, dtype=np.int64)
    limits = np.empty(entering.size)
    for size, item in enumerate(entering.tolist()):
        gives_way = (ranked[:size] > item) & (limits[:size] >= lowest[:size])
        firm = np.flatnonzero(~gives_way)
        at = int(firm[-1]) + 1 if firm.size else 0
        ranked[at + 1 : size + 1] = ranked[at:size]
        limits[at + 1 : size + 1] = limits[at:size]
        ranked[at], limits[at] = item, due[item]
    return completed(ranked[:places], n)


def _due(candidates: Candidates) -> FloatArray:
    """(n) rank at which each item's group needs it; infinite where it never does."""
    codes = candidates.codes
    nth = np.zeros(candidates.n)
    for group in range(len(candidates.target)):
        own = codes == group
        nth[own] = np.arange(1, int(own.sum()) + 1)
    shares = np.append(candidates.target, 0.0)[codes]  # −1, unlabelled, is the last
    return due_ranks(shares, nth)
