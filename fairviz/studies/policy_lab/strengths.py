"""Re-rankers at a strength, applied to the candidates of one run.

Every re-ranker sees what it would see in use: the order and scores of the run, groups, target. It
sees judgements only where asked for ("RJ" of Gao et al. 2022): then its quality is what a perfect
estimate of usefulness would give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.kernels.attention import Discounted
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.grouping import group_sums
from fairviz.kernels.pool import RankedLists
from fairviz.model import Exposure, FloatArray, IntArray, Mixture
from fairviz.points.curves import exposure_curve, pool_axes
from fairviz.policies import PlackettLuce, normalised_scores, optimal_frontier
from fairviz.reranking.candidates import Candidates
from fairviz.reranking.catalogue import RERANKERS, Reranker, Strength
from fairviz.reranking.fairness_of_exposure import fairness_of_exposure
from fairviz.studies.policy_lab.axes import Exposed, ListPolicy, PriceAxes
from fairviz.studies.policy_lab.settings import PolicyLabSettings

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


@dataclass(frozen=True, kw_only=True, eq=False)
class Workbench:
    """What all re-rankers of one run share.

    Attributes:
        axes: Candidates, groups, target, and how re-rankings are read.
        today: (G) share of labelled attention that each group has today, over all queries together.
        protected: Group that a re-ranker of one group protects; None where there is no choice.
    """

    axes: PriceAxes
    today: FloatArray
    protected: int | None = None

    @property
    def settings(self) -> PolicyLabSettings:
        """Whether judgements may be looked at, how scores become policies, the seed."""
        return self.axes.settings

    def plackett_luce(self, alpha: float) -> PlackettLuce:
        """The policy at one α."""
        return PlackettLuce(alpha, self.settings.offset, self.settings.scores)

    @cached_property
    def scores(self) -> FloatArray:
        """(M) scores of the run, 0 … 1 within a query; 0 for what was not ranked."""
        return np.nan_to_num(normalised_scores(self.axes.pools))

    @cached_property
    def queries(self) -> IntArray:
        """Queries that can be re-ranked: they have candidates and a target."""
        known = ~np.isnan(self.axes.target).any(axis=1)
        return np.flatnonzero((self.axes.pools.n_retrieved > 0) & known)

    def candidates(self, query: int, target: FloatArray) -> Candidates:
        """What a re-ranker sees of one query."""
        axes = self.axes
        rows = self.rows(query)
        return Candidates(
            weights=axes.members.weights[rows].copy(),
            target=target,
            depth=self.settings.k,
            gains=axes.pools.gains[rows] if self.settings.judged else None,
        )

    def rows(self, query: int) -> slice:
        """Pool rows of the candidates of one query, best first."""
        start = int(self.axes.pools.offsets[query])
        return slice(start, start + int(self.axes.pools.n_retrieved[query]))

    @cached_property
    def shown(self) -> FloatArray:
        """(Q, G) shares of labelled attention today; those of all queries together where a query shows none."""
        axes = self.axes
        seen = run_exposure(axes.pools, axes.attention)[:, None] * axes.members.weights
        by_group = group_sums(seen, axes.pools)
        totals = by_group.sum(axis=1, keepdims=True)
        mean = np.broadcast_to(self.today, by_group.shape).copy()
        return np.divide(by_group, totals, out=mean, where=totals > 0)

    def targets(self, blend: float = 1.0) -> FloatArray:
        """(Q, G) the target, or a part of the way from each query's shares of today to it."""
        return (1 - blend) * self.shown + blend * self.axes.target


def why_not(reranker: Reranker, bench: Workbench) -> str:
    """Why a re-ranker cannot be shown on these data; empty where it can."""
    n_groups = bench.axes.target.shape[1]
    if reranker.protects_one and n_groups != 2:
        return f"it protects one group against the rest; these labels have {n_groups} groups"
    if reranker.protects_one and bench.protected is None:
        return "it protects the group that is under its target, and none is"
    other = bench.axes.attention != Discounted(bench.settings.k)
    if reranker.name == "optimal" and bench.settings.quality == "nDCG" and other:
        return "its exposure is optimal for one attention, and nDCG reads another"
    return ""


def reranked(
    reranker: Reranker, bench: Workbench, strength: float, *, n_repeats: int, seed: int
) -> Sequence[ListPolicy | Exposed]:
    """The re-ranking at one strength: a distribution over rankings, or repeats of a random one.

    Args:
        reranker: Which.
        bench: The run.
        strength: Value of :func:`strength_of`.
        n_repeats: Repeats of a random re-ranker, each a list of its own.
        seed: Of the first repeat; the others have the next ones.
    """
    match reranker.name:
        case "plackett-luce":
            return [Exposed(partial(bench.plackett_luce(strength).exposure, bench.axes.pools))]
        case "optimal":
            values = optimal_exposure(bench, strength)
            return [Exposed(lambda _: values)]  # of the one attention that it is asked for
        case "fairness-of-exposure":
            return [_as_policy(mixtures(bench, strength), bench)]
        case _:
            seeds = range(seed, seed + (n_repeats if reranker.random else 1))
            return [_as_policy(orders(reranker, bench, strength, seed=s), bench) for s in seeds]


def orders(
    reranker: Reranker,
    bench: Workbench,
    strength: float,
    *,
    seed: int,
    queries: Sequence[int] | None = None,
) -> dict[int, Mixture]:
    """{query: its new order} of a re-ranker that makes lists; each a mixture of one.

    ``queries`` narrows a re-ranker without chance; with chance the lists depend on those before.
    """
    if reranker.order is None:
        raise ValueError(f"{reranker.name} is a distribution over rankings, not a list")
    blend, options = 1.0, {}
    if reranker.strength is None:
        blend = strength
    else:
        options = {reranker.strength.option: strength}
    settings = reranker.settings(options, rng=reranker.draws(seed), protected=bench.protected)
    targets, sure = bench.targets(blend), np.ones(1)
    return {
        q: Mixture(sure, reranker.order(bench.candidates(q, targets[q]), settings)[None])
        for q in (bench.queries.tolist() if queries is None or reranker.random else queries)
    }


def mixtures(bench: Workbench, slack: float, *, queries: Sequence[int] | None = None) -> dict[int, Mixture]:
    """{query: lottery over rankings} of fairness of exposure, shares within ``slack`` of target.

    Where no order of the candidates meets that, the least slack that some order meets is taken.
    """
    return {q: _exposure_mixture(bench, q, slack) for q in (bench.queries.tolist() if queries is None else queries)}


def _exposure_mixture(bench: Workbench, query: int, slack: float) -> Mixture:
    axes, rows = bench.axes, bench.rows(query)
    n = rows.stop - rows.start
    usefulness = axes.pools.gains[rows] if bench.settings.judged else bench.scores[rows]
    arguments = (usefulness, axes.members.weights[rows], axes.attention.weights(n))
    target = axes.target[query]
    policy = fairness_of_exposure(*arguments, constraint="target", target=target, slack=slack)
    if policy.status == "infeasible":
        least = policy.smallest_slack * (1 + 1e-9) + 1e-12  # its own rounding must not refuse it
        policy = fairness_of_exposure(*arguments, constraint="target", target=target, slack=least)
    if policy.status != "optimal":
        raise UndefinedError(f"fairness of exposure has no policy for query {query}")
    return policy.mixture


def optimal_exposure(bench: Workbench, alpha: float) -> Exposure:
    """Exposure with the highest mean score at the mean disparity that Plackett–Luce has at α."""
    axes = bench.axes
    pools, attention = axes.pools, axes.attention
    fixed = run_exposure(pools, attention)  # its axes count every query on which scores can differ
    exposure = bench.plackett_luce(alpha).exposure(pools, attention)
    point = exposure_curve(pool_axes(pools, fixed, attention), [exposure], "", "optimal", np.array([alpha]))
    return optimal_frontier(pools, fixed, attention, scores=bench.settings.scores).at(point.mean_disparity)[0]


def _as_policy(by_query: dict[int, Mixture], bench: Workbench) -> ListPolicy:
    """Orders of candidates as rankings of pool rows, down to the last rank that counts.

    Queries without a target keep the order of the run.
    """
    axes = bench.axes
    alone = set(np.flatnonzero(axes.pools.n_retrieved).tolist()) - set(by_query)
    unchanged = {q: np.arange(int(axes.pools.n_retrieved[q])) for q in alone}
    by_query = by_query | {q: Mixture(np.ones(1), order[None]) for q, order in unchanged.items()}
    by_query = dict(sorted(by_query.items()))
    starts: Sequence[int] = axes.pools.offsets.tolist()
    parts = [mixture.orders[:, : axes.settings.k] + starts[q] for q, mixture in by_query.items()]
    n_lists = [len(part) for part in parts]
    lengths = np.repeat([part.shape[1] for part in parts], n_lists).astype(np.int64)
    lists = RankedLists(
        np.concatenate([part.ravel() for part in parts] or [np.empty(0, np.int64)]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.repeat(np.array(list(by_query), dtype=np.int64), n_lists),
    )
    chances = np.concatenate([mixture.chances for mixture in by_query.values()] or [np.empty(0)])
    return ListPolicy(lists=lists, chances=chances, n_rows=axes.pools.docs.size)
