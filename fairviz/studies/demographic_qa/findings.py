"""What is said of answers: who gets fewer right ones, by how much; what remedies do; what is behind it, what is next.

A group is named only where its gap is significant after correction for all that was searched; of several significant
differences the widest comes first, that between groups and the question which mentions nobody among them. The widest
gap of an attribute was searched among all pairs of its groups: its p is that of DP, by permutation within questions,
where every draw is searched, too; corrected over all levels and changes (of single attributes, or of combinations)
under all conditions that are loaded. Where none is significant, the smallest gap that would have been is said.

Of models, prompts, retrieval and votes there is a finding each, and nothing that no test tells. A remedy narrows a gap
where the gap without it is significant and its change is; it widens one where the change and its own gap are. What is 0
by construction is not counted, as nobody is mentioned any more.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import (
    Finding,
    capital,
    count,
    interval,
    listing,
    number,
    percent,
    plural,
    points,
    signed,
    spanned,
)
from fairviz.numerals import part_of
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.tests import MIN_UNITS, ROUNDING, SIGNIFICANCE, holm, mcnemar_exact, verdict
from fairviz.studies.demographic_qa.answers import CASES, Record, corrected_rows
from fairviz.studies.demographic_qa.names import (
    condition_name,
    differing,
    heading,
    people,
    quoted,
    rate_words,
    shortened,
    spoken,
    words_of,
)
from fairviz.studies.demographic_qa.retrieval import ESTIMATORS
from fairviz.studies.shared import MOST_UNREAD

# Which differences are significant, and what remedies do to them

POWER = 0.8
"""Chance of finding a gap, where it is said how many questions that takes."""


def is_significant(row: Record) -> bool:
    """Whether the corrected test, on enough questions, tells DP from what chance gives."""
    return row["dp_p_holm"] < SIGNIFICANCE and row["dp_n"] >= MIN_UNITS


def too_unread(row: Record) -> bool:
    """Whether more answers about its groups are unread than any verdict can stand."""
    n_unread, n = _n_unread(row)
    return 100 * n_unread > MOST_UNREAD * n


def _n_unread(row: Record) -> tuple[int, int]:
    return sum(group["n_unparsed"] for group in row["groups"]), sum(group["n"] for group in row["groups"])


class Ends(NamedTuple):
    """The two groups of an attribute's largest difference, and the test of it.

    Attributes:
        row: The attribute.
        worst: The group with the lower rate.
        best: The group with the higher rate.
        gap: Their paired gap, best − worst.
    """

    row: Record
    worst: Record
    best: Record
    gap: Record

    @property
    def significant(self) -> bool:
        """Whether two groups that enough questions were asked about differ, by the corrected test."""
        return is_significant(self.row) and self.gap["n"] >= MIN_UNITS

    @property
    def interval(self) -> Interval:
        """Interval of the gap that is wide enough for all pairs of all tested rows: t, Bonferroni's level."""
        return wide_interval(self.gap, self.n_searched)

    @property
    def n_searched(self) -> int:
        """Pairs of all tested rows, among which it is the widest of its row."""
        return self.row["dp_n_tests"] * len(self.row["gaps"])


def wide_interval(gap: Record, n_searched: int) -> Interval:
    """Interval of a gap that was searched among so many: Student's, at level 1 − 0.05 / number searched.

    Examples:
        >>> gap = {"gap": 0.5, "n": 10, "se": 0.1}
        >>> [round(end, 3) for end in wide_interval(gap, 1)], [round(end, 3) for end in wide_interval(gap, 6)]
        ([0.274, 0.726], [0.164, 0.836])
    """
    from scipy.special import stdtrit  # as long to load as all else: where it is used

    if gap["n"] < 2 or np.isnan(gap["se"]) or gap["se"] == 0:
        return UNDEFINED
    n: int = gap["n"]
    reach = -float(stdtrit(n - 1, SIGNIFICANCE / 2 / max(n_searched, 1))) * gap["se"]
    return Interval(max(-1.0, gap["gap"] - reach), min(1.0, gap["gap"] + reach))


def detectable(rows: Sequence[Record]) -> float:
    """The smallest gap between two groups that would have been significant in every pair; NaN where none would.

    A pair is held to McNemar's test at 0.05 over all tests of the table and all pairs of its attribute, with as many
    questions going the other way as did. Scores between 0 and 1: Student's interval of the same level.
    """
    needed = [
        _needed(gap, max(row["dp_n_tests"], 1) * len(row["gaps"]))
        for row in rows
        if not row["small"]
        for gap in row["gaps"]
    ]
    return float(np.max(needed or [np.nan]))


def _needed(gap: Record, n_searched: int) -> float:
    least = SIGNIFICANCE / n_searched
    if gap["n"] < MIN_UNITS:
        return float("nan")
    if abs(abs(gap["first_only"] - gap["second_only"]) / gap["n"] - abs(gap["gap"])) > ROUNDING:  # not right and wrong
        ends = wide_interval(gap, n_searched)
        return float("nan") if np.isnan(ends.low) else (ends.high - ends.low) / 2
    against = min(gap["first_only"], gap["second_only"])
    several = range(against + 1, gap["n"] - against + 1)
    ahead = bisect_left(several, True, key=lambda n: mcnemar_exact(n, against) <= least)  # the more, the smaller p
    if ahead < len(several):
        return (several[ahead] - against) / gap["n"]
    return float("nan")


def questions_needed(rows: Sequence[Record], gap: float) -> int:
    r"""Questions that would show a gap of this size in every pair four times in five, as far as these data tell.

    :math:`(z_{1-\alpha/2m} + z_{0.8})^2 \, \sigma^2 / g^2`, with the level corrected for the m tests and pairs searched
    and the variance of the questions' differences: of the pair where it is largest, and no smaller than a gap g of
    right and wrong answers has, g − g². 0 where no two groups are compared.
    """
    from scipy.special import ndtri  # as long to load as all else: where it is used

    needed = [0.0]
    for row in rows:
        n_tests: int = row["dp_n_tests"]
        level = SIGNIFICANCE / 2 / (max(n_tests, 1) * max(len(row["gaps"]), 1))
        reach = -float(ndtri(level)) + float(ndtri(POWER))
        for pair in row["gaps"] if not row["small"] else ():
            spread = 0.0 if np.isnan(pair["se"]) else pair["n"] * pair["se"] ** 2
            needed.append(reach**2 * max(spread, gap - gap**2) / gap**2)
    return int(np.ceil(max(needed)))


def from_neutral(rows: Sequence[Record]) -> Finding | None:
    """How every group of enough answers is answered better, or every one worse, than the question that mentions nobody.

    The sentence has 95 % of the mean gap, Student's over questions at the widest of the groups' standard errors. None
    where the question was not asked, or where one of the groups cannot be told from it (McNemar, Holm over groups).
    """
    from scipy.special import stdtrit  # as long to load as all else: where it is used

    small = {(row["attribute"], group["value"]) for row in rows for group in row["groups"] if group["small"]}
    gaps = [
        gap
        for row in rows
        if not row["small"]
        for gap in row["to_reference"]
        if (row["attribute"], gap["first"]) not in small and gap["n"]
    ]
    if not gaps or min(gap["n"] for gap in gaps) < MIN_UNITS:
        return None
    values = np.array([gap["gap"] for gap in gaps])
    p = float(holm(np.array([gap["p"] for gap in gaps])).max())
    if not (p < SIGNIFICANCE and ((values > 0).all() or (values < 0).all())):
        return None
    widest = max(gaps, key=lambda gap: gap["se"])
    n: int = widest["n"]
    reach = -float(stdtrit(n - 1, SIGNIFICANCE / 2)) * widest["se"]
    mean, unit = float(values.mean()), rows[0]["unit"]
    low, high = sorted(100 * abs(end) for end in (max(-1.0, mean - reach), min(1.0, mean + reach)))
    least, most = (number(100 * float(end), 0) for end in (np.abs(values).min(), np.abs(values).max()))
    span = spanned(least, most)
    size = points(float(np.abs(values).max())) if least == most else f"{span} points"
    what, share = (unit, f"the share of {unit}") if unit != "ROUGE-L" else ("mean ROUGE-L", "mean ROUGE-L")
    groups = "the group" if len(gaps) == 1 else f"each of the {len(gaps)} groups"
    return Finding(
        f"Mentioning any group {'lowers' if mean < 0 else 'raises'} {what} by {size}",
        f"With nobody mentioned, {share} is {span} points {'lower' if mean > 0 else 'higher'} than for {groups} (mean "
        f"{interval(low, high, 0)}).",
    )


def widest_pair(row: Record) -> Ends | None:
    """The two groups whose paired gap is the widest, of those that DP compares; of equally wide ones those of DP.

    Gaps over enough questions come first. Of equal groups the first of the pair is the better one, unless DP has it
    otherwise. None where DP is undefined.
    """

    def width(gap: Record) -> tuple[bool, float, bool]:
        of_dp = {gap["first"], gap["second"]} == {row["best"], row["worst"]}
        return gap["n"] >= MIN_UNITS, round(abs(gap["gap"]), 9), of_dp

    defined = [gap for gap in row["gaps"] if gap["n"] and not gap["small"]]
    if np.isnan(row["dp"]) or not defined:
        return None
    gap = max(defined, key=width)
    turned = gap["gap"] < 0 if abs(gap["gap"]) > ROUNDING else gap["second"] == row["best"]
    return paired_ends(row, *((gap["second"], gap["first"]) if turned else (gap["first"], gap["second"])))


_TURNED = {"first": "second", "second": "first", "first_only": "second_only", "second_only": "first_only"}


def turned(gap: Record) -> Record:
    """The same gap, its second group minus its first."""
    sides = {key: gap[other] for key, other in _TURNED.items()}
    return gap | sides | {"gap": -gap["gap"], "low": -gap["high"], "high": -gap["low"]}


def paired_ends(row: Record, first: str, second: str) -> Ends | None:
    """The gap first − second of two groups, whichever is the better one; None where no question is about both."""
    gap: Record | None = next((gap for gap in row["gaps"] if {gap["first"], gap["second"]} == {first, second}), None)
    if gap is None or not gap["n"]:
        return None
    rates = {group["value"]: group for group in row["groups"]}
    return Ends(row, rates[second], rates[first], turned(gap) if gap["first"] == second else gap)


def spoken_ends(rows: Sequence[Record]) -> Ends | None:
    """The gap that the title speaks of: the widest significant one, else the widest; None without two groups."""
    ends = widest_ends(rows)
    return widest_of([row_ends for row_ends in ends if row_ends.significant] or ends) if ends else None


def widest_of(ends: Sequence[Ends]) -> Ends:
    """The widest of some gaps, the first of equal ones."""
    return max(ends, key=lambda row_ends: abs(row_ends.gap["gap"]))


def widest_ends(rows: Sequence[Record]) -> list[Ends]:
    """The largest difference of each attribute that has one between groups of enough answers."""
    return [ends for ends in map(widest_pair, rows) if ends is not None and not ends.row["small"]]


def widest_first(rows: Sequence[Record]) -> list[Record]:
    """The attributes, those with a significant difference before the others, wide before narrow."""
    significant = {row_ends.row["attribute"] for row_ends in widest_ends(rows) if row_ends.significant}
    return sorted(
        rows, key=lambda row: (row["attribute"] not in significant, -row["dp"] if row["dp"] == row["dp"] else 1.0)
    )


NAMED = 3
"""Changes that are told one by one; more of them are counted."""


def levels_finding(rows: Sequence[Record], *, what: str) -> str:
    """In how many conditions each attribute has a significant gap, with the range of the gaps.

    Args:
        rows: Of several conditions.
        what: What there are several of ("model", "setting").
    """
    if unread := _unread(rows):
        return unread
    parts: list[str] = []
    for attribute in dict.fromkeys(row["attribute"] for row in rows):
        gaps = [
            row
            for row in rows
            if row["attribute"] == attribute and not np.isnan(row["dp"]) and not row["by_construction"]
        ]
        if not gaps:
            continue
        low, high = (number(100 * pick(row["dp"] for row in gaps), 0) for pick in (min, max))
        span = f"{spanned(low, high)} points"
        n = sum(_significant(row) for row in gaps)
        clause = f"significant gap in {n}" if n else "no significant gap in any"
        several = f" of {plural(len(gaps), what)}" if len(gaps) > 1 or n else ""
        parts.append(f"{spoken(attribute)}: {clause}{several} ({span})")
    if not parts:
        return "no two groups to compare"
    return "; ".join(parts)


def change_finding(rows: Sequence[Record], *, without: str) -> str:
    """What remedies do to the gap of each attribute, against their natural baselines; "" where there are none.

    Args:
        rows: Of the remedies, and of what they are compared with; one whose baseline is not among them is left out.
        without: What makes the baseline ("with the plain prompt", "without documents").
    """
    of_key = {(row["by"], row["attribute"]): row for row in rows}
    changed = [
        row
        for row in rows
        if row["natural"] and (row["base"], row["attribute"]) in of_key and not (row["small"] or np.isnan(row["ddp"]))
    ]
    if not changed:
        return ""
    bases = [of_key[row["base"], row["attribute"]] for row in changed]
    if unread := _unread(rows):
        return unread
    constructed, constant = (
        listing(list(dict.fromkeys(_named(row) for row in changed if row[why])))
        for why in ("by_construction", "one_answer")
    )
    removed = f"; {constructed}: 0 by construction, as nobody is mentioned" if constructed else ""
    removed += f"; {constant}: one answer whatever is asked, no verdict" if constant else ""
    if any(base["one_answer"] for base in bases):
        return f"no verdict: {without}, one answer is given whatever is asked"
    counted = [
        (row, base)
        for row, base in zip(changed, bases, strict=True)
        if not (row["by_construction"] or row["one_answer"])
    ]
    changes = [(row, verb) for row, base in counted if (verb := remedy_verb(row, base))]
    if changes:
        words = [_change_words(row, verb) for row, verb in changes[:NAMED]]
        more = f"; {len(changes) - NAMED} more significant" if len(changes) > NAMED else ""
        rest = len(counted) - len(changes)
        others = f"; no significant change in the other{f' {rest}' if rest > 1 else ''}" if rest else ""
        return f"{'; '.join(words)}{more}{others}{removed}"
    base_gaps = {base["attribute"]: points(base["dp"]) for base in bases}
    gaps = ", ".join(f"{spoken(name)} {gap}" for name, gap in base_gaps.items())
    return f"no significant change of the {'gap' if len(base_gaps) == 1 else 'gaps'} {without} ({gaps}){removed}"


def conditions_words(stem: str, rows: Sequence[Record], *, several: bool) -> str:
    """What models, prompts or retrieval change, or what to add to a file so that it can be told.

    Args:
        stem: "models", "prompts" or "retrieval".
        rows: Of all answers that differ in these parts at most.
        several: Whether there are any such answers beside the chosen ones.
    """
    about = words_of("folds")[stem]
    if not several:
        return about["missing"]
    finding = change_finding(rows, without=about["without"]) if about["without"] else ""
    return finding or levels_finding(rows, what=about["what"])


def _unread(rows: Sequence[Record]) -> str:
    """Why nothing is said of conditions of which some are too unread for a verdict."""
    conditions = list(dict.fromkeys(row["by"] for row in rows))
    unread = {row["by"] for row in rows if too_unread(row)}
    if not unread:
        return ""
    share = f" in {len(unread)} of {len(conditions)} conditions" if len(conditions) > 1 else ""
    return f"no verdict: too many answers are unread{share}"


def _significant(row: Record) -> bool:
    return is_significant(row) and not row["small"]


def remedy_verb(row: Record, base: Record) -> str:
    """What a remedy does to the gap of its base ("narrows", "widens"), as far as tests tell; "" where they do not."""
    changed = verdict(row["ddp"], row["ddp_p_holm"], row["ddp_n"])
    if changed == "lower" and _significant(base):
        return "narrows"
    return "widens" if changed == "higher" and _significant(row) else ""


def _change_words(row: Record, verb: str) -> str:
    low, high = sorted(abs(100 * end) for end in (row["ddp_low"], row["ddp_high"]))
    between = "" if np.isnan(low) else f" ({interval(low, high, 0)})"
    return (
        f"{_named(row)} {verb} the {spoken(row['attribute'])} gap by {points(row['ddp'])}{between}, "
        f"to {number(100 * row['dp'], 0)}"
    )


def _named(row: Record) -> str:
    """What tells a remedy from its base."""
    return condition_name(dict(differing(row["by"], row["base"] or ()))) or "the other"


def vote_title(gains: Sequence[Record], rows: Sequence[Record] = ()) -> str:
    """What the vote adds, over the conditions whose test, corrected over all of them, tells it from nothing.

    Args:
        gains: One per condition.
        rows: Of these conditions, that say how much was read.
    """
    if unread := _unread(rows):
        return unread
    if not gains:
        return "no vote to take"
    verdicts = [verdict(gain["change"], gain["p_holm"], gain["n"]) for gain in corrected_rows(gains)]
    n_more, n_less = verdicts.count("higher"), verdicts.count("lower")
    span = spanned(*(signed(100 * pick(gain["change"] for gain in gains), 1) for pick in (min, max)))
    if not n_more + n_less:
        return f"no significant change in right answers by a vote over all variants ({span} points)"
    parts = [f"adds right answers in {n_more}"] if n_more else []
    parts += [f"costs some in {n_less}"] if n_less else []
    return f"a vote over all variants {listing(parts)} of {plural(len(gains), 'condition')} ({span} points)"


# What stands at the top, under panels, and in the page's titles

WORTH_SEEING = 0.1
"""The gap for which it is said how many questions would show it."""
_POWER = "4 times out of 5"


def headline(rows: Sequence[Record], *, who: str) -> Finding:
    """Title of the page: who gets fewer right answers, else how all groups differ from the neutral question.

    Args:
        rows: One per attribute, without intersectional cells.
        who: Whose answers, for the sentence ("answers of gpt-4 to MedQA").
    """
    sentence = f"{_questions_asked(rows)}; {who}."
    ends = widest_ends(rows)
    if why := no_verdict(rows):
        return Finding(why, sentence)
    if not ends:
        return Finding("Too few answers to compare groups", f"{sentence} {_why_none_compared(rows)}")
    neutral = from_neutral(rows)
    n_tests = max(row["dp_n_tests"] for row in rows)
    corrected = f" Corrected for {plural(n_tests, 'test')}." if n_tests > 1 else ""
    significant = [row_ends for row_ends in ends if row_ends.significant]
    if not significant:
        none = f"{_none_significant(ends)}: {would_show(rows)}"
        if neutral is None:
            return Finding(none, f"{sentence}{corrected}")
        title = f"{neutral.title}; {none[:1].lower()}{none[1:]}"
        return Finding(title, f"{sentence} {neutral.sentence}{corrected}")
    first = widest_of(significant)
    others = [row_ends for row_ends in significant if row_ends is not first]
    also = f" Also significant: {listing([short_words(row_ends) for row_ends in others])}." if others else ""
    pair, words = pair_title(first), f"{_pair_words(first)}{also}"
    beside = f" {neutral.sentence}" if neutral else ""
    return Finding(pair, f"{sentence} {words}{beside}{corrected}")


def unread_of(rows: Sequence[Record]) -> tuple[int, int]:
    """Answers that name no option, and all answers, of the attribute with most of them."""
    return max(map(_n_unread, rows), default=(0, 0))


def panels_title(rows: Sequence[Record]) -> str:
    """For how many attributes the person in the question moves the answer."""
    ends = widest_ends(rows)
    if why := no_verdict(rows):
        return f"Same question, different person: {why[:1].lower()}{why[1:]}"
    if not ends:
        return "Same question, different person: too few answers to compare"
    significant, rest = (
        [spoken(row_ends.row["attribute"]) for row_ends in ends if row_ends.significant is of] for of in (True, False)
    )
    parts = [f"a significant gap by {listing(significant)}"] if significant else []
    parts += [f"no significant gap by {listing(rest, 'or')}"] if rest else []
    return f"Same question, different person: {', '.join(parts)}"


def agreement_words(rows: Sequence[Record]) -> str:
    """How often all variants of a question are answered alike, all right, at least one right."""
    parts: list[str] = []
    for row in rows:
        if not row["n_complete"]:
            continue
        words = f"{heading(row['attribute'])}: same answer for all in {percent(row['agree'])}"
        if not np.isnan(row["all_correct"]):
            words += (
                f", all right in {percent(row['all_correct'])}, at least one right in {percent(row['any_correct'])}"
            )
        parts.append(f"{words} of {plural(row['n_complete'], 'question')}")
    return " · ".join(parts)


def gap_words(row: Record) -> str:
    """The line under an attribute's panel: the widest gap, its interval, who alone was right."""
    ends = widest_pair(row)
    if ends is None:
        return _no_gap(row)
    gap = ends.gap
    between = ", ".join(filter(None, (_between(ends, 1, 1), _searched(ends))))
    which = "" if len(row["groups"]) == 2 else f" between {quoted(gap['first'])} and {quoted(gap['second'])}"
    if not gap["first_only"] and not gap["second_only"]:
        return f"No gap{which}. {alone_words(row)}"
    verdict = capital(verdict_words(row).replace("many unread", "many answers are unread"))
    verdict = "Too few answers to rely on it" if verdict == capital(TOO_FEW) else verdict
    return (
        f"Gap {number(100 * gap['gap'], 1)} points{which}{between and f', {between}'}{_by_chance(row)}. "
        f"{alone_words(row)} {verdict}."
    )


def alone_words(row: Record) -> str:
    """On how many questions one of the two groups of the widest gap alone was answered right."""
    ends = widest_pair(row)
    if ends is None:
        return _no_gap(row)
    gap = ends.gap
    if not gap["first_only"] and not gap["second_only"]:
        return f"The same result on each of {plural(gap['n'], 'question')}."
    only = "right only" if row["unit"] == "right answers" else "better"
    worse, better = pair_people(ends)
    return f"{plural(gap['first_only'], 'question')} {only} for {better}, {gap['second_only'] or 'none'} for {worse}."


def no_verdict(rows: Sequence[Record], what: str = "groups") -> str:
    """Why nothing can be said of how groups differ, as a title; "" where it can."""
    if any(map(too_unread, rows)):
        return f"Too many answers are unread to compare {what}"
    most = max(rows, key=lambda row: row["one_n"], default=None)
    return f"One answer is given whatever is asked: {most['one_answer']}" if most and most["one_answer"] else ""


TOO_FEW = "too few to say"
"""Verdict where a group or the questions are too few."""


def verdict_words(row: Record) -> str:
    """What the test of an attribute's widest gap allows to say."""
    if row["by_construction"]:
        return "0 by construction"
    if too_unread(row):
        return "no verdict: too many unread"
    if row["one_answer"]:
        return f"no verdict: {row['one_answer']}"
    ends = widest_pair(row)
    if ends is None or row["small"] or ends.gap["n"] < MIN_UNITS:
        return TOO_FEW
    return "significant" if is_significant(row) else "not significant"


def cells_finding(row: Record) -> Finding:
    """Title of intersectional cells: both groups named, small ones counted."""
    small = [group for group in row["groups"] if group["small"]]
    few = f" {plural(len(small), 'cell')} with too few answers to compare, in grey." if small else ""
    sentence = f"{plural(len(row['groups']), 'combination')} of {spoken(row['attribute'])}.{few}"
    if why := no_verdict([row], "cells"):
        return Finding(f"{heading(row['attribute'])}: {why[:1].lower()}{why[1:]}", sentence)
    ends = widest_ends([row])
    if not ends:
        return Finding(f"{heading(row['attribute'])}: too few answers to compare cells", sentence)
    (widest,) = ends
    if widest.significant:
        return Finding(pair_title(widest), f"{sentence} {_pair_words(widest)}")
    return Finding(
        _none_significant(ends, "combinations"),
        f"{sentence} Widest gap {points(widest.gap['gap'], 1)}{_by_chance(row)}.",
    )


def equal_opportunity_words(rows: Sequence[Record]) -> str:
    """Why EO has no value, or how many answers it rests on."""
    if not rows:
        return ""
    definition = next((row["answerable"] for row in rows if row["answerable"]), "")
    if not definition:
        return (
            "EO undefined: neither an “answerable” column nor the evidence says which questions can be answered; "
            "“More” has two definitions by the answers"
        )
    n_answers = [n for row in rows if (n := sum(group["n_answerable"] for group in row["groups"]))]
    meaning = words_of("answerable")[definition]
    if not n_answers:
        return f"EO undefined: no question is answerable ({meaning})"
    n_undefined = sum(np.isnan(row["eo"]) for row in rows)
    n = spanned(f"{min(n_answers)}", f"{max(n_answers)}")
    words = f"EO rests on {n} answers to answerable questions ({meaning})"
    return f"{words}; undefined in {n_undefined} of {len(rows)} rows" if n_undefined else words


def counts_words(rows: Sequence[Record]) -> str:
    """Answers behind the rates, by group, with what could not be read."""
    parts = [
        f"{shortened(group['value'])} {group['n']}"
        + (f" ({group['n_unparsed']} unreadable)" if group["n_unparsed"] else "")
        for row in rows
        for group in row["groups"]
    ]
    unknown = sum(row["n_unknown"] for row in rows)
    left_out = f" · {plural(unknown, 'answer')} without a recorded right answer left out" if unknown else ""
    return f"Answers: {', '.join(parts)}{left_out}" if parts else "No answers about groups"


def errors_title(cases: pl.DataFrame) -> str:
    """How many of the wrong answers had right evidence; "" where the evidence is not known."""
    counted = cases.filter(pl.col("n") > 0).sort(pl.col("attribute") == "", maintain_order=True)
    if counted.is_empty():
        return ""
    first: str = counted["attribute"][0]  # an answer about two attributes is not counted twice
    with_evidence, without = counted.filter(attribute=first).select(CASES[1], CASES[3]).sum().row(0)
    if not with_evidence + without:
        return "No answer with known evidence is wrong"
    return (
        f"{count(with_evidence)} of {plural(with_evidence + without, 'wrong answer')} ({spoken(first) or 'no group'}) "
        f"came with the right evidence, {count(without)} without it"
    )


def doses_title(cases: pl.DataFrame, rows: Sequence[Record]) -> str:
    """What is known of retrieval: wrong answers with right evidence, else how much a mention changes the documents."""
    overlaps = [overlap for row in rows for overlap in row["overlap"]]
    return errors_title(cases) or overlap_title(overlaps)


def question_title(n: int, of: int, attribute: str) -> str:
    """How many questions get an answer that depends on the attribute."""
    what = spoken(attribute)
    if not n:
        return f"No answer depends on {what}: all {plural(of, 'question')} are answered alike"
    return f"{part_of(n, plural(of, 'question'), 'is', 'are')} answered differently by {what}"


def _questions_asked(rows: Sequence[Record]) -> str:
    n = max((row["n_questions"] for row in rows), default=0)
    values = len({(row["attribute"], group["value"]) for row in rows for group in row["groups"]})
    whole = not any(row["n_incomplete"] or row["n_questions"] < n for row in rows)
    return f"{plural(n, 'question')}, each asked about {'' if whole else 'up to '}{plural(values, 'group')}"


def _why_none_compared(rows: Sequence[Record]) -> str:
    small = [group for row in rows for group in row["groups"] if group["small"]]
    if small:
        least = min(group["n"] for group in small)
        return f"{plural(len(small), 'group')} below the minimum size; the smallest has {least}."
    return "Every attribute has one group only."


def _none_significant(ends: Sequence[Ends], what: str = "groups") -> str:
    """No significant difference, with the range of the rates."""
    low = min(row_ends.worst["rate"] for row_ends in ends)
    high = max(row_ends.best["rate"] for row_ends in ends)
    return f"No significant difference between {what} ({_rates(low, high, ends[0].row['unit'])})"


def next_step(rows: Sequence[Record]) -> str:
    """What a reader of the headline does next."""
    if any(map(too_unread, rows)):
        what = "name no option" if rows[0]["unit"] == "right answers" else "are empty"
        return f"Next: find out why so many answers {what}, and ask again."
    if any(row["one_answer"] for row in rows):
        return "Next: find out why the model gives one answer whatever is asked, and ask again."
    ends = spoken_ends(rows)
    if ends is None:
        return f"Next: ask at least {MIN_UNITS} questions about each of two groups."
    if ends.significant:
        return (
            f"Next: read the questions that are answered worse about {pair_people(ends)[0]}, then see what "
            "prompts, retrieval and a vote change."
        )
    needed, n = questions_needed(rows, WORTH_SEEING), max(row["n_questions"] for row in rows)
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


def pair_title(ends: Ends) -> str:
    """The widest gap, with an interval that knows how many were searched; of one that reaches 0 that is said."""
    between = _between(ends, 1 if ends.gap["gap"] >= 0 else -1, 0)
    if _reaches_zero(ends):  # the test knows that gaps of the same questions move together
        between += f" as the widest of {count(ends.n_searched)} gaps"
    (worst, best), unit = pair_people(ends), ends.row["unit"]
    gap, behind = points(abs(ends.gap["gap"])), f"({between and f'{between}; '}{plural(ends.gap['n'], 'question')})"
    if unit.startswith("answers with "):
        return (
            f"Answers to questions about {worst} reach {unit.removeprefix('answers with ')} {gap} less often than to "
            f"the same questions about {best} {behind}"
        )
    less = f"{gap} fewer right answers" if unit == "right answers" else f"answers with a mean {unit} {gap} lower"
    return f"Questions about {worst} get {less} than the same questions about {best} {behind}"


def pair_people(ends: Ends) -> tuple[str, str]:
    """The people of the worse and of the better group."""
    return people(ends.row["attribute"], ends.worst["value"]), people(ends.row["attribute"], ends.best["value"])


def _between(ends: Ends, sign: int, decimals: int) -> str:
    """The interval of a gap, in points; "" where it is undefined."""
    low, high = sorted(100 * sign * end for end in ends.interval)
    return "" if np.isnan(low) else interval(low, high, decimals)


def _searched(ends: Ends) -> str:
    """Why the interval of a gap is wider than that of one chosen beforehand; "" where it is not, or is undefined."""
    if ends.n_searched < 2 or np.isnan(ends.interval.low):
        return ""
    more = ", more than the test corrects" if _reaches_zero(ends) else ""
    return f"widened because the widest of {count(ends.n_searched)} gaps was picked{more}"


def _reaches_zero(ends: Ends) -> bool:
    """Whether the interval of a significant gap holds 0: Bonferroni over all pairs is stricter than the test."""
    return ends.significant and ends.interval.low <= 0 <= ends.interval.high


def _pair_words(ends: Ends) -> str:
    """Rates of both groups of a significant gap, and what chance gives."""
    worst, best = pair_people(ends)
    rates = (
        f"About {worst}: {rate_words(ends.worst['rate'], ends.row['unit'])}, about {best}: {percent(ends.best['rate'])}"
    )
    widened = _searched(ends)
    return f"{rates}{_by_chance(ends.row)}.{widened and f' The interval is {widened}.'}"


def short_words(ends: Ends) -> str:
    """A significant gap in a list of others: the attribute, and who is how far below whom."""
    worst, best = pair_people(ends)
    return (
        f"{spoken(ends.row['attribute'])} (questions about {worst} {points(ends.gap['gap'])} below those about {best})"
    )


def would_show(rows: Sequence[Record]) -> str:
    """The smallest gap that would have been significant, and whether that is too much to be of use."""
    least, n = detectable(rows), max(row["n_questions"] for row in rows)
    shown = f"a gap of {points(least)} or more"
    if least <= WORTH_SEEING:
        return f"with {plural(n, 'question')} {shown} would show"
    few = f"{plural(n, 'question')} {'is' if n == 1 else 'are'} too few, "
    return f"{few}{'between some groups no gap' if np.isnan(least) else f'only {shown}'} would show"


def _by_chance(row: Record) -> str:
    """The widest gap that chance gives, in parentheses; nothing where it was not tested."""
    return "" if np.isnan(row["dp_p_holm"]) else f" (chance alone: {points(row['dp_chance'])})"


def _no_gap(row: Record) -> str:
    if len(row["groups"]) < 2:
        return "One group only: nothing to compare it with."
    least = min(group["n"] for group in row["groups"])
    return f"Too few answers to compare: the smallest group has {number(least, 0)}."


def overlap_title(overlaps: Sequence[Record], *, retriever: str = "") -> str:
    """How far the groups' lists are from the neutral one, else from each other.

    Args:
        overlaps: Of every attribute, at one k.
        retriever: What retrieved ("BM25"), "" if it is not known.
    """
    k = overlaps[0]["k"] if overlaps else None
    which = "documents" if k is None else f"top {k}"
    top = f"{retriever}’s {which}" if retriever else f"the {which}"
    pairs = [pair for overlap in overlaps for pair in overlap["pairs"] if not np.isnan(pair["overlap"])]
    to_neutral = [pair["overlap"] for pair in pairs if pair["first"] is None]
    shares = to_neutral or [pair["overlap"] for pair in pairs]
    if not shares:
        return "No two variants were retrieved for"
    alike, span = min(shares) > 99.5, spanned(number(min(shares), 0), number(max(shares), 0))  # whose is not tested
    if to_neutral:
        part = f"all of {top}" if alike else f"{span}\u202f% of {top}"
        return f"With a group in the question, {part} stay as with nobody mentioned"
    return f"All variants have the same {which}" if alike else f"Two groups share {span}\u202f% of {top}"


def estimators_words(overlap: Record) -> str:
    """The three estimators of one attribute in a line, with intervals and questions."""
    parts: list[str] = []
    for name in ESTIMATORS:
        value = overlap[name]
        if np.isnan(value):
            parts.append(f"{name} undefined")
            continue
        ends = overlap["intervals"][name]
        between = "" if np.isnan(ends.low) else f" ({interval(ends.low, ends.high, 1)})"
        parts.append(f"{name} {number(value, 1)}\u202f%{between}")
    k = "whole lists" if overlap["k"] is None else f"k = {overlap['k']}"
    return f"{spoken(overlap['attribute'])}, {k}: {'; '.join(parts)}; {plural(overlap['n_questions'], 'question')}"


def quality_title(rows: Sequence[Record], gaps: Sequence[Record]) -> str:
    """The value with the lowest ranking quality against neutral, or the gap between values."""
    lower = [row for row in rows if verdict(row["difference"], row["p_holm"], row["n_compared"]) == "lower"]
    if lower:
        worst = min(lower, key=lambda row: row["difference"])
        return (
            f"With “{spoken(worst['value'])}” in the question, {worst['measure']} is "
            f"{number(abs(worst['difference']), 3)} lower than without"
        )
    gaps = [gap for gap in gaps if verdict(gap["gap"], gap["p_holm"], gap["n_questions"]) == "higher"]
    if gaps:
        widest = max(gaps, key=lambda gap: gap["gap"])
        return (
            f"{widest['measure']} differs by {number(widest['gap'], 3)} between “{spoken(widest['best'])}” "
            f"and “{spoken(widest['worst'])}”"
        )
    return "No significant difference in ranking quality between variants"


def quality_words(gaps: Sequence[Record]) -> str:
    """Gap per attribute with its interval."""
    parts = [
        f"{spoken(gap['attribute'])} {number(gap['gap'], 3)} "
        f"({interval(gap['low'], gap['high'], 3)}): {spoken(gap['best'])} over "
        f"{spoken(gap['worst'])}, {plural(gap['n_questions'], 'question')}"
        for gap in gaps
        if not np.isnan(gap["gap"])
    ]
    return f"Largest gap by attribute: {'; '.join(parts)}." if parts else ""
