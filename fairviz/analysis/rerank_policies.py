"""Re-rankers that are policies: distributions over rankings, of which samples are drawn."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from fairviz.analysis.coverage import named
from fairviz.analysis.drawing import draw_rankings
from fairviz.analysis.policy_curves import CurvePolicy
from fairviz.analysis.rerank_lists import RerankLists
from fairviz.attention import Discounted, TopK
from fairviz.model import IntArray, Note, RankingSample, Run
from fairviz.policies.plackett_luce import min_max
from fairviz.rerank.description import Reranker, Settings
from fairviz.rerank.fairness_of_exposure import ExposurePolicy, fairness_of_exposure

OF_SCORES: Mapping[str, CurvePolicy] = {"plackett-luce": "plackett-luce", "optimal": "optimal"}
"""Policies that are made from scores alone, by ``analysis.drawing``; the rest share exposure."""


class PolicySample(NamedTuple):
    """Drawn rankings, and what a person should know of them."""

    sample: RankingSample
    notes: tuple[Note, ...]


def policy_sample(
    lists: RerankLists,
    method: Reranker,
    settings: Settings,
    *,
    depth: int,
    n_samples: int,
    rng: np.random.Generator,
    on_step: Callable[[], object],
) -> PolicySample:
    """Rankings drawn from a policy, the first ``depth`` ranks of each.

    ``optimal`` is so for attention to the first ``depth`` ranks alike. Fairness of exposure reads
    attention 1/log2(rank + 1) down to ``depth``, as in the paper.

    Args:
        lists: The run with groups, targets and gains.
        method: A policy of the catalogue.
        settings: Its options.
        depth: Ranks shown.
        n_samples: Rankings per query.
        rng: Source of chance.
        on_step: Called after every query.
    """
    if method.name in OF_SCORES:
        sample = draw_rankings(
            lists.run,
            policy=OF_SCORES[method.name],
            alpha=settings.alpha,
            attention=TopK(depth),
            depth=depth,
            n_samples=n_samples,
            rng=rng,
        )
        return PolicySample(sample, ())
    rows: list[IntArray] = []
    failed: dict[str, list[str]] = {}
    for query, policy in enumerate(exposure_policies(lists, settings, depth=depth)):
        own = lists.rows(query)
        if policy is None or policy.status != "optimal":
            as_it_is: IntArray = np.arange(own.stop - own.start, dtype=np.int64)
            order: IntArray = np.broadcast_to(as_it_is, (n_samples, as_it_is.size))
        else:
            order = policy.mixture.draw(n_samples=n_samples, rng=rng)
        if policy is not None and policy.status != "optimal":
            failed.setdefault(_why(policy), []).append(lists.run.query_ids[query])
        rows.append((own.start + order[:, :depth]).ravel())
        on_step()
    notes = [
        Note(lists.run.system, None, f"{named(queries)} {why}: the order stays as it is")
        for why, queries in failed.items()
    ]
    sample = _sample(lists.run, method.name, rows, depth, n_samples)
    return PolicySample(sample, tuple(notes))


def exposure_policies(lists: RerankLists, settings: Settings, *, depth: int) -> Iterator[ExposurePolicy | None]:
    """Fairness of exposure of every query in turn; None for one without a target.

    Usefulness is the gain ("RJ"), or without judgements the min–max score.
    """
    useful = min_max(lists.run.scores, lists.run.offsets) if lists.gains is None else lists.gains
    weights = Discounted(depth).weights(depth)
    by_target = settings.constraint == "target"
    for query in range(len(lists)):
        rows = lists.rows(query)
        if rows.stop == rows.start or (by_target and not lists.has_target(query)):
            yield None
            continue
        yield fairness_of_exposure(
            useful[rows],
            lists.weights[rows],
            weights,
            constraint=settings.constraint,
            target=lists.shares[query] if by_target else None,
            slack=settings.slack,
        )


def _why(policy: ExposurePolicy) -> str:
    if policy.status == "undefined":
        return "with a group whose mean usefulness is 0, by which the constraint divides"
    return f"cannot meet the constraint (possible from --slack {_up(policy.smallest_slack)})"


def _up(slack: float) -> str:
    """Rounded upwards, so that what is said is enough."""
    return f"{np.ceil(slack * 1e4) / 1e4:g}"


def _sample(run: Run, policy: str, rows: list[IntArray], depth: int, n_samples: int) -> RankingSample:
    sizes = np.repeat(np.minimum(np.diff(run.offsets), depth), n_samples)
    return RankingSample(
        system=run.system,
        policy=policy,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(run.query_ids) + 1, dtype=np.int64) * n_samples,
        sample_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        docs=run.docs[np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)],
    )
