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

from fairviz.experiment.bias_config import BiasConfig, Model, read_bias_config
from fairviz.experiment.components import Choice, build_generator
from fairviz.experiment.corpus import read_documents
from fairviz.experiment.files import write_text
from fairviz.experiment.memory import Remembering
from fairviz.experiment.prompts import BIAS_INSTRUCTIONS, option_of
from fairviz.experiment.protocols import Document, Generator, Prompt
from fairviz.experiment.report import ExperimentReport, Progress, made_folder, silent
from fairviz.experiment.retrieval import retrieved_run, retriever_of
from fairviz.experiment.templates import (
    Impression,
    Item,
    impressions_of,
    items_of,
    read_templates,
)
from fairviz.formats.run_table import write_run
from fairviz.model import Run

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
