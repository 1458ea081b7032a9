"""Recorded answers to bias questions: tables, JSON Lines, or fields within the questions.

A table has ``example_id``, mostly ``category``, and ``pred`` (0–2; −1 = none of the options) or
``raw_prediction`` (words), and says who answered how in any of :data:`FACTORS`. BBQ's published
results keep answers within the questions instead: a field ``NAME_pred_FORMAT`` for each model.
"""

import csv
import re
from collections.abc import Sequence
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.io.answer_layout import Choice, Layout, Text
from fairviz.io.answer_table import AnswerColumns, missing_column, read_columns
from fairviz.io.bbq import is_bias_items
from fairviz.io.bbq_targets import option_named
from fairviz.io.ids import first_repetition
from fairviz.io.log_answers import answer_columns, read_log
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.model import BiasPredictions, Factor, IntArray
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD, ChoiceArray
from fairviz.numerals import count, plural

FACTORS = ("model", "setting", "retriever", "k", "language", "instruction", "shots", "size", "tuned")
"""Columns that say who answered how."""

_MODEL_PRED = re.compile(r"(?<=.)_pred(?=_|$)", re.IGNORECASE)

_BLANK = frozenset(("", "nan", "none", "null", "na", "n/a"))


def _coded(text: str) -> int | None:
    """The option that a filled ``pred`` names, or that it names none."""
    option = option_named(text)
    if option is None and text in ("-1", "−1", "-1.0"):
        return OUT_OF_CHOICE
    return option


_ID = Text("example_id", aliases=("sample_id", "item_id", "id"))

_CATEGORY = Text("category", aliases=("bias_type",))

_PRED: Choice[int] = Choice(
    "pred",
    aliases=("pred_index", "prediction_index", "choice"),
    reading=_coded,
    wrong="{name} must be 0, 1, 2 or -1, found {cell}",
    fix="Call answers in words raw_prediction.",
    blank=_BLANK,
    default=UNREAD,
)

_WORDS = Text("raw_prediction", aliases=("prediction", "raw_answer", "response", "output"))

_ANSWER = Text("answer")
"""Words, too; but KoBBQ, which has a ``biased_answer``, calls the right option so."""

_BIASED = Text("biased_answer")

_ASKED = Text("question_key")
"""What was asked, where ids do not say it: :func:`fairviz.io.logs.text_key`."""

LAYOUT = Layout(
    columns=(*(Text(name) for name in FACTORS), _CATEGORY, _ID, _WORDS, _ANSWER, _PRED, _BIASED, _ASKED),
    fix="Write columns example_id, category, model, setting, raw_prediction or pred (0–2, −1).",
    family=_MODEL_PRED,
    key="example_id",
)
"""The columns of answers; its family are the answers of a model within the questions, NAME_pred_FORMAT."""

_MANY = 2**40


class NothingRecordedError(InputError):
    """The file has room for answers, and none is filled in."""


def is_bias_predictions(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of answers to bias questions.

    Questions that carry answers are both (:func:`fairviz.io.bbq.is_bias_items`).

    Examples:
        >>> is_bias_predictions({"model", "category", "example_id", "pred"})
        True
        >>> is_bias_predictions({"qid", "attribute", "value", "gold", "prediction"})
        False
    """
    known = {folded(key) for key in keys}
    items = is_bias_items(known)
    ids = _ID.names if items else _ID.names[:2]  # "id" alone says little
    words = _WORDS.names if items else (*_WORDS.names, _ANSWER.name)
    answered = known & {*_PRED.names, *words} or any(map(LAYOUT.in_family, known))
    return bool(known & set(ids)) and bool(answered)


@reader
def read_bias_predictions(file: FileInput | Source) -> Parsed[BiasPredictions]:
    """Read recorded answers.

    ``pred`` is used where it is filled, else the words: a lone letter ("B", "(b)") or "ans1" is an
    option, other words are read when the items are known, an empty answer is out of choice.

    Args:
        file: A path or ``(name, bytes)``: CSV, TSV or JSON Lines, plain or gzip'ed.

    Raises:
        InputError: The file cannot be read, a column is missing, ``pred`` is no option, an id is
            empty, no answer is recorded, or one producer answers an item twice.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    log = read_log(source, notes)
    if log is None:
        table = read_columns(source, LAYOUT, notes)
        asked = table.texts(_ASKED)
    else:
        table, asked = answer_columns(log, source, FACTORS)
    ids, categories, pred = table.texts(_ID), table.texts(_CATEGORY), table.texts(_PRED)
    if ids is None:
        raise missing_column(_ID.name, source, LAYOUT)
    words = _words_of(table)
    within = [name for name in table.columns if LAYOUT.in_family(name)]
    if pred is None and words is None and within:
        predictions = _within(source.stem, table, within, ids, categories)
    elif pred is None and words is None:
        raise missing_column("raw_prediction or pred", source, LAYOUT)
    else:
        predictions = _predictions(source.stem, table, ids, words, asked)
    _refuse_blank_id(predictions, table)
    if not _any_recorded(table, predictions):
        reason, fix = "no answer is recorded: every prediction is blank", "Fill in the answers."
        raise NothingRecordedError(reason, file=source.name, line=table.line(0), fix=fix)
    _refuse_second_answers(predictions, table)
    _note_unread(predictions, table, notes)
    _note_case(predictions.factors, notes)
    models = next((len(f.values) for f in predictions.factors if f.name == "model"), 1)
    label = "" if log is None else f"log of {log.tool}: "
    label += f"answers to bias questions: {count(len(predictions.example_ids))} of {models} model"
    label += "" if models == 1 else "s"
    return Parsed(value=predictions, file=source.name, format=label, notes=notes.collected)


def _words_of(table: AnswerColumns) -> Factor | None:
    words = table.texts(_WORDS)
    return table.texts(_ANSWER) if words is None and table.texts(_BIASED) is None else words


def _predictions(
    name: str, table: AnswerColumns, ids: Factor, words: Factor | None, asked: Factor | None
) -> BiasPredictions:
    factors = {name: table.texts(Text(name)) for name in FACTORS}
    return BiasPredictions(
        name=name,
        factors=tuple(_tidy(factor, name) for name, factor in factors.items() if factor is not None),
        categories=_optional(table.texts(_CATEGORY), "category"),
        example_ids=_tidy(ids, "example_id"),
        choices=_options(table, table.texts(_PRED), words),
        words=None if words is None else Factor("words", words.values, words.codes),
        asked=asked,
    )


def _any_recorded(table: AnswerColumns, predictions: BiasPredictions) -> bool:
    """Whether any answer is recorded, as an option, as none of them (−1), or in words."""
    pred, words = table.texts(_PRED), predictions.words
    coded = pred is not None and any(value.strip().casefold() not in _BLANK for value in pred.values)
    return coded or (words is not None and any(value.strip() for value in words.values))


@reader
def carried_predictions(file: FileInput | Source) -> Parsed[BiasPredictions] | None:
    """The answers within a file of bias questions, None where it has room for them only.

    KoBBQ's own files have an empty column ``prediction``.

    Raises:
        InputError: As :func:`read_bias_predictions`.
    """
    try:
        return read_bias_predictions(file)
    except NothingRecordedError:
        return None


def write_bias_predictions(predictions: BiasPredictions, to: TextIO) -> None:
    """Write answers as a CSV table; :func:`read_bias_predictions` gives them back.

    Args:
        predictions: The answers; those not yet read are written in words only.
        to: An open text file (``newline=""``).
    """
    columns = [(factor.name, factor) for factor in predictions.factors]
    if predictions.categories is not None:
        columns.append(("category", predictions.categories))
    columns.append(("example_id", predictions.example_ids))
    if predictions.words is not None:
        columns.append(("raw_prediction", predictions.words))
    if predictions.asked is not None:
        columns.append((_ASKED.name, predictions.asked))
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow([*(name for name, _ in columns), "pred"])
    for row, choice in enumerate(predictions.choices):
        cells = [column.values[int(column.codes[row])] for _, column in columns]
        rows.writerow([*cells, "" if choice == UNREAD else str(choice)])


def _optional(column: Factor | None, name: str) -> Factor | None:
    return None if column is None else _tidy(column, name)


def _tidy(column: Factor, name: str) -> Factor:
    """The column without blanks around its values."""
    stripped = [value.strip() for value in column.values]
    places: dict[str, int] = {}
    codes = [places.setdefault(value, len(places)) for value in stripped]
    if len(places) == len(codes):
        return Factor(name, tuple(stripped), column.codes)
    return Factor(name, tuple(places), np.array(codes, dtype=np.int32)[column.codes])


def _options(table: AnswerColumns, pred: Factor | None, words: Factor | None) -> ChoiceArray:
    """The option of each answer: ``pred`` where it is filled, else what the words say plainly."""
    in_words = np.full(table.n_rows, OUT_OF_CHOICE, dtype=np.int8)
    if words is not None:
        in_words = np.array([_plain_option(value) for value in words.values], dtype=np.int8)[words.codes]
    options = table.cells(_PRED)
    if options is None or pred is None:
        return in_words
    coded = np.array(options, dtype=np.int8)[pred.codes]
    return np.where(coded == UNREAD, in_words, coded)


def _plain_option(words: str) -> int:
    option = option_named(words)
    if option is not None:
        return option
    return UNREAD if words.strip() else OUT_OF_CHOICE


def _within(
    name: str, table: AnswerColumns, fields: list[str], ids: Factor, categories: Factor | None
) -> BiasPredictions:
    """Answers within the questions: each field is a model, all its answers one after the other."""
    n = len(fields)
    models = tuple(_MODEL_PRED.sub("", field, count=1) for field in fields)
    words = [table.columns[field] for field in fields]
    places: dict[str, int] = {}
    codes = [
        np.array([places.setdefault(v, len(places)) for v in column.values], np.int32)[column.codes] for column in words
    ]
    answers = Factor("words", tuple(places), np.concatenate(codes))
    options = np.array([_plain_option(value) for value in answers.values], dtype=np.int8)
    all_categories = _optional(categories, "category")
    if all_categories is not None:
        all_categories = Factor(all_categories.name, all_categories.values, np.tile(all_categories.codes, n))
    tidy = _tidy(ids, "example_id")
    return BiasPredictions(
        name=name,
        factors=(Factor("model", models, np.repeat(np.arange(n, dtype=np.int32), len(ids))),),
        categories=all_categories,
        example_ids=Factor("example_id", tidy.values, np.tile(tidy.codes, n)),
        choices=options[answers.codes],
        words=answers,
    )


# What recorded answers must not be, and what a person should know of them.


def _refuse_blank_id(predictions: BiasPredictions, table: AnswerColumns) -> None:
    """Refuse an answer without id.

    Raises:
        InputError: An id is empty.
    """
    ids = predictions.example_ids
    blank = next((code for code, value in enumerate(ids.values) if is_blank(value)), None)
    if blank is not None:
        line = table.line(int(np.argmax(ids.codes == blank)) % table.n_rows)
        fix = "Name the item of each answer."
        raise InputError("example_id is empty", file=table.file, line=line, fix=fix)


def _keys(predictions: BiasPredictions) -> IntArray:
    """A number per row that is equal for answers of one producer to one item."""
    keys = predictions.example_ids.codes.astype(np.int64)
    columns = [*predictions.factors]
    if predictions.categories is not None:
        columns.append(predictions.categories)
    for column in columns:
        keys = keys * len(column.values) + column.codes
        if int(keys.max(initial=0)) > _MANY:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return keys


def _refuse_second_answers(predictions: BiasPredictions, table: AnswerColumns) -> None:
    """Refuse two answers of one producer (all columns that say who answered how) to one item.

    Raises:
        InputError: The line of the second answer, naming the first one's.
    """
    repeated = first_repetition(_keys(predictions))
    if repeated is None:
        return
    row, first = (place % table.n_rows for place in repeated)  # answers within questions are several a row
    columns = [f for f in (predictions.categories, predictions.example_ids) if f is not None]
    item = " ".join(f.values[int(f.codes[row])] for f in columns)
    producer = " / ".join(f.values[int(f.codes[row])] for f in predictions.factors if f.values != ("",))
    reason = f"second answer{f' of {shown(producer)}' if producer else ''} to {shown(item)}"
    reason += f" (first on line {table.line(first)})"
    lacks = "category" if predictions.categories is None else "model, setting, instruction, …"
    fix = f"Keep one, or name what differs in a column ({lacks})."
    raise InputError(reason, file=table.file, line=table.line(row), fix=fix)


_ODD = (
    "words, read as options when the items are known",
    "empty, out of choice",
    "none of the options, out of choice",
)


def _note_unread(predictions: BiasPredictions, table: AnswerColumns, notes: NoteBook) -> None:
    """Note how many answers are words, empty or out of choice."""
    n_answers = predictions.choices.size
    out = predictions.choices == OUT_OF_CHOICE
    empty = np.zeros(n_answers, dtype=np.bool_)
    if predictions.words is not None:
        blank = np.array([not value.strip() for value in predictions.words.values])
        empty = out & blank[predictions.words.codes]
    for rows, message in zip((predictions.choices == UNREAD, empty, out & ~empty), _ODD, strict=True):
        n_such = int(rows.sum())
        if n_such:
            share = f"{count(n_such)} of {plural(n_answers, 'answer')} ({100 * n_such / n_answers:.3g} %)"
            notes.add(f"{share}: {message}", table.near_line(int(np.argmax(rows)) % table.n_rows))


def _note_case(factors: Sequence[Factor], notes: NoteBook) -> None:
    """Note values of columns that differ only by case."""
    for factor in factors:
        seen: dict[str, str] = {}
        for value in factor.values:
            before = seen.setdefault(value.casefold(), value)
            if before != value:
                kind = f"values of {factor.name} differ only by case"
                notes.add(f"{kind}: {shown(before)} / {shown(value)}", kind=kind)
