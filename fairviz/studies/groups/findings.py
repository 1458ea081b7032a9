"""Group measures in plain words: what is good, and what this value says, for a person.

A measure stands here with the place where it is best and a sentence made from its value; what it
is, its formula and its source stand in the catalogue.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.groups import UNLABELLED
from fairviz.model import BoolArray, FloatArray
from fairviz.show.words import THIN, Finding, listing, number, percent, plural
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.off_target import DistanceRange, ShareRange
from fairviz.studies.groups.shares import Attainable, GroupExposure, RankBins

# What the Groups & targets page says: every clause counted or compared, checked by an interval.
#
# Groups are called "documents labelled X": a label is what is known of a document, not of people.


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


def gap_words(share: float, low: float, high: float, target: float) -> str:
    """What is said of one group beside its name.

    Examples:
        >>> gap_words(0.34, 0.26, 0.42, 0.45)
        '34\u202f%, 11 points under'
        >>> gap_words(0.50, 0.42, 0.59, 0.45)
        '50\u202f%, not distinguishable from 45\u202f%'
    """
    if np.isnan(share):
        return "undefined: no labelled attention"
    if np.isnan(low):
        return f"{percent(share)}, too few queries to compare"
    if low <= target <= high:
        return f"{percent(share)}, not distinguishable from {percent(target)}"
    return f"{percent(share)}, {points(share - target)} {'under' if share < target else 'over'}"


def unit(groups: Sequence[str]) -> str:
    """What shares are shares of."""
    return "attention" if UNLABELLED in groups else "labelled attention"


def headline(exposure: GroupExposure, ends: Intervals, target: FloatArray, *, where: str) -> Finding:
    """Title of the page: the group farthest from its target of those that can be told from it.

    Args:
        exposure: Attention by group.
        ends: Intervals of its shares.
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
    if np.isnan(ends.low).any():
        return Finding("One query has labelled documents: too little to compare with a target", sentence)
    off = (target < ends.low) | (target > ends.high)
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
    shown = percent(share, 0 if 0.01 <= share <= 0.99 else 1)
    return f"First of all: {shown} of attention goes to documents with no label"


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
    said = (
        f"{capital(labelled(groups[at]))} hold {percent(float(bins.shares[first, at]))} of "
        f"labelled places at {_ranks(bins, first)} and {percent(float(bins.shares[last, at]))} "
        f"at {_ranks(bins, last)}"
    )
    return said if apart[at] else f"{said}; the intervals overlap"


def per_item_title(exposure: GroupExposure, ends: Intervals) -> str:
    """Attention per document: the groups at both ends, if they can be told apart."""
    per = exposure.per_item
    if np.isnan(per).sum() >= per.size - 1:
        return "Fewer than two groups have candidates to compare"
    if np.isnan(ends.low).all():
        return "Too few queries to compare attention per document"
    most, least = int(np.nanargmax(per)), int(np.nanargmin(per))
    if not ends.low[most] > ends.high[least]:
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


def bounds_sentence(seen: DistanceRange, observed: float) -> str:
    """Points off target, observed and at both ends; distances are L1."""
    if np.isnan(seen.low):
        return ""
    if np.isnan(observed):
        now = "On labelled attention alone nothing can be said"
    else:
        now = f"On labelled attention alone {points(observed / 2)} are off target"
    return (
        f"{now}; if the unlabelled attention were known, between {points(seen.low / 2)} and "
        f"{points(seen.high / 2)} of all attention would be."
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


Section: TypeAlias = Literal["target", "groups", "quality"]

SECTIONS: dict[Section, str] = {
    "target": "Against your target",
    "groups": "One group against another, no target needed",
    "quality": "With quality",
}


class Asked(NamedTuple):
    """What the words need to know besides the value.

    Attributes:
        group: The group of interest, G+.
        k: Ranks seen.
        n_groups: How many groups there are.
    """

    group: str
    k: int
    n_groups: int


Words: TypeAlias = Callable[[float, Asked], str]


class Row(NamedTuple):
    """One measure of the table.

    Attributes:
        section: Where it stands.
        text: Measure string; ``{k}``, ``{group}`` (quoted), ``{missing}`` and ``{browsing}`` are
            filled in.
        label: Its name in the table.
        goal: Where it is best, in words.
        best: Where it is best as a number.
        words: The value in plain words.
    """

    section: Section
    text: str
    label: str
    goal: str
    best: float
    words: Words


def times(log_ratio: float) -> str:
    """A log ratio as a factor.

    Examples:
        >>> times(0.405), times(-0.223)
        ('1.5 times', '0.80 times')
    """
    factor = math.exp(min(log_ratio, 50.0))
    return f"{number(factor, 1 if factor >= 1.05 else 2)} times"


def _awrf_points(value: float, _: Asked) -> str:
    return f"Over all queries together, {points(value / 2)} of attention are off target."


def _awrf(value: float, _: Asked) -> str:
    return f"A single query's list is {percent(value / math.log(2))} of the way from on target to as far off as can be."


def _absdiff(value: float, asked: Asked) -> str:
    return f"In a single query, {labelled(asked.group)} are {points(value)} off their share, either way."


def _kl(value: float, _: Asked) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return "Distance of the first k of a query as a whole, ranks counting alike."


def _ndkl(value: float, _: Asked) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return "The same at every rank, the top of the list counting most; one item is always lopsided."


def _ndrkl(value: float, _: Asked) -> str:
    return f"Nearness at every rank: {percent(value)} of the most, the top counting most."


def _min_skew(value: float, _: Asked) -> str:
    if math.isinf(value):
        return "In at least one query a group with a target gets no place at all."
    return f"The most under-served group has {times(value)} its target share."


def _max_skew(value: float, _: Asked) -> str:
    return f"The most over-served group has {times(value)} its target share."


def _skew(value: float, asked: Asked) -> str:
    if math.isinf(value):
        return f"At least one query shows none of the {labelled(asked.group)}."
    return f"Of the places, {labelled(asked.group)} have {times(value)} their target share."


def _infeasible_index(value: float, asked: Asked) -> str:
    return f"At {number(value, 1)} of {asked.k} ranks some group is short of its target so far."


def _infeasible_count(value: float, _: Asked) -> str:
    return f"Counted for every group: {number(value, 1)} shortfalls down the ranks."


def _feasible_rank(value: float, asked: Asked) -> str:
    if value >= asked.k:
        return f"No query is short of any group down to rank {asked.k}."
    return f"The first query falls short of some group after rank {number(value, 0)}."


def _track(value: float, _: Asked) -> str:
    return "Closeness as the TREC track scores it: 1 minus AWRF, attention by log of rank."


def _binomial(value: float, asked: Asked) -> str:
    return (
        f"Drawn by chance at their target share, {labelled(asked.group)} would be as few in {percent(value)} of draws."
    )


def _log_dp(value: float, asked: Asked) -> str:
    if math.isinf(value):
        return "One side gets no attention."
    others = "the other group's" if asked.n_groups == 2 else "all the others together"
    return f"In all, {labelled(asked.group)} get {times(value)} the attention of {others}."


def _log_dp_mean(value: float, asked: Asked) -> str:
    return f"One of the {labelled(asked.group)} gets {times(value)} the attention of another one."


def _log_eur(value: float, asked: Asked) -> str:
    return f"For their usefulness, {labelled(asked.group)} get {times(value)} the attention of the others."


def _log_rur(value: float, asked: Asked) -> str:
    return f"Counting attention on useful ones only, {times(value)}."


def _pair_gap(value: float, asked: Asked) -> str:
    side = "behind" if value > 0 else "ahead of"
    return (
        f"Useful documents of one group stand {points(value)} more often {side} the other's less "
        "useful ones than the other way round."
    )


def _pair(value: float, asked: Asked) -> str:
    return (
        f"A useful one of the {labelled(asked.group)} stands above a less useful one of another "
        f"group in {percent(value)} of pairs."
    )


def _prefix(value: float, _: Asked) -> str:
    return f"The top differs from the whole list by {percent(value)} of what such a list allows."


def _iaa(value: float, _: Asked) -> str:
    return f"{points(value / 2)} of attention would have to move to follow usefulness."


def _eed(value: float, _: Asked) -> str:
    return "How much attention gathers on few groups; groups of many documents raise it, too."


def _eer(value: float, _: Asked) -> str:
    return "How well attention on groups goes along with what an ideal list would give them."


def _eel(value: float, _: Asked) -> str:
    return "Squared distance of attention on groups from an ideal list's."


def _fair(value: float, _: Asked) -> str:
    return f"{percent(value)} of an ideal list on target: quality, discounted where off target."


def _track_score(value: float, _: Asked) -> str:
    return "Quality times closeness to the target, as the TREC track scores it."


def _ndcg(value: float, asked: Asked) -> str:
    return f"Quality alone, at {asked.k}. For reference."


ON_0, ON_1 = "0 = on target", "1 = on target"

M = "missing='{missing}'"

ROWS: tuple[Row, ...] = (
    Row(
        "target",
        f"AWRF(distance='l1', browsing='{{browsing}}', over='system', {M})@{{k}}",
        "AWRF, all queries",
        ON_0,
        0,
        _awrf_points,
    ),
    Row("target", f"AWRF(browsing='{{browsing}}', {M})@{{k}}", "AWRF per query", ON_0, 0, _awrf),
    Row(
        "target",
        f"AWRF(distance='absdiff', browsing='{{browsing}}', group={{group}}, {M})@{{k}}",
        "AWRF of one group",
        ON_0,
        0,
        _absdiff,
    ),
    Row("target", f"KL({M})@{{k}}", "KL", ON_0, 0, _kl),
    Row("target", f"nDKL({M})@{{k}}", "NDKL", ON_0, 0, _ndkl),
    Row("target", f"nDRKL({M})@{{k}}", "nDRKL", ON_1, 1, _ndrkl),
    Row("target", f"MinSkew({M})@{{k}}", "MinSkew", ON_0, 0, _min_skew),
    Row("target", f"MaxSkew({M})@{{k}}", "MaxSkew", ON_0, 0, _max_skew),
    Row("target", f"Skew(group={{group}}, {M})@{{k}}", "Skew of one group", ON_0, 0, _skew),
    Row("target", f"InfeasibleIndex({M})@{{k}}", "InfeasibleIndex", "0 = never short", 0, _infeasible_index),
    Row("target", f"InfeasibleCount({M})@{{k}}", "InfeasibleCount", "0 = never short", 0, _infeasible_count),
    Row("target", f"FeasibleRank({M})@{{k}}", "Feasible up to", "k = never short", math.inf, _feasible_rank),
    Row("target", "FAIRBinomial(group={group})@{k}", "FAIR (binomial)", "1 = never too few", 1, _binomial),
    Row("target", f"FairTrecAWRF({M})@{{k}}", "AWRF (TREC)", ON_1, 1, _track),
    Row("groups", "logDP(group={group}, browsing='{browsing}')@{k}", "logDP", "0 = parity", 0, _log_dp),
    Row(
        "groups",
        "logDP(group={group}, browsing='{browsing}', aggregate='mean')@{k}",
        "logDP per document",
        "0 = proportional to numbers",
        0,
        _log_dp_mean,
    ),
    Row(
        "groups",
        "logEUR(group={group}, browsing='{browsing}')@{k}",
        "logEUR",
        "0 = proportional to usefulness",
        0,
        _log_eur,
    ),
    Row(
        "groups",
        "logRUR(group={group}, browsing='{browsing}')@{k}",
        "logRUR",
        "0 = proportional to usefulness",
        0,
        _log_rur,
    ),
    Row("groups", "PAIR@{k}", "PAIR", "0 = equal accuracy", 0, _pair_gap),
    Row("groups", "PAIR(group={group})@{k}", "PAIR of one group", "1 = always above", 1, _pair),
    Row("groups", "PreF(group={group})", "PreF (ND)", "0 = as the whole list", 0, _prefix),
    Row("groups", "PreF(group={group}, distance='RD')", "PreF (RD)", "0 = as the whole list", 0, _prefix),
    Row("groups", "PreF(distance='KL')", "PreF (KL)", "0 = as the whole list", 0, _prefix),
    Row("groups", f"IAA(browsing='{{browsing}}', {M})@{{k}}", "IAA", "0 = follows usefulness", 0, _iaa),
    Row("groups", f"EED(by='group', browsing='{{browsing}}', {M})@{{k}}", "EE-D by group", "lower = spread", 0, _eed),
    Row(
        "groups",
        f"EER(by='group', browsing='{{browsing}}', {M})@{{k}}",
        "EE-R by group",
        "higher = as ideal",
        math.inf,
        _eer,
    ),
    Row("groups", f"EEL(by='group', browsing='{{browsing}}', {M})@{{k}}", "EE-L by group", "0 = as ideal", 0, _eel),
    Row("quality", f"FAIR(irm='nDCG', {M})@{{k}}", "FAIR (nDCG)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='alpha_nDCG', {M})@{{k}}", "FAIR (α-nDCG)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='ERR_IA', {M})@{{k}}", "FAIR (ERR-IA)", "higher is better", 1, _fair),
    Row("quality", f"FAIR(irm='RBP', {M})@{{k}}", "FAIR (RBP)", "higher is better", 1, _fair),
    Row("quality", f"FairTrecScore({M})@{{k}}", "nDCG × AWRF (TREC)", "higher is better", 1, _track_score),
    Row("quality", "nDCG@{k}", "nDCG", "higher is better", 1, _ndcg),
)


def filled(row: Row, *, k: int, group: str, missing: str, browsing: str) -> str:
    """The measure string of a row."""
    return row.text.format(k=k, group=repr(group), missing=missing, browsing=browsing)
