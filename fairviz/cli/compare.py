"""``fairviz compare``: systems against a baseline, paired by query."""

import argparse
from dataclasses import replace
from typing import cast

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
from fairviz.cli._files import InputFile
from fairviz.cli._inputs import (
    PRINTED,
    Loaded,
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
    pairs_of,
)
from fairviz.display.table import Json, records, shortened
from fairviz.errors import UsageError
from fairviz.evaluation.baseline import against_baseline
from fairviz.evaluation.evaluate import TIE_COLUMNS, evaluate, factors_of_scored
from fairviz.evaluation.joins import by_task
from fairviz.evaluation.tables import MeasureResults, tables
from fairviz.metrics.spec import parse_measures

SHOWN = ("system", "measure", "difference", "low", "high", "p_holm", "verdict", "n_queries", "wins", "ties", "losses")
"""Columns that a terminal has room for; whom all are compared with stands above them."""


def add_parser(subparsers: Commands) -> None:
    """Add the ``compare`` command."""
    parser = subparsers.add_parser(
        "compare", help="systems against a baseline, paired by query", epilog=examples("compare")
    )
    parser.add_argument("runs", type=InputFile, nargs="*", metavar="RUN", help="runs, or samples of rankings")
    add_outputs_option(parser)
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="what the others are compared with, by name or file (default: the first run, or the first outputs)",
    )
    add_qrels_option(parser)
    add_group_options(parser)
    add_measures_option(parser)
    add_multi_sample_option(parser)
    add_ties_option(parser)
    add_depth_option(parser)
    add_systems_option(parser)
    parser.add_argument("--per-query", action="store_true", help="also both values of every query (csv, latex: only)")
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, compare, then print."""
    measures = parse_measures(cast("list[str]", args.measures))
    loaded = load_systems(args.runs, args.outputs, multi_sample=args.multi_sample, ties=args.ties)
    qrels, qrels_notes = load_qrels(args.qrels)
    groups = load_groups(args, qrels)
    loaded, table, table_notes = load_factors(args.systems, loaded, qrels)
    baseline = _baseline(args.baseline, loaded)
    loaded, cut = loaded.at_depth(args.depth, table)
    systems = (*loaded.rankings, *loaded.outputs)
    with (
        Progress("measuring", force=args.progress),
        loaded.naming(groups.labels, args.groups),
    ):
        evaluation = evaluate(
            systems,
            measures,
            qrels=by_task(qrels, systems, table),
            labels=groups.labels,
            target=groups.target,
            pairs=pairs_of(args.pair, loaded),
        )
    compared = against_baseline(evaluation, systems, measures, baseline, table=table, seed=args.seed)
    found = [*evaluation.notes, *compared.notes]
    notes = [*loaded.notes, *qrels_notes, *groups.notes, *table_notes, *loaded.placed(found)]
    about = {} if args.format in PRINTED else factors_of_scored(evaluation, systems, table)
    known = tables(
        MeasureResults(
            evaluation=evaluation,
            compared=compared.rows,
            pairs=compared.pairs if args.per_query else None,
            seed=args.seed,
            factors=about,
            depth=cut,
        )
    )
    warn(notes)
    if args.format == "json":
        body: dict[str, Json] = {"baseline": baseline, "results": records(known["compared"])}
        if args.per_query:
            body["per_query"] = records(known["compared-queries"])
        print_json(body, notes)
        return 0
    per_query = [known["compared-queries"]] if args.per_query else []
    if args.format == "table":
        named = [name for name in (*SHOWN, *TIE_COLUMNS, "labels") if name in known["compared"].keys]
        shown = replace(
            as_printed(known["compared"], named),
            caption=f"minus the baseline, {shortened(baseline, 64)}, over queries that both ranked"
            f"{cut and f', {cut}'}:",
        )
        print_tables([shown, *map(as_printed, per_query)], "table", shrink=("system", "reference", "measure"))
    else:
        print_tables([*per_query, known["compared"]][:1], args.format)
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
