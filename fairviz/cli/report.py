"""``fairviz report``: all that the files allow, as one HTML file to read and to send, or as the bundle of a paper."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fairviz.cli._common import (
    Commands,
    Progress,
    add_measures_option,
    add_output_options,
    add_progress_option,
    add_qrels_option,
    add_seed_option,
    examples,
    warn,
    whole_number,
)
from fairviz.cli._files import InputFile, name_of, source_of
from fairviz.cli._inputs import (
    ALLOW,
    BOTH_GROUPS,
    Loaded,
    add_gain_options,
    add_grid_option,
    add_group_options,
    add_outputs_option,
    add_systems_option,
    add_ties_option,
    alphas_of,
    gain_of,
    needed_k,
    open_study,
    pairs_of,
    preset_named,
    qrels_argument,
)
from fairviz.cli.curve import add_score_options
from fairviz.cli.evaluate import add_references_option, add_subtopics_option
from fairviz.display.methods import AgainstTarget
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.joins import unjoined, with_subtopics
from fairviz.extras import DRAWS, need
from fairviz.io.dataset import add_file
from fairviz.io.groups import labels_from_qrels
from fairviz.io.join import refuse_missing_groups, rows_that_meet_nothing
from fairviz.io.options import FROM_SUBTOPICS, Options, Role
from fairviz.model import Dataset, RagOutputs, RankingSample, Run

if TYPE_CHECKING:
    from fairviz.report.assemble import Request

FORMATS = ("html", "bundle")


def add_parser(subparsers: Commands) -> None:
    """Add the ``report`` command."""
    parser = subparsers.add_parser(
        "report", help="one HTML file of all that the files allow", epilog=examples("report")
    )
    parser.add_argument(
        "runs", type=InputFile, nargs="*", metavar="RUN", help="runs, samples of rankings, or a study's folder"
    )
    add_outputs_option(parser)
    add_qrels_option(parser)
    add_judgements_option(parser)
    add_group_options(parser)
    add_subtopics_option(parser)
    add_references_option(parser)
    add_measures_option(parser, "; default: those that the files allow of nDCG, EE-D, EE-R, AWRF, EU, EAR and EAE-D")
    parser.add_argument(
        "-k", type=whole_number(1), metavar="K", help="documents that a context holds (a study's folder says)"
    )
    add_ties_option(parser)
    add_systems_option(parser)
    add_grid_option(parser)
    add_score_options(parser)
    parser.add_argument("--title", default="Fairness and quality", metavar="TEXT", help="heading of the report")
    add_gain_options(parser)
    add_seed_option(parser, "the bootstrap over queries")
    add_output_options(parser, formats=FORMATS)
    add_progress_option(parser)
    parser.set_defaults(run=run)


def add_judgements_option(parser: argparse.ArgumentParser) -> None:
    """``--judgements``."""
    parser.add_argument(
        "--judgements",
        metavar="FILE",
        help="of --qrels, those that the curves of the first run are measured against (default: people's)",
    )


def run(args: argparse.Namespace) -> int:
    """Measure what there is to measure, then write the page or the bundle."""
    need("a report", DRAWS)
    from fairviz.report.assemble import assembled  # and what it is drawn with

    open_study(
        args,
        "runs",
        {"run": "runs", "rag": "outputs", "qrels": "qrels", "systems": "systems", "references": "references"},
    )
    needed_k(args)
    if not args.runs and not args.outputs:
        raise UsageError("nothing to report: give RUN or --outputs FILE")
    files, loaded = loaded_data(args)
    request = request_of(args, loaded)
    groups = loaded.labels[0] if loaded.labels else None
    with (
        Progress("computing", force=args.progress),
        files.naming(groups, args.groups),
    ):
        report = assembled(loaded, request)
    if not report.sections:
        raise UndefinedError("nothing of these files can be measured: give --qrels, --groups or --outputs")
    warn(dict.fromkeys([*files.notes, *files.placed(report.notes)]))
    if args.format == "html":
        print(report.html())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(report.bundle())
    return 0


def request_of(args: argparse.Namespace, loaded: Dataset) -> "Request":
    """What the arguments ask of the data."""
    from fairviz.report.assemble import Request, usual_measures

    gain, rel = gain_of(args)
    against = against_of(args, loaded)
    return Request(
        measures=tuple(args.measures or usual_measures(loaded, k=args.k, gain=gain, rel=rel, against=against)),
        k=args.k,
        gain=gain,
        rel=rel,
        scores=args.scores,
        offset=float(args.offset),  # as pages have it: tables print it
        alphas=tuple(alphas_of(args)),
        judgements=judgements_of(args, loaded),
        against=against,
        seed=args.seed,
    )


def loaded_data(args: argparse.Namespace) -> tuple[Loaded, Dataset]:
    """The files as the dashboard loads them, so that page and command have one data set; and which file is whose."""
    loaded = Dataset(name=args.title)
    for role, file, options in files_of(args):
        source = source_of(file, "scoreddocs" if role == "run" else "qrels" if role == "qrels" else None)
        loaded = add_file(loaded, source, options._replace(role=role))
    of = {each.system: each.file for each in loaded.outputs}
    for role, systems in (("run", loaded.runs), ("samples", loaded.samples)):
        read = [file.name for file in loaded.files if file.role == role]
        of |= {each.system: name for each, name in zip(systems, read, strict=True)}
    if args.groups_from:
        loaded = _with_groups_from_qrels(loaded)
    unlabelled, loaded = loaded, loaded.described
    of |= {new.system: of[old.system] for old, new in zip(_systems_of(unlabelled), _systems_of(loaded), strict=True)}
    files = Loaded(
        (*loaded.runs, *loaded.samples), loaded.outputs, of, (*loaded.notes, *rows_that_meet_nothing(unlabelled))
    )
    loaded = replace(loaded, pairs=tuple(pairs_of(args.pair, files).items()))
    return files, loaded.without({one.system for one in unjoined(files.rankings, loaded.qrels)})


def _systems_of(loaded: Dataset) -> tuple[Run | RankingSample | RagOutputs, ...]:
    return (*loaded.runs, *loaded.samples, *loaded.outputs)


def files_of(args: argparse.Namespace) -> Iterator[tuple[Role, str, Options]]:
    """Every file with what it holds and how it is read."""
    if args.groups and args.groups_from:
        raise UsageError(BOTH_GROUPS)
    for run in args.runs:
        yield "run", run, Options(ties=args.ties)
    for generator, file in map(qrels_argument, args.qrels):
        yield "qrels", file, Options(generator=generator, subtopics=args.subtopics or None)
    if args.groups:
        yield "groups", args.groups, Options(labels=args.labels)
    if args.target and preset_named(args.target) is None:
        yield "target", args.target, Options()
    if args.systems:
        yield "systems", args.systems, Options()
    for outputs in args.outputs:
        yield "rag", outputs, Options()
    if args.references:
        yield "references", args.references, Options()


def _with_groups_from_qrels(loaded: Dataset) -> Dataset:
    """The data with subtopics of judgements as its groups."""
    judged = with_subtopics(loaded.qrels)
    place = next(i for i, one in enumerate(loaded.qrels) if one is judged)
    file = [file for file in loaded.files if file.role == "qrels"][place]
    listed = replace(file, role="groups", format=FROM_SUBTOPICS)
    return replace(loaded, labels=(labels_from_qrels(judged),), files=(*loaded.files, listed))


def against_of(args: argparse.Namespace, loaded: Dataset) -> AgainstTarget | None:
    """Groups and target, as asked for.

    Raises:
        InputError: The target gives a share to a group that no label has, and nobody allowed that.
    """
    if loaded.labels and loaded.target is not None and args.target and not args.allow_missing_groups:
        refuse_missing_groups(loaded.labels[0], loaded.target, file=name_of(args.target), allow=ALLOW)
    return AgainstTarget(0, preset_named(args.target) or "file", args.labels == "split") if loaded.labels else None


def judgements_of(args: argparse.Namespace, loaded: Dataset) -> int:
    """Place of the judgements of the first run's curves: people's where nothing else is asked for."""
    files = [qrels_argument(text)[1] for text in args.qrels]
    if args.judgements is None:
        queries = set(loaded.runs[0].query_ids) if loaded.runs else set[str]()
        shared = [i for i, labels in enumerate(loaded.qrels) if not queries.isdisjoint(labels.query_ids)]
        places = shared or list(range(len(loaded.qrels)))
        return next((i for i in places if loaded.qrels[i].generator is None), places[0] if places else 0)
    if args.judgements not in files:
        raise UsageError(
            f"--judgements {args.judgements}: expected one of --qrels, {', '.join(files) or 'of which none'}"
        )
    return files.index(args.judgements)
