"""Results of the trade-off as tables: points, areas, intervals of EE-D, EE-D by α, two systems.

Where no query has been left in, numbers are undefined and the rows stay, so that equal settings give equal rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from fairviz.display.table import Column, Table, Term, is_undefined, keyed, labelled
from fairviz.display.words import number, plural
from fairviz.model import Curve, Factors
from fairviz.points.columns import (
    BETWEEN_ALPHAS,
    DISPARITY,
    ENDS,
    P_HOLM,
    QUERIES,
    SPREADS,
    curve_points,
    estimate_columns,
    estimate_rows,
    estimates_caption,
    gap_rows,
    known_factors,
    left_out_words,
    with_ends,
)
from fairviz.points.estimates import Estimates
from fairviz.points.summary import CurveAreas
from fairviz.points.view import POLICY_NAMES
from fairviz.stats.bootstrap import described

BOOTSTRAP = described(seed=0)
NO_FACTORS: Mapping[str, Factors] = {}
"""Systems whose names are all that is known of them."""
P, VERDICT = Column("p", kind="p", audience="programs"), Column("verdict", kind="tone", audience="programs")
SUMMARY = (
    Column("policy"),
    *with_ends("auc", "AUC"),
    *with_ends("slope"),
    Column("range_low", "EE-D from", "number", "programs"),
    Column("range_high", "to", "number", "programs"),
    Column("n_queries", "n", "number"),
    Column("difference", "Δ AUC", "signed"),
    *labelled("interval", difference_low="Δ low", difference_high="Δ high"),
    P,
    P_HOLM,
    VERDICT,
    Column("n_compared", "n of Δ", "number", "programs"),
)
CHANGE = (Column("difference", kind="signed"), *ENDS, P, P_HOLM, VERDICT, QUERIES)


def points_table(curves: Sequence[Curve], factors: Mapping[str, Factors] = NO_FACTORS) -> Table:
    """One row per point, curve after curve; undefined without a value, an α, or scores.

    Where points are estimated between recorded ones, every row says whether it is, and from how many answers.
    """
    x, y = (curves[0].x, curves[0].y) if curves else ("EED", "EER")
    made_of, points = _made_of(curve_points(curves), factors)
    marks = keyed("estimated", "n_effective") if points["estimated"].any() else ()
    columns = (
        *made_of,
        *keyed("policy", "alpha", _key(x)),
        Column(_key(y), "" if y == _key(y) else y),  # for people with how relevance was counted
        *keyed("score", "n_queries", "n_undefined", "n_samples"),
        *marks,
    )
    named = points.rename({"x": _key(x), "y": _key(y)})
    return Table.of(named, columns, f"Mean EE-D and {y} of each point", audience="programs")


def points_at(points: Table, alpha: float) -> Table:
    """The points of every system and policy at one α, and of those that have none: rows of :func:`points_table`."""
    index = points.keys.index("alpha")
    x, y = points.keys[index + 1 : index + 3]
    table = replace(points, rows=tuple(row for row in points.rows if row[index] == alpha or is_undefined(row[index])))
    measure = points.columns[index + 2].heading
    chosen = table.select(["system", "policy", x, y])
    return replace(
        chosen,
        rows=tuple((row[0], _policy_term(str(row[1])), *row[2:]) for row in chosen.rows),
        caption=f"Mean EE-D and {measure} of every policy at α = {alpha:g}, and of those without α",
    )


def _policy_term(policy: str) -> Term:
    return Term(policy, POLICY_NAMES.get(policy, policy))


def _made_of(rows: pl.DataFrame, factors: Mapping[str, Factors]) -> tuple[list[Column], pl.DataFrame]:
    """Columns of what is known of systems beside their names, and the rows with them."""
    names = known_factors(factors.values())
    factor_columns = {name: [getattr(own, name) for own in factors.values()] for name in names}
    systems = pl.DataFrame(
        {"system": list(factors), **factor_columns}, schema=dict.fromkeys(("system", *names), pl.String)
    )
    columns = [Column("system"), *(Column(name, audience="programs") for name in names)]
    return columns, rows.join(systems, on="system", how="left", maintain_order="left")


def summary_table(areas: CurveAreas, *, quality: str, factors: Mapping[str, Factors] = NO_FACTORS) -> Table:
    """AUC and slope of each curve, with intervals, over the range that all of them cover; each AUC minus the first."""
    renamed = {"low": "difference_low", "high": "difference_high", "n_queries": "n_compared"}
    gaps = gap_rows(areas.gaps).drop("system").rename(renamed).with_row_index(offset=1)
    made_of, rows = _made_of(areas.rows.with_row_index(), factors)
    low, high = rows.select("range_low", "range_high").row(0) if rows.height else (None, None)
    narrow = left_out_words(areas.left_out)
    over = (
        "undefined, since no range of EE-D is common" if low is None else f"EE-D {number(low, 2)} to {number(high, 2)}"
    )
    table = Table.of(
        rows.join(gaps, on="index", how="left", maintain_order="left"),  # the first is compared with nothing
        (*made_of, *SUMMARY),
        f"Mean {quality} under the curve along α and slope, {over}; "
        f"{BOOTSTRAP}; Δ: minus the first, paired by query, Holm over {plural(gaps['p_holm'].count(), 'difference')}"
        + (f"; {narrow}" if narrow else ""),
    )
    index = table.keys.index("policy")
    named = ((*row[:index], _policy_term(str(row[index])), *row[index + 1 :]) for row in table.rows)
    return replace(table, rows=tuple(named))


def intervals_table(rows: pl.DataFrame, *, quality: str, test: str) -> Table:
    """Quality by interval of EE-D against the deterministic list."""
    return Table.of(
        rows,
        (*DISPARITY, Column("quality", quality, "number"), *CHANGE, Column("n_points", "points", "number")),
        f"{quality} by interval of EE-D minus that of the deterministic list; {test}, "
        f"Holm over {plural(rows['p_holm'].count(), 'test')}; {BOOTSTRAP}",
    )


def spreads_table(spreads: pl.DataFrame) -> Table:
    """Distribution of EE-D over queries at each α."""
    return Table.of(spreads, (*SPREADS, Column("n_queries", "n", "number")), "EE-D over queries at each α")


def alpha_tests_table(tests: pl.DataFrame) -> Table:
    """Paired t-tests of EE-D between every two α."""
    return Table.of(
        tests,
        (*BETWEEN_ALPHAS, Column("n_queries", "n", "number")),
        f"EE-D at the higher minus the lower α, paired t-test, Holm over {plural(tests['p_holm'].count(), 'pair')}",
    )


def estimates_table(estimates: Estimates) -> Table:
    """What the answers of a system say between the α at which they were recorded."""
    columns, rows = estimate_columns(estimates.utility.measure), estimate_rows(estimates, seed=0)
    return Table(columns, rows, caption=estimates_caption(seed=0))


def _key(measure: str) -> str:
    """Name of a column for programs, the same whatever the measure's parameters."""
    return measure.partition("(")[0].partition("@")[0]
