"""Rankings and judgements by ranges of queries, whether they are in memory or in a converted file.

A range is all queries from one id up to, and without, another one, in every file alike: so files are joined range by
range. Of a file that is not in memory the rest of the house sees an outline, which knows the queries and no documents.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from fairviz.errors import InputError
from fairviz.io.by_query import StoredLists
from fairviz.lookup import chosen, positions
from fairviz.model import IndexArray, IntArray, Qrels, RankingSample, Run
from fairviz.model.ids import Ids
from fairviz.model.ranges import Lists, of_queries

PART = 1_000_000
"""Documents in a range, of all files together."""
PARTS_PER_WORKER = 4
"""Ranges for each worker at least, so that the last to finish does not work alone for long."""


class Range(NamedTuple):
    """Queries from ``low`` up to ``high``, which is not among them; None = to the end."""

    low: str
    high: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunOutline(Run):
    """The queries of a converted run, with one place for the list of each; its documents are in the file."""

    stored: StoredLists


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleOutline(RankingSample):
    """The same of samples of rankings."""

    stored: StoredLists


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QrelsOutline(Qrels):
    """The same of judgements."""

    stored: StoredLists


OUTLINES = (RunOutline, SampleOutline, QrelsOutline)


def outline(stored: StoredLists) -> RunOutline | SampleOutline | QrelsOutline:
    """What is known of a converted file before its lists are read."""
    about, query_ids = stored.about, stored.query_ids
    n = len(query_ids)
    offsets, docs = np.arange(n + 1, dtype=np.int64), np.zeros(n, dtype=np.int32)
    if about.kind == "run":
        return RunOutline(
            system=about.name,
            query_ids=query_ids,
            doc_ids=("",),
            offsets=offsets,
            docs=docs,
            scores=np.zeros(n),
            stored=stored,
        )
    if about.kind == "qrels":
        return QrelsOutline(
            name=about.name,
            query_ids=query_ids,
            doc_ids=("",),
            offsets=offsets,
            docs=docs,
            grades=np.zeros(n, dtype=np.int64),
            largest_of_all=about.largest_grade,
            stored=stored,
        )
    empty = stored.part("", "")
    if not isinstance(empty, RankingSample):
        raise TypeError(f"{stored.path} changed while it was read")
    return SampleOutline(
        system=empty.system,
        policy=empty.policy,
        alpha=empty.alpha,
        scores=empty.scores,
        offset=empty.offset,
        query_ids=query_ids,
        doc_ids=("",),
        query_offsets=offsets,
        sample_offsets=offsets,
        docs=docs,
        stored=stored,
    )


@dataclass(frozen=True, slots=True)
class Slice:
    """A range of lists, as it is sent to whoever works on it: of a file in memory itself, else where to read it.

    Attributes:
        lists: In memory; of a file, its name alone.
        stored: The file.
        at: Which queries of the file.
        only: Those of them that count; None = all.
    """

    lists: Lists
    stored: StoredLists | None
    at: Range
    only: frozenset[str] | None = None

    def read(self) -> Lists:
        """The lists of the range, under the name of the system that they are a part of."""
        if self.stored is None:
            return self.lists
        part = self.stored.part(*self.at)
        if self.only is not None:
            kept = [i for i, query in enumerate(part.query_ids) if query in self.only]
            part = of_queries(part, np.array(kept, dtype=np.int64))
        return _named(part, self.lists)

    def rankings(self) -> Run | RankingSample:
        """The lists, which are rankings."""
        lists = self.read()
        if isinstance(lists, Qrels):
            raise TypeError("judgements are no rankings")
        return lists

    def judgements(self) -> Qrels:
        """The lists, which are judgements."""
        lists = self.read()
        if not isinstance(lists, Qrels):
            raise TypeError("rankings are no judgements")
        return lists


class Grained(Protocol):
    """A file that ranges are taken from."""

    @property
    def grains(self) -> Iterable[tuple[str, int]]:
        """First query, or item, and how many rows, of pieces that a range is made of."""
        ...


class Cuttable:
    """Lists that ranges are taken from.

    Args:
        lists: In memory, or an outline.
    """

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.stored = lists.stored if isinstance(lists, OUTLINES) else None
        # Of a file that counts whole the range is enough; of judgements of one task among several it is not.
        self._is_whole = self.stored is not None and len(lists.query_ids) == self.stored.about.n_queries
        self._order = [] if self._is_whole else sorted(range(len(lists.query_ids)), key=lists.query_ids.__getitem__)
        self._sorted = [lists.query_ids[q] for q in self._order]

    @property
    def grains(self) -> Iterable[tuple[str, int]]:
        """First query, and how many documents, of pieces that a range is made of."""
        if self.stored is not None:
            return zip(self.stored.about.firsts, self.stored.about.sizes, strict=True)
        sizes = _sizes(self.lists)
        return ((query, int(sizes[q])) for query, q in zip(self._sorted, self._order, strict=True))

    def at(self, asked: Range) -> Slice:
        """A range of them; of an outline nothing but its name is sent, and its queries where others are in the file."""
        first = bisect_left(self._sorted, asked.low)
        behind = len(self._sorted) if asked.high is None else bisect_left(self._sorted, asked.high)
        if self.stored is not None:
            only = None if self._is_whole else frozenset(self._sorted[first:behind])
            return Slice(_nothing_of(self.lists), self.stored, asked, only)
        chosen_queries = np.array(self._order[first:behind], dtype=np.int64)
        return Slice(compact(of_queries(_alone(self.lists), chosen_queries)), None, asked)


def ranges(files: Sequence[Grained], *, size: int = PART, at_least: int = 1) -> list[Range]:
    """Ranges of queries that together hold all of several files.

    Args:
        files: The files.
        size: Documents in a range, as near as the files can be cut.
        at_least: How many ranges there should be, where there are as many queries.
    """
    grains = sorted(grain for file in files for grain in file.grains)
    size = max(1, min(size, sum(n for _, n in grains) // at_least))
    lows, held = [grains[0][0] if grains else ""], 0
    for query, n in grains:
        if held >= size and query != lows[-1]:
            lows.append(query)
            held = 0
        held += n
    return [Range(low, high) for low, high in zip(lows, [*lows[1:], None], strict=True)]


def order_of(query_ids: tuple[str, ...], parts: Iterable[tuple[str, ...]], *, system: str) -> IntArray:
    """(Q) where each query of the whole stands among those of the ranges.

    Raises:
        InputError: The ranges have more or fewer of them.
    """
    got = tuple(query for ids in parts for query in ids)
    if len(got) != len(query_ids):
        raise InputError("changed while it was read", file=system, fix="Convert it again.")
    return positions(query_ids, got)


def compact(lists: Lists) -> Lists:
    """The same lists with the ids of their own documents only."""
    used, codes = np.unique(lists.docs, return_inverse=True)
    docs: IndexArray = codes.astype(np.int32).reshape(lists.docs.shape)
    return replace(lists, doc_ids=chosen(Ids.of(lists.doc_ids), used.astype(np.int64)), docs=docs)


def _alone(lists: Lists) -> Lists:
    """Samples without the run that they were drawn from, which is sent by itself."""
    return replace(lists, source=None) if isinstance(lists, RankingSample) else lists


def _nothing_of(lists: Lists) -> Lists:
    """The name and tag of an outline, without its queries."""
    return of_queries(_alone(lists), np.empty(0, dtype=np.int64))


def _named(part: Lists, whole: Lists) -> Lists:
    if isinstance(part, Qrels) and isinstance(whole, Qrels):
        return replace(part, name=whole.name, generator=whole.generator)
    if isinstance(part, Run) and isinstance(whole, Run):
        return replace(part, system=whole.system, tag=whole.tag)
    if isinstance(part, RankingSample) and isinstance(whole, RankingSample):
        return replace(part, system=whole.system, tag=whole.tag, policy=whole.policy, alpha=whole.alpha)
    raise TypeError("a file changed while it was read")


def _sizes(lists: Lists) -> IntArray:
    """(Q) documents of each query."""
    if isinstance(lists, RankingSample):
        return np.diff(lists.sample_offsets[lists.query_offsets])
    return np.diff(lists.offsets)
