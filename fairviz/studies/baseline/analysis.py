"""Systems minus a baseline, measure by measure, paired by query, with what unjudged documents could change of it."""

from fairviz.display.words import listing
from fairviz.errors import UsageError
from fairviz.evaluation.compare import against_baseline, every_two
from fairviz.evaluation.evaluate import TIE_COLUMNS, evaluated, factors_of_scored
from fairviz.evaluation.systems import at_depth, ranked_and_answered, system_called
from fairviz.evaluation.tables import compared_tables
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, RagOutputs
from fairviz.remembered import remembered
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.study import Analysis

PRINTED = ("system", "measure", "difference", "low", "high", "p_holm", "verdict", "n_queries", "wins", "ties", "losses")
"""Columns that a terminal has room for; whom all are compared with stands above them."""


@remembered
def analyse(data: Dataset, settings: BaselineSettings) -> Analysis:
    """Differences with intervals and tests over one table, and both values of every query.

    Args:
        data: Rankings and recorded outputs, with what measures of them need.
        settings: Measures, baseline, depth, target.

    Raises:
        InputError: Nothing joins.
        UndefinedError: There is no query with a value in common.
        UsageError: There are fewer than two systems, or a name is none of them.
    """
    cut, depth, cuts = at_depth(data, settings.depth)
    systems = ranked_and_answered(cut)
    if len(systems) < 2:
        why = f"; {listing([system.system for system in data.unjoined])} joins no judgements" if data.unjoined else ""
        raise UsageError(f"nothing to compare: give two or more RUN, or two or more --outputs FILE{why}")
    baseline = system_called(cut, "baseline", settings.baseline)
    evaluation = evaluated(cut, settings.measures, settings.against, refuse=not settings.leave_out)
    firsts = [
        next((system.system for system in systems if isinstance(system, RagOutputs) is side), "")
        for side in (False, True)
    ]
    baselines = (baseline,) if baseline else tuple(filter(None, firsts))
    table = cut.systems or {}
    compared = against_baseline(
        evaluation,
        systems,
        parse_measures(list(settings.measures)),
        baselines,
        only=system_called(cut, "system", settings.system),
        judged_by=settings.judged_by,
        table=table,
        seed=settings.seed,
    )
    two = (
        every_two(evaluation, systems, judged_by=settings.judged_by, table=table, seed=settings.seed)
        if settings.letters
        else ()
    )
    tables = compared_tables(
        evaluation,
        compared.rows,
        compared.pairs,
        two=two,
        seed=settings.seed,
        factors=factors_of_scored(evaluation, systems, table),
        depth=depth,
    )
    columns = [name for name in (*PRINTED, *TIE_COLUMNS, "labels") if name in tables["compared"].keys]
    several = len({row.reference for row in compared.rows}) > 1
    return Analysis(
        tables=tables,
        printed={"compared": [columns[0], "reference", *columns[1:]] if several else columns},
        notes=(*cuts, *evaluation.notes, *compared.notes),
    )
