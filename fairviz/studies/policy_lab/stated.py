"""Statements about shares of attention: the policy that holds them all for the least loss, beside today's lists.

A statement bounds the share that a group of any attribute gets of the labelled attention of all compared queries
together: those on which today's lists have shares and quality. The policy is the optimum of
:mod:`fairviz.reranking.amortised` by what it may see, the run's scores or, where asked for, the judgements; all other
queries keep today's list. An exact target is a statement for each of its groups.

By the same usefulness nothing that re-ranks these candidates loses less at the same distance. By judgements another
method can: they are read like those of every method, with the paired bootstrap of :class:`~.price.Resampled`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS
from fairviz.errors import UndefinedError, UsageError
from fairviz.io.stored import first_items
from fairviz.io.targets import read_target_or_bounds
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.grouping import Membership, pooled_shares
from fairviz.kernels.pool import pool
from fairviz.model import (
    BoolArray,
    Dataset,
    FloatArray,
    IntArray,
    Mixture,
    Pools,
    RankingSample,
    Run,
    ShareBounds,
    Target,
)
from fairviz.model.arrays import segment_ids, segment_places, segment_rows
from fairviz.points.reranking import first_lists, sample_of
from fairviz.points.shares import attention_by_group
from fairviz.points.targets import (
    LabelledSystem,
    TargetedSystem,
    bounds_of,
    by_attribute,
    ends_by_attribute,
    exact_bounds,
    labelled,
    members_of,
    named_bounds,
    targeted_system,
)
from fairviz.reranking.amortised import AmortisedPolicy, Statements, amortised
from fairviz.stats.bootstrap import Intervals, bootstrap_counts
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.bench import (
    LARGE,
    ListPolicy,
    Resampled,
    Row,
    as_policy,
    bench_of,
    price_point,
    settings_frame,
)
from fairviz.studies.policy_lab.budget import judged, moved_shares, searched, silence
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings

HOLDS = 5e-4
"""Share of attention by which a statement may be missed and still holds: half of the last digit that is shown."""
ROUNDING = 1e-6
"""Share of attention that is rounding: what is said of a statement under wrong labels has no other tolerance."""
STEPS, STEPS_LARGE = 12, 4
"""Steps from today's distance to none; few where each is a computation of seconds."""


# How deep the candidates of each query go, and which groups no query can show.
#
# Re-ranking cannot add documents, but it can reach further down: where no document of a targeted group is among the
# first ones, the candidates go on until there are as many as the group's share asks for.


class GroupDepths(NamedTuple):
    """How deep one run is re-ranked, for one target.

    Attributes:
        depths: (Q) candidates of each query.
        usual: Candidates of a query unless a group asks for more.
        n_queries: Queries that are counted below: those with candidates, of the ones that are compared.
        n_deeper: How many of them go deeper than usual.
        nowhere: (group, queries that have no candidate of it at any rank) of groups that the target gives a share,
            most first.
    """

    depths: IntArray
    usual: int
    n_queries: int
    n_deeper: int
    nowhere: list[tuple[str, int]]

    @property
    def deepest(self) -> int:
        """The most candidates that a query has."""
        return int(self.depths.max(initial=self.usual))


def group_depths(statements: Sequence[tuple[LabelledSystem, FloatArray]], settings: PolicyLabSettings) -> GroupDepths:
    """Down to where the candidates of each query go, for all attributes together.

    A query with candidates of a targeted group, all of them below the usual depth, goes down to the rank at which it
    has ⌈k · share⌉ of them, or all that there are.

    Args:
        statements: By attribute the whole run, whatever its depth, with its groups and with judgements or none, of
            which queries without any are re-ranked and not counted; (G) share that each group is to get, at least; 0
            asks for none.
        settings: Usual candidates of a query, ranks that count.
    """
    (_, judgements, _, pools, _), usual = statements[0][0], max(settings.candidates, settings.k)
    query, rank = segment_ids(pools.offsets), segment_places(pools.offsets) + 1
    ranked, has = rank <= pools.n_retrieved[query], pools.n_retrieved > 0
    judged = frozenset(judgements.query_ids if judgements else pools.query_ids)
    counted = has & np.array([query_id in judged for query_id in pools.query_ids], dtype=np.bool_)
    depths = np.full(has.size, usual, dtype=np.int64)
    nowhere: list[tuple[str, int]] = []
    groups = ((of.members, group, share) for of, least in statements for group, share in enumerate(least.tolist()))
    for members, group, share in groups:
        if share <= 1e-6:
            continue
        rows = np.flatnonzero(ranked & (members.weights[:, group] > 0))
        counts = np.bincount(query[rows], minlength=has.size)
        if lacking := int((counted & (counts == 0)).sum()):
            nowhere.append((members.groups[group], lacking))
        holders = np.flatnonzero(counts)
        starts = np.cumsum(counts)[holders] - counts[holders]  # its rows by query, best first
        wanted = np.minimum(counts[holders], max(int(np.ceil(settings.k * share - 1e-9)), 1))
        below = rank[rows[starts]] > usual
        deep = np.minimum(rank[rows[starts + wanted - 1]], DEEPEST)
        depths[holders[below]] = np.maximum(depths[holders[below]], deep[below])
    return GroupDepths(
        depths=depths,
        usual=usual,
        n_queries=int(counted.sum()),
        n_deeper=int((counted & (depths > usual)).sum()),
        nowhere=sorted(nowhere, key=lambda row: -row[1]),
    )


class StatedShares(NamedTuple):
    """The groups of one attribute among the candidates, and what is stated of their shares.

    Attributes:
        name: Of the attribute.
        members: Groups of the pool rows.
        low: (G) least share; 0 states nothing.
        high: (G) largest share; 1 states nothing.
        today: (Q, G) attention on the items of each group under today's lists.
    """

    name: str
    members: Membership
    low: FloatArray
    high: FloatArray
    today: FloatArray

    @property
    def is_stated(self) -> bool:
        """Whether anything is stated of a group."""
        return bool((self.low > 0).any() or (self.high < 1).any())


def has_statements(data: Dataset, settings: PolicyLabSettings) -> bool:
    """Whether something other than the exact shares of one attribute is stated."""
    of_file = settings.against is not None and settings.against.target == "file"
    several = data.target is not None and by_attribute(data.target, data.attributes)
    return bool(settings.statements) or (of_file and (data.bounds is not None or several))


def statements_of(data: Dataset, settings: PolicyLabSettings, beside: TargetedSystem) -> ShareBounds | None:
    """What is stated: by the settings, else by a file of least and largest shares, else by a target that was set.

    Args:
        data: With the file's bounds.
        settings: Statements as JSON, or none.
        beside: The target, of which every query has the same shares.

    Returns:
        Bounds by attribute and group; None where nobody stated anything.

    Raises:
        InputError: The statements are malformed.
    """
    against, own = settings.against, beside.of.labels.attribute
    if not has_statements(data, settings):
        return _of_target(beside.target, own) if against is not None and against.is_set(data) else None
    if settings.statements:
        stated = read_target_or_bounds(("--statements", settings.statements.encode()), others_free=True).value
        if isinstance(stated, Target):
            stated = exact_bounds(stated) if by_attribute(stated, data.attributes) else _of_target(stated, own)
    else:
        stated = data.bounds or exact_bounds(cast("Target", data.target))
    return named_bounds(stated, own)


def _of_target(target: Target, attribute: str) -> ShareBounds:
    """Exact bounds of the groups of one attribute."""
    return ShareBounds(
        attributes=(attribute,) * len(target.groups), groups=target.groups, low=target.shares, high=target.shares.copy()
    )


def beside_of(data: Dataset, settings: PolicyLabSettings) -> TargetedSystem:
    """The run with its groups, beside the target of one attribute; equal shares where several are spoken of.

    Raises:
        UndefinedError: There are no labels, or no target for them.
        UsageError: There is no such system.
    """
    against = settings.against
    if against is not None and has_statements(data, settings):
        against = against._replace(target="uniform")
    return targeted_system(data, against, settings.system, settings.judgements, settings.unlabelled)


class Stated:
    """One run under statements: today's lists, the policy of least loss, and the way from the one to the other.

    Attributes:
        beside: The run, and the target of one attribute.
        settings: Ranks, attention, quality, the seed of all chance.
        asked: What is stated; None: nothing.
        is_beyond: Whether that is something other than the exact shares of one attribute.
        depths: How deep each query is re-ranked.
        bench: How lists are read.
        attributes: Every attribute of the data, those of which something is stated first, crossings last of each.
        stated: Attributes of which something is stated; where nothing is, the one that counts.
        queries: Queries that are compared.
        run: The candidates: the run down to their depths.
        qrels: Judgements; None where quality is by scores.
        today: Today's lists.
        weights: How often queries are asked, by their ids; None: all alike.
        unlabelled_share: The largest share of today's attention without a label of an attribute that is stated.
        counts: (B, Q) how often each query is in each resample.
    """

    def __init__(self, data: Dataset, settings: PolicyLabSettings) -> None:
        """Align the statements with the candidates; nothing is re-ranked.

        Raises:
            InputError: The statements are malformed.
            UndefinedError: There are no labels, or no scored run.
            UsageError: An attribute or a group that is stated is not among the labels; no shares keep to the bounds.
        """
        self.beside, self.settings = beside_of(data, settings), settings
        ranked, qrels = self.beside.of.ranked, self.beside.of.qrels
        if not isinstance(ranked, Run):
            raise UndefinedError("a price needs a scored run: give RUN")
        self.beside.refuse_one_group()
        self.asked, self.is_beyond = statements_of(data, settings, self.beside), has_statements(data, settings)
        ends = {} if self.asked is None else ends_by_attribute(self.asked, data.attributes)
        system, own, judgements, unlabelled, _ = self.beside.key
        targets: list[tuple[LabelledSystem, FloatArray]] = []
        for index, labels in enumerate(data.attributes):
            if labels.attribute in ends or (index == own and not ends):
                of = self.beside.of if index == own else labelled(data, system, index, judgements, unlabelled)
                low, _ = bounds_of(labels.attribute, of.members.groups, ends.get(labels.attribute, {}))
                targets.append((of, low if ends else self.beside.target.shares))
        self.depths, self.qrels = group_depths(targets, settings), qrels
        self.run = first_items(ranked, self.depths.depths)
        self.bench = bench_of(pool(self.run, qrels), self.beside, settings)
        pools = self.bench.pools
        lists = as_policy(self.bench.orders, self.bench)
        self.today = price_point(self.bench, [lists])
        self.n_without_quality = int((np.isnan(self.today.quality) & (pools.n_retrieved > 0)).sum())
        self.weights, self._mean = (data.weights if settings.weights == "file" else None), 1.0
        if self.weights is not None:
            of_compared = self.weights_of(pools)[self.today.defined]
            self._mean = float(of_compared[~np.isnan(of_compared)].mean()) if (of_compared > 0).any() else 1.0
            self.bench = replace(self.bench, weights=self.weights_of(pools))
            self.today = price_point(self.bench, [lists])
        self._exposure = self.bench.weighted(lists(self.bench.attention))
        self.attributes: list[StatedShares] = []
        for index, labels in enumerate(data.attributes):
            target = self.beside.target if index == own else None
            members = members_of(pools, labels, target, settings.unlabelled)
            low, high = bounds_of(labels.attribute, members.groups, ends.get(labels.attribute, {}))
            today = attention_by_group(self._exposure, pools, members)
            self.attributes.append(StatedShares(labels.attribute, members, low, high, today))
        own_name = data.attributes[own].attribute
        first = {each.name for each in self.attributes if each.is_stated} or {own_name}
        self.attributes.sort(key=lambda each: each.name not in first)
        self.stated = self.attributes[: len(first)]
        self.queries: IntArray = np.flatnonzero(self.today.defined)
        self.unlabelled_share = max(
            1.0 if np.isnan(share) else share for share in (self.unlabelled(each, self.queries) for each in self.stated)
        )
        self.counts = bootstrap_counts(len(pools.query_ids), rng=np.random.default_rng(settings.seed))
        self._policies: dict[float, AmortisedPolicy] = {}
        self._frontiers: dict[float, pl.DataFrame] = {}

    @property
    def is_census(self) -> bool:
        """Whether the run is one list: what is said of it is exact, and nothing is said of others."""
        return len(self.run.query_ids) == len(self.queries) == 1

    def weights_of(self, pools: Pools) -> FloatArray:
        """(Q) how often each query is asked, 1 on average over those that are compared; NaN where that is unknown."""
        if self.weights is None:
            return np.ones(len(pools.query_ids))
        return np.array([self.weights.get(query, np.nan) for query in pools.query_ids]) / self._mean

    @property
    def n_without_weight(self) -> int:
        """Queries that have candidates and are left out, since nobody knows how often they are asked."""
        return int(np.isnan(self.bench.weights[self.bench.queries]).sum())

    def unlabelled(self, each: StatedShares, queries: IntArray) -> float:
        """Share of today's attention of some queries on items without a label of one attribute; NaN without any."""
        rows, _ = segment_rows(self.bench.pools.offsets, queries)
        rest = float((self._exposure * each.members.unlabelled)[rows].sum())
        total = rest + float(each.today[queries].sum())
        return rest / total if total > 0 else float("nan")

    @cached_property
    def _program(self) -> tuple[FloatArray, FloatArray, IntArray, FloatArray, Statements]:
        """What :func:`amortised` takes of the candidates of the compared queries."""
        statements = Statements.of(*((each.low, each.high) for each in self.stated))
        return *self.bench.program(self.queries, [each.members for each in self.stated]), statements

    @property
    def statements(self) -> Statements:
        """Bounds of the groups of :attr:`stated`, side by side."""
        return self._program[-1]

    def policy(self, slack: float = 0.0) -> AmortisedPolicy:
        """The policy of least loss that misses the statements of each attribute by ``slack`` of attention at most."""
        if slack not in self._policies:
            self._policies[slack] = amortised(*self._program, weights=self.bench.weights[self.queries], slack=slack)
        return self._policies[slack]

    def reached(self) -> TargetedSystem:
        """The run beside the shares of its groups that the policy reaches.

        Where the exact shares of one attribute are all that is stated, or no query can be compared, beside its target.
        """
        if not self.is_beyond or not self.queries.size:
            return self.beside
        own = [each.name for each in self.attributes].index(self.beside.of.labels.attribute)
        (row,) = self.read(self.lists(self.policy(), fixed=False), self.attributes[own : own + 1])
        shares = row["shares"]
        return self.beside._replace(target=replace(self.beside.target, shares=shares / shares.sum()))

    def utility(self, exposure: FloatArray) -> float:
        """What (M) attention on the pool rows is worth, as :attr:`AmortisedPolicy.utility` counts it."""
        pools = self.bench.pools
        rows, _ = segment_rows(pools.offsets, self.queries, most=pools.n_retrieved[self.queries])
        return float(self._program[0] @ self.bench.weighted(exposure)[rows])

    def distance(self, exposure: FloatArray) -> float:
        """Share of attention that has to move until every statement holds, of several attributes the largest.

        Args:
            exposure: (M) attention on the pool rows.
        """
        pools, seen = self.bench.pools, self.bench.weighted(exposure)
        by_attribute = (attention_by_group(seen, pools, each.members)[self.queries] for each in self.stated)
        return self.statements.distance(np.concatenate([pooled_shares(attention) for attention in by_attribute]))

    @cached_property
    def useful_today(self) -> float:
        """Utility of today's lists."""
        return self.utility(run_exposure(self.bench.pools, self.bench.attention))

    @property
    def is_flat(self) -> bool:
        """Whether today's lists have no utility, as where all scores are tied: no order loses by it, none is best."""
        return not self.useful_today > 0

    def by_scores(self, utility: float) -> float:
        """A utility as a change from today's, a part of it; NaN where today's is 0."""
        return float("nan") if self.is_flat else utility / self.useful_today - 1

    def lists(self, policy: AmortisedPolicy | None, *, fixed: bool) -> ListPolicy:
        """The lists of a policy: of compared queries its own, or the likeliest of each; of all others, today's."""
        made = self.bench.orders
        for query, mixture in zip(self.queries.tolist(), () if policy is None else policy.mixtures, strict=False):
            made[query] = Mixture.of_list(mixture.orders[0]) if fixed else mixture
        return as_policy(made, self.bench)

    def read(self, lists: ListPolicy, attributes: Sequence[StatedShares]) -> list[Row]:
        """Attributes under a policy beside today's lists, as of :meth:`Resampled.setting`."""
        after, exposure = price_point(self.bench, [lists]), self.bench.weighted(lists(self.bench.attention))
        rows: list[Row] = []
        for each in attributes:
            shown = attention_by_group(exposure, self.bench.pools, each.members)
            now, then = (
                point._replace(attention=np.where(np.isnan(point.attention[:, :1]), np.nan, attention))
                for point, attention in ((self.today, each.today), (after, shown))
            )
            rows.append(Resampled(now, np.zeros(each.low.size), self.counts).setting("amortised", then))
        return rows

    def frontier(self, budget: float) -> pl.DataFrame:
        """The least loss at each distance from the statements, from today's to the smallest that can be reached.

        Args:
            budget: Part of today's mean quality that may be given up, 0 … 1.

        Returns:
            ``distance`` in points of attention, of several attributes that of the furthest; ``by_scores``, the change
            of utility; ``change`` of quality of the same lists, ``change_low`` to ``change_high``; ``n_lotteries``.
        """
        if budget in self._frontiers:
            return self._frontiers[budget]
        policy, today = self.policy(), self.distance_today
        least = policy.distance if np.isnan(policy.smallest_distance) else policy.smallest_distance
        steps = STEPS if self.bench.pools.docs.size < LARGE else STEPS_LARGE
        slacks = np.linspace(today, least, steps + 1)[:-1].tolist()
        if len(self.stated) > 1 and not np.isnan(policy.smallest_distance):
            slacks.append(least + ROUNDING)  # the policy itself keeps attributes that are nearer nearer
        policies = [*map(self.policy, slacks), policy]
        frame = pl.DataFrame([self._step(each, budget) for each in policies])
        self._frontiers[budget] = frame.unique("distance", keep="last", maintain_order=True)
        return self._frontiers[budget]

    def _step(self, policy: AmortisedPolicy, budget: float) -> Row:
        cost = cost_of(self.read(self.lists(policy, fixed=False), self.attributes[:1])[0], budget)
        changes = {key: cost[key] for key in ("change", "change_low", "change_high")}
        own = {"distance": 100 * policy.distance, "by_scores": self.by_scores(policy.utility)}
        return own | changes | {"n_lotteries": policy.n_lotteries}

    @cached_property
    def distance_today(self) -> float:
        """The distance of today's lists."""
        return self.distance(run_exposure(self.bench.pools, self.bench.attention))


def cost_of(row: Row, budget: float) -> Row:
    """One setting with the interval of its cost, and whether it ``stays`` in a budget; its ``state`` says no more."""
    cost = judged(searched(settings_frame([row]), budget), budget).row(0, named=True)
    return cost | {"state": {"yes": "certain", "no": "over"}.get(cost["stays"], "estimate")}


class StatedOutcome(NamedTuple):
    """What holding the statements does to one run.

    Attributes:
        stated: The run under them.
        budget: Part of today's mean quality that may be given up.
        fixed: Whether every query shows one list to everybody.
        groups: A row for every group, see :func:`_groups`.
        queries: A row for every compared query: ``query_id``; ``n_lists`` that it shows; ``chance`` of the likeliest;
            ``change`` of its quality.
        cost: The change of quality, its interval, queries by what happens to them, as of :func:`cost_of`.
        by_scores: Change of what the policy may see of quality, a part of today's.
        distance: Share of attention that still has to move.
        smallest: The least such share that any policy reaches, where not all statements can hold; else NaN.
        missed: What one list for everybody misses more than a lottery does.
        one_list: The cost of one list for everybody.
        silent: Why nothing is said of cost and movement; empty where something may.
        unit: What is ranked.
    """

    stated: Stated
    budget: float
    fixed: bool
    groups: pl.DataFrame
    queries: pl.DataFrame
    cost: Row
    by_scores: float
    distance: float
    smallest: float
    missed: float
    one_list: Row
    silent: str
    unit: str = DOCUMENTS

    @property
    def is_judged(self) -> bool:
        """Whether quality is by judgements, not by the scores that the policy looks at."""
        return self.stated.settings.quality != "scores"

    @property
    def frontier(self) -> pl.DataFrame:
        """The least loss at each distance, see :meth:`Stated.frontier`."""
        return self.stated.frontier(self.budget)

    @property
    def statements(self) -> pl.DataFrame:
        """The groups of which something is stated."""
        return self.groups.filter("has_statement")

    @property
    def n_lotteries(self) -> int:
        """Queries that show different lists to different visitors."""
        return self.queries.filter(pl.col("n_lists") > 1).height


def stated_outcome(stated: Stated, *, budget: float, fixed: bool, unit: str = DOCUMENTS) -> StatedOutcome:
    """What holding the statements does, for one budget.

    Args:
        stated: The run under them.
        budget: Part of today's mean quality that may be given up, 0 … 1.
        fixed: Whether every query shows one list to everybody: the likeliest of the policy's.
        unit: What is ranked.
    """
    policy = stated.policy() if stated.asked is not None and stated.queries.size else None
    lists = stated.lists(policy, fixed=fixed)
    rows = stated.read(lists, stated.attributes)
    missed, cost = 0.0, cost_of(rows[0], budget)
    one_list = cost
    if policy is not None and policy.n_lotteries:
        alone = lists if fixed else stated.lists(policy, fixed=True)
        missed = max(stated.distance(alone(stated.bench.attention)) - policy.distance, 0.0)
        one_list = cost if fixed else cost_of(stated.read(alone, stated.attributes[:1])[0], budget)
    chances = np.zeros(len(stated.bench.pools.query_ids))
    np.maximum.at(chances, lists.lists.queries, lists.chances)
    point, names = price_point(stated.bench, [lists]), stated.bench.pools.query_ids
    queries = pl.DataFrame(
        {
            "query_id": pl.Series("query_id", [names[query] for query in stated.queries], dtype=pl.String),
            "n_lists": pl.Series(point.n_lists[stated.queries]),
            "chance": pl.Series(chances[stated.queries]),
            "change": pl.Series((point.qualities - stated.today.qualities)[stated.queries]),
        }
    )
    return StatedOutcome(
        stated=stated,
        budget=budget,
        fixed=fixed,
        groups=_groups(stated, policy, rows, budget),
        queries=queries,
        cost=cost,
        by_scores=0.0 if policy is None else stated.by_scores(policy.utility),
        distance=0.0 if policy is None else policy.distance + missed * fixed,
        smallest=np.nan if policy is None else policy.smallest_distance,
        missed=missed,
        one_list=one_list,
        silent=silence(rows[0], stated.unlabelled_share, unit),
        unit=unit,
    )


def wrong_labels(outcome: StatedOutcome, wrong: float, of_groups: Sequence[str] = ()) -> pl.DataFrame:
    r"""Between what the share of each group of stated attributes lies, if a part of the labels were wrong.

    .. math:: a_g (1 - w_g) \le \text{share} \le a_g + \sum_{h \ne g} w_h a_h

    At the lower end every wrong label names the group, at the upper one every document with a wrong label is of it.

    Args:
        outcome: What holding the statements does.
        wrong: Part w of the labels of each group that is wrong, counted by attention, 0 … 1.
        of_groups: Of single groups, GROUP=PERCENT.

    Returns:
        A row for each of these groups, with ``least`` and ``most``, and whether the statement ``still_holds`` at both.

    Raises:
        UsageError: There is no such group.
    """
    rows = outcome.groups.filter("is_stated")
    of = {group: float(number) / 100 for group, _, number in (each.rpartition("=") for each in of_groups)}
    if unknown := sorted(set(of) - set(rows["group"])):
        raise UsageError(f"--wrong-of: {unknown[0]!r} is none of {', '.join(rows['group'])}")
    gone = pl.col("after") * pl.col("group").replace_strict(of, default=wrong, return_dtype=pl.Float64)
    least, most = pl.col("after") - gone, pl.col("after") + gone.sum().over("attribute") - gone
    still = (least >= pl.col("low") - ROUNDING) & (most <= pl.col("high") + ROUNDING)
    return rows.with_columns(least=least, most=most, still_holds=still)


def exchange(outcome: StatedOutcome) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Documents that enter the first k of the list of a census, of its likeliest, and those that leave, best first.

    Args:
        outcome: What holding the statements does, of a run that :attr:`Stated.is_census`.
    """
    stated, query = outcome.stated, int(outcome.stated.queries[0])
    pools, k = stated.bench.pools, stated.settings.k
    docs: list[str] = [pools.doc_ids[doc] for doc in pools.docs[stated.bench.rows(query)].tolist()]
    first: list[int] = stated.policy().mixtures[0].orders[0][:k].tolist() if stated.asked else list(range(k))
    return tuple(docs[at] for at in first if at >= k), tuple(doc for at, doc in enumerate(docs[:k]) if at not in first)


def stated_run(outcome: StatedOutcome, *, n_samples: int) -> Run | RankingSample:
    """Every query of the whole run under the policy that holds the statements, as a file that other tools read.

    Args:
        outcome: What holding the statements does.
        n_samples: Rankings drawn of each query, where some queries show several lists.

    Returns:
        A run where every query shows one list; else a sample of the candidates. Queries that are not compared keep
        today's list, and so do documents below the candidates.
    """
    stated = outcome.stated
    run, policy = cast("Run", stated.beside.of.ranked), stated.policy()
    places = {query_id: index for index, query_id in enumerate(run.query_ids)}
    names: list[str] = outcome.queries["query_id"].to_list()
    by_query = {places[name]: mixture for name, mixture in zip(names, policy.mixtures, strict=True)}
    if outcome.fixed or not outcome.n_lotteries:
        return first_lists(run, by_query, f"{run.system}+statements")
    rng = np.random.default_rng(stated.settings.seed)
    kept = {index: Mixture.of_list(np.arange(n)) for index, n in enumerate(np.diff(run.offsets))}
    drawn = {
        index: int(run.offsets[index]) + mixture.draw(n_samples=n_samples, rng=rng)
        for index, mixture in (kept | by_query).items()
    }
    return sample_of(run, "statements", drawn)


def _groups(stated: Stated, policy: AmortisedPolicy | None, rows: Sequence[Row], budget: float) -> pl.DataFrame:
    """A row for every group of every attribute, those of stated attributes first.

    Intervals of changes hold for all groups of the stated attributes together, and for all groups of all others.

    Returns:
        Columns of :func:`~fairviz.studies.policy_lab.budget.moved_shares`; ``attribute``; ``is_stated``, whether
        something is stated of it, ``has_statement``, of the group itself; ``low``, ``high``; whether the statement
        ``held_today``, and ``holds``; the ``price`` of one more point, a change of quality by scores in percent, NaN
        without a statement or where not all can hold; whether it ``holds_back`` the others; ``n_candidates`` of the
        compared queries with its label, and their ``base``, the sum of its weights times those of the queries.
    """
    n, few = len(stated.stated), min(rows[0]["n_queries"], rows[0]["n_labelled"]) < MIN_UNITS
    sizes = [each.low.size for each in stated.attributes]
    prices, back = np.full(sum(sizes), np.nan), np.zeros(sum(sizes), dtype=np.bool_)
    if policy is not None:
        back[: sum(sizes[:n])] = policy.holding_back
        if np.isnan(policy.smallest_distance) and not stated.is_flat:
            prices[: sum(sizes[:n])] = -np.abs(policy.prices) / stated.useful_today
    swings = [np.max([row["swings"] for row in family], axis=0) for family in (rows[:n], rows[n:]) if family]
    frames: list[pl.DataFrame] = []
    for at, (each, row) in enumerate(zip(stated.attributes, rows, strict=True)):
        cost = searched(settings_frame([row | {"swings": swings[at >= n]}]), budget).row(0, named=True)
        ends = Intervals(np.array(cost["gain_low"]), np.array(cost["gain_high"]))
        after, has = row["shares"], (each.low > 0) | (each.high < 1)
        today, places = after - row["gains"], slice(sum(sizes[:at]), sum(sizes[: at + 1]))
        frames.append(
            moved_shares(each.members.groups, today, after, ends, few=few, exact=stated.is_census).with_columns(
                attribute=pl.lit(each.name),
                is_stated=pl.lit(at < n),
                has_statement=has,
                low=each.low,
                high=each.high,
                held_today=_holds(each, today),
                holds=_holds(each, after),
                price=np.where(has, prices[places], np.nan),
                holds_back=back[places],
                **_candidates(stated, each),
            )
        )
    return pl.concat(frames)


def _holds(each: StatedShares, shares: FloatArray) -> BoolArray:
    return np.asarray((shares >= each.low - HOLDS) & (shares <= each.high + HOLDS))


def _candidates(stated: Stated, each: StatedShares) -> dict[str, IntArray | FloatArray]:
    """(G) candidates of the compared queries that have each label, and what they and their queries weigh."""
    pools, queries = stated.bench.pools, stated.queries
    rows, _ = segment_rows(pools.offsets, queries, most=pools.n_retrieved[queries])
    weights = each.members.weights[rows]
    base = stated.bench.weighted(np.ones(pools.docs.size))[rows] @ weights
    return {"n_candidates": (weights > 0).sum(axis=0).astype(np.int64), "base": base}
