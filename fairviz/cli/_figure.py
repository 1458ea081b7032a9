"""``--figure FILE``: a chart of the results at the size of a paper, beside what is printed."""

import argparse
from pathlib import Path
from typing import get_args

from fairviz.errors import UsageError
from fairviz.show.paper import INSTALL, LEAST, MOST, Chart, Kind, Paper, Width, can_print, printed


def add_figure_options(parser: argparse.ArgumentParser, what: str) -> None:
    """``--figure``, ``--width``, ``--font-size``, ``--greyscale``."""
    group = parser.add_argument_group("figure")
    group.add_argument("--figure", metavar="FILE", help=f"draw {what} as FILE.svg or FILE.pdf (needs Matplotlib)")
    group.add_argument("--width", choices=get_args(Width), default="84mm", help="a column, a page, a slide of 16:9")
    group.add_argument(
        "--font-size", type=float, metavar="PT", help=f"points of its text, {LEAST:g} or more (default 7; slide 14)"
    )
    group.add_argument("--greyscale", action="store_true", help="greys with dashes and markers in place of colours")


def paper_of(args: argparse.Namespace) -> Paper | None:
    """How the figure is printed; None where none is asked for. Refuses before anything is computed.

    Raises:
        UsageError: The file is neither SVG nor PDF, the text too small, or Matplotlib is not installed.
    """
    if args.figure is None:
        return None
    _kind(args.figure)
    if args.font_size is not None and not LEAST <= args.font_size <= MOST:
        raise UsageError(f"--font-size {args.font_size:g}: expected {LEAST:g} to {MOST:g} points")
    if not can_print():
        raise UsageError(f"--figure: {INSTALL}")
    return Paper(
        width=args.width,
        font_size=args.font_size,
        call_outs=getattr(args, "call_outs", False),
        greyscale=args.greyscale,
    )


def write_figure(chart: Chart, paper: Paper, file: str) -> None:
    """Write a chart, whole or not at all.

    Args:
        chart: In light colours.
        paper: How it is printed.
        file: Where; its ending says what it is.
    """
    from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

    content = printed(chart, paper, _kind(file))
    with whole_file(file) as to:
        to.write(content)


def _kind(file: str) -> Kind:
    kinds: dict[str, Kind] = {".svg": "svg", ".pdf": "pdf"}
    kind = kinds.get(Path(file).suffix.lower())
    if kind is None:
        raise UsageError(f"--figure {file}: expected a name that ends in .svg or .pdf")
    return kind
