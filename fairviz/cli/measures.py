"""``fairviz measures``: every measure with its formula, its parameters and its source."""

import argparse
from collections.abc import Sequence
from typing import Any, cast

from fairviz.cli._streams import print_json, print_text, terminal_text
from fairviz.display.latex import latex_text
from fairviz.display.methods import measures_table
from fairviz.display.table import Json, Table, csv_text, keyed
from fairviz.extras import load_entry_points
from fairviz.metrics.catalogue import CATALOGUE, unknown_measure
from fairviz.metrics.describe import Measure, Parameter, When
from fairviz.metrics.group_measures import GroupMeasure
from fairviz.metrics.standard import registry, standard_names, standard_parameters

DESCRIBED = (
    *("name", "label", "title", "better", "range", "formula", "latex", "summary", "citation", "cutoff", "needs"),
    *("parameters", "needs_when", "also_reads", "remarks"),
)
"""Fields of a measure in its JSON."""
PARAMETER_COLUMNS = ("parameter", "default", "accepted", "meaning")


def measures(args: argparse.Namespace) -> int:
    """Print what the catalogue and ir-measures say of the measures asked for."""
    load_entry_points("measures")
    names: list[str] = args.names or [*CATALOGUE, *standard_names()]
    for name in names:
        if name not in CATALOGUE and name not in registry():
            raise unknown_measure(name)
    ours = [CATALOGUE[name] for name in names if name in CATALOGUE]
    standard = [name for name in names if name not in CATALOGUE]
    if args.format == "json":
        body: dict[str, Json] = {
            "measures": [_described(measure) for measure in ours],
            "standard": [_standard(name) for name in standard],
        }
        print_json(body, [])
    elif args.format == "table":
        print_text("\n".join(map(terminal_text, _for_reading(ours, standard, parameters=bool(args.names)))))
    else:
        table = measures_table([measure.name for measure in ours], typeset=args.format == "latex")
        print_text(latex_text(table) if args.format == "latex" else csv_text(table, escape_formulas=False))
    return 0


def _for_reading(ours: Sequence[Measure], standard: Sequence[str], *, parameters: bool) -> list[Table]:
    """Tables for a terminal; measures that share their parameters share a table of them."""
    tables: list[Table] = []
    if ours:
        columns = ("name", "measure", "better", "range", "formula")
        tables.append(Table(keyed(*columns), tuple(map(_short, ours)), "Measures of fairviz"))
        summaries = tuple((measure.name, measure.summary) for measure in ours)
        tables.append(Table(keyed("name", "what it rewards"), summaries))
        remarks = tuple((measure.name, remark) for measure in ours for remark in measure.remarks)
        tables.append(Table(keyed("name", "what to know"), remarks))
        needs = tuple((measure.name, measure.needs_words) for measure in ours)
        tables.append(Table(keyed("name", "needs"), needs, "What must be given"))
        of_groups = [measure for measure in ours if isinstance(measure, GroupMeasure)]
        rows = tuple((parameter.name, *_design(parameter).values()) for parameter in of_groups)
        design = ("name", "weighting", "target", "one group", "relevance", "soft labels")
        tables.append(Table(keyed(*design), rows, "How measures of groups differ (Raj et al., Table 1)"))
        shared: dict[tuple[Parameter, ...], list[str]] = {}
        for measure in ours:
            shared.setdefault(measure.parameters, []).append(measure.name)
        tables += [_parameter_table(", ".join(names), signature) for signature, names in shared.items()]
    if standard:
        rows = tuple((name, registry()[name].PRETTY_NAME) for name in standard)
        tables.append(Table(keyed("name", "measure"), rows, "Measures of ir-measures"))
        if parameters:
            tables += [_parameter_table(name, standard_parameters(name)) for name in standard]
    return [table for table in tables if table.rows]


def _short(measure: Measure) -> tuple[str, ...]:
    low, high = measure.range
    return (
        f"{measure.name}@k" if measure.cutoff != "none" else measure.name,
        f"{measure.label}, {measure.title}",
        measure.better,
        f"{low:g} … {high:g}",
        measure.formula,
    )


def _parameter_table(names: str, parameters: Sequence[Parameter]) -> Table:
    rows = [
        (
            parameter.name,
            "" if parameter.default is None else repr(parameter.default),
            parameter.accepted,
            parameter.meaning,
        )
        for parameter in parameters
    ]
    return Table(keyed(*PARAMETER_COLUMNS), tuple(rows), f"Parameters of {names}")


def _design(measure: GroupMeasure) -> dict[str, str]:
    """The columns of the comparing paper's Table 1, and whether labels may be weights."""
    return {
        "weighting": measure.weighting,
        "target": measure.target,
        "binomial": "yes" if measure.binomial else "no",
        "relevance": "yes" if measure.relevance else "no",
        "soft": "yes" if measure.soft else "no",
    }


def _described(measure: Measure) -> dict[str, Json]:
    design = _design(measure) if isinstance(measure, GroupMeasure) else {}
    return {**design, **{name: _plain(getattr(measure, name)) for name in DESCRIBED}}


def _plain(value: object) -> Any:
    """A field of a measure as JSON holds it."""
    match value:
        case Parameter():
            return _parameter(value)
        case When():
            return {name: _plain(part) for name, part in value._asdict().items()}
        case tuple():
            return [_plain(part) for part in cast("tuple[object, ...]", value)]
        case _:
            return value


def _standard(name: str) -> dict[str, Json]:
    measure = registry()[name]
    return {
        "name": name,
        "title": measure.PRETTY_NAME,
        "summary": measure.SHORT_DESC,
        "parameters": [_parameter(parameter) for parameter in standard_parameters(name)],
    }


def _parameter(parameter: Parameter) -> dict[str, Json]:
    default = str(parameter.default) if isinstance(parameter.default, dict) else parameter.default
    return {
        "name": parameter.name,
        "default": default,
        "accepted": parameter.accepted,
        "meaning": parameter.meaning,
    }
