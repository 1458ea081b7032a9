"""``fairviz table``: one table of a page of the dashboard, as the page shows it with its settings."""

import argparse
import re
from collections.abc import Mapping
from typing import cast

from fairviz.cli._common import (
    Commands,
    add_output_options,
    as_printed,
    examples,
    print_json,
    print_tables,
    print_text,
    warn,
)
from fairviz.cli._data import add_data_options, against_of, judgements_of, loaded_data
from fairviz.cli._inputs import Loaded
from fairviz.display.latex import latex_text
from fairviz.display.table import Json, Table, csv_text, records
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset
from fairviz.report.page_command import said, settings_from
from fairviz.report.page_tables import PAGES


def add_parser(subparsers: Commands) -> None:
    """Add the ``table`` command."""
    settings = "".join(f"  {page:<16}{said(page)}\n" for page in PAGES)
    parser = subparsers.add_parser(
        "table", help="one table of a page, as the page is set", epilog=examples("table") + settings
    )
    parser.add_argument("page", choices=PAGES, metavar="PAGE", help=f"of the dashboard: {', '.join(PAGES)}")
    parser.add_argument("stems", metavar="TABLE[,TABLE]", help="its tables by name; of csv the first")
    add_data_options(parser)
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the page, see below; may be given more than once",
    )
    parser.add_argument("--label", type=_label, default="", metavar="TEXT", help="what labels of LaTeX begin with")
    add_output_options(parser)
    parser.set_defaults(run=run, title="")


def _label(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9:_.-]*", text):
        raise argparse.ArgumentTypeError(f"expected letters, digits and :-_. only, got {text!r}")
    return text


def run(args: argparse.Namespace) -> int:
    """Measure what the tables need, then print them."""
    files, data = loaded(args)
    show(args, measured(args, files, data), files)
    return 0


def loaded(args: argparse.Namespace) -> tuple[Loaded, Dataset]:
    """The files that are named, and their data."""
    files, data = loaded_data(args)
    warn(data.notes)
    return files, data


def measured(args: argparse.Namespace, files: Loaded, data: Dataset) -> Mapping[str, Table]:
    """Every table of the page, by stem."""
    settings = settings_from(
        args.page,
        cast("list[str]", args.settings),
        against=against_of(args, data),
        judgements=judgements_of(args, data),
    )
    with files.naming():
        return settings.tables(data)


def show(args: argparse.Namespace, known: Mapping[str, Table], files: Loaded) -> None:
    """Print those that are asked for.

    Raises:
        UndefinedError: There is none of that name.
        UsageError: CSV holds one table.
    """
    stems = [stem.strip() for stem in args.stems.split(",")]
    unknown = [stem for stem in stems if stem not in known]
    if unknown:
        raise UndefinedError(f"there is no table {unknown[0]!r} on these data; there are {', '.join(known)}")
    if args.format == "json":
        body: dict[str, Json] = {stem: records(known[stem]) for stem in stems}
        print_json(body, files.notes)
    elif args.format == "table":
        print_tables([as_printed(known[stem]) for stem in stems], "table")
    elif args.format == "latex":
        print_text("\n".join(latex_text(known[stem], label=f"tab:{args.label}{stem}") for stem in stems))
    elif len(stems) == 1:
        print_text(csv_text(known[stems[0]]))  # byte for byte the page's, which spreadsheets open
    else:
        raise UsageError(f"--format csv prints one table: choose of {', '.join(stems)}")
