"""Every query of a run or of a generator by its measures, of two by what tells them apart; and one, item by item."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.display.theme import axis_name
from fairviz.display.words import Finding, capital, listing, number, p_value, percent, plural, signed, spanned
from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.rankings import named as named_queries
from fairviz.evaluation.systems import by_task, named, named_outputs
from fairviz.kernels.exposure import run_exposure
from fairviz.kernels.grouping import membership
from fairviz.kernels.pool import moved, pool
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import BoolArray, Curve, Dataset, FloatArray, Note, Pools, Qrels, Run, Scores
from fairviz.model.arrays import positions
from fairviz.points.columns import mean_title, with_policy
from fairviz.points.curves import PolicyName, PoolAxes, only_query, tradeoff_curve
from fairviz.points.outputs import by_system, curve_through, recorded
from fairviz.points.view import SYSTEM
from fairviz.remembered import remembered
from fairviz.stats.tests import ROUNDING, paired_t_test, tested, verdict
from fairviz.studies.queries.settings import QueriesSettings
from fairviz.studies.study import Analysis, Chart

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
        pairs = zip(self.columns, self.values.T, strict=True)
        return {column: values for column, values in pairs if not column.key.endswith(OTHER)}

    def choices(self, key: str, *, gap: bool) -> list[tuple[Column, FloatArray]]:
        """Measures with (Q) values, or differences in them, first that of a key, then what was asked for last."""
        last_first = [pair for pair in self.sortable.items() if (pair[0].kind == "signed") is gap][::-1]
        return sorted(last_first, key=lambda pair: pair[0].key not in (key, f"{key}_difference"))

    def over(self, query_ids: Sequence[str]) -> "QueryMeasures":
        """The measures of these queries, in this order; undefined where a query is not among those measured."""
        at = positions(tuple(query_ids), self.query_ids)
        values, along = (np.vstack([rows, np.full(rows.shape[1], np.nan)])[at] for rows in (self.values, self.along))
        return replace(self, query_ids=tuple(query_ids), values=values, along=along)

    def compared_with(self, other: "QueryMeasures") -> "QueryMeasures":
        """The measures beside those of another system, and the differences; undefined where either is."""
        theirs = other.over(self.query_ids)
        other_values = {column.key: values for column, values in zip(other.columns, theirs.values.T, strict=True)}
        named = [Column(f"{measure.key}{OTHER}", f"{measure.label}, other", "number") for measure in other.columns]
        gaps = {
            Column(f"{measure.key}_difference", f"Δ {measure.label}", "signed"): values - other_values[measure.key]
            for measure, values in self.sortable.items()
            if measure.key in other_values
        }
        values = np.column_stack([self.values, theirs.values, *gaps.values()])
        return replace(self, columns=(*self.columns, *named, *gaps), values=values, other=other.name)

    def sorted_by(self, key: str, *, highest: bool = False) -> "QueryMeasures":
        """The queries in the order of one of :attr:`sortable`; as they stand where there is none of that key.

        Queries with equal values stay as they stood; undefined ones come last either way.
        """
        values = next((values for column, values in self.sortable.items() if column.key == key), None)
        if values is None:
            return self
        places: list[int] = np.argsort(-values if highest else values, kind="stable").tolist()
        return self.over([self.query_ids[index] for index in places])


def judged_first(run: Run, qrels: Sequence[Qrels]) -> tuple[str, ...]:
    """Judged queries of the run first, then its others."""
    judged = {query for labels in qrels for query in labels.query_ids}
    return tuple(sorted(run.query_ids, key=lambda query: query not in judged))


def answer_measures(points: pl.DataFrame, index: int) -> QueryMeasures | None:
    """What a generator does for each query it answered, and its EU along α (EAR where no utility is recorded).

    Args:
        points: All outputs, measured.
        index: Of the outputs looked at, under one setting; None is returned where they could not be measured.
    """
    own = points.filter(pl.col("place") == index)
    if own.is_empty():
        return None
    ids, useful = tuple(own["query_id"]), own["EU"].count() > 0
    generator = by_system(points).join(own.head(1), on=SYSTEM, how="semi", nulls_equal=True, maintain_order="left")
    name: str = generator["name"][0] if generator.height else own["generator"][0] or own["system"][0]
    others = (generator["place"] != index).any()
    along, values = generator.filter(pl.col("alpha").is_not_null()), np.empty((0, len(ids)))
    if along.height:
        curve = curve_through(along, "EED", "EU" if useful else "EAR", policy="", measure="")
        values = np.stack([moved(row, curve.query_ids, ids) for row in curve.quality])
    return QueryMeasures(
        name=f"{name}, {own['lists'][0]}" if others else name,
        query_ids=ids,
        columns=measured_by(("EU", "EU"), ("EAR", "EAR"), ("EAED", "EAE-D"), ("EED", "EE-D"), ("EER", "EE-R")),
        values=own.select("EU", "EAR", "EAED", "EED", "EER").to_numpy(),
        along=values.T,
        alphas=along["alpha"].to_numpy()[along["place"].is_first_distinct().to_numpy()],
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
class QueryExposure:
    """Exposure of one query's retrieved items under a policy, and the query's measures.

    Attributes:
        items: A row per item, best score first: ``doc_id``, ``gain`` (graded usefulness; 0 = not useful or unjudged),
            ``judged``, ``score`` of the run, ``exposure`` (ε expected), ``fixed`` (ε in the deterministic list),
            ``target`` (ε*, NaN where nobody judged the query).
        disparity, relevance: Attainable EE-D and EE-R.
        quality: EE-R as a measure string.
    """

    items: pl.DataFrame
    disparity: float
    relevance: float
    quality: str

    @property
    def bars(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What is drawn: exposure, that of the deterministic list, gains."""
        return self.items["exposure"].to_numpy(), self.items["fixed"].to_numpy(), self.items["gain"].to_numpy()

    @property
    def gain(self) -> dict[str, float]:
        """Graded usefulness by document."""
        return dict(self.items.select("doc_id", "gain").rows())

    @property
    def grade(self) -> dict[str, str]:
        """Graded usefulness in words by document."""
        graded = self.items.select("doc_id", "gain", "judged").rows()
        return {doc: f"{gain:g}" if judged else "unjudged" for doc, gain, judged in graded}

    @property
    def is_judged(self) -> bool:
        """Whether anybody judged the query."""
        return bool(self.items["target"].is_not_nan().any())

    @property
    def stays(self) -> float:
        """Share of attention that stays on the items of the deterministic list."""
        exposure, fixed, _ = self.bars
        return _share(exposure, fixed > 0)

    @property
    def useful(self) -> float:
        """Share of attention on useful items."""
        exposure, _, gain = self.bars
        return _share(exposure, gain > 0) if self.is_judged else math.nan

    @property
    def fixed_useful(self) -> float:
        """Share of attention on useful items in the deterministic list."""
        _, fixed, gain = self.bars
        return _share(fixed, gain > 0) if self.is_judged else math.nan


def _share(exposure: FloatArray, where: BoolArray) -> float:
    total = float(exposure.sum())
    return float(exposure[where].sum()) / total if total else math.nan


# Queries of a run by their measures: EE-D and EE-R of its policies at some α, and what else a person asks for.


def run_measures(
    curve: Callable[[PolicyName, tuple[float, ...]], Curve],
    alpha: float,
    further: Sequence[Scores],
    query_ids: Sequence[str],
) -> "QueryMeasures":
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
        values=np.column_stack([*values, *(moved(each.values, each.query_ids, ids) for each in further)]),
        along=along.quality.T,
        alphas=along.alphas,
        along_label=quality,
    )
    return measured.over(query_ids)


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
    query_measures = every.over(settings.queries or every.query_ids).sorted_by(settings.sort, highest=settings.highest)
    tables, charts = {"queries": queries_table(query_measures)}, dict[str, Chart]()
    if settings.query:
        tables["query"] = one_query(data, settings)
        charts["exposure"] = Chart("queries", "query", exposure_of(data, settings).bars)
    gaps = query_measures.choices(settings.sort, gap=True)
    drawn, values = (gaps or query_measures.choices(settings.sort, gap=False))[0]
    if not np.isnan(values).all():
        charts["queries"] = Chart("queries", "values", (query_measures.query_ids, values, drawn.label))
    level, difference = level_finding(query_measures, settings.sort), difference_finding(every, settings.sort)
    return Analysis(
        findings=(level,) if difference is None else (difference, level),
        tables=tables,
        charts=charts,
        notes=() if settings.recorded else tuple(_unranked(data, settings)),
    )


def _unranked(data: Dataset, settings: QueriesSettings) -> Iterator[Note]:
    """A note on judged queries that a run lacks: they are in no row."""
    judged = data.qrels[settings.judgements : settings.judgements + 1]
    parts = by_task(judged, [*data.runs, *data.samples, *data.outputs], data.systems or {})
    for run in _runs(data, settings):
        ranked = frozenset(run.query_ids)
        for part in parts:
            missing = [query for query in part.query_ids if query not in ranked]
            if missing and len(missing) < len(part.query_ids):  # else of another task
                yield Note(run.system, None, f"{named_queries(missing)} judged but not ranked")


def compared(data: Dataset, settings: QueriesSettings) -> "QueryMeasures":
    """All queries as they were loaded, of one system, or of two."""
    if settings.recorded:
        return _of_generators(data, settings)
    runs = _runs(data, settings)
    first, *others = [_of_run(data, settings, run).over(judged_first(runs[0], data.qrels)) for run in runs]
    return first.compared_with(others[0]) if others else first


def _runs(data: Dataset, settings: QueriesSettings) -> list[Run]:
    return [run_of(data, name) for name in (settings.system, settings.beside)[: 1 + bool(settings.beside)]]


def _of_generators(data: Dataset, settings: QueriesSettings) -> "QueryMeasures":
    recorded_outputs = recorded(data, settings.k, *settings.usefulness)
    recorded_outputs.refuse_none()
    index_of = {each.system: index for index, each in enumerate(named_outputs(data))}
    sides = {"recorded": settings.recorded, "recorded-beside": settings.recorded_beside}
    made = [
        answer_measures(recorded_outputs.points, named(flag, name, index_of)) for flag, name in sides.items() if name
    ]
    if None in made:
        raise UndefinedError("these answers cannot be measured: give the RUN that fed them")
    first, *others = [generator for generator in made if generator is not None]
    return first.compared_with(others[0]) if others else first


def _of_run(data: Dataset, settings: QueriesSettings, run: Run) -> "QueryMeasures":
    judgements = judged_by(data, settings)
    on_curve = replace(settings.restricted_to("k", "rel", "scores", "offset", "judgements"), system=run.system)
    further = _further(data, run.system, judgements, settings.measures, settings.against) if settings.measures else ()
    return run_measures(partial(_curve, data, on_curve), settings.alpha, further, judged_first(run, data.qrels))


def run_of(data: Dataset, name: str) -> Run:
    """A run by its name, the first where none is said."""
    if data.outputs and not data.runs:
        raise UndefinedError("there is no run in these files; recorded outputs are named with --recorded NAME")
    return named("system", name, {run.system: run for run in data.runs})


def judged_by(data: Dataset, settings: QueriesSettings) -> int | None:
    """Place of the judgements; None without any."""
    return settings.judgements if data.qrels else None


def one_query(data: Dataset, settings: QueriesSettings) -> Table:
    """The items of the query that is named.

    Raises:
        UndefinedError: The run has no list for it.
    """
    run, query, exposure = run_of(data, settings.system), settings.query, exposure_of(data, settings)
    if settings.against is None:
        return items_table(exposure, settings)
    labels = settings.against.labels(data)
    ranked = pool(run, _judged(data, _judged_there(data, settings)), queries="ranked")
    start = int(ranked.offsets[ranked.query_ids.index(query)])
    weights: list[list[float]] = membership(ranked, labels).weights[start : start + exposure.items.height].tolist()
    named = (zip(labels.groups, row, strict=True) for row in weights)
    groups = ("; ".join(g if w > 1 - ROUNDING else f"{g} {w:g}" for g, w in row if w > 0) for row in named)
    return items_table(exposure, settings, labels.attribute, tuple(groups))


def _judged_there(data: Dataset, settings: QueriesSettings) -> int | None:
    """Place of the judgements, where they speak of the query."""
    index = judged_by(data, settings)
    return index if index is not None and settings.query in data.qrels[index].query_ids else None


def _judged(data: Dataset, judgements: int | None) -> Qrels | None:
    return None if judgements is None else data.qrels[judgements]


@remembered
def _pools(data: Dataset, system: str, judgements: int | None) -> Pools:
    """One run aligned with one set of judgements."""
    return pool(run_of(data, system), _judged(data, judgements))


@remembered
def exposure_of(data: Dataset, settings: QueriesSettings) -> QueryExposure:
    """Exact exposure of the items of the query that is named, at one α; the target as relevance is counted.

    Raises:
        UndefinedError: The run has no list for it.
    """
    run, query = run_of(data, settings.system), settings.query
    if query not in run.query_ids:
        raise UndefinedError(f"{run.system} has no list for query {query}")
    pools = _pools(data, run.system, _judged_there(data, settings))
    curves = settings.curves(settings.alpha)
    query_pool = only_query(pools, pools.query_ids.index(query))
    axes = PoolAxes.of(query_pool, curves)
    exposure = curves.exposure(query_pool, settings.alpha)
    point = axes.curve([exposure], "")
    n = int(query_pool.n_retrieved[0])
    docs: list[int] = query_pool.docs[:n].tolist()
    columns = {
        "doc_id": [query_pool.doc_ids[d] for d in docs],
        "gain": query_pool.gains[:n],
        "judged": query_pool.judged[:n],
        "score": query_pool.scores[:n],
        "exposure": exposure[:n],
        "fixed": run_exposure(query_pool, curves.attention)[:n],
        "target": axes.target[:n] if query_pool.judged.any() else np.full(n, np.nan),
    }
    return QueryExposure(
        items=pl.DataFrame(columns),
        disparity=float(point.disparity[0, 0]),
        relevance=float(point.quality[0, 0]),
        quality=curves.quality,
    )


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


# Queries as rows; one query, item by item.


def queries_table(result: QueryMeasures) -> Table:
    """One row per query, in the order given."""
    along = [
        Column(f"along_{alpha:g}", f"{result.along_label}, α = {alpha:g}", "number", "programs")
        for alpha in result.alphas.tolist()
    ]
    cells: list[list[float]] = np.hstack([result.values, result.along]).tolist()
    rows: list[tuple[Cell, ...]] = [(query, *row) for query, row in zip(result.query_ids, cells, strict=True)]
    beside = f" beside {result.other}; Δ is the first minus the second" if result.other else ""
    columns = (Column("query_id", "query"), *result.columns, *along)
    return Table(columns, tuple(rows), caption=f"Queries of {result.name}{beside}")


def items_table(
    exposed: QueryExposure, settings: QueriesSettings, attribute: str = "", groups: Sequence[str] = ()
) -> Table:
    """One row per retrieved item of one query, in the order of scores.

    Args:
        exposed: The items.
        settings: With the query, its α and k, and how scores became a policy.
        attribute: Of the groups, empty without any.
        groups: Of each item, as written.
    """
    named = (attribute,) if attribute else ()
    items = exposed.items.with_row_index("rank", 1).with_columns(pl.col("gain").cast(pl.Int64).alias("grade"))
    if named:
        items = items.with_columns(pl.Series(attribute, groups, dtype=pl.String))
    columns = keyed("rank", "doc_id", *named, "grade", "score", "exposure", "target")
    table = Table.of(
        items,
        columns,
        f"Query {settings.query}: expected exposure in the first {settings.k} at α = {settings.alpha:g}, "
        f"target as of {exposed.quality}",
    )
    return with_policy(table, settings.scores, settings.offset)


# What may be said of queries: where the values of one system lie, and how few make the difference of two.


def level_finding(result: QueryMeasures, key: str = "") -> Finding:
    """The mean of one measure of the first system with its interval, the middle half of its queries, what is undefined.

    Args:
        result: The queries.
        key: Of the measure; any other means the last.
    """
    undefined = f"{capital(undefined_words(result))}." if undefined_words(result) else ""
    column, values = result.choices(key, gap=False)[0]
    defined = values[~np.isnan(values)]
    low, high = (number(float(end), 3) for end in np.quantile(defined, [0.25, 0.75])) if defined.size else ("", "")
    middle = f"The middle half of the queries: {spanned(low, high)}." if low else ""
    return Finding(mean_title(result.name, column.label, values), f"{middle} {undefined}".strip())


def fewest_queries(differences: FloatArray) -> int:
    r"""The fewest queries that make at least half of a sum of differences; 0 where the sum is 0.

    With s the sign of :math:`D = \sum_q d_q`, the queries are taken from the largest :math:`s\,d_q` down until their
    sum reaches |D|/2. Queries that go the other way are among the rest, so that the first few may make more than all.

    Args:
        differences: (Q) of each query, none undefined.

    Examples:
        >>> fewest_queries(np.array([0.6, 0.1, -0.2, 0.5]))  # D = 1.0: 0.6 is half of it
        1
    """
    whole = float(differences.sum())
    if abs(whole) < ROUNDING:
        return 0
    parts = np.sort(differences * np.sign(whole))[::-1]
    return int(np.argmax(np.cumsum(parts) >= abs(whole) / 2 - ROUNDING)) + 1


def difference_finding(result: QueryMeasures, key: str = "") -> Finding | None:
    """How few queries make half of the mean difference of two systems, and whether it may be chance.

    Args:
        result: Both, beside each other.
        key: Of the measure or the difference; any other means the last difference: of the measure asked for last.

    Returns:
        None where there is one system, or no query has both values.
    """
    gaps = result.choices(key, gap=True)
    if not gaps:
        return None
    column, values = gaps[0]
    differences = values[~np.isnan(values)]
    n, measure = differences.size, column.label.removeprefix("Δ ")
    if n == 0:
        return None
    test = paired_t_test(differences, np.zeros(n))
    half = fewest_queries(differences)
    of = f"{result.name} minus {result.other}, {measure}"
    if half == 0:
        return Finding(f"No difference in {measure} on average", f"{of}: over {plural(n, 'query', 'queries')}.")
    sign = np.sign(test.difference)
    share = float(np.sort(differences * sign)[::-1][:half].sum() / (abs(test.difference) * n))
    against = int((differences * sign < -ROUNDING).sum())
    few = f"{half} of {plural(n, 'query', 'queries')} make{'s' if half == 1 else ''} {percent(share)} of the difference"
    p = tested(test.p, n)
    outcome = verdict(test.difference, p, n)
    chance = f"significant, p {p_value(p)}" if outcome in ("higher", "lower") else outcome
    other_way = f"{plural(against, 'query goes', 'queries go')} the other way"
    return Finding(few, f"{of}: {signed(test.difference)} on average ({chance}); {other_way}.")
