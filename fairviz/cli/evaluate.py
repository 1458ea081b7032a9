"""``fairviz evaluate``: systems × measures, with intervals."""

import argparse
from dataclasses import replace
from typing import cast, get_args

from fairviz.cli._common import (
    Commands,
    Progress,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    add_seed_option,
    as_printed,
    examples,
    print_json,
    print_tables,
    warn,
)
from fairviz.cli._files import InputFile, source_of
from fairviz.cli._inputs import (
    PRINTED,
    add_depth_option,
    add_group_options,
    add_multi_sample_option,
    add_outputs_option,
    add_systems_option,
    add_ties_option,
    load_factors,
    load_groups,
    load_qrels,
    load_systems,
    open_study,
    pairs_of,
)
from fairviz.display.table import Json, records
from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import (
    RESULT_COLUMNS,
    SHOWN_FLAGS,
    TIE_COLUMNS,
    MissingQueries,
    evaluate,
    factors_of_scored,
    score_intervals,
)
from fairviz.evaluation.joins import by_task
from fairviz.evaluation.tables import MeasureResults, tables
from fairviz.io.corpus import read_references
from fairviz.metrics.spec import parse_measures
from fairviz.model import FACTORS, Note


def add_parser(subparsers: Commands) -> None:
    """Add the ``evaluate`` command."""
    parser = subparsers.add_parser("evaluate", help="measure runs and recorded outputs", epilog=examples("evaluate"))
    parser.add_argument(
        "runs", type=InputFile, nargs="*", metavar="RUN", help="runs, samples of rankings, or a study's folder"
    )
    add_qrels_option(parser)
    add_group_options(parser)
    add_measures_option(parser)
    add_outputs_option(parser)
    add_references_option(parser)
    add_subtopics_option(parser)
    add_multi_sample_option(parser)
    add_ties_option(parser)
    add_depth_option(parser, "full")
    add_systems_option(parser)
    parser.add_argument("--per-query", action="store_true", help="also the value of every query (csv, latex: only)")
    parser.add_argument(
        "--missing-queries",
        choices=get_args(MissingQueries),
        default="common",
        help="common: means are over the queries that all systems rank (default); zero: a judged query that a system "
        "does not rank counts 0 in measures of ir-measures, as in trec_eval -c",
    )
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def add_subtopics_option(parser: argparse.ArgumentParser) -> None:
    """``--subtopics``."""
    parser.add_argument(
        "--subtopics",
        action="store_true",
        help="column 2 of qrels names subtopics, for ERR_IA, alpha_nDCG and others "
        "(else only where a document is judged twice)",
    )


def add_references_option(parser: argparse.ArgumentParser) -> None:
    """``--references``."""
    parser.add_argument(
        "--references",
        type=InputFile,
        metavar="FILE",
        help="right answers, JSON Lines {query_id, answers[]}, for EU(utility='rougeL') and others",
    )


def run(args: argparse.Namespace) -> int:
    """Measure, then print."""
    measures = parse_measures(cast("list[str]", args.measures))
    open_study(
        args,
        "runs",
        {"run": "runs", "rag": "outputs", "qrels": "qrels", "systems": "systems", "references": "references"},
    )
    if not args.runs and not args.outputs:
        raise UsageError("nothing to measure: give RUN or --outputs FILE")
    loaded = load_systems(args.runs, args.outputs, multi_sample=args.multi_sample, ties=args.ties)
    qrels, qrels_notes = load_qrels(args.qrels, subtopics=args.subtopics)
    groups = load_groups(args, qrels)
    references, reference_notes = _references(args.references)
    loaded, table, table_notes = load_factors(args.systems, loaded, qrels)
    loaded, _ = loaded.at_depth(args.depth, table)
    systems = (*loaded.rankings, *loaded.outputs)
    qrels = by_task(qrels, systems, table)
    naming = loaded.naming(groups.labels, args.groups)
    with Progress("measuring", force=args.progress), naming:
        evaluation = evaluate(
            systems,
            measures,
            qrels=qrels,
            labels=groups.labels,
            target=groups.target,
            references=references,
            pairs=pairs_of(args.pair, loaded),
            missing=args.missing_queries,
        )
    notes = [
        *loaded.notes,
        *qrels_notes,
        *groups.notes,
        *reference_notes,
        *table_notes,
        *loaded.placed(evaluation.notes),
    ]
    intervals = score_intervals(evaluation.averaged, seed=args.seed)
    about = {} if args.format in PRINTED else factors_of_scored(evaluation, systems, table)
    known = tables(
        MeasureResults(
            evaluation=evaluation, intervals=intervals, per_query=args.per_query, seed=args.seed, factors=about
        )
    )
    named = [name for name in (*TIE_COLUMNS, *FACTORS, "labels") if name in known["means"].keys]
    results = known["means"].select((*RESULT_COLUMNS, *named))
    warn(notes)
    if args.format == "json":
        rows = records(results)
        for row, scores in zip(rows, evaluation.scores, strict=True):
            row |= {name: scores.flags[name] for name in SHOWN_FLAGS if name in scores.flags}
        body: dict[str, Json] = {"over": evaluation.over, "results": rows}
        if args.per_query:
            body["per_query"] = records(known["per-query"])
        print_json(body, notes)
        return 0
    printed = [as_printed(table) for table in (results, *([known["per-query"]] if args.per_query else []))]
    printed[0] = replace(printed[0], caption=evaluation.over)
    print_tables(printed if args.format == "table" else printed[-1:], args.format)
    return 0


def _references(file: str | None) -> tuple[dict[str, tuple[str, ...]] | None, tuple[Note, ...]]:
    if file is None:
        return None, ()
    parsed = read_references(source_of(file))
    return parsed.value, parsed.notes
