"""From scores to a distribution over rankings, and the exposure it gives."""

from fairviz.model import SCORE_SCALES, ScoreScale
from fairviz.policies.optimal import Frontier, frontier
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.policies.scales import normalised_scores

__all__ = [
    "SCORE_SCALES",
    "Frontier",
    "PlackettLuce",
    "ScoreScale",
    "frontier",
    "normalised_scores",
]
