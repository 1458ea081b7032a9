"""What an experiment starts from: documents, and questions with reference answers."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.experiments.protocols import Document
from fairviz.io.corpus import read_queries, read_references, read_titled
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source
from fairviz.model import IndexArray, Note
from fairviz.numerals import plural


def chance(seed: int, name: str) -> np.random.Generator:
    """The source of chance of one thing, whatever the others are."""
    return np.random.default_rng([seed, int.from_bytes(sha256(name.encode()).digest()[:8], "big")])


def option_order(n: int, seed: int, name: str) -> list[int]:
    """Which option stands where when the options of an item are shuffled.

    Args:
        n: Options.
        seed: Of the experiment.
        name: Of the item; each has an order of its own, whatever the others are.

    Examples:
        >>> option_order(3, 0, "Age-1") == option_order(3, 0, "Age-1"), sorted(option_order(4, 1, "q"))
        (True, [0, 1, 2, 3])
    """
    order: list[int] = chance(seed, name).permutation(n).tolist()
    return order


def read_documents(file: FileInput | Source) -> Parsed[list[Document]]:
    """Read documents ``{doc_id or _id, title?, text}`` in file order; further fields are left alone.

    Unlike :func:`fairviz.io.corpus.read_corpus` it keeps titles apart: they are searched, and
    are no sentence of an answer.

    Raises:
        InputError: If the file cannot be read or a document stands twice.
    """
    parsed = read_titled(file, "doc_id", required=False)
    return replace(cast("Parsed[Any]", parsed), value=[Document(doc_id, *of) for doc_id, of in parsed.value.items()])


def read_profiles(file: FileInput | Source, questions: Mapping[str, str]) -> dict[str, IndexArray]:
    """Ascending positions of each question's own documents: those whose ``query_id`` is its id, as in LaMP.

    Raises:
        InputError: If the file cannot be read, or a document names no question, or one that is not asked.
    """
    source = as_source(file)
    positions: dict[str, list[int]] = {query_id: [] for query_id in questions}
    notes = NoteBook(source.name)
    with closing(json_records(source, notes)) as records:
        for position, (line, record) in enumerate(records):
            query_id = Fields(record, line, notes).identifier("query_id")
            if query_id not in positions:
                reason = f"query_id {shown(query_id)} is that of no question"
                raise source.wrong(reason, "Leave the document out, or ask the question.", line)
            positions[query_id].append(position)
    return {query_id: np.array(own, dtype=np.int32) for query_id, own in positions.items()}


def read_collection(paths: Sequence[Path]) -> Parsed[list[Document]]:
    """Read the documents of several files, together one collection.

    Raises:
        InputError: If a file cannot be read or a document is in two of them.
    """
    parsed = [read_documents(path) for path in paths]
    documents = [document for part in parsed for document in part.value]
    seen: set[str] = set()
    for document in documents:
        if document.doc_id in seen:
            reason = f"doc_id {document.doc_id!r} is in two files of the collection"
            raise InputError(reason, file=str(paths[-1]), fix="Give each its own id.")
        seen.add(document.doc_id)
    label = f"{plural(len(documents), 'document')}"
    notes = tuple(note for part in parsed for note in part.notes)
    return Parsed(value=documents, file=str(paths[0]), format=label, notes=notes, lines={})


def read_referenced_questions(
    queries: Path, references: Path
) -> tuple[Mapping[str, str], Mapping[str, Sequence[str]], tuple[Note, ...]]:
    """Read questions, the right answers to each, at least one, and notes of what was repaired.

    Raises:
        InputError: If a file cannot be read, or a question has no answer.
    """
    questions, answers = read_queries(str(queries)), read_references(str(references))
    for query_id in questions.value:
        if not answers.value.get(query_id):
            fix = "Add a line with its query_id and answers."
            raise InputError(f"no answer to question {query_id}", file=answers.file, fix=fix)
    return questions.value, answers.value, (*questions.notes, *answers.notes)
