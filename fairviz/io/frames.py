"""Tables in memory to nouns: frames (pandas, polars, pyarrow, DuckDB: whatever streams Arrow), and dicts.

They become the columns, or the lines, that the readers of files check, so that the same rows give the same noun, the
same notes and the same errors. An error names the table, the row and the column where that of a file names the line;
rows are counted from 0, as ``iloc`` counts them.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
import polars as pl

from fairviz.errors import InputError, printable
from fairviz.io.groups import read_groups
from fairviz.io.names import folded
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.parquet import parquet_table, record_lines
from fairviz.io.qrels import qrels_of_table
from fairviz.io.rankings import rankings_of_table
from fairviz.io.source import FileInput, Source
from fairviz.io.trec import why_unwritable
from fairviz.io.trec_table import Numbers, Table, grades, ranks, scores
from fairviz.kernels.lookup import IdColumn, encoded
from fairviz.model import GroupLabels, Note, Qrels, RankingSample, Run, TieOrder
from fairviz.model.arrays import Ids
from fairviz.numerals import plural

QUERY = ("query_id", "qid", "q_id", "topic_id")
DOC = ("doc_id", "docno", "docid", "document_id", "item_id")
SCORE = ("score",)
GRADE = ("grade", "relevance", "label", "rel")
RANK = ("rank",)
SAMPLE = ("sample", "sample_id", "seq_no")
SUBTOPIC = ("subtopic", "subtopic_id", "iteration")
SYSTEM = ("system", "run_id", "tag")
"""Names of columns, the first that a table has counts: ours, PyTerrier's, those of ir_datasets and ir_measures."""


@runtime_checkable
class Stream(Protocol):
    """A table in memory: of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Its columns, by the protocol of Arrow's C stream."""
        ...


class _Streamed:
    """A table by its stream alone, so that Polars takes tables of all kinds in one way."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream.__arrow_c_stream__(requested_schema)


Frame = Stream | Mapping[Any, Any]
"""A table in memory: anything that streams Arrow, or a dict."""
Place = Callable[[int], str]
"""How a row is found: "row 3", or the keys of a dict."""
T = TypeVar("T")

_LINE = re.compile(r"\b(on )?line (\d+)")


class Columns(NamedTuple):
    """A table in memory, as it is called in messages.

    Attributes:
        table: Its columns.
        file: What to call it.
        place: How a row is found.
        of_keys: Whether by the keys of a dict, which has no columns.
    """

    table: pl.DataFrame
    file: str
    place: Place
    of_keys: bool = False

    def at(self, column: str) -> Place:
        """How a row of a column is found."""
        return self.place if self.of_keys else lambda row: f"{self.place(row)}, column {column!r}"

    def find(self, names: Sequence[str]) -> str | None:
        """The column that is called so; case and blanks do not count."""
        by_name = {folded(name): name for name in self.table.columns}
        return next((by_name[name] for name in names if name in by_name), None)

    def need(self, names: Sequence[str], what: str) -> str:
        """The column that is called so.

        Raises:
            InputError: There is none.
        """
        found = self.find(names)
        if found is None:
            has = ", ".join(map(shown, self.table.columns)) or "none"
            reason = f"no column of {what} ({', '.join(names)}); it has: {has}"
            raise InputError(reason, file=self.file, fix=f"Name it {names[0]}.")
        return found

    def texts(self, name: str, *, empty: str | None = None) -> pl.Series:
        """The cells of a column as a file would hold them: numbers in full precision.

        Raises:
            InputError: A cell is missing, where none may be, or no word or number.
        """
        cells = self.table[name]
        if empty is None and cells.null_count():
            row = int(cells.is_null().to_numpy().argmax())
            fix = "Fill it in, or leave the row out."
            raise InputError(f"{name} is missing", file=f"{self.file}, {self.place(row)}", fix=fix)
        try:
            if cells.dtype.is_nested():
                raise ValueError(str(cells.dtype))
            if cells.dtype.is_float():
                cells = cells.cast(pl.Float64)  # exactly, before it is written in its fewest digits
            return cells.cast(pl.String).str.strip_suffix(".0" if cells.dtype.is_float() else "").fill_null(empty or "")
        except (ValueError, pl.exceptions.PolarsError) as error:
            reason = f"column {shown(name)} holds {cells.dtype}, no words or numbers"
            raise InputError(reason, file=self.file, fix="Give one word or number per cell.") from error

    def ids(self, name: str, what: str, *, opens_line: bool = False) -> IdColumn:
        """A column of identifiers.

        Raises:
            InputError: One is missing or blank, holds a blank, or is no text or whole number.
        """
        kind = self.table[name].dtype
        if kind.is_float() or kind == pl.Boolean:
            reason = f"column {shown(name)} holds {kind}, and a {what} is text or a whole number"
            raise InputError(reason, file=self.file, fix=f"Convert it: {name} as text.")
        column = encoded(self.texts(name))
        for code, value in enumerate(column.values):
            if reason := why_unwritable(value, what, opens_line=opens_line):
                row = int(np.argmax(column.codes == code))
                fix = "Write ids without blanks, in all tables that name it."
                raise InputError(reason, file=f"{self.file}, {self.at(name)(row)}", fix=fix)
        return column

    def numbers(self, names: Sequence[str], what: str, read: Callable[[pl.Series], Numbers]) -> Numbers:
        """A column of numbers, checked as in a file.

        Raises:
            InputError: There is none, or a cell is no such number.
        """
        column = self.need(names, what)
        with _by_place(self.file, self.at(column)):
            return read(self.texts(column))


NO_TABLE = "expected `Struct`"
"""In what Polars says of a series: it streams its cells, and no columns."""


def columns_of(frame: Frame, *, name: str = "", cells: Sequence[str] = ()) -> Columns:
    """The columns of a table in memory.

    Args:
        frame: What streams Arrow; or a dict: of columns, or with ``cells`` ``{row: {column: cell}}``, as ranx,
            pytrec_eval and ir_measures hold runs and judgements.
        name: What it is called, besides its type.
        cells: Names of the three columns that a dict of dicts has.

    Raises:
        InputError: It has no rows, or a column mixes types.
    """
    file = f"{type(frame).__name__} {name!r}" if name else type(frame).__name__
    place: Place = "row {}".format
    if isinstance(frame, Mapping) and not cells:
        raise InputError("expected a frame or a list of dicts, found one dict", fix="Give a list of it: [{…}].")
    if not isinstance(cast("object", frame), Mapping | Stream):
        reason = f"expected a path, a frame or a dict, found {type(frame).__name__}"
        raise InputError(reason, fix="Give one table at a time; other objects as a DataFrame or a dict.")
    try:
        if not isinstance(frame, Mapping):
            table = pl.DataFrame(_Streamed(frame))
        else:
            triples = list(_triples(frame, cells, file))
            if len({isinstance(cell, str) for *_, cell in triples if cell is not None}) > 1:
                raise ValueError("some cells are text, others are not")
            table = pl.DataFrame(dict(zip(cells, zip(*triples, strict=True), strict=False)), strict=False)
            place = lambda row: "".join(f"[{key!r}]" for key in triples[row][:2])  # noqa: E731
    except (ValueError, TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        fix = "Give every column one type: text or numbers."
        if NO_TABLE in str(error):
            fix = "Give a frame: reset_index() of a series makes its index a column."
            raise InputError("one column, and a table is needed", file=file, fix=fix) from error
        why = printable(str(error).strip().split("\n", 1)[0])[:200]
        raise InputError(f"not a table: {why}", file=file, fix=fix) from error
    if not table.height:
        raise InputError("no rows", file=file, fix="Look at what made it: it is empty.")
    return Columns(table, file, place, isinstance(frame, Mapping))


def _triples(frame: Mapping[Any, Any], cells: Sequence[str], file: str) -> Iterable[tuple[Any, Any, Any]]:
    for row, inner in frame.items():
        if not isinstance(inner, Mapping):
            reason = f"{cells[0]} {shown(str(row))}: expected {{{cells[1]}: {cells[2]}}}, found {type(inner).__name__}"
            raise InputError(reason, file=file, fix=f"Give {{{cells[0]}: {{{cells[1]}: {cells[2]}}}}}.")
        for column, cell in cast("Mapping[Any, Any]", inner).items():
            yield str(row), str(column), cell


def columns_of_parquet(source: Source) -> Columns:
    """The columns of a Parquet file.

    Raises:
        InputError: It is damaged, has no rows, or is larger than the limit.
    """
    with source.stored() as stored:
        table = parquet_table(stored.read(), source.name)
    return Columns(table, source.name, "row {}".format)


def lists_in(names: Sequence[str]) -> Literal["run", "qrels"] | None:
    """Whether the columns of a table are those of rankings, of judgements, or of neither.

    Examples:
        >>> lists_in(["query_id", "doc_id", "score"]), lists_in(["qid", "docno", "label"]), lists_in(["doc_id", "text"])
        ('run', 'qrels', None)
    """
    known = {folded(name) for name in names}
    if known.isdisjoint(QUERY) or known.isdisjoint(DOC):
        return None
    if not known.isdisjoint((*SCORE, *SAMPLE)):
        return "run"
    return None if known.isdisjoint(GRADE) else "qrels"


@contextmanager
def _by_place(file: str, place: Place, first: int = 0) -> Generator[None]:
    """Errors of lines as errors of rows; row 0 stands on line ``first``."""
    try:
        yield
    except InputError as error:
        reason, where = _of_row(error.reason, error.file or file, error.line, place, first)
        raise InputError(reason, file=where, fix=error.fix) from error


def _of_row(message: str, file: str, line: int | None, place: Place, first: int) -> tuple[str, str]:
    """A message on a line as one on a row, and the row in its file."""

    def as_row(match: re.Match[str]) -> str:
        line = int(match[2])
        return ("in " if match[1] else "") + place(line - first) if line >= first else match[0]

    where = file if line is None or line < first else f"{file}, {place(line - first)}"
    return _LINE.sub(as_row, message), where


def _in_rows(parsed: Parsed[T], place: Place, first: int = 0) -> Parsed[T]:
    """Notes on lines as notes on rows."""
    of_rows = (_of_row(note.message, note.file, note.line, place, first) for note in parsed.notes)
    return replace(parsed, notes=tuple(Note(file, None, message) for message, file in of_rows), lines={})


def rankings_of_frame(
    frame: Frame | Columns, *, name: str = "", multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """The run, or the sample of rankings, that a table in memory holds.

    Columns: query_id (or qid, as PyTerrier has it), doc_id (docno), score, and any of rank, sample, system. In a run
    the score decides, ties by document id descending, as in a file; in a sample the rank, or without one the order of
    the rows.

    Args:
        frame: The table, or ``{query: {document: score}}``.
        name: Name of the system; without, that of a column system, else "run".
        multi_sample: Whether a column ``sample`` names samples; None: where there is one.
        ties: What orders tied scores of a run: document ids, or the column rank.

    Raises:
        InputError: A column is missing, a cell is none of its kind, a document stands twice for a query.
    """
    given = frame if isinstance(frame, Columns) else columns_of(frame, name=name, cells=(QUERY[0], DOC[0], SCORE[0]))
    notes = NoteBook(given.file)
    n = given.table.height
    rows = np.arange(n)
    with _by_place(given.file, given.place):
        queries = given.ids(given.need(QUERY, "queries"), "query id", opens_line=True)
        docs = given.ids(given.need(DOC, "documents"), "document id")
        sampled, ranked, scored = given.find(SAMPLE), given.find(RANK), given.find(SCORE)
        if multi_sample and sampled is None:
            given.need(SAMPLE, "samples")
        numbers: dict[str, Numbers] = {}
        if sampled is None or scored is not None:
            numbers["score"] = given.numbers(SCORE, "scores", lambda texts: scores(texts, rows, given.file))
        numbers["rank"] = rows + 1.0 if sampled else np.full(n, np.nan)
        if ranked is not None:
            numbers["rank"] = given.numbers(RANK, "ranks", lambda texts: ranks(texts, rows, notes))
        named = _system(given)
        ids = {"query": queries, "doc": docs, "tag": _same(n, name or named or "run")}
        ids["sample"] = given.ids(sampled, "sample") if sampled else _same(n, "0")
        samples = sampled is not None if multi_sample is None else multi_sample
        parsed = rankings_of_table(_table(ids, numbers), notes, multi_sample=samples, ties=ties)
    return cast("Parsed[Run] | Parsed[RankingSample]", _in_rows(parsed, given.place))


def _system(given: Columns) -> str | None:
    """The system that a column names.

    Raises:
        InputError: It names several.
    """
    column = given.find(SYSTEM)
    if column is None:
        return None
    values = encoded(given.texts(column)).values
    if len(values) > 1:
        named = [*map(shown, values[:3]), *(["…"] if len(values) > 3 else [])]
        reason = f"column {shown(column)} names {plural(len(values), 'system')} ({', '.join(named)})"
        fix = f"Give each its own table: [part for _, part in frame.groupby({column!r})]."
        raise InputError(reason, file=given.file, fix=fix)
    return next(iter(values))


def qrels_of_frame(
    frame: Frame | Columns, *, name: str = "", subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements that a table in memory holds.

    Columns: query_id (or qid), doc_id (docno), grade (relevance, label), and subtopic.

    Args:
        frame: The table, or ``{query: {document: grade}}``.
        name: What to call them; "qrels" without.
        subtopics: Whether the column of subtopics counts; None: where a document is judged twice for a query.
        generator: The generator whose utility gain the grades record; None for people's.

    Raises:
        InputError: A column is missing, a grade is no whole number, two judgements of one document differ.
    """
    given = frame if isinstance(frame, Columns) else columns_of(frame, name=name, cells=(QUERY[0], DOC[0], GRADE[0]))
    notes = NoteBook(given.file)
    with _by_place(given.file, given.place):
        ids = {
            "query": given.ids(given.need(QUERY, "queries"), "query id", opens_line=True),
            "doc": given.ids(given.need(DOC, "documents"), "document id"),
        }
        subtopic = given.find(SUBTOPIC)
        ids["subtopic"] = given.ids(subtopic, "subtopic") if subtopic else _same(given.table.height, "0")
        rows = np.arange(given.table.height)
        numbers = {"grade": given.numbers(GRADE, "grades", lambda texts: grades(texts, rows, notes))}
        parsed = qrels_of_table(
            _table(ids, numbers), notes, name=name or "qrels", subtopics=subtopics, generator=generator
        )
    return _in_rows(parsed, given.place)


def _same(n: int, value: str) -> IdColumn:
    return IdColumn(np.zeros(n, dtype=np.int32), Ids.of((value,)))


def _table(ids: dict[str, IdColumn], numbers: dict[str, Numbers]) -> Table:
    return Table(ids, numbers, np.arange(ids["query"].codes.size))


def groups_of_frame(frame: Frame, *, name: str = "", labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """The group labels that a table in memory holds.

    Columns: doc_id (docno), one column of groups, whose name is that of the attribute, and any of weight, query_id. A
    missing label is none.

    Args:
        frame: The table, or ``{document: group}``, or ``{document: {group: weight}}``.
        name: Name of the attribute; without, that of the column.
        labels: What two unweighted labels of a document mean: "one" refuses them.

    Raises:
        InputError: A column is missing, or labels of a document contradict each other.
    """
    if isinstance(frame, Mapping) and not any(isinstance(label, Mapping) for label in frame.values()):
        for doc, label in frame.items():
            if isinstance(label, list | tuple | set):
                kind = type(cast("Any", label)).__name__
                reason = f"document {shown(str(doc))}: expected a group or {{group: weight}}, found {kind}"
                raise InputError(reason, file=type(frame).__name__, fix="Give {document: {group: weight}}.")
        frame = {doc: {label: 1.0} for doc, label in frame.items() if label is not None}
    given = columns_of(frame, name=name, cells=(DOC[0], "group", "weight"))
    doc, query, weight = given.need(DOC, "documents"), given.find(QUERY), given.find(("weight",))
    group = given.find((*([folded(name)] if name else []), "group"))
    others = [column for column in given.table.columns if column not in (doc, query, weight)]
    if group is None and len(others) != 1:
        reason = f"which column holds the groups? It has: {', '.join(map(shown, others)) or 'none'}"
        fix = "Name it group, or give doc_id and one other column."
        raise InputError(reason, file=given.file, fix=fix)
    group = group or others[0]
    wanted = [column for column in (query, doc, group, weight) if column is not None]
    with _by_place(given.file, given.place):
        cells = [given.texts(column, empty="" if column == group else None).to_list() for column in wanted]
    header = [*([QUERY[0]] if query else []), DOC[0], name or group, *(["weight"] if weight else [])]
    lines = ("\t".join(row) for row in zip(*cells, strict=True))
    source = Source(given.file, None, "\n".join(["\t".join(header), *lines, ""]).encode())
    with _by_place(given.file, given.place, first=2):
        parsed = _in_rows(read_groups(source, labels=labels), given.place, first=2)
    return replace(parsed, value=replace(parsed.value, attribute=name or group))


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
    if isinstance(frame, str | PathLike):
        return read(frame)
    source, place = records_source(frame)
    with _by_place(source.name, place, first=1):
        return _in_rows(read(source), place, first=1)


def records_source(frame: Stream | Sequence[Mapping[str, Any]]) -> tuple[Source, Place]:
    """Records in memory as a file of JSON Lines, and how its rows are found.

    Raises:
        InputError: There are none.
    """
    if isinstance(frame, Sequence):
        file = type(frame).__name__
        if not frame:
            raise InputError("no rows", file=file, fix="Look at what made it: it is empty.")
        return Source(file, None, record_lines([frame], file)), "row {}".format
    given = columns_of(frame)
    return Source(
        given.file, None, record_lines((part.to_dicts() for part in given.table.iter_slices()), given.file)
    ), given.place


def read_object(read: Callable[[Source], Parsed[T]], content: Mapping[Any, Any]) -> Parsed[T]:
    """What a reader of one JSON object finds in a dict; its errors name keys, so lines are left out.

    Raises:
        InputError: As the reader.
    """
    file = type(content).__name__
    source = Source(file, None, json.dumps(_keyed(content), ensure_ascii=False).encode())
    try:
        parsed = read(source)
    except InputError as error:
        raise InputError(error.reason, file=file, fix=error.fix) from error
    return replace(parsed, notes=tuple(replace(note, line=None) for note in parsed.notes), lines={})


def _keyed(content: Any) -> Any:
    """A dict as JSON has it: keys are text, numbers of NumPy are numbers."""
    if isinstance(content, Mapping):
        return {str(key): _keyed(value) for key, value in cast("Mapping[Any, Any]", content).items()}
    return content.tolist() if hasattr(content, "tolist") else content
