"""The command of a study, its tables and charts as they are asked for; and ``report``, of all studies."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from fairviz.cli._data import BY_RANGES, against_of, judgements_of, loaded_data, which_groups
from fairviz.cli._streams import Progress, print_json, print_text, terminal_text, warn
from fairviz.display.html import Figure, Section, html_table, html_text
from fairviz.display.intervals import FEWER
from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget
from fairviz.display.paper import check_size, kind_of, printed
from fairviz.display.table import Table, csv_text, markdown_text, polars_frame
from fairviz.display.theme import LIGHT, in_both_themes
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.ranges import on_cluster
from fairviz.extras import DRAWS, PRINTS, need
from fairviz.model import Dataset
from fairviz.reporting.request import Request
from fairviz.studies.study import Analysis, Chart, S, Study

SHRINK = ("system", "reference", "measure")
"""Columns whose names give way in text where a line is too long for a terminal."""


def settings_of(args: argparse.Namespace, kind: type[S], data: Dataset) -> S:
    """What was asked for; k as the study's folder has it, where nobody says it."""
    options = kind.options()
    values: dict[str, Any] = {}
    for name, option in options.items():
        value = getattr(args, name, None)
        if value is None:
            continue
        if option.several:
            typed = cast("list[Any]", value)
            value = tuple(dict.fromkeys(each for some in typed for each in some)) if option.read else tuple(typed)
        values[name] = value
    depth = options.get("k")
    if data.planned_k is not None and depth is not None and not depth.several:
        values.setdefault("k", data.planned_k)
    of_files = {
        "against": against_of(args, data, statements="statements" in options),
        "judgements": judgements_of(args, data),
    }
    return kind.of({**{name: value for name, value in of_files.items() if name not in options}, **values})


def study(args: argparse.Namespace) -> int:
    """Analyse, then print the tables and draw the chart that are asked for."""
    chosen = cast("Study", args.study)
    check_chart(args)
    if args.format == "html" and args.table is None:
        need("a page", DRAWS)
    if args.dask is not None and chosen.command not in BY_RANGES:
        raise UsageError(f"--dask: {' and '.join(BY_RANGES)} alone go through a run range by range")
    _take_limits(args, chosen.settings)
    files, data = loaded_data(args)
    settings = settings_of(args, chosen.settings, data)
    with on_cluster(args.dask), Progress("computing", force=args.progress), files.naming():
        analysis = chosen.analyse(data, settings)
    tables = printed_tables(analysis, args.table, args.format)
    beside_target = isinstance(getattr(settings, "against", None), AgainstTarget)
    of_groups = which_groups(args, data, getattr(settings, "measures", ())) if beside_target else []
    notes = list(dict.fromkeys([*files.notes, *of_groups, *files.placed(analysis.notes)]))
    warn(notes)
    if args.chart is not None:
        write_chart(analysis.drawn, args)
    if args.format in analysis.texts:
        print_text(analysis.texts[args.format]())
    elif args.format == "json":
        print_json(chosen.record(settings, analysis, tables), notes)
    elif args.format == "latex":
        print_text("\n".join(latex_text(table, label=f"tab:{args.label}{stem}") for stem, table in tables.items()))
    elif args.format == "markdown":
        print_text("\n".join(map(markdown_text, tables.values())))
    elif args.format == "html":
        whole = args.table is None
        print_text(analysis.page(chosen.title) if whole else "\n".join(map(html_table, tables.values())))
    elif args.format == "csv":
        print_text(csv_text(next(iter(tables.values())), escape_formulas=args.escape_formulas))
    elif args.format == "parquet":
        sys.stdout.flush()
        polars_frame(next(iter(tables.values()))).write_parquet(sys.stdout.buffer)
    else:
        narrow = analysis.read if args.table is None else tables
        read = [replace(narrow.get(stem, table), decimals=4) for stem, table in tables.items() if table.rows]
        print_text("\n".join(terminal_text(table, shrink=SHRINK) for table in read))
    return analysis.code


def _take_limits(args: argparse.Namespace, kind: type[S]) -> None:
    """Files of limits among the data, as if they stood behind their option."""
    limits = kind.options().get("limits")
    if limits is not None and limits.read is not None:
        files = [file for file in args.files if file.lower().endswith(".toml")]
        args.limits = [*(limits.read(limits.opened(file)) for file in files), *(args.limits or ())] or None
        args.files = [file for file in args.files if file not in files]


SETTINGS = {"report": Request}
"""Settings of the command that is no study's."""


def report(args: argparse.Namespace) -> int:
    """Measure what there is to measure, then write the page or the bundle."""
    need("a report", DRAWS)
    from fairviz.reporting.assemble import reported  # and what it is drawn with

    files, loaded = loaded_data(args, args.title)
    with Progress("computing", force=args.progress), files.naming():
        made = reported(loaded, settings_of(args, Request, loaded))
    warn(dict.fromkeys([*files.notes, *which_groups(args, loaded), *files.placed(made.notes)]))
    if args.format == "html":
        print(made.html())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(made.bundle())
    return 0


ONE = ("csv", "parquet")
"""Formats of one table."""


def printed_tables(analysis: Analysis, names: str | None, how: str) -> dict[str, Table]:
    """The tables that are printed.

    Raises:
        UndefinedError: There is none of that name.
        UsageError: CSV and Parquet hold one table.
    """
    if names is None:
        read = {stem: analysis.tables[stem] for stem in analysis.read}
        return dict(list(read.items())[:1]) if how in ONE else dict(analysis.tables) if how == "json" else read
    stems = [name.strip() for name in names.split(",")]
    if unknown := [stem for stem in stems if stem not in analysis.tables]:
        raise UndefinedError(f"there is no table {unknown[0]!r} on these data; there are {', '.join(analysis.tables)}")
    if how in ONE and len(stems) > 1:
        raise UsageError(f"--format {how} prints one table: choose of {', '.join(stems)}")
    return {stem: analysis.tables[stem] for stem in stems}


# ``--chart FILE``: a chart of what was found, at the size of a paper or as a page of HTML.


def check_chart(args: argparse.Namespace) -> None:
    """Refuse a chart that cannot be drawn before anything is computed.

    Raises:
        UsageError: The file is of no kind that is drawn, the size cannot be, or a package is not installed.
    """
    if args.chart is None:
        return
    _, file = _named(args.chart)
    if file.lower().endswith(".html"):
        need("a chart", DRAWS)
        return
    try:
        kind_of(file)
    except UsageError as error:
        raise UsageError(f"--chart {error} or .html") from None
    check_size(args.width, args.points)
    need("a figure for a paper", PRINTS)


def write_chart(charts: Mapping[str, Chart], args: argparse.Namespace) -> None:
    """Write one of the charts in light colours, whole or not at all.

    Raises:
        UndefinedError: There is none, or none of that name.
    """
    from fairviz.io.whole import write_whole  # readers load Arrow: not for --help

    name, file = _named(args.chart)
    if not charts or (name and name not in charts):
        choices = f"there are {', '.join(charts)}" if charts else FEWER
        raise UndefinedError(f"there is no chart {name!r} on these data; {choices}")
    stem = name or next(iter(charts))
    chart = charts[stem]
    if file.lower().endswith(".html"):
        light, dark = in_both_themes(lambda colours: chart.draw(colours=colours))
        section = Section(stem.replace("-", " ").capitalize(), blocks=(Figure(light, dark, chart.alt, name=stem),))
        content = html_text(section.title, [section]).encode()
    else:
        size = {"width": args.width, "points": args.points}
        (content,) = printed(chart.draw(colours=LIGHT), kind_of(file), **size, greyscale=args.greyscale)
    write_whole(file, content)


def _named(text: str) -> tuple[str, str]:
    """The chart's name, empty where none is said, and the file."""
    name, mark, file = text.partition("=")
    return (name, file) if mark and "/" not in name and not Path(text).exists() else ("", text)
