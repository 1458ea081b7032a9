"""Paired gaps: two groups on the same questions, with McNemar's exact test."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from fairviz.analysis.significance import ROUNDING, holm
from fairviz.analysis.uncertainty import Interval
from fairviz.analysis.variant_groups import by_question, mean_intervals
from fairviz.analysis.variant_sheet import Grouping, Sheet
from fairviz.metrics.parity_of_answers import mcnemar_exact
from fairviz.model import FloatArray


@dataclass(frozen=True, slots=True)
class PairedGap:
    """One group against another on the questions that both were asked.

    Attributes:
        first: The one group.
        second: The other.
        gap: Mean over questions of first − second, −1 to 1; NaN without common questions.
        interval: 95 %, paired bootstrap over questions.
        n: Common questions.
        first_only: Questions on which the first did better (closed: it alone is right).
        second_only: Questions on which the second did.
        p: McNemar's exact two-sided p-value over these; NaN without common questions.
        p_holm: Corrected over the pairs of the attribute.
    """

    first: str
    second: str
    gap: float
    interval: Interval
    n: int
    first_only: int
    second_only: int
    p: float
    p_holm: float


def paired_gaps(laid: Sheet, grouping: Grouping, *, seed: int, n_resamples: int) -> tuple[PairedGap, ...]:
    """The gap of every pair of groups, in the order of the groups.

    Several answers to one question about one group (intersectional variants, several models) are
    averaged first, so that the question stays the unit: McNemar's test is then the sign test.
    """
    table = by_question(
        laid.scores[grouping.rows],
        laid.questions[grouping.rows],
        grouping.groups,
        len(grouping.values),
    )
    means = table.means
    pairs = list(combinations(range(len(grouping.values)), 2))
    differences = [means[a] - means[b] for a, b in pairs]
    common = [one[~np.isnan(one)] for one in differences]  # questions asked about both
    intervals = mean_intervals(common, seed=seed, n_resamples=n_resamples)
    found = [
        _gap(grouping.values[a], grouping.values[b], one, interval)
        for (a, b), one, interval in zip(pairs, common, intervals, strict=True)
    ]
    corrected = holm(np.array([gap.p for gap in found], dtype=np.float64)).tolist()
    return tuple(replace(gap, p_holm=p) for gap, p in zip(found, corrected, strict=True))


def _gap(first: str, second: str, differences: FloatArray, interval: Interval) -> PairedGap:
    """The gap from the differences on (n) common questions."""
    n = int(differences.size)
    if not n:
        nan = float("nan")
        return PairedGap(first, second, nan, interval, 0, 0, 0, nan, nan)
    ahead = int((differences > ROUNDING).sum())
    behind = int((differences < -ROUNDING).sum())
    p = mcnemar_exact(ahead, behind)
    return PairedGap(first, second, float(differences.mean()), interval, n, ahead, behind, p, p)
