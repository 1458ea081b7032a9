"""Systems minus a baseline, measure by measure, paired by query, with what unjudged documents could change of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.display.words import listing
from fairviz.errors import UsageError
from fairviz.evaluation.compare import AREA, Areas, Comparison, against_baseline, corrected, every_two
from fairviz.evaluation.evaluate import TIE_COLUMNS, evaluated, factors_of_scored
from fairviz.evaluation.systems import at_depth, ranked_and_answered, system_called
from fairviz.evaluation.tables import compared_tables
from fairviz.metrics.catalogue import parse_measure, parse_measures
from fairviz.model import Curve, Dataset, RagOutputs
from fairviz.points.limits import (
    QUERIES,
    READ,
    exit_code,
    headline,
    judge_all,
    limit_of_worse,
    limits_table,
    measured_by,
)
from fairviz.points.members import Member, member_curves, members
from fairviz.points.summary import compared_areas
from fairviz.remembered import remembered
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.shared import OfScores
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
    limits = [limit_of_worse(text) for text in settings.fail_if]
    measures = [*settings.measures, *(limit.quantity for limit in limits)]
    evaluation = evaluated(cut, measures, settings.against, refuse=not settings.leave_out)
    firsts = [
        next((system.system for system in systems if isinstance(system, RagOutputs) is side), "")
        for side in (False, True)
    ]
    baselines = (baseline,) if baseline else tuple(filter(None, firsts))
    table = cut.systems or {}
    compared = against_baseline(
        evaluation,
        systems,
        parse_measures(measures),
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
    if (areas := _areas(data, settings, baselines)) is not None:
        rows = corrected([*areas.compared, *(two or compared.rows)])
        two, compared = (rows, compared) if two else (two, compared._replace(rows=rows))
    tables = compared_tables(
        evaluation,
        compared.rows,
        compared.pairs,
        two=two,
        seed=settings.seed,
        factors=factors_of_scored(evaluation, systems, table),
        depth=depth,
        areas=areas,
    )
    columns = [name for name in (*PRINTED, *TIE_COLUMNS, "labels") if name in tables["compared"].keys]
    judged = judge_all(
        [
            (limit, measured_by(row.system, row.difference, row.interval, row.n_queries, QUERIES))
            for limit in limits
            for row in compared.rows
            if row.measure == parse_measure(limit.quantity).shown
        ]
    )
    several = len({row.reference for row in compared.rows}) > 1
    printed = {"compared": [columns[0], "reference", *columns[1:]] if several else columns}
    return Analysis(
        tables={**tables, "limits": limits_table(judged)} if limits else tables,
        findings=(headline(judged),) if judged else (),
        printed={**printed, "limits": READ} if limits else printed,
        code=exit_code(judged),
        notes=(*cuts, *evaluation.notes, *compared.notes),
    )


def _areas(data: Dataset, settings: BaselineSettings, baselines: Sequence[str]) -> Areas | None:
    """Areas under the Plackett–Luce curves of the runs of the baseline's task; None where nobody asks, or there is one.

    Where every two systems are tested, each is the baseline of those after it in turn.

    Args:
        data: Rankings and judgements, lists cut.
        settings: With k of the areas.
        baselines: What the others are compared with.
    """
    if settings.auc is None:
        return None
    of_runs = members(data, settings.depth) if data.qrels else ()
    base = next((member for member in of_runs if member.system in baselines), None)
    alike = [member for member in of_runs if base is not None and _beside(member) == _beside(base)]
    if base is None or len(alike) < 2:
        return None
    policies_of = OfScores.of(vars(settings)).policies_of
    several = {member.system for member in of_runs if [other.system for other in of_runs].count(member.system) > 1}
    curves: list[Curve] = []
    for member in sorted(alike, key=lambda member: member is not base):
        (curve, *_), *_ = member_curves(
            data, member, settings.depth, ("plackett-luce",), settings.auc, (), **policies_of
        )
        labels = f" (labels of {member.factors.generator})" if member.system in several else ""
        curves.append(replace(curve, system=member.system + labels))
    compared: list[Comparison] = []
    for first in range(len(curves) - 1) if settings.letters else (0,):
        ordered = [curves[first], *curves[:first], *curves[first + 1 :]]
        made = compared_areas(ordered, rng=np.random.default_rng(settings.seed))
        compared += [gap._replace(measure=AREA + curves[0].y) for gap in made.gaps[first:] if not np.isnan(gap.p)]
    rows = compared_areas(curves, rng=np.random.default_rng(settings.seed)).rows
    means = {system: area for system, area in rows.select("system", "auc").rows() if area is not None}
    low, high = (np.nan if end is None else end for end in rows.select("range_low", "range_high").row(0))
    compared = [gap for gap in compared if settings.letters or settings.system in ("", gap.system)]
    return Areas(AREA + curves[0].y, means, low, high, tuple(compared))


def _beside(member: Member) -> tuple[str | None, str | None, str | None]:
    """What runs have in common whose areas are compared: task, data set, and whose labels they are judged by."""
    return member.factors.task, member.factors.dataset, member.factors.generator
