"""A chosen re-ranking as whole runs, to measure or to download."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from fairviz.evaluation.joins import first_items, segment_rows
from fairviz.model import IndexArray, RankingSample, Run
from fairviz.points.curves import Drawing, draw_rankings, drawn_from
from fairviz.points.reranking import OF_SCORES, reordered, sample_of
from fairviz.reranking.catalogue import Reranker
from fairviz.studies.policy_lab.bench import Bench
from fairviz.studies.policy_lab.strengths import mixtures, optimal_exposure, strength_of


def of_queries(ranked: Run | RankingSample, query_ids: Collection[str]) -> Run | RankingSample:
    """The rankings of some queries: what a measure of the whole system is to be over."""
    kept = np.array([i for i, query in enumerate(ranked.query_ids) if query in query_ids], dtype=np.int64)
    names = tuple(query for query in ranked.query_ids if query in query_ids)
    if isinstance(ranked, Run):
        rows, offsets = segment_rows(ranked.offsets, kept)
        return replace(ranked, query_ids=names, offsets=offsets, docs=ranked.docs[rows], scores=ranked.scores[rows])
    samples, query_offsets = segment_rows(ranked.query_offsets, kept)
    rows, sample_offsets = segment_rows(ranked.sample_offsets, samples)
    return replace(
        ranked,
        query_ids=names,
        query_offsets=query_offsets,
        sample_offsets=sample_offsets,
        docs=ranked.docs[rows],
    )


def reranked_run(
    run: Run,
    reranker: Reranker,
    bench: Bench,
    strength: float,
    *,
    seed: int,
    n_samples: int,
) -> Run | RankingSample:
    """Every query of a run re-ranked, as a file that other tools read.

    Args:
        run: The whole run.
        reranker: Which.
        bench: Made of the run's first items, with all queries of the run.
        strength: Its strength.
        seed: Of chance.
        n_samples: Rankings per query of a policy.

    Returns:
        A run with strictly falling scores, candidates first, the rest in its order; for policies
        a sample of their candidates.
    """
    system = f"{run.system}+{reranker.name}({strength_of(reranker).option}={strength:g})"
    rng = np.random.default_rng(seed)
    depth = int(np.diff(run.offsets).max(initial=0))
    if reranker.name in OF_SCORES:
        drawing = Drawing(
            policy=OF_SCORES[reranker.name],
            alpha=strength,
            attention=bench.attention,
            depth=depth,
            n_samples=n_samples,
            scores=bench.settings.scores,
            offset=bench.settings.offset,
        )
        if reranker.name == "optimal":
            return drawn_from(run, bench.pools, optimal_exposure(bench, strength), drawing, rng=rng)
        return draw_rankings(first_items(run, int(bench.pools.n_retrieved.max(initial=1))), drawing, rng=rng)
    by_query = mixtures(reranker, bench, strength, seed=seed)
    if reranker.is_policy:
        drawn = {q: int(run.offsets[q]) + mixture.draw(n_samples=n_samples, rng=rng) for q, mixture in by_query.items()}
        return sample_of(run, reranker.name, drawn)
    docs: IndexArray = run.docs.copy()
    for query, mixture in by_query.items():
        start, order = int(run.offsets[query]), mixture.orders[0]
        docs[start : start + order.size] = run.docs[start + order]
    return reordered(run, docs, system)
