"""Runs larger than memory: time and memory of ``convert`` and then of ``evaluate``, as lines grow tenfold."""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from benchmarks.collection import N_DOCS
from benchmarks.measuring import Child, Goal, Row, child

DEPTH = 1000
N_QUERIES = (12_000, 100_000)
"""Lines are a thousand times as many; from about eleven million on a run is read range by range."""
USEFUL = 3
MEASURES = "nDCG@10, AP, EED@5"
MEMORY = Goal(4)
LINEAR = Goal(1.3)


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds and peak memory of both commands, and time per line of the larger run beside that of the smaller."""
    per_line: dict[str, list[float]] = {"convert": [], "evaluate": []}
    for n_queries in (3, 9) if small else N_QUERIES:
        what = f"{n_queries * DEPTH:,} lines"
        for command, done in _measured(n_queries).items():
            per_line[command].append(done.busy / n_queries)
            busy = f"{done.busy:.3g} s of processor time"
            yield Row(what=f"{command} {what}", value=done.seconds, unit="s", note=busy)
            yield Row(what="its peak memory", value=done.peak / 1e9, unit="GB", goal=MEMORY)
    for command, (first, last) in per_line.items():
        yield Row(
            what=f"{command}: processor time per line, largest / smallest", value=last / first, unit="×", goal=LINEAR
        )


def _measured(n_queries: int) -> dict[str, Child]:
    fairviz = [sys.executable, "-m", "fairviz"]
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        run, judged, parquet = (scratch / name for name in ("large.run", "large.qrels", "large.parquet"))
        _write(run, judged, n_queries)
        converted = child([*fairviz, "convert", str(run), "--output", str(parquet)], folder=scratch)
        run.unlink()
        return {
            "convert": converted,
            "evaluate": child([*fairviz, "evaluate", str(parquet), str(judged), "-m", MEASURES], folder=scratch),
        }


def _write(run: Path, judged: Path, n_queries: int) -> None:
    """Distinct documents of a collection for every query, a thousand queries at a time, and some that are useful."""
    rng = np.random.default_rng(0)
    with run.open("wb") as lines, judged.open("w") as judgements:
        for first in range(0, n_queries, 1000):
            queries = np.arange(first, min(first + 1000, n_queries))
            docs = rng.integers(0, N_DOCS // DEPTH, (queries.size, DEPTH)) * DEPTH + np.arange(DEPTH)
            scores = -np.sort(-rng.gamma(2.0, 3.0, docs.shape), axis=1).round(6)
            columns = {"query": np.repeat(queries, DEPTH), "doc": docs.ravel()}
            columns |= {"rank": np.tile(np.arange(1, DEPTH + 1), queries.size), "score": scores.ravel()}
            frame = pl.DataFrame(columns).with_columns(zero=pl.lit("Q0"), tag=pl.lit("bm25"))
            frame = frame.select("query", "zero", "doc", "rank", "score", "tag")
            frame.write_csv(lines, separator=" ", include_header=False)
            for query, own in zip(queries.tolist(), docs, strict=True):
                useful = rng.choice(own, USEFUL, replace=False).tolist()
                judgements.writelines(f"{query} 0 {doc} {rng.integers(1, 4)}\n" for doc in useful)
