"""Names that people type and ids that files hold: which two are one, which cannot be seen or mislead."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from fairviz.errors import InputError
from fairviz.io.limits import LONG_ID
from fairviz.io.notes import NoteBook, shown
from fairviz.model.arrays import Ids

T = TypeVar("T")

_UNSEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
"""Categories of Unicode without a mark on paper: blanks, separators, control and format characters."""


def folded(name: str) -> str:
    r"""A name without case and blanks: what makes two spellings one column, key or group.

    Examples:
        >>> folded("Example_ID\u00a0"), folded(" New  York ")
        ('example_id', 'new york')
    """
    return " ".join(name.split()).casefold()


def is_blank(text: str) -> bool:
    r"""Whether nothing of a text can be seen: it is empty, or holds blanks and characters without a mark.

    Examples:
        >>> [is_blank(text) for text in ("", " ", "\u00a0", "\u200b\x01", "a\u200b")]
        [True, True, True, True, False]
    """
    return not text[:1].isalnum() and all(unicodedata.category(character) in _UNSEEN for character in text)


def refuse_repeated(names: Iterable[str], what: str, *, file: str, line: int | None) -> None:
    """Refuse a name that stands twice; unnamed columns are none.

    Args:
        names: As they are written.
        what: What they name ("column").
        file: Name of the file.
        line: Where they stand.

    Raises:
        InputError: Two are equal after folding.
    """
    seen: dict[str, str] = {}
    for name in names:
        key = folded(name)
        if key and key in seen:
            also = "" if seen[key] == name else f" (also written {shown(seen[key])})"
            reason = f"duplicate {what}: {shown(name)}{also}"
            raise InputError(reason, file=file, line=line, fix=f"Name each {what} once; case and blanks do not count.")
        seen[key] = name


def folded_record(record: Mapping[str, T], *, file: str, line: int) -> dict[str, T]:
    """A record by its folded names.

    Raises:
        InputError: Two of its names are equal after folding.
    """
    by_name = {folded(key): value for key, value in record.items()}
    if len(by_name) < len(record):
        refuse_repeated(record, "key", file=file, line=line)
    return by_name


# Identifiers that mislead a reader's eye or a spreadsheet: kept as they are, and noted.


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
_NOT_PLAIN = r"^$|[^!-~]|^[=+\-@]"
"""Of identifiers that need a closer look: empty, not all of ASCII that can be seen, or begun as a formula is."""
_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")


def check_ids(values: Sequence[str], what: str, line: Callable[[int], int | None], notes: NoteBook) -> None:
    """Refuse identifiers that cannot be seen; note those that are long, invisible in part, alike, or formulas.

    Args:
        values: Distinct identifiers.
        what: What they identify ("document id").
        line: First line of the identifier with that index.
        notes: Where to note.

    Raises:
        InputError: One is blank: empty, or of characters without a mark.
    """
    if isinstance(values, Ids) and not values.column.str.contains(_NOT_PLAIN).any():
        _note_longest(values, values.column.str.len_bytes().arg_max() or 0, what, line, notes)
        return
    text = "\n".join(values)
    if not text.isascii() or _CONTROL.search(text) or "" in values:
        blank = next((i for i, value in enumerate(values) if is_blank(value)), None)
        if blank is not None:
            reason = f"{what} is blank: '{shown(values[blank])}'"
            raise InputError(reason, file=notes.file, line=line(blank), fix=f"Give a {what} that can be seen.")
    if _CONTROL.search(text):
        _note(values, _CONTROL, f"control characters in {what}", line, notes)
    if _FORMULA.search(text):
        odd = [i for i, v in enumerate(values) if _FORMULA.match(v) and not _NUMBER.fullmatch(v)]
        if odd:
            message = f"{what} {shown(values[odd[0]])} starts with = + - @: a formula to spreadsheets"
            notes.add(message, line(odd[0]), kind=f"formula {what}", count=len(odd))
    if len(values):
        _note_longest(values, max(range(len(values)), key=lambda i: len(values[i])), what, line, notes)
    if not text.isascii():
        for name, pattern in _INVISIBLE:
            if pattern.search(text):
                _note(values, pattern, f"{name} in {what}", line, notes)
        _note_equal_after_normalisation(values, what, line, notes)


def _note_longest(
    values: Sequence[str], longest: int, what: str, line: Callable[[int], int | None], notes: NoteBook
) -> None:
    if len(values[longest]) > LONG_ID:
        notes.add(f"{what} is {len(values[longest])} characters long", line(longest))


def _note(
    values: Sequence[str],
    pattern: re.Pattern[str],
    message: str,
    line: Callable[[int], int | None],
    notes: NoteBook,
) -> None:
    odd = [i for i, value in enumerate(values) if pattern.search(value)]
    words = f"{message} {shown(values[odd[0]])}"
    notes.add(words, line(odd[0]), kind=message, count=len(odd))


def _note_equal_after_normalisation(
    values: Sequence[str], what: str, line: Callable[[int], int | None], notes: NoteBook
) -> None:
    first: dict[str, int] = {}
    for i, value in enumerate(values):
        j = first.setdefault(unicodedata.normalize("NFC", value), i)
        if i != j:
            message = f"two {what}s are equal after Unicode normalisation: {shown(value)}"
            notes.add(f"{message} (kept apart)", line(i), kind=message.split(":")[0])
