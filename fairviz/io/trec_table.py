"""Whitespace-separated tables of millions of lines, column by column.

Most files separate their columns by one space or one tab throughout: :func:`plain_columns` reads those, several blocks
at a time. A block that is anything else goes through :class:`Tokens`, which is slower and knows every line by number.
"""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.limits import MAX_GRADE
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import Block, decoded, line_blocks, n_lines, work_ahead
from fairviz.kernels.lookup import IdColumn, encoded_runs
from fairviz.model import BoolArray, FloatArray, IntArray

# The fast pass over a block of text: the columns of a table as Polars reads them. It reads rows whose columns are
# separated by exactly one blank, with whole numbers of up to nine digits and plain decimal scores, as nearly every
# file has them. At anything else it stops without a word: the exact pass then says what is odd, and on which line.
# What both can read, both read alike.


Kind: TypeAlias = Literal["id", "rank", "score", "grade"]
Numbers: TypeAlias = NDArray[np.number[Any]]

_ODD = (b"\r", b"\v", b"\f")
_TYPES: Mapping[Kind, pl.DataType] = {"id": pl.String(), "rank": pl.Int32(), "grade": pl.Int32(), "score": pl.Float64()}


def plain_columns(text: bytes, kinds: Mapping[str, Kind]) -> dict[str, pl.Series] | None:
    r"""The columns of a block.

    Args:
        text: Whole lines, each ended by a line feed.
        kinds: Kind of each column, left to right.

    Returns:
        A row per line, or None where anything about the block is odd.

    Examples:
        >>> columns = plain_columns(b"q1 d1 0.5\nq1 d2 .25\n", {"query": "id", "doc": "id", "score": "score"})
        >>> columns["doc"].to_list(), columns["score"].to_list()
        (['d1', 'd2'], [0.5, 0.25])
    """
    separator = "\t" if b"\t" in text[:4096] else " "
    odd = (*_ODD, b" " if separator == "\t" else b"\t", b"\n#")
    if text.startswith(b"#") or any(mark in text for mark in odd):
        return None
    types = {name: _TYPES[kind] for name, kind in kinds.items()}
    try:
        table = pl.read_csv(text, has_header=False, separator=separator, schema=types, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if table.height != n_lines(text) or any(column.null_count() for column in table):
        return None
    if not all(kind == "id" or _is_plain(table[name].to_numpy(), kind) for name, kind in kinds.items()):
        return None
    return {column.name: column for column in table}


def _is_plain(numbers: Numbers, kind: Kind) -> bool:
    """Whether nothing about the numbers is to be noted or refused."""
    if kind == "score":
        return bool(np.isfinite(numbers).all())
    return bool((numbers >= 0).all()) and not (kind == "grade" and bool((numbers > MAX_GRADE).any()))


# The exact pass over a block of text: every token is taken, and every line has its number. Columns are separated by
# runs of ASCII blanks (space, tab, vertical tab, form feed) and by nothing else: an identifier may hold a no-break
# space.


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


# All blocks of a file.


class Layout(NamedTuple):
    """The columns of a table.

    Attributes:
        noun: What the table is, for messages and hints.
        columns: Name and kind of each column, left to right.
        header: Whether the first line names the columns.
        note_crlf: Whether Windows line ends are worth a note.
    """

    noun: Noun
    columns: dict[str, Kind]
    header: bool = False
    note_crlf: bool = False


class Part(NamedTuple):
    """The rows of one block, identifiers as runs of equal neighbours.

    ``lines`` is the line of each row, or of the first where rows stand on consecutive lines.
    """

    ids: dict[str, pl.Series]
    numbers: dict[str, Numbers]
    lines: int | IntArray
    n_rows: int


class Table(NamedTuple):
    """All rows of a file, column by column."""

    ids: dict[str, IdColumn]
    numbers: dict[str, Numbers]
    starts: IntArray
    lines: list[int | IntArray]

    def line(self, row: int) -> int:
        """1-based line of a row."""
        return int(self.lines_of(np.array([row]))[0])

    def lines_of(self, rows: IntArray) -> IntArray:
        """1-based lines of some rows."""
        found = np.empty(rows.size, dtype=np.int64)
        parts: IntArray = np.searchsorted(self.starts, rows, side="right") - 1
        used: list[int] = np.unique(parts).tolist()
        for part in used:
            of_part = parts == part
            within: IntArray = rows[of_part] - self.starts[part]
            lines = self.lines[part]
            found[of_part] = lines + within if isinstance(lines, int) else lines[within]
        return found

    def line_of(self, column: str, code: int) -> int:
        """1-based line where an identifier of a column stands first."""
        return self.line(int(np.argmax(self.ids[column].codes == code)))


def read_parts(source: Source, layout: Layout, notes: NoteBook) -> Generator[Part, None, None]:
    """Read a table block by block.

    Args:
        source: The file.
        layout: Its columns.
        notes: Where repairs are noted.

    Yields:
        The rows of each block that has any.

    Raises:
        InputError: A line that is no row of the layout.
    """
    plain = partial(_plain_part, kinds=layout.columns)
    with (
        closing(line_blocks(source, notes, note_crlf=layout.note_crlf)) as blocks,
        closing(work_ahead(plain, _without_header(blocks, layout))) as parsed,
    ):
        for block, rows in parsed:
            part = rows or exact_part(block, layout, notes)
            if part.n_rows:
                yield part


def gather(parts: list[Part], layout: Layout, name: str) -> Table:
    """One table of all parts; each column of ids gets one dictionary for the whole file.

    Raises:
        InputError: There is no row.
    """
    if not parts:
        raise InputError("no data lines", file=name, fix="The file holds blanks or comments only.")
    ids: dict[str, IdColumn] = {}
    numbers: dict[str, Numbers] = {}
    for column, kind in layout.columns.items():  # pop: memory is returned column by column
        if kind == "id":
            ids[column] = encoded_runs(pl.concat([part.ids.pop(column) for part in parts]))
        else:
            numbers[column] = np.concatenate([part.numbers.pop(column) for part in parts])
    starts = np.cumsum([0, *(part.n_rows for part in parts)])[:-1]
    return Table(ids, numbers, starts, [part.lines for part in parts])


def _without_header(blocks: Iterable[Block], layout: Layout) -> Iterator[Block]:
    for block in blocks:
        if not layout.header or block.line > 1:
            yield block
        elif rest := block.text[block.text.index(b"\n") + 1 :]:
            yield block._replace(text=rest, line=2)


def _plain_part(block: Block, kinds: Mapping[str, Kind]) -> Part | None:
    """The block as Polars reads it, or None where anything about it is odd."""
    columns = plain_columns(block.text, kinds)
    if columns is None:
        return None
    ids = {name: columns[name].rle() for name, kind in kinds.items() if kind == "id"}
    numbers = {name: columns[name].to_numpy() for name, kind in kinds.items() if kind != "id"}
    return Part(ids, numbers, block.line, n_lines(block.text))


def exact_part(block: Block, layout: Layout, notes: NoteBook) -> Part:
    """The block from its tokens, every irregularity noted or refused with its line."""
    rows = Tokens(block, len(layout.columns), layout.noun, notes)
    part = Part({}, {}, rows.lines, rows.lines.size)
    for j, (name, kind) in enumerate(layout.columns.items()):
        texts = rows.column(j)
        if kind == "id":
            part.ids[name] = texts.rle()
        elif kind == "score":
            part.numbers[name] = scores(texts, rows.lines, notes.file)
        elif kind == "rank":
            part.numbers[name] = ranks(texts, rows.lines, notes)
        else:
            part.numbers[name] = grades(texts, rows.lines, notes)
    rows.refuse_bad_line()
    return part
