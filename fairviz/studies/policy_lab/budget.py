"""What a budget of quality buys: of each method the nearest setting inside it, and what may be said of that.

A verdict has two parts, each from its own test: it *moves* where it is nearer than today after a look at every
setting that was tried, and it *stays in budget* where the low end of an interval widened for all of them does
(:func:`searched`), since people look for the nearest and the cheapest; else nobody can tell. A movement of less than a
point of attention is none, and of settings less than a point apart the surer, then the cheaper counts. Nothing is
re-ranked or resampled when a budget moves.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import Interval, Intervals
from fairviz.studies.policy_lab.bench import POINT, POINTS, Distance
from fairviz.studies.policy_lab.price import NEARER, Mark, Setting

MERGED = 0.5
"""Part of that below which settings of the frontier are one."""

Lack: TypeAlias = Literal["", "none", "few", "apart"]
"""Why no setting of a method counts: none is noticeably nearer than today, or those that are rest on too few queries or
on others than today's."""
State: TypeAlias = Mark | Literal["none"]
"""That of a method's setting; none where no setting is noticeably nearer."""


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
    varying = [(each, error) for each in every if each.changes.size and (error := float(each.changes.std())) > NEARER]
    cost = _largest([np.abs(each.changes - each.change) / error for each, error in varying])
    swing = _largest([each.swings for each in every if each.swings.size])
    worst = min((each.worst for each in every if each.is_inside(budget)), default=0.0)
    drawn = [each.excess for each in every if each.excess.size]
    excess = np.stack(drawn).max(axis=0) if drawn else np.empty(0)

    def corrected_p(ratio: float) -> float:
        """P of a movement in standard errors, given the largest of each resample; NaN where nothing is resampled."""
        if not excess.size or math.isnan(ratio):
            return math.nan
        return (int((excess >= ratio).sum()) + 1) / (excess.size + 1)

    return {
        name: [_widened(each, cost, worst, swing)._replace(p=corrected_p(each.ratio)) for each in tried]
        for name, tried in settings.items()
    }


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
    n, mean = setting.n_queries, setting.change
    if not setting.changes.size or n < 2:
        return setting
    if setting.gains.size and (n_labelled := setting.n_labelled) > 1:
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
    ends = Interval(min(low, setting.change_ends.low), max(high, setting.change_ends.high))
    return setting._replace(change_ends=ends)


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
        certain = [setting for setting in counting if setting.state(budget) == "certain"]
        is_sure = inside.state(budget) == "certain"
        sure = inside if is_sure else nearest(certain, budget=budget, step=step)
        return Reach(method, inside, sure, None)
    if material := _material(counting, step):
        return Reach(method, None, None, max(material, key=lambda each: (each.change, -each.off)))
    left_out = nearest(settings, budget=budget, step=step)
    return Reach(method, None, None, None, "none" if left_out is None else "few" if left_out.is_few else "apart")


def nearest(settings: Iterable[Setting], *, budget: float, step: float = POINT) -> Setting | None:
    """The setting nearest to the target of those that move; of those less than ``step`` further the surest, cheapest.

    Where none can be told to move, the nearest of those that seem to; None where none is ``step`` nearer than today.
    """
    material = _material(settings, step)
    if not material:
        return None
    material = [setting for setting in material if setting.moves] or material
    closest = min(setting.off for setting in material)
    alike = [setting for setting in material if setting.off < closest + step - NEARER]
    return max(alike, key=lambda each: (each.state(budget) == "certain", each.change, -each.off))


def _material(settings: Iterable[Setting], step: float) -> list[Setting]:
    """Those that are noticeably nearer than today."""
    return [setting for setting in settings if setting.moved >= step - NEARER]


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
        off = math.inf if each.shown is None else each.shown.off
        return each.inside is None or each.inside is not best, order.index(state), off

    return sorted(every, key=place)


def frontier(settings: Iterable[Setting], *, step: float = POINT) -> list[Setting]:
    """The settings that no other beats: none is at least as near for no more. By falling distance.

    Those less than half a ``step`` apart are one, the cheaper; those not noticeably nearer than today are none.
    """
    by_distance = sorted(
        (setting for setting in _material(settings, step) if setting.counts),
        key=lambda setting: (round(setting.off, 9), -setting.change),
    )
    kept: list[Setting] = []
    start = -math.inf  # distance of the nearest that the last one stands for
    for setting in by_distance:
        if kept and setting.change <= kept[-1].change:
            continue
        if setting.off - start < MERGED * step - NEARER:
            kept[-1] = setting
        else:
            kept.append(setting)
            start = setting.off
    return kept[::-1]


class Share(NamedTuple):
    """A group's share of attention: today, after, and what it should be.

    Attributes:
        group: Its name.
        today, after, target: Shares of 1.
    """

    group: str
    today: float
    after: float
    target: float


class Outcome(NamedTuple):
    """All that one budget buys on one run.

    Attributes:
        now: Today's lists.
        budget: Part of today's mean quality that may be given up.
        distance: What off target means.
        quality: Name of the quality measure ("nDCG@10").
        reaches: How far each method gets, the best first.
        best: The method that gets closest inside the budget; None where none gets nearer, or nothing may be said.
        alternative: The method whose fixed list gets closest of those that move and stay in budget; may be the best.
        hidden: Methods whose setting shows lists at random: what the switch for fixed lists hides.
        frontier: The settings that no other beats.
        settings: All that were tried and may be shown.
        n_tried: How many were tried: what intervals and p are corrected for.
        spoken: The group that titles speak of, −1 for none.
        silent: Why nothing may be claimed of these data; empty where something may.
        unlabelled: Share of today's attention without a label.
        share: The group that titles speak of, with the best setting; None where all have their share.
    """

    now: Setting
    budget: float
    distance: Distance
    quality: str
    reaches: list[Reach]
    best: Reach | None
    alternative: Reach | None
    hidden: int
    frontier: list[Setting]
    settings: list[Setting]
    n_tried: int
    spoken: int
    silent: str
    unlabelled: float
    share: Share | None = None

    @property
    def proposed(self) -> Setting | None:
        """The setting that is proposed: the nearest inside the budget; None where none gets nearer."""
        return None if self.best is None else self.best.inside


def outcome(
    now: Setting,
    settings: Mapping[str, Sequence[Setting]],
    *,
    budget: float,
    distance: Distance = POINTS,
    quality: str = "",
    fixed: bool = False,
    spoken: int = -1,
    silent: str = "",
    unlabelled: float = 0.0,
) -> Outcome:
    """What one budget buys: everything is looked up, nothing re-ranked or resampled.

    Args:
        now: Today's lists.
        settings: Of each method.
        budget: Part of today's mean quality that may be given up, 0 … 1.
        distance: What off target means, and which movement counts.
        quality: Name of the quality measure.
        fixed: Whether only settings count that show every visitor the same lists.
        spoken: The group that titles speak of.
        silent: Why nothing may be claimed of these data.
        unlabelled: Share of today's attention without a label.
    """
    settings, step = searched(settings, budget), distance.step
    lists = {name: [each for each in tried if each.is_fixed] for name, tried in settings.items()}
    kept = lists if fixed else settings
    every = [each for tried in kept.values() for each in tried]
    found = whole = reaches(settings, budget=budget, step=step)
    of_lists = reaches(lists, budget=budget, step=step)
    if fixed:  # what a method of random lists does where it changes nothing is no row
        found = [each for each in of_lists if each.shown or len(lists[each.method]) == len(settings[each.method])]
    sure = nearest([each.sure for each in of_lists if each.sure is not None], budget=budget, step=step)
    return Outcome(
        now=now,
        budget=budget,
        distance=distance,
        quality=quality,
        reaches=found,
        best=found[0] if found and found[0].inside is not None and not silent else None,
        alternative=next((each for each in of_lists if sure is not None and each.sure is sure), None),
        hidden=sum(each.shown is not None and not each.shown.is_fixed for each in whole),
        frontier=frontier(every, step=step),
        settings=every,
        n_tried=sum(map(len, settings.values())),
        spoken=spoken,
        silent=silent,
        unlabelled=unlabelled,
    )


CLIPPED = 3.0
"""How many budgets deep the scale of costs goes: what costs more is counted in words."""


def floor_of(outcome: Outcome) -> float:
    """The largest loss that has a place on the scale, as a change of quality."""
    return -CLIPPED * outcome.budget


def left_out(outcome: Outcome) -> list[Setting]:
    """Settings without a place on the scale: they cost more, are further away than today, or on other queries."""
    floor = floor_of(outcome)
    return [each for each in outcome.settings if not each.counts or not each.change >= floor or each.moved < -NEARER]
