"""Group measures in plain words: what is good, what a value says; five questions answered; which measure fits which.

A measure stands with the place where it is best and a sentence that a value fills in
``fairviz/content/methods/group_rows.yaml``; what it is, its formula and its source stand in the catalogue.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.markup import written
from fairviz.display.words import (
    ARROWS,
    DOCUMENTS,
    THIN,
    called,
    count,
    count_word,
    interval,
    noun,
    number,
    percent,
    plural,
    points,
)
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.model import FloatArray, GroupLabels, Qrels, RankingSample, Run, Target
from fairviz.points.shares import GroupExposure, OffTarget, off_target_groups
from fairviz.resources import content
from fairviz.stats.bootstrap import UNDEFINED, Interval, Intervals
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.findings import labelled, one_of

Section: TypeAlias = Literal["target", "groups", "quality"]

SECTIONS: dict[Section, str] = {
    "target": "Against your target",
    "groups": "One group against another, no target needed",
    "quality": "With quality",
}

SMALLEST, LARGEST = 0.01, 1_000
"""Factors beyond these are said to be so: their digits are those of a smoothing constant."""


class MeasureRow(NamedTuple):
    """One measure of the table, a record of ``fairviz/content/methods/group_rows.yaml``.

    Attributes:
        section: Where it stands.
        measure: Measure string; ``{k}``, ``{group}`` (quoted), ``{missing}`` and ``{browsing}`` are
            filled in.
        label: Its name in the table.
        goal: Where it is best, in words.
        best: Where it is best as a number.
        words: A template of what a value says.
        infinite: What is said instead of a value without end; "" where that says the same.
        span: Ends of its drawing; the ranks, the places of all groups but one, or up to its value.
    """

    section: Section
    measure: str
    label: str
    goal: str
    best: float
    words: str
    infinite: str = ""
    span: tuple[float, float] | Literal["ranks", "places", "values"] = (0, 1)

    def says(self, value: float, *, group: str, k: int, n_groups: int, unit: str = DOCUMENTS) -> str:
        """A value in plain words.

        Args:
            value: Of the measure.
            group: The group of interest, G+.
            k: Ranks seen.
            n_groups: How many groups there are.
            unit: What is ranked.
        """
        return written(
            self.infinite if self.infinite and math.isinf(value) else self.words,
            value=value,
            k=k,
            documents=labelled(group, unit),
            one=one_of(group, unit),
            unit=unit,
            noun=noun,
            others="the other group" if n_groups == 2 else "all the others together",
            ln_2=math.log(2),
            points=points,
            times=times,
        )


def times(log_ratio: float) -> str:
    """A log ratio as a factor.

    Examples:
        >>> times(0.405), times(-0.223)
        ('1.5 times', '0.80 times')
        >>> times(-15.3), times(15.3)
        ('less than 0.01 times', 'more than 1\u202f000 times')
    """
    factor = math.exp(min(log_ratio, 50.0))
    if factor < SMALLEST:
        return f"less than {SMALLEST:g} times"
    if factor > LARGEST:
        return f"more than {count(LARGEST)} times"
    return f"{number(factor, 1 if factor >= 1.05 else 2)} times"


ROWS = tuple(MeasureRow(**record) for record in content("methods/group_rows"))
STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


def filled(row: MeasureRow, *, k: int, group: str, missing: str, browsing: str) -> str:
    """The measure string of a row."""
    return row.measure.format(k=k, group=repr(group), missing=missing, browsing=browsing)


def arrow_of(text: str) -> str:
    """Which way a measure improves."""
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    if spec.name in {"MinSkew", "MaxSkew", "Skew"}:
        return ARROWS["closest to 0"]
    return ARROWS[measure.direction(spec.params)] if measure else ARROWS["higher"]


class MeasureValue(NamedTuple):
    """One measure of one system, as a table shows it.

    Attributes:
        measure: The measure string as typed.
        value: NaN = undefined.
        interval: 95 % bootstrap over queries; NaN where there is none.
        n_queries, n_undefined: Queries asked about, and those without a value.
        refused: Why these data do not allow it; empty where they do.
        why: Why no query has a value; empty where one has.
    """

    measure: str
    value: float
    interval: Interval
    n_queries: int
    n_undefined: int
    refused: str = ""
    why: str = ""

    @property
    def n_defined(self) -> int:
        """Queries in the mean."""
        return self.n_queries - self.n_undefined

    @property
    def missing(self) -> str:
        """Why there is no value, in a sentence; empty where there is one."""
        if self.refused:
            return f"Not on these data: {self.refused}"
        why = f": {self.why}" if self.why else ""
        return f"Undefined for every query{why}." if math.isnan(self.value) else ""


def measure_values(
    ranked: Run | RankingSample,
    qrels: Qrels | None,
    labels: GroupLabels,
    measures: Sequence[str],
    target: Target | None = None,
) -> dict[str, MeasureValue]:
    """Measures of one system by their string; what is not allowed carries the reason.

    Args:
        ranked: The system.
        qrels: Judgements, None for none.
        labels: Groups of documents.
        measures: Measure strings.
        target: One distribution for all queries; None for measures that no target moves.
    """
    specs = [parse_measure(text) for text in dict.fromkeys(measures)]
    result = evaluate(
        [ranked], specs, qrels=[] if qrels is None else [qrels], labels=labels, target=target, refuse=False
    )
    whys = dict(note.message.split(": undefined, ", 1) for note in result.notes if ": undefined, " in note.message)
    values = {
        score.measure: MeasureValue(
            score.measure, score.value, ends, score.n_queries, score.n_undefined, why=whys.get(score.measure, "")
        )
        for score, ends in zip(result.scores, score_intervals(result.scores, seed=0), strict=True)
    }
    reasons = {refusal.measure: refusal.reason.removeprefix(f"{refusal.measure}: ") for refusal in result.refused}
    for spec in specs:
        missing = MeasureValue(spec.text, float("nan"), UNDEFINED, 0, 0, reasons.get(spec.text, ""))
        values.setdefault(spec.text, missing)
    return values


# Five questions about the groups in a system's lists, five measures: what each says in a sentence, with its interval.
#
# How far is attention from the target, is every list balanced, who is worst off, do useful documents get their due, and
# quality and balance together. No measure settles all of them; the other measures say more of each.

ANSWERED: Sequence[Mapping[str, Any]] = content("methods/group_questions")
"""The five questions, in their order."""
UNITS: Mapping[str, tuple[int, int, str]] = {
    "points": (1, 0, " points"),
    "%": (100, 0, f"{THIN}%"),
    "×": (1, 2, f"{THIN}×"),
    "": (1, 2, ""),
}
"""How a value of each unit is written: times what, decimals, what follows it."""
Answer: TypeAlias = dict[str, Any]
"""A question about the groups, answered: its record in ``group_questions.yaml``, and as of :func:`five_answers`."""


def worst_group(
    exposure: GroupExposure, corrected: Intervals, target: FloatArray
) -> tuple[int, float, Interval, bool] | None:
    """Share over target of the group for which it is smallest; None where no share or no target is known.

    Of all queries together: a smallest skew per query is −∞ as soon as one query lacks a group.

    Args:
        exposure: Attention by group.
        corrected: (G) intervals of its shares, corrected for their number.
        target: (G) target shares; a group whose target is 0 is not looked at.

    Returns:
        The group's place, of those significantly under theirs where any is; its share of attention over its target, of
        all queries together, with an interval that is corrected for having looked at all groups to find it; and whether
        it is significantly under its target, as its row says.

    Examples:
        Half of its target goes to the second group:

        >>> from dataclasses import replace
        >>> from fairviz.points.shares import corrected_intervals
        >>> attention = np.array([[3.0, 1.0]] * 20)
        >>> nothing = np.zeros(20)
        >>> one = GroupExposure(groups=("a", "b"), query_ids=tuple(map(str, range(20))),
        ...     attention=attention, unlabelled=nothing, places=attention, unlabelled_places=nothing,
        ...     candidates=attention, unlabelled_candidates=nothing)
        >>> worst_group(one, corrected_intervals(one)[0], np.array([0.5, 0.5]))[:2]
        (1, 0.5)
    """
    ratios = np.divide(exposure.shares, target, out=np.full(target.shape, np.nan), where=target > 0)
    if np.isnan(ratios).all():
        return None
    under = off_target_groups(exposure, target) & (ratios < 1)
    at = int(np.nanargmin(np.where(under, ratios, np.nan) if under.any() else ratios))
    ends = Interval(float(corrected.low[at] / target[at]), float(corrected.high[at] / target[at]))
    return at, float(ratios[at]), ends, bool(under[at])


def five_answers(
    exposure: GroupExposure,
    off: OffTarget,
    corrected: Intervals,
    target: FloatArray,
    measured: Sequence[MeasureValue],
    *,
    group: int,
    is_set: bool = True,
    unit: str = DOCUMENTS,
) -> tuple[Answer, ...]:
    """The five questions, answered for one system under one target.

    Args:
        exposure: Attention by group.
        off: Its shares against the target.
        corrected: (G) intervals of its shares, corrected for their number.
        target: (G) target shares.
        measured: NDKL, PAIR of the group that is looked at, PAIR of the one with the largest share, FAIR with nDCG.
        group: The group that is looked at.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
        unit: What is ranked.

    Returns:
        Of each question its ``words``; its ``value`` with its interval, ``low`` to ``high``, in the unit of the
        measure; ``n_queries`` that it rests on, and whether they are too few for anything to be said, ``is_few``; the
        value and the interval as people read them, ``shown`` and ``between``.
    """
    aim, due, on = ("the target", "target", "on target") if is_set else ("equal shares", "equal share", "equal shares")
    its, of = ("its target share", "on target") if is_set else ("an equal share", "of equal shares")
    n, n_queries, groups = exposure.n_labelled, len(exposure.query_ids), exposure.groups
    ndkl, pair, pair_largest, fair = measured
    distance = f"{number(100 * off.off, 0)} of 100 points would have to move to another group."
    if math.isnan(off.off):
        distance = f"Undefined: no attention falls on labelled {unit}."
    points = Interval(100 * off.interval.low, 100 * off.interval.high)
    worst = worst_group(exposure, corrected, target)
    smallest, ratio, ends, is_under = worst or (0, math.nan, Interval(math.nan, math.nan), False)
    part = f"{called(groups[smallest])}: {'none' if ratio == 0 else percent(ratio)} of {its}."
    if not is_under:
        part = f"No group is significantly under {its}." if worst else "Undefined: no share, or no target."
    largest = int(np.argmax(np.nan_to_num(exposure.shares)))
    pairs = (
        f"A useful one from {called(groups[group])} stands above a less useful one from elsewhere in "
        f"{percent(pair.value)} of pairs"
    )
    if largest != group and not math.isnan(pair_largest.value):
        pairs += f"; for {called(groups[largest])} it is {percent(pair_largest.value)}"
    ideal = f"{percent(fair.value)} of what an ideal list {of} would score."
    quantities = (
        (distance, 100 * off.off, points, n, n_queries),
        _of(ndkl, _ndkl(ndkl.value, len(groups)), n),
        (part, ratio, ends, n, n_queries),
        _of(pair, f"{pairs}.", n),
        _of(fair, ideal, n),
    )
    met = "on target" if is_set else "an equal share"
    filled = {"aim": aim, "due": due, "on": on, "met": met, "group": groups[group], "documents": unit}
    return tuple(
        _answer({key: of.format(**filled) if isinstance(of, str) else of for key, of in record.items()}, *answer)
        for record, answer in zip(ANSWERED, quantities, strict=True)
    )


def _answer(record: Answer, words: str, value: float, ends: Interval, n_queries: int, n_asked: int) -> Answer:
    """One question, answered; over too few queries without a verdict and an interval in words."""
    is_few, (times, decimals, unit) = n_queries < MIN_UNITS, UNITS[record["unit"]]
    if is_few and not math.isnan(value):
        words = f"No verdict: {plural(n_queries, 'query', 'queries')}."
    between = f"{interval(times * ends.low, times * ends.high, decimals)}{unit}"
    rest = "" if n_queries == n_asked else f", {plural(n_queries, 'query', 'queries')}"
    return record | {
        "words": words,
        "value": value,
        "low": ends.low,
        "high": ends.high,
        "n_queries": n_queries,
        "is_few": is_few,
        "shown": number(times * value, decimals) + ("" if math.isnan(value) else unit),
        "between": "" if is_few or math.isnan(ends.low) else f"{between}{rest}",
    }


def answers_title(answers: Sequence[Answer], rows_without: int, *, is_set: bool = True) -> str:
    """The answers in a line, for where they are folded.

    Args:
        answers: As of :func:`five_answers`.
        rows_without: Groups that get nothing.
        is_set: As there.
    """
    off, _, worst, _, fair = answers
    if off["is_few"]:
        return "too few queries to say"
    parts = [f"{off['shown']} {'off target' if is_set else 'from equal shares'}"]
    if rows_without:
        parts.append(f"{count_word(rows_without)} group{' gets' if rows_without == 1 else 's get'} nothing")
    parts += [each["words"] for each in (worst, fair)[bool(rows_without) :] if not math.isnan(each["value"])]
    return "; ".join(part.rstrip(".") for part in parts)


def _of(result: MeasureValue, words: str, n_labelled: int) -> tuple[str, float, Interval, int, int]:
    """A measure as an answer: its words, value, interval, queries that it rests on, queries there are."""
    n = min(result.n_defined, n_labelled)
    return result.missing or words, result.value, result.interval, n, result.n_queries


def _ndkl(value: float, n_groups: int) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return (
        f"Every list at every rank, the top counting most. A single result can never match {count_word(n_groups)} "
        "shares, so 0 is impossible; use it to compare systems."
    )


# Which measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.
#
# What the paper recommends is marked with its section; what follows from the formulas alone is marked as ours. No
# measure settles what should be aimed for: that is the first question. The words and what leads to which are
# ``content/chooser.yaml``.


_RECORDS = content("chooser")
QUESTIONS: Sequence[Mapping[str, Any]] = _RECORDS["questions"]
"""In the order in which they are asked: ``name``, ``text``, and ``answers``, the words
of each value, the usual one first."""
RECOMMENDATIONS: Mapping[str, Mapping[str, Any]] = _RECORDS["recommendations"]
"""``measures`` as typed, the ``reason`` in plain words, and its ``source``: paper and section, or that it is ours; by
the name that stands before each in the file."""
CAVEATS: Mapping[str, str] = _RECORDS["caveats"]
"""What to know of a recommended measure, by the name that stands before each in the file."""


def choose(answers: Mapping[str, str]) -> dict[str, list[Any]]:
    """Measures for the question asked, with the paper's reason and caveats.

    Args:
        answers: To each of :data:`QUESTIONS`, by its name.

    Returns:
        ``recommended``, records of :data:`RECOMMENDATIONS`, the first one first; ``also``, those that show one more
        side; ``caveats``, what a reader of the numbers should keep in mind.

    Examples:
        >>> usual = {question["name"]: next(iter(question["answers"])) for question in QUESTIONS}
        >>> choice = choose(usual | {"lists": "sequence", "goal": "opportunity", "judged": "sparse"})
        >>> choice["recommended"][0]["measures"]
        ["IAA(utility='score')"]
    """
    rule: Mapping[str, Any] = next(rule for rule in _RECORDS["rules"] if rule["when"].items() <= answers.items())
    of_two: Mapping[str, Sequence[str]] = rule.get("two", {}) if answers["groups"] == "two" else {}
    also: list[str] = [*rule.get("also", ()), *of_two.get("also", ())]
    caveats: list[str] = [*rule["caveats"], *of_two.get("caveats", ())]
    caveats += ["unlabelled_items"] if answers["missing"] == "yes" else []
    caveats += ["unjudged_items"] if answers["goal"] != "parity" and answers["judged"] == "sparse" else []
    first, second = ([RECOMMENDATIONS[name] for name in names] for names in (rule["recommended"], also))
    return {"recommended": first, "also": second, "caveats": [CAVEATS[name] for name in caveats]}
