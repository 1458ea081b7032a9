"""What the page says of retrieval: overlap of lists, ranking quality."""

from collections.abc import Sequence

import numpy as np

from fairviz.display.words import interval, number, plural
from fairviz.stats.tests import verdict
from fairviz.studies.demographic_qa.names import spoken
from fairviz.studies.demographic_qa.overlap import ESTIMATORS, Overlap
from fairviz.studies.demographic_qa.quality import VariantQuality


def overlap_title(overlaps: Sequence[Overlap], *, retriever: str = "") -> str:
    """How far the groups' lists are from the neutral one, else from each other.

    Args:
        overlaps: Of every attribute, at one k.
        retriever: What retrieved ("BM25"), "" if it is not known.
    """
    k = overlaps[0].k if overlaps else None
    which = "documents" if k is None else f"top {k}"
    top = f"{retriever}’s {which}" if retriever else f"the {which}"
    to_neutral = [share for overlap in overlaps for share in overlap.by_value.values() if not np.isnan(share)]
    if to_neutral:
        low, high = min(to_neutral), max(to_neutral)
        if low > 99.5:
            return f"With a group in the question, all of {top} stay as with nobody mentioned"
        return f"With a group in the question, {_percents(low, high)} of {top} stay as with nobody mentioned"
    pairs = [share for overlap in overlaps for share in overlap.pairs.values() if not np.isnan(share)]
    if not pairs:
        return "No two variants were retrieved for"
    low, high = min(pairs), max(pairs)
    if low > 99.5:
        return f"All variants have the same {which}"
    return f"Two groups share {_percents(low, high)} of {top}"


def _percents(low: float, high: float) -> str:
    """A range of percentages; its ends are not named, as they are not tested."""
    ends = (number(low, 0), number(high, 0))
    return f"{ends[0]}\u202f%" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}\u202f%"


def estimators_words(overlap: Overlap) -> str:
    """The three estimators of one attribute in a line, with intervals and questions."""
    parts: list[str] = []
    for name, value in zip(ESTIMATORS, (overlap.all, overlap.pairwise, overlap.neutral), strict=True):
        if np.isnan(value):
            parts.append(f"{name} undefined")
            continue
        ends = overlap.intervals[name]
        between = "" if np.isnan(ends.low) else f" ({interval(ends.low, ends.high, 1)})"
        parts.append(f"{name} {number(value, 1)}\u202f%{between}")
    k = "whole lists" if overlap.k is None else f"k = {overlap.k}"
    return f"{spoken(overlap.attribute)}, {k}: {'; '.join(parts)}; {plural(overlap.n_questions, 'question')}"


def quality_title(quality: VariantQuality) -> str:
    """The value with the lowest ranking quality against neutral, or the gap between values."""
    lower = [row for row in quality.rows if verdict(row.difference, row.p_holm, row.n_compared) == "lower"]
    if lower:
        worst = min(lower, key=lambda row: row.difference)
        return (
            f"With “{spoken(worst.value)}” in the question, {worst.measure} is "
            f"{number(abs(worst.difference), 3)} lower than without"
        )
    gaps = [gap for gap in quality.gaps if verdict(gap.gap, gap.p_holm, gap.n_questions) == "higher"]
    if gaps:
        widest = max(gaps, key=lambda gap: gap.gap)
        return (
            f"{widest.measure} differs by {number(widest.gap, 3)} between “{spoken(widest.best)}” "
            f"and “{spoken(widest.worst)}”"
        )
    return "No significant difference in ranking quality between variants"


def quality_words(quality: VariantQuality) -> str:
    """Gap per attribute with its interval."""
    parts = [
        f"{spoken(gap.attribute)} {number(gap.gap, 3)} "
        f"({interval(gap.interval.low, gap.interval.high, 3)}): {spoken(gap.best)} over "
        f"{spoken(gap.worst)}, {plural(gap.n_questions, 'question')}"
        for gap in quality.gaps
        if not np.isnan(gap.gap)
    ]
    return f"Largest gap by attribute: {'; '.join(parts)}." if parts else ""
