"""The lines around a fault, for a person to look at: read again, a few at a time."""

from contextlib import suppress
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.line_ends import opened
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.formats.text import FIRST_BLOCK

_BYTES_PER_CHARACTER = 4  # at most, in UTF-8


class Line(NamedTuple):
    """A line of a file, 1-based."""

    number: int
    text: str


def lines_around(file: FileInput | Source, line: int, *, reach: int = 1, longest: int = 200) -> tuple[Line, ...]:
    """A line and its neighbours, however large the file.

    What cannot be read is left out, bytes that are not UTF-8 are shown as replacement characters:
    the file is probably damaged, that is why somebody asks.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed.
        line: The line in the middle, 1-based.
        reach: How many lines before and after it.
        longest: Characters of a line that are returned.
    """
    source = as_source(file)
    first, last = max(line - reach, 1), line + reach
    found: dict[int, bytes] = {}
    number = 1
    with suppress(InputError), opened(source) as lines:
        while number <= last and (piece := lines.read(FIRST_BLOCK)):
            ends = piece.count(b"\n")
            if number + ends >= first:
                for at, text in enumerate(piece.split(b"\n"), start=number):
                    if first <= at <= last and (text or at < number + ends):
                        known = found.get(at, b"")
                        found[at] = known + text[: longest * _BYTES_PER_CHARACTER - len(known)]
            number += ends
    return tuple(Line(at, text.decode(errors="replace")[:longest]) for at, text in sorted(found.items()))
