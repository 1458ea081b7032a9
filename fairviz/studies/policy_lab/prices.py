"""What every re-ranker costs on one run under one target, method by method."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import first_items
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.model import RankingSample, Run, Target
from fairviz.points.targeted import Held
from fairviz.reranking.catalogue import RERANKERS, Reranker, find_reranker
from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.bench import Bench, bench_of, group_depths, one_list_each
from fairviz.studies.policy_lab.distances import distance_measure, measured
from fairviz.studies.policy_lab.price import (
    TODAY,
    PricePoint,
    Resampled,
    Setting,
    compared,
    largest_gap,
    price_point,
    setting_beside,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import of_queries, reranked, reranked_run, strength_of, why_not

N_REPEATS = 5
"""Lists of a random re-ranker whose values are averaged."""
LARGE, N_REPEATS_LARGE = 10_000, 3
"""Candidates from which random re-rankers get fewer repeats and every other strength: all would
keep a person waiting."""
N_DRAWN = 50
"""Rankings drawn of a policy for a measure that reads rankings; points off target need none."""


class Prices:
    """What re-rankers cost on one run under one target: of each method nothing before :meth:`compute`, then all of it.

    Attributes:
        held: Run, groups, target.
        settings: Ranks, attention, quality, what re-rankers see, and the seed of all chance.
        measure: Another distance than points off target.
        depths: How deep each query is re-ranked.
        run: The candidates: the run down to there.
        bench: How re-rankings are read, and what re-rankers see.
        today: The run as it stands.
        resampled: The same under resampled queries.
        unlabelled: (Q) attention on items without a label today.
        n_repeats: Lists of a random re-ranker.
    """

    def __init__(self, beside: Held, settings: PolicyLabSettings) -> None:
        """Prepare; only today's lists are read.

        Raises:
            UndefinedError: Something is missing, or the distance has no value on these data.
            UsageError: There is no such distance.
        """
        ranked, qrels, labels = beside.of[:3]
        if not isinstance(ranked, Run) or qrels is None:
            raise UndefinedError("a price needs a scored run and judgements: give RUN and --qrels FILE")
        beside.refuse_one_group()
        shares = np.round(beside.target.shares, 6)  # what nobody can see
        shares /= shares.sum()  # and once more, since rounding leaves a last bit that decides ties
        target = Target(groups=beside.target.groups, shares=shares / shares.sum())
        self.held, self.settings, self.qrels = beside._replace(target=target), settings, qrels
        self.depths = group_depths(self.held, settings)
        self.run = first_items(ranked, self.depths.depths)
        self.measure = distance_measure(labels, target, settings) if settings.distance else None

        bench = bench_of(pool(self.run, qrels), self.held, settings)
        pools, due = bench.pools, bench.target
        lists = one_list_each(ranked_lists(self.run, pools), pools.docs.size)
        point = price_point(bench, [lists])
        self.unlabelled = bench.unlabelled_attention(lists)
        now = setting_beside(TODAY, point, point, due)
        self.bench = replace(bench, today=np.nan_to_num(now.shares), protected=largest_gap(now, due))
        self.today = self._measured(point, [self.run])
        counts = bootstrap_counts(len(pools.query_ids), rng=np.random.default_rng(settings.seed))
        self.resampled = Resampled(self.today, due, counts)
        self._tried: dict[str, list[tuple[PricePoint, Setting]]] = {}
        self._lock = threading.Lock()
        self.n_repeats = N_REPEATS if self.run.docs.size < LARGE else N_REPEATS_LARGE

    @cached_property
    def now(self) -> Setting:
        """Today's lists on the axes."""
        return setting_beside(TODAY, self.today, self.today, self.bench.target)

    @cached_property
    def whole_bench(self) -> Bench:
        """The bench with all queries of the run, judged or not: for lists to download."""
        whole = bench_of(pool(self.run, self.qrels, queries="ranked"), self.held, self.settings)
        return replace(whole, today=self.bench.today, protected=self.bench.protected)

    @property
    def unlabelled_share(self) -> float:
        """Share of today's attention, over the compared queries, on items without a label."""
        where = compared(self.today, self.today)
        rest = float(self.unlabelled[where].sum())
        total = rest + float(self.today.attention[where].sum())
        return rest / total if total > 0 else float("nan")

    def compute(self, methods: Sequence[str]) -> None:
        """Re-rank at every strength by the methods that were not tried yet.

        Args:
            methods: Names of re-rankers; those that do not apply are passed over.
        """
        with self._lock:  # two pages that want the same wait for one
            for reranker in RERANKERS:
                name = reranker.name
                if name not in methods or name in self._tried or why_not(reranker, self.bench):
                    continue
                few = reranker.random and self.n_repeats < N_REPEATS
                grid = strength_of(reranker).grid[:: 2 if few else 1]
                points = [self._point(reranker, strength) for strength in grid]
                self._tried[name] = [(point, self.resampled.setting(name, point)) for point in points]

    def point(self, method: str, strength: float) -> PricePoint | None:
        """The point of a method at a strength; None where it was not tried."""
        return next((point for point, _ in self._tried.get(method, ()) if point.strength == strength), None)

    def tried(self, method: str) -> list[Setting]:
        """What is known of a method beside today's lists, by rising strength; empty where it was not tried."""
        return [setting for _, setting in self._tried.get(method, ())]

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {reranker.name: why_not(reranker, self.bench) for reranker in RERANKERS if reranker.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def is_random(self, method: str, strength: float) -> bool:
        """Whether a random re-ranker shows other lists at each visit: at either end it may not."""
        always_same = any(each.strength == strength and each.is_fixed for each in self.tried(method))
        return find_reranker(method).random and not always_same

    def _point(self, reranker: Reranker, strength: float) -> PricePoint:
        policies = reranked(reranker, self.bench, strength, n_repeats=self.n_repeats, seed=self.settings.seed)
        point = price_point(self.bench, policies, strength=strength)
        if self.measure is None:
            return point
        seeds = range(self.settings.seed, self.settings.seed + (self.n_repeats if reranker.random else 1))
        lists = [reranked_run(self.run, reranker, self.whole_bench, strength, seed=s, n_samples=N_DRAWN) for s in seeds]
        return self._measured(point, lists)

    def _measured(self, point: PricePoint, lists: Sequence[Run | RankingSample]) -> PricePoint:
        """The point on the chosen distance; repeats of a random re-ranker are averaged."""
        if self.measure is None:
            return point
        known, query_ids = ~np.isnan(point.quality) & ~np.isnan(point.attention).any(axis=1), self.bench.pools.query_ids
        queries = {query for query, has in zip(query_ids, known.tolist(), strict=True) if has}
        # One set of queries for distance and quality.
        values = [measured(of_queries(ranked, queries), self.measure, query_ids, self.held) for ranked in lists]
        return point._replace(distance=np.asarray(np.mean(np.stack(values), axis=0)))
