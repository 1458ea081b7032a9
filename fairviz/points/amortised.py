"""A run re-ranked so that shares of all attention, over all queries together, keep to bounds, and what that costs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import in_words, listing, number, percent
from fairviz.errors import UsageError
from fairviz.evaluation.systems import labelled
from fairviz.kernels.attention import Discounted
from fairviz.kernels.grouping import Preset
from fairviz.model import (
    CROSSED,
    FloatArray,
    GroupLabels,
    IntArray,
    Note,
    Qrels,
    RankingSample,
    Run,
    ShareBounds,
    Target,
)
from fairviz.model.arrays import segment_ids
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import plural
from fairviz.points.rerank_lists import RerankLists, first_lists, rerank_lists, sample_of
from fairviz.policies.scales import min_max
from fairviz.reranking.amortised import AmortisedPolicy, Statements, amortised, of_best

Aim: TypeAlias = Target | Preset | ShareBounds
"""What is asked of shares: exactly, as the data set them, or between bounds."""


SEEN = 0.0005
"""Percent of quality that a point of attention costs, from which on it is said."""


class Reranking(NamedTuple):
    """A run re-ranked.

    Attributes:
        ranked: A list per query, or rankings drawn for each.
        notes: What a person should know of the data and of what could not be done.
        findings: What was reached, sentences.
    """

    ranked: Run | RankingSample
    notes: list[Note]
    findings: list[str]


class Bounded(NamedTuple):
    """A run's lists beside the bounds that shares of attention are to keep.

    Attributes:
        lists: The lists with the groups of each attribute.
        names: (G) attribute and group of each column.
        weights: (M, G) membership of every row of the run.
        statements: Bounds of the columns.
    """

    lists: tuple[RerankLists, ...]
    names: tuple[tuple[str, str], ...]
    weights: FloatArray
    statements: Statements


def bounded(run: Run, aim: Aim, labels: Sequence[GroupLabels], qrels: Qrels | None) -> Bounded:
    """Align a run with labels by the attributes that are bounded.

    Args:
        run: The lists.
        aim: Bounds; a target of every query alike is exact ones of the attribute that counts, one whose "queries" are
            attributes of theirs.
        labels: Groups of documents by any attributes, first the one that counts.
        qrels: Judgements.

    Raises:
        InputError: No document of the run has a group of an attribute.
        UsageError: The target differs from query to query; an attribute or a group is not among the labels; no shares
            keep to the bounds of an attribute.
    """
    if isinstance(aim, Target) and by_attribute(aim, labels):
        aim = exact_bounds(aim)
    if not isinstance(aim, ShareBounds):
        aim = _alike(rerank_lists(run, labels=labels[0], target=aim, qrels=qrels), labels[0].attribute)
        labels = [_widened(labels[0], aim.groups), *labels[1:]]
    names: list[tuple[str, str]] = []
    lists: list[RerankLists] = []
    numbers: list[int] = []
    low: list[FloatArray] = []
    high: list[FloatArray] = []
    for attribute, ends in ends_by_attribute(aim, labels).items():
        own = labels_of(attribute, labels)
        labelled([run], own)
        lists.append(rerank_lists(run, labels=own, target=None, qrels=qrels))
        bounds = bounds_of(attribute, own.groups, ends)
        names += [(own.attribute, group) for group in own.groups]
        numbers += [len(lists) - 1] * len(own.groups)
        low.append(bounds[0])
        high.append(bounds[1])
    statements = Statements(np.array(numbers), np.concatenate(low), np.concatenate(high))
    return Bounded(tuple(lists), tuple(names), np.concatenate([each.weights for each in lists], axis=1), statements)


def by_attribute(target: Target, labels: Sequence[GroupLabels]) -> bool:
    """Whether a target is one of several attributes, though written as one of several queries: it names attributes."""
    return bool(target.query_ids) and set(target.query_ids or ()) <= {each.attribute for each in labels}


def exact_bounds(target: Target) -> ShareBounds:
    """Exact shares of several attributes, which are written as a target of several queries is."""
    rows = [
        (attribute, group, share)
        for attribute, shares in zip(target.query_ids or (), target.shares, strict=True)
        for group, share in zip(target.groups, shares / shares.sum(), strict=True)
        if share > 0
    ]
    attributes, groups, shares = zip(*rows, strict=True)
    return ShareBounds(attributes=attributes, groups=groups, low=np.array(shares), high=np.array(shares))


def _alike(lists: RerankLists, attribute: str) -> ShareBounds:
    """The shares that all queries have, as exact bounds.

    Raises:
        UsageError: They differ.
    """
    rows = lists.shares[~np.isnan(lists.shares).any(axis=1)]
    if not len(rows) or np.ptp(rows, axis=0).max(initial=0) > 1e-9:
        raise UsageError(
            "the target differs from query to query; over all queries together it is one: uniform, corpus or a file"
        )
    attributes = (attribute,) * len(lists.groups)
    return ShareBounds(attributes=attributes, groups=lists.groups, low=rows[0], high=rows[0].copy())


def _widened(labels: GroupLabels, groups: Sequence[str]) -> GroupLabels:
    """The labels with further groups, of which no document is."""
    from scipy.sparse import csr_array

    weights = csr_array(labels.weights)
    wide = csr_array((weights.data, weights.indices, weights.indptr), shape=(weights.shape[0], len(groups)))
    return replace(labels, groups=tuple(groups), weights=wide)


def labels_of(attribute: str, labels: Sequence[GroupLabels]) -> GroupLabels:
    """The labels by an attribute; two attributes together are also named with +.

    Raises:
        UsageError: There are no such labels.
    """
    wanted = attribute.replace("+", CROSSED)
    names = [each.attribute for each in labels]
    if wanted not in names:
        near = get_close_matches(wanted, names, n=1)
        hint = f" (nearest: {near[0]})" if near else ""
        raise UsageError(f"shares by {attribute!r} are bounded{hint}; there are labels by {', '.join(names)}")
    return labels[names.index(wanted)]


def named_bounds(bounds: ShareBounds, own: str) -> ShareBounds:
    """Bounds of which every attribute has the name that its labels have.

    Args:
        bounds: As they were read: an attribute without a name, and two together written with +, may be among them.
        own: Name of the attribute that counts, which is the one without a name.
    """
    return replace(bounds, attributes=tuple(name.replace("+", CROSSED) or own for name in bounds.attributes))


def ends_by_attribute(bounds: ShareBounds, labels: Sequence[GroupLabels]) -> dict[str, dict[str, tuple[float, float]]]:
    """{attribute: {group: its least and largest share}}; an attribute without a name is that of the first labels.

    Raises:
        UsageError: An attribute has no labels.
    """
    ends: dict[str, dict[str, tuple[float, float]]] = {}
    for name, group, low, high in zip(
        bounds.attributes, bounds.groups, bounds.low.tolist(), bounds.high.tolist(), strict=True
    ):
        attribute = labels_of(name, labels).attribute if name else labels[0].attribute
        ends.setdefault(attribute, {})[group] = (low, high)
    return ends


def bounds_of(
    attribute: str, groups: Sequence[str], ends: Mapping[str, tuple[float, float]]
) -> tuple[FloatArray, FloatArray]:
    """(G) least and largest shares of the groups of an attribute; without bounds 0 and 1.

    Args:
        attribute: Its name, for errors.
        groups: G names.
        ends: Least and largest share by group.

    Raises:
        UsageError: A bounded group is none of these, or no shares keep to the bounds.
    """
    for group in ends:
        if group not in groups:
            near = get_close_matches(group, groups, n=1)
            hint = f" (nearest: {near[0]})" if near else ""
            names = ", ".join(groups)
            raise UsageError(f"no label of {attribute} names {group!r}{hint}; the labels name {names}")
    low, high = np.array([ends.get(group, (0.0, 1.0)) for group in groups]).T
    if (low == high).all() and abs(low.sum() - 1) <= WEIGHT_TOLERANCE:
        return low / low.sum(), low / low.sum()
    if high.sum() < 1 - WEIGHT_TOLERANCE:
        raise UsageError(f"the largest shares of {attribute} sum to {high.sum():g}, less than 1: raise some")
    return low, high


def amortised_run(found: Bounded, *, k: int, slack: float, samples: int | None, rng: np.random.Generator) -> Reranking:
    """A run re-ranked under bounds of shares over all queries together, and what is reached at what price.

    Usefulness is the gain, or without judgements the min–max score, as a part of the best list's; attention is
    1/log2(rank + 1) down to rank k.

    Args:
        found: The lists and the bounds.
        k: Ranks that get attention.
        slack: Share of attention by which each attribute may be off its bounds.
        samples: Rankings drawn per query, k ranks each; None: the likeliest list of each query.
        rng: Source of chance of the draws.
    """
    run, gains = found.lists[0].run, found.lists[0].gains
    weights = Discounted(k).weights(k)
    useful = min_max(run.scores, run.offsets) if gains is None else gains
    utility = of_best(useful, run.offsets, weights)
    policy = amortised(utility, found.weights, run.offsets, weights, found.statements, slack=slack)
    starts = run.offsets[:-1].tolist()
    if samples is None:
        mixtures = dict(enumerate(policy.mixtures))
        ranked: Run | RankingSample = first_lists(run, mixtures, f"{run.system}+amortised")
    else:
        drawn = {q: start + policy.mixtures[q].draw(n_samples=samples, rng=rng) for q, start in enumerate(starts)}
        ranked = sample_of(run, "amortised", {q: order[:, :k] for q, order in drawn.items()})
    notes: list[Note] = []
    for attribute, lists in enumerate(found.lists):
        name = found.names[int(np.flatnonzero(found.statements.attributes == attribute)[0])][0]
        prefix = f"{name}: " if len(found.lists) > 1 else ""
        own = lists.notes(hard_labels=False, needs_target=False)
        notes += [replace(note, message=f"{prefix}{note.message}") for note in own]
    if not np.isnan(policy.smallest_distance):
        notes.append(Note(run.system, None, _out_of_reach(found, policy)))
    return Reranking(ranked, notes, _findings(found, policy, utility, weights, fixed=samples is None))


def fixed_shares(found: Bounded, policy: AmortisedPolicy, weights: FloatArray) -> FloatArray:
    """(G) shares where each query shows the likeliest of its lists."""
    return _shares(found, [mixture.orders[0] for mixture in policy.mixtures], weights)


def _shares(found: Bounded, orders: Sequence[IntArray], weights: FloatArray) -> FloatArray:
    """(G) share of labelled attention under one list per query."""
    offsets, exposure = found.lists[0].run.offsets, np.zeros(len(found.weights))
    for start, order in zip(offsets[:-1].tolist(), orders, strict=True):
        shown = order[: weights.size]
        exposure[start + shown] = weights[: shown.size]
    by_group = exposure @ found.weights
    bases = np.bincount(found.statements.attributes, by_group)[found.statements.attributes]
    return np.divide(by_group, bases, out=np.full(bases.size, np.nan), where=bases > 0)


def _findings(
    found: Bounded, policy: AmortisedPolicy, utility: FloatArray, weights: FloatArray, *, fixed: bool
) -> list[str]:
    """What is reached, what it costs, and what fixed lists miss."""
    offsets, (attributes, low, high) = found.lists[0].run.offsets, found.statements
    sizes: list[int] = np.diff(offsets).tolist()
    before = _shares(found, [np.arange(n) for n in sizes], weights)
    best = np.unique(segment_ids(offsets)[utility > 0]).size  # each of these has a list of utility 1
    texts: list[str] = []
    for attribute in range(len(found.lists)):
        groups = np.flatnonzero(attributes == attribute)
        moves = [
            f"{found.names[g][1]} {percent(before[g], 1)} → {percent(policy.shares[g], 1)} "
            f"({bound_words(low[g], high[g])})"
            for g in groups
        ]
        texts.append(f"shares of attention by {found.names[groups[0]][0]}: {', '.join(moves)}")
    if best:
        whose = "the run's scores" if found.lists[0].gains is None else "the judgements"
        lost = in_words(100 * max(1 - policy.utility / best, 0.0))
        texts.append(f"costs {lost} % of quality by {whose} (nDCG@{weights.size})")
    if best and np.isnan(policy.smallest_distance):
        # Of a share of 1 in parts of quality, so of a hundredth of attention in percent.
        prices: list[float] = (np.abs(policy.prices) / best).tolist()
        dear = [
            f"{found.names[g][1]} {number(price, 3)} %"
            for g, price in sorted(enumerate(prices), key=lambda pair: -pair[1])
            if price >= SEEN
        ]
        texts += [f"the last point of attention costs, by group: {', '.join(dear)}"] if dear else []
    if fixed:
        missed = found.statements.distance(fixed_shares(found, policy, weights)) - policy.distance
        queries = plural(offsets.size - 1, "query", "queries")
        texts.append(
            f"{policy.n_lotteries} of {queries} would be drawn from several lists; with one list each, the bounds are "
            f"missed by {_points(max(missed, 0.0))} more"
        )
    return texts


def _out_of_reach(found: Bounded, policy: AmortisedPolicy) -> str:
    _, low, high = found.statements
    back = [f"{found.names[g][1]} ({bound_words(low[g], high[g])})" for g in np.flatnonzero(policy.holding_back)]
    return (
        f"not all bounds can hold: at best {_points(policy.smallest_distance)} of attention would have to move; what "
        f"holds it back: {listing(back)}"
    )


def bound_words(low: float, high: float) -> str:
    r"""A bound in words.

    Examples:
        >>> bound_words(0.15, 1.0), bound_words(0.2, 0.2)
        ('at least 15.0\u202f%', 'exactly 20.0\u202f%')
    """
    if low == high:
        return f"exactly {percent(low, 1)}"
    if low > 0 and high < 1:
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"at least {percent(low, 1)}" if low > 0 else f"at most {percent(high, 1)}" if high < 1 else "free"


def _points(distance: float) -> str:
    return f"{number(100 * distance, 2)} points"
