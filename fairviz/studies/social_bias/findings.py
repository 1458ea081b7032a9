"""What recorded answers show about social bias, in a title and a sentence, tested where it can be.

Every clause of a title is a count or a difference of what is shown; it speaks of a change only where the corrected test
does. Holm's family is one table: all its tested rows, also those of other models and settings than the ones shown.
"""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from fairviz.model import BiasAnswers
from fairviz.show.words import Finding, count, listing, number, p_value, plural
from fairviz.stats.bootstrap import Interval, detectable
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.dose import DoseResponse
from fairviz.studies.social_bias.labels import (
    DOCUMENTS,
    answer_words,
    compared_words,
    context_words,
    points,
    span_words,
    type_label,
    value_words,
)
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning, OutOfChoice
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, BiasRow
from fairviz.studies.social_bias.tables import holm_words

MORE, LESS = "more towards the stereotype", "less towards the stereotype"
"""Verdicts of a significant change."""


def changes_finding(changes: Sequence[BiasChange], *, column: str, value: str, reference: str, who: str) -> Finding:
    """The headline of one table of changes: how many bias types moved, and how far.

    Args:
        changes: Its rows, of one measure.
        column: What was changed.
        value: To what.
        reference: From what.
        who: Whose answers; "" where the models themselves are compared.
    """
    what = compared_words(column, value, reference)
    types = [change for change in changes if not change.get("stereotyped")]
    rows = [change for change in types if change.get("category")]
    tested = [change for change in rows if change.tested]
    whole = next((change for change in types if not change.get("category")), None)
    sentence = _sentence(changes, who, column, value, reference)
    if not tested and whole is not None and whole.tested:
        return Finding(_pooled_title(what, whole), sentence)
    if not tested:
        kind = context_words(changes[0].measure) if changes else "such"
        return Finding(
            f"Too few {kind} items to say what {_lower(what)} change{_s(what)}",
            f"{sentence} A test needs {MIN_ITEMS} items of {MIN_TEMPLATES} templates.",
        )
    more = [change for change in tested if change.verdict == MORE]
    less = [change for change in tested if change.verdict == LESS]
    n = plural(len(tested), "tested bias type")
    verb = f"move{_s(what)}"
    if not more and not less:
        seen = [(change.change, change.interval) for change in tested]
        return Finding(
            f"With {_lower(what)}, no significant change in {n}",
            f"{sentence} {_detectable('change', seen, tested[0].n_tests or len(tested))}".rstrip(),
        )
    parts = [
        f"{way} the stereotype in {len(some)} of {n if first else len(tested)}"
        for first, (way, some) in _with_first((("towards", more), ("away from", less)))
    ]
    moved = (*more, *less)
    size = f"by {_span([change.change for change in moved])}"
    where = f" on {type_label(moved[0].get('category'))}" if len(moved) == 1 else ""
    return Finding(f"{what} {verb} answers {listing(parts)}, {size}{where}", sentence)


def levels_finding(rows: Sequence[BiasRow], measure: Leaning, *, column: str, names: Mapping[str, str]) -> Finding:
    """The headline where there is no baseline to compare with: in which bias types answers lean, and how far.

    Args:
        rows: Measured rows, whose p is corrected over their table.
        measure: Diff-Bias in one of the contexts.
        column: What rows of one bias type differ in.
        names: Short names of its values.
    """
    tested = [row for row in rows if row.p_holm.get(measure, np.nan) == row.p_holm.get(measure, np.nan)]
    n_items = max((row.n_items for row in rows), default=0)
    sentence = (
        f"Diff-Bias on {context_words(measure)} questions, up to {plural(n_items, 'item')} in a cell; exact sign-flip "
        f"test by template, Holm over the {plural(tested[0].n_tests if tested else 0, 'test')} of the table."
    )
    if not tested and any(not row.readable for row in rows):
        return Finding("Too many answers are unread to say whom they favour", sentence)
    if not tested:
        return Finding(f"Too few {context_words(measure)} items to say whether answers lean", sentence)
    subjects = list(dict.fromkeys(row.get(column) for row in tested))
    who = names.get(subjects[0], subjects[0]) if len(subjects) == 1 else ""
    types = _by_type(tested)
    few = [type_label(kind) for kind in _by_type(rows) if kind not in types]
    if few:
        sentence += f" Too few items: {listing(few)}."
    n_along, n_against = (sum(row.leans(measure) == way for row in tested) for way in (1, -1))
    cells = plural(len(tested), "tested cell")
    if not n_along and not n_against:
        seen = [(row.values[measure], row.intervals[measure]) for row in tested]
        sentence = f"{sentence} {_detectable('lean', seen, tested[0].n_tests)}".rstrip()
        return Finding(f"No significant lean towards or against the stereotype in {cells}", sentence)
    parts = [part for way in (1, -1) for part in _leaning_clauses(types, measure, way, who=who, column=column)]
    if len(parts) > MOST_TYPES:
        against = f", against it in {n_against}" if n_against else ""
        return Finding(f"Answers lean along the stereotype in {n_along} of {cells}{against}", sentence)
    neither = [type_label(kind) for kind, of_type in types.items() if not any(row.leans(measure) for row in of_type)]
    if neither:
        parts.append(f"no significant lean on {listing(neither)}")
    title = "; ".join(parts)
    return Finding(title if who else title[0].upper() + title[1:], sentence)


def _leaning_clauses(
    types: Mapping[str, Sequence[BiasRow]], measure: Leaning, way: int, *, who: str, column: str
) -> list[str]:
    """Bias types in which answers lean one way, most rows first; the first clause says which way."""
    leaning = {
        kind: [row.values[measure] for row in of_type if row.leans(measure) == way] for kind, of_type in types.items()
    }
    clauses: list[str] = []
    for kind in sorted((kind for kind in leaning if leaning[kind]), key=lambda kind: -len(leaning[kind])):
        lean = "" if clauses else f"lean{'s' if who else ''} {'along' if way > 0 else 'against'} the stereotype "
        subject = "" if who and clauses else f"{_who(who, len(leaning[kind]), len(types[kind]), column)} "
        clauses.append(f"{subject}{lean}on {type_label(kind)}, by {_span(leaning[kind])}")
    return clauses


MOST_TYPES = 3
"""Bias types that a title has room for; more are counted."""

NOUNS = {"k": "numbers of documents", "shots": "numbers of examples", "tuned": "kinds of model"}


def _by_type(rows: Sequence[BiasRow]) -> dict[str, list[BiasRow]]:
    types: dict[str, list[BiasRow]] = {}
    for row in rows:
        types.setdefault(row.get("category"), []).append(row)
    return types


def _who(who: str, n: int, n_all: int, column: str) -> str:
    """Whose answers lean: a name, or how many of them."""
    if who:
        return who
    noun = NOUNS.get(column, f"{column}s")
    if n_all == 1:
        return f"the one {noun.removesuffix('s')}"
    return f"all {n} {noun}" if n == n_all else f"{n} of {n_all} {noun}"


def _span(values: Sequence[float]) -> str:
    """Distances from 0, as one number or from the smallest to the largest."""
    sizes = sorted(abs(value) for value in values)
    low, high = points(sizes[0]), points(sizes[-1])
    return high if low == high else f"{low.split(' ')[0]} to {high}"


def _detectable(what: str, seen: Sequence[tuple[float, Interval]], n_tests: int) -> str:
    least = detectable(seen, n_tests)
    if least != least:
        return ""
    where = " in at least one" if len(seen) > 1 else ""
    return f"A {what} of about {points(ceil(least))} or more would have been significant{where}."


def grid_title(changes: Sequence[BiasChange], *, against: str, measure: BiasMeasure) -> str:
    """What the whole table of models and bias types shows, counted over its tested cells."""
    cells = [
        change
        for change in changes
        if change.measure == measure and change.get("category") and not change.get("stereotyped")
    ]
    tested = [change for change in cells if change.tested]
    if not tested:
        return f"No bias type alone has items enough to test its change from {against}"
    more = sum(change.verdict == MORE for change in tested)
    less = sum(change.verdict == LESS for change in tested)
    if not more and not less:
        return f"Compared with {against}, no significant change in {plural(len(tested), 'test')}"
    tests = plural(len(tested), "test")
    return f"Compared with {against}, {more} of {tests} show more stereotyped answers, {less} fewer"


def slopes_title(changes: Sequence[BiasChange], *, column: str, value: str, reference: str, who: str) -> str:
    """What one line of the slopes does from the reference to a value: bias types counted, those with too few named.

    Args:
        changes: Of one model and measure, to this value.
        column: What was changed.
        value: To what.
        reference: From what.
        who: Whose answers.
    """
    rows = [change for change in changes if change.get("category") and not change.get("stereotyped")]
    tested = [change for change in rows if change.tested]
    few = [type_label(change.get("category")) for change in rows if not change.tested]
    lacking = f"; {listing(few)} {'has' if len(few) == 1 else 'have'} too few items" if few else ""
    what, of = compared_words(column, value, reference), f" of {who}" if who else ""
    if not tested:
        return f"Diff-Bias{of} with {_lower(what)}: too few items to test"
    more, less = (sum(change.verdict == verdict for change in tested) for verdict in (MORE, LESS))
    if not more and not less:
        return f"With {_lower(what)}, no significant change of Diff-Bias{of} in {_types(len(tested))}{lacking}"
    raised = f"raise{_s(what)} Diff-Bias{of} in {more} of {_types(len(tested))}"
    return f"{what} {raised}{f', lower{_s(what)} it in {less}' if less else ''}{lacking}"


def _types(n: int) -> str:
    return plural(n, "tested bias type")


def measured_words(
    rows: Sequence[BiasRow], answers: BiasAnswers, *, n_items: int, n_unmatched: int, ooc: OutOfChoice
) -> str:
    """What stands behind the signed table, counted, and what was left out.

    Args:
        rows: Its cells.
        answers: The answers measured.
        n_items: Items loaded.
        n_unmatched: Answers to items that are not loaded.
        ooc: What becomes of answers that name no option.
    """
    sizes = [row.n_items for row in rows]
    missing = sum(row.n_missing for row in rows)
    out_of_choice = sum(row.counts.n_ooc_a + row.counts.n_ooc_d for row in rows)
    skipped = sum(row.counts.skipped_no_target for row in rows)
    answered = int(np.unique(answers.items).size)
    parts = [
        f"{count(int(answers.items.size))} answers to {count(answered)} of {count(n_items)} items",
        f"{span_words(min(sizes), max(sizes))} items in a cell" if sizes else "",
        f"{plural(out_of_choice, 'answer')} out of choice, {'left out' if ooc == 'drop' else 'counted as wrong'}",
        f"{plural(skipped, 'answer')} without a biased option, left out" if skipped else "",
        f"{count(missing)} unanswered" if missing else "",
        f"{count(n_unmatched)} answers to unknown items, left out" if n_unmatched else "",
    ]
    return " · ".join(part for part in parts if part)


def moved_title(n: int, before: str, after: str, *, n_all: int) -> str:
    """How many items went from one kind of answer to another."""
    if not n:
        return f"None of {count(n_all)} common items changed its answer"
    return f"{count(n)} item{'' if n == 1 else 's'} went from {answer_words(before)} to {answer_words(after)}: read one"


def _with_first(
    parts: Sequence[tuple[str, list[BiasChange]]],
) -> list[tuple[bool, tuple[str, list[BiasChange]]]]:
    """Parts that hold something, with whether each is the first of them."""
    held = [part for part in parts if part[1]]
    return [(i == 0, part) for i, part in enumerate(held)]


def _pooled_title(what: str, whole: BiasChange) -> str:
    verb = f"move{_s(what)}"
    few = "each bias type alone has too few items"
    if whole.verdict == "not distinguishable":
        return f"With {_lower(what)}, no significant change; {few}"
    way = "towards" if whole.change > 0 else "away from"
    return f"{what} {verb} answers {points(whole.change)} {way} the stereotype; {few}"


def _sentence(changes: Sequence[BiasChange], who: str, column: str, value: str, reference: str) -> str:
    n_items = sum(change.n_items for change in changes if change.get("category") and not change.get("stereotyped"))
    of = f" of {who}" if who else ""
    ends = f"{value_words(column, reference)} and {value_words(column, value)}"
    kind = context_words(changes[0].measure) if changes else ""
    return (
        f"Answers{of} to the same {plural(n_items, f'{kind} item')} under {ends}, paired by item. "
        "Items of one template move together in the interval and in the exact sign-flip test; "
        f"{holm_words(changes)}."
    )


def _s(what: str) -> str:
    """Documents move, anything else moves."""
    return "" if what in DOCUMENTS.values() else "s"


def _lower(what: str) -> str:
    """Our own words begin a sentence; names of people keep their letters."""
    return what[0].lower() + what[1:] if what in DOCUMENTS.values() else what


def dose_finding(responses: Sequence[DoseResponse]) -> Finding:
    """Whether answers follow the stereotype more often the more stereotypical documents were given.

    Args:
        responses: Of one kind of context; p is corrected over all that are tested beside them.
    """
    tested = [response for response in responses if response.p_holm == response.p_holm]
    parted = sum(response.fit.slope in (np.inf, -np.inf) for response in responses)
    about = (
        "Answers counted by the number of stereotypical documents among those that their items were answered with; "
        "log odds of the stereotyped answer per document, templates as clusters, Holm over every slope tested."
    )
    if parted:
        about += f" {plural(parted, 'slope')} without a test: one number of documents parts the answers completely."
    if not tested:
        return Finding("Too few answers to say whether stereotypical documents change them", about)
    n = plural(len(tested), "tested slope")
    more = [response for response in tested if response.p_holm < SIGNIFICANCE and response.fit.slope > 0]
    less = sum(response.p_holm < SIGNIFICANCE and response.fit.slope < 0 for response in tested)
    if not more and not less:
        return Finding(f"No significant effect of the number of stereotypical documents in {n}", about)
    title = f"Each stereotypical document makes the stereotyped answer more likely in {len(more)} of {n}"
    return Finding(f"{title}, less likely in {less}" if less else title, about)


def slope_words(response: DoseResponse) -> str:
    """One slope as odds per document, with its interval."""
    fit = response.fit
    if response.small:
        return "too few answers to say"
    if fit.slope in (np.inf, -np.inf):
        return "one number of documents parts the answers completely: no finite slope"
    if fit.slope != fit.slope or fit.low != fit.low:
        return "no slope: the number of documents, or the answer, never varies"
    ends = f"{number(float(np.exp(fit.low)), 2)} to {number(float(np.exp(fit.high)), 2)}"
    sure = f"p (Holm) {p_value(response.p_holm)}"
    return f"odds × {number(fit.odds_ratio, 2)} per document ({ends}), {sure}"
