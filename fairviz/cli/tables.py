"""``fairviz tables``: the commands ``fairviz table`` of a list, in one process.

What several of them read is read once, and tables of one page under one setting are computed once.
"""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairviz.cli import table
from fairviz.cli._common import Commands, Parser, examples
from fairviz.cli._files import InputFile, source_of
from fairviz.cli._inputs import Loaded
from fairviz.cli._output import results_to_output
from fairviz.display.methods import TARGET_FILE
from fairviz.display.table import Table
from fairviz.errors import InputError
from fairviz.io.notes import NoteBook
from fairviz.io.text import whole_text
from fairviz.model import Dataset

PRINTED = ("stems", "label", "format", "output_file")
"""Arguments that choose and print tables: the others say which there are."""
OF_PAGE = ("page", "settings")
"""Of those, the ones that do not say what is read."""


def add_parser(subparsers: Commands) -> None:
    """Add the ``tables`` command."""
    parser = subparsers.add_parser("tables", help="the commands of a list, in one process", epilog=examples("tables"))
    parser.add_argument("list", type=InputFile, metavar="LIST", help="commands `fairviz table`, one a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write each table to where its command says."""
    source = source_of(args.list)
    parser = Parser(prog="fairviz")
    table.add_parser(parser.add_subparsers(parser_class=Parser, required=True))
    read: dict[object, tuple[Loaded, Dataset]] = {}
    made: dict[object, Mapping[str, Table]] = {}
    for number, line in enumerate(whole_text(source, NoteBook(source.name)).split("\n"), start=1):
        match _words(line, source.name, number):
            case []:
                pass
            case ["printf", "%s", target, ">", name] if name == TARGET_FILE:
                Path(name).write_text(target, encoding="utf-8")
                read.clear()  # of that name there was another
                made.clear()
            case ["fairviz", "table", *words]:
                asked = parser.parse_args(["table", *words])
                files, page = _without(asked, (*PRINTED, *OF_PAGE)), _without(asked, PRINTED)
                if files not in read:
                    read[files] = table.loaded(asked)
                if page not in made:
                    made[page] = table.measured(asked, *read[files])
                with results_to_output(asked):
                    table.show(asked, made[page], read[files][0])
            case _:
                raise InputError(
                    "no command `fairviz table`", file=source.name, line=number, fix="Run it in a shell of its own."
                )
    return 0


def _words(line: str, file: str, number: int) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError as error:
        raise InputError(f"{error}".lower(), file=file, line=number, fix="A command stands on one line.") from None


def _without(args: argparse.Namespace, names: Sequence[str]) -> object:
    """The other arguments, to be compared."""
    return tuple((name, str(value)) for name, value in vars(args).items() if name not in names)
