"""Files into a :class:`Dataset`, one by one: each is read whole or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from fairviz.errors import InputError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import carried_predictions, read_bias_predictions
from fairviz.io.corpus import read_corpus, read_queries, read_references
from fairviz.io.factors import read_factors
from fairviz.io.groups import labels_from_qrels, read_groups
from fairviz.io.join import names_of_systems
from fairviz.io.manifest import read_manifest
from fairviz.io.notes import Parsed
from fairviz.io.options import FROM_SUBTOPICS, Options, Role
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings
from fairviz.io.sniff import Sniffed, sniff
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.targets import read_target
from fairviz.io.variants import read_variants
from fairviz.model import BiasPredictions, Dataset, Qrels, RagOutputs, RankingSample, Run, SourceFile

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
    return _with_file(as_source(file), dataset, options or Options())


@reader
def _with_file(file: FileInput | Source, dataset: Dataset, settings: Options) -> Dataset:
    given = as_source(file).name
    source = _named_apart(as_source(file), {known.name for known in dataset.files})
    role, _, also = Sniffed(settings.role, "") if settings.role else sniff(source)
    digest = source.digest()
    held = {"run": ("run", "samples")}.get(role, (role,))
    same = [known for known in dataset.files if known.role in held and known.digest == digest]
    if role in ("run", "groups", "qrels", "rag"):  # two systems, attributes or generators may have the same content
        same = [known for known in same if known.name == given]
    if role == "qrels":  # one file may say what is useful to two generators
        judged = [known for known in dataset.files if known.role == "qrels"]
        whose = zip(judged, dataset.qrels, strict=True)
        same = [known for known, labels in whose if known in same and labels.generator == settings.generator]
    if same:
        return dataset
    match role:
        case "run":
            return _add_rankings(dataset, source, digest, settings)
        case "qrels":
            qrels = read_qrels(source, subtopics=settings.subtopics, generator=settings.generator)
            dataset = replace(dataset, qrels=(*dataset.qrels, qrels.value))
            dataset = _listed(dataset, qrels, "qrels", digest)
            return _with_subtopics(dataset, qrels, digest) if settings.groups else dataset
        case "groups":
            labels = read_groups(source, labels=settings.labels)
            taken = {known.attribute for known in dataset.labels}
            value = replace(labels.value, attribute=_free(labels.value.attribute, source.stem, taken))
            dataset = replace(dataset, labels=(*dataset.labels, value))
            return _listed(dataset, labels, "groups", digest)
        case "systems":
            factors = read_factors(source)
            systems = {**(dataset.systems or {}), **factors.value}
            return _listed(replace(dataset, systems=systems), factors, "systems", digest)
        case "target":
            target = read_target(source)
            files = tuple(known for known in dataset.files if known.role != "target")
            dataset = replace(dataset, target=target.value, files=files)
            return _listed(dataset, target, "target", digest)
        case "rag":
            return _add_outputs(dataset, source, digest)
        case "references":
            references = read_references(source)
            merged = {**(dataset.references or {}), **references.value}
            return _listed(replace(dataset, references=merged), references, "references", digest)
        case "corpus":
            passages = read_corpus(source)
            merged = {**(dataset.passages or {}), **passages.value}
            return _listed(replace(dataset, passages=merged), passages, "corpus", digest)
        case "queries":
            questions = read_queries(source)
            merged = {**(dataset.texts or {}), **questions.value}
            return _listed(replace(dataset, texts=merged), questions, "queries", digest)
        case "bias-items":
            items = read_bias_items(source)
            dataset = replace(dataset, bias_items=(*dataset.bias_items, items.value))
            dataset = _listed(dataset, items, "bias-items", digest)
            within = carried_predictions(source) if also else None
            return _add_predictions(dataset, within, source, digest) if within else dataset
        case "bias-predictions":
            return _add_predictions(dataset, read_bias_predictions(source), source, digest)
        case "manifest":
            manifest = read_manifest(source)
            return _listed(
                replace(dataset, manifests=(*dataset.manifests, manifest.value)), manifest, "manifest", digest
            )
        case "variants":
            answers = read_variants(source)
            names = {known.name for known in dataset.variants}
            value = replace(answers.value, name=_free(answers.value.name, source.stem, names))
            dataset = replace(dataset, variants=(*dataset.variants, value))
            return _listed(dataset, answers, "variants", digest)


def read_example(folder: Path) -> Dataset:
    """The shipped example: all its files, `utility.qrels` for the generator of the outputs.

    Of the folders of answers (``bias``, ``variants``) the questions and answers, not the documents
    and rankings that they were made with: these belong to other questions than the runs.

    Args:
        folder: The folder of the example.

    Raises:
        InputError: A file is damaged.
    """
    dataset = Dataset(name="Example")
    names = ("*.run", "samples.*", "usefulness.qrels", "*.tsv", "target.json", "*.jsonl", "*.gz")
    files = [path for pattern in names for path in sorted(folder.glob(pattern))]
    for path in dict.fromkeys(files):
        dataset = _with_shipped(dataset, path, folder)
    generators = {outputs.generator for outputs in dataset.outputs}
    utility = folder / "utility.qrels"
    if utility.is_file() and len(generators) == 1:
        dataset = _with_shipped(dataset, utility, folder, Options(role="qrels", generator=generators.pop()))
    for path in _answer_files(folder):
        dataset = _with_shipped(dataset, path, folder)
    return dataset


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
    dataset = Dataset(name="SmolLM2 example")
    for path in (*own, rankings / "systems.tsv", *shared, *words):
        dataset = _with_shipped(dataset, path, folder)
    generators = {outputs.generator for outputs in dataset.outputs}
    options = Options(role="qrels", generator=min(filter(None, generators)))
    dataset = _with_shipped(dataset, rankings / "utility.qrels", folder, options)
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


def _add_rankings(dataset: Dataset, source: Source, digest: str, options: Options) -> Dataset:
    parsed = read_rankings(source, multi_sample=options.multi_sample, ties=options.ties)
    if isinstance(parsed.value, Run):
        dataset = replace(dataset, runs=(*dataset.runs, parsed.value))
        return named_apart(_listed(dataset, parsed, "run", digest))
    dataset = replace(dataset, samples=(*dataset.samples, parsed.value))
    return named_apart(_listed(dataset, parsed, "samples", digest))


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


def _add_outputs(dataset: Dataset, source: Source, digest: str) -> Dataset:
    parsed = read_outputs(source)
    added = (*dataset.outputs, *(replace(one, file=parsed.file) for one in parsed.value.outputs))
    texts = {**parsed.value.questions, **(dataset.texts or {})}
    dataset = replace(dataset, outputs=added, texts=texts or None)
    return named_apart(_listed(dataset, parsed, "rag", digest))


def _add_predictions(dataset: Dataset, parsed: Parsed[BiasPredictions], source: Source, digest: str) -> Dataset:
    names = {known.name for known in dataset.bias_predictions}
    value = replace(parsed.value, name=_free(parsed.value.name, source.stem, names))
    dataset = replace(dataset, bias_predictions=(*dataset.bias_predictions, value))
    return _listed(dataset, parsed, "bias-predictions", digest)


def _with_subtopics(dataset: Dataset, qrels: Parsed[Qrels], digest: str) -> Dataset:
    """The dataset with the subtopics of judgements as groups, listed as labels of that file."""
    labels = labels_from_qrels(qrels.value)
    file = SourceFile(role="groups", name=qrels.file, format=FROM_SUBTOPICS, digest=digest)
    return replace(dataset, labels=(*dataset.labels, labels), files=(*dataset.files, file))


def _listed(dataset: Dataset, parsed: Parsed[object], role: str, digest: str) -> Dataset:
    file = SourceFile(role=role, name=parsed.file, format=parsed.format, digest=digest)
    return replace(dataset, files=(*dataset.files, file), notes=(*dataset.notes, *parsed.notes))


def _free(name: str, stem: str, taken: set[str]) -> str:
    """The name, else the file's stem, else the stem with a number."""
    if name not in taken:
        return name
    numbered = (f"{stem} ({i})" for i in range(2, len(taken) + 3))
    return next(candidate for candidate in (stem, *numbered) if candidate not in taken)


def _named_apart(source: Source, taken: set[str]) -> Source:
    """Two uploads of one name are told apart in messages."""
    return replace(source, name=_free(source.name, source.name, taken))
