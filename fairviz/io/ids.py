"""Columns of ids: which cannot be seen or mislead, where one repeats, how rows are ordered by them."""

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.limits import LONG_ID
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.model import FloatArray, IndexArray, IntArray
from fairviz.model.arrays import Ids

# Identifiers that mislead a reader's eye or a spreadsheet: kept as they are, and noted.


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INVISIBLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "bidirectional control character",
        re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
    ),
    ("zero-width character", re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff]")),
    ("no-break space", re.compile(r"[\u00a0\u202f]")),
)
_FORMULA = re.compile(r"^[=+\-@]", re.MULTILINE)
_NOT_PLAIN = r"^$|[^!-~]|^[=+\-@]"
"""Of identifiers that need a closer look: empty, not all of ASCII that can be seen, or begun as a formula is."""
_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")


def check_ids(values: Sequence[str], what: str, line: Callable[[int], int | None], notes: NoteBook) -> None:
    """Refuse identifiers that cannot be seen; note those that are long, invisible in part, alike, or formulas.

    Args:
        values: Distinct identifiers.
        what: What they identify ("document id").
        line: First line of the identifier with that index.
        notes: Where to note.

    Raises:
        InputError: One is blank: empty, or of characters without a mark.
    """
    if isinstance(values, Ids) and not values.column.str.contains(_NOT_PLAIN).any():
        _note_longest(values, values.column.str.len_bytes().arg_max() or 0, what, line, notes)
        return
    text = "\n".join(values)
    if not text.isascii() or _CONTROL.search(text) or "" in values:
        blank = next((i for i, value in enumerate(values) if is_blank(value)), None)
        if blank is not None:
            reason = f"{what} is blank: '{shown(values[blank])}'"
            raise InputError(reason, file=notes.file, line=line(blank), fix=f"Give a {what} that can be seen.")
    if _CONTROL.search(text):
        _note(values, _CONTROL, f"control characters in {what}", line, notes)
    if _FORMULA.search(text):
        odd = [i for i, v in enumerate(values) if _FORMULA.match(v) and not _NUMBER.fullmatch(v)]
        if odd:
            message = f"{what} {shown(values[odd[0]])} starts with = + - @: a formula to spreadsheets"
            notes.add(message, line(odd[0]), kind=f"formula {what}", count=len(odd))
    if len(values):
        _note_longest(values, max(range(len(values)), key=lambda i: len(values[i])), what, line, notes)
    if not text.isascii():
        for name, pattern in _INVISIBLE:
            if pattern.search(text):
                _note(values, pattern, f"{name} in {what}", line, notes)
        _note_equal_after_normalisation(values, what, line, notes)


def _note_longest(
    values: Sequence[str], longest: int, what: str, line: Callable[[int], int | None], notes: NoteBook
) -> None:
    if len(values[longest]) > LONG_ID:
        notes.add(f"{what} is {len(values[longest])} characters long", line(longest))


def _note(
    values: Sequence[str],
    pattern: re.Pattern[str],
    message: str,
    line: Callable[[int], int | None],
    notes: NoteBook,
) -> None:
    odd = [i for i, value in enumerate(values) if pattern.search(value)]
    words = f"{message} {shown(values[odd[0]])}"
    notes.add(words, line(odd[0]), kind=message, count=len(odd))


def _note_equal_after_normalisation(
    values: Sequence[str], what: str, line: Callable[[int], int | None], notes: NoteBook
) -> None:
    first: dict[str, int] = {}
    for i, value in enumerate(values):
        j = first.setdefault(unicodedata.normalize("NFC", value), i)
        if i != j:
            message = f"two {what}s are equal after Unicode normalisation: {shown(value)}"
            notes.add(f"{message} (kept apart)", line(i), kind=message.split(":")[0])


def first_repeated(codes: pl.DataFrame) -> tuple[int, int] | None:
    """The first row that equals one before it, and the first one that it equals; None where all rows differ.

    Examples:
        >>> first_repeated(pl.DataFrame({"a": [5, 3, 5, 3], "b": [0, 0, 0, 0]}))
        (2, 0)
    """
    if codes.hash_rows().n_unique() == codes.height:  # equal rows have equal hashes
        return None
    again = (~codes.select(pl.struct(pl.all()).is_first_distinct()).to_series()).arg_true()
    if again.is_empty():
        return None
    row = int(again[0])
    equal = codes.select(pl.all_horizontal(pl.all() == pl.all().get(row))).to_series()
    return row, int(equal.arg_true()[0])


def changes(keys: IntArray | IndexArray, *more: IndexArray) -> IntArray:
    """Rows where a new stretch of equal keys starts: ``[4, 4, 7] -> [0, 2]``.

    With several columns, a stretch is equal in all of them.
    """
    starts = keys[1:] != keys[:-1]
    for column in more:
        starts |= column[1:] != column[:-1]
    return np.concatenate([[0], np.flatnonzero(starts) + 1])


def offsets_of(sorted_codes: IntArray | IndexArray, n: int) -> IntArray:
    """Offsets of the segments of codes ``0 … n − 1`` in a sorted column."""
    return np.searchsorted(sorted_codes, np.arange(n + 1)).astype(np.int64)


def first_rows(codes: IndexArray, n: int) -> IntArray:
    """(n) first row of each code; every code must occur."""
    first = np.zeros(n, dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]  # the last assignment, the first row, stays
    return first


def score_order(
    queries: IndexArray,
    scores: FloatArray,
    docs: IndexArray,
    doc_ids: Sequence[str],
    ranks: FloatArray | None = None,
) -> tuple[IntArray | None, int]:
    """Ranked order: by query, score descending, ties by rank where ranks are given, else by document id descending.

    Ids are compared by code point, which is the byte order of UTF-8 and trec_eval's order.

    Returns:
        The order of rows, None where they stand in it already; and how many rows are tied.
    """
    order: IntArray | None = None
    same = queries[1:] == queries[:-1]
    falling = (queries[1:] > queries[:-1]) | (same & (scores[1:] <= scores[:-1]))
    if not falling.all():
        order = np.lexsort((-scores, queries))
        queries, scores, docs = queries[order], scores[order], docs[order]
        same = queries[1:] == queries[:-1]
    equal = same & (scores[1:] == scores[:-1])
    if not equal.any():
        return order, 0
    tied = np.concatenate([[False], equal]) | np.concatenate([equal, [False]])
    rows = np.flatnonzero(tied)
    run = np.cumsum(~np.concatenate([[False], equal])[rows])
    if ranks is None:
        of_ties: IntArray = np.unique(docs[rows]).astype(np.int64)
        place = np.zeros(len(doc_ids), dtype=np.int64)
        place[of_ties] = Ids.of(doc_ids).column.gather(of_ties).rank("ordinal", descending=True).to_numpy()
        inner = np.lexsort((place[docs[rows]], run))
    else:
        inner = np.lexsort((ranks[rows if order is None else order[rows]], run))
    within = np.arange(queries.size)
    within[rows] = rows[inner]
    return (within if order is None else order[within]), rows.size
