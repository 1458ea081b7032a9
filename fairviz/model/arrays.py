"""Array types and the checks that every noun shares; identifiers by the million as one column of text."""

from collections.abc import Iterator, Sequence
from typing import SupportsIndex, TypeAlias, cast, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
IndexArray: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]


def check_offsets(offsets: IntArray, parts: int, total: int, what: str) -> None:
    """Refuse offsets that do not cut ``total`` rows into ``parts`` consecutive pieces."""
    if offsets.shape != (parts + 1,):
        raise ValueError(f"{what}: expected {parts + 1} offsets, got shape {offsets.shape}")
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise ValueError(f"{what}: offsets must rise from 0 to {total}")


def check_indices(indices: IndexArray, size: int, what: str) -> None:
    """Refuse indices outside ``0 … size − 1``."""
    unsigned = indices.view(f"u{indices.itemsize}")  # in one pass: what is below 0 is larger than any size
    if indices.size and int(unsigned.max()) >= size:
        raise ValueError(f"{what}: indices must lie in 0 … {size - 1}")


def check_distinct(ids: Sequence[str], what: str) -> None:
    """Refuse an identifier that stands twice."""
    if len(set(ids)) != len(ids):
        raise ValueError(f"{what} must be distinct")


def segment_ids(offsets: IntArray) -> IntArray:
    """The segment of each row: ``[0, 2, 3] -> [0, 0, 1]``."""
    return np.repeat(np.arange(offsets.size - 1), np.diff(offsets))


def segment_rows(
    offsets: IntArray, chosen: IntArray | slice = slice(None), *, most: int | IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Rows of some segments, one segment after the other, and their new offsets.

    Args:
        offsets: Of all segments.
        chosen: Which, in which order.
        most: Rows of a segment that count, from its first on; of each chosen one where they differ.

    Examples:
        >>> segment_rows(np.array([0, 2, 5]), np.array([1, 0]), most=2)
        (array([2, 3, 0, 1]), array([0, 2, 4]))
    """
    sizes = np.diff(offsets)[chosen]
    sizes = sizes if most is None else np.minimum(sizes, most)
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.arange(int(new[-1])) + np.repeat(offsets[:-1][chosen] - new[:-1], sizes), new


def segment_sums(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Sum of each segment; 0 for an empty one.

    Examples:
        >>> segment_sums(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 2, 3]))
        array([3., 0., 3.])
    """
    sums = np.bincount(segment_ids(offsets), weights=values, minlength=offsets.size - 1)
    return sums.astype(np.float64, copy=False)


def segment_dots(first: FloatArray, second: FloatArray, offsets: IntArray) -> FloatArray:
    """Sum of products in each segment.

    Examples:
        >>> segment_dots(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5, 2.0]), np.array([0, 2, 3]))
        array([2., 6.])
    """
    return segment_sums(first * second, offsets)


def ratio(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """Part by whole; NaN where the whole is 0.

    Examples:
        >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
        array([0.5, nan])
    """
    undefined = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.divide(part, whole, out=undefined, where=whole != 0)


def frozen(array: NDArray[np.generic]) -> None:
    """Make an array read-only, so that a shared noun cannot change under its readers."""
    array.setflags(write=False)


class Ids(Sequence[str]):
    """Identifiers, made a string where one is asked for; equal to any sequence of the same strings.

    Args:
        column: The identifiers, none of them missing.

    Examples:
        >>> ids = Ids.of(["d1", "d22"])
        >>> ids[1], len(ids), ids == ("d1", "d22")
        ('d22', 2, True)
    """

    __slots__ = ("column",)

    def __init__(self, column: pl.Series) -> None:
        self.column = column

    @classmethod
    def of(cls, ids: Sequence[str]) -> "Ids":
        """The identifiers of a sequence; itself where it is one of these already."""
        return ids if isinstance(ids, Ids) else cls(pl.Series(ids, dtype=pl.String))

    def __len__(self) -> int:
        return len(self.column)

    @overload
    def __getitem__(self, index: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self.column[index])
        return self.column[range(len(self))[index]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.column.to_list())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ids):
            return self.column.equals(other.column)
        return isinstance(other, Sequence) and tuple(self) == tuple(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Ids.of({list(self)!r})"


DocIds: TypeAlias = tuple[str, ...] | Ids
"""Document ids of a noun: few as they are, many as :class:`Ids`."""
