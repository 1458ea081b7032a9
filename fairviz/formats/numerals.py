"""Numbers in tables: plain ASCII decimals, each oddity noted or refused with its line."""

import re

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.arrow import TextColumn
from fairviz.formats.limits import MAX_GRADE
from fairviz.formats.notes import NoteBook, shown
from fairviz.model import FloatArray, IntArray

_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_TITLE = re.compile(r"score|sim|similarity|rsv|value|rel|relevance|grade|label|rank", re.IGNORECASE)


def scores(texts: TextColumn, lines: IntArray, name: str) -> FloatArray:
    """Finite scores.

    Args:
        texts: One text per row.
        lines: Line of each row.
        name: Name of the file.

    Raises:
        InputError: A text is no plain decimal number, or is not finite.
    """
    plain = texts.matches(_DECIMAL)
    for row in np.flatnonzero(~plain)[:1]:
        text = texts[row]
        raise InputError(_why_no_score(text), file=name, line=int(lines[row]), fix=_score_fix(text))
    values = texts.decimals(plain)
    for row in np.flatnonzero(~np.isfinite(values))[:1]:
        reason = f"score overflows to infinity: {shown(texts[row])}"
        raise InputError(reason, file=name, line=int(lines[row]), fix="Give finite scores.")
    return values


def ranks(texts: TextColumn, lines: IntArray, book: NoteBook) -> FloatArray:
    """Ranks; NaN where the text is no number, with a note."""
    plain = texts.matches(_DECIMAL)
    values = texts.decimals(plain)
    integers = texts.matches(r"^[+-]?[0-9]+$")
    odd, negative = np.flatnonzero(~integers), np.flatnonzero(values < 0)
    if odd.size:
        text = shown(texts[odd[0]])
        message = f"rank is not an integer: {text}"
        book.add(message, int(lines[odd[0]]), kind="odd rank", count=odd.size)
    if negative.size:
        message = f"rank is negative: {texts[negative[0]]}"
        book.add(message, int(lines[negative[0]]), kind="negative rank", count=negative.size)
    return values


def grades(texts: TextColumn, lines: IntArray, book: NoteBook) -> IntArray:
    """Integer grades; ``1.0`` is read as 1 with a note.

    Raises:
        InputError: A grade is no integer or out of range.
    """
    integers = texts.matches(r"^[+-]?[0-9]+$")
    rounded = texts.matches(r"^[+-]?[0-9]+\.0*$")
    for row in np.flatnonzero(~(integers | rounded))[:1]:
        text = texts[row]
        header = " (looks like a header)" if _TITLE.fullmatch(text) else ""
        raise InputError(
            f"relevance is not an integer: {shown(text)}{header}",
            file=book.file,
            line=int(lines[row]),
            fix="Give integer grades, 0 for not useful.",
        )
    values = texts.decimals(integers | rounded)
    for row in np.flatnonzero(~(np.abs(values) <= MAX_GRADE))[:1]:
        raise InputError(
            f"relevance grade {shown(texts[row])} is out of range",
            file=book.file,
            line=int(lines[row]),
            fix=f"Grades lie between -{MAX_GRADE} and {MAX_GRADE}; is this another column?",
        )
    if rounded.any():
        row = int(np.flatnonzero(rounded)[0])
        message = f"relevance {texts[row]} read as {values[row]:.0f}"
        book.add(message, int(lines[row]), kind="rounded grade", count=int(rounded.sum()))
    whole = values.astype(np.int64)
    negative = np.flatnonzero(whole < 0)
    if negative.size:
        book.add(
            f"negative relevance treated as 0: {whole[negative[0]]}",
            int(lines[negative[0]]),
            kind="negative grade",
            count=negative.size,
        )
    return whole


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
    return "Give a finite decimal number in column 5."
