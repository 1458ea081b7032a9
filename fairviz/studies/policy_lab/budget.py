"""What a budget of quality buys: of each method the nearest setting inside it, and what may be said of that.

A setting is one strength of one method. Its cost is the change of mean quality, as a part of today's, with a paired
expanded percentile bootstrap over queries: every resample recomputes today's values, the setting's and what lies
between. A verdict has two parts, each from its own test: it *moves* where it is nearer than today after a look at every
setting that was tried, and it *stays in budget* where the low end of an interval widened for all of them does
(:func:`searched`), since people look for the nearest and the cheapest; else nobody can tell. A movement of less than a
point of attention is none, and of settings less than a point apart the surer, then the cheaper counts. Nothing is
re-ranked or resampled when a budget moves.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.kernels.grouping import off_target_share, pooled_shares
from fairviz.model import BoolArray, FloatArray, Resamples
from fairviz.stats.bootstrap import UNDEFINED, Interval, Intervals, percentiles, resampled_means
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.policy_lab.price import (
    PointSummary,
    PriceCurve,
    PricePoint,
    compared,
    point_distance,
    point_summary,
)

NEARER = 1e-6
"""A setting counts as nearer to the target from this distance on; less is rounding."""
POINT = 1.0
"""Points of attention that count: less is no movement, and settings less than this apart are alike."""
MATERIAL = 0.05
"""The same for another measure, which has no points: part of the way to the target."""
MERGED = 0.5
"""Part of that below which settings of the frontier are one."""

Lack: TypeAlias = Literal["", "none", "few", "apart"]
"""Why no setting of a method counts: none is noticeably nearer than today, or those that are rest on too few queries or
on others than today's."""
Mark: TypeAlias = Literal["certain", "estimate", "over"]
"""How a setting is drawn: it moves and stays in budget, one of the two cannot be told, or it is over the budget."""
State: TypeAlias = Mark | Literal["none"]
"""That of a method's setting; none where no setting is noticeably nearer."""


class Verdict(NamedTuple):
    """What may be said of a setting: headline, row, chart and brief have these words.

    Attributes:
        moves: Whether it is significantly nearer than today; else nobody can tell.
        stays: Whether its cost is inside the budget: "no" where its whole interval is over it, "unlikely" where its
            estimate is and the interval reaches inside.
    """

    moves: bool
    stays: Literal["yes", "no", "unlikely", "cannot tell"]

    @property
    def state(self) -> Mark:
        """Both in one."""
        if self.over:
            return "over"
        return "certain" if self.moves and self.stays == "yes" else "estimate"

    @property
    def over(self) -> str:
        """That it is over budget, and whether by estimate alone; empty where it is not."""
        return {"no": "over budget", "unlikely": "over budget by estimate"}.get(self.stays, "")

    @property
    def unsure(self) -> str:
        """What cannot be told; empty for nothing."""
        open_ = [*([] if self.moves else ["moves"]), *(["stays in budget"] if self.stays == "cannot tell" else [])]
        return f"cannot tell whether it {' or '.join(open_)}" if open_ else ""

    @property
    def words(self) -> str:
        """Both answers in words."""
        stays = "stays in budget" if self.stays == "yes" else self.over
        moves = "moves" if self.moves else ""
        parts = [moves, self.unsure, stays] if not moves or stays else [moves, self.unsure]
        return ", ".join(part for part in parts if part)


class Setting(NamedTuple):
    """One strength of one method beside today's lists, and how sure one can be of it.

    Attributes:
        point: Where it is and what it costs.
        change: 95 % interval of the change of quality, as a part of today's; NaN below two queries.
        moved: 95 % interval of how much nearer it is; NaN also for a measure without values per query.
        n_lists: Fewest and most lists per query of which a visitor sees one; 0 = more than can be counted.
        ratio: How much nearer, in standard errors over resamples; NaN where nothing is resampled.
        excess: (B) the same of each resample once the setting's own movement is taken off.
        changes: (B) the change of quality in each resample; empty below two queries.
        worst: The largest loss of a query, a negative part of today's mean quality; 0 = no query loses.
        gains: (G) change of each group's share of attention; empty below two queries.
        gain_errors: (G) their standard errors over resamples.
        swings: (B) the largest deviation of any group's gain in each resample, in standard errors.
        gain_ends: (G) intervals of the gains, for all groups and settings together; empty before these are known.
        p: Of its being nearer than today, corrected for every setting that was tried; NaN = not tested.
    """

    point: PointSummary
    change: Interval
    moved: Interval
    n_lists: tuple[int, int]
    ratio: float
    excess: FloatArray
    changes: FloatArray = np.empty(0)
    worst: float = 0.0
    gains: FloatArray = np.empty(0)
    gain_errors: FloatArray = np.empty(0)
    swings: FloatArray = np.empty(0)
    gain_ends: Intervals = Intervals(np.empty(0), np.empty(0))
    p: float = math.nan

    @property
    def is_fixed(self) -> bool:
        """Whether every visitor sees the same lists."""
        return self.n_lists == (1, 1)

    @property
    def counts(self) -> bool:
        """Whether it can be compared: over today's queries, and enough of them."""
        return not self.point.is_apart and not self.point.is_few

    @property
    def is_further(self) -> bool:
        """Whether it is further from the target than today's lists."""
        return self.point.moved < -NEARER

    def is_inside(self, budget: float) -> bool:
        """Whether it costs no more than the budget by its estimate."""
        return self.point.change >= -budget - NEARER

    def verdict(self, budget: float) -> Verdict:
        """What may be said of it under a budget."""
        sure = self.change.low >= -budget - NEARER
        over = "unlikely" if self.change.high >= -budget else "no"
        return Verdict(self.p < SIGNIFICANCE, "yes" if sure else "cannot tell" if self.is_inside(budget) else over)


class Resampled:
    """Today's lists under resampled queries: what every setting of one run is compared with.

    Args:
        today: The run as it stands.
        counts: (B, Q) from :func:`~fairviz.stats.bootstrap.bootstrap_counts`.
    """

    def __init__(self, today: PriceCurve, counts: Resamples) -> None:
        self.today, self.counts = today, counts
        self._now = today.points[0]

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        return self._resampled(self._now, compared(self._now, self._now), self.today)

    def _resampled(self, point: PricePoint, both: BoolArray, curve: PriceCurve) -> tuple[FloatArray, FloatArray]:
        """(B, G) shares and (B) distance of a point in every resample."""
        shares = pooled_shares((self.counts @ np.where(both[:, None], point.attention, 0.0))[:, None, :])
        return shares, resampled_distance(point, both, curve, self.counts, shares)

    def setting(self, curve: PriceCurve, place: int) -> Setting:
        """A point of a curve with its intervals; a value that no resample moves is its own interval."""
        point, summary = curve.points[place], point_summary(curve, place, self.today)
        n_lists = (int(point.n_lists.min()), int(point.n_lists.max())) if point.n_lists.size else (0, 0)
        both, every = compared(point, self._now), compared(self._now, self._now)
        n = int(both.sum())
        if n < 2:
            return Setting(summary, UNDEFINED, UNDEFINED, n_lists, math.nan, np.empty(0))
        rows = np.stack([np.where(both, point.quality - self._now.quality, 0.0), self._now.quality])
        changes, before = resampled_means(np.nan_to_num(rows), self.counts, np.stack([both, both]))
        today = float(self._now.quality[both].mean())
        worst = min(float(rows[0].min()), 0.0) / today if today > 0 else 0.0
        change = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
        whole = bool((both == every).all())
        was, before = self._drawn if whole else self._resampled(self._now, both, curve)
        shares, after = self._resampled(point, both, curve)
        gaps = before - after
        gains = summary.shares - pooled_shares(self._now.attention[both])
        deviations = np.abs(np.nan_to_num(shares - was - gains))  # a resample without labelled attention says nothing
        errors = np.sqrt((deviations**2).mean(axis=0))
        swings = (deviations / np.where(errors > NEARER, errors, np.inf)).max(axis=1, initial=0.0)
        own = point_distance(self._now, both, curve.target) - point_distance(point, both, curve.target)
        ratio, excess = math.nan, np.empty(0)
        if not np.isnan(gaps).any():
            error = max(float(gaps.std()), NEARER)
            ratio = _as_normal(own / error, n) if gaps.std() > NEARER else math.copysign(math.inf, own)
            excess = (gaps - own) / error if gaps.std() > NEARER else np.full(gaps.size, -np.inf)
        ends = _interval(change, n), _interval(gaps, n)
        return Setting(summary, *ends, n_lists, ratio, excess, change, worst, gains, errors, swings)


def searched(settings: Mapping[str, Sequence[Setting]], budget: float) -> dict[str, list[Setting]]:
    """The settings with a cost and a movement of which may be spoken after a look at all of them.

    Whoever looks for the setting that costs least finds the luckiest: the interval of each is widened to as many
    standard errors as the largest deviation among all of them has in 95 % of the resamples, on Student's scale; so are
    those of what each group gains, for the largest deviation among all groups of all settings. And the
    luckiest of many is one whose queries happen to hold no rare large loss, which no resample of them can show: its low
    end is that of its queries and one more, which loses as much as any query does under any setting that seems to stay
    inside the budget.

    P of a movement is the max statistic of the bootstrap: how often is any setting, once its own movement is taken off,
    as many standard errors nearer as this one is? (Holm over thousandths of 2,000 resamples could not tell so many
    tests apart.) Its own distance is first taken from Student's scale, because its standard error is estimated from few
    queries.
    """
    every = [each for tried in settings.values() for each in tried if each.counts]
    errors = [float(each.changes.std()) if each.changes.size else 0.0 for each in every]
    cost = _largest(
        [
            np.abs(each.changes - each.point.change) / error
            for each, error in zip(every, errors, strict=True)
            if error > NEARER
        ]
    )
    swing = _largest([each.swings for each in every if each.swings.size])
    worst = min((each.worst for each in every if each.is_inside(budget)), default=0.0)
    drawn = [each.excess for each in every if each.excess.size]
    excess = np.stack(drawn).max(axis=0) if drawn else np.empty(0)
    return {
        name: [_widened(each, cost, worst, swing)._replace(p=_corrected_p(each.ratio, excess)) for each in tried]
        for name, tried in settings.items()
    }


def _corrected_p(ratio: float, excess: FloatArray) -> float:
    """P of a movement in standard errors, given the largest of each resample; NaN where nothing is resampled."""
    if not excess.size or math.isnan(ratio):
        return math.nan
    return (int((excess >= ratio).sum()) + 1) / (excess.size + 1)


def _largest(deviations: Sequence[FloatArray]) -> float:
    """The largest of all (B) deviations in 95 % of the resamples, in standard errors; 0 where nothing deviates."""
    return float(np.quantile(np.stack(deviations).max(axis=0), 0.95)) if deviations else 0.0


def _widened(setting: Setting, cost: float, worst: float, swing: float) -> Setting:
    """A setting whose intervals of cost and gains reach so many standard errors to either side, no less than its own.

    Args:
        setting: Which.
        cost: Standard errors, of a normal mean; 0 = no setting's cost varies.
        worst: The change of a query that the low end of the cost is found with beside those there are.
        swing: Standard errors of gains, likewise.
    """
    n, mean = setting.point.n_queries, setting.point.change
    if not setting.changes.size or n < 2:
        return setting
    if setting.gains.size and (n_labelled := setting.point.n_labelled) > 1:
        reach = _student(swing, n_labelled) * math.sqrt(n_labelled / (n_labelled - 1)) * setting.gain_errors
        setting = setting._replace(gain_ends=Intervals(setting.gains - reach, setting.gains + reach))
    if not cost:
        return setting
    reach = _student(cost, n)
    square = n * float(setting.changes.var())  # of a query: the resamples' is that of a mean of n
    more = mean + (worst - mean) / (n + 1)
    square_of_more = (n * square + n / (n + 1) * (worst - mean) ** 2) / n
    low = more - reach * math.sqrt(square_of_more / (n + 1))
    high = mean + reach * math.sqrt(square / (n - 1))
    return setting._replace(change=Interval(min(low, setting.change.low), max(high, setting.change.high)))


def _student(deviation: float, n: int) -> float:
    """As many standard errors of a mean of n queries as hold what so many of a normal mean do."""
    from scipy.special import ndtr, stdtrit

    return float(stdtrit(n - 1.0, float(ndtr(deviation))))


class Reach(NamedTuple):
    """How far one method gets for a budget.

    Attributes:
        method: Its name as typed.
        inside: Its nearest setting inside the budget by estimate.
        sure: Its nearest setting that moves and stays in budget; may be the same.
        over: The cheapest of its settings that are noticeably nearer, where none is inside.
        lack: Why it has none at all.
    """

    method: str
    inside: Setting | None
    sure: Setting | None
    over: Setting | None
    lack: Lack = ""

    @property
    def shown(self) -> Setting | None:
        """The setting that stands for the method."""
        return self.inside or self.over

    @property
    def state(self) -> State:
        """Where it is."""
        if self.inside is None:
            return "none" if self.over is None else "over"
        return "certain" if self.inside is self.sure else "estimate"


def reach(method: str, settings: Sequence[Setting], *, budget: float, step: float = POINT) -> Reach:
    """How far one method gets for a budget.

    Args:
        method: Its name.
        settings: What it was tried with.
        budget: Part of today's mean quality that may be given up, 0 … 1.
        step: A movement that counts, on the scale of the distance.
    """
    counting = [setting for setting in settings if setting.counts]
    inside = nearest([setting for setting in counting if setting.is_inside(budget)], budget=budget, step=step)
    if inside is not None:
        certain = [setting for setting in counting if setting.verdict(budget).state == "certain"]
        is_sure = inside.verdict(budget).state == "certain"
        sure = inside if is_sure else nearest(certain, budget=budget, step=step)
        return Reach(method, inside, sure, None)
    if material := _material(counting, step):
        return Reach(method, None, None, max(material, key=lambda each: (each.point.change, -each.point.off)))
    left_out = nearest(settings, budget=budget, step=step)
    return Reach(method, None, None, None, "none" if left_out is None else "few" if left_out.point.is_few else "apart")


def nearest(settings: Iterable[Setting], *, budget: float, step: float = POINT) -> Setting | None:
    """The setting nearest to the target of those that move; of those less than ``step`` further the surest, cheapest.

    Where none can be told to move, the nearest of those that seem to; None where none is ``step`` nearer than today.
    """
    material = _material(settings, step)
    if not material:
        return None
    material = [setting for setting in material if setting.p < SIGNIFICANCE] or material
    closest = min(setting.point.off for setting in material)
    alike = [setting for setting in material if setting.point.off < closest + step - NEARER]
    return max(
        alike,
        key=lambda each: (each.verdict(budget).state == "certain", each.point.change, -each.point.off),
    )


def _material(settings: Iterable[Setting], step: float) -> list[Setting]:
    """Those that are noticeably nearer than today."""
    return [setting for setting in settings if setting.point.moved >= step - NEARER]


def reaches(settings: Mapping[str, Sequence[Setting]], *, budget: float, step: float = POINT) -> list[Reach]:
    """How far each method gets: the best of all first, then by distance; those over the budget last.

    Args:
        settings: Of each method; one without settings is left out.
        budget: As of :func:`reach`.
        step: As of :func:`reach`.
    """
    every = [reach(name, tried, budget=budget, step=step) for name, tried in settings.items() if tried]
    best = nearest([each.inside for each in every if each.inside is not None], budget=budget, step=step)
    order: tuple[State, ...] = ("certain", "over", "none")

    def place(each: Reach) -> tuple[bool, int, float]:
        state = "certain" if each.state == "estimate" else each.state
        off = math.inf if each.shown is None else each.shown.point.off
        return each.inside is None or each.inside is not best, order.index(state), off

    return sorted(every, key=place)


def frontier(settings: Iterable[Setting], *, step: float = POINT) -> list[Setting]:
    """The settings that no other beats: none is at least as near for no more. By falling distance.

    Those less than half a ``step`` apart are one, the cheaper; those not noticeably nearer than today are none.
    """
    by_distance = sorted(
        (setting for setting in _material(settings, step) if setting.counts),
        key=lambda setting: (round(setting.point.off, 9), -setting.point.change),
    )
    kept: list[Setting] = []
    start = -math.inf  # distance of the nearest that the last one stands for
    for setting in by_distance:
        if kept and setting.point.change <= kept[-1].point.change:
            continue
        if setting.point.off - start < MERGED * step - NEARER:
            kept[-1] = setting
        else:
            kept.append(setting)
            start = setting.point.off
    return kept[::-1]


class Outcome(NamedTuple):
    """All that one budget buys on one run.

    Attributes:
        now: Today's lists.
        budget: Part of today's mean quality that may be given up.
        reaches: How far each method gets, the best first.
        best: The method that gets closest inside the budget; None where none gets nearer, or nothing may be said.
        alternative: The method whose fixed list gets closest of those that move and stay in budget; may be the best.
        hidden: Methods whose setting shows lists at random: what the switch for fixed lists hides.
        frontier: The settings that no other beats.
        settings: All that were tried and may be shown.
        n_tried: How many were tried: what intervals and p are corrected for.
        spoken: The group that titles speak of, −1 for none.
        silent: Why nothing may be claimed of these data; empty where something may.
    """

    now: PointSummary
    budget: float
    reaches: list[Reach]
    best: Reach | None
    alternative: Reach | None
    hidden: int
    frontier: list[Setting]
    settings: list[Setting]
    n_tried: int
    spoken: int
    silent: str


def outcome(
    now: PointSummary,
    settings: Mapping[str, Sequence[Setting]],
    *,
    budget: float,
    step: float = POINT,
    fixed: bool = False,
    spoken: int = -1,
    silent: str = "",
) -> Outcome:
    """What one budget buys: everything is looked up, nothing re-ranked or resampled.

    Args:
        now: Today's lists.
        settings: Of each method.
        budget: Part of today's mean quality that may be given up, 0 … 1.
        step: A movement that counts, on the scale of the distance.
        fixed: Whether only settings count that show every visitor the same lists.
        spoken: The group that titles speak of.
        silent: Why nothing may be claimed of these data.
    """
    settings = searched(settings, budget)
    kept = {name: [each for each in tried if each.is_fixed] for name, tried in settings.items()} if fixed else settings
    every = [each for tried in kept.values() for each in tried]
    found = whole = reaches(settings, budget=budget, step=step)
    if fixed:  # what a method of random lists does where it changes nothing is no row
        found = [
            each
            for each in reaches(kept, budget=budget, step=step)
            if each.shown is not None or len(kept[each.method]) == len(settings[each.method])
        ]
    best = found[0] if found and found[0].inside is not None and not silent else None
    lists = reaches(
        {name: [each for each in tried if each.is_fixed] for name, tried in kept.items()}, budget=budget, step=step
    )
    sure = nearest([each.sure for each in lists if each.sure is not None], budget=budget, step=step)
    alternative = next((each for each in lists if sure is not None and each.sure is sure), None)
    hidden = sum(each.shown is not None and not each.shown.is_fixed for each in whole)
    n_tried = sum(map(len, settings.values()))
    return Outcome(
        now, budget, found, best, alternative, hidden, frontier(every, step=step), every, n_tried, spoken, silent
    )


CLIPPED = 3.0
"""How many budgets deep the scale of costs goes: what costs more is counted in words."""


def floor_of(outcome: Outcome) -> float:
    """The largest loss that has a place on the scale, as a change of quality."""
    return -CLIPPED * outcome.budget


def left_out(outcome: Outcome) -> list[Setting]:
    """Settings without a place on the scale: they cost more, are further away than today, or on other queries."""
    floor = floor_of(outcome)
    return [each for each in outcome.settings if not each.counts or not each.point.change >= floor or each.is_further]


def resampled_distance(
    point: PricePoint, both: BoolArray, curve: PriceCurve, counts: Resamples, shares: FloatArray
) -> FloatArray:
    """(B) distance of a point with these shares from the target in every resample; NaN without a value per query."""
    if not math.isnan(point.overall):
        return np.full(len(counts), np.nan)
    if point.distance.size:
        return resampled_means(np.nan_to_num(point.distance)[None, :], counts, both[None, :])[0]
    totals = counts @ both.astype(np.float64)
    aim = (counts @ np.where(both[:, None], curve.target, 0.0)) / np.where(totals > 0, totals, np.nan)[:, None]
    return 100 * off_target_share(shares, aim)


def _as_normal(ratio: float, n_queries: int) -> float:
    """What a mean over its resampled standard error is worth in normal standard errors, by Student's t."""
    from scipy.special import ndtri, stdtr  # as long to load as all else: where it is used

    unbiased = ratio * math.sqrt((n_queries - 1) / n_queries)
    return -float(ndtri(stdtr(n_queries - 1.0, -unbiased)))


def _interval(drawn: FloatArray, n_queries: int) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return UNDEFINED
    if np.ptp(known) < NEARER:  # every resample is the same
        return Interval(float(known[0]), float(known[0]))
    ends = percentiles(drawn, n_queries)
    return Interval(float(ends.low[0]), float(ends.high[0]))
