"""Who gains attention under a setting, who pays with it, and whether somebody pays who had no more than the target.

A change is said to be one where its interval, which holds for all groups and settings together, excludes 0; else it is
called an estimate.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import THIN, capital, listing, number, plural
from fairviz.studies.policy_lab.findings import NAMED, STAYS, group_name, shares_in_words
from fairviz.studies.policy_lab.price import SharesBeside

SEEN = 0.0005
"""A change of a share that is smaller cannot be seen in any number on the page."""

Payment: TypeAlias = Literal["gains", "loses", "gains by estimate", "loses by estimate", ""]
"""What becomes of a group's share; empty: it stays where it is, or is undefined."""


def warning_title(*, is_set: bool) -> str:
    """What a warning of :func:`payments` begins with."""
    return f"A group pays that is not over {'its target' if is_set else 'an equal share'}"


class Payments(NamedTuple):
    """Who gains and who pays.

    Attributes:
        title: Groups whose share changes significantly, with both shares; empty where no share is defined.
        sentence: Groups that change by estimate only, and undefined shares.
        warning: Groups not over their target that lose, and for whom; empty where there are none.
    """

    title: str
    sentence: str
    warning: str


def payment(shares: SharesBeside, at: int) -> Payment:
    """Whether a group gains or loses: half a point of attention, or half of its share where that is less."""
    before, after = float(shares.today.shares[at]), float(shares.after.shares[at])
    if not abs(after - before) >= min(STAYS, max(SEEN, max(before, after) / 2)):
        return ""
    if after > before:
        return "gains" if shares.gains.low[at] > 0 else "gains by estimate"
    return "loses" if shares.gains.high[at] < 0 else "loses by estimate"


def payments(shares: SharesBeside, *, is_set: bool = True) -> Payments:
    """One sentence who gains and who pays, and a warning where a group pays that is not over its target.

    Args:
        shares: By group, before and after.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """
    undefined = np.isnan(shares.today.shares) | np.isnan(shares.after.shares)
    if undefined.all():
        return Payments("", "", "")
    kinds = [payment(shares, at) for at in range(len(shares.groups))]

    def of(*wanted: Payment) -> list[int]:
        return [at for at in shares.by_gain if kinds[at] in wanted]

    gain, pay, estimated = of("gains"), of("loses")[::-1], of("gains by estimate", "loses by estimate")
    parts = [
        f"{_changes(shares, which)} {verb if len(which) == 1 else many}"
        for which, verb, many in ((gain, "gains", "gain"), (pay, "pays", "pay"))
        if which
    ]
    if gain and not pay:
        parts.append("no single group significantly pays")
    if pay and not gain:
        parts.append("no single group significantly gains")
    nobody = "No group's share of attention changes " + ("significantly" if estimated else "noticeably")
    said = f"By estimate, not significantly: {_changes(shares, estimated)}." if estimated else ""
    if n := int(undefined.sum()):
        said += f" {plural(n, 'group has', 'groups have')} no defined share."
    return Payments(capital("; ".join(parts)) or nobody, said.strip(), _warning(shares, gain, pay, is_set=is_set))


def _changes(shares: SharesBeside, which: list[int]) -> str:
    """Groups with both shares; of many the rest is counted."""
    words: list[str] = []
    for at in which[:NAMED]:
        before, after = shares_in_words(float(shares.today.shares[at]), float(shares.after.shares[at]))
        words.append(f"{group_name(shares.groups[at])} {before.removesuffix(f'{THIN}%')} → {after}")
    return listing([*words, plural(len(which) - NAMED, "more group")] if len(which) > NAMED else words)


def _warning(shares: SharesBeside, gain: list[int], pay: list[int], *, is_set: bool) -> str:
    """Those that pay although they have no more than their target."""
    words: list[str] = []
    for at in pay:
        before, aim = float(shares.today.shares[at]), float(shares.target[at])
        if math.isnan(aim) or before - aim >= STAYS:
            continue
        lost = f"{number(100 * (before - float(shares.after.shares[at])), 1)} points"
        under, (due,) = aim - before >= STAYS, shares_in_words(aim)
        whose = f"{'its target' if is_set else 'an equal share'} of {due}"
        where = f"gets less than {whose} and still" if under else f"gets no more than {whose} and"
        words.append(f"{group_name(shares.groups[at])} {where} loses {lost}")
    if not words:
        return ""
    more = [f"so do {plural(len(words) - NAMED, 'more group')}"] if len(words) > NAMED else []
    them = "it" if len(words) == 1 else "them"
    names = [group_name(shares.groups[at]) for at in gain]
    names = [*names[:NAMED], plural(len(names) - NAMED, "more group")] if len(names) > NAMED else names
    gained = f": what {listing(names)} gain{'s' if len(names) == 1 else ''} is paid by {them} too" if names else ""
    return capital(f"{'; '.join([*words[:NAMED], *more])}{gained}.")
