"""``fairviz fuse``: runs merged by reciprocal rank fusion, as a run on standard output."""

import argparse
from functools import partial

from fairviz.cli._common import (
    ids_without_blanks,
    print_lines,
    warn,
)
from fairviz.cli._files import source_of
from fairviz.errors import UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.io.rankings import read_ranked_run, write_run


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
