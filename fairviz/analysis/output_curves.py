"""Disparity–quality curves of recorded outputs, with their deterministic baseline (DESIGN 2.6)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.alignment import lookup
from fairviz.analysis.output_points import OutputPoints
from fairviz.model import Curve, FloatArray

DETERMINISTIC = "deterministic"
ORACLE = "oracle"

_Key: TypeAlias = tuple[str | None, str | None, str | None]


class OutputCurves(NamedTuple):
    """Outputs equal in (task, retriever, generator, policy), ordered by α.

    Attributes:
        utility: EE-D against EU.
        relevance: EE-D against EE-R of the same samples.
        baseline_utility: The deterministic list's EU, one point; None = not recorded.
        baseline_relevance: Its EE-R.
    """

    task: str | None
    retriever: str | None
    generator: str | None
    policy: str
    utility: Curve
    relevance: Curve
    baseline_utility: Curve | None
    baseline_relevance: Curve | None

    @property
    def name(self) -> str:
        """What to call the model: retriever and generator, where recorded."""
        known = [part for part in (self.retriever, self.generator) if part]
        return " + ".join(known) or self.utility.system


def output_curves(points: Sequence[OutputPoints]) -> tuple[OutputCurves, ...]:
    """Curves of recorded outputs.

    Outputs with policy "deterministic" are the baseline of those with the same task, retriever and
    generator; "oracle" outputs only count for the best utility, and are no curve.

    Args:
        points: Measured outputs of any systems, in any order.

    Returns:
        One member per (task, retriever, generator, policy), in order of first appearance.
    """
    groups: dict[tuple[_Key, str], list[OutputPoints]] = {}
    for each in points:
        out = each.outputs
        key = (out.task, out.retriever, out.generator)
        if not any(key):
            key = (None, None, out.system)
        groups.setdefault((key, out.policy or "recorded"), []).append(each)
    return tuple(
        _curves(members, groups.get((key, DETERMINISTIC)), policy)
        for (key, policy), members in groups.items()
        if policy not in (DETERMINISTIC, ORACLE)
    )


def _curves(members: list[OutputPoints], baseline: list[OutputPoints] | None, policy: str) -> OutputCurves:
    alphas = np.array([np.nan if m.outputs.alpha is None else m.outputs.alpha for m in members])
    order: list[int] = np.argsort(alphas, kind="stable").tolist()
    members = [members[i] for i in order]
    first = members[0].outputs
    return OutputCurves(
        task=first.task,
        retriever=first.retriever,
        generator=first.generator,
        policy=policy,
        utility=_curve(members, alphas[order], policy, "EU"),
        relevance=_curve(members, alphas[order], policy, "EER"),
        baseline_utility=_baseline(baseline, "EU"),
        baseline_relevance=_baseline(baseline, "EER"),
    )


def _baseline(members: list[OutputPoints] | None, y: str) -> Curve | None:
    return None if members is None else _curve(members[:1], np.array([np.nan]), DETERMINISTIC, y)


def _curve(members: list[OutputPoints], alphas: FloatArray, policy: str, y: str) -> Curve:
    queries = tuple(dict.fromkeys(q for m in members for q in m.outputs.query_ids))

    def rows(values: Callable[[OutputPoints], FloatArray]) -> FloatArray:
        return np.stack([_placed(m, values(m), queries) for m in members])

    quality = rows(lambda m: m.utility if y == "EU" else m.relevance)
    return Curve(
        system=members[0].outputs.retriever or members[0].outputs.system,
        policy=policy,
        query_ids=queries,
        alphas=alphas,
        disparity=rows(lambda m: m.attainable_disparity),
        quality=quality,
        score=np.full(quality.shape, np.nan),
        n_samples=int(max(m.n_samples.max(initial=0) for m in members)),
        y=y,
    )


def _placed(points: OutputPoints, values: FloatArray, queries: Sequence[str]) -> FloatArray:
    index = {query: q for q, query in enumerate(points.outputs.query_ids)}
    return np.append(values, np.nan)[lookup(queries, index)]
