"""Whitespace-separated tables of millions of lines, column by column, read by Polars.

Nearly all files separate their columns by one space or one tab throughout and hold plain numbers: such a block of
lines is read as it stands. Any other is split at its blanks line by line, which is slower and knows every line by
number: what is odd is noted or refused there. What both ways can read, both read alike.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.limits import MAX_GRADE
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import Block, decoded, line_blocks, n_lines
from fairviz.kernels.lookup import IdColumn, encoded_runs
from fairviz.model import FloatArray, IntArray

Numbers: TypeAlias = NDArray[np.number[Any]]
Noun: TypeAlias = Literal["run", "qrels", "FairTREC run"]
"""What a file holds; FairTREC runs have a header."""

_TYPES: dict[str, pl.DataType] = {"rank": pl.Int32(), "grade": pl.Int32(), "score": pl.Float64()}
"""Columns of numbers; all others hold ids."""


class Table(NamedTuple):
    """All R rows of a file, column by column.

    Attributes:
        ids: Columns of ids.
        numbers: (R) columns of numbers.
        lines: (R) the line on which each stands, from 1.
    """

    ids: dict[str, IdColumn]
    numbers: dict[str, Numbers]
    lines: IntArray

    def line(self, row: int) -> int:
        """1-based line of a row."""
        return int(self.lines[row])

    def shown(self, column: str, row: int) -> str:
        """The identifier of a row, as a message may show it."""
        ids = self.ids[column]
        return shown(ids.values[int(ids.codes[row])])

    def line_of(self, column: str, code: int) -> int:
        """1-based line where an identifier of a column stands first."""
        return self.line(int(np.argmax(self.ids[column].codes == code)))


def trec_table(
    source: Source,
    noun: Noun,
    columns: Sequence[str],
    notes: NoteBook,
    *,
    check_first: Callable[[Table], None] | None = None,
) -> Table:
    """The rows of a file.

    Args:
        source: The file.
        noun: What it holds, for hints; of a run Windows line ends are noted.
        columns: Names of its columns, left to right.
        notes: Where repairs are noted.
        check_first: Looks at the rows of the first block, so that a wrong file fails before all of it is read.

    Raises:
        InputError: A line is no row, or there is none.
    """
    parts: list[_Part] = []
    with closing(line_blocks(source, notes, note_crlf=noun == "run")) as blocks:
        for block in blocks:
            if noun == "FairTREC run" and block.line == 1:
                block = block._replace(text=block.text[block.text.index(b"\n") + 1 :], line=2)
            part = plain_part(block, columns) or exact_part(block, noun, columns, notes)
            if part.lines.size:
                parts.append(part)
                if check_first is not None and len(parts) == 1:
                    check_first(_joined([part._replace(columns=dict(part.columns))], columns))
    if not parts:
        raise InputError("no data lines", file=source.name, fix="The file holds blanks or comments only.")
    return _joined(parts, columns)


class _Part(NamedTuple):
    """The rows of one block: ids as runs of equal neighbours, numbers one by one, and the lines of all."""

    columns: dict[str, pl.Series]
    lines: IntArray


def _joined(parts: Sequence[_Part], columns: Sequence[str]) -> Table:
    ids: dict[str, IdColumn] = {}
    numbers: dict[str, Numbers] = {}
    for name in columns:  # pop: memory is returned column by column
        column = [part.columns.pop(name) for part in parts]
        if name in _TYPES:
            numbers[name] = np.concatenate([values.to_numpy() for values in column])
        else:
            ids[name] = encoded_runs(pl.concat(column))
    return Table(ids, numbers, np.concatenate([part.lines for part in parts]))


def plain_part(block: Block, columns: Sequence[str]) -> _Part | None:
    r"""The rows of a block whose columns are separated by exactly one blank, with whole numbers of up to nine digits.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> part = plain_part(Block(b"q1 d1 0.5\nq1 d2 .25\n", 1), ("query", "doc", "score"))
        >>> part.columns["score"].to_list()
        [0.5, 0.25]
    """
    text = block.text
    separator = "\t" if b"\t" in text[:4096] else " "
    odd = (b"\r", b"\v", b"\f", b" " if separator == "\t" else b"\t")
    if any(mark in text for mark in odd):
        return None
    types = {name: _TYPES.get(name, pl.String()) for name in columns}
    try:
        table = pl.read_csv(text, has_header=False, separator=separator, schema=types, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if table.height != n_lines(text) or any(column.null_count() for column in table):
        return None
    ranges = {"score": pl.col("score").is_finite(), "rank": pl.col("rank") >= 0}
    ranges["grade"] = pl.col("grade").is_between(0, MAX_GRADE)
    if not all(table.select(plain.all()).item() for name, plain in ranges.items() if name in types):
        return None
    if table[columns[0]].cast(pl.String).str.starts_with("#").any():  # a comment of as many words
        return None
    lines: IntArray = np.arange(block.line, block.line + table.height)
    return _Part({name: table[name] if name in _TYPES else table[name].rle() for name in types}, lines)


# The exact way. Columns are separated by runs of ASCII blanks (space, tab, vertical tab, form feed) and by nothing
# else: an identifier may hold a no-break space.

_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[+-]?[0-9]+$"
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
    values = _decimals(texts)
    for row in values.is_null().arg_true().head(1):
        text = texts[row]
        raise InputError(_why_no_score(text), file=name, line=int(lines[row]), fix=_score_fix(text))
    for row in (~values.is_finite()).arg_true().head(1):
        reason = f"score overflows to infinity: {shown(texts[row])}"
        raise InputError(reason, file=name, line=int(lines[row]), fix="Give finite scores.")
    return values.to_numpy()


def ranks(texts: pl.Series, lines: IntArray, notes: NoteBook) -> FloatArray:
    """Ranks; NaN where the text is no number, with a note."""
    values = _decimals(texts)
    odd, negative = (~texts.str.contains(_WHOLE)).arg_true(), (values < 0).arg_true()
    for row in odd.head(1):
        message = f"rank is not an integer: {shown(texts[row])}"
        notes.add(message, int(lines[row]), kind="odd rank", count=odd.len())
    for row in negative.head(1):
        notes.add(f"rank is negative: {texts[row]}", int(lines[row]), kind="negative rank", count=negative.len())
    return values.fill_null(np.nan).to_numpy()


def grades(texts: pl.Series, lines: IntArray, notes: NoteBook) -> IntArray:
    """Integer grades; ``1.0`` is read as 1 with a note.

    Raises:
        InputError: A grade is no integer or out of range.
    """
    values = _decimals(texts, r"^[+-]?[0-9]+(\.0*)?$")
    for row in values.is_null().arg_true().head(1):
        text = texts[row]
        header = " (looks like a header)" if _TITLE.fullmatch(text) else ""
        reason, fix = f"relevance is not an integer: {shown(text)}{header}", "Give integer grades, 0 for not relevant."
        raise InputError(reason, file=notes.file, line=int(lines[row]), fix=fix)
    for row in (~values.is_between(-MAX_GRADE, MAX_GRADE)).arg_true().head(1):
        reason = f"relevance grade {shown(texts[row])} is out of range"
        fix = f"Grades lie between -{MAX_GRADE} and {MAX_GRADE}; is this another column?"
        raise InputError(reason, file=notes.file, line=int(lines[row]), fix=fix)
    rounded, negative = (~texts.str.contains(_WHOLE)).arg_true(), (values < 0).arg_true()
    for row in rounded.head(1):
        message = f"relevance {texts[row]} read as {values[row]:.0f}"
        notes.add(message, int(lines[row]), kind="rounded grade", count=rounded.len())
    for row in negative.head(1):
        message = f"negative relevance treated as 0: {values[row]:.0f}"
        notes.add(message, int(lines[row]), kind="negative grade", count=negative.len())
    return values.cast(pl.Int64).to_numpy()


def _decimals(texts: pl.Series, pattern: str = _DECIMAL) -> pl.Series:
    """(M) the numbers that the texts write, null where they are none of that pattern."""
    number = pl.when(pl.col("text").str.contains(pattern)).then("text").cast(pl.Float64)
    return texts.to_frame("text").select(number).to_series()


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


_CUT = "The file ends in the middle of a line; copy or produce it again."
_FIX: dict[Noun, str] = {
    "run": "Write: query Q0 document rank score tag, separated by blanks, without a header.",
    "qrels": "Write: query 0 document grade, separated by blanks, without a header.",
    "FairTREC run": "Write as many columns on each line as the header has.",
}


def exact_part(block: Block, noun: Noun, columns: Sequence[str], notes: NoteBook) -> _Part:
    """The rows of a block, every irregularity noted or refused with its line.

    Blank lines and lines that start with ``#`` are skipped; a run may have text behind its columns. Rows end before the
    first line with a wrong number of columns, so that whatever is wrong on an earlier line is said first.

    Raises:
        InputError: A byte that is not UTF-8, a line with a wrong number of columns, or a number that is none.
    """
    texts = decoded(block.text, notes.file, block.line).split("\n")[:-1]
    rows = pl.DataFrame({"line": np.arange(block.line, block.line + len(texts)), "text": texts}).with_columns(
        n=pl.col("text").str.count_matches(r"[^ \t\v\f]+"), comment=pl.col("text").str.starts_with("#")
    )
    _note_lines(rows.filter(n=0), "blank line skipped", notes)
    _note_lines(rows.filter("comment"), "comment line skipped", notes)
    rows = rows.filter((pl.col("n") > 0) & ~pl.col("comment"))
    wrong = rows.filter(pl.col("n") < len(columns) if noun == "run" else pl.col("n") != len(columns)).head(1)
    opens = block.line == 1 and wrong["line"].equals(rows["line"].head(1))
    rows = rows if wrong.is_empty() else rows.filter(pl.col("line") < wrong["line"][0])
    _note_lines(rows.filter(pl.col("n") > len(columns)), "text after column 6 ignored", notes)
    pattern = r"^[ \t\v\f]*" + r"[ \t\v\f]+".join([r"([^ \t\v\f]+)"] * len(columns))
    cells = rows["text"].str.extract_groups(pattern).struct.unnest()
    part = _Part({}, rows["line"].to_numpy())
    for name, cell in zip(columns, cells, strict=True):
        if name == "score":
            part.columns[name] = pl.Series(scores(cell, part.lines, notes.file))
        elif name == "rank":
            part.columns[name] = pl.Series(ranks(cell, part.lines, notes))
        elif name == "grade":
            part.columns[name] = pl.Series(grades(cell, part.lines, notes))
        else:
            part.columns[name] = cell.rle()
    for line, text, n, _ in wrong.iter_rows():
        is_cut = block.cut and line == block.line + len(texts) - 1 and not opens
        reason = _wrong_count(len(columns), n, text, noun if opens else None)
        raise InputError(reason, file=notes.file, line=line, fix=_CUT if is_cut else _FIX[noun])
    return part


def _note_lines(rows: pl.DataFrame, message: str, notes: NoteBook) -> None:
    if rows.height:
        notes.add(message, rows["line"][0], count=rows.height)


def _wrong_count(expected: int, n_found: int, line: str, noun: Noun | None) -> str:
    """The reason; with a guess at the format where it is the first line that is wrong."""
    hints = {
        ("run", 4): "this looks like a qrels file",
        ("run", 3): "an MS MARCO run, or FairTREC without its header?",
        ("qrels", 6): "this looks like a run file",
        ("qrels", 5): "statAP prels, or an extra column?",
        ("qrels", 3): "BEIR without its header?",
    }
    hint = hints.get((noun or "", n_found), "")
    if n_found == 1 and line.count(",") >= expected - 1:
        hint = "comma separated?"
    elif n_found < expected and line.count("\u00a0") >= expected - n_found:
        hint = "the blanks are non-breaking spaces"
    return f"expected {expected} columns, found {n_found}" + (f" ({hint})" if hint else "")
