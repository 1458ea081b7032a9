"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.

Nearly all that a row says is said by many, so that a file is read, checked and noted over what is distinct; the line
of a row is looked up where a message needs it.
"""

import json
import re
from typing import Any, TextIO, TypeAlias

import numpy as np
import polars as pl

from fairviz.io.answer_table import (
    AnswerTable,
    Coded,
    Column,
    Layout,
    Row,
    ids,
    one_of,
    one_string,
    option_words,
    read_table,
    truth,
)
from fairviz.io.answer_text import LETTERS
from fairviz.io.cells import cells_of
from fairviz.io.json import Head, Json
from fairviz.io.limits import LONG_ANSWER, MAX_VALUES
from fairviz.io.log_tools import read_log
from fairviz.io.names import check_ids, folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.rag_results import is_rag_results, rag_result_records
from fairviz.io.source import Source, reader
from fairviz.io.variant_checks import VariantRows, check_variants
from fairviz.io.variant_options import read_options
from fairviz.model import VariantAnswers
from fairviz.model.answers import NOT_MENTIONED, UNKNOWN
from fairviz.model.arrays import alike
from fairviz.numerals import count, plural

# What rows say, column by column.


FACTORS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how."""

_REFERENCES = frozenset(("", "none", "neutral", "original", "reference", "baseline", "null", "n/a", "na", "-"))
_JOINS = re.compile(r"[+×&|]")


def _stripped(value: Json, name: str, row: Row) -> str:
    return one_string(value, name, row).strip()


def _question(value: Json, name: str, row: Row) -> str:
    question = _stripped(value, name, row)
    if is_blank(question):
        raise row.wrong("qid is empty", "Give every row the id of its question.")
    return question


def _prediction(value: Json, name: str, row: Row) -> str | None:
    """The answer, None where it is absent."""
    prediction = None if value is None else one_string(value, name, row)
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            row.notes.add(f"answer is {n_words} words long", row.line, kind="long answer")
    return prediction


def _depth(value: Json, name: str, row: Row) -> str:
    k = _stripped(value, name, row)
    if k and not (k.isascii() and k.isdigit()):
        row.notes.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", row.line, kind="k")
    return k


def _kind(text: str) -> str | None:
    return text if text in ("", "closed", "open") else None


_ATTRIBUTE, _VALUE = (Column(_stripped, (name,)) for name in ("attribute", "value"))
_QUESTION, _PREDICTION, _RETRIEVED = (
    Column(_question, ("qid",)),
    Column(_prediction, ("prediction",)),
    Column(ids, ("retrieved",)),
)
_COLUMNS: dict[str, Column[Any]] = {
    "kind": Column(
        one_of(_kind, "kind is {cell!r}", "Write closed or open.", tidy=lambda text: text.strip().lower()), ("kind",)
    ),
    "prediction": _PREDICTION,
    **{name: Column(_depth if name == "k" else _stripped, (name,)) for name in FACTORS},
    "gold": Column(_stripped, ("gold",)),
    "answerable": Column(truth, ("answerable",)),
    "evidence": Column(truth, ("evidence",)),
    "retrieved": _RETRIEVED,
    "options": Column(option_words, ("options", "choices")),
}
LAYOUT = Layout(
    fix="Columns are qid, attribute, value, gold, prediction (or retrieved); others may be absent.",
    required=("qid", "attribute", "value"),
    telling="attribute",  # of several the demographic one, which says most
)


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


_Mention: TypeAlias = tuple[tuple[tuple[str, str], ...], str]
"""What a row is about: attributes with their values in file order, or else the name of a condition of reference."""


def _mention(row: Row) -> _Mention:
    """What a row mentions."""
    attribute, value = _ATTRIBUTE.of(row), _VALUE.of(row)
    if attribute.casefold() in _REFERENCES:
        named = attribute.casefold() in ("neutral", "original", "reference", "baseline")
        blank = value.casefold() in ("", "none", "null", "n/a", "na", "-")
        return (), (attribute if named else "neutral") if blank else value
    if not value:
        fix = f"Name the value of {shown(attribute)}, or write none as attribute."
        raise row.wrong(f"no value of {shown(attribute)}", fix)
    if value.casefold() == "neutral":
        message = f"{shown(attribute)} / neutral is no group: read as condition of reference"
        row.notes.add(message, row.line, kind="neutral value")
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


def _names(row: Row) -> tuple[str, str]:
    """The question and the variant of a row as the file has them, for messages: "q1", "race / Asian"."""
    attribute, value = _ATTRIBUTE.of(row), _VALUE.of(row)
    return _QUESTION.of(row), f"{attribute or 'none'} / {value or _mention(row)[1]}"


# From rows to the noun, and back.


@reader
def read_variants(source: Source) -> Parsed[VariantAnswers]:
    """Read answers to demographic variants.

    Whether answers are closed is said by the column ``kind``, or found by their golds:
    :func:`~fairviz.io.variant_options.read_options` says how. What a closed answer must look
    like to be read: :mod:`fairviz.io.answer_text`.

    Args:
        source: A path or ``(name, bytes)``: JSON Lines, CSV or TSV, plain or gzip'ed.

    Returns:
        The answers with notes; ``lines`` holds the first line of each question.

    Raises:
        InputError: The file cannot be read, no two groups can be compared, a variant of a question
            is answered twice, or its variants have different right answers.
    """
    notes = NoteBook(source.name)
    table, is_table = _table(source, notes)
    question, mentions = table.said(_QUESTION.of, _QUESTION), table.said(_mention, _ATTRIBUTE, _VALUE)
    said = {name: table.said(column.of, column) for name, column in _COLUMNS.items()}
    table.check()
    if is_table:
        if not (table.has(_PREDICTION) or table.has(_RETRIEVED)):
            raise table.missing("prediction")
        _note_other_columns(table, notes)
    mentioned = _mentioned(mentions, table, notes)
    asked, prediction = _questions(said["dataset"], question), said["prediction"].column
    codes = {"dataset": said["dataset"].codes, "question": asked.codes, "options": said["options"].codes}
    words = {"kind": said["kind"].column, "gold": said["gold"].column, "prediction": prediction}
    options, read_by = read_options(pl.DataFrame(codes | words), said["options"].values, table)
    offered = said["options"].mapped(lambda options: json.dumps(options, ensure_ascii=False))
    value = VariantAnswers(
        name=source.stem,
        factors=tuple(said[name].factor(name) for name in FACTORS if any(said[name].values)),
        question_ids=asked.values,
        questions=asked.codes,
        **mentioned,
        **options,
        gold_words=said["gold"].factor("gold"),
        words=said["prediction"].mapped(lambda words: words or "").factor("prediction"),
        answerable=said["answerable"].column.to_numpy(),
        evidence=said["evidence"].column.to_numpy(),
        **_documents(said["retrieved"]),
        offered=offered.factor("options") if any(said["options"].values) else None,
    )
    variants = alike(pl.DataFrame(np.column_stack((value.given, value.condition))))
    rows = VariantRows.of(value, variants, table, lambda row: _names(table.row(row)))
    check_variants(rows, notes, read_by=read_by, recorded=prediction.null_count() < len(value))
    lines = dict(zip(asked.values, map(table.line, asked.firsts), strict=True))
    check_ids(asked.values, "question id", lambda i: lines[asked.values[i]], notes)
    check_ids(value.doc_ids, "document id", lambda _: None, notes)
    n_questions = f"{count(len(asked.values))} question{'s' if len(asked.values) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {variants[1].size}, {_answers_in_words(value)}"
    return notes.parsed(value, label, lines)


def _table(source: Source, notes: NoteBook) -> tuple[AnswerTable, bool]:
    """The rows of a table, and that it is one; else those of another tool's log, or of ``rag_results``."""
    keys = Head(source).record_keys
    if is_rag_results(keys):
        records = rag_result_records(source, notes)
    elif (log := read_log(source, notes)) is not None:
        records = log.to_variants()
    else:
        return read_table(source, LAYOUT, notes), True
    return AnswerTable(cells_of(records, source.name), LAYOUT, notes), False


def _note_other_columns(table: AnswerTable, notes: NoteBook) -> None:
    """Note the columns that are not read."""
    known = {*LAYOUT.required, *(name for column in _COLUMNS.values() for name in column.names)}
    others = [shown(name, 30) for name in table.cells.names if name and name not in known]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        notes.add(f"columns not read: {', '.join(others[:8])}{more}")


def _questions(datasets: Coded[str], questions: Coded[str]) -> Coded[str]:
    """The question of each row; ids that several datasets use are told apart by dataset."""
    pairs = pl.DataFrame({"dataset": datasets.codes, "question": questions.codes})
    if pairs.n_unique() == len(questions.values):
        return questions
    return Coded.of(datasets.column + "/" + questions.column)


class _Spellings:
    """Names that differ only by case or blanks are one, and noted."""

    def __init__(self, what: str, table: AnswerTable, notes: NoteBook) -> None:
        self.names: list[str] = []
        self._what, self._table, self._notes = what, table, notes
        self._codes: dict[str, int] = {}
        self._known: set[str] = set()

    def code(self, name: str, row: int) -> int:
        """The number of a name, which stands in a row."""
        code = self._codes.setdefault(folded(name), len(self.names))
        if code == len(self.names):
            self.names.append(name)
            if code == MAX_VALUES:
                fix = "Name the attribute in one column and its value in the other."
                raise self._table.row(row).wrong(f"more than {count(MAX_VALUES)} different {self._what}", fix)
        elif name != (first := self.names[code]) and name not in self._known:
            how = "case" if name.casefold() == first.casefold() else "blanks"
            message = f"{self._what} differ only by {how}: {shown(name)} / {shown(first)}: read as one"
            self._notes.add(message, self._table.line(row), kind=f"{self._what} spelt")
        self._known.add(name)
        return code


def _mentioned(mentions: Coded[_Mention], table: AnswerTable, notes: NoteBook) -> dict[str, Any]:
    """Attributes, their values and conditions of reference in the order of their first row, and codes of all rows.

    Raises:
        InputError: There are more attributes or values than an analysis of groups can have.
    """
    attributes, conditions = _Spellings("attributes", table, notes), _Spellings("values", table, notes)
    values: list[_Spellings] = []
    codes: list[dict[int, int]] = []  # of each distinct mention: by attribute the value, by −1 the condition
    for (mentioned, reference), row in zip(mentions.values, mentions.firsts, strict=True):
        of: dict[int, int] = {} if mentioned else {-1: conditions.code(reference, row)}
        for attribute, value in mentioned:
            a = attributes.code(attribute, row)
            if a == len(values):
                values.append(_Spellings("values", table, notes))
            of[a] = values[a].code(value, row)
        codes.append(of)
    order = sorted(range(len(conditions.names)), key=lambda code: conditions.names[code].casefold() != "neutral")
    matrix = np.full((len(codes), len(values) + 1), NOT_MENTIONED, dtype=np.int16)
    for variant, of in enumerate(codes):
        matrix[variant, [*of]] = [code if a >= 0 else order.index(code) for a, code in of.items()]
    rows = matrix[mentions.codes]
    return {
        "attributes": tuple(attributes.names),
        "values": tuple(tuple(spellings.names) for spellings in values),
        "conditions": tuple(conditions.names[code] for code in order),
        "given": rows[:, :-1],
        "condition": rows[:, -1],
    }


def _documents(lists: Coded[tuple[str, ...] | None]) -> dict[str, Any]:
    """The documents of all rows, and where each row's list begins among them, by code."""
    places: dict[str, int] = {}
    flat = [places.setdefault(doc, len(places)) for docs in lists.values for doc in docs or ()]
    lengths = np.array([len(docs or ()) for docs in lists.values], dtype=np.int64)
    sizes, starts = lengths[lists.codes], (np.cumsum(lengths) - lengths)[lists.codes]
    shifts = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    retrieved = np.array(flat, dtype=np.int32)[shifts + np.arange(shifts.size)]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return {"doc_ids": tuple(places), "retrieved_offsets": offsets, "retrieved": retrieved}


def write_variants(answers: VariantAnswers, to: TextIO) -> None:
    """Write answers as JSON Lines; :func:`read_variants` gives them back.

    Args:
        answers: The answers.
        to: An open text file.

    Raises:
        ValueError: Names of attributes or values leave no character to join them with.
    """
    producers = {factor.name: factor.rows for factor in answers.factors}
    golds, words_of = answers.gold_words.rows, answers.words.rows
    offered = None if answers.offered is None else answers.offered.rows
    for r, question in enumerate(answers.questions.tolist()):
        record: dict[str, Json] = {name: rows[r] for name, rows in producers.items()}
        record["qid"] = answers.question_ids[question]
        record["attribute"], record["value"] = _variant(answers, r)
        record["gold"], words = golds[r], words_of[r]
        start, end = answers.retrieved_offsets[r : r + 2].tolist()
        if words or answers.retrieved.size == 0:
            record["prediction"] = words
        if start < end:
            record["retrieved"] = [answers.doc_ids[d] for d in answers.retrieved[start:end].tolist()]
        for name in ("answerable", "evidence"):
            known = int(getattr(answers, name)[r])
            if known != UNKNOWN:
                record[name] = known == 1
        record["kind"] = answers.kind
        if offered is not None:
            record["options"] = json.loads(offered[r])
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _variant(answers: VariantAnswers, row: int) -> tuple[str, str]:
    """An attribute and a value as a row of a file has them.

    Raises:
        ValueError: No character that joins attributes is free of use in them.
    """
    mentioned = [a for a, code in enumerate(answers.given[row].tolist()) if code >= 0]
    names = [answers.attributes[a] for a in mentioned]
    values = [answers.values[a][int(answers.given[row, a])] for a in mentioned]
    if not names:
        return "none", answers.conditions[int(answers.condition[row])]
    for join in "+|×&":
        if len(names) == 1 or not any(join in name for name in (*names, *values)):
            return join.join(names), join.join(values)
    raise ValueError(f"no character is left to join {tuple(names)} and {tuple(values)} with")


def n_not_read(answers: VariantAnswers) -> int:
    """Recorded answers to closed questions that name no option."""
    if answers.kind == "open" or not any(answers.words.values):
        return 0
    return int((answers.choices == UNKNOWN).sum())


def _answers_in_words(value: VariantAnswers) -> str:
    """What kind of answers they are, and their options."""
    if not any(value.words.values):
        return "documents only"
    if value.kind == "open":
        return "open answers"
    letters = all(len(option) == 1 and option in LETTERS for option in value.options)
    shortest = "".join(value.options) if letters else ", ".join(shown(o, 20) for o in value.options)
    return f"closed answers {shortest}"
