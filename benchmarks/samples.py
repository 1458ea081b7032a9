"""Multi-sample runs: read, checked, and EE-D, EE-R, EE-L of them.

One of a million lines with the ids of a real collection stands beside expeval: its program where the environment
variable EXPEVAL names it (https://github.com/diazf/expeval), else the same in dictionaries of Python, as it works. One
of 10 million lines with few ids stands beside a loop that only splits the lines.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.collection import N_DOCS, N_QUERY_IDS
from benchmarks.material import random_qrels, random_run, written
from benchmarks.measuring import Goal, Row, child, timed
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.qrels import write_qrels
from fairviz.io.rankings import write_samples
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Qrels, RankingSample
from fairviz.policies import PlackettLuce

MEASURES = ["EED@5", "EER@5", "EEL@5"]
REPEATS = 3


EXPEVAL = "EXPEVAL"
PATIENCE = 0.8

IN_DICTIONARIES = """
import sys
p = float(sys.argv[3])
grades, rankings = {}, {}
for line in open(sys.argv[1]):
    query, _, doc, grade = line.split()
    if int(grade) > 0:
        grades.setdefault(query, {})[doc] = int(grade)
for line in open(sys.argv[2]):
    query, sample, doc, rank, score = line.split()[:5]
    rankings.setdefault(query, {}).setdefault(sample, []).append((int(rank), float(score), doc))
for query, useful in grades.items():
    exposure = {}
    samples = rankings.get(query, {}).values()
    for ranking in samples:
        ranking.sort()
        for place, (_, _, doc) in enumerate(ranking):
            exposure[doc] = exposure.get(doc, 0.0) + p**place / len(samples)
    target, before = {}, 0
    for grade in sorted(set(useful.values()), reverse=True):
        docs = [doc for doc in useful if useful[doc] == grade]
        share = (p**before - p ** (before + len(docs))) / (len(docs) * (1 - p))
        target.update(dict.fromkeys(docs, share))
        before += len(docs)
    everything = exposure.keys() | target.keys()
    print("disparity", query, sum(e * e for e in exposure.values()), sep="\t")
    print("relevance", query, sum(t * exposure.get(doc, 0.0) for doc, t in target.items()), sep="\t")
    print("difference", query, sum((target.get(d, 0.0) - exposure.get(d, 0.0)) ** 2 for d in everything), sep="\t")
"""
"""Judgements, rankings and patience to EE-D, EE-R and EE-L by rank-biased attention."""


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds and peak memory of the command, beside expeval and beside merely splitting the lines."""
    yield from _beside_expeval(small=small)
    yield from _many(small=small)


def _beside_expeval(*, small: bool) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        place = Path(folder)
        run, judged = _collection(place, 10 if small else 1000)
        measures = ", ".join(f"{name}(browsing='rbp', p={PATIENCE}, norm='none')" for name in ("EED", "EER", "EEL"))
        files = [str(run), "--multi-sample", "--qrels", str(judged)]
        ours = [sys.executable, "-m", "fairviz", "evaluate", *files, "-m", measures]
        theirs, peer = [sys.executable, "-c", IN_DICTIONARIES, str(judged), str(run), str(PATIENCE)], "dictionaries"
        if os.environ.get(EXPEVAL):
            program = [sys.executable, os.environ[EXPEVAL], "-u", "rbp", "-p", str(PATIENCE), "-U"]
            theirs, peer = [*program, str(judged), str(run)], "expeval"
        child(ours, folder=place)  # which compiles what is compiled once
        found = [(child(ours, folder=place), child(theirs, folder=place)) for _ in range(1 if small else REPEATS)]
    busy = [median(one.busy for one in side) for side in zip(*found, strict=True)]
    yield Row(
        what=f"a million sampled lines, ids of a collection, EE-D, EE-R, EE-L (whole command) / {peer}",
        value=median(us.busy / them.busy for us, them in found),
        unit="×",
        goal=Goal(0.7),
        note=f"processor time: {busy[0]:.2g} s / {busy[1]:.2g} s; with intervals",
    )


def _collection(place: Path, n_queries: int) -> tuple[Path, Path]:
    """Ten rankings of 100 of a query's 150 documents, drawn from a collection; six are useful."""
    rng = np.random.default_rng(0)
    run, judged = place / "collection.run", place / "collection.qrels"
    with run.open("w") as lines, judged.open("w") as judgements:
        for query in rng.choice(N_QUERY_IDS, n_queries, replace=False).tolist():
            docs = np.unique(rng.integers(0, N_DOCS, 160))[:150]
            for sample in range(1, 11):
                ranked = enumerate(rng.permutation(docs)[:100].tolist(), start=1)
                lines.writelines(f"{query} {sample} {doc} {rank} {101 - rank} pl\n" for rank, doc in ranked)
            useful = rng.choice(docs, 6, replace=False).tolist()
            judgements.writelines(f"{query} 0 {doc} {rng.integers(1, 4)}\n" for doc in useful)
    return run, judged


def _many(*, small: bool) -> Iterator[Row]:
    n_queries, n_items, n_samples = (5, 20, 10) if small else (1000, 100, 100)
    run = random_run(n_queries=n_queries, n_items=n_items)
    qrels = random_qrels(run)
    sample = PlackettLuce(2.0).sample(run, depth=n_items, n_samples=n_samples, rng=np.random.default_rng(0))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        drawn = written(place / "drawn.run", partial(write_samples, sample))
        judged = written(place / "judged.qrels", partial(write_qrels, qrels))
        measures = [word for measure in MEASURES for word in ("-m", measure)]
        options = ["--multi-sample", "--qrels", str(judged), "--format", "json", *measures]
        command = [sys.executable, "-m", "fairviz", "evaluate", str(drawn), *options]
        once = timed(command, drawn, separator=None, repeats=1 if small else REPEATS, folder=place)
        size = f"{sample.docs.size:,} lines, {drawn.stat().st_size / 1e6:,.0f} MB"
    yield Row(
        what="multi-sample run: read, checked, EE-D, EE-R, EE-L (whole command)",
        value=once.seconds,
        unit="s",
        goal=Goal(5),
        note=f"{size}; {once.busy:.2g} s of processor time",
    )
    yield Row(
        what="the same / a Python loop that splits every line",
        value=once.ratio,
        unit="×",
        note=f"the loop: {once.loop:.3g} s",
    )
    yield Row(what="its peak memory", value=once.peak / 1e9, unit="GB", goal=Goal(1.5))
    yield Row(
        what="largest difference to the samples in memory",
        value=_difference(once.printed, sample, qrels),
        unit="",
        goal=Goal(1e-9),
    )


def _difference(printed: str, sample: RankingSample, qrels: Qrels) -> float:
    values: Sequence[float] = [row["value"] for row in json.loads(printed)["tables"]["means"]]
    found = evaluate([sample], parse_measures(MEASURES), qrels=[qrels])
    wanted = [scores.value for scores in found.scores]
    return float(np.abs(np.array(values) - wanted).max())
