"""Bounds of shares of attention, by attribute and group: what they are read from, and how they are said."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from fairviz.display.words import percent
from fairviz.errors import UsageError
from fairviz.model import (
    CROSSED,
    FloatArray,
    GroupLabels,
    ShareBounds,
    Target,
)
from fairviz.model.judgements import WEIGHT_TOLERANCE


def by_attribute(target: Target, labels: Sequence[GroupLabels]) -> bool:
    """Whether a target is one of several attributes, though written as one of several queries: it names attributes."""
    return bool(target.query_ids) and set(target.query_ids or ()) <= {each.attribute for each in labels}


def exact_bounds(target: Target) -> ShareBounds:
    """Exact shares of several attributes, which are written as a target of several queries is."""
    rows = [
        (attribute, group, share)
        for attribute, shares in zip(target.query_ids or (), target.shares, strict=True)
        for group, share in zip(target.groups, shares / shares.sum(), strict=True)
        if share > 0
    ]
    attributes, groups, shares = zip(*rows, strict=True)
    return ShareBounds(attributes=attributes, groups=groups, low=np.array(shares), high=np.array(shares))


def labels_of(attribute: str, labels: Sequence[GroupLabels]) -> GroupLabels:
    """The labels by an attribute; two attributes together are also named with +.

    Raises:
        UsageError: There are no such labels.
    """
    wanted = attribute.replace("+", CROSSED)
    names = [each.attribute for each in labels]
    if wanted not in names:
        near = get_close_matches(wanted, names, n=1)
        hint = f" (nearest: {near[0]})" if near else ""
        raise UsageError(f"shares by {attribute!r} are bounded{hint}; there are labels by {', '.join(names)}")
    return labels[names.index(wanted)]


def named_bounds(bounds: ShareBounds, own: str) -> ShareBounds:
    """Bounds of which every attribute has the name that its labels have.

    Args:
        bounds: As they were read: an attribute without a name, and two together written with +, may be among them.
        own: Name of the attribute that counts, which is the one without a name.
    """
    return replace(bounds, attributes=tuple(name.replace("+", CROSSED) or own for name in bounds.attributes))


def ends_by_attribute(bounds: ShareBounds, labels: Sequence[GroupLabels]) -> dict[str, dict[str, tuple[float, float]]]:
    """{attribute: {group: its least and largest share}}; an attribute without a name is that of the first labels.

    Raises:
        UsageError: An attribute has no labels.
    """
    ends: dict[str, dict[str, tuple[float, float]]] = {}
    for name, group, low, high in zip(
        bounds.attributes, bounds.groups, bounds.low.tolist(), bounds.high.tolist(), strict=True
    ):
        attribute = labels_of(name, labels).attribute if name else labels[0].attribute
        ends.setdefault(attribute, {})[group] = (low, high)
    return ends


def bounds_of(
    attribute: str, groups: Sequence[str], ends: Mapping[str, tuple[float, float]]
) -> tuple[FloatArray, FloatArray]:
    """(G) least and largest shares of the groups of an attribute; without bounds 0 and 1.

    Args:
        attribute: Its name, for errors.
        groups: G names.
        ends: Least and largest share by group.

    Raises:
        UsageError: A bounded group is none of these, or no shares keep to the bounds.
    """
    for group in ends:
        if group not in groups:
            near = get_close_matches(group, groups, n=1)
            hint = f" (nearest: {near[0]})" if near else ""
            names = ", ".join(groups)
            raise UsageError(f"no label of {attribute} names {group!r}{hint}; the labels name {names}")
    low, high = np.array([ends.get(group, (0.0, 1.0)) for group in groups]).T
    if (low == high).all() and abs(low.sum() - 1) <= WEIGHT_TOLERANCE:
        return low / low.sum(), low / low.sum()
    if high.sum() < 1 - WEIGHT_TOLERANCE:
        raise UsageError(f"the largest shares of {attribute} sum to {high.sum():g}, less than 1: raise some")
    return low, high


def bound_words(low: float, high: float) -> str:
    r"""A bound in words.

    Examples:
        >>> bound_words(0.15, 1.0), bound_words(0.2, 0.2)
        ('at least 15.0\u202f%', 'exactly 20.0\u202f%')
    """
    if low == high:
        return f"exactly {percent(low, 1)}"
    if low > 0 and high < 1:
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"at least {percent(low, 1)}" if low > 0 else f"at most {percent(high, 1)}" if high < 1 else "free"
