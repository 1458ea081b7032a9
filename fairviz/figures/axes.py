"""Names of axes: the measure as printed in papers, what it stands for, its direction in words."""

from typing import NamedTuple


class AxisName(NamedTuple):
    """How an axis is called."""

    label: str
    stands_for: str
    direction: str


AXES = {
    "EED": AxisName("EE-D", "disparity", "↓ lower = attention more equal"),
    "EER": AxisName("EE-R", "quality", "↑ higher = more useful"),
    "EU": AxisName("EU", "utility", "↑ higher = better answers"),
    "EU/best": AxisName("EU / best", "share of the best reached", "↑ higher = better answers"),
    "EAR": AxisName("EAR", "attribution rate", "↑ more of the list used"),
    "EAED": AxisName("EAE-D", "disparity of use", "↓ lower = use more equal"),
}


def axis_name(measure: str) -> str:
    """The label of a measure as papers print it; the measure itself where it is not known.

    Examples:
        >>> axis_name("EED"), axis_name("nDCG")
        ('EE-D', 'nDCG')
    """
    return AXES[measure].label if measure in AXES else measure


def axis_title(measure: str) -> str:
    """The title of an axis: name, meaning, direction.

    Examples:
        >>> axis_title("EER")
        'EE-R, quality  (↑ higher = more useful)'
    """
    if measure not in AXES:
        return measure
    label, stands_for, direction = AXES[measure]
    return f"{label}, {stands_for}  ({direction})"
