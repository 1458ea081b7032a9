"""``fairviz compare``: systems against a baseline, paired by query."""

import argparse
from collections.abc import Sequence
from typing import TypeAlias, cast

from fairviz.cli._common import (
    Commands,
    Progress,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    add_seed_option,
    as_printed,
    print_json,
    print_tables,
    warn,
)
from fairviz.cli._files import InputFile
from fairviz.cli._inputs import Loaded, add_group_options, load_groups, load_qrels, load_systems, pairs_of
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluate.compare import compare_all
from fairviz.evaluate.evaluate import Evaluation, evaluate
from fairviz.evaluate.tables import MeasureResults, tables
from fairviz.evaluate.unjudged import bounded
from fairviz.metrics.spec import parse_measures
from fairviz.model import Note, RagOutputs, Run, Scores, SystemScore
from fairviz.show.table import records

EXAMPLES = """\
examples:
  fairviz compare bm25.run dense.run --qrels test.qrels -m "nDCG@10, RBP(p=0.8)"
  fairviz compare a.run b.run c.run --baseline b.run --groups region.tsv --target uniform -m AWRF -m EED@5
  fairviz compare --outputs a.jsonl b.jsonl -m EU -m EAR@5

A difference is a system minus the baseline, over the queries where both have a value. Holm corrects over all rows.
What nobody judged counts as not useful; "at least" and "at most" are the differences that it could make.
"""

SHOWN = ("system", "reference", "measure", "difference", "low", "high", "p_holm", "verdict", "wins", "ties", "losses")
"""Columns that a terminal has room for."""

Pair: TypeAlias = tuple[Scores, Scores] | tuple[SystemScore, SystemScore]


def add_parser(subparsers: Commands) -> None:
    """Add the ``compare`` command."""
    parser = subparsers.add_parser("compare", help="systems against a baseline, paired by query", epilog=EXAMPLES)
    parser.add_argument("runs", type=InputFile, nargs="*", metavar="RUN", help="runs, or samples of rankings")
    parser.add_argument(
        "--outputs",
        type=InputFile,
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="recorded outputs of generators",
    )
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="what the others are compared with, by name or file (default: the first run, or the first outputs)",
    )
    add_qrels_option(parser)
    add_group_options(parser)
    add_measures_option(parser)
    parser.add_argument(
        "--pair", action="append", default=[], metavar="OUTPUT=RUN", help="which run outputs were made from"
    )
    parser.add_argument(
        "--multi-sample", action="store_true", help="column 2 of runs names the sample, and the rank decides"
    )
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, compare, then print."""
    measures = parse_measures(cast("list[str]", args.measures))
    loaded = load_systems(args.runs, args.outputs, multi_sample=args.multi_sample)
    baseline = _baseline(args.baseline, loaded)
    qrels, qrels_notes = load_qrels(args.qrels)
    groups = load_groups(args, qrels)
    systems = (*loaded.rankings, *loaded.outputs)
    with (
        Progress(len(systems), "measuring", force=args.progress) as progress,
        loaded.naming(groups.labels, args.groups),
    ):
        evaluation = evaluate(
            systems,
            measures,
            qrels=qrels,
            labels=groups.labels,
            target=groups.target,
            pairs=pairs_of(args.pair, loaded),
            on_step=progress.step,
        )
    others = _other_tasks(loaded.outputs, baseline)
    pairs = _pairs(evaluation, baseline, {note.file for note in others})
    rows = compare_all(pairs, seed=args.seed)
    if not rows:
        raise UndefinedError(f"no system has a query with a value in common with {baseline}")
    runs = [ranked for ranked in loaded.rankings if isinstance(ranked, Run)]
    if len(qrels) == 1:
        rows = bounded(rows, measures, runs, qrels[0])
    notes = [*loaded.notes, *qrels_notes, *groups.notes, *loaded.placed([*evaluation.notes, *others])]
    table = tables(MeasureResults(evaluation=evaluation, compared=rows, seed=args.seed))["compared"]
    warn(notes)
    if args.format == "json":
        print_json({"baseline": baseline, "results": records(table)}, notes)
    else:
        print_tables([as_printed(table, SHOWN) if args.format == "table" else table], args.format)
    return 0


def _baseline(text: str | None, loaded: Loaded) -> str:
    """Name of the system that the others are compared with.

    Raises:
        UsageError: It was not loaded, or there is nothing to compare.
    """
    names = [system.system for system in (*loaded.rankings, *loaded.outputs)]
    if len(names) < 2:
        raise UsageError("nothing to compare: give two or more RUN, or two or more --outputs FILE")
    known = {loaded.files[name]: name for name in names} | {name: name for name in names}
    if text is not None and text not in known:
        raise UsageError(f"--baseline {text}: expected one of {', '.join(names)}")
    return names[0] if text is None else known[text]


def _pairs(evaluation: Evaluation, baseline: str, left_out: set[str]) -> list[Pair]:
    """Each system's scores with those of the baseline, measure by measure.

    Raises:
        UndefinedError: The baseline has none of the measures.
    """
    reference = {score.measure: score for score in evaluation.scores if score.system == baseline}
    if not reference:
        raise UndefinedError(f"the baseline {baseline} has none of these measures")
    pairs: list[Pair] = []
    for score in evaluation.scores:
        other = reference.get(score.measure)
        if score.system == baseline or score.system in left_out:
            continue
        if isinstance(score, Scores) and isinstance(other, Scores) and score.aggregate == "mean":
            pairs.append((score, other))
        if isinstance(score, SystemScore) and isinstance(other, SystemScore):
            pairs.append((score, other))
    return pairs


def _other_tasks(outputs: Sequence[RagOutputs], baseline: str) -> list[Note]:
    """Outputs of other tasks than the baseline's, which are not compared with it."""
    task_of = {recorded.system: recorded.task for recorded in outputs}
    ours = task_of.get(baseline)
    return [
        Note(system, None, f"left out: of {_named(task)}, the baseline is of {_named(ours)}")
        for system, task in task_of.items()
        if task != ours and baseline in task_of
    ]


def _named(task: str | None) -> str:
    return f"task {task}" if task else "no named task"
