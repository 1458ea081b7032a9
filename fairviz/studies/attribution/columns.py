"""Results of the attribution study as tables: every point, and each generator in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairviz.display.table import Cell, Column, Table, keyed, tidy_table
from fairviz.display.words import listing, plural
from fairviz.evaluation.compare import Comparison
from fairviz.model import Factors
from fairviz.points.generations import OutputSummary
from fairviz.points.outputs import OutputPoints, points_columns
from fairviz.points.view import system_name
from fairviz.stats.bootstrap import described
from fairviz.studies.attribution.grid import UseComparison

MADE_OF = ("task", "dataset", "retriever", "generator")
"""Factors of a system, in the order of columns; the generator's column is always there."""
SUMMARY = (
    Column("lists"),
    Column("EAR", kind="number"),
    Column("EAR_low", "EAR low", "interval"),
    Column("EAR_high", "EAR high", "interval"),
    Column("sources_given", "sources given", "number"),
    Column("sources_used", "sources used", "number"),
    Column("share_change", "share change", "number"),
    Column("share_change_low", "change low", "interval"),
    Column("share_change_high", "change high", "interval"),
    Column("EED", "EE-D", "number"),
    Column("EER", "EE-R", "number"),
    Column("EU", kind="number"),
    Column("n_queries", "queries", "number"),
    Column("n_outputs", "answers", "number"),
    Column("policy", audience="programs"),
    Column("alpha", audience="programs"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionResults:
    """What recorded outputs say; None = not measured.

    Attributes:
        k: Items that a context holds.
        relevance: EE-R as a measure string, which names how relevance was counted.
        summaries: One per generator and setting.
        points: Every set of outputs, measured.
        compared: The systems of each task under one setting, beside a baseline of theirs.
    """

    k: int
    relevance: str = "EE-R"
    summaries: Sequence[OutputSummary] | None = None
    points: Sequence[OutputPoints] | None = None
    compared: Sequence[UseComparison] | None = None


def points_table(points: Sequence[OutputPoints], *, relevance: str = "EE-R") -> Table:
    """One row per query under each setting of each generator."""
    caption = f"EE-D, {relevance}, EAR, EAE-D and EU of every query under every setting"
    return replace(tidy_table(points_columns(points), caption=caption), audience="programs")


def summary_table(summaries: Sequence[OutputSummary], *, k: int, relevance: str = "EE-R") -> Table:
    """One row per system and setting of its lists; ``relevance`` is what EE-R is called."""
    made_of = known_factors([summary.factors for summary in summaries])
    columns = (replace(column, label=relevance) if column.key == "EER" else column for column in SUMMARY)
    return Table(
        (*keyed(*made_of), *columns),
        tuple(
            (
                *(getattr(summary.factors, name) for name in made_of),
                summary.setting,
                summary.rate,
                *summary.rate_interval,
                summary.given,
                summary.used,
                summary.change.difference,
                *summary.change.interval,
                summary.disparity,
                summary.relevance,
                summary.utility,
                summary.n_queries,
                summary.n_outputs,
                summary.factors.policy,
                summary.factors.alpha,
            )
            for summary in summaries
        ),
        caption=f"Use of the context of each generator, k = {k}; intervals: {described(seed=0)}",
    )


def differences_table(compared: Sequence[UseComparison], *, k: int) -> Table:
    """One row per system but the baseline of its task, under one setting, the largest difference of a task first."""
    made_of = [*known_factors([row.factors for task in compared for row in task.rows]), "policy"]
    tests = [task.n_tests for task in compared]
    family = plural(tests[0], "test") if len(tests) == 1 else f"{', '.join(map(str, tests))} tests, task by task"
    baselines = listing(list(dict.fromkeys(system_name(task.baseline, task.by) for task in compared)))
    settings = listing(list(dict.fromkeys(task.setting for task in compared)))
    return Table(
        (
            *keyed(*made_of, "lists", "measure"),
            Column("value", kind="number"),
            Column("value_low", "value low", "interval"),
            Column("value_high", "value high", "interval"),
            Column("difference", kind="signed"),
            Column("low", kind="signed"),
            Column("high", kind="signed"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", "p"),
            Column("verdict", kind="tone"),
            Column("n_queries", "queries", "number"),
        ),
        tuple(
            (
                *(getattr(row.factors, name) for name in made_of),
                task.setting,
                task.measure,
                row.value,
                *row.interval,
                *_gap_cells(row.gap),
            )
            for task in compared
            for row in task.rows[1:]
        ),
        caption=f"{compared[0].measure} of each system minus that of {baselines}, {settings}, k = {k}, paired by query;"
        f" intervals: {described(seed=0)}; paired t-test, Holm over {family}",
    )


def _gap_cells(gap: Comparison | None) -> tuple[Cell, ...]:
    if gap is None:
        return (None, None, None, None, None, "not compared", 0)
    return (gap.difference, *gap.interval, gap.p, gap.p_holm, gap.verdict, gap.n_queries)


def known_factors(of: Sequence[Factors]) -> tuple[str, ...]:
    """Factors that are columns: the generator, and what else is known of any system."""
    return tuple(
        name for name in MADE_OF if name == "generator" or any(getattr(factors, name) is not None for factors in of)
    )


def tables(results: AttributionResults) -> dict[str, Table]:
    """Every table that there are results for, by the stem of its file."""
    made: dict[str, Table] = {}
    if results.summaries is not None:
        made["consumption"] = summary_table(results.summaries, k=results.k, relevance=results.relevance)
    if results.points is not None:
        made["consumption-points"] = points_table(results.points, relevance=results.relevance)
    if results.compared:
        made["consumption-differences"] = differences_table(results.compared, k=results.k)
    return made
