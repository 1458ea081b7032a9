"""Files into a :class:`Dataset`, one by one: each is read whole or not at all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, cast

from fairviz.errors import InputError
from fairviz.io.bbq_answers import carried_predictions
from fairviz.io.formats import READERS, Format, sniff
from fairviz.io.groups import labels_from_qrels
from fairviz.io.join import names_of_systems
from fairviz.io.manifest import DataPath
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FROM_SUBTOPICS, FileInput, Options, Role, Source, as_source, reader
from fairviz.io.stored import stored_lists
from fairviz.io.tables import read_weights
from fairviz.io.text import whole_text
from fairviz.model import Dataset, RagOutputs, RankingSample, Run, ShareBounds, SourceFile
from fairviz.resources import content, example_folder, recorded_folder

Named = TypeVar("Named", Run, RankingSample, RagOutputs)
Drawn = TypeVar("Drawn", RankingSample, RagOutputs)


class FilePart(NamedTuple):
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
    return joined(dataset, file_parts(file, dataset, options or Options()))


@reader
def file_parts(source: Source, dataset: Dataset, options: Options) -> tuple[FilePart, ...]:
    """What one more file brings to a dataset; nothing where that has the file already.

    Args:
        source: A path or ``(name, bytes)``.
        dataset: What is loaded so far.
        options: How to read it.

    Raises:
        InputError: The file cannot be read.
    """
    name = source.name
    names = {file.name for file in dataset.files}
    source = replace(source, name=_free(name, name, names))  # two uploads of one name are told apart in messages
    recognised = None if options.role else sniff(source)
    role = options.role or cast("Format", recognised).role
    digest = source.digesting()
    roles = {"run": ("run", "samples")}.get(role, (role,))
    alike = [file for file in dataset.files if file.role in roles]
    same = [file for file in alike if file.digest == digest()]
    if role in ("run", "groups", "qrels", "rag"):  # two systems, attributes or generators may have the same content
        same = [file for file in same if file.name == name]
    if role == "qrels":  # one file may say what is useful to two generators
        whose = zip(alike, dataset.qrels, strict=True)
        same = [file for file, labels in whose if file in same and labels.generator == options.generator]
    if same:
        return ()
    if recognised is not None and recognised.translate is not None:
        if source.is_parquet:
            fix = f"Save it as that text, or with the columns of a table of {role} under their usual names."
            raise source.wrong(f"a Parquet file, and {shown(recognised.label)} is a format of text", fix)
        text = as_source((source.name, recognised.translate(whole_text(source, NoteBook(name)), name)))
        source = replace(text, records=True)  # whose lines are not those of the file
    lists = stored_lists(source, options) if role == "run" else None
    parsed = lists or READERS[role](source, **options.of(role))
    part = FilePart(role, parsed, source.stem, digest())
    if recognised is not None and recognised.also and (within := _CARRIED[recognised.also](source)):
        return part, part._replace(role=recognised.also, parsed=within)
    if role == "qrels" and options.groups:
        groups = labels_from_qrels(part.parsed.value)
        subtopics = replace(part.parsed, value=groups, format=FROM_SUBTOPICS, notes=())
        return part, part._replace(role="groups", parsed=subtopics, is_renamed=False)
    return tuple(part._replace(parsed=noun) for noun in parsed.every)


_CARRIED: Mapping[Role, Callable[[Source], Parsed[Any] | None]] = {
    "bias-predictions": carried_predictions,
    "weights": read_weights,
}
"""How what a file holds besides is read."""
_LISTS = {
    **{"run": "runs", "samples": "samples", "qrels": "qrels", "groups": "labels", "bias-items": "bias_items"},
    **{"bias-predictions": "bias_predictions", "variants": "variants", "manifest": "depths"},
}
"""Where a data set has the nouns of a role, one after the other."""
_MERGED = {
    **{"systems": "systems", "references": "references", "corpus": "passages", "queries": "texts"},
    **{"weights": "weights", "popularity": "popularity"},
}
"""Where it has what several files of a role say together."""
_NAMES = {"groups": "attribute", "bias-predictions": "name", "variants": "name"}
"""By what nouns of a role are called, where two must not be called the same."""


def joined(dataset: Dataset, parts: Iterable[FilePart]) -> Dataset:
    """The dataset with what files bring, one part after the other."""
    for part in parts:
        dataset = _with_part(dataset, part)
    return dataset


def _with_part(dataset: Dataset, part: FilePart) -> Dataset:
    parsed = part.parsed
    value: Any = parsed.value
    files = dataset.files
    role = "samples" if isinstance(parsed.value, RankingSample) else part.role
    changed: dict[str, Any] = {}
    if role in _MERGED:
        before: dict[str, Any] = getattr(dataset, _MERGED[role]) or {}
        changed[_MERGED[role]] = {**before, **value}
    elif role == "target":
        files = tuple(loaded_file for loaded_file in files if loaded_file.role != "target")
        changed = {"target": None, "bounds": None} | {"bounds" if isinstance(value, ShareBounds) else "target": value}
    elif role == "rag":
        added = (replace(outputs, file=parsed.file) for outputs in value.outputs)
        changed = {"outputs": (*dataset.outputs, *added)}
        changed["texts"] = {**value.questions, **(dataset.texts or {})} or None
    else:
        nouns: tuple[Any, ...] = getattr(dataset, _LISTS[role])
        if part.is_renamed and (key := _NAMES.get(role)):
            name = _free(getattr(value, key), part.stem, {getattr(other, key) for other in nouns})
            value = replace(value, **{key: name})
        if role in ("run", "samples"):
            value = replace(value, file=parsed.file)
        changed = {_LISTS[role]: (*nouns, value)}
    file = SourceFile(role=role, name=parsed.file, format=parsed.format, digest=part.digest)
    changed |= {"files": (*files, file), "notes": (*dataset.notes, *parsed.notes)}
    dataset = replace(dataset, **changed)
    return named_apart(dataset) if role in ("run", "samples", "rag") else dataset


def read_shipped(name: Literal["example", "recorded"] = "example") -> Dataset:
    """What comes with fairviz: the example, or what a language model answered to its first questions.

    Args:
        name: As ``fairviz/content/shipped.yaml`` names it.

    Raises:
        InputError: A file is damaged.
        FairvizError: The environment variable ``FAIRVIZ_EXAMPLE`` names no example.
    """
    folder = example_folder() if name == "example" else recorded_folder()
    shipped = content("shipped")[name]
    dataset = Dataset(name=shipped["name"])
    for path in [path for pattern in shipped["files"] for path in sorted(folder.glob(pattern))]:
        options = Options()
        if path.name == "utility.qrels":
            generator = min(outputs.generator for outputs in dataset.outputs if outputs.generator)
            options = Options(role="qrels", generator=generator)
        n_before = len(dataset.files)
        dataset = add_file(dataset, Source(path.name, path), options)
        subfolder = f"{path.parent.relative_to(folder.parents[1]).as_posix()}/"
        added = [replace(file, folder=subfolder) for file in dataset.files[n_before:]]
        dataset = replace(dataset, files=(*dataset.files[:n_before], *added))
    return dataset


def named_apart(dataset: Dataset) -> Dataset:
    """The data with runs under distinct names; samples and outputs of one policy and α likewise.

    The names follow from what is loaded, in any order: one that was called by its tag is called by its file once
    another has the same tag, and by its tag again when that other is gone.
    """
    return replace(
        dataset,
        runs=tuple(_named_by_files(dataset.runs)),
        samples=tuple(_by_policy(dataset.samples)),
        outputs=tuple(_by_policy(dataset.outputs)),
    )


def _by_policy(systems: Sequence[Drawn]) -> list[Drawn]:
    named = list(systems)
    for policy in dict.fromkeys((system.policy, system.alpha) for system in systems):
        places = [i for i, system in enumerate(systems) if (system.policy, system.alpha) == policy]
        for i, system in zip(places, _named_by_files([systems[i] for i in places]), strict=True):
            named[i] = system
    return named


def _named_by_files(systems: Sequence[Named]) -> list[Named]:
    names = names_of_systems([system.tag for system in systems], [system.file for system in systems])
    named = zip(systems, names, strict=True)
    return [system if system.system == name else replace(system, system=name) for system, name in named]


def _free(name: str, stem: str, taken: set[str]) -> str:
    """The name, else the file's stem, else the stem with a number."""
    if name not in taken:
        return name
    numbered = (f"{stem} ({i})" for i in range(2, len(taken) + 3))
    return next(candidate for candidate in (stem, *numbered) if candidate not in taken)


# Which files there are to read.


def recognised(paths: Iterable[DataPath]) -> tuple[tuple[DataPath, ...], tuple[Path, ...]]:
    """What there is to read: every file that was named, of a folder those that are recognised; and its other files."""
    files: list[DataPath] = []
    left_out: list[Path] = []
    for data_path in paths:
        if not data_path.path.is_dir():
            files.append(data_path)
            continue
        recognised = [path for path in data_path.files if _is_recognised(path)]
        files += [DataPath(path, data_path.options_of(path)) for path in recognised]
        left_out += [path for path in data_path.files if path not in recognised]
    return tuple(files), tuple(left_out)


def check_paths(paths: Iterable[DataPath]) -> None:
    """See that there is something to open, before anything is started.

    Raises:
        InputError: A file is not there or not recognised, or a folder has none that is.
    """
    for data_path in paths:
        if not data_path.path.is_dir():
            sniff(data_path.path)
        elif not any(map(_is_recognised, data_path.files)):
            fix = "Give the folder that the files are in; folders in it are not looked into."
            raise InputError("no file in this folder is recognised", file=str(data_path.path), fix=fix)


def _is_recognised(path: Path) -> bool:
    try:
        sniff(path)
    except InputError:
        return False
    return True
