"""Social bias as tables to download: measured rows with counts, and tested changes."""

import math
from collections.abc import Sequence

from fairviz.show.table import Cell, Table, keyed
from fairviz.show.words import signed
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.findings import change_label, type_label
from fairviz.studies.social_bias.measures import MEASURES
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.views import BiasGrid


def rows_content(rows: Sequence[BiasRow]) -> Table:
    """One row per combination: its counts, the six measures with intervals, bounds."""
    columns = [column for column, _ in rows[0].by] if rows else []
    counts = rows[0].counts._fields if rows else ()
    measures = [name for one in MEASURES for name in (one, f"{one}_low", f"{one}_high")]
    return Table(
        keyed(
            *columns,
            "n_items",
            "n_missing",
            "n_templates",
            "n_instructions",
            *counts,
            *measures,
            "bound_a",
            "bound_d_low",
            "bound_d_high",
            "small",
        ),
        tuple(
            (
                *(row.get(column) for column in columns),
                row.n_items,
                row.n_missing,
                row.n_templates,
                row.n_instructions,
                *row.counts,
                *_measured(row),
                row.bound_a,
                *row.bound_d,
                row.small,
            )
            for row in rows
        ),
        caption="Accuracy and Diff-Bias in percent, 95 % intervals by bootstrap over templates",
        decimals=2,
    )


def changes_content(changes: Sequence[BiasChange], *, reference: str, value: str, caption: str) -> Table:
    """The table of changes as people read it."""
    return Table(
        keyed(
            "bias type",
            "items",
            "templates",
            reference,
            value,
            "change",
            "95 % interval",
            "Δ|Diff-Bias|",
            "p (Holm)",
            "in words",
            signed=(reference, value, "change", "Δ|Diff-Bias|"),
            p=("p (Holm)",),
        ),
        tuple(
            (
                change_label(change),
                change.n_items,
                change.n_templates,
                change.reference,
                change.value,
                change.change,
                _ends(change),
                change.change_abs,
                change.p_holm,
                change.verdict,
            )
            for change in changes
        ),
        caption=caption,
        decimals=1,
    )


def every_change(changes: Sequence[BiasChange]) -> Table:
    """All changes with everything that was computed, one row each."""
    columns = list(dict.fromkeys(column for change in changes for column, _ in change.by))
    return Table(
        keyed(
            *columns,
            "against",
            "measure",
            "value",
            "reference",
            "change",
            "low",
            "high",
            "change_abs",
            "low_abs",
            "high_abs",
            "p",
            "p_holm",
            "verdict",
            "n_items",
            "n_templates",
            "n_towards",
            "n_away",
            "n_unused",
            "tested",
            "exact",
        ),
        tuple(
            (
                *(change.get(column) for column in columns),
                "=".join(change.against),
                change.measure,
                change.value,
                change.reference,
                change.change,
                *change.interval,
                change.change_abs,
                *change.interval_abs,
                change.p,
                change.p_holm,
                change.verdict,
                change.n_items,
                change.n_templates,
                change.n_towards,
                change.n_away,
                change.n_unused,
                change.tested,
                change.exact,
            )
            for change in changes
        ),
        caption="Changes of Diff-Bias in points, paired by item",
    )


def grid_content(grid: BiasGrid, *, caption: str, first: str = "model") -> Table:
    """A signed table: a row per model, a column per bias type and setting."""
    heads = [
        " · ".join(part for part in (type_label(block), column) if part)
        for block in grid.blocks
        for column in grid.columns
    ]
    rows: list[tuple[Cell, ...]] = [
        (name, *values.ravel().tolist()) for name, values in zip(grid.rows, grid.values, strict=True)
    ]
    signed = tuple(heads) if grid.signed else ()
    return Table(
        keyed(first, *heads, signed=signed),
        tuple(rows),
        caption=caption,
        decimals=1,
    )


def _ends(change: BiasChange) -> str | None:
    """The interval with its signs; None where there is none."""
    low, high = change.interval
    return None if math.isnan(low) else f"{signed(low, 1)} to {signed(high, 1)}"


def _measured(row: BiasRow) -> tuple[float, ...]:
    return tuple(x for name in MEASURES for x in (row.values[name], *row.intervals[name]))
