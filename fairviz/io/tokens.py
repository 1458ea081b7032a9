"""The exact pass over a block of text: every token found, every line known by its number.

Columns are separated by runs of ASCII blanks (space, tab, vertical tab, form feed) and by nothing
else: an identifier may hold a no-break space.
"""

import re
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.limits import MAX_GRADE
from fairviz.io.notes import NoteBook, shown
from fairviz.io.text import Block, decoded
from fairviz.model import BoolArray, FloatArray, IntArray

_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_TITLE = re.compile(r"score|sim|similarity|rsv|value|rel|relevance|grade|label|rank", re.IGNORECASE)


def scores(texts: pl.Series, lines: IntArray, name: str) -> FloatArray:
    """Finite scores.

    Args:
        texts: One text per row.
        lines: Line of each row.
        name: Name of the file.

    Raises:
        InputError: A text is no plain decimal number, or is not finite.
    """
    plain = texts.str.contains(_DECIMAL).to_numpy()
    for row in np.flatnonzero(~plain)[:1].tolist():
        text = texts[row]
        raise InputError(_why_no_score(text), file=name, line=int(lines[row]), fix=_score_fix(text))
    values = _decimals(texts, plain)
    for row in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        reason = f"score overflows to infinity: {shown(texts[row])}"
        raise InputError(reason, file=name, line=int(lines[row]), fix="Give finite scores.")
    return values


def ranks(texts: pl.Series, lines: IntArray, notes: NoteBook) -> FloatArray:
    """Ranks; NaN where the text is no number, with a note."""
    plain = texts.str.contains(_DECIMAL).to_numpy()
    values = _decimals(texts, plain)
    integers = texts.str.contains(r"^[+-]?[0-9]+$").to_numpy()
    odd, negative = np.flatnonzero(~integers), np.flatnonzero(values < 0)
    if odd.size:
        text = shown(texts[int(odd[0])])
        message = f"rank is not an integer: {text}"
        notes.add(message, int(lines[odd[0]]), kind="odd rank", count=odd.size)
    if negative.size:
        message = f"rank is negative: {texts[int(negative[0])]}"
        notes.add(message, int(lines[negative[0]]), kind="negative rank", count=negative.size)
    return values


def grades(texts: pl.Series, lines: IntArray, notes: NoteBook) -> IntArray:
    """Integer grades; ``1.0`` is read as 1 with a note.

    Raises:
        InputError: A grade is no integer or out of range.
    """
    integers = texts.str.contains(r"^[+-]?[0-9]+$").to_numpy()
    rounded = texts.str.contains(r"^[+-]?[0-9]+\.0*$").to_numpy()
    for row in np.flatnonzero(~(integers | rounded))[:1].tolist():
        text = texts[row]
        header = " (looks like a header)" if _TITLE.fullmatch(text) else ""
        raise InputError(
            f"relevance is not an integer: {shown(text)}{header}",
            file=notes.file,
            line=int(lines[row]),
            fix="Give integer grades, 0 for not relevant.",
        )
    values = _decimals(texts, integers | rounded)
    for row in np.flatnonzero(~(np.abs(values) <= MAX_GRADE))[:1].tolist():
        raise InputError(
            f"relevance grade {shown(texts[row])} is out of range",
            file=notes.file,
            line=int(lines[row]),
            fix=f"Grades lie between -{MAX_GRADE} and {MAX_GRADE}; is this another column?",
        )
    if rounded.any():
        row = int(np.flatnonzero(rounded)[0])
        message = f"relevance {texts[row]} read as {values[row]:.0f}"
        notes.add(message, int(lines[row]), kind="rounded grade", count=int(rounded.sum()))
    whole = values.astype(np.int64)
    negative = np.flatnonzero(whole < 0)
    if negative.size:
        notes.add(
            f"negative relevance treated as 0: {whole[negative[0]]}",
            int(lines[negative[0]]),
            kind="negative grade",
            count=negative.size,
        )
    return whole


def _decimals(texts: pl.Series, where: BoolArray) -> FloatArray:
    """(M) the numbers that the texts write, NaN where not ``where``; there they must be plain decimal numbers."""
    values = np.full(len(texts), np.nan)
    values[where] = texts.filter(pl.Series(where)).cast(pl.Float64).to_numpy()
    return values


def _why_no_score(text: str) -> str:
    if _NOT_FINITE.fullmatch(text):
        return f"score is not finite: {shown(text)}"
    if not text.isascii() and any(c.isdigit() for c in text):
        return f"score is not a plain ASCII number: {shown(text)}"
    if _TITLE.fullmatch(text):
        return f'score is not a number: "{text}" (looks like a header)'
    return f"score is not a number: {shown(text)}"


def _score_fix(text: str) -> str:
    if _TITLE.fullmatch(text):
        return "Remove the header line."
    if re.fullmatch(r"[0-9]+,[0-9]+", text):
        return "Write a decimal point, not a comma."
    return "Give finite decimal numbers as scores."


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
        notes: Where repairs are noted.

    Attributes:
        lines: 1-based line of each row.

    Raises:
        InputError: A byte that is not UTF-8.
    """

    def __init__(self, block: Block, n_columns: int, noun: Noun, notes: NoteBook) -> None:
        decoded(block.text, notes.file, block.line)
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
        _note_skipped(numbers, counts == 0, "blank line skipped", notes)
        _note_skipped(numbers, comment, "comment line skipped", notes)
        bad = counts < n_columns if noun == "run" else counts != n_columns
        bad_lines = np.flatnonzero(data & bad)
        self._error: InputError | None = None
        if bad_lines.size:
            first = int(bad_lines[0])
            line = block.text[line_starts[first] : line_ends[first]].decode()
            opens = block.line == 1 and not data[:first].any()
            self._error = InputError(
                _wrong_count(n_columns, int(counts[first]), line, noun if opens else None),
                file=notes.file,
                line=int(numbers[first]),
                fix=_CUT if block.cut and first == line_ends.size - 1 and not opens else _FIX[noun],
            )
            data[first:] = False
        _note_skipped(numbers, data & (counts > n_columns), "text after column 6 ignored", notes)
        first_tokens = (np.cumsum(counts) - counts)[data]
        cells = first_tokens[:, None] + np.arange(n_columns)
        self._starts, self._ends = starts[cells], ends[cells]
        self.lines: IntArray = numbers[data]

    def column(self, j: int) -> pl.Series:
        """The texts of column ``j`` (from 0)."""
        starts, sizes = self._starts[:, j], self._ends[:, j] - self._starts[:, j] + 1  # with the byte behind it
        ends: IntArray = np.cumsum(sizes)
        text = self._text[np.repeat(starts - (ends - sizes), sizes) + np.arange(int(sizes.sum()))]
        text[ends - 1] = _LINE_FEED
        return pl.Series(text.tobytes().decode().split("\n")[:-1], dtype=pl.String)

    def refuse_bad_line(self) -> None:
        """Raise the error on the line that ended the rows, if there was one.

        Raises:
            InputError: A line has a wrong number of columns.
        """
        if self._error is not None:
            raise self._error


def _note_skipped(
    numbers: IntArray, where: np.ndarray[tuple[int], np.dtype[np.bool_]], text: str, notes: NoteBook
) -> None:
    lines = numbers[where]
    if lines.size:
        notes.add(text, int(lines[0]), count=lines.size)


def _wrong_count(expected: int, n_found: int, line: str, noun: Noun | None) -> str:
    """The reason; with a guess at the format where it is the first line that is wrong."""
    hints = {
        ("run", 4): "this looks like a qrels file",
        ("run", 3): "an MS MARCO run, or FairTREC without its header?",
        ("qrels", 6): "this looks like a run file",
        ("qrels", 5): "statAP prels, or an extra column?",
        ("qrels", 3): "a BEIR table?",
    }
    hint = hints.get((noun or "", n_found), "")
    if n_found == 1 and line.count(",") >= expected - 1:
        hint = "comma separated?"
    elif n_found < expected and line.count("\u00a0") >= expected - n_found:
        hint = "the blanks are non-breaking spaces"
    return f"expected {expected} columns, found {n_found}" + (f" ({hint})" if hint else "")
