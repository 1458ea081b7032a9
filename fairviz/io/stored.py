"""Files of any size as Parquet: written, and runs that stay in theirs while ranges of their queries are measured.

Polars sorts what memory need not hold. Rows of TREC's columns are split by query into parts that fit into memory, and
each part is sorted; queries come in the order in which they came first. Records and tables of answers keep their order.
Every reader reads what was written like the original.

A run stays in its file where its rows would take more than half of the memory that there is, and its rows of a query
stand together, as they are written here: memory holds its queries, and the rows of a range while it is measured. The
reader of all tables reads the ranges, with its checks and notes.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from fairviz.errors import InputError, OutputError, printable
from fairviz.io.columns import DOC, QUERY, SAMPLE, SCORE, SYSTEM, Columns
from fairviz.io.limits import MAX_TEXT
from fairviz.io.names import separator_in
from fairviz.io.notes import NoteBook, Parsed, by_row
from fairviz.io.parquet import batches_of, open_parquet, readable_parquet
from fairviz.io.rankings import rankings_of_columns
from fairviz.io.source import Options, Source
from fairviz.io.text import head_of
from fairviz.io.trec import parse_tag, trec_frames
from fairviz.io.whole import whole_file
from fairviz.model import FloatArray, IndexArray, IntArray, RankingSample, Run, TieOrder
from fairviz.model.arrays import DocIds, Ids, check_distinct, first_repeated, positions, segment_rows
from fairviz.numerals import count
from fairviz.system import memory

ROW_BYTES = 200
"""Memory that a row takes while all of a run is read and measured."""
RANGE = 1_000_000
"""Rows of a range at most, unless one query has more."""


class QueryRange(NamedTuple):
    """Queries of a stored run or of stored samples, in the order of the file.

    Attributes:
        file: What the file is called in messages.
        path: Where it is.
        system: Name of the system.
        query_ids: The Q queries.
        bounds: (Q, 2) the first row of each, and the first after it.
        ties: What orders tied documents of a run.
        most: (Q) rows of each that count, from its first on; None: all.
        source: What samples of these queries were drawn from.
    """

    file: str
    path: Path
    system: str
    query_ids: tuple[str, ...]
    bounds: IntArray
    ties: TieOrder = "id"
    most: IntArray | None = None
    source: "QueryRange | RankingSample | None" = None

    def lists(self, notes: NoteBook) -> Run | RankingSample:
        """The rows as a run, or as samples, of their own.

        Args:
            notes: Where repairs are noted, by their rows in the file.

        Raises:
            InputError: A row is none of a run, or a document stands twice in a list.
        """
        rows, _ = segment_rows(self.bounds.ravel(), 2 * np.arange(len(self.query_ids)))
        start, n_rows = int(rows[0]), int(rows[-1] - rows[0] + 1)
        with readable_parquet(self.file):
            scan = pl.scan_parquet(self.path).slice(start, n_rows)
            if rows.size < n_rows:  # queries of samples stand in another order than those of their run
                scan = scan.with_row_index(_ROW, start).filter(pl.col(_ROW).is_in(rows)).drop(_ROW)
            table = scan.collect(engine="streaming")
        columns = Columns(table, notes, kind="Parquet", lines=rows + 1)
        with by_row():
            lists = rankings_of_columns(columns, name=self.system, ties=self.ties).value
        if isinstance(lists, Run):
            return lists if self.most is None else first_items(lists, self.most)
        source = self.source.lists(NoteBook("")) if isinstance(self.source, QueryRange) else self.source
        return replace(lists, system=self.system, source=source)


_ROW = "\n"
"""A column of the rows' places, called as no column of a file is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stored:
    """What a run and samples have in common that stay in their file; whoever asks for all rows reads the whole.

    Attributes:
        system: Name of the system.
        query_ids: The Q queries.
        parquet: The file.
        starts: (Q+1) the first row of each query in the file, and the first after the last.
    """

    system: str
    query_ids: tuple[str, ...]
    parquet: Source
    starts: IntArray
    tag: str = ""
    READ: ClassVar[tuple[str, ...]] = ()
    """Attributes that are read together from all rows, once one is asked for."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        check_distinct(self.query_ids, "query ids")

    def __getattr__(self, name: str) -> Any:
        """Documents of all queries."""
        if name not in self.READ:
            raise AttributeError(name)
        whole = self.among(np.arange(len(self.query_ids))).lists(NoteBook(self.parquet.name))
        for part in self.READ:
            object.__setattr__(self, part, getattr(whole, part))
        return getattr(whole, name)

    def among(self, places: IntArray) -> QueryRange:
        """Some queries, by their places, which rise."""
        bounds = np.stack([self.starts[places], self.starts[places + 1]], axis=1)
        queries = tuple(self.query_ids[query] for query in places.tolist())
        return QueryRange(self.parquet.name, self._path, self.system, queries, bounds)

    @property
    def ranges(self) -> list[QueryRange]:
        """All queries, in ranges of at most :data:`RANGE` rows."""
        cuts = [0]
        while cuts[-1] < len(self.query_ids):
            end = int(self.starts[cuts[-1]]) + RANGE
            after = int(np.searchsorted(self.starts, end, side="right")) - 1
            cuts.append(max(after, cuts[-1] + 1))
        return [self.among(np.arange(first, last)) for first, last in pairwise(cuts)]

    def shows_any(self, doc_ids: Sequence[str]) -> bool:
        """Whether any of some documents is in any list."""
        any_of = pl.col(self._named(DOC)).cast(pl.String).is_in(pl.Series(doc_ids, dtype=pl.String).implode())
        return not pl.scan_parquet(self._path).filter(any_of).head(1).collect().is_empty()

    def _named(self, names: Sequence[str]) -> str:
        """What the file calls a column that it has."""
        schema = pl.scan_parquet(self._path).collect_schema()
        return Columns(pl.DataFrame(schema=schema), NoteBook("")).need(names, "")

    @property
    def _path(self) -> Path:
        return cast("Path", self.parquet.path).resolve()  # a worker may stand in another folder


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredRun(Stored, Run):
    """A run whose documents and scores stay in its file."""

    doc_ids: DocIds = field(init=False)
    docs: IndexArray = field(init=False)
    scores: FloatArray = field(init=False)
    READ: ClassVar[tuple[str, ...]] = ("doc_ids", "docs", "scores")

    def among(self, places: IntArray) -> QueryRange:
        """Some queries, of each the rows that count."""
        return Stored.among(self, places)._replace(ties=self.ties, most=np.diff(self.offsets)[places])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredSample(Stored, RankingSample):
    """Samples of rankings whose documents stay in their file."""

    doc_ids: DocIds = field(init=False)
    query_offsets: IntArray = field(init=False)
    sample_offsets: IntArray = field(init=False)
    docs: IndexArray = field(init=False)
    READ: ClassVar[tuple[str, ...]] = ("doc_ids", "query_offsets", "sample_offsets", "docs")

    @property
    def query_rows(self) -> IntArray:
        """(Q+1) rows of all samples of query q are ``query_rows[q]:query_rows[q+1]``."""
        return self.starts

    @property
    def n_shown(self) -> IntArray:
        """(Q) distinct documents that the samples of each query show."""
        query, doc = self._named(QUERY), self._named(DOC)
        scan, all_bounds = pl.scan_parquet(self._path), [each.bounds for each in self.ranges]
        parts = [scan.slice(bounds[0, 0], bounds[-1, 1] - bounds[0, 0]) for bounds in all_bounds]
        counted = (part.group_by(query, maintain_order=True).agg(pl.col(doc).n_unique()).collect() for part in parts)
        return pl.concat(counted)[doc].cast(pl.Int64).to_numpy()

    def among(self, places: IntArray) -> QueryRange:
        """Some queries, and what was drawn from in each."""
        part = Stored.among(self, places)
        source = None if self.source is None else _shown_for(self.source, part.query_ids)
        return part._replace(source=source)


def _shown_for(source: Run | RankingSample, query_ids: Sequence[str]) -> QueryRange | RankingSample | None:
    """All that lists show for some queries, one list for each; in their file where they are stored."""
    places = np.sort(positions(query_ids, source.query_ids))
    places = places[places >= 0]
    if not places.size:
        return None
    if isinstance(source, Stored):
        return source.among(places)
    rows, offsets = segment_rows(source.query_rows, places)
    shown, docs = np.unique(source.docs[rows], return_inverse=True)
    return RankingSample(
        system=source.system,
        query_ids=tuple(source.query_ids[query] for query in places.tolist()),
        doc_ids=Ids(Ids.of(source.doc_ids).column.gather(shown)),
        query_offsets=np.arange(places.size + 1),
        sample_offsets=offsets,
        docs=docs.astype(np.int32),
    )


def first_items(run: Run, depth: int | IntArray) -> Run:
    """The first ``depth`` items of every query, or (Q) of each."""
    rows, offsets = segment_rows(run.offsets, most=depth)
    if isinstance(run, StoredRun):
        return replace(run, offsets=offsets)
    return replace(run, offsets=offsets, docs=run.docs[rows], scores=run.scores[rows])


def stored_lists(source: Source, how: Options) -> Parsed[Run] | Parsed[RankingSample] | None:
    """A run, or samples, better read range by range; None where a file is none, is small, or has a query in two places.

    Args:
        source: The file.
        how: How it is read.

    Raises:
        InputError: The file is damaged.
    """
    if how.ranges == "none" or source.path is None or not source.is_parquet:
        return None
    with open_parquet(source) as scan:
        columns = Columns(pl.DataFrame(schema=scan.collect_schema()), NoteBook(source.name))
        query, system, sampled = (columns.find(names) for names in (QUERY, SYSTEM, SAMPLE))
        if query is None or not columns.find(DOC) or not (sampled or (columns.find(SCORE) and not how.multi_sample)):
            return None
        n_rows = scan.select(pl.len()).collect().item()
        if how.ranges == "large" and n_rows * ROW_BYTES < min(memory() // 2, MAX_TEXT):
            return None
        systems = scan.select(pl.col(system).unique()).collect() if system else pl.DataFrame([[source.stem]])
        parts = batches_of(scan.select(query), RANGE)
        runs = pl.concat(part.select(pl.col(query).rle().struct.unnest()) for part in parts)
    lists = runs.group_by(list=pl.col("value").rle_id(), maintain_order=True)
    lists = lists.agg(pl.col("value").first(), pl.col("len").sum())
    if systems.height != 1 or lists["value"].is_duplicated().any():
        return None  # all of it is read, and refused with the row
    try:
        names = Columns(lists, NoteBook(source.name)).ids("value", "query id", opens_line=True).values
    except InputError:
        return None
    starts = np.concatenate([[0], np.cumsum(lists["len"].to_numpy(), dtype=np.int64)])
    (tag,) = Columns(systems, NoteBook(source.name)).texts(systems.columns[0])
    rows: dict[str, Any] = {"query_ids": tuple(names), "parquet": source, "starts": starts}
    if sampled:
        samples = StoredSample(**parse_tag(tag), **rows)
        return Parsed(value=samples, file=source.name, format="Parquet multi-sample run")
    run = StoredRun(system=tag, offsets=starts, ties=how.ties, **rows)
    return Parsed(value=run, file=source.name, format="Parquet run" + (", ties by rank" if how.ties == "rank" else ""))


# Written.


PARTS = 16
"""Parts of about as many queries: of 100 million lines one needs about a gigabyte."""
ANY_SIZE = 2**63
"""Bytes of text that may be converted: no more than a part of it is in memory."""

RUN = {"query": "query_id", "sample": "sample", "doc": "doc_id", "rank": "rank", "score": "score", "tag": "system"}
QRELS = {"query": "query_id", "subtopic": "subtopic", "doc": "doc_id", "grade": "grade"}
"""TREC's columns, and what they are called in Parquet."""
_BY_SCORE = {"score": True}
_BY_RANK = {"sample": False, "rank": False}
"""What rows of a query are sorted by, and whether descending; equal ones stay in the order of the file."""


def convert_lists(source: Source, to: str, notes: NoteBook, *, judgements: bool, tell_apart: bool | None = None) -> str:
    """A run, samples of rankings, or judgements as Parquet, rows of a query together.

    Args:
        source: The file, plain or gzip'ed, its columns separated by any blanks.
        to: The file to write, whole or not at all.
        notes: Where repairs are noted.
        judgements: Whether it holds judgements.
        tell_apart: Whether column 2 names samples (subtopics); None: where a document repeats for a query.

    Returns:
        What was written, in words.

    Raises:
        InputError: A line is no row, or there is none.
        OutputError: ``to`` cannot be written.
    """
    names, second = (QRELS, "subtopic") if judgements else (RUN, "sample")
    with (
        whole_file(to) as result,
        TemporaryDirectory(prefix="fairviz-", ignore_cleanup_errors=True) as temporary,
        _written(to),
    ):
        folder = Path(temporary)
        lines = trec_frames(replace(source, most=ANY_SIZE), "qrels" if judgements else "run", tuple(names), notes)
        for number, frame in enumerate(lines):
            texts = frame.rename(names).cast({pl.Int32: pl.Float64})
            texts.write_parquet(folder / f"read{number:06}.parquet", compression="lz4")
        rows = pl.scan_parquet(folder / "read*.parquet").cast({"grade": pl.Int64} if judgements else {})
        order = rows.group_by("query_id").agg(pl.col("line").min()).sort("line").select("query_id").collect()
        rows = rows.drop("line").join(order.with_row_index("query").lazy(), on="query_id", maintain_order="left")
        part = (pl.col("query") * PARTS // len(order)).alias("part")
        split = pl.PartitionBy(folder / "split", key="part")
        rows.with_columns(part).sink_parquet(split, mkdir=True, compression="lz4")
        folders = sorted((folder / "split").iterdir(), key=lambda path: int(path.name.partition("=")[2]))
        parts = [pl.scan_parquet(path / "*.parquet") for path in folders]
        if tell_apart is None:
            tell_apart = any(first_repeated(chunk.select("query", "doc_id").collect()) is not None for chunk in parts)
        by: dict[str, bool] = {} if judgements else _BY_RANK if tell_apart else _BY_SCORE
        columns = [name for name in names.values() if tell_apart or name != second]
        falls = [False, *by.values()]
        ordered = [part.sort("query", *by, descending=falls, maintain_order=True).select(columns) for part in parts]

        def of_parts(*_: object) -> Iterator[pl.DataFrame]:
            return (part.collect() for part in ordered)

        # One part is in memory at a time, and is written as soon as it is sorted.
        register_io_source(of_parts, schema=ordered[0].collect_schema()).sink_parquet(result)
    n_rows = pl.scan_parquet(to).select(pl.len()).collect().item()
    what = "judgements" if judgements else "samples of rankings" if tell_apart else "a run"
    return f"{what}; queries: {count(len(order))}, rows: {count(n_rows)}"


def convert_records(source: Source, to: str) -> str:
    """Recorded outputs or answers, JSON Lines or a table with a header, as a Parquet file of the same rows.

    Args:
        source: The file, plain or gzip'ed.
        to: The file to write, whole or not at all.

    Returns:
        What was written, in words.

    Raises:
        InputError: The rows make no table, such as a column that holds texts here and lists there.
        OutputError: ``to`` cannot be written.
    """
    head = head_of(source).lstrip()
    if head[:1] == b"[":
        raise source.wrong("one JSON array, and rows are needed", "Write a JSON object per line.")
    with whole_file(to) as result:
        try:
            if head[:1] == b"{":
                pl.scan_ndjson(_opened(source), infer_schema_length=None).sink_parquet(result)
            else:
                mark = separator_in(head.split(b"\n", 1)[0].decode(errors="replace"))
                if mark == " ":
                    raise source.wrong("blanks stand between its cells", "Give it as it is: every command reads it.")
                pl.scan_csv(_opened(source), separator=mark, infer_schema=False).sink_parquet(result)
        except pl.exceptions.PolarsError as error:
            reason = f"the rows make no table: {printable(str(error).split(chr(10), 1)[0])}"
            raise source.wrong(reason, "Give it as it is: every command reads it.") from error
    return f"rows: {count(pl.scan_parquet(to).select(pl.len()).collect().item())}"


@contextmanager
def _written(to: str) -> Generator[None]:
    """What stops Polars while it writes, such as a full disk, as an error on the result."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = f"cannot be written: {printable(str(error).split(chr(10), 1)[0])}"
        raise OutputError(reason, file=to, fix="Free some space, in the folder for temporary files, too.") from error


def _opened(source: Source) -> Path | BytesIO:
    """What Polars scans: a file where it lies, or the bytes of a pipe."""
    return BytesIO(source.content) if source.path is None else source.path
