"""Tables by the names of their columns: what the readers of rankings, judgements and groups find in any of them.

Tables in memory are frames (pandas, polars, pyarrow, DuckDB: whatever streams Arrow), dicts, and lists of dicts.
A table with a header (CSV, TSV), JSON Lines, a Parquet file and a frame in memory are columns of one kind, so that the
same rows give the same noun, the same notes and the same errors. An error of a file of text names the line; one of
another table names the row and the column, rows counted from 0, as ``iloc`` counts them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
import polars as pl

from fairviz.errors import InputError, printable
from fairviz.io.cells import read_cells
from fairviz.io.json import Head
from fairviz.io.names import BLANKS, folded
from fairviz.io.notes import NoteBook, Parsed, by_row, called, in_rows, row_name, shown
from fairviz.io.parquet import as_json, open_parquet, parquet_table
from fairviz.io.source import FileInput, Source
from fairviz.io.trec import CELLS, Numbers, unwritable
from fairviz.model import IntArray, Note
from fairviz.model.arrays import IdColumn, Ids, encoded

QUERY = ("query_id", "qid", "q_id", "topic_id", "query-id", "user_id")
DOC = ("doc_id", "docno", "docid", "document_id", "item_id", "corpus-id", "pid")
SCORE = ("score",)
GRADE = ("grade", "relevance", "label", "rel", "score", "rating")
RANK = ("rank",)
SAMPLE = ("sample", "sample_id", "seq_no")
SUBTOPIC = ("subtopic", "subtopic_id", "iteration")
SYSTEM = ("system", "run_id", "tag", "name")
"""Names of columns, the first that a table has counts: ours, PyTerrier's, BEIR's, MS MARCO's, LensKit's, of ir_datasets
and ir_measures."""
LIST_QUERY, LIST_DOC = (*QUERY, "query"), (*DOC, "doc")
"""The same in rankings and judgements, where no text of a question or a document stands."""


T = TypeVar("T")

CANDIDATES = frozenset({"query", "candidates"})
"""What a record of Pyserini or RankLLM has: a row for each query."""
_EXACT = 2**53
"""Whole numbers from here on are not told apart by a float."""


class Columns(NamedTuple):
    """A table, as it is called in messages.

    Attributes:
        table: Its R rows by column.
        notes: Of what is odd in it so far, and in its rows; their file is what it is called.
        kind: Of a file: "Parquet", "CSV", "TSV" or "JSON".
        lines: (R) the line of each row, where it is a file of text: its errors name it, others the row.
    """

    table: pl.DataFrame
    notes: NoteBook
    kind: str = ""
    lines: IntArray | None = None

    @property
    def file(self) -> str:
        """What it is called in messages."""
        return self.notes.file

    @property
    def rows(self) -> IntArray:
        """(R) by what readers call each row: its line, else its number from 1."""
        return np.arange(1, self.table.height + 1) if self.lines is None else self.lines

    def wrong(self, reason: str, row: int, fix: str, column: str = "") -> InputError:
        """The error of a row, and of its cell in a column."""
        if self.lines is not None:
            return self.notes.wrong(reason, fix, int(self.lines[row]))
        return InputError(f"{row_name(row + 1, column)}: {reason}", file=self.file, fix=fix, row=row)

    def named(self, column: str = "") -> AbstractContextManager[None]:
        """Errors that name the line of a file, else the row, and the column where one is meant."""
        return nullcontext() if self.lines is not None else by_row(column)

    def find(self, names: Sequence[str]) -> str | None:
        """The column that is called so; case and blanks do not count."""
        by_name = {folded(name): name for name in self.table.columns}
        return next((by_name[name] for name in names if name in by_name), None)

    def need(self, names: Sequence[str], what: str) -> str:
        """The column that is called so.

        Raises:
            InputError: There is none.
        """
        column = self.find(names)
        if column is None:
            has = ", ".join(map(shown, self.table.columns)) or "none"
            raise self.notes.wrong(f"no column of {what} ({', '.join(names)}); it has: {has}", f"Name it {names[0]}.")
        return column

    def texts(self, name: str, *, empty: str | None = None) -> pl.Series:
        """The cells of a column as a file would hold them: numbers in full precision.

        Raises:
            InputError: A cell is missing, where none may be, or no word or number.
        """
        cells = self.table[name]
        if empty is None and cells.null_count():
            row = int(cells.is_null().to_numpy().argmax())
            raise self.wrong(f"{name} is missing", row, "Fill it in, or leave the row out.")
        try:
            if cells.dtype.is_nested():
                raise ValueError(str(cells.dtype))
            if cells.dtype.is_float():
                cells = cells.cast(pl.Float64)  # exactly, before it is written in its fewest digits
            return cells.cast(pl.String).str.strip_suffix(".0" if cells.dtype.is_float() else "").fill_null(empty or "")
        except (ValueError, pl.exceptions.PolarsError) as error:
            reason = f"column {shown(name)} holds {cells.dtype}, no words or numbers"
            raise self.notes.wrong(reason, "Give one word or number per cell.") from error

    def ids(self, name: str, what: str, *, opens_line: bool = False) -> IdColumn:
        """A column of identifiers.

        Raises:
            InputError: One is missing or blank, holds a blank, or is no text or whole number.
        """
        cells = self.table[name]
        kind = cells.dtype
        fraction = kind.is_float() and not ((cells == cells.floor()) & (cells.abs() < _EXACT)).all()
        if fraction or kind == pl.Boolean:  # pandas makes fractions of whole numbers where one was missing
            reason = f"column {shown(name)} holds {kind}, and a {what} is text or a whole number"
            raise self.notes.wrong(reason, f"Convert it: {name} as text.")
        column = encoded(self.texts(name))
        for code in column.values.column.str.starts_with('{"').arg_true() if self.kind == "JSON" else ():
            row = int(np.argmax(column.codes == code))
            fix = "Write a record for each row, as pandas does with to_json(orient='records')."
            raise self.wrong(f"{name} must be text or a whole number, found an object", row, fix)
        for code, reason in unwritable(column.values, what, opens_line=opens_line):
            row = int(np.argmax(column.codes == code))
            raise self.wrong(reason, row, "Write ids without blanks, in all tables that name it.", name)
        return column

    def numbers(self, names: Sequence[str], what: str) -> Numbers:
        """A column of numbers, checked as in a file.

        Raises:
            InputError: There is none, or a cell is no such number.
        """
        column = self.need(names, what)
        cells = self.texts(column)
        if names == GRADE and self.table[column].dtype == pl.Boolean:
            cells = cells.replace({"true": "1", "false": "0"})  # relevant or not
        with self.named(column):
            return CELLS[names[0]](cells, self.rows, self.notes)


def same_id(n: int, value: str) -> IdColumn:
    """(N) one identifier in every row."""
    return IdColumn(np.zeros(n, dtype=np.int32), Ids.of((value,)))


def columns_of_file(source: Source) -> Columns:
    """The columns of a Parquet file, of a table with a header (CSV, TSV), of JSON Lines or a JSON array.

    Raises:
        InputError: It is damaged, has no rows, or is larger than the limit.
    """
    notes = NoteBook(source.name)
    if source.is_parquet:
        return Columns(parquet_table(source), notes, kind="Parquet")
    head = Head(source)
    cells = read_cells(source, notes)
    if cells.fault is not None:
        raise cells.fault
    text = pl.all().str.strip_chars(BLANKS) if cells.in_table else pl.all().str.json_path_match("$")  # without quotes
    kind = "JSON" if not cells.in_table else "TSV" if b"\t" in head.raw.split(b"\n", 1)[0] else "CSV"
    table = cells.frame.select(text.replace("", None)).rename(cells.names)
    return Columns(table, notes, kind=kind, lines=cells.lines.to_numpy())


def lists_in_parquet(source: Source) -> Literal["run", "qrels"] | None:
    """Whether a Parquet file is of rankings, of judgements, or of neither."""
    with open_parquet(source) as table:
        schema = table.collect_schema()
    return lists_in(schema, whole=any(schema[name].is_integer() for name in schema if folded(name) in SCORE))


def lists_in(names: Iterable[str], *, whole: bool = False) -> Literal["run", "qrels"] | None:
    """Whether the columns of a table are those of rankings, of judgements, or of neither.

    Args:
        names: The columns.
        whole: Whether scores are known to be whole numbers: judgements of ranx and BEIR call their grades so.

    Examples:
        >>> lists_in(["query_id", "doc_id", "score"]), lists_in(["qid", "docno", "label"]), lists_in(["doc_id", "text"])
        ('run', 'qrels', None)
        >>> lists_in(["query-id", "corpus-id", "score"]), lists_in(["q_id", "doc_id", "score"], whole=True)
        ('qrels', 'qrels')
    """
    columns = {folded(name) for name in names}
    of_trec = "q0" in columns  # a header that TREC's files have not
    if of_trec or columns >= CANDIDATES or columns.isdisjoint(LIST_QUERY) or columns.isdisjoint(LIST_DOC):
        return None
    if columns == {"query-id", "corpus-id", *SCORE} or (whole and columns == {"q_id", "doc_id", *SCORE}):
        return "qrels"
    if not columns.isdisjoint((*SCORE, *SAMPLE)):
        return "run"
    if columns.isdisjoint(GRADE):
        return None if columns.isdisjoint(RANK) else "run"
    return "qrels"


def read_of(columns: Columns, parsed: Parsed[T]) -> Parsed[T]:
    """What was read, as a format of its file; of a table whose rows have no lines, notes on its rows."""
    named = replace(parsed, format=parsed.format.replace("TREC", columns.kind or "TREC"))
    return named if columns.lines is not None else in_rows(named)


def without_lines(parsed: Parsed[T], before: Iterable[Note] = ()) -> Parsed[T]:
    """What was read of one JSON value, of which names tell the place, and no line.

    Args:
        parsed: The noun; its notes are on rows, which have no lines.
        before: Notes on the file, which keep theirs.
    """
    of_rows = (replace(note, line=None) for note in parsed.notes)
    return replace(parsed, notes=(*before, *of_rows), lines={})


# Tables in memory: they become the columns, or the text, that the readers of files check.


@runtime_checkable
class Stream(Protocol):
    """A table in memory: of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the columns by the protocol of Arrow's C stream."""
        ...


class _Streamed:
    """A table by its stream alone, so that Polars takes tables of all kinds in one way."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream.__arrow_c_stream__(requested_schema)


NO_TABLE = "expected `Struct`"
"""In what Polars says of a series: it streams its cells, and no columns."""


def is_rows(source: object, names: Collection[str] = ()) -> bool:
    """Whether a list holds the rows of one table, as dicts or named tuples, and not several nouns.

    Args:
        source: What somebody gave.
        names: Columns of which the first row has any, where dicts in a list can also be a noun each.

    Examples:
        >>> is_rows([{"query_id": "q", "doc_id": "a"}], QUERY), is_rows([{"q": {"a": 1.0}}, {"q": {"a": 2.0}}], QUERY)
        (True, False)
    """
    if not isinstance(source, list) or not source:
        return False
    columns = columns_in(cast("list[Any]", source)[0])
    return bool(columns) and (not names or not {folded(column) for column in columns}.isdisjoint(names))


def columns_in(row: Any) -> tuple[str, ...]:
    """The columns that a dict or a named tuple has; empty for anything else."""
    return tuple(map(str, row)) if isinstance(row, Mapping) else tuple(getattr(row, "_fields", ()))


def columns_of(frame: Stream | pl.LazyFrame | Sequence[Any], *, name: str = "") -> Columns:
    """The columns of a table in memory.

    Args:
        frame: What streams Arrow, a lazy frame, or rows as :func:`is_rows` knows them.
        name: What it is called, besides its type.

    Raises:
        InputError: It has no rows, or a column mixes types.
    """
    file = called(frame, name)
    if isinstance(frame, Mapping):
        raise InputError("expected a frame or a list of dicts, found one dict", fix="Give a list of it: [{…}].")
    if not is_rows(frame) and not isinstance(frame, (Stream, pl.LazyFrame)):
        reason = f"expected a path, a frame, rows or a dict, found {type(frame).__name__}"
        raise InputError(reason, fix="Give one table at a time; other objects as a DataFrame or a dict.")
    try:
        if isinstance(frame, pl.LazyFrame):
            table = frame.collect()
        elif isinstance(frame, Stream):
            table = pl.DataFrame(_Streamed(frame))
        else:
            table = pl.DataFrame(frame, infer_schema_length=None, orient="row")
    except (ValueError, TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        fix = "Give every column one type: text or numbers."
        if NO_TABLE in str(error):
            fix = "Give a frame: reset_index() of a series makes its index a column."
            raise InputError("one column, and a table is needed", file=file, fix=fix) from error
        why = printable(str(error).strip().split("\n", 1)[0])[:200]
        raise InputError(f"not a table: {why}", file=file, fix=fix) from error
    if not table.height:
        raise InputError("no rows", file=file, fix="Look at what made it: it is empty.")
    return Columns(table, NoteBook(file))


Records = str | PathLike[str] | Stream | Sequence[Mapping[str, Any]]
"""Rows of answers or questions: a file, a frame, or a list of dicts."""


def read_records(read: Callable[[FileInput | Source], Parsed[T]], frame: Records) -> Parsed[T]:
    """What a reader of JSON Lines finds in a file, or in records in memory.

    Args:
        read: The reader.
        frame: A path, a table, or a list of dicts.

    Raises:
        InputError: As the reader, naming a row.
    """
    if isinstance(frame, (str, PathLike)):
        return read(frame)
    return read(records_source(frame))


def records_source(frame: Stream | Sequence[Mapping[str, Any]]) -> Source:
    """Records in memory as a file of JSON Lines.

    Raises:
        InputError: There are none.
    """
    if isinstance(frame, Sequence):
        file, records = type(frame).__name__, frame
        if not frame:
            raise InputError("no rows", file=file, fix="Look at what made it: it is empty.")
    else:
        columns = columns_of(frame)
        file, records = columns.file, columns.table.iter_rows(named=True)
    return Source(file, None, _lines_of(records), records=True)


def _lines_of(records: Iterable[Mapping[Any, Any]]) -> bytes:
    """Records in memory as JSON Lines."""
    return b"".join(as_json(record).encode() + b"\n" for record in records)


def read_object(read: Callable[[Source], Parsed[T]], content: Mapping[Any, Any]) -> Parsed[T]:
    """What a reader of one JSON object finds in a dict; its errors name keys, so lines are left out.

    Raises:
        InputError: As the reader.
    """
    file = called(content)
    try:
        parsed = read(Source(file, None, _lines_of([content])))
    except InputError as error:
        raise InputError(error.reason, file=file, fix=error.fix) from error
    return without_lines(parsed)
