"""Names that people type and ids that files hold: which two are one, which cannot be seen or mislead."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import polars as pl

from fairviz.errors import InputError
from fairviz.io.limits import LONG_ID
from fairviz.io.notes import NoteBook, shown
from fairviz.model.arrays import Ids

T = TypeVar("T")

_UNSEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
"""Categories of Unicode without a mark on paper: blanks, separators, control and format characters."""

BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What ``str.strip`` removes; Polars by itself would keep the four separators below the blank."""


def folded(name: str) -> str:
    r"""A name without case and blanks: what makes two spellings one column, key or group.

    Examples:
        >>> folded("Example_ID\u00a0"), folded(" New  York ")
        ('example_id', 'new york')
    """
    return " ".join(name.split()).casefold()


def header_names(line: str) -> set[str]:
    r"""The folded names in a header line, without quotes; pandas and R name no index.

    Examples:
        >>> sorted(header_names('"","Doc_ID", region\r'))
        ['doc_id', 'region']
    """
    cells = (folded(cell.strip(' \t\r\v\f"')) for cell in line.split(separator_in(line)))
    return {cell for cell in cells if cell}


def separator_in(header: str) -> str:
    r"""What stands between the cells of a table with such a header: a tab, a comma or blanks.

    Examples:
        >>> [separator_in(header) for header in ("doc id\tgroup", "doc id, group", "doc_id group", "doc_id")]
        ['\t', ',', ' ', ',']
    """
    return next((character for character in "\t, " if character in header.strip()), ",")


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


_UNUSUAL = {
    "control characters": r"[\x00-\x08\x0b-\x1f\x7f-\x9f]",
    "bidirectional control character": r"[\u{061c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]",
    "zero-width character": r"[\u{00ad}\u{200b}-\u{200d}\u{2060}\u{feff}]",
    "no-break space": r"[\u{00a0}\u{202f}]",
}
_FORMULA = r"^[=+\-@]"
_NUMBER = r"^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$"
_NOT_PLAIN = rf"^$|[^!-~]|{_FORMULA}"
"""Of identifiers that need a closer look: empty, not all of ASCII that can be seen, or begun as a formula is."""


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
    column = Ids.of(values).column

    def note(odd: pl.Series, message: str, kind: str) -> None:
        notes.add_first(odd, lambda index: message.format(shown(column[index])), line, kind)

    if column.str.contains(_NOT_PLAIN).any():
        for index in column.str.contains(r"^[^!-~]*$").arg_true():
            if is_blank(column[index]):
                reason = f"{what} is blank: '{shown(column[index])}'"
                raise notes.wrong(reason, f"Give a {what} that can be seen.", line(index))
        for unusual, pattern in _UNUSUAL.items():
            note(column.str.contains(pattern), f"{unusual} in {what} {{}}", f"{unusual} in {what}")
        formulas = column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)
        note(formulas, f"{what} {{}} starts with = + - @: a formula to spreadsheets", f"formula {what}")
        alike = f"two {what}s are equal after Unicode normalisation"
        note(~column.str.normalize("NFC").is_first_distinct(), f"{alike}: {{}} (kept apart)", alike)
    lengths = column.str.len_chars()
    longest = lengths.arg_max() or 0
    if len(column) and lengths[longest] > LONG_ID:
        notes.add(f"{what} is {lengths[longest]} characters long", line(longest))
