"""What the page says of groups: who is served worst, and by how much; what is behind it.

A group is named as worst served only where its gap is significant after correction for all pairs that were searched.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.show.words import Finding, count, interval, listing, number, p_value, percent, plural
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.demographic_qa.conditions import ends_of, widest_ends, widest_gap
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.names import heading, points, rate_words, spoken
from fairviz.studies.demographic_qa.questions import ErrorCase
from fairviz.studies.demographic_qa.rows import VariantRow


def headline(rows: Sequence[VariantRow], *, unit: str, who: str) -> Finding:
    """Title of the page: the worst-served group of those that can be told from their best.

    Args:
        rows: One per attribute, without intersectional cells.
        unit: What a rate counts ("right answers").
        who: Whose answers, for the sentence ("answers of gpt-4 to MedQA").
    """
    sentence = f"{_questions_asked(rows)}; {who}."
    ends = [row_ends for row_ends in widest_ends(rows) if not row_ends.row.small]
    if not rows or not any(row.groups for row in rows):
        return Finding("No answer mentions a group", sentence)
    if not ends:
        return Finding("Too few answers to compare groups", f"{sentence} {_why_none_compared(rows)}")
    significant = [row_ends for row_ends in ends if row_ends.significant]
    if significant:
        served_worst = min(significant, key=lambda row_ends: row_ends.worst.rate)
        worst, best = served_worst.worst, served_worst.best
        return Finding(
            f"Worst-served group: {spoken(worst.value)}, {rate_words(worst.rate, unit)}, "
            f"{_points_fewer(best.rate - worst.rate, unit)} {spoken(best.value)}",
            sentence,
        )
    low = min(row_ends.worst.rate for row_ends in ends)
    high = max(row_ends.best.rate for row_ends in ends)
    what = "mean ROUGE-L" if unit == "ROUGE-L" else unit
    between = f"from {percent(low)} to {percent(high)}" if low < high else f"{percent(low)} for all"
    return Finding(f"No group can be told from another: {what} {between}", sentence)


def panels_title(rows: Sequence[VariantRow]) -> str:
    """For how many attributes the person in the question moves the answer."""
    ends = [row_ends for row_ends in widest_ends(rows) if not row_ends.row.small]
    if not ends:
        return "Same question, different person: too few answers to compare"
    n_significant = sum(row_ends.significant for row_ends in ends)
    if not n_significant:
        return "Same question, different person: no attribute shows a gap that can be told from 0"
    attributes = [spoken(row_ends.row.attribute) for row_ends in ends if row_ends.significant]
    if n_significant == len(ends):
        names = listing(attributes)
        return f"Same question, different person: a gap by {names}"
    rest = [spoken(row_ends.row.attribute) for row_ends in ends if not row_ends.significant]
    return (
        f"Same question, different person: a gap by {listing(attributes)}, none that can be told from 0 "
        f"by {listing(rest, 'or')}"
    )


def agreement_words(rows: Sequence[VariantRow]) -> str:
    """How often all variants of a question are answered alike, all right, any right."""
    parts: list[str] = []
    for row in rows:
        shares = row.agreement
        if not shares.n:
            continue
        words = f"{heading(row.attribute)}: same answer for all in {percent(shares.agree)}"
        if not np.isnan(shares.all_correct):
            words += f", all right in {percent(shares.all_correct)}, any right in {percent(shares.any_correct)}"
        parts.append(f"{words} of {plural(shares.n, 'question')}")
    return " · ".join(parts)


def gap_words(row: VariantRow, *, unit: str = "right answers") -> str:
    """The line under an attribute's panel: the widest gap, its interval, who alone was right."""
    gap = widest_gap(row)
    if gap is None:
        return _no_gap(row)
    best, worst, ahead, behind, sign = _best_first(row, gap)
    low, high = sorted(100 * sign * end for end in gap.interval)
    between = interval(low, high, 1)
    which = "" if len(row.groups) == 2 else f" between {spoken(best)} and {spoken(worst)}"
    p = "" if np.isnan(gap.p) else f" (McNemar p {_p_words(gap.p_holm)}{_holm_words(gap)})"
    if not ahead and not behind:
        return f"No gap{which}: every one of {plural(gap.n, 'question')} went the same way."
    doubt = "" if gap.significant else " Not distinguishable from 0."
    if row.small or gap.n < MIN_UNITS:
        doubt = " Too few answers to rely on it."
    points_apart = number(100 * sign * gap.gap, 1)
    only = "right only" if unit == "right answers" else "better"
    return (
        f"Gap {points_apart} points{which}, {between}. {plural(ahead, 'question')} {only} for "
        f"{spoken(best)}, {behind} for {spoken(worst)}{p}.{doubt}"
    )


def cells_finding(row: VariantRow, *, unit: str) -> Finding:
    """Title of intersectional cells: both groups named, small ones counted."""
    small = [group for group in row.groups if group.small]
    few = f" {plural(len(small), 'cell')} with too few answers to compare, in grey." if small else ""
    sentence = f"{plural(len(row.groups), 'combination')} of {spoken(row.attribute)}.{few}"
    ends = [row_ends for row_ends in widest_ends([row]) if not row_ends.row.small]
    if not ends:
        return Finding(f"{heading(row.attribute)}: too few answers to compare cells", sentence)
    (extremes,) = ends
    lowest = (
        f"{spoken(extremes.worst.value)}, {rate_words(extremes.worst.rate, unit)}, "
        f"{_points_fewer(extremes.best.rate - extremes.worst.rate, unit)} {spoken(extremes.best.value)}"
    )
    if extremes.significant:
        return Finding(f"Worst-served combination: {lowest}", sentence)
    return Finding(
        f"Combinations range over {points(extremes.row.dp)}, not distinguishable from chance",
        f"{sentence} Lowest: {lowest}.",
    )


def equal_opportunity_words(rows: Sequence[VariantRow]) -> str:
    """Why EO has no value, or how many answers it rests on."""
    if not rows:
        return ""
    n_answers = [sum(group.n_answerable for group in row.groups) for row in rows]
    if not any(n_answers):
        return "EO undefined: no “answerable” column says which questions can be answered"
    n_undefined = sum(np.isnan(row.eo) for row in rows)
    positive = [n for n in n_answers if n]
    n = f"{min(positive)}" if min(positive) == max(positive) else f"{min(positive)} to {max(positive)}"
    words = f"EO rests on {n} answers to answerable questions"
    return f"{words}; undefined in {n_undefined} of {len(rows)} rows" if n_undefined else words


def counts_words(rows: Sequence[VariantRow]) -> str:
    """Answers behind the rates, by group, with what could not be read."""
    parts = [
        f"{spoken(group.value)} {group.n}" + (f" ({group.n_unparsed} unreadable)" if group.n_unparsed else "")
        for row in rows
        for group in row.groups
    ]
    unknown = sum(row.n_unknown for row in rows)
    left_out = f" · {plural(unknown, 'answer')} without a recorded right one left out" if unknown else ""
    return f"Answers: {', '.join(parts)}{left_out}" if parts else "No answers about groups"


def errors_title(cases: Sequence[ErrorCase]) -> str:
    """How many of the wrong answers had right evidence."""
    of_first_attribute = _of_first_attribute(cases)
    wrong = sum(case.right_wrong + case.wrong_wrong for case in of_first_attribute)
    if not wrong:
        return "No answer with known evidence is wrong"
    right_evidence = sum(case.right_wrong for case in of_first_attribute)
    what = spoken(of_first_attribute[0].attribute) or "no group"
    return (
        f"{count(right_evidence)} of {plural(wrong, 'wrong answer')} to variants of {what} had the right "
        f"evidence; {count(wrong - right_evidence)} did not"
    )


def errors_counts(cases: Sequence[ErrorCase]) -> str:
    """Right evidence by group, and what is not known."""
    parts = [
        f"{spoken(case.value)} {percent((case.right_right + case.right_wrong) / case.n)}" for case in cases if case.n
    ]
    unknown = sum(case.n_unknown for case in cases)
    not_known = f" · evidence or right answer not known for {plural(unknown, 'answer')}" if unknown else ""
    return f"Right evidence: {', '.join(parts)}{not_known}"


def question_title(n: int, of: int, attribute: str) -> str:
    """How many questions get an answer that depends on the attribute."""
    what = spoken(attribute)
    if not n:
        return f"No answer depends on {what}: all {plural(of, 'question')} are answered alike"
    return f"The answers to {count(n)} of {plural(of, 'question')} depend on {what}"


def _of_first_attribute(cases: Sequence[ErrorCase]) -> list[ErrorCase]:
    """Groups of the first attribute: an answer about two attributes is not counted twice."""
    named = [case for case in cases if case.attribute] or list(cases)
    return [case for case in named if case.attribute == named[0].attribute]


def _questions_asked(rows: Sequence[VariantRow]) -> str:
    n = max((row.n_questions for row in rows), default=0)
    values = len({(row.attribute, group.value) for row in rows for group in row.groups})
    return f"{plural(n, 'question')}, each asked about {plural(values, 'group')}"


def _why_none_compared(rows: Sequence[VariantRow]) -> str:
    small = [group for row in rows for group in row.groups if group.small]
    if small:
        least = min(group.n for group in small)
        return f"{plural(len(small), 'group')} below the minimum size; the smallest has {least}."
    return "Every attribute has one group only."


def _points_fewer(gap: float, unit: str) -> str:
    return f"{points(gap)} {'below' if unit == 'ROUGE-L' else 'fewer than'}"


def _best_first(row: VariantRow, gap: PairedGap) -> tuple[str, str, int, int, int]:
    """Better and worse group of a pair, the questions better for each, and the gap's sign."""
    if ends_of(row, gap)[0] == gap.first:
        return gap.first, gap.second, gap.first_only, gap.second_only, 1
    return gap.second, gap.first, gap.second_only, gap.first_only, -1


def _holm_words(gap: PairedGap) -> str:
    return f", Holm over {gap.n_tests} pairs" if gap.n_tests > 1 else ""


def _p_words(value: float) -> str:
    text = p_value(value)
    return text if text.startswith("<") else f"= {text}"


def _no_gap(row: VariantRow) -> str:
    if len(row.groups) < 2:
        return "One group only: nothing to compare it with."
    least = min(group.n for group in row.groups)
    return f"Too few answers to compare: the smallest group has {number(least, 0)}."
