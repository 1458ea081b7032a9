"""Small collections whose files name queries in different orders and lack some, so that nothing lines up by chance."""

from pathlib import Path

import numpy as np

from fairviz.model import Qrels, RankingSample, Run
from tests.nouns import qrels_of, run_of, sample_of

N_QUERIES = 24


def world(seed: int) -> tuple[Run, Qrels, RankingSample]:
    rng = np.random.default_rng(seed)
    names = [f"q{i}" for i in rng.permutation(N_QUERIES)]
    scores: dict[str, dict[str, float]] = {}
    grades: dict[str, dict[str, int]] = {}
    drawn: dict[str, list[list[str]]] = {}
    for query in names[:-2]:
        docs = [f"d{i}" for i in rng.choice(30, size=rng.integers(1, 12), replace=False)]
        scores[query] = {doc: float(rng.normal()) for doc in docs}
        drawn[query] = [rng.permutation(docs).tolist() for _ in range(3)]
    for query in rng.permutation(names[2:]).tolist():
        grades[query] = {f"d{i}": int(rng.integers(-1, 4)) for i in rng.choice(30, size=6, replace=False)}
    return run_of(scores), qrels_of(grades), sample_of(drawn, system="drawn")


def write_groups(folder: Path) -> Path:
    file = folder / "side.tsv"
    rows = [f"d{i}\t{'left' if i % 3 else 'right'}" for i in range(0, 30) if i % 7]
    file.write_text("doc_id\tside\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return file
