"""What a target costs, in one title and one sentence, computed from what is shown.

Nothing is said of fewer than ten queries, or where more than a fifth of the attention has no label; a movement of less
than a point is none. Title, row, chart and brief say of a setting what its :class:`~.budget.Verdict` says: *moves*,
*stays in budget*, *cannot tell*. A cost is always said with the low end of its interval. No word here judges fairness.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.display.words import (
    THIN,
    Finding,
    called,
    capital,
    count,
    count_word,
    in_words,
    listing,
    number,
    percent,
    plural,
    quoted,
)
from fairviz.kernels.grouping import UNLABELLED
from fairviz.numerals import part_of
from fairviz.points.shares import MOST_UNLABELLED, next_step
from fairviz.stats.bootstrap import Interval
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.axes import GroupDepths
from fairviz.studies.policy_lab.budget import POINT, Outcome, Reach, Setting
from fairviz.studies.policy_lab.distances import Distance
from fairviz.studies.policy_lab.lists import BeforeAfter, ExampleOrder
from fairviz.studies.policy_lab.price import PointSummary

ON_TARGET = 0.5
"""Points off target below which lists are on it, as far as a sentence goes."""
NAMED = 4
"""Groups that a sentence names before it counts the rest."""
SMALL = 0.02
"""Shares below this have a decimal."""
STAYS = 0.005
"""A share that moves by less stays where it is, as far as a title goes."""
FOR_ALL = "distance by {} is one value for all queries and is not tested"


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


# Words for numbers.


def group_name(group: str) -> str:
    """A group as a title names it.

    Examples:
        >>> [group_name(group) for group in ("Africa", "minority", "unlabelled")]
        ['Africa', '“minority”', 'documents without a label']
    """
    return "documents without a label" if group == UNLABELLED else called(group)


def change_words(change: float) -> str:
    """A relative change of quality, signed; one that rounds to 0 is none.

    Examples:
        >>> change_words(-0.021), change_words(-0.0001)
        ('−2.1\u202f%', '±0.0\u202f%')
    """
    return f"{in_words(100 * change, sign=True)}{THIN}%"


def change_interval(change: Interval) -> str:
    """The ends of a change in brackets; nothing where there is no interval.

    Examples:
        >>> change_interval(Interval(-0.06, 0.024))
        ' (−6.0 to +2.4)'
    """
    if math.isnan(change.low):
        return ""
    low, high = (in_words(100 * end, sign=True) for end in change)
    return f" ({low} to {high})"


def searched_words(n_settings: int) -> str:
    """What an interval of a cost is, as captions have it.

    Examples:
        >>> searched_words(60)
        '95 % intervals, widened for the 60 settings that were tried'
    """
    return f"95 % intervals, widened for the {plural(n_settings, 'setting')} that were tried"


def budget_words(budget: float) -> str:
    """A part of quality as a budget is written.

    Examples:
        >>> budget_words(0.03) == "3\u202f%", budget_words(0.025) == "2.5\u202f%"
        (True, True)
    """
    return f"{100 * budget:g}{THIN}%"


def shares_in_words(*shares: float) -> list[str]:
    """Shares that stand side by side: one decimal where one is small, or two would read alike.

    Examples:
        >>> shares_in_words(0.08, 0.16) == ["8\u202f%", "16\u202f%"]
        True
        >>> shares_in_words(0.004, 0.03) == ["0.4\u202f%", "3.0\u202f%"]
        True
    """
    whole = [percent(share) for share in shares]
    alike = len(set(whole)) < len({round(share, 3) for share in shares})
    return [percent(share, 1) for share in shares] if min(shares) < SMALL or alike else whole


def silence(now: PointSummary, unlabelled: float) -> str:
    """Why nothing may be claimed of these data; empty where something may.

    Args:
        now: Today's lists.
        unlabelled: Share of today's attention without a label.
    """
    if now.n_queries < MIN_UNITS:
        return f"{plural(now.n_queries, 'query', 'queries')}: too few to compare; {count_word(MIN_UNITS)} are needed"
    if now.n_labelled < MIN_UNITS:
        show = part_of(now.n_labelled, plural(now.n_queries, "query", "queries"), "shows", "show")
        return f"only {show} labelled documents today: too few to compare; {count_word(MIN_UNITS)} are needed"
    if unlabelled > MOST_UNLABELLED:
        return f"{percent(unlabelled)} of attention goes to unlabelled documents: too much for a verdict"
    return ""


# The title of page and brief, and the sentence below it.


def price_finding(
    outcome: Outcome,
    share: Share | None,
    *,
    distance: Distance,
    labels: Mapping[str, str],
    quality: str,
    unlabelled: float = 0.0,
    mine: bool = True,
) -> Finding:
    """Title and sentence: what moves, what it costs, how sure that is, and what else there is.

    Args:
        outcome: What the budget buys.
        share: The group that is spoken of, with the best setting; None where all have their share.
        distance: What off target means.
        labels: Name of each method in print.
        quality: Name of the quality measure ("nDCG@10").
        unlabelled: Share of today's attention without a label.
        mine: Whether the reader has set the budget: "your" on the page, "the … allowed" in the brief.
    """
    now, inside = outcome.now, budget_words(outcome.budget)
    if not now.n_queries or math.isnan(now.off):
        reason = f"{quality} or the distance from {distance.aim} is undefined for every query."
        return Finding("No query can be compared", reason)
    if outcome.silent:
        few = now.n_queries < MIN_UNITS or now.n_labelled < MIN_UNITS
        what = "Too few queries" if few else "Too many documents have no label"
        step = next_step(now.n_queries, now.n_labelled, unlabelled)
        return Finding(f"{what} to say what this costs", f"{capital(outcome.silent)}. {step}")
    if distance.in_points and now.off < ON_TARGET:
        are, it = ("are on target", "it") if distance.is_set else ("give equal shares", "them")
        reason = f"They are {number(now.off, 1)} points of attention away from {it}; nothing needs to change."
        return Finding(f"Today's lists {are}", reason)
    if outcome.best is None or outcome.best.inside is None:
        return _nothing(outcome, share, distance, quality)
    best = outcome.best.inside
    if not best.verdict(outcome.budget).moves:
        return _cannot_tell(outcome, best, distance, labels)
    whose = f"{'your' if mine else 'the'} budget of {inside}"
    title = (
        f"{_what(now, best, share, distance)}. Quality {change_words(best.point.change)}{_end(best, outcome, whose)}."
    )
    return Finding(title, _methods(outcome, share, labels, distance))


def _what(now: PointSummary, best: Setting, share: Share | None, distance: Distance) -> str:
    """What moves: the share of the group that is spoken of, else the distance."""
    off = f"{distance.words(now.off)} → {distance.words(best.point.off, unit=True)}"
    if share is None:
        return capital(off)
    today, after = shares_in_words(share.today, share.after)
    (target,) = shares_in_words(share.target)
    due, name = f"{distance.due} {target}", capital(group_name(share.group))
    if abs(share.after - share.today) < min(STAYS, abs(share.target - share.today) / 2):
        moved = f" stays at {today}" if today == after else f": {today} → {after}"
        return f"{name}{moved} of attention ({due}), all groups: {off}"
    return f"{name}: {today} → {after} of attention ({due})"


def _end(best: Setting, outcome: Outcome, whose: str) -> str:
    """The low end of the cost, and whether it stays in the budget."""
    low, sure = 100 * best.change.low, best.verdict(outcome.budget).stays == "yes"
    tells = f"{'' if sure else 'cannot tell whether it '}stays in {whose}"
    if math.isnan(low):
        return f"; {tells}"
    if not sure:
        decimals = 1 if number(-low, 1) != number(100 * outcome.budget, 1) else 2
        return f"; a loss of up to {number(-low, decimals)}{THIN}% is possible: {tells}"
    worst = f"at worst {in_words(low, sign=True)}{THIN}%"
    return f"; {worst if low < 0 else f'nothing is lost, {worst}'}: {tells}"


def _methods(outcome: Outcome, share: Share | None, labels: Mapping[str, str], distance: Distance) -> str:
    """Which method it is, whether its lists are random, and the nearest sure fixed list where it is another."""
    best, alternative = outcome.best, outcome.alternative
    if best is None or best.inside is None:
        return ""
    n = len(outcome.reaches)
    of = f"Of {count_word(n)} methods {labels[best.method]} moves closest" if n > 1 else f"{labels[best.method]} moves"
    shows = "it shows every visitor the same lists" if best.inside.is_fixed else LOTTERY
    first = f"{of}{' close' if n == 1 else ''} to {distance.aim} within the budget"
    first += f"; {shows}." if best.inside.is_fixed else f", but {shows}."
    if alternative is None:
        return f"{first} No fixed list is sure to move and stay in budget."
    if alternative.sure is best.inside:
        return first
    other = alternative_words(alternative, share, labels, distance, index=outcome.spoken, budget=outcome.budget)
    return f"{first} A fixed list: {other}"


LOTTERY = "it shows each visitor one of several lists at random"


def alternative_words(
    alternative: Reach,
    share: Share | None,
    labels: Mapping[str, str],
    distance: Distance,
    *,
    index: int,
    budget: float,
) -> str:
    """The nearest fixed list that moves and stays in budget, with its own numbers."""
    sure = alternative.sure
    if sure is None:
        return ""
    name = ""
    if share is not None and index >= 0:
        name = f" {group_name(share.group)} {shares_in_words(float(sure.point.shares[index]))[0]},"
    return (
        f"{labels[alternative.method]} gives{name} {distance.words(sure.point.off, unit=True)} in all, "
        f"quality {change_words(sure.point.change)}{change_interval(sure.change)}; "
        f"{part_of(sure.point.n_worse, plural(sure.point.n_queries, 'query', 'queries'), 'loses', 'lose')}, "
        f"{count(sure.point.n_better)} gain: {sure.verdict(budget).words}."
    )


def _nothing(outcome: Outcome, share: Share | None, distance: Distance, quality: str) -> Finding:
    """No setting inside the budget is noticeably nearer."""
    inside = budget_words(outcome.budget)
    today = f"Today's lists are {distance.words(outcome.now.off, unit=True)}"
    dearer = any(reach.over is not None for reach in outcome.reaches)
    why = f"by estimate every setting that gets nearer costs more than {inside} of quality ({quality})"
    sentence = f"{today}; {why if dearer else 'no setting that was tried gets nearer at any price'}."
    if share is None or _moves_alone(outcome, share):
        return Finding(f"Nothing within a {inside} loss moves attention towards {distance.aim}", sentence)
    today_share, target = shares_in_words(share.today, share.target)
    name = group_name(share.group)
    return Finding(
        f"Nothing within a {inside} loss moves {name} towards {target}",
        f"{capital(name)} {'get' if share.group == UNLABELLED else 'gets'} {today_share} today. {sentence}",
    )


def _moves_alone(outcome: Outcome, share: Share) -> bool:
    """Whether a setting inside the budget brings the group itself nearer, though not all groups together."""
    away = abs(share.today - share.target) - POINT / 100
    return any(
        each.counts
        and each.is_inside(outcome.budget)
        and abs(float(each.point.shares[outcome.spoken]) - share.target) <= away
        for each in outcome.settings
    )


def _cannot_tell(outcome: Outcome, best: Setting, distance: Distance, labels: Mapping[str, str]) -> Finding:
    """The nearest setting cannot be told from today's lists, or gives nothing to test."""
    label = labels[outcome.best.method] if outcome.best else ""
    where = f"Closest is {label}, {distance.words(best.point.off, unit=True)} ({distance.words(outcome.now.off)} today)"
    shown = distance.words((best.moved.high - best.moved.low) / 2, unit=True, off=False)
    reason = f"a movement under {shown} could hardly have shown here"
    return Finding(
        f"Cannot tell whether anything within a {budget_words(outcome.budget)} loss moves attention towards "
        f"{distance.aim}",
        f"{where}; {f'the {FOR_ALL.format(distance.label)}' if math.isnan(best.p) else reason}.",
    )


# The rows of methods.


def methods_title(reaches: Sequence[Reach], aim: str = "the target") -> str:
    """How many methods move and stay in budget, and what may be said of the others.

    Examples:
        >>> methods_title([])
        'No method is compared'
    """
    if not reaches:
        return "No method is compared"
    n, states = len(reaches), [reach.state for reach in reaches]
    if n == 1:
        return ALONE[states[0]].format(aim=aim)
    certain, estimate, over, none = (states.count(state) for state in ("certain", "estimate", "over", "none"))
    if certain == n:
        return f"{'Both' if n == 2 else f'All {count_word(n)}'} methods move towards {aim} and stay in budget"
    first = f"No method is sure to move towards {aim} and stay in budget"
    if certain:
        move, stay = ("moves", "stays") if certain == 1 else ("move", "stay")
        first = f"{capital(count_word(certain))} of {count_word(n)} methods {move} towards {aim} and {stay} in budget"
    rest = [f"for {count_word(estimate)} we cannot tell"] if estimate else []
    rest += [f"{count_word(over)} {'are' if over > 1 else 'is'} over budget by estimate"] if over else []
    rest += [f"{count_word(none)} {'do' if none > 1 else 'does'} not move"] if none else []
    return f"{first}; {listing(rest)}"


ALONE = {
    "certain": "The method moves towards {aim} and stays in budget",
    "estimate": "We cannot tell whether the method moves towards {aim} and stays in budget",
    "over": "The method is over budget by estimate",
    "none": "The method does not move towards {aim}",
}


def reach_words(reach: Reach, distance: Distance, budget: float) -> str:
    """How far a method gets, and what may be said of it, in a few words.

    Examples:
        >>> reach_words(Reach("m", None, None, None, "none"), Distance.points(), 0.03)
        'does not move towards the target'
    """
    shown = reach.shown
    if shown is None:
        return LACKS[reach.lack].format(aim=distance.aim)
    verdict = shown.verdict(budget)
    if reach.over is shown:
        unsure = f" ({verdict.unsure})" if verdict.unsure else ""
        within = distance.words(shown.point.off, unit=True, off=False)
        return f"{verdict.over}; to come within {within}: {change_words(shown.point.change)}{unsure}"
    sure = reach.sure
    also = f"; {distance.words(sure.point.off)}: {sure.verdict(budget).words}" if sure and sure is not shown else ""
    return f"{distance.words(shown.point.off, unit=True)}: {verdict.words}{also}"


LACKS = {
    "": "does not move towards {aim}",
    "none": "does not move towards {aim}",
    "few": f"too few queries still show labelled documents (under {MIN_UNITS})",
    "apart": "undefined for some of today's queries: not compared",
}
"""Why no setting of a method counts."""


def counted(point: PointSummary) -> str:
    """What happens to the quality of queries, in a few words."""
    return f"{count(point.n_worse)} worse · {count(point.n_unchanged)} same · {count(point.n_better)} better"


def lists_words(n_lists: tuple[int, int]) -> str:
    """What two visitors see of one query.

    Examples:
        >>> lists_words((1, 1)), lists_words((3, 5))
        ('Every visit shows the same list.', 'Each visit shows one of 3 to 5 lists per search, drawn by chance: \
two people who ask the same may see different lists.')
    """
    fewest, most = n_lists
    if n_lists == (1, 1):
        return "Every visit shows the same list."
    number_of = "many" if not fewest or not most else f"{count(fewest)} to {count(most)}"
    number_of = count(most) if fewest == most and most else number_of
    return (
        f"Each visit shows one of {number_of} lists per search, drawn by chance: two people who ask the same may see "
        "different lists."
    )


# The frontier.


def frontier_title(outcome: Outcome, distance: Distance) -> str:
    """How far is sure to stay in budget, and what the target itself costs."""
    if outcome.silent or not outcome.frontier:
        nothing = f"Quality and distance from {distance.aim}, nothing compared"
        return nothing if outcome.silent else "No setting gets nearer"
    sure = [reach.sure.point.off for reach in outcome.reaches if reach.sure]
    first = "No setting is sure to move and stay in budget"
    if sure:
        today = distance.words(outcome.now.off)
        first = f"Going from {today} to {distance.words(min(sure), unit=True)} stays in budget"
    end = outcome.frontier[-1].point
    paid = f"costs {percent(-end.change, 1)}" if end.change < -5e-4 else f"comes with {change_words(end.change)}"
    if distance.in_points and end.off < ON_TARGET:
        return f"{first}; reaching {distance.aim} {paid} by estimate"
    return f"{first}; the nearest, {distance.words(end.off, unit=True)}, {paid} by estimate"


def left_out_words(left_out: Sequence[Setting], n_settings: int, labels: Mapping[str, str]) -> str:
    """Settings that the chart has no place for: counted, those of the most named with what they cost."""
    if not left_out:
        return ""
    by_method: dict[str, list[float]] = {}
    for setting in left_out:
        by_method.setdefault(setting.point.method, []).append(setting.point.change)
    most = sorted(by_method, key=lambda method: -len(by_method[method]))[:2]
    named = [f"{labels[method]} ({_range(by_method[method])})" for method in most]
    whose = "of" if len(by_method) <= len(most) else "most of them"
    some = f"{count(len(left_out))} of {plural(n_settings, 'setting')} {'is' if len(left_out) == 1 else 'are'}"
    return f"{some} not shown (worse than today, or off the chart): {whose} {listing(named)}."


def _range(changes: Sequence[float]) -> str:
    low, high = (in_words(100 * end, 0, sign=True) for end in (min(changes), max(changes)))
    return f"{low}{THIN}%" if low == high else f"{high} to {low}{THIN}%"


# Candidates, and one query.


def depth_words(depths: GroupDepths) -> str:
    """How deep candidates go, and what re-ranking cannot do.

    Examples:
        >>> import numpy as np
        >>> deep, none = np.array([100, 240]), np.array([0])
        >>> depth_words(GroupDepths(deep, 100, 2, 1, ("South",), none))
        'The first 100 candidates of each query are re-ranked; for 1 query we look down to rank 240, where some \
groups first appear.'
        >>> depth_words(GroupDepths(deep[:1], 100, 50, 0, ("South",), np.array([3])))
        'The first 100 candidates of each query are re-ranked. Re-ranking cannot add documents: 3 of 50 queries \
retrieved none labelled “South”.'
    """
    text = f"The first {count(depths.usual)} candidates of each query are re-ranked"
    if depths.n_deeper:
        text += (
            f"; for {plural(depths.n_deeper, 'query', 'queries')} we look down to rank {count(depths.deepest)}, where "
            "some groups first appear"
        )
    return f"{text}. {nowhere_words(depths)}".strip()


def nowhere_words(depths: GroupDepths) -> str:
    """Which groups queries have no candidate of at any rank; empty where every query has one of every group."""
    if not depths.nowhere:
        return ""
    (first, n), *rest = depths.nowhere[:NAMED]
    named = [
        f"{count(n)} of {plural(depths.n_queries, 'query', 'queries')} retrieved none labelled {quoted(first)}",
        *(f"{count(m)} none labelled {quoted(name)}" for name, m in rest),
    ]
    if more := len(depths.nowhere) - len(named):
        named.append(f"some lack {plural(more, 'more group')}")
    return f"Re-ranking cannot add documents: {listing(named)}."


def before_after_finding(lists: BeforeAfter, quality: str) -> Finding:
    """Entries, exits and useful documents of one query, counted; and what becomes of its quality."""
    before, after = lists.quality_before, lists.quality_after
    sentence = f"Its quality ({quality}): {number(before, 2)} → {number(after, 2)}."
    if math.isnan(before) or math.isnan(after):
        sentence = f"Its quality ({quality}) is undefined: nothing is judged useful."
    first = f"the first {count_word(lists.k)}"
    if not lists.n_entered and not lists.n_left:
        n_moved = sum(move.climbed != 0 for move in lists.moves)
        moves = f"{count_word(n_moved)} {'moves' if n_moved == 1 else 'move'}" if n_moved else "none moves"
        return Finding(f"One search: {first} stay the same documents; {moves}", sentence)
    if not lists.n_useful_lost and not lists.n_useful_gained:
        enter = f"{_documents(lists.n_entered)} {'enters' if lists.n_entered == 1 else 'enter'} {first}"
        leave = f"{count_word(lists.n_left)} {'leaves' if lists.n_left == 1 else 'leave'}"
        return Finding(f"One search: {enter}, {leave}; none of them is judged useful", sentence)
    return Finding(f"One search: {_leaving(lists, first)}; {_newcomers(lists)}", sentence)


def _documents(n: int, kind: str = "") -> str:
    return f"{count_word(n)} {kind}document{'' if n == 1 else 's'}"


def _leaving(lists: BeforeAfter, first: str) -> str:
    """How many documents leave, and how many of them were useful."""
    n, lost = lists.n_left, lists.n_useful_lost
    leave = f"{'leaves' if n == 1 else 'leave'} {first}"
    if n == lost:  # also none of none
        return f"{_documents(n, 'useful ')} {leave}"
    if n == 1:
        return f"{_documents(n)} {leave}, which was not useful"
    return f"{_documents(n)} {leave}, {count_word(lost) if lost else 'none'} of them useful"


def _newcomers(lists: BeforeAfter) -> str:
    """How many of the documents that enter are useful."""
    n, gained = lists.n_entered, lists.n_useful_gained
    if not n:
        return "none enters"
    if n == 1:
        return f"the newcomer was {'' if gained else 'not '}judged useful"
    who = {0: "neither newcomer" if n == 2 else f"none of the {count_word(n)} newcomers"}
    who |= {n: "both newcomers" if n == 2 else f"all {count_word(n)} newcomers"}
    some = who.get(gained, f"{count_word(gained)} of the {count_word(n)} newcomers")
    return f"{some} {'was' if gained < 2 else 'were'} judged useful"


def chance_words(drawn: ExampleOrder, *, random: bool, seed: int) -> str:
    """What the list on the right is, where a query has several.

    Args:
        drawn: The list.
        random: Whether it was drawn by a random re-ranker.
        seed: Of that chance.
    """
    if random:
        return f"Each visit shows another list at random; this is one of them (seed {seed})."
    if math.isnan(drawn.chance):
        return "Each visit shows one of many lists at random; these are its documents by expected attention."
    if drawn.n_lists == 1:
        return "Every visit shows this list."
    return (
        f"This query has {count(drawn.n_lists)} lists, shown at random; this one {percent(drawn.chance)} of the time."
    )
