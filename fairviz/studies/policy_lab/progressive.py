"""Price curves computed coarse to fine, a little at a time, so that nobody waits for the last."""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Missing, Preset
from fairviz.model import GroupLabels, IndexArray, IntArray, MeasureSpec, Mixture, Qrels, RankingSample, Run, Target
from fairviz.policies import PlackettLuce
from fairviz.policies.marginals import sample_marginals
from fairviz.pool import pool, ranked_lists
from fairviz.rerank.candidates import hard_codes
from fairviz.rerank.catalogue import RERANKERS, Reranker
from fairviz.studies.policy_lab.lists import BeforeAfter, before_after
from fairviz.studies.policy_lab.price import (
    TODAY,
    PriceAxes,
    PriceCurve,
    PricePoint,
    QualityName,
    largest_gap,
    measured,
    one_list_each,
    price_axes,
    price_point,
    standing,
)
from fairviz.studies.policy_lab.reranking import reordered
from fairviz.studies.policy_lab.strengths import (
    Workbench,
    mixtures,
    optimal_exposure,
    orders,
    reranked,
    strength_of,
    why_not,
)
from fairviz.studies.tradeoff.progressive import coarse_to_fine

# A chosen re-ranking as lists: whole runs to download, one query to look at.


class ShownOrder(NamedTuple):
    """One list that stands for a re-ranking.

    Attributes:
        order: (n) positions of the candidates, best first.
        chance: How often the re-ranking shows just this list; NaN where it is the order of expected
            attention instead.
        n_lists: Lists that the re-ranking chooses from; 0 = all.
    """

    order: IntArray
    chance: float
    n_lists: int


def first_items(run: Run, depth: int) -> Run:
    """The first ``depth`` items of every query: what is re-ranked; the rest keeps its order."""
    sizes = np.minimum(np.diff(run.offsets), depth)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    rows = np.repeat(run.offsets[:-1], sizes) + within
    return Run(
        system=run.system,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        offsets=offsets,
        docs=run.docs[rows],
        scores=run.scores[rows],
    )


def shown_order(reranker: Reranker, bench: Workbench, strength: float, query: int, *, seed: int) -> ShownOrder:
    """The list to look at: a re-ranker's own, a lottery's likeliest, else by expected attention.

    Args:
        reranker: Which.
        bench: The run.
        strength: Its strength.
        query: Index of the query in the pools.
        seed: Of a random re-ranker.
    """
    own = bench.rows(query)
    if reranker.name in ("plackett-luce", "optimal"):
        exposure = (
            PlackettLuce(strength).exposure(bench.axes.pools, bench.axes.attention)
            if reranker.name == "plackett-luce"
            else optimal_exposure(bench, strength)
        )
        return ShownOrder(np.argsort(-exposure[own], kind="stable"), float("nan"), 0)
    if query not in bench.queries:
        return ShownOrder(np.arange(own.stop - own.start), 1.0, 1)
    found = (
        mixtures(bench, strength, queries=[query])
        if reranker.is_policy
        else orders(reranker, bench, strength, seed=seed, queries=[query])
    )
    mixture = found[query]
    best = int(np.argmax(mixture.chances))
    return ShownOrder(mixture.orders[best], float(mixture.chances[best]), mixture.chances.size)


def query_before_after(bench: Workbench, query: int, order: IntArray, *, quality: tuple[float, float]) -> BeforeAfter:
    """One query's list today and in a new order of its candidates.

    Args:
        bench: The run.
        query: Index of the query in the pools.
        order: (n) positions of the candidates, best first.
        quality: Of the query before and after.
    """
    axes, rows = bench.axes, bench.rows(query)
    pools, names = axes.pools, axes.members.groups
    docs: list[int] = pools.docs[rows].tolist()
    places: list[int] = order.tolist()
    codes: list[int] = hard_codes(axes.members.weights[rows]).tolist()
    gains: list[float] = pools.gains[rows].tolist()
    ids = [pools.doc_ids[doc] for doc in docs]
    return before_after(
        pools.query_ids[query],
        ids,
        [ids[place] for place in places],
        k=axes.k,
        useful={doc for doc, gain in zip(ids, gains, strict=True) if gain > 0},
        groups={doc: names[code] for doc, code in zip(ids, codes, strict=True) if code >= 0},
        quality=quality,
    )


def reranked_run(
    run: Run,
    reranker: Reranker,
    bench: Workbench,
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
            shallow = first_items(run, int(bench.axes.pools.n_retrieved.max(initial=1)))
            policy = PlackettLuce(strength)
            return policy.sample(shallow, depth=depth, n_samples=n_samples, rng=rng)
        case "optimal":
            return sample_marginals(
                bench.axes.pools,
                optimal_exposure(bench, strength),
                bench.axes.attention,
                system=run.system,
                policy=reranker.name,
                alpha=strength,
                depth=depth,
                n_samples=n_samples,
                rng=rng,
            )
        case "fairness-of-exposure":
            return _drawn(run, mixtures(bench, strength), reranker, n_samples, rng)
        case _:
            return _listed(run, orders(reranker, bench, strength, seed=seed), system)


def _listed(run: Run, found: dict[int, Mixture], system: str) -> Run:
    docs: IndexArray = run.docs.copy()
    for query, mixture in found.items():
        start, order = int(run.offsets[query]), mixture.orders[0]
        docs[start : start + order.size] = run.docs[start + order]
    return reordered(run, docs, system)


def _drawn(
    run: Run,
    found: dict[int, Mixture],
    reranker: Reranker,
    n_samples: int,
    rng: np.random.Generator,
) -> RankingSample:
    queries = list(found)
    drawn = [run.docs[int(run.offsets[q]) + found[q].draw(n_samples=n_samples, rng=rng)] for q in queries]
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


N_REPEATS = 5
"""Lists of a random re-ranker whose values are averaged."""

LARGE, N_REPEATS_LARGE = 10_000, 3
"""Candidates from which random re-rankers get fewer repeats and every other strength: all would
keep a person waiting."""

N_DRAWN = 50
"""Rankings drawn of a policy for a measure that reads rankings; points off target need none."""


class GrowingPrices:
    """What every re-ranker costs on one run, as far as it has been computed.

    Attributes:
        run: The candidates.
        axes: How re-rankings are read.
        bench: What re-rankers see.
        today: The run as it stands, a curve of one point.
        n_repeats: Lists of a random re-ranker.
    """

    def __init__(
        self,
        run: Run,
        qrels: Qrels,
        labels: GroupLabels,
        target: Target | Preset,
        *,
        attention: Attention,
        k: int,
        quality: QualityName = "nDCG",
        missing: Missing = "drop",
        judged: bool = False,
        measure: MeasureSpec | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare; only today's lists are read.

        Args:
            run: The candidates of every query (:func:`~.price_files.first_items` of a run).
            qrels: Judgements.
            labels: Groups.
            target: Shares, or what the data set as target.
            attention: How attention falls with rank, cut after k.
            k: Ranks that count.
            quality: What re-ranking may cost.
            missing: What unlabelled documents are.
            judged: Whether re-rankers that can use judgements may look at them.
            measure: Another distance than points off target.
            seed: Of all chance.

        Raises:
            UndefinedError: The measure has no value on these data.
        """
        self.run, self.qrels, self.labels = run, qrels, labels
        self.target: Target | Preset = target
        self.measure, self.seed = measure, seed

        def aligned(queries: Literal["judged", "ranked"]) -> PriceAxes:
            pools = pool(run, qrels, queries=queries)
            return price_axes(pools, labels, target, attention=attention, k=k, quality=quality, missing=missing)

        self.axes = aligned("judged")
        self._aligned = aligned
        pools = self.axes.pools
        point = price_point(self.axes, [one_list_each(ranked_lists(run, pools), pools.docs.size)])
        listed = self._curve(TODAY, [point])
        now = standing(listed, 0, listed)
        gap = largest_gap(now, self.axes.target)
        self.bench = Workbench(axes=self.axes, today=np.nan_to_num(now.shares), judged=judged, protected=gap)
        self.today = self._curve(TODAY, [self._measured(point, [run])])
        self._points: dict[str, dict[int, PricePoint]] = {}
        self._lock = threading.Lock()
        self.n_repeats = N_REPEATS if run.docs.size < LARGE else N_REPEATS_LARGE

    @cached_property
    def whole_bench(self) -> Workbench:
        """The bench with all queries of the run, judged or not: for lists to download."""
        return replace(self.bench, axes=self._aligned("ranked"))

    def advance(self, methods: Sequence[str], *, seconds: float = np.inf) -> bool:
        """Compute missing points until all are there, or the time is up.

        Args:
            methods: Names of re-rankers; those that do not apply are passed over.
            seconds: Time to spend; at least one point is computed.

        Returns:
            Whether every point of these methods is there.
        """
        end = time.monotonic() + seconds
        with self._lock:
            for method, i in self._missing(methods):
                self._compute(method, i)
                if time.monotonic() >= end:
                    return next(self._missing(methods), None) is None
        return True

    def curve(self, method: str) -> PriceCurve | None:
        """A curve through the points that are there, by rising strength; None before the first."""
        points = dict(self._points.get(method, {}))
        if not points:
            return None
        return self._curve(method, [points[i] for i in sorted(points)])

    def share_done(self, methods: Sequence[str]) -> float:
        """Part of the points that are there."""
        asked = [self._order(method) for method in methods]
        done = sum(len(self._points.get(method, {})) for method in methods)
        return done / max(sum(map(len, asked)), 1)

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {one.name: why_not(one, self.bench) for one in RERANKERS if one.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def _order(self, method: str) -> list[int]:
        reranker = next(one for one in RERANKERS if one.name == method)
        if why_not(reranker, self.bench):
            return []
        order = coarse_to_fine(len(strength_of(reranker).grid))
        if reranker.random and self.n_repeats < N_REPEATS:
            order = [i for i in order if not i % 2]
        return [*order[1:2], order[0], *order[2:]]  # full strength is what people ask for first

    def _missing(self, methods: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The coarsest missing points first: every re-ranker gets its n-th before any its next."""
        orders = {method: self._order(method) for method in methods}
        for level in range(max(map(len, orders.values()), default=0)):
            for method, order in orders.items():
                if level < len(order) and order[level] not in self._points.get(method, {}):
                    yield method, order[level]

    def _compute(self, method: str, i: int) -> None:
        reranker = next(one for one in RERANKERS if one.name == method)
        strength = strength_of(reranker).grid[i]
        policies = reranked(reranker, self.bench, strength, n_repeats=self.n_repeats, seed=self.seed)
        point = price_point(self.axes, policies, strength=strength)
        if self.measure is not None:
            seeds = range(self.seed, self.seed + (self.n_repeats if reranker.random else 1))
            lists = [
                reranked_run(self.run, reranker, self.whole_bench, strength, seed=s, n_samples=N_DRAWN) for s in seeds
            ]
            point = self._measured(point, lists)
        self._points.setdefault(method, {})[i] = point

    def _measured(self, point: PricePoint, lists: Sequence[Run | RankingSample]) -> PricePoint:
        """The point on the chosen distance."""
        if self.measure is None:
            return point
        return measured(
            point,
            lists,
            self.measure,
            self.axes.pools.query_ids,
            qrels=self.qrels,
            labels=self.labels,
            target=self.target,
        )

    def _curve(self, method: str, points: Sequence[PricePoint]) -> PriceCurve:
        return PriceCurve(
            system=self.run.system,
            method=method,
            query_ids=self.axes.pools.query_ids,
            points=tuple(points),
        )
