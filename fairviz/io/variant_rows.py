"""Answers to demographic variants of questions as a file has them: rows, and what they mention."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.answer_layout import Choice, Column, Ids, Layout, Options, Row, Text, Truth, WrongCellError
from fairviz.io.answer_table import AnswerColumns, columns_if_plain, note_other_columns, read_rows
from fairviz.io.json import head_keys
from fairviz.io.limits import LONG_ANSWER, MAX_VALUES
from fairviz.io.log_answers import read_log, variant_records
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.io.rag_results import is_rag_results, rag_result_rows
from fairviz.io.source import Source
from fairviz.io.text import head_of
from fairviz.model.arrays import IntArray
from fairviz.model.factors import Factor
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN

T = TypeVar("T")

FACTORS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how."""

_REFERENCES = frozenset(("", "none", "neutral", "original", "reference", "baseline", "null", "n/a", "na", "-"))

_K = FACTORS.index("k")
_JOINS = re.compile(r"[+×&|]")


def _lower(text: str) -> str:
    return text.strip().lower()


_QUESTION = Text("qid", required=True)

_ATTRIBUTE = Text("attribute", required=True)

_VALUE = Text("value", required=True)

_GOLD = Text("gold")
_PREDICTION = Text("prediction")

_PRODUCER = tuple(Text(name) for name in FACTORS)

_RETRIEVED = Ids("retrieved")
_ANSWERABLE = Truth("answerable")
_EVIDENCE = Truth("evidence")

_OPTIONS = Options("options", aliases=("choices",))

_KIND: Choice[str] = Choice(
    "kind",
    reading={"": "", "closed": "closed", "open": "open"}.get,
    wrong="kind is {cell!r}",
    fix="Write closed or open.",
    tidy=_lower,
)

LAYOUT = Layout(
    columns=(
        *(_QUESTION, _ATTRIBUTE, _VALUE, _GOLD, _PREDICTION, *_PRODUCER),
        *(_RETRIEVED, _ANSWERABLE, _EVIDENCE, _KIND, _OPTIONS),
    ),
    fix="Columns are qid, attribute, value, gold, prediction (or retrieved); others may be absent.",
    telling="attribute",  # of several the demographic one, which says most
)
"""The columns of answers to variants."""


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
        options: Words of the question's options in the order of their letters, () where they are not recorded.
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
    options: tuple[str, ...] = ()


class VariantTable(NamedTuple):
    """All rows of a file, and the columns of :data:`LAYOUT` that it has."""

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
    known = {folded(name) for key in keys for name in key.split(";")}
    return "qid" in known and len(known & {*LAYOUT.required, "gold", "prediction"}) >= 3


def variant_rows(source: Source, notes: NoteBook) -> VariantTable:
    """The rows of a file of answers to variants.

    Args:
        source: JSON Lines, CSV or TSV.
        notes: Where repairs, and columns that are not read, are noted.

    Raises:
        InputError: A column is missing, or a cell is not what its column holds.
    """
    logged = _logged(source, notes)
    if logged is not None:
        columns = frozenset(name for row in logged for name in row.record)
        return VariantTable(_variant_rows(logged), LAYOUT.names & columns)
    plain = _plain_rows(source, notes)
    if plain is not None:
        return plain
    table = read_rows(source, LAYOUT, notes)
    rows = _variant_rows(table)
    if not {"prediction", "retrieved"} & table.columns.keys():
        raise table.missing("prediction")
    table.note_other_columns()
    return VariantTable(rows, LAYOUT.names & table.columns.keys())


def _plain_rows(source: Source, notes: NoteBook) -> VariantTable | None:
    """The rows of a file in which each distinct cell is read once, None where any is refused or worth a note."""
    table = columns_if_plain(source, LAYOUT)
    if table is None or not table.finds_lines:
        return None
    names = dict.fromkeys(map(folded, table.names))
    in_json = table.line(0) == 1  # else the header's
    may_be_true = {_ANSWERABLE.name, _EVIDENCE.name}
    odd = {*_RETRIEVED.names, *_OPTIONS.names} & names.keys() or {*map(folded, table.truths)} - may_be_true
    if odd or not {*LAYOUT.required, _PREDICTION.name} <= names.keys():
        return None
    book = NoteBook(source.name)
    try:
        cells = _PlainCells(table, Row({}, 1, book), may_lack=not in_json)
        rows = cells.rows()
    except (InputError, WrongCellError):
        return None
    if book.collected or any(len(row.prediction or "") > LONG_ANSWER for row in rows):
        return None
    note_other_columns(names, LAYOUT, notes)
    return VariantTable(rows, LAYOUT.names & names.keys())


class _PlainCells:
    """What the distinct cells of a table say.

    Args:
        table: The columns.
        probe: A row to read them in, which notes what is odd.
        may_lack: Whether a cell without text is one; in JSON it may be missing, which its row tells.

    Raises:
        InputError: A cell is refused.
        WrongCellError: Likewise.
    """

    def __init__(self, table: AnswerColumns, probe: Row, *, may_lack: bool) -> None:
        self._table = table
        self._probe = probe
        self._may_lack = may_lack

    def rows(self) -> list[VariantRow]:
        """The rows of all cells."""
        attributes, values = self._texts(_ATTRIBUTE), self._texts(_VALUE)
        combined = attributes.codes.astype(np.int64) * len(values.values) + values.codes
        distinct, of = np.unique(combined, return_inverse=True)
        pairs: list[int] = distinct.tolist()
        variants = [
            self._variant(attributes.values[pair // len(values.values)], values.values[pair % len(values.values)])
            for pair in pairs
        ]
        places: list[int] = of.tolist()
        unknown = [UNKNOWN] * self._table.n_rows
        columns = (
            map(self._table.line, range(self._table.n_rows)),
            self._each(_QUESTION, self._question),
            self._producers(),
            *(map([variant[part] for variant in variants].__getitem__, places) for part in range(3)),
            self._each(_GOLD, str.strip) or [""] * self._table.n_rows,
            self._each(_PREDICTION, self._given),
            self._each(_KIND, lambda text: _KIND.read(text, _KIND.name)) or [""] * self._table.n_rows,
            self._each(_ANSWERABLE, lambda text: _ANSWERABLE.read(text, _ANSWERABLE.name)) or unknown,
            self._each(_EVIDENCE, lambda text: _EVIDENCE.read(text, _EVIDENCE.name)) or unknown,
        )
        return [VariantRow._make((*cells, None, ())) for cells in zip(*columns, strict=True)]

    def _texts(self, column: Text) -> Factor:
        """A column that every table has."""
        factor = self._table.texts(column)
        if factor is None or not (self._may_lack or all(factor.values)):
            raise self._probe.unfilled(column.name)
        return factor

    def _each(self, column: Column[Any], read: Callable[[str], T]) -> list[T]:
        """What each row of a column says; empty where the table has not got it."""
        factor = self._table.texts(column)
        if factor is None:
            return []
        return list(map([read(text) for text in factor.values].__getitem__, factor.codes.tolist()))

    def _variant(self, attribute: str, value: str) -> tuple[tuple[tuple[str, str], ...], str, str]:
        attribute, value = attribute.strip(), value.strip()
        mentioned, reference = _mentioned(attribute, value, self._probe)
        return mentioned, reference, f"{attribute or 'none'} / {value or reference}"

    def _question(self, text: str) -> str:
        if is_blank(text):
            raise self._probe.unfilled(_QUESTION.name)
        return text.strip()

    def _given(self, text: str) -> str:
        if not (text or self._may_lack):
            raise self._probe.unfilled(_PREDICTION.name)
        return text

    def _producers(self) -> list[tuple[str, ...]]:
        """The producer of each row, each distinct one once."""
        factors = [self._table.texts(column) for column in _PRODUCER]
        codes = np.zeros(self._table.n_rows, dtype=np.int64)
        for factor in factors:
            if factor is not None:
                combined = codes * len(factor.values) + factor.codes
                codes = np.unique(combined, return_inverse=True)[1].astype(np.int64)
        _, first = np.unique(codes, return_index=True)
        producers = [
            tuple(["" if factor is None else factor.values[int(factor.codes[row])].strip() for factor in factors])
            for row in first.tolist()
        ]
        for producer in producers:
            _note_depth(producer[_K], self._probe)
        return list(map(producers.__getitem__, codes.tolist()))


def _logged(source: Source, notes: NoteBook) -> list[Row] | None:
    """The rows of another tool's log, or of ``rag_results``; None for a table."""
    head = head_of(source).decode(errors="replace").lstrip()
    if head[:1] not in ("{", "["):
        return None
    if is_rag_results(head_keys(head)):
        return rag_result_rows(source, notes)
    log = read_log(source, notes)
    return None if log is None else variant_records(log, source, notes)


def _variant_rows(rows: Iterable[Row]) -> list[VariantRow]:
    """The rows, with equal cells as one object: nearly all that a row says is said by many."""
    cells = Shared()
    return [_variant_row(row, cells) for row in rows]


class Shared:
    """Equal values as one object, the first of them."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def one(self, value: T) -> T:
        """The object that stands for a value."""
        return cast(T, self._known.setdefault(value, value))


def _variant_row(row: Row, cells: Shared) -> VariantRow:
    question = _QUESTION.of(row).strip()
    if is_blank(question):
        raise row.wrong("qid is empty", "Give every row the id of its question.")
    attribute, value = _ATTRIBUTE.of(row).strip(), _VALUE.of(row).strip()
    mentioned, reference = _mentioned(attribute, value, row)
    kind = _KIND.of(row)
    prediction = None if row.record.get("prediction") is None else _PREDICTION.of(row)
    _note_length(prediction, row)
    producer = tuple([column.of(row).strip() for column in _PRODUCER])
    _note_depth(producer[_K], row)
    return VariantRow(
        line=row.line,
        question=cells.one(question),
        producer=cells.one(producer),
        mentioned=cells.one(mentioned),
        reference=cells.one(reference),
        variant=cells.one(f"{attribute or 'none'} / {value or reference}"),
        gold=cells.one(_GOLD.of(row).strip()),
        prediction=cells.one(prediction),
        kind=kind,
        answerable=_ANSWERABLE.of(row),
        evidence=_EVIDENCE.of(row),
        retrieved=_RETRIEVED.of(row),
        options=_OPTIONS.of(row),
    )


def _note_length(prediction: str | None, row: Row) -> None:
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            row.notes.add(f"answer is {n_words} words long", row.line, kind="long answer")


def _note_depth(k: str, row: Row) -> None:
    if k and not (k.isascii() and k.isdigit()):
        row.notes.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", row.line, kind="k")


def _mentioned(attribute: str, value: str, row: Row) -> tuple[tuple[tuple[str, str], ...], str]:
    """The attributes and values of a row, or the name of its condition of reference."""
    if attribute.casefold() in _REFERENCES:
        named = attribute.casefold() in ("neutral", "original", "reference", "baseline")
        blank = value.casefold() in ("", "none", "null", "n/a", "na", "-")
        return (), (attribute if named else "neutral") if blank else value
    if not value:
        fix = f"Name the value of {shown(attribute)}, or write none as attribute."
        raise row.wrong(f"no value of {shown(attribute)}", fix)
    if value.casefold() == "neutral":
        row.notes.add(
            f"{shown(attribute)} / neutral is no group: read as condition of reference",
            row.line,
            kind="neutral value",
        )
        return (), "neutral"
    joins = set(_JOINS.findall(attribute))
    if not joins & set(value):
        return ((attribute, value),), ""
    split = re.compile("[" + re.escape("".join(sorted(joins))) + "]")
    names = [name.strip() for name in split.split(attribute)]
    values = [part.strip() for part in split.split(value)]
    if len(names) != len(values) or not all(names) or not all(values):
        reason = f"{shown(attribute)} names {len(names)} attributes, {shown(value)} {len(values)}"
        fix = 'Give one value for each attribute: "race+gender", "Asian+female".'
        raise row.wrong(reason, fix)
    if len({name.casefold() for name in names}) < len(names):
        raise row.wrong(f"{shown(attribute)} names an attribute twice", "Name it once.")
    return tuple(zip(names, values, strict=True)), ""


def joined(names: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, str]:
    """An attribute and a value as a row has them, for these names and values.

    Raises:
        ValueError: No character that joins attributes is free of use in them.
    """
    if len(names) == 1:
        return names[0], values[0]
    for join in "+|×&":
        if not any(join in name for name in (*names, *values)):
            return join.join(names), join.join(values)
    raise ValueError(f"no character is left to join {names} and {values} with")


# Attributes, their values and conditions of reference, in the order of their first row.


class VariantNames(NamedTuple):
    """What the R rows mention; see :class:`~fairviz.model.variants.VariantAnswers`.

    Attributes:
        attributes, values, conditions: As there.
        codes: (V, A+1) each distinct variant: the code of its value of each attribute, and that of its condition.
        of: (R) which of these a row is.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    conditions: tuple[str, ...]
    codes: NDArray[np.int16]
    of: IntArray

    @property
    def given(self) -> NDArray[np.int16]:
        """(R, A) value of each attribute."""
        return self.codes[self.of, :-1]

    @property
    def condition(self) -> NDArray[np.int16]:
        """(R) condition of reference."""
        return self.codes[self.of, -1]

    def label(self, row: int) -> str:
        """The variant of a row, for people: "Asian", "Asian+female", "neutral"."""
        codes: list[int] = self.codes[self.of[row]].tolist()
        values = [self.values[a][code] for a, code in enumerate(codes[:-1]) if code != NOT_MENTIONED]
        return "+".join(values) or self.conditions[codes[-1]]

    def keys(self) -> list[tuple[int, ...]]:
        """What makes two rows the same variant, per row."""
        distinct = [tuple(key) for key in self.codes.tolist()]
        return [distinct[variant] for variant in self.of.tolist()]


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
                reason = f"more than {count(MAX_VALUES)} different {self._what}"
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
    written: dict[tuple[tuple[tuple[str, str], ...], str], int] = {}  # as rows spell it -> its codes' number
    number: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
    of: list[int] = []
    for row in rows:
        spelt = row.mentioned, row.reference
        if spelt not in written:
            codes: dict[int, int] = {}
            for attribute, value in row.mentioned:
                a = attributes.code(attribute, row.line)
                if a == len(values):
                    values.append(_Spellings("values", notes))
                codes[a] = values[a].code(value, row.line)
            condition = NOT_MENTIONED if row.mentioned else conditions.code(row.reference, row.line)
            written[spelt] = number.setdefault((condition, frozenset(codes.items())), len(number))
        of.append(written[spelt])
    table = np.full((len(number), len(values) + 1), NOT_MENTIONED, dtype=np.int16)
    for v, (condition, given) in enumerate(number):
        table[v, -1] = condition
        for a, code in given:
            table[v, a] = code
    names, table[:, -1] = _neutral_first(conditions.names, table[:, -1])
    return VariantNames(
        attributes=tuple(attributes.names),
        values=tuple(tuple(spellings.names) for spellings in values),
        conditions=names,
        codes=table,
        of=np.array(of, dtype=np.int64),
    )


def _neutral_first(names: list[str], codes: NDArray[np.int16]) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    order = sorted(range(len(names)), key=lambda i: names[i].casefold() != "neutral")
    places = np.full(len(names) + 1, NOT_MENTIONED, dtype=np.int16)  # the last is for −1
    places[order] = np.arange(len(names), dtype=np.int16)
    return tuple(names[i] for i in order), places[codes]
