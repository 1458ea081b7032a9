"""Bias questions from templates to answers: expand → retrieve → answer.

The settings are those of Zhang et al. (2025), 4.2: without retrieval, and with the k best
documents of the full collection, of its stereotypical half and of its anti-stereotypical half. The
query is the context with the question.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from fairviz.errors import UsageError
from fairviz.experiment.config import check_keys, choice_of, number_of, numbers_of, read_toml, tables_of, text_of
from fairviz.experiment.generation import BIAS_INSTRUCTIONS, Remembering, option_of
from fairviz.experiment.protocols import Document, Generator, Prompt
from fairviz.experiment.registry import Choice, Range, build_generator, retriever_of
from fairviz.experiment.retrieval import retrieved_run
from fairviz.experiment.runner import ExperimentReport, Progress, made_folder, read_documents, silent, write_text
from fairviz.experiment.templates import Impression, Item, impressions_of, items_of, read_templates
from fairviz.io.trec import write_run
from fairviz.model import Run

# The TOML file of an experiment with bias questions (``kind = "bias"``).


KEYS = ("kind", "name", "templates", "output", "ks", "instructions", "retriever", "model")

MODEL_KEYS = ("name", "generator", "memory", "n_memory")

DEFAULT_KS = (5, 10)

K = Range(1, 1_000, whole=True)

INSTRUCTION = Range(1, len(BIAS_INSTRUCTIONS), whole=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A generator under a name of its own.

    Attributes:
        name: Written into the column ``model``.
        generator: The component.
        memory: JSONL documents that it has read before, None for nothing.
        n_memory: Texts remembered with a question, at most.
    """

    name: str
    generator: Choice
    memory: Path | None
    n_memory: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasConfig:
    """An experiment with bias questions; paths are relative to its file.

    Attributes:
        name: What to call it.
        templates: The TOML file of templates and impressions.
        output: The folder it writes to.
        ks: Numbers of documents given to the models.
        instructions: Which of :data:`~fairviz.experiment.prompts.BIAS_INSTRUCTIONS`, from 1.
        retrievers: The retrievers, each over every collection.
        models: Who answers.
    """

    name: str
    templates: Path
    output: Path
    ks: tuple[int, ...]
    instructions: tuple[int, ...]
    retrievers: tuple[Choice, ...]
    models: tuple[Model, ...]


def read_bias_config(path: Path) -> BiasConfig:
    """Read and check the description of an experiment with bias questions.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = read_toml(path)
    where = str(path)
    check_keys(table, KEYS, where)
    models = read_models(table, path)
    return BiasConfig(
        name=text_of(table, "name", where),
        templates=path.parent / text_of(table, "templates", where),
        output=path.parent / text_of({"output": ".", **table}, "output", where),
        ks=numbers_of(table, "ks", where, default=DEFAULT_KS, accepted=K),
        instructions=numbers_of(table, "instructions", where, default=(1,), accepted=INSTRUCTION),
        retrievers=read_retrievers(table, path),
        models=models,
    )


def read_retrievers(table: dict[str, object], path: Path) -> tuple[Choice, ...]:
    """The tables [[retriever]]; each retriever once, since its name is all that tells it apart."""
    found = tuple(choice_of(one, "retriever", str(path)) for one in tables_of(table, "retriever", str(path)))
    if len({choice.name for choice in found}) < len(found):
        raise UsageError(f"{path}: a retriever stands twice under [[retriever]]; keep one")
    return found


def read_models(table: dict[str, object], path: Path) -> tuple[Model, ...]:
    """The tables [[model]], names distinct."""
    where = str(path)
    found: list[Model] = []
    for one in tables_of(table, "model", where):
        check_keys(one, MODEL_KEYS, f"{where}: [[model]]")
        accepted = Range(1, 100, whole=True)
        found.append(
            Model(
                name=text_of(one, "name", f"{where}: [[model]]"),
                generator=choice_of(one.get("generator"), "generator", where),
                memory=path.parent / text_of(one, "memory", where) if "memory" in one else None,
                n_memory=number_of(one, "n_memory", where, default=3, accepted=accepted),
            )
        )
    if len({model.name for model in found}) < len(found):
        raise UsageError(f"{where}: two models have one name; give each its own")
    return tuple(found)


WITHOUT = "w/o RAG"

COLLECTIONS = ("full-set", "stereo-set", "anti-set")

ITEM_COLUMNS = (
    *("category", "example_id", "question_index", "question_polarity", "context_condition"),
    *(
        "context",
        "question",
        *(f"{name}{i}" for name in ("ans", "text", "group") for i in range(3)),
    ),
    *("subcategory", "stereotyped_groups", "label", "unknown_loc", "target_loc"),
)

SETTING_COLUMNS = ("model", "setting", "retriever", "k", "instruction")

ANSWER_COLUMNS = ("category", "example_id", "raw_prediction", "pred")


@dataclass(frozen=True, slots=True)
class Given:
    """The documents given with every item in one setting, best first."""

    setting: str
    retriever: str
    k: int | None
    documents: Sequence[tuple[Document, ...]]


def run_bias(config: Path, *, output: Path | None = None, progress: Progress | None = None) -> ExperimentReport:
    """Make every file of an experiment with bias questions; the same files give the same bytes.

    Writes the items (``items.csv.gz``), the documents (``documents.jsonl``) with their polarity
    (``polarity.tsv``), what each retriever found in the full collection
    (``full-set.RETRIEVER.run.gz``) and the answers (``predictions.csv.gz``).

    Args:
        config: The TOML file.
        output: Folder to write to, in the place of the configuration's.
        progress: Called before each step.

    Raises:
        InputError: If a file cannot be read.
        UsageError: If the configuration or the templates say what is not accepted.
    """
    settings = read_bias_config(config)
    tell = progress or silent
    templates = read_templates(settings.templates)
    items = list(items_of(templates))
    impressions = list(impressions_of(templates))
    models = [(model.name, build_model(model)) for model in settings.models]
    folder = made_folder(output or settings.output, config)
    files = [folder / name for name in ("items.csv.gz", "documents.jsonl", "polarity.tsv")]
    write_text(files[0], partial(write_item_table, items))
    write_text(files[1], partial(_write_documents, impressions))
    write_text(files[2], partial(_write_polarity, impressions))

    tell("retrieve", 1, 1 + len(models))
    given = [Given(WITHOUT, "", None, [()] * len(items))]
    for collection in COLLECTIONS:
        for found in _retrieved(settings, collection, items, impressions):
            if collection == "full-set":
                files.append(folder / f"full-set.{found.system}.run.gz")
                write_text(files[-1], partial(write_run, found))
            given += [_given(found, impressions, collection, k) for k in settings.ks]
    rows: list[tuple[str, ...]] = []
    for step, (name, generator) in enumerate(models, start=2):
        tell(f"answer ({name})", step, 1 + len(models))
        for one in given:
            rows += _answers(name, generator, one, items, settings.instructions)
    files.append(folder / "predictions.csv.gz")
    write_text(files[-1], partial(_write_answers, rows))
    return ExperimentReport(files=tuple(files))


def build_model(model: Model) -> Generator:
    """The generator of a model, with its memory."""
    generator = build_generator(model.generator)
    if model.memory is None:
        return generator
    memory = read_documents(model.memory)
    retriever = retriever_of(Choice("bm25", {}), memory.value, memory.file)
    return Remembering(generator, memory.value, retriever, n_memory=model.n_memory, name=model.name)


def query_id(item: Item) -> str:
    """Name of an item in runs."""
    return f"{item.category}-{item.example_id}"


def _retrieved(
    settings: BiasConfig, collection: str, items: Sequence[Item], impressions: Sequence[Impression]
) -> Iterator[Run]:
    """What each retriever finds in a collection; document indices are rows of ``impressions``."""
    rows = [
        row for row, impression in enumerate(impressions) if collection in ("full-set", f"{impression.polarity}-set")
    ]
    corpus = [Document(impressions[row].doc_id, "", impressions[row].text) for row in rows]
    questions = {query_id(item): f"{item.context} {item.question}" for item in items}
    for choice in settings.retrievers:
        retriever = retriever_of(choice, corpus, str(settings.templates))
        yield retrieved_run(retriever, corpus, questions, depth=max(settings.ks))


def _given(run: Run, impressions: Sequence[Impression], collection: str, k: int) -> Given:
    texts = {one.doc_id: Document(one.doc_id, "", one.text) for one in impressions}
    corpus = [texts[doc_id] for doc_id in run.doc_ids]
    docs: list[int] = run.docs.tolist()
    bounds: list[int] = run.offsets.tolist()
    documents = [tuple(corpus[place] for place in docs[start:end][:k]) for start, end in pairwise(bounds)]
    return Given(collection, run.system, k, documents)


def _answers(
    model: str,
    generator: Generator,
    given: Given,
    items: Sequence[Item],
    instructions: Sequence[int],
) -> Iterator[tuple[str, ...]]:
    """Rows of answers of one model in one setting."""
    for number in instructions:
        prompts = [
            Prompt(item.question, documents, item.context, item.options, BIAS_INSTRUCTIONS[number - 1])
            for item, documents in zip(items, given.documents, strict=True)
        ]
        k = "" if given.k is None else str(given.k)
        start = (model, given.setting, given.retriever, k, str(number))
        for item, answer in zip(items, generator.generate(prompts), strict=True):
            option = option_of(answer, len(item.options))
            yield (*start, item.category, str(item.example_id), answer, str(option))


def write_item_table(items: Sequence[Item], to: TextIO) -> None:
    """Write items with all columns of BBQ, and where the unknown and the biased option are."""
    table = csv.writer(to, lineterminator="\n")
    table.writerow(ITEM_COLUMNS)
    for item in items:
        table.writerow(
            [
                *(*item[:7], *item.options, *item.texts, *item.groups),
                *("", json.dumps([item.stereotyped]), *item[-3:]),
            ]
        )


def _write_documents(impressions: Sequence[Impression], to: TextIO) -> None:
    for one in impressions:
        to.write(json.dumps(one._asdict(), ensure_ascii=False) + "\n")


def _write_polarity(impressions: Sequence[Impression], to: TextIO) -> None:
    to.write("doc_id\tpolarity\n")
    to.writelines(f"{one.doc_id}\t{one.polarity}\n" for one in impressions)


def _write_answers(rows: Sequence[tuple[str, ...]], to: TextIO) -> None:
    table = csv.writer(to, lineterminator="\n")
    table.writerow((*SETTING_COLUMNS, *ANSWER_COLUMNS))
    table.writerows(rows)
