"""Synthetic material: runs, judgements and files of any size, from a seed."""

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import numpy as np

from fairviz.model import Qrels, Run

USEFUL = 0.1
"""Share of a query's items that are useful."""


def random_run(*, n_queries: int, n_items: int, system: str = "synthetic", seed: int = 0) -> Run:
    """A run over 20 × ``n_items`` documents, its scores skewed as BM25's are."""
    rng = np.random.default_rng(seed)
    n_docs = 20 * n_items
    docs = np.argpartition(rng.random((n_queries, n_docs)), n_items, axis=1)[:, :n_items]
    scores = -np.sort(-rng.gamma(2.0, 3.0, size=(n_queries, n_items)), axis=1)
    return Run(
        system=system,
        query_ids=tuple(f"q{q:05}" for q in range(n_queries)),
        doc_ids=tuple(f"doc-{d:07}" for d in range(n_docs)),
        offsets=np.arange(n_queries + 1, dtype=np.int64) * n_items,
        docs=docs.ravel().astype(np.int32),
        scores=scores.ravel(),
    )


def random_qrels(run: Run, *, seed: int = 0) -> Qrels:
    """Grades 1 to 3 for a tenth of every query's items, 0 for the others."""
    rng = np.random.default_rng(seed)
    grades = np.where(rng.random(run.docs.size) < USEFUL, rng.integers(1, 4, run.docs.size), 0)
    return Qrels(
        name="synthetic",
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        offsets=run.offsets,
        docs=run.docs,
        grades=grades.astype(np.int64),
    )


def written(path: Path, write: Callable[[TextIO], object]) -> Path:
    """Let ``write`` fill a file."""
    with path.open("w", encoding="utf-8") as file:
        write(file)
    return path
