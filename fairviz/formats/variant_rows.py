"""One recorded answer to a demographic variant of a question, as a file has it."""

import re
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.answer_cells import Cells
from fairviz.formats.answer_table import answer_table, missing_column
from fairviz.formats.limits import LONG_ANSWER
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.source import Source
from fairviz.formats.strict_json import Json

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


def variant_rows(source: Source, book: NoteBook) -> VariantTable:
    """The rows of a file of answers to variants.

    Args:
        source: JSON Lines, CSV or TSV.
        book: Where repairs, and columns that are not read, are noted.

    Raises:
        InputError: A column is missing, or a cell is not what its column holds.
    """
    table = answer_table(source, book)
    if table.columns is not None:
        _check_columns(table.columns, source.name)
    rows: list[VariantRow] = []
    columns: dict[str, None] = dict.fromkeys(table.columns or ())
    for line, record in table.records:
        if table.columns is None:
            columns.update(dict.fromkeys(record))
            _check_keys(record, line, source.name)
        rows.append(_row(record, line, book, table=table.columns is not None))
    if not {"prediction", "retrieved"} & columns.keys():
        raise missing_column("prediction", tuple(columns), source.name, fix=FIX)
    extra = [shown(column, 30) for column in columns if column and column not in COLUMNS]
    if extra:
        more = f" and {len(extra) - 8} more" if len(extra) > 8 else ""
        book.add(f"columns not read: {', '.join(extra[:8])}{more}")
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


def _row(record: dict[str, Json], line: int, book: NoteBook, *, table: bool) -> VariantRow:
    cells = Cells(record, line, book)
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
    _note_length(prediction, line, book)
    producer = tuple(cells.text(name).strip() for name in FACTORS)
    _note_depth(producer[_K], line, book)
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


def _note_length(prediction: str | None, line: int, book: NoteBook) -> None:
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            book.add(f"answer is {n_words} words long", line, kind="long answer")


def _note_depth(k: str, line: int, book: NoteBook) -> None:
    if k and not (k.isascii() and k.isdigit()):
        book.add(f"k is {shown(k, 20)!r}, no number of documents: kept as a label", line, kind="k")


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
        cells.book.add(
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
