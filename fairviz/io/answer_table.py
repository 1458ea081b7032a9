r"""Answers to closed questions, read as one of the options or not at all.

A letter is read only where the answer names exactly one, plainly: "B", "(b)", "B.", "B) text",
"B\n…", "**B**", "Option B", "The answer is B", "Answer: B". An answer that names two ("A or B",
"A, B", "A. … so the answer is C") or none ("I am not sure", "A fracture") stays unread; it is never
counted for the first option.
"""

import csv
import io
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, Protocol, TypeAlias, cast

from fairviz.errors import InputError
from fairviz.io.json import Json, json_records, json_type, parse_json
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import head_of, whole_text
from fairviz.model.variants import UNKNOWN

# Typed access to the cells of recorded answers, from JSON and from tables alike.


_TRUTH = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0, "": UNKNOWN}


class Cells(NamedTuple):
    """A record, with where it stands."""

    record: dict[str, Json]
    line: int
    notes: NoteBook

    def wrong(self, reason: str, fix: str) -> InputError:
        """The error of this record."""
        return InputError(reason, file=self.notes.file, line=self.line, fix=fix)

    def text(self, key: str) -> str:
        """A string, an integer as its digits; absent or null is empty."""
        value = self.record.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        reason = f"{key} must be a string, found {json_type(value)}"
        raise self.wrong(reason, f"Give {key} as one string.")

    def truth(self, key: str) -> int:
        """1, 0, or unknown where the cell is empty."""
        value = self.record.get(key)
        if value is None:
            return UNKNOWN
        known = _TRUTH.get(str(int(value)) if isinstance(value, bool) else self.text(key).strip().lower())
        if known is None:
            reason = f"{key} must be true or false, found {shown(str(value), 20)}"
            raise self.wrong(reason, "Write true, false, 1, 0, yes, no, or nothing.")
        return known

    def documents(self, key: str, *, table: bool) -> tuple[str, ...] | None:
        """Ids in their order: a JSON array, or a cell with blanks or "|" between them.

        Args:
            key: Name of the cell.
            table: Whether the record is a line of a table, in which every cell is text; in JSON a
                string is read likewise, and noted.
        """
        value = self.record.get(key)
        if isinstance(value, str) and value.strip() and not table:
            self.notes.add(
                f"{key} is a string, not an array: read as ids with blanks or | between them",
                self.line,
                kind=f"{key} is a string",
            )
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = parse_json(value, file=self.notes.file, line=self.line)
        if not isinstance(value, list):
            cell = self.text(key).strip()
            ids = [each.strip() for each in (cell.split("|") if "|" in cell else cell.split())]
            return tuple(self._distinct([each for each in ids if each], key)) if cell else None
        ids: list[str] = []
        for element in value:
            if isinstance(element, bool) or not isinstance(element, str | int) or element == "":
                found = "an empty one" if element == "" else json_type(element)
                fix = f"Give {key} as an array of document ids."
                raise self.wrong(f"{key} must hold ids, found {found}", fix)
            ids.append(str(element))
        return tuple(self._distinct(ids, key))

    def _distinct(self, ids: list[str], key: str) -> list[str]:
        distinct = list(dict.fromkeys(ids))
        if len(distinct) < len(ids):
            twice = next(one for at, one in enumerate(ids) if one in ids[:at])
            message = f"{key} names {shown(twice)} twice: read once"
            self.notes.add(message, self.line, kind="retrieved twice")
        return distinct


# Recorded answers as records with the line of each: JSON Lines, or a table with a header.
#
# A CSV cell may span lines; the line of a record is where it starts.


Records: TypeAlias = Generator[tuple[int, dict[str, Json]], None, None]


class _Reader(Protocol):
    """What the ``csv`` module returns and does not name."""

    @property
    def line_num(self) -> int: ...

    def __next__(self) -> list[str]: ...


class AnswerTable(NamedTuple):
    """Records of a file.

    Attributes:
        columns: The header in lower case; None for JSON Lines, where records have their own keys.
        records: Line and cells of each row; closed by who reads them.
    """

    columns: tuple[str, ...] | None
    records: Records


def answer_table(source: Source, notes: NoteBook) -> AnswerTable:
    """The rows of JSON Lines, CSV or TSV.

    Args:
        source: The file.
        notes: Where repairs are noted. A byte order mark of a table is none: spreadsheets write it.

    Raises:
        InputError: No text, no rows, or (while rows are read) a row that is not of the header.
    """
    if is_json(head_of(source)):
        return AnswerTable(None, _lower(json_records(source, notes)))
    text = whole_text(source, NoteBook(source.name))
    if not text.strip():
        raise InputError("no data lines", file=source.name, fix="The file holds blanks only.")
    first = text.split("\n", 1)[0]
    separator = separator_of(first)
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=separator, strict=True)
    _, header = _next(reader, source.name) or (1, [])
    columns = tuple(cell.strip().lower() for cell in header)
    for at, column in enumerate(columns):
        if column and column in columns[:at]:
            reason = f"duplicate column: {shown(column)}"
            raise InputError(reason, file=source.name, line=1, fix="Name each column once.")
    return AnswerTable(columns, _rows(reader, columns, notes))


def is_json(head: bytes) -> bool:
    """Whether the first bytes are of JSON."""
    return head.lstrip()[:1] in (b"{", b"[")


def separator_of(line: str) -> str:
    """What separates the cells of a header line: a tab where there is one, else a comma."""
    return "\t" if "\t" in line else ","


def header_names(line: str) -> set[str]:
    """The names in a header line, in lower case and without quotes."""
    cells = line.split(separator_of(line))
    return {cell.strip(' \t\r\v\f"').lower() for cell in cells}


def missing_column(column: str, columns: tuple[str, ...], file: str, *, fix: str) -> InputError:
    """The error of a table without a column; a header that Excel wrote with semicolons is said."""
    semicolons = len(columns) == 1 and ";" in columns[0]
    found = ", ".join(shown(name, 20) for name in columns[:12])
    reason = (
        f"missing column {column} (semicolon separated?)"
        if semicolons
        else f"missing column: {column} (found: {found})"
    )
    fix = "Save it with commas or tabs between the cells." if semicolons else fix
    return InputError(reason, file=file, line=1, fix=fix)


def _lower(records: Records) -> Records:
    lower: dict[str, str] = {}
    with closing(records):
        for line, record in records:
            for key in record:
                if key not in lower:
                    lower[key] = key.strip().lower()
            yield line, {lower[key]: value for key, value in record.items()}


def _rows(reader: _Reader, columns: tuple[str, ...], notes: NoteBook) -> Records:
    empty = True
    while found := _next(reader, notes.file):
        line, cells = found
        if not any(cell.strip() for cell in cells):
            notes.add("blank line skipped", line)
            continue
        if len(cells) != len(columns):
            reason = f"{len(cells)} cells, header has {len(columns)}"
            fix = "Give every row the cells of the header; quote cells that hold a separator."
            raise InputError(reason, file=notes.file, line=line, fix=fix)
        empty = False
        yield line, cast(dict[str, Json], dict(zip(columns, cells, strict=True)))
    if empty:
        raise InputError("no data rows", file=notes.file, line=1, fix="The header stands alone.")


def _next(reader: _Reader, name: str) -> tuple[int, list[str]] | None:
    """The next row and the line on which it starts, None at the end."""
    line = reader.line_num + 1
    try:
        return line, next(reader)
    except StopIteration:
        return None
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        reason = "unclosed quote" if unclosed else f"not a CSV row: {error}"
        fix = 'Quote cells as CSV: "…", with "" for a quote within.'
        if "field larger" in str(error):
            reason = f"a cell of more than {csv.field_size_limit():,} characters"
            fix = "Write long answers as JSON Lines."
        raise InputError(reason, file=name, line=line, fix=fix) from error


LETTERS = "ABCDEFGHIJ"
"""Letters that can name an option."""

FAMILIES = (frozenset(("yes", "no", "maybe")), frozenset(("true", "false")))
"""Options in words that belong together."""

WORDS = FAMILIES[0] | FAMILIES[1] | {"unknown", "uncertain"}
"""Options in words that are known as such, however few questions there are."""

_ANY = f"[{LETTERS}{LETTERS.lower()}]"

_AROUND = " \t\r\n*_`\"'"

_PLAIN = re.compile(rf"[(\[]?\s*({_ANY})\s*[)\].:]*")

_AT_START = re.compile(rf"[(\[]?({_ANY})(?:\*\*|__|`)?(?:[)\].:]|[ \t]*\n|\s+[-–—]\s)")

_SAID = re.compile(
    r"\b(?i:answer(?:_choice)?)[\"'*_]*\s*(?:[:=]|(?i:is)\b\s*:?)"
    rf"[\s\"'*_(\[]*(?:(?i:option|choice)\s+)?[(\[]?({_ANY})(?![\w'’])"
)

_CALLED = re.compile(rf"(?i:(?:option|choice|answer))\s+[(\[]?({_ANY})(?=[)\].:,;]|\s*\n|$)")

_ENDS = re.compile(r"[)\]*_`\"']*(?:$|[.,;:)}\]\n]|\s+(?:because|since|as|due|for)\b)")

_AND = r"(?:/|&|\b(?i:or|and|and/or)\b)"

_CLOSING = r"[)\]*_`\"'.:\s]*"

_SECOND = re.compile(
    rf"{_CLOSING}(?:{_AND}[\s(\[*]*{_ANY}(?![\w'’])"  # "A or B", "A. and B …"
    rf"|(?:[,;+]\s*)?[(\[*]*{_ANY}[)\].:*]*\s*(?:\n|$))"  # "A, B", "A.B", "A\nB"
)
"""What follows a letter where a second one is named with it."""

_SAYS_ANSWER = re.compile(r"(?:the\s+)?(?:final\s+|correct\s+)?answer(?:\s+is\b|\s*[:=])[\s:*_\"']*")

_AFTER_WORD = re.compile(r"[*_\"']*\s*[.,:;!)\]\n]")


def is_letter(text: str) -> bool:
    """Whether a recorded right answer is a letter, such as "B" or "(b)"."""
    return _PLAIN.fullmatch(text.strip()) is not None


def as_letter(text: str) -> str:
    """The letter of a recorded right answer for which :func:`is_letter` holds."""
    found = _PLAIN.fullmatch(text.strip())
    return found[1].upper() if found else text


def as_word(text: str) -> str:
    """An option in words without case, blanks around it and final period."""
    return " ".join(text.strip(_AROUND).removesuffix(".").split()).casefold()


def read_letter(text: str, letters: Iterable[str]) -> str | None:
    r"""The one letter that an answer names, None where it names none or several.

    Args:
        text: The answer.
        letters: Upper-case letters that are options.

    Examples:
        >>> [read_letter(text, "ABCD") for text in ("(b)", "B. Cross-linking", "Answer: B")]
        ['B', 'B', 'B']
        >>> [read_letter(text, "ABCD") for text in ("A or B", "I am not sure", "A fracture", "")]
        [None, None, None, None]
    """
    answer = text.strip(_AROUND)
    plain = _PLAIN.fullmatch(answer)
    if plain:
        return plain[1].upper() if plain[1].upper() in letters else None
    claims = list(_claims(answer))
    if any(_SECOND.match(answer, end) for _, end in claims):
        return None
    named = {letter.upper() for letter, _ in claims}
    letter = named.pop() if len(named) == 1 else None
    return letter if letter is not None and letter in letters else None


def read_word(text: str, words: Sequence[str]) -> str | None:
    """The option in words that an answer is, or begins with before punctuation.

    Args:
        text: The answer.
        words: The options as :func:`as_word` gives them.

    Examples:
        >>> [read_word(text, ("yes", "no")) for text in ("Yes.", "No, because", "yes or no", "")]
        ['yes', 'no', None, None]
    """
    answer = text.strip(_AROUND).casefold()
    said = _SAYS_ANSWER.match(answer)
    answer = answer[said.end() :] if said else answer
    if as_word(answer) in words:
        return as_word(answer)
    for word in sorted(words, key=len, reverse=True):
        after = _AFTER_WORD.match(answer, len(word)) if answer.startswith(word) else None
        if after:
            return None if as_word(answer[after.end() :]) in words else word
    return None


def _claims(answer: str) -> Iterator[tuple[str, int]]:
    """Letters that an answer says are its answer, each with where it ends."""
    start = _AT_START.match(answer)
    if start:
        yield start[1], start.end(1)
    called = _CALLED.match(answer)
    if called:
        yield called[1], called.end(1)
    for found in _SAID.finditer(answer):
        is_article = found[1] in "AI" or found[1].islower()
        if not is_article or _ENDS.match(answer, found.end(1)):
            yield found[1], found.end(1)
