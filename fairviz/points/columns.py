"""Points as tables have them and as people read them, on every surface alike: columns, rows, and what is said."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from operator import attrgetter

import numpy as np
import polars as pl

from fairviz.display.table import Cell, Column, Table, keyed, labelled
from fairviz.display.words import interval, listing, number, percent, plural
from fairviz.evaluation.compare import Comparison
from fairviz.kernels.exposure import Gain
from fairviz.model import Curve, Factors, FloatArray, ScoreScale
from fairviz.numerals import count
from fairviz.points.estimates import LEAST_EFFECTIVE, Estimates
from fairviz.points.summary import NARROWS
from fairviz.points.view import SYSTEM
from fairviz.stats.bootstrap import Interval, bootstrap_intervals, described, detectable
from fairviz.stats.tests import Verdict

ENDS = labelled("signed", low="", high="")
P_HOLM = Column("p_holm", "p (Holm)", "p")
TESTED = (Column("p", kind="p"), P_HOLM, Column("verdict", kind="tone"))
QUERIES = Column("n_queries", "queries", "number")
DISPARITY = labelled("number", disparity_low="EE-D from", disparity_high="to")
"""Ends of an interval of EE-D."""
BETWEEN_ALPHAS = (
    *labelled("number", alpha_low="alpha", alpha_high="and"),
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
    *labelled("number", mean="", minimum="", quarter="", median="", three_quarters="three quarters", maximum=""),
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


GAPS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("system", "reference", "measure", "verdict"), pl.String),
    **dict.fromkeys(("difference", "low", "high", "p", "p_holm"), pl.Float64),
    **dict.fromkeys(("n_queries", "n_left_out"), pl.Int64),
}
"""Columns of :func:`gap_rows`."""


def gap_rows(gaps: Sequence[Comparison]) -> pl.DataFrame:
    """Differences as rows: both systems, the measure, the difference with its interval and test, queries."""
    rows = [{**untested(gap)._asdict(), "low": gap.interval.low, "high": gap.interval.high} for gap in gaps]
    return pl.DataFrame(rows, schema=GAPS).with_columns(pl.col(pl.Float64).fill_nan(None))


def untested(gap: Comparison) -> Comparison:
    """A difference as tables say it: one that has no value, such as of curves without an area, has no test."""
    return gap if gap.difference == gap.difference else gap._replace(verdict="no test")


def known_factors(of: Iterable[Factors]) -> tuple[str, ...]:
    """Factors that any system has."""
    every = list(of)
    return tuple(name for name in SYSTEM if any(getattr(factors, name) is not None for factors in every))


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


# How policies, relevance, tests and what is missing are said.


def gain_words(gain: Gain, rel: int = 1) -> str:
    """How usefulness was counted; it stands wherever a saving is stated."""
    return "graded gain" if gain == "graded" else f"binary gain, grade ≥ {rel}"


SCALES: dict[ScoreScale, str] = {
    "given": "min–max of the scores, as in the papers",
    "ranks": "min–max of the ranks: the order alone",
    "zscore": "two standard deviations about the mean fill 0 to 1: the same spread in every query",
}
"""How scores become s, the choice of the page, in a few words."""


def policy_words(scores: ScoreScale, offset: float) -> str:
    """How scores became a policy, where it is not as in the published code; else empty.

    Examples:
        >>> policy_words("zscore", 0.0)
        'Plackett–Luce with scores=zscore, offset=0'
    """
    named = [f"scores={scores}"] if scores != "given" else []
    named += [f"offset={offset:g}"] if offset != 1 else []
    return f"Plackett–Luce with {', '.join(named)}" if named else ""


def with_policy(table: Table, scores: ScoreScale, offset: float) -> Table:
    """The table with how scores became a policy, for people and programs; unchanged where it is as published."""
    words = policy_words(scores, offset)
    if not words:
        return table
    return replace(
        table,
        columns=(*table.columns, *keyed("scores", "offset")),
        rows=tuple((*row, scores, offset) for row in table.rows),
        caption=f"{table.caption}; {words}",
    )


def mean_title(system: str, measure: str, values: FloatArray, *, seed: int = 0) -> str:
    """A system's mean of a measure over its queries as a title, with its interval.

    Args:
        system: Its name.
        measure: What the values are of.
        values: (Q) of each query, NaN = undefined.
        seed: Of the bootstrap over queries.

    Examples:
        >>> mean_title("bm25", "AP", np.array([0.5, np.nan]))
        'bm25: AP 0.500 (no interval) over 1 query'
        >>> mean_title("bm25", "AP", np.array([np.nan]))
        'bm25: AP is undefined in every query'
    """
    defined = values[~np.isnan(values)]
    if not defined.size:
        return f"{system}: {measure} is undefined in every query"
    (ends,) = bootstrap_intervals([values], seed=seed)
    return mean_words(system, measure, float(defined.mean()), ends.low, ends.high, defined.size)


def mean_words(system: str, measure: str, mean: float, low: float | None, high: float | None, n_queries: int) -> str:
    """A mean of a system with the ends of its interval, and the queries that it is over."""
    value = f"{number(mean, 3)} ({interval(low, high)})"
    return f"{system}: {measure} {value} over {plural(n_queries, 'query', 'queries')}"


def counted(verdicts: Iterable[Verdict]) -> tuple[int, int, int]:
    """How many of some differences are lower, and higher, of those that were tested.

    Examples:
        >>> counted(["lower", "too few to test", "no significant difference"])
        (1, 0, 2)
    """
    outcomes = list(verdicts)
    return outcomes.count("lower"), outcomes.count("higher"), len(outcomes) - outcomes.count("too few to test")


def detectable_words(gaps: pl.DataFrame, n_tests: int | None = None, *, what: str = "difference") -> str:
    """Beside "no significant difference", the smallest one that these data could have shown; else nothing.

    Args:
        gaps: The differences that are spoken of, with the ends of their intervals, p_holm and verdict.
        n_tests: Tests of their table; None: these are all of it.
        what: What is different, where no table beside the words says it.
    """
    tested = gaps.filter(~pl.col("verdict").is_in(["too few to test", "no test"]))
    if tested.is_empty() or (tested["verdict"] != "no significant difference").any():
        return ""
    differences = tested.select("difference", "low", "high").drop_nulls().rows()
    least = detectable(
        [(gap, Interval(low, high)) for gap, low, high in differences], n_tests or gaps["p_holm"].count()
    )
    if least != least:
        return ""
    where = " in at least one" if tested.height > 1 else ""
    text = f"A {what} of about {number(ceil(1000 * least) / 1000)} or more would have been significant{where}"
    n = int(tested["n_queries"].max() or 0) if "n_queries" in tested.columns else 0  # type: ignore[arg-type] -- counts
    return f"{text}{half_takes(n, 'queries')}."


def half_takes(n: int, units: str) -> str:
    """What telling half of a difference takes, behind the one that n queries could have told; "" where n is not known.

    The error of a mean falls with the square root of n.

    Examples:
        >>> half_takes(14, "queries")
        '; half of it takes about 56 queries'
    """
    return f"; half of it takes about {count(4 * n)} {units}" if n else ""


def left_out_words(systems: Sequence[str]) -> str:
    """Who has no area, and why; "" where all have one.

    Examples:
        >>> left_out_words(["short"])
        'short has no area: with it the others would share less than 80 % of their common range of EE-D'
    """
    has, them = ("has", "it") if len(systems) == 1 else ("have", "them")
    shared = f"with {them} the others would share less than {percent(NARROWS)} of their common range of EE-D"
    return f"{listing(list(systems))} {has} no area: {shared}" if systems else ""


def change_title(rows: pl.DataFrame, quality: str) -> str:
    """Title of the interval table: where quality changes against the deterministic list."""
    filled = rows.filter(pl.col("n_queries") > 0)
    tested = filled.filter(pl.col("verdict") != "too few to test")
    name = "utility" if quality.startswith("EU") else "quality"
    if tested.is_empty():
        return f"Too few queries to test a change in {name}"
    lower, higher = (tested.filter(pl.col("verdict") == way) for way in ("lower", "higher"))
    if lower.is_empty() and higher.is_empty():
        return f"No significant difference in {name} from the deterministic ranking at any level of disparity"
    every = _every_level(tested.height, filled.height)
    if lower.height == tested.height:
        return f"{name.capitalize()} is lower at {every}"
    if higher.height == tested.height:
        return f"{name.capitalize()} is higher at {every}"
    if higher.height:
        where = listing([f"{low:g}–{high:g}" for low, high in higher.select("disparity_low", "disparity_high").rows()])
        tail = f", lower in {lower.height} of {tested.height} intervals" if lower.height else ""
        return f"{name.capitalize()} is higher at disparity (EE-D) {where}{tail}"
    top = lower["disparity_high"].to_numpy().max()
    above = tested.filter(pl.col("disparity_low") >= top - 1e-9)
    if above.height and lower.height == tested.height - above.height:
        from_there = f"for disparity (EE-D) of {number(top, 1)} or more"
        return f"No significant difference in {name} from the deterministic ranking {from_there}"
    return f"{name.capitalize()} is lower in {lower.height} of {tested.height} intervals of disparity"


def _every_level(n_tested: int, n_filled: int) -> str:
    if n_tested == n_filled:
        return "every level of disparity"
    levels = {1: "the one level", 2: "both levels"}.get(n_tested, f"all {n_tested} levels")
    return f"{levels} of disparity that could be tested"


def refusal(estimates: Estimates) -> str:
    """Where nothing is estimated, since the recorded answers say too little of that α; empty where there is no such."""
    sizes = estimates.n_effective
    refused = sizes < LEAST_EFFECTIVE
    if not refused.any():
        return ""
    alphas = listing([f"{alpha:g}" for alpha in estimates.alphas[refused]])
    return (
        f"not estimated at α = {alphas}: effective size {sizes_words(sizes[refused])}, at least "
        f"{number(LEAST_EFFECTIVE, 0)} is needed"
    )


def sizes_words(sizes: FloatArray) -> str:
    """Effective sizes from the smallest to the largest."""
    low, high = (number(float(end), 0) for end in (np.floor(sizes.min()), np.floor(sizes.max())))
    return low if low == high else f"{low}–{high}"


def spacing_note(scores: ScoreScale, offset: float = 1.0) -> str:
    """What stands under what a policy made of scores shows: what of the scores it depends on."""
    words = policy_words(scores, offset)
    named = f" ({words.removeprefix('Plackett–Luce with ')})" if words else ""
    if scores == "ranks":
        return f"Plackett–Luce uses the ranks here: only the order of the scores counts, not their spacing{named}."
    how = "scaled by min–max" if scores == "given" else "scaled as z-scores"
    spacing = "Plackett–Luce depends on how scores are spaced, not only on their order"
    return f"{spacing}; here they are {how} per query{named}."
