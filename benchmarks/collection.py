"""Runs with as many ids as a real collection has, measured by the whole command, beside ir_measures'."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.measuring import Child, Goal, Row, child

N_DOCS = 8_841_823
"""Passages of MS MARCO, whose ids are their numbers; its query ids lie below N_QUERY_IDS."""
N_QUERY_IDS = 1_100_000
USEFUL = 3
"""Judged documents of a query, of which one was not retrieved."""
REPEATS = 3


class Size(NamedTuple):
    """A run, what is measured of it, and what is asked for.

    Attributes:
        n_queries, depth: Lines are their product.
        measures: Of ours; the peer computes nDCG@10 and AP.
        ratio: To the peer's processor time, where it is asked at all.
        seconds: On the wall.
        memory: Bytes at most.
    """

    n_queries: int
    depth: int
    measures: str
    ratio: Goal | None = None
    seconds: Goal | None = None
    memory: Goal | None = None


SIZES = (
    Size(20_000, 75, "nDCG@10, AP, EED@5", ratio=Goal(0.7), memory=Goal(0.6)),
    Size(7_000, 1_000, "nDCG@10, AP", ratio=Goal(0.7)),
    Size(10_000, 1_000, "nDCG@10, AP, EED@5", seconds=Goal(6), memory=Goal(2)),
)


def rows(*, small: bool) -> Iterator[Row]:
    """Time beside the peer's, on the wall, and memory, size by size."""
    for size in SIZES:
        n_queries = 20 if small else size.n_queries
        with TemporaryDirectory() as folder:
            place = Path(folder)
            run, judged = _written(place, n_queries, size.depth)
            ours = [sys.executable, "-m", "fairviz", "evaluate", str(run), "--qrels", str(judged), "-m", size.measures]
            peers = [sys.executable, "-m", "ir_measures", str(judged), str(run), "nDCG@10", "AP"]
            turns = range(1 if small else REPEATS)
            found = [(child(ours, folder=place), child(peers, folder=place) if size.ratio else None) for _ in turns]
        yield from _figures(f"{n_queries * size.depth:,} lines, {size.measures}", size, found)


def _figures(what: str, size: Size, found: Sequence[tuple[Child, Child | None]]) -> Iterator[Row]:
    busy = median(ours.busy for ours, _ in found)
    peers = [(ours.busy / peer.busy, peer.busy) for ours, peer in found if peer]
    if peers:
        yield Row(
            what=f"{what}, whole command / ir_measures of nDCG@10 and AP",
            value=median(ratio for ratio, _ in peers),
            unit="×",
            goal=size.ratio,
            note=f"processor time: {busy:.2g} s / {median(peer for _, peer in peers):.2g} s; with intervals",
        )
    else:
        seconds, note = median(ours.seconds for ours, _ in found), f"{busy:.2g} s of processor time"
        yield Row(what=f"{what}, whole command", value=seconds, unit="s", goal=size.seconds, note=note)
    yield Row(what="its peak memory", value=max(o.peak for o, _ in found) / 1e9, unit="GB", goal=size.memory)


def _written(place: Path, n_queries: int, depth: int) -> tuple[Path, Path]:
    """A run and judgements whose documents are drawn from the whole collection, query by query."""
    rng = np.random.default_rng(0)
    run, judged = place / "collection.run", place / "collection.qrels"
    with run.open("w") as lines, judged.open("w") as judgements:
        for query in rng.choice(N_QUERY_IDS, n_queries, replace=False).tolist():
            docs = rng.permutation(np.unique(rng.integers(0, N_DOCS, depth + 10))[:depth])
            scores = np.sort(rng.gamma(2.0, 3.0, docs.size))[::-1]
            ranked = enumerate(zip(docs.tolist(), scores.tolist(), strict=True), start=1)
            lines.writelines(f"{query} Q0 {doc} {rank} {score:.6f} bm25\n" for rank, (doc, score) in ranked)
            useful = {*rng.choice(docs, USEFUL - 1, replace=False).tolist(), int(rng.integers(N_DOCS))}
            judgements.writelines(f"{query} 0 {doc} {rng.integers(1, 4)}\n" for doc in sorted(useful))
    return run, judged
