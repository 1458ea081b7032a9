"""``fairviz fuse``: runs merged by reciprocal rank fusion, as a run on standard output."""

import argparse
from functools import partial

from fairviz.cli._common import (
    Commands,
    add_output_options,
    examples,
    ids_without_blanks,
    print_lines,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, source_of
from fairviz.errors import UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.io.rankings import read_ranked_run
from fairviz.io.trec import write_run


def add_parser(subparsers: Commands) -> None:
    """Add the ``fuse`` command."""
    parser = subparsers.add_parser("fuse", help="merge runs by reciprocal rank fusion", epilog=examples("fuse"))
    parser.add_argument("runs", type=InputFile, nargs="+", metavar="RUN", help="two or more runs")
    parser.add_argument(
        "-k",
        "--k",
        type=whole_number(0),
        default=60,
        metavar="K",
        help="how little the first ranks stand out (default 60)",
    )
    parser.add_argument(
        "--depth",
        type=whole_number(1),
        metavar="N",
        help="the last rank of each run that counts (default: all)",
    )
    parser.add_argument("--top", type=whole_number(1), metavar="N", help="documents kept per query (default: all)")
    parser.add_argument("--tag", default="rrf", metavar="NAME", help="run tag (default rrf)")
    add_output_options(parser, formats=())
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fuse, then print."""
    if len(args.runs) < 2:
        raise UsageError("fuse needs two or more runs (see fairviz fuse --help)")
    if not args.tag.strip():
        raise UsageError("--tag: a run tag needs at least one character")
    read = [read_ranked_run(source_of(file, "scoreddocs")) for file in args.runs]
    runs = [parsed.value for parsed in read]
    fused = reciprocal_rank_fusion(runs, k=args.k, depth=args.depth, top=args.top, name=args.tag, ranked=True)
    files = [parsed.file for parsed in read]
    notes = [note for parsed in read for note in parsed.notes]
    warn([*notes, *fusion_notes(runs, fused, names=files)])
    with ids_without_blanks(", ".join(files)):
        print_lines(partial(write_run, fused))
    return 0
