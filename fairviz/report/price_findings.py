"""What a target costs, in one title and one sentence, computed from what is shown.

Documents are spoken of by their label ("documents labelled X"). No word here is a verdict.
"""

import numpy as np

from fairviz.analysis.price import Standing
from fairviz.analysis.price_budget import Bought
from fairviz.report.findings import FEW, Finding
from fairviz.report.price_words import change_words, distance_words, gap_words, place_words
from fairviz.report.words import THIN, number, percent, plural, signed

ON_TARGET = 0.5
"""Points off target below which today's lists are on it, as far as a sentence goes."""


def budget_words(budget: float) -> str:
    """A part of quality as a budget is written.

    Examples:
        >>> budget_words(0.03) == "3\u202f%", budget_words(0.025) == "2.5\u202f%"
        (True, True)
    """
    return f"{100 * budget:g}{THIN}%"


def price_finding(
    best: Bought | None,
    now: Standing,
    *,
    group: str | None,
    share: tuple[float, float, float],
    label: str,
    quality: str,
    budget: float,
    points: bool = True,
    measure: str = "",
) -> Finding:
    """Title and sentence of the page.

    Args:
        best: What the nearest re-ranker buys inside the budget; None where none is nearer.
        now: Today's lists.
        group: The group furthest under its target today, if any.
        share: Its share of attention today, with the re-ranker, and its target.
        label: Name of the re-ranker.
        quality: Name of the quality measure ("nDCG@10").
        budget: Part of today's quality that may be given up.
        points: Whether distance is in points of attention.
        measure: Name of the distance otherwise.
    """
    inside = budget_words(budget)
    if not now.n_queries:
        return Finding(
            "No query can be compared",
            f"{quality} or the distance from the target is undefined for every query.",
        )
    if points and now.off < ON_TARGET:
        return Finding(
            "Today's lists are on target",
            f"They are {number(now.off, 1)} points of attention away from it; there is nothing to buy.",
        )
    if best is None or best.standing is None:
        return Finding(
            f"No re-ranker gets nearer inside a budget of {inside}",
            f"Today's lists are {distance_words(now.off, points)}; every setting tried costs more "
            f"than {inside} of {quality}, or gets no nearer.",
        )
    one = best.standing
    was = number(now.off, 1 if points else 3)
    moved = f"{label} goes from {was} to {place_words(one.off, points)}"
    paid = f"{quality} changes by {change_words(one.change)}{_between(best)}"
    if one.n_queries < FEW:
        return Finding(
            "Too few queries to say what the target costs",
            f"{moved}, {paid}, over {plural(one.n_queries, 'query', 'queries')}; a title needs at least {FEW}.",
        )
    if points and not best.moved.low > 0:
        return Finding(
            f"Inside {inside}, no re-ranker is distinguishably nearer to the target",
            f"{moved} (95 % interval of the difference {signed(best.moved.low, 1)} to "
            f"{signed(best.moved.high, 1)} points); {paid}.",
        )
    return Finding(_title(best, group, share, now, points=points, measure=measure), f"{moved}; {paid}.")


def _title(
    best: Bought,
    group: str | None,
    share: tuple[float, float, float],
    now: Standing,
    *,
    points: bool,
    measure: str,
) -> str:
    one = best.standing
    if one is None:
        raise ValueError("a title about what was bought needs something bought")
    today, then, wanted = share
    if points and group is not None and then > today:
        what = f"documents labelled {group} go from {percent(today)} to {percent(then)} of attention"
        goal = f"; the target is {percent(wanted)}"
    elif points:
        what = f"attention gets from {number(now.off, 1)} to {number(one.off, 1)} points off target"
        goal = ""
    else:
        what, goal = f"{measure} goes from {number(now.off, 2)} to {number(one.off, 2)}", ""
    low, high = best.change
    if np.isnan(low) or low <= 0 <= high:
        return f"{_upper(what)}{goal}; no change in quality can be shown"
    if one.change < 0:
        return f"For {percent(-one.change, 1)} of quality, {what}{goal}"
    return f"{_upper(what)} and quality rises by {percent(one.change, 1)}{goal}"


def chart_title(
    best: Bought | None,
    far: Standing | None,
    *,
    label: str,
    far_label: str,
    n_shown: int,
    budget: float,
    points: bool = True,
) -> str:
    """Title of the chart: who is nearest inside the budget, and how near anybody gets."""
    reach = ""
    if far is not None and points and far.off < ON_TARGET:
        own = best is not None and far.method == best.method
        reach = f"; {'it' if own else far_label} is on target for {change_words(far.change)}"
    elif far is not None:
        value = gap_words(far.off, points)
        reach = f"; none of the {n_shown} gets nearer than {value} at any strength tried"
        if n_shown == 1:
            reach = f"; it gets no nearer than {value} at any strength tried"
    if best is None or best.standing is None:
        return f"Nothing inside {budget_words(budget)} is nearer to the target than today{reach}"
    return f"{label} gets nearest to the target inside the budget{reach}"


def _between(best: Bought) -> str:
    low, high = best.change
    if np.isnan(low):
        return ""
    return f" (95 % interval {signed(100 * low, 1)} to {signed(100 * high, 1)}{THIN}%)"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
