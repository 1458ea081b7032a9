"""Queries of one system or generator by their measures, of two by what tells them apart; arrays over all queries."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.display.theme import axis_name
from fairviz.display.words import listing
from fairviz.evaluation.systems import setting_name
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.pool import lookup
from fairviz.model import Curve, FloatArray, Pools, Qrels, RagOutputs, Run, Scores
from fairviz.points.curves import CurveSettings, PolicyName, PoolAxes, only_query
from fairviz.points.generations import Generation, by_generator
from fairviz.points.outputs import OutputPoints, model_of

ALONG: FloatArray = np.array([0.0, 1.0, 2.0, 4.0, 8.0])
"""The α at which a query's quality is drawn beside it."""


class QueryMeasure(NamedTuple):
    """One measure of every query.

    Attributes:
        key: Its name for programs.
        label: Its name for people.
        values: (Q) NaN = undefined.
    """

    key: str
    label: str
    values: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueryMeasures:
    """What one system does for each query.

    Attributes:
        name: The system, or the generator.
        query_ids: Q queries.
        measures: (Q) values each.
        along: (Q, A) one of them at each α, NaN = undefined or not recorded.
        alphas: (A) these α.
        along_label: Which measure that is.
    """

    name: str
    query_ids: tuple[str, ...]
    measures: tuple[QueryMeasure, ...]
    along: FloatArray
    alphas: FloatArray
    along_label: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueryComparison:
    """One system, and beside it another, over the same queries.

    Attributes:
        first: The system looked at.
        second: Another with the same measures, over the same queries; None where nothing is compared.
    """

    first: QueryMeasures
    second: QueryMeasures | None = None

    def __post_init__(self) -> None:
        if self.second is not None and self.second.query_ids != self.first.query_ids:
            raise ValueError("two systems need the same queries")

    @property
    def differences(self) -> tuple[QueryMeasure, ...]:
        """The first minus the second in every measure that both have; undefined where either is."""
        if self.second is None:
            return ()
        others = {measure.key: measure for measure in self.second.measures}
        return tuple(
            QueryMeasure(f"{one.key}_difference", f"Δ {one.label}", one.values - others[one.key].values)
            for one in self.first.measures
            if one.key in others
        )

    @property
    def sortable(self) -> tuple[QueryMeasure, ...]:
        """All that queries can be sorted by."""
        return (*self.first.measures, *self.differences)

    def sorted_by(self, key: str, *, highest: bool = False) -> "QueryComparison":
        """The same in the order of one of :attr:`sortable`; as it stands where there is none of that key.

        Queries with equal values stay as they stood; undefined ones come last either way.
        """
        values = next((one.values for one in self.sortable if one.key == key), None)
        if values is None:
            return self
        places: list[int] = np.argsort(-values if highest else values, kind="stable").tolist()
        return self.only([self.first.query_ids[place] for place in places])

    def only(self, wanted: Sequence[str]) -> "QueryComparison":
        """The same for some of the queries, in their order."""
        second = None if self.second is None else over(self.second, wanted)
        return QueryComparison(first=over(self.first, wanted), second=second)


def judged_first(run: Run, qrels: Sequence[Qrels]) -> tuple[str, ...]:
    """Judged queries of the run first, then its others."""
    judged = {query for labels in qrels for query in labels.query_ids}
    return tuple(sorted(run.query_ids, key=lambda query: query not in judged))


def generator_measures(points: Sequence[OutputPoints], outputs: RagOutputs) -> QueryMeasures | None:
    """What the generator of some outputs does for each query they answer; None where they could not be measured.

    Args:
        points: All outputs, measured.
        outputs: Those looked at.
    """
    measured = next((one for one in points if one.outputs is outputs), None)
    if measured is None:
        return None
    of = model_of(outputs)
    alone = Generation(outputs.generator or outputs.system, of, (), ())  # only an oracle's answers are loaded
    return answer_measures(next((one for one in by_generator(points) if one.factors == of), alone), measured)


def answer_measures(generation: Generation, points: OutputPoints) -> QueryMeasures:
    """What a generator does for each query it answered, and its EU along α (EAR where no utility is recorded).

    Args:
        generation: The generator under all settings.
        points: It under the one looked at.
    """
    ids = points.outputs.query_ids
    given, used = points.on("minmax")
    on_curve = sorted(
        (float(a), i) for i, other in enumerate(generation.points) if (a := other.outputs.alpha) is not None
    )
    drawn = [generation.points[i] for _, i in on_curve]
    useful = not np.isnan(points.utility).all()
    values = [_moved(one.utility if useful else one.rate, one.outputs.query_ids, ids) for one in drawn]
    others = any(other.outputs is not points.outputs for other in generation.points)
    return QueryMeasures(
        name=f"{generation.name}, {setting_name(points.outputs)}" if others else generation.name,
        query_ids=ids,
        measures=(
            QueryMeasure("EU", "EU", points.utility),
            QueryMeasure("EAR", "EAR", points.rate),
            QueryMeasure("EAED", "EAE-D", used),
            QueryMeasure("EED", "EE-D", given),
            QueryMeasure("EER", "EE-R", points.relevance),
        ),
        along=np.array(values).reshape(len(values), len(ids)).T,
        alphas=np.array([alpha for alpha, _ in on_curve]),
        along_label="EU" if useful else "EAR",
    )


def undefined_words(measures: Sequence[QueryMeasure]) -> str:
    """How many queries have no value, by measure; empty where all have one."""
    labels: dict[int, list[str]] = {}
    for one in measures:
        labels.setdefault(int(np.isnan(one.values).sum()), []).append(one.label)
    counts = [f"{n} ({listing(names)})" for n, names in sorted(labels.items()) if n]
    return f"undefined, sorted last: {', '.join(counts)}" if counts else ""


def over(measured: QueryMeasures, query_ids: Sequence[str]) -> QueryMeasures:
    """The same for these queries, in this order; undefined where a query is not among those measured."""
    ids = measured.query_ids
    return replace(
        measured,
        query_ids=tuple(query_ids),
        measures=tuple(one._replace(values=_moved(one.values, ids, query_ids)) for one in measured.measures),
        along=_moved(measured.along, ids, query_ids),
    )


def _moved(values: FloatArray, ids: Sequence[str], wanted: Sequence[str]) -> FloatArray:
    """Rows of ``ids`` in the order of ``wanted``; NaN where a query is not there."""
    at = lookup(tuple(wanted), {query: q for q, query in enumerate(ids)})
    return np.concatenate([values, np.full((1, *values.shape[1:]), np.nan)])[at]


# One query of a run at one α: exact exposure of what was retrieved, its target, EE-D and EE-R.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """Exposure of one query's items under a policy, best score first, and the query's measures.

    Attributes:
        exposure: (n) expected exposure ε of each item.
        fixed: (n) exposure of the same items in the deterministic list.
        gains: (n) graded usefulness; 0 = not useful or unjudged.
        names: (n) document ids.
        scores: (n) of the run.
        target: (n) ε*, NaN where nobody judged the query.
        judged: (n) whether anybody judged the item.
        disparity, relevance: Attainable EE-D and EE-R.
        quality: EE-R as a measure string.
    """

    exposure: FloatArray
    fixed: FloatArray
    gains: FloatArray
    names: tuple[str, ...]
    scores: FloatArray
    target: FloatArray
    judged: tuple[bool, ...]
    disparity: float
    relevance: float
    quality: str

    @property
    def bars(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What is drawn: exposure, that of the deterministic list, gains."""
        return self.exposure, self.fixed, self.gains

    @property
    def n_retrieved(self) -> int:
        """Items that the run has for the query."""
        return len(self.names)

    @property
    def stays(self) -> float:
        """Share of attention that stays on the items of the deterministic list."""
        return float(self.exposure[self.fixed > 0].sum() / self.exposure.sum())

    @property
    def useful(self) -> float:
        """Share of attention on useful items."""
        return self._useful(self.exposure)

    @property
    def fixed_useful(self) -> float:
        """The same of the deterministic list."""
        return self._useful(self.fixed)

    @property
    def is_judged(self) -> bool:
        """Whether anybody judged the query."""
        return not np.isnan(self.target).all()

    def _useful(self, exposure: FloatArray) -> float:
        total = float(exposure.sum()) if self.is_judged else 0.0
        return float(exposure[self.gains > 0].sum()) / total if total else math.nan


def seen(pools: Pools, query: str, settings: CurveSettings) -> Seen:
    """Exact exposure of one query's retrieved items, and its measures; the target as relevance is counted.

    Args:
        pools: Of the run, one of whose queries it is.
        query: Its id.
        settings: The α, and how the policy is made and measured.
    """
    query_pool = only_query(pools, pools.query_ids.index(query))
    axes = PoolAxes.of(query_pool, settings)
    mean_exposure = settings.exposure(query_pool, float(settings.alphas[0]))
    point = axes.curve([mean_exposure], "")
    n = int(query_pool.n_retrieved[0])
    docs: list[int] = query_pool.docs[:n].tolist()
    return Seen(
        exposure=mean_exposure[:n],
        fixed=run_exposure(query_pool, settings.attention)[:n],
        gains=query_pool.gains[:n],
        names=tuple(query_pool.doc_ids[d] for d in docs),
        scores=query_pool.scores[:n],
        target=axes.target[:n] if query_pool.judged.any() else np.full(n, np.nan),
        judged=tuple(bool(j) for j in query_pool.judged[:n]),
        disparity=float(point.disparity[0, 0]),
        relevance=float(point.quality[0, 0]),
        quality=settings.quality,
    )


# Queries of a run by their measures: EE-D and EE-R of its policies at some α, and what else a person asks for.


def run_measures(
    curve: Callable[[PolicyName, tuple[float, ...]], Curve],
    alpha: float,
    further: Sequence[Scores],
    query_ids: Sequence[str],
) -> QueryMeasures:
    """What a run does for each query.

    Args:
        curve: Its points under a policy at some α.
        alpha: The one looked at.
        further: Other measures of the run.
        query_ids: The queries, in the order that is wanted; undefined where the run has no value.
    """
    at_alpha, end = curve("plackett-luce", (alpha,)), curve("deterministic", ())
    along = curve("plackett-luce", tuple(ALONG.tolist()))
    quality = axis_name(at_alpha.y)
    known = [
        QueryMeasure("EED_at_alpha", f"EE-D at α = {at_alpha.alphas[0]:g}", at_alpha.disparity[0]),
        QueryMeasure("EER_at_alpha", f"{quality} at α = {at_alpha.alphas[0]:g}", at_alpha.quality[0]),
        QueryMeasure("EER_list", f"{quality}, deterministic", end.quality[0]),
    ]
    ids = at_alpha.query_ids
    known += [QueryMeasure(s.measure, s.measure, _moved(s.values, s.query_ids, ids)) for s in further]
    measured = QueryMeasures(
        name=at_alpha.system,
        query_ids=ids,
        measures=tuple(known),
        along=along.quality.T,
        alphas=along.alphas,
        along_label=quality,
    )
    return over(measured, query_ids)
