"""``fairviz measures``: every measure with its formula, its parameters and its source."""

import argparse
from collections.abc import Iterable, Sequence

from fairviz.cli._streams import print_json, print_text, terminal_text
from fairviz.display.latex import latex_text
from fairviz.display.methods import measures_table
from fairviz.display.table import Cell, Table, csv_text, keyed, records
from fairviz.extras import load_entry_points
from fairviz.metrics.catalogue import CATALOGUE, unknown_measure
from fairviz.metrics.describe import Measure, Parameter
from fairviz.metrics.group_measures import GroupMeasure
from fairviz.metrics.standard import registry, standard_names, standard_parameters


def measures(args: argparse.Namespace) -> int:
    """Print what the catalogue and ir-measures say of the measures asked for."""
    load_entry_points("measures")
    names: list[str] = args.names or [*CATALOGUE, *standard_names()]
    for name in names:
        if name not in CATALOGUE and name not in registry():
            raise unknown_measure(name)
    ours = [CATALOGUE[name] for name in names if name in CATALOGUE]
    standard = [name for name in names if name not in CATALOGUE]
    table = measures_table([measure.name for measure in ours], typeset=args.format == "latex")
    if args.format == "json":
        tables = {"measures": table, **_tables(ours, standard, standard)}
        listed = {stem: records(each) for stem, each in tables.items()}
        print_json({"command": "measures", "settings": {"names": names}, "findings": [], "tables": listed}, [])
    elif args.format == "text":
        tables = {"measures": _formulas(ours), **_tables(ours, standard, standard if args.names else ())}
        print_text("\n".join(terminal_text(each) for each in tables.values() if each.rows))
    else:
        print_text(latex_text(table) if args.format == "latex" else csv_text(table, escape_formulas=False))
    return 0


def _formulas(ours: Sequence[Measure]) -> Table:
    """The measures of fairviz in lines that fit a terminal."""
    rows = [
        (
            f"{measure.name}@k" if measure.cutoff != "none" else measure.name,
            f"{measure.label}, {measure.title}",
            measure.better,
            "{:g} … {:g}".format(*measure.range),
            measure.formula,
        )
        for measure in ours
    ]
    return Table(keyed("name", "measure", "better", "range", "formula"), tuple(rows), "Measures of fairviz")


def _tables(ours: Sequence[Measure], standard: Sequence[str], described: Sequence[str]) -> dict[str, Table]:
    """What is to be known of measures besides their formulas, and those of ir-measures.

    Args:
        ours: Measures of fairviz.
        standard: Names of ir-measures' ones.
        described: Those of them whose parameters are listed.
    """

    def table(columns: Sequence[str], rows: Iterable[tuple[Cell, ...]], caption: str = "") -> Table:
        return Table(keyed(*columns), tuple(rows), caption)

    designs = [
        (each.name, each.weighting, each.target, _yes(each.binomial), _yes(each.relevance), _yes(each.soft))
        for each in ours
        if isinstance(each, GroupMeasure)
    ]
    alike: dict[tuple[Parameter, ...], list[str]] = {}
    for name, signature in [
        *((measure.name, measure.parameters) for measure in ours),
        *((name, standard_parameters(name)) for name in described),
    ]:
        alike.setdefault(signature, []).append(name)
    parameters = [
        (each.name, ", ".join(names), "" if each.default is None else repr(each.default), each.accepted, each.meaning)
        for signature, names in alike.items()
        for each in signature
    ]
    return {
        "summaries": table(("name", "what it rewards"), ((each.name, each.summary) for each in ours)),
        "remarks": table(("name", "what to know"), ((each.name, remark) for each in ours for remark in each.remarks)),
        "needs": table(("name", "needs"), ((each.name, each.needs_words) for each in ours), "What must be given"),
        "design": table(
            ("name", "weighting", "target", "one group", "relevance", "soft labels"),
            designs,
            "How measures of groups differ (Raj et al., Table 1)",
        ),
        "parameters": table(("parameter", "measures", "default", "accepted", "meaning"), parameters, "Parameters"),
        "standard": table(
            ("name", "measure"), ((name, registry()[name].PRETTY_NAME) for name in standard), "Measures of ir-measures"
        ),
    }


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
