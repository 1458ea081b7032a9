"""Tables in memory to nouns: frames (pandas, polars, pyarrow, DuckDB: whatever streams Arrow), and dicts.

They become the columns, or the lines, that the readers of files check, so that the same rows give the same noun, the
same notes and the same errors.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, Protocol, TypeVar, cast, runtime_checkable

import polars as pl

from fairviz.errors import InputError, printable
from fairviz.io.columns import DOC, GRADE, QUERY, SCORE, Columns, Place, by_place, in_rows
from fairviz.io.groups import labels_of_columns
from fairviz.io.notes import Parsed, shown
from fairviz.io.parquet import record_lines
from fairviz.io.qrels import qrels_of_columns
from fairviz.io.rankings import rankings_of_columns
from fairviz.io.source import FileInput, Source
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, TieOrder


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
T = TypeVar("T")

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


def rankings_of_frame(
    frame: Frame, *, name: str = "", multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """The run, or the sample of rankings, of a table in memory or of ``{query: {document: score}}``.

    See :func:`~fairviz.io.rankings.rankings_of_columns`.
    """
    given = columns_of(frame, name=name, cells=(QUERY[0], DOC[0], SCORE[0]))
    return rankings_of_columns(given, name=name, multi_sample=multi_sample, ties=ties)


def qrels_of_frame(
    frame: Frame, *, name: str = "", subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements of a table in memory or of ``{query: {document: grade}}``.

    See :func:`~fairviz.io.qrels.qrels_of_columns`.
    """
    given = columns_of(frame, name=name, cells=(QUERY[0], DOC[0], GRADE[0]))
    return qrels_of_columns(given, name=name or "qrels", subtopics=subtopics, generator=generator)


def groups_of_frame(frame: Frame, *, name: str = "", labels: Literal["one", "split"] = "one") -> Parsed[GroupLabels]:
    """The group labels of a table in memory, ``{document: group}`` or ``{document: {group: weight}}``.

    See :func:`~fairviz.io.groups.labels_of_columns`.
    """
    if isinstance(frame, Mapping) and not any(isinstance(label, Mapping) for label in frame.values()):
        for doc, label in frame.items():
            if isinstance(label, list | tuple | set):
                kind = type(cast("Any", label)).__name__
                reason = f"document {shown(str(doc))}: expected a group or {{group: weight}}, found {kind}"
                raise InputError(reason, file=type(frame).__name__, fix="Give {document: {group: weight}}.")
        frame = {doc: {label: 1.0} for doc, label in frame.items() if label is not None}
    return labels_of_columns(columns_of(frame, name=name, cells=(DOC[0], "group", "weight")), name=name, labels=labels)


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
    with by_place(source.name, place, first=1):
        return in_rows(read(source), place, first=1)


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
