"""Conditions of a grid: task × retriever × generator × policy, each with its curves along α.

Factors are columns from file to table. They are never joined to one name, and nothing is parsed out of a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.errors import UsageError
from fairviz.model import Curve, Factors
from fairviz.points.estimates import Estimates
from fairviz.points.outputs import ORACLE, OutputCurves
from fairviz.points.summary import joined
from fairviz.points.view import FACTORS

Quality: TypeAlias = Literal["relevance", "utility"]
"""EE-R of what was shown, or EU of what was answered with it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Condition:
    """One system under one policy.

    Attributes:
        factors: What it is made of.
        relevance: EE-D against EE-R along α.
        utility: EE-D against EU along α; None where no answers were recorded.
        attribution: EE-D against EAR along α; None where no answers were recorded.
        list_relevance: Its deterministic list, one point; None = not recorded.
        list_utility: The same with EU.
        uniform: All pool items alike, one point of EE-R; None = not computed.
        estimates: What its answers say between the α at which they were recorded; None = nothing, or not asked.
    """

    factors: Factors
    relevance: Curve
    utility: Curve | None = None
    attribution: Curve | None = None
    list_relevance: Curve | None = None
    list_utility: Curve | None = None
    uniform: Curve | None = None
    estimates: Estimates | None = None

    def curve(self, quality: Quality) -> Curve | None:
        """The curve of a quality; an EU that no query has is no curve."""
        curve = self.relevance if quality == "relevance" else self.utility
        return curve if curve is not None and curve.defined.any() else None

    def quantity(self, name: Literal["EER", "EU", "EAR"]) -> Curve | None:
        """A quantity along α; None where nothing was recorded that has it."""
        return {"EER": self.relevance, "EU": self.utility, "EAR": self.attribution}[name]

    def deterministic(self, quality: Quality) -> Curve | None:
        """The deterministic list's point of a quality."""
        return self.list_relevance if quality == "relevance" else self.list_utility

    def whole(self, quality: Quality) -> Curve | None:
        """The curve as drawn: run on to its deterministic list where both are over the same queries."""
        curve, end = self.curve(quality), self.deterministic(quality)
        return curve if curve is None or end is None or end.query_ids != curve.query_ids else joined(curve, end)


def is_limit(factors: Factors) -> bool:
    """Whether a curve knows the judgements: a bound that is drawn for reference, compared and counted nowhere."""
    return factors.policy == ORACLE


def conditions_of(curves: Sequence[OutputCurves]) -> tuple[Condition, ...]:
    """Conditions of recorded answers, in the order of the curves."""
    return tuple(
        Condition(
            factors=Factors(one.task, one.retriever, one.generator, one.policy, one.dataset),
            relevance=one.relevance,
            utility=one.utility,
            attribution=one.attribution,
            list_relevance=one.baseline_relevance,
            list_utility=one.baseline_utility,
        )
        for one in curves
    )


def distinct(conditions: Sequence[Condition], by: Sequence[str] = FACTORS) -> tuple[Condition, ...]:
    """The conditions, refused where two have the same factors: their rows could not be told apart.

    Args:
        conditions: In any order.
        by: Factors that are columns.

    Raises:
        UsageError: Naming the factors of two that are alike.
    """
    told_apart([condition.factors for condition in conditions], by)
    return tuple(conditions)


def told_apart(of: Sequence[Factors], by: Sequence[str] = FACTORS) -> None:
    """Refuse two conditions with the same factors, see :func:`distinct`."""
    seen: dict[tuple[str | None, ...], Factors] = {}
    for factors in of:
        key = tuple(getattr(factors, name) for name in by)
        if key in seen:
            told = ", ".join(f"{name} {value or '–'}" for name, value in zip(by, key, strict=True))
            others = [name for name in FACTORS if getattr(seen[key], name) != getattr(factors, name)] or [
                "a table of systems that names them apart"
            ]
            raise UsageError(f"two systems have {told}: add {others[0]}")
        seen[key] = factors


def varying(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Factors that have a value somewhere and are not the same everywhere; the retriever where there is none."""
    names = [name for name in FACTORS if len({getattr(condition.factors, name) for condition in conditions}) > 1]
    return tuple(names) or ("retriever",)
