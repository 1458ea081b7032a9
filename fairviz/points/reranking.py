"""Whole runs re-ranked: by a list per query, by repeats of a random one, or by a policy."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.rankings import named
from fairviz.evaluation.systems import judgements_of, labelled
from fairviz.kernels.attention import Discounted, TopK
from fairviz.model import GroupLabels, IntArray, Note, Qrels, RankingSample, Run, ShareBounds
from fairviz.points.amortised import Aim, Reranking, amortised_run, bounded
from fairviz.points.curves import CurvePolicy, Drawing, draw_rankings
from fairviz.points.rerank_lists import RerankLists, reordered, rerank_lists, sample_of
from fairviz.policies.scales import min_max
from fairviz.reranking.candidates import Draws
from fairviz.reranking.catalogue import Reranker, Settings, Value
from fairviz.reranking.fairness_of_exposure import ExposurePolicy, fairness_of_exposure
from fairviz.steps import expect, step

SAMPLES = 100
"""Rankings per query that are drawn from a policy unless a person says how many."""

OF_SCORES: Mapping[str, CurvePolicy] = {"plackett-luce": "plackett-luce", "optimal": "optimal"}
"""Policies that are made from scores alone, by ``tradeoff.curves``; the rest share exposure."""

# Re-rankers that are policies: distributions over rankings, of which samples are drawn.


def policy_sample(
    lists: RerankLists,
    method: Reranker,
    settings: Settings,
    *,
    depth: int,
    n_samples: int,
    rng: np.random.Generator,
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
        message = f"{method.label} protects {lists.groups[protected]!r}, the smaller of two groups"
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
) -> Reranking:
    """A run re-ranked as a person asks for it: :func:`rerank_all` of its lists.

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
        found = bounded(run, target, labels, qrels)
        return amortised_run(found, k=depth, slack=slack, samples=samples, rng=rng)
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
    return Reranking(ranked, notes, [])


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
