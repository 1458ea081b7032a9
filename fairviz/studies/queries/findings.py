"""What may be said of the queries of two systems: how few of them make the difference."""

from typing import TYPE_CHECKING

import numpy as np

from fairviz.display.words import Finding, p_value, percent, plural, signed
from fairviz.model import FloatArray
from fairviz.stats.tests import ROUNDING, paired_t_test, tested, verdict

if TYPE_CHECKING:
    from fairviz.studies.queries.analysis import QueryMeasures


def fewest_queries(differences: FloatArray) -> int:
    r"""The fewest queries that make at least half of a sum of differences; 0 where the sum is 0.

    With s the sign of :math:`D = \sum_q d_q`, the queries are taken from the largest :math:`s\,d_q` down until their
    sum reaches |D|/2. Queries that go the other way are among the rest, so that the first few may make more than all.

    Args:
        differences: (Q) of each query, none undefined.

    Examples:
        >>> fewest_queries(np.array([0.6, 0.1, -0.2, 0.5]))  # D = 1.0: 0.6 is half of it
        1
    """
    whole = float(differences.sum())
    if abs(whole) < ROUNDING:
        return 0
    parts = np.sort(differences * np.sign(whole))[::-1]
    return int(np.argmax(np.cumsum(parts) >= abs(whole) / 2 - ROUNDING)) + 1


def difference_finding(result: "QueryMeasures", key: str = "") -> Finding | None:
    """How few queries make half of the mean difference of two systems, and whether it may be chance.

    Args:
        result: Both, beside each other.
        key: Of the measure or the difference; any other means the last difference: of the measure asked for last.

    Returns:
        None where there is one system, or no query has both values.
    """
    gaps = [(column, values) for column, values in result.sortable.items() if column.kind == "signed"]
    meant = [gap for gap in gaps if gap[0].key in (key, f"{key}_difference")] or gaps
    if not meant:
        return None
    column, values = meant[-1]
    differences = values[~np.isnan(values)]
    n, measure = differences.size, column.label.removeprefix("Δ ")
    if n == 0:
        return None
    test = paired_t_test(differences, np.zeros(n))
    half = fewest_queries(differences)
    of = f"{result.name} minus {result.other}, {measure}"
    if half == 0:
        return Finding(f"No difference in {measure} on average", f"{of}: over {plural(n, 'query', 'queries')}.")
    sign = np.sign(test.difference)
    share = float(np.sort(differences * sign)[::-1][:half].sum() / (abs(test.difference) * n))
    against = int((differences * sign < -ROUNDING).sum())
    few = f"{half} of {plural(n, 'query', 'queries')} make{'s' if half == 1 else ''} {percent(share)} of the difference"
    p = tested(test.p, n)
    outcome = verdict(test.difference, p, n)
    chance = f"significant, p {p_value(p)}" if outcome in ("higher", "lower") else outcome
    other_way = f"{plural(against, 'query goes', 'queries go')} the other way"
    return Finding(few, f"{of}: {signed(test.difference)} on average ({chance}); {other_way}.")
