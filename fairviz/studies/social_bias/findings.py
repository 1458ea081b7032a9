"""What recorded answers show about social bias, in a title and a sentence, tested where it can be.

Every clause of a title is a count or a difference of what is shown; it speaks of a change only where the corrected test
does. Holm's family is one table: all its tested rows, also those of other models and settings than the ones shown.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.model import BiasAnswers
from fairviz.show.words import Finding, count, listing, number, p_value, plural
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.dose import DoseResponse
from fairviz.studies.social_bias.grids import BiasGrid
from fairviz.studies.social_bias.labels import (
    DOCUMENTS,
    answer_words,
    compared_words,
    context_words,
    points,
    span_words,
    type_label,
    value_text,
    value_words,
)
from fairviz.studies.social_bias.measures import BiasMeasure, OutOfChoice
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, BiasRow
from fairviz.studies.social_bias.tables import holm_words

MORE, LESS = "more towards the stereotype", "less towards the stereotype"
"""Verdicts of a change that is told from chance."""


def changes_finding(changes: Sequence[BiasChange], *, column: str, value: str, reference: str, who: str) -> Finding:
    """The headline of one table of changes: how many bias types moved, and the one that moved most.

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
        return Finding(f"With {_lower(what)}, no change can be told from chance in {n}", sentence)
    most = max((*more, *less), key=lambda change: abs(change.change))
    parts = [
        f"{way} the stereotype in {len(some)} of {n if first else len(tested)}"
        for first, (way, some) in _with_first((("towards", more), ("away from", less)))
    ]
    size = f"by {points(most.change)} on {type_label(most.get('category'))}"
    lead = "" if len(more) + len(less) == 1 else "most "
    return Finding(f"{what} {verb} answers {listing(parts)}, {lead}{size}", sentence)


def rows_finding(rows: Sequence[BiasRow], measure: BiasMeasure, *, who: str, noun: str = "bias type") -> Finding:
    """The headline where there is nothing to compare: rows whose interval leaves out 0.

    Args:
        rows: Measured rows.
        measure: Diff-Bias in one of the contexts.
        who: Whose answers.
        noun: What a row is.
    """
    known = [row for row in rows if not row.small and row.readable]
    n_items = max((row.n_items for row in rows), default=0)
    sentence = (
        f"{who}: {plural(len(rows), noun)}, up to {plural(n_items, 'item')} each. Intervals "
        "are 95 % bootstrap over templates; one set of answers cannot be compared with another."
    )
    if not known and any(not row.readable for row in rows):
        return Finding("Too many answers are unread to say whom they favour", sentence)
    if not known:
        return Finding(f"Too few {context_words(measure)} items to say whom answers favour", sentence)
    above = sum(row.intervals[measure].low > 0 for row in known)
    below = sum(row.intervals[measure].high < 0 for row in known)
    n = plural(len(known), noun)
    if not above and not below:
        return Finding(f"No lean towards or against the stereotype can be told in {n}", sentence)
    parts = [f"along the stereotype in {above}"] * bool(above)
    parts += [f"against it in {below}"] * bool(below)
    return Finding(f"Answers lean {listing(parts)} of {n}", sentence)


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
        n = plural(len(tested), "tested cell")
        return f"Against {against}, no change can be told from chance in {n}"
    return (
        f"Against {against}, {more} of {len(tested)} tested cells are further towards the "
        f"stereotype, {less} further away from it"
    )


def range_title(grid: BiasGrid, who: str) -> str:
    """Where the values of one line lie lowest and highest.

    Args:
        grid: Values by bias type and column.
        who: The line; "" where there is one without a name.
    """
    values = grid.line(who).ravel()
    if np.isnan(values).all():
        return "No value is defined"
    parts: list[str] = []
    for place in (int(np.nanargmin(values)), int(np.nanargmax(values))):
        block, column = divmod(place, len(grid.columns))
        text = value_text(float(values[place]), grid.measure)
        parts.append(f"{text} ({type_label(grid.blocks[block])}, {grid.columns[column]})")
    ends = " to ".join(parts)
    what = "Diff-Bias" if grid.signed else "Accuracy"
    return f"{what}{f' of {who}' if who else ''} goes from {ends}"


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
        return f"With {_lower(what)}, no change can be told from chance; {few}"
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
