"""Re-rankers at a strength, applied to the candidates of one run: as policies, and as whole runs.

Every re-ranker sees what it would see in use: the order and scores of the run, groups, target. It
sees judgements only where asked for ("RJ" of Gao et al. 2022): then its quality is what a perfect
estimate of usefulness would give.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.io.stored import first_items
from fairviz.kernels.attention import Discounted
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.pool import RankedLists
from fairviz.model import Exposure, IndexArray, Mixture, RankingSample, Run
from fairviz.model.arrays import segment_rows
from fairviz.points.curves import Drawing, PolicySettings, PoolAxes, draw_rankings, drawn_from
from fairviz.points.rerank_lists import reordered, sample_of
from fairviz.points.reranking import OF_SCORES
from fairviz.reranking.amortised import Statements, amortised, of_best
from fairviz.reranking.catalogue import RERANKERS, Reranker, Strength
from fairviz.reranking.fairness_of_exposure import fairness_of_exposure
from fairviz.studies.policy_lab.bench import Bench, ExposedPolicy, ListPolicy

BLEND = Strength(
    option="blend",
    symbol="λ",
    grid=tuple(round(0.1 * step, 1) for step in range(1, 11)),
    weakest="aims a tenth of the way from the shares that a query has today to the target",
    strongest="aims at the target",
)
"""Strength of re-rankers that have none of their own: they aim at (1 − λ) · the query's shares of
today + λ · target."""


def strength_of(reranker: Reranker) -> Strength:
    """The strength that is turned up from left to right."""
    return reranker.strength or BLEND


LABELS = {reranker.name: reranker.label for reranker in RERANKERS}
PLAIN = {reranker.name: reranker.plain for reranker in RERANKERS}
NAMES = {name: f"“{PLAIN[name]}” ({label})" for name, label in LABELS.items()}
"""What sentences call methods: plain words, the name of the paper beside them."""
STRENGTHS = {reranker.name: strength_of(reranker) for reranker in RERANKERS}


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a name.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'strength 0.5 (λ)'
    """
    return f"strength {strength:g} ({STRENGTHS[method].symbol})"


def setting_words(method: str, strength: float) -> str:
    """A method at a strength, as it is written."""
    return f"{NAMES[method]}, {strength_words(method, strength)}"


def why_not(reranker: Reranker, bench: Bench) -> str:
    """Why a re-ranker cannot be shown on these data; empty where it can."""
    n_groups = bench.target.size
    if reranker.protects_one and n_groups != 2:
        return f"it protects one group against the rest; these labels have {n_groups} groups"
    if reranker.protects_one and bench.protected is None:
        return "it protects the group that is under its target, and none is"
    other = bench.attention != Discounted(bench.settings.k)
    if reranker.name == "optimal" and bench.settings.quality == "nDCG" and other:
        return "its exposure is optimal for one attention, and nDCG reads another"
    return ""


def reranked(
    reranker: Reranker, bench: Bench, strength: float, *, n_repeats: int, seed: int
) -> Sequence[ExposedPolicy]:
    """The re-ranking at one strength: a distribution over rankings, or repeats of a random one.

    Args:
        reranker: Which.
        bench: The run.
        strength: Value of :func:`strength_of`.
        n_repeats: Repeats of a random re-ranker, each a list of its own.
        seed: Of the first repeat; the others have the next ones.
    """
    if reranker.name == "plackett-luce":
        return [partial(bench.plackett_luce(strength).exposure, bench.pools)]
    if reranker.name == "optimal":
        values = optimal_exposure(bench, strength)
        return [lambda _: values]  # of the one attention that it is asked for
    n_lists = n_repeats if reranker.random and not reranker.is_policy else 1
    return [as_policy(mixtures(reranker, bench, strength, seed=each), bench) for each in range(seed, seed + n_lists)]


def mixtures(
    reranker: Reranker, bench: Bench, strength: float, *, seed: int, queries: Sequence[int] | None = None
) -> dict[int, Mixture]:
    """{query: lottery over orders of its candidates}; a mixture of one where the re-ranker makes lists.

    Fairness of exposure keeps shares within ``strength`` of the target; where no order of the candidates meets that,
    the least slack that some order meets is taken. ``queries`` narrows a re-ranker that draws nothing; one that does
    makes lists that depend on those before.
    """
    every: list[int] = bench.queries.tolist()
    if reranker.name == "fairness-of-exposure":
        return {q: _exposure_mixture(bench, q, strength) for q in (every if queries is None else queries)}
    if reranker.all_queries:
        policies = _amortised_mixtures(bench, strength)
        return {q: policies[q] for q in (every if queries is None else queries)}
    if reranker.order is None:
        raise ValueError(f"{reranker.name} is known by its exposure, not by lists")
    own = reranker.strength
    options = {} if own is None else {own.option: strength}
    settings = reranker.settings(options, rng=reranker.draws(seed), protected=bench.protected)
    targets, sure = bench.targets(strength if own is None else 1.0), np.ones(1)
    return {
        q: Mixture(sure, reranker.order(bench.candidates(q, targets[q]), **settings)[None])
        for q in (every if queries is None or reranker.random else queries)
    }


def _exposure_mixture(bench: Bench, query: int, slack: float) -> Mixture:
    rows = bench.rows(query)
    n = rows.stop - rows.start
    usefulness = bench.pools.gains[rows] if bench.settings.judged else bench.scores[rows]
    arguments = (usefulness, bench.members.weights[rows], bench.attention.weights(n))
    policy = fairness_of_exposure(*arguments, constraint="target", target=bench.target, slack=slack)
    if policy.status == "infeasible":
        least = policy.smallest_slack * (1 + 1e-9) + 1e-12  # its own rounding must not refuse it
        policy = fairness_of_exposure(*arguments, constraint="target", target=bench.target, slack=least)
    if policy.status != "optimal":
        raise UndefinedError(f"fairness of exposure has no policy for query {query}")
    return policy.mixture


def _amortised_mixtures(bench: Bench, slack: float) -> dict[int, Mixture]:
    """{query: lottery} of the policy for all queries together; every query counts alike."""
    pools, queries = bench.pools, bench.queries
    rows, offsets = segment_rows(pools.offsets, queries, most=pools.n_retrieved[queries])
    usefulness = bench.pools.gains if bench.settings.judged else bench.scores
    attention = bench.attention.weights(int(np.diff(offsets).max(initial=1)))
    policy = amortised(
        of_best(usefulness[rows], offsets, attention),
        bench.members.weights[rows],
        offsets,
        attention,
        Statements(np.zeros(bench.target.size, dtype=np.int64), bench.target, bench.target),
        slack=slack,
    )
    return dict(zip(queries.tolist(), policy.mixtures, strict=True))


def optimal_exposure(bench: Bench, alpha: float) -> Exposure:
    """Exposure with the highest mean score at the mean disparity that Plackett–Luce has at α."""
    pools, attention = bench.pools, bench.attention
    fixed = run_exposure(pools, attention)  # its axes count every query on which scores can differ
    exposure = bench.plackett_luce(alpha).exposure(pools, attention)
    axes = PoolAxes.of(pools, PolicySettings(attention=attention, scores=bench.settings.scores), fixed)
    return axes.matched("optimal", axes.curve([exposure], "").mean_disparity)[0]


def as_policy(by_query: Mapping[int, Mixture], bench: Bench) -> ListPolicy:
    """Orders of candidates as rankings of pool rows, down to the last rank that counts."""
    starts: Sequence[int] = bench.pools.offsets.tolist()
    parts = [mixture.orders[:, : bench.settings.k] + starts[q] for q, mixture in by_query.items()]
    n_lists = [len(part) for part in parts]
    lengths = np.repeat([part.shape[1] for part in parts], n_lists).astype(np.int64)
    lists = RankedLists(
        np.concatenate([part.ravel() for part in parts] or [np.empty(0, np.int64)]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.repeat(np.array(list(by_query), dtype=np.int64), n_lists),
    )
    chances = np.concatenate([mixture.chances for mixture in by_query.values()] or [np.empty(0)])
    return ListPolicy(lists=lists, chances=chances, n_rows=bench.pools.docs.size)


# A chosen re-ranking as whole runs, to measure or to download.


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
