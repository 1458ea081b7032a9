"""Whole runs re-ranked: by a list per query, by repeats of a random one, or by a policy."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from fairviz.analysis.rerank_lists import RerankLists, rerank_lists
from fairviz.analysis.rerank_policies import policy_sample
from fairviz.errors import UsageError
from fairviz.groups import Preset
from fairviz.model import GroupLabels, IndexArray, IntArray, Note, Qrels, RankingSample, Run, Target
from fairviz.rerank.catalogue import find_reranker
from fairviz.rerank.description import Reranker, Value
from fairviz.rerank.draws import Draws

Step: TypeAlias = Callable[[], object]
"""Called after every query."""


class Reranked(NamedTuple):
    """A re-ranked run or a sample, and what a person should know of it."""

    ranked: Run | RankingSample
    notes: tuple[Note, ...]


def rerank(
    run: Run,
    method: Reranker | str,
    *,
    labels: GroupLabels | None,
    target: Target | Preset | None,
    k: int,
    qrels: Qrels | None = None,
    rng: Draws | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int = 100,
    **options: Value,
) -> Run | RankingSample:
    """Re-rank every query of a run.

    Args:
        run: The lists, whose order stands for their scores.
        method: A re-ranker or its name.
        labels: Groups of documents; None for re-rankers that look at none.
        target: Shares of the groups, or a preset; None for re-rankers that read none.
        k: Ranks to decide. Lists keep all items: those below follow in the order of the run.
        qrels: Judgements, for re-rankers that read gains ("RJ"); without, every item is useful.
        rng: Source of chance; needed by random re-rankers and policies.
        group: The protected group, for FA*IR; None: the smaller of two.
        repeats: Independent lists per query of a random re-ranker; more than one make a sample.
        samples: Rankings per query of a policy, k ranks each.
        options: The re-ranker's own, such as ``epsilon=0.3``.

    Returns:
        A run whose scores fall strictly: n − rank, the last is 0. Repeats and policies: a sample.
        The system is called SYSTEM+METHOD, a sample keeps SYSTEM with the method as its policy.
        Queries without a target keep their order.

    Raises:
        UsageError: A name or an option is unknown, or something that is needed is missing.
    """
    chosen = find_reranker(method) if isinstance(method, str) else method
    check_evidence(chosen, options, has_labels=labels is not None, has_target=target is not None)
    lists = rerank_lists(run, labels=labels, target=target, qrels=qrels)
    return rerank_all(
        lists, chosen, k=k, rng=rng, group=group, repeats=repeats, samples=samples, options=options
    ).ranked


def rerank_all(
    lists: RerankLists,
    method: Reranker,
    *,
    k: int,
    rng: Draws | None = None,
    group: str | None = None,
    repeats: int = 1,
    samples: int = 100,
    options: dict[str, Value] | None = None,
    on_step: Step | None = None,
) -> Reranked:
    """As :func:`rerank`, of lists that are prepared once for many methods and strengths.

    Raises:
        UsageError: As there.
    """
    if rng is None and (method.random or method.is_policy):
        raise UsageError(f"{method.label} is random: it needs a source of chance")
    if repeats > 1 and not method.random:
        why = "give --samples N" if method.is_policy else "repeats would all be equal"
        raise UsageError(f"{method.label} is no random list: {why}")
    chosen = options or {}
    chance = np.random.default_rng(0) if rng is None else rng
    protected = lists.protected(group) if method.protects_one else None
    settings = method.settings(chosen, rng=chance, protected=protected)
    steered = method.needs_target(chosen)
    notes: list[Note] = []
    if method.uses_groups:
        notes += lists.notes(hard_labels=method.hard_labels, needs_target=steered)
    if protected is not None and group is None:
        told = f"{method.label} protects {lists.groups[protected]!r}, the smaller of two groups"
        notes.append(Note(lists.run.system, None, told))
    if method.caution:
        notes.append(Note(lists.run.system, None, method.caution))
    step = on_step or _nothing
    if method.order is None:
        if not isinstance(chance, np.random.Generator):
            raise TypeError("policies are drawn with a numpy.random.Generator")
        drawn = policy_sample(lists, method, settings, depth=k, n_samples=samples, rng=chance, on_step=step)
        return Reranked(drawn.sample, (*notes, *drawn.notes))
    rows: list[IntArray] = []
    for query in range(len(lists)):
        own = lists.rows(query)
        if lists.has_target(query) or not steered:
            items = lists.candidates(query, k)
            rows += [own.start + method.order(items, settings) for _ in range(repeats)]
        else:
            rows += [np.arange(own.start, own.stop, dtype=np.int64)] * repeats
        step()
    docs = lists.run.docs[np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)]
    if repeats == 1:
        ranked = reordered(lists.run, docs, _named(lists.run.system, method, chosen))
    else:
        ranked = _repeated(lists.run, docs, method, repeats, strength_of(method, chosen))
    return Reranked(ranked, tuple(notes))


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


def _repeated(run: Run, docs: IndexArray, method: Reranker, repeats: int, strength: float | None) -> RankingSample:
    sizes = np.repeat(np.diff(run.offsets), repeats)
    return RankingSample(
        system=run.system,
        policy=method.name,
        alpha=strength,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(run.query_ids) + 1, dtype=np.int64) * repeats,
        sample_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        docs=docs,
    )


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


def _named(system: str, method: Reranker, options: dict[str, Value]) -> str:
    """``bm25+fair-epsilon-greedy(epsilon=0.3)``: what was done to which system."""
    said = ",".join(f"{name}={_plain(value)}" for name, value in options.items())
    return f"{system}+{method.name}({said})" if said else f"{system}+{method.name}"


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _nothing() -> None:
    """Where nobody watches."""
