"""Limits to begin with: what is measured today, with the room that chance needs."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from fairviz.evaluation.compare import direction
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.metrics.catalogue import parse_measure
from fairviz.model import Dataset
from fairviz.studies.check.measured import Measured, measured
from fairviz.studies.check.settings import CheckSettings

SIGNS = {"higher": ">=", "lower": "<="}
"""How a limit is written of a measure that is better so; others have none."""


def proposed_limits(data: Dataset, measures: Sequence[str], settings: CheckSettings) -> tuple[str, ...]:
    """A limit for every measure of every system and every group's share: the end of its interval on the worse side.

    Intervals are at the level that holds for all of them together, so that the same systems, measured again on as many
    queries, seldom break one. Nothing is proposed where there is no interval.

    Args:
        data: What is measured.
        measures: As they are written; those without a better side are left out.
        settings: Ranks and attention of shares, the target of measures that are about one.
    """
    quantities = [(name, SIGNS.get(direction(parse_measure(name)), "")) for name in measures]
    quantities += [(f"share.{of.attribute}.{group}", ">=") for of in data.attributes for group in of.groups]
    limits = [limit_of(f"{quantity} {sign} 0") for quantity, sign in quantities if sign]
    settings = replace(settings, limits=tuple(limit.text for limit in limits))
    values = [(limit, value) for limit in limits for value in measured(data, limit, settings)]
    return tuple(filter(None, (_statement(limit, value, len(values)) for limit, value in values)))


def _statement(limit: Limit, value: Measured, n_tests: int) -> str:
    """The limit at the end of the value's interval, rounded away from the value; empty without one."""
    low, high = value.interval(n_tests)
    if math.isnan(low):
        return ""
    thousandths = math.floor(1000 * low) if limit.at_least else math.ceil(1000 * high)
    number = f"{thousandths / 10:.1f}%" if limit.quantity.startswith("share.") else f"{thousandths / 1000:.3f}"
    return f"{value.system}: {limit.quantity} {'>=' if limit.at_least else '<='} {number}"


def limits_file(limits: Sequence[str]) -> str:
    """A file of limits as ``fairviz check --limits`` reads it."""
    lines = "".join(f"  {json.dumps(limit, ensure_ascii=False)},\n" for limit in limits)
    return f"limits = [\n{lines}]\n"
