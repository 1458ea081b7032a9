"""``fairviz sample``: rankings drawn from a policy, as a multi-sample run on standard output."""

import argparse
from functools import partial

import numpy as np

from fairviz.cli._common import (
    MOST_DRAWN,
    Commands,
    add_output_options,
    add_qrels_option,
    add_seed_option,
    examples,
    ids_without_blanks,
    print_lines,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, name_of
from fairviz.cli._inputs import (
    add_attention_options,
    add_gain_options,
    attention_of,
    gain_of,
    load_qrels,
    load_systems,
)
from fairviz.cli.curve import add_policy_option
from fairviz.evaluation.joins import judgements_of
from fairviz.io.trec import check_writable, write_samples
from fairviz.model import Qrels, Run
from fairviz.points.alphas import parse_alpha
from fairviz.points.curves import POLICIES, Drawing, drawn_by_query, with_scores


def add_parser(subparsers: Commands) -> None:
    """Add the ``sample`` command."""
    parser = subparsers.add_parser("sample", help="draw rankings from a policy", epilog=examples("sample"))
    parser.add_argument("runs", type=InputFile, nargs=1, metavar="RUN", help="a run with scores")
    parser.add_argument("--alpha", required=True, metavar="A", help="fairness control: 0 uniform, 8 almost fixed")
    parser.add_argument(
        "--samples",
        type=whole_number(1, MOST_DRAWN),
        default=100,
        metavar="N",
        help="rankings of each query (default 100)",
    )
    add_seed_option(parser, "the draws")
    add_policy_option(parser, POLICIES)
    add_qrels_option(parser)
    add_attention_options(parser)
    add_gain_options(parser)
    add_output_options(parser, formats=())
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw, then print."""
    attention = attention_of(args)
    gain, rel = gain_of(args)
    alpha = parse_alpha(args.alpha)
    loaded = load_systems(args.runs)
    file = name_of(args.runs[0])
    source = with_scores(loaded.rankings[0], file)
    qrels, notes = load_qrels(args.qrels)
    with loaded.naming():
        judgements = judgements_of(source, qrels) if qrels else None
    drawing = Drawing(
        policy=args.policy,
        alpha=alpha,
        attention=attention,
        depth=args.k or _largest_pool(source, judgements),
        n_samples=args.samples,
        offset=args.offset,
        gain=gain,
        rel=rel,
        scores=args.scores,
    )
    drawn = drawn_by_query(source, drawing, rng=np.random.default_rng(args.seed), qrels=judgements)
    warn([*loaded.notes, *notes])
    with ids_without_blanks(file):
        check_writable(source.query_ids, "query id", opens_line=True)  # before anything is written
        check_writable(source.doc_ids, "document id")
        for sample in drawn:
            print_lines(partial(write_samples, sample))
    return 0


def _largest_pool(run: Run, qrels: Qrels | None) -> int:
    """Items that no ranking exceeds: the run's and, for the oracle, the judged ones."""
    tables = (run, qrels) if qrels else (run,)
    return sum(int(np.diff(table.offsets).max(initial=0)) for table in tables)
