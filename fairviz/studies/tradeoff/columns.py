"""Results of the trade-off as tables: points, areas, intervals of EE-D, EE-D by α, two systems.

Where no query has been left in, numbers are undefined and the rows stay, so that equal settings give equal rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairviz.display.table import Cell, Column, Table, Term, is_undefined, keyed
from fairviz.display.words import number, plural
from fairviz.evaluation.compare import Comparison
from fairviz.model import Curve, Factors
from fairviz.points.columns import (
    BETWEEN_ALPHAS,
    DISPARITY,
    ENDS,
    P_HOLM,
    SPREADS,
    cells,
    estimate_columns,
    estimate_rows,
    estimates_caption,
    known_factors,
    point_rows,
    with_ends,
)
from fairviz.points.estimates import Estimates
from fairviz.points.intervals import AlphaTest, IntervalRow, Spread
from fairviz.points.summary import CurveAreas
from fairviz.points.view import POLICY_NAMES
from fairviz.points.words import left_out_words
from fairviz.stats.bootstrap import described

BOOTSTRAP = described(seed=0)
NONE_SAID: Mapping[str, Factors] = {}
"""Systems whose names are all that is known of them."""
P, VERDICT = Column("p", kind="p", audience="programs"), Column("verdict", kind="tone", audience="programs")
QUERIES = Column("n_queries", "queries", "number")
SUMMARY = (
    Column("policy"),
    *with_ends("auc", "AUC"),
    *with_ends("slope"),
    Column("range_low", "EE-D from", "number", "programs"),
    Column("range_high", "to", "number", "programs"),
    Column("n_queries", "n", "number"),
    Column("difference", "Δ AUC", "signed"),
    Column("difference_low", "Δ low", "interval"),
    Column("difference_high", "Δ high", "interval"),
    P,
    P_HOLM,
    VERDICT,
    Column("n_compared", "n of Δ", "number", "programs"),
)
CHANGE = (Column("difference", kind="signed"), *ENDS, P, P_HOLM, VERDICT, QUERIES)
CHANGES = "difference interval p p_holm verdict n_queries"
"""What the cells of :data:`CHANGE` are."""


def points_table(curves: Sequence[Curve], factors: Mapping[str, Factors] = NONE_SAID) -> Table:
    """One row per point, curve after curve; NaN = undefined, no α, or no scores.

    Where points are estimated between recorded ones, every row says whether it is, and from how many answers.
    """
    made_of = known_factors(factors.values())
    x, y = (curves[0].x, curves[0].y) if curves else ("EED", "EER")
    marks = keyed("estimated", "n_effective") if any(curve.n_effective is not None for curve in curves) else ()
    return Table(
        (
            Column("system"),
            *(Column(name, audience="programs") for name in made_of),
            *keyed("policy", "alpha", _key(x)),
            Column(_key(y), "" if y == _key(y) else y),  # for people with how relevance was counted
            *keyed("score", "n_queries", "n_undefined", "n_samples"),
            *marks,
        ),
        tuple(
            (curve.system, *_made_of(made_of, factors, curve.system), curve.policy, *point[: 7 + len(marks)])
            for curve in curves
            for point in point_rows(curve)
        ),
        caption=f"Mean EE-D and {y} of each point",
        audience="programs",
    )


def points_at(points: Table, alpha: float) -> Table:
    """The points of every system and policy at one α, and of those that have none: rows of :func:`points_table`."""
    place = points.keys.index("alpha")
    x, y = points.keys[place + 1 : place + 3]
    there = replace(points, rows=tuple(row for row in points.rows if row[place] == alpha or is_undefined(row[place])))
    measure = points.columns[place + 2].heading
    chosen = there.select(["system", "policy", x, y])
    return replace(
        chosen,
        rows=tuple((row[0], _policy_term(str(row[1])), *row[2:]) for row in chosen.rows),
        caption=f"Mean EE-D and {measure} of every policy at α = {alpha:g}, and of those without α",
    )


def _policy_term(policy: str) -> Term:
    return Term(policy, POLICY_NAMES.get(policy, policy))


def _made_of(names: Sequence[str], factors: Mapping[str, Factors], system: str) -> tuple[Cell, ...]:
    return cells(factors.get(system, Factors()), " ".join(names))


def summary_table(areas: CurveAreas, *, quality: str, factors: Mapping[str, Factors] = NONE_SAID) -> Table:
    """AUC and slope of each curve, with intervals, over the range that all of them cover; each AUC minus the first."""
    low, high = (areas.rows[0].low, areas.rows[0].high) if areas.rows else (float("nan"), float("nan"))
    made_of, narrow = known_factors(factors.values()), left_out_words(areas.left_out)
    return Table(
        (Column("system"), *(Column(name, audience="programs") for name in made_of), *SUMMARY),
        tuple(
            (
                row.system,
                *_made_of(made_of, factors, row.system),
                _policy_term(row.policy),
                *cells(row, "auc auc_interval slope slope_interval low high n_defined"),
                *((None,) * 7 if row.gap is None else cells(row.gap, CHANGES)),  # the first is compared with nothing
            )
            for row in areas.rows
        ),
        caption=f"Mean {quality} under the curve along α and slope, EE-D {number(low, 2)} to {number(high, 2)}; "
        f"{BOOTSTRAP}; Δ: minus the first, paired by query, Holm over {plural(len(areas.gaps), 'difference')}"
        + (f"; {narrow}" if narrow else ""),
    )


def intervals_table(rows: Sequence[IntervalRow], *, quality: str, test: str) -> Table:
    """Quality by interval of EE-D against the deterministic list."""
    return Table(
        (*DISPARITY, Column("quality", quality, "number"), *CHANGE, Column("n_points", "points", "number")),
        tuple(cells(row, f"low high quality {CHANGES} n_points") for row in rows),
        caption=f"{quality} by interval of EE-D minus that of the deterministic list; {test}, "
        f"Holm over {plural(sum(row.p_holm == row.p_holm for row in rows), 'test')}; {BOOTSTRAP}",
    )


def spreads_table(spreads: Sequence[Spread]) -> Table:
    """Distribution of EE-D over queries at each α."""
    columns = (*SPREADS, Column("n_queries", "n", "number"))
    return Table(columns, tuple(map(tuple, spreads)), caption="EE-D over queries at each α")


def alpha_tests_table(tests: Sequence[AlphaTest]) -> Table:
    """Paired t-tests of EE-D between every two α."""
    return Table(
        (*BETWEEN_ALPHAS, Column("n_queries", "n", "number")),
        tuple(map(tuple, tests)),
        caption=f"EE-D at the higher minus the lower α, paired t-test, Holm over {plural(len(tests), 'pair')}",
    )


def comparison_table(area: Comparison, points: Sequence[Comparison]) -> Table:
    """A system's curve minus another one's: area first, then points fixed in advance."""
    rows = (("AUC", area), *((point.measure, point) for point in points))
    return Table(
        (Column("measure", "Measure"), *CHANGE),
        tuple((measure, *cells(row, CHANGES)) for measure, row in rows),
        caption=f"Two systems, paired by query; Holm over {plural(len(points), 'point')}, the area as in its own table",
    )


def estimates_table(estimates: Estimates) -> Table:
    """What the answers of a system say between the α at which they were recorded."""
    columns, rows = estimate_columns(estimates.utility.measure), estimate_rows(estimates, seed=0)
    return Table(columns, rows, caption=estimates_caption(seed=0))


def _key(measure: str) -> str:
    """Name of a column for programs, the same whatever the measure's parameters."""
    return measure.partition("(")[0].partition("@")[0]
