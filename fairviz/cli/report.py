"""``fairviz report``: all that the files allow, as one HTML file to read and to send, or as the bundle of a paper."""

import argparse
import sys

from fairviz.cli._common import (
    Progress,
    warn,
)
from fairviz.cli._data import loaded_data, which_groups
from fairviz.cli.study import settings_of
from fairviz.extras import DRAWS, need
from fairviz.reporting.request import Request

FORMATS = ("html", "bundle")


SETTINGS = Request


def run(args: argparse.Namespace) -> int:
    """Measure what there is to measure, then write the page or the bundle."""
    need("a report", DRAWS)
    from fairviz.reporting.assemble import reported  # and what it is drawn with

    files, loaded = loaded_data(args, args.title)
    with Progress("computing", force=args.progress), files.naming():
        report = reported(loaded, settings_of(args, Request, loaded))
    warn(dict.fromkeys([*files.notes, *which_groups(args, loaded), *files.placed(report.notes)]))
    if args.format == "html":
        print(report.html())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(report.bundle())
    return 0
