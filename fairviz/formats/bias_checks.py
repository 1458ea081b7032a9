"""What recorded answers to bias questions must not be, and what a person should know of them."""

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.bias_table import AnswerColumns
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.ordering import first_repetition
from fairviz.model import BiasPredictions, IntArray
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD

_MANY = 2**40


class NothingRecordedError(InputError):
    """The file has room for answers, and none is filled in."""


def refuse_empty(predictions: BiasPredictions, table: AnswerColumns, file: str, *, coded: bool) -> None:
    """Refuse an answer without id, and a file in which nobody answers.

    Args:
        predictions: The answers.
        table: Where they stand.
        file: Name of the file.
        coded: Whether any answer is recorded as an option or as none of them (−1).

    Raises:
        InputError: An id is empty; a :class:`NothingRecordedError` where every answer is blank.
    """
    ids = predictions.example_ids
    if "" in ids.values:
        row = int(np.argmax(ids.codes == ids.values.index(""))) % table.n_rows
        fix = "Name the item of each answer."
        raise InputError("example_id is empty", file=file, line=table.line(row), fix=fix)
    words = predictions.words
    if not coded and (words is None or not any(value.strip() for value in words.values)):
        reason, fix = "no answer is recorded: every prediction is blank", "Fill in the answers."
        raise NothingRecordedError(reason, file=file, line=table.line(0), fix=fix)


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


def refuse_second_answers(predictions: BiasPredictions, table: AnswerColumns, file: str) -> None:
    """Refuse two answers of one producer (all columns that say who answered how) to one item.

    Raises:
        InputError: The line of the second answer, naming the first one's.
    """
    repeated = first_repetition(_keys(predictions))
    if repeated is None:
        return
    row, first = (place % table.n_rows for place in repeated)
    asked = [f for f in (predictions.categories, predictions.example_ids) if f is not None]
    item = " ".join(f.values[int(f.codes[row])] for f in asked)
    who = " / ".join(f.values[int(f.codes[row])] for f in predictions.factors if f.values != ("",))
    reason = f"second answer{f' of {shown(who)}' if who else ''} to {shown(item)}"
    reason += f" (first on line {table.line(first)})"
    lacks = "category" if predictions.categories is None else "model, setting, instruction, …"
    fix = f"Keep one, or name what differs in a column ({lacks})."
    raise InputError(reason, file=file, line=table.line(row), fix=fix)


def note_unread(predictions: BiasPredictions, table: AnswerColumns, book: NoteBook) -> None:
    """Note how many answers are words, empty or out of choice, and values that differ by case."""
    n = predictions.choices.size
    unread = predictions.choices == UNREAD
    out = predictions.choices == OUT_OF_CHOICE
    empty = np.zeros(n, dtype=np.bool_)
    if predictions.words is not None:
        blank = np.array([not value.strip() for value in predictions.words.values])
        empty = out & blank[predictions.words.codes]
    for rows, message in (
        (unread, "are words: read as options when the items are known"),
        (empty, "are empty: out of choice"),
        (out & ~empty, "name none of the options: out of choice"),
    ):
        count = int(rows.sum())
        if count:
            line = table.near_line(int(np.argmax(rows)) % table.n_rows)
            book.add(f"{count:,} of {n:,} answers ({100 * count / n:.3g} %) {message}", line)
    for factor in predictions.factors:
        seen: dict[str, str] = {}
        for value in factor.values:
            before = seen.setdefault(value.casefold(), value)
            if before != value:
                kind = f"values of {factor.name} differ only by case"
                book.add(f"{kind}: {shown(before)} / {shown(value)}", kind=kind)
