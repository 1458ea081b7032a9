"""A chosen re-ranking as whole runs, to measure or to download."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from fairviz.evaluation.joins import first_items, segment_rows
from fairviz.model import IndexArray, Mixture, RankingSample, Run
from fairviz.points.reranking import reordered
from fairviz.policies.marginals import sample_marginals
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
    match reranker.name:
        case "plackett-luce":
            shallow = first_items(run, int(bench.pools.n_retrieved.max(initial=1)))
            policy = bench.plackett_luce(strength)
            return policy.sample(shallow, depth=depth, n_samples=n_samples, rng=rng)
        case "optimal":
            drawn = sample_marginals(
                bench.pools,
                optimal_exposure(bench, strength),
                bench.attention,
                system=run.system,
                policy=reranker.name,
                alpha=strength,
                depth=depth,
                n_samples=n_samples,
                rng=rng,
            )
            return replace(drawn, scores=bench.settings.scores, offset=bench.settings.offset, tag=run.tag, source=run)
        case _:
            by_query = mixtures(reranker, bench, strength, seed=seed)
    if reranker.is_policy:
        return _drawn(run, by_query, reranker, n_samples, rng)
    docs: IndexArray = run.docs.copy()
    for query, mixture in by_query.items():
        start, order = int(run.offsets[query]), mixture.orders[0]
        docs[start : start + order.size] = run.docs[start + order]
    return reordered(run, docs, system)


def _drawn(
    run: Run, by_query: dict[int, Mixture], reranker: Reranker, n_samples: int, rng: np.random.Generator
) -> RankingSample:
    queries = list(by_query)
    drawn = [run.docs[int(run.offsets[q]) + by_query[q].draw(n_samples=n_samples, rng=rng)] for q in queries]
    lengths = np.repeat([part.shape[1] for part in drawn], n_samples).astype(np.int64)
    return RankingSample(
        system=run.system,
        policy=reranker.name,
        alpha=None,
        query_ids=tuple(run.query_ids[q] for q in queries),
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(queries) + 1, dtype=np.int64) * n_samples,
        sample_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=np.concatenate([part.ravel() for part in drawn] or [np.empty(0, np.int32)]),
    )
