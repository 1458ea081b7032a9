"""Rankings and judgements in Parquet, a row per query and the rows sorted by query: collections larger than memory.

What `fairviz convert` writes. A row holds the lists of one query (documents, best first, with their scores or grades),
so that a range of queries is read alone, as it is, and two files are joined range by range. Column `place` is where the
query stands in the file that was converted: results come in that order, and are those of that file to the last bit.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
import pyarrow

from fairviz.errors import InputError
from fairviz.io.arrow import numbers_of, text_ids
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.notes import Parsed
from fairviz.io.row_groups import TEXTS, GroupWriter, flat, lists, offsets_in, read_between, read_groups, texts
from fairviz.io.source import Source
from fairviz.io.trec import parse_tag
from fairviz.lookup import encoded, positions
from fairviz.model import IndexArray, IntArray, Note, Qrels, RankingSample, Run
from fairviz.model.ranges import Lists, of_queries

_pa: Any = pyarrow

Kind: TypeAlias = Literal["run", "samples", "qrels"]

KEY = b"fairviz"
"""Under it the file says what it is, in JSON."""
VERSION = 1

_COLUMNS: dict[Kind, list[tuple[str, Any]]] = {
    "run": [("documents", TEXTS), ("scores", _pa.list_(_pa.float64()))],
    "samples": [("rankings", _pa.list_(TEXTS))],
    "qrels": [("documents", TEXTS), ("grades", _pa.list_(_pa.int64())), ("subtopics", TEXTS)],
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
        table = read_groups(self.path, range(len(self.about.firsts)), ["query", "place"])
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
        with as_it_says(self.path):
            return self._noun(read_between(self.path, "query", self.about.firsts, low, high))

    def whole(self) -> Lists:
        """All lists, in the order of the original: the noun that it was converted from."""
        with as_it_says(self.path):
            by_id = self._noun(read_groups(self.path, range(len(self.about.firsts))))
            return of_queries(by_id, np.argsort(self.queries[1]).astype(np.int64))

    def _noun(self, table: Any) -> Lists:
        """The noun that some rows are."""
        about = self.about
        query_ids: tuple[str, ...] = tuple(table["query"].to_pylist())
        if about.kind == "samples":
            rankings = flat(table["rankings"].chunks)
            docs, doc_ids = encoded([text_ids(piece) for piece in flat(rankings)])
            said = parse_tag(about.name)
            return RankingSample(
                system=said.system,
                policy=said.policy,
                alpha=said.alpha,
                scores=said.scores,
                offset=said.offset,
                query_ids=query_ids,
                doc_ids=doc_ids,
                query_offsets=offsets_in(table["rankings"].chunks),
                sample_offsets=offsets_in(rankings),
                docs=docs,
            )
        offsets = offsets_in(table["documents"].chunks)
        docs, doc_ids = encoded([text_ids(piece) for piece in flat(table["documents"].chunks)])
        if about.kind == "run":
            scores = numbers_of(flat(table["scores"].chunks))
            return Run(
                system=about.name, query_ids=query_ids, doc_ids=doc_ids, offsets=offsets, docs=docs, scores=scores
            )
        return Qrels(
            name=about.name,
            query_ids=query_ids,
            doc_ids=doc_ids,
            offsets=offsets,
            docs=docs,
            grades=numbers_of(flat(table["grades"].chunks)),
            subtopics=self._subtopics(table),
            subtopic_ids=about.subtopics or (),
            largest_of_all=about.largest_grade,
        )

    def _subtopics(self, table: Any) -> IndexArray | None:
        if self.about.subtopics is None:
            return None
        codes, names = encoded([text_ids(piece) for piece in flat(table["subtopics"].chunks)])
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
        about = About(**found.said)
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
            raise InputError("holds judgements, and rankings are wanted", file=source.name, fix="Give it as qrels.")


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
        raise InputError(reason, file=source.name, fix="Give it as recorded outputs.")


class Writer(GroupWriter):
    """Writes a file range by range.

    Args:
        to: An open file.
        kind: What its rows are.
    """

    def __init__(self, to: BinaryIO, kind: Kind) -> None:
        repeated = ["grades.list.element", "subtopics.list.element"]
        super().__init__(to, SCHEMAS[kind], use_dictionary=repeated, write_statistics=["query"])
        self.kind: Kind = kind
        self._firsts: list[str] = []
        self._n_documents: list[int] = []

    def write(self, part: Lists, places: IntArray) -> None:
        """Write a row group: queries sorted by id, behind all that were written.

        Args:
            part: Their lists.
            places: (Q) where each stands in the original.
        """
        self._add([_pa.array(part.query_ids, _pa.string()), _pa.array(places), *_cells(part)])
        self._firsts.append(part.query_ids[0])
        self._n_documents.append(int(part.docs.size))

    def close(self, name: str, notes: Sequence[Note], **known: Any) -> About:
        """Write what the file says of itself, and end it.

        Args:
            name: Of judgements, or the tag of a run.
            notes: What reading the original left to be known.
            known: What else is known of it, by the names of :class:`About`.
        """
        about = About(
            kind=self.kind,
            name=name,
            firsts=tuple(self._firsts),
            sizes=tuple(self._n_documents),
            n_queries=sum(self.sizes),
            notes=tuple((note.line, note.message) for note in notes),
            **known,
        )
        self._end(KEY, VERSION, asdict(about))
        return about


def _cells(part: Lists) -> list[Any]:
    """The columns of a table, but for queries and their places."""
    documents = texts(part.docs, part.doc_ids)
    if isinstance(part, RankingSample):
        return [lists(part.query_offsets, lists(part.sample_offsets, documents))]
    if isinstance(part, Run):
        return [lists(part.offsets, documents), lists(part.offsets, _pa.array(part.scores))]
    topics = np.zeros(part.docs.size, dtype=np.int32) if part.subtopics is None else part.subtopics
    subtopics = texts(topics, part.subtopic_ids or ("0",))
    return [lists(part.offsets, column) for column in (documents, _pa.array(part.grades), subtopics)]
