"""``fairviz sample``: rankings drawn from a policy, as a multi-sample run on standard output."""

import argparse
from dataclasses import dataclass
from functools import partial

import numpy as np

from fairviz.cli._common import (
    MOST_DRAWN,
    Commands,
    add_output_options,
    examples,
    ids_without_blanks,
    print_lines,
    warn,
)
from fairviz.cli._data import add_data_options, one_run
from fairviz.cli.study import add_settings, settings_of
from fairviz.evaluation.joins import judgements_of
from fairviz.io.trec import check_writable, write_samples
from fairviz.model import Qrels, Run
from fairviz.points.curves import CurvePolicy, Drawing, drawn_by_query
from fairviz.policies.plackett_luce import LARGEST_ALPHA
from fairviz.studies.shared import Attended, OfScores
from fairviz.studies.study import option


@dataclass(frozen=True, kw_only=True)
class SampleSettings(Attended, OfScores):
    """One policy, and how many of its rankings are drawn."""

    alpha: float = option(2.0, "fairness control: 0 uniform, 8 almost fixed", low=0, high=LARGEST_ALPHA)
    policy: CurvePolicy = option("plackett-luce", "what is drawn from; oracle needs judgements")
    samples: int = option(100, "rankings of each query", low=1, high=MOST_DRAWN)
    seed: int = option(0, "of the draws")


def add_parser(subparsers: Commands) -> None:
    """Add the ``sample`` command."""
    parser = subparsers.add_parser("sample", help="draw rankings from a policy", epilog=examples("sample"))
    add_data_options(parser)
    add_settings(parser, SampleSettings)
    add_output_options(parser, formats=())
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw, then print."""
    files, loaded, source = one_run(args)
    asked = settings_of(args, SampleSettings, loaded)
    file = files.files[source.system]
    with files.naming():
        judgements = judgements_of(source, loaded.qrels) if loaded.qrels else None
    gain, rel = asked.usefulness
    drawing = Drawing(
        policy=asked.policy,
        alpha=asked.alpha,
        attention=asked.browsing(),
        depth=asked.k or _largest_pool(source, judgements),
        n_samples=asked.samples,
        offset=asked.offset,
        gain=gain,
        rel=rel,
        scores=asked.scores,
    )
    drawn = drawn_by_query(source, drawing, rng=np.random.default_rng(asked.seed), qrels=judgements)
    warn(files.notes)
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
