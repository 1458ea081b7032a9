"""``fairviz tradeoff``: the tables of a grid of runs and recorded answers, factors as columns."""

import argparse
from collections.abc import Mapping, Sequence
from typing import cast, get_args

import numpy as np

from fairviz.cli._common import (
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
    Loaded,
    add_depth_option,
    add_gain_options,
    add_grid_option,
    add_outputs_option,
    add_systems_option,
    add_ties_option,
    alphas_of,
    gain_of,
    load_factors,
    load_qrels,
    load_systems,
    needed_k,
    open_study,
    pairs_of,
)
from fairviz.display.table import Json, records
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.outputs import pairings
from fairviz.model import Factors, Note, Qrels, described
from fairviz.points.curves import POLICIES, CurvePolicy
from fairviz.points.view import FACTORS, MOST_PANELS, Order, usual_layout
from fairviz.policies import SCORE_SCALES
from fairviz.studies.compare.columns import CompareResults, tables
from fairviz.studies.compare.conditions import Condition, Quality, distinct, varying
from fairviz.studies.compare.grid import GridComparison, TaskComparison, compare_grid
from fairviz.studies.compare.measure import grid_conditions as study_conditions
from fairviz.studies.compare.panels import drawn, panel_view

STEMS = (
    "points",
    "areas",
    "differences",
    "differences-EER",
    "differences-EU",
    "differences-EAR",
    "intervals",
    "intervals-printed",
    "above",
    "disparity",
    "alpha-tests",
    "correlations",
    "left-out",
    "estimates",
)


def add_parser(subparsers: Commands) -> None:
    """Add the ``tradeoff`` command."""
    parser = subparsers.add_parser(
        "tradeoff",
        help="the tables of a grid: task, retriever, generator and policy as columns",
        epilog=examples("tradeoff"),
    )
    parser.add_argument(
        "runs",
        type=InputFile,
        nargs="*",
        metavar="RUN",
        help="runs with scores: exact curves of policies; samples of rankings, each at an alpha; or a study's folder",
    )
    add_outputs_option(parser, "recorded outputs along alpha")
    add_qrels_option(parser)
    parser.add_argument(
        "-k", type=whole_number(1), metavar="K", help="documents that a context holds (a study's folder says)"
    )
    parser.add_argument(
        "--quality",
        choices=("EER", "EU", "EU/best"),
        help="y axis: EE-R, utility of the answers, or utility as a share of the generator's best answer to the query "
        "(default EU with --outputs, else EER)",
    )
    add_ties_option(parser)
    add_depth_option(parser)
    add_systems_option(parser)
    parser.add_argument(
        "--by", metavar="FACTORS", help=f"columns, of {', '.join(FACTORS)} (default: those that differ)"
    )
    parser.add_argument(
        "--baseline",
        metavar="FACTOR=VALUE,...",
        help="what the others of a task are compared with (default: its first system)",
    )
    parser.add_argument(
        "--at",
        type=float,
        metavar="ALPHA",
        help="where EE-R, EU and EAR are compared with the baseline: one α of the curves (default: nearest to 3)",
    )
    add_grid_option(parser)
    parser.add_argument(
        "--policy", choices=(*POLICIES, "all"), default=POLICIES[0], help=f"of runs (default {POLICIES[0]})"
    )
    parser.add_argument("--scores", choices=SCORE_SCALES, default="given", help="of runs: how scores are scaled")
    add_gain_options(parser)
    add_figure_options(parser, "a small panel for each system of a task")
    parser.add_argument("--task", metavar="NAME", help="tables and figure of this task alone")
    parser.add_argument("--rows", choices=FACTORS[1:], help="of the figure: a row of panels per value")
    parser.add_argument("--columns", choices=FACTORS[1:], help="of the figure: a column of panels per value")
    parser.add_argument("--colour", choices=FACTORS[1:], help="of the figure: a colour per value")
    parser.add_argument(
        "--order",
        choices=get_args(Order),
        default="files",
        help="of rows and columns of the figure, and of the table areas: as in the files (default), by name, highest "
        "AUC first",
    )
    parser.add_argument("--table", choices=STEMS, help="one table only (csv, latex: default areas)")
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure all conditions, compare them task by task, then print."""
    open_study(args, "runs", {"run": "runs", "rag": "outputs", "qrels": "qrels", "systems": "systems"})
    needed_k(args)
    check_figure(args)
    quality = args.quality or ("EU" if args.outputs else "EER")
    by = _factors(args.by)
    baseline = _baseline(args.baseline)
    loaded = load_systems(args.runs, args.outputs, ties=args.ties)
    qrels, qrels_notes = load_qrels(args.qrels)
    loaded, table, table_notes = load_factors(args.systems, loaded, qrels)
    if quality != "EER" and isinstance(args.depth, int):
        raise UsageError("--depth cuts runs: answers were made from lists as they were drawn")
    loaded, cut = loaded.at_depth(args.depth if quality == "EER" else "full", table)
    conditions, found = grid_conditions(args, loaded, qrels, table, quality)
    notes = [*loaded.notes, *qrels_notes, *table_notes, *found]
    side: Quality = "relevance" if quality == "EER" else "utility"
    if not any(condition.curve(side) for condition in conditions):
        need = "--outputs FILE recorded along alpha"
        missing = f"RUN with --qrels FILE, or {need}" if quality == "EER" else need
        why = found[-1].message if found else f"give {missing}"
        raise UndefinedError(f"no curve of {quality}: {why}")
    columns = by or varying(conditions)
    grid = compare_grid(distinct(conditions, columns), quality=side, baseline=baseline, at=args.at, seed=args.seed)
    if args.task is not None:
        grid = grid._replace(tasks=(_task(grid, args.task),))
    known = tables(CompareResults(grid=grid, by=columns, seed=args.seed, order=args.order, depth=cut))
    warn(notes)
    if args.figure is not None:
        _draw(args, grid, distinct(conditions, columns), side, columns)
    if args.format == "json":
        body: dict[str, Json] = {"quality": grid.quality}
        body |= {stem: records(table) for stem, table in known.items() if stem != "intervals-printed"}
        print_json(body, notes)
        return 0
    if args.table and args.table not in known:
        raise UndefinedError(f"--table {args.table}: there is nothing of it on these data")
    stems = [args.table] if args.table else [stem for stem in SHOWN if stem in known]
    chosen = [known[stem] for stem in stems]
    printed = [as_printed(table) for table in chosen] if args.format == "table" else chosen[:1]
    print_tables(printed, args.format, shrink=columns)
    return 0


def _task(grid: GridComparison, name: str) -> TaskComparison:
    """Tests of a task are its own: it says the same alone and among others."""
    tasks = {task.task or "": task for task in grid.tasks}
    if name not in tasks:
        raise UsageError(f"--task {name}: expected one of {', '.join(filter(None, tasks))}")
    return tasks[name]


def _draw(
    args: argparse.Namespace,
    grid: GridComparison,
    conditions: Sequence[Condition],
    side: Quality,
    by: Sequence[str],
) -> None:
    """Write the panels of one task: nothing crosses tasks, a figure neither."""
    from fairviz.display.theme import LIGHT  # plotly is loaded for a figure only
    from fairviz.points.figures_panels import panels_figure

    if len(grid.tasks) != 1:
        names = ", ".join(task.task or "" for task in grid.tasks)
        raise UsageError(f"--figure shows one task: choose it with --task, one of {names}")
    task = grid.tasks[0]
    known = [one for one in (drawn(each, side) for each in conditions if each.factors.task == task.task) if one]
    curves = [one._replace(uniform=None) for one in known]  # as the dashboard begins: a list is what is deployed
    rows, columns, colour = usual_layout([one.factors for one in curves])
    if args.rows or args.columns or args.colour:
        rows, columns = args.rows or args.columns or rows, (args.columns or "") if args.rows else ""
        colour = args.colour or ""
    view = panel_view(
        curves,
        rows=rows,
        columns=columns,
        colour=colour,
        task=task,
        baseline=task.baseline,
        quality=grid.quality,
        order=args.order,
    )
    if view.n_rows * view.n_columns > MOST_PANELS:
        raise UsageError(f"--figure: {view.n_rows * view.n_columns} panels, {MOST_PANELS} is the most; choose --rows")
    write_figure(panels_figure(view, by=by, colours=LIGHT), args)


def _factors(text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    unknown = [name for name in names if name not in FACTORS]
    if unknown:
        raise UsageError(f"--by {unknown[0]}: expected some of {', '.join(FACTORS)}")
    return names


def _baseline(text: str | None) -> Factors | None:
    if text is None:
        return None
    parts = [part.partition("=") for part in text.split(",")]
    if any(not mark or name.strip() not in FACTORS for name, mark, _ in parts):
        raise UsageError(f"--baseline {text}: expected FACTOR=VALUE,… of {', '.join(FACTORS)}")
    return Factors()._replace(**{name.strip(): value.strip() for name, _, value in parts})


SHOWN = ("areas", "differences", "intervals-printed", "above", "correlations", "left-out")
"""Tables that a terminal shows unless one is asked for."""


def grid_conditions(
    args: argparse.Namespace,
    loaded: Loaded,
    qrels: Sequence[Qrels],
    table: Mapping[str, Factors],
    quality: str,
) -> tuple[tuple[Condition, ...], list[Note]]:
    """Every condition of the files, and what is to be known of them.

    Args:
        args: The options ``-k``, ``--alpha``, ``--policy``, ``--scores``, ``--gain``, ``--rel`` and ``--pair``.
        loaded: Runs, samples and answers.
        qrels: Judgements.
        table: What a table says of systems.
        quality: "EER", "EU" or "EU/best".
    """
    gain, rel = gain_of(args)
    outputs = [described(one, table.get(one.system, Factors())) for one in loaded.outputs]
    policies = POLICIES if args.policy == "all" else (cast("CurvePolicy", args.policy),)
    alphas = np.array(alphas_of(args))
    exact = quality == "EER" and bool(qrels) and bool(loaded.rankings)
    with Progress("computing", force=args.progress), loaded.naming():
        found = pairings(outputs, loaded.rankings, pairs_of(args.pair, loaded), table)
        measured = study_conditions(
            loaded.rankings,
            qrels,
            outputs,
            found,
            exact=exact,
            best=quality == "EU/best",
            between=quality != "EER",
            factors=table,
            policies=policies,
            alphas=alphas,
            k=args.k,
            gain=gain,
            rel=rel,
            scores=args.scores,
        )
    return measured.conditions, loaded.placed(measured.notes)
