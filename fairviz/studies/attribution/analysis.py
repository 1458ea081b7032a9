"""What generators used of what they were given: the systems of each task, and how far each is from a baseline.

Side by side a system is one policy of a generator, since a path joins the α of one policy. Nothing is compared across
tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from fairviz.display.html import Section, section_of
from fairviz.display.marks import Band
from fairviz.display.table import Column, Table, keyed, labelled
from fairviz.display.words import Finding, listing, number, plural, signed
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.coverage import not_of_all
from fairviz.evaluation.systems import named
from fairviz.model import Dataset, Factors, Scores
from fairviz.points.charts import MOST_PANELS, Corner, Curves, PanelLayout, PanelView, lay_out, toned, usual_layout
from fairviz.points.columns import ENDS, P_HOLM, QUERIES, TESTED, gap_rows, with_ends
from fairviz.points.conditions import on_common_queries, without_queries
from fairviz.points.outputs import (
    MEASURES,
    Recorded,
    axis_columns,
    by_policy,
    by_system,
    curve_through,
    naming_factors,
    output_summaries,
    rank_declines,
    recorded,
    systems_of,
)
from fairviz.points.sources import source_attributes, source_rows
from fairviz.points.view import (
    FACTORS,
    SYSTEM,
    Line,
    apart_with_task,
    distinguishing,
    factors_of_texts,
    kept,
    system_name,
)
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import bootstrap_intervals, described
from fairviz.stats.tests import MIN_UNITS, holm
from fairviz.studies.attribution.charts import axis_names, consumption_panel, panel_axes, sources_picture
from fairviz.studies.attribution.findings import (
    on_task,
    pairing_finding,
    rank_finding,
    references_finding,
    sources_finding,
)
from fairviz.studies.attribution.settings import AttributionSettings
from fairviz.studies.study import Analysis, Chart

FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""
USUAL_SETTING = "α = 2"
ALPHA = "α = "
HAS_SOURCES = pl.col("only_cited").not_().all().over("name")
"""Points of generators of which it is known what they were given besides what they cite."""


class Results(NamedTuple):
    """What is known of the systems of one task, whatever setting is looked at.

    Attributes:
        points: Of every system under every setting, see :func:`by_system`, over the queries that all of them answer.
        rows: Summary per system and setting, on the estimate that is shown, with ``tested``, whether concentration may
            be compared (several outputs, lists that vary), and ``p_holm``, over those of queries enough for a test.
        declines: Per system and setting, citations of rank 1 beside those of the last rank, see
            :func:`rank_declines`.
        paths: Policies of the systems of which it is known what they were given, see :func:`by_policy`.
        ranks: What is said of citations by rank, of the deterministic or as recorded lists where there are some.
        finding: Title and sentence.
        task: The task; None = not recorded.
        several_tasks: Whether there are others: the title names the task.
    """

    points: pl.DataFrame
    rows: pl.DataFrame
    declines: pl.DataFrame
    paths: Mapping[Factors, pl.DataFrame]
    ranks: Finding
    finding: Finding
    task: str | None = None
    several_tasks: bool = False

    @property
    def with_contexts(self) -> "Results":
        """The results of generators of which it is known what they were given besides what they cite."""
        return self._replace(points=self.points.filter(HAS_SOURCES))

    @property
    def names(self) -> list[str]:
        """Names of the systems."""
        return self.points["name"].unique(maintain_order=True).to_list()

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return bool((self.points["n_samples"] <= 1).all())

    @property
    def by(self) -> tuple[str, ...]:
        """Factors that tell the systems of the task apart."""
        return naming_factors([*systems_of(self.points)])

    def of_system(self, name: str) -> "Results":
        """The results of one system, and what is found of it beside the others."""
        of_it = pl.col("name") == name
        parts = {part: getattr(self, part).filter(of_it) for part in ("points", "rows", "declines")}
        own = self._replace(**parts)
        if len(self.names) < 2 or not own.with_contexts.names:
            return own
        finding = sources_finding(self.rows, self.ranks, name)
        return own._replace(finding=on_task(finding, self.task) if self.several_tasks else finding)


def analyse(data: Dataset, settings: AttributionSettings) -> Analysis:
    """Points and summary of all tasks, and the systems of each beside a baseline.

    Args:
        data: Recorded outputs, the runs that fed them, judgements for EE-R.
        settings: Context, estimate, what is compared.

    Raises:
        UndefinedError: No output could be measured.
        UsageError: There is no such task or factor.
    """
    recorded_outputs = recorded_of(data, settings)
    recorded_outputs.refuse_none()
    tasks = every_task(data, settings)
    rows, points = pl.concat([task_results.rows for task_results in tasks]), by_system(recorded_outputs.points)
    without, notes = without_queries(points, "means")
    tables = {
        "consumption": summary_table(rows, k=settings.k, relevance=settings.relevance, without=without),
        "consumption-points": points_table(points, relevance=settings.relevance),
    }
    if compared := _comparisons(data, settings, tasks):
        tables["consumption-differences"] = differences_table(compared, k=settings.k)
    if source_attributes(data):
        tables["sources"] = sources_table(sources(data, settings), k=settings.k)
    charts = {f"attribution-{each.task or 'use'}": chart for each in tasks if (chart := _chart(data, each, settings))}
    return Analysis(
        findings=tuple(task_results.finding for task_results in tasks),
        tables=tables,
        charts=charts,
        notes=(*(replace(note, message=f"left out: {note.message}") for note in recorded_outputs.failed), *notes),
        sections=partial(_sections, tasks, tables, charts),
    )


def recorded_of(data: Dataset, settings: AttributionSettings) -> Recorded:
    """All recorded outputs, measured, and why some could not be."""
    return recorded(data, settings.k, *settings.usefulness, settings.estimate)


@remembered
def sources(data: Dataset, settings: AttributionSettings) -> pl.DataFrame:
    """Whose documents each system gives and cites, see :func:`~fairviz.points.sources.source_rows`."""
    recorded_outputs = recorded_of(data, settings)
    return source_rows(data, recorded_outputs.points, recorded_outputs.matches)


def planned(recorded_outputs: Recorded) -> tuple[Factors, ...]:
    """What every policy of every system is made of."""
    return tuple(by_policy(by_system(recorded_outputs.points)))


def tasks_of(every: Sequence[Factors]) -> tuple[str | None, ...]:
    """Tasks of some systems, in order of first appearance; None where there are none."""
    return tuple(dict.fromkeys(factors.task for factors in every)) or (None,)


def results_of(data: Dataset, settings: AttributionSettings) -> Results:
    """The systems of the task that is named, without what is excluded."""
    tasks = tasks_of(planned(recorded_of(data, settings)))
    task = named("of-task", settings.of_task, {task or "": task for task in tasks})
    return _results(data, settings.restricted_to("k", "rel", "estimate", "off", "seed"), task)


def every_task(data: Dataset, settings: AttributionSettings) -> tuple[Results, ...]:
    """All systems, task by task; one empty result where none could be measured."""
    measured = settings.restricted_to("k", "rel", "estimate", "seed")
    return tuple(_results(data, measured, task) for task in tasks_of(planned(recorded_of(data, settings))))


@remembered
def _results(data: Dataset, settings: AttributionSettings, task: str | None) -> Results:
    recorded_outputs = recorded_of(data, settings)
    return analysed(recorded_outputs, task, off=factors_of_texts(settings.off), seed=settings.seed)


def analysed(
    recorded_outputs: Recorded, task: str | None, *, off: Sequence[tuple[str, str | None]] = (), seed: int = 0
) -> Results:
    """Summarise and compare the systems of one task.

    Args:
        recorded_outputs: All outputs of all tasks.
        task: The task.
        off: Values of factors that take no part; all take part where none would be left.
        seed: Of the bootstrap.
    """
    every = by_system(recorded_outputs.points)
    of_task = every.filter(pl.col("task").eq_missing(pl.lit(task, pl.String)))
    policies = kept(tuple(by_policy(of_task)), off) or tuple(by_policy(of_task))
    taking_part = {factors._replace(policy=None) for factors in policies}
    parts = [part for factors, part in systems_of(of_task).items() if factors in taking_part]
    points = by_system(on_common_queries(pl.concat(parts) if parts else of_task)[0])
    sourced_points, rows = points.filter(HAS_SOURCES), _tested(output_summaries(points, seed=seed))
    settings = sourced_points.unique("place", keep="first", maintain_order=True).select("name", "lists", "place").rows()
    declines = rank_declines(
        {(name, lists): recorded_outputs.matches[index] for name, lists, index in settings},
        seed=seed,
        among=frozenset(points["query_id"]),
    )
    rates = dict(rows.group_by("name", maintain_order=True).agg(pl.first("EAR")).rows())
    last = declines.group_by("name", maintain_order=True).last()
    ranks = rank_finding(last, rates, _gaps(points, seed))
    if points.is_empty() and recorded_outputs.unclear:
        finding = pairing_finding()
    elif not points.is_empty() and sourced_points.is_empty():
        finding = references_finding(rates)
    else:
        finding = sources_finding(rows, ranks)
    several = len(tasks_of(tuple(by_policy(every)))) > 1
    if several:
        finding = on_task(finding, task)
    paths = by_policy(sourced_points)
    shown = {factors: path for factors, path in paths.items() if factors in policies} or paths
    return Results(points, rows, declines, shown, ranks, finding, task, several)


def _tested(rows: pl.DataFrame) -> pl.DataFrame:
    """The summaries with which of them are tested, and p corrected over these."""
    varies = ~pl.col("single") & ~pl.col("lists").is_in(FIXED_LISTS)
    tested = rows.with_columns(tested=HAS_SOURCES & varies)
    p = tested.select(pl.when(pl.col("tested") & (pl.col("n_compared") >= MIN_UNITS)).then("p"))["p"].to_numpy()
    return tested.with_columns(p_holm=pl.Series(holm(p), nan_to_null=True))


def _gaps(points: pl.DataFrame, seed: int) -> Sequence[Comparison]:
    """The largest EAR of the task minus each other one; Holm over all pairs, among which it was searched."""
    first = points.filter(pl.col("place") == pl.col("place").first().over("name"))
    rates = [_scores(part, "EAR", part["name"][0], "EAR") for part in first.partition_by("name", maintain_order=True)]
    falling = sorted((score for score in rates if not np.isnan(score.value)), key=lambda score: -score.value)
    pairs = list(combinations(falling, 2))
    return [gap for gap in compare_all(pairs, seed=seed) if gap.system == falling[0].system] if pairs else []


def _scores(points: pl.DataFrame, column: str, system: str, measure: str) -> Scores:
    """A column of the points of one set of outputs as the scores of a system."""
    query_ids = tuple(points["query_id"])
    return Scores(system=system, measure=measure, query_ids=query_ids, values=points[column].to_numpy())


# Systems side by side.


def setting_names(points: pl.DataFrame) -> list[str]:
    """Settings of any system, those with an α first."""
    return sorted(points["lists"].unique(maintain_order=True), key=lambda name: not name.startswith(ALPHA))


def usual_setting(names: Sequence[str]) -> str:
    """The setting that is looked at first."""
    return USUAL_SETTING if USUAL_SETTING in names else names[0]


@remembered
def path_curves(data: Dataset, settings: AttributionSettings) -> tuple[Curves, ...]:
    """What the small panels of a task draw."""
    return _paths(data, results_of(data, settings), settings)


def _paths(data: Dataset, result: Results, settings: AttributionSettings) -> tuple[Curves, ...]:
    curves = ((path, use_curves(factors, path, settings)) for factors, path in result.paths.items())
    return tuple(
        curve._replace(look=data.look_of(*path["system"].unique(maintain_order=True)))
        for path, curve in curves
        if curve is not None
    )


def use_curves(factors: Factors, path: pl.DataFrame, settings: AttributionSettings) -> Curves | None:
    """Means of a system along α on two axes, with 95 % intervals of the means up; None where no mean is defined.

    Args:
        factors: The system under one policy.
        path: Its points, see :func:`by_policy`.
        settings: What stands on the axes, and the seed of the bootstrap: every interval draws anew from it.
    """
    x, y = axis_columns(settings.axes, settings.scale)
    both = path.filter(pl.col(x).is_not_null() & pl.col(y).is_not_null())
    drawn, end = both.filter(~pl.col("end")), both.filter("end")
    along = drawn.filter(pl.col("alpha").is_not_null())
    if along.is_empty():
        along = drawn.filter(pl.col("place") == pl.col("place").first())
    if along.is_empty():
        return None
    line, *square = (
        Line.of(curve_through(points, x, y, policy=factors.policy or "", measure=""))
        for points in (along, end)
        if points.height
    )
    values = [part[y].to_numpy() for part in along.partition_by("place", maintain_order=True)]
    low, high = np.array(bootstrap_intervals(values, seed=settings.seed)).T
    return Curves(factors, line, *square, band=Band.where_defined(line.x, low, high))


def compared_under(data: Dataset, settings: AttributionSettings) -> pl.DataFrame | None:
    """Each system of the task beside the baseline; None where the baseline has no value under these lists."""
    return _compared(results_of(data, settings), settings, apart_with_task(planned(recorded_of(data, settings))))


def _compared(result: Results, settings: AttributionSettings, by: Sequence[str]) -> pl.DataFrame | None:
    if len(result.paths) < 2:
        return None
    lists = settings.lists or usual_setting(setting_names(result.points))
    settings_seen = result.points.select("lists", "alpha").unique("lists", keep="last", maintain_order=True)
    alphas: dict[str, float | None] = dict(settings_seen.iter_rows())
    baseline_factors = dict(factors_of_texts(settings.baseline))
    baseline = Factors().with_values(baseline_factors) if baseline_factors else next(iter(result.paths))
    baseline = baseline._replace(task=result.task)
    alpha = named("lists", lists, alphas)
    return compare_uses(result.paths, replace(settings, lists=lists), alpha=alpha, baseline=baseline, by=by)


def compare_uses(
    paths: Mapping[Factors, pl.DataFrame],
    settings: AttributionSettings,
    *,
    alpha: float | None,
    baseline: Factors,
    by: Sequence[str],
) -> pl.DataFrame | None:
    """What stands on the y axis, each system minus the baseline; None where the baseline has no value.

    Args:
        paths: Systems of one task, each under one policy.
        settings: What stands on the axes, the name of the setting, and the seed of the bootstrap.
        alpha: Of the setting; None = lists without one: the deterministic one, else the only ones.
        baseline: Factors of the system that the others are compared with.
        by: Factors that tell systems apart.

    Returns:
        A row per system: first the baseline, then the others, the largest difference first, those without one last.
        ``system`` (its name), its factors, ``lists``, ``measure``, ``value`` (mean over the queries in which all
        systems have one, with ends), ``difference`` from the baseline, paired by query, with its interval, p corrected
        over the table, ``verdict`` and ``n_queries``; systems that share queries two by two alone keep their own.
    """
    measure, column = panel_axes(settings)[1], axis_columns(settings.axes, settings.scale)[1]
    at_end = pl.col("end") | ~pl.col("end").any()
    under = at_end & pl.lit(alpha is None) | ~pl.col("end") & (pl.col("alpha") == pl.lit(alpha, pl.Float64))
    measured: dict[Factors, pl.DataFrame] = {}
    for factors, path in paths.items():
        points = path.filter(under)
        points = points.filter(pl.col("place") == pl.col("place").first()).drop_nulls(column)
        if points.height:
            measured[factors] = points
    left_out = [*not_of_all(frozenset(points["query_id"]) for points in measured.values())]
    scores = {
        factors: _scores(points.filter(~pl.col("query_id").is_in(left_out)), column, system_name(factors, by), measure)
        for factors, points in measured.items()
    }
    if baseline not in scores:
        return None
    base, values = scores[baseline], [score.values for score in scores.values()]
    low, high = np.array(bootstrap_intervals(values, seed=settings.seed)).T
    systems = pl.DataFrame(
        {
            "system": [score.system for score in scores.values()],
            **{name: pl.Series([getattr(factors, name) for factors in scores], dtype=pl.String) for name in FACTORS},
            "lists": settings.lists,
            "measure": measure,
            "value": [score.value for score in scores.values()],
            "value_low": low,
            "value_high": high,
            "n_value": [score.n_queries for score in scores.values()],
        }
    )
    others = [(score, base) for factors, score in scores.items() if factors != baseline]
    is_base = pl.col("system") == base.system
    compared = systems.join(gap_rows(compare_all(others, seed=settings.seed)), on="system", how="left").with_columns(
        verdict=pl.when(is_base).then(pl.lit("baseline")).otherwise(pl.col("verdict").fill_null("not compared")),
        n_queries=pl.col("n_queries").fill_null(pl.col("n_value")),
    )
    return compared.sort(~is_base, "difference", descending=[False, True], nulls_last=True, maintain_order=True)


def _comparisons(data: Dataset, settings: AttributionSettings, tasks: Sequence[Results]) -> list[pl.DataFrame]:
    """Comparisons of every task, unless a task or factors of its systems are named."""
    if settings.of_task or settings.baseline or settings.off or len(tasks) == 1:
        comparisons = [compared_under(data, settings)]
    else:
        comparisons = [_compared(results, settings, distinguishing([*results.paths])) for results in tasks]
    return [comparison for comparison in comparisons if comparison is not None]


# Charts and sections.


def panel_view(
    curves: Sequence[Curves], layout: PanelLayout, settings: AttributionSettings, compared: pl.DataFrame | None = None
) -> PanelView:
    """Lay out the systems of a task, see :func:`~fairviz.points.charts.lay_out`.

    Args:
        curves: What is drawn.
        layout: What stands where; "highest" is by what the corners say.
        settings: What stands on the axes; on all scales but "minmax" both disparities are alike, and y = x is drawn.
        compared: What the corners say, see :func:`compare_uses`.
    """
    x, y = panel_axes(settings)
    rows = () if compared is None else compared.rows(named=True)
    factors = [Factors(**{name: row[name] for name in FACTORS}) for row in rows]
    falls = settings.axes == "EED-EAED"
    return lay_out(
        curves,
        layout,
        x=x,
        y=y,
        corners=dict(zip(factors, (_corner(row, falls=falls) for row in rows), strict=True)),
        values={own: row["value"] for own, row in zip(factors, rows, strict=True)},
    )._replace(
        titles=(axis_names(settings)[0], f"{y} {'↓' if falls else '↑'}"),
        counted=rows[0]["measure"] if rows else "",
        diagonal=falls and settings.scale != "minmax",
    )


def _corner(row: Mapping[str, Any], *, falls: bool) -> Corner:
    """Mean and difference of a system, for the corner of its panel."""
    if row["difference"] is None:
        return Corner(number(row["value"]), row["verdict"])
    return Corner(number(row["value"]), signed(row["difference"], 3), toned(row["verdict"], falls=falls))


def _chart(data: Dataset, result: Results, settings: AttributionSettings) -> Chart | None:
    """EE-D against EAE-D: a small panel per system; of the only one its points, the first setting coloured.

    No chart where nothing has a value, nor of more panels than anybody can read: the tables have them.
    """
    sourced_results, settings = result.with_contexts, replace(settings, axes="EED-EAED")
    if not sourced_results.names:
        return None
    if len(sourced_results.names) == 1:
        return Chart("attribution", "attribution", (consumption_panel(sourced_results.points, settings), settings))
    curves, every = _paths(data, result, settings), [*result.paths]
    view = panel_view(curves, usual_layout(every)._replace(baseline=every[0]), settings)
    if not curves or view.n_rows * view.n_columns > MOST_PANELS:
        return None
    return Chart("attribution", "panels", (view, distinguishing(every)))


def _sections(tasks: Sequence[Results], tables: Mapping[str, Table], charts: Mapping[str, Chart]) -> list[Section]:
    """What is found on each task with its chart, then the tables."""
    sections: list[Section] = []
    for task_results in tasks:
        stem, names = f"attribution-{task_results.task or 'use'}", task_results.with_contexts.names
        caption = names[0] if len(names) == 1 else task_results.task or ""
        drawn = [charts[stem].in_report(stem, caption)] if stem in charts else []
        dots = [sources_picture(task_results.rows)] if len(task_results.rows) <= MOST_PANELS else []
        sections.append(Section(task_results.finding.title, (task_results.finding.sentence,), (*dots, *drawn)))
    sections.append(section_of(tables, "Use of the retrieved context", blocks=["consumption"]))
    if "consumption-differences" in tables:
        sections.append(section_of(tables, "EAR beside a baseline", blocks=["consumption-differences"]))
    return sections


# Results as tables: every point, and each generator in a few numbers.

POINTS = (
    *keyed("system", *SYSTEM, "policy"),
    Column("alpha", kind="number"),
    Column("query_id"),
    *(Column(name, kind="number") for name in ("n_samples", *MEASURES)),
)
SUMMARY = (
    Column("lists"),
    *with_ends("EAR"),
    Column("sources_given", "sources given", "number"),
    *with_ends("sources_used", "sources used", "used"),
    *with_ends("share_change", "share change", "change"),
    P_HOLM,
    *labelled("number", EED="EE-D", EER="EE-R", EU="", n_queries="queries", n_outputs="answers"),
    Column("policy", audience="programs"),
    Column("alpha", audience="programs"),
)
DIFFERENCES = (
    *keyed("policy", "lists", "measure"),
    *with_ends("value"),
    Column("difference", kind="signed"),
    *ENDS,
    *TESTED,
    QUERIES,
)
SOURCES = (
    *keyed("lists", "attribute", "week", "group"),
    *with_ends("given"),
    *with_ends("cited"),
    *labelled("number", given_unlabelled="given, unlabelled", cited_unlabelled="cited, unlabelled"),
    *labelled("number", n_queries="queries", n_citing="queries with citations", n_answers="answers"),
)


def points_table(points: pl.DataFrame, *, relevance: str = "EE-R") -> Table:
    """One row per query under each setting of each generator."""
    caption = f"EE-D, {relevance}, EAR, EAE-D and EU of every query under every setting"
    return Table.of(points, POINTS, caption, audience="programs")


def summary_table(rows: pl.DataFrame, *, k: int, relevance: str = "EE-R", without: str = "") -> Table:
    """One row per system and setting of its lists.

    Args:
        rows: See :class:`Results`.
        k: Items that a context holds.
        relevance: What EE-R is called.
        without: What the caption says of queries that are left out.
    """
    columns = (replace(column, label=relevance) if column.key == "EER" else column for column in SUMMARY)
    tests = plural(rows["p_holm"].count(), "test")
    caption = (
        f"Use of the context of each generator, k = {k}{without and f', {without}'}; "
        f"intervals: {described(seed=0)}; p: paired t-test of the "
        f"change in share, Holm over {tests}"
    )
    return Table.of(rows, [*_factors(rows), *columns], caption)


def sources_table(rows: pl.DataFrame, *, k: int) -> Table:
    """One row per system and setting, attribute, week and group: its share of documents given and of those cited."""
    caption = (
        f"Share of labelled documents given, the first {k} of each answer, and of those cited, by group and week; 95 % "
        "intervals of effective sample size over queries, one by one; none below 10 queries"
    )
    return Table.of(rows, [*_factors(rows), *SOURCES], caption)


def differences_table(compared: Sequence[pl.DataFrame], *, k: int) -> Table:
    """One row per system but the baseline of its task, under one setting, the largest difference of a task first."""
    tests = [task["p_holm"].count() for task in compared]
    family = plural(tests[0], "test") if len(tests) == 1 else f"{', '.join(map(str, tests))} tests, task by task"
    baselines, settings = (
        listing(list(dict.fromkeys(task[name][0] for task in compared))) for name in ("system", "lists")
    )
    alike = all((task["n_queries"] == task["n_value"]).all() for task in compared)
    over = "over the queries in which all systems have a value" if alike else "each over its own queries"
    return Table.of(
        pl.concat([task.slice(1) for task in compared]),
        [*_factors(pl.concat(compared)), *DIFFERENCES],
        f"{compared[0]['measure'][0]} of each system minus that of {baselines}, {settings}, k = {k}, {over}, "
        f"paired; intervals: {described(seed=0)}; paired t-test, Holm over {family}",
    )


def _factors(rows: pl.DataFrame) -> tuple[Column, ...]:
    """Factors that are columns: the generator, and what else is known of any system."""
    return keyed(*(name for name in SYSTEM if name == "generator" or (name in rows and rows[name].count())))
