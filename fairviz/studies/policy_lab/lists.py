"""A chosen re-ranking as lists: whole runs to download, and one query before and after."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.evaluation.joins import first_items, segment_rows
from fairviz.model import FloatArray, IndexArray, IntArray, Mixture, RankingSample, Run
from fairviz.points.reranking import reordered
from fairviz.policies.marginals import sample_marginals
from fairviz.reranking.candidates import hard_codes
from fairviz.reranking.catalogue import Reranker
from fairviz.studies.policy_lab.strengths import Workbench, mixtures, optimal_exposure, orders, strength_of


class Move(NamedTuple):
    """A document that is in the first k before or after.

    Attributes:
        doc_id: Its id.
        before: Rank before; None = not among the candidates.
        after: Rank after; None likewise.
        useful: Whether it is judged useful (grade > 0).
        group: Name of the group with its largest weight; "" = none: unlabelled, or the attribute does not apply.
    """

    doc_id: str
    before: int | None
    after: int | None
    useful: bool
    group: str

    @property
    def climbed(self) -> int:
        """Ranks gained; negative = lost; 0 where one of the two is not known."""
        if self.before is None or self.after is None:
            return 0
        return self.before - self.after


class BeforeAfter(NamedTuple):
    """The first k of one query, before and after.

    Attributes:
        query_id: The query.
        k: Ranks that count.
        moves: Documents of either list, by their best rank.
        quality_before, quality_after: Of the query; NaN = undefined.
    """

    query_id: str
    k: int
    moves: tuple[Move, ...]
    quality_before: float
    quality_after: float

    @property
    def before(self) -> tuple[Move, ...]:
        """The first k before, best first."""
        moves = [move for move in self.moves if _within(move.before, self.k)]
        return tuple(sorted(moves, key=lambda move: move.before or 0))

    @property
    def after(self) -> tuple[Move, ...]:
        """The first k after, best first."""
        moves = [move for move in self.moves if _within(move.after, self.k)]
        return tuple(sorted(moves, key=lambda move: move.after or 0))

    def entered(self, move: Move) -> bool:
        """Whether it was not among the first k and is now."""
        return _within(move.after, self.k) and not _within(move.before, self.k)

    def left(self, move: Move) -> bool:
        """Whether it was among the first k and is no more."""
        return _within(move.before, self.k) and not _within(move.after, self.k)

    @property
    def n_entered(self) -> int:
        """Documents that enter the first k."""
        return sum(self.entered(move) for move in self.moves)

    @property
    def n_left(self) -> int:
        """Documents that leave them."""
        return sum(self.left(move) for move in self.moves)

    def raises(self, group: str, weights: FloatArray) -> bool:
        """Whether the first k give a group more attention than before.

        Args:
            group: Which.
            weights: (k) attention of each rank.
        """
        before = sum(float(weights[move.before - 1]) for move in self.before if move.before and move.group == group)
        after = sum(float(weights[move.after - 1]) for move in self.after if move.after and move.group == group)
        return after > before + 1e-9

    @property
    def n_useful_lost(self) -> int:
        """Useful documents that leave."""
        return sum(self.left(move) and move.useful for move in self.moves)

    @property
    def n_useful_gained(self) -> int:
        """Useful documents that enter."""
        return sum(self.entered(move) and move.useful for move in self.moves)


def before_after(
    query_id: str,
    before: Sequence[str],
    after: Sequence[str],
    *,
    k: int,
    useful: frozenset[str] | set[str],
    groups: Mapping[str, str],
    quality: tuple[float, float] = (float("nan"), float("nan")),
) -> BeforeAfter:
    """Compare two rankings of one query.

    Args:
        query_id: The query.
        before: Document ids as ranked today, best first.
        after: The same as re-ranked.
        k: Ranks that count.
        useful: Documents judged useful for the query.
        groups: Group of each labelled document.
        quality: Of the query before and after.
    """
    old = {doc: rank for rank, doc in enumerate(before, start=1)}
    new = {doc: rank for rank, doc in enumerate(after, start=1)}
    docs = [*before[:k], *(doc for doc in after[:k] if old.get(doc, k + 1) > k)]
    moves = [Move(doc, old.get(doc), new.get(doc), doc in useful, groups.get(doc, "")) for doc in docs]
    moves.sort(key=lambda move: min(move.before or k + 1, move.after or k + 1))
    return BeforeAfter(query_id, k, tuple(moves), *quality)


LONGEST_TITLE = 150
"""Characters of a first line that can be a title."""


def title_of(doc_id: str, passages: Mapping[str, str]) -> str:
    r"""What a document is called: the title that its passage begins with, else its id.

    Examples:
        >>> title_of("d1", {"d1": "A head-back myth\nDo not tilt it."}), title_of("d2", {"d2": "No title."})
        ('A head-back myth', 'd2')
    """
    first, _, rest = passages.get(doc_id, "").partition("\n")
    return first if rest and 0 < len(first) <= LONGEST_TITLE else doc_id


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


class ExampleOrder(NamedTuple):
    """One list that stands for a re-ranking.

    Attributes:
        order: (n) positions of the candidates, best first.
        chance: How often the re-ranking shows just this list; NaN where it is the order of expected
            attention instead.
        n_lists: Lists that the re-ranking chooses from; 0 = all.
    """

    order: IntArray
    chance: float
    n_lists: int


def of_queries(ranked: Run | RankingSample, query_ids: Collection[str]) -> Run | RankingSample:
    """The rankings of some queries: what a measure of the whole system is to be over."""
    kept = np.array([i for i, query in enumerate(ranked.query_ids) if query in query_ids], dtype=np.int64)
    names = tuple(query for query in ranked.query_ids if query in query_ids)
    if isinstance(ranked, Run):
        rows, offsets = segment_rows(ranked.offsets, kept)
        return replace(ranked, query_ids=names, offsets=offsets, docs=ranked.docs[rows], scores=ranked.scores[rows])
    samples, query_offsets = segment_rows(ranked.query_offsets, kept)
    rows, sample_offsets = segment_rows(ranked.sample_offsets, samples)
    return replace(
        ranked,
        query_ids=names,
        query_offsets=query_offsets,
        sample_offsets=sample_offsets,
        docs=ranked.docs[rows],
    )


def example_order(reranker: Reranker, bench: Workbench, strength: float, query: int, *, seed: int) -> ExampleOrder:
    """The list to look at: a re-ranker's own, a lottery's likeliest, else by expected attention.

    Args:
        reranker: Which.
        bench: The run.
        strength: Its strength.
        query: Index of the query in the pools.
        seed: Of a random re-ranker.
    """
    own = bench.rows(query)
    if reranker.name in ("plackett-luce", "optimal"):
        exposure = (
            bench.plackett_luce(strength).exposure(bench.axes.pools, bench.axes.attention)
            if reranker.name == "plackett-luce"
            else optimal_exposure(bench, strength)
        )
        return ExampleOrder(np.argsort(-exposure[own], kind="stable"), float("nan"), 0)
    if query not in bench.queries:
        return ExampleOrder(np.arange(own.stop - own.start), 1.0, 1)
    by_query = (
        mixtures(bench, strength, queries=[query])
        if reranker.is_policy
        else orders(reranker, bench, strength, seed=seed, queries=[query])
    )
    mixture = by_query[query]
    best = int(np.argmax(mixture.chances))
    return ExampleOrder(mixture.orders[best], float(mixture.chances[best]), mixture.chances.size)


def query_before_after(bench: Workbench, query: int, order: IntArray, *, quality: tuple[float, float]) -> BeforeAfter:
    """One query's list today and in a new order of its candidates.

    Args:
        bench: The run.
        query: Index of the query in the pools.
        order: (n) positions of the candidates, best first.
        quality: Of the query before and after.
    """
    axes, rows = bench.axes, bench.rows(query)
    pools, names = axes.pools, axes.members.groups
    docs: list[int] = pools.docs[rows].tolist()
    places: list[int] = order.tolist()
    codes: list[int] = hard_codes(axes.members.weights[rows]).tolist()
    gains: list[float] = pools.gains[rows].tolist()
    ids = [pools.doc_ids[doc] for doc in docs]
    return before_after(
        pools.query_ids[query],
        ids,
        [ids[place] for place in places],
        k=axes.k,
        useful={doc for doc, gain in zip(ids, gains, strict=True) if gain > 0},
        groups={doc: names[code] for doc, code in zip(ids, codes, strict=True) if code >= 0},
        quality=quality,
    )


def reranked_run(
    run: Run,
    reranker: Reranker,
    bench: Workbench,
    strength: float,
    *,
    seed: int,
    n_samples: int,
) -> Run | RankingSample:
    """Every query of a run re-ranked, as a file that other tools read.

    Args:
        run: The whole run.
        reranker: Which.
        bench: Made of the run's first items, with all queries of the run.
        strength: Its strength.
        seed: Of chance.
        n_samples: Rankings per query of a policy.

    Returns:
        A run with strictly falling scores, candidates first, the rest in its order; for policies
        a sample of their candidates.
    """
    system = f"{run.system}+{reranker.name}({strength_of(reranker).option}={strength:g})"
    rng = np.random.default_rng(seed)
    depth = int(np.diff(run.offsets).max(initial=0))
    match reranker.name:
        case "plackett-luce":
            shallow = first_items(run, int(bench.axes.pools.n_retrieved.max(initial=1)))
            policy = bench.plackett_luce(strength)
            return policy.sample(shallow, depth=depth, n_samples=n_samples, rng=rng)
        case "optimal":
            drawn = sample_marginals(
                bench.axes.pools,
                optimal_exposure(bench, strength),
                bench.axes.attention,
                system=run.system,
                policy=reranker.name,
                alpha=strength,
                depth=depth,
                n_samples=n_samples,
                rng=rng,
            )
            return replace(drawn, scores=bench.scale, offset=bench.offset, tag=run.tag, source=run)
        case "fairness-of-exposure":
            return _drawn(run, mixtures(bench, strength), reranker, n_samples, rng)
        case _:
            return _listed(run, orders(reranker, bench, strength, seed=seed), system)


def _listed(run: Run, orders: dict[int, Mixture], system: str) -> Run:
    docs: IndexArray = run.docs.copy()
    for query, mixture in orders.items():
        start, order = int(run.offsets[query]), mixture.orders[0]
        docs[start : start + order.size] = run.docs[start + order]
    return reordered(run, docs, system)


def _drawn(
    run: Run,
    by_query: dict[int, Mixture],
    reranker: Reranker,
    n_samples: int,
    rng: np.random.Generator,
) -> RankingSample:
    queries = list(by_query)
    drawn = [run.docs[int(run.offsets[q]) + by_query[q].draw(n_samples=n_samples, rng=rng)] for q in queries]
    lengths = np.repeat([part.shape[1] for part in drawn], n_samples).astype(np.int64)
    return RankingSample(
        system=run.system,
        policy=reranker.name,
        alpha=None,
        query_ids=tuple(run.query_ids[q] for q in queries),
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(queries) + 1, dtype=np.int64) * n_samples,
        sample_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=np.concatenate([part.ravel() for part in drawn] or [np.empty(0, np.int32)]),
    )
