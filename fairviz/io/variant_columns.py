"""Rows of answers to variants by columns: what is said, each once, and which row says it.

Nearly all that a row says is said by many, so that a file is read, checked and noted over what is distinct; the line
of a row is looked up where a message needs it.
"""

from array import array
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairviz.model.arrays import IndexArray, IntArray

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

_DENSE = 8
"""Cells of a table per row up to which it is filled instead of sorting the keys."""


class Distinct(NamedTuple):
    """Which of R keys are equal.

    Attributes:
        first: (D) the first row of each distinct key, in file order.
        of: (R) which of these each row has.
    """

    first: IntArray
    of: IntArray


def distinct(keys: IndexArray | IntArray) -> Distinct:
    """The distinct keys in the order of their first row.

    Args:
        keys: (R) whole numbers from 0 on.

    Examples:
        >>> distinct(np.array([7, 2, 7, 0]))
        Distinct(first=array([0, 1, 3]), of=array([0, 1, 0, 2]))
    """
    n_rows = keys.size
    bound = int(keys.max(initial=-1)) + 1
    if bound > _DENSE * n_rows:
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(order.size, dtype=np.int64)
        number[order] = np.arange(order.size)
        return Distinct(first[order], number[of])
    first = np.full(bound, n_rows, dtype=np.int64)
    first[keys[::-1]] = np.arange(n_rows - 1, -1, -1)  # of equal keys the last write stays: the first row
    used = np.flatnonzero(first < n_rows)
    used = used[np.argsort(first[used])]
    number = np.empty(bound, dtype=np.int64)
    number[used] = np.arange(used.size)
    return Distinct(first[used], number[keys])


def pairs(first: IndexArray | IntArray, second: IndexArray | IntArray) -> IntArray:
    """(R) two numbers of each row, from 0 on, as one: rows with the same two have the same."""
    return first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second


class Coded(NamedTuple, Generic[T]):
    """What R rows say.

    Attributes:
        values: What is said, each once, in the order of its first row.
        codes: (R) position of what each row says.
    """

    values: tuple[T, ...]
    codes: IndexArray | IntArray

    def at(self, row: int) -> T:
        """What a row says."""
        return self.values[int(self.codes[row])]

    def mapped(self, read: Callable[[T], H]) -> "Coded[H]":
        """What is made of it, where several may become one.

        Examples:
            >>> Coded(("b", "B ", "a"), np.array([0, 1, 2])).mapped(lambda text: text.strip().lower())
            Coded(values=('b', 'a'), codes=array([0, 0, 1], dtype=int32))
        """
        places: dict[H, int] = {}
        codes = np.array([places.setdefault(read(value), len(places)) for value in self.values], dtype=np.int32)
        return Coded(tuple(places), codes[self.codes])

    def told(self, is_it: Callable[[T], object]) -> NDArray[np.bool_]:
        """(R) whether it is true of what each row says."""
        return np.array([bool(is_it(value)) for value in self.values], dtype=np.bool_)[self.codes]

    def counted(self) -> list[tuple[T, int]]:
        """What is said with the number of rows that say it."""
        n: list[int] = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return list(zip(self.values, n, strict=True))

    def of_rows(self, rows: IntArray) -> "Coded[T]":
        """What some of the rows say."""
        found = distinct(self.codes[rows])
        firsts: list[int] = rows[found.first].tolist()
        return Coded(tuple([self.at(row) for row in firsts]), found.of)


def all_say(value: T, n_rows: int) -> Coded[T]:
    """Rows that all say one thing."""
    return Coded((value,), np.zeros(n_rows, dtype=np.int32))


class Coding(Generic[H]):
    """What rows say, collected row by row.

    Examples:
        >>> rows = Coding[str]()
        >>> for value in "abba":
        ...     rows.add(value)
        >>> rows.coded()
        Coded(values=('a', 'b'), codes=array([0, 1, 1, 0], dtype=int32))
    """

    def __init__(self) -> None:
        self._places: dict[H, int] = {}
        self._codes = array("i")

    def add(self, value: H) -> None:
        """What the next row says."""
        self._codes.append(self._places.setdefault(value, len(self._places)))

    def coded(self) -> Coded[H]:
        """All of it."""
        return Coded(tuple(self._places), np.array(self._codes, dtype=np.int32))


class Mention(NamedTuple):
    """The variant that a row is of.

    Attributes:
        mentioned: The attributes with their values, in file order; () for a reference.
        reference: Name of the condition of reference, "" for a variant.
        words: The variant as the file has it ("race / Asian"), for messages.
    """

    mentioned: tuple[tuple[str, str], ...]
    reference: str
    words: str


class VariantColumns(NamedTuple):
    """R rows of answers to variants, at least one.

    Attributes:
        names: The columns of the layout that the file has.
        line: Where a row starts.
        question: The question's id.
        producer: Who answered how; "" where it is not recorded.
        variant: What is mentioned.
        gold: The right answer, "" where it is not recorded.
        prediction: The answer, None where it is not recorded.
        kind: "closed", "open", "" where the row does not say.
        answerable: 1, 0 or :data:`~fairviz.model.variants.UNKNOWN`; ``evidence`` likewise.
        retrieved: Ids of retrieved documents, None where they are not recorded.
        options: Words of the question's options in the order of their letters, () where they are not recorded.
    """

    names: frozenset[str]
    line: Callable[[int], int]
    question: Coded[str]
    producer: Coded[tuple[str, ...]]
    variant: Coded[Mention]
    gold: Coded[str]
    prediction: Coded[str | None]
    kind: Coded[str]
    answerable: Coded[int]
    evidence: Coded[int]
    retrieved: Coded[tuple[str, ...] | None]
    options: Coded[tuple[str, ...]]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.question.codes.size

    @property
    def has_predictions(self) -> bool:
        """Whether any answer is recorded."""
        return self.prediction.values != (None,)

    def of_producer(self, place: int) -> Coded[str]:
        """One of the things that tell producers apart, by its place."""
        return self.producer.mapped(lambda producer: producer[place])

    def of_rows(self, rows: IntArray) -> "VariantColumns":
        """Some of the rows, in file order."""
        if rows.size == self.n_rows:
            return self
        said: list[Coded[Any]] = [column.of_rows(rows) for column in self[2:]]

        def line(row: int) -> int:
            return self.line(int(rows[row]))

        return VariantColumns(self.names, line, *said)
