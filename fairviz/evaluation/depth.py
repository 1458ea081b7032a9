"""How deep lists are read where systems are compared.

Candidates of expected exposure, AP and other measures of whole lists depend on how many documents a run keeps: the same
ranking 1,000 and 100 deep has another curve. The depth of a run is its longest list, since one short list says
something of its query and not of the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from fairviz.display.words import count, listing
from fairviz.errors import UsageError
from fairviz.model import Dataset, Factors, IntArray, Note, RagOutputs, RankingSample, Run

Depth: TypeAlias = int | Literal["common", "full"]
"""A number of documents; the smallest depth of the runs that are compared; or lists as they are."""


S = TypeVar("S", bound=Run | RankingSample | RagOutputs)


class AtDepth(NamedTuple, Generic[S]):
    """Systems whose lists are read to one depth.

    Attributes:
        systems: All that were given; runs cut where they were deeper, and samples with the run they were drawn from.
        words: What a caption says of it; empty where nothing was cut.
        notes: On each run that was cut.
    """

    systems: tuple[S, ...]
    words: str
    notes: tuple[Note, ...]


def at_depth(
    systems: Sequence[S], depth: Depth = "common", *, table: Mapping[str, Factors] | None = None
) -> AtDepth[S]:
    """Cut the lists of runs to one depth; recorded samples and outputs stay, which were shown as they are.

    Args:
        systems: What is compared.
        depth: "common": the smallest depth of the runs of a task that share a query; "full": none is cut.
        table: Name of a system -> what it is made of; nothing is compared across tasks.

    Raises:
        UsageError: The depth is below 1, or is to cut what ``fairviz convert`` wrote.
    """
    if isinstance(depth, int) and depth < 1:
        raise UsageError(f"depth {depth}: expected 1 or more, common or full")
    runs = [one for one in systems if type(one) is Run]  # of what convert wrote only the queries are known
    if isinstance(depth, int) and (stored := [one for one in systems if isinstance(one, Run) and type(one) is not Run]):
        raise UsageError(f"depth {depth}: {stored[0].system} is a converted file, which is not cut: give the original")
    tasks = [(table or {}).get(run.system, Factors()).task for run in runs]
    queries = [set(run.query_ids) for run in runs]
    known = list(map(depth_of, runs))
    cut: dict[int, Run] = {}
    depths: set[int] = set()
    notes: list[Note] = []
    for run, own, task, asked in zip(runs, known, tasks, queries, strict=True):
        met = (n for n, t, q in zip(known, tasks, queries, strict=True) if t == task and not q.isdisjoint(asked))
        to = min(met, default=own) if depth == "common" else own if depth == "full" else depth
        if to >= own:
            continue
        cut[id(run)] = first_items(run, to)
        depths.add(to)
        why = ", the common depth of the systems compared (--depth full: none)" if depth == "common" else ""
        notes.append(Note(run.system, None, f"lists of up to {count(own)} documents cut to {count(to)}{why}"))
    to = listing([count(n) for n in sorted(depths)])
    words = f"lists cut to {'their common' if depth == 'common' else 'a'} depth of {to}" if cut else ""

    def read(one: S) -> S:
        if isinstance(one, RankingSample):
            return replace(one, source=cut.get(id(one.source), one.source))
        return cast("S", cut.get(id(one), one))

    return AtDepth(tuple(map(read, systems)) if cut else tuple(systems), words, tuple(notes))


def at_common_depth(loaded: Dataset) -> tuple[Dataset, str]:
    """The data as systems are compared on pages and in reports, and words for it; itself where nothing was cut."""
    cut = at_depth(loaded.runs, table=loaded.systems)
    return (replace(loaded, runs=cut.systems) if cut.words else loaded), cut.words


def depth_of(ranked: Run | RankingSample) -> int:
    """Documents in the longest list."""
    offsets = ranked.offsets if isinstance(ranked, Run) else ranked.sample_offsets
    return int(np.diff(offsets).max(initial=0))


def first_items(run: Run, depth: int | IntArray) -> Run:
    """The first ``depth`` items of every query, or (Q) of each."""
    sizes = np.minimum(np.diff(run.offsets), depth)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    rows = np.repeat(run.offsets[:-1], sizes) + within
    return replace(run, offsets=offsets, docs=run.docs[rows], scores=run.scores[rows])
