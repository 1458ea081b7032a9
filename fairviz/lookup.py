"""Where the identifiers of one table stand in another: the join of strings that every alignment begins with.

The walk over the slots of a table stands in each of its three loops: as a kernel of its own, called for every row, it
took two and a half times as long.
"""

import sys
from collections.abc import Sequence
from itertools import repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.compiled import kernel
from fairviz.model import IndexArray, IntArray
from fairviz.model.ids import Ids, Utf8, joined

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/)."""

_LOWER = np.uint64(0xFFFFFFFF)
"""A slot holds 1 + the number of an identifier in its lower half; in the upper one that half of its hash, so that most
of what is no match is known without a look at the text. 0 is free."""

_AT_ONCE = 256
"""Slots that are looked at before the first is needed: memory answers for them side by side."""

Slots: TypeAlias = NDArray[np.uint64]
"""An open table of identifiers by hash."""

FEW = 100_000
"""Identifiers that a dictionary has found before machine code would be loaded."""
FEWER = 1_000
"""Identifiers that it has found before machine code is called."""


def positions(ids: Sequence[str], within: Sequence[str]) -> IntArray:
    """Place of each identifier among others, −1 where it is not there.

    Args:
        ids: N identifiers.
        within: Distinct identifiers.

    Returns:
        (N) index into ``within``.

    Examples:
        >>> positions(("b", "c"), ("a", "b")).tolist()
        [1, -1]
    """
    if ids is within:
        return np.arange(len(ids))
    if _are_few(len(ids) + len(within)):
        index = dict(zip(within, range(len(within)), strict=True))
        return np.fromiter(map(index.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))
    sought, known = Ids.of(ids), Ids.of(within)
    found = np.full(len(sought), -1, dtype=np.int64)
    _find(sought.text, sought.offsets, known.text, known.offsets, found)
    return found


def union(first: Sequence[str], second: Sequence[str]) -> tuple[Ids, IndexArray]:
    """The identifiers of two tables, each once: those of the first, then what only the second has.

    Args:
        first: N distinct identifiers, which keep their places.
        second: M distinct identifiers.

    Returns:
        The union, and (M) where those of the second stand in it.
    """
    known, more = Ids.of(first), Ids.of(second)
    places = positions(more, known)
    new = np.flatnonzero(places < 0)
    places[new] = len(known) + np.arange(new.size)
    return (joined((known, chosen(more, new))) if new.size else known), places.astype(np.int32)


def encoded(pieces: Sequence[Ids]) -> tuple[IndexArray, Ids]:
    """A column of identifiers by number: each distinct one once, in the order in which they appear.

    Args:
        pieces: The column, piece after piece; N rows in all.

    Returns:
        (N) code of each row, and the D identifiers that the codes number.
    """
    n_rows = sum(map(len, pieces))
    if _are_few(n_rows):
        index: dict[str, int] = {}
        numbered = [index.setdefault(name, len(index)) for piece in pieces for name in piece]
        return np.array(numbered, dtype=np.int32), Ids.of(tuple(index))
    text = np.empty(sum(piece.text.size for piece in pieces), dtype=np.uint8)  # pages that nobody writes cost nothing
    offsets = np.empty(n_rows + 1, dtype=np.int64)
    offsets[0] = 0
    slots = np.zeros(_n_slots(n_rows), dtype=np.uint64)
    codes = np.empty(n_rows, dtype=np.int32)
    n_known, row = 0, 0
    for piece in pieces:
        n_known = _encode(piece.text, piece.offsets, text, offsets, slots, n_known, codes[row : row + len(piece)])
        row += len(piece)
    text, offsets = text[: offsets[n_known]], offsets[: n_known + 1]
    return codes, Ids(text, offsets) if 2 * n_known > n_rows else Ids(text.copy(), offsets.copy())


def _are_few(n: int) -> bool:
    return n <= (FEWER if "numba" in sys.modules else FEW)


def chosen(ids: Ids, rows: IntArray) -> Ids:
    """Some identifiers, in the order of their places."""
    offsets = np.concatenate([[0], np.cumsum(ids.sizes[rows])]).astype(np.int64)
    return Ids(_gathered(ids.text, ids.offsets, rows, offsets), offsets)


@kernel
def _hash(text: Utf8, start: int, end: int) -> np.uint64:
    state = _BASIS
    for i in range(start, end):
        state = (state ^ np.uint64(text[i])) * _PRIME
    return state ^ (state >> np.uint64(29))


@kernel
def _same(text: Utf8, start: int, end: int, other: Utf8, other_start: int, other_end: int) -> bool:
    if end - start != other_end - other_start:
        return False
    at = start
    while at < end and text[at] == other[other_start + at - start]:
        at += 1
    return at == end


@kernel
def _n_slots(n: int) -> int:
    """A power of two, at least one and a half times as many as are put in."""
    slots = 16
    while 2 * slots < 3 * n:
        slots *= 2
    return slots


# The walk from slot to slot, until one is free or holds the same identifier, stands in three loops word for word: a
# kernel that is called for each row counts the references to its arrays, which takes longer than the walk.


@kernel
def _content(hashed: np.uint64, number: int) -> np.uint64:
    """What a slot holds of an identifier."""
    return (hashed & ~_LOWER) | np.uint64(number + 1)


@kernel
def _number(content: np.uint64) -> int:
    """The number in a slot, −1 of a free one."""
    return int(content & _LOWER) - 1


@kernel
def _find(text: Utf8, offsets: IntArray, known: Utf8, known_offsets: IntArray, found: IntArray) -> None:
    """The table is made of the shorter column, the longer one is read past it. ``found`` holds −1."""
    n, n_known = offsets.size - 1, known_offsets.size - 1
    slots = np.zeros(_n_slots(min(n, n_known)), dtype=np.uint64)
    if n_known <= n:
        _tabulate(known, known_offsets, slots)
        _seek(text, offsets, known, known_offsets, slots, found, False)
    else:
        first = _tabulate(text, offsets, slots)
        _seek(known, known_offsets, text, offsets, slots, found, True)
        for i in range(n):
            found[i] = found[first[i]]


@kernel
def _tabulate(text: Utf8, offsets: IntArray, slots: Slots) -> IntArray:
    """Put identifiers into a table, and say which of equal ones is in it: the first."""
    first = np.empty(offsets.size - 1, dtype=np.int64)
    mask = np.uint64(slots.size - 1)
    for i in range(first.size):
        start, end = offsets[i], offsets[i + 1]
        hashed = _hash(text, start, end)
        slot = hashed & mask
        number = -1
        while slots[slot] != 0:
            if (slots[slot] ^ hashed) <= _LOWER:
                held = _number(slots[slot])
                if _same(text, start, end, text, offsets[held], offsets[held + 1]):
                    number = held
                    break
            slot = (slot + np.uint64(1)) & mask
        if number < 0:
            number = i
            slots[slot] = _content(hashed, number)
        first[i] = number
    return first


@kernel
def _seek(
    text: Utf8, offsets: IntArray, known: Utf8, known_offsets: IntArray, slots: Slots, found: IntArray, inverse: bool
) -> None:
    """The number of each identifier in a table, where it is there; inverse: the identifier of each number."""
    hashes, starts = np.empty(_AT_ONCE, dtype=np.uint64), np.empty(_AT_ONCE, dtype=np.int64)
    mask = np.uint64(slots.size - 1)
    for first in range(0, offsets.size - 1, _AT_ONCE):
        rows = range(first, min(first + _AT_ONCE, offsets.size - 1))
        _look_at(text, offsets, rows, known, known_offsets, slots, hashes, starts)
        for i in rows:
            start, end, hashed = offsets[i], offsets[i + 1], hashes[i - first]
            slot = hashed & mask
            number = -1
            while slots[slot] != 0:
                if (slots[slot] ^ hashed) <= _LOWER:
                    held = _number(slots[slot])
                    if _same(text, start, end, known, known_offsets[held], known_offsets[held + 1]):
                        number = held
                        break
                slot = (slot + np.uint64(1)) & mask
            if number >= 0 and inverse:
                found[number] = i
            elif number >= 0:
                found[i] = number


@kernel
def _look_at(
    text: Utf8,
    offsets: IntArray,
    rows: range,
    known: Utf8,
    known_offsets: IntArray,
    slots: Slots,
    hashes: Slots,
    starts: IntArray,
) -> int:
    """The hashes of some identifiers; their slots and what these name come into the cache. A sum of no meaning."""
    mask = np.uint64(slots.size - 1)
    for i in rows:
        hashes[i - rows.start] = _hash(text, offsets[i], offsets[i + 1])
    for i in range(len(rows)):
        held = slots[hashes[i] & mask]
        starts[i] = known_offsets[_number(np.uint64(held))] if held != 0 and (held ^ hashes[i]) <= _LOWER else -1
    total = 0
    for i in range(len(rows)):
        if starts[i] >= 0:
            total += int(known[starts[i]])
    return total


@kernel
def _encode(
    text: Utf8, offsets: IntArray, known: Utf8, known_offsets: IntArray, slots: Slots, n_known: int, codes: IndexArray
) -> int:
    """Number the identifiers of one piece; those that are new are added to the known ones."""
    hashes, starts = np.empty(_AT_ONCE, dtype=np.uint64), np.empty(_AT_ONCE, dtype=np.int64)
    mask = np.uint64(slots.size - 1)
    for first in range(0, codes.size, _AT_ONCE):
        rows = range(first, min(first + _AT_ONCE, codes.size))
        _look_at(text, offsets, rows, known, known_offsets, slots, hashes, starts)
        for i in rows:
            start, end, hashed = offsets[i], offsets[i + 1], hashes[i - first]
            slot = hashed & mask
            number = -1
            while slots[slot] != 0:
                if (slots[slot] ^ hashed) <= _LOWER:
                    held = _number(slots[slot])
                    if _same(text, start, end, known, known_offsets[held], known_offsets[held + 1]):
                        number = held
                        break
                slot = (slot + np.uint64(1)) & mask
            if number < 0:
                to = known_offsets[n_known]
                for at in range(start, end):
                    known[to + at - start] = text[at]
                known_offsets[n_known + 1] = to + end - start
                number = n_known
                slots[slot] = _content(hashed, number)
                n_known += 1
            codes[i] = number
    return n_known


@kernel(exact=True)
def _gathered(text: Utf8, offsets: IntArray, rows: IntArray, new_offsets: IntArray) -> Utf8:
    made = np.empty(new_offsets[-1], dtype=np.uint8)
    for i in range(rows.size):
        start = offsets[rows[i]]
        for j in range(new_offsets[i + 1] - new_offsets[i]):
            made[new_offsets[i] + j] = text[start + j]
    return made
