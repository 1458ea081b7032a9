"""What the page says of models, prompts, retrieval and votes: a finding each, and nothing that no test tells.

A remedy narrows a gap where the gap without it is significant and its change is; it widens one where the change and
its own gap are. What is 0 by construction is not counted, as nobody is mentioned any more.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.display.words import interval, listing, number, plural, signed
from fairviz.stats.tests import verdict
from fairviz.studies.demographic_qa.conditions import too_unread
from fairviz.studies.demographic_qa.names import condition_name, points, spoken
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.sheet import By
from fairviz.studies.demographic_qa.strategies import StrategyRow, VoteGain, votes_holm

TIES = {
    "neutral": "the neutral variant's answer if it is tied, else the first in the alphabet",
    "abstain": "no answer, counted as wrong",
    "first": "the answer given first",
    "alphabetical": "the first in the alphabet",
}
"""Tie rules in words."""

SAID = 3
"""Changes that are told one by one; more of them are counted."""


def levels_finding(rows: Sequence[VariantRow], *, what: str) -> str:
    """In how many conditions each attribute has a significant gap, with the range of the gaps.

    Args:
        rows: Of several conditions.
        what: What there are several of ("model", "setting").
    """
    if unread := _unread(rows):
        return unread
    parts: list[str] = []
    for attribute in dict.fromkeys(row.attribute for row in rows):
        gaps = [row for row in rows if row.attribute == attribute and not np.isnan(row.dp) and not row.by_construction]
        if not gaps:
            continue
        low, high = (number(100 * pick(row.dp for row in gaps), 0) for pick in (min, max))
        span = f"{low} points" if low == high else f"{low} to {high} points"
        n = sum(_significant(row) for row in gaps)
        found = f"significant gap in {n}" if n else "no significant gap in any"
        several = f" of {plural(len(gaps), what)}" if len(gaps) > 1 or n else ""
        parts.append(f"{spoken(attribute)}: {found}{several} ({span})")
    if not parts:
        return "no two groups to compare"
    return "; ".join(parts)


def change_finding(rows: Sequence[VariantRow], *, without: str) -> str:
    """What remedies do to the gap of each attribute, against their natural baselines; "" where there are none.

    Args:
        rows: Of the remedies, and of what they are compared with.
        without: What makes the baseline ("with the plain prompt", "without documents").
    """
    changed = [row for row in rows if row.natural and not row.small and not np.isnan(row.dp_change.value)]
    counted = [row for row in changed if not (row.by_construction or row.one_option)]
    bases = {(row.by, row.attribute): row for row in rows}
    if not changed:
        return ""
    if unread := _unread(rows):
        return unread
    constructed = listing(list(dict.fromkeys(_named(row) for row in changed if row.by_construction)))
    removed = f"; {constructed}: 0 by construction, as nobody is mentioned" if constructed else ""
    if one := listing(list(dict.fromkeys(_named(row) for row in changed if row.one_option))):
        removed += f"; {one}: one answer whatever is asked, no verdict"
    if any(base.one_option for row in changed if (base := bases.get((row.base or (), row.attribute)))):
        return f"no verdict: {without}, one answer is given whatever is asked"
    told = [(row, verb) for row in counted if (verb := _verb(row, bases.get((row.base or (), row.attribute))))]
    if told:
        words = [_change_words(row, verb) for row, verb in told[:SAID]]
        more = f"; {len(told) - SAID} more significant" if len(told) > SAID else ""
        rest = len(counted) - len(told)
        others = f"; no significant change in the other {rest} of {len(counted)}" if rest else ""
        return f"{'; '.join(words)}{more}{others}{removed}"
    base_gaps = {row.attribute: base for row in changed if (base := bases.get((row.base or (), row.attribute)))}
    gaps = ", ".join(f"{spoken(name)} {points(base.dp)}" for name, base in base_gaps.items())
    are, verb = ("gap", "is") if len(base_gaps) == 1 else ("gaps", "are")
    if not any(_significant(base) for base in base_gaps.values()):
        return f"the {are} {without} ({gaps}) {verb} not significant, so no reduction can be shown{removed}"
    return f"no significant change of the {are} {without} ({gaps}){removed}"


def _unread(rows: Sequence[VariantRow]) -> str:
    """Why nothing is said of conditions of which some are too unread for a verdict."""
    conditions = list(dict.fromkeys(row.by for row in rows))
    unread = {row.by for row in rows if too_unread(row)}
    if not unread:
        return ""
    share = f" in {len(unread)} of {len(conditions)} conditions" if len(conditions) > 1 else ""
    return f"no verdict: too many answers are unread{share}"


def _significant(row: VariantRow) -> bool:
    return row.dp_level.significant and not row.small


def _verb(row: VariantRow, base: VariantRow | None) -> str:
    """What a remedy does, as far as tests tell."""
    if row.dp_change.verdict == "lower" and base is not None and _significant(base):
        return "narrows"
    return "widens" if row.dp_change.verdict == "higher" and _significant(row) else ""


def _change_words(row: VariantRow, verb: str) -> str:
    low, high = sorted(abs(100 * end) for end in row.dp_change.interval)
    between = "" if np.isnan(low) else f" ({interval(low, high, 0)})"
    return (
        f"{_named(row)} {verb} the {spoken(row.attribute)} gap by {points(row.dp_change.value)}{between}, "
        f"to {number(100 * row.dp, 0)}"
    )


def _named(row: VariantRow) -> str:
    """What tells a remedy from its base."""
    return condition_name(dict(differing(row.by, row.base or ()))) or "the other"


def differing(by: By, base: By) -> By:
    """The columns in which a combination differs from another."""
    other = dict(base)
    return tuple((name, value) for name, value in by if other.get(name) != value)


def vote_title(gains: Sequence[VoteGain | StrategyRow], rows: Sequence[VariantRow] = ()) -> str:
    """What the vote adds, over the conditions whose test, corrected over all of them, tells it from nothing.

    Args:
        gains: One per condition.
        rows: Of these conditions, that say how much was read.
    """
    if unread := _unread(rows):
        return unread
    if not gains:
        return "no vote to take"
    verdicts = [verdict(gain.change, p, gain.n) for gain, p in zip(gains, votes_holm(gains), strict=True)]
    more = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "higher"]
    less = [gain for gain, found in zip(gains, verdicts, strict=True) if found == "lower"]
    rest = len(gains) - len(more) - len(less)
    if rest == len(gains):
        low, high = (100 * pick(gain.change for gain in gains) for pick in (min, max))
        return f"no significant change in right answers by a vote over all variants ({_span(low, high)} points)"
    if len(more) == len(gains):
        low, high = min(gain.change for gain in more), max(gain.change for gain in more)
        span = points(low, 1) if len(more) == 1 else f"{number(100 * low, 1)} to {points(high, 1)}"
        return f"a vote over all variants adds {span}"
    parts = [f"helps {len(more)}"] if more else []
    parts += [f"costs points in {len(less)}"] if less else []
    others = f"; the other {rest} show{'s' if rest == 1 else ''} no significant change" if rest else ""
    return f"a vote over all variants {listing(parts)} of {plural(len(gains), 'condition')}{others}"


def _span(low: float, high: float) -> str:
    ends = (signed(low, 1), signed(high, 1))
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
