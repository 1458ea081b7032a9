"""Whole runs re-ranked: by a list per query, by repeats of a random one, by a policy, or for all queries together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from fairviz.display.words import listing, number
from fairviz.errors import UsageError
from fairviz.evaluation.rankings import named
from fairviz.evaluation.systems import judgements_of, labelled
from fairviz.kernels.attention import Discounted, TopK
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
    ShareBounds,
    Target,
)
from fairviz.model.arrays import segment_rows, segment_sums
from fairviz.numerals import count, part_of, plural
from fairviz.points.curves import CurvePolicy, Drawing, draw_rankings
from fairviz.points.targets import bound_words, bounds_of, by_attribute, ends_by_attribute, exact_bounds, labels_of
from fairviz.policies.marginals import drawn_sample
from fairviz.policies.scales import min_max
from fairviz.reranking.amortised import AmortisedPolicy, Statements, amortised, of_best
from fairviz.reranking.candidates import Candidates, Draws
from fairviz.reranking.catalogue import Reranker, Settings, Value
from fairviz.reranking.fairness_of_exposure import ExposurePolicy, fairness_of_exposure
from fairviz.steps import expect, step

# A run's lists as re-rankers see them, items with their groups, targets and gains; and the rankings made of them.


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
    run: Run, *, labels: GroupLabels | None, target: Target | Preset | None, qrels: Qrels | None = None
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


SAMPLES = 100
"""Rankings per query that are drawn from a policy unless a person says how many."""

OF_SCORES: Mapping[str, CurvePolicy] = {"plackett-luce": "plackett-luce", "optimal": "optimal"}
"""Policies that are made from scores alone, by ``tradeoff.curves``; the rest share exposure."""

# Re-rankers that are policies: distributions over rankings, of which samples are drawn.


def policy_sample(
    lists: RerankLists, method: Reranker, settings: Settings, *, depth: int, n_samples: int, rng: np.random.Generator
) -> tuple[Run | RankingSample, list[Note]]:
    """Rankings drawn from a policy, the first ``depth`` ranks of each.

    ``optimal`` is so for attention to the first ``depth`` ranks alike. Fairness of exposure reads attention 1/log2(rank
    + 1) down to ``depth``, as in the paper; usefulness is the gain ("RJ"), or without judgements the min–max score.

    Args:
        lists: The run with groups, targets and gains.
        method: A policy of the catalogue.
        settings: Its options.
        depth: Ranks shown.
        n_samples: Rankings per query.
        rng: Source of chance.
    """
    if method.name in OF_SCORES:
        drawing = Drawing(
            policy=OF_SCORES[method.name],
            alpha=settings["alpha"],
            attention=TopK(depth),
            depth=depth,
            n_samples=n_samples,
            scores=settings["scores"],
        )
        return draw_rankings(lists.run, drawing, rng=rng), []
    useful = min_max(lists.run.scores, lists.run.offsets) if lists.gains is None else lists.gains
    weights, by_target = Discounted(depth).weights(depth), settings["constraint"] == "target"
    rows: dict[int, IntArray] = {}
    failed: dict[str, list[str]] = {}
    for query in range(len(lists)):
        own = lists.rows(query)
        n_items = own.stop - own.start
        order: IntArray = np.broadcast_to(np.arange(n_items, dtype=np.int64), (n_samples, n_items))
        if n_items and (lists.has_target(query) or not by_target):
            policy = fairness_of_exposure(
                useful[own],
                lists.weights[own],
                weights,
                constraint=settings["constraint"],
                target=lists.shares[query] if by_target else None,
                slack=settings["slack"],
            )
            if policy.status == "optimal":
                order = policy.mixture.draw(n_samples=n_samples, rng=rng)
            else:
                failed.setdefault(_why(policy), []).append(lists.run.query_ids[query])
        rows[query] = own.start + order[:, :depth]
        step()
    notes = [
        Note(lists.run.system, None, f"{named(queries)} {why}: the order stays as it is")
        for why, queries in failed.items()
    ]
    return sample_of(lists.run, method.name, rows), notes


def _why(policy: ExposurePolicy) -> str:
    if policy.status == "undefined":
        return "with a group whose mean usefulness is 0, by which the constraint divides"
    enough = np.ceil(policy.smallest_slack * 1e4) / 1e4
    return f"cannot meet the constraint (possible from --slack {enough:g})"


# Shares of all attention, over all queries together, that keep to bounds, and what that costs.

Aim: TypeAlias = Target | Preset | ShareBounds
"""What is asked of shares: exactly, as the data set them, or between bounds."""


class BoundedRun(NamedTuple):
    """A run's lists beside the bounds that shares of attention are to keep.

    Attributes:
        lists: The lists with the groups of each attribute.
        names: (G) attribute and group of each column.
        weights: (M, G) membership of every row of the run.
        statements: Bounds of the columns.
        frequencies: (Q) how often each query is asked; NaN = nobody says: it keeps its list and counts in no share.
    """

    lists: tuple[RerankLists, ...]
    names: tuple[tuple[str, str], ...]
    weights: FloatArray
    statements: Statements
    frequencies: FloatArray

    @property
    def queries(self) -> IntArray:
        """Places of the queries that count."""
        return np.flatnonzero(~np.isnan(self.frequencies))


def bounded(
    run: Run,
    aim: Aim,
    labels: Sequence[GroupLabels],
    qrels: Qrels | None,
    frequencies: Mapping[str, float] | None = None,
) -> BoundedRun:
    """Align a run with labels by the attributes that are bounded.

    Args:
        run: The lists.
        aim: Bounds; a target of every query alike is exact ones of the attribute that counts, one whose "queries" are
            attributes of theirs.
        labels: Groups of documents by any attributes, first the one that counts.
        qrels: Judgements.
        frequencies: How often each query is asked, above 0, by its id; None: all alike.

    Raises:
        InputError: No document of the run has a group of an attribute.
        UsageError: The target differs from query to query; an attribute or a group is not among the labels; no shares
            keep to the bounds of an attribute; no query of the run has a frequency.
    """
    if isinstance(aim, Target) and by_attribute(aim, labels):
        aim = exact_bounds(aim)
    if not isinstance(aim, ShareBounds):
        aim = _alike(rerank_lists(run, labels=labels[0], target=aim, qrels=qrels), labels[0].attribute)
        labels = [_widened(labels[0], aim.groups), *labels[1:]]
    names: list[tuple[str, str]] = []
    lists: list[RerankLists] = []
    bounds: list[tuple[FloatArray, FloatArray]] = []
    for attribute, ends in ends_by_attribute(aim, labels).items():
        own = labels_of(attribute, labels)
        labelled([run], own)
        lists.append(rerank_lists(run, labels=own, target=None, qrels=qrels))
        bounds.append(bounds_of(attribute, own.groups, ends))
        names += [(own.attribute, group) for group in own.groups]
    weights = np.concatenate([each.weights for each in lists], axis=1)
    by_query = np.ones(len(run.query_ids))
    if frequencies is not None:
        by_query = np.array([frequencies.get(query, np.nan) for query in run.query_ids])
        if np.isnan(by_query).all():
            raise UsageError(f"weights: they name no query of {run.system}")
    return BoundedRun(tuple(lists), tuple(names), weights, Statements.of(*bounds), by_query)


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


def amortised_run(
    problem: BoundedRun, *, k: int, slack: float, samples: int | None, rng: np.random.Generator
) -> tuple[Run | RankingSample, list[Note]]:
    """A run re-ranked under bounds of shares over all queries together, and what a person should know of it.

    Usefulness is the gain, or without judgements the min–max score, as a part of the best list's; attention is
    1/log2(rank + 1) down to rank k.

    Args:
        problem: The lists and the bounds.
        k: Ranks that get attention.
        slack: Share of attention by which each attribute may be off its bounds.
        samples: Rankings drawn per query, k ranks each; None: the likeliest list of each query.
        rng: Source of chance of the draws.
    """
    run, gains = problem.lists[0].run, problem.lists[0].gains
    weights = Discounted(k).weights(k)
    useful = min_max(run.scores, run.offsets) if gains is None else gains
    utility = of_best(useful, run.offsets, weights)
    rows, offsets = segment_rows(run.offsets, problem.queries)
    program = utility[rows], problem.weights[rows], offsets, weights, problem.statements
    policy = amortised(*program, weights=problem.frequencies[problem.queries], slack=slack)
    mixtures = {q: Mixture.of_list(np.arange(n)) for q, n in enumerate(np.diff(run.offsets).tolist())}
    mixtures |= zip(problem.queries.tolist(), policy.mixtures, strict=True)
    if samples is None:
        ranked: Run | RankingSample = first_lists(run, mixtures, f"{run.system}+amortised")
    else:
        starts = run.offsets[:-1].tolist()
        drawn = {q: start + mixtures[q].draw(n_samples=samples, rng=rng) for q, start in enumerate(starts)}
        ranked = sample_of(run, "amortised", {q: order[:, :k] for q, order in drawn.items()})
    notes: list[Note] = []
    if n_without := len(mixtures) - problem.queries.size:
        without = plural(n_without, "query has no weight", "queries have no weight")
        notes.append(Note(run.system, None, f"{without}: lists stay as they are, and no share counts them"))
    for attribute, lists in enumerate(problem.lists):
        name = problem.names[int(np.flatnonzero(problem.statements.attributes == attribute)[0])][0]
        prefix = f"{name}: " if len(problem.lists) > 1 else ""
        own = lists.notes(hard_labels=False, needs_target=False)
        notes += [replace(note, message=f"{prefix}{note.message}") for note in own]
    if not np.isnan(policy.smallest_distance):
        notes.append(Note(run.system, None, _out_of_reach(problem, policy)))
    return ranked, notes


def _out_of_reach(problem: BoundedRun, policy: AmortisedPolicy) -> str:
    _, low, high = problem.statements
    back = [f"{problem.names[g][1]} ({bound_words(low[g], high[g])})" for g in np.flatnonzero(policy.holding_back)]
    return (
        f"not all bounds can hold: at best {number(100 * policy.smallest_distance, 2)} points of attention would have "
        f"to move; what holds it back: {listing(back)}"
    )


# Any re-ranker.


def rerank_all(
    lists: RerankLists,
    method: Reranker,
    *,
    k: int,
    rng: Draws | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int = SAMPLES,
    options: dict[str, Value] | None = None,
) -> tuple[Run | RankingSample, list[Note]]:
    """Re-rank every query of a run, whose lists are prepared once for many methods and strengths.

    Args:
        lists: The lists, whose order stands for their scores.
        method: A re-ranker.
        k: Ranks to decide. Lists keep all items: those below follow in the order of the run.
        rng: Source of chance; needed by random re-rankers and policies.
        group: The protected group, for FA*IR; None: the smaller of two.
        repeats: Independent lists per query of a random re-ranker; more than one make a sample.
        samples: Rankings per query of a policy, k ranks each.
        options: The re-ranker's own, such as ``{"epsilon": 0.3}``.

    Returns:
        A run whose scores fall strictly: n − rank, the last is 0. Repeats and policies: a sample.
        The system is called SYSTEM+METHOD, a sample keeps SYSTEM with the method as its policy.
        Queries without a target keep their order. And what a person should know of it.

    Raises:
        UsageError: An option is unknown, or something that is needed is missing.
    """
    if method.all_queries:
        raise UsageError(f"{method.label} re-ranks all queries together: ask rerank or policy-lab for it")
    if rng is None and (method.random or method.is_policy):
        raise UsageError(f"{method.label} is random: it needs a source of chance")
    if repeats > 1 and not method.random:
        why = "give --samples N" if method.is_policy else "repeats would all be equal"
        raise UsageError(f"{method.label} is no random list: {why}")
    settings_by_name = options or {}
    chance = np.random.default_rng(0) if rng is None else rng
    protected = lists.protected(group) if method.protects_one else None
    settings = method.settings(settings_by_name, rng=chance, protected=protected)
    steered = method.needs_target(settings_by_name)
    notes: list[Note] = []
    if method.uses_groups:
        notes += lists.notes(hard_labels=method.hard_labels, needs_target=steered)
    if protected is not None and group is None:
        which = "the second of two of one size" if lists.sizes[0] == lists.sizes[1] else "the smaller of two groups"
        message = f"{method.label} protects {lists.groups[protected]!r}, {which}"
        notes.append(Note(lists.run.system, None, message))
    if method.caution:
        notes.append(Note(lists.run.system, None, method.caution))
    expect(len(lists))
    if method.order is None:
        if not isinstance(chance, np.random.Generator):
            raise TypeError("policies are drawn with a numpy.random.Generator")
        drawn, more = policy_sample(lists, method, settings, depth=k, n_samples=samples, rng=chance)
        return drawn, [*notes, *more]
    rows: dict[int, IntArray] = {}
    for query in range(len(lists)):
        own = lists.rows(query)
        orders = [np.arange(own.stop - own.start, dtype=np.int64)] * repeats
        if lists.has_target(query) or not steered:
            items = lists.candidates(query, k)
            orders = [method.order(items, **settings) for _ in range(repeats)]
        rows[query] = own.start + np.stack(orders)
        step()
    ranked = sample_of(lists.run, method.name, rows, strength_of(method, settings_by_name))
    if repeats == 1:
        ranked = reordered(lists.run, ranked.docs, _named(lists.run.system, method, settings_by_name))
    return ranked, notes


def rerank_run(
    run: Run,
    method: Reranker,
    *,
    labels: Sequence[GroupLabels],
    target: Aim | None,
    judged: Sequence[Qrels],
    k: int | None,
    seed: int,
    group: str | None,
    repeats: int,
    samples: int | None,
    options: dict[str, Value],
    frequencies: Mapping[str, float] | None = None,
) -> tuple[Run | RankingSample, list[Note]]:
    """A run re-ranked as a person asks for it, :func:`rerank_all` of its lists, and what to know of it.

    Args:
        run: A run with scores.
        method: A re-ranker.
        labels: Groups of documents by any attributes, first the one that counts, for a re-ranker that looks at groups.
        target: Shares, for one that is steered; bounds of them, for one of all queries together.
        judged: Judgements, of which those of the run's queries count; none: gains are unknown.
        k: Ranks to decide; None: all.
        seed: Of the draws.
        group: The protected group.
        repeats: Independent lists of a random re-ranker.
        samples: Rankings drawn from a policy; None: :data:`SAMPLES`, or its one list of each query where it has one.
        options: The re-ranker's own.
        frequencies: How often each query is asked, by its id, for a re-ranker of all queries together; None: alike.

    Raises:
        InputError: No document of the run has a group.
        UsageError: An option is unknown, or something that is needed is missing, named with what to give.
    """
    check_evidence(method, options, has_labels=bool(labels), has_target=target is not None)
    longest = max(int(np.diff(run.offsets).max(initial=1)), 1)
    depth = min(k or longest, longest)
    qrels = judgements_of(run, judged) if judged else None
    if method.all_queries and target is not None:
        if repeats > 1:
            raise UsageError(f"{method.label} is no random list: give --samples N")
        rng = np.random.default_rng(seed)
        slack = method.settings(options, rng=rng)["slack"]
        problem = bounded(run, target, labels, qrels, frequencies)
        return amortised_run(problem, k=depth, slack=slack, samples=samples, rng=rng)
    if isinstance(target, ShareBounds):
        raise UsageError(f"{method.label} takes exact shares; least and largest ones: --method amortised")
    own = labels[0] if labels else None
    if own is not None:
        labelled([run], own)
    ranked, notes = rerank_all(
        rerank_lists(run, labels=own, target=target, qrels=qrels),
        method,
        k=depth,
        rng=method.draws(seed),
        group=group,
        repeats=repeats,
        samples=SAMPLES if samples is None else samples,
        options=options,
    )
    if frequencies is not None:
        notes.append(Note(run.system, None, f"weights change nothing: {method.label} re-ranks each query alone"))
    return ranked, notes


def check_evidence(method: Reranker, options: Mapping[str, object], *, has_labels: bool, has_target: bool) -> None:
    """Refuse a re-ranker that lacks what it reads.

    Raises:
        UsageError: Naming what to give.
    """
    if method.uses_groups and not has_labels:
        raise UsageError(f"{method.label} looks at groups: give --groups FILE")
    if method.needs_target(options) and not has_target:
        raise UsageError(
            f"{method.label} needs a target: --target uniform, population, corpus, relevance or a JSON file"
        )


def strength_of(method: Reranker, options: dict[str, Value]) -> float | None:
    """The value of the re-ranker's strength, where it has one."""
    if method.strength is None:
        return None
    name = method.strength.option
    default = next(option.default for option in method.options if option.name == name)
    value = options.get(name, default)
    return None if value is None else cast("float", value)


def _named(system: str, method: Reranker, options: dict[str, Value]) -> str:
    """``bm25+fair-epsilon-greedy(epsilon=0.3)``: what was done to which system."""
    settings = ",".join(f"{name}={_plain(value)}" for name, value in options.items())
    return f"{system}+{method.name}({settings})" if settings else f"{system}+{method.name}"


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"
