"""The two axes on which re-rankings of one run are compared: off target, and quality.

Everything is read off expected attention, so that a list, a mixture of lists and a policy known by its exposure alone
stand on the same axes, none of them sampled. Points off target are those of Groups & targets: shares of the attention
of all compared queries together, so that the shares that stand beside a distance have that distance.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.kernels.attention import Attention, Discounted
from fairviz.kernels.exposure import exposure_bounds, run_exposure, target_exposure
from fairviz.kernels.grouping import Membership, off_target_share, pooled_shares
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.exposure import attainable, ee_relevance
from fairviz.model import BoolArray, Exposure, FloatArray, IntArray, Mixture, Pools, Resamples
from fairviz.model.arrays import segment_places, segment_rows, segment_sums
from fairviz.points.shares import attention_by_group
from fairviz.points.targets import TargetedSystem, members_of
from fairviz.policies import PlackettLuce, normalised_scores
from fairviz.reranking.amortised import of_best
from fairviz.reranking.candidates import Candidates
from fairviz.stats.bootstrap import UNDEFINED, Interval, percentiles, resampled_means
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.settings import PolicyLabSettings


def points_off(attention: FloatArray, target: FloatArray) -> FloatArray:
    """Points of attention off target, over all queries together.

    Args:
        attention: (…, Q, G) attention on the items of each group.
        target: (G) what they should get.

    Returns:
        100 · ½ Σ_g |share_g − target_g|; NaN without labelled attention.

    Examples:
        >>> round(float(points_off(np.array([[3.0, 0.0], [0.0, 1.0]]), np.full(2, 0.5))), 9)
        25.0
    """
    return 100 * off_target_share(pooled_shares(attention), target)


ExposedPolicy: TypeAlias = Callable[[Attention], Exposure]
"""A distribution over rankings, known by the (M) exact expected attention of every pool row that it gives."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListPolicy:
    """A policy that is written down: rankings of pool rows, each with its chance among those of its query.

    Attributes:
        lists: The rankings.
        chances: (R) chance of each; they sum to 1 within a query.
        n_rows: Rows of the pools.
    """

    lists: RankedLists
    chances: FloatArray
    n_rows: int

    def __call__(self, attention: Attention) -> Exposure:
        """(M) expected attention of every pool row, exact."""
        rows, offsets, _ = self.lists
        sizes = np.diff(offsets)
        weights = attention.weights(int(sizes.max(initial=0)))
        seen = weights[segment_places(offsets)] * np.repeat(self.chances, sizes)
        return np.bincount(rows, seen, minlength=self.n_rows).astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Bench:
    """One run's candidates: how re-rankings of them are read, and what re-rankers see of them.

    Attributes:
        pools: The candidates of each query with the judged items.
        members: Groups of the pool rows.
        target: (G) share of attention that each group should get.
        settings: Ranks that count, attention, what is on the quality axis, whether judgements may be looked at.
        weights: (Q) how often each query is asked, 1 on average; NaN where that is unknown, which leaves the query out.
        today: (G) share of labelled attention that each group has today, over all queries together.
        protected: Group that a re-ranker of one group protects; None where there is no choice.
    """

    pools: Pools
    members: Membership
    target: FloatArray
    settings: PolicyLabSettings
    weights: FloatArray
    today: FloatArray = field(default_factory=lambda: np.empty(0))
    protected: int | None = None

    @property
    def attention(self) -> Attention:
        """How attention falls with rank; it ends after rank k."""
        return Attention(self.settings.browsing, cutoff=self.settings.k)

    def read(self, policy: ExposedPolicy) -> tuple[FloatArray, FloatArray]:
        """(Q, G) attention by group and (Q) quality of a distribution over rankings, both times the query's weight.

        nDCG@k is Σ_d gain_d E[1/log2(rank + 1)] / its largest value over the pool (Järvelin & Kekäläinen 2002),
        undefined where nothing is judged useful. Queries without candidates are undefined.
        """
        exposure = policy(self.attention)
        by_group = attention_by_group(exposure, self.pools, self.members)
        quality = self._ndcg(policy) if self.settings.quality != "EER" else self._ee_relevance(exposure)
        ranked = self.pools.n_retrieved > 0
        weights = np.where(ranked, self.weights, np.nan)
        return by_group * weights[:, None], quality * weights

    def weighted(self, exposure: Exposure) -> Exposure:
        """(M) attention on every pool row times the weight of its query."""
        return exposure * np.repeat(self.weights, self.pools.sizes)

    def _ndcg(self, policy: ExposedPolicy) -> FloatArray:
        discount = Discounted(self.settings.k)
        gains = self.scores if self.settings.quality == "scores" else self.pools.gains
        of_ideal = of_best(gains, self.pools.offsets, discount.weights(self.settings.k))
        has_useful = segment_sums(gains, self.pools.offsets) > 0
        return np.where(has_useful, segment_sums(of_ideal * policy(discount), self.pools.offsets), np.nan)

    def _ee_relevance(self, exposure: Exposure) -> FloatArray:
        target = target_exposure(self.pools, self.attention)
        bounds = exposure_bounds(target, self.pools.offsets, self.attention)
        relevance = ee_relevance(exposure, target, self.pools.offsets)
        return attainable(relevance, *bounds.relevance)

    def plackett_luce(self, alpha: float) -> PlackettLuce:
        """The policy at one α."""
        return PlackettLuce(alpha, self.settings.offset, self.settings.scores)

    @cached_property
    def scores(self) -> FloatArray:
        """(M) scores of the run, 0 … 1 within a query; 0 for what was not ranked."""
        return np.nan_to_num(normalised_scores(self.pools))

    @property
    def usefulness(self) -> FloatArray:
        """(M) what re-rankers may know of usefulness: scores, or where asked for the judged gains."""
        return self.pools.gains if self.settings.judged else self.scores

    def program(
        self, queries: IntArray, members: Sequence[Membership]
    ) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
        """What :func:`amortised` takes of the candidates of some queries.

        Args:
            queries: Places of the queries.
            members: Groups of the pool rows by every attribute of which something is stated.

        Returns:
            Usefulness of each candidate as a part of the best list's; (M, G) its groups; offsets; attention by rank.
        """
        rows, offsets = segment_rows(self.pools.offsets, queries, most=self.pools.n_retrieved[queries])
        attention = self.attention.weights(int(np.diff(offsets).max(initial=1)))
        weights = np.concatenate([each.weights[rows] for each in members], axis=1)
        return of_best(self.usefulness[rows], offsets, attention), weights, offsets, attention

    @cached_property
    def queries(self) -> IntArray:
        """Queries that can be re-ranked: they have candidates."""
        return np.flatnonzero(self.pools.n_retrieved)

    @property
    def orders(self) -> dict[int, Mixture]:
        """Today's order of the candidates of each query that can be re-ranked."""
        sizes: list[int] = self.pools.n_retrieved.tolist()
        return {query: Mixture.of_list(np.arange(sizes[query])) for query in self.queries.tolist()}

    def candidates(self, query: int, target: FloatArray) -> Candidates:
        """What a re-ranker sees of one query."""
        rows = self.rows(query)
        return Candidates(
            weights=self.members.weights[rows].copy(),
            target=target,
            depth=self.settings.k,
            gains=self.pools.gains[rows] if self.settings.judged else None,
        )

    def rows(self, query: int) -> slice:
        """Pool rows of the candidates of one query, best first."""
        start = int(self.pools.offsets[query])
        return slice(start, start + int(self.pools.n_retrieved[query]))

    @cached_property
    def shown(self) -> FloatArray:
        """(Q, G) shares of labelled attention today; those of all queries together where a query shows none."""
        by_group = attention_by_group(run_exposure(self.pools, self.attention), self.pools, self.members)
        totals = by_group.sum(axis=1, keepdims=True)
        mean = np.broadcast_to(self.today, by_group.shape).copy()
        return np.divide(by_group, totals, out=mean, where=totals > 0)

    def targets(self, blend: float = 1.0) -> FloatArray:
        """(Q, G) the target, or a part of the way from each query's shares of today to it."""
        return (1 - blend) * self.shown + blend * self.target


def bench_of(pools: Pools, beside: TargetedSystem, settings: PolicyLabSettings) -> Bench:
    """The candidates of one run on the axes that are set.

    Args:
        pools: The run's candidates with its judgements.
        beside: Groups of documents and their target.
        settings: Ranks, attention, quality; attention on unlabelled documents counts for no group, or they are one.
    """
    members = members_of(pools, beside.of.labels, beside.target, settings.unlabelled)
    alike = np.ones(len(pools.query_ids))
    return Bench(pools=pools, members=members, target=beside.target.shares, settings=settings, weights=alike)


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


# The price of fairness: what each strength of every re-ranker moves on one run, and what that costs in quality.
#
# A *point* holds attention by group and quality of every query at one strength. A *setting* is a point beside today's
# lists: how far attention by group is from the target, the change of mean quality as a part of today's, and how sure
# both are, by a paired expanded percentile bootstrap over queries: every resample recomputes today's values, the
# setting's and what lies between. Lists, mixtures of lists and policies known by their exposure are exact; random
# re-rankers are the mean of a few repeats.
#
# All numbers are over one set of queries, those on which today's lists have both values, as any re-ranking then has:
# shares are of the attention of all of them together, so that a query that shows no labelled document says nothing and
# is not left out.

POINT = 1.0
"""Points of attention that count: less is no movement, and settings less than this apart are alike."""
TODAY = "today"
"""Name of the run as it stands, among methods."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""
LARGE = 10_000
"""Candidates from which a computation for each strength, or step, keeps a person waiting: fewer are done."""
NEARER = 1e-6
"""A setting counts as nearer to the target from this distance on; less is rounding."""

Row: TypeAlias = dict[str, Any]
"""One setting, a strength of a method beside today's lists: a row of :func:`settings_frame` by column."""


class PricePoint(NamedTuple):
    """One strength of a re-ranker.

    Attributes:
        strength: Its value; NaN = the re-ranker has none.
        attention: (Q, G) expected attention on the items of each group, times the query's weight; NaN = undefined.
        quality: (Q) quality, times the query's weight; NaN = undefined.
        n_lists: (Q) lists of which a visitor sees one; 0 = more than can be counted. Empty where nobody asked.
        weights: (Q) how often each query is asked, 1 on average; one value where all are alike.
    """

    strength: float
    attention: FloatArray
    quality: FloatArray
    n_lists: IntArray = np.empty(0, dtype=np.int64)
    weights: FloatArray = np.ones(1)

    @property
    def defined(self) -> BoolArray:
        """(Q) queries that have both shares of attention and quality: those that are compared."""
        return ~(np.isnan(self.quality) | np.isnan(self.attention).any(axis=1))

    @property
    def qualities(self) -> FloatArray:
        """(Q) quality of each query by itself."""
        return self.quality / self.weights

    @property
    def shares(self) -> FloatArray:
        """(Q, G) shares of the labelled attention of each query; NaN where it shows none."""
        return pooled_shares(self.attention[:, None, :])


def price_point(bench: Bench, policies: Sequence[ExposedPolicy], *, strength: float = float("nan")) -> PricePoint:
    """Read one strength of a re-ranker.

    Args:
        bench: How re-rankings are read.
        policies: The re-ranking; several are repeats of a random re-ranker, whose values are
            averaged per query.
        strength: Its strength.
    """
    readings = [bench.read(policy) for policy in policies]
    attention, quality = (np.asarray(np.mean(np.stack(values), axis=0)) for values in zip(*readings, strict=True))
    n_lists = _n_lists(policies, len(bench.pools.query_ids))
    return PricePoint(strength, attention, quality, n_lists, bench.weights)


def setting_beside(method: str, point: PricePoint, now: PricePoint, target: FloatArray) -> Row:
    """One point beside today's lists, over the queries that are compared; without intervals.

    Args:
        method: Name of the re-ranker as typed, or :data:`TODAY`.
        point: Where it is.
        now: The run as it stands, over the same queries.
        target: (G) target shares.

    Returns:
        ``method``, ``strength``; ``off``, points of attention off target, and ``moved``, how much nearer than today
        that is; mean ``quality`` and its ``change`` as a part of today's, NaN where today's is 0; (G) ``shares`` of
        labelled attention; ``n_queries`` in all of these and ``n_undefined`` left out; ``n_worse``, ``n_better``,
        ``n_unchanged``: queries by what happens to their quality; ``n_labelled``: those with labelled attention, today
        and at this point, the ones that say something of shares; whether it ``is_fixed``: every visitor sees the same
        lists; whether it ``is_few``: it rests on too few queries to be compared.
    """
    both = now.defined
    n = int(both.sum())
    before, after = now.quality[both], point.quality[both]
    change = after - before
    n_worse, n_better = int((change < -TIE).sum()), int((change > TIE).sum())
    off, off_today = (float(points_off(each.attention[both], target)) if n else math.nan for each in (point, now))
    mean_before = float(before.mean()) if n else math.nan
    labelled = (now.attention[both].sum(axis=1) > 0) & (point.attention[both].sum(axis=1) > 0)
    n_lists, n_labelled = point.n_lists if point.n_lists.size else np.zeros(1, np.int64), int(labelled.sum())
    return {
        "method": method,
        "strength": point.strength,
        "off": off,
        "moved": off_today - off,
        "quality": float(after.mean()) if n else math.nan,
        "change": float(change.mean()) / mean_before if mean_before > 0 else math.nan,
        "shares": pooled_shares(point.attention[both]),
        "n_queries": n,
        "n_undefined": both.size - n,
        "n_worse": n_worse,
        "n_better": n_better,
        "n_unchanged": n - n_worse - n_better,
        "n_labelled": n_labelled,
        "is_fixed": bool((n_lists == 1).all()),
        "is_few": min(n, n_labelled) < MIN_UNITS,
    }


def largest_gap(now: Row, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (G) target shares.
    """
    if np.isnan(now["shares"]).any():
        return None
    gaps = target - now["shares"]
    group = int(np.argmax(gaps))
    return group if gaps[group] > TIE else None


class Resampled:
    """Today's lists under resampled queries: what every setting of one run is compared with.

    Args:
        now: The run as it stands.
        target: (G) target shares.
        counts: (B, Q) from :func:`~fairviz.stats.bootstrap.bootstrap_counts`.
    """

    def __init__(self, now: PricePoint, target: FloatArray, counts: Resamples) -> None:
        self.now, self.target, self.counts = now, target, counts

    @cached_property
    def _today(self) -> FloatArray:
        return self._shares(self.now)

    def _shares(self, point: PricePoint) -> FloatArray:
        """(B, G) shares of a point in every resample."""
        compared = np.where(self.now.defined[:, None], point.attention, 0.0)
        return pooled_shares((self.counts @ compared)[:, None, :])

    def setting(self, method: str, point: PricePoint) -> Row:
        """A point with its intervals; a value that no resample moves is its own interval.

        Returns:
            As of :func:`setting_beside`, and: a 95 % interval ``change_low`` to ``change_high`` of the change of
            quality; ``ratio``: how much nearer it is, in standard errors over resamples, and (B) ``excess``: the same
            of each resample once the setting's own movement is taken off; (B) ``changes`` of quality in each resample;
            ``worst``: the largest loss of a query, a negative part of today's mean quality, 0 = no query loses; (G)
            ``gains``: changes of each group's share, (G) ``gain_errors``: their standard errors, (B) ``swings``: the
            largest deviation of any group's gain in each resample, in standard errors. All but gains NaN below two
            queries.
        """
        now, row = self.now, setting_beside(method, point, self.now, self.target)
        both, n = now.defined, int(row["n_queries"])
        row |= {"worst": 0.0} | dict.fromkeys(("change_low", "change_high", "ratio"), math.nan)
        gains = row["shares"] - pooled_shares(now.attention[both])
        row |= {"gains": gains, "gain_errors": np.full(self.target.size, np.nan)}
        row |= dict.fromkeys(DRAWN, np.full(len(self.counts), np.nan))
        if n < 2:
            return row
        rows = np.stack([np.where(both, point.quality - now.quality, 0.0), now.quality])
        changes, before = resampled_means(np.nan_to_num(rows), self.counts, np.stack([both, both]))
        today = float(now.quality[both].mean())
        change = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
        shares = self._shares(point)
        gaps = 100 * (off_target_share(self._today, self.target) - off_target_share(shares, self.target))
        # A resample without labelled attention says nothing.
        deviations = np.abs(np.nan_to_num(shares - self._today - gains))
        errors = np.sqrt((deviations**2).mean(axis=0))
        own = float(row["moved"])
        ratio, excess = math.nan, np.full(gaps.size, np.nan)
        if not np.isnan(gaps).any():
            error = max(float(gaps.std()), NEARER)
            ratio, excess = math.copysign(math.inf, own), np.full(gaps.size, -np.inf)
            if gaps.std() > NEARER:  # a mean over its resampled standard error, in normal ones by Student's t
                from scipy.special import ndtri, stdtr  # as long to load as all else: where it is used

                unbiased = own / error * math.sqrt((n - 1) / n)
                ratio, excess = -float(ndtri(stdtr(n - 1.0, -unbiased))), (gaps - own) / error
        worst = min(float(rows[0].min()), 0.0) / today if today > 0 else 0.0
        swings = (deviations / np.where(errors > NEARER, errors, np.inf)).max(axis=1, initial=0.0)
        row["change_low"], row["change_high"] = _interval(change, n)
        row |= {"worst": worst, "ratio": ratio, "gains": gains, "gain_errors": errors}
        return row | {"excess": excess, "changes": change, "swings": swings}


DRAWN = ("excess", "changes", "swings")
"""Columns with a value of each resample."""


def settings_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Settings of :meth:`Resampled.setting`, a row each; values of groups and of resamples are columns of arrays."""
    return pl.DataFrame([pl.Series(key, np.stack([row[key] for row in rows])) for key in rows[0]])


def _n_lists(policies: Sequence[ExposedPolicy], n_queries: int) -> IntArray:
    """(Q) lists of each query: counted where they are written down and every repeat has the same ones."""
    first, *others = policies
    if not isinstance(first, ListPolicy):
        return np.zeros(n_queries, dtype=np.int64)
    for other in others:
        if not isinstance(other, ListPolicy) or not np.array_equal(other.lists.rows, first.lists.rows):
            return np.zeros(n_queries, dtype=np.int64)
    return np.maximum(np.bincount(first.lists.queries, minlength=n_queries), 1)


def _interval(drawn: FloatArray, n_queries: int) -> Interval:
    defined = drawn[~np.isnan(drawn)]
    if not defined.size:
        return UNDEFINED
    if np.ptp(defined) < NEARER:  # every resample is the same
        return Interval(float(defined[0]), float(defined[0]))
    return percentiles(drawn, n_queries).each[0]
