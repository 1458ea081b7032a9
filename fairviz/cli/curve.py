"""``fairviz curve``: disparity–quality curves of policies made from a run's scores."""

import argparse
from collections.abc import Collection, Sequence
from dataclasses import replace
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
    print_json,
    print_tables,
    warn,
    whole_number,
)
from fairviz.cli._figure import add_figure_options, paper_of, write_figure
from fairviz.cli._files import InputFile
from fairviz.cli._inputs import (
    add_attention_options,
    add_gain_options,
    add_grid_option,
    attention_of,
    gain_of,
    join_judged,
    load_qrels,
    load_systems,
    parse_alphas,
)
from fairviz.display.paper import Paper
from fairviz.display.table import Json, records
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.joins import JudgedAs, labelled_apart, median_depth, shallow, start_of_range
from fairviz.evaluation.rankings import query_notes, short_notes
from fairviz.model import Curve, Note, RankingSample, Run
from fairviz.policies import SCORE_SCALES
from fairviz.pool import pool
from fairviz.studies.tradeoff.curves import CurvePolicy, Draws, policy_curves, relevance_measure
from fairviz.studies.tradeoff.summary import compared_areas
from fairviz.studies.tradeoff.tables import TradeoffResults, tables

POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")

EXAMPLES = """\
examples:
  fairviz curve bm25.run --qrels test.qrels -k 5 --alpha 0:8:33
  fairviz curve a.run b.run --qrels test.qrels -k 5 --alpha 0,1,2,4,8 --policy all --format json

EED and EER lie between 0 and 1: the ends that any policy over the same items can reach.
"""

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
        epilog=EXAMPLES,
    )
    parser.add_argument("runs", type=InputFile, nargs="+", metavar="RUN", help="runs with scores")
    add_qrels_option(parser, required=True)
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
    parser.add_argument("--mark-alpha", type=float, metavar="A", help="of the figure: mark the point at this alpha")
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
    paper = paper_of(args)
    attention = attention_of(args)
    gain, rel = gain_of(args)
    alphas = np.array(parse_alphas(args.alpha))
    policies = POLICIES if args.policy == "all" else (cast("CurvePolicy", args.policy),)
    loaded = load_systems(args.runs)
    for ranked in loaded.rankings:
        scored(ranked, loaded.files[ranked.system])
    qrels, qrels_notes = load_qrels(args.qrels)
    with loaded.naming():
        found = join_judged(loaded, qrels)
    runs = [ranked for ranked in found.rankings if isinstance(ranked, Run)]
    starts: dict[str, float] = {}
    depths: dict[str, int] = {}
    notes = [*loaded.notes, *qrels_notes, *loaded.placed([one.note for one in found.left_out])]
    curves: list[Curve] = []
    passes = 2 if args.samples and args.policy == "all" else 1
    steps = len(runs) * alphas.size * passes
    with Progress(steps, "computing", force=args.progress) as progress:
        for scored_run, one in zip(runs, found.judged, strict=True):
            judgements = one.qrels
            pools = pool(scored_run, judgements)
            starts[scored_run.system] = start_of_range(pools, attention)
            depths[scored_run.system] = median_depth(pools)
            system_notes: list[Note] = query_notes(scored_run, judgements)
            system_notes += short_notes(scored_run, pools, args.k)
            if one.name != one.system:  # whose labels it was is no part of the system's name
                system_notes = [
                    replace(note, file=one.system, message=f"labels of {judgements.generator}: {note.message}")
                    for note in system_notes
                ]
            notes += loaded.placed(system_notes)
            curves += policy_curves(
                scored_run,
                pools,
                policies=policies,
                alphas=alphas,
                attention=attention,
                offset=args.offset,
                gain=gain,
                rel=rel,
                scores=args.scores,
                draws=_draws(args),
                on_step=progress.step,
            )
    narrow = shallow(starts, depths)
    system = {one.name: one.system for one in found.judged}
    notes += loaded.placed(
        [replace(one.note, file=system[one.system], message=f"not in the summary: {one.reason}") for one in narrow]
    )
    names = {one.system for one in narrow}
    lines = [curve for curve in curves if curve.policy in POLICIES and curve.system not in names]  # those that α moves
    areas = compared_areas(lines, rng=np.random.default_rng(args.seed))
    quality = relevance_measure(attention, gain, rel)
    known = tables(
        TradeoffResults(
            curves=curves,
            judged=found.judged,
            areas=areas,
            quality=quality,
            scores=args.scores,
            offset=args.offset,
        )
    )
    points = known["curves"]
    summary = known["areas"].select([key for key in (*SUMMARY_COLUMNS, "labels") if key in known["areas"].keys])
    warn(notes)
    if paper is not None:
        _draw(args, paper, curves, {curve.system for curve in lines}, found.judged)
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


def _draw(
    args: argparse.Namespace,
    paper: Paper,
    curves: Sequence[Curve],
    compared: Collection[str],
    judged: Sequence[JudgedAs],
) -> None:
    """Write the figure: one system with its policies, those it is compared with in grey."""
    from fairviz.display.theme import LIGHT  # plotly is loaded for a figure only
    from fairviz.studies.tradeoff.figures import tradeoff_figure
    from fairviz.studies.tradeoff.printed import printed_view

    chosen = _highlighted(args, judged, compared)
    apart = labelled_apart(judged)
    system = {one.name: one.system for one in judged if one.name not in apart or one.labels == chosen.labels}
    beside = compared if chosen.name in compared else ()
    drawn = [
        replace(curve, system=system[curve.system])
        for curve in curves
        if curve.system in system and curve.system in (chosen.name, *beside)
    ]
    view = printed_view(drawn, system=chosen.system, offset=args.offset)
    point = None if args.mark_alpha is None else view.at(args.mark_alpha)
    write_figure(tradeoff_figure(view, colours=LIGHT, point=point), paper, args.figure)


def _highlighted(args: argparse.Namespace, judged: Sequence[JudgedAs], compared: Collection[str]) -> JudgedAs:
    """Whose policies the figure draws, and by whose labels: the first that is compared where nobody is named.

    Raises:
        UsageError: There is no such system, or no such labels of it.
    """
    systems = list(dict.fromkeys(one.system for one in judged))
    if args.system is not None and args.system not in systems:
        raise UsageError(f"--system {args.system}: expected one of {', '.join(systems)}")
    named = [one for one in judged if args.system in (None, one.system)]
    labels = list(dict.fromkeys(one.labels for one in named if one.labels is not None))
    if args.labels_of is not None and args.labels_of not in labels:
        known = f"expected one of {', '.join(labels)}" if labels else "the judgements name no generator"
        raise UsageError(f"--labels-of {args.labels_of}: {known}")
    named = [one for one in named if args.labels_of in (None, one.labels)]
    return next((one for one in named if one.name in compared), named[0])


def _with_range(rows: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Both ends of the range as one pair."""
    ends = ("range_low", "range_high")
    return [
        {name: value for name, value in row.items() if name not in ends} | {"range": [row[end] for end in ends]}
        for row in rows
    ]


def _draws(args: argparse.Namespace) -> Draws | None:
    """A fresh source of chance per system, so that one's points do not depend on another's."""
    return Draws(args.samples, np.random.default_rng(args.seed)) if args.samples else None


def scored(ranked: Run | RankingSample, file: str) -> Run:
    """The run, refused where it is a sample.

    Raises:
        InputError: Rankings without scores.
    """
    if isinstance(ranked, Run):
        return ranked
    reason = "a sample of rankings has no scores to make a policy from"
    raise InputError(reason, file=file, fix="Give the run that it was drawn from.")
