"""Answers to demographic variants of questions as a file has them: rows by columns, and what they mention.

Nearly all that a row says is said by many, so that a file is read, checked and noted over what is distinct; the line
of a row is looked up where a message needs it.
"""

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

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
from fairviz.model.arrays import IndexArray, IntArray
from fairviz.model.factors import Factor
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN
from fairviz.numerals import count, plural

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

_DENSE = 8
"""Cells of a table per row up to which it is filled instead of sorting the keys."""


class Distinct(NamedTuple):
    """Which of R keys are equal.

    Attributes:
        first: (D) the first row of each distinct key, in file order.
        of: (R) which of these each row has.
    """

    first: IntArray
    of: IntArray


def distinct(keys: IndexArray | IntArray) -> Distinct:
    """The distinct keys in the order of their first row.

    Args:
        keys: (R) whole numbers from 0 on.

    Examples:
        >>> distinct(np.array([7, 2, 7, 0]))
        Distinct(first=array([0, 1, 3]), of=array([0, 1, 0, 2]))
    """
    n_rows = keys.size
    bound = int(keys.max(initial=-1)) + 1
    if bound > _DENSE * n_rows:
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(order.size, dtype=np.int64)
        number[order] = np.arange(order.size)
        return Distinct(first[order], number[of])
    first = np.full(bound, n_rows, dtype=np.int64)
    first[keys[::-1]] = np.arange(n_rows - 1, -1, -1)  # of equal keys the last write stays: the first row
    used = np.flatnonzero(first < n_rows)
    used = used[np.argsort(first[used])]
    number = np.empty(bound, dtype=np.int64)
    number[used] = np.arange(used.size)
    return Distinct(first[used], number[keys])


def pairs(first: IndexArray | IntArray, second: IndexArray | IntArray) -> IntArray:
    """(R) two numbers of each row, from 0 on, as one: rows with the same two have the same."""
    return first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second


class Coded(NamedTuple, Generic[T]):
    """What R rows say.

    Attributes:
        values: What is said, each once, in the order of its first row.
        codes: (R) position of what each row says.
    """

    values: tuple[T, ...]
    codes: IndexArray | IntArray

    def at(self, row: int) -> T:
        """What a row says."""
        return self.values[int(self.codes[row])]

    def mapped(self, read: Callable[[T], H]) -> "Coded[H]":
        """What is made of it, where several may become one.

        Examples:
            >>> Coded(("b", "B ", "a"), np.array([0, 1, 2])).mapped(lambda text: text.strip().lower())
            Coded(values=('b', 'a'), codes=array([0, 0, 1], dtype=int32))
        """
        places: dict[H, int] = {}
        codes = np.array([places.setdefault(read(value), len(places)) for value in self.values], dtype=np.int32)
        return Coded(tuple(places), codes[self.codes])

    def told(self, is_it: Callable[[T], object]) -> NDArray[np.bool_]:
        """(R) whether it is true of what each row says."""
        return np.array([bool(is_it(value)) for value in self.values], dtype=np.bool_)[self.codes]

    def counted(self) -> list[tuple[T, int]]:
        """What is said with the number of rows that say it."""
        n: list[int] = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return list(zip(self.values, n, strict=True))

    def of_rows(self, rows: IntArray) -> "Coded[T]":
        """What some of the rows say."""
        found = distinct(self.codes[rows])
        firsts: list[int] = rows[found.first].tolist()
        return Coded(tuple([self.at(row) for row in firsts]), found.of)


def all_say(value: T, n_rows: int) -> Coded[T]:
    """Rows that all say one thing."""
    return Coded((value,), np.zeros(n_rows, dtype=np.int32))


class Coding(Generic[H]):
    """What rows say, collected row by row.

    Examples:
        >>> rows = Coding[str]()
        >>> for value in "abba":
        ...     rows.add(value)
        >>> rows.coded()
        Coded(values=('a', 'b'), codes=array([0, 1, 1, 0], dtype=int32))
    """

    def __init__(self) -> None:
        self._places: dict[H, int] = {}
        self._codes = array("i")

    def add(self, value: H) -> None:
        """What the next row says."""
        self._codes.append(self._places.setdefault(value, len(self._places)))

    def coded(self) -> Coded[H]:
        """All of it."""
        return Coded(tuple(self._places), np.array(self._codes, dtype=np.int32))


class Mention(NamedTuple):
    """The variant that a row is of.

    Attributes:
        mentioned: The attributes with their values, in file order; () for a reference.
        reference: Name of the condition of reference, "" for a variant.
        words: The variant as the file has it ("race / Asian"), for messages.
    """

    mentioned: tuple[tuple[str, str], ...]
    reference: str
    words: str


class VariantColumns(NamedTuple):
    """R rows of answers to variants, at least one.

    Attributes:
        names: The columns of the layout that the file has.
        line: Where a row starts.
        question: The question's id.
        producer: Who answered how; "" where it is not recorded.
        variant: What is mentioned.
        gold: The right answer, "" where it is not recorded.
        prediction: The answer, None where it is not recorded.
        kind: "closed", "open", "" where the row does not say.
        answerable: 1, 0 or :data:`~fairviz.model.variants.UNKNOWN`; ``evidence`` likewise.
        retrieved: Ids of retrieved documents, None where they are not recorded.
        options: Words of the question's options in the order of their letters, () where they are not recorded.
    """

    names: frozenset[str]
    line: Callable[[int], int]
    question: Coded[str]
    producer: Coded[tuple[str, ...]]
    variant: Coded[Mention]
    gold: Coded[str]
    prediction: Coded[str | None]
    kind: Coded[str]
    answerable: Coded[int]
    evidence: Coded[int]
    retrieved: Coded[tuple[str, ...] | None]
    options: Coded[tuple[str, ...]]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.question.codes.size

    @property
    def has_predictions(self) -> bool:
        """Whether any answer is recorded."""
        return self.prediction.values != (None,)

    def of_producer(self, place: int) -> Coded[str]:
        """One of the things that tell producers apart, by its place."""
        return self.producer.mapped(lambda producer: producer[place])

    def of_rows(self, rows: IntArray) -> "VariantColumns":
        """Some of the rows, in file order."""
        if rows.size == self.n_rows:
            return self
        said: list[Coded[Any]] = [column.of_rows(rows) for column in self[2:]]

        def line(row: int) -> int:
            return self.line(int(rows[row]))

        return VariantColumns(self.names, line, *said)


# Cells of a file.


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


def variant_rows(source: Source, notes: NoteBook) -> VariantColumns:
    """The rows of a file of answers to variants, by columns.

    Args:
        source: JSON Lines, CSV or TSV.
        notes: Where repairs, and columns that are not read, are noted.

    Raises:
        InputError: A column is missing, or a cell is not what its column holds.
    """
    logged = _logged(source, notes)
    if logged is not None:
        columns = dict.fromkeys(name for row in logged for name in row.record)
        return _by_columns(logged, columns)
    plain = _plain_rows(source, notes)
    if plain is not None:
        return plain
    table = read_rows(source, LAYOUT, notes)
    rows = _by_columns(table, table.columns)
    if not {"prediction", "retrieved"} & table.columns.keys():
        raise table.missing("prediction")
    table.note_other_columns()
    return rows


def _plain_rows(source: Source, notes: NoteBook) -> VariantColumns | None:
    """The rows of a file in which each distinct cell is read once, None where any is refused or worth a note."""
    table = columns_if_plain(source, LAYOUT)
    if table is None or not table.finds_lines:
        return None
    rows = _rows_if_plain(table)
    if rows is not None:
        note_other_columns(dict.fromkeys(map(folded, table.names)), LAYOUT, notes)
    return rows


def _rows_if_plain(table: AnswerColumns) -> VariantColumns | None:
    """The rows of a table, None where any is refused or worth a note."""
    names = dict.fromkeys(map(folded, table.names))
    may_be_true = {_ANSWERABLE.name, _EVIDENCE.name}
    odd = {*_RETRIEVED.names, *_OPTIONS.names} & names.keys() or {*map(folded, table.truths)} - may_be_true
    if odd or not {*LAYOUT.required, _PREDICTION.name} <= names.keys():
        return None
    book = NoteBook(table.file)
    try:
        rows = _PlainCells(table, Row({}, 1, book), may_lack=table.in_table).rows(LAYOUT.names & names.keys())
    except (InputError, WrongCellError):
        return None
    if book.collected or any(len(prediction or "") > LONG_ANSWER for prediction in rows.prediction.values):
        return None
    return rows


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

    def rows(self, names: frozenset[str]) -> VariantColumns:
        """The rows of all cells; ``names`` are the columns that there are."""
        n_rows = self._table.n_rows
        return VariantColumns(
            names=names,
            line=self._table.line,
            question=self._each(_QUESTION, self._question, ""),
            producer=self._producers(),
            variant=self._variants(),
            gold=self._each(_GOLD, str.strip, ""),
            prediction=self._each(_PREDICTION, self._given, None),
            kind=self._each(_KIND, lambda text: _KIND.read(text, _KIND.name), ""),
            answerable=self._each(_ANSWERABLE, lambda text: _ANSWERABLE.read(text, _ANSWERABLE.name), UNKNOWN),
            evidence=self._each(_EVIDENCE, lambda text: _EVIDENCE.read(text, _EVIDENCE.name), UNKNOWN),
            retrieved=all_say(None, n_rows),
            options=all_say((), n_rows),
        )

    def _texts(self, column: Text) -> Factor:
        """A column that every table has."""
        factor = self._table.texts(column)
        if factor is None or not (self._may_lack or all(factor.values)):
            raise self._probe.unfilled(column.name)
        return factor

    def _each(self, column: Column[Any], read: Callable[[str], H], absent: H) -> Coded[H]:
        """What each row of a column says; ``absent`` where the table has not got it."""
        factor = self._table.texts(column)
        if factor is None:
            return all_say(absent, self._table.n_rows)
        return Coded(factor.values, factor.codes).mapped(read)

    def _variants(self) -> Coded[Mention]:
        attributes, values = self._texts(_ATTRIBUTE), self._texts(_VALUE)
        found = distinct(pairs(attributes.codes, values.codes))
        rows: list[int] = found.first.tolist()
        written: list[tuple[str, str]] = [
            (attributes.values[attributes.codes[row]], values.values[values.codes[row]]) for row in rows
        ]
        return Coded(tuple(written), found.of).mapped(self._variant)

    def _variant(self, written: tuple[str, str]) -> Mention:
        return _mention(written[0].strip(), written[1].strip(), self._probe)

    def _question(self, text: str) -> str:
        if is_blank(text):
            raise self._probe.unfilled(_QUESTION.name)
        return text.strip()

    def _given(self, text: str) -> str | None:
        if not (text or self._may_lack):
            raise self._probe.unfilled(_PREDICTION.name)
        return text

    def _producers(self) -> Coded[tuple[str, ...]]:
        """The producer of each row, each distinct one once."""
        factors = [self._table.texts(column) for column in _PRODUCER]
        found = distinct(np.zeros(self._table.n_rows, dtype=np.int64))
        for factor in factors:
            if factor is not None:
                found = distinct(pairs(found.of, factor.codes))
        producers = [
            tuple(["" if factor is None else factor.values[int(factor.codes[row])].strip() for factor in factors])
            for row in found.first.tolist()
        ]
        for producer in producers:
            _note_depth(producer[_K], self._probe)
        return Coded(tuple(producers), found.of).mapped(lambda producer: producer)


def _logged(source: Source, notes: NoteBook) -> list[Row] | None:
    """The rows of another tool's log, or of ``rag_results``; None for a table."""
    head = head_of(source).decode(errors="replace").lstrip()
    if head[:1] not in ("{", "["):
        return None
    if is_rag_results(head_keys(head)):
        return rag_result_rows(source, notes)
    log = read_log(source, notes)
    return None if log is None else variant_records(log, source, notes)


def _by_columns(rows: Iterable[Row], columns: Mapping[str, None]) -> VariantColumns:
    """The rows, read one by one; ``columns`` names the cells that they have once all are read."""
    lines = array("q")
    said: tuple[Coding[Any], ...] = tuple(Coding() for _ in VariantColumns._fields[2:])
    for row in rows:
        lines.append(row.line)
        for coding, cell in zip(said, _cells(row), strict=True):
            coding.add(cell)
    return VariantColumns(LAYOUT.names & columns.keys(), lines.__getitem__, *(coding.coded() for coding in said))


def _cells(row: Row) -> tuple[Hashable, ...]:
    """What a row says, in the order of :class:`VariantColumns`."""
    question = _QUESTION.of(row).strip()
    if is_blank(question):
        raise row.wrong("qid is empty", "Give every row the id of its question.")
    variant = _mention(_ATTRIBUTE.of(row).strip(), _VALUE.of(row).strip(), row)
    kind = _KIND.of(row)
    prediction = None if row.record.get("prediction") is None else _PREDICTION.of(row)
    _note_length(prediction, row)
    producer = tuple([column.of(row).strip() for column in _PRODUCER])
    _note_depth(producer[_K], row)
    return (
        *(question, producer, variant, _GOLD.of(row).strip(), prediction, kind),
        *(_ANSWERABLE.of(row), _EVIDENCE.of(row), _RETRIEVED.of(row), _OPTIONS.of(row)),
    )


def _note_length(prediction: str | None, row: Row) -> None:
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            row.notes.add(f"answer is {n_words} words long", row.line, kind="long answer")


def _note_depth(k: str, row: Row) -> None:
    if k and not (k.isascii() and k.isdigit()):
        row.notes.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", row.line, kind="k")


def _mention(attribute: str, value: str, row: Row) -> Mention:
    """What a row mentions."""
    mentioned, reference = _mentioned(attribute, value, row)
    return Mention(mentioned, reference, f"{attribute or 'none'} / {value or reference}")


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
        reason = f"{shown(attribute)} names {plural(len(names), 'attribute')}, {shown(value)} {len(values)}"
        fix = 'Give one value for each attribute: "race+gender", "Asian+female".'
        raise row.wrong(reason, fix)
    if len({name.casefold() for name in names}) < len(names):
        raise row.wrong(f"{shown(attribute)} names an attribute twice", "Name it once.")
    return tuple(zip(names, values, strict=True)), ""


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

    def label(self, variant: int) -> str:
        """A distinct variant, for people: "Asian", "Asian+female", "neutral"."""
        codes: list[int] = self.codes[variant].tolist()
        values = [self.values[a][code] for a, code in enumerate(codes[:-1]) if code != NOT_MENTIONED]
        return "+".join(values) or self.conditions[codes[-1]]


class _Spellings:
    """Names that differ only by case or blanks are one, and noted."""

    def __init__(self, what: str, notes: NoteBook) -> None:
        self.names: list[str] = []
        self._what = what
        self._notes = notes
        self._codes: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def code(self, name: str, line: int | None) -> int:
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


def variant_names(variant: Coded[Mention], line: Callable[[int], int | None], notes: NoteBook) -> VariantNames:
    """Names and codes of the variants of all rows.

    Args:
        variant: What each row mentions.
        line: Of a row, None where it is not known.
        notes: Where spellings that were read as one are noted.

    Raises:
        InputError: There are more attributes or values than an analysis of groups can have.
    """
    attributes = _Spellings("attributes", notes)
    values: list[_Spellings] = []
    conditions = _Spellings("values", notes)
    written: dict[tuple[tuple[tuple[str, str], ...], str], int] = {}  # as rows spell it -> its codes' number
    number: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
    of: list[int] = []  # of each distinct mention
    firsts: list[int] = distinct(variant.codes).first.tolist()
    for mention, first in zip(variant.values, firsts, strict=True):
        spelt = mention.mentioned, mention.reference
        if spelt not in written:
            stands = line(first)
            codes: dict[int, int] = {}
            for attribute, value in mention.mentioned:
                a = attributes.code(attribute, stands)
                if a == len(values):
                    values.append(_Spellings("values", notes))
                codes[a] = values[a].code(value, stands)
            condition = NOT_MENTIONED if mention.mentioned else conditions.code(mention.reference, stands)
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
        of=np.array(of, dtype=np.int64)[variant.codes],
    )


def _neutral_first(names: list[str], codes: NDArray[np.int16]) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    order = sorted(range(len(names)), key=lambda i: names[i].casefold() != "neutral")
    places = np.full(len(names) + 1, NOT_MENTIONED, dtype=np.int16)  # the last is for −1
    places[order] = np.arange(len(names), dtype=np.int16)
    return tuple(names[i] for i in order), places[codes]
