"""The fast pass over a block of text: the columns of a table straight from its bytes.

It reads rows whose columns are separated by exactly one blank, with whole numbers of up to nine digits and plain
decimal scores, as nearly every file has them. At anything else it stops without a word: the exact pass
(:mod:`fairviz.io.tokens`) then says what is odd, and on which line. What both can read, both read alike.
"""

import sys
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.compiled import kernel
from fairviz.io.arrow import TextColumn
from fairviz.io.limits import MAX_GRADE
from fairviz.io.text import n_lines
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.ids import Ids, Utf8

Kind: TypeAlias = Literal["id", "document", "rank", "score", "grade"]
"""Documents are identifiers, too: nearly as many of them as rows, while others stand on many rows in a row."""
Numbers: TypeAlias = NDArray[np.number[Any]]

SMALL = 2**19
"""Bytes that the exact pass is done with before machine code would be loaded: less than the first block of a large
file."""

_TAB, _LINE_FEED, _FORM_FEED, _SPACE, _COMMENT = b"\t\n\f #"
_ZERO, _NINE, _PLUS, _MINUS, _POINT, _E, _SMALL_E = b"09+-.Ee"

_DIGITS = 9
"""Of a whole number: as many always fit 32 bits."""
_SIGNIFICANT = 18
"""Digits that 64 bits hold."""
_LONGEST_EXPONENT = 6
_EXACT = 2**53
"""Whole numbers up to it are doubles, and so are the powers of ten below: one division of two exact numbers is rounded
once, which gives the double nearest to what is written (Clinger 1990)."""
_POWERS = np.array([float(10**e) for e in range(23)])


class Stretches(NamedTuple):
    """A column of identifiers, each held once where it stands on consecutive rows.

    Attributes:
        ids: Of each stretch of rows.
        sizes: Rows of each; None = one.
    """

    ids: Ids
    sizes: IntArray | None = None


def plain_columns(text: bytes, kinds: Mapping[str, Kind]) -> dict[str, Stretches | Numbers] | None:
    r"""The columns of a block.

    Args:
        text: Whole lines, each ended by a line feed.
        kinds: Name and kind of each column, left to right.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> found = plain_columns(b"q1 d1 0.5\nq1 d2 .25\n", {"query": "id", "doc": "document", "score": "score"})
        >>> found["query"].ids, found["query"].sizes, found["score"]
        (Ids.of(['q1']), array([2]), array([0.5 , 0.25]))
    """
    if not _is_utf8(text):
        return None
    data = np.frombuffer(text, dtype=np.uint8)
    separator = _TAB if b"\t" in text[:4096] else _SPACE
    cells = np.empty((n_lines(text), len(kinds) + 1), dtype=np.int32)
    if not _cells(data, separator, cells):
        return None
    columns: dict[str, Stretches | Numbers] = {}
    for column, (name, kind) in enumerate(kinds.items()):
        found = _COLUMNS[kind](data, cells, column)
        if found is None:
            return None
        columns[name] = found
    return columns


def is_worth_it(text: bytes) -> bool:
    """Whether this pass is sooner done than the exact one, loading its machine code included."""
    return len(text) >= SMALL or "numba" in sys.modules


def _is_utf8(text: bytes) -> bool:
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _consecutive(data: Utf8, cells: IndexArray, column: int) -> Stretches:
    firsts = np.empty(len(cells), dtype=np.int64)
    firsts = firsts[: _first_rows(data, cells, column, firsts)]
    sizes = np.diff(np.append(firsts, len(cells)))
    return Stretches(_texts(data, cells[firsts], column), sizes)


def _each(data: Utf8, cells: IndexArray, column: int) -> Stretches:
    return Stretches(_texts(data, cells, column))


def _ranks(data: Utf8, cells: IndexArray, column: int) -> IndexArray | None:
    values = np.empty(len(cells), dtype=np.int32)
    return values if _whole_numbers(data, cells, column, values) else None


def _grades(data: Utf8, cells: IndexArray, column: int) -> IndexArray | None:
    values = _ranks(data, cells, column)
    return None if values is None or int(values.max(initial=0)) > MAX_GRADE else values


def _scores(data: Utf8, cells: IndexArray, column: int) -> FloatArray | None:
    values = np.empty(len(cells))
    long = np.zeros(len(cells), dtype=np.bool_)
    if not _decimals(data, cells, column, values, long):
        return None
    rows = np.flatnonzero(long)
    if rows.size:
        texts = _texts(data, cells[rows], column)
        values[rows] = TextColumn(texts.text.tobytes(), texts.offsets).decimals(np.ones(rows.size, dtype=np.bool_))
    return values if np.isfinite(values).all() else None


def _texts(data: Utf8, cells: IndexArray, column: int) -> Ids:
    sizes = cells[:, column + 1] - cells[:, column] - 1
    offsets = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    text = np.empty(int(offsets[-1]), dtype=np.uint8)
    _copy(data, cells, column, offsets, text)
    return Ids(text, offsets)


_COLUMNS = {"id": _consecutive, "document": _each, "rank": _ranks, "grade": _grades, "score": _scores}


@kernel
def _cells(data: Utf8, separator: int, cells: IndexArray) -> bool:
    """Where each cell of each row begins, and after the last one where the next row does; False where a row is odd."""
    n_columns = cells.shape[1] - 1
    row, column, start = 0, 0, 0
    for at in range(data.size):
        byte = data[at]
        if byte > _SPACE:
            continue
        if byte == separator:
            if at == start or column == n_columns - 1:
                return False
            cells[row, column] = start
            column += 1
            start = at + 1
        elif byte == _LINE_FEED:
            if at == start or column != n_columns - 1:
                return False
            cells[row, column] = start
            start = at + 1
            cells[row, n_columns] = start
            if data[cells[row, 0]] == _COMMENT:
                return False
            row += 1
            column = 0
        elif byte == _SPACE or _TAB <= byte <= _FORM_FEED:
            return False
    return row == cells.shape[0]


@kernel
def _first_rows(data: Utf8, cells: IndexArray, column: int, firsts: IntArray) -> int:
    """Rows whose cell is not the one above, into ``firsts``; how many."""
    n = 0
    for row in range(cells.shape[0]):
        start, end = cells[row, column], cells[row, column + 1]
        same = False
        if row > 0:
            above = cells[row - 1, column]
            same = cells[row - 1, column + 1] - above == end - start
            at = 0
            while same and at < end - start:
                same = data[start + at] == data[above + at]
                at += 1
        if not same:
            firsts[n] = row
            n += 1
    return n


@kernel
def _copy(data: Utf8, cells: IndexArray, column: int, offsets: IntArray, text: Utf8) -> None:
    for row in range(cells.shape[0]):
        start = cells[row, column]
        for at in range(offsets[row + 1] - offsets[row]):
            text[offsets[row] + at] = data[start + at]


@kernel
def _whole_numbers(data: Utf8, cells: IndexArray, column: int, values: IndexArray) -> bool:
    for row in range(cells.shape[0]):
        start, end = cells[row, column], cells[row, column + 1] - 1
        if end - start > _DIGITS:
            return False
        value = 0
        for at in range(start, end):
            digit = int(data[at]) - _ZERO
            if digit < 0 or digit > 9:
                return False
            value = 10 * value + digit
        values[row] = value
    return True


@kernel
def _decimals(data: Utf8, cells: IndexArray, column: int, values: FloatArray, long: BoolArray) -> bool:
    """The doubles that cells write; ``long`` marks numbers that take more than one rounding, whose value is left."""
    for row in range(cells.shape[0]):
        at, end = int(cells[row, column]), int(cells[row, column + 1]) - 1
        negative = data[at] == _MINUS
        if negative:
            at += 1
        whole, n_digits, n_significant, exponent = 0, 0, 0, 0
        after_point = False
        while at < end:
            byte = data[at]
            if byte == _POINT and not after_point:
                after_point = True
            elif _ZERO <= byte <= _NINE:
                n_digits += 1
                if n_significant > 0 or byte > _ZERO:
                    n_significant += 1
                if n_significant <= _SIGNIFICANT:
                    whole = 10 * whole + int(byte) - _ZERO
                if after_point:
                    exponent -= 1
            else:
                break
            at += 1
        if n_digits == 0:
            return False
        if at < end:
            if (data[at] != _E and data[at] != _SMALL_E) or at + 1 == end:
                return False
            at += 1
            sign = -1 if data[at] == _MINUS else 1
            if data[at] == _MINUS or data[at] == _PLUS:
                at += 1
            if at == end or end - at > _LONGEST_EXPONENT:
                return False
            written = 0
            while at < end:
                digit = int(data[at]) - _ZERO
                if digit < 0 or digit > 9:
                    return False
                written = 10 * written + digit
                at += 1
            exponent += sign * written
        if n_significant > _SIGNIFICANT or whole > _EXACT or exponent < -22 or exponent > 22:
            long[row] = True
            continue
        value = float(whole)
        if exponent < 0:
            value /= _POWERS[-exponent]
        else:
            value *= _POWERS[exponent]
        values[row] = -value if negative else value
    return True
