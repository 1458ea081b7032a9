"""What the Groups & targets page says: every clause counted or compared, checked by a corrected test.

Groups are called "documents labelled X": a label is what is known of a document, not of people.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.groups import UNLABELLED
from fairviz.model import BoolArray, FloatArray
from fairviz.show.words import THIN, Finding, count_word, listing, number, percent, plural
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE, verdict
from fairviz.studies.groups.attainable import Attainable
from fairviz.studies.groups.by_rank import RankBins
from fairviz.studies.groups.off_target import DistanceRange, ShareRange
from fairviz.studies.groups.shares import GroupExposure

NAMED = 3
"""Groups that a sentence names before it counts the rest."""


def labelled(group: str) -> str:
    """How the documents of a group are called.

    Examples:
        >>> labelled("women"), labelled("unlabelled")
        ('documents labelled women', 'documents without a label')
    """
    return "documents without a label" if group == UNLABELLED else f"documents labelled {group}"


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


def gap_words(share: float, p: float, target: float, n_queries: int) -> str:
    """What is said of one group beside its name; p is corrected over the groups.

    Examples:
        >>> gap_words(0.34, 0.01, 0.45, 20)
        '34\u202f%, 11 points under'
        >>> gap_words(0.50, 0.4, 0.45, 20)
        '50\u202f%, not distinguishable from 45\u202f%'
    """
    if np.isnan(share):
        return "undefined: no labelled attention"
    said = verdict(share - target, p, n_queries)
    if said == "too few to test":
        return f"{percent(share)}, too few queries to compare"
    if said == "not distinguishable":
        return f"{percent(share)}, not distinguishable from {percent(target)}"
    return f"{percent(share)}, {points(share - target)} {'under' if share < target else 'over'}"


def unit(groups: Sequence[str]) -> str:
    """What shares are shares of."""
    return "attention" if UNLABELLED in groups else "labelled attention"


def headline(exposure: GroupExposure, p: FloatArray, target: FloatArray, *, where: str) -> Finding:
    """Title of the page: the group farthest from its target of those that can be told from it.

    Args:
        exposure: Attention by group.
        p: (G) p of each group's distance, of :func:`~fairviz.studies.groups.shares.target_p`: corrected over them.
        target: (G) target shares.
        where: What was scored, for the sentence: data, k, attention.
    """
    shares, whole = exposure.shares, unit(exposure.groups)
    n, seen = exposure.n_labelled, len(exposure.query_ids)
    have = "has" if n == 1 else "have"
    queries = plural(seen, "query", "queries")
    sentence = f"{where} {n} of {queries} {have} labelled documents there."
    if np.isnan(shares).any():
        return Finding("No attention falls on a labelled document", sentence)
    if n < MIN_UNITS:
        few = f"{count_word(n).capitalize()} {'query has' if n == 1 else 'queries have'}"
        return Finding(f"{few} labelled documents: too few to compare with a target", sentence)
    off = p < SIGNIFICANCE
    if not off.any():
        return Finding(f"No group's share of {whole} can be told from your target", sentence)
    at = int(np.argmax(np.where(off, np.abs(shares - target), -1.0)))
    name = capital(labelled(exposure.groups[at]))
    return Finding(
        f"{name} get {percent(float(shares[at]), _decimals(shares[at], target[at]))} of {whole}; "
        f"your target is {percent(float(target[at]), _decimals(shares[at], target[at]))}",
        sentence,
    )


def unknown_title(exposure: GroupExposure) -> str:
    """First of all: how much is not known."""
    share = exposure.unlabelled_share
    if np.isnan(share):
        return "Nothing was ranked"
    if share == 0:
        return "Every document that gets attention has a label"
    unlabelled = percent(share, 0 if 0.01 <= share <= 0.99 else 1)
    return f"First of all: {unlabelled} of attention goes to documents with no label"


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
        f"{n} of {plural(reach.n_queries, *noun)} {'has' if n == 1 else 'have'} no candidate labelled {group}"
        for n, group in sorted(zip(reach.without.tolist(), groups, strict=True), key=lambda pair: -pair[0])
        if n and group != UNLABELLED
    ]
    if without:
        more = f" (and {len(without) - NAMED} more groups)" if len(without) > NAMED else ""
        notes.append(f"Re-ranking cannot add documents: {listing(without[:NAMED])}{more}.")
    return notes


def by_rank_title(bins: RankBins, groups: Sequence[str]) -> str:
    """How the top differs from what is below: the group that changes most."""
    if not bins.n.size or not bins.n.sum() > 0:
        return "No labelled document is ranked"
    if bins.n.size == 1:
        return f"Too few labelled places to tell ranks apart: {_amount(float(bins.n[0]))} in all"
    known = np.flatnonzero(bins.n > 0)
    first, last = int(known[0]), int(known[-1])
    change = np.abs(bins.shares[first] - bins.shares[last])
    fell, rose = bins.low[first] > bins.high[last], bins.high[first] < bins.low[last]
    apart: BoolArray = fell | rose
    at = int(np.argmax(change + apart))  # changes that can be told apart come first
    change_words = (
        f"{capital(labelled(groups[at]))} hold {percent(float(bins.shares[first, at]))} of "
        f"labelled places at {_ranks(bins, first)} and {percent(float(bins.shares[last, at]))} "
        f"at {_ranks(bins, last)}"
    )
    return change_words if apart[at] else f"{change_words}; the intervals overlap"


def per_item_title(exposure: GroupExposure, p: FloatArray) -> str:
    """Attention per document: the two groups farthest apart of those that can be told apart.

    Args:
        exposure: Attention by group.
        p: (G, G) p of each pair, corrected over the pairs.
    """
    per = exposure.per_item
    if np.isnan(per).sum() >= per.size - 1:
        return "Fewer than two groups have candidates to compare"
    if exposure.n_labelled < MIN_UNITS or np.isnan(p).all():
        return "Too few queries to compare attention per document"
    gaps = np.where(p < SIGNIFICANCE, per[:, None] - per[None, :], 0.0)
    most, least = (int(place) for place in np.unravel_index(np.nanargmax(gaps), gaps.shape))
    if not gaps[most, least] > 0:
        return "Attention per document cannot be told apart between groups"
    if per[least] == 0:
        return f"{capital(labelled(exposure.groups[least]))} get no attention at all"
    times = f"{per[most] / per[least]:.1f} times"
    return (
        f"One of the {labelled(exposure.groups[most])} gets {times} the attention of one of the "
        f"{labelled(exposure.groups[least])}"
    )


def bounds_title(known: ShareRange, target: FloatArray, groups: Sequence[str]) -> str:
    """Which targets the missing labels leave open."""
    if np.isnan(known.low).any():
        return "No attention, nothing to know"
    missed = [
        group
        for group, low, high, share in zip(
            groups, known.low.tolist(), known.high.tolist(), target.tolist(), strict=True
        )
        if not low - 1e-9 <= share <= high + 1e-9
    ]
    if float((known.high - known.low).max()) < 5e-4:
        return "Hardly any attention lacks a label: the shares above are what they are"
    if not missed:
        return "With the missing labels, every group could be on target, and every one off"
    more = ["others"] if len(missed) > NAMED else []
    named = listing([*missed[:NAMED], *more])
    return f"Whatever the missing labels are, documents labelled {named} are off target"


def bounds_sentence(distances: DistanceRange, observed: float) -> str:
    """Points off target, observed and at both ends; distances are L1."""
    if np.isnan(distances.low):
        return ""
    if np.isnan(observed):
        now = "On labelled attention alone nothing can be said"
    else:
        now = f"On labelled attention alone {points(observed / 2)} are off target"
    return (
        f"{now}; if the unlabelled attention were known, between {points(distances.low / 2)} and "
        f"{points(distances.high / 2)} of all attention would be."
    )


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
