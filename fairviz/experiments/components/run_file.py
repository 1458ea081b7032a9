"""A TREC run in the place of a retriever: what any other system found, for the questions and documents of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.experiments.protocols import Document, Hits
from fairviz.io import read_run
from fairviz.io.notes import shown
from fairviz.model import Note

NAMED = 3
"""Of what is missing, so many are named and all are counted."""


class RunFile:
    """Retrieves what a run says; scores decide, as everywhere.

    Documents that the corpus lacks are left out, and questions that the run lacks find nothing; both are told.

    Args:
        corpus: The documents; some of them are in the run.
        name: Written into what is made of it, in the place of the run's tag.
        file: The run.

    Raises:
        InputError: The run cannot be read, or has no document of the corpus.
    """

    def __init__(self, corpus: Sequence[Document], *, name: str = "runs", file: Path) -> None:
        self.name = name
        self._file = str(file)
        self._run = read_run(self._file).value
        place = {document.doc_id: row for row, document in enumerate(corpus)}
        missing = [doc_id for doc_id in self._run.doc_ids if doc_id not in place]
        if len(missing) == len(self._run.doc_ids):
            reason = f"none of its {count(len(missing))} documents ({_named(missing)}) is in the corpus"
            raise InputError(reason, file=self._file, fix="Give the corpus that the run was made from.")
        self._places = np.array([place.get(doc_id, -1) for doc_id in self._run.doc_ids], dtype=np.int32)
        self._rows = {query_id: row for row, query_id in enumerate(self._run.query_ids)}
        self._lacks_documents = self._told(missing, "documents that the corpus lacks were left out")
        self._lacks_questions: tuple[Note, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is missing: documents of the corpus, and questions among those that were asked last."""
        return (*self._lacks_documents, *self._lacks_questions)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, its ``depth`` best documents of the run."""
        missing = [query_id for query_id in questions if query_id not in self._rows]
        self._lacks_questions = self._told(missing, f"of {count(len(questions))} questions are not in the run")
        return [self._hits(self._rows.get(query_id), depth) for query_id in questions]

    def _hits(self, row: int | None, depth: int) -> Hits:
        start, end = (0, 0) if row is None else self._run.offsets[row : row + 2].tolist()
        places, scores = self._places[self._run.docs[start:end]], self._run.scores[start:end]
        there = np.flatnonzero(places >= 0)[:depth]
        return Hits(places[there], scores[there], decimals=None)

    def _told(self, missing: Sequence[str], what: str) -> tuple[Note, ...]:
        return (Note(self._file, None, f"{count(len(missing))} {what} ({_named(missing)})"),) if missing else ()


def _named(missing: Sequence[str]) -> str:
    return ", ".join(map(shown, missing[:NAMED])) + (", …" if len(missing) > NAMED else "")
