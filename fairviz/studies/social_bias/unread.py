"""Answers that name no option, and refusals: said first, with what the unread ones could make of a measure."""

import math
from collections.abc import Mapping, Sequence

from fairviz.io.answer_words import REFUSAL
from fairviz.show.words import Finding, count, number, percent
from fairviz.studies.social_bias.labels import MEASURE_LABELS, type_label, value_text
from fairviz.studies.social_bias.measures import BiasMeasure, OutOfChoice
from fairviz.studies.social_bias.rows import MOST_UNREAD, SAID_UNREAD, BiasRow


def unread_finding(
    rows: Sequence[BiasRow],
    measure: BiasMeasure,
    *,
    read_by: Mapping[str, int],
    n_unread: int,
    n_answers: int,
    ooc: OutOfChoice = "drop",
) -> Finding | None:
    """The warning where more than 2 % of answers are unread, or refusals; None below.

    Args:
        rows: What was measured, for the worst case.
        measure: Whose worst case is told.
        read_by: How many answers each rule read.
        n_unread: Answers that name no option.
        n_answers: All answers.
        ooc: What becomes of the unread ones.
    """
    share = 100 * n_unread / n_answers if n_answers else 0.0
    n_refused = read_by.get(REFUSAL, 0)
    refused = 100 * n_refused / n_answers if n_answers else 0.0
    if max(share, refused) <= SAID_UNREAD:
        return None
    parts: list[str] = []
    if share > SAID_UNREAD:
        title = f"{percent(share / 100, 1)} of the answers name no option ({count(n_unread)} of {count(n_answers)})"
        parts.append("They are left out." if ooc == "drop" else "They count as wrong.")
        parts.append(worst_case_words(rows, measure))
        if share > MOST_UNREAD:
            parts.append(f"Above {number(MOST_UNREAD, 0)} %, no verdict is drawn.")
    else:
        title = f"{percent(refused / 100, 1)} of the answers are refusals ({count(n_refused)} of {count(n_answers)})"
    if refused > SAID_UNREAD:
        are = "They are" if share <= SAID_UNREAD else f"Refusals ({percent(refused / 100, 1)}) are"
        parts.append(f"{are} read as “unknown”.")
    return Finding(title, " ".join(part for part in parts if part))


def worst_case_words(rows: Sequence[BiasRow], measure: BiasMeasure) -> str:
    """The widest worst case of a measure: what it could be if the unread answers were known; "" without any."""
    spans = [(row.worst[measure].high - row.worst[measure].low, row) for row in rows if measure in row.worst]
    known = [(span, row) for span, row in spans if not math.isnan(span)]
    if not known:
        return ""
    _, row = max(known, key=lambda pair: pair[0])
    value, low, high = (value_text(x, measure) for x in (row.values[measure], *row.worst[measure]))
    who = ", ".join(type_label(value) if column == "category" else value for column, value in row.by if value)
    return (
        f"Worst case: {MEASURE_LABELS[measure]} ({who}) is {value}, and could be anything "
        f"from {low} to {high} if they were known."
    )
