"""Stored runs and samples, measured range by range: what ranges come to is joined to what the whole would.

A range is a run, or are samples, of its own with the judgements of its queries. A query's values, the candidates on
which they are scaled, and its part of a mean over queries depend on no other query; counts of notes add up. Threads of
this process work on ranges, or the workers of a Dask cluster, which see the file under its name: who does, and in which
order, changes nothing.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial, reduce
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.systems import judging_some
from fairviz.extras import optional
from fairviz.io.notes import NoteBook, in_rows
from fairviz.io.stored import QueryRange, Stored
from fairviz.kernels.compiled import in_order
from fairviz.metrics.group_exposure import OfMeans
from fairviz.model import Curve, FloatArray, Note, Qrels, Scores, SystemScore
from fairviz.model.arrays import positions
from fairviz.model.results import Flags
from fairviz.steps import expect, step

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Measured(NamedTuple, Generic[R_co]):
    """What a run, or a range of a stored run, comes to.

    Attributes:
        value: What was computed.
        book: What was noted of the queries.
        read: What the reader of ranges repaired.
    """

    value: R_co
    book: NoteBook
    read: tuple[Note, ...] = ()


RangePart: TypeAlias = tuple[QueryRange, Qrels | None]
"""A range and the judgements of its queries; of those that the run lacks, too, in the first range."""


# Who works on ranges.

PATIENCE = 10
"""Seconds until a cluster has answered."""
_CLUSTER: ContextVar[Any] = ContextVar("cluster", default=None)


@contextmanager
def on_cluster(address: str | None) -> Generator[None]:
    """Have the ranges that are mapped in the block worked on by a Dask cluster; by this process without an address.

    Args:
        address: Of its scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises:
        UsageError: Dask is not installed, or nobody answers there.
    """
    if address is None:
        yield
        return
    dask = optional("distributed", extra="scale", component="--dask")
    try:
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--dask {address}: no scheduler of Dask answers there: start one, or mend the address"
        ) from error
    with client:
        token = _CLUSTER.set(client)
        try:
            yield
        finally:
            _CLUSTER.reset(token)


def mapped(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """What each item comes to, in their order; work that a lost worker of a cluster had begun is done by another.

    Args:
        work: Called with each item, perhaps twice; it changes nothing.
        items: What to work on.
    """
    cluster = _CLUSTER.get()
    if cluster is None:
        yield from in_order(work, items)
        return
    for future in cluster.map(work, items, pure=False):
        yield future.result()


def by_range(run: Stored, qrels: Qrels | None, work: Callable[[Any, Qrels | None], Measured[R]]) -> Measured[list[R]]:
    """What each range of a stored run, or of stored samples, comes to, the notes on them added up.

    Args:
        run: The run or the samples.
        qrels: Their judgements.
        work: Called with the run, or the samples, and the judgements of each range.

    Raises:
        InputError: A row is none of a ranking, or the file changed meanwhile.
    """
    parts = _parts(run, qrels)
    values: list[R] = []
    book, read = NoteBook(run.system), NoteBook(run.parquet.name)
    expect(len(parts))
    with run.parquet.stored():
        for measured, notes in mapped(partial(_worked, work), parts):
            values.append(measured.value)
            book.add_all(measured.book)
            read.add_all(notes)
            step()
    return Measured(values, book, in_rows(read.parsed(run, "")).notes)


def _worked(work: Callable[[Any, Qrels | None], Measured[R]], part: RangePart) -> tuple[Measured[R], NoteBook]:
    rows, qrels = part
    notes = NoteBook(rows.file)
    return work(rows.lists(notes), qrels), notes


def _parts(run: Stored, qrels: Qrels | None) -> list[RangePart]:
    ranges = run.ranges
    if qrels is None:
        return [(rows, None) for rows in ranges]
    ends = np.cumsum([len(rows.query_ids) for rows in ranges])
    at = np.searchsorted(ends, positions(qrels.query_ids, run.query_ids), side="right")  # -1, not ranked: the first
    return [(rows, judging_some(qrels, np.flatnonzero(at == i))) for i, rows in enumerate(ranges)]


# What ranges come to, joined.


def joined_curves(parts: Iterable[Sequence[Curve]], wanted: tuple[str, ...]) -> list[Curve]:
    """The curves of a run from those of its ranges, in the order of policies and of the queries that are wanted."""
    curves: list[Curve] = []
    for same in zip(*parts, strict=True):
        order = positions(wanted, tuple(query for curve in same for query in curve.query_ids))
        values = {
            axis: np.concatenate([getattr(curve, axis) for curve in same], axis=1)[:, order]
            for axis in ("disparity", "quality", "score")
        }
        curves.append(replace(same[0], query_ids=wanted, **values))
    return curves


def joined_scores(scores: Sequence[Scores | SystemScore], wanted: tuple[str, ...], file: str) -> Scores | SystemScore:
    """The score of a run, or of samples, from those of its ranges under one measure.

    Args:
        scores: Of each range.
        wanted: Queries of the whole, in their order.
        file: That they were read from.

    Raises:
        UsageError: The measure has one value of the whole system, which is no function of means over queries.
    """
    order = positions(wanted, tuple(query for score in scores for query in score.query_ids))
    flags = reduce(_joined_flags, (score.flags for score in scores))
    per_query = [score for score in scores if isinstance(score, Scores)]
    of_system = [score for score in scores if isinstance(score, SystemScore)]
    if of_system:
        of_means = [score.statistic for score in of_system if isinstance(score.statistic, OfMeans)]
        if len(of_means) < len(scores):
            raise UsageError(
                f"{scores[0].measure}: one value over all items, and {file} is read range by range: "
                "measure its queries (over='query'), or a part of it that fits into memory"
            )
        whole = replace(of_means[0], parts=np.concatenate([each.parts for each in of_means])[order])
        joined = replace(of_system[0], query_ids=wanted, defined=whole.defined, statistic=whole, flags=flags)
        if not np.isnan(joined.value):
            flags.pop("undefined", None)
        return joined
    values = np.concatenate([score.values for score in per_query])[order]
    ranked = np.concatenate([score.ranked for score in per_query])[order]
    bands = [np.tile(score.values, (2, 1)) if score.tied is None else score.tied for score in per_query]
    tied: FloatArray | None = None
    if any(score.tied is not None for score in per_query):
        tied = np.concatenate(bands, axis=1)[:, order]
    if not np.isnan(values).all():
        flags.pop("undefined", None)
    unranked = None if ranked.all() else ~ranked
    return replace(per_query[0], query_ids=wanted, values=values, unranked=unranked, tied=tied, flags=flags)


def _joined_flags(first: Flags, second: Flags) -> Flags:
    """Counts of both; a reason that they do not share is none of the whole."""
    both: Flags = {}
    for name in dict.fromkeys((*first, *second)):
        flag, other = first.get(name, 0), second.get(name, 0)
        if isinstance(flag, str) or isinstance(other, str):
            both[name] = flag if flag == other else "no query has a value"
        else:
            both[name] = flag + other
    return both
