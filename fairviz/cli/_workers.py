"""Work by ranges of queries: ``--workers``, ``--dask``, and files that ``fairviz convert`` wrote."""

import argparse
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from fairviz.cli._common import Progress, whole_number
from fairviz.cli._files import DASH
from fairviz.errors import UsageError
from fairviz.model import BiasItems, BiasPredictions, Qrels, RagOutputs, RankingSample, Run, VariantAnswers

if TYPE_CHECKING:
    from fairviz.io.answers_by_item import StoredAnswers
    from fairviz.io.variants_by_question import StoredVariants
    from fairviz.partitions.answers import PartitionedAnswers
    from fairviz.partitions.curves import PartitionedCurves
    from fairviz.partitions.executors import Work
    from fairviz.partitions.outputs import PartitionedOutputs
    from fairviz.partitions.points import PartitionedPoints
    from fairviz.partitions.scores import Partitioned
    from fairviz.studies.demographic_qa.tallies import Countable
    from fairviz.studies.tradeoff.measured import CurvesOf

MOST_WORKERS = 1024


def add_worker_options(parser: argparse.ArgumentParser, of: str = "queries") -> None:
    """``--workers`` and ``--dask``, for ranges of something."""
    parser.add_argument(
        "--workers",
        type=whole_number(1, MOST_WORKERS),
        default=1,
        metavar="N",
        help=f"processes that work on ranges of {of} at a time (default 1); the results are the same to the last bit",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of a Dask scheduler do it, such as tcp://127.0.0.1:8786; files have the same paths there",
    )


def by_ranges(args: argparse.Namespace, lists: Sequence[Run | RankingSample | RagOutputs | Qrels]) -> bool:
    """Whether the work is done by ranges of queries: with workers, or where a file is not in memory."""
    if args.workers > 1 or args.dask is not None:
        return True
    return any(hasattr(one, "stored") for one in lists)  # nothing of the room is loaded for files in memory


def refuse_whole(args: argparse.Namespace) -> None:
    """Refuse what needs all queries at once, or a file that a worker cannot open.

    Raises:
        UsageError: Naming the option.
    """
    if getattr(args, "groups_from", None):
        raise UsageError("--groups-from: ranges of queries do not hold all labels: write them to a file for --groups")
    if getattr(args, "groups", None) == DASH:
        raise UsageError("--groups -: every worker reads the groups by itself: save them in a file, and give that")


@contextmanager
def partitioned(args: argparse.Namespace, progress: Progress) -> Generator["Partitioned", None, None]:
    """How rankings are measured by ranges, for as long as the ``with`` block lasts."""
    from fairviz.partitions.plan import Plan
    from fairviz.partitions.scores import LabelFile, Partitioned

    refuse_whole(args)
    labels = LabelFile.of(args.groups, args.labels) if args.groups else None
    with at_work(args) as work:
        plan = Plan(work, begin=lambda name, n: progress.restart(f"measuring {name}", n), step=progress.step)
        yield Partitioned(plan, labels)


def outputs_by_ranges(plan: "Partitioned") -> "PartitionedOutputs":
    """How recorded outputs are measured by the ranges that rankings are measured by."""
    from fairviz.partitions.outputs import PartitionedOutputs

    return PartitionedOutputs(plan.plan)


@contextmanager
def curves_by_ranges(args: argparse.Namespace, progress: Progress) -> Generator["CurvesOf", None, None]:
    """What makes curves by ranges, for as long as the ``with`` block lasts."""
    from fairviz.partitions.curves import PartitionedCurves
    from fairviz.partitions.plan import Plan

    with at_work(args) as work:
        plan = Plan(work, begin=lambda name, n: progress.restart(f"computing {name}", n), step=progress.step)
        yield PartitionedCurves(plan).of


class GridByRanges(NamedTuple):
    """What measures a grid by ranges.

    Attributes:
        curves: Of runs and of samples.
        answers_of: Points and estimates of recorded outputs.
    """

    curves: "PartitionedCurves"
    answers_of: "PartitionedPoints"


@contextmanager
def grid_by_ranges(args: argparse.Namespace, progress: Progress) -> Generator[GridByRanges, None, None]:
    """What measures a grid by ranges, for as long as the ``with`` block lasts."""
    from fairviz.partitions.curves import PartitionedCurves
    from fairviz.partitions.outputs import PartitionedOutputs
    from fairviz.partitions.plan import Plan
    from fairviz.partitions.points import PartitionedPoints

    with at_work(args) as work:
        plan = Plan(work, begin=lambda name, n: progress.restart(f"computing {name}", n), step=progress.step)
        yield GridByRanges(PartitionedCurves(plan), PartitionedPoints(PartitionedOutputs(plan)))


@contextmanager
def answers_by_ranges(
    args: argparse.Namespace,
    progress: Progress,
    files: Sequence[str],
    items: BiasItems,
    answers: Sequence["BiasPredictions | StoredAnswers"],
) -> Generator["PartitionedAnswers", None, None]:
    """What has answers to bias questions counted by ranges of items, for as long as the ``with`` block lasts.

    Args:
        args: Options of the command.
        progress: Is told how far it is.
        files: Files of the questions.
        items: What they hold.
        answers: In memory, or converted files.
    """
    from fairviz.partitions.answers import ItemFiles, PartitionedAnswers
    from fairviz.partitions.plan import Plan

    if DASH in files:
        raise UsageError("--items -: every worker reads the questions by itself: save them in a file, and give that")
    with at_work(args) as work:
        plan = Plan(work, begin=lambda name, n: progress.restart(f"reading {name}", n), step=progress.step)
        of_workers = ItemFiles.of(files)
        of_workers.known(items)
        yield PartitionedAnswers(plan, of_workers, answers)


@contextmanager
def variants_by_ranges(
    args: argparse.Namespace, progress: Progress
) -> Generator[Callable[["VariantAnswers | StoredVariants"], "Countable"], None, None]:
    """What makes answers to variants countable by ranges of questions, for as long as the ``with`` block lasts."""
    from fairviz.partitions.plan import Plan
    from fairviz.partitions.variants import PartitionedVariants

    with at_work(args) as work:
        plan = Plan(work, begin=lambda name, n: progress.restart(f"counting {name}", n), step=progress.step)
        yield lambda answers: PartitionedVariants(plan, answers)


@contextmanager
def at_work(args: argparse.Namespace) -> Generator["Work", None, None]:
    """Whoever does the work."""
    from fairviz.partitions.executors import workers

    if args.workers > 1 and args.dask is not None:
        raise UsageError("--workers are processes of this machine, --dask those of a cluster: give one")
    with workers(args.workers, dask=args.dask) as work:
        yield work
