"""Queries as rows: every measure of one system, of another beside it, and what tells them apart."""

from dataclasses import dataclass

import numpy as np

from fairviz.display.table import Cell, Column, Table
from fairviz.studies.queries.analysis import QueryComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResults:
    """What is known of queries; None = not measured."""

    queries: QueryComparison | None = None


def queries_table(result: QueryComparison) -> Table:
    """One row per query, in the order given."""
    first, second = result.first, result.second
    columns = [Column("query_id", "query"), *(Column(one.key, one.label, "number") for one in first.measures)]
    values = [one.values for one in first.measures]
    if second is not None:
        columns += [Column(f"{one.key}_other", f"{one.label}, other", "number") for one in second.measures]
        values += [one.values for one in second.measures]
        columns += [Column(one.key, one.label, "signed") for one in result.differences]
        values += [one.values for one in result.differences]
    columns += [
        Column(f"along_{alpha:g}", f"{first.along_label}, α = {alpha:g}", "number", "programs")
        for alpha in first.alphas.tolist()
    ]
    cells = np.column_stack([*values, first.along])
    rows: list[tuple[Cell, ...]] = [(query, *row) for query, row in zip(first.query_ids, cells.tolist(), strict=True)]
    beside = "" if second is None else f" beside {second.name}; Δ is the first minus the second"
    return Table(tuple(columns), tuple(rows), caption=f"Queries of {first.name}{beside}")


def tables(results: QueryResults) -> dict[str, Table]:
    """The tables that there are results for, by stem."""
    found: dict[str, Table] = {}
    if results.queries is not None:
        found["queries"] = queries_table(results.queries)
    return found
