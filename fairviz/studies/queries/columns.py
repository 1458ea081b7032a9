"""Queries as rows: measures of one system, of another beside it, what tells them apart; one query, item by item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.points.columns import with_policy
from fairviz.studies.queries.settings import QueriesSettings

if TYPE_CHECKING:
    from fairviz.studies.queries.analysis import QueryExposure, QueryMeasures


def queries_table(result: "QueryMeasures") -> Table:
    """One row per query, in the order given."""
    along = [
        Column(f"along_{alpha:g}", f"{result.along_label}, α = {alpha:g}", "number", "programs")
        for alpha in result.alphas.tolist()
    ]
    cells: list[list[float]] = np.hstack([result.values, result.along]).tolist()
    rows: list[tuple[Cell, ...]] = [(query, *row) for query, row in zip(result.query_ids, cells, strict=True)]
    beside = f" beside {result.other}; Δ is the first minus the second" if result.other else ""
    columns = (Column("query_id", "query"), *result.columns, *along)
    return Table(columns, tuple(rows), caption=f"Queries of {result.name}{beside}")


def items_table(
    exposed: "QueryExposure", settings: QueriesSettings, attribute: str = "", groups: Sequence[str] = ()
) -> Table:
    """One row per retrieved item of one query, in the order of scores.

    Args:
        exposed: The items.
        settings: With the query, its α and k, and how scores became a policy.
        attribute: Of the groups, empty without any.
        groups: Of each item, as written.
    """
    named = (attribute,) if attribute else ()
    items = exposed.items.with_row_index("rank", 1).with_columns(pl.col("gain").cast(pl.Int64).alias("grade"))
    if named:
        items = items.with_columns(pl.Series(attribute, groups, dtype=pl.String))
    columns = keyed("rank", "doc_id", *named, "grade", "score", "exposure", "target")
    table = Table.of(
        items,
        columns,
        f"Query {settings.query}: expected exposure in the first {settings.k} at α = {settings.alpha:g}, "
        f"target as of {exposed.quality}",
    )
    return with_policy(table, settings.scores, settings.offset)
