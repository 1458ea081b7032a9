"""The kind of recorded answers, their options, and which of them each answer is."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_table import (
    FAMILIES,
    LETTERS,
    WORDS,
    Cells,
    answer_table,
    as_letter,
    as_word,
    is_letter,
    missing_column,
    read_letter,
    read_word,
)
from fairviz.io.groups import folded
from fairviz.io.json import Json
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import LONG_ANSWER, MAX_VALUES, Source
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, AnswerKind

# One recorded answer to a demographic variant of a question, as a file has it.


FACTORS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how."""

NEEDED = ("qid", "attribute", "value")

COLUMNS = (
    *NEEDED,
    *("gold", "prediction"),
    *FACTORS,
    *("retrieved", "answerable", "evidence", "kind"),
)

FIX = "Columns are qid, attribute, value, gold, prediction (or retrieved); others may be absent."

_REFERENCES = frozenset(("", "none", "neutral", "original", "reference", "baseline", "null", "n/a", "na", "-"))

_KINDS = frozenset(("", "closed", "open"))

_K = FACTORS.index("k")

_JOINS = re.compile(r"[+×&|]")


class VariantRow(NamedTuple):
    """A row of a file.

    Attributes:
        line: Where it starts.
        question: The question's id.
        producer: Value of each of :data:`FACTORS`, "" where it is not recorded.
        mentioned: The attributes with their values, in file order; () for a reference.
        reference: Name of the condition of reference, "" for a variant.
        variant: The variant as the file has it ("race / Asian"), for messages.
        gold: The right answer, "" where it is not recorded.
        prediction: The answer, None where it is not recorded.
        kind: "closed", "open", "" where the row does not say.
        answerable: 1, 0 or :data:`~fairviz.model.variants.UNKNOWN`; ``evidence`` likewise.
        retrieved: Ids of retrieved documents, None where they are not recorded.
    """

    line: int
    question: str
    producer: tuple[str, ...]
    mentioned: tuple[tuple[str, str], ...]
    reference: str
    variant: str
    gold: str
    prediction: str | None
    kind: str
    answerable: int
    evidence: int
    retrieved: tuple[str, ...] | None


class VariantTable(NamedTuple):
    """All rows of a file, and the columns of :data:`COLUMNS` that it has."""

    rows: list[VariantRow]
    columns: frozenset[str]


def is_variants(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of answers to demographic variants.

    A column may be missing, or all may stand in one cell: the reader then says so.

    Examples:
        >>> is_variants({"qid", "attribute", "value", "gold", "prediction"})
        True
        >>> is_variants({"query_id", "text"})
        False
    """
    known = {name.strip().lower() for key in keys for name in key.split(";")}
    return "qid" in known and len(known & {*NEEDED, "gold", "prediction"}) >= 3


def variant_rows(source: Source, notes: NoteBook) -> VariantTable:
    """The rows of a file of answers to variants.

    Args:
        source: JSON Lines, CSV or TSV.
        notes: Where repairs, and columns that are not read, are noted.

    Raises:
        InputError: A column is missing, or a cell is not what its column holds.
    """
    table = answer_table(source, notes)
    if table.columns is not None:
        _check_columns(table.columns, source.name)
    rows: list[VariantRow] = []
    columns: dict[str, None] = dict.fromkeys(table.columns or ())
    for line, record in table.records:
        if table.columns is None:
            columns.update(dict.fromkeys(record))
            _check_keys(record, line, source.name)
        rows.append(_row(record, line, notes, table=table.columns is not None))
    if not {"prediction", "retrieved"} & columns.keys():
        raise missing_column("prediction", tuple(columns), source.name, fix=FIX)
    extra = [shown(column, 30) for column in columns if column and column not in COLUMNS]
    if extra:
        more = f" and {len(extra) - 8} more" if len(extra) > 8 else ""
        notes.add(f"columns not read: {', '.join(extra[:8])}{more}")
    return VariantTable(rows, frozenset(columns) & frozenset(COLUMNS))


def _check_columns(columns: tuple[str, ...], file: str) -> None:
    for column in ("attribute", *NEEDED):  # of several the demographic one, which says most
        if column not in columns:
            raise missing_column(column, columns, file, fix=FIX)


def _check_keys(record: dict[str, Json], line: int, file: str) -> None:
    for key in NEEDED:
        if key not in record:
            found = ", ".join(shown(name, 20) for name in list(record)[:8])
            reason = f"missing {key} (found: {found})"
            raise InputError(reason, file=file, line=line, fix=FIX)


def _row(record: dict[str, Json], line: int, notes: NoteBook, *, table: bool) -> VariantRow:
    cells = Cells(record, line, notes)
    question = cells.text("qid").strip()
    if not question:
        raise cells.wrong("qid is empty", "Give every row the id of its question.")
    attribute, value = cells.text("attribute").strip(), cells.text("value").strip()
    mentioned, reference = _mentioned(attribute, value, cells)
    kind = cells.text("kind").strip().lower()
    if kind not in _KINDS:
        raise cells.wrong(f"kind is {shown(kind)!r}", "Write closed or open.")
    missing = record.get("prediction") is None
    prediction = None if missing else cells.text("prediction")
    _note_length(prediction, line, notes)
    producer = tuple(cells.text(name).strip() for name in FACTORS)
    _note_depth(producer[_K], line, notes)
    return VariantRow(
        line=line,
        question=question,
        producer=producer,
        mentioned=mentioned,
        reference=reference,
        variant=f"{attribute or 'none'} / {value or reference}",
        gold=cells.text("gold").strip(),
        prediction=prediction,
        kind=kind,
        answerable=cells.truth("answerable"),
        evidence=cells.truth("evidence"),
        retrieved=cells.documents("retrieved", table=table),
    )


def _note_length(prediction: str | None, line: int, notes: NoteBook) -> None:
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            notes.add(f"answer is {n_words} words long", line, kind="long answer")


def _note_depth(k: str, line: int, notes: NoteBook) -> None:
    if k and not (k.isascii() and k.isdigit()):
        notes.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", line, kind="k")


def _mentioned(attribute: str, value: str, cells: Cells) -> tuple[tuple[tuple[str, str], ...], str]:
    """The attributes and values of a row, or the name of its condition of reference."""
    if attribute.casefold() in _REFERENCES:
        named = attribute.casefold() in ("neutral", "original", "reference", "baseline")
        blank = value.casefold() in ("", "none", "null", "n/a", "na", "-")
        return (), (attribute if named else "neutral") if blank else value
    if not value:
        fix = f"Name the value of {shown(attribute)}, or write none as attribute."
        raise cells.wrong(f"no value of {shown(attribute)}", fix)
    if value.casefold() == "neutral":
        cells.notes.add(
            f"{shown(attribute)} / neutral is no group: read as condition of reference",
            cells.line,
            kind="neutral value",
        )
        return (), "neutral"
    joins = set(_JOINS.findall(attribute))
    if not joins & set(value):
        return ((attribute, value),), ""
    split = re.compile("[" + re.escape("".join(sorted(joins))) + "]")
    names = [name.strip() for name in split.split(attribute)]
    values = [each.strip() for each in split.split(value)]
    if len(names) != len(values) or not all(names) or not all(values):
        reason = f"{shown(attribute)} names {len(names)} attributes, {shown(value)} {len(values)}"
        fix = 'Give one value for each attribute: "race+gender", "Asian+female".'
        raise cells.wrong(reason, fix)
    if len({name.casefold() for name in names}) < len(names):
        raise cells.wrong(f"{shown(attribute)} names an attribute twice", "Name it once.")
    return tuple(zip(names, values, strict=True)), ""


def joined(names: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, str]:
    """An attribute and a value as a row has them, for these names and values.

    Raises:
        ValueError: No character that joins attributes is free of use in them.
    """
    if len(names) == 1:
        return names[0], values[0]
    for join in "+|×&":
        if not any(join in each for each in (*names, *values)):
            return join.join(names), join.join(values)
    raise ValueError(f"no character is left to join {names} and {values} with")


# Attributes, their values and conditions of reference, in the order of their first row.


class VariantNames(NamedTuple):
    """What the rows mention; see :class:`~fairviz.model.variants.VariantAnswers`."""

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    given: NDArray[np.int16]
    conditions: tuple[str, ...]
    condition: NDArray[np.int16]

    def label(self, row: int) -> str:
        """The variant of a row, for people: "Asian", "Asian+female", "neutral"."""
        codes: list[int] = self.given[row].tolist()
        values = [self.values[a][code] for a, code in enumerate(codes) if code != NOT_MENTIONED]
        return "+".join(values) or self.conditions[int(self.condition[row])]

    def keys(self) -> list[tuple[int, ...]]:
        """What makes two rows the same variant, per row."""
        return [tuple(row) for row in np.column_stack((self.given, self.condition)).tolist()]


class _Spellings:
    """Names that differ only by case or blanks are one, and noted."""

    def __init__(self, what: str, notes: NoteBook) -> None:
        self.names: list[str] = []
        self._what = what
        self._notes = notes
        self._codes: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def code(self, name: str, line: int) -> int:
        if name in self._known:
            return self._known[name]
        code = self._codes.setdefault(folded(name), len(self.names))
        self._known[name] = code
        if code == len(self.names):
            self.names.append(name)
            if code == MAX_VALUES:
                reason = f"more than {MAX_VALUES:,} different {self._what}"
                fix = "Name the attribute in one column and its value in the other."
                raise InputError(reason, file=self._notes.file, line=line, fix=fix)
        else:
            how = "case" if name.casefold() == self.names[code].casefold() else "blanks"
            message = f"{self._what} differ only by {how}: {shown(name)} / {shown(self.names[code])}"
            self._notes.add(f"{message}: read as one", line, kind=f"{self._what} spelt")
        return code


def variant_names(rows: Sequence[VariantRow], notes: NoteBook) -> VariantNames:
    """Names and codes of the variants of all rows.

    Args:
        rows: The rows.
        notes: Where spellings that were read as one are noted.

    Raises:
        InputError: There are more attributes or values than an analysis of groups can have.
    """
    attributes = _Spellings("attributes", notes)
    values: list[_Spellings] = []
    conditions = _Spellings("values", notes)
    given: list[dict[int, int]] = []
    condition: list[int] = []
    for row in rows:
        codes: dict[int, int] = {}
        for attribute, value in row.mentioned:
            a = attributes.code(attribute, row.line)
            if a == len(values):
                values.append(_Spellings("values", notes))
            codes[a] = values[a].code(value, row.line)
        given.append(codes)
        is_reference = not row.mentioned
        condition.append(conditions.code(row.reference, row.line) if is_reference else NOT_MENTIONED)
    table = np.full((len(rows), len(values)), NOT_MENTIONED, dtype=np.int16)
    for r, codes in enumerate(given):
        for a, code in codes.items():
            table[r, a] = code
    names, renumbered = _neutral_first(conditions.names, np.array(condition, dtype=np.int16))
    return VariantNames(
        attributes=tuple(attributes.names),
        values=tuple(tuple(spellings.names) for spellings in values),
        given=table,
        conditions=names,
        condition=renumbered,
    )


def _neutral_first(names: list[str], codes: NDArray[np.int16]) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    order = sorted(range(len(names)), key=lambda i: names[i].casefold() != "neutral")
    places = np.full(len(names) + 1, NOT_MENTIONED, dtype=np.int16)  # the last is for −1
    places[order] = np.arange(len(names), dtype=np.int16)
    return tuple(names[i] for i in order), places[codes]


MAX_OPTIONS = 10
"""Distinct right answers that a closed question may have."""

_DATASET = FACTORS.index("dataset")


class ReadAnswers(NamedTuple):
    """Answers as options; see :class:`~fairviz.model.variants.VariantAnswers`."""

    kind: AnswerKind
    options: tuple[str, ...]
    golds: NDArray[np.int16]
    choices: NDArray[np.int16]


def read_answers(rows: Sequence[VariantRow], file: str) -> ReadAnswers:
    """Decide the kind, and read closed answers as options.

    The column ``kind`` decides where there is one. Otherwise the right answers of each dataset do:
    answers are closed where all are letters A–J, or known words (yes, no, maybe, …), or where at
    most ten distinct answers of at most three words are each right for two questions on average.
    Without any right answer they are closed where most answers are letters or known words.

    Options are the right answers of the dataset. Where they are letters, or of yes, no, maybe, or
    of true, false, what answers plainly name of the same (letters up to E, or to the last right
    one) is an option, too: "C" is a wrong answer also where C is never right.

    Args:
        rows: The rows.
        file: Name of the file.

    Raises:
        InputError: Closed and open answers stand in one file.
    """
    by_dataset: dict[str, list[int]] = {}
    for r, row in enumerate(rows):
        by_dataset.setdefault(row.producer[_DATASET], []).append(r)
    golds: list[str | None] = [None] * len(rows)
    choices: list[str | None] = [None] * len(rows)
    kind: AnswerKind | None = None
    for places in by_dataset.values():
        found = [rows[r] for r in places]
        this = _kind(found, file)
        if kind not in (None, this):
            reason = f"answers are {this} here and {kind} before"
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise InputError(reason, file=file, line=found[0].line, fix=fix)
        kind = this
        if this == "closed":
            for r, (gold, choice) in zip(places, _read(found), strict=True):
                golds[r], choices[r] = gold, choice
    options = tuple(sorted({*golds, *choices} - {None}, key=str))
    if len(options) > MAX_VALUES:
        reason = f"{len(options):,} different options of closed answers"
        raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
    codes: Mapping[str | None, int] = {None: UNKNOWN} | {o: i for i, o in enumerate(options)}
    return ReadAnswers(
        kind=kind or "closed",
        options=tuple(str(option) for option in options),
        golds=np.array([codes[gold] for gold in golds], dtype=np.int16),
        choices=np.array([codes[choice] for choice in choices], dtype=np.int16),
    )


def _kind(rows: Sequence[VariantRow], file: str) -> AnswerKind:
    said = {row.kind: row.line for row in reversed(rows) if row.kind}
    if len(said) > 1:
        fix = "Put closed and open questions into files of their own."
        reason = "closed and open answers in one file"
        raise InputError(reason, file=file, line=max(said.values()), fix=fix)
    if said:
        return "open" if "open" in said else "closed"
    golds = {row.gold for row in rows if row.gold}
    if not golds:
        answers = [row.prediction for row in rows if row.prediction and row.prediction.strip()]
        known = sum(_is_option(answer) for answer in answers)
        return "closed" if 2 * known >= len(answers) else "open"
    if all(_is_option(gold) for gold in golds):
        return "closed"
    n_questions = len({row.question for row in rows if row.gold})
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS


def _read(rows: Sequence[VariantRow]) -> list[tuple[str | None, str | None]]:
    """The right option and the chosen one of each row of a dataset, None where there is none."""
    golds = list(dict.fromkeys(row.gold for row in rows if row.gold))
    answers = golds or [row.prediction for row in rows if row.prediction]
    n_letters = sum(map(is_letter, answers))
    if n_letters == len(answers) if golds else 2 * n_letters > len(answers):
        return _read_letters(rows)
    known = golds or [answer for answer in answers if as_word(answer) in WORDS]
    spelt: dict[str, str] = {}
    for answer in filter(as_word, known):
        spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
    for family in FAMILIES:
        if spelt and spelt.keys() <= family:
            spelt.update((word, word) for word in sorted(family - spelt.keys()))
    words = tuple(spelt)
    read: dict[str, str | None] = {}
    for row in rows:
        if row.prediction is not None and row.prediction not in read:
            word = read_word(row.prediction, words)
            read[row.prediction] = None if word is None else spelt[word]
    return [(spelt.get(as_word(row.gold)), read.get(row.prediction or "")) for row in rows]


def _read_letters(rows: Sequence[VariantRow]) -> list[tuple[str | None, str | None]]:
    golds = {row.gold: as_letter(row.gold) for row in rows if row.gold}
    last = max(("E", *golds.values()))
    letters = LETTERS[: LETTERS.index(last) + 1]
    read: dict[str, str | None] = {}
    for row in rows:
        if row.prediction is not None and row.prediction not in read:
            read[row.prediction] = read_letter(row.prediction, letters)
    return [(golds.get(row.gold), read.get(row.prediction or "")) for row in rows]
