"""Results of the attribution study as tables: every point, and each generator in a few numbers."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from fairviz.display.table import Column, Table, keyed, tidy_table
from fairviz.display.words import listing, plural
from fairviz.model import Factors
from fairviz.points.columns import ENDS, MADE_OF, TESTED, cells, known_factors, with_ends
from fairviz.points.generations import OutputSummary
from fairviz.points.outputs import OutputPoints, points_columns
from fairviz.points.view import system_name
from fairviz.stats.bootstrap import described
from fairviz.studies.attribution.grid import UseComparison

SUMMARY = (
    Column("lists"),
    *with_ends("EAR"),
    Column("sources_given", "sources given", "number"),
    Column("sources_used", "sources used", "number"),
    *with_ends("share_change", "share change", "change"),
    Column("EED", "EE-D", "number"),
    Column("EER", "EE-R", "number"),
    Column("EU", kind="number"),
    Column("n_queries", "queries", "number"),
    Column("n_outputs", "answers", "number"),
    Column("policy", audience="programs"),
    Column("alpha", audience="programs"),
)
SUMMARIES = (
    "setting rate rate_interval given used change.difference change.interval disparity relevance utility n_queries "
    "n_outputs factors.policy factors.alpha"
)
"""What the cells of :data:`SUMMARY` are."""


def points_table(points: Sequence[OutputPoints], *, relevance: str = "EE-R") -> Table:
    """One row per query under each setting of each generator."""
    caption = f"EE-D, {relevance}, EAR, EAE-D and EU of every query under every setting"
    return replace(tidy_table(points_columns(points), caption=caption), audience="programs")


def summary_table(summaries: Sequence[OutputSummary], *, k: int, relevance: str = "EE-R") -> Table:
    """One row per system and setting of its lists; ``relevance`` is what EE-R is called."""
    made_of = _factors([summary.factors for summary in summaries])
    columns = (replace(column, label=relevance) if column.key == "EER" else column for column in SUMMARY)
    return Table(
        (*keyed(*made_of), *columns),
        tuple((*cells(summary.factors, " ".join(made_of)), *cells(summary, SUMMARIES)) for summary in summaries),
        caption=f"Use of the context of each generator, k = {k}; intervals: {described(seed=0)}",
    )


def differences_table(compared: Sequence[UseComparison], *, k: int) -> Table:
    """One row per system but the baseline of its task, under one setting, the largest difference of a task first."""
    made_of = [*_factors([factors for task in compared for factors in task.means]), "policy"]
    tests = [task.n_tests for task in compared]
    family = plural(tests[0], "test") if len(tests) == 1 else f"{', '.join(map(str, tests))} tests, task by task"
    baselines = listing(list(dict.fromkeys(system_name(task.baseline, task.by) for task in compared)))
    settings = listing(list(dict.fromkeys(task.setting for task in compared)))
    return Table(
        (
            *keyed(*made_of, "lists", "measure"),
            *with_ends("value"),
            Column("difference", kind="signed"),
            *ENDS,
            *TESTED,
            Column("n_queries", "queries", "number"),
        ),
        tuple(
            (
                *cells(factors, " ".join(made_of)),
                task.setting,
                task.measure,
                mean,
                *interval,
                *(
                    cells(task.gaps[factors], "difference interval p p_holm verdict n_queries")
                    if factors in task.gaps
                    else (*(None,) * 5, "not compared", 0)
                ),
            )
            for task in compared
            for factors, (mean, interval) in islice(task.means.items(), 1, None)
        ),
        caption=f"{compared[0].measure} of each system minus that of {baselines}, {settings}, k = {k}, paired by query;"
        f" intervals: {described(seed=0)}; paired t-test, Holm over {family}",
    )


def _factors(of: Sequence[Factors]) -> tuple[str, ...]:
    """Factors that are columns: the generator, and what else is known of any system."""
    known = known_factors(of)
    return tuple(name for name in MADE_OF if name == "generator" or name in known)
