"""Retrieval by parts of the questions: every worker builds the retriever over the whole corpus, once."""

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from fairviz.experiments.components.registry import RETRIEVERS, Choice, retriever_of
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.protocols import Hits, Retriever
from fairviz.model import Note
from fairviz.partitions.executors import Work

QUESTIONS = 100
"""Questions in a part."""
MOST_BUILT = 4
"""Retrievers that a process keeps: the workers of a cluster outlive the command."""


def divides(choice: Choice, corpus: str) -> bool:
    """Whether workers can divide what a retriever does: it is one that gains by it, and they can read the corpus."""
    return RETRIEVERS[choice.name].divided and Path(corpus).is_file()


class _Task(NamedTuple):
    """Some questions, and what answers them."""

    corpus: str
    choice: Choice
    questions: dict[str, str]
    depth: int


class _Found(NamedTuple):
    hits: list[Hits]
    notes: tuple[Note, ...]


_BUILT: dict[tuple[object, ...], Retriever] = {}
"""Retrievers of this process, by corpus and choice."""


def _found(task: _Task) -> _Found:
    """Retrieve for some questions; in whichever process."""
    retriever = _built(task.choice, task.corpus)
    return _Found(retriever.retrieve(task.questions, depth=task.depth), retriever.notes)


def _built(choice: Choice, corpus: str) -> Retriever:
    """The retriever of this process, over the corpus as the file holds it now."""
    file = Path(corpus)
    state = (file.stat().st_size, file.stat().st_mtime_ns) if file.exists() else None  # the reader says what is missing
    key = corpus, state, choice.name, choice.label, repr(sorted(choice.parameters.items()))
    if key not in _BUILT:
        retriever = retriever_of(choice, read_documents(corpus).value, corpus)
        while len(_BUILT) >= MOST_BUILT:
            del _BUILT[next(iter(_BUILT))]
        _BUILT[key] = retriever
    return _BUILT[key]


class PartitionedRetriever:
    """A retriever whose questions are worked on in parts, which find what they would find together.

    Args:
        choice: Which one.
        corpus: The file of the documents, where every worker finds it.
        work: Who does it.
        step: Is told of each part how many questions it had.
    """

    def __init__(self, choice: Choice, corpus: str, work: Work, step: Callable[[int], None] = lambda _n: None) -> None:
        self.name = choice.label
        self.notes: tuple[Note, ...] = ()
        self._choice, self._corpus, self._work, self._step = choice, corpus, work, step

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the best documents."""
        rest = iter(questions.items())
        parts = iter(lambda: dict(islice(rest, QUESTIONS)), {})
        hits: list[Hits] = []
        for found in self._work.results(_found, (_Task(self._corpus, self._choice, part, depth) for part in parts)):
            hits += found.hits
            self.notes = tuple(dict.fromkeys((*self.notes, *found.notes)))
            self._step(len(found.hits))
        return hits
