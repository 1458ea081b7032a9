"""What the Groups & targets page says: every clause counted or compared, checked by an interval.

Groups are called "documents labelled “X”": a label is what is known of a document, not of people. What is said after
looking at all groups is checked by intervals corrected for their number; nothing is said of fewer than ten queries.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.groups import UNLABELLED
from fairviz.model import BoolArray, FloatArray
from fairviz.show.words import THIN, Finding, count_word, listing, number, percent, plural, quoted
from fairviz.stats.bootstrap import Intervals
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.groups.attainable import Attainable
from fairviz.studies.groups.by_rank import RankBins
from fairviz.studies.groups.off_target import DistanceRange, ShareRange, share_range
from fairviz.studies.groups.shares import GroupExposure

NAMED = 3
"""Groups that a sentence names before it counts the rest."""
MOST_UNLABELLED = 0.2
"""Share of attention without a label above which shares of the rest allow no verdict."""
SAME = 5e-4
"""Shares closer than this are one, to the last digit shown."""
WORTH_SAYING = 0.02
"""Share of attention without a label above which a title says it."""


def labelled(group: str) -> str:
    """How the documents of a group are called.

    Examples:
        >>> labelled("women"), labelled("unlabelled")
        ('documents labelled “women”', 'unlabelled documents')
    """
    return "unlabelled documents" if group == UNLABELLED else f"documents labelled {quoted(group)}"


def one_of(group: str) -> str:
    """A single document of a group.

    Examples:
        >>> one_of("women"), one_of("unlabelled")
        ('a document labelled “women”', 'an unlabelled document')
    """
    return "an unlabelled document" if group == UNLABELLED else f"a document labelled {quoted(group)}"


def all_of(groups: Sequence[str]) -> str:
    """How the documents of several groups are called.

    Examples:
        >>> all_of(["a", "b"]), all_of(["a", "unlabelled"]), all_of(["a", "b", "c", "d", "e"])
        ('documents labelled “a” and “b”', 'documents labelled “a” and unlabelled documents', \
'documents labelled “a”, “b”, “c” and 2 more groups')
    """
    names = [quoted(group) for group in groups if group != UNLABELLED]
    rest = len(names) - NAMED
    if rest > 0:
        names = [*names[:NAMED], plural(rest, "more group")]
    parts = [f"documents labelled {listing(names)}"] if names else []
    return listing([*parts, *(["unlabelled documents"] if UNLABELLED in groups else [])])


def capital(text: str) -> str:
    """A sentence's first letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def points(gap: float) -> str:
    """A difference of shares in points, without a sign.

    Examples:
        >>> points(-0.112), points(0.004), points(0.01)
        ('11 points', '0.4 points', '1 point')
    """
    size = 100 * abs(gap)
    text = number(size, 1 if 0.05 <= size < 0.95 else 0)
    return f"{text} point{'' if text == '1' else 's'}"


def gap_words(share: float, low: float, high: float, target: float, *, silent: bool = False) -> str:
    """What is said of one group beside its name.

    Args:
        share: Its share of attention.
        low: Lower end of its interval, corrected for the number of groups.
        high: Upper end.
        target: Its target.
        silent: Whether nothing may be claimed of it.

    Examples:
        >>> gap_words(0.34, 0.26, 0.42, 0.45)
        '34\u202f%, 11 points under'
        >>> gap_words(0.50, 0.42, 0.59, 0.45)
        '50\u202f%, not significantly different from 45\u202f%'
        >>> gap_words(0.50, 0.42, 0.59, 0.45, silent=True)
        '50\u202f%, no verdict'
    """
    if np.isnan(share):
        return "undefined: no labelled attention"
    if silent or np.isnan(low):
        return f"{percent(share)}, no verdict"
    if abs(share - target) < SAME:
        return f"{percent(share)}, on target"
    if low <= target <= high:
        return f"{percent(share)}, not significantly different from {percent(target)}"
    return f"{percent(share)}, {points(share - target)} {'under' if share < target else 'over'}"


def unit(groups: Sequence[str]) -> str:
    """What shares are shares of."""
    return "attention" if UNLABELLED in groups else "labelled attention"


def off_target_groups(exposure: GroupExposure, corrected: Intervals, target: FloatArray) -> BoolArray:
    """(G) groups of which it may be said that they miss their target.

    Their interval, corrected for the number of groups, leaves it out; and where more than a fifth of the attention has
    no label, no labelling of it would bring them there either. Nobody, where too few queries say something.
    """
    if exposure.is_few or np.isnan(exposure.shares).any():
        return np.zeros(target.size, dtype=np.bool_)
    off = (target < corrected.low) | (target > corrected.high)
    if exposure.unlabelled_share > MOST_UNLABELLED:
        known = share_range(exposure.attention.sum(axis=0), float(exposure.unlabelled.sum()))
        off &= (target < known.low) | (target > known.high)
    return off


def headline(exposure: GroupExposure, corrected: Intervals, target: FloatArray, *, where: str) -> Finding:
    """Title of the page: the group farthest from its target of those that differ from it significantly.

    Args:
        exposure: Attention by group.
        corrected: Intervals of its shares, corrected for the number of groups.
        target: (G) target shares.
        where: What was scored, for the sentence: data, k, attention.
    """
    shares, whole = exposure.shares, unit(exposure.groups)
    n, seen = exposure.n_labelled, len(exposure.query_ids)
    have = "has" if n == 1 else "have"
    queries = plural(seen, "query", "queries")
    sentence = f"{where} {n} of {queries} {have} labelled documents there."
    if len(exposure.groups) == 1:
        return Finding(f"Only one group, {quoted(exposure.groups[0])}: nothing to compare", sentence)
    if np.isnan(shares).any():
        return Finding("No attention falls on a labelled document", sentence)
    if exposure.is_few:
        return Finding(
            "Too few queries with labelled documents to compare with a target",
            f"{sentence} A comparison needs at least {count_word(MIN_UNITS)}.",
        )
    unlabelled = exposure.unlabelled_share
    if unlabelled > WORTH_SAYING:
        sentence = f"{sentence} {percent(unlabelled)} of attention goes to unlabelled documents."
    off = off_target_groups(exposure, corrected, target)
    if not off.any():
        if unlabelled > MOST_UNLABELLED:
            return Finding(
                f"{percent(unlabelled)} of attention goes to unlabelled documents: no verdict on your target",
                sentence,
            )
        if (np.abs(shares - target) < SAME).all():
            return Finding(f"Every group's share of {whole} is on your target", sentence)
        return Finding(f"No group's share of {whole} differs significantly from your target", sentence)
    at = int(np.argmax(np.where(off, np.abs(shares - target), -1.0)))
    name = capital(labelled(exposure.groups[at]))
    return Finding(
        f"{name} get {percent(float(shares[at]), _decimals(shares[at], target[at]))} of {whole}; "
        f"your target is {percent(float(target[at]), _decimals(shares[at], target[at]))}",
        sentence,
    )


def unknown_title(exposure: GroupExposure) -> str:
    """How much is not known."""
    share = exposure.unlabelled_share
    if np.isnan(share):
        return "Nothing was ranked"
    if share == 0:
        return "Every document that gets attention has a label"
    return f"{percent(share, 0 if 0.01 <= share <= 0.99 else 1)} of attention goes to unlabelled documents"


def unknown_sentence(exposure: GroupExposure) -> str:
    """Counts behind it: places, queries."""
    known = float(exposure.places.sum())
    total = known + float(exposure.unlabelled_places.sum())
    share = exposure.unlabelled_share
    rest = f"the other {percent(1 - share, 0 if share <= 0.99 else 1)}: " if share > 0 else ""
    return (
        f"Shares of labelled attention describe {rest}{_amount(known)} of {_amount(total)} places "
        f"seen, in {exposure.n_labelled} of "
        f"{plural(len(exposure.query_ids), 'query', 'queries')}."
    )


def attainable_notes(
    reach: Attainable, target: FloatArray, groups: Sequence[str], *, noun: tuple[str, str]
) -> list[str]:
    """What re-ranking cannot do: targets out of reach, queries without candidates of a group."""
    notes: list[str] = []
    for group, low, high, share in zip(groups, reach.low.tolist(), reach.high.tolist(), target.tolist(), strict=True):
        if np.isnan(low):
            continue
        if share > high + 1e-9 or share < low - 1e-9:
            side = "more" if share > high else "less"
            end = high if share > high else low
            notes.append(
                f"Your target of {percent(share)} for {labelled(group)} is out of reach: no "
                f"re-ranking of these candidates gives them {side} than "
                f"{percent(end, 0 if 0.01 <= end <= 0.99 else 1)}."
            )
    without = [
        f"{n} of {plural(reach.n_queries, *noun)} retrieved no document labelled {quoted(group)}"
        for n, group in sorted(zip(reach.without.tolist(), groups, strict=True), key=lambda pair: -pair[0])
        if n and group != UNLABELLED
    ]
    if without:
        more = f" (and {plural(len(without) - NAMED, 'more group')})" if len(without) > NAMED else ""
        notes.append(f"Re-ranking cannot add documents: {listing(without[:NAMED])}{more}.")
    return notes


def by_rank_title(bins: RankBins, groups: Sequence[str], *, few: bool = False) -> str:
    """How the top differs from what is below: the group that changes most, if it does significantly.

    Args:
        bins: Shares in pooled ranks.
        groups: Names.
        few: Whether too few queries show labelled documents for anything to be claimed.
    """
    if not bins.n.size or not bins.n.sum() > 0:
        return "No labelled document is ranked"
    if few or bins.n.size == 1:
        return f"Too few labelled places to compare ranks: {_amount(float(bins.n.sum()))} in all"
    known = np.flatnonzero(bins.n > 0)
    alone = np.flatnonzero((bins.shares[known] > 1 - SAME).all(axis=0))
    if alone.size:
        name = capital(labelled(groups[int(alone[0])]))
        return f"{name} hold every labelled place down to rank {int(bins.last[known[-1]])}"
    first, last = int(known[0]), int(known[-1])
    change = np.abs(bins.shares[first] - bins.shares[last])
    apart: BoolArray = bins.p < SIGNIFICANCE
    if not apart.any():
        return (
            f"No group's share of labelled places differs significantly between {_ranks(bins, first)} and "
            f"{_ranks(bins, last)}"
        )
    at = int(np.argmax(np.where(apart, change, -1.0)))
    return (
        f"{capital(labelled(groups[at]))} hold {percent(float(bins.shares[first, at]))} of "
        f"labelled places at {_ranks(bins, first)} and {percent(float(bins.shares[last, at]))} "
        f"at {_ranks(bins, last)}"
    )


def per_item_title(exposure: GroupExposure, corrected: Intervals) -> str:
    """Attention per document: the two groups that are furthest apart of those that differ significantly.

    Args:
        exposure: Attention by group.
        corrected: Intervals of attention per document, corrected for the number of groups.
    """
    per = exposure.per_item
    if np.isnan(per).sum() >= per.size - 1:
        return "Fewer than two groups have candidates to compare"
    if exposure.is_few:
        return "Too few queries to compare attention per document"
    apart = corrected.low[:, None] > corrected.high
    if not apart.any():
        return "Attention per document does not differ significantly between groups"
    nothing = [exposure.groups[group] for group in np.flatnonzero((per == 0) & apart.any(axis=0)).tolist()]
    if nothing:
        return f"{capital(all_of(nothing))} get no attention at all"
    times = np.where(apart, per[:, None] / np.where(per > 0, per, np.inf), 0.0)
    most, least = divmod(int(times.argmax()), per.size)
    return (
        f"On average {one_of(exposure.groups[most])} gets {times[most, least]:.1f} times the attention of "
        f"{one_of(exposure.groups[least])}"
    )


def bounds_title(known: ShareRange, target: FloatArray, groups: Sequence[str]) -> str:
    """Which targets the missing labels leave open."""
    if np.isnan(known.low).any():
        return "No attention, nothing to know"
    width = float((known.high - known.low).max())
    if width < 1e-12:
        return "All attention goes to labelled documents: the shares above are what they are"
    if width < 5e-4:
        return "Hardly any attention lacks a label: the shares above are what they are"
    missed = [
        group
        for group, low, high, share in zip(
            groups, known.low.tolist(), known.high.tolist(), target.tolist(), strict=True
        )
        if not low - 1e-9 <= share <= high + 1e-9
    ]
    if not missed:
        return "Counting unlabelled documents one way or another, each group could be on its target or off it"
    if len(missed) == len(groups):
        every = "both groups miss" if len(groups) == 2 else f"all {count_word(len(groups))} groups miss"
        return f"{capital(every)} the target however unlabelled documents are counted"
    return f"{capital(all_of(missed))} miss the target however unlabelled documents are counted"


def bounds_sentence(distances: DistanceRange, observed: float) -> str:
    """Points off target, observed and at both ends; distances are L1."""
    if np.isnan(distances.low):
        return ""
    if np.isnan(observed):
        now = "On labelled attention alone nothing can be said"
    else:
        now = f"On labelled attention alone {_exactly(observed)} are off target"
    low, high = _exactly(distances.low), _exactly(distances.high)
    if low == high:
        return f"{now}; the missing labels could not change that." if not np.isnan(observed) else f"{now}."
    between = f"between {low.removesuffix(' points')} and {high}"
    return f"{now}; if the unlabelled attention were known, {between} of all attention would be."


def _exactly(distance: float) -> str:
    """An L1 distance in points, as the read-out has it."""
    return f"{number(50 * distance, 1)} points"


def _ranks(bins: RankBins, at: int) -> str:
    first, last = int(bins.first[at]), int(bins.last[at])
    return f"rank {first}" if first == last else f"ranks {first}–{last}"


def _amount(value: float) -> str:
    """Places: whole where labels are, one decimal where they are soft or averaged."""
    text = f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"
    return text.replace(",", THIN)


def _decimals(share: float, target: float) -> int:
    """One decimal where both would read the same without."""
    return int(round(100 * share) == round(100 * target))
