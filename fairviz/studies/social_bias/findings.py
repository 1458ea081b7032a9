"""What recorded answers show about social bias, in a title and a sentence, tested where it can be.

A level comes before a change, and the widest that is significant before a narrower one. Every clause is a count or a
difference of what is shown; Holm's family is one table, all its tested rows, also those of other models and settings
than the ones shown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil, isnan

from fairviz.display.words import (
    Finding,
    capital,
    considered,
    count,
    in_words,
    interval,
    listing,
    number,
    percent,
    plural,
    points,
    quoted,
    signed,
    spanned,
)
from fairviz.io.answer_words import RECORDED, REFUSAL, RULES
from fairviz.numerals import part_of
from fairviz.points.columns import half_takes
from fairviz.stats.bootstrap import Interval, corrected_interval, detectable
from fairviz.stats.tests import SIGNIFICANCE, OnePlace
from fairviz.studies.shared import MOST_UNREAD, UNREAD_NOTED
from fairviz.studies.social_bias.labels import (
    AGAINST,
    TOWARDS,
    answer_words,
    compared_words,
    group_words,
    place_words,
    type_label,
    value_words,
    where_words,
    words_of,
)
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning
from fairviz.studies.social_bias.rows import LESS, MIN_ITEMS, MIN_TEMPLATES, MORE, ONE_LETTER, Row, naming

MOST_TYPES = 3
"""Bias types that a title has room for; more are counted."""
UNITS = f"fewer than {MIN_ITEMS} questions or {MIN_TEMPLATES} templates"
NOT_TESTED = f"{UNITS}, too many answers unread, or one letter whatever is asked; not tested"

# Levels: the title of the page, and that of its table.


def levels_finding(
    rows: Sequence[Row], measure: Leaning, *, where: str = "", names: Mapping[str, str], by_group: bool = False
) -> Finding:
    """The headline: on which bias types (or about which groups of one) answers lean, of how many models, and how far.

    Args:
        rows: Levels under one setting, in the order they are read; p is corrected over their table.
        measure: Diff-Bias in one of the contexts.
        where: Under what models answered, or to what, to begin the sentence; "" for nothing.
        names: Short names of models.
        by_group: Whether rows are by stereotyped group, not by bias type.
    """
    rows = [{**row, "subject": _subject(row, by_group)} for row in rows]
    tested = _grouped((row for row in rows if row["tested"]), "subject")
    every = [row for own in tested.values() for row in own]
    about = f"{words_of('what')[measure]} A test of the models, not a study of people."
    letters = one_letter_words(rows, names)
    if letters and not every:
        title = f"{where}{letters}"
        return Finding(capital(title) if where else title, f"No verdict is drawn from answers of one letter. {about}")
    about = f"No verdict: {letters}. {about}" if letters else about
    if not every:
        title = f"{where}too few questions to say whether answers lean"
        return Finding(capital(title), f"A test needs {MIN_ITEMS} questions of {MIN_TEMPLATES} templates. {about}")
    if by_group:  # bias types have it in the title of their table
        about = f"Filled: unlikely to be chance ({considered(every[0]['n_tests'], 'of both contexts')}). {about}"
    models = list(dict.fromkeys(row["model"] for row in every))
    who = names.get(models[0], models[0]) if len(models) == 1 else ""
    clauses = _clauses(tested, who)
    few = [
        subject.removeprefix("on ")
        for subject, own in _grouped(rows, "subject").items()
        if subject not in tested and not all(row["one_letter"] for row in own)
    ]
    rest = f"{capital(listing(few))}: {UNITS}, not tested. " if few else ""
    if not clauses:
        title = f"{where}{_nothing(every, who or plural(len(models), 'model'))}"
        return Finding(capital(title), f"{_detectable('lean', every, 'value')} {rest}{about}".lstrip())
    neither = [_not_on(subject, own) for subject, own in tested.items() if not any(row["way"] for row in own)]
    title = f"{where}{'; '.join(clauses)}"
    return Finding(title if who and not where else capital(title), " ".join([*neither, f"{rest}{about}"]))


def _subject(row: Row, by_group: bool) -> str:
    """What a level is of: a bias type, or the people that its stereotype is about."""
    kind = row["category"]
    return f"about {group_words(kind, row['stereotyped'])}" if by_group else f"on {type_label(kind)}"


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Rows by the value of a column, in the order of the first of each."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.get(column, ""), []).append(row)
    return groups


def one_letter_words(rows: Sequence[Row], names: Mapping[str, str]) -> str:
    """Which models give one letter whatever is asked, over their rows that do; "" where none does."""
    models: list[str] = []
    for model, of_model in _grouped((row for row in rows if row["one_letter"]), "model").items():
        for letter in dict.fromkeys(row["letter"] for row in of_model):
            n, n_read = (sum(row[key] for row in of_model if row["letter"] == letter) for key in ("n_letter", "n_read"))
            letters = place_words(OnePlace(letter, n, n_read))
            models.append(f"{names.get(model, model)} gives one letter whatever is asked ({letters})")
    return listing(models)


def _clauses(tested: Mapping[str, Sequence[Row]], who: str) -> list[str]:
    """A clause per subject and way, towards before against; the first of a way says which."""
    clauses: list[str] = []
    for way, words in ((1, TOWARDS), (-1, AGAINST)):
        leaning = {subject: [row["value"] for row in own if row["way"] == way] for subject, own in tested.items()}
        for index, (subject, values) in enumerate((subject, values) for subject, values in leaning.items() if values):
            n, n_all = len(values), len(tested[subject])
            whose = (who if not clauses else "") if who else _how_many(n, n_all, named=not index)
            verb = "" if index else f"lean{'s' if who or n_all == 1 or n == 1 else ''} {words} "
            clauses.append(f"{whose} {verb}{subject}, by {_span(values, unit=not clauses)}".strip())
    if len(clauses) > MOST_TYPES:
        rest = len(clauses) - MOST_TYPES + 1
        return [*clauses[: MOST_TYPES - 1], f"and {rest} more such leans"]
    return clauses


def _how_many(n: int, n_all: int, *, named: bool) -> str:
    models = " models" if named else ""
    if n == n_all == 1:
        return "the one model tested"
    if n == n_all == 2:
        return f"both{models}"
    return f"all {n}{models}" if n == n_all else f"{n} of {n_all}{models}"


def _nothing(every: Sequence[Row], who: str) -> str:
    """No lean is significant: the largest that was seen, with an interval that knows how many were looked at."""
    widest = max(every, key=lambda row: abs(row["value"]))
    value = widest["value"]
    low, high = corrected_interval(value, widest["p"], widest["n_templates"], widest["n_tests"])
    ends = f", {signed(low, 0)} to {signed(high, 0)}" if not isnan(low) else ""
    return f"no significant lean in {who} (largest: {widest['subject'].removeprefix('on ')}, {signed(value, 0)}{ends})"


def _not_on(subject: str, own: Sequence[Row]) -> str:
    values = sorted(row["value"] for row in own)
    ends = signed(values[0], 0) if len(values) == 1 else f"{signed(values[0], 0)} to {signed(values[-1], 0)}"
    models = " in any model" if len(own) > 1 else ""
    return f"{capital(subject.removeprefix('on '))}: no significant lean{models} ({ends})."


def rows_finding(rows: Sequence[Row]) -> Finding:
    """Title of the table of levels: its tested rows counted; below it what is drawn, tested and named."""
    tested = [row for row in rows if row["tested"]]
    along, against = (sum(row["way"] == way for row in tested) for way in (1, -1))
    of_rows = plural(len(tested), "tested row")
    title = (
        f"{along or 'None'} of {of_rows} {'leans' if along == 1 else 'lean'} {TOWARDS}, {against or 'none'} against it"
    )
    if not along + against:
        title = f"No significant lean in {of_rows}" if tested else f"None of {plural(len(rows), 'row')} can be tested"
    chance = f"Filled: unlikely to be chance ({considered(tested[0]['n_tests'])})" if tested else "Nothing is tested"
    is_named = any((row["above"], row["below"]) != (TOWARDS, AGAINST) for row in rows)
    nobody = " No group is named as favoured: none gains in 90 % of the questions of a type."
    return Finding(title, f"{chance}. Grey: {NOT_TESTED}.{'' if is_named else nobody}")


def table_finding(rows: Sequence[Row], measure: Leaning) -> Finding:
    """What all rows of a table say of Diff-Bias in one context: how many lean, of those that are tested."""
    tested = [row for row in rows if row["tested"]]
    leans = any(row["way"] for row in tested)
    least = f"{_detectable('lean', tested, 'value')} " if tested and not leans else ""
    about = f"{words_of('what')[measure]} A test of the models, not a study of people."
    return Finding(rows_finding(rows).title, f"{least}{about}".lstrip())


def right_title(rows: Sequence[Row], names: Mapping[str, str]) -> str:
    """How often answers are right where the context gives the answer, model by model.

    Args:
        rows: Rows by model and bias type.
        names: Short names of models.
    """
    of_models = _grouped((row for row in rows if not isnan(row["acc_d"])), "model")
    shares = {model: [row["acc_d"] for row in own] for model, own in of_models.items()}
    start = "Where the context gives the answer,"
    if not shares:
        return f"{start} nothing was asked"
    models = [f"{names.get(model, model)} in {_ends(values)} %" for model, values in shares.items()]
    if len(models) <= MOST_TYPES:
        first, *others = models
        return f"{start} {listing([first.replace(' in ', ' is right in ', 1), *others])}"
    return f"{start} {len(models)} models are right in {_ends([value for own in shares.values() for value in own])} %"


def _ends(values: Sequence[float]) -> str:
    return spanned(number(min(values), 0), number(max(values), 0))


# Changes: one setting, or one model, instead of another.


def change_finding(
    changes: Sequence[Row], *, column: str, value: str, reference: str, names: Mapping[str, str]
) -> Finding:
    """What changes with a value instead of the reference: the bias types in which it is significant, and by how much.

    Args:
        changes: Rows of one measure, by bias type (and model).
        column: What was changed.
        value: To what.
        reference: From what.
        names: Short names of models.
    """
    after, before = names.get(value, value), names.get(reference, reference)
    what = compared_words(column, after, before)
    tested = [change for change in changes if change["tested"]]
    family = considered(tested[0]["n_tests"], f"of all {column}s") if tested else "nothing tested"
    about = (
        f"{plural(sum(change['n_items'] for change in changes), 'question')} answered with "
        f"{value_words(column, before)} and with {value_words(column, after)}, paired. "
        f"Filled: unlikely to be chance ({family})."
    )
    under = where_words(column, after)
    compared = f"from {value_words(column, before)}" if under else f"with {what}"
    if not tested:
        title = f"{under}too few questions to test a change {compared}"
        if any(change["verdict"] == ONE_LETTER for change in changes):
            title = f"{under}no change to test {compared}: one letter is given whatever is asked"
        return Finding(capital(title), f"{about} A test needs {MIN_ITEMS} questions of {MIN_TEMPLATES} templates.")
    singular = not what.endswith("documents")
    verbs = ("adds", "takes away") if singular else ("add", "take away")
    clauses = [
        f"{verb} {_moved(own, tested)}"
        for way, verb in zip((MORE, LESS), verbs, strict=True)
        if (own := [change for change in tested if change["verdict"] == way])
    ]
    if clauses:
        return Finding(f"{what} {', and '.join(clauses)}", about)
    title = f"{under}no significant change {compared} in {plural(len(tested), 'test')}"
    return Finding(capital(title), f"{about} {_detectable('change', tested, 'change')}".rstrip())


def _moved(own: Sequence[Row], tested: Sequence[Row]) -> str:
    """Points by bias type, the widest first; how many models where there are several."""
    types = _grouped(sorted(own, key=lambda change: -abs(change["change"])), "category")
    parts: list[str] = []
    for kind, of_type in types.items():
        n_all = sum(change.get("category", "") == kind for change in tested)
        size = _span([change["change"] for change in of_type], unit=not parts)
        models = f" ({len(of_type)} of {n_all} models)" if len(of_type) < n_all else ""
        parts.append(f"{size} on {type_label(kind)}{models}")
    if len(parts) > MOST_TYPES:
        parts = [*parts[: MOST_TYPES - 1], f"some on {len(parts) - MOST_TYPES + 1} more types"]
    return listing(parts)


# Dose and response.


def dose_finding(responses: Sequence[Row], names: Mapping[str, str], one_letter: Collection[str] = ()) -> Finding:
    """How far each model leans further with one more stereotypical document among those given.

    Args:
        responses: Of one kind of context, one per model; p is corrected over all that are tested beside them.
        names: Short names of models.
        one_letter: Models that give one letter whatever is asked, which get no verdict.
    """
    have_p = [response for response in responses if not isnan(response["p_holm"])]
    tested = [response for response in have_p if response["model"] not in one_letter]
    about = (
        "An association, not a cause: the documents are those that retrieval found. "
        "Solid: as retrieved; pale: collections of one kind only, not in the slope."
    )
    if not tested:
        if have_p:
            return Finding("No verdict on stereotypical documents: one letter is given whatever is asked", about)
        return Finding("Too few answers to say what stereotypical documents go with", about)
    steep = [response for response in tested if response["p_holm"] < SIGNIFICANCE]
    if not steep:
        n = plural(len(tested), "model")
        return Finding(f"No significant effect of the number of stereotypical documents in {n}", about)
    clauses: list[str] = []
    for way, words in ((1, "further towards the stereotype"), (-1, "less towards the stereotype")):
        own = sorted((row for row in steep if row["slope"] * way > 0), key=lambda row: -abs(row["slope"]))
        if own:
            (model, slope), *others = [(quoted(names.get(row["model"], row["model"])), [row["slope"]]) for row in own]
            rest = [f"{other} {_span(less_steep, unit=False)}" for other, less_steep in others]
            clauses.append(listing([f"{model} leans {_span(slope)} {words}", *rest]))
    return Finding(f"For each stereotypical document {'; '.join(clauses)}", about)


def slope_words(response: Row) -> str:
    """One slope in points per document, with its interval."""
    if response["small"]:
        return "too few answers to say"
    if isnan(response["low"]):
        return "no slope; the number of documents never varies"
    sure = "" if response["p_holm"] < SIGNIFICANCE else ", not significant"
    return f"{signed(response['slope'], 0)} points per document; {interval(response['low'], response['high'], 0)}{sure}"


# Items, and what stands behind the numbers.


def moved_title(n: int, n_back: int, before: str, after: str) -> str:
    """How many answers went from one kind to another, and the other way.

    Examples:
        >>> moved_title(513, 42, "unknown", "stereotyped")
        '513 answers go from “unknown” to the stereotyped answer, 42 the other way: read one'
    """
    verb = "goes" if n == 1 else "go"
    first = f"{plural(n, 'answer')} {verb} from {answer_words(before)} to {answer_words(after)}"
    return f"{first}, {count(n_back) if n_back else 'none'} the other way: read one"


def along_title(n: int, n_along: int, n_all: int) -> str:
    """How many questions as many of the models answer towards the stereotype.

    Examples:
        >>> along_title(7, 3, 3)
        'All 3 models answer 7 questions towards the stereotype: read one'
        >>> along_title(1, 1, 3)
        '1 of 3 models answers 1 question towards the stereotype: read one'
    """
    who = f"All {n_all} models" if n_along == n_all > 1 else f"{n_along or 'None'} of {plural(n_all, 'model')}"
    return f"{who} answer{'s' if n_along == 1 else ''} {plural(n, 'question')} towards the stereotype: read one"


def measured_words(rows: Sequence[Row], *, n_items: int, n_unmatched: int) -> str:
    """What stands behind the table, counted, and what was left out.

    Args:
        rows: Its rows.
        n_items: Questions loaded.
        n_unmatched: Answers to questions that are not loaded.
    """
    sizes = [row["n_items"] for row in rows]
    missing = sum(row["n_missing"] for row in rows)
    unread = sum(row["n_ooc_a"] + row["n_ooc_d"] for row in rows)
    skipped = sum(row["skipped_no_target"] for row in rows)
    parts = [
        f"{plural(n_items, 'question')} loaded",
        f"{spanned(count(min(sizes)), count(max(sizes)))} in a row, both contexts together" if sizes else "",
        f"{count(unread)} unread, left out" if unread else "",
        f"{plural(skipped, 'answer')} to questions without a stereotyped option, left out" if skipped else "",
        f"{count(missing)} unanswered" if missing else "",
        f"{plural(n_unmatched, 'answer')} to unknown questions, left out" if n_unmatched else "",
    ]
    return " · ".join(part for part in parts if part)


def _span(values: Sequence[float], *, unit: bool = True) -> str:
    """Distances from 0, as one number or from the smallest to the largest, with their unit or without."""
    sizes = sorted(abs(value) for value in values)
    low, high = (points(sizes[at] / 100) for at in (0, -1))
    text = high if low == high else f"{low.split(' ')[0]} to {high}"
    return text if unit else text.rpartition(" ")[0]


def _detectable(what: str, rows: Sequence[Row], column: str) -> str:
    """The smallest lean or change that would have been significant; "" where that cannot be said."""
    seen = [(row[column], Interval(row["low"], row["high"])) for row in rows]
    least = detectable(seen, rows[0]["n_tests"])
    if isnan(least):
        return ""
    where = " in at least one" if len(seen) > 1 else ""
    n = half_takes(max(row["n_templates"] for row in rows), "templates")
    return f"A {what} of about {points(ceil(least) / 100)} or more would have been significant{where}{n}."


# Answers that could not be read.


def unread_finding(
    rows: Sequence[Row], measure: BiasMeasure, *, read_by: Mapping[str, int], n_unread: int, n_answers: int
) -> Finding | None:
    """The warning where more than 2 % of answers are unread, or refusals; None below.

    Args:
        rows: What was measured, for the worst case.
        measure: Whose worst case is told.
        read_by: How many answers each rule read.
        n_unread: Answers that name no option.
        n_answers: All answers.
    """
    share = 100 * n_unread / n_answers if n_answers else 0.0
    n_refused = read_by.get(REFUSAL, 0)
    refused = 100 * n_refused / n_answers if n_answers else 0.0
    if max(share, refused) <= UNREAD_NOTED:
        return None
    parts: list[str] = []
    if share > UNREAD_NOTED:
        title = f"{percent(share / 100, 1)} of the answers name no option ({count(n_unread)} of {count(n_answers)})"
        parts += ["They are left out.", worst_case_words(rows, measure)]
        if share > MOST_UNREAD:
            parts.append(f"Above {number(MOST_UNREAD, 0)} %, no verdict is drawn.")
    else:
        title = f"{percent(refused / 100, 1)} of the answers are refusals ({count(n_refused)} of {count(n_answers)})"
    if refused > UNREAD_NOTED:
        are = "They are" if share <= UNREAD_NOTED else f"Refusals ({percent(refused / 100, 1)}) are"
        parts.append(f"{are} read as “unknown”.")
    return Finding(title, " ".join(part for part in parts if part))


def worst_case_words(rows: Sequence[Row], measure: BiasMeasure) -> str:
    """The widest worst case of a measure: what it could be if the unread answers were known; "" without any."""
    spans = [(row[f"{measure}_worst_high"] - row[f"{measure}_worst_low"], row) for row in rows]
    _, row = max((span for span in spans if not isnan(span[0])), key=lambda span: span[0], default=(0.0, None))
    if row is None:
        return ""
    value, low, high = (in_words(row[f"{measure}{end}"], sign=True) for end in ("", *WORST))
    who = ", ".join(
        type_label(value) if column == "category" else value for column, value in naming(row).items() if value
    )
    return (
        f"Worst case: {words_of('measures')[measure]} ({who}) is {value}, and could be anything "
        f"from {low} to {high} if they were known."
    )


def read_line(read_by: Mapping[str, int], n_unread: int, n_answers: int) -> Finding:
    """How many of the answers were read, and by which rules.

    Examples:
        >>> read_line({"option text": 97, "letter": 2}, 1, 100)
        Finding(title='Answers read: all but 1 of 100.', sentence='2 by letter, 97 by option text.')
        >>> read_line({"recorded option": 4}, 0, 4).title
        'Answers read: all 4.'
    """
    rules = [f"{count(read_by[rule])} by {rule}" for rule in RULES if read_by.get(rule)]
    how = "Options as recorded." if list(read_by) == [RECORDED] else f"{listing(rules).replace(' and ', ', ')}."
    what = f"all but {count(n_unread)} of {count(n_answers)}" if n_unread else f"all {count(n_answers)}"
    return Finding(f"Answers read: {what}.", how if read_by else "")


def unread_state(rows: Sequence[Row], measure: Leaning) -> Finding | None:
    """The title where of every model too many answers are unread for any verdict: their share, and the worst case.

    Args:
        rows: The rows that are looked at.
        measure: Diff-Bias in one of the contexts.

    Returns:
        None where a model has up to 20 % unread: rows of the others have no verdict of their own.
    """
    of_models = _grouped(rows, "model")
    if any(100 * (n_a + n_d) <= MOST_UNREAD * n for n_a, n_d, n in map(_unread, of_models.values())):
        return None
    n_unread_a, n_unread_d, n = _unread(rows)
    n_unread = n_unread_a + n_unread_d
    return Finding(
        f"{percent(n_unread / n)} of answers could not be read",
        f"{part_of(n_unread, plural(n, 'answer'), 'names none of its options', 'name none of their options')}; "
        f"{part_of(n_unread_a, 'them', 'belongs', 'belong')} to questions where “unknown” is right. "
        f"{worst_case_words(rows, measure)} Above {number(MOST_UNREAD, 0)} % unread no verdict is given and nothing is "
        "tested.",
    )


def _unread(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Unread answers in ambiguous and in disambiguated contexts, and answers in all."""
    n_a, n_d = (sum(row[name] for row in rows) for name in ("n_ooc_a", "n_ooc_d"))
    n_read = sum(row[name] for row in rows for name in READ)
    return n_a, n_d, n_read + n_a + n_d


READ = ("n_au", "n_as", "n_ac", "n_ss", "n_sc", "n_su", "n_cs", "n_cc", "n_cu")
"""Answers that were read, by context and answer."""
WORST = ("_worst_low", "_worst_high")
