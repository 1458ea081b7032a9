"""From TREC's columns to :mod:`fairviz.io.by_query`, sorted by query, however large the file.

Lines are sorted by query in pieces beside the result (:mod:`fairviz.io.sorted_pieces`). The result takes its
name at the end; the pieces of a writer that was killed are cleared away by the next.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.arrow import IdColumn, text_array, text_ids
from fairviz.io.by_query import About, Writer
from fairviz.io.door import reader
from fairviz.io.ids import offsets_of, score_order
from fairviz.io.notes import NoteBook, shown
from fairviz.io.plain import Stretches
from fairviz.io.qrels import TREC_QRELS, kept_judgements, note_without_positives
from fairviz.io.rankings import TREC_RUN, is_fairtrec
from fairviz.io.sorted_pieces import Names, SortedPieces, folder_beside
from fairviz.io.source import FileInput, Source, as_source
from fairviz.io.text import head_of
from fairviz.io.trec import SCORES_DECIDE, RankOrder, note_identifiers, refuse_repeated_documents, sample_of_table
from fairviz.io.trec_table import Layout, Part, Table, read_parts
from fairviz.io.whole import whole_file
from fairviz.lookup import encoded
from fairviz.model import IndexArray, IntArray, Note, Qrels, RankingSample, Run
from fairviz.model.ids import Ids

_NUMBERS = {"rank": np.float64, "score": np.float64, "grade": np.int64}
"""How numbers are held: a rank that is none is NaN, and a block without any has whole ones."""

ANY_SIZE = 2**62
PIECE = 2_000_000
"""Lines that are sorted at a time."""
GROUP = 250_000
"""Documents in a row group, the least that is read of a file: a query more or less."""


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
    with whole_file(to) as result, folder_beside(to) as folder:
        pieces = _Pieces(TREC_QRELS if judgements else TREC_RUN, SortedPieces(folder, piece))
        with closing(read_parts(source, pieces.layout, notes)) as parts:
            for part in parts:
                pieces.add(part)
        if not pieces.rows.n_rows:
            raise InputError("no data lines", file=source.name, fix="The file holds blanks or comments only.")
        told.sorting(pieces.rows.n_rows)
        several = pieces.several if multi_sample is None else multi_sample
        with Writer(result, "qrels" if judgements else "samples" if several else "run") as writer:
            if judgements:
                about = _write_qrels(pieces, writer, notes, source.stem, subtopics, group, told)
            else:
                about = _write_rankings(pieces, writer, notes, group, told)
    return Converted(about, notes.collected)


# The pieces.


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
        layout: Of the file.
        rows: The lines, sorted by query.
    """

    layout: Layout
    rows: SortedPieces
    several: bool = False
    second: Names = field(default_factory=Names)
    tags: Names = field(default_factory=Names)
    tag_lines: list[int] = field(default_factory=list[int])
    _first_second: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    def add(self, part: Part) -> None:
        """Take the lines of a part."""
        ids = part.ids
        lines = part.lines
        if isinstance(lines, int):
            lines = np.arange(lines, lines + part.n_rows, dtype=np.int64)
        second = "subtopic" if "subtopic" in ids else "sample"
        queries, docs = ids["query"], ids["doc"]
        numbered, numbers = self.second.numbered(ids[second]), part.numbers
        of = self.rows.ids.numbered(queries)
        if "tag" in ids:
            self._add_tags(ids["tag"], lines)
        self._look_for_samples(of, numbered)
        held = {name: values.astype(_NUMBERS[name]) for name, values in numbers.items()}
        self.rows.add(of, {"second": numbered, **held, "line": lines, "doc": text_array(docs.ids)})

    def _add_tags(self, column: Stretches, lines: IntArray) -> None:
        known = len(self.tags.codes)
        codes = self.tags.numbered(column)
        self.tag_lines += [int(lines[np.argmax(codes == code)]) for code in range(known, len(self.tags.codes))]

    def _look_for_samples(self, queries: IndexArray, second: IndexArray) -> None:
        """Whether a query has more than one value in column 2, so far."""
        n_new = len(self.rows.ids.codes) - self._first_second.size
        self._first_second = np.concatenate([self._first_second, np.full(n_new, -1, dtype=np.int32)])
        new = np.flatnonzero(self._first_second[queries] < 0)[::-1]
        self._first_second[queries[new]] = second[new]  # the last assignment, the first row, stays
        self.several |= bool((self._first_second[queries] != second).any())

    def ranges(self, size: int) -> Iterator[tuple[list[str], IntArray, _Rows]]:
        """All lines, some queries at a time: their ids, the place of each in the file, and their lines."""
        for one in self.rows.ranges(size):
            numbers = dict(one.columns)
            second, docs, lines = numbers.pop("second"), numbers.pop("doc"), numbers.pop("line")
            yield one.ids, one.places, _Rows(one.of, second, docs, numbers, lines)


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
    return writer.close(tags[0], notes.collected)


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
    positives = np.zeros(len(pieces.rows.ids.codes), dtype=np.int64)
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
    note_without_positives(tuple(pieces.rows.ids.codes), positives, notes)
    return writer.close(name, notes.collected, largest_grade=largest, subtopics=topics if by_subtopic else None)


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
