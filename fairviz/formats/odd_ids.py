"""Identifiers that mislead a reader's eye or a spreadsheet: kept as they are, and noted."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from fairviz.formats.limits import LONG_ID
from fairviz.formats.notes import NoteBook, shown

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
_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")


def note_odd_ids(values: Sequence[str], what: str, line: Callable[[int], int | None], book: NoteBook) -> None:
    """Note identifiers that are long, invisible in part, equal after normalisation, or formulas.

    Args:
        values: Distinct identifiers.
        what: What they identify ("document id").
        line: First line of the identifier with that index.
        book: Where to note.
    """
    text = "\n".join(values)
    if _CONTROL.search(text):
        _note(values, _CONTROL, f"control characters in {what}", line, book)
    if _FORMULA.search(text):
        odd = [i for i, v in enumerate(values) if _FORMULA.match(v) and not _NUMBER.fullmatch(v)]
        if odd:
            message = f"{what} {shown(values[odd[0]])} starts with = + - @: a formula to spreadsheets"
            book.add(message, line(odd[0]), kind=f"formula {what}", count=len(odd))
    longest = max(range(len(values)), key=lambda i: len(values[i]), default=None)
    if longest is not None and len(values[longest]) > LONG_ID:
        book.add(f"{what} is {len(values[longest])} characters long", line(longest))
    if not text.isascii():
        for name, pattern in _INVISIBLE:
            if pattern.search(text):
                _note(values, pattern, f"{name} in {what}", line, book)
        _note_equal_after_normalisation(values, what, line, book)


def _note(
    values: Sequence[str],
    pattern: re.Pattern[str],
    message: str,
    line: Callable[[int], int | None],
    book: NoteBook,
) -> None:
    odd = [i for i, value in enumerate(values) if pattern.search(value)]
    words = f"{message} {shown(values[odd[0]])}"
    book.add(words, line(odd[0]), kind=message, count=len(odd))


def _note_equal_after_normalisation(
    values: Sequence[str], what: str, line: Callable[[int], int | None], book: NoteBook
) -> None:
    first: dict[str, int] = {}
    for i, value in enumerate(values):
        j = first.setdefault(unicodedata.normalize("NFC", value), i)
        if i != j:
            message = f"two {what}s are equal after Unicode normalisation: {shown(value)}"
            book.add(f"{message} (kept apart)", line(i), kind=message.split(":")[0])
