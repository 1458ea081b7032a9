"""Systems minus a baseline, measure by measure, paired by query, with what unjudged documents could change of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from fairviz.display.table import Marked, Table, Tables, records
from fairviz.display.words import Finding, listing, plural, signed
from fairviz.errors import UsageError
from fairviz.evaluation.compare import AREA, Areas, Comparison, against_baseline, corrected, every_two, improves
from fairviz.evaluation.evaluate import TIE_COLUMNS, evaluated, factors_of_scored
from fairviz.evaluation.systems import at_depth, baselines_called, ranked_and_answered, system_called
from fairviz.evaluation.tables import (
    BETTER,
    compared_queries_table,
    comparison_table,
    of_systems,
    wide_table,
    with_labels,
)
from fairviz.metrics.catalogue import parse_measure, parse_measures
from fairviz.model import Curve, Dataset, Note, RagOutputs
from fairviz.points.conditions import Member, members
from fairviz.points.exact import exact_curve
from fairviz.points.limits import (
    PAIRED_QUERIES,
    READ,
    exit_code,
    headline,
    judge_all,
    limit_of_worse,
    limits_table,
    measured_by,
)
from fairviz.points.summary import CurveAreas, compared_areas
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import corrected_interval
from fairviz.stats.tests import SIGNIFICANCE
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
    baselines = baselines_called(cut, settings.baseline)
    limits = [limit_of_worse(text) for text in settings.fail_if]
    measures = [*settings.measures, *(limit.quantity for limit in limits)]
    evaluation = evaluated(cut, measures, settings.against, refuse=not settings.leave_out)
    firsts = [
        next((system.system for system in systems if isinstance(system, RagOutputs) is side), "")
        for side in (False, True)
    ]
    baselines = baselines or tuple(filter(None, firsts))
    table = cut.systems or {}
    rows, pairs, left_out = against_baseline(
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
        every = corrected([*areas.compared, *(two or rows)])
        two, rows = (every, rows) if two else (two, every)
    factors = factors_of_scored(evaluation, systems, table)
    compared = comparison_table(rows, seed=settings.seed, judged=evaluation.judged, depth=depth)
    wide = wide_table(evaluation, two or rows, pairs=bool(two), areas=areas, depth=depth)
    tables = Tables(
        {
            "compared": of_systems(compared, evaluation, factors),
            "compared-queries": lambda: of_systems(compared_queries_table(pairs), evaluation, factors),
            "wide": with_labels(wide, evaluation.judged),
        }
    )
    columns = [name for name in (*PRINTED, *TIE_COLUMNS, "labels") if name in tables["compared"].keys]
    judged = judge_all(
        [
            (limit, measured_by(row.system, row.difference, row.interval, row.n_queries, PAIRED_QUERIES))
            for limit in limits
            for row in rows
            if row.measure == parse_measure(limit.quantity).shown
        ]
    )
    several = len({row.reference for row in rows}) > 1
    printed = {"compared": [columns[0], "reference", *columns[1:]] if several else columns}
    return Analysis(
        tables={**tables, "limits": limits_table(judged)} if limits else tables,
        findings=(*([headline(judged)] if judged else []), compared_finding(tables, baselines[0])),
        printed={**printed, "limits": READ} if limits else printed,
        code=exit_code(judged),
        notes=(*cuts, *evaluation.notes, *left_out, *(areas.notes if areas else ())),
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
        curve = exact_curve(data, member.seen(depth=settings.depth, k=settings.auc, **policies_of))
        labels = f" (labels of {member.factors.generator})" if member.system in several else ""
        curves.append(replace(curve, system=member.system + labels))
    compared: list[Comparison] = []
    made: list[CurveAreas] = []
    for first in range(len(curves) - 1) if settings.letters else (0,):
        ordered = [curves[first], *curves[:first], *curves[first + 1 :]]
        made.append(compared_areas(ordered, rng=np.random.default_rng(settings.seed)))
        gaps = made[-1].gaps[first:]
        compared += [gap._replace(measure=AREA + curves[0].y) for gap in gaps if not np.isnan(gap.p)]
    rows = made[0].rows
    means = {system: area for system, area in rows.select("system", "auc").rows() if area is not None}
    low, high = (np.nan if end is None else end for end in rows.select("range_low", "range_high").row(0))
    compared = [gap for gap in compared if settings.letters or settings.system in ("", gap.system)]
    name = AREA + curves[0].y
    without = [system for system in rows["system"] if system not in means]
    notes = tuple(Note(system, None, f"{name}: none over a range of EE-D that curves share") for system in without)
    return Areas(name, means, low, high, tuple(compared), notes)


def _beside(member: Member) -> tuple[str | None, str | None, str | None]:
    """What runs have in common whose areas are compared: task, data set, and whose labels they are judged by."""
    return member.factors.task, member.factors.dataset, member.factors.generator


# What may be said of the main table of a comparison: who is first, and what of it is significant.


def compared_finding(tables: Mapping[str, Table], baseline: str) -> Finding:
    """Of one measure that is better when higher, the largest difference that is certain; else who is first in how many.

    Args:
        tables: With ``wide``, and ``compared`` of at least one row.
        baseline: What the first systems are compared with.
    """
    wide, compared = tables["wide"], tables["compared"]
    families = {(str(row["reference"]), str(row["measure"])) for row in records(compared)}
    is_single = len(families) == 1 and "letter" not in wide.keys
    is_ranked = is_single and all(improves(measure) == "higher" for _, measure in families)
    return Finding(ranked_title(compared) if is_ranked else wide_title(wide, baseline), f"{compared.caption}.")


def wide_title(table: Table, baseline: str) -> str:
    """Head of the main table: who is first in how many measures, each in its own sense, and what of it is significant.

    Nothing is said of a first one where no cell differs significantly from the baseline.

    Args:
        table: See :func:`wide_table`.
        baseline: What the others are compared with; of every two systems nothing asks for it.
    """
    in_pairs = "letter" in table.keys
    named = ("system", "letter", "labels")
    columns = [
        (column.key, list(cells))
        for column, *cells in zip(table.columns, *table.rows, strict=True)
        if column.key not in named
    ]
    systems, marks = [str(row[0]) for row in table.rows], dict[str, list[str]]()
    for system, row in zip(systems, table.rows, strict=True):
        marks[system] = [cell.mark for cell in row[1:] if isinstance(cell, Marked)]
    if not any(mark for of in marks.values() for mark in of):
        return "No two systems differ significantly" if in_pairs else f"No cell differs significantly from {baseline}"
    firsts, shared = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for measure, cells in columns:
        marked_cells = {system: cell for system, cell in zip(systems, cells, strict=True) if isinstance(cell, Marked)}
        worth = {system: _worth(measure, float(cell)) for system, cell in marked_cells.items()}
        best = [system for system, own in worth.items() if own == max(worth.values())]
        for system in best:
            firsts[system] += 1
            shared[system] += len(best) > 1
    name, n = max(firsts, key=lambda system: firsts[system]), len(columns)
    if firsts[name] <= n / 2:
        return f"No system is first in more than half of {plural(n, 'measure')}"
    every = "the one measure" if n == 1 else f"all {n} measures"
    first = f"{name} is first in {every if firsts[name] == n else f'{firsts[name]} of {n} measures'}"
    first += f", tied in {shared[name]}" if shared[name] else ""
    if in_pairs:
        n_above_all = sum(len(mark) == len(systems) - 1 for mark in marks[name])
        return f"{first}; significantly better than every other system in {n_above_all or 'none'}"
    if name == baseline:
        return first
    return f"{first}; significantly better than {baseline} in {marks[name].count(BETTER) or 'none'}"


def _worth(measure: str, mean: float) -> float:
    """A mean, turned so that more is closer to the measure's own ideal."""
    best = improves(measure)
    return mean if best == "higher" else -mean if best == "lower" else -abs(mean)


def ranked_title(compared: Table) -> str:
    """Who ranks better than the baseline, or worse, by one measure: the largest difference that is certain.

    Certain is one whose interval, which holds for all tests of the table at once, leaves 0 out; where any is
    significant by Holm, one is.

    Args:
        compared: Systems minus one baseline by one measure, see :func:`comparison_table`; at least one row.
    """
    rows = [dict(zip(compared.keys, row, strict=True)) for row in compared.rows]
    baseline, measure = rows[0]["reference"], rows[0]["measure"]
    tested = [row for row in rows if row["verdict"] != "too few to test"]
    apart = [row for row in tested if row["verdict"] in ("higher", "lower")]
    if not tested:
        return f"Too few queries to say who ranks better than {baseline}"
    if not apart:
        others = plural(len(tested), "other system") if len(tested) > 1 else str(tested[0]["system"])
        return f"No significant difference in {measure} between {baseline} and {others}"
    certain = [row for row in apart if cast("float", row["p"]) * len(tested) < SIGNIFICANCE]
    better = [row for row in certain if row["verdict"] == "higher"]
    row = max(better or certain, key=lambda row: abs(cast("float", row["difference"])))
    difference, p, n = (cast("float", row[name]) for name in ("difference", "p", "n_queries"))
    low, high = corrected_interval(difference, p, int(n), len(tested))
    ends = f" ({signed(low)} to {signed(high)})" if low == low else ""
    way = "better" if better else "worse"
    return f"{row['system']} ranks {way} than {baseline}: {signed(difference)} {measure}{ends}"
