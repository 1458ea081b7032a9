"""Limits and what became of them: each holds, is broken, or nobody can tell.

A limit is judged by one interval of its value, at the level that holds for all limits of the table together: it is
broken where the whole interval lies beyond it, holds where the whole interval lies within, and else nobody can tell.
So at most 5 % of tables without a change have a false alarm.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

from fairviz.display.table import Cell, Column, Table
from fairviz.display.words import Finding, interval, number
from fairviz.errors import UsageError
from fairviz.evaluation.compare import direction
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.metrics.catalogue import parse_measure
from fairviz.numerals import count, plural
from fairviz.stats.bootstrap import UNDEFINED, Interval, widened
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE

Outcome: TypeAlias = Literal["holds", "broken", "cannot tell"]
POWER = 0.8
"""Chance of finding a breach that plans are made with, where nobody says another."""
BROKEN, CANNOT_TELL = 1, 3
"""Exit codes."""
QUERIES, TEMPLATES = ("query", "queries"), ("template", "templates")
PAIRED_QUERIES = ("query of both", "queries of both")
LABELLED_QUERIES = ("query with labelled documents", "queries with labelled documents")
PAIRED_QUESTIONS = ("question or more about both groups", "questions or more about both groups")
"""What a value rests on: which of a system's queries, those of it and its baseline, questions of every two groups."""


class LimitValue(NamedTuple):
    """A value that a limit is about.

    Attributes:
        system: Whose it is.
        value: NaN = undefined.
        n: How many queries, questions or templates it rests on.
        unit: Which of these, and one of them.
        interval: Number of tests -> the interval at the level that holds for all of them at once.
    """

    system: str
    value: float
    n: int
    unit: tuple[str, str]
    interval: Callable[[int], Interval]


def measured_by(system: str, value: float, interval: Interval, n: int, unit: tuple[str, str]) -> LimitValue:
    """A value with its 95 % interval, which more limits widen as Student's t does."""
    return LimitValue(system, value, n, unit, partial(widened, value, interval, n))


class LimitVerdict(NamedTuple):
    """A limit of one system.

    Attributes:
        limit: The statement.
        system: Whose value it is.
        value: NaN = undefined.
        interval: At the level that holds for all limits together.
        n: How many queries, questions or templates it rests on.
        unit: Which of these, and one of them.
        outcome: What may be said.
        n_to_tell: About how many of them tell, with the chance that is asked for, if the value is what it seems; NaN
            where it is told already, or where none do.
        detectable: About how far beyond its limit a value is found with that chance, by as many as there are.
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


_WORSE = re.compile(r"\s*(?P<measure>\S.*?)\s+worse\s+by\s+(?P<number>[0-9.]+(?:e[-+]?[0-9]+)?%?)\s*")


def worse(text: str) -> tuple[str, str]:
    """The measure of ``AWRF@10 worse by 0.02``, and by how much.

    Raises:
        ValueError: It is no such statement.
    """
    match = _WORSE.fullmatch(text)
    if match is None:
        raise ValueError(f"expected MEASURE worse by NUMBER, such as AWRF@10 worse by 0.02, got {text[:60]!r}")
    return match["measure"], match["number"]


def limit_of_worse(text: str) -> Limit:
    """The limit beside a baseline that is broken where a measure is so much worse.

    Raises:
        UsageError: The measure is not known, or neither way is better.
        ValueError: It is no such statement.

    Examples:
        >>> limit_of_worse("AWRF@10 worse by 0.02").text, limit_of_worse("AP worse by 2%").text
        ('AWRF@10 <= baseline + 0.02', 'AP >= baseline - 2%')
    """
    measure, number = worse(text)
    better = direction(parse_measure(measure))
    if better not in BESIDE_BASELINE:
        raise UsageError(f"{text}: {measure} is better {better}, so that neither a higher nor a lower value is worse")
    return limit_of(f"{measure} {BESIDE_BASELINE[better]} {number}")


BESIDE_BASELINE = {"higher": ">= baseline -", "lower": "<= baseline +"}
"""How a limit beside a baseline begins, by which way the measure improves."""


def judge_all(
    values: Sequence[tuple[Limit, LimitValue]], *, breach: float | None = None, power: float = POWER
) -> tuple[LimitVerdict, ...]:
    """What may be said of each limit, with intervals at the level that holds for all of them that can be judged."""
    n_tests = sum(value.n >= MIN_UNITS for _, value in values) or 1
    return tuple(judge(limit, value, n_tests, breach=breach, power=power) for limit, value in values)


def exit_code(rows: Sequence[LimitVerdict], *, strict: bool = False) -> int:
    """What a command ends with: 1 where a limit is broken, 3 where nobody can tell and that is asked for."""
    outcomes = {row.outcome for row in rows}
    if "broken" in outcomes:
        return BROKEN
    return CANNOT_TELL if strict and "cannot tell" in outcomes else 0


def judge(
    limit: Limit, value: LimitValue, n_tests: int, *, breach: float | None = None, power: float = POWER
) -> LimitVerdict:
    """What may be said of one limit.

    Args:
        limit: The statement.
        value: What it is about.
        n_tests: Limits that are judged with it.
        breach: How far beyond the limit a value is to be found; None: nobody asks.
        power: Chance of finding it.

    Examples:
        >>> sure = LimitValue("bm25", 0.3, 50, ("query", "queries"), lambda _: Interval(0.25, 0.35))
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
        return LimitVerdict(limit, *value[:2], interval, value.n, value.unit, "cannot tell", none, none, none)
    outcome: Outcome = "broken" if ends[1] < 0 else "holds" if ends[0] >= 0 else "cannot tell"
    quantile = float(ndtri(1 - SIGNIFICANCE / 2 / n_tests))
    with_power = (quantile + float(ndtri(power))) / quantile
    detectable = (ends[1] - margin) * with_power
    open_end = margin - ends[0] if margin > 0 else ends[1] - margin
    settled = outcome != "cannot tell" or margin == 0
    n_to_tell = none if settled else about(value.n * (open_end * with_power / margin) ** 2)
    n_for_breach = about(value.n * (detectable / breach) ** 2) if breach else none
    return LimitVerdict(
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


# As rows and in words.


READ = ("outcome", "limit", "system", "value", "low", "high", "n", "n_to_tell")
"""Columns that a terminal has room for."""
JUDGED = (
    Column("outcome", kind="tone"),
    Column("limit"),
    Column("system"),
    Column("value", kind="number"),
    Column("low", kind="interval"),
    Column("high", kind="interval"),
    Column("n", "queries or questions", "number"),
    Column("n_to_tell", "that could tell", "number"),
)


def whole(number: float) -> Cell:
    """A count, None where there is none."""
    return None if math.isnan(number) else int(number)


def limits_table(rows: Sequence[LimitVerdict]) -> Table:
    """A row per limit and system: what became of it, its value, the interval that decided."""
    cells = [
        (row.outcome, row.limit.text, row.system, row.value, *row.interval, row.n, whole(row.n_to_tell)) for row in rows
    ]
    return Table(
        JUDGED,
        tuple(cells),
        "Limits: broken where the whole interval lies beyond, holds where all of it lies within; intervals at the "
        "level that holds for all limits of the table together (Bonferroni)",
    )


LARGEST = 1_000_000
"""Queries beyond which nobody would ask for more."""
SPOKEN = 3
"""Limits that a sentence names."""
MEANS_NO_MORE = "A limit that holds says that a number keeps within it, not that a system is fair."


def words_of(row: LimitVerdict) -> str:
    """One limit in a line: what became of it, the value, its interval, and what would tell."""
    outcome = {"holds": "holds", "broken": "is broken", "cannot tell": "cannot be told"}[row.outcome]
    line = f"{row.limit.text} {outcome} for {row.system}: {number(row.value)}, {interval(*row.interval)}"
    line += f", over {plural(row.n, *row.unit)}"
    return line + (f"; about {about_words(row.n_to_tell)} would tell" if row.n_to_tell == row.n_to_tell else "")


def headline(rows: Sequence[LimitVerdict]) -> Finding:
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
        title = "Nobody can tell whether the limit holds" if len(rows) == 1 else title
    about = len(rows) > n_statements
    lines = [f"{plural(n_statements, 'statement')}, of each system that it is about"] if about else []
    lines += [words_of(row) for row in (broken or untold or rows[: len(rows) == 1])[:SPOKEN]]
    return Finding(title, ". ".join([*lines, MEANS_NO_MORE]))


def about_words(n: float) -> str:
    """A planned number of queries, questions or templates."""
    return count(int(n)) if n <= LARGEST else f"more than {count(LARGEST)}"
