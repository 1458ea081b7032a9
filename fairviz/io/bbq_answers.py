"""Recorded answers to bias questions: tables, JSON Lines, or fields within the questions.

A table has ``example_id``, mostly ``category``, and ``pred`` (0–2; −1 = none of the options) or
``raw_prediction`` (words), and says who answered how in any of :data:`FACTORS`. BBQ's published
results keep answers within the questions instead: a field ``NAME_pred_FORMAT`` for each model.
"""

import csv
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import NamedTuple, TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.io.answer_table import answer_table, is_json, missing_column, separator_of
from fairviz.io.bbq import is_bias_items
from fairviz.io.bbq_targets import as_text, option_named
from fairviz.io.ids import first_repetition
from fairviz.io.json import json_records, json_type
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, work_ahead
from fairviz.io.text import Block, head_of, line_blocks
from fairviz.io.tokens import IdChunks, one_dictionary, parse_cells
from fairviz.model import BiasPredictions, Factor, IntArray
from fairviz.model.bias import OUT_OF_CHOICE, UNREAD, ChoiceArray

# Columns of long answer tables: millions of rows of which few values are distinct.
#
# A table whose every row is plain is parsed by Arrow block by block; anything odd sends the whole
# file through :mod:`fairviz.io.answer_table`, which is slower and knows every line. The line of
# a row is looked up only where a message needs it.


class AnswerColumns(NamedTuple):
    """Some columns of a table.

    Attributes:
        columns: Each wanted column that the file has, by its name there.
        n_rows: Rows.
        line: The 1-based line of a row, found by reading the file again where it has quotes.
        finds_lines: Whether ``line`` answers at once.
    """

    columns: dict[str, Factor]
    n_rows: int
    line: Callable[[int], int]
    finds_lines: bool = True

    def near_line(self, row: int) -> int | None:
        """The line of a row where it is known at once, for notes."""
        return self.line(row) if self.finds_lines else None


def answer_columns(source: Source, wanted: Callable[[str], bool], notes: NoteBook, *, key: str) -> AnswerColumns:
    """Columns of a CSV or TSV table with a header, or of JSON Lines.

    Args:
        source: The file.
        wanted: Whether a column of that name, in lower case, is needed.
        notes: Where repairs are noted.
        key: A column without which no row may be; its blank cells are left to the exact reader.

    Raises:
        InputError: A row is not of the header, a wanted value is no text or number, or there are no
            rows.
    """
    head = head_of(source)
    if is_json(head):
        return _from_json(source, wanted, notes)
    columns = _plainly(source, head, wanted, key)
    return columns or _exactly(source, wanted, notes)


def _header(head: bytes) -> tuple[list[str], str]:
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    separator = separator_of(first)
    cells = next(csv.reader([first or " "], delimiter=separator))
    return [cell.strip() for cell in cells], separator


def _plainly(source: Source, head: bytes, wanted: Callable[[str], bool], key: str) -> AnswerColumns | None:
    """The columns as Arrow reads them, None where anything is odd."""
    names, separator = _header(head)
    chosen = [name for name in names if wanted(name.lower())]
    lower = [name.lower() for name in names]
    if b'"' in head.split(b"\n", 1)[0] or len(set(lower)) < len(names) or not chosen:
        return None
    parse = partial(_parsed, names=names, wanted=chosen, separator=separator)
    parts: list[dict[str, IdChunks]] = []
    quoted = False
    with (
        closing(line_blocks(source, NoteBook(source.name))) as blocks,
        closing(work_ahead(parse, _whole_records(blocks))) as parsed,
    ):
        for text, part in parsed:
            quoted = quoted or b'"' in text
            if part is None:
                return None
            parts.append(part)
    if not parts:
        return None
    columns: dict[str, Factor] = {}
    for name in chosen:  # pop: memory is returned column by column
        column = one_dictionary([part.pop(name) for part in parts])
        if name.lower() == key and any(not value.strip() for value in column.values):
            return None
        columns[name] = Factor(name, column.values, column.codes)
    n_rows = len(columns[chosen[0]])
    if not quoted:
        return AnswerColumns(columns, n_rows, _line_below_header)
    return AnswerColumns(columns, n_rows, partial(_line_of, source), finds_lines=False)


def _whole_records(blocks: Iterable[Block]) -> Generator[bytes, None, None]:
    """Blocks without the header, joined where a quoted cell goes on in the next one."""
    held, first = b"", True
    for block in blocks:
        text = block.text[block.text.index(b"\n") + 1 :] if first else block.text
        first = False
        held = held + text if held else text
        if held and held.count(b'"') % 2 == 0:
            yield held
            held = b""
    if held:
        yield held


def _parsed(text: bytes, *, names: Sequence[str], wanted: Sequence[str], separator: str) -> dict[str, IdChunks] | None:
    quotes = text.count(b'"')
    if quotes % 2:
        return None
    return parse_cells(text, names, wanted, separator, quoted=quotes > 0)


def _line_below_header(row: int) -> int:
    """The line of a row in a table without blank lines and quotes."""
    return row + 2


def _line_of(source: Source, row: int) -> int:
    table = answer_table(source, NoteBook(source.name))
    with closing(table.records) as records:
        return next(islice(records, row, None))[0]


def _exactly(source: Source, wanted: Callable[[str], bool], notes: NoteBook) -> AnswerColumns:
    """The columns row by row."""
    names, _ = _header(head_of(source))
    table = answer_table(source, notes)
    lower = table.columns or ()
    chosen = [name for name in lower if wanted(name)]
    as_written = {name.lower(): name for name in names}
    cells: dict[str, list[str]] = {name: [] for name in chosen}
    lines: list[int] = []
    with closing(table.records) as records:
        for line, record in records:
            lines.append(line)
            for name in chosen:
                cells[name].append(str(record[name]))
    columns = {as_written.get(name, name): Factor.of(name, texts) for name, texts in cells.items()}
    return AnswerColumns(columns, len(lines), lines.__getitem__)


def _from_json(source: Source, wanted: Callable[[str], bool], notes: NoteBook) -> AnswerColumns:
    cells: dict[str, list[str]] = {}
    lines: list[int] = []
    known: dict[str, str] = {}  # key of a record -> column, "" for none
    with closing(json_records(source, notes)) as records:
        for line, record in records:
            for key, value in record.items():
                if key not in known:
                    known[key] = key.strip() if wanted(key.strip().lower()) else ""
                column = known[key]
                if not column:
                    continue
                text = as_text(value)
                if text is None:
                    reason = f"{column} must be a string, found {json_type(value)}"
                    fix = f"Give {column} as text or a number."
                    raise InputError(reason, file=source.name, line=line, fix=fix)
                texts = cells.setdefault(column, [])
                if len(texts) < len(lines):
                    texts.extend([""] * (len(lines) - len(texts)))
                texts.append(text)
            lines.append(line)
    n = len(lines)
    padded = {name: texts + [""] * (n - len(texts)) for name, texts in cells.items()}
    columns = {name: Factor.of(name, texts) for name, texts in padded.items()}
    return AnswerColumns(columns, n, lines.__getitem__)


# What recorded answers to bias questions must not be, and what a person should know of them.


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


def note_unread(predictions: BiasPredictions, table: AnswerColumns, notes: NoteBook) -> None:
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
            notes.add(f"{count:,} of {n:,} answers ({100 * count / n:.3g} %) {message}", line)
    for factor in predictions.factors:
        seen: dict[str, str] = {}
        for value in factor.values:
            before = seen.setdefault(value.casefold(), value)
            if before != value:
                kind = f"values of {factor.name} differ only by case"
                notes.add(f"{kind}: {shown(before)} / {shown(value)}", kind=kind)


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

    Questions that carry answers are both (:func:`fairviz.io.bbq.is_bias_items`).

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
    notes = NoteBook(source.name)
    table = answer_columns(source, _is_wanted, notes, key="example_id")
    columns = {name.lower(): column for name, column in table.columns.items()}
    ids = _first(columns, _IDS)
    if ids is None:
        raise _missing("example_id", source, notes)
    within = [name for name in table.columns if _WITHIN.search(name)]
    choices, words = _first(columns, _CHOICES), _first(columns, _answer_columns(columns))
    if choices is None and words is None and within:
        predictions = _within(source.stem, table, within, ids, _first(columns, _CATEGORIES))
    elif choices is None and words is None:
        raise _missing("raw_prediction or pred", source, notes)
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
    note_unread(predictions, table, notes)
    models = next((len(f.values) for f in predictions.factors if f.name == "model"), 1)
    label = f"answers to bias questions: {len(predictions.example_ids):,} of {models} model"
    label += "" if models == 1 else "s"
    return Parsed(value=predictions, file=source.name, format=label, notes=notes.collected)


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


def _missing(column: str, source: Source, notes: NoteBook) -> InputError:

    table = answer_table(source, notes)
    if table.columns is None:
        _, record = next(table.records)
        table.records.close()
        return missing_column(column, tuple(record), source.name, fix=_FIX)
    return missing_column(column, table.columns, source.name, fix=_FIX)
