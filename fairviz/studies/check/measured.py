"""The values that limits are about, each with its interval at the level that all limits leave it.

Values, intervals and the queries that they rest on are those of the studies: what ``evaluate``, ``compare``, ``bias``
and ``variants`` print, the shares of attention of ``groups``, and of documents given and cited of ``attribution``.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.table import records
from fairviz.errors import FairvizError, UndefinedError, UsageError
from fairviz.evaluation.compare import direction
from fairviz.evaluation.systems import baselines_called, named_rankings, ranked_and_answered
from fairviz.io.limit_statements import OF_BIAS, Limit, limit_of
from fairviz.metrics.catalogue import parse_measure
from fairviz.model import CROSSED, Dataset, GroupLabels
from fairviz.model.dataset import factors_of
from fairviz.points.limits import (
    LABELLED_QUERIES,
    PAIRED_QUERIES,
    PAIRED_QUESTIONS,
    QUERIES,
    TEMPLATES,
    LimitValue,
    measured_by,
)
from fairviz.points.outputs import recorded
from fairviz.points.shares import GroupExposure, corrected_intervals
from fairviz.points.sources import DOMAIN, EVERY_WEEK, source_attributes, source_shares, week_of
from fairviz.points.targets import exposure_of
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.studies import study_of
from fairviz.studies.check.settings import OF_SOURCES, CheckSettings, of_measure, refuse_unknown
from fairviz.studies.study import Study

LAST_WEEK = "@last"
"""Behind such a share: in the latest week that the answers reach."""
KEPT_APART = ("model", "dataset", "strategy", "setting", "retriever", "k")
"""What answers are told apart by."""


T = TypeVar("T")


def measured(data: Dataset, limit: Limit, settings: CheckSettings) -> list[LimitValue]:
    """What a limit is about, of every system that has it.

    Args:
        data: What the studies read.
        limit: The statement.
        settings: Baseline, ranks, attention, seed.

    Raises:
        UndefinedError: The data do not have the quantity.
        UsageError: It is none, or names an attribute, a group or a system that is not there.
    """
    kind, _, rest = limit.quantity.partition(".")
    refuse_unknown(limit.text)
    systems = ranked_and_answered(data)
    if limit.beside_baseline and len(systems) < 2:
        raise UsageError("there is no baseline: give its run, too, or --baseline STUDY.fairviz")
    if limit.beside_baseline and not settings.baseline and limit.system == systems[0].system:
        raise UsageError(f"{limit.system} is the baseline, as the first run: name another with --baseline")
    if kind == "share":
        values = list(_shares(data, rest, settings))
    elif kind in OF_SOURCES:
        values = list(_of_sources(data, kind, rest, settings))
    elif kind in OF_BIAS:
        values = list(_of_bias(data, kind, rest, settings))
    elif kind == "dp":
        values = list(_gaps(data, rest, settings))
    elif limit.beside_baseline:
        values = list(_of_measure(data, limit, settings, "compare", "difference"))
    else:
        values = list(_of_measure(data, limit, settings, "evaluate", "value"))
    if limit.system:
        return [_one_of(limit.system, {each.system: each for each in values})]
    baselines = baselines_called(data, settings.baseline)
    values = [value for value in values if value.system not in baselines]
    if not values:
        raise UndefinedError(f"no system has a value of {limit.quantity}")
    return values


def in_its_week(limit: Limit, data: Dataset) -> Limit:
    """A limit on documents given or cited ``@last`` as one on the latest week of the data; others as they are.

    Raises:
        UndefinedError: No answer has a time.
    """
    if limit.quantity.partition(".")[0] not in OF_SOURCES or not limit.quantity.endswith(LAST_WEEK):
        return limit
    last = max((week_of(day) for outputs in data.outputs for day in outputs.dates), default="")
    if not last:
        raise UndefinedError("no answer has a time, so that no week is the last one")
    text, quantity = (part.replace(LAST_WEEK, f"@{last}") for part in (limit.text, limit.quantity))
    return limit._replace(text=text, quantity=quantity)


def _one_of(name: str, choices: Mapping[str, T]) -> T:
    """What has a name in a limit.

    Raises:
        UsageError: There is none of that name.
    """
    if name not in choices:
        raise UsageError(f"{name!r} is none of {', '.join(choices) or 'what the data have'}")
    return choices[name]


def _rows(data: Dataset, command: str, table: str, **values: Any) -> list[dict[str, Any]]:
    """Rows of a table of a study, with some settings."""
    study = cast("Study", study_of(command))
    return [dict(row) for row in records(study.analyse(data, study.settings.of(values)).tables[table])]


def _with_interval(
    system: str, row: Mapping[str, Any], value: str, n: int, unit: tuple[str, str], ends: str = ""
) -> LimitValue:
    """A value of a row beside its two ends; what is not there is undefined, a column that no row has a value of too."""
    cells = (row.get(name) for name in (value, f"{ends}low", f"{ends}high"))
    number, low, high = (float("nan") if cell is None else float(cell) for cell in cells)
    return measured_by(system, number, Interval(low, high), n, unit)


def _of_measure(data: Dataset, limit: Limit, settings: CheckSettings, command: str, value: str) -> Iterator[LimitValue]:
    """A measure of every system; all that the limits are about are measured at once."""
    limits = [limit, *map(limit_of, settings.limits)]
    alike = [each.quantity for each in limits if of_measure(each) and each.beside_baseline == limit.beside_baseline]
    of = {"seed": settings.seed, "against": settings.against}
    table, of_pair = ("compared", {"baseline": settings.baseline}) if limit.beside_baseline else ("means", {})
    shown = parse_measure(limit.quantity).shown
    try:
        rows = _rows(data, command, table, measures=tuple(sorted(set(alike))), **of, **of_pair)
    except FairvizError:  # of another limit, whose turn it is not
        rows = _rows(data, command, table, measures=(limit.quantity,), **of, **of_pair)
    for row in rows:
        if row["measure"] == shown:
            unit = PAIRED_QUERIES if limit.beside_baseline else QUERIES
            yield _with_interval(row["system"], row, value, row["n_queries"], unit)


def _shares(data: Dataset, rest: str, settings: CheckSettings) -> Iterator[LimitValue]:
    if not data.attributes:
        raise UsageError("there are no group labels: give --groups FILE")
    position, group = group_of(rest, data.attributes)
    against = AgainstTarget(position, "uniform")
    groups = {each: index for index, each in enumerate(against.labels(data).groups)}
    index = _one_of(group, groups)
    for system in named_rankings(data):
        judgements = settings.judgements if data.qrels else None
        exposure = exposure_of(
            data, system.system, against.attribute, judgements, "drop", (), settings.browsing, settings.k
        )
        yield share_measured(system.system, exposure, index)


def group_of(rest: str, attributes: Sequence[GroupLabels]) -> tuple[int, str]:
    """Which attribute ``ATTRIBUTE.GROUP`` names, and its group; of ``a`` and ``a.b`` the longer that has the group."""
    positions = {labels.attribute: index for index, labels in enumerate(attributes)}
    positions |= {name.replace(CROSSED, "+"): index for name, index in positions.items()}  # as --groups-by has them
    begun = sorted((name for name in positions if rest.startswith(f"{name}.")), key=len, reverse=True)
    with_group = (name for name in begun if rest.removeprefix(f"{name}.") in attributes[positions[name]].groups)
    name = next(with_group, (begun or [rest.partition(".")[0]])[0])
    return _one_of(name, positions), rest.removeprefix(f"{name}.")


def share_measured(system: str, exposure: GroupExposure, group: int) -> LimitValue:
    """The share of a group, with its interval."""

    def interval(n_tests: int) -> Interval:
        ends, _ = corrected_intervals(exposure, n_tests=n_tests)
        return Interval(float(ends.low[group]), float(ends.high[group]))

    return LimitValue(system, float(exposure.shares[group]), exposure.n_labelled, LABELLED_QUERIES, interval)


def _of_sources(data: Dataset, part: str, rest: str, settings: CheckSettings) -> Iterator[LimitValue]:
    """The share of a group in the documents that each system gave to its generator, or that its answers cite.

    A domain that no document has gets nothing: that it is gone must not be an error where it is to be kept. Of a week
    without an answer nobody can tell.
    """
    if of_week := re.fullmatch(r"(.+)@(\d{4}-W\d\d)", rest):
        rest = of_week[1]
    week = of_week[2] if of_week else EVERY_WEEK
    recorded_outputs = recorded(data, settings.k, "graded")
    recorded_outputs.refuse_none()
    attributes = source_attributes(data, rest.removeprefix(f"{DOMAIN}."))
    position, group = group_of(rest, attributes)
    labels = attributes[position]
    index = _one_of(group, {each: index for index, each in enumerate(labels.groups)})
    names = [data.outputs[each].system for each in recorded_outputs.matches]
    for each, matches in recorded_outputs.matches.items():
        outputs = data.outputs[each]
        name = outputs.system
        if names.count(name) > 1:
            name = ", ".join([name, *map(str, factors_of(outputs).stated.values())])
        weeks = [week_of(day) for day in outputs.dates]
        shares = {share.week: share for share in source_shares(matches, labels, weeks)}
        if week not in shares:
            yield measured_by(name, float("nan"), UNDEFINED, 0, LABELLED_QUERIES)
        elif (exposure := getattr(shares[week], part)) is not None:
            yield share_measured(name, exposure, index)


def _of_bias(data: Dataset, column: str, category: str, settings: CheckSettings) -> Iterator[LimitValue]:
    rows = _rows(data, "bias", "rows", seed=settings.seed)
    _one_of(category, {row["category"]: row for row in rows})
    for row in rows:
        if row["category"] == category:
            yield _with_interval(_answerer(row), row, column, row["n_templates"], TEMPLATES, f"{column}_")


def _gaps(data: Dataset, attribute: str, settings: CheckSettings) -> Iterator[LimitValue]:
    """The largest paired gap of an attribute, over the questions about both groups, as the table ``gaps`` has them.

    Every gap has its interval, and so has the largest. ``dp`` of the table of variants is over all questions about each
    group: where these are others, the study says so, with both numbers. Either leaves small groups out.
    """
    rows = [row for row in _rows(data, "variants", "gaps", seed=settings.seed) if not row.get("small")]
    _one_of(attribute, {row["attribute"]: row for row in rows})
    of_system: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["attribute"] == attribute:
            of_system.setdefault(_answerer(row), []).append(row)
    for system, pairs in of_system.items():
        gaps = [_with_interval(system, pair, "gap", pair["n"], PAIRED_QUESTIONS) for pair in pairs]
        sizes = [abs(gap.value) for gap in gaps]
        yield LimitValue(
            system, float(np.max(sizes)), min(gap.n for gap in gaps), PAIRED_QUESTIONS, partial(_largest, tuple(gaps))
        )


def _largest(gaps: tuple[LimitValue, ...], n_tests: int) -> Interval:
    """The interval of the size of the largest gap: it is as large as each surely is, and no larger than all may be.

    Two groups that are answered alike in every question have no interval: their gap is taken as it is, unless that is
    so of all.
    """
    ends = [gap.interval(n_tests * len(gaps)) for gap in gaps]
    if all(low != low for low, _ in ends):
        return UNDEFINED
    ends = [
        each if each.low == each.low else Interval(gap.value, gap.value) for each, gap in zip(ends, gaps, strict=True)
    ]
    return Interval(max(max(0.0, low, -high) for low, high in ends), max(max(high, -low) for low, high in ends))


def _answerer(row: Mapping[str, Any]) -> str:
    """Who answered, and how, in a name."""
    return ", ".join(str(row[name]) for name in KEPT_APART if row.get(name))


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


def _statement(limit: Limit, value: LimitValue, n_tests: int) -> str:
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
