"""What the use of retrieved context can be set to."""

from dataclasses import dataclass

from fairviz.evaluation.outputs import Estimate
from fairviz.kernels.attention import TopK
from fairviz.metrics.consumption import Scale
from fairviz.points.curves import relevance_measure
from fairviz.points.outputs import Pair
from fairviz.studies.shared import USUAL_K, Relevance
from fairviz.studies.study import option


@dataclass(frozen=True, kw_only=True)
class AttributionSettings(Relevance):
    """What generators used of what they were given, and how far each is from a baseline."""

    k: int = option(USUAL_K, "items that a context holds", low=1)
    estimate: Estimate = option("plugin", "of both disparities")
    of_task: str = option("", "task whose systems are compared (default: the first)", metavar="TASK")
    lists: str = option("", "under which lists they are (default: α = 2, else the first)")
    axes: Pair = option("EED-EAR", "two measures, of which the second is compared")
    scale: Scale = option("share", "of disparities")
    baseline: tuple[str, ...] = option(
        (), "what the others are compared with (default: the first system)", metavar="FACTOR=VALUE"
    )
    off: tuple[str, ...] = option((), "what is left out of the comparison", metavar="FACTOR=VALUE")
    seed: int = option(0, "seed of the bootstrap over queries")

    @property
    def relevance(self) -> str:
        """EE-R of the retrieved context, with how relevance was counted."""
        return relevance_measure(TopK(self.k), *self.usefulness)


SETTINGS = AttributionSettings
