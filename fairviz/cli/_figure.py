"""``--figure FILE``: a chart of the results at the size of a paper, beside what is printed."""

import argparse

from fairviz.display.paper import COLUMN, POINTS, Chart, check_size, kind_of, printed
from fairviz.errors import UsageError
from fairviz.extras import PRINTS, need


def add_figure_options(parser: argparse.ArgumentParser, what: str) -> None:
    """``--figure``, ``--width``, ``--points``, ``--greyscale``."""
    parser.add_argument(
        "--chart",
        dest="figure",
        metavar="FILE",
        help=f"draw {what} as FILE.pdf, .svg or .png (needs Chrome or Chromium)",
    )
    parser.add_argument(
        "--width", type=float, default=COLUMN, metavar="MM", help="of the figure: 84 a column (default), 174 a page"
    )
    parser.add_argument(
        "--points", type=float, default=POINTS, metavar="PT", help=f"of its smallest text (default {POINTS:g})"
    )
    parser.add_argument("--greyscale", action="store_true", help="greys with dashes and markers in place of colours")


def check_figure(args: argparse.Namespace) -> None:
    """Refuse a figure that cannot be drawn before anything is computed.

    Raises:
        UsageError: The file is neither SVG, PDF nor PNG, the size cannot be, or kaleido is not installed.
    """
    if args.figure is None:
        return
    try:
        kind_of(args.figure)
    except UsageError as error:
        raise UsageError(f"--chart {error}") from None
    check_size(args.width, args.points)
    need("a figure for a paper", PRINTS)


def write_figure(chart: Chart, args: argparse.Namespace) -> None:
    """Write a chart in light colours, whole or not at all."""
    from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

    kind, size = kind_of(args.figure), {"width": args.width, "points": args.points}
    (content,) = printed(chart, kind, **size, greyscale=args.greyscale)
    with whole_file(args.figure) as to:
        to.write(content)
