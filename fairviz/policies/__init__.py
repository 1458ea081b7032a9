"""From scores to a distribution over rankings, and the exposure it gives."""

from fairviz.policies.optimal import Frontier, frontier
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.policies.scales import normalised_scores

__all__ = ["Frontier", "PlackettLuce", "frontier", "normalised_scores"]
