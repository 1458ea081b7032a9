"""A synthetic collection of the size of TREC Deep Learning 2019: ``python -m data.make_demo.collection FOLDER``.

43 queries, 9,260 graded judgements, six runs of 1,000 documents a query, the sources of all documents as groups, and
what the runs are called in a paper. Nothing in it was measured: names are invented, each run is the hidden usefulness
of documents with noise, and some runs prefer the documents of one source. Made by a seed, so that a tutorial can print
what its commands give.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray

N_QUERIES, N_JUDGED, N_RANKED, N_DOCS = 43, 9_260, 1_000, 20_000
GRADES, SHARES = (0, 1, 2, 3), (0.56, 0.17, 0.19, 0.08)
"""Of the judged documents, about as in 2019."""
SOURCES, SIZES = ("news", "forums", "reference"), (0.6, 0.3, 0.1)


class System(NamedTuple):
    """How a run comes about.

    Attributes:
        label: What it is called in a paper.
        signal: How far its scores follow the grades.
        leaning: What it adds to documents of the largest source.
    """

    label: str
    signal: float
    leaning: float = 0.0


SYSTEMS = {
    "bm25": System("BM25", 0.6),
    "bm25-expanded": System("BM25, expanded", 0.64),
    "sparse-learned": System("Sparse, learned", 0.8),
    "dense-small": System("Dense, small", 0.58, 0.5),
    "dense-large": System("Dense, large", 0.78, 0.3),
    "rerank": System("Re-ranked", 1.0),
}


def made(folder: Path, *, seed: int = 2019) -> None:
    """Write runs, judgements and groups into a folder.

    Args:
        folder: Made where it does not exist.
        seed: Of every chance.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    source = rng.choice(len(SOURCES), N_DOCS, p=SIZES)
    rows = (f"d{doc},{SOURCES[at]}\n" for doc, at in enumerate(source.tolist()))
    (folder / "source.csv").write_text("doc_id,source\n" + "".join(rows), encoding="utf-8")
    labels = (f'{name},"{system.label}"\n' for name, system in SYSTEMS.items())
    (folder / "systems.csv").write_text("system,label\n" + "".join(labels), encoding="utf-8")
    candidates = np.stack([rng.permutation(N_DOCS)[: N_RANKED + 200] for _ in range(N_QUERIES)])
    judged = np.full(N_QUERIES, N_JUDGED // N_QUERIES) + (np.arange(N_QUERIES) < N_JUDGED % N_QUERIES)
    grades = np.zeros(candidates.shape, dtype=np.int64)
    for query, n in enumerate(judged.tolist()):
        grades[query, :n] = rng.choice(GRADES, n, p=SHARES)
    lines = (
        f"q{query} 0 d{candidates[query, at]} {grades[query, at]}\n"
        for query, n in enumerate(judged.tolist())
        for at in range(n)
    )
    (folder / "judged.qrels").write_text("".join(lines), encoding="utf-8")
    shared = rng.normal(size=candidates.shape)  # what all systems take for useful and is not
    for name, system in SYSTEMS.items():
        noise = 0.6 * shared + 0.8 * rng.normal(size=candidates.shape)
        scores = system.signal * grades + system.leaning * (source[candidates] == 0) + noise
        (folder / f"{name}.run").write_text("".join(_lines(name, candidates, scores)), encoding="utf-8")


def _lines(name: str, candidates: IntArray, scores: FloatArray) -> Iterator[str]:
    """The lines of a TREC run; scores of a query from 0 to 1."""
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    scaled = (scores - low) / (high - low)
    for query, order in enumerate(np.argsort(-scaled, axis=1)[:, :N_RANKED]):
        for rank, at in enumerate(order.tolist(), start=1):
            yield f"q{query} Q0 d{candidates[query, at]} {rank} {scaled[query, at]:.9f} {name}\n"


if __name__ == "__main__":
    made(Path(sys.argv[1]))
