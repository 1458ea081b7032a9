"""What a budget buys: methods along their strengths on one run under one target, and the group that is spoken of.

The page and a report call these, so that a target gives one sentence on both.
"""

from typing import NamedTuple

import numpy as np

from fairviz.display.words import plural
from fairviz.kernels.grouping import Missing, membership, with_unlabelled
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import GroupLabels, Qrels, Run, Target
from fairviz.reranking.catalogue import RERANKERS, find_reranker
from fairviz.studies.policy_lab.axes import GroupDepths, group_depths
from fairviz.studies.policy_lab.budget import NEARER, Outcome, Setting, outcome
from fairviz.studies.policy_lab.columns import LabResults
from fairviz.studies.policy_lab.distances import Distance
from fairviz.studies.policy_lab.findings import Share, group_name, silence
from fairviz.studies.policy_lab.lists import BeforeAfter, ExampleOrder, example_order, query_before_after
from fairviz.studies.policy_lab.price import (
    SharesBeside,
    largest_gap,
    mean_target,
    point_summary,
    shares_beside,
)
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.strengths import strength_of

LABELS = {reranker.name: reranker.label for reranker in RERANKERS}
PLAIN = {reranker.name: reranker.plain for reranker in RERANKERS}
NAMES = {name: f"“{PLAIN[name]}” ({label})" for name, label in LABELS.items()}
"""What sentences call methods: plain words, the name of the paper beside them."""
STRENGTHS = {reranker.name: strength_of(reranker) for reranker in RERANKERS}
LETTERS = {name: strength.symbol for name, strength in STRENGTHS.items()}


class Aim(NamedTuple):
    """A target as plain values."""

    groups: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, target: Target) -> "Aim":
        """The target, rounded to what nobody can see, so that equal ones are found again."""
        return cls(target.groups, tuple(round(share, 6) for share in target.shares.tolist()))

    @property
    def target(self) -> Target:
        """The target again; its shares sum to 1."""
        return Target(groups=self.groups, shares=np.array(self.shares) / sum(self.shares))


class Choices(NamedTuple):
    """What is chosen among what was computed: nothing is re-ranked when it changes.

    Attributes:
        budget: Part of today's mean quality that may be given up.
        fixed: Whether only settings count that show every visitor the same lists.
        methods: Methods that are compared.
    """

    budget: float
    fixed: bool
    methods: tuple[str, ...]


class Results(NamedTuple):
    """All that is shown for one budget.

    Attributes:
        outcome: What the budget buys.
        distance: What off target means.
        refused: Why other methods do not apply.
        share: The group that titles speak of, with the best setting; None where all have their share.
    """

    outcome: Outcome
    distance: Distance
    refused: dict[str, str]
    share: Share | None

    def beside(self, prices: Prices) -> SharesBeside:
        """Shares by group today and with the setting that is proposed; without one the two are alike."""
        best, today = self.outcome.best, prices.today.points[0]
        point, gains = today, None
        if best is not None and best.inside is not None and (curve := prices.curve(best.method)) is not None:
            point, gains = curve.at(best.inside.point.strength), best.inside.gain_ends
        return shares_beside(prices.axes.members.groups, today, point, prices.axes.target, gains)

    def table_results(self, prices: Prices, quality: str) -> LabResults:
        """The same, as tables are made of it."""
        return LabResults(
            system=prices.run.system,
            quality=quality,
            labels=LABELS,
            symbols=LETTERS,
            distance=self.distance,
            outcome=self.outcome,
            refused=self.refused,
            shares=self.beside(prices),
        )


def results(prices: Prices, chosen: Choices, *, group: str = "", is_set: bool = True) -> Results:
    """What the budget buys of the methods that were tried; nothing is re-ranked here.

    Args:
        prices: What was tried.
        chosen: Budget, switch and methods.
        group: The group that a person moved last; else the one furthest under its target is spoken of.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """
    today, axes = prices.today, prices.axes
    now = point_summary(today, 0, today)
    distance = _distance(prices, now.off, is_set=is_set)
    groups = axes.members.groups
    spoken = groups.index(group) if group in groups else largest_gap(now, axes.target)
    tried: dict[str, list[Setting]] = {name: prices.settings(name) for name in chosen.methods}
    found = outcome(
        now,
        tried,
        budget=chosen.budget,
        step=distance.step,
        fixed=chosen.fixed,
        spoken=-1 if spoken is None else spoken,
        silent=silence(now, prices.unlabelled_share),
    )
    share = None
    if spoken is not None and not np.isnan(now.shares).any():
        best = found.best.inside if found.best is not None else None
        after = now.shares if best is None else best.point.shares
        aims = mean_target(axes.target)
        share = Share(groups[spoken], float(now.shares[spoken]), float(after[spoken]), float(aims[spoken]))
    return Results(found, distance, prices.refused(chosen.methods), share)


class ExampleQuery(NamedTuple):
    """The query that stands for a setting, empty where there is none, and the rule that it was chosen by."""

    query: str
    rule: str


MOVED = 0.01
"""Share of the attention of a query that a group must gain there, for the query to be an example of it."""
LOOKED_AT = 20
"""Such queries whose lists are looked at."""


def example_query(prices: Prices, method: str, strength: float, *, spoken: int) -> ExampleQuery:
    """A query in which the raised group gains attention: not the one that shows most, but the one of the median gain.

    The raised group is the one that titles speak of, which is furthest under its target or was moved last, where its
    share of all queries together rises; else the one whose share rises most. A query whose list, as it is shown, does
    not give it more attention is passed over for the next nearest to the median.

    Args:
        prices: What was tried.
        method: Of the setting.
        strength: Of the setting.
        spoken: Place of the group that titles speak of; −1 for none.
    """
    curve = prices.curve(method)
    setting = next((each for each in prices.settings(method) if each.point.strength == strength), None)
    if curve is None or setting is None or not setting.gains.size:
        return ExampleQuery("", "")
    raised = spoken if spoken >= 0 and setting.gains[spoken] > NEARER else int(np.argmax(setting.gains))
    if not setting.gains[raised] > NEARER:
        return ExampleQuery("", "No group gains attention, so there is no example.")
    axes, group = prices.axes, prices.axes.members.groups[raised]
    gained = np.nan_to_num(curve.at(strength).shares - prices.today.points[0].shares)[:, raised]
    gaining = np.flatnonzero((gained > MOVED) & (axes.pools.n_retrieved > 0))
    typical = np.quantile(gained[gaining], 0.5, method="lower") if gaining.size else 0.0
    order: list[int] = gaining[np.argsort(np.abs(gained[gaining] - typical), kind="stable")].tolist()
    reranker, name = find_reranker(method), group_name(group)
    drawn = reranker.random and reranker.order is not None  # looking at one of its lists would draw all of them again
    weights = axes.attention.weights(axes.k)
    rule = f"Of {plural(len(order), 'query', 'queries')} in which {name} gains attention, the one of the median gain"
    for at in order[:LOOKED_AT]:
        query = axes.pools.query_ids[at]
        if drawn or compared_lists(prices, method, strength, query)[0].raises(group, weights):
            return ExampleQuery(query, f"{rule}." if at == order[0] else f"{rule}, or next to it, whose list shows it.")
    return ExampleQuery("", f"No list gives {name} more attention, so there is no example.")


def compared_lists(prices: Prices, method: str, strength: float, query: str) -> tuple[BeforeAfter, ExampleOrder]:
    """One query's list today and the one that stands for a setting."""
    at = prices.axes.pools.query_ids.index(query)
    drawn = example_order(find_reranker(method), prices.bench, strength, at, seed=prices.seed)
    curve = prices.curve(method)
    after = float("nan") if curve is None else float(curve.at(strength).quality[at])
    quality = (float(prices.today.points[0].quality[at]), after)
    return query_before_after(prices.bench, at, drawn.order, quality=quality), drawn


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a name.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'strength 0.5 (λ)'
    """
    return f"strength {strength:g} ({LETTERS[method]})"


def _distance(prices: Prices, now: float, *, is_set: bool) -> Distance:
    spec = prices.measure
    if spec is None:
        return Distance.points(is_set=is_set)
    return Distance.by(CATALOGUE[spec.name], spec.cutoff, now, is_set=is_set)


def depths_under(
    run: Run, judgements: Qrels, labels: GroupLabels, target: Target, *, usual: int, k: int, missing: Missing = "drop"
) -> GroupDepths:
    """How deep each query of the run is re-ranked: further down where a group with a target is not among the first.

    Args:
        run: The run.
        judgements: Queries without any are not compared.
        labels: Groups of documents.
        target: Groups with a share.
        usual: Candidates of a query.
        k: Ranks that count.
        missing: What documents without a label are.
    """
    pools = pool(run, judgements, queries="ranked")
    members = membership(pools, labels, target)
    if missing == "group":
        members = with_unlabelled(members)
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    judged = frozenset(judgements.query_ids)
    return group_depths(
        pools,
        members,
        np.array([named.get(group, 0.0) for group in members.groups]),
        usual=usual,
        k=k,
        compared=np.array([query in judged for query in run.query_ids]),
    )
