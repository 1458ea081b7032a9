"""What the Groups & targets page says: every clause counted or compared, checked by an interval.

Groups are called "documents labelled “X”": a label is what is known of a document, not of people. What is said after
looking at all groups is checked by intervals corrected for their number; nothing is said of fewer than ten queries.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.words import (
    DOCUMENTS,
    THIN,
    Finding,
    called,
    capital,
    count_word,
    interval,
    listing,
    noun,
    number,
    percent,
    plural,
    points,
    shares_in_words,
)
from fairviz.kernels.grouping import UNLABELLED, off_target_share
from fairviz.model import BoolArray, FloatArray
from fairviz.points.shares import (
    MOST_UNLABELLED,
    SAME,
    GroupExposure,
    OffTarget,
    corrected_intervals,
    headline_group,
    next_step,
    off_target_groups,
    share_range,
)
from fairviz.stats.bootstrap import Interval, Intervals
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.groups.system import JointReach, RankBins

NAMED = 3
"""Groups that a sentence names before it counts the rest."""
ONE_DECIMAL = 0.02
"""Share under which a decimal is shown."""
MANY = 6
"""Groups above which no group has a colour of its own, and none is dragged."""
HARDLY = 0.05
"""Share of attention without a label up to which a title need not say that shares are of the rest."""
MET = 0.005
"""Share of attention that re-ranking may leave off target where it is said to meet it."""


def labelled(group: str, unit: str = DOCUMENTS) -> str:
    """How the documents of a group are called.

    Args:
        group: Its name.
        unit: What is ranked.

    Examples:
        >>> labelled("women"), labelled("unlabelled")
        ('documents labelled “women”', 'unlabelled documents')
    """
    return f"unlabelled {unit}" if group == UNLABELLED else f"{unit} labelled {called(group)}"


def one_of(group: str, unit: str = DOCUMENTS) -> str:
    """A single document of a group.

    Args:
        group: Its name.
        unit: What is ranked.

    Examples:
        >>> one_of("women", "applicants"), one_of("unlabelled")
        ('one applicant labelled “women”', 'one unlabelled document')
    """
    name = noun(unit)
    return f"one unlabelled {name}" if group == UNLABELLED else f"one {name} labelled {called(group)}"


def all_of(groups: Sequence[str], unit: str = DOCUMENTS) -> str:
    """How the documents of several groups are called.

    Args:
        groups: Their names.
        unit: What is ranked.

    Examples:
        >>> all_of(["a", "b"]), all_of(["a", "unlabelled"]), all_of(["a", "b", "c", "d", "e"])
        ('documents labelled “a” and “b”', 'documents labelled “a” and unlabelled documents', \
'documents labelled “a”, “b”, “c” and 2 more groups')
    """
    names = [called(group) for group in groups if group != UNLABELLED]
    rest = len(names) - NAMED
    if rest > 0:
        names = [*names[:NAMED], plural(rest, "more group")]
    parts = [f"{unit} labelled {listing(names)}"] if names else []
    return listing([*parts, *([f"unlabelled {unit}"] if UNLABELLED in groups else [])])


def share_words(share: float) -> str:
    """A share of attention in a sentence or a row: one decimal under 2 %, where whole percents would hide it.

    Examples:
        >>> share_words(0.076), share_words(0.0176), share_words(0.0)
        ('8\u202f%', '1.8\u202f%', '0.0\u202f%')
    """
    return percent(share, int(share < ONE_DECIMAL))


def headline(
    exposure: GroupExposure,
    target: FloatArray,
    *,
    where: str = "",
    moved: int | None = None,
    is_set: bool = True,
    unit: str = DOCUMENTS,
) -> Finding:
    """Title of the page: what one group gets and what it should.

    Args:
        exposure: Attention by group.
        target: (G) target shares.
        where: What was scored, for the sentence.
        moved: As of :func:`headline_group`.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
        unit: What is ranked.
    """
    n, seen = exposure.n_labelled, len(exposure.query_ids)
    queries = f"{plural(seen, 'search', 'searches')} ({'query' if seen == 1 else 'queries'})"
    sentence = f"{where} {queries}." if n == seen else f"{where} {queries}, {n} with labelled {unit} there."
    if len(exposure.groups) == 1:
        return Finding(f"Only one group, {called(exposure.groups[0])}: nothing to compare", sentence)
    if np.isnan(exposure.shares).any():
        return Finding(f"No attention falls on labelled {unit}", sentence)
    if exposure.is_few:
        return Finding(
            f"Too few queries with labelled {unit} to compare with a target",
            f"{sentence} A comparison needs at least {count_word(MIN_UNITS)}. "
            f"{next_step(seen, n, exposure.unlabelled_share, unit)}",
        )
    title = _title(exposure, target, moved, is_set=is_set, unit=unit)
    if INTERVAL in title:
        sentence = f"{sentence} The interval in the title holds for all groups at once."
    more = f" {next_step(seen, n, exposure.unlabelled_share, unit)}" if NO_VERDICT in title else ""
    return Finding(title, f"{sentence}{more}")


NO_VERDICT, INTERVAL = "no verdict on", f"{THIN}%); "


def _title(exposure: GroupExposure, target: FloatArray, moved: int | None, *, is_set: bool, unit: str) -> str:
    shares, off = exposure.shares, off_target_groups(exposure, target)
    is_part = exposure.unlabelled_share > HARDLY and UNLABELLED not in exposure.groups
    whole = "labelled attention" if is_part else "attention"
    without = [group for group, share, apart in zip(exposure.groups, shares, off, strict=True) if apart and share == 0]
    if moved is None and without and len(shares) > MANY:
        largest = int(shares.argmax())
        some = f"{len(without)} groups" if len(without) > NAMED else listing([called(group) for group in without])
        if not off[largest]:
            return f"{len(shares)} groups: no {whole} for {some}"
        most = f"{called(exposure.groups[largest])} ({share_words(float(shares[largest]))})"
        return f"{len(shares)} groups: most {whole} for {most}, none for {some}"
    at = headline_group(exposure, target, moved=moved)
    if at is None:
        if exposure.unlabelled_share > MOST_UNLABELLED:
            share = percent(exposure.unlabelled_share)
            whose = "your target" if is_set else "equal shares"
            return f"{share} of attention goes to unlabelled {unit}: {NO_VERDICT} {whose}"
        if (np.abs(shares - target) < SAME).all():
            return "Every group is on target" if is_set else "Every group gets an equal share"
        return f"No group is significantly off {'target' if is_set else 'an equal share'}"
    due = "the target is" if is_set else "an equal share would be"
    share, aim, name = float(shares[at]), float(target[at]), capital(labelled(exposure.groups[at], unit))
    if share == 0 and aim > 0:
        return f"{name} get none of the {whole}; {due} {share_words(aim)}"
    if aim == 0:
        if share == 0:
            return f"{name} get none of the {whole}, and none is their target"
        removed = capital(f"unlabelled {unit}" if exposure.groups[at] == UNLABELLED else called(exposure.groups[at]))
        return f"{removed} is removed by this target: {share_words(share)} of {whole} today"
    if abs(share - aim) < SAME:
        return f"{name} get {share_words(share)} of {whole}, which is {'their target' if is_set else 'an equal share'}"
    words, aims = shares_in_words(share, aim)
    ends, _ = corrected_intervals(exposure)
    low, high = float(ends.low[at]), float(ends.high[at])
    between = f" ({interval(100 * low, 100 * high, int('.' in words))}{INTERVAL}" if high - low > SAME else "; "
    return f"{name} get {words} of {whole}{between}{due} {aims}"


def moving_sentence(off: OffTarget, *, is_set: bool = True) -> str:
    """How much attention would have to move, with its interval.

    Args:
        off: Shares against the target.
        is_set: Whether somebody set the target; else it is equal shares.
    """
    if np.isnan(off.off):
        return ""
    low, high = off.interval
    between = "" if np.isnan(low) or low == high else f" (95\u202f% interval {interval(100 * low, 100 * high, 0)})"
    sentence = f"{number(100 * off.off, 0)} of 100 points of attention would have to move to another group{between}."
    return f"{'In all' if is_set else 'For equal shares'}, {sentence}"


def unknown_title(exposure: GroupExposure, unit: str = DOCUMENTS) -> str:
    """How much is not known."""
    share = exposure.unlabelled_share
    if np.isnan(share):
        outside = f"The attribute applies to no {noun(unit)} that gets attention"
        return outside if exposure.not_applicable else "Nothing was ranked"
    if share == 0:
        return f"No {noun(unit)} that gets attention is unlabelled"
    return f"{percent(share, 0 if 0.01 <= share <= 0.99 else 1)} of attention goes to unlabelled {unit}"


def unknown_sentence(exposure: GroupExposure, *, own_group: bool = False) -> str:
    """Counts behind it: places, queries; what shares are shares of, and whom the attribute does not apply to.

    Args:
        exposure: Attention by group, that of items without a label apart.
        own_group: Whether these are a group of their own below.
    """
    places, rest = float(exposure.places.sum()), float(exposure.unlabelled_places.sum())
    share, outside = exposure.unlabelled_share, ""
    if exposure.not_applicable:
        total = exposure.not_applicable + float(exposure.candidates.sum() + exposure.unlabelled_candidates.sum())
        ratio = f"{amount(float(exposure.not_applicable))} of {amount(total)} candidates"
        outside = f" The attribute does not apply to {ratio}: no share counts them."
    n = int((exposure.unlabelled_places > 0).sum()) if rest else len(exposure.query_ids)
    whole = f"{amount(places + rest)} {'place' if places + rest == 1 else 'places'}"
    of = f"({amount(rest or places)} of {whole}, in {plural(n, 'query', 'queries')})."
    if not rest:
        return f"{of}{outside}"
    if own_group:
        return f"{of} They are a group of their own below.{outside}"
    return f"{of} All shares below are of the other {percent(1 - share, 0 if 0.01 <= share <= 0.99 else 1)}.{outside}"


def reach_sentence(
    reach: JointReach, nearest: FloatArray, target: FloatArray, groups: Sequence[str], *, unit: str = DOCUMENTS
) -> str:
    """What re-ranking the candidates can do for all targets at once, and which queries have none of a group.

    Args:
        reach: Of these candidates.
        nearest: (G) shares of the nearest mix of re-rankings to the target.
        target: (G) target shares.
        groups: Names.
        unit: What is ranked.
    """
    off = float(off_target_share(nearest, target))
    if np.isnan(off):
        return "No candidate is labelled: re-ranking cannot change these shares."
    without = sorted(
        (
            (int(n), group)
            for n, group, share in zip(reach.without, groups, target, strict=True)
            if 0 < n < reach.n_queries and share > 0 and group != UNLABELLED
        ),
        reverse=True,
    )
    all_targets = f"{'both' if len(groups) == 2 else f'all {count_word(len(groups))}'} targets"
    if off < MET:
        sentence = f"Re-ranking the {unit} already retrieved can meet {all_targets} at once."
    else:
        short = target - nearest
        furthest: list[int] = np.argsort(-short, kind="stable")[:NAMED].tolist()
        most = {at: float(reach.nearest(np.eye(target.size)[at])[at]) for at in furthest if short[at] >= MET}
        stops = [
            f"{called(groups[at])} can reach at most {share_words(share)}"
            if reach.without[at] < reach.n_queries
            else f"none of them is labelled {called(groups[at])}"
            for at, share in most.items()
            if target[at] - share >= MET
        ]
        sentence = (
            f"Re-ranking the {unit} already retrieved can get within {points(off)} of "
            f"{all_targets}{'; ' if stops else ''}{listing(stops)}."
        )
    if not without:
        return sentence
    lacking = [f"{plural(n, 'has', 'have')} no {noun(unit)} labelled {called(group)}" for n, group in without]
    end = "their share has to come from the other queries" if off < MET else f"re-ranking cannot add {unit}"
    queries = plural(reach.n_queries, "query", "queries")
    return f"{sentence} Of {queries} {listing(lacking, most=NAMED)}: {end}."


def by_rank_title(bins: RankBins, groups: Sequence[str], *, few: bool = False, unit: str = DOCUMENTS) -> str:
    """How the top differs from what is below: the group that changes most, if it does significantly.

    Args:
        bins: Shares in pooled ranks.
        groups: Names.
        few: Whether too few queries show labelled documents for anything to be claimed.
        unit: What is ranked.
    """
    if not bins.n.size or not bins.n.sum() > 0:
        return f"No labelled {noun(unit)} is ranked"
    if few or bins.n.size == 1:
        return f"Too few labelled places to compare ranks: {amount(float(bins.n.sum()))} in all"
    indices = np.flatnonzero(bins.n > 0)
    alone = np.flatnonzero((bins.shares[indices] > 1 - SAME).all(axis=0))
    if alone.size:
        name = capital(labelled(groups[int(alone[0])], unit))
        return f"{name} hold every labelled place down to rank {int(bins.last[indices[-1]])}"
    first, last = int(indices[0]), int(indices[-1])
    change = np.abs(bins.shares[first] - bins.shares[last])
    apart: BoolArray = bins.p < SIGNIFICANCE
    if not apart.any():
        return (
            f"No group's share of labelled places differs significantly between {_ranks(bins, first)} and "
            f"{_ranks(bins, last)}"
        )
    at = int(np.argmax(np.where(apart, change, -1.0)))
    return (
        f"{capital(labelled(groups[at], unit))} hold {percent(float(bins.shares[first, at]))} of "
        f"labelled places at {_ranks(bins, first)} and {percent(float(bins.shares[last, at]))} "
        f"at {_ranks(bins, last)}"
    )


def per_item_title(exposure: GroupExposure, corrected: Intervals, unit: str = DOCUMENTS) -> str:
    """Attention per document: the two groups that are furthest apart of those that differ significantly.

    Args:
        exposure: Attention by group.
        corrected: Intervals of attention per document, corrected for the number of groups.
        unit: What is ranked.
    """
    per = exposure.per_item
    if np.isnan(per).sum() >= per.size - 1:
        return "Fewer than two groups have candidates to compare"
    if exposure.is_few:
        return f"Too few queries to compare attention per {noun(unit)}"
    apart = corrected.low[:, None] > corrected.high
    if not apart.any():
        return f"Attention per {noun(unit)} does not differ significantly between groups"
    nothing = [exposure.groups[group] for group in np.flatnonzero((per == 0) & apart.any(axis=0)).tolist()]
    if nothing:
        return f"{capital(all_of(nothing, unit))} get no attention at all"
    times = np.where(apart, per[:, None] / np.where(per > 0, per, np.inf), 0.0)
    most, least = divmod(int(times.argmax()), per.size)
    return (
        f"On average {one_of(exposure.groups[most], unit)} gets {times[most, least]:.1f} times the attention of "
        f"{one_of(exposure.groups[least], unit)}"
    )


def bounds_title(exposure: GroupExposure, target: FloatArray, *, is_set: bool = True, unit: str = DOCUMENTS) -> str:
    """Who misses the target significantly, whatever the missing labels are.

    Args:
        exposure: Attention by group, with what has no label kept apart.
        target: (G) target shares; equal ones before anybody ``is_set`` one.
        is_set: Whether somebody set the target.
        unit: What is ranked.
    """
    bounds = share_range(exposure.attention.sum(axis=0), float(exposure.unlabelled.sum()))
    if np.isnan(bounds.low).any():
        return "No attention, nothing to know"
    if float((bounds.high - bounds.low).max()) < 5e-4:
        return "No attention, or hardly any, lacks a label: the shares above are what they are"
    aim = "the target" if is_set else "an equal share"
    if exposure.is_few:
        return f"Too few queries to say who misses {aim}"
    outside = (target < bounds.low - 1e-9) | (target > bounds.high + 1e-9)
    missed = [exposure.groups[at] for at in np.flatnonzero(outside & off_target_groups(exposure, target)).tolist()]
    if not missed:
        return f"Missing labels or chance could put any group on {aim.removeprefix('the ')}"
    if len(missed) == len(target):
        every = "both groups miss" if len(target) == 2 else f"all {count_word(len(target))} groups miss"
        return f"{capital(every)} {aim} however unlabelled {unit} are counted"
    return f"{capital(all_of(missed, unit))} miss {aim} however unlabelled {unit} are counted"


def bounds_sentence(distances: Interval, observed: float, *, is_set: bool = True) -> str:
    """Points off target (off equal shares, unless ``is_set``), observed and at both ends; distances are L1."""
    if np.isnan(distances.low):
        return ""
    if np.isnan(observed):
        now = "On labelled attention alone nothing can be said"
    else:
        now = f"On labelled attention alone {_exactly(observed)} are off {'target' if is_set else 'equal shares'}"
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


def amount(value: float) -> str:
    """Places: whole where labels are, one decimal where they are soft or averaged."""
    text = f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"
    return text.replace(",", THIN)


# Rows of the groups.


def rows_title(rows: pl.DataFrame, *, is_set: bool = True) -> str:
    """What the rows show: of many groups, how many are under, over, and neither; equal shares, unless ``is_set``."""
    n = Counter[str](rows["gap"])
    if rows.height <= MANY or n["silent"]:
        return "Who gets attention, and who should"
    aim = "target" if is_set else "an equal share"
    if not n["under"] and not n["over"]:
        return f"No group is significantly off {aim}"
    title = f"{plural(n['under'], 'group is', 'groups are')} under {aim}, {n['over']} over"
    return f"{title}; for {n['even']} the gap is not significant" if n["even"] else title


def spoken(row: Mapping[str, Any], *, is_set: bool = True) -> str:
    """What a row of :func:`fairviz.studies.groups.columns.target_rows` draws, in words."""
    if math.isnan(row["share"]):
        return row["words"]
    ends = "" if math.isnan(row["low"]) else f", 95\u202f% interval {interval(100 * row['low'], 100 * row['high'], 0)}"
    reach = f"; re-ranking gets to {percent(row['reached'])}" if row["is_missed"] else ""
    aim = "target" if is_set else "an equal share would be"
    return f"{share_words(row['share'])} today{ends}; {aim} {percent(row['target'])}{reach}"
