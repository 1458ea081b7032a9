"""Files into a :class:`Dataset`, one by one: each is read whole or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from fairviz.errors import InputError
from fairviz.io.bbq_answers import carried_predictions
from fairviz.io.formats import READERS, Format, sniff
from fairviz.io.groups import labels_from_qrels
from fairviz.io.join import names_of_systems
from fairviz.io.notes import Parsed
from fairviz.io.options import FROM_SUBTOPICS, Options, Role
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.model import Dataset, RagOutputs, RankingSample, Run, SourceFile

Named = TypeVar("Named", Run, RankingSample, RagOutputs)
Drawn = TypeVar("Drawn", RankingSample, RagOutputs)


class Loaded(NamedTuple):
    """What could be read of several files, and the error of each that could not."""

    dataset: Dataset
    errors: tuple[InputError, ...]


def load_dataset(
    files: Iterable[FileInput],
    *,
    name: str = "Uploaded",
    options: Mapping[str, Options] | None = None,
) -> Loaded:
    """Read several files into one dataset; a file that cannot be read leaves the others.

    Args:
        files: Paths or ``(name, bytes)``.
        name: What to call the dataset.
        options: How to read a file, by its name.
    """
    dataset = Dataset(name=name)
    errors: list[InputError] = []
    for file in files:
        try:
            source = as_source(file)
            dataset = add_file(dataset, source, (options or {}).get(source.name, Options()))
        except InputError as error:
            error.__cause__ = error.__context__ = None  # as its own traceback, theirs would keep the bytes
            errors.append(error.with_traceback(None))
    return Loaded(dataset, tuple(errors))


def add_file(dataset: Dataset, file: FileInput | Source, options: Options | None = None) -> Dataset:
    """The dataset with one more file; a file that it has already changes nothing.

    Runs of one tag are all named by their files, so are samples and outputs of one tag, policy and α; labels of the
    same attribute by the stem of theirs. Two files of systems or labels are two, even where their bytes are equal:
    their names say of which system, attribute or generator.

    Args:
        dataset: What is loaded so far; unchanged.
        file: A path or ``(name, bytes)``.
        options: How to read it.

    Raises:
        InputError: The file cannot be read; nothing of it is loaded.
    """
    return joined(dataset, file_parts(dataset, file, options))


def file_parts(dataset: Dataset, file: FileInput | Source, options: Options | None = None) -> "tuple[Part, ...]":
    """What one more file brings to a dataset; nothing where that has the file already.

    Args:
        dataset: What is loaded so far.
        file: A path or ``(name, bytes)``.
        options: How to read it.

    Raises:
        InputError: The file cannot be read.
    """
    return _parts(as_source(file), dataset, options or Options())


class Part(NamedTuple):
    """What a file holds of one role.

    Attributes:
        role: What it is.
        parsed: What was read.
        stem: What else its noun may be called.
        digest: Of the file.
        is_renamed: Whether it is called otherwise where another noun has its name.
    """

    role: Role | str
    parsed: Parsed[Any]
    stem: str
    digest: str
    is_renamed: bool = True

    @property
    def nouns(self) -> tuple[Any, ...]:
        """What it brings: one noun, of recorded outputs one for each system."""
        return self.parsed.value.outputs if self.role == "rag" else (self.parsed.value,)


@reader
def _parts(file: FileInput | Source, dataset: Dataset, options: Options) -> tuple[Part, ...]:
    source = as_source(file)
    name = source.name
    names = {file.name for file in dataset.files}
    source = replace(source, name=_free(name, name, names))  # two uploads of one name are told apart in messages
    recognised = None if options.role else sniff(source)
    role = options.role or cast("Format", recognised).role
    digest = source.digest()
    held = {"run": ("run", "samples")}.get(role, (role,))
    same = [known for known in dataset.files if known.role in held and known.digest == digest]
    if role in ("run", "groups", "qrels", "rag"):  # two systems, attributes or generators may have the same content
        same = [known for known in same if known.name == name]
    if role == "qrels":  # one file may say what is useful to two generators
        judged = [known for known in dataset.files if known.role == "qrels"]
        whose = zip(judged, dataset.qrels, strict=True)
        same = [known for known, labels in whose if known in same and labels.generator == options.generator]
    if same:
        return ()
    part = Part(role, READERS[role](source, options), source.stem, digest)
    if recognised is not None and recognised.also and (within := carried_predictions(source)):
        return part, part._replace(role=recognised.also, parsed=within)
    if role == "qrels" and options.groups:
        groups = labels_from_qrels(part.parsed.value)
        subtopics = replace(part.parsed, value=groups, format=FROM_SUBTOPICS, notes=())
        return part, part._replace(role="groups", parsed=subtopics, is_renamed=False)
    return (part,)


_LISTS = {
    **{"run": "runs", "samples": "samples", "qrels": "qrels", "groups": "labels", "bias-items": "bias_items"},
    **{"bias-predictions": "bias_predictions", "variants": "variants", "manifest": "manifests"},
}
"""Where a data set has the nouns of a role, one after the other."""
_MERGED = {"systems": "systems", "references": "references", "corpus": "passages", "queries": "texts"}
"""Where it has what several files of a role say together."""
_NAMES = {"groups": "attribute", "bias-predictions": "name", "variants": "name"}
"""By what nouns of a role are called, where two must not be called the same."""


def joined(dataset: Dataset, parts: Iterable[Part]) -> Dataset:
    """The dataset with what files bring, one part after the other."""
    for part in parts:
        dataset = _with_part(dataset, part)
    return dataset


def _with_part(dataset: Dataset, part: Part) -> Dataset:
    parsed = part.parsed
    value: Any = parsed.value
    files = dataset.files
    role = "samples" if isinstance(parsed.value, RankingSample) else part.role
    changed: dict[str, Any] = {}
    if role in _MERGED:
        before: dict[str, Any] = getattr(dataset, _MERGED[role]) or {}
        changed[_MERGED[role]] = {**before, **value}
    elif role == "target":
        files = tuple(known for known in files if known.role != "target")
        changed = {"target": value}
    elif role == "rag":
        added = (replace(outputs, file=parsed.file) for outputs in value.outputs)
        changed = {"outputs": (*dataset.outputs, *added)}
        changed["texts"] = {**value.questions, **(dataset.texts or {})} or None
    else:
        nouns: tuple[Any, ...] = getattr(dataset, _LISTS[role])
        if part.is_renamed and (key := _NAMES.get(role)):
            name = _free(getattr(value, key), part.stem, {getattr(other, key) for other in nouns})
            value = replace(value, **{key: name})
        changed = {_LISTS[role]: (*nouns, value)}
    file = SourceFile(role=role, name=parsed.file, format=parsed.format, digest=part.digest)
    changed |= {"files": (*files, file), "notes": (*dataset.notes, *parsed.notes)}
    dataset = replace(dataset, **changed)
    return named_apart(dataset) if role in ("run", "samples", "rag") else dataset


def read_example(folder: Path) -> Dataset:
    """The shipped example: all its files, `utility.qrels` for the generator of the outputs.

    Of the folders of answers (``bias``, ``variants``) the questions and answers, not the documents
    and rankings that they were made with: these belong to other questions than the runs.

    Args:
        folder: The folder of the example.

    Raises:
        InputError: A file is damaged.
    """
    names = ("*.run", "samples.*", "usefulness.qrels", "*.tsv", "target.json", "*.jsonl", "*.gz")
    files = [path for pattern in names for path in sorted(folder.glob(pattern))]
    return _read_shipped("Example", files, folder / "utility.qrels", folder)


def read_recorded(folder: Path) -> Dataset:
    """What a language model answered to the questions of the shipped example.

    Args:
        folder: The folder of the recorded answers: ``rankings``, ``bias`` and ``variants``, as experiments leave them.
            Beside it stands that of the example, ``demo``, with the words, the groups and people's judgements.

    Raises:
        InputError: A file is damaged.
    """
    rankings, example = folder / "rankings", folder.parent / "demo"
    own = [path for pattern in ("*.run", "samples.*", "outputs.*") for path in sorted(rankings.glob(pattern))]
    shared = [example / name for name in ("usefulness.qrels", "provider.tsv", "region.tsv", "target.json")]
    words = [example / name for name in ("corpus.jsonl", "queries.jsonl", "references.jsonl")]
    files = [*own, rankings / "systems.tsv", *shared, *words]
    return _read_shipped("SmolLM2 example", files, rankings / "utility.qrels", folder)


def _read_shipped(name: str, files: Sequence[Path], utility: Path, folder: Path) -> Dataset:
    """The files of an example, labels of usefulness to the generator of its outputs, and recorded answers."""
    dataset = Dataset(name=name)
    for path in dict.fromkeys(files):
        dataset = _with_shipped(dataset, path, folder)
    generators = sorted({outputs.generator for outputs in dataset.outputs if outputs.generator})
    if utility.is_file() and generators:
        dataset = _with_shipped(dataset, utility, folder, Options(role="qrels", generator=generators[0]))
    for path in _answer_files(folder):
        dataset = _with_shipped(dataset, path, folder)
    return dataset


def _with_shipped(dataset: Dataset, path: Path, folder: Path, options: Options | None = None) -> Dataset:
    """The data with a file of an example, which says where it is seen from where all examples are."""
    known = len(dataset.files)
    dataset = add_file(dataset, Source(path.name, path), options)
    place = f"{path.parent.relative_to(folder.parents[1]).as_posix()}/"
    return replace(dataset, files=(*dataset.files[:known], *(replace(f, folder=place) for f in dataset.files[known:])))


def _answer_files(folder: Path) -> list[Path]:
    """Files of bias questions, of answers to them, of answers to variants, and of their words."""
    tables = ("*.csv", "*.csv.gz", "*.jsonl", "*.jsonl.gz")
    roles: tuple[Role, ...] = ("bias-items", "bias-predictions", "variants", "queries")
    paths = [p for name in ("bias", "variants") for t in tables for p in (folder / name).glob(t)]
    # What a batch came back with is what the answers were made of.
    sniffed = [(sniff(path).role, path) for path in sorted(paths) if not path.name.startswith("responses.")]
    return [path for wanted_role in roles for role, path in sniffed if role == wanted_role]


def named_apart(dataset: Dataset) -> Dataset:
    """The data with runs under distinct names; samples and outputs of one policy and α likewise.

    The names follow from what is loaded, in any order: one that was called by its tag is called by its file once
    another has the same tag, and by its tag again when that other is gone.
    """
    files = {role: [file.name for file in dataset.files if file.role == role] for role in ("run", "samples")}
    return replace(
        dataset,
        runs=tuple(_named_by_files(dataset.runs, files["run"])),
        samples=tuple(_by_policy(dataset.samples, files["samples"])),
        outputs=tuple(_by_policy(dataset.outputs, [outputs.file for outputs in dataset.outputs])),
    )


def _by_policy(systems: Sequence[Drawn], files: Sequence[str]) -> list[Drawn]:
    named = list(systems)
    for policy in dict.fromkeys((one.policy, one.alpha) for one in systems):
        places = [i for i, one in enumerate(systems) if (one.policy, one.alpha) == policy]
        apart = _named_by_files([systems[i] for i in places], [files[i] for i in places])
        for i, one in zip(places, apart, strict=True):
            named[i] = one
    return named


def _named_by_files(systems: Sequence[Named], files: Sequence[str]) -> list[Named]:
    names = names_of_systems([system.tag for system in systems], files)
    return [
        system if system.system == name else replace(system, system=name)
        for system, name in zip(systems, names, strict=True)
    ]


def _free(name: str, stem: str, taken: set[str]) -> str:
    """The name, else the file's stem, else the stem with a number."""
    if name not in taken:
        return name
    numbered = (f"{stem} ({i})" for i in range(2, len(taken) + 3))
    return next(candidate for candidate in (stem, *numbered) if candidate not in taken)
