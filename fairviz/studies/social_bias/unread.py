"""What of recorded answers was answered and read: items, models, and answers that name no option or refuse.

Answers that were not read are said first, with what they could make of a measure. Above a fifth of unread answers there
is no verdict. A person may then say how some wordings are to be read: as "unknown", which is a reading with a name,
counted and written wherever the numbers go.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.counts import part_of
from fairviz.display.words import Finding, count, listing, number, percent, plural
from fairviz.io.answer_words import RECORDED, REFUSAL, RULES
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.labels import MEASURE_LABELS, type_label, value_text
from fairviz.studies.social_bias.matching import answered, reading_notes
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning, OutOfChoice
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


MOST_READ = 5
"""Wordings that are read at once."""


class Wording(NamedTuple):
    """An answer that names no option, as it was recorded.

    Attributes:
        words: Without case, blanks around and a final period.
        n: How often it was given.
    """

    words: str
    n: int


def wordings(answers: BiasAnswers) -> tuple[Wording, ...]:
    """Wordings of the unread answers, the most frequent first; none where only options were recorded."""
    if answers.words is None:
        return ()
    n: list[int] = np.bincount(answers.words.codes[answers.choices == OUT_OF_CHOICE]).tolist()
    counted: Counter[str] = Counter()
    for words, times in zip(answers.words.values, n, strict=False):
        if times:
            counted[_plain(words)] += times
    return tuple(Wording(words, times) for words, times in counted.most_common() if words)


def most_frequent(every: Sequence[Wording]) -> tuple[Wording, ...]:
    """The wordings that one button may read: the five most frequent, each of them 1 % of the unread answers or more.

    Examples:
        >>> most_frequent([Wording("hard to say", 99), Wording("both", 1), Wording("the boy", 1)])
        (Wording(words='hard to say', n=99),)
    """
    n = sum(wording.n for wording in every)
    return tuple(wording for wording in every[:MOST_READ] if 100 * wording.n >= n)


def read_as_unknown(items: BiasItems, answers: BiasAnswers, chosen: Sequence[str]) -> BiasAnswers:
    """The answers with some wordings of unread ones counted as "unknown".

    Args:
        items: The questions, which say which option that is.
        answers: Answers to them.
        chosen: Words of :func:`wordings`.
    """
    if answers.words is None or not chosen:
        return answers
    of_words = np.array([_plain(words) in set(chosen) for words in answers.words.values])
    read = (answers.choices == OUT_OF_CHOICE) & of_words[answers.words.codes]
    return replace(answers, choices=np.where(read, items.unknown[answers.items], answers.choices))


def reading_words(chosen: Sequence[Wording]) -> str:
    """A reading by its name and its counts, for pages and files; "" without one."""
    if not chosen:
        return ""
    n = sum(wording.n for wording in chosen)
    return f"{plural(n, 'answer')} in {plural(len(chosen), 'wording')} read as “unknown”"


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold().removesuffix(".")


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


def unread_state(rows: Sequence[BiasRow], measure: Leaning, names: Mapping[str, str]) -> Finding | None:
    """The title where of every model too many answers are unread for any verdict: their share, and the worst case.

    Args:
        rows: The rows that are looked at.
        measure: Diff-Bias in one of the contexts.
        names: Short names of models.

    Returns:
        None where a model has up to 20 % unread: rows of the others have no verdict of their own.
    """
    models = {row.get("model") for row in rows}
    of_models = [_unread([row for row in rows if row.get("model") == model]) for model in models]
    if any(100 * (n_a + n_d) <= MOST_UNREAD * n for n_a, n_d, n in of_models):
        return None
    n_unread_a, n_unread_d, n = _unread(rows)
    n_unread = n_unread_a + n_unread_d
    known = [row for row in rows if not math.isnan(row.worst[measure].low)]
    widest = max(known, key=lambda row: row.worst[measure].high - row.worst[measure].low, default=None)
    band = ""
    if widest is not None:
        low, high = (value_text(end, measure, 0) for end in widest.worst[measure])
        who = f" of {names.get(widest.get('model'), widest.get('model'))}" if len(models) > 1 else ""
        band = f": on {type_label(widest.get('category'))}, Diff-Bias{who} lies between {low} and {high}"
    return Finding(
        f"{percent(n_unread / n)} of answers could not be read{band}",
        f"{part_of(n_unread, plural(n, 'answer'), 'names none of its options', 'name none of their options')}; "
        f"{part_of(n_unread_a, 'them', 'belongs', 'belong')} to questions where “unknown” is right. Above "
        f"{number(MOST_UNREAD, 0)} % unread no verdict is given and nothing is tested.",
    )


def _unread(rows: Sequence[BiasRow]) -> tuple[int, int, int]:
    """Unread answers in ambiguous and in disambiguated contexts, and answers in all."""
    n_a, n_d = (sum(getattr(row.counts, name) for row in rows) for name in ("n_ooc_a", "n_ooc_d"))
    n_read = sum(row.counts.n_au + row.counts.n_as + row.counts.n_ac + _n_told(row) for row in rows)
    return n_a, n_d, n_read + n_a + n_d


def _n_told(row: BiasRow) -> int:
    n = row.counts
    return n.n_ss + n.n_sc + n.n_su + n.n_cs + n.n_cc + n.n_cu


class ModelAnswers(NamedTuple):
    """The answers of one model to bias questions.

    Attributes:
        model: Its name; the file's where the answers do not say.
        n_answers: Answers to known items.
        n_items: Distinct items among them.
        n_out_of_choice: Answers that name none of the three options.
    """

    model: str
    n_answers: int
    n_items: int
    n_out_of_choice: int


class BiasJoin(NamedTuple):
    """Bias questions beside the answers to them.

    Attributes:
        n_items: Items loaded.
        n_answered: Items with an answer of any model.
        n_undefined: Items whose biased option is undefined; measures leave them out.
        n_unmatched: Answers to items that are not loaded; left out.
        models: The answers of each model.
        read_by: How many answers each rule read.
        n_unread: Answers that name no option.
        notes: What was left out or guessed, a sentence each.
        reading: How answers were read, a sentence each.
    """

    n_items: int
    n_answered: int
    n_undefined: int
    n_unmatched: int
    models: tuple[ModelAnswers, ...]
    read_by: dict[str, int]
    n_unread: int
    notes: tuple[str, ...]
    reading: tuple[str, ...]


def bias_join(items: Sequence[BiasItems], predictions: Sequence[BiasPredictions]) -> BiasJoin:
    """Match answers with questions and count.

    Args:
        items: Questions of one or more files.
        predictions: Answers of one or more files.

    Raises:
        InputError: They do not belong together (see :func:`fairviz.studies.social_bias.matching.answered`).
    """
    questions = merged_items(items)
    matched = answered(questions, predictions)
    answers, read = matched
    reading = reading_notes(read.read_by, read.n_answers)
    model = answers.factor("model")
    names = ("",) if model is None else model.values
    codes = np.zeros(answers.items.size, np.int32) if model is None else model.codes
    return BiasJoin(
        n_items=len(questions),
        n_answered=int(np.unique(answers.items).size),
        n_undefined=int((questions.target == NO_TARGET).sum()),
        n_unmatched=read.n_unmatched,
        models=tuple(
            ModelAnswers(
                model=name,
                n_answers=int((codes == code).sum()),
                n_items=int(np.unique(answers.items[codes == code]).size),
                n_out_of_choice=int((answers.choices[codes == code] == OUT_OF_CHOICE).sum()),
            )
            for code, name in enumerate(names)
            if (codes == code).any()
        ),
        read_by=read.read_by,
        n_unread=read.n_unread,
        notes=tuple(note for note in read.notes if note not in reading),
        reading=tuple(reading),
    )
