"""Queries of one system or generator by their measures, of two by what tells them apart; arrays over all queries."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairviz.display.table import Column
from fairviz.display.theme import axis_name
from fairviz.display.words import listing
from fairviz.evaluation.systems import setting_name
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.pool import moved
from fairviz.model import Curve, FloatArray, Pools, Qrels, RagOutputs, Run, Scores
from fairviz.model.arrays import positions
from fairviz.points.curves import CurveSettings, PolicyName, PoolAxes, only_query
from fairviz.points.generations import Generation, by_generator
from fairviz.points.outputs import OutputPoints, model_of

ALONG: FloatArray = np.array([0.0, 1.0, 2.0, 4.0, 8.0])
"""The α at which a query's quality is drawn beside it."""
OTHER = "_other"
"""How keys of the other system's measures end."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueryMeasures:
    """What one system does for each query, or two systems beside each other.

    Attributes:
        name: The system, or the generator.
        query_ids: Q queries.
        columns: M measures: of the system; beside another also that one's, and the first minus the second in all that
            both have.
        values: (Q, M) NaN = undefined.
        along: (Q, A) one measure of the system at each α, NaN = undefined or not recorded.
        alphas: (A) these α.
        along_label: Which measure that is.
        other: The system beside it; empty where nothing is compared.
    """

    name: str
    query_ids: tuple[str, ...]
    columns: tuple[Column, ...]
    values: FloatArray
    along: FloatArray
    alphas: FloatArray
    along_label: str
    other: str = ""

    @property
    def sortable(self) -> dict[Column, FloatArray]:
        """All that queries can be sorted by, with (Q) values: what the other system does alone is no order."""
        known = zip(self.columns, self.values.T, strict=True)
        return {column: values for column, values in known if not column.key.endswith(OTHER)}

    def over(self, query_ids: Sequence[str]) -> "QueryMeasures":
        """The same for these queries, in this order; undefined where a query is not among those measured."""
        at = positions(tuple(query_ids), self.query_ids)
        values, along = (np.vstack([rows, np.full(rows.shape[1], np.nan)])[at] for rows in (self.values, self.along))
        return replace(self, query_ids=tuple(query_ids), values=values, along=along)

    def beside(self, other: "QueryMeasures") -> "QueryMeasures":
        """The same queries of another system, and the differences; undefined where either is."""
        theirs = other.over(self.query_ids)
        known = {column.key: values for column, values in zip(other.columns, theirs.values.T, strict=True)}
        named = [Column(f"{one.key}{OTHER}", f"{one.label}, other", "number") for one in other.columns]
        gaps = {
            Column(f"{one.key}_difference", f"Δ {one.label}", "signed"): values - known[one.key]
            for one, values in self.sortable.items()
            if one.key in known
        }
        values = np.column_stack([self.values, theirs.values, *gaps.values()])
        return replace(self, columns=(*self.columns, *named, *gaps), values=values, other=other.name)

    def sorted_by(self, key: str, *, highest: bool = False) -> "QueryMeasures":
        """The same in the order of one of :attr:`sortable`; as it stands where there is none of that key.

        Queries with equal values stay as they stood; undefined ones come last either way.
        """
        values = next((values for column, values in self.sortable.items() if column.key == key), None)
        if values is None:
            return self
        places: list[int] = np.argsort(-values if highest else values, kind="stable").tolist()
        return self.over([self.query_ids[place] for place in places])


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
    values = [moved(one.utility if useful else one.rate, one.outputs.query_ids, ids) for one in drawn]
    others = any(other.outputs is not points.outputs for other in generation.points)
    return QueryMeasures(
        name=f"{generation.name}, {setting_name(points.outputs)}" if others else generation.name,
        query_ids=ids,
        columns=measured_by(("EU", "EU"), ("EAR", "EAR"), ("EAED", "EAE-D"), ("EED", "EE-D"), ("EER", "EE-R")),
        values=np.column_stack([points.utility, points.rate, used, given, points.relevance]),
        along=np.array(values).reshape(len(values), len(ids)).T,
        alphas=np.array([alpha for alpha, _ in on_curve]),
        along_label="EU" if useful else "EAR",
    )


def measured_by(*names: tuple[str, str]) -> tuple[Column, ...]:
    """Measures by their names for programs and for people."""
    return tuple(Column(key, label, "number") for key, label in names)


def undefined_words(measured: QueryMeasures) -> str:
    """How many queries have no value, by measure; empty where all have one."""
    labels: dict[int, list[str]] = {}
    for column, values in measured.sortable.items():
        labels.setdefault(int(np.isnan(values).sum()), []).append(column.label)
    counts = [f"{n} ({listing(names)})" for n, names in sorted(labels.items()) if n]
    return f"undefined, sorted last: {', '.join(counts)}" if counts else ""


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
    def gain(self) -> dict[str, float]:
        """Graded usefulness by document."""
        return dict(zip(self.names, self.gains.tolist(), strict=True))

    @property
    def grade(self) -> dict[str, str]:
        """The same in words."""
        graded = zip(self.names, self.gains.tolist(), self.judged, strict=True)
        return {name: f"{gain:g}" if judged else "unjudged" for name, gain, judged in graded}

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
    quality, ids, at = axis_name(at_alpha.y), at_alpha.query_ids, f"at α = {at_alpha.alphas[0]:g}"
    values = [at_alpha.disparity[0], at_alpha.quality[0], end.quality[0]]
    measured = QueryMeasures(
        name=at_alpha.system,
        query_ids=ids,
        columns=measured_by(
            ("EED_at_alpha", f"EE-D {at}"),
            ("EER_at_alpha", f"{quality} {at}"),
            ("EER_list", f"{quality}, deterministic"),
            *((scores.measure, scores.measure) for scores in further),
        ),
        values=np.column_stack([*values, *(moved(one.values, one.query_ids, ids) for one in further)]),
        along=along.quality.T,
        alphas=along.alphas,
        along_label=quality,
    )
    return measured.over(query_ids)
