"""Every limit of every system: holds, is broken, or nobody can tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from fairviz.display.table import Table, keyed, labelled
from fairviz.display.words import Finding, number, percent
from fairviz.errors import UndefinedError, UsageError, printable
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.model import Dataset
from fairviz.numerals import plural
from fairviz.points.limits import (
    READ,
    LimitValue,
    LimitVerdict,
    about_words,
    exit_code,
    headline,
    judge_all,
    limits_table,
    whole,
    words_of,
)
from fairviz.remembered import remembered
from fairviz.stats.tests import MIN_UNITS
from fairviz.steps import expect, step
from fairviz.studies.check.measured import in_its_week, measured
from fairviz.studies.check.settings import CheckSettings
from fairviz.studies.study import Analysis


@dataclass(frozen=True, kw_only=True)
class CheckAnalysis(Analysis):
    """Limits and what became of them.

    Attributes:
        judged: A row per limit and system.
        strict: Whether a limit of which nobody can tell ends a command, too.
    """

    judged: tuple[LimitVerdict, ...]
    strict: bool


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
    values: list[tuple[Limit, LimitValue]] = []
    for limit in limits:
        try:
            dated = in_its_week(limit, data)
            values += [(dated, value) for value in measured(data, dated, settings)]
        except (UndefinedError, UsageError) as error:
            raise type(error)(f"{limit.text}: {error}") from None
        step()
    rows = judge_all(values, breach=settings.breach, power=settings.power)
    return CheckAnalysis(
        tables={"limits": limits_table(rows), "plan": plan_table(rows, settings.power)},
        findings=(headline(rows), plan_finding(rows, settings.power)),
        printed={"limits": READ},
        code=exit_code(rows, strict=settings.strict),
        judged=rows,
        strict=settings.strict,
        texts={"junit": lambda: junit_text(rows, strict=settings.strict)},
    )


def plan_table(rows: Sequence[LimitVerdict], power: float) -> Table:
    """A row per limit and system: how large a breach is found, and what a smaller one takes."""
    columns = (
        *keyed("limit", "system"),
        *labelled("number", n="queries or questions", detectable="breach that is found"),
        *labelled("number", n_for_breach="that find the breach asked about"),
    )
    cells = [(row.limit.text, row.system, row.n, row.detectable, whole(row.n_for_breach)) for row in rows]
    caption = (
        f"How far beyond its limit a value is found to be with a chance of {percent(power)}, about. {alarm_words(rows)}"
    )
    return Table(columns, tuple(cells), caption)


def alarm_words(rows: Sequence[LimitVerdict]) -> str:
    """How often such limits would raise a false alarm."""
    n_tests = plural(sum(row.n >= MIN_UNITS for row in rows) or 1, "limit")
    return f"Intervals hold for {n_tests} at once: a false alarm stands in at most {percent(0.05)} of such tables."


def plan_finding(rows: Sequence[LimitVerdict], power: float) -> Finding:
    """How much these data can find, and how often they would raise a false alarm."""
    judged_rows = [row for row in rows if row.detectable == row.detectable]
    alarm = alarm_words(rows)
    if not judged_rows:
        is_few = all(row.n < MIN_UNITS for row in rows)
        why = "there are too few queries or questions" if is_few else "no value has an interval, as where all are equal"
        return Finding(f"No limit can be judged: {why}", alarm)
    asked_for = [row.n_for_breach for row in judged_rows if not math.isnan(row.n_for_breach)]
    needed = f" The breach asked about takes about {about_words(max(asked_for))} in every limit." if asked_for else ""
    if len({row.limit.quantity for row in judged_rows}) > 1:  # in units of their own
        return Finding(
            f"How large a breach is found with a chance of {percent(power)} stands limit by limit in the table plan",
            alarm + needed,
        )
    least = max(judged_rows, key=lambda row: row.detectable)
    by = f"by {number(least.detectable)} over {plural(least.n, *least.unit)}"
    return Finding(
        f"A breach of any limit {by} is found in {number(100 * power, 0)} of 100 such checks",
        f"{alarm} Of smaller ones fewer.{needed}",
    )


def junit_text(rows: Sequence[LimitVerdict], *, strict: bool) -> str:
    """A test case per limit and system: a failure where it is broken, skipped where nobody can tell.

    Args:
        rows: What became of the limits.
        strict: Whether what nobody can tell is a failure, too.
    """
    failed = {"broken"} | ({"cannot tell"} if strict else set[str]())
    n_failed = sum(row.outcome in failed for row in rows)
    n_skipped = sum(row.outcome == "cannot tell" for row in rows) if not strict else 0
    counts = {"tests": str(len(rows)), "failures": str(n_failed), "skipped": str(n_skipped)}
    suite = ElementTree.Element("testsuite", name="fairviz check", **counts)
    for row in rows:
        case = ElementTree.SubElement(
            suite, "testcase", classname=printable(row.system), name=printable(row.limit.text)
        )
        if row.outcome in failed:
            ElementTree.SubElement(case, "failure", message=printable(words_of(row)))
        elif row.outcome == "cannot tell":
            ElementTree.SubElement(case, "skipped", message=printable(words_of(row)))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'
