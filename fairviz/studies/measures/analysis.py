"""Every measure of every system that it fits: means with intervals, and the value of every query."""

from dataclasses import dataclass

import polars as pl

from fairviz.display.table import Table, polars_frame
from fairviz.display.words import Finding, plural
from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import RESULT_COLUMNS, TIE_COLUMNS, Evaluation, evaluated, factors_of_scored
from fairviz.evaluation.systems import at_depth, facts, ranked_and_answered
from fairviz.evaluation.tables import measured_tables
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset
from fairviz.points.columns import mean_words
from fairviz.remembered import remembered
from fairviz.studies.measures.settings import MeasuresSettings
from fairviz.studies.study import Analysis


@dataclass(frozen=True, kw_only=True)
class MeasuresAnalysis(Analysis):
    """Systems × measures.

    Attributes:
        evaluation: Scores, and what the data do not allow.
    """

    evaluation: Evaluation


@remembered
def analyse(data: Dataset, settings: MeasuresSettings) -> MeasuresAnalysis:
    """Means, values of every query, definitions of the measures, and what could not be computed.

    Args:
        data: Rankings and recorded outputs, with what measures of them need.
        settings: Measures, queries, depth, target.

    Raises:
        InputError: Nothing joins.
        UsageError: No measure is asked for, one is not known, or the data lack what it needs.
    """
    if not ranked_and_answered(data):
        raise UsageError("nothing to measure: give RUN or --outputs FILE")
    cut, _, cuts = at_depth(data, settings.depth)
    evaluation = evaluated(
        cut, settings.measures, settings.against, refuse=not settings.leave_out, missing=settings.missing_queries
    )
    tables = measured_tables(
        evaluation,
        measures=parse_measures(list(settings.measures)),
        seed=settings.seed,
        facts=facts(data, settings.against),
        factors=factors_of_scored(evaluation, ranked_and_answered(cut), data.systems or {}),
    )
    extra = (*TIE_COLUMNS, "labels")
    read = [name for name in (*RESULT_COLUMNS, *extra) if name in tables["means"].keys]
    return MeasuresAnalysis(
        findings=(first_mean(tables["means"]),) if evaluation.averaged else (),
        tables=tables,
        printed={"means": read},
        notes=(*cuts, *evaluation.notes),
        evaluation=evaluation,
    )


def first_mean(means: Table) -> Finding:
    """The first mean that has an interval, else the first: which is the largest was not asked, and is not tested."""
    rows = polars_frame(means)
    row = rows.sort(pl.col("low").is_null(), maintain_order=True).row(0, named=True)
    systems, measures = (rows[key].n_unique() for key in ("system", "measure"))
    keys = ("system", "measure", "value", "low", "high", "n_queries")
    return Finding(
        mean_words(*(row[key] for key in keys)),
        f"Below: {plural(rows.height, 'mean')} of {plural(systems, 'system')} by {plural(measures, 'measure')}.",
    )
