"""Every measure of fairviz, described once.

Adding a measure is one entry in the tuple of its kind, beside its description's family
(``exposure_measures``, ``output_measures``), and one function of arrays. Effectiveness measures
(nDCG, AP, …) are not repeated here: they come from ir-measures (``metrics.standard_registry``).
"""

from fairviz.metrics.description import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.output_measures import OUTPUT_MEASURES

__all__ = ["CATALOGUE", "EXPOSURE_MEASURES", "OUTPUT_MEASURES"]

CATALOGUE: dict[str, Measure] = {
    measure.name: measure for measure in (*EXPOSURE_MEASURES, *OUTPUT_MEASURES)
}
"""All measures by the name typed in measure strings, in the order people read them."""
