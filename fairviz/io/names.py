"""Names that people type: which two are one name, which cannot be seen, and that none stands twice."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import TypeVar

from fairviz.errors import InputError
from fairviz.io.notes import shown

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
