"""The files of a command as the dashboard loads them: recognised by content, or by the option they stand behind."""

import argparse
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from fairviz.cli._streams import CATALOGUE, DASH, source_of
from fairviz.display.methods import AgainstTarget, attribute_named
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.systems import RECORDED, STUDY_FILE, joining, merged_notes, with_subtopics
from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.io.groups import labels_from_qrels
from fairviz.io.join import refuse_missing_groups, rows_that_meet_nothing
from fairviz.io.manifest import MANIFEST, DataPath
from fairviz.io.source import FROM_SUBTOPICS, STANDARD_INPUT, Options, Role
from fairviz.io.stored import Stored
from fairviz.kernels.grouping import PRESETS, Preset
from fairviz.metrics.catalogue import parse_measures, reads_groups
from fairviz.model import Dataset, Note, Run, Target
from fairviz.model.dataset import with_labels
from fairviz.points.curves import with_scores
from fairviz.studies.study import Study

OF_ROLE: Mapping[str, Role] = {
    "run_files": "run",
    "groups_files": "groups",
    "references_files": "references",
    "popularity_files": "popularity",
    "items_files": "bias-items",
    "answers_files": "bias-predictions",
}
"""What files hold that stand behind an option which says no more."""

BOTH_GROUPS = "--groups and --groups-from both say what the groups are: give one"

ALLOW = "--allow-missing-groups"
BY_RANGES = ("evaluate", "tradeoff")
"""Commands that go through a run of any size range by range."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Systems read from files.

    Attributes:
        files: Name of a system -> its file, runs before outputs.
        notes: What the readers repaired.
    """

    files: dict[str, str]
    notes: tuple[Note, ...]

    def placed(self, notes: Sequence[Note]) -> list[Note]:
        """Notes on systems, as notes on their files."""
        return [replace(note, file=self.files.get(note.file, note.file)) for note in notes]

    @contextmanager
    def naming(self) -> Generator[None]:
        """Errors on systems, as errors on their files."""
        try:
            yield
        except InputError as error:
            file = self.files.get(error.file, error.file)
            raise InputError(error.reason, file=file, line=error.line, fix=error.fix) from error


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
    called = {
        "groups": [labels.attribute for labels in loaded.labels],
        **{"bias-predictions": [each.name for each in loaded.bias_predictions]},
        **{"variants": [each.name for each in loaded.variants]},
    }
    of = {each.system: each.file for each in (*loaded.outputs, *loaded.runs, *loaded.samples)}
    for file_role, names in called.items():
        of |= zip(names, (file.name for file in loaded.files if file.role == file_role), strict=False)
    if args.groups_from:
        loaded = _with_groups_from_qrels(loaded)
    unlabelled, loaded = loaded, loaded.described
    _, _, labels = with_labels((*unlabelled.runs, *unlabelled.samples, *unlabelled.outputs), unlabelled.systems or {})
    of |= {label: of[name] for name, label in labels.items()}
    if getattr(args, "dask", None) and not any(isinstance(each, Stored) for each in (*loaded.runs, *loaded.samples)):
        fix = "fairviz convert RUN --output RUN.parquet writes one"
        raise UsageError(f"--dask: no run is a Parquet file in which the rows of a query stand together: {fix}")
    files = Loaded(of, (*loaded.notes, *rows_that_meet_nothing(unlabelled)))
    loaded = replace(loaded, pairs=tuple(pairs_of(args.pair, loaded, of).items()))
    if isinstance(baseline := getattr(args, "baseline", None), str) and baseline.lower().endswith(STUDY_FILE):
        from fairviz.reporting.study_file import with_baseline  # pydantic takes as long to load as NumPy

        loaded = with_baseline(loaded, baseline)
    rest, left_out = joining(loaded)
    if left_out:
        files = replace(files, notes=(*files.notes, *files.placed(merged_notes(ranking.note for ranking in left_out))))
    return files, rest


def one_run(args: argparse.Namespace) -> tuple[Loaded, Dataset, Run]:
    """The files, and the only run among them.

    Raises:
        InputError: A file cannot be read, or the run has no scores.
        UsageError: There is none, or more than one.
    """
    files, loaded = loaded_data(args)
    rankings = (*loaded.runs, *loaded.samples, *loaded.unjoined)
    if len(rankings) != 1:
        raise UsageError(f"one run is needed, found {len(rankings) or 'none'}: give RUN")
    (ranked,) = rankings
    return files, loaded, with_scores(ranked, files.files[ranked.system])


def _files_of(args: argparse.Namespace) -> Iterator[tuple[Role | None, str, Options]]:
    """Every file with what it holds, where that is said, and how it is read; judgements after what they judge."""
    if args.groups_files and args.groups_from:
        raise UsageError(BOTH_GROUPS)
    study = cast("Study | None", getattr(args, "study", None))
    how = Options(
        ties=args.ties,
        multi_sample=args.multi_sample or None,
        subtopics=args.subtopics or None,
        labels=args.labels,
        ranges="none" if study is None or study.command not in BY_RANGES else "all" if args.dask else "large",
    )
    for file in cast("list[str]", args.files):
        if Path(file).is_dir():
            yield from _of_folder(DataPath(Path(file)), how)
        else:
            yield ("run" if file.startswith(CATALOGUE) else None), file, how
    for name, role in OF_ROLE.items():
        for file in cast("list[str]", vars(args)[name]):
            yield role, file, how
    for generator, file in map(qrels_argument, cast("list[str]", args.qrels)):
        yield "qrels", file, how._replace(generator=generator)
    if args.target and preset_named(args.target) is None:
        yield "target", args.target, how
    for role, file in (("systems", args.systems), *(("rag", output) for output in args.outputs)):
        if file:
            yield cast("Role", role), file, how


def _of_folder(folder: DataPath, how: Options) -> Iterator[tuple[Role | None, str, Options]]:
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
    index = next(i for i, qrels in enumerate(loaded.qrels) if qrels is judged)
    file = [file for file in loaded.files if file.role == "qrels"][index]
    listed = replace(file, role="groups", format=FROM_SUBTOPICS)
    return replace(loaded, labels=(labels_from_qrels(judged),), files=(*loaded.files, listed))


def against_of(args: argparse.Namespace, loaded: Dataset, *, statements: bool = False) -> AgainstTarget | None:
    """Groups and target, as asked for; None without groups.

    Args:
        args: What was typed.
        loaded: The data.
        statements: Whether least and largest shares can be kept to.

    Raises:
        InputError: The target gives a share to a group that no label has, and nobody allowed that.
    """
    if not loaded.labels:
        return None
    kept = statements and loaded.bounds is not None and preset_named(args.target) is None
    target = None if kept else target_of(args, loaded)
    attribute = attribute_named(loaded, args.groups_by)
    return AgainstTarget(attribute, target if isinstance(target, str) else "file", args.labels == "split")


def which_groups(args: argparse.Namespace, loaded: Dataset, measures: Sequence[str] = ()) -> list[Note]:
    """Whose groups count, where several files have groups and nobody says it; nothing where no measure reads groups.

    Args:
        args: What was typed.
        loaded: The data.
        measures: What is measured; none where groups count whatever is measured.
    """
    unread = measures and not any(map(reads_groups, parse_measures([*measures])))
    if len(loaded.labels) < 2 or args.groups_by is not None or unread:
        return []
    first, second, *_ = (labels.attribute for labels in loaded.labels)
    file = next(file.name for file in loaded.files if file.role == "groups")
    return [Note(file, None, f"the groups of {first} count; --groups-by {second} takes those of {second}")]


def target_of(args: argparse.Namespace, loaded: Dataset) -> Target | Preset | None:
    """Shares of attention, as asked for: from a file, or the name of those that the data set.

    Raises:
        InputError: The target gives a share to a group that no label has, and nobody allowed that.
    """
    preset = preset_named(args.target)
    file = next((file.name for file in loaded.files if file.role == "target"), "")
    if preset is None and loaded.bounds is not None:
        raise UsageError(
            f"{file} holds least and largest shares, which only policy-lab and rerank --method amortised keep to"
        )
    if preset is None and loaded.target is not None and loaded.labels and not args.allow_missing_groups:
        labels = loaded.attributes[attribute_named(loaded, args.groups_by)]
        refuse_missing_groups(labels, loaded.target, file=file, allow=ALLOW)
    return preset or loaded.target


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


def pairs_of(texts: Sequence[str], loaded: Dataset, files: Mapping[str, str]) -> dict[str, str]:
    """``OUTPUT=RUN``, each by its system's name or its file as typed, or ``OUTPUT=recorded``.

    Raises:
        UsageError: A side names nothing that was loaded.
    """
    outputs = _by_name_or_file([system.system for system in loaded.outputs], files)
    ranked = [system.system for system in (*loaded.runs, *loaded.samples)]
    runs = {RECORDED: RECORDED} | _by_name_or_file(ranked, files)
    return dict(_pair(text, outputs, runs) for text in texts)


def _pair(text: str, outputs: dict[str, str], runs: dict[str, str]) -> tuple[str, str]:
    places = [i for i, character in enumerate(text) if character == "="]
    for i in places:  # names and paths may hold an "=" of their own
        if text[:i] in outputs and text[i + 1 :] in runs:
            return outputs[text[:i]], runs[text[i + 1 :]]
    raise UsageError(
        f"--pair {text}: expected OUTPUT=RUN; outputs: {', '.join(outputs) or 'none'}; "
        f"runs: {', '.join(runs) or 'none'}"
    )


def _by_name_or_file(systems: Sequence[str], files: Mapping[str, str]) -> dict[str, str]:
    by_file = {files[name]: name for name in systems}
    if STANDARD_INPUT in by_file:
        by_file[DASH] = by_file[STANDARD_INPUT]
    return by_file | {name: name for name in systems}


def qrels_argument(text: str) -> tuple[str | None, str]:
    """Generator and file of ``[GENERATOR=]FILE``.

    Raises:
        UsageError: One of them is empty.
    """
    generator, mark, file = text.partition("=")
    if not mark or Path(text).exists():
        return None, text
    if not generator or not file:
        raise UsageError(f"--qrels {text}: expected FILE or GENERATOR=FILE")
    return generator, file


def preset_named(text: str | None) -> Preset | None:
    """The target that a word names, None for a file."""
    return next((preset for preset in PRESETS if text is not None and text.lower() == preset), None)
