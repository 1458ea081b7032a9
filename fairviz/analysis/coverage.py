"""Which queries a system and its judgements share, and what a reader should know of the rest."""

from collections.abc import Sequence

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import FloatArray, Note, Pools, Qrels, RankingSample, Run


def judgements_for(qrels: Sequence[Qrels]) -> Qrels:
    """The judgements that rankings are measured against: people's, else the only ones.

    Raises:
        UsageError: If there are none, or only several generators' own.
    """
    peoples = [labels for labels in qrels if labels.generator is None]
    if len(peoples) == 1 or len(qrels) == 1:
        return (peoples or list(qrels))[0]
    if not qrels:
        raise UsageError("measures of rankings need judgements: give --qrels FILE")
    raise UsageError("several judgements: give one --qrels FILE without GENERATOR= for rankings")


def query_notes(ranked: Run | RankingSample, qrels: Qrels) -> list[Note]:
    """Judged queries that were not ranked, and ranked ones that were not judged."""
    found, judged = _ranked_queries(ranked), set(qrels.query_ids)
    missing = [query for query in qrels.query_ids if query not in found]
    unjudged = [query for query in found if query not in judged]
    notes: list[Note] = []
    if missing:
        told = f"{named(missing)} judged but not ranked: no value in measures of exposure"
        notes.append(Note(ranked.system, None, told))
    if unjudged:
        told = f"{named(unjudged)} ranked but not judged: left out"
        notes.append(Note(ranked.system, None, told))
    return notes


def short_notes(ranked: Run | RankingSample, pools: Pools, cutoff: int | None) -> list[Note]:
    """Rankings that leave attention unused: shorter than min(k, n), without k than n."""
    wanted = pools.sizes if cutoff is None else np.minimum(pools.sizes, cutoff)
    short = (pools.n_retrieved > 0) & (_shortest_lists(ranked, pools) < wanted)
    n = int(short.sum())
    if n == 0:
        return []
    length = "the pool" if cutoff is None else f"min(k, n) at k = {cutoff}"
    told = f"{n} {queries(n)} ranked shorter than {length}: exposure stays unused and values may lie outside [0, 1]"
    return [Note(ranked.system, None, told)]


def named(query_ids: Sequence[str], limit: int = 3) -> str:
    """How many queries, and the first of them.

    Examples:
        >>> named(["q1", "q2", "q3", "q4"])
        '4 queries (q1, q2, q3, …)'
    """
    n = len(query_ids)
    shown = [*query_ids[:limit], "…"] if n > limit else query_ids
    return f"{n} {queries(n)} ({', '.join(shown)})"


def queries(n: int) -> str:
    """The noun in its number."""
    return "query" if n == 1 else "queries"


def _ranked_queries(ranked: Run | RankingSample) -> dict[str, None]:
    """Queries with at least one ranked item, in their order."""
    one_each = isinstance(ranked, Run)
    ends = ranked.offsets if one_each else ranked.sample_offsets[ranked.query_offsets]
    sizes: list[int] = np.diff(ends).tolist()
    return {query: None for query, n in zip(ranked.query_ids, sizes, strict=True) if n}


def _shortest_lists(ranked: Run | RankingSample, pools: Pools) -> FloatArray:
    """(Q) items in the shortest ranking of each query of the pools; 0 where there is none."""
    if isinstance(ranked, Run):
        return pools.n_retrieved.astype(np.float64)
    lengths = np.diff(ranked.sample_offsets)
    shortest = {
        query: float(lengths[start:end].min(initial=np.iinfo(np.int64).max))
        for query, start, end in zip(
            ranked.query_ids,
            ranked.query_offsets[:-1].tolist(),
            ranked.query_offsets[1:].tolist(),
            strict=True,
        )
    }
    return np.array([shortest.get(query, 0.0) for query in pools.query_ids])
