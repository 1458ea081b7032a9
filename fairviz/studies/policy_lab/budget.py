"""What a budget of quality buys: of each method the nearest setting inside it, and what may be said of that.

A verdict has two parts, each from its own test: it *moves* where it is nearer than today after a look at every
setting that was tried, and it *stays in budget* where the low end of an interval widened for all of them does
(:func:`searched`), since people look for the nearest and the cheapest; else nobody can tell. A movement of less than a
point of attention is none, and of settings less than a point apart the surer, then the cheaper counts. Nothing is
re-ranked or resampled when a budget moves.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS, count_word, percent, plural
from fairviz.model import FloatArray, IntArray
from fairviz.numerals import part_of
from fairviz.points.shares import MOST_UNLABELLED
from fairviz.stats.bootstrap import Intervals
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.policy_lab.bench import DRAWN, NEARER, POINT, Row

SEEN, STAYS = 0.0005, 0.005
"""A change of a share that is smaller cannot be seen in any number on the page; a share that moves by less stays."""

Stays: TypeAlias = Literal["yes", "no", "unlikely", "cannot tell"]
"""Whether a cost is inside the budget: "no" where its whole interval is over it, "unlikely" where its estimate is and
the interval reaches inside."""
OVER: Mapping[Stays, str] = {"no": "over budget", "unlikely": "over budget by estimate"}


def searched(tried: pl.DataFrame, budget: float) -> pl.DataFrame:
    """Settings with a cost and a movement of which may be spoken after a look at all of them.

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

    Args:
        tried: As of :func:`~fairviz.studies.policy_lab.bench.settings_frame`.
        budget: Part of today's mean quality that may be given up, 0 … 1.

    Returns:
        The same with the ends of ``change`` widened, no less than its own; (G) ``gain_low`` and ``gain_high``; ``p`` of
        being nearer than today, NaN = not tested; and without a value of each resample.
    """
    counts, n, n_labelled = ~tried["is_few"].to_numpy(), *(tried[key].to_numpy() for key in ("n_queries", "n_labelled"))
    change, changes, ratio = (tried[key].to_numpy() for key in ("change", "changes", "ratio"))
    errors = changes.std(axis=1)
    varying = counts & (errors > NEARER)
    cost = _largest(np.abs(changes - change[:, None])[varying] / errors[varying, None])
    swing = _largest(tried["swings"].to_numpy()[counts])
    worst = float(tried["worst"].to_numpy()[counts & (change >= -budget - NEARER)].min(initial=0.0))
    excess = tried["excess"].to_numpy()[counts]
    excess = excess[~np.isnan(excess).any(axis=1)]
    p = np.full(len(tried), np.nan)
    if len(excess):
        n_as_far = (excess.max(axis=0) >= ratio[:, None]).sum(axis=1)
        p = np.where(np.isnan(ratio), np.nan, (n_as_far + 1) / (excess.shape[1] + 1))
    with np.errstate(invalid="ignore", divide="ignore"):  # of fewer than two queries nothing is known
        errors, square = _student(cost, n), n * changes.var(axis=1)  # of a query: resamples are of a mean of n
        more = change + (worst - change) / (n + 1)
        square_of_more = (n * square + n / (n + 1) * (worst - change) ** 2) / n
        low, high = more - errors * np.sqrt(square_of_more / (n + 1)), change + errors * np.sqrt(square / (n - 1))
        of_group = _student(swing, n_labelled) * np.sqrt(n_labelled / (n_labelled - 1))
    wide = (n >= 2) & (cost > 0)
    gains, swings = tried["gains"].to_numpy(), of_group[:, None] * tried["gain_errors"].to_numpy()
    return tried.drop(DRAWN).with_columns(
        change_low=np.where(wide, np.fmin(low, tried["change_low"]), tried["change_low"]),
        change_high=np.where(wide, np.fmax(high, tried["change_high"]), tried["change_high"]),
        gain_low=pl.Series(gains - swings),
        gain_high=pl.Series(gains + swings),
        p=p,
    )


def _largest(deviations: FloatArray) -> float:
    """The largest of all (N, B) deviations in 95 % of the resamples, in standard errors; 0 where nothing deviates."""
    return float(np.quantile(deviations.max(axis=0), 0.95)) if len(deviations) else 0.0


def _student(deviation: float, n: IntArray) -> FloatArray:
    """Standard errors of a mean of n queries that hold what so many of a normal mean do (Student)."""
    from scipy.special import ndtr, stdtrit

    return np.asarray(stdtrit(n - 1.0, float(ndtr(deviation))), dtype=np.float64)


def moved_shares(
    groups: tuple[str, ...],
    today: FloatArray,
    after: FloatArray,
    ends: Intervals,
    *,
    few: bool = False,
    exact: bool = False,
) -> pl.DataFrame:
    """What may be said of the change of each group's share of attention.

    Args:
        groups: G names.
        today: (G) shares under today's lists.
        after: (G) shares under a setting, or a policy.
        ends: (G) interval of each change, for all groups together; NaN where unknown.
        few: Whether queries are too few for an interval.
        exact: Whether it is the only list that there is, so that a share has no interval and a change is one.

    Returns:
        A row per group: ``group``; ``at``, its place among the groups; ``today``, ``after``; ``change`` with its ends
        ``change_low`` and ``change_high``; the ``word`` for it: "moves" where the interval excludes 0, else "cannot
        tell", of few queries "too few"; "stays" where it is less than half a point of attention (or half of the larger
        share where that is less), "" where it is undefined.
    """
    change = after - today
    least = np.minimum(STAYS, np.maximum(SEEN, np.maximum(today, after) / 2))
    low, high = (np.full(change.size, np.nan) if few or exact else end for end in ends)
    unsure = "too few" if few else "cannot tell"
    words = np.where(exact | np.where(change > 0, low > 0, high < 0), "moves", unsure)
    words = np.where(np.isnan(change), "", np.where(np.abs(change) < least, "stays", words))
    sides = {"today": today, "after": after, "change": change, "change_low": low, "change_high": high}
    return pl.DataFrame({"group": groups, "at": range(len(groups))} | sides | {"word": words})


def judged(settings: pl.DataFrame, budget: float) -> pl.DataFrame:
    """Settings with what may be said of each under a budget: headline, row, chart and brief have these words.

    Args:
        settings: As of :func:`searched`.
        budget: As there.

    Returns:
        The same with ``at``, the place of each; whether it is ``inside`` the budget by its estimate, whether it
        ``moves``: it is significantly nearer than today, else nobody can tell; whether it ``stays`` in budget; how it
        is drawn, its ``state``: "certain" = it moves and stays in budget, "estimate" = one of the two cannot be told,
        "over" the budget; that it is ``over`` budget and what is ``unsure`` in words, empty for nothing; and both as
        one ``verdict``.
    """
    low, high, change, p = (pl.col(key).fill_nan(None) for key in ("change_low", "change_high", "change", "p"))
    inside = (change >= -budget - NEARER).fill_null(value=False)
    stays = (
        pl.when(low >= -budget - NEARER)
        .then(pl.lit("yes"))
        .when(inside)
        .then(pl.lit("cannot tell"))
        .when(high >= -budget)
        .then(pl.lit("unlikely"))
        .otherwise(pl.lit("no"))
    )
    moves = (p < SIGNIFICANCE).fill_null(value=False)
    flagged = settings.with_row_index("at").with_columns(inside=inside, moves=moves, stays=stays)
    return flagged.join(VERDICTS, on=("moves", "stays"), how="left", maintain_order="left")


def _verdict(moves: bool, stays: Stays) -> Row:
    """What may be said of a setting by what its two tests say."""
    over = OVER.get(stays, "")
    undecided = [*([] if moves else ["moves"]), *(["stays in budget"] if stays == "cannot tell" else [])]
    unsure = f"cannot tell whether it {' or '.join(undecided)}" if undecided else ""
    parts = ("moves" if moves else "", unsure, "stays in budget" if stays == "yes" else over)
    state = "over" if over else "certain" if moves and stays == "yes" else "estimate"
    words = {"over": over, "unsure": unsure, "verdict": ", ".join(filter(None, parts))}
    return {"moves": moves, "stays": stays, "state": state} | words


VERDICTS = pl.DataFrame([_verdict(moves, stays) for moves in (True, False) for stays in get_args(Stays)])
"""A row for each pair of what the two tests can say."""


def reach(settings: pl.DataFrame) -> Row:
    """How far one method gets for a budget.

    Args:
        settings: What it was tried with, as of :func:`judged`.

    Returns:
        ``method``, its name as typed; ``inside``: its nearest setting inside the budget by estimate; ``sure``: its
        nearest setting that moves and stays in budget, which may be the same; ``over``: the cheapest of its settings
        that are noticeably nearer, where none is inside; ``shown``: the setting that stands for the method; each a row,
        or None. Its ``state``: that of its setting, "none" where no setting is noticeably nearer; and the ``lack``, why
        it has no setting at all: those that are nearer rest on too "few" queries, or "none" is.
    """
    counting = settings.filter(~pl.col("is_few"))
    inside, over = nearest(counting.filter("inside")), None
    sure = None if inside is None else nearest(counting.filter(state="certain"))
    if inside is not None and inside["state"] == "certain":
        sure = inside
    material = _material(counting)
    if inside is None and material.height:
        over = material.sort("change", "off", descending=[True, False], maintain_order=True).row(0, named=True)
    shown = inside or over
    state = "none" if shown is None else "over" if inside is None else "certain" if inside is sure else "estimate"
    return {
        "method": settings["method"][0],
        "inside": inside,
        "sure": sure,
        "over": over,
        "shown": shown,
        "state": state,
        "lack": "none" if _material(settings).is_empty() else "few",
    }


def nearest(settings: pl.DataFrame) -> Row | None:
    """The setting nearest to the target of those that move; of those less than a point further the surest, cheapest.

    Where none can be told to move, the nearest of those that seem to; None where none is a point nearer than today.
    """
    material = _material(settings)
    moving = material.filter("moves")
    material = moving if moving.height else material
    alike = material.filter(pl.col("off") < pl.col("off").min() + POINT - NEARER)
    best = alike.sort(pl.col("state") == "certain", "change", pl.col("off").neg(), descending=True, maintain_order=True)
    return best.row(0, named=True) if best.height else None


def _material(settings: pl.DataFrame) -> pl.DataFrame:
    """Settings that are noticeably nearer to the target than today."""
    return settings.filter(pl.col("moved").fill_nan(None) >= POINT - NEARER)


def reaches(settings: pl.DataFrame) -> list[Row]:
    """How far each method gets, as of :func:`reach`: the best first, then by distance; those over budget last."""
    every = [reach(tried) for tried in settings.partition_by("method", maintain_order=True)]
    inside = [each["inside"]["at"] for each in every if each["inside"]]
    best = nearest(settings.filter(pl.col("at").is_in(inside)))
    states = ("certain", "over", "none")

    def rank(each: Row) -> tuple[bool, int, float]:
        state = "certain" if each["state"] == "estimate" else each["state"]
        off = math.inf if each["shown"] is None else each["shown"]["off"]
        is_best = bool(best and each["inside"] and each["inside"]["at"] == best["at"])
        return not is_best, states.index(state), off

    return sorted(every, key=rank)


def silence(now: Row, unlabelled: float, unit: str = DOCUMENTS) -> str:
    """Why nothing may be claimed of these data; empty where something may.

    Args:
        now: Today's lists.
        unlabelled: Share of today's attention without a label.
        unit: What is ranked.
    """
    if now["n_queries"] < MIN_UNITS:
        return f"{plural(now['n_queries'], 'query', 'queries')}: too few to compare; {count_word(MIN_UNITS)} are needed"
    if now["n_labelled"] < MIN_UNITS:
        show = part_of(now["n_labelled"], plural(now["n_queries"], "query", "queries"), "shows", "show")
        return f"only {show} labelled {unit} today: too few to compare; {count_word(MIN_UNITS)} are needed"
    if unlabelled > MOST_UNLABELLED:
        return f"{percent(unlabelled)} of attention goes to unlabelled {unit}: too much for a verdict"
    return ""


@dataclass(frozen=True, eq=False)  # no slots: cached properties live in __dict__
class Outcome:
    """All that one budget buys on one run: everything is looked up, nothing re-ranked or resampled.

    Attributes:
        now: Today's lists.
        tried: Settings of all methods.
        budget: Part of today's mean quality that may be given up, 0 … 1.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
        quality: Name of the quality measure ("nDCG@10").
        fixed: Whether only settings count that show every visitor the same lists.
        silent: Why nothing may be claimed of these data; empty where something may.
        unlabelled: Share of today's attention without a label.
        unit: What is ranked.
    """

    now: Row
    tried: pl.DataFrame
    budget: float
    is_set: bool = True
    quality: str = ""
    fixed: bool = False
    silent: str = ""
    unlabelled: float = 0.0
    unit: str = DOCUMENTS

    @property
    def aim(self) -> str:
        """What it is a distance from."""
        return "the target" if self.is_set else "equal shares"

    @property
    def off(self) -> str:
        """Where points of attention are that would have to move."""
        return "off target" if self.is_set else "from equal shares"

    @cached_property
    def settings(self) -> pl.DataFrame:
        """The settings that count, judged after a look at all that were tried."""
        every = judged(searched(self.tried, self.budget), self.budget)
        return every.filter("is_fixed") if self.fixed else every

    @cached_property
    def reaches(self) -> list[Row]:
        """How far each method gets, the best first; what a method of random lists does at its weakest is no row."""
        random = {*self.tried.filter(~pl.col("is_fixed"))["method"]} if self.fixed else set[str]()
        return [each for each in reaches(self.settings) if each["shown"] or each["method"] not in random]

    @property
    def best(self) -> Row | None:
        """The method that gets closest inside the budget; None where none gets nearer, or nothing may be said."""
        is_inside = bool(self.reaches) and self.reaches[0]["inside"] is not None
        return self.reaches[0] if is_inside and not self.silent else None
