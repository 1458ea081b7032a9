"""A run's lists as re-rankers see them, items with their groups, targets and gains; and the rankings made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.rankings import named
from fairviz.kernels.grouping import Preset, membership, target_shares
from fairviz.kernels.pool import pool
from fairviz.metrics.fair import subtopic_aspects
from fairviz.model import (
    BoolArray,
    FloatArray,
    GroupLabels,
    IndexArray,
    IntArray,
    Mixture,
    Note,
    Qrels,
    RankingSample,
    Run,
    Target,
)
from fairviz.model.arrays import segment_rows, segment_sums
from fairviz.numerals import count, part_of, plural
from fairviz.policies.marginals import drawn_sample
from fairviz.reranking.candidates import Candidates


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached properties live in __dict__
class RerankLists:
    """Every list of a run with what is known of its items; made once, re-ranked many times.

    Attributes:
        run: The run.
        groups: G names.
        weights: (M, G) membership of every row of the run.
        not_applicable: (M) rows that no group can have: re-ranking leaves them free.
        sizes: (G) weight of each group over all labels.
        shares: (Q, G) target of every query; NaN where the data do not say.
        gains: (M) gain of every row, 0 = unjudged; None without judgements.
        aspects: (M, A) 1 where judgements say that an item covers a subtopic; None without
            subtopics.
    """

    run: Run
    groups: tuple[str, ...]
    weights: FloatArray
    not_applicable: BoolArray
    sizes: FloatArray
    shares: FloatArray
    gains: FloatArray | None = None
    aspects: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.run.query_ids)

    def rows(self, query: int) -> slice:
        """Rows of a query."""
        return slice(int(self.run.offsets[query]), int(self.run.offsets[query + 1]))

    def has_target(self, query: int) -> bool:
        """Whether the query has a target."""
        return bool(self._targeted[query])

    def candidates(self, query: int, depth: int) -> Candidates:
        """The items of a query; a target that it lacks is 0."""
        rows = self.rows(query)
        return Candidates(
            weights=self.weights[rows],
            target=np.nan_to_num(self.shares[query]),
            depth=depth,
            gains=None if self.gains is None else self.gains[rows],
            aspects=None if self.aspects is None else self.aspects[rows],
        )

    def protected(self, group: str | None) -> int:
        """Column of the protected group: the named one, else the smaller of two.

        Raises:
            UsageError: There is no such group, or none is named of more than two.
        """
        names = ", ".join(self.groups)
        if group is None and len(self.groups) == 2:
            return 0 if self.sizes[0] < self.sizes[1] else 1
        if group is None:
            raise UsageError(f"one group is protected: name it with --group; groups: {names}")
        if group not in self.groups:
            raise UsageError(f"no group is named {group!r}; groups: {names}")
        return self.groups.index(group)

    @cached_property
    def _targeted(self) -> BoolArray:
        return np.asarray(~np.isnan(self.shares).any(axis=1))

    def notes(self, *, hard_labels: bool, needs_target: bool) -> list[Note]:
        """What a person should know of these lists before they read a re-ranked one.

        Args:
            hard_labels: Whether an item counts for one group.
            needs_target: Whether a target steers.
        """
        messages: list[str] = []
        totals = self.weights.sum(axis=1)
        n_outside = int(self.not_applicable.sum())
        if n_outside:
            messages.append(f"the attribute does not apply to {count(n_outside)} of {count(totals.size)} items")
        n_unlabelled, n_rows = int((totals <= 0).sum()) - n_outside, totals.size - n_outside
        if n_unlabelled:
            share = 100 * n_unlabelled / n_rows
            messages.append(f"{part_of(n_unlabelled, plural(n_rows, 'item'), 'has', 'have')} no label ({share:.0f} %)")
        n_soft = int((((self.weights > 0) & (self.weights < 1)).any(axis=1)).sum())
        if n_soft and hard_labels:
            messages.append(
                f"{plural(n_soft, 'item belongs', 'items belong')} to groups in part: the largest weight counts"
            )
        if needs_target:
            if stay := [query for i, query in enumerate(self.run.query_ids) if not self._targeted[i]]:
                messages.append(f"{named(stay)} without a target: the order stays as it is")
            messages += self._odd_groups()
        return [Note(self.run.system, None, text) for text in messages]

    def _odd_groups(self) -> list[str]:
        """Groups with a share and no items, or with items and no share."""
        sums = np.stack([segment_sums(column, self.run.offsets) for column in self.weights.T], axis=1)
        messages: list[str] = []
        for group, items, shares in zip(self.groups, sums.T, self.shares.T, strict=True):
            lacking = (shares > 0) & (items <= 0)
            if lacking.any():
                queries = [self.run.query_ids[q] for q in np.flatnonzero(lacking)]
                messages.append(f"group {group!r} has a share but no item in {named(queries)}")
            elif items.any() and not (shares > 0).any():
                messages.append(f"group {group!r} is not in the target: its share is 0")
        return messages


def rerank_lists(
    run: Run,
    *,
    labels: GroupLabels | None,
    target: Target | Preset | None,
    qrels: Qrels | None = None,
) -> RerankLists:
    """Align a run with groups, target and judgements.

    Args:
        run: The lists.
        labels: Groups of documents; None: no item has one.
        target: Shares, or a preset; presets that look at the pool or at gains count judged items
            that the run lacks, as the measures do. None: equal shares, for re-rankers that read
            no target.
        qrels: Judgements.

    Raises:
        UsageError: The target follows usefulness and there are no judgements.
    """
    if target == "relevance" and qrels is None:
        raise UsageError("the target 'relevance' follows usefulness: give --qrels FILE")
    if labels is None:
        from scipy.sparse import csr_array

        labels = GroupLabels(attribute="group", groups=(), doc_ids=(), weights=csr_array((0, 0)))
    pools = pool(run, qrels, queries="ranked")
    members = membership(pools, labels, target if isinstance(target, Target) else None)
    # Rows of the run come first among the rows of each query, in ranked order.
    rows, _ = segment_rows(pools.offsets, most=np.diff(run.offsets))
    aspects = None
    if qrels is not None and qrels.subtopics is not None:
        aspects = subtopic_aspects(pools, qrels)[rows]
    return RerankLists(
        run=run,
        groups=members.groups,
        weights=members.weights[rows],
        not_applicable=members.not_applicable[rows],
        sizes=members.corpus,
        shares=target_shares(target or "uniform", members, pools),
        gains=None if qrels is None else pools.gains[rows],
        aspects=aspects,
    )


# Rankings of a run's documents.


def sample_of(run: Run, policy: str, rows: Mapping[int, IntArray], alpha: float | None = None) -> RankingSample:
    """A sample of rankings whose documents are rows of a run.

    Args:
        run: Where the documents come from.
        policy: What drew the rankings.
        rows: By place of a query, (N, L) rows of the run: N rankings of L documents.
        alpha: Its fairness control, if any.
    """
    drawn = {query: run.docs[part] for query, part in rows.items()}
    return drawn_sample(run, drawn, system=run.system, policy=policy, alpha=alpha)


def reordered(run: Run, docs: IndexArray, system: str) -> Run:
    """The run with its documents in another order, and scores n − rank."""
    sizes = np.diff(run.offsets)
    below = np.repeat(run.offsets[1:], sizes) - np.arange(docs.size) - 1
    return Run(
        system=system,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        offsets=run.offsets,
        docs=docs,
        scores=below.astype(np.float64),
    )


def first_lists(run: Run, mixtures: Mapping[int, Mixture], system: str) -> Run:
    """The run with the first list of each lottery; documents below it and all other queries stay as they are.

    Args:
        run: The whole run.
        mixtures: By place of a query, a lottery over orders of its first documents, the likeliest order first.
        system: Name of the result.
    """
    docs = run.docs.copy()
    for query, mixture in mixtures.items():
        start, order = int(run.offsets[query]), mixture.orders[0]
        docs[start : start + order.size] = run.docs[start + order]
    return reordered(run, docs, system)
