"""Tables that ``fairviz variants`` prints: which, and how wide."""

from collections.abc import Mapping
from dataclasses import replace

from fairviz.cli.tables import MAX_WIDTH
from fairviz.errors import UsageError
from fairviz.report.content import Table
from fairviz.report.table import display_width, plain_text

TABLES = ("rows", "groups", "gaps", "strategies", "errors", "overlap", "overlap_values", "quality", "quality_gaps")
"""What ``--table`` can ask for, in the order of printing."""

WIDTH = 160
"""Characters of a line that a terminal is thought to have."""

_SHORT = {"n_questions": "n", "vote_accuracy": "vote", "overlap_all": "overlap"}
_LESS = ("vote_dp", "any_correct", "all_correct", "overlap_neutral", "overlap_pairwise", "n_ties", "agree")
"""Columns that a terminal can do without, the first to go first."""


def to_print(tables: Mapping[str, Table], how: str, chosen: str | None) -> list[Table]:
    """All tables for people; one for programs and papers, the first that has rows.

    Args:
        tables: Name -> table.
        how: "table", "csv" or "latex".
        chosen: The only table wanted, None if none was named.

    Raises:
        UsageError: The table that was named has no rows.
    """
    filled = {name: tables[name] for name in TABLES if name in tables and tables[name].rows}
    if chosen and chosen not in filled:
        has = ", ".join(filled) or "none"
        raise UsageError(f"--table {chosen}: it has no rows here; those that have: {has}")
    if chosen or how != "table":
        filled = {name: filled[name] for name in ([chosen] if chosen else list(filled)[:1])}
    if how == "table" and "rows" in filled:
        filled["rows"] = narrowed(filled["rows"])
    return list(filled.values())


def narrowed(table: Table) -> Table:
    """The table at most :data:`WIDTH` wide, if shorter headings and fewer columns can do it.

    What was left out is said above it.
    """
    if _width(table) <= WIDTH:
        return table
    found = replace(table, columns=tuple(_SHORT.get(name, name) for name in table.columns))
    gone: list[str] = []
    for name in _LESS:
        if _width(found) <= WIDTH:
            break
        if name in found.columns:
            gone.append(name)
            place = found.columns.index(name)
            found = replace(
                found,
                columns=(*found.columns[:place], *found.columns[place + 1 :]),
                rows=tuple((*row[:place], *row[place + 1 :]) for row in found.rows),
            )
    said = f"in --format csv and json only: {', '.join(gone)}" if gone else table.caption
    return replace(found, caption=said)


def _width(table: Table) -> int:
    lines = plain_text(replace(table, caption=""), max_width=MAX_WIDTH).splitlines()
    return max(map(display_width, lines), default=0)
