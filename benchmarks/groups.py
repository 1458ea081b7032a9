"""nDKL, AWRF and FAIR of long rankings, against packages that compute them ranking by ranking; FA*IR of as many."""

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Goal, Row, interleaved, ratio, shown
from fairviz.kernels.grouping import membership, target_shares
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.fair import group_aspects
from fairviz.metrics.group_measures import GROUP_MEASURES, GroupEvidence
from fairviz.model import FloatArray, GroupLabels, IntArray, Run
from fairviz.points.reranking import rerank_all, rerank_lists
from fairviz.reranking.catalogue import find_reranker
from fairviz.reranking.fa_ir import adjusted_significance, minimum_table

N_QUERIES = 1000
DEPTH = 1000
GROUPS = ("north", "east", "south", "west")
MEASURES = ("nDKL", "AWRF", "FAIR", "FAIR(irm='nDCG')")
REPEATS = 3
N_COMPARED = 20
"""Queries that packages are given: they go from one to the next, at the same cost each."""

PEERS = ("FairRankTune", "reranking", "ranx")


class Peer(NamedTuple):
    """Another package's function, over the first queries.

    Attributes:
        package: Its name.
        computes: What it calls what it computes.
        task: Gives a value per query.
        n_queries: How many queries it is given.
        apart: How far its values may be from ours; None = it is defined otherwise. FairRankTune
            adds 1e-7 to every share.
    """

    package: str
    computes: str
    task: Callable[[], FloatArray]
    n_queries: int
    apart: Goal | None = None


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds of each measure, and the ratio of every package that is installed to it."""
    run = random_run(n_queries=12 if small else N_QUERIES, n_items=30 if small else DEPTH)
    found = evidence(run)
    missing = [package for package in PEERS if find_spec(package) is None]
    if missing:
        named = ", ".join(missing)
        print(f"  without {named}: .venv/bin/uv sync --inexact --group bench", file=sys.stderr, flush=True)
    peers = _peers(found, missing)
    for measure in MEASURES:
        ours, others = _measure(measure, found), peers.get(measure, [])
        tasks = [ours, *(peer.task for peer in others)]
        by_us, *by_them = interleaved(*tasks, repeats=1 if small else REPEATS)
        began = time.process_time()
        values = ours()
        busy = time.process_time() - began
        yield Row(
            what=f"{measure} of {values.size:,} rankings, {run.docs.size // values.size:,} deep",
            value=statistics.median(by_us),
            unit="s",
            goal=Goal(0.4),
            note=f"{len(GROUPS)} groups; {busy:.2g} s of processor time",
        )
        own = [one / values.size for one in by_us]
        for peer, seconds in zip(others, by_them, strict=True):
            theirs = [one / peer.n_queries for one in seconds]
            yield Row(
                what=f"{peer.package}'s {peer.computes} / our {measure}, per ranking",
                value=ratio(theirs, own),
                unit="×",
                note=f"{shown(theirs)} / {shown(own)}; timed on {peer.n_queries:,}",
            )
            if peer.apart is not None:
                yield Row(
                    what=f"largest difference of {measure} to {peer.package}",
                    value=float(np.abs(peer.task() - values[: peer.n_queries]).max()),
                    unit="",
                    goal=peer.apart,
                )

    yield _fa_ir(run, small=small)


def _fa_ir(run: Run, *, small: bool) -> Row:
    """Every list of a run re-ranked, its tables of minima computed anew each time."""
    labels = random_labels(run)

    def task() -> object:
        for remembered in (adjusted_significance, minimum_table):
            remembered.cache_clear()
        lists = rerank_lists(run, labels=labels, target="uniform")
        return rerank_all(lists, find_reranker("fa-ir"), k=DEPTH, group=GROUPS[0])

    (seconds,) = interleaved(task, repeats=1 if small else REPEATS)
    began = time.process_time()
    task()
    busy = time.process_time() - began
    n_queries = len(run.query_ids)
    return Row(
        what=f"FA*IR of {n_queries:,} lists, {run.docs.size // n_queries:,} deep",
        value=statistics.median(seconds),
        unit="s",
        goal=Goal(1),
        note=f"{busy:.2g} s of processor time; on one core: its steps are too short for threads",
    )


def evidence(run: Run) -> GroupEvidence:
    """A run with random groups, judgements of some of it, and the population as target."""
    qrels = random_qrels(run)
    pools = pool(run, qrels)
    members = membership(pools, random_labels(run))
    lists = ranked_lists(run, pools)
    return GroupEvidence(
        pools=pools,
        members=members,
        lists=lists,
        whole=lists,
        cutoff=None,
        shares=target_shares("population", members, pools),
        aspects=group_aspects(pools, members),
        largest_grade=int(qrels.grades.max()),
    )


def random_labels(run: Run, *, seed: int = 0) -> GroupLabels:
    """One of four groups for every document."""
    n_docs = len(run.doc_ids)
    groups = np.random.default_rng(seed).integers(0, len(GROUPS), n_docs)
    weights = csr_array((np.ones(n_docs), groups, np.arange(n_docs + 1)), shape=(n_docs, len(GROUPS)))
    return GroupLabels(attribute="region", groups=GROUPS, doc_ids=run.doc_ids, weights=weights)


def _measure(text: str, found: GroupEvidence) -> Callable[[], FloatArray]:
    """A measure from the aligned pools on: each call is given evidence that has kept nothing."""
    spec = parse_measure(text)
    measure = next(one for one in GROUP_MEASURES if one.name == spec.name)
    options = measure.with_defaults(spec.params)
    kernel = measure.of_rankings
    if kernel is None:
        raise ValueError(f"{text} has no value per ranking")
    return lambda: kernel(replace(found), options)


def _peers(found: GroupEvidence, missing: list[str]) -> dict[str, list[Peer]]:
    """What is installed, by our name of the measure; its inputs are made here, unmeasured."""
    n = min(N_COMPARED, len(found.pools.query_ids))
    queries = [slice(*found.offsets[q : q + 2].tolist()) for q in range(n)]
    groups, docs = found.weights.argmax(axis=1), found.pools.docs[found.lists.rows]
    peers: dict[str, list[Peer]] = {measure: [] for measure in MEASURES}
    if "FairRankTune" not in missing:
        tuned = [(docs[rows].astype(np.int64), groups[rows]) for rows in queries]
        peers["nDKL"].append(_tuned_ndkl(tuned))
        peers["AWRF"].append(_tuned_awrf(tuned))
    if "reranking" not in missing:
        peers["nDKL"].append(_reranking_ndkl([groups[q] for q in queries], found.target))
    if "ranx" not in missing:
        peers["FAIR(irm='nDCG')"].append(_ranx_ndcg(found, n))
    return peers


def _tuned_ndkl(queries: list[tuple[IntArray, IntArray]]) -> Peer:
    import FairRankTune

    given = [(_frame(docs), _labels(docs, groups)) for docs, groups in queries]
    return Peer(
        package="FairRankTune",
        computes="NDKL",
        task=lambda: np.array([FairRankTune.NDKL(*one) for one in given]),
        n_queries=len(given),
        apart=Goal(1e-5),
    )


def _tuned_awrf(queries: list[tuple[IntArray, IntArray]]) -> Peer:
    import FairRankTune

    given = [(_frame(docs), _labels(docs, groups)) for docs, groups in queries]
    return Peer(
        package="FairRankTune",
        computes="AWRF (largest gap between groups)",
        task=lambda: np.array([FairRankTune.AWRF(*one, 0.5, "MaxMinDiff")[0] for one in given]),
        n_queries=len(given),
    )


def _frame(docs: IntArray) -> pd.DataFrame:
    return pd.DataFrame({"ranking": docs})


def _labels(docs: IntArray, groups: IntArray) -> dict[int, int]:
    return dict(zip(docs.tolist(), groups.tolist(), strict=True))


def _reranking_ndkl(queries: list[IntArray], target: FloatArray) -> Peer:
    from reranking.metrics import ndkl

    given = [
        (groups.tolist(), dict(enumerate(shares.tolist()))) for groups, shares in zip(queries, target, strict=False)
    ]
    return Peer(
        package="reranking",
        computes="ndkl",
        task=lambda: np.array([ndkl(*one) for one in given]),
        n_queries=len(given),
        apart=Goal(1e-9),
    )


def _ranx_ndcg(found: GroupEvidence, n_queries: int) -> Peer:
    import ranx

    pools = found.pools
    run: dict[str, dict[str, int]] = {}
    judged: dict[str, dict[str, int]] = {}
    for q, query in enumerate(pools.query_ids[:n_queries]):
        rows = slice(int(pools.offsets[q]), int(pools.offsets[q + 1]))
        names = [pools.doc_ids[doc] for doc in pools.docs[rows].tolist()]
        grades = dict(zip(names, pools.gains[rows].astype(int).tolist(), strict=True))
        run[query] = dict(zip(names, range(len(names), 0, -1), strict=True))
        judged[query] = {name: grade for name, grade in grades.items() if grade}
    given = ranx.Qrels(judged), ranx.Run(run)

    def task() -> FloatArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a cast, while it compiles
            return np.array(ranx.evaluate(*given, "ndcg", return_mean=False))

    return Peer(package="ranx", computes="nDCG (no groups)", task=task, n_queries=n_queries)
