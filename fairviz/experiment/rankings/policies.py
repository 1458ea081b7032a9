"""Rankings of every question under each policy: Plackett–Luce samples, the deterministic list, the oracle."""

from collections.abc import Iterator, Mapping
from hashlib import sha256

import numpy as np

from fairviz.experiment.rankings.config import RankingConfig
from fairviz.model import BoolArray, IndexArray, RankingSample, Run
from fairviz.policies import PlackettLuce


def rankings_of(settings: RankingConfig, run: Run, useful: dict[str, BoolArray]) -> Iterator[tuple[str, RankingSample]]:
    """Each policy's name in file names, and its rankings."""
    k, n_samples, seed = settings.k, settings.n_samples, settings.seed
    for alpha in settings.alphas:
        sample = sampled_rankings(run, alpha=alpha, depth=k, n_samples=n_samples, seed=seed)
        yield f"alpha-{alpha:g}", sample
    yield "deterministic", deterministic_rankings(run, depth=k)
    yield "oracle", oracle_rankings(run, useful, depth=k, n_samples=n_samples, seed=seed)


def sampled_rankings(run: Run, *, alpha: float, depth: int, n_samples: int, seed: int) -> RankingSample:
    """Plackett–Luce samples of every query of a run (Kim & Diaz, 3.2)."""
    policy = PlackettLuce(alpha)
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        rows = slice(int(run.offsets[row]), int(run.offsets[row + 1]))
        alone = Run(
            system=run.system,
            query_ids=(query_id,),
            doc_ids=run.doc_ids,
            offsets=np.array([0, rows.stop - rows.start]),
            docs=run.docs[rows].copy(),
            scores=run.scores[rows].copy(),
        )
        rng = chance(seed, query_id, f"plackett-luce {alpha:g}")
        sample = policy.sample(alone, depth=depth, n_samples=n_samples, rng=rng)
        drawn.append(np.split(sample.docs, sample.sample_offsets[1:-1]))
    return _collected(run, drawn, "plackett-luce", alpha)


def deterministic_rankings(run: Run, *, depth: int) -> RankingSample:
    """The run as it is, cut at ``depth``: one ranking per query."""
    drawn = [
        [run.docs[start : min(end, start + depth)]]
        for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True)
    ]
    return _collected(run, drawn, "deterministic", None)


def oracle_rankings(
    run: Run, useful: Mapping[str, BoolArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Useful documents in random order above the others in random order (Kim & Diaz, 3.3.5).

    Args:
        run: What was retrieved.
        useful: For each query, (D) whether each document is useful.
        depth: Ranks kept.
        n_samples: Rankings per query.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        best = np.flatnonzero(useful[query_id]).astype(np.int32)
        # A useful document that the retriever missed is above the others all the same.
        others = np.setdiff1d(retrieved, best)
        rng = chance(seed, query_id, "oracle")
        drawn.append(
            [np.concatenate([rng.permutation(best), rng.permutation(others)])[:depth] for _ in range(n_samples)]
        )
    return _collected(run, drawn, "oracle", None)


def chance(seed: int, query_id: str, policy: str) -> np.random.Generator:
    """The source of chance of one query under one policy."""
    digest = sha256(f"{query_id}\t{policy}".encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _collected(run: Run, drawn: list[list[IndexArray]], policy: str, alpha: float | None) -> RankingSample:
    rankings = [ranking for of_query in drawn for ranking in of_query]
    return RankingSample(
        system=run.system,
        policy=policy,
        alpha=alpha,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.cumsum([0, *map(len, drawn)]),
        sample_offsets=np.cumsum([0, *map(len, rankings)]),
        docs=np.concatenate([*rankings, np.empty(0, np.int32)]),
    )
