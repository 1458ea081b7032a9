"""DetConstSort: minimums as constraints of an insertion sort (Geyik et al., KDD 2019, alg. 3)."""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.rerank.candidates import Candidates, completed
from fairviz.rerank.quotas import due_ranks

Bound: TypeAlias = Literal["feasible", "printed"]
"""How far down a better item may push another: to its last feasible rank, or one beyond."""


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
