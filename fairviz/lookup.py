"""Where the identifiers of one table stand in another: the join of strings that every alignment begins with."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from fairviz.compiled import kernel
from fairviz.model import IndexArray, IntArray
from fairviz.model.ids import Ids, Utf8, joined

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/)."""

FEW = 100_000
"""Identifiers that a dictionary has found before machine code would be loaded."""


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
    if len(ids) + len(within) <= FEW:
        index = dict(zip(within, range(len(within)), strict=True))
        return np.fromiter(map(index.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))
    sought, known = Ids.of(ids), Ids.of(within)
    return _positions(sought.text, sought.offsets, known.text, known.offsets)


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
    if n_rows <= FEW:
        index: dict[str, int] = {}
        numbered = [index.setdefault(name, len(index)) for piece in pieces for name in piece]
        return np.array(numbered, dtype=np.int32), Ids.of(tuple(index))
    text = np.empty(sum(piece.text.size for piece in pieces), dtype=np.uint8)  # pages that nobody writes cost nothing
    offsets = np.zeros(n_rows + 1, dtype=np.int64)
    slots = np.zeros(_n_slots(n_rows), dtype=np.int32)
    codes = np.empty(n_rows, dtype=np.int32)
    n_known, row = 0, 0
    for piece in pieces:
        n_known = _encode(piece.text, piece.offsets, text, offsets, slots, n_known, codes[row : row + len(piece)])
        row += len(piece)
    return codes, Ids(text[: offsets[n_known]].copy(), offsets[: n_known + 1].copy())


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
    """A power of two, at least twice as many as are put in."""
    slots = 16
    while slots < 2 * n:
        slots *= 2
    return slots


@kernel
def _slot(text: Utf8, start: int, end: int, known: Utf8, known_offsets: IntArray, slots: IndexArray) -> int:
    """Where an identifier stands in the table of slots, or the free slot where it would: 0 is free, n + 1 known n."""
    mask = np.uint64(slots.size - 1)
    slot = _hash(text, start, end) & mask
    while slots[slot] > 0:
        held = int(slots[slot]) - 1
        if _same(text, start, end, known, known_offsets[held], known_offsets[held + 1]):
            break
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@kernel
def _positions(text: Utf8, offsets: IntArray, known: Utf8, known_offsets: IntArray) -> IntArray:
    """The table is made of the shorter column, the longer one is read past it."""
    n, n_known = offsets.size - 1, known_offsets.size - 1
    found = np.full(n, -1, dtype=np.int64)
    slots = np.zeros(_n_slots(min(n, n_known)), dtype=np.int32)
    if n_known <= n:
        for k in range(n_known):
            slots[_slot(known, known_offsets[k], known_offsets[k + 1], known, known_offsets, slots)] = k + 1
        for i in range(n):
            found[i] = slots[_slot(text, offsets[i], offsets[i + 1], known, known_offsets, slots)] - 1
        return found
    first = np.empty(n, dtype=np.int64)  # of equal identifiers
    for i in range(n):
        slot = _slot(text, offsets[i], offsets[i + 1], text, offsets, slots)
        if slots[slot] == 0:
            slots[slot] = i + 1
        first[i] = slots[slot] - 1
    place = np.full(n, -1, dtype=np.int64)
    for k in range(n_known):
        i = slots[_slot(known, known_offsets[k], known_offsets[k + 1], text, offsets, slots)] - 1
        if i >= 0:
            place[i] = k
    for i in range(n):
        found[i] = place[first[i]]
    return found


@kernel
def _encode(
    text: Utf8,
    offsets: IntArray,
    known: Utf8,
    known_offsets: IntArray,
    slots: IndexArray,
    n_known: int,
    codes: IndexArray,
) -> int:
    for i in range(codes.size):
        slot = _slot(text, offsets[i], offsets[i + 1], known, known_offsets, slots)
        if slots[slot] == 0:
            end = known_offsets[n_known]
            for at in range(offsets[i], offsets[i + 1]):
                known[end] = text[at]
                end += 1
            n_known += 1
            known_offsets[n_known] = end
            slots[slot] = n_known
        codes[i] = slots[slot] - 1
    return n_known


@kernel(exact=True)
def _gathered(text: Utf8, offsets: IntArray, rows: IntArray, new_offsets: IntArray) -> Utf8:
    made = np.empty(new_offsets[-1], dtype=np.uint8)
    for i in range(rows.size):
        start = offsets[rows[i]]
        for j in range(new_offsets[i + 1] - new_offsets[i]):
            made[new_offsets[i] + j] = text[start + j]
    return made
