"""Judgements of documents: how useful, and to which group a document belongs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fairviz.model.arrays import (
    BoolArray,
    DocIds,
    FloatArray,
    Ids,
    IndexArray,
    IntArray,
    check_distinct,
    check_indices,
    check_offsets,
    frozen,
    segment_ids,
)
from fairviz.model.rows import Rows, TrecRows, ids_at, to_ranx

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # a tenth of a second, for labels alone

DOES_NOT_APPLY = "does not apply"
"""What stands in place of a group where an attribute does not apply to a document."""

CROSSED = " × "
"""Between the names of two attributes, and of two groups, that are looked at together."""

WEIGHT_TOLERANCE = 1e-3 + 1e-9
"""Weights and shares that sum to 1 within this are taken as rounded; a thousandth, however a machine adds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Qrels(TrecRows):
    """Graded judgements per query; a (query, document) pair is judged at most once per subtopic.

    Attributes:
        name: What to call these judgements (file stem).
        query_ids: Q distinct query ids.
        doc_ids: D distinct document ids; ``docs`` points into them.
        offsets: (Q+1) rows of query q.
        docs: (M) document index of each row.
        grades: (M) integer grades as given; a negative grade means not useful.
        subtopics: (M) index into ``subtopic_ids``, or None where column 2 carries no subtopics.
        subtopic_ids: Names of the subtopics.
        generator: The generator whose utility gain these labels record; None for people's.
        largest_of_all: Largest grade of the judgements that these are a part of; None: they are all.
    """

    name: str
    query_ids: tuple[str, ...]
    doc_ids: DocIds
    offsets: IntArray
    docs: IndexArray
    grades: IntArray
    subtopics: IndexArray | None = None
    subtopic_ids: tuple[str, ...] = ()
    generator: str | None = None
    largest_of_all: int | None = None

    def __post_init__(self) -> None:
        check_distinct(self.query_ids, "query ids")
        check_offsets(self.offsets, len(self.query_ids), self.docs.size, "qrels")
        check_indices(self.docs, len(self.doc_ids), "judged documents")
        if self.grades.shape != self.docs.shape:
            raise ValueError("qrels: one grade per row is needed")
        frozen(self.offsets, self.docs, self.grades)
        if self.subtopics is not None:
            check_indices(self.subtopics, len(self.subtopic_ids), "subtopics")
            frozen(self.subtopics)

    @property
    def largest_grade(self) -> int:
        """What a cascade measures gains against: the largest grade of any query, at least 0."""
        return int(self.grades.max(initial=0)) if self.largest_of_all is None else self.largest_of_all

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame; see :meth:`frame`."""
        topics = {} if self.subtopics is None else {"subtopic": ids_at(self.subtopic_ids, self.subtopics)}
        query_ids, doc_ids = ids_at(self.query_ids, segment_ids(self.offsets)), ids_at(self.doc_ids, self.docs)
        return pl.DataFrame({"query_id": query_ids, "doc_id": doc_ids, "grade": self.grades, **topics})

    def to_ranx(self) -> Any:
        """The judgements as ranx' ``Qrels``.

        Raises:
            ImportError: The package ranx is not installed.
        """
        return to_ranx(self, "Qrels", "grade")


def qrels_for(qrels: Sequence[Qrels], generator: str | None, query_ids: Sequence[str] = ()) -> Qrels | None:
    """Labels for a generator: its own, else people's; for an unknown one, else the only ones there are.

    Args:
        qrels: All labels.
        generator: Whose are wanted.
        query_ids: Of the queries: of several labels, as of several tasks, those that speak of the first of these.
    """
    for owner in (generator, None):
        own = [labels for labels in qrels if labels.generator == owner]
        if len(own) > 1:
            judged = [(set(labels.query_ids), labels) for labels in own]
            return next((labels for query in query_ids for ids, labels in judged if query in ids), own[0])
        if own:
            return own[0]
    return qrels[0] if len(qrels) == 1 and generator is None else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupLabels(Rows):
    """Membership of documents in the groups of one attribute; soft and missing labels allowed.

    Attributes:
        attribute: What the groups are groups of ("region").
        groups: G distinct group names.
        doc_ids: L document ids, one per row of ``weights``.
        weights: (L, G) CSR, rows sum to at most 1; what is missing to 1 is unlabelled. A row of zeros: the attribute
            does not apply to the document, which is in no group and not unlabelled either.
        query_ids: L query ids where labels differ per query, else None.
    """

    attribute: str
    groups: tuple[str, ...]
    doc_ids: DocIds
    weights: "csr_array"
    query_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_distinct(self.groups, "groups")
        if self.query_ids is None:
            check_distinct(self.doc_ids, "labelled documents")
        else:
            pairs = [f"{query}\t{doc}" for query, doc in zip(self.query_ids, self.doc_ids, strict=True)]
            check_distinct(pairs, "labelled (query, document) pairs")
        if self.weights.shape != (len(self.doc_ids), len(self.groups)):
            raise ValueError(f"labels: weights of shape {self.weights.shape} fit neither axis")
        sums = np.asarray(self.weights.sum(axis=1))
        if (self.weights.data < 0).any() or (sums > 1 + WEIGHT_TOLERANCE).any():
            raise ValueError("labels: weights are >= 0 and sum to at most 1 per document")

    @property
    def not_applicable(self) -> BoolArray:
        """(L) documents to which the attribute does not apply."""
        return np.asarray(self.weights.sum(axis=1)).ravel() == 0

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame, each membership one; see :meth:`frame`."""
        cells, outside = self.weights.tocoo(), np.flatnonzero(self.not_applicable)
        docs = np.concatenate([np.asarray(cells.coords[0]), outside]).astype(np.int64)
        groups = np.concatenate([np.asarray(cells.coords[1]), np.full(outside.size, len(self.groups))])
        weights = np.concatenate([cells.data, np.ones(outside.size)])
        order = np.argsort(docs, kind="stable")
        docs, groups, weights = docs[order], groups[order], weights[order]
        queries = {} if self.query_ids is None else {"query_id": ids_at(self.query_ids, docs)}
        labels = {self.attribute: ids_at((*self.groups, DOES_NOT_APPLY), groups), "weight": weights}
        return pl.DataFrame({**queries, "doc_id": ids_at(self.doc_ids, docs), **labels})


MOST_CROSSED = 48
"""Groups of two attributes together, at most: more could not be told apart, and would have a few documents each."""
MOST_PAIRS = 480
"""Pairs of groups, at most, of which is counted how many have documents."""


def crossed(first: GroupLabels, second: GroupLabels) -> GroupLabels | None:
    """Labels by two attributes together: "Africa × small" of "region × size".

    Membership of a document in two groups together is the product of its memberships in either. One that lacks a label
    of either has none here; one to which either attribute does not apply is in no group, and not unlabelled.

    Args:
        first: Labels by an attribute.
        second: Labels by another one.

    Returns:
        The groups that have documents, by the first attribute, then the second; None where labels differ per query,
        and where there are fewer than
        two groups or more than :data:`MOST_CROSSED`.

    Examples:
        >>> from scipy.sparse import csr_array
        >>> region = GroupLabels(attribute="region", groups=("north", "south"), doc_ids=("a", "b", "c"),
        ...     weights=csr_array([[1.0, 0], [0.5, 0.5], [0, 1]]))
        >>> size = GroupLabels(attribute="size", groups=("small",), doc_ids=("b", "a"), weights=csr_array([[1.0], [1]]))
        >>> both = crossed(region, size)
        >>> both.attribute, both.groups, both.doc_ids, both.weights.toarray().tolist()
        ('region × size', ('north × small', 'south × small'), ('a', 'b'), [[1.0, 0.0], [0.5, 0.5]])
    """
    n_pairs = len(first.groups) * len(second.groups)
    if first.query_ids is not None or second.query_ids is not None or n_pairs > MOST_PAIRS:
        return None
    from scipy.sparse import csr_array, hstack  # a tenth of a second, for labels alone

    left, right = (Ids.of(labels.doc_ids).column.to_frame("doc").with_row_index("row") for labels in (first, second))
    shared = left.join(right, on="doc", maintain_order="left")
    weights, others = first.weights[shared["row"].to_numpy()], second.weights[shared["row_right"].to_numpy()]
    together = csr_array(hstack([others.multiply(weights[:, [group]]) for group in range(len(first.groups))]))
    used = np.flatnonzero(np.asarray(together.sum(axis=0)).ravel() > 0)
    names = [CROSSED.join(pair) for pair in product(first.groups, second.groups)]
    if not 2 <= used.size <= MOST_CROSSED:
        return None
    return GroupLabels(
        attribute=CROSSED.join((first.attribute, second.attribute)),
        groups=tuple(names[group] for group in used),
        doc_ids=tuple(shared["doc"]),
        weights=together[:, used],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """The share of attention that each group should get; shares sum to 1.

    Attributes:
        groups: G distinct group names.
        shares: (G) shares for every query, or (T, G) one row per query of ``query_ids``.
        query_ids: T queries where shares differ per query, else None.
    """

    groups: tuple[str, ...]
    shares: FloatArray
    query_ids: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_distinct(self.groups, "groups")
        shape = (len(self.groups),)
        if self.query_ids is not None:
            check_distinct(self.query_ids, "queries of the target")
            shape = (len(self.query_ids), len(self.groups))
        if self.shares.shape != shape or not (self.shares >= 0).all():
            raise ValueError("target: one share >= 0 per group is needed")
        sums = self.shares.sum(axis=-1)
        if (np.abs(sums - 1) > WEIGHT_TOLERANCE).any():
            raise ValueError(f"target: shares sum to {float(np.max(sums)):g}, expected 1")
        frozen(self.shares)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareBounds:
    """What shares of attention may be over all queries together, by names of attributes and groups.

    Attributes:
        attributes: B names, one per bound; "" = the attribute that counts, whatever it is called.
        groups: B names of groups; a group without a bound is free.
        low: (B) least share; 0 states nothing.
        high: (B) largest share; 1 states nothing, the least share makes it exact.
    """

    attributes: tuple[str, ...]
    groups: tuple[str, ...]
    low: FloatArray
    high: FloatArray

    def __post_init__(self) -> None:
        check_distinct([f"{a}\t{g}" for a, g in zip(self.attributes, self.groups, strict=True)], "bounded groups")
        if not self.low.shape == self.high.shape == (len(self.groups),):
            raise ValueError("bounds: a least and a largest share per group is needed")
        if not ((self.low >= 0) & (self.low <= self.high) & (self.high <= 1)).all():
            raise ValueError("bounds: 0 <= low <= high <= 1 is needed")
        frozen(self.low, self.high)
