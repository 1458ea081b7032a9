"""Results of the trade-off as tables: points, areas, intervals of EE-D, EE-D by α, two systems.

Where no query has been left in, numbers are undefined and the rows stay, so that equal settings give equal rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairviz.display.table import Cell, Column, Table, Term, is_undefined, keyed
from fairviz.display.words import number, plural
from fairviz.evaluation.joins import JudgedAs
from fairviz.evaluation.tables import with_labels
from fairviz.model import Curve, Factors, ScoreScale
from fairviz.points.columns import estimate_columns, estimate_rows, estimated_marks, estimates_caption
from fairviz.points.curves import CurveComparison
from fairviz.points.estimates import Estimates
from fairviz.points.intervals import AlphaTest, IntervalRow, Spread
from fairviz.points.summary import AreaGap, CurveAreas
from fairviz.points.view import POLICY_NAMES
from fairviz.points.words import left_out_words, with_policy
from fairviz.stats.bootstrap import described

# EU, EAR and EAE-D between the recorded α as rows: what is shown, how sure it is, and what is refused.


def estimates_table(estimates: Estimates, *, seed: int = 0) -> Table:
    """One row per α that was asked about, those that are refused among them."""
    columns = estimate_columns(estimates.utility.measure)
    return Table(columns, estimate_rows(estimates, seed=seed), caption=estimates_caption(seed=seed))


BOOTSTRAP = described(seed=0)

MADE_OF = ("task", "dataset", "retriever", "generator")
"""Factors of a system; its policy has a column anyway."""
NONE_SAID: Mapping[str, Factors] = {}
"""Systems whose names are all that is known of them."""
SUMMARY = (
    Column("system"),
    Column("policy"),
    Column("auc", "AUC", "number"),
    Column("auc_low", "AUC low", "interval"),
    Column("auc_high", "AUC high", "interval"),
    Column("slope", kind="number"),
    Column("slope_low", "slope low", "interval"),
    Column("slope_high", "slope high", "interval"),
    Column("range_low", "EE-D from", "number", "programs"),
    Column("range_high", "to", "number", "programs"),
    Column("n_queries", "n", "number"),
    Column("difference", "Δ AUC", "signed"),
    Column("difference_low", "Δ low", "interval"),
    Column("difference_high", "Δ high", "interval"),
    Column("p", kind="p", audience="programs"),
    Column("p_holm", "p (Holm)", "p"),
    Column("verdict", kind="tone", audience="programs"),
    Column("n_compared", "n of Δ", "number", "programs"),
)

DIFFERENCE = (
    Column("difference", kind="signed"),
    Column("low", kind="signed"),
    Column("high", kind="signed"),
    Column("p", kind="p", audience="programs"),
    Column("p_holm", "p (Holm)", "p"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeoffResults:
    """What is known of the trade-off of some systems; None = not measured.

    Attributes:
        curves: Every curve, the highlighted one first.
        areas: AUC and slope.
        intervals: Quality by interval of EE-D.
        spreads: EE-D over queries at each α of the highlighted curve.
        alpha_tests: Tests between these α.
        comparison: One system's curve minus another's.
        estimates: Of the highlighted system between the α at which its answers were recorded.
        judged: What the systems of the curves were judged by.
        quality: What stands on the y axis, as people read it.
        test: The test against the deterministic list, as people read it.
        factors: By name, what a system is made of: columns for programs, where the name only says it to people.
        scores, offset: How scores became a policy; named in every table where it is not as in the published code.
    """

    curves: Sequence[Curve] | None = None
    judged: Sequence[JudgedAs] = ()
    areas: CurveAreas | None = None
    intervals: Sequence[IntervalRow] | None = None
    spreads: Sequence[Spread] | None = None
    alpha_tests: Sequence[AlphaTest] | None = None
    comparison: CurveComparison | None = None
    estimates: Estimates | None = None
    quality: str = ""
    test: str = ""
    factors: Mapping[str, Factors] = field(default_factory=lambda: NONE_SAID)
    scores: ScoreScale = "given"
    offset: float = 1.0


def points_table(curves: Sequence[Curve], factors: Mapping[str, Factors] = NONE_SAID) -> Table:
    """One row per point, curve after curve; NaN = undefined, no α, or no scores.

    Where points are estimated between recorded ones, every row says whether it is, and from how many answers.
    """
    said = _said(factors)
    x, y = (curves[0].x, curves[0].y) if curves else ("EED", "EER")
    marks = keyed("estimated", "n_effective") if any(curve.n_effective is not None for curve in curves) else ()
    return Table(
        (
            Column("system"),
            *said,
            *keyed("policy", "alpha", _key(x)),
            Column(_key(y), "" if y == _key(y) else y),  # for people with how relevance was counted
            *keyed("score", "n_queries", "n_undefined", "n_samples"),
            *marks,
        ),
        tuple(
            (system, *_factor_cells(said, factors, curve.system), *cells, *mark[: len(marks)])
            for curve in curves
            for (system, *cells), mark in zip(_points(curve), estimated_marks(curve), strict=True)
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
        rows=tuple(
            (row[0], Term(str(row[1]), POLICY_NAMES.get(str(row[1]), str(row[1]))), *row[2:]) for row in chosen.rows
        ),
        caption=f"Mean EE-D and {measure} of every policy at α = {alpha:g}, and of those without α",
    )


def _policy_term(policy: str) -> Term:
    return Term(policy, POLICY_NAMES.get(policy, policy))


def _said(factors: Mapping[str, Factors]) -> tuple[Column, ...]:
    """A column for each factor that any system has."""
    names = [name for name in MADE_OF if any(getattr(one, name) is not None for one in factors.values())]
    return tuple(Column(name, audience="programs") for name in names)


def _factor_cells(said: Sequence[Column], factors: Mapping[str, Factors], system: str) -> tuple[Cell, ...]:
    own = factors.get(system, Factors())
    return tuple(getattr(own, column.key) for column in said)


def summary_table(areas: CurveAreas, *, quality: str, factors: Mapping[str, Factors] = NONE_SAID) -> Table:
    """AUC and slope of each curve, with intervals, over the range that all of them cover; each AUC minus the first."""
    low, high = (areas.rows[0].low, areas.rows[0].high) if areas.rows else (float("nan"), float("nan"))
    nothing = (None,) * 7  # the first has nothing to be compared with
    said = _said(factors)
    narrow = left_out_words(areas.left_out)
    return Table(
        (SUMMARY[0], *said, *SUMMARY[1:]),
        tuple(
            (
                summary.system,
                *_factor_cells(said, factors, summary.system),
                _policy_term(summary.policy),
                summary.auc,
                *summary.auc_interval,
                summary.slope,
                *summary.slope_interval,
                summary.low,
                summary.high,
                summary.n_queries - summary.n_undefined,
                *(nothing if gap is None else _gap_cells(gap)),
            )
            for summary, gap in zip(areas.rows, (None, *areas.gaps), strict=False)
        ),
        caption=f"Mean {quality} under the curve along α and slope, EE-D {number(low, 2)} to {number(high, 2)}; "
        f"{BOOTSTRAP}; Δ: minus the first, paired by query, Holm over {plural(len(areas.gaps), 'difference')}"
        + (f"; {narrow}" if narrow else ""),
    )


def intervals_table(rows: Sequence[IntervalRow], *, quality: str, test: str) -> Table:
    """Quality by interval of EE-D against the deterministic list."""
    return Table(
        (
            Column("disparity_low", "EE-D from", "number"),
            Column("disparity_high", "to", "number"),
            Column("quality", quality, "number"),
            *DIFFERENCE,
            Column("verdict", kind="tone", audience="programs"),
            Column("n_queries", "queries", "number"),
            Column("n_points", "points", "number"),
        ),
        tuple(
            (
                row.low,
                row.high,
                row.quality,
                row.difference,
                *row.interval,
                row.p,
                row.p_holm,
                row.verdict,
                row.n_queries,
                row.n_points,
            )
            for row in rows
        ),
        caption=f"{quality} by interval of EE-D minus that of the deterministic list; {test}, "
        f"Holm over {plural(sum(row.p_holm == row.p_holm for row in rows), 'test')}; {BOOTSTRAP}",
    )


def spreads_table(spreads: Sequence[Spread]) -> Table:
    """Distribution of EE-D over queries at each α."""
    return Table(
        (
            *keyed("alpha", "mean", "minimum", "quarter", "median"),
            Column("three_quarters", "three quarters", "number"),
            Column("maximum", kind="number"),
            Column("n_queries", "n", "number"),
        ),
        tuple(tuple(spread) for spread in spreads),
        caption="EE-D over queries at each α",
    )


def alpha_tests_table(tests: Sequence[AlphaTest]) -> Table:
    """Paired t-tests of EE-D between every two α."""
    return Table(
        (
            Column("alpha_low", "alpha", "number"),
            Column("alpha_high", "and", "number"),
            Column("difference", kind="signed"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", "p"),
            Column("n_queries", "n", "number"),
        ),
        tuple(tuple(test) for test in tests),
        caption=f"EE-D at the higher minus the lower α, paired t-test, Holm over {plural(len(tests), 'pair')}",
    )


def comparison_table(comparison: CurveComparison) -> Table:
    """A system's curve minus another one's: area first, then points fixed in advance."""
    return Table(
        (
            Column("measure", "Measure"),
            *DIFFERENCE,
            Column("verdict", kind="tone", audience="programs"),
            Column("n_queries", "queries", "number"),
        ),
        (
            _area_row(comparison.area),
            *(
                (row.measure, row.difference, *row.interval, row.p, row.p_holm, row.verdict, row.n_queries)
                for row in comparison.points
            ),
        ),
        caption=f"Two systems, paired by query; Holm over {plural(len(comparison.points), 'point')}, the area as in "
        "its own table",
    )


def tables(results: TradeoffResults) -> dict[str, Table]:
    """Every table that there are results for, by the stem of its file."""
    made: dict[str, Table] = {}
    if results.curves is not None:
        made["curves"] = with_labels(points_table(results.curves, results.factors), results.judged)
    if results.areas is not None:
        areas = summary_table(results.areas, quality=results.quality, factors=results.factors)
        made["areas"] = with_labels(areas, results.judged)
    if results.intervals is not None:
        made["intervals"] = intervals_table(results.intervals, quality=results.quality, test=results.test)
    if results.spreads is not None:
        made["spreads"] = spreads_table(results.spreads)
    if results.alpha_tests is not None:
        made["alpha-tests"] = alpha_tests_table(results.alpha_tests)
    if results.comparison is not None:
        made["comparison"] = comparison_table(results.comparison)
    if results.estimates is not None and results.estimates.alphas.size:
        made["estimates"] = estimates_table(results.estimates)
    return {stem: with_policy(table, results.scores, results.offset) for stem, table in made.items()}


def _points(curve: Curve) -> list[tuple[str | int | float | None, ...]]:
    n_queries = len(curve.query_ids)
    columns = zip(
        curve.alphas.tolist(),
        curve.mean_disparity.tolist(),
        curve.mean_quality.tolist(),
        curve.mean_score.tolist(),
        curve.n_undefined.tolist(),
        strict=True,
    )
    return [
        (curve.system, curve.policy, alpha, x, y, score, n_queries - n_undefined, n_undefined, curve.n_samples)
        for alpha, x, y, score, n_undefined in columns
    ]


def _key(measure: str) -> str:
    """Name of a column for programs, the same whatever the measure's parameters."""
    return measure.partition("(")[0].partition("@")[0]


def _gap_cells(gap: AreaGap) -> tuple[str | int | float | None, ...]:
    return (gap.difference, *gap.interval, gap.p, gap.p_holm, gap.verdict, gap.n_queries)


def _area_row(area: AreaGap) -> tuple[str | int | float | None, ...]:
    return ("AUC", *_gap_cells(area))
