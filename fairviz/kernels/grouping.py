"""Groups of the items in a pool, and the share of attention that each group should get.

Labels may be soft (weights) or missing (weights that sum to less than 1). What is missing counts for no group, or for a
group of its own (:func:`with_unlabelled`), as the measure says. An item to which the attribute does not apply is in no
group and not unlabelled either: it takes attention, and is in the base of no share.

A :class:`Membership` (dense weights) stands beside the ``Pools`` and is no field of them: one set of pools serves
several attributes. The target ``population`` is the
distribution in each system's own pool, so that a system's value does not depend on the company it is evaluated in.
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.model import BoolArray, FloatArray, GroupLabels, IntArray, Pools, Target
from fairviz.model.arrays import positions, segment_ids
from fairviz.model.judgements import WEIGHT_TOLERANCE

Missing: TypeAlias = Literal["drop", "group"]
"""Whether unlabelled items count for no group, or are a group of their own."""

Preset: TypeAlias = Literal["uniform", "population", "corpus", "relevance"]
"""Targets that the data set: equal, as in the pool, as in all labels, by mean gain."""
PRESETS: tuple[Preset, ...] = ("uniform", "population", "corpus", "relevance")

UNLABELLED = "unlabelled"
"""Name of the group of items without a label, where they are one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Membership:
    """How much every pool row belongs to every group.

    Attributes:
        groups: G names: those of the labels, then those that only a target names.
        weights: (M, G) weights in [0, 1], aligned with the rows of the pools; rows sum to at most
            1, and what is missing to 1 is unlabelled, or the attribute does not apply.
        not_applicable: (M) items to which the attribute does not apply; their weights are 0.
        labelled: (Q, G) groups that the labels have for the query: all, unless labels differ per
            query.
        corpus: (G) weight of each group over all labels, retrieved or not.
    """

    groups: tuple[str, ...]
    weights: FloatArray
    not_applicable: BoolArray
    labelled: BoolArray
    corpus: FloatArray

    @property
    def is_soft(self) -> bool:
        """Whether an item belongs to a group in part."""
        return bool(((self.weights > 0) & (self.weights < 1)).any())

    @property
    def unlabelled(self) -> FloatArray:
        """(M) the part of each item that has no label, though the attribute applies to it."""
        return np.where(self.not_applicable, 0.0, unlabelled_part(self.weights))

    def index(self, group: str) -> int:
        """Column of a group.

        Raises:
            UsageError: Naming the groups there are.
        """
        if group not in self.groups:
            raise UsageError(f"no group is named {group!r}; groups: {', '.join(self.groups)}")
        return self.groups.index(group)


def membership(pools: Pools, labels: GroupLabels, target: Target | None = None) -> Membership:
    """Groups of every pool row.

    Args:
        pools: Items per query.
        labels: Groups of documents, perhaps per query.
        target: Shares whose groups join those of the labels; one of them may have no item.
    """
    from scipy.sparse import csr_array

    further = () if target is None else target.groups
    groups = (*labels.groups, *(group for group in further if group not in labels.groups))
    sizes = (len(pools.query_ids), len(groups))
    coverage = np.zeros(sizes, dtype=np.bool_)
    if labels.query_ids is None:
        at = _rows_of_docs(pools, labels)
        coverage[:, : len(labels.groups)] = True
    else:
        at, coverage[:, : len(labels.groups)] = _rows_of_pairs(pools, labels)
    weights = np.zeros((pools.docs.size, len(groups)))
    labelled = np.flatnonzero(at >= 0)
    weights[labelled, : len(labels.groups)] = csr_array(labels.weights)[at[labelled]].toarray()
    not_applicable = np.zeros(pools.docs.size, dtype=np.bool_)
    not_applicable[labelled] = labels.not_applicable[at[labelled]]
    corpus = np.zeros(len(groups))
    corpus[: len(labels.groups)] = np.asarray(labels.weights.sum(axis=0)).ravel()
    return Membership(groups=groups, weights=weights, not_applicable=not_applicable, labelled=coverage, corpus=corpus)


def unlabelled_part(weights: FloatArray) -> FloatArray:
    """(M) the part of items with a group that no group has; weights that sum to 1 but for rounding leave none.

    Examples:
        >>> unlabelled_part(np.array([[0.5, 0.25], [0.333, 0.6665]]))
        array([0.25, 0.  ])
    """
    rest = 1 - weights.sum(axis=1)
    return np.where(rest > WEIGHT_TOLERANCE, rest, 0.0)


def with_unlabelled(members: Membership) -> Membership:
    """Unlabelled items as one more group, named :data:`UNLABELLED`."""
    rest = members.unlabelled
    if UNLABELLED in members.groups:
        weights = members.weights.copy()
        weights[:, members.groups.index(UNLABELLED)] += rest
        return replace(members, weights=weights)
    everywhere = np.ones((len(members.labelled), 1), dtype=np.bool_)
    return replace(
        members,
        groups=(*members.groups, UNLABELLED),
        weights=np.column_stack([members.weights, rest]),
        labelled=np.concatenate([members.labelled, everywhere], axis=1),
        corpus=np.append(members.corpus, 0.0),
    )


def target_shares(target: Target | Preset, members: Membership, pools: Pools) -> FloatArray:
    """(Q, G) the share of attention that each group should get for each query.

    - ``uniform``: equal shares of the groups (that the labels have for the query);
    - ``population``: as in the query's pool;
    - ``corpus``: as in all labelled items;
    - ``relevance``: proportional to the mean gain of the group's items in the pool (disparate
      treatment, Singh & Joachims 2018; Gao et al., 3.4).

    Returns:
        Rows that sum to 1; NaN where the data do not say (no labelled item, nothing useful, or a
        target by hand that lacks the query).
    """
    match target:
        case "uniform":
            return _normalised(members.labelled.astype(np.float64))
        case "population":
            return _normalised(group_sums(members.weights, pools))
        case "corpus":
            return _normalised(np.tile(members.corpus, (len(pools.query_ids), 1)))
        case "relevance":
            gained = group_sums(members.weights * pools.gains[:, None], pools)
            sizes = group_sums(members.weights, pools)
            return _normalised(np.divide(gained, sizes, out=np.zeros(sizes.shape), where=sizes > 0))
        case Target():
            return _by_hand(target, members, pools)


def missing_groups(labels: GroupLabels, target: Target) -> list[str]:
    """Groups that a target gives a share and no label names: misspelt, or meant to have no document."""
    largest = np.atleast_2d(target.shares).max(axis=0)
    names = {*labels.groups, UNLABELLED}
    return [group for group, share in zip(target.groups, largest, strict=True) if share > 0 and group not in names]


def group_sums(values: FloatArray, pools: Pools) -> FloatArray:
    """(Q, G) sum of (M, G) values over the rows of each query."""
    return np.stack(
        [np.bincount(segment_ids(pools.offsets), column, minlength=len(pools.query_ids)) for column in values.T], axis=1
    ).astype(np.float64, copy=False)


def pooled_shares(attention: FloatArray) -> FloatArray:
    """(…, G) each group's share of (…, Q, G) labelled attention over all queries together; NaN where there is none.

    A ratio of sums: queries with more labelled attention count for more, one without any says nothing (the pooled share
    of the TREC fair ranking tracks).

    Examples:
        >>> pooled_shares(np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
        array([0.75, 0.25])
    """
    sums: FloatArray = np.asarray(attention.sum(axis=-2))
    totals: FloatArray = np.asarray(sums.sum(axis=-1, keepdims=True))
    return np.divide(sums, totals, out=np.full(sums.shape, np.nan), where=totals > 0)


def off_target_share(shares: FloatArray, target: FloatArray) -> FloatArray:
    """Share of attention that would have to move to other groups for the target to be met: half of L1, 0 to 1.

    Examples:
        >>> off_target_share(np.array([0.75, 0.25]), np.array([0.5, 0.5]))
        np.float64(0.25)
    """
    return np.abs(shares - target).sum(axis=-1) / 2


def _by_hand(target: Target, members: Membership, pools: Pools) -> FloatArray:
    rows = np.atleast_2d(target.shares)
    shares = np.zeros((len(rows) + 1, len(members.groups)))
    shares[:-1, [members.groups.index(group) for group in target.groups]] = rows
    shares[:-1] /= shares[:-1].sum(axis=1, keepdims=True)
    shares[-1] = np.nan
    if target.query_ids is None:
        return np.tile(shares[0], (len(pools.query_ids), 1))
    return shares[positions(pools.query_ids, target.query_ids)]


def _normalised(values: FloatArray) -> FloatArray:
    totals = values.sum(axis=1, keepdims=True)
    return np.divide(values, totals, out=np.full(values.shape, np.nan), where=totals > 0)


def _rows_of_docs(pools: Pools, labels: GroupLabels) -> IntArray:
    """(M) row of the labels, −1 = unlabelled."""
    return positions(pools.doc_ids, labels.doc_ids)[pools.docs]


def _rows_of_pairs(pools: Pools, labels: GroupLabels) -> tuple[IntArray, BoolArray]:
    """(M) row of the labels of each (query, document), and (Q, G) the groups a query has."""
    from scipy.sparse import csr_array

    queries, docs = positions(labels.query_ids or (), pools.query_ids), positions(labels.doc_ids, pools.doc_ids)
    coverage = np.zeros((len(pools.query_ids), len(labels.groups)), dtype=np.bool_)
    rows, columns = csr_array(labels.weights).nonzero()
    in_pools = queries[rows] >= 0
    coverage[queries[rows[in_pools]], columns[in_pools]] = True
    labelled = pl.DataFrame({"query": queries, "doc": docs}).with_row_index("row")
    items = pl.DataFrame({"query": segment_ids(pools.offsets), "doc": pools.docs.astype(np.int64)})
    at = items.join(labelled, on=("query", "doc"), how="left", maintain_order="left")["row"]
    return at.cast(pl.Int64).fill_null(-1).to_numpy(), coverage
