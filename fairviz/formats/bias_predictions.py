"""Recorded answers to bias questions: tables, JSON Lines, or fields within the questions.

A table has ``example_id``, mostly ``category``, and ``pred`` (0–2; −1 = none of the options) or
``raw_prediction`` (words), and says who answered how in any of :data:`FACTORS`. BBQ's published
results keep answers within the questions instead: a field ``NAME_pred_FORMAT`` for each model.
"""

import csv
import re
from collections.abc import Mapping
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.answer_table import answer_table, missing_column
from fairviz.formats.bias_checks import (
    NothingRecordedError,
    note_unread,
    refuse_empty,
    refuse_second_answers,
)
from fairviz.formats.bias_items import is_bias_items
from fairviz.formats.bias_table import AnswerColumns, answer_columns
from fairviz.formats.bias_words import option_named
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.model import BiasPredictions, Factor
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD, ChoiceArray

FACTORS = (*("model", "setting", "retriever", "k", "language", "instruction", "shots", "size", "tuned"),)
"""Columns that say who answered how."""

_IDS = ("example_id", "sample_id", "item_id", "id")
_CATEGORIES = ("category", "bias_type")
_CHOICES = ("pred", "pred_index", "prediction_index", "choice")
_WORDS = ("raw_prediction", "prediction", "raw_answer", "response", "output", "answer")
_BLANK = {"", "nan", "none", "null", "na", "n/a"}
_WITHIN = re.compile(r"(?<=.)_pred(?=_|$)", re.IGNORECASE)
_FIX = "Write columns example_id, category, model, setting, raw_prediction or pred (0–2, −1)."


def is_bias_predictions(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of answers to bias questions.

    Questions that carry answers are both (:func:`fairviz.formats.bias_items.is_bias_items`).

    Examples:
        >>> is_bias_predictions({"model", "category", "example_id", "pred"})
        True
        >>> is_bias_predictions({"qid", "attribute", "value", "gold", "prediction"})
        False
    """
    known = {key.strip().lower() for key in keys}
    items = is_bias_items(known)
    ids = _IDS if items else _IDS[:2]
    words = _WORDS[:-1] if items else _WORDS
    answered = known & {*_CHOICES, *words} or any(_WITHIN.search(key) for key in known)
    return bool(known & set(ids)) and bool(answered)


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
    book = NoteBook(source.name)
    table = answer_columns(source, _is_wanted, book, key="example_id")
    columns = {name.lower(): column for name, column in table.columns.items()}
    ids = _first(columns, _IDS)
    if ids is None:
        raise _missing("example_id", source, book)
    within = [name for name in table.columns if _WITHIN.search(name)]
    choices, words = _first(columns, _CHOICES), _first(columns, _answer_columns(columns))
    if choices is None and words is None and within:
        predictions = _within(source.stem, table, within, ids, _first(columns, _CATEGORIES))
    elif choices is None and words is None:
        raise _missing("raw_prediction or pred", source, book)
    else:
        predictions = BiasPredictions(
            name=source.stem,
            factors=tuple(_tidy(columns[name], name) for name in FACTORS if name in columns),
            categories=_optional(_first(columns, _CATEGORIES), "category"),
            example_ids=_tidy(ids, "example_id"),
            choices=_options(choices, words, table, source.name),
            words=None if words is None else Factor("words", words.values, words.codes),
        )
    coded = choices is not None and any(not _is_blank(value) for value in choices.values)
    refuse_empty(predictions, table, source.name, coded=coded)
    refuse_second_answers(predictions, table, source.name)
    note_unread(predictions, table, book)
    models = next((len(f.values) for f in predictions.factors if f.name == "model"), 1)
    label = f"answers to bias questions: {len(predictions.example_ids):,} of {models} model"
    label += "" if models == 1 else "s"
    return Parsed(value=predictions, file=source.name, format=label, notes=book.notes)


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
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow([*(name for name, _ in columns), "pred"])
    for row, choice in enumerate(predictions.choices):
        cells = [column.values[int(column.codes[row])] for _, column in columns]
        rows.writerow([*cells, "" if choice == UNREAD else str(choice)])


def _is_wanted(name: str) -> bool:
    known = {*_IDS, *_CATEGORIES, *_CHOICES, *_WORDS, *FACTORS, "biased_answer"}
    return name in known or _WITHIN.search(name) is not None


def _answer_columns(columns: Mapping[str, Factor]) -> tuple[str, ...]:
    """Names of columns of words; KoBBQ calls the right option ``answer``."""
    return _WORDS[:-1] if "biased_answer" in columns else _WORDS


def _first(columns: Mapping[str, Factor], names: tuple[str, ...]) -> Factor | None:
    return next((columns[name] for name in names if name in columns), None)


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


def _options(choices: Factor | None, words: Factor | None, table: AnswerColumns, file: str) -> ChoiceArray:
    """The option of each answer: ``pred`` where it is filled, else what the words say plainly."""
    said = np.full(table.n_rows, OUT_OF_CHOICE, dtype=np.int8)
    if words is not None:
        said = np.array([_plain_option(value) for value in words.values], dtype=np.int8)[words.codes]
    if choices is None:
        return said
    options: list[int] = []
    for code, value in enumerate(choices.values):
        text = value.strip()
        option = option_named(text)
        if text in ("-1", "−1", "-1.0"):
            option = OUT_OF_CHOICE
        elif _is_blank(text):
            option = UNREAD
        elif option is None:
            row = int(np.argmax(choices.codes == code))
            reason = f"{choices.name} must be 0, 1, 2 or -1, found {shown(text)}"
            fix = "Call answers in words raw_prediction."
            raise InputError(reason, file=file, line=table.line(row), fix=fix)
        options.append(option)
    chosen = np.array(options, dtype=np.int8)[choices.codes]
    return np.where(chosen == UNREAD, said, chosen)


def _is_blank(text: str) -> bool:
    return text.strip().casefold() in _BLANK


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
    models = tuple(_WITHIN.sub("", field, count=1) for field in fields)
    words = [table.columns[field] for field in fields]
    places: dict[str, int] = {}
    codes = [np.array([places.setdefault(v, len(places)) for v in each.values], np.int32)[each.codes] for each in words]
    said = Factor("words", tuple(places), np.concatenate(codes))
    options = np.array([_plain_option(value) for value in said.values], dtype=np.int8)
    asked = _optional(categories, "category")
    if asked is not None:
        asked = Factor(asked.name, asked.values, np.tile(asked.codes, n))
    tidy = _tidy(ids, "example_id")
    return BiasPredictions(
        name=name,
        factors=(Factor("model", models, np.repeat(np.arange(n, dtype=np.int32), len(ids))),),
        categories=asked,
        example_ids=Factor("example_id", tidy.values, np.tile(tidy.codes, n)),
        choices=options[said.codes],
        words=said,
    )


def _missing(column: str, source: Source, book: NoteBook) -> InputError:

    table = answer_table(source, book)
    if table.columns is None:
        _, record = next(table.records)
        table.records.close()
        return missing_column(column, tuple(record), source.name, fix=_FIX)
    return missing_column(column, table.columns, source.name, fix=_FIX)
