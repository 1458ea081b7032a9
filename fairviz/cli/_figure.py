"""``--figure FILE``: a chart of the results at the size of a paper, beside what is printed."""

import argparse
from typing import get_args

from fairviz.cli._common import warn
from fairviz.display.paper import LEAST, MOST, Chart, Family, Paper, Width, kind_of, printed
from fairviz.errors import UsageError
from fairviz.extras import PRINTS, need
from fairviz.model import Note


def add_figure_options(parser: argparse.ArgumentParser, what: str) -> None:
    """``--figure`` and how it is printed."""
    parser.add_argument("--figure", metavar="FILE", help=f"draw {what} as FILE.svg or FILE.pdf (needs Matplotlib)")
    add_paper_options(parser)


def add_paper_options(parser: argparse.ArgumentParser) -> None:
    """``--width``, ``--font-size``, ``--font``, ``--greyscale``."""
    parser.add_argument(
        "--width", choices=get_args(Width), default="84mm", help="of the figure: a column (default), a page, a slide"
    )
    parser.add_argument(
        "--font-size", type=float, metavar="PT", help=f"of its text, {LEAST:g} or more (default 7; slide 14)"
    )
    parser.add_argument("--font", choices=get_args(Family), default="sans", help="of its text (default sans)")
    parser.add_argument("--greyscale", action="store_true", help="greys with dashes and markers in place of colours")


def paper_of(args: argparse.Namespace) -> Paper | None:
    """How the figure of ``--figure`` is printed; None where none is asked for."""
    return None if args.figure is None else paper_for(args, args.figure, "--figure")


def paper_for(args: argparse.Namespace, file: str, option: str) -> Paper:
    """How a figure is printed; refuses before anything is computed.

    Raises:
        UsageError: The file is neither SVG nor PDF, the text too small, or Matplotlib is not installed.
    """
    try:
        kind_of(file)
    except UsageError as error:
        raise UsageError(f"{option} {error}") from None
    if args.font_size is not None and not LEAST <= args.font_size <= MOST:
        raise UsageError(f"--font-size {args.font_size:g}: expected {LEAST:g} to {MOST:g} points")
    need("a figure for a paper", PRINTS)
    call_outs = bool(getattr(args, "call_outs", False)) or getattr(args, "mark_alpha", None) is not None
    return Paper(
        width=args.width,
        font_size=args.font_size,
        call_outs=call_outs,
        greyscale=args.greyscale,
        family=args.font,
    )


def write_figure(chart: Chart, paper: Paper, file: str) -> None:
    """Write a chart, whole or not at all.

    Args:
        chart: In light colours.
        paper: How it is printed.
        file: Where; its ending says what it is.
    """
    from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

    content = printed(chart, paper, kind_of(file), on_lost=lambda words: warn([Note(file, None, words)]))
    with whole_file(file) as to:
        to.write(content)
