"""Every system of a task minus its baseline, in one quantity: what a forest plot shows, largest first.

AUC is taken over the range that all systems of the task cover. EE-R, EU and EAR are means over queries at one α, which
is fixed before any of them is looked at; there are as many families of tests as there are quantities, since each is a
table of its own. A system without the quantity, or without a point at α, stands in the table as undefined.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import listing
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.model import Curve, Factors, FloatArray, Scores
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval, corrected_interval
from fairviz.stats.tests import Verdict
from fairviz.studies.compare.conditions import Condition
from fairviz.studies.tradeoff.curves import FIXED_ALPHA
from fairviz.studies.tradeoff.summary import AreaGap

PointQuantity: TypeAlias = Literal["EER", "EU", "EAR"]
"""What is compared at one α."""
Quantity: TypeAlias = Literal["AUC"] | PointQuantity
_NAMES: dict[Quantity, str] = {"AUC": "AUC", "EER": "EE-R", "EU": "EU", "EAR": "EAR"}
POINT_QUANTITIES: tuple[PointQuantity, ...] = ("EER", "EU", "EAR")
NAMED = 8
"""α named at most where one is refused."""


class Difference(NamedTuple):
    """One system minus the baseline, paired by query.

    Attributes:
        factors: What the system is made of.
        difference: NaN where the two have no value, or no query, in common.
        interval: 95 %, not corrected.
        p: Of no difference.
        p_holm: The same, corrected over the table; NaN over too few queries.
        verdict: What ``p_holm`` allows to say.
        n_queries: Queries that both have.
        n_left_out: Queries of either that the other has no value of.
    """

    factors: Factors
    difference: float
    interval: Interval
    p: float
    p_holm: float
    verdict: Verdict
    n_queries: int
    n_left_out: int

    @property
    def defined(self) -> bool:
        """Whether there is a difference."""
        return not np.isnan(self.difference)


class Differences(NamedTuple):
    """All systems of a task minus its baseline, in one quantity.

    Attributes:
        quantity: What is compared.
        measure: The quantity as a measure string ("EER@5"); of AUC, the quality under the curve.
        alpha: Where it is compared; None for AUC.
        rows: The largest difference first, undefined ones last.
    """

    quantity: Quantity
    measure: str
    alpha: float | None
    rows: tuple[Difference, ...]

    @property
    def name(self) -> str:
        """What the quantity is called."""
        return _NAMES[self.quantity]

    @property
    def stem(self) -> str:
        """What its table is called."""
        return "differences" if self.quantity == "AUC" else f"differences-{self.quantity}"

    @property
    def n_tests(self) -> int:
        """Tests of the table: what Holm corrects over."""
        return sum(row.p_holm == row.p_holm for row in self.rows)

    @property
    def undefined(self) -> tuple[Factors, ...]:
        """Systems that cannot be compared."""
        return tuple(row.factors for row in self.rows if not row.defined)

    def corrected(self, row: Difference) -> Interval:
        """A row's interval at the level that holds for all rows at once: for a difference that was searched for."""
        return corrected_interval(row.difference, row.p, row.n_queries, self.n_tests)


def quantity_words(of: Differences) -> str:
    """What is compared, and where.

    Examples:
        >>> quantity_words(Differences("EER", "EER@5", 3.0, ())), quantity_words(Differences("AUC", "EU", None, ()))
        ('EER@5 at α = 3', 'AUC of EU')
    """
    return f"AUC of {of.measure}" if of.alpha is None else f"{of.measure} at α = {of.alpha:g}"


def area_differences(
    quality: str, curves: Mapping[Factors, Curve], baseline: Factors, gaps: Mapping[Factors, AreaGap]
) -> Differences:
    """Of AUC, from the table of areas.

    Args:
        quality: What stands on the y axis.
        curves: The curve of each system and of the baseline.
        baseline: What the others are compared with.
        gaps: The area of each other system minus the baseline's.
    """
    asked = {factors: frozenset(curve.query_ids) for factors, curve in curves.items()}
    rows = (
        Difference(
            factors,
            gap.difference,
            gap.interval,
            gap.p,
            gap.p_holm,
            gap.verdict,
            gap.n_queries,
            len(asked[factors] | asked[baseline]) - gap.n_queries,
        )
        for factors, gap in gaps.items()
    )
    return Differences("AUC", quality, None, _sorted(rows))


def point_differences(
    members: Sequence[Condition],
    quantity: PointQuantity,
    alpha: float,
    *,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> Differences | None:
    """Of a quantity at one α; None where the baseline has none there.

    The machinery is that of ``fairviz compare``: paired bootstrap and paired t-test over the queries that both have,
    Holm over the table.

    Args:
        members: Systems of a task, the baseline first.
        quantity: What is compared.
        alpha: At which α.
        seed: Of the bootstrap; each row draws from it anew.
        n_resamples: Resamples of the queries.
    """
    base, *others = (_at(one, quantity, alpha) for one in members)
    if base is None or not others:
        return None
    known = [
        (one.factors, values)
        for one, values in zip(members[1:], others, strict=True)
        if values is not None and _common(values, base)
    ]
    found = compare_all([(values, base) for _, values in known], seed=seed, n_resamples=n_resamples)
    rows = [_difference(factors, row) for (factors, _), row in zip(known, found, strict=True)]
    compared = {factors for factors, _ in known}
    rows += [_undefined(one, base) for one in members[1:] if one.factors not in compared]
    return Differences(quantity, base.measure, alpha, _sorted(rows))


def alphas_of(conditions: Sequence[Condition]) -> tuple[float, ...]:
    """Every α at which any system has a point, in order."""
    known = {alpha for one in conditions for alpha in one.relevance.alphas.tolist() if alpha == alpha}
    return tuple(sorted(known))


def chosen_alpha(conditions: Sequence[Condition], at: float | None = None) -> float | None:
    """The α at which systems are compared; None where no system has one.

    Args:
        conditions: Of all tasks.
        at: The α that is asked for; None: of those that most systems have, the one nearest to 3.

    Raises:
        UsageError: If no system has a point at the α that is asked for.
    """
    known = alphas_of(conditions)
    if at is not None and at not in known:
        some = [f"{alpha:g}" for alpha in known]
        told = listing(some, "or") if len(some) <= NAMED else f"{', '.join(some[:NAMED])}, …, {some[-1]}"
        raise UsageError(f"no system has a point at α = {at:g}: choose {told or 'runs with α'}")
    if at is not None or not known:
        return at
    having = Counter(alpha for one in conditions for alpha in one.relevance.alphas.tolist() if alpha == alpha)
    most = max(having.values())
    return min((alpha for alpha in known if having[alpha] == most), key=lambda alpha: abs(alpha - FIXED_ALPHA))


def _at(condition: Condition, quantity: PointQuantity, alpha: float) -> Scores | None:
    """The quantity of each query at α; None without a point there, or a value in it."""
    curve = condition.quantity(quantity)
    places = [] if curve is None else np.flatnonzero(curve.alphas == alpha).tolist()
    if curve is None or not places:
        return None
    values: FloatArray = curve.quality[places[0]]
    if np.isnan(values).all():
        return None
    return Scores(system=curve.system, measure=curve.y, query_ids=curve.query_ids, values=values)


def _common(values: Scores, base: Scores) -> bool:
    return bool(_with_value(values) & _with_value(base))


def _with_value(scores: Scores) -> set[str]:
    return {query for query, value in zip(scores.query_ids, scores.values.tolist(), strict=True) if value == value}


def _undefined(condition: Condition, base: Scores) -> Difference:
    asked = len({*condition.relevance.query_ids, *base.query_ids})
    return Difference(condition.factors, np.nan, UNDEFINED, np.nan, np.nan, "too few to test", 0, asked)


def _difference(factors: Factors, row: Comparison) -> Difference:
    return Difference(
        factors, row.difference, row.interval, row.p, row.p_holm, row.verdict, row.n_queries, row.n_left_out
    )


def _sorted(rows: Iterable[Difference]) -> tuple[Difference, ...]:
    return tuple(sorted(rows, key=lambda row: -row.difference if row.defined else np.inf))
