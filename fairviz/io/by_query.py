"""Rankings and judgements in Parquet, a row per query and the rows sorted by query: collections larger than memory.

What `fairviz convert` writes. A row holds the lists of one query (documents, best first, with their scores or grades),
so that a range of queries is read alone, as it is, and two files are joined range by range. Column `place` is where the
query stands in the file that was converted: results come in that order, and are those of that file to the last bit.
"""

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from fairviz.errors import InputError
from fairviz.io.arrow import numbers_of, text_array, text_ids
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.notes import Parsed
from fairviz.io.source import Source
from fairviz.io.trec import parse_tag
from fairviz.lookup import encoded, positions
from fairviz.model import IndexArray, IntArray, Note, Qrels, RankingSample, Run
from fairviz.model.ranges import Lists, of_queries

_pa: Any = pyarrow
_pq: Any = pyarrow.parquet
_compute: Any = pyarrow.compute

Kind: TypeAlias = Literal["run", "samples", "qrels"]

KEY = b"fairviz"
"""Under it the file says what it is, in JSON."""
VERSION = 1

_TEXTS = _pa.list_(_pa.string())
_COLUMNS: dict[Kind, list[tuple[str, Any]]] = {
    "run": [("documents", _TEXTS), ("scores", _pa.list_(_pa.float64()))],
    "samples": [("rankings", _pa.list_(_TEXTS))],
    "qrels": [("documents", _TEXTS), ("grades", _pa.list_(_pa.int64())), ("subtopics", _TEXTS)],
}
SCHEMAS: dict[Kind, Any] = {
    kind: _pa.schema([("query", _pa.string()), ("place", _pa.int64()), *columns]) for kind, columns in _COLUMNS.items()
}
"""Columns of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a file says of itself.

    Attributes:
        kind: What its rows are.
        name: Name of judgements, or the tag of a run.
        firsts: First query of each row group.
        sizes: Documents in each row group.
        n_queries: Queries in all.
        largest_grade: Of all judgements.
        subtopics: Their names, in order of first appearance; None where column 2 carries none.
        notes: What reading the original left to be known: lines and messages.
    """

    kind: Kind
    name: str
    firsts: tuple[str, ...]
    sizes: tuple[int, ...]
    n_queries: int
    largest_grade: int = 0
    subtopics: tuple[str, ...] | None = None
    notes: tuple[tuple[int | None, str], ...] = ()

    def written(self) -> bytes:
        """As JSON."""
        return json.dumps({"version": VERSION} | {name: getattr(self, name) for name in self.__slots__}).encode()

    @classmethod
    def read(cls, said: dict[str, Any]) -> "About":
        """From JSON."""
        said["notes"] = [(line, message) for line, message in said["notes"]]
        topics: list[str] | None = said.pop("subtopics")
        about = cls(**said, subtopics=None if topics is None else tuple(topics))
        return replace(about, firsts=tuple(about.firsts), sizes=tuple(about.sizes), notes=tuple(about.notes))


@dataclass(frozen=True)  # no slots: cached properties live in __dict__
class StoredLists:
    """A file of :mod:`fairviz.io.convert`, of which any range of queries can be read.

    Attributes:
        path: Where it is; every process that reads of it finds it there.
        about: What it says of itself.
    """

    path: str
    about: About

    def __getstate__(self) -> dict[str, object]:
        """What another process needs: it looks for the queries itself."""
        return {"path": self.path, "about": self.about}

    def notes(self, file: str) -> tuple[Note, ...]:
        """What reading the original left to be known."""
        return tuple(Note(file, line, message) for line, message in self.about.notes)

    @cached_property
    def queries(self) -> tuple[tuple[str, ...], IntArray]:
        """(Q) query ids, sorted, and the place of each in the original."""
        table = _columns(self.path, ["query", "place"])
        return tuple(table["query"].to_pylist()), numbers_of(table["place"].chunks)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """(Q) query ids in the order of the original."""
        ids, places = self.queries
        order: list[int] = np.argsort(places).tolist()
        return tuple(ids[i] for i in order)

    def part(self, low: str = "", high: str | None = None) -> Lists:
        """The lists of a range of queries, in the order of their ids.

        Args:
            low: First query.
            high: The query that follows the last; None = to the end.
        """
        firsts = self.about.firsts
        first = max(bisect_right(firsts, low) - 1, 0)
        behind = len(firsts) if high is None else bisect_left(firsts, high)
        pieces = [_between(self._row_group(i), low, high) for i in range(first, behind)]
        return self._noun(pieces or [SCHEMAS[self.about.kind].empty_table()])

    def whole(self) -> Lists:
        """All lists, in the order of the original: the noun that it was converted from."""
        lists = self._noun([self._row_group(i) for i in range(len(self.about.firsts))])
        return of_queries(lists, np.argsort(self.queries[1]).astype(np.int64))

    def _row_group(self, i: int) -> Any:
        with as_it_says(self.path):
            return _pq.ParquetFile(self.path).read_row_group(i, use_threads=False)

    def _noun(self, pieces: Sequence[Any]) -> Lists:
        """The noun that some rows are."""
        about = self.about
        query_ids: tuple[str, ...] = tuple(query for piece in pieces for query in piece["query"].to_pylist())
        if about.kind == "samples":
            rankings = [_flat(piece["rankings"]) for piece in pieces]
            query_offsets = _offsets([piece["rankings"] for piece in pieces])
            docs, doc_ids = encoded([text_ids(_flat(lists)) for lists in rankings])
            said = parse_tag(about.name)
            return RankingSample(
                system=said.system,
                policy=said.policy,
                alpha=said.alpha,
                scores=said.scores,
                offset=said.offset,
                query_ids=query_ids,
                doc_ids=doc_ids,
                query_offsets=query_offsets,
                sample_offsets=_offsets(rankings),
                docs=docs,
            )
        offsets = _offsets([piece["documents"] for piece in pieces])
        docs, doc_ids = encoded([text_ids(_flat(piece["documents"])) for piece in pieces])
        if about.kind == "run":
            scores = numbers_of([_flat(piece["scores"]) for piece in pieces])
            return Run(
                system=about.name, query_ids=query_ids, doc_ids=doc_ids, offsets=offsets, docs=docs, scores=scores
            )
        return Qrels(
            name=about.name,
            query_ids=query_ids,
            doc_ids=doc_ids,
            offsets=offsets,
            docs=docs,
            grades=numbers_of([_flat(piece["grades"]) for piece in pieces]),
            subtopics=self._subtopics(pieces),
            subtopic_ids=about.subtopics or (),
            largest_of_all=about.largest_grade,
        )

    def _subtopics(self, pieces: Sequence[Any]) -> IndexArray | None:
        if self.about.subtopics is None:
            return None
        codes, names = encoded([text_ids(_flat(piece["subtopics"])) for piece in pieces])
        return positions(names, self.about.subtopics).astype(np.int32)[codes]


def stored_lists(path: str | os.PathLike[str]) -> StoredLists | None:
    """The file, where it is one of ours; nothing but its last lines is read.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    found = said_in(path, KEY, VERSION)
    if found is None:
        return None
    with as_it_says(path):
        about = About.read(found.said)
        of_groups = (len(about.firsts), len(about.sizes), about.n_queries)
        if of_groups != (len(found.sizes), len(found.sizes), sum(found.sizes)):
            raise damaged(path)
        if set(SCHEMAS[about.kind].names) - found.columns:
            raise damaged(path)
    return StoredLists(str(path), about)


def rankings_in_memory(source: Source) -> Parsed[Run] | Parsed[RankingSample]:
    """A converted run, or samples, all of it.

    Raises:
        InputError: It is something else.
    """
    lists, notes = _in_memory(source)
    match lists:
        case Run():
            return Parsed(value=lists, file=source.name, format="converted run", notes=notes)
        case RankingSample():
            return Parsed(value=lists, file=source.name, format="converted multi-sample run", notes=notes)
        case Qrels():
            raise InputError("holds judgements, and rankings are wanted", file=source.name, fix="Give it as --qrels.")


def judgements_in_memory(source: Source, *, generator: str | None = None) -> Parsed[Qrels]:
    """Converted judgements, all of them.

    Raises:
        InputError: It is something else.
    """
    lists, notes = _in_memory(source)
    if not isinstance(lists, Qrels):
        raise InputError("holds rankings, and judgements are wanted", file=source.name, fix="Give it as RUN.")
    value = replace(lists, generator=generator)
    return Parsed(value=value, file=source.name, format="converted judgements", notes=notes)


def _in_memory(source: Source) -> tuple[Lists, tuple[Note, ...]]:
    stored = None if source.path is None else stored_lists(source.path)
    if stored is None:
        _refuse_outputs(source)
        fix = "Convert the original: fairviz convert FILE --output FILE.parquet."
        raise InputError("a Parquet file that fairviz convert did not write", file=source.name, fix=fix)
    return stored.whole(), stored.notes(source.name)


def _refuse_outputs(source: Source) -> None:
    from fairviz.io.by_output import stored_outputs  # which knows more nouns than this module

    if source.path is not None and stored_outputs(source.path):
        reason = "holds recorded outputs, and rankings or judgements are wanted"
        raise InputError(reason, file=source.name, fix="Give it as --outputs.")


class Writer:
    """Writes a file range by range.

    Args:
        to: An open file.
        kind: What its rows are.
    """

    def __init__(self, to: BinaryIO, kind: Kind) -> None:
        self.kind: Kind = kind
        self._schema = SCHEMAS[kind]
        self._writer = _pq.ParquetWriter(
            to,
            self._schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=["grades.list.element", "subtopics.list.element"],
            write_statistics=["query"],
        )
        self.firsts: list[str] = []
        self.sizes: list[int] = []
        self.n_queries = 0

    def write(self, part: Lists, places: IntArray) -> None:
        """Write a row group: queries sorted by id, behind all that were written.

        Args:
            part: Their lists.
            places: (Q) where each stands in the original.
        """
        self._writer.write_table(_pa.table([*_cells(part, places)], schema=self._schema))
        self.firsts.append(part.query_ids[0])
        self.sizes.append(int(part.docs.size))
        self.n_queries += len(part.query_ids)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()  # where it is closed already, nothing happens

    def close(self, about: About) -> None:
        """Write what the file says of itself, and end it."""
        self._writer.add_key_value_metadata({KEY: about.written()})
        self._writer.close()


def _between(table: Any, low: str, high: str | None) -> Any:
    inside = _compute.greater_equal(table["query"], low)
    if high is not None:
        inside = _compute.and_(inside, _compute.less(table["query"], high))
    return table.filter(inside)


def _columns(path: str, names: list[str]) -> Any:
    with as_it_says(path):
        return _pq.ParquetFile(path).read(names, use_threads=False)


def _flat(lists: Any) -> Any:
    """What the lists of a column hold, as one array."""
    flat = _compute.list_flatten(lists)
    return flat.combine_chunks() if isinstance(flat, _pa.ChunkedArray) else flat


def _offsets(columns: Sequence[Any]) -> IntArray:
    """Offsets of the lists of a column that is in pieces."""
    sizes = [_compute.list_value_length(column) for column in columns]
    chunks = [chunk for size in sizes for chunk in (size.chunks if isinstance(size, _pa.ChunkedArray) else [size])]
    return np.concatenate([[0], *([np.cumsum(numbers_of(chunks))] if chunks else [])]).astype(np.int64)


def _list_array(offsets: IntArray, values: Any) -> Any:
    return _pa.ListArray.from_arrays(_pa.array(offsets.astype(np.int32)), values)


def _cells(part: Lists, places: IntArray) -> list[Any]:
    """The columns of a table."""
    ids = [_pa.array(part.query_ids, _pa.string()), _pa.array(places)]
    documents = _texts(part.docs, part.doc_ids)
    if isinstance(part, RankingSample):
        return [*ids, _list_array(part.query_offsets, _list_array(part.sample_offsets, documents))]
    lists = _list_array(part.offsets, documents)
    if isinstance(part, Run):
        return [*ids, lists, _list_array(part.offsets, _pa.array(part.scores))]
    topics = np.zeros(part.docs.size, dtype=np.int32) if part.subtopics is None else part.subtopics
    subtopics = _list_array(part.offsets, _texts(topics, part.subtopic_ids or ("0",)))
    return [*ids, lists, _list_array(part.offsets, _pa.array(part.grades)), subtopics]


def _texts(codes: IndexArray, values: Sequence[str]) -> Any:
    """Identifiers spelled out: hardly one repeats within a range."""
    return _pa.DictionaryArray.from_arrays(_pa.array(codes), text_array(values)).dictionary_decode()
