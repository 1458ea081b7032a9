"""What may be said of limits."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairviz.display.words import Finding, interval, number, percent
from fairviz.numerals import count, plural

if TYPE_CHECKING:
    from fairviz.studies.check.analysis import Judged

LARGEST = 1_000_000
"""Queries beyond which nobody would ask for more."""
SPOKEN = 3
"""Limits that a sentence names."""
MEANS_NO_MORE = "A limit that holds says that a number keeps within it, not that a system is fair."


def words_of(row: "Judged") -> str:
    """One limit in a line: what became of it, the value, its interval, and what would tell."""
    outcome = {"holds": "holds", "broken": "is broken", "cannot tell": "cannot be told"}[row.outcome]
    line = f"{row.limit.text} {outcome} for {row.system}: {number(row.value)}, {interval(*row.interval)}"
    line += f", over {plural(row.n, *row.unit)}"
    return line + (f"; about {_about(row.n_to_tell)} would tell" if row.n_to_tell == row.n_to_tell else "")


def headline(rows: "Sequence[Judged]") -> Finding:
    """How many limits are broken, hold, or cannot be told, the first of them in words, and what holding means."""
    broken = [row for row in rows if row.outcome == "broken"]
    untold = [row for row in rows if row.outcome == "cannot tell"]
    n, n_statements = plural(len(rows), "limit"), len({row.limit.text for row in rows})
    rest = f"of {count(len(untold))} nobody can tell"
    if broken:
        title = f"{count(len(broken))} of {n} {'is' if len(broken) == 1 else 'are'} broken"
        title += f", {rest}" if untold else ""
    elif not untold:
        title = "The limit holds" if len(rows) == 1 else f"All {n} hold"
    else:
        title = f"No limit is broken; {rest} of {n}" if len(untold) < len(rows) else f"Nobody can tell of any of {n}"
    about = len(rows) > n_statements
    lines = [f"{plural(n_statements, 'statement')}, of each system that it is about"] if about else []
    lines += [words_of(row) for row in (broken or untold or rows[: len(rows) == 1])[:SPOKEN]]
    return Finding(title, ". ".join([*lines, MEANS_NO_MORE]))


def plan_finding(rows: "Sequence[Judged]", n_tests: str) -> Finding:
    """How much these data can find, and how often they would raise a false alarm."""
    judged_rows = [row for row in rows if row.detectable == row.detectable]
    alarm = f"Intervals hold for {n_tests} at once: a false alarm stands in at most {percent(0.05)} of such tables."
    if not judged_rows:
        return Finding("No limit can be judged: there are too few queries or questions", alarm)
    asked_for = [row.n_for_breach for row in judged_rows if not math.isnan(row.n_for_breach)]
    needed = f" The breach asked about takes about {_about(max(asked_for))} in every limit." if asked_for else ""
    if len({row.limit.quantity for row in judged_rows}) > 1:  # in units of their own
        return Finding(
            "How large a breach is found with a chance of 80 % stands limit by limit in the table plan",
            alarm + needed,
        )
    least = max(judged_rows, key=lambda row: row.detectable)
    by = f"by {number(least.detectable)} over {plural(least.n, *least.unit)}"
    return Finding(
        f"A breach of any limit {by} is found in 80 of 100 such checks", f"{alarm} Of smaller ones fewer.{needed}"
    )


def _about(n: float) -> str:
    """A planned number of queries, questions or templates."""
    return count(int(n)) if n <= LARGEST else f"more than {count(LARGEST)}"
