"""Distances from the target that the Policy lab offers, by their names on the page."""

from fairviz.metrics.catalogue import GROUP_MEASURES

POINTS = "points of attention off target"
MEASURES: dict[str, str] = {POINTS: ""} | {
    f"{measure.label}: {measure.title}": measure.name for measure in GROUP_MEASURES
}
"""Name on the page -> name of the measure; the first is ½ L1 of AWRF, in points."""
