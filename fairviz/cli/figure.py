"""``fairviz figure``: a drawing of the dashboard at the size of a paper."""

import argparse

from fairviz.cli._common import Commands
from fairviz.cli._figure import add_paper_options, paper_for, write_figure
from fairviz.cli._files import InputFile, source_of
from fairviz.display.paper import read_chart
from fairviz.errors import InputError
from fairviz.io.notes import NoteBook
from fairviz.io.text import whole_text

EXAMPLES = """\
examples:
  fairviz figure fairviz-groups.json groups.pdf --width 177mm
  fairviz figure fairviz-groups.json groups.svg --greyscale

A drawing is what "Figure …" beside a chart hands out, and the bundle holds of each pinned figure.
"""


def add_parser(subparsers: Commands) -> None:
    """Add the ``figure`` command."""
    parser = subparsers.add_parser("figure", help="a drawing of the dashboard at the size of a paper", epilog=EXAMPLES)
    parser.add_argument("drawing", type=InputFile, metavar="DRAWING", help="the chart, as JSON")
    parser.add_argument("file", metavar="FILE", help="what to write, .svg or .pdf")
    add_paper_options(parser)
    parser.add_argument("--call-outs", action="store_true", help="with “you are here” and other marks of the screen")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw the figure; nothing is printed."""
    paper = paper_for(args, args.file, "FILE")
    source = source_of(args.drawing)
    text = whole_text(source, NoteBook(source.name))
    try:
        chart = read_chart(text)
    except InputError as error:
        raise InputError(error.reason, file=args.drawing, fix=error.fix) from error
    write_figure(chart, paper, args.file)
    return 0
