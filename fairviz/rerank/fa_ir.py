"""FA*IR: enough items of one protected group in every prefix (Zehlike et al., CIKM 2017)."""

import numpy as np

from fairviz.model import BoolArray, IntArray
from fairviz.rerank.candidates import Candidates, completed
from fairviz.rerank.fa_ir_table import adjusted_significance, minimum_table


def fa_ir(
    candidates: Candidates,
    *,
    group: int,
    p: float | None = None,
    significance: float = 0.1,
) -> IntArray:
    """Merge protected and other items by rank; where a prefix needs it, a protected one comes.

    Items of all other groups and unlabelled items are "the others". Where the protected group has
    run out, the best of the others are taken. Soft labels count by their largest weight.

    Args:
        candidates: The query.
        group: Column of the protected group.
        p: Its least share; None: its share in the target.
        significance: α of the ranked group fairness test, before it is adjusted for testing every
            prefix.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    share = float(candidates.target[group]) if p is None else p
    adjusted = adjusted_significance(candidates.depth, share, significance)
    table = minimum_table(candidates.depth, share, adjusted)[: candidates.places]
    protected = candidates.codes == group
    return completed(_merged(protected, table), candidates.n)


def meets_minimums(protected: BoolArray, table: IntArray) -> bool:
    """Whether every prefix has its minimum of protected items (ranked group fairness).

    Examples:
        >>> meets_minimums(np.array([False, True, False]), np.array([0, 1, 1]))
        True
        >>> meets_minimums(np.array([False, False, True]), np.array([0, 1, 1]))
        False
    """
    found = np.cumsum(protected[: table.size])
    return bool((found >= table[: found.size]).all())


def _merged(protected: BoolArray, table: IntArray) -> IntArray:
    """The first ``table.size`` items: in run order, but for protected ones that are needed.

    Taking a protected item early is the only departure, so the i-th protected item stands at the
    sooner of its rank by merit and the first rank whose minimum is i.
    """
    own = np.flatnonzero(protected).tolist()
    others = np.flatnonzero(~protected).tolist()
    chosen: list[int] = []
    taken = 0
    for least in table.tolist():
        rest = len(chosen) - taken
        needed = taken < least or rest == len(others)
        best = rest < len(others) and taken < len(own) and own[taken] < others[rest]
        if taken < len(own) and (needed or best):
            chosen.append(own[taken])
            taken += 1
        else:
            chosen.append(others[rest])
    return np.array(chosen, dtype=np.int64)
