"""What recorded answers show about social bias, in a title and a sentence, tested where it can be.

Every clause of a title is a count or a difference of what is shown; it speaks of a change only
where the corrected test does.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.show.words import THIN, UNDEFINED, Finding, count, listing, number, plural, signed
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.measures import BiasMeasure, bias_type
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, BiasRow, is_without_rag
from fairviz.studies.social_bias.views import BiasGrid, is_nothing

# How values of social bias are spoken of, in one place: names of measures, settings and groups.


MEASURE_LABELS: dict[BiasMeasure, str] = {
    "diffbias_a": "Diff-Bias of ambiguous questions",
    "diffbias_d": "Diff-Bias of disambiguated questions",
    "acc_a": "Accuracy on ambiguous questions",
    "acc_d": "Accuracy on disambiguated questions",
    "s_amb": "s_AMB",
    "s_dis": "s_DIS",
}

DOCUMENTS = {
    "full-set": "All documents",
    "stereo-set": "Stereotypical documents",
    "anti-set": "Anti-stereotypical documents",
}
"""What the paper's collections hold."""


def type_label(category: str) -> str:
    """What to call a bias type: its own name where it is not one that BBQ has.

    Examples:
        >>> type_label("Sexual_orientation"), type_label("Hair colour")
        ('Sexual orientation', 'Hair colour')
    """
    known = bias_type(category)
    return category.replace("_", " ") if known is None else known.label


def setting_label(setting: str) -> str:
    """A setting in words; no retrieval has one spelling.

    Examples:
        >>> setting_label("no_rag"), setting_label("stereo-set")
        ('no RAG', 'stereo-set')
    """
    return "no RAG" if is_without_rag(setting) else setting


def documents_words(setting: str) -> str:
    """What a setting retrieves, to begin a sentence.

    Examples:
        >>> documents_words("stereo-set"), documents_words("mine")
        ('Stereotypical documents', 'mine')
    """
    return DOCUMENTS.get(setting, setting)


def value_text(value: float, measure: BiasMeasure, decimals: int = 1) -> str:
    """A value in a table: Diff-Bias with its sign, accuracy without.

    Examples:
        >>> value_text(5.16, "diffbias_a"), value_text(81.45, "acc_a")
        ('+5.2', '81.5')
    """
    if measure.startswith("acc"):
        return number(value, decimals)
    return number(value, decimals) if round(value, decimals) == 0 else signed(value, decimals)


def points(value: float, *, sign: bool = False) -> str:
    """A difference of percentages in points, whole unless it would read as 0.

    Examples:
        >>> points(19.06), points(-0.43, sign=True), points(1.0)
        ('19 points', '−0.4 points', '1 point')
    """
    if value != value:
        return UNDEFINED
    decimals = 0 if abs(value) >= 0.95 or value == 0 else 1
    shown = 0.0 if round(value, decimals) == 0 else value
    text = signed(shown, decimals) if sign and shown else number(abs(shown), decimals)
    return f"{text} point{'' if text.lstrip('+−') == '1' else 's'}"


def share_text(part: int, whole: int) -> str:
    """A count with what it is of, and the share.

    Examples:
        >>> share_text(3, 12) == f"3 of 12 (25{THIN}%)"
        True
    """
    return f"{count(part)} of {count(whole)}" + (f" ({number(100 * part / whole, 0)}{THIN}%)" if whole else "")


def span_words(low: int, high: int) -> str:
    """Two counts as a range, one where they are the same.

    Examples:
        >>> span_words(64, 192), span_words(7, 7)
        ('64 to 192', '7')
    """
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def context_words(measure: BiasMeasure) -> str:
    """Which questions a measure is of."""
    return "ambiguous" if measure in ("acc_a", "diffbias_a", "s_amb") else "disambiguated"


POOLED = "All bias types together"

MORE, LESS = "more towards the stereotype", "less towards the stereotype"


def change_label(change: BiasChange) -> str:
    """What a row of the table of changes is about.

    Rows of a group are named by it, rows of a bias type by the type, the pooled one as such.
    """
    group = change.get("stereotyped")
    if group:
        return f"against “{group}”"
    return type_label(change.get("category")) if change.get("category") else POOLED


def compared_words(column: str, value: str, reference: str) -> str:
    """What was changed, to begin a sentence.

    Examples:
        >>> compared_words("setting", "stereo-set", "w/o RAG")
        'Stereotypical documents'
        >>> compared_words("model", "m2", "m1"), compared_words("k", "10", "5")
        ('m2 instead of m1', 'k = 10 instead of 5')
    """
    if column == "setting" and is_without_rag(reference):
        return documents_words(value)
    then = nothing_words(column) if is_nothing(reference) else reference
    if column in ("model", "setting", "retriever"):
        return f"{value or nothing_words(column)} instead of {then}"
    return f"{column} = {value or nothing_words(column)} instead of {then}"


def nothing_words(column: str) -> str:
    """What an empty value of a column means."""
    return {"setting": "no RAG", "retriever": "no retrieval", "k": "no documents"}.get(column, "none")


def value_words(column: str, value: str) -> str:
    """A value as a heading: one spelling for nothing.

    Examples:
        >>> value_words("retriever", ""), value_words("k", "10")
        ('no retrieval', 'k = 10')
    """
    if is_nothing(value) and not (column in ("shots", "size", "tuned") and value):
        return nothing_words(column)
    return value if column in ("model", "setting", "retriever", "language") else f"{column} = {value}"


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


def _with_first(
    parts: Sequence[tuple[str, list[BiasChange]]],
) -> list[tuple[bool, tuple[str, list[BiasChange]]]]:
    """Parts that hold something, with whether each is the first of them."""
    held = [part for part in parts if part[1]]
    return [(i == 0, part) for i, part in enumerate(held)]


def rows_finding(rows: Sequence[BiasRow], measure: BiasMeasure, *, who: str, noun: str = "bias type") -> Finding:
    """The headline where there is nothing to compare: rows whose interval leaves out 0.

    Args:
        rows: Measured rows.
        measure: Diff-Bias in one of the contexts.
        who: Whose answers.
        noun: What a row is.
    """
    known = [row for row in rows if not row.small]
    n_items = max((row.n_items for row in rows), default=0)
    sentence = (
        f"{who}: {plural(len(rows), noun)}, up to {plural(n_items, 'item')} each. Intervals "
        "are 95 % bootstrap over templates; one set of answers cannot be compared with another."
    )
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


def moved_title(n: int, before: str, after: str, *, n_all: int) -> str:
    """How many items went from one kind of answer to another."""
    if not n:
        return f"None of {count(n_all)} common items changed its answer"
    return f"{count(n)} item{'' if n == 1 else 's'} went from {answer_words(before)} to {answer_words(after)}: read one"


def answer_words(kind: str) -> str:
    """A kind of answer as a sentence says it.

    Examples:
        >>> answer_words("unknown"), answer_words("stereotyped")
        ('“unknown”', 'the stereotyped answer')
    """
    return {
        "unknown": "“unknown”",
        "stereotyped": "the stereotyped answer",
        "counter-stereotyped": "the answer against the stereotype",
        "out of choice": "no option at all",
        "no biased answer": "another answer",
    }[kind]


def _pooled_title(what: str, whole: BiasChange) -> str:
    verb = f"move{_s(what)}"
    few = "each bias type alone has too few items"
    if whole.verdict == "not distinguishable":
        return f"With {_lower(what)}, no change can be told from chance; {few}"
    way = "towards" if whole.change > 0 else "away from"
    return f"{what} {verb} answers {points(whole.change)} {way} the stereotype; {few}"


def _sentence(changes: Sequence[BiasChange], who: str, column: str, value: str, reference: str) -> str:
    n_items = sum(c.n_items for c in changes if c.get("category") and not c.get("stereotyped"))
    n_tested = sum(change.tested for change in changes)
    of = f" of {who}" if who else ""
    ends = f"{value_words(column, reference)} and {value_words(column, value)}"
    kind = context_words(changes[0].measure) if changes else ""
    return (
        f"Answers{of} to the same {plural(n_items, f'{kind} item')} under {ends}, paired by item. "
        "Items of one template move together in the interval and in the exact sign-flip test; Holm "
        f"over {plural(n_tested, 'tested row')}."
    )


def _s(what: str) -> str:
    """Documents move, anything else moves."""
    return "" if what in DOCUMENTS.values() else "s"


def _lower(what: str) -> str:
    """Our own words begin a sentence; names of people keep their letters."""
    return what[0].lower() + what[1:] if what in DOCUMENTS.values() else what
