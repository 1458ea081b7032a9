"""Queries as rows: measures of one system, of another beside it, what tells them apart; one query, item by item."""

from collections.abc import Sequence

import numpy as np

from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.points.words import with_policy
from fairviz.studies.queries.measures import QueryComparison, Seen
from fairviz.studies.queries.settings import QueriesSettings


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


def items_table(seen: Seen, settings: QueriesSettings, attribute: str = "", groups: Sequence[str] = ()) -> Table:
    """One row per retrieved item of one query, in the order of scores.

    Args:
        seen: The items.
        settings: With the query, its α and k, and how scores became a policy.
        attribute: Of the groups, empty without any.
        groups: Of each item, as written.
    """
    named = (attribute,) if attribute else ()
    of: Sequence[tuple[str, ...]] = [(name,) for name in groups] if named else [()] * seen.n_retrieved
    numbers = zip(*(each.tolist() for each in (seen.gains, seen.scores, seen.exposure, seen.target)), strict=True)
    rows = enumerate(zip(seen.names, of, numbers, strict=True), start=1)
    table = Table(
        keyed("rank", "doc_id", *named, "grade", "score", "exposure", "target"),
        tuple((rank, name, *group, int(grade), *rest) for rank, (name, group, (grade, *rest)) in rows),
        caption=f"Query {settings.query}: expected exposure in the first {settings.k} at α = {settings.alpha:g}, "
        f"target as of {seen.quality}",
    )
    return with_policy(table, settings.scores, settings.offset)


def tables(*, queries: QueryComparison | None = None, items: Table | None = None) -> dict[str, Table]:
    """The tables that there are results for, by stem; ``items`` are those of :func:`items_table`."""
    found: dict[str, Table] = {}
    if queries is not None:
        found["queries"] = queries_table(queries)
    if items is not None:
        found["query"] = items
    return found
