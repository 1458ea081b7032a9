"""What is named on the command line, read into nouns: runs, outputs, judgements, groups, targets, grids of α."""

import argparse
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from fairviz.cli._common import whole_number
from fairviz.cli._files import DASH, InputFile, name_of, source_of
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.joins import (
    Depth,
    Joined,
    at_depth,
    distinct_systems,
    joined,
    judged_twice,
    labelled,
    renamed,
    with_subtopics,
)
from fairviz.evaluation.outputs import RECORDED
from fairviz.grouping import PRESETS, Preset
from fairviz.io.factors import read_factors
from fairviz.io.given import Given
from fairviz.io.groups import labels_from_qrels, read_groups
from fairviz.io.join import join_systems, refuse_missing_groups
from fairviz.io.manifest import MANIFEST, read_manifest
from fairviz.io.options import Role
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings
from fairviz.io.sniff import sniff
from fairviz.io.source import STANDARD_INPUT
from fairviz.io.targets import read_target
from fairviz.model import (
    FACTORS,
    Factors,
    GroupLabels,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    TieOrder,
    collections,
    with_labels,
    with_sources,
    with_tasks,
)
from fairviz.points.alphas import GRID, alpha_grid

if TYPE_CHECKING:
    from fairviz.attention import Attention
    from fairviz.exposure import Gain


# How attention falls and what is useful.


BROWSING = ("topk", "rbp", "geometric", "log", "dcg")


def add_attention_options(parser: argparse.ArgumentParser) -> None:
    """``-k``, ``--attention``, ``--p`` and ``--gamma``."""
    parser.add_argument(
        "-k",
        type=whole_number(1),
        metavar="K",
        help="documents shown; needed for --attention topk, else where attention is cut",
    )
    parser.add_argument(
        "--attention",
        choices=BROWSING,
        default="topk",
        help="how attention falls with rank (default topk: equal to the first k, none below)",
    )
    parser.add_argument("--p", type=float, default=0.8, help="chance of going on to the next rank, for rbp")
    parser.add_argument("--gamma", type=float, default=0.5, help="chance of stopping at each rank, for geometric")


def add_gain_options(parser: argparse.ArgumentParser) -> None:
    """``--gain`` and ``--rel``."""
    parser.add_argument(
        "--gain",
        choices=("graded", "binary"),
        help="whether gain is the grade (default) or binary: relevant or not",
    )
    parser.add_argument(
        "--rel",
        type=whole_number(1),
        metavar="GRADE",
        help="smallest relevant grade (default 1); giving it means --gain binary",
    )


def gain_of(args: argparse.Namespace) -> "tuple[Gain, int]":
    """How relevance is counted, and the smallest useful grade: as in a measure string, a threshold means binary.

    Raises:
        UsageError: A threshold is given for graded usefulness.
    """
    if args.rel is not None and args.gain == "graded":
        raise UsageError(f"--rel {args.rel} makes gain binary: leave out --gain graded, or --rel")
    return ("graded" if args.rel is None and args.gain != "binary" else "binary"), args.rel or 1


def attention_of(args: argparse.Namespace) -> "Attention":
    """The browsing model asked for.

    Raises:
        UsageError: A parameter is out of range, or topk lacks k.
    """
    from fairviz.attention import attention

    if args.attention == "topk" and args.k is None:
        raise UsageError("--attention topk needs the number of documents shown: give -k, such as -k 5")
    try:
        return attention(args.attention, cutoff=args.k, patience=args.p, stopping=args.gamma)
    except ValueError as error:
        raise UsageError(str(error)) from None


# Grids of α as typed: ``0:8:33`` (both ends included) or ``0,1,2.5``.


def alphas_of(args: argparse.Namespace) -> list[float]:
    """The grid of :func:`add_grid_option`: the values of all that are given, each once, in their order.

    Raises:
        UsageError: One of them is no grid.
    """
    grids = cast("list[str] | None", args.alpha) or [GRID]
    return list(dict.fromkeys(alpha for text in grids for alpha in alpha_grid(text)))


# Groups and targets named on the command line.


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


BOTH_GROUPS = "--groups and --groups-from both say what the groups are: give one"


ALLOW = "--allow-missing-groups"


def add_group_options(parser: argparse.ArgumentParser) -> None:
    """``--groups`` and what is said with it."""
    parser.add_argument(
        "--groups", type=InputFile, metavar="FILE", help="groups of documents: [query_id] doc_id group [weight]"
    )
    add_target_options(parser)


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """``--groups-from``, ``--labels`` and ``--target``."""
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
        type=InputFile,
        metavar="T",
        help=f"shares of attention: {', '.join(PRESETS)}, or a JSON file {{group: share}}",
    )
    parser.add_argument(
        ALLOW,
        action="store_true",
        help="let the target give a share to a group that no label has (else an error, since it is often misspelt)",
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
    if labels is not None and isinstance(target, Target) and not args.allow_missing_groups:
        refuse_missing_groups(labels, target, file=name_of(args.target), allow=ALLOW)
    return Groups(labels, target, (*notes, *target_notes))


def _labels(args: argparse.Namespace, qrels: Sequence[Qrels]) -> tuple[GroupLabels | None, tuple[Note, ...]]:
    if args.groups and args.groups_from:
        raise UsageError(BOTH_GROUPS)
    if args.groups:
        parsed = read_groups(source_of(args.groups), labels=args.labels)
        return parsed.value, parsed.notes
    if not args.groups_from:
        return None, ()
    return labels_from_qrels(with_subtopics(qrels)), ()


def _target(text: str | None) -> tuple[Target | Preset | None, tuple[Note, ...]]:
    if text is None:
        return None, ()
    preset = preset_named(text)
    if preset is not None:
        return preset, ()
    parsed = read_target(source_of(text))
    return parsed.value, parsed.notes


def preset_named(text: str | None) -> Preset | None:
    """The target that a word names, None for a file."""
    return next((preset for preset in PRESETS if text is not None and text.lower() == preset), None)


# Outputs of generators, and samples of rankings.


def add_outputs_option(parser: argparse.ArgumentParser, what: str = "recorded outputs of generators") -> None:
    """``--outputs`` and ``--pair``."""
    parser.add_argument("--outputs", type=InputFile, nargs="+", action="extend", default=[], metavar="FILE", help=what)
    parser.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="OUTPUT=RUN",
        help="which run outputs were made from, by name or file (default: the only run, else the one whose lists "
        "hold what they cite, with a warning); OUTPUT=recorded: the references that they list",
    )


def add_multi_sample_option(parser: argparse.ArgumentParser) -> None:
    """``--multi-sample``."""
    parser.add_argument(
        "--multi-sample", action="store_true", help="column 2 of runs names the sample, and the rank decides"
    )


def add_ties_option(parser: argparse.ArgumentParser) -> None:
    """``--ties``."""
    parser.add_argument(
        "--ties",
        choices=get_args(TieOrder),
        default="id",
        help="what orders tied scores of runs: document ids, descending, as trec_eval (default), or the rank column",
    )


def add_depth_option(parser: argparse.ArgumentParser, usual: Depth = "common") -> None:
    """``--depth``."""
    parser.add_argument(
        "--depth",
        type=_depth,
        default=usual,
        metavar="N",
        help="cut the lists of runs to N documents, to the smallest depth of the runs (common), or not at all (full); "
        f"default {usual}",
    )


def _depth(text: str) -> Depth:
    return text if text in ("common", "full") else whole_number(1)(text)


def add_grid_option(parser: argparse.ArgumentParser) -> None:
    """``--alpha``, a grid."""
    parser.add_argument(
        "--alpha",
        action="append",
        metavar="GRID",
        help=f"fairness control of policies made from runs, lo:hi:n (both ends included) or a list; several are joined "
        f"(default {GRID})",
    )


# What systems are made of.


def add_systems_option(parser: argparse.ArgumentParser) -> None:
    """``--systems``."""
    parser.add_argument(
        "--systems",
        type=InputFile,
        metavar="FILE",
        help=f"a table of what systems are made of: system, its label, and some of {', '.join(FACTORS)}",
    )


PRINTED = ("table", "latex")
"""Formats that people read: a terminal and a column of paper have no room for factors."""


# A study's folder in the place of its files.


def open_study(args: argparse.Namespace, files: str, places: Mapping[Role, str]) -> None:
    """Put the files of a study in the place of its folder, and its k where none is given.

    Args:
        args: What was typed.
        files: The argument that may name folders.
        places: The argument that files of a role belong to; files of other roles are left out. What was typed for an
            argument of one file stays.

    Raises:
        UsageError: A folder holds no study's results, or none of the files that the command takes.
    """
    typed = cast("list[str]", getattr(args, files))
    folders = [Given(Path(name)) for name in typed if Path(name).is_dir()]
    setattr(args, files, [name for name in typed if not Path(name).is_dir()])
    for study in folders:
        if not study.results:
            fix = "name its files, or give the folder of a study's results"
            raise UsageError(f"{study.path}: a folder without {MANIFEST}: {fix}")
        n_taken = 0
        for path in study.results:
            role, generator = sniff(path).role, study.options_of(path).generator
            place = places.get(role)
            if place is not None:
                n_taken += 1
                _put(args, place, InputFile(f"{generator}={path}" if generator else str(path)))
            elif role == "manifest" and "k" in vars(args) and args.k is None:
                args.k = read_manifest(path).value.k
        if not n_taken:
            raise UsageError(f"{study.path}: this study has no files of the kind that the command reads")


def _put(args: argparse.Namespace, place: str, file: InputFile) -> None:
    typed = getattr(args, place)
    if isinstance(typed, list):
        setattr(args, place, [*cast("list[str]", typed), file])
    elif typed is None:
        setattr(args, place, file)


def needed_k(args: argparse.Namespace) -> None:
    """Refuse to go on without k, which a study's folder says and files do not.

    Raises:
        UsageError: Nobody says k.
    """
    if args.k is None:
        raise UsageError("-k K is needed: documents that a context holds")


# Runs, outputs and judgements.


@dataclass(frozen=True, slots=True)
class Loaded:
    """Systems read from files.

    Attributes:
        rankings: Runs and samples, in the order of the files, with distinct names.
        outputs: Recorded outputs, likewise.
        files: Name of a system -> its file, runs before outputs.
        notes: What the readers repaired.
    """

    rankings: tuple[Run | RankingSample, ...]
    outputs: tuple[RagOutputs, ...]
    files: dict[str, str]
    notes: tuple[Note, ...]

    def placed(self, notes: Sequence[Note]) -> list[Note]:
        """Notes on systems, as notes on their files."""
        return [replace(note, file=self.files.get(note.file, note.file)) for note in notes]

    def at_depth(self, depth: Depth, table: Mapping[str, Factors] | None = None) -> tuple["Loaded", str]:
        """With lists of runs read to one depth, see :func:`~fairviz.evaluation.joins.at_depth`; and words for it."""
        cut = at_depth(self.rankings, depth, table=table)
        notes = (*self.notes, *self.placed(cut.notes))
        return replace(self, rankings=cut.systems, notes=notes), cut.words

    @contextmanager
    def naming(self, labels: GroupLabels | None = None, groups: str | None = None) -> Generator[None]:
        """Errors on systems or labels, as errors on their files."""
        known = {labels.attribute: name_of(groups)} if labels is not None and groups else {}
        try:
            yield
        except InputError as error:
            raise renamed(error, known.get(error.file) or self.files.get(error.file, error.file)) from error


def load_factors(
    file: str | None, loaded: Loaded, qrels: Sequence[Qrels]
) -> tuple[Loaded, dict[str, Factors], tuple[Note, ...]]:
    """Systems under their labels, and what a table says of them; rows that name none of them are in the notes.

    Of several collections each is a task, where the table and the files say none.

    Raises:
        InputError: The file cannot be read.
    """
    systems = (*loaded.rankings, *loaded.outputs)
    parsed = None if file is None else read_factors(source_of(file))
    said = parsed.value if parsed else {}
    notes = (*parsed.notes, *join_systems(said, [one.system for one in systems], qrels, parsed.file)) if parsed else ()
    named = with_labels(systems, with_tasks(said, collections(systems, qrels, said)))
    loaded = replace(
        loaded,
        rankings=tuple(one for one in named.systems if not isinstance(one, RagOutputs)),
        outputs=tuple(one for one in named.systems if isinstance(one, RagOutputs)),
        files={named.labels.get(name, name): file for name, file in loaded.files.items()},
    )
    return loaded, named.table, notes


def load_systems(
    runs: Sequence[str],
    outputs: Sequence[str] = (),
    *,
    multi_sample: bool = False,
    ties: TieOrder = "id",
) -> Loaded:
    """Read runs and recorded outputs; systems of equal name get the stem of their file.

    Args:
        runs: Files of rankings.
        outputs: Files of outputs.
        multi_sample: Whether column 2 names samples; without, where a query has more than one value there.
        ties: What orders tied scores of runs.

    Raises:
        InputError: A file cannot be read.
    """
    read = [read_rankings(source_of(file, "scoreddocs"), multi_sample=multi_sample or None, ties=ties) for file in runs]
    recorded = [read_outputs(source_of(file)) for file in outputs]
    notes = [note for parsed in (*read, *recorded) for note in parsed.notes]
    rankings = distinct_systems([(parsed.value, parsed.file) for parsed in read])
    answers = distinct_systems([(recording, parsed.file) for parsed in recorded for recording in parsed.value.outputs])
    files = {system.system: file for system, file in (*answers, *rankings)}
    scored = [system for system, _ in rankings if isinstance(system, Run)]
    return Loaded(
        tuple(with_sources((system for system, _ in rankings), scored)),
        tuple(system for system, _ in answers),
        files,
        tuple(notes),
    )


def load_qrels(texts: Sequence[str], *, subtopics: bool = False) -> tuple[tuple[Qrels, ...], tuple[Note, ...]]:
    """Read ``[GENERATOR=]FILE`` judgements.

    Args:
        texts: As typed.
        subtopics: Whether column 2 names subtopics; without, where a pair repeats.

    Raises:
        InputError: A file cannot be read.
        UsageError: Two files for one generator judge the same query: of several tasks, each has a file of its own.
    """
    files = [(qrels_argument(text)) for text in texts]
    read = [
        read_qrels(source_of(file, "qrels"), subtopics=subtopics or None, generator=generator)
        for generator, file in files
    ]
    if found := judged_twice([p.value for p in read]):
        generator, file = files[found.place]
        whom = "people (without GENERATOR=)" if generator is None else repr(generator)
        raise UsageError(f"--qrels: two files of judgements for {whom}, of which {name_of(file)} repeats {found.query}")
    return tuple(p.value for p in read), tuple(note for p in read for note in p.notes)


def join_judged(loaded: Loaded, qrels: Sequence[Qrels], labels: GroupLabels | None = None) -> Joined:
    """Runs that can be compared: each with its judgements, and labelled documents where there are labels.

    Args:
        loaded: The runs.
        qrels: Judgements; without, only labels decide and no run has judgements.
        labels: Groups of documents, if they are asked for.

    Raises:
        InputError: No run has a query in common with its judgements, or a labelled document.
        UsageError: None of the judgements is for rankings.
    """
    found = joined(loaded.rankings, qrels) if qrels else Joined(loaded.rankings, (), (), loaded.rankings)
    if labels is None:
        return found
    without = labelled(found.rankings, labels)
    names = {one.system for one in without}
    kept = [i for i, ranked in enumerate(found.rankings) if ranked.system not in names]
    return Joined(
        tuple(found.rankings[i] for i in kept),
        tuple(found.judgements[i] for i in kept) if qrels else (),
        (*found.left_out, *without),
        tuple(found.loaded[i] for i in kept),
    )


def pairs_of(texts: Sequence[str], loaded: Loaded) -> dict[str, str]:
    """``OUTPUT=RUN``, each by its system's name or its file as typed, or ``OUTPUT=recorded``.

    Raises:
        UsageError: A side names nothing that was loaded.
    """
    outputs = _by_name_or_file([system.system for system in loaded.outputs], loaded)
    runs = {RECORDED: RECORDED} | _by_name_or_file([system.system for system in loaded.rankings], loaded)
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


def _by_name_or_file(systems: Sequence[str], loaded: Loaded) -> dict[str, str]:
    by_file = {loaded.files[name]: name for name in systems}
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
