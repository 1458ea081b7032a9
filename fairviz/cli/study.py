"""The command of a study: its files, its settings as options, and its tables and charts as they are asked for."""

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from fairviz.cli._chart import add_chart_options, check_chart, write_chart
from fairviz.cli._common import (
    Commands,
    Progress,
    add_output_options,
    add_progress_option,
    examples,
    print_json,
    print_tables,
    print_text,
    warn,
    whole_number,
)
from fairviz.cli._data import add_data_options, against_of, judgements_of, loaded_data, which_groups
from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table, csv_text
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset
from fairviz.studies.study import Analysis, Option, S, Settings, Study

SHRINK = ("system", "reference", "measure")
"""Columns whose names give way in text where a line is too long for a terminal."""


def add_parser(subparsers: Commands, study: Study) -> None:
    """Add the command of a study."""
    parser = subparsers.add_parser(study.command, help=study.purpose, epilog=examples(study.command))
    add_data_options(parser)
    add_settings(parser, study.settings)
    add_output_options(parser)
    parser.add_argument(
        "--table",
        metavar="NAME[,NAME]",
        help="its tables by name, of csv one (default: those that are read, of csv the first)",
    )
    parser.add_argument(
        "--escape-formulas",
        action="store_true",
        help="in CSV: an apostrophe before text that a spreadsheet would run as a formula, as downloads have it",
    )
    parser.add_argument("--label", type=_label, default="", metavar="TEXT", help="what labels of LaTeX begin with")
    add_chart_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run, study=study)


def add_settings(parser: argparse.ArgumentParser, settings: type[Settings], names: Sequence[str] = ()) -> None:
    """Every setting as an option, or those that are named."""
    for name, one in settings.options().items():
        if names and name not in names:
            continue
        said: dict[str, Any] = {"dest": name, "default": None, "help": _help(one)}
        if one.kind is bool:
            parser.add_argument(*one.flags, action=argparse.BooleanOptionalAction, **said)
            continue
        if isinstance(one.kind, tuple):
            said["metavar"] = one.metavar or f"{{{','.join(one.kind)}}}"
        else:
            said["metavar"] = one.metavar or {int: "N", float: "X"}.get(one.kind, name.upper())
        if one.several:
            said["action"] = "append"
        argument = parser.add_argument(*one.flags, type=_type(one), **said)
        if isinstance(one.kind, tuple):
            vars(argument)["completer"] = _completer(one.kind)  # which argcomplete asks


def _completer(words: tuple[str, ...]) -> Callable[..., tuple[str, ...]]:
    def completer(**_: object) -> tuple[str, ...]:
        return words

    return completer


def _help(one: Option) -> str:
    if one.default in (None, "", ()) or one.default != one.default or one.kind is bool:
        return one.help.replace("%", "%%")
    usual = one.default if not one.several else ", ".join(map(str, one.default))
    return f"{one.help} (default {f'{usual:g}' if isinstance(usual, float) else usual})".replace("%", "%%")


def _type(one: Option) -> Callable[[str], Any]:
    """The type of an argument: its messages are those of the setting."""
    if one.kind is int and one.read is None:
        return whole_number(int(one.low), int(one.high))

    def value(text: str) -> Any:
        try:
            return one.value(text) if one.read is None else one.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value


def settings_of(args: argparse.Namespace, kind: type[S], data: Dataset) -> S:
    """What was asked for; k as the study's folder has it, where nobody says it."""
    known = kind.options()
    said: dict[str, Any] = {}
    for name, one in known.items():
        value = getattr(args, name, None)
        if value is None:
            continue
        if one.several:
            typed = cast("list[Any]", value)
            value = tuple(dict.fromkeys(each for some in typed for each in some)) if one.read else tuple(typed)
        said[name] = value
    depth = known.get("k")
    if data.planned_k is not None and depth is not None and not depth.several:
        said.setdefault("k", data.planned_k)
    of_files = {"against": against_of(args, data), "judgements": judgements_of(args, data)}
    return kind.of({**{name: value for name, value in of_files.items() if name not in known}, **said})


def _label(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9:_.-]*", text):
        raise argparse.ArgumentTypeError(f"expected letters, digits and :-_. only, got {text!r}")
    return text


def run(args: argparse.Namespace) -> int:
    """Analyse, then print the tables and draw the chart that are asked for."""
    study = cast("Study", args.study)
    check_chart(args)
    files, data = loaded_data(args)
    settings = settings_of(args, study.settings, data)
    with Progress("computing", force=args.progress), files.naming():
        found = study.analyse(data, settings)
    tables = asked(found, args.table, args.format)
    beside_target = isinstance(getattr(settings, "against", None), AgainstTarget)
    of_groups = which_groups(args, data, getattr(settings, "measures", ())) if beside_target else []
    notes = list(dict.fromkeys([*files.notes, *of_groups, *files.placed(found.notes)]))
    warn(notes)
    if args.chart is not None:
        write_chart(found.charts, args)
    if args.format == "json":
        print_json(study.record(settings, found, tables), notes)
    elif args.format == "latex":
        print_text("\n".join(latex_text(table, label=f"tab:{args.label}{stem}") for stem, table in tables.items()))
    elif args.format == "csv":
        print_text(csv_text(next(iter(tables.values())), escape_formulas=args.escape_formulas))
    else:
        narrow = found.read if args.table is None else tables
        read = [replace(narrow.get(stem, table), decimals=4) for stem, table in tables.items() if table.rows]
        print_tables(read, "table", shrink=SHRINK)
    return 0


def asked(found: Analysis, names: str | None, how: str) -> dict[str, Table]:
    """The tables that are printed.

    Raises:
        UndefinedError: There is none of that name.
        UsageError: CSV holds one table.
    """
    if names is None:
        read = {stem: found.tables[stem] for stem in found.read}
        return dict(list(read.items())[:1]) if how == "csv" else dict(found.tables) if how == "json" else read
    stems = [name.strip() for name in names.split(",")]
    if unknown := [stem for stem in stems if stem not in found.tables]:
        raise UndefinedError(f"there is no table {unknown[0]!r} on these data; there are {', '.join(found.tables)}")
    if how == "csv" and len(stems) > 1:
        raise UsageError(f"--format csv prints one table: choose of {', '.join(stems)}")
    return {stem: found.tables[stem] for stem in stems}
