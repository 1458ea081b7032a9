"""What may be said of the main table of a comparison: who is first, and what of it is significant."""

from typing import cast

from fairviz.display.table import Marked, Table
from fairviz.display.words import plural, signed
from fairviz.evaluation.compare import improves
from fairviz.evaluation.tables import BETTER
from fairviz.stats.bootstrap import corrected_interval


def wide_title(table: Table, baseline: str) -> str:
    """Head of the main table: who is first in how many measures, each in its own sense, and what of it is significant.

    Nothing is said of a first one where no cell differs significantly from the baseline.

    Args:
        table: See :func:`wide_table`.
        baseline: What the others are compared with; of every two systems nothing asks for it.
    """
    in_pairs = "letter" in table.keys
    named = ("system", "letter", "labels")
    columns = [
        (column.key, list(cells))
        for column, *cells in zip(table.columns, *table.rows, strict=True)
        if column.key not in named
    ]
    systems, marks = [str(row[0]) for row in table.rows], dict[str, list[str]]()
    for system, row in zip(systems, table.rows, strict=True):
        marks[system] = [cell.mark for cell in row[1:] if isinstance(cell, Marked)]
    if not any(mark for of in marks.values() for mark in of):
        return "No two systems differ significantly" if in_pairs else f"No cell differs significantly from {baseline}"
    firsts, shared = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for measure, cells in columns:
        marked_cells = {system: cell for system, cell in zip(systems, cells, strict=True) if isinstance(cell, Marked)}
        worth = {system: _worth(measure, float(cell)) for system, cell in marked_cells.items()}
        best = [system for system, own in worth.items() if own == max(worth.values())]
        for system in best:
            firsts[system] += 1
            shared[system] += len(best) > 1
    name, n = max(firsts, key=lambda system: firsts[system]), len(columns)
    if firsts[name] <= n / 2:
        return f"No system is first in more than half of {plural(n, 'measure')}"
    first = f"{name} is first in {'all' if firsts[name] == n else f'{firsts[name]} of'} {plural(n, 'measure')}"
    first += f", tied in {shared[name]}" if shared[name] else ""
    if in_pairs:
        n_above_all = sum(len(mark) == len(systems) - 1 for mark in marks[name])
        return f"{first}; significantly better than every other system in {n_above_all or 'none'}"
    if name == baseline:
        return first
    return f"{first}; significantly better than {baseline} in {marks[name].count(BETTER) or 'none'}"


def _worth(measure: str, mean: float) -> float:
    """A mean, turned so that more is closer to the measure's own ideal."""
    best = improves(measure)
    return mean if best == "higher" else -mean if best == "lower" else -abs(mean)


def ranked_title(compared: Table) -> str:
    """Who ranks better than the baseline, or worse, by one measure: the largest significant difference of its table.

    Args:
        compared: Systems minus one baseline by one measure, see :func:`comparison_table`; at least one row.
    """
    rows = [dict(zip(compared.keys, row, strict=True)) for row in compared.rows]
    baseline, measure = rows[0]["reference"], rows[0]["measure"]
    tested = [row for row in rows if row["verdict"] != "too few to test"]
    apart = [row for row in tested if row["verdict"] in ("higher", "lower")]
    if not tested:
        return f"Too few queries to say who ranks better than {baseline}"
    if not apart:
        others = plural(len(tested), "other system") if len(tested) > 1 else str(tested[0]["system"])
        return f"No significant difference in {measure} between {baseline} and {others}"
    better = [row for row in apart if row["verdict"] == "higher"]
    row = max(better or apart, key=lambda row: abs(cast("float", row["difference"])))
    difference, p, n = (cast("float", row[name]) for name in ("difference", "p", "n_queries"))
    low, high = corrected_interval(difference, p, int(n), len(tested))
    ends = f" ({signed(low)} to {signed(high)})" if low == low else ""
    way = "better" if better else "worse"
    return f"{row['system']} ranks {way} than {baseline}: {signed(difference)} {measure}{ends}"
