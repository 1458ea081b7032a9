"""What may be said of how large a breach is found."""

import math
from collections.abc import Sequence

from fairviz.display.words import Finding, number, percent
from fairviz.numerals import plural
from fairviz.points.limits import Judged, about_words
from fairviz.stats.tests import MIN_UNITS


def plan_finding(rows: Sequence[Judged]) -> Finding:
    """How much these data can find, and how often they would raise a false alarm."""
    judged_rows = [row for row in rows if row.detectable == row.detectable]
    n_tests = plural(sum(row.n >= MIN_UNITS for row in rows) or 1, "limit")
    alarm = f"Intervals hold for {n_tests} at once: a false alarm stands in at most {percent(0.05)} of such tables."
    if not judged_rows:
        return Finding("No limit can be judged: there are too few queries or questions", alarm)
    asked_for = [row.n_for_breach for row in judged_rows if not math.isnan(row.n_for_breach)]
    needed = f" The breach asked about takes about {about_words(max(asked_for))} in every limit." if asked_for else ""
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
