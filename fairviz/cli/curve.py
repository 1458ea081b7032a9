"""``fairviz curve``: disparity–quality curves of policies made from a run's scores."""

import argparse
from collections.abc import Sequence
from typing import cast

import numpy as np

from fairviz.cli._common import (
    MOST_HELD,
    Commands,
    Progress,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    add_seed_option,
    as_printed,
    examples,
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._figure import add_figure_options, check_figure, write_figure
from fairviz.cli._files import InputFile
from fairviz.cli._inputs import (
    add_attention_options,
    add_depth_option,
    add_gain_options,
    add_grid_option,
    add_systems_option,
    add_ties_option,
    alphas_of,
    attention_of,
    gain_of,
    join_judged,
    load_factors,
    load_qrels,
    load_systems,
)
from fairviz.display.table import Json, records
from fairviz.points.curves import POLICIES, CurvePolicy, CurveSettings, with_scores
from fairviz.policies import SCORE_SCALES
from fairviz.studies.tradeoff.columns import tables
from fairviz.studies.tradeoff.measured import MeasuredCurves, measured_curves

SUMMARY_COLUMNS = (
    "system",
    "policy",
    "auc",
    "auc_low",
    "auc_high",
    "slope",
    "slope_low",
    "slope_high",
    "range_low",
    "range_high",
)
"""Of the summary, what a terminal has room for."""


def add_parser(subparsers: Commands) -> None:
    """Add the ``curve`` command."""
    parser = subparsers.add_parser(
        "curve",
        help="disparity–quality curves of policies made from a run's scores",
        epilog=examples("curve"),
    )
    parser.add_argument("runs", type=InputFile, nargs="+", metavar="RUN", help="runs with scores")
    add_qrels_option(parser, required=True)
    add_ties_option(parser)
    add_systems_option(parser)
    add_depth_option(parser)
    add_grid_option(parser)
    add_policy_option(parser, (*POLICIES, "all"))
    add_attention_options(parser)
    add_gain_options(parser)
    parser.add_argument(
        "--samples",
        type=whole_number(1, MOST_HELD),
        metavar="N",
        help="draw N rankings for each plackett-luce point instead of computing it",
    )
    add_seed_option(parser, "drawn rankings")
    parser.add_argument("--system", metavar="NAME", help="of the figure: whose policies and band (default: the first)")
    parser.add_argument(
        "--labels-of",
        metavar="GENERATOR",
        help="of the figure: by whose labels, where several generators judged that system (default: the first)",
    )
    add_figure_options(parser, "the curves")
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def add_policy_option(parser: argparse.ArgumentParser, policies: Sequence[str]) -> None:
    """``--policy``, ``--offset`` and ``--scores``."""
    parser.add_argument("--policy", choices=policies, default=policies[0], help=f"default {policies[0]}")
    add_score_options(parser)


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """``--offset`` and ``--scores``."""
    parser.add_argument(
        "--offset",
        type=int,
        choices=(0, 1),
        default=1,
        help="logit = (score + offset)^alpha: 1 as the published code (default), 0 as printed",
    )
    parser.add_argument(
        "--scores",
        choices=SCORE_SCALES,
        default="given",
        help="what plackett-luce and optimal see of the scores of a query: given, min-max (default), depends on how "
        "scores are spaced; ranks, min-max of the ranks, on their order alone; zscore, max(0, 1/2 + z/4), gives every "
        "query the same spread",
    )


def run(args: argparse.Namespace) -> int:
    """Compute all curves, then draw and print."""
    check_figure(args)
    attention = attention_of(args)
    gain, rel = gain_of(args)
    alphas = np.array(alphas_of(args))
    policies = POLICIES if args.policy == "all" else (cast("CurvePolicy", args.policy),)
    loaded = load_systems(args.runs, ties=args.ties)
    loaded, _ = loaded.at_depth(args.depth)
    for ranked in loaded.rankings:
        with_scores(ranked, loaded.files[ranked.system])
    qrels, qrels_notes = load_qrels(args.qrels)
    loaded, _, table_notes = load_factors(args.systems, loaded, qrels)
    with loaded.naming():
        found = join_judged(loaded, qrels)
    with Progress("computing", force=args.progress):
        measured = measured_curves(
            found,
            CurveSettings(
                policies=policies,
                alphas=alphas,
                attention=attention,
                k=args.k,
                offset=args.offset,
                gain=gain,
                rel=rel,
                scores=args.scores,
                samples=args.samples,
                seed=args.seed,
            ),
        )
    notes = [*loaded.notes, *qrels_notes, *table_notes, *loaded.placed(measured.notes)]
    known = tables(measured.results)
    points = known["curves"]
    summary = known["areas"].select([key for key in (*SUMMARY_COLUMNS, "labels") if key in known["areas"].keys])
    warn(notes)
    if args.figure is not None:
        _draw(args, measured)
    if args.format == "json":
        body = {
            "points": records(points),
            "summary": _with_range(records(summary)),
            "scores": args.scores,
        }
        print_json(body, notes)
    elif args.format == "table":
        print_tables([as_printed(points), as_printed(summary)], "table")
    else:
        print_tables([as_printed(points)], args.format)
    return 0


def _draw(args: argparse.Namespace, measured: MeasuredCurves) -> None:
    """Write the figure: one system with its policies, those it is compared with in grey."""
    from fairviz.display.theme import LIGHT  # plotly is loaded for a figure only
    from fairviz.studies.tradeoff.charts import tradeoff_figure
    from fairviz.studies.tradeoff.measured import view_of

    view = view_of(measured, system=args.system, labels=args.labels_of)
    write_figure(tradeoff_figure(view, colours=LIGHT), args)


def _with_range(rows: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Both ends of the range as one pair."""
    ends = ("range_low", "range_high")
    return [
        {name: value for name, value in row.items() if name not in ends} | {"range": [row[end] for end in ends]}
        for row in rows
    ]
