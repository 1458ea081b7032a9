"""Attributes, their values and conditions of reference, in the order of their first row."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.formats.group_weights import folded
from fairviz.formats.limits import MAX_VALUES
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.variant_rows import VariantRow
from fairviz.model.variants import NOT_MENTIONED


class VariantNames(NamedTuple):
    """What the rows mention; see :class:`~fairviz.model.variants.VariantAnswers`."""

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    given: NDArray[np.int16]
    conditions: tuple[str, ...]
    condition: NDArray[np.int16]

    def label(self, row: int) -> str:
        """The variant of a row, for people: "Asian", "Asian+female", "neutral"."""
        codes: list[int] = self.given[row].tolist()
        values = [self.values[a][code] for a, code in enumerate(codes) if code != NOT_MENTIONED]
        return "+".join(values) or self.conditions[int(self.condition[row])]

    def keys(self) -> list[tuple[int, ...]]:
        """What makes two rows the same variant, per row."""
        return [tuple(row) for row in np.column_stack((self.given, self.condition)).tolist()]


class _Spellings:
    """Names that differ only by case or blanks are one, and noted."""

    def __init__(self, what: str, book: NoteBook) -> None:
        self.names: list[str] = []
        self._what = what
        self._book = book
        self._codes: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def code(self, name: str, line: int) -> int:
        if name in self._known:
            return self._known[name]
        code = self._codes.setdefault(folded(name), len(self.names))
        self._known[name] = code
        if code == len(self.names):
            self.names.append(name)
            if code == MAX_VALUES:
                reason = f"more than {MAX_VALUES:,} different {self._what}"
                fix = "Name the attribute in one column and its value in the other."
                raise InputError(reason, file=self._book.file, line=line, fix=fix)
        else:
            how = "case" if name.casefold() == self.names[code].casefold() else "blanks"
            message = f"{self._what} differ only by {how}: {shown(name)} / {shown(self.names[code])}"
            self._book.add(f"{message}: read as one", line, kind=f"{self._what} spelt")
        return code


def variant_names(rows: Sequence[VariantRow], book: NoteBook) -> VariantNames:
    """Names and codes of the variants of all rows.

    Args:
        rows: The rows.
        book: Where spellings that were read as one are noted.

    Raises:
        InputError: There are more attributes or values than an analysis of groups can have.
    """
    attributes = _Spellings("attributes", book)
    values: list[_Spellings] = []
    conditions = _Spellings("values", book)
    given: list[dict[int, int]] = []
    condition: list[int] = []
    for row in rows:
        codes: dict[int, int] = {}
        for attribute, value in row.mentioned:
            a = attributes.code(attribute, row.line)
            if a == len(values):
                values.append(_Spellings("values", book))
            codes[a] = values[a].code(value, row.line)
        given.append(codes)
        is_reference = not row.mentioned
        condition.append(conditions.code(row.reference, row.line) if is_reference else NOT_MENTIONED)
    table = np.full((len(rows), len(values)), NOT_MENTIONED, dtype=np.int16)
    for r, codes in enumerate(given):
        for a, code in codes.items():
            table[r, a] = code
    names, renumbered = _neutral_first(conditions.names, np.array(condition, dtype=np.int16))
    return VariantNames(
        attributes=tuple(attributes.names),
        values=tuple(tuple(spellings.names) for spellings in values),
        given=table,
        conditions=names,
        condition=renumbered,
    )


def _neutral_first(names: list[str], codes: NDArray[np.int16]) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    order = sorted(range(len(names)), key=lambda i: names[i].casefold() != "neutral")
    places = np.full(len(names) + 1, NOT_MENTIONED, dtype=np.int16)  # the last is for −1
    places[order] = np.arange(len(names), dtype=np.int16)
    return tuple(names[i] for i in order), places[codes]
