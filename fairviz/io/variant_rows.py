"""Answers to demographic variants of questions as a file has them: rows by columns, and what they mention.

Nearly all that a row says is said by many, so that a file is read, checked and noted over what is distinct; the line
of a row is looked up where a message needs it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_layout import Column, Layout, Row, ids, one_of, one_string, option_words, truth
from fairviz.io.answer_table import AnswerTable, Coded, read_table
from fairviz.io.cells import cells_of
from fairviz.io.json import json_head
from fairviz.io.limits import LONG_ANSWER, MAX_VALUES
from fairviz.io.log_answers import read_log, variant_records
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.io.rag_results import is_rag_results, rag_result_rows
from fairviz.io.source import Source
from fairviz.model.arrays import IntArray
from fairviz.model.variants import NOT_MENTIONED
from fairviz.numerals import count, plural


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


# Cells of a file.


FACTORS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how."""

_REFERENCES = frozenset(("", "none", "neutral", "original", "reference", "baseline", "null", "n/a", "na", "-"))

_K = FACTORS.index("k")
_JOINS = re.compile(r"[+×&|]")


def _kind(text: str) -> str | None:
    return text if text in ("", "closed", "open") else None


_QUESTION, _ATTRIBUTE, _VALUE = (Column(one_string, (name,)) for name in ("qid", "attribute", "value"))
_GOLD, _PREDICTION = (Column(one_string, (name,)) for name in ("gold", "prediction"))
_PRODUCER = tuple(Column(one_string, (name,)) for name in FACTORS)
_RETRIEVED = Column(ids, ("retrieved",))
_ANSWERABLE, _EVIDENCE = Column(truth, ("answerable",)), Column(truth, ("evidence",))
_OPTIONS = Column(option_words, ("options", "choices"))
_KIND = Column(
    one_of(_kind, "kind is {cell!r}", "Write closed or open.", tidy=lambda text: text.strip().lower()), ("kind",)
)

LAYOUT = Layout(
    fix="Columns are qid, attribute, value, gold, prediction (or retrieved); others may be absent.",
    required=("qid", "attribute", "value"),
    telling="attribute",  # of several the demographic one, which says most
)
COLUMNS = frozenset(
    (*LAYOUT.required, "gold", "prediction", *FACTORS, "retrieved", "answerable", "evidence", "kind", *_OPTIONS.names)
)
"""All columns of answers to variants."""


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
    if logged is None:
        table = read_table(source, LAYOUT, notes)
    else:
        table = AnswerTable(cells_of(((row.line, row.record) for row in logged), source.name), LAYOUT, notes)
    rows = VariantColumns(
        names=COLUMNS & table.cells.names.keys(),
        line=table.line,
        question=table.said(_question, _QUESTION),
        variant=table.said(_mention, _ATTRIBUTE, _VALUE),
        kind=table.said(_KIND.of, _KIND),
        prediction=table.said(_prediction, _PREDICTION),
        producer=table.said(_producer, *_PRODUCER),
        gold=table.said(lambda row: _GOLD.of(row).strip(), _GOLD),
        answerable=table.said(_ANSWERABLE.of, _ANSWERABLE),
        evidence=table.said(_EVIDENCE.of, _EVIDENCE),
        retrieved=table.said(_RETRIEVED.of, _RETRIEVED),
        options=table.said(_OPTIONS.of, _OPTIONS),
    )
    table.check()
    if logged is None and not (table.has(_PREDICTION) or table.has(_RETRIEVED)):
        raise table.missing("prediction")
    if logged is None:
        table.note_other_columns(COLUMNS)
    return rows


def _logged(source: Source, notes: NoteBook) -> list[Row] | None:
    """The rows of another tool's log, or of ``rag_results``; None for a table."""
    _, keys = json_head(source)
    if is_rag_results(keys):
        return rag_result_rows(source, notes)
    log = read_log(source, notes)
    return None if log is None else variant_records(log, source, notes)


def _question(row: Row) -> str:
    question = _QUESTION.of(row).strip()
    if is_blank(question):
        raise row.wrong("qid is empty", "Give every row the id of its question.")
    return question


def _prediction(row: Row) -> str | None:
    """The answer, None where it is absent."""
    prediction = None if row.record.get(_PREDICTION.name) is None else _PREDICTION.of(row)
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            row.notes.add(f"answer is {n_words} words long", row.line, kind="long answer")
    return prediction


def _producer(row: Row) -> tuple[str, ...]:
    """Who answered how."""
    producer = tuple([column.of(row).strip() for column in _PRODUCER])
    k = producer[_K]
    if k and not (k.isascii() and k.isdigit()):
        row.notes.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", row.line, kind="k")
    return producer


def _mention(row: Row) -> Mention:
    """What a row mentions."""
    attribute, value = _ATTRIBUTE.of(row).strip(), _VALUE.of(row).strip()
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
    for mention, first in zip(variant.values, variant.firsts, strict=True):
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
