"""Re-rankers at a strength, applied to the candidates of one run: as policies, and as whole runs.

Every re-ranker sees what it would see in use: the order and scores of the run, groups, target. It
sees judgements only where asked for ("RJ" of Gao et al. 2022): then its quality is what a perfect
estimate of usefulness would give.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, partial

import numpy as np
import polars as pl

from fairviz.errors import UndefinedError
from fairviz.io.stored import first_items
from fairviz.kernels.attention import Discounted
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.pool import pool
from fairviz.model import Exposure, Mixture, RankingSample, Run, Target
from fairviz.points.curves import Drawing, PolicySettings, PoolAxes, draw_rankings
from fairviz.points.reranking import OF_SCORES, first_lists, sample_of
from fairviz.policies.marginals import drawn_sample
from fairviz.reranking.amortised import Statements, amortised
from fairviz.reranking.catalogue import RERANKERS, Reranker, Strength, find_reranker
from fairviz.reranking.fairness_of_exposure import fairness_of_exposure
from fairviz.studies.policy_lab.bench import (
    LARGE,
    TODAY,
    Bench,
    ExposedPolicy,
    ListPolicy,
    PricePoint,
    Resampled,
    Row,
    as_policy,
    bench_of,
    largest_gap,
    price_point,
    setting_beside,
    settings_frame,
)
from fairviz.studies.policy_lab.stated import Stated, StatedOutcome

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


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a name.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'strength 0.5 (λ)'
    """
    return f"strength {strength:g} ({strength_of(find_reranker(method)).symbol})"


def setting_words(method: str, strength: float) -> str:
    """A method at a strength, as it is written."""
    return f"{find_reranker(method).full_name}, {strength_words(method, strength)}"


def why_not(reranker: Reranker, bench: Bench) -> str:
    """Why a re-ranker cannot be shown on these data; empty where it can."""
    n_groups = bench.target.size
    if reranker.protects_one and n_groups != 2:
        return f"it protects one group against the rest; these labels have {n_groups} groups"
    if reranker.protects_one and bench.protected is None:
        return "it protects the group that is under its target, and none is"
    other = bench.attention != Discounted(bench.settings.k)
    if reranker.name == "optimal" and bench.settings.quality != "EER" and other:
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
    targets = bench.targets(strength if own is None else 1.0)
    return {
        q: Mixture.of_list(reranker.order(bench.candidates(q, targets[q]), **settings))
        for q in (every if queries is None or reranker.random else queries)
    }


def _exposure_mixture(bench: Bench, query: int, slack: float) -> Mixture:
    rows = bench.rows(query)
    n = rows.stop - rows.start
    arguments = (bench.usefulness[rows], bench.members.weights[rows], bench.attention.weights(n))
    policy = fairness_of_exposure(*arguments, constraint="target", target=bench.target, slack=slack)
    if policy.status == "infeasible":
        least = policy.smallest_slack * (1 + 1e-9) + 1e-12  # its own rounding must not refuse it
        policy = fairness_of_exposure(*arguments, constraint="target", target=bench.target, slack=least)
    if policy.status != "optimal":
        raise UndefinedError(f"fairness of exposure has no policy for query {query}")
    return policy.mixture


def _amortised_mixtures(bench: Bench, slack: float) -> dict[int, Mixture]:
    """{query: lottery} of the policy for all queries together; one of unknown weight counts as the mean."""
    exact, weights = Statements.of((bench.target, bench.target)), np.nan_to_num(bench.weights[bench.queries], nan=1.0)
    policy = amortised(*bench.program(bench.queries, [bench.members]), exact, weights=weights, slack=slack)
    return dict(zip(bench.queries.tolist(), policy.mixtures, strict=True))


def optimal_exposure(bench: Bench, alpha: float) -> Exposure:
    """Exposure with the highest mean score at the mean disparity that Plackett–Luce has at α."""
    pools, attention = bench.pools, bench.attention
    fixed = run_exposure(pools, attention)  # its axes count every query on which scores can differ
    exposure = bench.plackett_luce(alpha).exposure(pools, attention)
    axes = PoolAxes.of(pools, PolicySettings(attention=attention, scores=bench.settings.scores), fixed)
    return axes.matched("optimal", axes.curve([exposure], "").mean_disparity)[0]


# A chosen re-ranking as whole runs, to measure or to download.


def reranked_run(
    run: Run, reranker: Reranker, bench: Bench, strength: float, *, seed: int, n_samples: int
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
            rankings = dict(drawing.of(bench.pools, optimal_exposure(bench, strength), rng))
            return drawn_sample(bench.pools, rankings, system=run.system, tag=run.tag, source=run, **drawing.made)
        return draw_rankings(first_items(run, int(bench.pools.n_retrieved.max(initial=1))), drawing, rng=rng)
    by_query = mixtures(reranker, bench, strength, seed=seed)
    if reranker.is_policy:
        drawn = {q: int(run.offsets[q]) + mixture.draw(n_samples=n_samples, rng=rng) for q, mixture in by_query.items()}
        return sample_of(run, reranker.name, drawn)
    system = f"{run.system}+{reranker.name}({strength_of(reranker).option}={strength:g})"
    return first_lists(run, by_query, system)


# Every re-ranker on one run under one target, method by method.


N_REPEATS, N_REPEATS_LARGE = 5, 3
"""Lists of a random re-ranker whose values are averaged; of :data:`LARGE` runs fewer, and every other strength: all
would keep a person waiting."""


CROSSES = {"method": pl.String} | dict.fromkeys(("distance", "by_scores", "change"), pl.Float64)
"""Columns of other methods on the picture of the least loss."""


def sight(outcome: StatedOutcome) -> tuple[float, float, float]:
    """How far the picture of the least loss goes: points of attention missing at its left end; lower and upper end, %.

    From today's distance, down to twice the loss or twice the budget, up to all intervals' ends.
    """
    line = outcome.frontier
    lows = 100 * line.select("by_scores", "change", "change_low").to_numpy()
    deep, high = np.nanmin(lows[:, :2]), float(100 * np.nanmax(line["change_high"].to_numpy()))
    floor = min(2 * deep, -200 * outcome.budget, -1.0)
    low = max(floor, float(np.fmin(np.nanmin(lows[:, 2]), deep)))
    return 1.04 * max(float(line["distance"][0]), 1.0), low - 0.5, max(high, 1.0) + 0.5


def in_sight(outcome: StatedOutcome, crosses: pl.DataFrame) -> pl.DataFrame:
    """The methods, as of :meth:`Prices.crosses`, that have a place on the picture."""
    furthest, lowest, _ = sight(outcome)
    return crosses.filter(pl.col("distance") <= furthest, 100 * pl.col("by_scores") >= lowest)


class Prices:
    """What re-rankers cost on one run under one target: of each method nothing before :meth:`compute`, then all of it.

    Attributes:
        stated: The run and its candidates.
        targeted: Run, groups, target.
        settings: Ranks, attention, quality, what re-rankers see, and the seed of all chance.
        bench: How re-rankings are read, and what re-rankers see.
        today: The run as it stands.
        now: The same on the axes.
        resampled: The same under resampled queries.
        n_repeats: Lists of a random re-ranker.
    """

    def __init__(self, stated: Stated) -> None:
        """Prepare; nothing is re-ranked.

        Args:
            stated: The run and its candidates; methods aim at the shares that its statements lead to, else at its
                target.
        """
        beside, self.stated, self.settings = stated.reached(), stated, stated.settings
        shares = np.round(beside.target.shares, 6)  # what nobody can see
        shares /= shares.sum()  # and once more, since rounding leaves a last bit that decides ties
        target = Target(groups=beside.target.groups, shares=shares / shares.sum())
        self.targeted, self.today = beside._replace(target=target), stated.today
        self.now = setting_beside(TODAY, self.today, self.today, target.shares)
        fields = {"today": np.nan_to_num(self.now["shares"]), "protected": largest_gap(self.now, target.shares)}
        self.bench = replace(stated.bench, target=target.shares, **fields)
        self.resampled = Resampled(self.today, target.shares, stated.counts)
        self._tried: dict[str, pl.DataFrame] = {}
        self._points: dict[tuple[str, float], PricePoint] = {}
        self._crosses: dict[tuple[str, float], tuple[float, float]] = {}
        self._lock = threading.Lock()
        self.n_repeats = N_REPEATS if stated.run.docs.size < LARGE else N_REPEATS_LARGE

    @cached_property
    def whole_bench(self) -> Bench:
        """The bench with all queries of the run, judged or not: for lists to download."""
        whole = bench_of(pool(self.stated.run, self.stated.qrels, queries="ranked"), self.targeted, self.settings)
        fields = {"today": self.bench.today, "protected": self.bench.protected}
        return replace(whole, weights=self.stated.weights_of(whole.pools), **fields)

    @property
    def unlabelled_share(self) -> float:
        """Share of today's attention, over the compared queries, on items without a label."""
        own = next(each for each in self.stated.attributes if each.name == self.targeted.of.labels.attribute)
        return self.stated.unlabelled(own, self.stated.queries)

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
                points = {(name, strength): self._point(reranker, strength) for strength in grid}
                self._tried[name] = settings_frame([self.resampled.setting(name, each) for each in points.values()])
                self._points |= points

    def point(self, method: str, strength: float) -> PricePoint | None:
        """The point of a method at a strength; None where it was not tried."""
        return self._points.get((method, strength))

    def tried(self, *methods: str) -> pl.DataFrame:
        """What is known of methods beside today's lists, by rising strength; no rows where none was tried."""
        return pl.concat([self._none, *(self._tried[name] for name in methods if name in self._tried)])

    @cached_property
    def _none(self) -> pl.DataFrame:
        return settings_frame([self.resampled.setting(TODAY, self.today)]).clear()

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {reranker.name: why_not(reranker, self.bench) for reranker in RERANKERS if reranker.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def crosses(self, reaches: Sequence[Row]) -> pl.DataFrame:
        """Where the shown setting of each method stands on the picture of the least loss.

        Args:
            reaches: As of :func:`~fairviz.studies.policy_lab.budget.reach`.

        Returns:
            ``method``; ``distance`` from the statements in points of attention; ``by_scores``, the change of what
            methods may see of quality; ``change`` of quality.
        """
        shown = [reach["shown"] for reach in reaches if reach["shown"]]
        self.compute([setting["method"] for setting in shown])
        points = [self._crosses[setting["method"], setting["strength"]] for setting in shown]
        rows = [(setting["method"], *point, setting["change"]) for setting, point in zip(shown, points, strict=True)]
        return pl.DataFrame(rows, schema=CROSSES, orient="row")

    def is_random(self, method: str, strength: float) -> bool:
        """Whether a random re-ranker shows other lists at each visit: at either end it may not."""
        always_same = self.tried(method).filter(pl.col("strength") == strength, "is_fixed").height > 0
        return find_reranker(method).random and not always_same

    def _point(self, reranker: Reranker, strength: float) -> PricePoint:
        made = reranked(reranker, self.bench, strength, n_repeats=self.n_repeats, seed=self.settings.seed)
        # What is known by its exposure is computed once for each attention, though it is read twice.
        policies = [policy if isinstance(policy, ListPolicy) else cache(policy) for policy in made]
        exposure = np.mean([policy(self.bench.attention) for policy in policies], axis=0)
        by_scores = self.stated.by_scores(self.stated.utility(exposure))
        self._crosses[reranker.name, strength] = 100 * self.stated.distance(exposure), by_scores
        return price_point(self.bench, policies, strength=strength)
