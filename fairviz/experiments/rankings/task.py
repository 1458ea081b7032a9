"""One task: its documents, questions and right answers, what each retriever finds, and what is useful to whom."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import islice
from typing import TypeAlias

import numpy as np

from fairviz.errors import InputError, UsageError
from fairviz.experiments.asking import Answers, Question
from fairviz.experiments.components.registry import retriever_of
from fairviz.experiments.inputs import read_documents, read_profiles, read_referenced_questions
from fairviz.experiments.prompts import printed_prompt
from fairviz.experiments.protocols import Document, Prompt, Retriever
from fairviz.experiments.rankings.config import RankingConfig, TaskConfig
from fairviz.experiments.rankings.labels import label_prompts, score_of, utility_gains
from fairviz.experiments.retrieved import ProfileRetriever, retrieved_run
from fairviz.experiments.store import Store
from fairviz.io.qrels import read_qrels
from fairviz.model import IndexArray, Note, Qrels, Run

Labels: TypeAlias = tuple[Mapping[str, IndexArray], Mapping[str, IndexArray]]
"""Which documents of a task are useful to a generator, by question: ascending positions of the useful ones and of those
whose answer is missing; a question whose answer without documents is missing has no entry."""


class Task:
    """What a description says of one task, read.

    Args:
        described: The task.
        settings: The whole description.
        numbers: Where arrays that are dear to compute are kept.

    Raises:
        InputError: A file cannot be read, a question has no right answer, or a right answer has no number where
            errors are measured.
    """

    def __init__(self, described: TaskConfig, settings: RankingConfig, numbers: Store) -> None:
        self.name = described.name
        documents = read_documents(described.corpus)
        self.corpus = documents.value
        self.questions, self.references, notes = read_referenced_questions(described.queries, described.references)
        self.notes: tuple[Note, ...] = (*documents.notes, *notes)
        try:
            self.score = score_of(described.utility, self.references)
        except UsageError as error:
            raise InputError(str(error), file=str(described.references), fix="Choose another utility.") from error
        self._template = printed_prompt(str(described.prompt)) if described.prompt else ""
        self.judged: Qrels | None = None
        if described.usefulness is not None:
            judged = read_qrels(str(described.usefulness))
            self.judged = judged.value
            self.notes += judged.notes
        self._settings = settings
        self._profiles = read_profiles(described.corpus, self.questions) if described.profiles else None
        self.questions = dict(islice(self.questions.items(), settings.limit))
        self._row = {query_id: row for row, query_id in enumerate(self.questions)}
        self.retrievers: dict[str, Retriever] = {}
        for table in settings.retrievers:
            self.retrievers[table.label] = (
                retriever_of(table, self.corpus, documents.file, numbers=numbers)
                if self._profiles is None
                else ProfileRetriever(table, self.corpus, self._profiles, documents.file, numbers)
            )

    def pool(self, query_id: str) -> IndexArray:
        """Ascending positions of the documents that can be found for a question."""
        return np.arange(len(self.corpus), dtype=np.int32) if self._profiles is None else self._profiles[query_id]

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """What each retriever finds, by its label."""
        depth = self._settings.depth
        return {
            label: retrieved_run(retriever, self.corpus, self.questions, depth=depth)
            for label, retriever in self.retrievers.items()
        }

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the corpus."""
        return tuple(document.doc_id for document in self.corpus)

    def prompt(self, query_id: str, ranking: Sequence[int]) -> Prompt:
        """A question with the documents of a ranking."""
        given = tuple(self.corpus[position] for position in ranking)
        return Prompt(self.questions[query_id], given, template=self._template)

    def candidates(self, query_id: str) -> IndexArray:
        """Ascending positions of the documents that are labelled for a question."""
        depth = self._settings.label_depth
        if depth is None:
            return self.pool(query_id)
        return self._found(query_id, depth)

    def shown(self, query_id: str, labels: Labels) -> IndexArray:
        """Ascending positions of the documents whose labels are written: useful ones, and others that were found."""
        retrieved = np.intersect1d(self._found(query_id, self._settings.depth), self.candidates(query_id))
        useful, unlabelled = labels
        labelled = np.setdiff1d(retrieved, unlabelled.get(query_id, np.empty(0, np.int32)))
        return np.union1d(useful[query_id], labelled).astype(np.int32)

    def label_questions(self, generator: str) -> Iterator[Question]:
        """What is asked to label documents for a generator; nothing where people judged them."""
        if self.judged is not None:
            return
        for query_id, question in self.questions.items():
            documents = self._documents(self.candidates(query_id))
            alone, *given = label_prompts(question, documents, template=self._template)
            yield Question(f"{self.name}|{query_id}|none|1", generator, alone)
            for document, prompt in zip(documents, given, strict=True):
                yield Question(f"{self.name}|{query_id}|label|{document.doc_id}", generator, prompt)

    def labels(self, generator: str, answers: Answers) -> Labels:
        """Which documents are useful to a generator, question by question."""
        if self.judged is not None:
            return self._judged_useful(self.judged), {}
        useful: dict[str, IndexArray] = {}
        unlabelled: dict[str, IndexArray] = {}
        for query_id, question in self.questions.items():
            candidates = self.candidates(query_id)
            prompts = label_prompts(question, self._documents(candidates), template=self._template)
            alone, *given = answers.of(generator, prompts)
            known = np.array([answer is not None for answer in given], dtype=np.bool_)
            if alone is None:
                continue
            told = [alone, *(answer for answer in given if answer is not None)]
            gains = utility_gains(told, self.references[query_id], score=self.score)
            useful[query_id] = candidates[known][gains > 0]
            unlabelled[query_id] = candidates[~known]
        return useful, unlabelled

    def _documents(self, positions: IndexArray) -> list[Document]:
        places: list[int] = positions.tolist()
        return [self.corpus[place] for place in places]

    def _judged_useful(self, judged: Qrels) -> dict[str, IndexArray]:
        place = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        rows = {query_id: row for row, query_id in enumerate(judged.query_ids)}
        useful: dict[str, IndexArray] = {}
        for query_id in self.questions:
            row = rows.get(query_id)
            of_query = slice(0, 0) if row is None else slice(int(judged.offsets[row]), int(judged.offsets[row + 1]))
            positive: list[int] = judged.docs[of_query][judged.grades[of_query] > 0].tolist()
            docs = (judged.doc_ids[doc] for doc in positive)
            useful[query_id] = np.unique(
                np.array([place[doc_id] for doc_id in docs if doc_id in place], dtype=np.int32)
            )
        return useful

    def _found(self, query_id: str, depth: int) -> IndexArray:
        """Ascending positions of the best documents of all retrievers."""
        found: list[IndexArray] = []
        for run in self.runs.values():
            row = self._row[query_id]
            start, end = int(run.offsets[row]), int(run.offsets[row + 1])
            found.append(run.docs[start : min(end, start + depth)])
        return reduce(np.union1d, found).astype(np.int32)


def refuse_shared_questions(tasks: Sequence[Task]) -> None:
    """Refuse a question id of two tasks: labels of a generator are one file, and a label would be of either.

    Raises:
        InputError: Naming the id and both tasks.
    """
    seen: dict[str, str] = {}
    for task in tasks:
        for query_id in task.questions:
            if query_id in seen:
                reason = f"query_id {query_id!r} is in the tasks {seen[query_id]} and {task.name}"
                raise InputError(reason, fix="Give the questions of all tasks their own ids.")
            seen[query_id] = task.name
