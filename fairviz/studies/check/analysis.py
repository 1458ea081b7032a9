"""Every limit of every system: holds, is broken, or nobody can tell.

A limit is judged by one interval of its value, at the level that holds for all limits of the table together: it is
broken where the whole interval lies beyond it, holds where the whole interval lies within, and else nobody can tell.
So at most 5 % of tables without a change have a false alarm.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from fairviz.errors import UsageError
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.model import Dataset
from fairviz.numerals import plural
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.steps import expect, step
from fairviz.studies.check.columns import limits_table, plan_table
from fairviz.studies.check.findings import headline, plan_finding
from fairviz.studies.check.junit import junit_text
from fairviz.studies.check.measured import Measured, measured
from fairviz.studies.check.settings import CheckSettings
from fairviz.studies.study import Analysis

Outcome: TypeAlias = Literal["holds", "broken", "cannot tell"]
POWER = 0.8
"""Chance of finding a breach that plans are made with."""
BROKEN, CANNOT_TELL = 1, 3
"""Exit codes."""


class Judged(NamedTuple):
    """A limit of one system.

    Attributes:
        limit: The statement.
        system: Whose value it is.
        value: NaN = undefined.
        interval: At the level that holds for all limits together.
        n: How many queries, questions or templates it rests on.
        unit: Which of these, and one of them.
        outcome: What may be said.
        n_to_tell: About how many of them tell, with a chance of 80 %, if the value is what it seems; NaN where it is
            told already, or where none do.
        detectable: About how far beyond its limit a value is found with a chance of 80 %, by as many as there are.
        n_for_breach: How many of them find the breach that was asked about; NaN where none was.
    """

    limit: Limit
    system: str
    value: float
    interval: Interval
    n: int
    unit: tuple[str, str]
    outcome: Outcome
    n_to_tell: float
    detectable: float
    n_for_breach: float


@dataclass(frozen=True, kw_only=True)
class CheckAnalysis(Analysis):
    """Limits and what became of them.

    Attributes:
        judged: A row per limit and system.
        strict: Whether a limit of which nobody can tell ends a command, too.
    """

    judged: tuple[Judged, ...]
    strict: bool

    @property
    def code(self) -> int:
        """What a command ends with: 1 where a limit is broken, 3 where nobody can tell and that is asked for."""
        outcomes = {each.outcome for each in self.judged}
        if "broken" in outcomes:
            return BROKEN
        return CANNOT_TELL if self.strict and "cannot tell" in outcomes else 0


@remembered
def analyse(data: Dataset, settings: CheckSettings) -> CheckAnalysis:
    """What becomes of every limit, and how large a breach is found.

    Args:
        data: Rankings, outputs, answers: what limits are about.
        settings: Limits, baseline, ranks.

    Raises:
        UndefinedError: The data do not have what a limit is about.
        UsageError: There is no limit, or one names what is not there.
    """
    limits = [limit_of(text) for text in settings.limits]
    if not limits:
        raise UsageError("there are no limits: give --limits LIMITS.toml or --limits 'nDCG@10 >= 0.4'")
    expect(len(limits))
    values: list[tuple[Limit, Measured]] = []
    for limit in limits:
        values += [(limit, value) for value in measured(data, limit, settings)]
        step()
    n_tests = sum(value.n >= MIN_UNITS for _, value in values) or 1
    rows = tuple(judge(limit, value, n_tests, breach=settings.breach) for limit, value in values)
    return CheckAnalysis(
        tables={"limits": limits_table(rows), "plan": plan_table(rows)},
        findings=(headline(rows), plan_finding(rows, plural(n_tests, "limit"))),
        printed={"limits": ("outcome", "limit", "system", "value", "low", "high", "n", "n_to_tell")},
        judged=rows,
        strict=settings.strict,
        texts={"junit": lambda: junit_text(rows, strict=settings.strict)},
    )


def judge(limit: Limit, value: Measured, n_tests: int, *, breach: float | None = None) -> Judged:
    """What may be said of one limit.

    Args:
        limit: The statement.
        value: What it is about.
        n_tests: Limits that are judged with it.
        breach: How far beyond the limit a value is to be found; None: nobody asks.

    Examples:
        >>> sure = Measured("bm25", 0.3, 50, ("query", "queries"), lambda _: Interval(0.25, 0.35))
        >>> [judge(limit_of(f"AP >= {bound}"), sure, 1).outcome for bound in (0.2, 0.28, 0.4)]
        ['holds', 'cannot tell', 'broken']
    """
    from scipy.special import ndtri

    interval = value.interval(n_tests) if value.n >= MIN_UNITS else UNDEFINED
    sign = 1 if limit.at_least else -1
    margin = sign * (value.value - limit.bound)
    ends = sorted(sign * (end - limit.bound) for end in interval)
    none = math.nan
    if math.isnan(ends[0]):
        return Judged(limit, *value[:2], interval, value.n, value.unit, "cannot tell", none, none, none)
    outcome: Outcome = "broken" if ends[1] < 0 else "holds" if ends[0] >= 0 else "cannot tell"
    quantile = float(ndtri(1 - SIGNIFICANCE / 2 / n_tests))
    with_power = (quantile + float(ndtri(POWER))) / quantile
    detectable = (ends[1] - margin) * with_power
    open_end = margin - ends[0] if margin > 0 else ends[1] - margin
    settled = outcome != "cannot tell" or margin == 0
    n_to_tell = none if settled else about(value.n * (open_end * with_power / margin) ** 2)
    n_for_breach = about(value.n * (detectable / breach) ** 2) if breach else none
    return Judged(
        limit, value.system, value.value, interval, value.n, value.unit, outcome, n_to_tell, detectable, n_for_breach
    )


def about(n: float) -> int:
    """A planned number, rounded up to two digits: a plan knows no more.

    Examples:
        >>> about(638.5), about(7.1)
        (640, 8)
    """
    unit: int = 10 ** max(0, len(str(math.ceil(n))) - 2)
    return math.ceil(n / unit) * unit
