"""Groups and targets named on the command line."""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from fairviz.analysis.coverage import judgements_for
from fairviz.errors import UsageError
from fairviz.formats.groups import labels_from_qrels, read_groups
from fairviz.formats.targets import read_target
from fairviz.groups import PRESETS, Preset
from fairviz.model import GroupLabels, Note, Qrels, Target


class Groups(NamedTuple):
    """Labels and target, as asked for.

    Attributes:
        labels: Groups of documents, if any were named.
        target: Shares of attention: read from a file, or the name of one that the data set.
        notes: What the readers repaired.
    """

    labels: GroupLabels | None
    target: Target | Preset | None
    notes: tuple[Note, ...]


def add_group_options(parser: argparse.ArgumentParser) -> None:
    """``--groups``, ``--groups-from``, ``--labels`` and ``--target``."""
    parser.add_argument("--groups", metavar="FILE", help="groups of documents: [query_id] doc_id group [weight]")
    parser.add_argument(
        "--groups-from",
        choices=("qrels",),
        help="take the subtopics of the judgements as groups, per query",
    )
    parser.add_argument(
        "--labels",
        choices=("one", "split"),
        default="one",
        help="what two unweighted labels of a document mean: an error (default), or half of each",
    )
    parser.add_argument(
        "--target",
        metavar="T",
        help=f"shares of attention: {', '.join(PRESETS)}, or a JSON file {{group: share}}",
    )


def load_groups(args: argparse.Namespace, qrels: Sequence[Qrels] = ()) -> Groups:
    """Read what :func:`add_group_options` asked for.

    Raises:
        InputError: A file cannot be read.
        UsageError: Labels are asked for twice, or from judgements that were not given or carry no
            subtopics.
    """
    labels, notes = _labels(args, qrels)
    target, target_notes = _target(args.target)
    return Groups(labels, target, (*notes, *target_notes))


def _labels(args: argparse.Namespace, qrels: Sequence[Qrels]) -> tuple[GroupLabels | None, tuple[Note, ...]]:
    if args.groups and args.groups_from:
        raise UsageError("--groups and --groups-from both say what the groups are: give one")
    if args.groups:
        parsed = read_groups(args.groups, labels=args.labels)
        return parsed.value, parsed.notes
    if not args.groups_from:
        return None, ()
    if not qrels:
        raise UsageError("--groups-from qrels needs judgements with subtopics: give --qrels FILE")
    judged = judgements_for(qrels)
    if judged.subtopics is None:
        raise UsageError(
            "--groups-from qrels: no document repeats with another column 2; if it holds subtopics "
            "all the same, add --subtopics, else give --groups FILE"
        )
    return labels_from_qrels(judged), ()


def _target(text: str | None) -> tuple[Target | Preset | None, tuple[Note, ...]]:
    if text is None:
        return None, ()
    for preset in PRESETS:
        if text.lower() == preset:
            return preset, ()
    parsed = read_target(text)
    return parsed.value, parsed.notes
