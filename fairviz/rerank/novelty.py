"""The greedy ideal of α-nDCG as a re-ranker: what novelty alone gives (Clarke et al., 2008)."""

from fairviz.gains import greedy_novelty_order
from fairviz.model import IntArray
from fairviz.rerank.candidates import Candidates, completed
from fairviz.rerank.utility import coverage


def novelty(candidates: Candidates, *, alpha: float = 0.5) -> IntArray:
    """Rank after rank the item of the largest gain G[i] (Gao et al., Eq. 4), ties by run order.

    It looks at no target: the paper's IDCG, the baseline that fairness-aware lists are compared
    with.

    Args:
        candidates: The query; aspects from judgements, else its groups, of useful items.
        alpha: 0 counts every covered aspect alike; 1 counts an aspect once.
    """
    chosen = greedy_novelty_order(coverage(candidates), alpha, candidates.places)
    return completed(chosen, candidates.n)
