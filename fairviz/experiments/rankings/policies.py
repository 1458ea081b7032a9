"""Rankings of every question under each policy: Plackett–Luce samples, the deterministic list, the oracle."""

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from fairviz.experiments.rankings.config import RankingConfig
from fairviz.model import IndexArray, RankingSample, Run
from fairviz.policies import PlackettLuce


class RankingPolicy(NamedTuple):
    """How rankings are made of what is retrieved.

    Attributes:
        kind: "plackett-luce", "deterministic" or "oracle".
        alpha: Fairness control of Plackett–Luce.
    """

    kind: str
    alpha: float | None = None

    @property
    def name(self) -> str:
        """In names of files.

        Examples:
            >>> RankingPolicy("plackett-luce", 2.0).name, RankingPolicy("oracle").name
            ('alpha-2', 'oracle')
        """
        return self.kind if self.alpha is None else f"alpha-{self.alpha:g}"

    def rankings(self, run: Run, useful: Mapping[str, IndexArray], settings: RankingConfig) -> RankingSample:
        """Rankings of every query of a run, down to the largest k.

        Args:
            run: What was retrieved.
            useful: For each query, positions of the useful documents.
            settings: How many, and the source of chance.
        """
        depth, n_samples, seed = max(settings.k), settings.n_samples, settings.seed
        if self.alpha is not None:
            return sampled_rankings(run, alpha=self.alpha, depth=depth, n_samples=n_samples, seed=seed)
        if self.kind == "oracle":
            return oracle_rankings(run, useful, depth=depth, n_samples=n_samples, seed=seed)
        return deterministic_rankings(run, depth=depth)


def policies_of(settings: RankingConfig) -> tuple[RankingPolicy, ...]:
    """The policies of a description: Plackett–Luce at each α, the deterministic list, the oracle."""
    sampled = [RankingPolicy("plackett-luce", alpha) for alpha in settings.alphas]
    known = [*sampled, RankingPolicy("deterministic"), RankingPolicy("oracle")]
    return tuple(policy for policy in known if policy.kind in settings.policies)


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
    run: Run, useful: Mapping[str, IndexArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Useful documents in random order above the others in random order (Kim & Diaz, 3.3.5).

    Args:
        run: What was retrieved.
        useful: For each query, positions of the useful documents.
        depth: Ranks kept.
        n_samples: Rankings per query.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        best = useful[query_id]
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
