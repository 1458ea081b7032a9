"""Tables of disparity–quality curves, for papers and files."""

from collections.abc import Sequence

from fairviz.model import Curve
from fairviz.show.table import Table, keyed
from fairviz.studies.tradeoff.findings import POLICY_NAMES
from fairviz.studies.tradeoff.intervals import AlphaTest, IntervalRow, Spread
from fairviz.studies.tradeoff.summary import CurveSummary

BOOTSTRAP = "95 % percentile bootstrap over queries, 2,000 resamples, seed 0"


def curve_content(curves: Sequence[Curve]) -> Table:
    """One row per point of each curve, with the columns of ``fairviz curve``."""
    axes = (curves[0].x, curves[0].y) if curves else ("EED", "EER")
    return Table(
        keyed("system", "policy", "alpha", *axes, "score", "n_queries", "n_undefined", "n_samples"),
        tuple(row for curve in curves for row in _points(curve)),
        caption="Mean disparity and quality of each point",
    )


def area_content(areas: Sequence[CurveSummary], *, quality: str) -> Table:
    """AUC and slope of each curve, with intervals."""
    low, high = (areas[0].low, areas[0].high) if areas else (float("nan"), float("nan"))
    return Table(
        keyed("system", "policy", "AUC", "AUC low", "AUC high", "slope", "slope low", "slope high", "n"),
        tuple(
            (
                each.system,
                POLICY_NAMES.get(each.policy, each.policy),
                each.auc,
                *each.auc_interval,
                each.slope,
                *each.slope_interval,
                each.n_queries - each.n_undefined,
            )
            for each in areas
        ),
        caption=f"Mean {quality} under the curve and slope, EE-D {low:.2f} to {high:.2f}; {BOOTSTRAP}",
    )


def change_content(rows: Sequence[IntervalRow], *, quality: str, test: str) -> Table:
    """Quality by interval of EE-D against the deterministic list."""
    return Table(
        keyed(
            "EE-D from",
            "to",
            quality,
            "difference",
            "low",
            "high",
            "p",
            "p (Holm)",
            "verdict",
            "queries",
            "points",
            signed=("difference", "low", "high"),
            p=("p", "p (Holm)"),
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
        f"Holm over the table; {BOOTSTRAP}",
    )


def spread_content(spreads: Sequence[Spread]) -> Table:
    """Distribution of EE-D over queries at each α."""
    return Table(
        keyed("alpha", "mean", "minimum", "quarter", "median", "three quarters", "maximum", "n"),
        tuple(tuple(spread) for spread in spreads),
        caption="EE-D over queries at each α",
    )


def alpha_content(tests: Sequence[AlphaTest]) -> Table:
    """Paired t-tests of EE-D between every two α."""
    return Table(
        keyed("alpha", "and", "difference", "p", "p (Holm)", "n", signed=("difference",), p=("p", "p (Holm)")),
        tuple(tuple(test) for test in tests),
        caption="EE-D at the higher minus the lower α, paired t-test, Holm over the table",
    )


def _points(curve: Curve) -> list[tuple[str | int | float | None, ...]]:
    n = len(curve.query_ids)
    columns = zip(
        curve.alphas.tolist(),
        curve.mean_disparity.tolist(),
        curve.mean_quality.tolist(),
        curve.mean_score.tolist(),
        curve.n_undefined.tolist(),
        strict=True,
    )
    return [
        (curve.system, curve.policy, alpha, x, y, score, n, missing, curve.n_samples)
        for alpha, x, y, score, missing in columns
    ]
