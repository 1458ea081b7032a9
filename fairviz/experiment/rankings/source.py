"""Questions over sampled rankings: retrieve, label, sample, generate, attribute (Kim & Diaz 2025).

Every question has its own source of chance, derived from the seed, the question's id and the policy. Adding a
question or an α therefore changes no other sample.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import TextIO

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiment.asking import Answerer, Answers, Question, Round
from fairviz.experiment.components.registry import build_attributor, build_generator, retriever_of
from fairviz.experiment.inputs import read_documents, read_referenced_questions
from fairviz.experiment.rankings.config import RankingConfig
from fairviz.experiment.rankings.labels import label_prompts, utility_gains, utility_qrels
from fairviz.experiment.rankings.outputs import given_rankings, ranking_prompt, recorded_outputs
from fairviz.experiment.rankings.policies import rankings_of
from fairviz.experiment.retrieved import part_of_run, retrieved_run
from fairviz.experiment.store import Store
from fairviz.io.qrels import write_qrels
from fairviz.io.rag import write_outputs
from fairviz.io.trec import write_run, write_samples
from fairviz.model import BoolArray, Note, Run


class RankingSource:
    """Questions with reference answers, answered from every ranking.

    Makes the retriever's run (``bm25.run``), the generator's labels (``utility.qrels``), per α the
    rankings (``samples.alpha-A.run.gz``), and the recorded outputs of each α, of the deterministic
    list and of the oracle (``outputs.*.jsonl.gz``).
    """

    def __init__(self, settings: RankingConfig, store: Store) -> None:
        self._settings = settings
        generator = build_generator(settings.generator)
        self._generator = generator.name
        self.models: Mapping[str, Answerer] = {generator.name: generator}
        self._attributor = build_attributor(settings.attributor, numbers=store)
        documents = read_documents(settings.corpus)
        self._corpus = documents.value
        self._questions, self._references, notes = read_referenced_questions(settings.queries, settings.references)
        self._retriever = retriever_of(settings.retriever, self._corpus, documents.file, numbers=store)
        self.n_rounds = 2
        self.n_steps = 2 + len(settings.alphas) + 2
        self.notes: tuple[Note, ...] = (*documents.notes, *notes)
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Questions and documents."""
        return {"questions": len(self._questions), "documents": len(self._corpus)}

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """First what labels need, then what the rankings of all policies need; the oracle's depend on the labels."""
        yield Round("label", self._label_questions())
        useful = self._useful(answers)
        run = part_of_run(self._run, self._enough())
        yield Round("answer", self._ranking_questions(run, useful))

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """As if every document were useful: no question is dropped, and the oracle's lists differ the most."""
        yield Round("label", self._label_questions())
        run = self._run
        useful = {query_id: np.ones(len(self._corpus), dtype=np.bool_) for query_id in run.query_ids}
        yield Round("answer", self._ranking_questions(run, useful))

    def files(self, answers: Answers, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making.

        Raises:
            UndefinedError: If no question has enough useful documents, or an answer is missing.
        """
        step("retrieve")
        run = self._run
        yield f"{run.system}.run", partial(write_run, run)
        step("label")
        useful = self._useful(answers)
        run = part_of_run(run, self._enough())
        labels = utility_qrels(run, useful, generator=self._generator)
        yield "utility.qrels", partial(write_qrels, labels)
        for name, sample in rankings_of(self._settings, run, useful):
            step(f"answer ({name})")
            if sample.alpha is not None:
                yield f"samples.{name}.run.gz", partial(write_samples, sample)
            outputs = recorded_outputs(
                sample,
                corpus=self._corpus,
                questions=self._questions,
                references=self._references,
                generator=self._generator,
                answers=answers,
                attributor=self._attributor,
                task=self._settings.name,
                k=self._settings.k,
            )
            yield f"outputs.{name}.jsonl.gz", partial(write_outputs, [outputs])

    @cached_property
    def _run(self) -> Run:
        return retrieved_run(self._retriever, self._corpus, self._questions, depth=self._settings.depth)

    def _label_questions(self) -> Iterator[Question]:
        for query_id, question in self._questions.items():
            alone, *given = label_prompts(question, self._corpus)
            yield Question(f"{self._settings.name}|{query_id}|none|1", self._generator, alone)
            for document, prompt in zip(self._corpus, given, strict=True):
                yield Question(f"{self._settings.name}|{query_id}|label|{document.doc_id}", self._generator, prompt)

    def _ranking_questions(self, run: Run, useful: dict[str, BoolArray]) -> Iterator[Question]:
        for name, sample in rankings_of(self._settings, run, useful):
            seen: dict[tuple[str, tuple[int, ...]], None] = {}
            numbers: dict[str, int] = {}
            for key in given_rankings(sample, self._settings.k):
                query_id, ranking = key
                numbers[query_id] = numbers.get(query_id, 0) + 1
                if key not in seen:
                    seen[key] = None
                    use = f"{self._settings.name}|{query_id}|{name}|{numbers[query_id]}"
                    yield Question(
                        use, self._generator, ranking_prompt(self._questions[query_id], ranking, self._corpus)
                    )

    def _useful(self, answers: Answers) -> dict[str, BoolArray]:
        """For each question, (D) whether each document is useful."""
        useful = {
            query_id: utility_gains(
                answers.of(self._generator, label_prompts(question, self._corpus)), self._references[query_id]
            ).useful
            for query_id, question in self._questions.items()
        }
        self.n_useful = {query_id: int(labels.sum()) for query_id, labels in useful.items()}
        return useful

    def _enough(self) -> list[str]:
        """Questions with enough useful documents."""
        least = self._settings.min_useful
        enough = [query_id for query_id, n in self.n_useful.items() if n >= least]
        if not enough:
            most = max(self.n_useful.values(), default=0)
            raise UndefinedError(
                f"{self._settings.file}: no question has min_useful = {least} useful documents, "
                f"the best has {most}; lower it, or bring the references nearer to the documents"
            )
        self.dropped = tuple(query_id for query_id in self._questions if query_id not in enough)
        return enough
