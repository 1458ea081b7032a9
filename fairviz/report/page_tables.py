"""Tables that pages hand out, from the data and a page's settings alone: what a command prints and a bundle names.

Pages show the same numbers, which they have from their caches; each setting here is one that a page can be set to.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from fairviz.attention import TopK
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import at_common_depth, by_task, joined, of_task
from fairviz.evaluation.outputs import Estimate, pairings
from fairviz.evaluation.systems import feeding, named, named_outputs
from fairviz.exposure import Gain
from fairviz.grouping import membership
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, Factors, Qrels, Run, ScoreScale
from fairviz.points.curves import CurvePolicy, measured_at, relevance_measure
from fairviz.points.generations import Pair
from fairviz.points.intervals import IntervalTest, alpha_tests, disparity_by_alpha, only_alphas
from fairviz.points.models import answering, by_model, estimates_of
from fairviz.points.outputs import OutputPoints, measured_outputs
from fairviz.points.summary import SlopeWeights
from fairviz.points.view import Order, apart_with_task, kept, said_factors
from fairviz.pool import pool
from fairviz.report.answer_pages import SEED, DemographicQaSettings, SocialBiasSettings
from fairviz.studies.attribution import report as of_use
from fairviz.studies.attribution.columns import AttributionResults
from fairviz.studies.attribution.columns import tables as use_tables
from fairviz.studies.attribution.grid import UseComparison
from fairviz.studies.compare.columns import CompareResults
from fairviz.studies.compare.columns import tables as grid_tables
from fairviz.studies.compare.conditions import Condition, Quality, distinct
from fairviz.studies.compare.grid import compare_grid
from fairviz.studies.compare.measure import measured_conditions, run_conditions
from fairviz.studies.groups.by_rank import group_list
from fairviz.studies.queries.columns import OneQuery, QueryResults
from fairviz.studies.queries.columns import tables as query_tables
from fairviz.studies.queries.measures import (
    QueryComparison,
    QueryMeasures,
    further_scores,
    generator_measures,
    judged_first,
    over,
    query_curve,
    run_measures,
    seen,
)
from fairviz.studies.tradeoff.charts import MARKED_ALPHAS
from fairviz.studies.tradeoff.columns import TradeoffResults
from fairviz.studies.tradeoff.columns import tables as curve_tables
from fairviz.studies.tradeoff.report import TEST_NAMES, report_tables, system_report


class PageSettings(Protocol):
    """Settings of a page: what its tables depend on besides the data."""

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Every table that the page hands out, by stem.

        Raises:
            FairvizError: Nothing of it can be computed from these data, or a name is not among them.
        """
        ...


# What each page can be set to, and how its tables are made.


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffSettings:
    """Curves of one system, or of one model that answered, and of those beside it.

    Attributes:
        k: Items that the reader or generator sees.
        quality: On the y axis.
        system: The run that is highlighted; empty: the first.
        model: The model that is, where quality is one of answers; empty: the first.
        judgements: Place of those that runs are measured against.
        gain: How relevance is counted.
        scores, offset: How scores become policies.
        weights: How points count in the slope.
        test: Against the deterministic list.
    """

    k: int
    quality: Literal["EER", "EU", "EU/best"] = "EER"
    system: str = ""
    model: str = ""
    judgements: int = 0
    gain: Gain = "graded"
    scores: ScoreScale = "given"
    offset: float = 1.0
    weights: SlopeWeights = "spacing"
    test: IntervalTest = "paired"

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Points, areas, intervals of EE-D, EE-D by α; of answers also what lies between the recorded α."""
        return self._of_answers(loaded) if self.quality != "EER" else self._of_runs(loaded)

    def _of_runs(self, loaded: Dataset) -> Mapping[str, Table]:
        if not loaded.qrels:
            raise UndefinedError("curves of runs need judgements: give --qrels FILE")
        loaded, depth = at_common_depth(loaded)
        run = named("system", self.system, {run.system: run for run in loaded.runs})
        same, judged = of_task(run.system, loaded.runs, loaded.qrels[self.judgements], loaded.systems or {})
        made = system_report(
            run,
            same,
            loaded.samples,
            judged,
            name=loaded.name,
            alphas=measured_at(loaded.runs),
            k=self.k,
            gain=self.gain,
            scores=self.scores,
            offset=self.offset,
            weights=self.weights,
            test=self.test,
            seed=SEED,
            depth=depth,
        )
        if isinstance(made, Finding):
            raise UndefinedError(f"{made.title}: {made.sentence}")
        return report_tables(made)

    def _of_answers(self, loaded: Dataset) -> Mapping[str, Table]:
        points = _answered(loaded, self.k, self.gain)
        models = answering(points, loaded.outputs, best=self.quality == "EU/best")
        place = named("model", self.model, {name: i for i, name in enumerate(models.names)})
        best = loaded.outputs if self.quality == "EU/best" else None
        between = estimates_of(by_model(points)[place], feeding(loaded), loaded.qrels, k=self.k, best=best).estimates
        drawn = models.drawn(place, between)
        by_alpha = only_alphas(drawn[0], MARKED_ALPHAS)
        return curve_tables(
            TradeoffResults(
                curves=drawn,
                areas=models.areas(place, weights=self.weights, seed=SEED),
                intervals=models.changes(place, test=self.test, seed=SEED),
                factors=models.made_of(place),
                estimates=between,
                spreads=disparity_by_alpha(by_alpha),
                alpha_tests=alpha_tests(by_alpha),
                quality=axis_name(self.quality),
                test=TEST_NAMES[self.test],
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Systems of a task beside its baseline, under settings for which ``fairviz tradeoff`` has no option, too.

    Attributes:
        k: Items that the reader or generator sees.
        quality: On the y axis: EE-R of runs, or of the lists that answers record; utility of answers.
        gain: How relevance is counted.
        scores, offset: How scores become policies.
        policies: Of runs, along α; empty: Plackett–Luce.
        task: Whose systems are compared; empty: the first.
        baseline: FACTOR=VALUE of what the others are compared with; empty: the first system.
        off: FACTOR=VALUE of what is left out.
        at: α at which points are compared; not a number: the one nearest to 3.
        order: Of the areas.
    """

    k: int
    quality: Literal["EER", "EER-recorded", "EU", "EU/best"] = "EER"
    gain: Gain = "graded"
    scores: ScoreScale = "given"
    offset: float = 1.0
    policies: tuple[CurvePolicy, ...] = ()
    task: str = ""
    baseline: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    at: float = math.nan
    order: Order = "files"

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Areas, differences, intervals and what else is known of one task."""
        loaded, depth = at_common_depth(loaded) if self.quality == "EER" else (loaded, "")
        every = {one.factors: one for one in distinct(self._conditions(loaded))}
        some = [every[factors] for factors in kept(tuple(every), said_factors(self.off))] or list(every.values())
        grid = compare_grid(
            some,
            quality="utility" if self.quality in ("EU", "EU/best") else "relevance",
            baseline=Factors()._replace(**dict(said_factors(self.baseline))) if self.baseline else None,
            at=None if math.isnan(self.at) else self.at,
            seed=SEED,
        )
        task = named("task", self.task, {task.task or "": task for task in grid.tasks})
        by = apart_with_task(tuple(every))
        return grid_tables(
            CompareResults(grid=grid._replace(tasks=(task,)), by=by, seed=SEED, order=self.order, depth=depth)
        )

    def _conditions(self, loaded: Dataset) -> Sequence[Condition]:
        if self.quality != "EER":
            points = _answered(loaded, self.k, self.gain)
            relevance = relevance_measure(TopK(self.k), self.gain)
            made = measured_conditions(points, loaded.outputs, relevance=relevance, best=self.quality == "EU/best")
            side: Quality = "relevance" if self.quality == "EER-recorded" else "utility"
            return [one for one in made if one.curve(side) is not None]
        return run_conditions(
            joined(loaded.runs, by_task(loaded.qrels, loaded.runs, loaded.systems or {})),
            factors=loaded.systems or {},
            policies=self.policies or ("plackett-luce",),
            alphas=measured_at(loaded.runs),
            k=self.k,
            gain=self.gain,
            scores=self.scores,
            offset=self.offset,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionSettings:
    """What generators used of what they were given, and how far each is from a baseline.

    Attributes:
        k: Items that a context holds.
        gain: How relevance is counted, for EE-R.
        estimate: Of both disparities.
        task: Whose systems are compared; empty: the first.
        lists: Under which lists they are; empty: as they are looked at first.
        axes: Two measures, of which the second is compared.
        scale: Of disparities.
        baseline: FACTOR=VALUE of what the others are compared with; empty: the first system.
        off: FACTOR=VALUE of what is left out of the comparison.
    """

    k: int
    gain: Gain = "graded"
    estimate: Estimate = "plugin"
    task: str = ""
    lists: str = ""
    axes: Pair = "EED-EAR"
    scale: Scale = "share"
    baseline: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Points and summary of all tasks, and the systems of one beside its baseline."""
        relevance = relevance_measure(TopK(self.k), self.gain)
        points = _answered(loaded, self.k, self.gain, self.estimate)
        systems = of_use.measured_systems(points)
        tasks = [of_use.analysed(systems, task, seed=SEED) for task in systems.tasks]
        known = of_use.report_tables(tasks, k=self.k, relevance=relevance, seed=SEED)
        compared = self._compared(systems, relevance)
        own = use_tables(AttributionResults(k=self.k, compared=[compared])) if compared else {}
        return {**known, **own}

    def _compared(self, systems: of_use.Systems, relevance: str) -> UseComparison | None:
        task = named("task", self.task, {task or "": task for task in systems.tasks})
        of_task = [factors for factors in systems.planned if factors.task == task]
        included = kept(of_task, said_factors(self.off)) or of_task
        result = of_use.analysed(systems, task, included=included, seed=SEED)
        if len(result.uses) < 2:
            return None
        said = Factors()._replace(**dict(said_factors(self.baseline))) if self.baseline else result.uses[0].factors
        return of_use.compared_under(
            result,
            self.lists or of_use.usual_setting(of_use.setting_names(result.groups)),
            pair=self.axes,
            scale=self.scale,
            relevance=relevance,
            baseline=said._replace(task=task),
            by=apart_with_task(systems.planned),
            seed=SEED,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectSettings:
    """Every query of a run, or of a generator, by its measures; and one query, item by item.

    Attributes:
        k: Items that the reader or generator sees.
        alpha: Fairness control.
        system: The run; empty: the first.
        beside: Another, for differences; empty: none.
        answers: The recorded outputs instead of the run; empty: none.
        answers_beside: Others, for differences; empty: none.
        judgements: Place of those that runs are measured against.
        gain: How relevance is counted.
        scores, offset: How scores become a policy.
        measures: Further ones of runs.
        against: Groups and target.
        sort: Key of what queries are sorted by; empty: as loaded.
        highest: "yes": the highest first.
        queries: Those that are listed; empty: all.
        query: The one whose items are listed; empty: none.
    """

    k: int
    alpha: float = 2.0
    system: str = ""
    beside: str = ""
    answers: str = ""
    answers_beside: str = ""
    judgements: int = 0
    gain: Gain = "graded"
    scores: ScoreScale = "given"
    offset: float = 1.0
    measures: str = ""
    against: AgainstTarget | None = None
    sort: str = ""
    highest: Literal["no", "yes"] = "no"
    queries: tuple[str, ...] = ()
    query: str = ""

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """The queries in their order, and the items of the one that is named."""
        found = self._of_generators(loaded) if self.answers else self._of_runs(loaded)
        found = found.only(self.queries or found.first.query_ids).sorted_by(self.sort, highest=self.highest == "yes")
        return query_tables(QueryResults(queries=found, one=self._items(loaded) if self.query else None))

    def _of_generators(self, loaded: Dataset) -> QueryComparison:
        points = _answered(loaded, self.k, self.gain)
        recorded = dict(zip((each.system for each in named_outputs(loaded)), loaded.outputs, strict=True))
        sides = [name for name in (self.answers, self.answers_beside) if name]
        made = [generator_measures(points, named("answers", name, recorded)) for name in sides]
        if None in made:
            raise UndefinedError("these answers cannot be measured: give the RUN that fed them")
        first, *others = [one for one in made if one is not None]
        return QueryComparison(first=first, second=over(others[0], first.query_ids) if others else None)

    def _of_runs(self, loaded: Dataset) -> QueryComparison:
        names = [self.system, *([self.beside] if self.beside else [])]
        runs = [self._run(loaded, name) for name in names]
        first, *others = [over(self._measured(loaded, run), judged_first(runs[0], loaded.qrels)) for run in runs]
        return QueryComparison(first=first, second=others[0] if others else None)

    def _measured(self, loaded: Dataset, run: Run) -> QueryMeasures:
        judged = self._judged(loaded)
        curve = partial(
            query_curve,
            pool(run, judged),
            run.system,
            k=self.k,
            gain=self.gain,
            scores=self.scores,
            offset=self.offset,
        )
        further = further_scores(run, self.measures, judged, loaded, self.against)
        return run_measures(curve, self.alpha, further, judged_first(run, loaded.qrels))

    def _run(self, loaded: Dataset, name: str) -> Run:
        return named("system", name, {run.system: run for run in loaded.runs})

    def _judged(self, loaded: Dataset) -> Qrels | None:
        return loaded.qrels[self.judgements] if loaded.qrels else None

    def _items(self, loaded: Dataset) -> OneQuery:
        run, judged = self._run(loaded, self.system), self._judged(loaded)
        judged = judged if judged is not None and self.query in judged.query_ids else None
        pools = pool(run, judged)
        if self.query not in pools.query_ids:
            raise UndefinedError(f"{run.system} has no list for query {self.query}")
        found = seen(
            pools, self.query, k=self.k, alpha=self.alpha, gain=self.gain, scores=self.scores, offset=self.offset
        )
        one = OneQuery(self.query, self.k, self.alpha, found, self.scores, self.offset)
        if self.against is None:
            return one
        labels = self.against.labels(loaded)
        ranked = pool(run, judged, queries="ranked")
        listed = group_list(run, ranked, membership(ranked, labels), self.query, TopK(self.k), most=found.n_retrieved)
        return one._replace(attribute=labels.attribute, groups=listed.written(labels.groups))


PAGES: dict[str, type[PageSettings]] = {
    "tradeoff": TradeoffSettings,
    "compare": CompareSettings,
    "attribution": AttributionSettings,
    "inspect": InspectSettings,
    "social_bias": SocialBiasSettings,
    "demographic_qa": DemographicQaSettings,
}
"""Pages by the name of their script."""


# The data of answers.


def _answered(loaded: Dataset, k: int, gain: Gain, estimate: Estimate = "plugin") -> Sequence[OutputPoints]:
    found = pairings(loaded.outputs, feeding(loaded), dict(loaded.pairs), loaded.systems)
    points, failed = measured_outputs(
        loaded.outputs, found, feeding(loaded), loaded.qrels, k=k, gain=gain, estimate=estimate
    )
    if not points:
        raise UndefinedError(failed[0].message if failed else "there are no recorded answers: give --outputs FILE")
    return points
