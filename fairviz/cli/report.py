"""``fairviz report``: all that the files allow, as one HTML file to read and to send, or as the bundle of a paper."""

import argparse
import sys
from typing import TYPE_CHECKING

from fairviz.cli._common import (
    Commands,
    Progress,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_seed_option,
    examples,
    warn,
    whole_number,
)
from fairviz.cli._data import add_data_options, against_of, judgements_of, loaded_data
from fairviz.cli._inputs import (
    add_gain_options,
    add_grid_option,
    alphas_of,
    gain_of,
    needed_k,
)
from fairviz.cli.curve import add_score_options
from fairviz.errors import UndefinedError, UsageError
from fairviz.extras import DRAWS, need
from fairviz.model import Dataset

if TYPE_CHECKING:
    from fairviz.report.assemble import Request

FORMATS = ("html", "bundle")


def add_parser(subparsers: Commands) -> None:
    """Add the ``report`` command."""
    parser = subparsers.add_parser(
        "report", help="one HTML file of all that the files allow", epilog=examples("report")
    )
    add_data_options(parser)
    add_measures_option(parser, "; default: those that the files allow of nDCG, EE-D, EE-R, AWRF, EU, EAR and EAE-D")
    parser.add_argument(
        "-k", type=whole_number(1), metavar="K", help="documents that a context holds (a study's folder says)"
    )
    add_grid_option(parser)
    add_score_options(parser)
    parser.add_argument("--title", default="Fairness and quality", metavar="TEXT", help="heading of the report")
    add_gain_options(parser)
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser, formats=FORMATS)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure what there is to measure, then write the page or the bundle."""
    need("a report", DRAWS)
    from fairviz.report.assemble import assembled  # and what it is drawn with

    files, loaded = loaded_data(args, args.title)
    if not (loaded.runs or loaded.samples or loaded.outputs):
        raise UsageError("nothing to report: give RUN or --outputs FILE")
    args.k = args.k or next((manifest.k for manifest in loaded.manifests if manifest.k is not None), None)
    needed_k(args)
    request = request_of(args, loaded)
    with Progress("computing", force=args.progress), files.naming():
        report = assembled(loaded, request)
    if not report.sections:
        raise UndefinedError("nothing of these files can be measured: give --qrels, --groups or --outputs")
    warn(dict.fromkeys([*files.notes, *files.placed(report.notes)]))
    if args.format == "html":
        print(report.html())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(report.bundle())
    return 0


def request_of(args: argparse.Namespace, loaded: Dataset) -> "Request":
    """What the arguments ask of the data."""
    from fairviz.report.assemble import Request, usual_measures

    gain, rel = gain_of(args)
    against = against_of(args, loaded)
    return Request(
        measures=tuple(args.measures or usual_measures(loaded, k=args.k, gain=gain, rel=rel, against=against)),
        k=args.k,
        gain=gain,
        rel=rel,
        scores=args.scores,
        offset=float(args.offset),  # as pages have it: tables print it
        alphas=tuple(alphas_of(args)),
        judgements=judgements_of(args, loaded),
        against=against,
        seed=args.seed,
    )
