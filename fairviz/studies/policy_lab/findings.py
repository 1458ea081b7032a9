"""What a target costs, in one title and one sentence, computed from what is shown.

Documents are spoken of by their label ("documents labelled X"). No word here is a verdict.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.show.words import THIN, Finding, count, listing, number, percent, plural, signed
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.budget import PointOfNoReturn, Purchase
from fairviz.studies.policy_lab.lists import BeforeAfter
from fairviz.studies.policy_lab.price import PointSummary

ON_TARGET = 0.5
"""Points off target below which today's lists are on it, as far as a sentence goes."""


def price_words(
    label: str,
    points_by_strength: Sequence[PointSummary],
    turn: PointOfNoReturn,
    *,
    symbol: str,
    points: bool = True,
) -> list[str]:
    """The way of one re-ranker in words, with its point of no return.

    Args:
        label: Its name.
        points_by_strength: Its points, by rising strength.
        turn: Where going on stops paying.
        symbol: Of its strength.
        points: Whether distance is in points of attention.
    """
    if not points_by_strength:
        return []
    if turn.nearest < 0:
        return [f"{label} gets no nearer to the target than today at any strength tried."]
    nearest = points_by_strength[turn.nearest]
    way = nearest.moved / (nearest.off + nearest.moved)
    sentences = [
        f"At its nearest ({symbol} = {nearest.strength:g}) {label} goes {percent(way)} of the way "
        f"to the target and changes quality by {change_words(nearest.change)}."
    ]
    if turn.nearest < turn.n_points - 1:
        sentences.append(f"After {symbol} = {nearest.strength:g} nothing gets nearer.")
    if not points:
        return sentences
    if turn.pays < 0:
        sentences.append(
            "The point of no return is at the start: already the first step costs more percent of "
            "quality than it moves points of attention."
        )
    elif turn.pays < turn.nearest:
        last = points_by_strength[turn.pays]
        sentences.append(
            f"The point of no return is {symbol} = {last.strength:g}, "
            f"{number(last.off, 1)} points off target for {change_words(last.change)}: every "
            "stronger setting costs more percent of quality than it moves points of attention."
        )
    elif turn.pays >= turn.nearest:
        sentences.append("Up to there it moves more points of attention than it costs percent of quality.")
    return sentences


def furthest_words(far: PointSummary | None, label: str, *, best: str, points: bool = True) -> str:
    """Who goes furthest at any price, where it is another than the nearest inside the budget."""
    if far is None or far.method == best:
        return ""
    return f"{label} goes furthest, to {place_words(far.off, points)}, for {change_words(far.change)}."


def without_words(names: Sequence[str], n_without: Sequence[int], n_queries: int) -> str:
    """That re-ranking cannot add documents, with the queries that lack a group.

    Args:
        names: Groups that the target gives a share.
        n_without: Queries without a candidate of each.
        n_queries: Queries with candidates.

    Examples:
        >>> without_words(["women", "men"], [92, 0], 618)
        'Re-ranking cannot add documents: 92 of 618 queries have no candidate labelled women.'
    """
    lacking = sorted(((n, name) for name, n in zip(names, n_without, strict=True) if n), reverse=True)
    if not lacking:
        return f"Every one of the {count(n_queries)} queries has a candidate of every group."
    further = [f"{count(n)} none labelled {name}" for n, name in lacking[1:4]]
    n, name = lacking[0]
    verb = "has" if n == 1 else "have"
    first = f"{count(n)} of {plural(n_queries, 'query', 'queries')} {verb} no candidate labelled"
    return f"Re-ranking cannot add documents: {listing([f'{first} {name}', *further])}."


def queries_words(point: PointSummary) -> str:
    """What happens to the quality of queries, in counts.

    Examples:
        >>> import numpy as np
        >>> queries_words(PointSummary("m", 0, 1.0, 9, 1, 0.5, 0.0, np.zeros(1), 618, 0, 219, 8, 391))
        '219 of 618 queries lose quality; 8 gain; 391 are unchanged'
    """
    return (
        f"{count(point.n_worse)} of {plural(point.n_queries, 'query', 'queries')} "
        f"{'loses' if point.n_worse == 1 else 'lose'} quality; {count(point.n_better)} "
        f"{'gains' if point.n_better == 1 else 'gain'}; {count(point.n_unchanged)} "
        f"{'is' if point.n_unchanged == 1 else 'are'} unchanged"
    )


def before_after_finding(lists: BeforeAfter, quality: str) -> Finding:
    """Entries, exits and useful documents of one query, counted."""
    enters = "enters" if lists.n_entered == 1 else "enter"
    leaves = "leaves" if lists.n_left == 1 else "leave"
    drops = "drops" if lists.n_useful_lost == 1 else "drop"
    title = (
        f"{plural(lists.n_entered, 'document')} {enters} the top {lists.k} and "
        f"{count(lists.n_left)} {leaves}; {count(lists.n_useful_lost)} useful {drops} out, "
        f"{count(lists.n_useful_gained)} come in"
    )
    if not lists.n_entered and not lists.n_left:
        n_moved = sum(move.climbed != 0 for move in lists.moves)
        title = f"The same {len(lists.before)} documents stay in the top {lists.k}"
        title += "; none moves" if not n_moved else f"; {plural(n_moved, 'document')} move"
        title = title.replace("1 document move", "1 document moves")
    if np.isnan(lists.quality_before) or np.isnan(lists.quality_after):
        return Finding(title, f"{quality} is undefined for this query: nothing is judged useful.")
    return Finding(
        title,
        f"{quality} goes from {number(lists.quality_before, 2)} to {number(lists.quality_after, 2)}.",
    )


def row_words(purchase: Purchase, best: Purchase | None, refusal: str = "", *, points: bool = True) -> str:
    """The last cell of a re-ranker's row."""
    if refusal:
        return f"Not shown: {refusal}."
    if purchase.point is None:
        return "No setting inside the budget is nearer to the target than today."
    if best is None or best.point is None or purchase.method == best.method:
        return "Closest to the target inside the budget."
    behind = purchase.point.off - best.point.off
    if behind < 0.05 and points:
        return "As close as the first row, to a tenth of a point."
    return f"{gap_words(behind, points)} further from the target than the first row."


def distance_words(off: float, points: bool) -> str:
    """Where lists stand: in points off target, or by another measure."""
    return f"{number(off, 1)} points off target" if points else f"a distance of {number(off, 3)}"


def place_words(off: float, points: bool) -> str:
    """Where lists get to."""
    return f"{number(off, 1)} points off target" if points else number(off, 3)


def gap_words(off: float, points: bool) -> str:
    """A difference of distances."""
    return f"{number(off, 1)} points" if points else number(off, 3)


def change_words(change: float) -> str:
    """A relative change of quality, signed."""
    return f"{signed(100 * change, 1)}{THIN}%"


def budget_words(budget: float) -> str:
    """A part of quality as a budget is written.

    Examples:
        >>> budget_words(0.03) == "3\u202f%", budget_words(0.025) == "2.5\u202f%"
        (True, True)
    """
    return f"{100 * budget:g}{THIN}%"


def price_finding(
    best: Purchase | None,
    now: PointSummary,
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
    if best is None or best.point is None:
        return Finding(
            f"No re-ranker gets nearer inside a budget of {inside}",
            f"Today's lists are {distance_words(now.off, points)}; every setting tried costs more "
            f"than {inside} of {quality}, or gets no nearer.",
        )
    point = best.point
    was = number(now.off, 1 if points else 3)
    moved = f"{label} goes from {was} to {place_words(point.off, points)}"
    paid = f"{quality} changes by {change_words(point.change)}{_between(best)}"
    if point.n_queries < MIN_UNITS:
        return Finding(
            "Too few queries to say what the target costs",
            f"{moved}, {paid}, over {plural(point.n_queries, 'query', 'queries')}; a title needs at least {MIN_UNITS}.",
        )
    if points and not best.moved.low > 0:
        return Finding(
            f"Inside {inside}, no re-ranker is distinguishably nearer to the target",
            f"{moved} (95 % interval of the difference {signed(best.moved.low, 1)} to "
            f"{signed(best.moved.high, 1)} points); {paid}.",
        )
    return Finding(_title(best, group, share, now, points=points, measure=measure), f"{moved}; {paid}.")


def _title(
    best: Purchase,
    group: str | None,
    share: tuple[float, float, float],
    now: PointSummary,
    *,
    points: bool,
    measure: str,
) -> str:
    point = best.point
    if point is None:
        raise ValueError("a title about what was bought needs something bought")
    today, then, aim = share
    if points and group is not None and then > today:
        what = f"documents labelled {group} go from {percent(today)} to {percent(then)} of attention"
        goal = f"; the target is {percent(aim)}"
    elif points:
        what = f"attention gets from {number(now.off, 1)} to {number(point.off, 1)} points off target"
        goal = ""
    else:
        what, goal = f"{measure} goes from {number(now.off, 2)} to {number(point.off, 2)}", ""
    low, high = best.change
    if np.isnan(low) or low <= 0 <= high:
        return f"{_upper(what)}{goal}; no change in quality can be shown"
    if point.change < 0:
        return f"For {percent(-point.change, 1)} of quality, {what}{goal}"
    return f"{_upper(what)} and quality rises by {percent(point.change, 1)}{goal}"


def chart_title(
    best: Purchase | None,
    far: PointSummary | None,
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
    if best is None or best.point is None:
        return f"Nothing inside {budget_words(budget)} is nearer to the target than today{reach}"
    return f"{label} gets nearest to the target inside the budget{reach}"


def _between(best: Purchase) -> str:
    low, high = best.change
    if np.isnan(low):
        return ""
    return f" (95 % interval {signed(100 * low, 1)} to {signed(100 * high, 1)}{THIN}%)"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
