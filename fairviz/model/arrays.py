"""Array types and the checks that every noun shares; identifiers as one column, joined and numbered."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple, SupportsIndex, TypeAlias, cast, overload

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


def segment_places(offsets: IntArray) -> IntArray:
    """The place of each row in its segment, from 0: ``[0, 2, 3] -> [0, 1, 0]``."""
    places = np.arange(int(offsets[-1]))
    places -= np.repeat(offsets[:-1], np.diff(offsets))
    return places


def offsets_of(sorted_segments: IntArray | IndexArray, n: int) -> IntArray:
    """Offsets of n segments, from the segment of each row: ``[0, 0, 1] -> [0, 2, 3]``."""
    return np.searchsorted(sorted_segments, np.arange(n + 1)).astype(np.int64)


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
    sums, filled = np.zeros(offsets.size - 1), np.flatnonzero(np.diff(offsets))
    if filled.size:  # an empty segment is none to numpy, which would give the row that follows it
        sums[filled] = np.add.reduceat(values, offsets[filled], dtype=np.float64)
    return sums


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


def frozen(*arrays: NDArray[np.generic]) -> None:
    """Make arrays read-only, so that a shared noun cannot change under its readers."""
    for array in arrays:
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


# Where identifiers stand among others, and which rows of a table are alike.


class IdColumn(NamedTuple):
    """A column of identifiers: ``values[codes[i]]`` stands in row i; values in the order in which they appear."""

    codes: IndexArray
    values: Ids


_FEW = 20_000
"""Identifiers that a dictionary finds sooner than a join."""
_FEWER = 1000
"""Identifiers, or rows, that a dictionary numbers sooner than hashes do, which have their own costs."""
_OFTEN = 8
"""Times that a text occurs on average from which on texts are numbered sooner than hashes."""


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
    if len(ids) + len(within) < _FEW:  # a join has its own costs
        places_of = {identifier: index for index, identifier in enumerate(within)}
        return np.array([places_of.get(identifier, -1) for identifier in ids], dtype=np.int64)
    rows = Ids.of(ids).column.to_frame("id").with_row_index("row")
    both = rows.join(Ids.of(within).column.to_frame("id").with_row_index("place"), on="id")
    places = np.full(len(ids), -1, dtype=np.int64)
    places[both["row"]] = both["place"]
    return places


def union(first: Sequence[str], second: Sequence[str]) -> tuple[Ids, IndexArray]:
    """The identifiers of two tables, each once: those of the first, then what only the second has.

    Args:
        first: N distinct identifiers, which keep their places.
        second: M distinct identifiers.

    Returns:
        The union, and (M) where those of the second stand in it.
    """
    ids, more = Ids.of(first), Ids.of(second)
    places = positions(more, ids)
    new = np.flatnonzero(places < 0)
    places[new] = len(ids) + np.arange(new.size)
    if new.size:
        ids = Ids(pl.concat([ids.column, more.column.gather(new)]))
    return ids, places.astype(np.int32)


def encoded(column: pl.Series) -> IdColumn:
    """A column of identifiers by number.

    Examples:
        >>> encoded(pl.Series(["b", "a", "b"]))
        IdColumn(codes=array([0, 1, 0], dtype=int32), values=Ids.of(['b', 'a']))
    """
    codes, firsts = distinct_rows(column.to_frame())
    return IdColumn(codes, Ids(column.gather(firsts)))


def encoded_runs(runs: pl.Series) -> IdColumn:
    """A column of identifiers by number, of the runs of equal neighbours that Polars' ``rle`` makes of it.

    Columns of a table that are sorted, or hold one value, take no memory to speak of in runs; of one value, in numbers
    neither.
    """
    codes, values = encoded(runs.struct.field("value"))
    lengths = runs.struct.field("len").to_numpy()
    if len(values) == 1:
        return IdColumn(np.broadcast_to(codes[:1], int(lengths.sum())), values)
    return IdColumn(np.repeat(codes, lengths), values)


def distinct_rows(rows: pl.DataFrame) -> tuple[IndexArray, IntArray]:
    """(R) which of the distinct rows each is, numbered in the order of their first, and these first rows.

    Examples:
        >>> distinct_rows(pl.DataFrame({"a": [5, 5, 3, 5], "b": [0, 1, 0, 0]}))
        (array([0, 1, 2, 0], dtype=int32), array([0, 1, 2]))
    """
    if rows.height < _FEWER and all(dtype == pl.String or dtype.is_integer() for dtype in rows.dtypes):
        return _numbered_few(rows.rows())
    if rows.width == 1 and isinstance(rows.dtypes[0], pl.String | pl.Categorical):
        return _numbered(rows.to_series())
    runs = (rows.to_series() if rows.width == 1 else rows.to_struct()).rle()  # of equal neighbours
    codes, firsts = _numbered(runs.struct.field("value"))
    lengths = runs.struct.field("len").to_numpy()
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    return np.repeat(codes, lengths), starts[firsts]


def read_once(
    rows: pl.DataFrame, read: Callable[..., object], dtype: pl.DataType | type[pl.DataType] = pl.String
) -> pl.Series:
    """(R) what is made of each row, once for rows that are alike.

    Examples:
        >>> read_once(pl.DataFrame({"a": ["x", "y", "x"]}), str.upper).to_list()
        ['X', 'Y', 'X']
    """
    codes, firsts = distinct_rows(rows)
    return pl.Series([read(*row) for row in rows[firsts].iter_rows()], dtype=dtype).gather(codes)


def _numbered_few(values: Sequence[Hashable]) -> tuple[IndexArray, IntArray]:
    """The number of each value, in the order in which values come first, and where each comes first."""
    places: dict[Hashable, int] = {}
    numbers = np.array([places.setdefault(value, len(places)) for value in values], dtype=np.int32)
    return numbers, np.unique(numbers, return_index=True)[1]


def _numbered(values: pl.Series) -> tuple[IndexArray, IntArray]:
    """The number of each value, in the order in which values come first, and where each comes first."""
    if isinstance(values.dtype, pl.Categorical):
        return _numbered_codes(values)
    hashes = values.hash()
    n_distinct: int = hashes.to_frame().select(pl.all().approx_n_unique()).item()
    if values.dtype == pl.String and _OFTEN * n_distinct < len(values):
        return _numbered_codes(values.cast(pl.Categorical(pl.Categories.random())))
    first = _first_rows(hashes)  # numbers are told apart in half of the time that texts take
    again = np.flatnonzero(first != np.arange(first.size))
    if not values.gather(again).equals(values.gather(first[again])):
        first = _first_rows(values)  # two values have one hash
    firsts = np.flatnonzero(first == np.arange(first.size))
    numbers = np.empty(first.size, dtype=np.int32)
    numbers[firsts] = np.arange(firsts.size)
    return numbers[first], firsts


def _numbered_codes(values: pl.Series) -> tuple[IndexArray, IntArray]:
    """The same of values that Polars has coded, where each is that of many rows."""
    codes = (values.to_physical() + 1).fill_null(0)
    firsts = codes.arg_unique().to_numpy().astype(np.int64)
    rows = codes.to_numpy()
    numbers = np.empty(int(rows.max(initial=0)) + 1, dtype=np.int32)
    numbers[rows[firsts]] = np.arange(firsts.size)
    return numbers[rows], firsts


def _first_rows(values: pl.Series) -> IntArray:
    """(R) the first row with the value of each."""
    rows = values.to_frame("value").with_row_index("row")
    return rows.select(pl.col("row").min().over("value")).to_series().to_numpy().astype(np.int64)


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
