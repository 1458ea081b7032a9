"""Identifiers by the million: one block of UTF-8 in place of a string object each."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, starmap
from typing import SupportsIndex, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

from fairviz.model.arrays import IntArray, check_offsets, frozen

Utf8: TypeAlias = NDArray[np.uint8]
"""Bytes of text."""


class Ids(Sequence[str]):
    """Identifiers, decoded where one is asked for; equal to any sequence of the same strings.

    Args:
        text: The bytes of all of them, one after the other.
        offsets: (N+1) identifier i is ``text[offsets[i]:offsets[i + 1]]``.

    Examples:
        >>> ids = Ids.of(["d1", "d22"])
        >>> ids[1], len(ids), ids == ("d1", "d22")
        ('d22', 2, True)
    """

    __slots__ = ("offsets", "text")

    def __init__(self, text: Utf8, offsets: IntArray) -> None:
        check_offsets(offsets, offsets.size - 1, text.size, "identifiers")
        self.text, self.offsets = text, offsets
        for array in (text, offsets):
            frozen(array)

    @classmethod
    def of(cls, ids: Sequence[str]) -> "Ids":
        """The identifiers of a sequence; itself where it is one of these already."""
        if isinstance(ids, Ids):
            return ids
        coded = [name.encode("utf-8", "surrogatepass") for name in ids]
        ends = np.cumsum(np.fromiter(map(len, coded), dtype=np.int64, count=len(coded)))
        return cls(np.frombuffer(b"".join(coded), dtype=np.uint8), np.concatenate([[0], ends]).astype(np.int64))

    def __len__(self) -> int:
        return self.offsets.size - 1

    @overload
    def __getitem__(self, index: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        at = range(len(self))[index]
        return self.text[self.offsets[at] : self.offsets[at + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        text = self.text.tobytes()
        slices = starmap(slice, pairwise(self.offsets.tolist()))
        if text.isascii():
            yield from map(text.decode("ascii").__getitem__, slices)
        else:
            for piece in slices:
                yield text[piece].decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ids):
            return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.text, other.text)
        return isinstance(other, Sequence) and tuple(self) == tuple(cast("Sequence[object]", other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Ids.of({list(self)!r})"

    @property
    def sizes(self) -> IntArray:
        """(N) bytes of each identifier."""
        return np.diff(self.offsets)


def joined(parts: Iterable[Ids]) -> Ids:
    """All identifiers of the parts, one part after the other."""
    held = tuple(parts)
    sizes = np.concatenate([part.sizes for part in held])
    return Ids(np.concatenate([part.text for part in held]), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


DocIds: TypeAlias = tuple[str, ...] | Ids
"""Document ids of a noun: few as they are, many as :class:`Ids`."""
