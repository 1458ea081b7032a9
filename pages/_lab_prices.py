"""What the Policy lab knows: price curves as far as they are there, and what a budget buys."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.analysis.price import Standing, largest_gap, queries_without, standing, standings
from fairviz.analysis.price_budget import Bought, ahead, bought, furthest
from fairviz.analysis.price_files import first_items
from fairviz.analysis.price_growing import GrowingPrices
from fairviz.analysis.price_measures import has_ideal, measure_text
from fairviz.analysis.price_rerankers import strength_of
from fairviz.analysis.uncertainty import bootstrap_counts
from fairviz.figures.price_view import POINTS_OFF, SYMBOLS, GroupScale, PriceLine, PriceView
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, FloatArray, MeasureSpec, Target
from fairviz.rerank.catalogue import RERANKERS
from pages._kept import kept
from pages._lab_measures import MEASURES
from pages._lab_settings import LABELS, Aim, Settings

SEED = 0
STRENGTHS = {each.name: strength_of(each) for each in RERANKERS}
SYMBOL_OF = {each.name: SYMBOLS[i % len(SYMBOLS)] for i, each in enumerate(RERANKERS)}
LETTERS = {name: strength.symbol for name, strength in STRENGTHS.items()}


class Results(NamedTuple):
    """All that is shown for one budget.

    Attributes:
        now: Today's lists.
        found: Points of each re-ranker beside them, by name.
        every: What each buys inside the budget.
        best: The nearest of these; None where none is nearer than today.
        far: The nearest point of any at any price.
        refused: Why others do not apply.
        view: The chart.
        group: The group that today's lists leave furthest under its target, "" for none.
        share: Its share today, with the best re-ranker, and its target.
        points: Whether distance is in points of attention.
    """

    now: Standing
    found: dict[str, list[Standing]]
    every: list[Bought]
    best: Bought | None
    far: Standing | None
    refused: dict[str, str]
    view: PriceView
    group: str
    share: tuple[float, float, float]
    points: bool

    @property
    def label(self) -> str:
        """Name of the best re-ranker."""
        return "" if self.best is None else LABELS[self.best.method]


@kept
def prices(loaded: Dataset, chosen: Settings, aim: Aim) -> GrowingPrices:
    """The price curves of one run under one target; shared by all that look at them.

    Raises:
        FairvizError: The chosen distance has no value on these data.
    """
    run = first_items(loaded.runs[chosen.system], chosen.depth)
    return GrowingPrices(
        run,
        loaded.qrels[chosen.judgements],
        loaded.labels[chosen.attribute],
        Target(groups=aim.groups, shares=np.array(aim.shares) / sum(aim.shares)),
        attention=chosen.attention,
        k=chosen.k,
        quality=chosen.quality,
        missing=chosen.unlabelled,
        judged=chosen.judged,
        measure=_measure(loaded, chosen, aim),
        seed=SEED,
    )


def results(growing: GrowingPrices, chosen: Settings, methods: tuple[str, ...], budget: float) -> Results:
    """What there is by now, and what the budget buys; nothing is re-ranked here."""
    today, axes = growing.today, growing.axes
    now = standing(today, 0, today)
    curves = {name: curve for name in methods if (curve := growing.curve(name)) is not None}
    found = {name: standings(curve, today) for name, curve in curves.items()}
    drawn = resamples(len(today.query_ids))
    every = [bought(curve, today, budget=budget, resamples=drawn) for curve in curves.values()]
    best = ahead(every)
    lines = [
        PriceLine.of(
            curve,
            found[name],
            now,
            label=LABELS[name],
            symbol=SYMBOL_OF[name],
            words=[strength_words(name, one.strength) for one in found[name]],
        )
        for name, curve in curves.items()
    ]
    view = PriceView(
        lines=lines,
        today=now.off,
        quality=chosen.quality_label,
        budget=100 * budget,
        ringed={one.method: one.standing.place for one in every if one.standing is not None},
        best="" if best is None else best.method,
        scale=_scale(growing),
    )
    gap = largest_gap(now, axes.target)
    group, share = "", (np.nan, np.nan, np.nan)
    if gap is not None:
        wanted = axes.target[~np.isnan(axes.target).any(axis=1)]
        after = best.standing.shares[gap] if best and best.standing else np.nan
        group = axes.members.groups[gap]
        share = (float(now.shares[gap]), float(after), float(wanted[:, gap].mean()))
    far, points = furthest(list(found.values())), growing.measure is None
    refused = growing.refused(methods)
    return Results(now, found, every, best, far, refused, view, group, share, points)


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a point.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'λ = 0.5'
    """
    return f"{LETTERS[method]} = {strength:g}"


def lacking(growing: GrowingPrices) -> tuple[list[str], list[int], int]:
    """Groups with a share in the target, queries without a candidate of each, and all queries."""
    axes = growing.axes
    wanted = np.nan_to_num(axes.target).max(axis=0, initial=0.0) > 1e-6
    counts = queries_without(axes.without_candidates())
    names = [name for name, asked in zip(axes.members.groups, wanted, strict=True) if asked]
    return names, counts[wanted].tolist(), int((axes.pools.n_retrieved > 0).sum())


@lru_cache(maxsize=2)
def resamples(n_queries: int) -> FloatArray:
    """The resamples of every interval on this page: seed 0."""
    return bootstrap_counts(n_queries, rng=np.random.default_rng(SEED))


def _measure(loaded: Dataset, chosen: Settings, aim: Aim) -> MeasureSpec | None:
    name = MEASURES[chosen.measure]
    if not name:
        return None
    labels = loaded.labels[chosen.attribute]
    group = labels.groups[int(np.argmax(aim.shares[: len(labels.groups)]))]
    text = measure_text(name, k=chosen.k, browsing=chosen.browsing, missing=chosen.unlabelled, group=group)
    return parse_measure(text)


def _scale(growing: GrowingPrices) -> GroupScale:
    spec = growing.measure
    if spec is None:
        return POINTS_OFF
    measure = CATALOGUE[spec.name]
    title = f"distance by {measure.label}@{spec.cutoff}  ↓ nearer"
    ideal = 0.0 if has_ideal(measure) else float("nan")
    return GroupScale(title, ideal=ideal, decimals=3)
