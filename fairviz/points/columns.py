"""What lies between recorded α, as a table."""

from itertools import chain

from fairviz.display.table import Cell, Column
from fairviz.display.words import number
from fairviz.model import Curve
from fairviz.points.estimates import LEAST_EFFECTIVE, Estimates
from fairviz.stats.bootstrap import described

# EU, EAR and EAE-D between the recorded α as rows: what is shown, how sure it is, and what is refused.


def estimate_columns(utility: str) -> tuple[Column, ...]:
    """One row per α: EE-D, then each measure with its interval and standard error; undefined where refused.

    Args:
        utility: What stands for EU: "EU", or "EU/best".
    """
    names = {utility: utility, "EAR": "EAR", "EAED": "EAE-D"}
    measured = [
        (
            Column(key, name, "number"),
            Column(f"{key}_low", f"{name} low", "interval"),
            Column(f"{key}_high", f"{name} high", "interval"),
            Column(f"{key}_error", f"s.e. of {name}", "number"),
        )
        for key, name in names.items()
    ]
    return (
        Column("alpha", "α", "number"),
        Column("estimated"),
        Column("n_effective", "effective size", "number"),
        Column("EED", "EE-D", "number"),
        *chain.from_iterable(measured),
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
    for one in estimates.measures:
        ends = one.intervals(seed=seed)
        columns += [one.means.tolist(), ends.low.tolist(), ends.high.tolist(), one.mean_errors.tolist()]
    sizes: list[float] = estimates.n_effective.tolist()
    rows = zip(estimates.alphas.tolist(), sizes, *columns, strict=True)
    return tuple(
        (alpha, "estimated" if size >= LEAST_EFFECTIVE else "refused", size, *cells) for alpha, size, *cells in rows
    )


def estimated_marks(curve: Curve) -> list[tuple[bool, float | None]]:
    """Of each point: whether it is estimated from answers recorded at other α, and their effective number."""
    if curve.n_effective is None:
        return [(False, None)] * curve.alphas.size
    return [(True, size) for size in curve.n_effective.tolist()]
