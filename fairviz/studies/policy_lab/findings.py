"""What a target costs, in one title and one sentence, computed from what is shown.

Documents are spoken of by their label ("documents labelled “X”"). No word here is a verdict. Nothing is said of fewer
than ten queries, or where more than a fifth of the attention has no label; a movement that nobody would notice is none.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.rerank.describe import Reranker
from fairviz.show.words import (
    THIN,
    Finding,
    count,
    count_word,
    in_words,
    listing,
    number,
    percent,
    plural,
    quoted,
)
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.groups.findings import MOST_UNLABELLED, all_of, capital, labelled
from fairviz.studies.policy_lab.budget import Purchase, TurningPoint, is_noticeable
from fairviz.studies.policy_lab.depth import GroupDepths
from fairviz.studies.policy_lab.lists import BeforeAfter
from fairviz.studies.policy_lab.price import PointSummary

ON_TARGET = 0.5
"""Points off target below which today's lists are on it, as far as a sentence goes."""
NAMED = 4
"""Groups that a sentence names before it counts the rest."""


def silence(now: PointSummary, unlabelled: float) -> str:
    """Why nothing may be claimed of these data; empty where something may.

    Args:
        now: Today's lists.
        unlabelled: Share of today's attention without a label.
    """
    if now.n_queries < MIN_UNITS:
        return f"{plural(now.n_queries, 'query', 'queries')}: too few to compare; {count_word(MIN_UNITS)} are needed"
    if now.n_labelled < MIN_UNITS:
        return (
            f"only {now.n_labelled} of {plural(now.n_queries, 'query', 'queries')} show labelled documents today: too "
            f"few to compare; {count_word(MIN_UNITS)} are needed"
        )
    if unlabelled > MOST_UNLABELLED:
        return f"{percent(unlabelled)} of attention goes to unlabelled documents: too much for a verdict"
    return ""


def price_words(
    label: str,
    points_by_strength: Sequence[PointSummary],
    turn: TurningPoint,
    *,
    symbol: str,
    points: bool = True,
    change: Interval = UNDEFINED,
) -> list[str]:
    """The way of one re-ranker in words, with its turning point.

    Args:
        label: Its name.
        points_by_strength: Its points, by rising strength.
        turn: Where going on stops paying.
        symbol: Of its strength.
        points: Whether distance is in points of attention.
        change: Interval of the change of quality at its nearest point.
    """
    if not points_by_strength:
        return []
    if turn.nearest < 0:
        return [f"{label} gets no closer to the target than today at any strength tried."]
    nearest = points_by_strength[turn.nearest]
    was = nearest.off + nearest.moved
    if not is_noticeable(nearest.moved, was, digit=_digit(points)):
        return [f"{label} gets no closer to the target that could be noticed at any strength tried."]
    sentences = [
        f"At its closest ({symbol} = {nearest.strength:g}) {label} covers {percent(nearest.moved / was)} of the way to "
        f"the target; quality {change_words(nearest.change)}{could_be(change)}."
    ]
    if turn.nearest < turn.n_points - 1:
        sentences.append(f"Beyond {symbol} = {nearest.strength:g} nothing gets closer.")
    if not points:
        return sentences
    if turn.pays < 0:
        sentences.append(f"Already the first step costs more than 1{THIN}% of quality for each point of attention.")
    elif turn.pays < turn.nearest:
        last = points_by_strength[turn.pays]
        sentences.append(
            f"Beyond {symbol} = {last.strength:g} ({number(last.off, 1)} points off target, quality "
            f"{change_words(last.change)}), each further point of attention costs more than 1{THIN}% of quality."
        )
    else:
        sentences.append(f"Up to there each point of attention costs less than 1{THIN}% of quality on average.")
    return sentences


def furthest_words(far: PointSummary | None, label: str, *, best: str, points: bool = True) -> str:
    """Who goes furthest at any price, where it is another than the nearest within the budget."""
    if far is None or far.method == best:
        return ""
    return f"{label} goes furthest, to {place_words(far.off, points)}; quality {change_words(far.change)}."


def depth_words(depths: GroupDepths) -> str:
    """What re-ranking cannot do: groups below the depth that is re-ranked, and groups that were not retrieved.

    Examples:
        >>> import numpy as np
        >>> none, all_of_them = np.array([0]), np.array([50])
        >>> depth_words(GroupDepths(("South",), 100, 50, none, np.array([3]), none, 0))
        'Re-ranking cannot add documents: 3 of 50 queries retrieved none labelled “South”.'
        >>> said = depth_words(GroupDepths(("South",), 100, 50, all_of_them, none, np.array([240]), 400))
        >>> said.split(": ")[0]
        'Only the first 100 candidates are re-ranked'
        >>> said.split(": ")[1]
        '50 of 50 queries have all documents labelled “South” below them (from rank 240 on). The first 400 hold enough.'
    """
    if not depths.below and not depths.nowhere:
        return f"Every one of the {count(depths.n_queries)} queries has a candidate of every group."
    parts: list[str] = []
    of = f"of {plural(depths.n_queries, 'query', 'queries')}"
    if depths.below:
        (first, n, rank), *others = depths.below[:NAMED]
        has = "has" if n == 1 else "have"
        named = [
            f"{count(n)} {of} {has} all documents labelled {quoted(first)} below them (from rank {count(rank)} on)",
            *(f"{count(m)} all labelled {quoted(name)} (from rank {count(at)} on)" for name, m, at in others),
        ]
        enough = f" The first {count(depths.enough)} hold enough." if depths.enough else ""
        parts.append(
            f"Only the first {count(depths.depth)} candidates are re-ranked: "
            f"{listing(_further(named, depths.below))}.{enough}"
        )
    if depths.nowhere:
        (first, n), *rest = depths.nowhere[:NAMED]
        named = [
            f"{count(n)} {of} retrieved none labelled {quoted(first)}",
            *(f"{count(m)} none labelled {quoted(name)}" for name, m in rest),
        ]
        parts.append(f"Re-ranking cannot add documents: {listing(_further(named, depths.nowhere))}.")
    return " ".join(parts)


def _further(named: list[str], every: Sequence[object]) -> list[str]:
    """The named, and how many more there are."""
    n = len(every) - len(named)
    return [*named, f"some lack {plural(n, 'more group')}"] if n else named


def certain_words(best: Purchase | None, sure: Purchase | None, label: str, *, budget: float, points: bool) -> str:
    """Which method stays within the budget for certain, where the nearest does not.

    Args:
        best: The nearest whose mean is within the budget.
        sure: The nearest whose whole interval is.
        label: Its name.
        budget: Part of today's quality that may be given up.
        points: Whether distance is in points of attention.
    """
    if best is None or best.is_certain:
        return ""
    inside = budget_words(budget)
    if sure is None or sure.point is None:
        return f"No method is certain to stay within the {inside} budget."
    return (
        f"Certain to stay within the {inside} budget, {label} gets to {place_words(sure.point.off, points)}; quality "
        f"{change_words(sure.point.change)}{could_be(sure.change)}."
    )


def lists_words(label: str, reranker: Reranker | None) -> str:
    """That a policy shows lists at random; empty for a re-ranker that always shows the same list."""
    return "" if reranker is None or not shows_at_random(reranker) else lottery_words([label])


def lottery_words(labels: Sequence[str]) -> str:
    """That these show lists at random; empty for none.

    Examples:
        >>> lottery_words(["X"])
        'X shows one of several lists at random on each visit; its numbers are averages over visits.'
    """
    if not labels:
        return ""
    shows, whose = ("shows", "its") if len(labels) == 1 else ("show", "their")
    return (
        f"{listing(list(labels))} {shows} one of several lists at random on each visit; {whose} numbers are averages "
        "over visits."
    )


def shows_at_random(reranker: Reranker) -> bool:
    """Whether two visits to one query may see different lists."""
    return reranker.is_policy or reranker.random


def before_after_finding(lists: BeforeAfter, quality: str) -> Finding:
    """Entries, exits and useful documents of one query, counted."""
    enters = "enters" if lists.n_entered == 1 else "enter"
    leaves = "leaves" if lists.n_left == 1 else "leave"
    title = (
        f"{plural(lists.n_entered, 'document')} {enters} the top {lists.k} and {count(lists.n_left)} {leaves}; "
        f"{_useful(lists)}"
    )
    if not lists.n_entered and not lists.n_left:
        n_moved = sum(move.climbed != 0 for move in lists.moves)
        title = f"The same {len(lists.before)} documents stay in the top {lists.k}"
        title += "; none moves" if not n_moved else f"; {plural(n_moved, 'document')} move"
        title = title.replace("1 document move", "1 document moves")
    before, after = lists.quality_before, lists.quality_after
    if np.isnan(before) or np.isnan(after):
        return Finding(title, f"{quality} is undefined for this query: nothing is judged useful.")
    if number(before, 2) == number(after, 2):
        return Finding(title, f"{quality} stays at {number(before, 2)}.")
    return Finding(title, f"{quality} goes from {number(before, 2)} to {number(after, 2)}.")


def _useful(lists: BeforeAfter) -> str:
    """What becomes of useful documents.

    Examples:
        >>> from fairviz.studies.policy_lab.lists import before_after
        >>> _useful(before_after("q", "abc", "cab", k=2, useful={"b"}, groups={}))
        'one useful document drops out, none is gained'
    """
    lost, gained = lists.n_useful_lost, lists.n_useful_gained
    if not lost and not gained:
        return "no useful document drops out or is gained"
    out = f"{count_word(lost)} useful {'documents drop' if lost > 1 else 'document drops'} out"
    return f"{out}, {'none' if not gained else count_word(gained)} {'are' if gained > 1 else 'is'} gained"


def row_words(
    purchase: Purchase,
    best: Purchase | None,
    refusal: str = "",
    *,
    points: bool = True,
    silent: str = "",
    at_random: bool = False,
) -> str:
    """The last cell of a re-ranker's row.

    Args:
        purchase: What it buys.
        best: The nearest of all.
        refusal: Why it does not apply.
        points: Whether distance is in points of attention.
        silent: Why nothing may be claimed.
        at_random: Whether it shows lists at random.
    """
    if refusal:
        return f"Not shown: {refusal}."
    if silent:
        return "Not compared."
    if purchase.point is None:
        return LACKS[purchase.lack]
    parts: list[str] = []
    if best is None or best.point is None or purchase.method == best.method:
        parts.append("Closest to the target within the budget.")
    elif (behind := purchase.point.off - best.point.off) < _digit(points) / 2:
        parts.append(f"As close as the first row, to {'a tenth of a point' if points else 'three decimals'}.")
    else:
        parts.append(f"{gap_words(behind, points)} further from the target than the first row.")
    if not purchase.is_certain:
        parts.append("Not certain to stay within the budget.")
    if at_random:
        parts.append("Lists at random.")
    return " ".join(parts)


LACKS = {
    "": "No setting within the budget gets closer to the target than today.",
    "none": "No setting within the budget gets closer to the target than today.",
    "slight": "No noticeable change within the budget.",
    "few": f"Too few queries still show labelled documents (under {MIN_UNITS}).",
    "apart": "Undefined for some of today's queries: not compared.",
}
"""Why a budget buys nothing of a re-ranker."""


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
    """A relative change of quality, signed; one that rounds to 0 is none.

    Examples:
        >>> change_words(-0.021), change_words(-0.0001)
        ('−2.1\u202f%', '±0.0\u202f%')
    """
    return f"{in_words(100 * change, sign=True)}{THIN}%"


def could_be(change: Interval) -> str:
    """The interval of a change of quality, in brackets; nothing where there is none."""
    low, high = change
    if np.isnan(low):
        return ""
    if change_words(low) == change_words(high):
        return " (the same in every resample)"
    return f" (could be {change_words(low)} to {change_words(high)})"


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
    unlabelled: float = 0.0,
    depths: GroupDepths | None = None,
    reranker: Reranker | None = None,
) -> Finding:
    """Title and sentence of the page.

    Args:
        best: What the nearest re-ranker achieves within the budget; None where none is nearer.
        now: Today's lists.
        group: The group furthest under its target today, if any.
        share: Its share of attention today, with the re-ranker, and its target.
        label: Name of the re-ranker.
        quality: Name of the quality measure ("nDCG@10").
        budget: Part of today's quality that may be given up.
        points: Whether distance is in points of attention.
        measure: Name of the distance otherwise.
        unlabelled: Share of today's attention without a label.
        depths: Where candidates stand, if that is known.
        reranker: The re-ranker, for whether it shows lists at random.
    """
    inside = budget_words(budget)
    if not now.n_queries or np.isnan(now.off):
        return Finding(
            "No query can be compared",
            f"{quality} or the distance from the target is undefined for every query.",
        )
    today = f"Today's lists are {distance_words(now.off, points)}"
    silent = silence(now, unlabelled)
    if silent:
        few = now.n_queries < MIN_UNITS or now.n_labelled < MIN_UNITS
        if few:
            return Finding("Too few queries to say what the target costs", f"{capital(silent)}.")
        return Finding("Too many documents lack a label to say what the target costs", f"{capital(silent)}. {today}.")
    if points and now.off < ON_TARGET:
        return Finding(
            "Today's lists are on target",
            f"They are {number(now.off, 1)} points of attention away from it; nothing needs to change.",
        )
    if best is None or best.point is None:
        return _nothing(now, group, share[0], quality, inside, points, depths, today)
    paid = f"quality {change_words(best.point.change)}{could_be(best.change)}"
    moved = f"Within the {inside} budget {label} comes closest: {_way(best, now, points)}"
    drawn = lists_words(label, reranker)
    sure = "" if best.is_certain else f" {quality} is within the budget, but not for certain."
    if not best.p_corrected < SIGNIFICANCE:
        title = f"Within {inside}, {_not_closer(best, measure)}"
        return Finding(title, f"{moved}; {paid}.{sure} {drawn}".strip())
    end = "" if best.is_certain else "; within the budget, but not certain"
    what = _what(best, group, share, now, points=points, measure=measure)
    return Finding(f"{what}; {paid}{end}", f"{moved}; {quality}: {_counted(best.point)}. {drawn}".strip())


def _not_closer(best: Purchase, measure: str) -> str:
    """That nothing may be called closer: not even the nearest is, or the measure gives nothing to test."""
    if np.isnan(best.p_corrected):
        return f"no method is called closer: {measure or 'the distance'} is one value for all queries and is not tested"
    return "no method is significantly closer to the target"


def _nothing(
    now: PointSummary,
    group: str | None,
    share: float,
    quality: str,
    inside: str,
    points: bool,
    depths: GroupDepths | None,
    today: str,
) -> Finding:
    """Nothing within the budget is noticeably nearer."""
    below = {name: n for name, n, _ in depths.below} if depths else {}
    if depths and group in below and 2 * below[group] > depths.n_queries:
        absent = [name for name, n, _ in depths.below if 2 * n > depths.n_queries]
        return Finding(
            f"{capital(all_of(absent))} stand below the first {count(depths.depth)} candidates, which alone are "
            "re-ranked",
            f"{today}.{f' Re-rank the first {count(depths.enough)} to reach them.' if depths.enough else ''}",
        )
    sentence = f"{today}; every setting tried costs more than {inside} of {quality}, or makes no noticeable change."
    if group is not None and points:
        what = f"raises {labelled(group)} noticeably ({percent(share, 1)} today)"
        return Finding(f"No setting within {inside} {what}", sentence)
    return Finding(f"No method gets noticeably closer to the target for {inside} or less", sentence)


def _way(best: Purchase, now: PointSummary, points: bool) -> str:
    """From where to where, with the interval of the way."""
    if best.point is None:
        return ""
    was = number(now.off, 1 if points else 3)
    low, high = best.moved
    decimals = 1 if points else 3
    by = "" if np.isnan(low) else f" ({number(low, decimals)} to {number(high, decimals)} closer)"
    return f"from {was} to {place_words(best.point.off, points)}{by}"


def _what(
    best: Purchase,
    group: str | None,
    share: tuple[float, float, float],
    now: PointSummary,
    *,
    points: bool,
    measure: str,
) -> str:
    """What moves: the share of the group that lacks most, where that is noticeable, else the distance."""
    if best.point is None:
        raise ValueError("a title about what was bought needs something bought")
    today, then, aim = share
    if points and group is not None and is_noticeable(100 * (then - today), 100 * (aim - today)):
        near_0 = min(today, then) < 0.01 or percent(today) == percent(then)
        decimals = 1 if near_0 else 0
        return (
            f"{capital(labelled(group))} go from {percent(today, decimals)} to {percent(then, decimals)} of attention "
            f"(target {percent(aim)})"
        )
    if points:
        return f"Attention gets from {number(now.off, 1)} to {number(best.point.off, 1)} points off target"
    return f"{measure} goes from {number(now.off, 2)} to {number(best.point.off, 2)}"


def _counted(point: PointSummary) -> str:
    """What happens to the queries, in a few words."""
    n = f"{count(point.n_worse)} of {plural(point.n_queries, 'query', 'queries')}"
    return f"{n} {'loses' if point.n_worse == 1 else 'lose'}, {count(point.n_better)} gain"


def chart_title(
    best: Purchase | None,
    far: PointSummary | None,
    *,
    label: str,
    far_label: str,
    n_shown: int,
    budget: float,
    points: bool = True,
    silent: str = "",
) -> str:
    """Title of the chart: who is nearest within the budget, if significantly, and how near anybody gets."""
    if silent:
        return f"Quality and distance from the target of {plural(n_shown, 'method')}, nothing compared"
    reach = ""
    if far is not None and points and far.off < ON_TARGET:
        reach = f"; reaching the target {_costs(far, far_label, best)}"
    elif far is not None:
        it = "it" if best is not None and best.method == far.method else far_label
        reach = f"; at any price {it} gets closest, to {place_words(far.off, points)}"
    if best is None or best.point is None:
        return f"No method gets noticeably closer for {budget_words(budget)} or less{reach}"
    if not best.p_corrected < SIGNIFICANCE:
        return f"Within the {budget_words(budget)} budget {_not_closer(best, '')}"
    return f"Within the {budget_words(budget)} budget {label} comes closest{reach}"


def _costs(far: PointSummary, label: str, best: Purchase | None) -> str:
    with_it = "" if best is not None and best.method == far.method else f" (with {label})"
    if change_words(far.change).startswith("±"):
        return f"makes no noticeable change in mean quality{with_it}"
    if far.change > 0:
        return f"comes with {change_words(far.change)} of quality on average{with_it}"
    return f"costs {percent(-far.change, 1)} of quality on average{with_it}"


def _digit(points: bool) -> float:
    """The last digit of a distance that is shown."""
    return 0.1 if points else 0.001
