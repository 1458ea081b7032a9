"""What the Policy lab is asked, and what it knows: price curves as far as they are there, and what a budget buys."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.groups import Missing, membership, with_unlabelled
from fairviz.metrics.catalogue import CATALOGUE, GROUP_MEASURES
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, FloatArray, MeasureSpec, Run, Target
from fairviz.pool import pool
from fairviz.rerank.catalogue import RERANKERS
from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.axes import QualityName
from fairviz.studies.policy_lab.budget import LAST_DIGIT, Purchase, corrected, furthest, nearest, purchase
from fairviz.studies.policy_lab.depth import GroupDepths, group_depths
from fairviz.studies.policy_lab.distances import has_ideal, measure_text
from fairviz.studies.policy_lab.figures import POINTS_OFF, SYMBOLS, GroupScale, PriceLine, PriceView
from fairviz.studies.policy_lab.findings import shows_at_random, silence
from fairviz.studies.policy_lab.lists import first_items
from fairviz.studies.policy_lab.price import PointSummary, largest_gap, point_summaries, point_summary
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from fairviz.studies.policy_lab.strengths import strength_of
from fairviz.studies.policy_lab.tables import LabResults
from pages._groups.results import BROWSING, MISSING
from pages._kit.cache import cached
from pages._kit.controls import AS_PUBLISHED, ScorePolicy, choose_cutoff, choose_judgements, choose_place, choose_policy
from pages._kit.target_presets import first_attribute

POINTS = "points of attention off target"
MEASURES: dict[str, str] = {POINTS: ""} | {
    f"{measure.label}: {measure.title}": measure.name for measure in GROUP_MEASURES
}
"""Name on the page -> name of the measure; the first is ½ L1 of all queries together, in points."""

K = 10
DEPTH = 100
"""Candidates per query that are re-ranked, unless more are asked for."""
DECIMALS = 3
"""Of a distance by another measure."""
QUALITIES: dict[str, QualityName] = {"nDCG": "nDCG", "EE-R": "EER"}
FIRST = (
    "det-greedy",
    "det-cons",
    "det-const-sort",
    "fair-epsilon-greedy",
    "fa-ir",
    "fairness-of-exposure",
    "plackett-luce",
)
"""Re-rankers that are shown before anything is chosen: the others repeat one of them, or look at
no group."""
LABELS = {reranker.name: reranker.label for reranker in RERANKERS}

SEED = 0
STRENGTHS = {reranker.name: strength_of(reranker) for reranker in RERANKERS}
SYMBOL_OF = {reranker.name: SYMBOLS[i % len(SYMBOLS)] for i, reranker in enumerate(RERANKERS)}
AT_RANDOM = frozenset(reranker.name for reranker in RERANKERS if shows_at_random(reranker))
"""Re-rankers of which two visits to one query may see different lists."""
LETTERS = {name: strength.symbol for name, strength in STRENGTHS.items()}


class Settings(NamedTuple):
    """What is computed; plain values, so that it is the key of what is remembered.

    Attributes:
        system, attribute, judgements: Indices into the data.
        k: Ranks that count.
        depth: Candidates of each query that are re-ranked.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        quality: What re-ranking may cost.
        judged: Whether re-rankers that can use judgements may look at them.
        measure: Group measure on the other axis, by its name on the page.
        policy: How scores become a policy, for Plackett–Luce and the optimal policy.
    """

    system: int
    attribute: int
    judgements: int
    k: int
    depth: int
    browsing: Browsing
    unlabelled: Missing
    quality: QualityName
    judged: bool
    measure: str
    policy: ScorePolicy = AS_PUBLISHED

    @property
    def attention(self) -> Attention:
        """How attention falls with rank, down to k."""
        return attention(self.browsing, cutoff=self.k)

    @property
    def quality_label(self) -> str:
        """Name of the quality measure."""
        return f"{'nDCG' if self.quality == 'nDCG' else 'EE-R'}@{self.k}"


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


def settings(loaded: Dataset) -> Settings:
    """The row of controls."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        system = choose_place("System", [run.system for run in loaded.runs], "system", width=210)
        names = [labels.attribute for labels in loaded.labels]
        attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=150)
        k = choose_cutoff("Cutoff k", usual=K, most=1000)
        quality = (
            st.segmented_control(
                "Quality",
                list(QUALITIES),
                default="nDCG",
                required=True,
                key="lab_quality",
                help="nDCG: gains discounted by rank over the best list. EE-R: expected exposure of "
                "useful documents, scaled to what any order could reach.",
            )
            or "nDCG"
        )
        depth, browsing, unlabelled, measure, judged, judgements, policy = _further(loaded, loaded.runs[system])
    return Settings(
        system=system,
        attribute=attribute,
        judgements=judgements,
        k=k,
        depth=max(depth, k),
        browsing=browsing,
        unlabelled=unlabelled,
        quality=QUALITIES[quality],
        judged=judged,
        measure=measure,
        policy=policy,
    )


def methods() -> tuple[str, ...]:
    """The re-rankers to compare, in the order of the catalogue."""
    selection = st.multiselect(
        "Re-rankers",
        list(LABELS),
        default=list(FIRST),
        key="lab_methods",
        format_func=lambda name: LABELS[name],
        placeholder="Choose at least one",
        help="\n\n".join(f"**{reranker.label}**: {reranker.summary}" for reranker in RERANKERS),
    )
    return tuple(name for name in LABELS if name in selection)


def budget() -> float:
    """Part of today's quality that may be given up."""
    percent = st.slider(
        "Largest acceptable loss of quality",
        0.5,
        20.0,
        3.0,
        0.5,
        format="%g %%",
        key="lab_budget",
        help="Of today's mean quality. It only decides which point is ringed: nothing is computed anew.",
    )
    return float(percent) / 100


def _further(loaded: Dataset, run: Run) -> tuple[int, Browsing, Missing, str, bool, int, ScorePolicy]:
    with st.popover("More", icon=":material/tune:", width="content"):
        judgements = choose_judgements(loaded, run, width=260)
        depth = st.number_input(
            "Candidates per query",
            2,
            1000,
            DEPTH,
            key="lab_depth",
            bind="query-params",
            help="Only the first so many documents are re-ranked; the rest keeps its order below.",
        )
        browsing = st.selectbox(
            "Attention by rank",
            list(BROWSING),
            format_func=lambda name: BROWSING[name],
            key="browsing",
        )
        unlabelled = (
            st.segmented_control(
                "Documents without a label",
                list(MISSING),
                default="leave out",
                key="unlabelled",
                required=True,
                bind="query-params",
            )
            or "leave out"
        )
        measure = st.selectbox("Distance from the target", list(MEASURES), key="lab_measure")
        judged = st.toggle(
            "Let re-rankers see the judgements",
            key="lab_judged",
            help="FAIR ε-greedy, α-DCG greedy and fairness of exposure can use known usefulness. "
            "Off, they know scores and order alone, as in use.",
        )
        policy = choose_policy()
    return int(depth), browsing, MISSING[unlabelled], str(measure), judged, judgements, policy


# Price curves, and what a budget buys.


class Results(NamedTuple):
    """All that is shown for one budget.

    Attributes:
        now: Today's lists.
        summaries: Points of each re-ranker beside them, by name.
        purchases: What each achieves within the budget.
        best: The nearest of these; None where none is nearer than today.
        far: The nearest point of any at any price.
        refused: Why others do not apply.
        view: The chart.
        group: The group that today's lists leave furthest under its target, "" for none.
        share: Its share today, with the best re-ranker, and its target.
        points: Whether distance is in points of attention.
        silent: Why nothing may be claimed of these data; empty where something may.
    """

    now: PointSummary
    summaries: dict[str, list[PointSummary]]
    purchases: list[Purchase]
    best: Purchase | None
    far: PointSummary | None
    refused: dict[str, str]
    view: PriceView
    group: str
    share: tuple[float, float, float]
    points: bool
    silent: str

    @property
    def label(self) -> str:
        """Name of the best re-ranker."""
        return "" if self.best is None else LABELS[self.best.method]


@cached
def progressive_prices(loaded: Dataset, settings: Settings, aim: Aim) -> ProgressivePrices:
    """The price curves of one run under one target; shared by all that look at them.

    Raises:
        FairvizError: The chosen distance has no value on these data.
    """
    run = first_items(loaded.runs[settings.system], settings.depth)
    return ProgressivePrices(
        run,
        loaded.qrels[settings.judgements],
        loaded.labels[settings.attribute],
        aim.target,
        attention=settings.attention,
        k=settings.k,
        quality=settings.quality,
        missing=settings.unlabelled,
        judged=settings.judged,
        measure=_measure(loaded, settings, aim),
        scores=settings.policy.scores,
        offset=settings.policy.offset,
        seed=SEED,
    )


def results(prices: ProgressivePrices, settings: Settings, methods: tuple[str, ...], budget: float) -> Results:
    """What there is by now, and what the budget buys; nothing is re-ranked here."""
    today, axes = prices.today, prices.axes
    now, points = point_summary(today, 0, today), prices.measure is None
    silent = silence(now, prices.unlabelled_share)
    curves = {name: curve for name in methods if (curve := prices.curve(name)) is not None}
    summaries = {name: point_summaries(curve, today) for name, curve in curves.items()}
    drawn = resamples(len(today.query_ids))
    digit = LAST_DIGIT if points else 10.0**-DECIMALS
    bought = [purchase(curve, today, budget=budget, resamples=drawn, digit=digit) for curve in curves.values()]
    purchases = corrected(bought, list(curves.values()), today, drawn)
    best = None if silent else nearest(purchases)
    lines = [
        PriceLine.of(
            curve,
            summaries[name],
            now,
            label=LABELS[name],
            symbol=SYMBOL_OF[name],
            words=[strength_words(name, summary.strength) for summary in summaries[name]],
        )
        for name, curve in curves.items()
    ]
    inside = {} if silent else {each.method: each.point.place for each in purchases if each.point is not None}
    view = PriceView(
        lines=lines,
        today=now.off,
        quality=settings.quality_label,
        budget=100 * budget,
        ringed=inside,
        best="" if best is None else best.method,
        scale=_scale(prices),
        certain=frozenset(each.method for each in purchases if each.is_certain),
    )
    gap = largest_gap(now, axes.target)
    group, share = "", (np.nan, np.nan, np.nan)
    if gap is not None:
        targets = axes.target[~np.isnan(axes.target).any(axis=1)]
        after = best.point.shares[gap] if best and best.point else np.nan
        group = axes.members.groups[gap]
        share = (float(now.shares[gap]), float(after), float(targets[:, gap].mean()))
    far = None if silent else furthest(list(summaries.values()))
    refused = prices.refused(methods)
    return Results(now, summaries, purchases, best, far, refused, view, group, share, points, silent)


def purchase_results(results: Results, quality: str) -> LabResults:
    """What the budget buys, as tables are made of it."""
    return LabResults(
        labels=LABELS,
        symbols=LETTERS,
        purchases=results.purchases,
        best=results.best,
        refused=results.refused,
        budget=f"{results.view.budget:g} % of {quality}",
        points=results.points,
        silent=results.silent,
        at_random=AT_RANDOM,
    )


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a point.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'λ = 0.5'
    """
    return f"{LETTERS[method]} = {strength:g}"


@cached
def depths_of(loaded: Dataset, settings: Settings, aim: Aim) -> GroupDepths:
    """Where the whole run has candidates of the groups, whatever is re-ranked of it."""
    pools = pool(loaded.runs[settings.system], loaded.qrels[settings.judgements], queries="judged")
    target = aim.target
    members = membership(pools, loaded.labels[settings.attribute], target)
    if settings.unlabelled == "group":
        members = with_unlabelled(members)
    shares = np.array(
        [dict(zip(target.groups, target.shares.tolist(), strict=True)).get(g, 0.0) for g in members.groups]
    )
    return group_depths(pools, members, shares, depth=settings.depth, k=settings.k)


@lru_cache(maxsize=2)
def resamples(n_queries: int) -> FloatArray:
    """The resamples of every interval on this page: seed 0."""
    return bootstrap_counts(n_queries, rng=np.random.default_rng(SEED))


def _measure(loaded: Dataset, settings: Settings, aim: Aim) -> MeasureSpec | None:
    name = MEASURES[settings.measure]
    if not name:
        return None
    labels = loaded.labels[settings.attribute]
    group = labels.groups[int(np.argmax(aim.shares[: len(labels.groups)]))]
    text = measure_text(name, k=settings.k, browsing=settings.browsing, missing=settings.unlabelled, group=group)
    return parse_measure(text)


def _scale(prices: ProgressivePrices) -> GroupScale:
    spec = prices.measure
    if spec is None:
        return POINTS_OFF
    measure = CATALOGUE[spec.name]
    title = f"distance by {measure.label}@{spec.cutoff}  ↓ nearer"
    ideal = 0.0 if has_ideal(measure) else float("nan")
    return GroupScale(title, ideal=ideal, decimals=DECIMALS)
