"""What the page says of groups: who gets fewer right answers, by how much; what is behind it, and what to do next.

A group is named only where its gap is significant after correction for all that was searched; of several significant
differences the widest comes first, that between groups and the question which mentions nobody among them. Where none
is, the smallest gap that would have been is said.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.counts import part_of
from fairviz.display.words import Finding, count, interval, listing, number, percent, plural
from fairviz.model.variants import AnswerKind
from fairviz.stats.tests import MIN_UNITS, verdict
from fairviz.studies.demographic_qa.chance import Difference
from fairviz.studies.demographic_qa.conditions import (
    Ends,
    FromNeutral,
    detectable,
    ends_of,
    from_neutral,
    questions_needed,
    too_unread,
    widest_ends,
    widest_gap,
)
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.names import heading, people, points, quoted, rate_words, shortened, spoken
from fairviz.studies.demographic_qa.overlap import ESTIMATORS, Overlap
from fairviz.studies.demographic_qa.questions import ErrorCase
from fairviz.studies.demographic_qa.rows import OneOption, VariantRow
from fairviz.studies.demographic_qa.runs import VariantQuality
from fairviz.studies.demographic_qa.sheet import ANSWERABLE_WORDS

WORTH_SEEING = 0.1
"""The gap for which it is said how many questions would show it."""
_POWER = "4 times out of 5"


def headline(rows: Sequence[VariantRow], *, unit: str, who: str) -> Finding:
    """Title of the page: who gets fewer right answers, else how all groups differ from the neutral question.

    Args:
        rows: One per attribute, without intersectional cells.
        unit: What a rate counts ("right answers").
        who: Whose answers, for the sentence ("answers of gpt-4 to MedQA").
    """
    sentence = f"{_questions_asked(rows)}; {who}."
    ends = [row_ends for row_ends in widest_ends(rows) if not row_ends.row.small]
    if not rows or not any(row.groups for row in rows):
        return Finding("No answer mentions a group", sentence)
    if why := no_verdict(rows):
        return Finding(why, sentence)
    if not ends:
        return Finding("Too few answers to compare groups", f"{sentence} {_why_none_compared(rows)}")
    neutral = from_neutral(rows)
    n_tests = max((row.dp_level.n_tests for row in rows), default=0)
    corrected = f" Corrected for {plural(n_tests, 'test')}." if n_tests > 1 else ""
    significant = [row_ends for row_ends in ends if row_ends.significant]
    if not significant:
        none = f"{_none_significant(ends, unit)}: {_would_show(rows)}"
        if neutral is None:
            return Finding(none, f"{sentence}{corrected}")
        title = f"{_neutral_title(neutral, unit)}; {none[:1].lower()}{none[1:]}"
        return Finding(title, f"{sentence} {_neutral_words(neutral, unit)}{corrected}")
    widest = max(significant, key=lambda row_ends: abs(row_ends.gap.gap))
    others = [row_ends for row_ends in significant if row_ends is not widest]
    also = f" Also significant: {listing([_short(row_ends) for row_ends in others])}." if others else ""
    pair, said = _pair_title(widest, unit), f"{_pair_words(widest, unit)}{also}"
    beside = f" {_neutral_words(neutral, unit)}" if neutral else ""
    return Finding(pair, f"{sentence} {said}{beside}{corrected}")


def unread_of(rows: Sequence[VariantRow]) -> tuple[int, int]:
    """Answers that name no option, and all answers, of the attribute with most of them."""
    counts = [(sum(group.n_unparsed for group in row.groups), sum(group.n for group in row.groups)) for row in rows]
    return max(counts, default=(0, 0))


def panels_title(rows: Sequence[VariantRow]) -> str:
    """For how many attributes the person in the question moves the answer."""
    ends = [row_ends for row_ends in widest_ends(rows) if not row_ends.row.small]
    if why := no_verdict(rows):
        return f"Same question, different person: {why[:1].lower()}{why[1:]}"
    if not ends:
        return "Same question, different person: too few answers to compare"
    attributes = [spoken(row_ends.row.attribute) for row_ends in ends if row_ends.significant]
    rest = [spoken(row_ends.row.attribute) for row_ends in ends if not row_ends.significant]
    if not attributes:
        return "Same question, different person: no significant gap by any attribute"
    if not rest:
        return f"Same question, different person: a significant gap by {listing(attributes)}"
    return (
        f"Same question, different person: a significant gap by {listing(attributes)}, "
        f"no significant one by {listing(rest, 'or')}"
    )


def agreement_words(rows: Sequence[VariantRow]) -> str:
    """How often all variants of a question are answered alike, all right, at least one right."""
    parts: list[str] = []
    for row in rows:
        shares = row.agreement
        if not shares.n:
            continue
        words = f"{heading(row.attribute)}: same answer for all in {percent(shares.agree)}"
        if not np.isnan(shares.all_correct):
            words += (
                f", all right in {percent(shares.all_correct)}, at least one right in {percent(shares.any_correct)}"
            )
        parts.append(f"{words} of {plural(shares.n, 'question')}")
    return " · ".join(parts)


def gap_words(row: VariantRow, *, unit: str = "right answers") -> str:
    """The line under an attribute's panel: the widest gap, its interval, who alone was right."""
    gap = widest_gap(row)
    if gap is None:
        return _no_gap(row)
    best, worst, ahead, behind, sign = _best_first(row, gap)
    (ends,) = widest_ends([row])
    between = ", ".join(filter(None, (_between(ends, sign, 1), _searched(ends))))
    which = "" if len(row.groups) == 2 else f" between {quoted(best)} and {quoted(worst)}"
    if not ahead and not behind:
        same = f"No gap{which}: the same result on each of {plural(gap.n, 'question')}"
        return f"{same}, as nobody is mentioned any more." if row.by_construction else f"{same}."
    if too_unread(row):
        verdict = "No verdict: too many answers are unread."
    elif row.one_option:
        verdict = f"No verdict: {option_words(row.one_option)}."
    elif row.small or gap.n < MIN_UNITS:
        verdict = "Too few answers to rely on it."
    elif row.dp_level.significant:
        verdict = "Significant."
    else:
        verdict = "Not significant."
    return (
        f"Gap {number(100 * sign * gap.gap, 1)} points{which}{between and f', {between}'}{_by_chance(row.dp_level)}. "
        f"{alone_words(row, unit=unit)} {verdict}"
    )


def alone_words(row: VariantRow, *, unit: str = "right answers") -> str:
    """On how many questions one of the two groups of the widest gap alone was answered right."""
    gap = widest_gap(row)
    if gap is None:
        return _no_gap(row)
    best, worst, ahead, behind, _ = _best_first(row, gap)
    if not ahead and not behind:
        return f"The same result on each of {plural(gap.n, 'question')}."
    only = "right only" if unit == "right answers" else "better"
    better, worse = people(row.attribute, best), people(row.attribute, worst)
    return f"{plural(ahead, 'question')} {only} for {better}, {behind or 'none'} for {worse}."


def option_words(one: OneOption) -> str:
    """How many answers are one option.

    Examples:
        >>> option_words(OneOption("A", 23, 26))
        '23 of 26 answers are A'
    """
    return f"{count(one.n)} of {count(one.n_answers)} answers are {one.name}"


def no_verdict(rows: Sequence[VariantRow], what: str = "groups") -> str:
    """Why nothing can be said of how groups differ, as a title; "" where it can."""
    if any(map(too_unread, rows)):
        return f"Too many answers are unread to compare {what}"
    given = [row.one_option for row in rows if row.one_option]
    most = max(given, key=lambda one: one.n_answers, default=None)
    return f"One answer is given whatever is asked: {option_words(most)}" if most else ""


def verdict_words(row: VariantRow) -> str:
    """What the test of an attribute's widest gap allows to say."""
    if row.by_construction:
        return "0 by construction"
    if too_unread(row):
        return "no verdict: too many unread"
    if row.one_option:
        return f"no verdict: {option_words(row.one_option)}"
    gap = widest_gap(row)
    if gap is None or row.small or gap.n < MIN_UNITS:
        return "too few to say"
    return "significant" if row.dp_level.significant else "not significant"


def cells_finding(row: VariantRow, *, unit: str) -> Finding:
    """Title of intersectional cells: both groups named, small ones counted."""
    small = [group for group in row.groups if group.small]
    few = f" {plural(len(small), 'cell')} with too few answers to compare, in grey." if small else ""
    sentence = f"{plural(len(row.groups), 'combination')} of {spoken(row.attribute)}.{few}"
    if why := no_verdict([row], "cells"):
        return Finding(f"{heading(row.attribute)}: {why[:1].lower()}{why[1:]}", sentence)
    ends = [row_ends for row_ends in widest_ends([row]) if not row_ends.row.small]
    if not ends:
        return Finding(f"{heading(row.attribute)}: too few answers to compare cells", sentence)
    (widest,) = ends
    if widest.significant:
        return Finding(_pair_title(widest, unit), f"{sentence} {_pair_words(widest, unit)}")
    return Finding(
        _none_significant(ends, unit, "combinations"),
        f"{sentence} Widest gap {points(row.dp, 1)}{_by_chance(row.dp_level)}.",
    )


def equal_opportunity_words(rows: Sequence[VariantRow]) -> str:
    """Why EO has no value, or how many answers it rests on."""
    if not rows:
        return ""
    n_answers = [sum(group.n_answerable for group in row.groups) for row in rows]
    definition = next((row.definition for row in rows if row.definition), "")
    if not definition:
        return (
            "EO undefined: neither an “answerable” column nor the evidence says which questions can be answered; "
            "“More” has two definitions by the answers"
        )
    if not any(n_answers):
        return f"EO undefined: no question is answerable ({ANSWERABLE_WORDS[definition]})"
    n_undefined = sum(np.isnan(row.eo) for row in rows)
    positive = [n for n in n_answers if n]
    n = f"{min(positive)}" if min(positive) == max(positive) else f"{min(positive)} to {max(positive)}"
    words = f"EO rests on {n} answers to answerable questions ({ANSWERABLE_WORDS[definition]})"
    return f"{words}; undefined in {n_undefined} of {len(rows)} rows" if n_undefined else words


def counts_words(rows: Sequence[VariantRow]) -> str:
    """Answers behind the rates, by group, with what could not be read."""
    parts = [
        f"{shortened(group.value)} {group.n}" + (f" ({group.n_unparsed} unreadable)" if group.n_unparsed else "")
        for row in rows
        for group in row.groups
    ]
    unknown = sum(row.n_unknown for row in rows)
    left_out = f" · {plural(unknown, 'answer')} without a recorded right answer left out" if unknown else ""
    return f"Answers: {', '.join(parts)}{left_out}" if parts else "No answers about groups"


def errors_title(cases: Sequence[ErrorCase]) -> str:
    """How many of the wrong answers had right evidence; "" where the evidence is not known."""
    of_first_attribute = _of_first_attribute([case for case in cases if case.n])
    if not of_first_attribute:
        return ""
    wrong = sum(case.right_wrong + case.wrong_wrong for case in of_first_attribute)
    if not wrong:
        return "No answer with known evidence is wrong"
    with_evidence = sum(case.right_wrong for case in of_first_attribute)
    what = spoken(of_first_attribute[0].attribute) or "no group"
    return (
        f"{count(with_evidence)} of {plural(wrong, 'wrong answer')} ({what}) came with the right evidence, "
        f"{count(wrong - with_evidence)} without it"
    )


def doses_title(cases: Sequence[ErrorCase], rows: Sequence[VariantRow]) -> str:
    """What is known of retrieval: wrong answers with right evidence, else how much a mention changes the documents."""
    overlaps = [overlap for row in rows for overlap in row.overlap]
    return errors_title(cases) or overlap_title(overlaps)


def question_title(n: int, of: int, attribute: str) -> str:
    """How many questions get an answer that depends on the attribute."""
    what = spoken(attribute)
    if not n:
        return f"No answer depends on {what}: all {plural(of, 'question')} are answered alike"
    return f"{part_of(n, plural(of, 'question'), 'is', 'are')} answered differently by {what}"


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


def _none_significant(ends: Sequence[Ends], unit: str, what: str = "groups") -> str:
    """No significant difference, with the range of the rates."""
    low = min(row_ends.worst.rate for row_ends in ends)
    high = max(row_ends.best.rate for row_ends in ends)
    return f"No significant difference between {what} ({_rates(low, high, unit)})"


def next_step(rows: Sequence[VariantRow], *, kind: AnswerKind = "closed") -> str:
    """What a reader of the headline does next.

    Args:
        rows: As for the headline.
        kind: Of the answers.
    """
    if any(map(too_unread, rows)):
        what = "name no option" if kind == "closed" else "are empty"
        return f"Next: find out why so many answers {what}, and ask again."
    if any(row.one_option for row in rows):
        return "Next: find out why the model gives one answer whatever is asked, and ask again."
    ends = [row_ends for row_ends in widest_ends(rows) if not row_ends.row.small]
    if not ends:
        return f"Next: ask at least {MIN_UNITS} questions about each of two groups."
    significant = [row_ends for row_ends in ends if row_ends.significant]
    if significant:
        widest = max(significant, key=lambda row_ends: abs(row_ends.gap.gap))
        return (
            f"Next: read the questions that are answered worse about {_people(widest)[0]}, then see what "
            "prompts, retrieval and a vote change."
        )
    needed, n = questions_needed(rows, WORTH_SEEING), max(row.n_questions for row in rows)
    if needed <= n:
        seen = points(WORTH_SEEING)
        return f"These questions are enough to detect a gap of {seen} ({_POWER}); a smaller one takes more."
    digit = 10 ** max(len(str(needed)) - 2, 0)
    enough = count(-(-needed // digit) * digit)
    return f"Next: about {enough} questions would be enough to detect a gap of {points(WORTH_SEEING)} ({_POWER})."


def _rates(low: float, high: float, unit: str) -> str:
    text = percent(high) if percent(low) == percent(high) else f"{number(100 * low, 0)} to {percent(high)}"
    if unit == "right answers":
        return f"{text} correct"
    return f"mean ROUGE-L {text}" if unit == "ROUGE-L" else f"{text} {unit}"


def _pair_title(ends: Ends, unit: str) -> str:
    """The widest gap, with an interval that knows how many were searched."""
    between = _between(ends, 1 if ends.gap.gap >= 0 else -1, 0)
    worst, best = _people(ends)
    gap, behind = points(abs(ends.gap.gap)), f"({between and f'{between}; '}{plural(ends.gap.n, 'question')})"
    if unit.startswith("answers with "):
        return (
            f"Answers to questions about {worst} reach {unit.removeprefix('answers with ')} {gap} less often than to "
            f"the same questions about {best} {behind}"
        )
    less = f"{gap} fewer right answers" if unit == "right answers" else f"answers with a mean {unit} {gap} lower"
    return f"Questions about {worst} get {less} than the same questions about {best} {behind}"


def _people(ends: Ends) -> tuple[str, str]:
    """The people of the worse and of the better group."""
    return people(ends.row.attribute, ends.worst.value), people(ends.row.attribute, ends.best.value)


def _between(ends: Ends, sign: int, decimals: int) -> str:
    """The interval of a gap, in points; "" where it is undefined."""
    low, high = sorted(100 * sign * end for end in ends.interval)
    return "" if np.isnan(low) else interval(low, high, decimals)


def _searched(ends: Ends) -> str:
    """Why the interval of a gap is wider than that of one chosen beforehand; "" where it is not, or is undefined."""
    if ends.n_searched < 2 or np.isnan(ends.interval.low):
        return ""
    return f"widened because the widest of {count(ends.n_searched)} gaps was picked"


def _pair_words(ends: Ends, unit: str) -> str:
    """Rates of both groups of a significant gap, and what chance gives."""
    worst, best = _people(ends)
    rates = f"About {worst}: {rate_words(ends.worst.rate, unit)}, about {best}: {percent(ends.best.rate)}"
    widened = _searched(ends)
    return f"{rates}{_by_chance(ends.row.dp_level)}.{widened and f' The interval is {widened}.'}"


def _short(ends: Ends) -> str:
    worst, best = _people(ends)
    return f"{spoken(ends.row.attribute)} (questions about {worst} {points(ends.gap.gap)} below those about {best})"


def _neutral_title(neutral: FromNeutral, unit: str) -> str:
    """All groups against the question that mentions nobody."""
    low, high = sorted((100 * abs(neutral.least), 100 * abs(neutral.most)))
    span = (
        points(neutral.most) if number(low, 0) == number(high, 0) else f"{number(low, 0)} to {number(high, 0)} points"
    )
    what = {"right answers": "right answers", "ROUGE-L": "mean ROUGE-L"}.get(unit, unit)
    return f"Mentioning any group {'lowers' if neutral.mean < 0 else 'raises'} {what} by {span}"


def _neutral_words(neutral: FromNeutral, unit: str) -> str:
    """How the neutral question differs from every group, with interval and test."""
    low, high = sorted(100 * abs(end) for end in neutral.interval)
    least, most = (number(100 * abs(end), 0) for end in (neutral.least, neutral.most))
    span = least if least == most else f"{least} to {most}"
    more = "lower" if neutral.mean > 0 else "higher"
    groups = "the group" if neutral.n_groups == 1 else f"each of the {neutral.n_groups} groups"
    return (
        f"With nobody mentioned, {'mean ROUGE-L' if unit == 'ROUGE-L' else 'the share of ' + unit} is {span} points "
        f"{more} than for {groups} (mean {interval(low, high, 0)})."
    )


def _would_show(rows: Sequence[VariantRow]) -> str:
    """The smallest gap that would have been significant, and whether that is too much to be of use."""
    least, n = detectable(rows), max(row.n_questions for row in rows)
    asked = plural(n, "question")
    if not least <= WORTH_SEEING:
        asked += f" {'is' if n == 1 else 'are'} too few, "
        return (
            f"{asked}no gap would show"
            if np.isnan(least)
            else f"{asked}only a gap of {points(least)} or more would show"
        )
    return f"with {asked} a gap of {points(least)} or more would show"


def _by_chance(level: Difference) -> str:
    """The widest gap that chance gives, in parentheses; nothing where it was not tested."""
    return "" if np.isnan(level.p_holm) else f" (chance alone: {points(level.chance)})"


def _best_first(row: VariantRow, gap: PairedGap) -> tuple[str, str, int, int, int]:
    """Better and worse group of a pair, the questions better for each, and the gap's sign."""
    if ends_of(row, gap)[0] == gap.first:
        return gap.first, gap.second, gap.first_only, gap.second_only, 1
    return gap.second, gap.first, gap.second_only, gap.first_only, -1


def _no_gap(row: VariantRow) -> str:
    if len(row.groups) < 2:
        return "One group only: nothing to compare it with."
    least = min(group.n for group in row.groups)
    return f"Too few answers to compare: the smallest group has {number(least, 0)}."


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
