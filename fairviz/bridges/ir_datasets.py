"""Judgements and scored documents of ir_datasets' catalogue as nouns: ``qrels("vaswani")``, ``run("...")``.

Commands have them as the files that they read: ``fairviz evaluate bm25.run --qrels irds:vaswani``.

ir_datasets downloads what it has not yet, from where its catalogue says; fairviz asks nothing of any network by itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import ir_datasets

from fairviz.api.nouns import Ranked
from fairviz.api.nouns import qrels as qrels_of
from fairviz.api.nouns import run as run_of
from fairviz.errors import InputError, UsageError, printable
from fairviz.io.source import Source
from fairviz.model import Qrels


def qrels(dataset: Any, *, subtopics: bool | None = None) -> Qrels:
    """The judgements of a data set.

    Args:
        dataset: Its name in the catalogue, such as "msmarco-passage/trec-dl-2019", or ir_datasets' object.
        subtopics: Whether subtopics count; None: where a document is judged twice for a query.

    Raises:
        UsageError: There is no such data set, or it has no judgements.
        InputError: Judgements cannot be used: names the row and column.
    """
    collection, name = _part_of_dataset(dataset, "qrels")
    return qrels_of(collection.qrels_iter(), name=name, subtopics=subtopics)


def run(dataset: Any) -> Ranked:
    """The scored documents that a data set comes with, those that a re-ranker begins with.

    Args:
        dataset: Its name in the catalogue, or ir_datasets' object.

    Raises:
        UsageError: There is no such data set, or it has no scored documents.
        InputError: Rows cannot be used: names the row and column.
    """
    collection, name = _part_of_dataset(dataset, "scoreddocs")
    return run_of(collection.scoreddocs_iter(), name=name)


Part = Literal["scoreddocs", "qrels"]
WORDS: Mapping[Part, str] = {"scoreddocs": "scored documents", "qrels": "judgements"}


def source(dataset: str, part: Part, *, name: str) -> Source:
    """A part of a data set as a file of TREC.

    Args:
        dataset: Its name in the catalogue.
        part: Scored documents or judgements.
        name: What to call the file.

    Raises:
        UsageError: There is no such data set, or it has no such part.
        InputError: It cannot be had: it is not on this machine, and cannot be downloaded.
    """
    collection, _ = _part_of_dataset(dataset, part)
    lines = _scored(collection, dataset) if part == "scoreddocs" else _judged(collection)
    try:
        return Source(name, None, "".join(lines).encode())
    except Exception as error:  # each source of the catalogue fails in its own way
        message = str(next(iter(error.args), "")) or type(error).__name__
        reason = f"ir_datasets could not get its {WORDS[part]} ({message[:200]})"
        fix = "Download them once where there is a network, and copy the folder .ir_datasets of your home."
        raise InputError(printable(reason), file=name, fix=fix) from error


def _scored(dataset: Any, tag: str) -> Iterator[str]:
    for document in dataset.scoreddocs_iter():
        yield f"{document.query_id} Q0 {document.doc_id} 0 {float(document.score)!r} {tag}\n"


def _judged(dataset: Any) -> Iterator[str]:
    for judgement in dataset.qrels_iter():
        yield f"{judgement.query_id} {getattr(judgement, 'subtopic_id', 0)} {judgement.doc_id} {judgement.relevance}\n"


def _part_of_dataset(dataset: Any, part: Part) -> tuple[Any, str]:
    """The data set and what to call it."""
    try:
        collection: Any = ir_datasets.load(dataset) if isinstance(dataset, str) else dataset
    except KeyError:
        raise UsageError(f"ir_datasets has no data set {dataset!r}") from None
    name = dataset if isinstance(dataset, str) else getattr(dataset, "dataset_id", str)() or "dataset"
    if not getattr(collection, f"has_{part}")():
        raise UsageError(f"{name} has no {WORDS[part]}")
    return collection, name
