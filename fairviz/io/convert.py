"""From TREC's columns to :mod:`fairviz.io.by_query`, sorted by query, however large the file.

An external sort: pieces of some millions of lines are sorted by query and put on the disk beside the result; then the
queries are taken in the order of their ids, some at a time, from all pieces. Memory holds one piece, or one range of
queries, and every query id once. The result takes its name at the end; the pieces of a writer that was killed are
cleared away by the next.
"""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.ipc

from fairviz.counts import count
from fairviz.errors import InputError, OutputError
from fairviz.io.arrow import IdColumn, numbers_of, text_array, text_ids
from fairviz.io.by_query import About, Writer
from fairviz.io.door import reader
from fairviz.io.ids import offsets_of, score_order
from fairviz.io.notes import NoteBook, shown
from fairviz.io.plain import Stretches
from fairviz.io.qrels import TREC_QRELS, kept_judgements, note_without_positives
from fairviz.io.rankings import TREC_RUN, is_fairtrec
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.text import head_of
from fairviz.io.trec import SCORES_DECIDE, RankOrder, note_identifiers, refuse_repeated_documents, sample_of_table
from fairviz.io.trec_table import Layout, Part, Table, read_parts
from fairviz.io.whole import whole_file
from fairviz.lookup import encoded
from fairviz.model import IndexArray, IntArray, Note, Qrels, RankingSample, Run
from fairviz.model.ids import Ids

_pa: Any = pyarrow
_ipc: Any = pyarrow.ipc

_NUMBERS = {"rank": np.float64, "score": np.float64, "grade": np.int64}
"""How numbers are held: a rank that is none is NaN, and a block without any has whole ones."""

ANY_SIZE = 2**62
PIECE = 2_000_000
"""Lines that are sorted at a time."""
GROUP = 250_000
"""Documents in a row group, the least that is read of a file: a query more or less."""
BATCH = 8_192
"""Lines of a piece that are read at a time."""


class Converted(NamedTuple):
    """What was written.

    Attributes:
        about: What the file says of itself.
        notes: What the reader repaired.
    """

    about: About
    notes: tuple[Note, ...]


class Told(NamedTuple):
    """Who is told how far it is.

    Attributes:
        read: Of each piece: how many bytes of the original have been read in all.
        sorting: Before the second pass: how many lines there are.
        wrote: Of each range of queries: how many lines it has.
    """

    read: Callable[[int], None] = lambda _: None
    sorting: Callable[[int], None] = lambda _: None
    wrote: Callable[[int], None] = lambda _: None


@reader
def convert(
    file: FileInput | Source,
    to: str,
    *,
    judgements: bool = False,
    multi_sample: bool | None = None,
    subtopics: bool | None = None,
    told: Told = Told(),  # noqa: B008 -- it has no state
    piece: int = PIECE,
    group: int = GROUP,
) -> Converted:
    """Write a run, samples of rankings or judgements as Parquet, sorted by query.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed, in TREC's columns; of any size.
        to: The file to write, whole or not at all.
        judgements: Whether it holds judgements (four columns).
        multi_sample: Whether column 2 of rankings names samples; None: where a query has more than one value there.
        subtopics: Whether column 2 of judgements names subtopics; None: where a pair repeats with another value.
        told: Who is told how far it is.
        piece: Lines sorted at a time.
        group: Documents in a row group.

    Raises:
        InputError: The file cannot be read, or is not in TREC's columns.
        OutputError: The result cannot be written.
    """
    source = as_source(file)
    source = replace(source, limit=ANY_SIZE, told=told.read)
    head = head_of(replace(source, told=None))
    if head.lstrip()[:1] in (b"{", b"[") or is_fairtrec(head):
        raise InputError("not in TREC's columns", file=source.name, fix="Write six columns (runs) or four (qrels).")
    notes = NoteBook(source.name)
    with whole_file(to) as result, _folder(to) as folder:
        pieces = _Pieces(folder, TREC_QRELS if judgements else TREC_RUN, piece)
        with closing(read_parts(source, pieces.layout, notes)) as parts:
            for part in parts:
                pieces.add(part)
        pieces.flush()
        if not pieces.n_lines:
            raise InputError("no data lines", file=source.name, fix="The file holds blanks or comments only.")
        told.sorting(pieces.n_lines)
        several = pieces.several if multi_sample is None else multi_sample
        with Writer(result, "qrels" if judgements else "samples" if several else "run") as writer:
            if judgements:
                about = _write_qrels(pieces, writer, notes, source.stem, subtopics, group, told)
            else:
                about = _write_rankings(pieces, writer, notes, group, told)
    return Converted(about, notes.collected)


@contextmanager
def _folder(to: str) -> Generator[Path]:
    """Where the pieces are, beside the result; whoever holds the lock of the result owns it."""
    place = Path(to).resolve()
    folder = place.with_name(f".{place.name}.pieces")
    shutil.rmtree(folder, ignore_errors=True)  # of a writer that was killed
    try:
        folder.mkdir()
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", file=to, fix="Name another file.") from error
    try:
        yield folder
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)


# The pieces.


class _Names:
    """Identifiers of a whole column, numbered in order of first appearance."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def numbered(self, column: Stretches) -> IndexArray:
        """The numbers of the rows of a part."""
        codes, names = encoded([column.ids])
        known = self.codes
        numbers = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int32)[codes]
        return numbers if column.sizes is None else np.repeat(numbers, column.sizes)


class _Rows(NamedTuple):
    """Lines of a file: the number of their query and of column 2, documents, numbers, and where they stand."""

    queries: IndexArray
    second: IndexArray
    docs: Any
    numbers: dict[str, np.ndarray[Any, Any]]
    lines: IntArray


@dataclass(slots=True)
class _Pieces:
    """The lines of a file on the disk, piece by piece, each sorted by query.

    Attributes:
        folder: Where.
        layout: Of the file.
        size: Lines in a piece.
    """

    folder: Path
    layout: Layout
    size: int
    n_lines: int = 0
    several: bool = False
    queries: _Names = field(default_factory=_Names)
    second: _Names = field(default_factory=_Names)
    tags: _Names = field(default_factory=_Names)
    tag_lines: list[int] = field(default_factory=list[int])
    _held: list[_Rows] = field(default_factory=list[_Rows])
    _n_held: int = 0
    _sorted: list[tuple[Path, IndexArray, IntArray]] = field(default_factory=list[tuple[Path, IndexArray, IntArray]])
    _first_second: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    def add(self, part: Part) -> None:
        """Take the lines of a part."""
        ids = part.ids
        lines = part.lines
        if isinstance(lines, int):
            lines = np.arange(lines, lines + part.n_rows, dtype=np.int64)
        second = "subtopic" if "subtopic" in ids else "sample"
        queries, docs = ids["query"], ids["doc"]
        rows = _Rows(
            self.queries.numbered(queries),
            self.second.numbered(ids[second]),
            text_array(docs.ids),
            {name: values.astype(_NUMBERS[name]) for name, values in part.numbers.items()},
            lines,
        )
        if "tag" in ids:
            self._add_tags(ids["tag"], lines)
        self._look_for_samples(rows)
        self._held.append(rows)
        self._n_held += part.n_rows
        self.n_lines += part.n_rows
        if self._n_held >= self.size:
            self.flush()

    def _add_tags(self, column: Stretches, lines: IntArray) -> None:
        known = len(self.tags.codes)
        codes = self.tags.numbered(column)
        self.tag_lines += [int(lines[np.argmax(codes == code)]) for code in range(known, len(self.tags.codes))]

    def _look_for_samples(self, rows: _Rows) -> None:
        """Whether a query has more than one value in column 2, so far."""
        n_new = len(self.queries.codes) - self._first_second.size
        self._first_second = np.concatenate([self._first_second, np.full(n_new, -1, dtype=np.int32)])
        new = np.flatnonzero(self._first_second[rows.queries] < 0)[::-1]
        self._first_second[rows.queries[new]] = rows.second[new]  # the last assignment, the first row, stays
        self.several |= bool((self._first_second[rows.queries] != rows.second).any())

    def flush(self) -> None:
        """Sort what is held, and put it on the disk."""
        if not self._held:
            return
        held, self._held, self._n_held = self._held, [], 0
        queries = np.concatenate([rows.queries for rows in held])
        names = list(self.queries.codes)
        distinct = np.unique(queries)
        by_id = np.array(sorted(distinct.tolist(), key=names.__getitem__), dtype=np.int32)
        place = np.empty(len(names), dtype=np.int32)
        place[by_id] = np.arange(by_id.size, dtype=np.int32)
        order = np.argsort(place[queries], kind="stable")
        table = {
            "query": queries[order],
            "second": np.concatenate([rows.second for rows in held])[order],
            **{name: np.concatenate([rows.numbers[name] for rows in held])[order] for name in held[0].numbers},
            "line": np.concatenate([rows.lines for rows in held])[order],
        }
        docs = _pa.concat_arrays([rows.docs for rows in held]).take(_pa.array(order))
        batch = _pa.record_batch([*map(_pa.array, table.values()), docs], names=[*table, "doc"])
        path = self.folder / str(len(self._sorted))
        with _ipc.new_file(str(path), batch.schema) as file:
            for start in range(0, batch.num_rows, BATCH):
                file.write_batch(batch.slice(start, BATCH))
        starts = np.searchsorted(place[table["query"]], np.arange(by_id.size + 1)).astype(np.int64)
        self._sorted.append((path, by_id, starts))

    def ranges(self, size: int) -> Iterator[tuple[list[str], IntArray, _Rows]]:
        """All lines, the queries in the order of their ids, some at a time.

        Args:
            size: Lines at a time, but for a query that has more.

        Yields:
            Ids of queries, the place of each in the file, and their lines, in the order of the file within a query;
            ``queries`` are numbered from 0.
        """
        names = list(self.queries.codes)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        sizes = np.zeros(order.size, dtype=np.int64)
        ranked: list[tuple[Any, IntArray, IntArray]] = []
        for path, by_id, starts in self._sorted:
            sizes[rank[by_id]] += np.diff(starts)
            ranked.append((_ipc.open_file(_pa.OSFile(str(path))), rank[by_id], starts))
        ends = np.cumsum(sizes)
        first = 0
        while first < order.size:
            before = int(ends[first - 1]) if first else 0
            behind = max(int(np.searchsorted(ends, before + size, side="right")), first + 1)
            slices = [_slice(file, ranks, starts, first, behind) for file, ranks, starts in ranked]
            table = _pa.Table.from_batches([batch for batches in slices for batch in batches])
            yield [names[i] for i in order[first:behind].tolist()], order[first:behind], _rows(table, rank, first)
            first = behind


def _slice(file: Any, ranks: IntArray, starts: IntArray, first: int, behind: int) -> list[Any]:
    """The lines of a range of queries in one piece."""
    low, high = (int(starts[np.searchsorted(ranks, query)]) for query in (first, behind))
    return [
        file.get_batch(i).slice(max(low - i * BATCH, 0), min(high, (i + 1) * BATCH) - max(low, i * BATCH))
        for i in range(low // BATCH, -(-high // BATCH))
    ]


def _rows(table: Any, rank: IntArray, first: int) -> _Rows:
    """Lines from several pieces, sorted by query; the pieces follow each other in the file."""
    columns = {name: numbers_of(table[name].chunks) for name in table.column_names if name != "doc"}
    queries = (rank[columns.pop("query")] - first).astype(np.int32)
    order = np.argsort(queries, kind="stable")
    docs = _pa.concat_arrays(table["doc"].chunks).take(_pa.array(order))
    numbers = {name: values[order] for name, values in columns.items()}
    return _Rows(queries[order], numbers.pop("second"), docs, numbers, numbers.pop("line"))


def _table(ids: list[str], rows: _Rows, second: str, names: Ids) -> Table:
    """The lines of a range as the readers of whole files have them."""
    columns = {
        "query": IdColumn(rows.queries, Ids.of(ids)),
        "doc": IdColumn(*encoded([text_ids(rows.docs)])),
        second: IdColumn(rows.second, names),
    }
    return Table(columns, rows.numbers, np.zeros(1, dtype=np.int64), [rows.lines])


# What the ranges become.


def _write_rankings(pieces: _Pieces, writer: Writer, notes: NoteBook, group: int, told: Told) -> About:
    tags = list(pieces.tags.codes)
    if len(tags) > 1:
        listed = ", ".join(shown(tag, 20) for tag in tags[:3]) + (", …" if len(tags) > 3 else "")
        notes.add(f"more than one run tag ({listed}): the first names the system", pieces.tag_lines[1])
    names = Ids.of(tuple(pieces.second.codes))
    n_tied, tied_lines, order_of_ranks = 0, list[int](), RankOrder()
    for ids, places, rows in pieces.ranges(group):
        table = _table(ids, rows, "sample", names)
        if writer.kind == "samples":
            part: Run | RankingSample = sample_of_table(table, notes, tag=tags[0], file_format="").value
        else:
            part, tied, line = _run(table, notes, tags[0])
            order_of_ranks.add(rows.queries, table.numbers["score"].astype(np.float64), table.numbers["rank"])
            n_tied += tied
            tied_lines += [line] if tied else []
        writer.write(part, places)
        told.wrote(rows.queries.size)
    if n_tied:
        notes.add(f"{count(n_tied)} tied scores: ordered by document id, descending (as trec_eval)", min(tied_lines))
    if writer.kind == "run":
        order_of_ranks.note(SCORES_DECIDE, notes)
    return _closed(writer, About(kind=writer.kind, name=tags[0], firsts=(), sizes=(), n_queries=0), notes)


def _run(table: Table, notes: NoteBook, tag: str) -> tuple[Run, int, int]:
    """A range of a run, how many of its scores are tied, and the line of the first of them; 0 where none are."""
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes.astype(np.int64), notes.file)
    note_identifiers(table, notes)
    scores = table.numbers["score"].astype(np.float64)
    order, n_tied = score_order(queries.codes, scores, docs.codes, docs.values)
    rows = np.arange(scores.size) if order is None else order
    run = Run(
        system=tag,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes, len(queries.values)),
        docs=docs.codes[rows],
        scores=scores[rows],
    )
    if not n_tied:
        return run, 0, 0
    tied = (queries.codes[rows][1:] == queries.codes[rows][:-1]) & (scores[rows][1:] == scores[rows][:-1])
    return run, n_tied, int(table.lines_of(np.minimum(rows[1:], rows[:-1])[tied]).min())


def _write_qrels(
    pieces: _Pieces, writer: Writer, notes: NoteBook, name: str, subtopics: bool | None, group: int, told: Told
) -> About:
    topics = tuple(pieces.second.codes)
    names, largest, by_subtopic = Ids.of(topics), 0, False
    positives = np.zeros(len(pieces.queries.codes), dtype=np.int64)
    for ids, places, rows in pieces.ranges(group):
        table = _table(ids, rows, "subtopic", names)
        keep, found = kept_judgements(table, notes, subtopics=subtopics)
        by_subtopic |= found
        note_identifiers(table, notes)
        part = _judged(table, keep, name)
        largest = max(largest, part.largest_grade)
        positives[places] = np.bincount(rows.queries[keep], rows.numbers["grade"][keep] > 0, minlength=places.size)
        writer.write(part, places)
        told.wrote(rows.queries.size)
    note_without_positives(tuple(pieces.queries.codes), positives, notes)
    about = About(kind="qrels", name=name, firsts=(), sizes=(), n_queries=0, largest_grade=largest)
    return _closed(writer, replace(about, subtopics=topics if by_subtopic else None), notes)


def _judged(table: Table, keep: np.ndarray[Any, np.dtype[np.bool_]], name: str) -> Qrels:
    """A range of judgements."""
    queries, docs, topics = table.ids["query"], table.ids["doc"], table.ids["subtopic"]
    return Qrels(
        name=name,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes[keep], len(queries.values)),
        docs=docs.codes[keep],
        grades=table.numbers["grade"].astype(np.int64)[keep],
        subtopics=topics.codes[keep],
        subtopic_ids=tuple(topics.values),
    )


def _closed(writer: Writer, about: About, notes: NoteBook) -> About:
    said = tuple((note.line, note.message) for note in notes.collected)
    whole = replace(
        about, firsts=tuple(writer.firsts), sizes=tuple(writer.sizes), n_queries=writer.n_queries, notes=said
    )
    writer.close(whole)
    return whole
