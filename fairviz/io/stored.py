"""Runs that stay in their Parquet file: memory holds their queries, and the rows of a range while it is measured.

So is a run read whose rows would take more than half of the memory that there is, and whose rows of a query stand
together, as ``fairviz convert`` writes them. The reader of all tables reads the ranges, with its checks and notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl

from fairviz.io.columns import DOC, QUERY, SAMPLE, SCORE, SYSTEM, Columns, by_place
from fairviz.io.limits import MAX_TEXT
from fairviz.io.notes import NoteBook, Parsed
from fairviz.io.options import Options
from fairviz.io.rankings import rankings_of_columns
from fairviz.io.source import Source, is_parquet, readable_parquet
from fairviz.model import FloatArray, IndexArray, IntArray, Run, TieOrder
from fairviz.model.arrays import DocIds, check_distinct, segment_rows
from fairviz.system import memory

ROW_BYTES = 200
"""Memory that a row takes while all of a run is read and measured."""
RANGE = 1_000_000
"""Rows of a range at most, unless one query has more."""


class RunRange(NamedTuple):
    """Queries that stand one after the other in a stored run.

    Attributes:
        file: What the file is called in messages.
        path: Where it is.
        system: Name of the run.
        ties: What orders its tied documents.
        query_ids: The Q queries.
        start: The first row of the first of them.
        n_rows: Rows of all of them.
        most: (Q) rows of each that count, from its first on.
    """

    file: str
    path: Path
    system: str
    ties: TieOrder
    query_ids: tuple[str, ...]
    start: int
    n_rows: int
    most: IntArray

    def run(self, notes: NoteBook) -> Run:
        """The rows as a run of their own.

        Args:
            notes: Where repairs are noted, by their rows in the file.

        Raises:
            InputError: A row is none of a run, or a document stands twice for a query.
        """
        with readable_parquet(self.file):
            table = pl.scan_parquet(self.path).slice(self.start, self.n_rows).collect()
        rows = np.arange(self.start, self.start + self.n_rows)
        columns = Columns(table, notes, kind="Parquet", lines=rows)
        with by_place(self.file, "row {}".format):
            parsed = rankings_of_columns(columns, name=self.system, multi_sample=False, ties=self.ties)
        return first_items(cast("Run", parsed.value), self.most)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredRun(Run):
    """A run whose documents and scores stay in its file; whoever asks for those of all queries reads the whole.

    Attributes:
        source: The Parquet file.
        starts: (Q+1) the first row of each query in the file, and the first after the last.
    """

    doc_ids: DocIds = field(init=False)
    docs: IndexArray = field(init=False)
    scores: FloatArray = field(init=False)
    source: Source
    starts: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        check_distinct(self.query_ids, "query ids")

    def __getattr__(self, name: str) -> Any:
        """Documents and scores of all queries, once they are asked for."""
        if name not in ("doc_ids", "docs", "scores"):
            raise AttributeError(name)
        whole = self._range(0, len(self.query_ids)).run(NoteBook(self.source.name))
        for part in ("doc_ids", "docs", "scores"):
            object.__setattr__(self, part, getattr(whole, part))
        return getattr(whole, name)

    @property
    def ranges(self) -> list[RunRange]:
        """All queries, in ranges of at most :data:`RANGE` rows."""
        cuts = [0]
        while cuts[-1] < len(self.query_ids):
            end = int(self.starts[cuts[-1]]) + RANGE
            after = int(np.searchsorted(self.starts, end, side="right")) - 1
            cuts.append(max(after, cuts[-1] + 1))
        return [self._range(first, last) for first, last in pairwise(cuts)]

    def shows_any(self, doc_ids: Sequence[str]) -> bool:
        """Whether any of some documents is in the run."""
        scan = pl.scan_parquet(self._path)
        doc = Columns(pl.DataFrame(schema=scan.collect_schema()), NoteBook("")).need(DOC, "documents")
        any_of = pl.col(doc).cast(pl.String).is_in(pl.Series(doc_ids, dtype=pl.String).implode())
        return not scan.filter(any_of).head(1).collect().is_empty()

    @property
    def _path(self) -> Path:
        return cast("Path", self.source.path).resolve()  # a worker may stand in another folder

    def _range(self, first: int, last: int) -> RunRange:
        start, end = int(self.starts[first]), int(self.starts[last])
        most = np.diff(self.offsets[first : last + 1])
        queries = self.query_ids[first:last]
        return RunRange(self.source.name, self._path, self.system, self.ties, queries, start, end - start, most)


def first_items(run: Run, depth: int | IntArray) -> Run:
    """The first ``depth`` items of every query, or (Q) of each."""
    rows, offsets = segment_rows(run.offsets, most=depth)
    if isinstance(run, StoredRun):
        return replace(run, offsets=offsets)
    return replace(run, offsets=offsets, docs=run.docs[rows], scores=run.scores[rows])


def stored_run(source: Source, how: Options) -> Parsed[Run] | None:
    """A run that is better read range by range; None where a file is none, is small, or holds a query in two places.

    Args:
        source: The file.
        how: How it is read.

    Raises:
        InputError: The file is damaged.
    """
    if how.ranges == "none" or source.path is None or how.multi_sample or not is_parquet(source):
        return None
    with readable_parquet(source.name):
        scan = pl.scan_parquet(source.path)
        columns = Columns(pl.DataFrame(schema=scan.collect_schema()), NoteBook(source.name))
        query, system = columns.find(QUERY), columns.find(SYSTEM)
        if query is None or columns.find(SAMPLE) or not (columns.find(DOC) and columns.find(SCORE)):
            return None
        n_rows = scan.select(pl.len()).collect().item()
        if not n_rows or (how.ranges == "large" and n_rows * ROW_BYTES < min(memory() // 2, MAX_TEXT)):
            return None
        systems = scan.select(pl.col(system).unique()).collect() if system else pl.DataFrame([[source.stem]])
        parts = scan.select(query).collect_batches(chunk_size=RANGE, maintain_order=True)
        runs = pl.concat(part.select(pl.col(query).rle().struct.unnest()) for part in parts)
    lists = runs.group_by(pl.col("value").rle_id().alias("list"), maintain_order=True).agg(
        pl.col("value").first(), pl.col("len").sum()
    )
    again = lists["value"].null_count() or lists["value"].is_duplicated().any()
    if again or systems.height != 1:
        return None  # all of it is read, and refused with the row
    names = Columns(lists, NoteBook(source.name)).ids("value", "query id", opens_line=True).values
    starts = np.concatenate([[0], np.cumsum(lists["len"].to_numpy(), dtype=np.int64)])
    (tag,) = Columns(systems, NoteBook(source.name)).texts(systems.columns[0])
    run = StoredRun(system=tag, query_ids=tuple(names), offsets=starts, source=source, starts=starts, ties=how.ties)
    return Parsed(value=run, file=source.name, format="Parquet run" + (", ties by rank" if how.ties == "rank" else ""))
