"""``fairviz correlate``: how far measures agree on the order of systems."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from fairviz.cli._common import (
    Commands,
    Progress,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    examples,
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile
from fairviz.cli._inputs import (
    add_group_options,
    add_multi_sample_option,
    join_judged,
    load_groups,
    load_qrels,
    load_systems,
)
from fairviz.display.table import Json, Table, records
from fairviz.errors import UsageError
from fairviz.evaluation.compare import MeasuredSystems, measured_systems
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.joins import Joined, Ranked, told_once
from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.spec import parse_measures
from fairviz.model import Note, Qrels
from fairviz.stats.correlation import VARIANTS, chance_tau
from fairviz.studies.agreement.agreement import Agreement, agreement, agreement_measures
from fairviz.studies.agreement.tables import AgreementResults, tables

SHOWN = ("measure_a", "measure_b", "tau", "n_systems")
"""Columns for a terminal: the data have one name there."""
DECIMALS = 4


def add_parser(subparsers: Commands) -> None:
    """Add the ``correlate`` command."""
    parser = subparsers.add_parser(
        "correlate",
        help="how far measures agree on the order of systems (Kendall's tau)",
        epilog=examples("correlate"),
    )
    parser.add_argument("runs", type=InputFile, nargs="+", metavar="RUN", help="runs, or samples of rankings")
    add_qrels_option(parser)
    add_group_options(parser)
    add_measures_option(parser, " (default: all of groups that the data allow, and nDCG)")
    parser.add_argument(
        "-k",
        type=whole_number(1),
        default=10,
        metavar="K",
        help="cutoff of those measures of the default that have one (default 10)",
    )
    parser.add_argument(
        "--variant",
        choices=VARIANTS,
        default=VARIANTS[0],
        help="which tau: c (default) or b; they differ where systems are tied",
    )
    parser.add_argument(
        "--subtopics",
        action="store_true",
        help="column 2 of qrels names subtopics (else only where a document is judged twice)",
    )
    add_multi_sample_option(parser)
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, correlate, then print."""
    texts = cast("list[str]", args.measures)
    specs = parse_measures(texts or agreement_measures(args.k, judged=bool(args.qrels)))
    loaded = load_systems(args.runs, multi_sample=args.multi_sample)
    qrels, qrels_notes = load_qrels(args.qrels, subtopics=args.subtopics)
    groups = load_groups(args, qrels)
    with loaded.naming(groups.labels, args.groups):
        found = join_judged(loaded, qrels, groups.labels)
    sets = _by_judgements(found)
    with Progress(len(found.rankings), "measuring", force=args.progress) as progress:
        evaluations = [
            evaluate(
                rankings,
                specs,
                qrels=judgements,
                labels=groups.labels,
                target=groups.target,
                refuse=False,
                on_step=progress.step,
            )
            for _, rankings, judgements in sets
        ]
    scores = [score for evaluation in evaluations for score in evaluation.averaged]
    refused = [refusal for evaluation in evaluations for refusal in evaluation.refused]
    if not scores:
        raise UsageError(": ".join(filter(None, (_named(refused[0]), refused[0].fix))))
    measured = [
        measured_systems(name, evaluation.averaged, specs)
        for (name, _, _), evaluation in zip(sets, evaluations, strict=True)
        if evaluation.scores
    ]
    correlated = [agreement(each, variant=args.variant) for each in measured]
    notes = [*loaded.notes, *qrels_notes, *groups.notes]
    notes += loaded.placed([note for evaluation in evaluations for note in evaluation.notes])
    notes += loaded.placed(told_once(one.note for one in found.left_out))
    notes += loaded.placed([*_refusal_notes(refused), *(n for each in measured for n in _few_systems(each.systems))])
    warn(notes)
    known = tables(AgreementResults(agreements=correlated, scores=scores, refused=refused, judged=found.judged))
    columns = SHOWN if len(measured) == 1 else (*SHOWN, "data")
    pairs = replace(known["pairs"], caption="", decimals=DECIMALS)
    if args.format == "json":
        print_json(_body(known, correlated, measured, columns), notes)
    elif args.format == "table":
        values = replace(known["values"], decimals=DECIMALS)
        shown = (pairs.select(columns), values, known["left-out"])
        print_tables([table for table in shown if table.rows], "table")
    else:
        print_tables([pairs], args.format)
    return 0


def _by_judgements(found: Joined) -> list[tuple[str, list[Ranked], tuple[Qrels, ...]]]:
    """Name and systems of each judgements: an order of systems is of one task and one reader."""
    if not found.judgements:
        return [("data", list(found.rankings), ())]
    sets: dict[int, tuple[str, list[Ranked], tuple[Qrels, ...]]] = {}
    for ranked, labels in zip(found.rankings, found.judgements, strict=True):
        name = labels.generator or labels.name
        sets.setdefault(id(labels), (name, [], (labels,)))[1].append(ranked)
    return list(sets.values())


def _body(
    known: Mapping[str, Table],
    correlated: Sequence[Agreement],
    measured: Sequence[MeasuredSystems],
    columns: Sequence[str],
) -> dict[str, Json]:
    n = min(len(each.systems) for each in measured)
    directions = {
        measure: better for each in measured for measure, better in zip(each.measures, each.better, strict=True)
    }
    return {
        "rows": records(known["pairs"].select(columns)),
        "variant": correlated[0].variant,
        "measures": [{"measure": measure, "better": better} for measure, better in directions.items()],
        "values": records(known["values"]),
        "refused": records(known["refused"]),
        "chance": {"n_systems": n, "level": 0.05, "tau": chance_tau(n)},
    }


def _refusal_notes(refused: Sequence[Refusal]) -> list[Note]:
    """Each reason once: most refusals are alike for all systems."""
    once: dict[str, str] = {}
    for refusal in refused:
        once.setdefault(_named(refusal), refusal.system)
    return [Note(system, None, f"left out: {reason}") for reason, system in once.items()]


def _named(refusal: Refusal) -> str:
    """The reason with the measure before it."""
    named = refusal.reason.startswith(refusal.measure)
    return refusal.reason if named else f"{refusal.measure}: {refusal.reason}"


def _few_systems(systems: Sequence[str]) -> list[Note]:
    n = len(systems)
    if n < 2:
        return [Note(systems[0], None, "one system has no order: tau needs at least two")]
    if np.isnan(chance_tau(n)):
        return [Note(systems[0], None, f"{n} systems only: any tau can be chance (5 % level)")]
    return []
