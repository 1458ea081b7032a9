"""The exact pass over a block of text: every token found, every line known by its number.

Columns are separated by runs of ASCII blanks (space, tab, vertical tab, form feed) and by nothing
else: an identifier may hold a no-break space.
"""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.arrow import TextColumn
from fairviz.formats.notes import NoteBook
from fairviz.formats.text import Block, decoded
from fairviz.model import IntArray

Noun: TypeAlias = Literal["run", "qrels", "FairTREC run"]

_LINE_FEED = 10
_BLANK = np.zeros(256, dtype=np.bool_)
_BLANK[[9, 11, 12, 32]] = True
_TOKEN = ~_BLANK
_TOKEN[_LINE_FEED] = False

_CUT = "The file ends in the middle of a line; copy or produce it again."
_FIX: dict[Noun, str] = {
    "run": "Write: query Q0 document rank score tag, separated by blanks, without a header.",
    "qrels": "Write: query 0 document grade, separated by blanks, without a header.",
    "FairTREC run": "Write as many columns on each line as the header has.",
}


class Tokens:
    """The first ``n_columns`` tokens of each data line of a block.

    Blank lines and lines that start with ``#`` are skipped with a note. Rows end before the first
    line with a wrong number of columns, which :meth:`refuse_bad_line` then names: so whatever is
    wrong on an earlier line is said first.

    Args:
        block: Whole lines.
        n_columns: Columns that a row has; a run may have text after them, which is noted.
        noun: What is being read, for hints.
        book: Where repairs are noted.

    Attributes:
        lines: 1-based line of each row.

    Raises:
        InputError: A byte that is not UTF-8.
    """

    def __init__(self, block: Block, n_columns: int, noun: Noun, book: NoteBook) -> None:
        decoded(block.text, book.file, block.line)
        self._text = np.frombuffer(block.text, dtype=np.uint8)
        is_token = _TOKEN[self._text]
        edges = np.diff(np.concatenate([[False], is_token, [False]]).astype(np.int8))
        starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
        line_ends = np.flatnonzero(self._text == _LINE_FEED)
        counts = np.bincount(np.searchsorted(line_ends, starts), minlength=line_ends.size)
        line_starts = np.concatenate([[0], line_ends[:-1] + 1])
        comment = self._text[line_starts] == ord("#")
        data = (counts > 0) & ~comment
        numbers = block.line + np.arange(line_ends.size)
        _note_skipped(numbers, counts == 0, "blank line skipped", book)
        _note_skipped(numbers, comment, "comment line skipped", book)
        bad = counts < n_columns if noun == "run" else counts != n_columns
        bad_lines = np.flatnonzero(data & bad)
        self._error: InputError | None = None
        if bad_lines.size:
            first = int(bad_lines[0])
            line = block.text[line_starts[first] : line_ends[first]].decode()
            opens = block.line == 1 and not data[:first].any()
            self._error = InputError(
                _wrong_count(n_columns, int(counts[first]), line, noun if opens else None),
                file=book.file,
                line=int(numbers[first]),
                fix=_CUT if block.cut and first == line_ends.size - 1 and not opens else _FIX[noun],
            )
            data[first:] = False
        _note_skipped(numbers, data & (counts > n_columns), "text after column 6 ignored", book)
        first_tokens = (np.cumsum(counts) - counts)[data]
        cells = first_tokens[:, None] + np.arange(n_columns)
        self._starts, self._ends = starts[cells], ends[cells]
        self.lines: IntArray = numbers[data]

    def column(self, j: int) -> TextColumn:
        """The texts of column ``j`` (from 0)."""
        starts, sizes = self._starts[:, j], self._ends[:, j] - self._starts[:, j]
        offsets: IntArray = np.concatenate([[0], np.cumsum(sizes)])
        first: IntArray = np.repeat(starts - offsets[:-1], sizes)
        where = first + np.arange(first.size)
        return TextColumn(self._text[where].tobytes(), offsets)

    def refuse_bad_line(self) -> None:
        """Raise the error on the line that ended the rows, if there was one.

        Raises:
            InputError: A line has a wrong number of columns.
        """
        if self._error is not None:
            raise self._error


def _note_skipped(
    numbers: IntArray, where: np.ndarray[tuple[int], np.dtype[np.bool_]], text: str, book: NoteBook
) -> None:
    lines = numbers[where]
    if lines.size:
        book.add(text, int(lines[0]), count=lines.size)


def _wrong_count(expected: int, found: int, line: str, noun: Noun | None) -> str:
    """The reason; with a guess at the format where it is the first line that is wrong."""
    hints = {
        ("run", 4): "this looks like a qrels file",
        ("run", 3): "an MS MARCO run, or FairTREC without its header?",
        ("qrels", 6): "this looks like a run file",
        ("qrels", 5): "statAP prels, or an extra column?",
        ("qrels", 3): "a BEIR table?",
    }
    hint = hints.get((noun or "", found), "")
    if found == 1 and line.count(",") >= expected - 1:
        hint = "comma separated?"
    elif found < expected and line.count("\u00a0") >= expected - found:
        hint = "the blanks are non-breaking spaces"
    return f"expected {expected} columns, found {found}" + (f" ({hint})" if hint else "")
