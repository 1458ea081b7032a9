"""Identifiers by the million: one column of text in place of a string object each."""

from collections.abc import Iterator, Sequence
from typing import SupportsIndex, TypeAlias, cast, overload

import polars as pl


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
