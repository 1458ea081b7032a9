"""Every query of a run or of a generator by its measures, of two by what tells them apart; and one, item by item."""

from dataclasses import replace
from functools import partial

from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table
from fairviz.display.words import Finding, plural
from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import named, named_outputs
from fairviz.kernels.grouping import membership
from fairviz.kernels.pool import pool
from fairviz.metrics.spec import parse_measures
from fairviz.model import Curve, Dataset, Pools, Qrels, Run, Scores
from fairviz.points.curves import PolicyName, tradeoff_curve
from fairviz.points.outputs import recorded
from fairviz.remembered import remembered
from fairviz.stats.tests import ROUNDING
from fairviz.studies.queries.columns import items_table, tables
from fairviz.studies.queries.measures import (
    QueryMeasures,
    Seen,
    generator_measures,
    judged_first,
    run_measures,
    seen,
    undefined_words,
)
from fairviz.studies.queries.settings import QueriesSettings
from fairviz.studies.study import Analysis, Chart


def analyse(data: Dataset, settings: QueriesSettings) -> Analysis:
    """The queries in their order, and the items of the one that is named.

    Args:
        data: Runs or recorded outputs; judgements, and groups where measures need them.
        settings: Systems, measures, order.

    Raises:
        UndefinedError: There are no runs or answers, or the run has no list for the query.
        UsageError: There is no such system, or a measure is not known.
    """
    every = compared(data, settings)
    found = every.over(settings.queries or every.query_ids).sorted_by(settings.sort, highest=settings.highest)
    items = one_query(data, settings) if settings.query else None
    exposed = {"exposure": Chart("queries", "query", seen_of(data, settings).bars)} if settings.query else {}
    n, beside = plural(len(found.query_ids), "query", "queries"), f" beside {found.other}" if found.other else ""
    return Analysis(
        findings=(Finding(f"{n} of {found.name}{beside}", undefined_words(found)),),
        tables=tables(queries=found, items=items),
        charts=exposed,
    )


def compared(data: Dataset, settings: QueriesSettings) -> QueryMeasures:
    """All queries as they were loaded, of one system, or of two."""
    if settings.recorded:
        return _of_generators(data, settings)
    runs = [run_of(data, name) for name in (settings.system, settings.beside)[: 1 + bool(settings.beside)]]
    first, *others = [_of_run(data, settings, run).over(judged_first(runs[0], data.qrels)) for run in runs]
    return first.beside(others[0]) if others else first


def _of_generators(data: Dataset, settings: QueriesSettings) -> QueryMeasures:
    points = recorded(data, settings.k, settings.gain).some()
    known = dict(zip((each.system for each in named_outputs(data)), data.outputs, strict=True))
    sides = {"recorded": settings.recorded, "recorded-beside": settings.recorded_beside}
    made = [generator_measures(points, named(flag, name, known)) for flag, name in sides.items() if name]
    if None in made:
        raise UndefinedError("these answers cannot be measured: give the RUN that fed them")
    first, *others = [one for one in made if one is not None]
    return first.beside(others[0]) if others else first


def _of_run(data: Dataset, settings: QueriesSettings, run: Run) -> QueryMeasures:
    judgements = judged_by(data, settings)
    on_curve = replace(settings.restricted_to("k", "gain", "scores", "offset", "judgements"), system=run.system)
    further = _further(data, run.system, judgements, settings.measures, settings.against) if settings.measures else ()
    return run_measures(partial(_curve, data, on_curve), settings.alpha, further, judged_first(run, data.qrels))


def run_of(data: Dataset, name: str) -> Run:
    """A run by its name, the first where none is said."""
    return named("system", name, {run.system: run for run in data.runs})


def judged_by(data: Dataset, settings: QueriesSettings) -> int | None:
    """Place of the judgements; None without any."""
    return settings.judgements if data.qrels else None


def one_query(data: Dataset, settings: QueriesSettings) -> Table:
    """The items of the query that is named.

    Raises:
        UndefinedError: The run has no list for it.
    """
    run, query, found = run_of(data, settings.system), settings.query, seen_of(data, settings)
    if settings.against is None:
        return items_table(found, settings)
    labels = settings.against.labels(data)
    ranked = pool(run, _judged(data, _judged_there(data, settings)), queries="ranked")
    start = int(ranked.offsets[ranked.query_ids.index(query)])
    weights: list[list[float]] = membership(ranked, labels).weights[start : start + found.n_retrieved].tolist()
    named = (zip(labels.groups, row, strict=True) for row in weights)
    groups = ("; ".join(g if w > 1 - ROUNDING else f"{g} {w:g}" for g, w in row if w > 0) for row in named)
    return items_table(found, settings, labels.attribute, tuple(groups))


def _judged_there(data: Dataset, settings: QueriesSettings) -> int | None:
    """Place of the judgements, where they speak of the query."""
    place = judged_by(data, settings)
    return place if place is not None and settings.query in data.qrels[place].query_ids else None


def _judged(data: Dataset, judgements: int | None) -> Qrels | None:
    return None if judgements is None else data.qrels[judgements]


@remembered
def _pools(data: Dataset, system: str, judgements: int | None) -> Pools:
    """One run aligned with one set of judgements."""
    return pool(run_of(data, system), _judged(data, judgements))


@remembered
def seen_of(data: Dataset, settings: QueriesSettings) -> Seen:
    """The query that is named, at one α.

    Raises:
        UndefinedError: The run has no list for it.
    """
    run, query = run_of(data, settings.system), settings.query
    if query not in run.query_ids:
        raise UndefinedError(f"{run.system} has no list for query {query}")
    return seen(_pools(data, run.system, _judged_there(data, settings)), query, settings.curves(settings.alpha))


@remembered
def _curve(data: Dataset, settings: QueriesSettings, policy: PolicyName, alphas: tuple[float, ...]) -> Curve:
    """EE-D and EE-R of every query of a run at some α; none for the deterministic list."""
    pools = _pools(data, settings.system, judged_by(data, settings))
    return tradeoff_curve(pools, settings.curves(*alphas), system=settings.system, policy=policy)


@remembered
def _further(
    data: Dataset, system: str, judgements: int | None, measures: tuple[str, ...], against: AgainstTarget | None
) -> tuple[Scores, ...]:
    """Measures of a run that were asked for, per query."""
    judged = _judged(data, judgements)
    result = evaluate(
        [run_of(data, system)],
        parse_measures(list(measures)),
        qrels=[] if judged is None else [judged],
        labels=None if against is None else against.labels(data),
        target=None if against is None else against.shares(data),
    )
    return tuple(score for score in result.scores if isinstance(score, Scores))
