"""From scores to a distribution over rankings, and the exposure it gives."""

from fairviz.model import SCORE_SCALES, ScoreScale
from fairviz.policies.optimal import Frontier, frontier, optimal_frontier, oracle_frontier
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.policies.scales import normalised_scores
from fairviz.policies.warm_up import is_warm, warm_up

__all__ = [
    "SCORE_SCALES",
    "Frontier",
    "PlackettLuce",
    "ScoreScale",
    "frontier",
    "is_warm",
    "normalised_scores",
    "optimal_frontier",
    "oracle_frontier",
    "warm_up",
]
