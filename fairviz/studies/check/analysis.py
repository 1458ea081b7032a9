"""Every limit of every system: holds, is broken, or nobody can tell."""

from dataclasses import dataclass

from fairviz.errors import UsageError
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.model import Dataset
from fairviz.points.limits import READ, Judged, Measured, exit_code, headline, judge_all, limits_table
from fairviz.remembered import remembered
from fairviz.steps import expect, step
from fairviz.studies.check.columns import plan_table
from fairviz.studies.check.findings import plan_finding
from fairviz.studies.check.junit import junit_text
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

    judged: tuple[Judged, ...]
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
    limits = [in_its_week(limit_of(text), data) for text in settings.limits]
    if not limits:
        raise UsageError("there are no limits: give --limits LIMITS.toml or --limits 'nDCG@10 >= 0.4'")
    expect(len(limits))
    values: list[tuple[Limit, Measured]] = []
    for limit in limits:
        values += [(limit, value) for value in measured(data, limit, settings)]
        step()
    rows = judge_all(values, breach=settings.breach)
    return CheckAnalysis(
        tables={"limits": limits_table(rows), "plan": plan_table(rows)},
        findings=(headline(rows), plan_finding(rows)),
        printed={"limits": READ},
        code=exit_code(rows, strict=settings.strict),
        judged=rows,
        strict=settings.strict,
        texts={"junit": lambda: junit_text(rows, strict=settings.strict)},
    )
