"""``--chart FILE``: a chart of what was found, at the size of a paper or as a page of HTML."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from fairviz.display.html import Figure, Section, html_text
from fairviz.display.paper import check_size, kind_of, printed
from fairviz.display.theme import LIGHT, in_both_themes, plotly_script
from fairviz.errors import UndefinedError, UsageError
from fairviz.extras import DRAWS, PRINTS, need
from fairviz.studies.study import Chart


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
    from fairviz.io.whole import whole_file  # readers load Arrow: not for --help

    name, file = _named(args.chart)
    if not charts or (name and name not in charts):
        known = f"there are {', '.join(charts)}" if charts else "there are none"
        raise UndefinedError(f"there is no chart {name!r} on these data; {known}")
    stem = name or next(iter(charts))
    chart = charts[stem]
    if file.lower().endswith(".html"):
        light, dark = in_both_themes(lambda colours: chart.draw(colours=colours))
        section = Section(stem.replace("-", " ").capitalize(), blocks=(Figure(light, dark, chart.alt, name=stem),))
        content = html_text(section.title, [section], plotly_js=plotly_script()).encode()
    else:
        size = {"width": args.width, "points": args.points}
        (content,) = printed(chart.draw(colours=LIGHT), kind_of(file), **size, greyscale=args.greyscale)
    with whole_file(file) as to:
        to.write(content)


def _named(text: str) -> tuple[str, str]:
    """The chart's name, empty where none is said, and the file."""
    name, mark, file = text.partition("=")
    return (name, file) if mark and "/" not in name and not Path(text).exists() else ("", text)
