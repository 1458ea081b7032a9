"""Queries as rows: measures of one system, of another beside it, what tells them apart; one query, item by item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.display.table import Cell, Column, Table, keyed
from fairviz.points.words import with_policy
from fairviz.policies import ScoreScale
from fairviz.studies.queries.measures import QueryComparison, Seen


class OneQuery(NamedTuple):
    """One query at one α under one policy.

    Attributes:
        query: Its id.
        k: Items that the reader sees.
        alpha: Fairness control.
        seen: What is exposed.
        scores, offset: How scores became a policy.
        attribute: Of the groups, empty without any.
        groups: Of each item, as written.
    """

    query: str
    k: int
    alpha: float
    seen: Seen
    scores: ScoreScale = "given"
    offset: float = 1.0
    attribute: str = ""
    groups: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResults:
    """What is known of queries; None = not measured."""

    queries: QueryComparison | None = None
    one: OneQuery | None = None


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


def items_table(one: OneQuery) -> Table:
    """One row per retrieved item of one query, in the order of scores."""
    bars, named = one.seen.bars, (one.attribute,) if one.attribute else ()
    numbers = (bars.gains, one.seen.scores, bars.exposure, one.seen.target)
    groups: Sequence[tuple[str, ...]] = [(name,) for name in one.groups] if named else [()] * len(bars.names)
    rows = zip(bars.names, groups, *(column.tolist() for column in numbers), strict=True)
    return with_policy(
        Table(
            keyed("rank", "doc_id", *named, "grade", "score", "exposure", "target"),
            tuple((rank, name, *of, int(grade), *rest) for rank, (name, of, grade, *rest) in enumerate(rows, start=1)),
            caption=f"Query {one.query}: expected exposure in the first {one.k} at α = {one.alpha:g}, target as of "
            f"{one.seen.quality}",
        ),
        one.scores,
        one.offset,
    )


def tables(results: QueryResults) -> dict[str, Table]:
    """The tables that there are results for, by stem."""
    found: dict[str, Table] = {}
    if results.queries is not None:
        found["queries"] = queries_table(results.queries)
    if results.one is not None:
        found["query"] = items_table(results.one)
    return found
