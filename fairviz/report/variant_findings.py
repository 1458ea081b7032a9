"""What the Demographic QA page says of groups: who is served worst, and by how much."""

from collections.abc import Sequence

import numpy as np

from fairviz.analysis.variant_conditions import ends_of, widest_ends, widest_gap
from fairviz.analysis.variant_gaps import PairedGap
from fairviz.analysis.variant_row import VariantRow
from fairviz.report.findings import Finding
from fairviz.report.variant_words import heading, points, rate_words, spoken
from fairviz.report.words import interval, listing, number, p_value, percent, plural


def headline(rows: Sequence[VariantRow], *, unit: str, who: str) -> Finding:
    """Title of the page: the worst-served group of those that can be told from their best.

    Args:
        rows: One per attribute, without intersectional cells.
        unit: What a rate counts ("right answers").
        who: Whose answers, for the sentence ("answers of gpt-4 to MedQA").
    """
    sentence = f"{_asked(rows)}; {who}."
    ends = [each for each in widest_ends(rows) if not each.row.small]
    if not rows or not any(row.groups for row in rows):
        return Finding("No answer mentions a group", sentence)
    if not ends:
        return Finding("Too few answers to compare groups", f"{sentence} {_why(rows)}")
    apart = [each for each in ends if each.apart]
    if apart:
        found = min(apart, key=lambda each: each.worst.rate)
        worst, best = found.worst, found.best
        return Finding(
            f"Worst-served group: {spoken(worst.value)}, {rate_words(worst.rate, unit)}, "
            f"{_fewer(best.rate - worst.rate, unit)} {spoken(best.value)}",
            sentence,
        )
    low = min(each.worst.rate for each in ends)
    high = max(each.best.rate for each in ends)
    what = "mean ROUGE-L" if unit == "ROUGE-L" else unit
    between = f"from {percent(low)} to {percent(high)}" if low < high else f"{percent(low)} for all"
    return Finding(f"No group can be told from another: {what} {between}", sentence)


def panels_title(rows: Sequence[VariantRow]) -> str:
    """For how many attributes the person in the question moves the answer."""
    ends = [each for each in widest_ends(rows) if not each.row.small]
    if not ends:
        return "Same question, different person: too few answers to compare"
    apart = sum(each.apart for each in ends)
    if not apart:
        return "Same question, different person: no attribute shows a gap that can be told from 0"
    told = [spoken(each.row.attribute) for each in ends if each.apart]
    if apart == len(ends):
        names = listing(told)
        return f"Same question, different person: a gap by {names}"
    rest = [spoken(each.row.attribute) for each in ends if not each.apart]
    return (
        f"Same question, different person: a gap by {listing(told)}, none that can be told from 0 "
        f"by {listing(rest, 'or')}"
    )


def agreement_words(rows: Sequence[VariantRow]) -> str:
    """How often all variants of a question are answered alike, all right, any right."""
    parts: list[str] = []
    for row in rows:
        found = row.agreement
        if not found.n:
            continue
        said = f"{heading(row.attribute)}: same answer for all in {percent(found.agree)}"
        if not np.isnan(found.all_correct):
            said += f", all right in {percent(found.all_correct)}, any right in {percent(found.any_correct)}"
        parts.append(f"{said} of {plural(found.n, 'question')}")
    return " · ".join(parts)


def gap_words(row: VariantRow, *, unit: str = "right answers") -> str:
    """The line under an attribute's panel: the widest gap, its interval, who alone was right."""
    gap = widest_gap(row)
    if gap is None:
        return _no_gap(row)
    best, worst, ahead, behind, sign = _turned(row, gap)
    low, high = sorted(100 * sign * end for end in gap.interval)
    between = interval(low, high, 1)
    which = "" if len(row.groups) == 2 else f" between {spoken(best)} and {spoken(worst)}"
    p = "" if np.isnan(gap.p) else f" (McNemar p {_p(gap.p_holm)}{_corrected(row)})"
    if not ahead and not behind:
        return f"No gap{which}: every one of {plural(gap.n, 'question')} went the same way."
    same = "" if _one_side(gap) else " Not distinguishable from 0."
    if row.small:
        same = " Too few answers to rely on it."
    said = number(100 * sign * gap.gap, 1)
    only = "right only" if unit == "right answers" else "better"
    return (
        f"Gap {said} points{which}, {between}. {plural(ahead, 'question')} {only} for "
        f"{spoken(best)}, {behind} for {spoken(worst)}{p}.{same}"
    )


def cells_finding(row: VariantRow, *, unit: str) -> Finding:
    """Title of intersectional cells: both groups named, small ones counted."""
    small = [group for group in row.groups if group.small]
    few = f" {plural(len(small), 'cell')} with too few answers to compare, in grey." if small else ""
    sentence = f"{plural(len(row.groups), 'combination')} of {spoken(row.attribute)}.{few}"
    ends = [each for each in widest_ends([row]) if not each.row.small]
    if not ends:
        return Finding(f"{heading(row.attribute)}: too few answers to compare cells", sentence)
    (found,) = ends
    said = (
        f"{spoken(found.worst.value)}, {rate_words(found.worst.rate, unit)}, "
        f"{_fewer(found.best.rate - found.worst.rate, unit)} {spoken(found.best.value)}"
    )
    if found.apart:
        return Finding(f"Worst-served combination: {said}", sentence)
    return Finding(
        f"Combinations range over {points(found.row.dp)}, not distinguishable from chance",
        f"{sentence} Lowest: {said}.",
    )


def equal_opportunity_words(rows: Sequence[VariantRow]) -> str:
    """Why EO has no value, or how many answers it rests on."""
    if not rows:
        return ""
    known = [sum(group.n_answerable for group in row.groups) for row in rows]
    if not any(known):
        return "EO undefined: no “answerable” column says which questions can be answered"
    lost = sum(np.isnan(row.eo) for row in rows)
    some = [n for n in known if n]
    n = f"{min(some)}" if min(some) == max(some) else f"{min(some)} to {max(some)}"
    said = f"EO rests on {n} answers to answerable questions"
    return f"{said}; undefined in {lost} of {len(rows)} rows" if lost else said


def counts_words(rows: Sequence[VariantRow]) -> str:
    """Answers behind the rates, by group, with what could not be read."""
    parts = [
        f"{spoken(group.value)} {group.n}" + (f" ({group.n_unparsed} unreadable)" if group.n_unparsed else "")
        for row in rows
        for group in row.groups
    ]
    unknown = sum(row.n_unknown for row in rows)
    lost = f" · {plural(unknown, 'answer')} without a recorded right one left out" if unknown else ""
    return f"Answers: {', '.join(parts)}{lost}" if parts else "No answers about groups"


def _asked(rows: Sequence[VariantRow]) -> str:
    n = max((row.n_questions for row in rows), default=0)
    values = len({(row.attribute, group.value) for row in rows for group in row.groups})
    return f"{plural(n, 'question')}, each asked about {plural(values, 'group')}"


def _why(rows: Sequence[VariantRow]) -> str:
    small = [g for row in rows for g in row.groups if g.small]
    if small:
        least = min(group.n for group in small)
        return f"{plural(len(small), 'group')} below the minimum size; the smallest has {least}."
    return "Every attribute has one group only."


def _fewer(gap: float, unit: str) -> str:
    return f"{points(gap)} {'below' if unit == 'ROUGE-L' else 'fewer than'}"


def _turned(row: VariantRow, gap: PairedGap) -> tuple[str, str, int, int, int]:
    """Better and worse group of a pair, the questions better for each, and the gap's sign."""
    if ends_of(row, gap)[0] == gap.first:
        return gap.first, gap.second, gap.first_only, gap.second_only, 1
    return gap.second, gap.first, gap.second_only, gap.first_only, -1


def _one_side(gap: PairedGap) -> bool:
    return gap.interval.low > 0 or gap.interval.high < 0


def _corrected(row: VariantRow) -> str:
    return f", Holm over {len(row.gaps)} pairs" if len(row.gaps) > 1 else ""


def _p(value: float) -> str:
    said = p_value(value)
    return said if said.startswith("<") else f"= {said}"


def _no_gap(row: VariantRow) -> str:
    if len(row.groups) < 2:
        return "One group only: nothing to compare it with."
    least = min(group.n for group in row.groups)
    return f"Too few answers to compare: the smallest group has {number(least, 0)}."
