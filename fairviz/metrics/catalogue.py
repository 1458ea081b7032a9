"""Every measure of fairviz by its name; ``content/methods/measures.yaml`` declares them, family by family.

Effectiveness measures (nDCG, AP, …) are not repeated here: they come from ir-measures (``metrics.standard``).
"""

from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.model import MeasureSpec

__all__ = ["CATALOGUE", "EXPOSURE_MEASURES", "GROUP_MEASURES", "OUTPUT_MEASURES", "is_judged"]

CATALOGUE: dict[str, Measure] = {
    measure.name: measure for measure in (*EXPOSURE_MEASURES, *GROUP_MEASURES, *OUTPUT_MEASURES)
}
"""All measures by the name typed in measure strings, in the order people read them."""


def reads_groups(spec: MeasureSpec) -> bool:
    """Whether a measure needs groups of documents; those of ir-measures do not."""
    measure = CATALOGUE.get(spec.name)
    return measure is not None and "groups" in measure.needed(spec.params)


def is_judged(spec: MeasureSpec) -> bool:
    """Whether a measure reads judgements where there are any; those of ir-measures all do."""
    measure = CATALOGUE.get(spec.name)
    return measure is None or measure.is_judged(spec.params)
