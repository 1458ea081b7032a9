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
import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_table import AnswerColumn, AnswerTable, Coded, depth, one_of, text_or_number
from fairviz.io.bbq import is_bias_items
from fairviz.io.bbq_targets import option_named
from fairviz.io.cells import cells_of, read_cells
from fairviz.io.json import FileRow, Json
from fairviz.io.log_tools import read_log
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.model import BiasPredictions
from fairviz.model.answers import OUT_OF_CHOICE, UNREAD
from fairviz.model.arrays import first_repeated
from fairviz.numerals import count, plural

FACTORS = ("model", "setting", "retriever", "k", "language", "instruction", "shots", "size", "tuned")
"""Columns that say who answered how."""

_MODEL_PRED = re.compile(r"(?<=.)_pred(?=_|$)", re.IGNORECASE)


def _text(*names: str) -> AnswerColumn[str]:
    return AnswerColumn(text_or_number, names)


def _coded(text: str) -> int | None:
    """The option that a filled ``pred`` names, or that it names none."""
    option = option_named(text)
    return OUT_OF_CHOICE if option is None and text in ("-1", "−1", "-1.0") else option


def _item(value: Json, name: str, row: FileRow) -> str:
    """The id of an item, which is told."""
    example_id = text_or_number(value, name, row)
    if is_blank(example_id):
        raise row.wrong("example_id is empty", "Name the item of each answer.")
    return example_id


_ID = AnswerColumn(_item, ("example_id", "sample_id", "item_id", "id"))
_CATEGORY = _text("category", "bias_type")
_WRONG, _FIX_PRED = "{name} must be 0, 1, 2 or -1, found {cell}", "Call answers in words raw_prediction."
_BLANK = ("", "nan", "none", "null", "na", "n/a")
_READ_PRED = one_of(_coded, _WRONG, _FIX_PRED, text=text_or_number, blank=_BLANK, default=UNREAD)
_PRED = AnswerColumn(_READ_PRED, ("pred", "pred_index", "prediction_index", "choice"))
_OF_FACTORS = [AnswerColumn(depth, (name,)) if name == "k" else _text(name) for name in FACTORS]
_WORDS = _text("raw_prediction", "prediction", "raw_answer", "response", "output")
_ANSWER, _BIASED = _text("answer"), _text("biased_answer")
"""``answer`` holds words, too; but KoBBQ, which has a ``biased_answer``, calls the right option so."""
_QUESTION_KEY = _text("question_key")
"""What was asked, where ids do not say it: :func:`fairviz.io.logs.text_key`."""

_FIX = "Write columns example_id, category, model, setting, raw_prediction or pred (0–2, −1)."


class NothingRecordedError(InputError):
    """The file has room for answers, and none is filled in."""


def is_bias_predictions(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of answers to bias questions.

    Questions that carry answers are both (:func:`fairviz.io.bbq.is_bias_items`).

    Examples:
        >>> is_bias_predictions({"Example_ID", "Pred"}), is_bias_predictions({"example_id", "raw_prediction"})
        (True, True)
        >>> item = {"id", "context", "question", "ans0", "ans1", "ans2", "context_condition", "label"}
        >>> is_bias_predictions({*item, "gpt-4_pred"}), is_bias_predictions({*item, "prediction"})
        (True, True)
        >>> is_bias_predictions(item), is_bias_predictions({"id", "answer", "question"})
        (False, False)
        >>> is_bias_predictions({"qid", "attribute", "value", "gold", "prediction"})
        False
    """
    names = {folded(key) for key in keys}
    items = is_bias_items(names)
    ids = _ID.names if items else _ID.names[:2]  # "id" alone says little
    words = _WORDS.names if items else (*_WORDS.names, _ANSWER.name)
    answered = names & {*_PRED.names, *words} or any(map(_MODEL_PRED.search, names))
    return bool(names & set(ids)) and bool(answered)


@reader
def read_bias_predictions(source: Source) -> Parsed[BiasPredictions]:
    """Read recorded answers.

    ``pred`` is used where it is filled, else the words: a lone letter ("B", "(b)") or "ans1" is an
    option, other words are read when the items are known, an empty answer is out of choice.

    Args:
        source: A path or ``(name, bytes)``: CSV, TSV or JSON Lines, plain or gzip'ed.

    Raises:
        InputError: The file cannot be read, a column is missing, ``pred`` is no option, an id is
            empty, no answer is recorded, or one producer answers an item twice.
    """
    notes = NoteBook(source.name)
    log = read_log(source, notes)
    cells = read_cells(source, notes, coded=True) if log is None else cells_of(log.to_items(FACTORS), source.name)
    table = AnswerTable(cells, _FIX, notes)
    if not table.has(_ID):
        raise table.missing(_ID.name)
    words = _ANSWER if table.has(_ANSWER) and not (table.has(_WORDS) or table.has(_BIASED)) else _WORDS
    within = [name for name in table.cells.names if _MODEL_PRED.search(name)]
    by_row = table.has(_PRED) or table.has(words)
    if not by_row and not within:
        raise table.missing("raw_prediction or pred")
    predictions = _predictions(source.stem, table, words, [] if by_row else within)
    if not _any_recorded(predictions, table):
        reason, fix = "no answer is recorded: every prediction is blank", "Fill in the answers."
        raise NothingRecordedError(reason, file=source.name, line=table.line(0), fix=fix)
    _refuse_second_answers(predictions, table)
    _note_unread(predictions, table, notes)
    _note_case(predictions, notes)
    models = len(predictions.names("model")) if predictions.has("model") else 1
    label = "" if log is None else f"log of {log.tool}: "
    label += f"answers to bias questions: {count(len(predictions))} of {models} model"
    label += "" if models == 1 else "s"
    return notes.parsed(predictions, label)


def _predictions(name: str, table: AnswerTable, words: AnswerColumn[str], within: Sequence[str]) -> BiasPredictions:
    """Answers in the words of a column or by option; or those ``within`` the questions, a field for each model.

    Of these each field's answers stand together, one field after the other.
    """
    columns = (_CATEGORY, _ID) if within else (*_OF_FACTORS, _CATEGORY, _ID, _QUESTION_KEY)
    recorded = {column.name: table.coded(column.stripped, column) for column in columns if table.has(column)}
    fields = [table.words(column) for column in (map(_text, within) if within else (words,))]
    pred = None if within else table.coded(_PRED.of, _PRED).column(pl.Int8)
    table.check()
    frame = pl.DataFrame([coded.enum(column) for column, coded in recorded.items()])
    if within:
        models = [_MODEL_PRED.sub("", table.cells.names[field], count=1) for field in within]
        whose = pl.Series("model", np.repeat(models, table.n_rows), dtype=pl.Enum(models))
        frame = pl.concat([frame] * len(within)).insert_column(0, whose)
    frame = frame.rename({_ID.name: "example_id", _QUESTION_KEY.name: "asked"}, strict=False)
    answers = fields[0] if len(fields) == 1 else Coded.of(pl.concat([field.column() for field in fields]))
    choices = answers.mapped(_plain_option).column(pl.Int8)
    if pred is not None:
        choices = pred.zip_with(pred != UNREAD, choices)
    more = [answers.enum("words")] if within or table.has(words) else []
    return BiasPredictions(name, frame.with_columns(choices.alias("choice"), *more))


def _plain_option(words: str) -> int:
    """The option that an answer is by its words alone: out of choice where it is empty."""
    option = option_named(words)
    if option is None:
        return UNREAD if words.strip() else OUT_OF_CHOICE
    return option


def _any_recorded(predictions: BiasPredictions, table: AnswerTable) -> bool:
    """Whether any answer is recorded, as an option, as none of them (−1), or in words."""
    if (predictions.frame["choice"] != OUT_OF_CHOICE).any():
        return True
    if predictions.has("words") and any(value.strip() for value in predictions.names("words")):
        return True
    return table.coded(_PRED.of, _PRED).values != (UNREAD,)


@reader
def carried_predictions(source: Source) -> Parsed[BiasPredictions] | None:
    """The answers within a file of bias questions, None where it has room for them only.

    KoBBQ's own files have an empty column ``prediction``.

    Raises:
        InputError: As :func:`read_bias_predictions`.
    """
    try:
        return read_bias_predictions(source)
    except NothingRecordedError:
        return None


def write_bias_predictions(predictions: BiasPredictions, to: TextIO) -> None:
    """Write answers as a CSV table; :func:`read_bias_predictions` gives them back.

    Args:
        predictions: The answers; those not yet read are written in words only.
        to: An open text file (``newline=""``).
    """
    named = {"words": "raw_prediction", "asked": _QUESTION_KEY.name}
    others = [*predictions.of_items, *(column for column in named if predictions.has(column))]
    choice = pl.col("choice")
    pred = pl.when(choice == UNREAD).then(pl.lit("")).otherwise(choice.cast(pl.String))
    written = predictions.frame.select(*predictions.factors, *others, pred=pred).rename(named, strict=False)
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow(written.columns)
    rows.writerows(written.iter_rows())


# What recorded answers must not be, and what a person should know of them.


def _refuse_second_answers(predictions: BiasPredictions, table: AnswerTable) -> None:
    """Refuse two answers of one producer (all columns that say who answered how) to one item.

    Raises:
        InputError: The line of the second answer, naming the first one's.
    """
    repeated = first_repeated(predictions.frame.select(*predictions.factors, *predictions.of_items))
    if repeated is None:
        return
    answer = predictions.frame.row(repeated[0], named=True)
    row, first = (index % table.n_rows for index in repeated)  # answers within questions are several a row
    item: str = " ".join(answer[column] for column in predictions.of_items)
    producer: str = " / ".join(answer[name] for name in predictions.factors if predictions.names(name) != [""])
    reason = f"second answer{f' of {shown(producer)}' if producer else ''} to {shown(item)}"
    reason += f" (first on line {table.line(first)})"
    lacks = "model, setting, instruction, …" if predictions.has("category") else "category"
    fix = f"Keep one, or name what differs in a column ({lacks})."
    raise InputError(reason, file=table.file, line=table.line(row), fix=fix)


_ODD = ("words, read as options when the items are known", "empty, out of choice", "none of the options, out of choice")


def _note_unread(predictions: BiasPredictions, table: AnswerTable, notes: NoteBook) -> None:
    """Note how many answers are words, empty or out of choice."""
    n_answers = len(predictions)
    choice = predictions.frame["choice"]
    out, empty = choice == OUT_OF_CHOICE, pl.repeat(False, n_answers, eager=True)
    if predictions.has("words"):
        blank = [value for value in predictions.names("words") if not value.strip()]
        empty = out & predictions.frame["words"].is_in(blank)
    for rows, message in zip((choice == UNREAD, empty, out & ~empty), _ODD, strict=True):
        n_such = int(rows.sum())
        if n_such:
            share = f"{count(n_such)} of {plural(n_answers, 'answer')} ({100 * n_such / n_answers:.3g} %)"
            notes.add(f"{share}: {message}", table.line(int(rows.arg_max() or 0) % table.n_rows))


def _note_case(predictions: BiasPredictions, notes: NoteBook) -> None:
    """Note values of columns that differ only by case."""
    for factor in predictions.factors:
        seen: dict[str, str] = {}
        for value in predictions.names(factor):
            before = seen.setdefault(value.casefold(), value)
            if before != value:
                kind = f"values of {factor} differ only by case"
                notes.add(f"{kind}: {shown(before)} / {shown(value)}", kind=kind)
