"""Exact curves of the runs of a data set, each computed once for as long as its data are there.

Trade-off, Compare, its main table, limits and reports ask for the same curves, and nearly all of their time is the
exposure of Plackett–Luce.
"""

from dataclasses import dataclass, replace
from typing import Literal

from fairviz.evaluation.coverage import not_ranked_by_all, on_common_queries
from fairviz.evaluation.systems import at_depth, by_task
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, FloatArray, Pools, Qrels, Run, ScoreScale
from fairviz.points.curves import ALPHAS, CurveSettings, PolicyName, PoolAxes, alphas_of, plackett_luce_curves
from fairviz.remembered import remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A run beside its judgements, and how it is looked at: what its exact curves depend on.

    Attributes:
        system: Name of the run.
        judgements: Place of its judgements in the data.
        depth: Documents of each list that count.
        k: Documents that are seen.
        alpha: Fairness control; empty: the usual grid.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores are scaled.
        offset: 1 or 0, of the logits.
        part: Which part of the judgements, where these are of several tasks.
    """

    system: str
    judgements: int
    depth: str
    k: int
    alpha: tuple[float, ...] = ()
    gain: Gain
    rel: int
    scores: ScoreScale
    offset: float
    part: int = 0

    def settings(self, alphas: FloatArray = ALPHAS) -> CurveSettings:
        """How the curves are made at these α."""
        return CurveSettings(
            attention=TopK(self.k), alphas=alphas, gain=self.gain, rel=self.rel, scores=self.scores, offset=self.offset
        )


@remembered
def judgements_by_task(data: Dataset, judgements: int) -> tuple[Qrels, ...]:
    """Some judgements, those of several tasks apart, over the queries that all rankings have: curves are compared."""
    rankings = (*data.runs, *data.samples)
    return tuple(on_common_queries(part, rankings) for part in _of_tasks(data, judgements))


def _of_tasks(data: Dataset, judgements: int) -> tuple[Qrels, ...]:
    return by_task([data.qrels[judgements]], [*data.runs, *data.samples, *data.outputs], data.systems or {})


@remembered
def queries_of_judged(data: Dataset) -> list[dict[str, frozenset[str]]]:
    """Judged queries of each ranking, for the judgements of each task."""
    parts = (frozenset(part.query_ids) for at in range(len(data.qrels)) for part in _of_tasks(data, at))
    rankings = [*data.runs, *data.samples]
    return [{ranked.system: judged.intersection(ranked.query_ids) for ranked in rankings} for judged in parts]


@remembered
def left_out_of_curves(data: Dataset) -> dict[str, int]:
    """How many queries curves leave out of each ranking, since not all rankings have them."""
    rankings = [*data.runs, *data.samples]
    parts = [part for judgements in range(len(data.qrels)) for part in _of_tasks(data, judgements)]
    left_out = frozenset[str]().union(*(not_ranked_by_all(part, rankings) for part in parts))
    return {ranked.system: len(left_out.intersection(ranked.query_ids)) for ranked in rankings}


def judging_run(data: Dataset, run: Run, judgements: int) -> list[Qrels]:
    """The parts of some judgements that have queries of a run; all of them where none has."""
    parts = judgements_by_task(data, judgements)
    return [part for part in parts if not set(part.query_ids).isdisjoint(run.query_ids)] or [data.qrels[judgements]]


@remembered
def run_pools(data: Dataset, depth: str, system: str, judgements: int) -> tuple[Pools, ...]:
    """The candidates of a run beside each part of its judgements: the same at every k."""
    run = next(run for run in at_depth(data, depth).data.runs if run.system == system)
    return tuple(pool(run, part) for part in judging_run(data, run, judgements))


def of_parts(data: Dataset, run: Seen) -> list[Seen]:
    """A run as it is looked at beside each part of its judgements, of which there are several where tasks are."""
    return [replace(run, part=part) for part in range(len(run_pools(data, run.depth, run.system, run.judgements)))]


def pools_seen(data: Dataset, run: Seen) -> Pools:
    """The candidates that curves of a run are made of."""
    return run_pools(data, run.depth, run.system, run.judgements)[run.part]


def axes_of(data: Dataset, run: Seen) -> PoolAxes:
    """What the curves of a run are measured by, whatever the policy and α."""
    return PoolAxes.of(pools_seen(data, run), run.settings())


def exact_curve(data: Dataset, run: Seen, policy: PolicyName = "plackett-luce", *, between: bool = False) -> Curve:
    """The curve of a run under one policy, a point where α does not move it.

    Args:
        data: The data.
        run: Whose, and how it is looked at.
        policy: Of the curve; frontiers are at the mean EE-D of Plackett–Luce.
        between: Plackett–Luce between the α of the grid that all curves share.
    """
    if policy == "plackett-luce":
        return _plackett_luce(data, replace(run, gain="graded"), between)[run.gain]
    return _other_policy(data, run, policy)


@remembered
def _plackett_luce(data: Dataset, run: Seen, between: bool) -> dict[Gain, Curve]:
    """For either gain: exposure, which takes the time, is the same."""
    grid = alphas_of(at_depth(data, run.depth).data, run.alpha)
    alphas = (grid[1:] + grid[:-1]) / 2 if between else grid
    return plackett_luce_curves(pools_seen(data, run), run.settings(alphas), system=run.system)


@remembered
def _other_policy(data: Dataset, run: Seen, policy: Literal["optimal", "oracle", "uniform", "deterministic"]) -> Curve:
    axes = axes_of(data, run)
    if policy == "uniform" or policy == "deterministic":
        return axes.end(run.system, policy)
    return axes.along(policy, exact_curve(data, run))
