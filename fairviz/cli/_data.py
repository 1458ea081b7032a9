"""The files of a command as the dashboard loads them: recognised by content, or by the option they stand behind."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from fairviz.cli._common import add_qrels_option
from fairviz.cli._files import CATALOGUE, InputFile, source_of
from fairviz.cli._inputs import (
    ALLOW,
    BOTH_GROUPS,
    Loaded,
    add_multi_sample_option,
    add_outputs_option,
    add_systems_option,
    add_target_options,
    add_ties_option,
    pairs_of,
    preset_named,
    qrels_argument,
)
from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.evaluation.joins import told_once, unjoined, with_subtopics
from fairviz.io.dataset import add_file
from fairviz.io.given import Given
from fairviz.io.groups import labels_from_qrels
from fairviz.io.join import refuse_missing_groups, rows_that_meet_nothing
from fairviz.io.manifest import MANIFEST
from fairviz.io.options import FROM_SUBTOPICS, Options, Role
from fairviz.io.sniff import sniff
from fairviz.model import Dataset, RagOutputs, RankingSample, Run

OF_ROLE: tuple[tuple[str, Role, str], ...] = (
    ("--run", "run", "runs, or samples of rankings"),
    ("--groups", "groups", "group labels, a file per attribute"),
    (
        "--references",
        "references",
        "right answers: JSON Lines {query_id, answers[]}",
    ),
    ("--items", "bias-items", "bias questions"),
    ("--answers", "bias-predictions", "answers to bias questions, or to variants of questions"),
)
"""Options that say what files hold whose content does not tell, besides those that say more."""


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """The files, and options that say what they are and how they are read."""
    parser.add_argument(
        "files",
        type=InputFile,
        nargs="*",
        metavar="FILE",
        help="runs, judgements, groups, a target, outputs, questions, answers, or a study's folder, in any order: each "
        "is recognised by its content",
    )
    for flag, _, what in OF_ROLE:
        kind: dict[str, Any] = {"type": InputFile, "metavar": "FILE", "default": [], "help": what}
        parser.add_argument(flag, dest=_dest(flag), nargs="+", action="extend", **kind)
    add_qrels_option(parser)
    parser.add_argument(
        "--judgements", metavar="FILE", help="those that systems are measured by, of several (default: people's)"
    )
    add_outputs_option(parser)
    add_target_options(parser)
    add_systems_option(parser)
    parser.add_argument(
        "--subtopics",
        action="store_true",
        help="column 2 of judgements names subtopics (else only where a document is judged twice)",
    )
    add_multi_sample_option(parser)
    add_ties_option(parser)


def loaded_data(args: argparse.Namespace, name: str = "") -> tuple[Loaded, Dataset]:
    """The files as the dashboard loads them, so that page and command have one data set; and which file is whose.

    Args:
        args: What was typed.
        name: What to call the data.

    Raises:
        InputError: A file cannot be read.
        UsageError: A folder is none of a study's, or two options say what the groups are.
    """
    loaded = Dataset(name=name)
    for role, file, options in _files_of(args):
        part = "qrels" if role == "qrels" else "scoreddocs" if role == "run" else None
        source = source_of(file, part)
        if role == "bias-predictions" and sniff(source).role == "variants":
            role = "variants"
        loaded = add_file(loaded, source, options._replace(role=role or options.role))
    labelled = [file.name for file in loaded.files if file.role == "groups"]
    of = {labels.attribute: name for labels, name in zip(loaded.labels, labelled, strict=True)}
    of |= {each.system: each.file for each in loaded.outputs}
    for held, asked in (("bias-predictions", loaded.bias_predictions), ("variants", loaded.variants)):
        read = (file.name for file in loaded.files if file.role == held)
        of |= {each.name: name for each, name in zip(asked, read, strict=False)}
    for held, systems in (("run", loaded.runs), ("samples", loaded.samples)):
        read = [file.name for file in loaded.files if file.role == held]
        of |= {each.system: name for each, name in zip(systems, read, strict=True)}
    if args.groups_from:
        loaded = _with_groups_from_qrels(loaded)
    unlabelled, loaded = loaded, loaded.described
    of |= {new.system: of[old.system] for old, new in zip(_systems_of(unlabelled), _systems_of(loaded), strict=True)}
    files = Loaded(
        (*loaded.runs, *loaded.samples), loaded.outputs, of, (*loaded.notes, *rows_that_meet_nothing(unlabelled))
    )
    loaded = replace(loaded, pairs=tuple(pairs_of(args.pair, files).items()))
    left_out = unjoined(files.rankings, loaded.qrels)
    rest = loaded.without({one.system for one in left_out})
    if rest is not loaded:
        files = replace(files, notes=(*files.notes, *files.placed(told_once(one.note for one in left_out))))
    return files, rest


def _systems_of(loaded: Dataset) -> tuple[Run | RankingSample | RagOutputs, ...]:
    return (*loaded.runs, *loaded.samples, *loaded.outputs)


def _dest(flag: str) -> str:
    return f"{flag.removeprefix('--')}_files"


def _files_of(args: argparse.Namespace) -> Iterator[tuple[Role | None, str, Options]]:
    """Every file with what it holds, where that is said, and how it is read; judgements after what they judge."""
    if args.groups_files and args.groups_from:
        raise UsageError(BOTH_GROUPS)
    how = Options(
        ties=args.ties,
        multi_sample=args.multi_sample or None,
        subtopics=args.subtopics or None,
        labels=args.labels,
    )
    for file in cast("list[str]", args.files):
        if Path(file).is_dir():
            yield from _of_folder(Given(Path(file)), how)
        else:
            yield ("run" if file.startswith(CATALOGUE) else None), file, how
    for flag, role, _ in OF_ROLE:
        for file in cast("list[str]", vars(args)[_dest(flag)]):
            yield role, file, how
    for generator, file in map(qrels_argument, cast("list[str]", args.qrels)):
        yield "qrels", file, how._replace(generator=generator)
    if args.target and preset_named(args.target) is None:
        yield "target", args.target, how
    for role, file in (("systems", args.systems), *(("rag", one) for one in args.outputs)):
        if file:
            yield cast("Role", role), file, how


def _of_folder(folder: Given, how: Options) -> Iterator[tuple[Role | None, str, Options]]:
    """The files of a study.

    Raises:
        UsageError: The folder holds no study's results.
    """
    if not folder.results:
        fix = "name its files, or give the folder of a study's results"
        raise UsageError(f"{folder.path}: a folder without {MANIFEST}: {fix}")
    for path in folder.results:
        yield None, str(path), how._replace(generator=folder.options_of(path).generator)


def _with_groups_from_qrels(loaded: Dataset) -> Dataset:
    """The data with subtopics of judgements as its groups."""
    judged = with_subtopics(loaded.qrels)
    place = next(i for i, one in enumerate(loaded.qrels) if one is judged)
    file = [file for file in loaded.files if file.role == "qrels"][place]
    listed = replace(file, role="groups", format=FROM_SUBTOPICS)
    return replace(loaded, labels=(labels_from_qrels(judged),), files=(*loaded.files, listed))


def against_of(args: argparse.Namespace, loaded: Dataset) -> AgainstTarget | None:
    """Groups and target, as asked for; None without groups.

    Raises:
        InputError: The target gives a share to a group that no label has, and nobody allowed that.
    """
    if not loaded.labels:
        return None
    preset = preset_named(args.target)
    if preset is None and loaded.target is not None and not args.allow_missing_groups:
        file = next(file.name for file in loaded.files if file.role == "target")
        refuse_missing_groups(loaded.labels[0], loaded.target, file=file, allow=ALLOW)
    return AgainstTarget(0, preset or "file", args.labels == "split")


def judgements_of(args: argparse.Namespace, loaded: Dataset) -> int:
    """Place of the judgements that the first run is measured by: people's where nothing else is asked for.

    Raises:
        UsageError: Those that are asked for are none of the files.
    """
    names = [file.name for file in loaded.files if file.role == "qrels"]
    if args.judgements is None:
        queries = set(loaded.runs[0].query_ids) if loaded.runs else set[str]()
        shared = [i for i, labels in enumerate(loaded.qrels) if not queries.isdisjoint(labels.query_ids)]
        places = shared or list(range(len(loaded.qrels)))
        return next((i for i in places if loaded.qrels[i].generator is None), places[0] if places else 0)
    wanted = next((name for name in names if args.judgements in (name, Path(name).name)), "")
    if not wanted:
        raise UsageError(
            f"--judgements {args.judgements}: expected one of the judgements, {', '.join(names) or 'of which none'}"
        )
    return names.index(wanted)
