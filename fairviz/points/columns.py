"""Columns that tables of several studies have, and the cells of a result: areas, intervals, tests, estimates."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

import polars as pl

from fairviz.display.table import Audience, Cell, Column, Table
from fairviz.display.words import number
from fairviz.evaluation.compare import Comparison
from fairviz.model import Curve, Factors
from fairviz.points.estimates import LEAST_EFFECTIVE, Estimates
from fairviz.stats.bootstrap import Interval, described

MADE_OF = ("task", "dataset", "retriever", "generator")
"""Factors of a system, in the order of columns; its policy stands apart."""
ENDS = (Column("low", kind="signed"), Column("high", kind="signed"))
P_HOLM = Column("p_holm", "p (Holm)", "p")
TESTED = (Column("p", kind="p"), P_HOLM, Column("verdict", kind="tone"))
DISPARITY = (Column("disparity_low", "EE-D from", "number"), Column("disparity_high", "to", "number"))
"""Ends of an interval of EE-D."""
BETWEEN_ALPHAS = (
    Column("alpha_low", "alpha", "number"),
    Column("alpha_high", "and", "number"),
    Column("difference", kind="signed"),
    Column("p", kind="p"),
    P_HOLM,
)
"""A test of EE-D between two α."""


CURVE_POINTS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("system", "policy"), pl.String),
    **dict.fromkeys(("alpha", "x", "y", "score"), pl.Float64),
    **dict.fromkeys(("n_queries", "n_undefined", "n_samples"), pl.Int64),
    **{"estimated": pl.Boolean, "n_effective": pl.Float64},
}
"""Columns of :func:`curve_points`."""
SPREADS = (
    Column("alpha"),
    *(Column(name, kind="number") for name in ("mean", "minimum", "quarter", "median")),
    Column("three_quarters", "three quarters", "number"),
    Column("maximum", kind="number"),
)
"""EE-D over queries at an α."""


def with_ends(key: str, label: str = "", ends: str = "") -> tuple[Column, Column, Column]:
    """A value and the ends of its interval; ``ends`` is what these are called where it is not the value's label."""
    called = ends or label or key
    return (
        Column(key, label, "number"),
        Column(f"{key}_low", f"{called} low", "interval"),
        Column(f"{key}_high", f"{called} high", "interval"),
    )


def cells(result: object, names: str) -> tuple[Cell, ...]:
    """Some attributes of a result as cells, an interval as its two ends; names stand apart by blanks.

    Examples:
        >>> from fairviz.stats.bootstrap import PairedDifference
        >>> cells(PairedDifference(0.5, Interval(0.25, 0.75), 12), "n_queries difference interval")
        (12, 0.5, 0.25, 0.75)
    """
    values = (attrgetter(name)(result) for name in names.split())
    return tuple(cell for value in values for cell in (value if isinstance(value, Interval) else (value,)))


def framed(rows: pl.DataFrame, columns: Iterable[Column], caption: str, *, audience: Audience = "all") -> Table:
    """The columns of a frame that are declared, as a table."""
    declared = tuple(columns)
    return Table(declared, tuple(rows.select(one.key for one in declared).rows()), caption=caption, audience=audience)


def gap_rows(gaps: Sequence[Comparison]) -> pl.DataFrame:
    """Differences as rows of :data:`CHANGE`, with the names of both systems and the measure."""
    names = ("system", "reference", "measure", "difference", "p", "p_holm", "verdict", "n_queries", "n_left_out")
    schema = dict.fromkeys(names, pl.Float64) | dict.fromkeys(("system", "reference", "measure", "verdict"), pl.String)
    schema |= dict.fromkeys(("n_queries", "n_left_out"), pl.Int64) | dict.fromkeys(("low", "high"), pl.Float64)
    rows = [{**gap._asdict(), "low": gap.interval.low, "high": gap.interval.high} for gap in gaps]
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col(pl.Float64).fill_nan(None))


def known_factors(of: Iterable[Factors]) -> tuple[str, ...]:
    """Factors that any system has."""
    every = list(of)
    return tuple(name for name in MADE_OF if any(getattr(factors, name) is not None for factors in every))


# EU, EAR and EAE-D between the recorded α as rows: what is shown, how sure it is, and what is refused.


def estimate_columns(utility: str) -> tuple[Column, ...]:
    """One row per α: EE-D, then each measure with its interval and standard error; undefined where refused.

    Args:
        utility: What stands for EU: "EU", or "EU/best".
    """
    names = {utility: utility, "EAR": "EAR", "EAED": "EAE-D"}
    measured = [
        (*with_ends(key, name), Column(f"{key}_error", f"s.e. of {name}", "number")) for key, name in names.items()
    ]
    return (
        Column("alpha", "α", "number"),
        Column("estimated"),
        Column("n_effective", "effective size", "number"),
        Column("EED", "EE-D", "number"),
        *(column for columns in measured for column in columns),
    )


def estimates_caption(*, seed: int) -> str:
    """What the columns are."""
    return (
        "Estimated from answers recorded at other α, re-weighted by the chances of their lists; refused below "
        f"effective size {number(LEAST_EFFECTIVE, 0)}; {described(seed=seed)}; s.e.: of the drawn lists alone, for "
        "these queries"
    )


def estimate_rows(estimates: Estimates, *, seed: int) -> tuple[tuple[Cell, ...], ...]:
    """The cells of :func:`estimate_columns`."""
    columns: list[list[float]] = [estimates.mean_disparity.tolist()]
    for measure in estimates.measures:
        ends = measure.intervals(seed=seed)
        columns += [measure.means.tolist(), ends.low.tolist(), ends.high.tolist(), measure.mean_errors.tolist()]
    sizes: list[float] = estimates.n_effective.tolist()
    rows = zip(estimates.alphas.tolist(), sizes, *columns, strict=True)
    return tuple(
        (alpha, "estimated" if size >= LEAST_EFFECTIVE else "refused", size, *row) for alpha, size, *row in rows
    )


def curve_points(curves: Iterable[Curve]) -> pl.DataFrame:
    """Each point of some curves, curve after curve.

    Returns:
        ``system``, ``policy``, ``alpha``, ``x`` and ``y`` (means of EE-D and quality), ``score`` (⟨ε, s̄⟩),
        ``n_queries`` in the means and ``n_undefined`` that are not, ``n_samples``; ``estimated``, whether it is from
        answers recorded at other α, and ``n_effective`` of these.
    """
    frames = [
        pl.DataFrame(
            {
                "system": curve.system,
                "policy": curve.policy,
                "alpha": curve.alphas,
                "x": curve.mean_disparity,
                "y": curve.mean_quality,
                "score": curve.mean_score,
                "n_queries": len(curve.query_ids) - curve.n_undefined,
                "n_undefined": curve.n_undefined,
                "n_samples": curve.n_samples,
                "estimated": curve.n_effective is not None,
                "n_effective": curve.n_effective,
            },
            schema=CURVE_POINTS,
        )
        for curve in curves
    ]
    return pl.concat([pl.DataFrame(schema=CURVE_POINTS), *frames]).with_columns(pl.col(pl.Float64).fill_nan(None))
