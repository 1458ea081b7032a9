"""Questions over sampled rankings: retrieve, label, sample, generate, attribute (Kim & Diaz 2025).

A grid: every task, retriever, generator, policy and k. Each is a field of the outputs; the name of a file holds those
that have several values. Every question has its own source of chance, derived from the seed, the question's id and the
policy. Adding a question or an α therefore changes no other sample.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from itertools import compress, islice, pairwise, product
from typing import TypeAlias

import numpy as np

from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.experiments.asking import Answers, Files, Question, QuestionSource, Round, Step
from fairviz.experiments.attributors import AttributorTable
from fairviz.experiments.config import RankingConfig, TaskConfig
from fairviz.experiments.labels import label_prompts, score_of, utility_gains, utility_qrels
from fairviz.experiments.protocols import Document, Identities, Prompt, Retriever, printed_prompt
from fairviz.experiments.questions import chance, read_documents, read_profiles, read_referenced_questions
from fairviz.experiments.retrievers import ProfileRetriever, part_of_run, retrieved_run, retriever_of
from fairviz.experiments.store import Store
from fairviz.io.qrels import read_qrels, write_qrels
from fairviz.io.rag import outputs_of, write_outputs
from fairviz.io.rag_traces import OutputRow, Producer
from fairviz.io.rankings import write_run, write_samples
from fairviz.io.tables import write_factors
from fairviz.model import Factors, IndexArray, Note, Qrels, RagOutputs, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.policies import PlackettLuce

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
            over = partial(retriever_of, table, file=documents.file, numbers=numbers)
            self.retrievers[table.label] = (
                over(self.corpus)
                if self._profiles is None
                else ProfileRetriever(table.label, over, self.corpus, self._profiles)
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
        documents = tuple(self.corpus[position] for position in ranking)
        return Prompt(self.questions[query_id], documents, template=self._template)

    def candidates(self, query_id: str) -> IndexArray:
        """Ascending positions of the documents that are labelled for a question."""
        depth = self._settings.label_depth
        return self.pool(query_id) if depth is None else self._best_of_all(query_id, depth)

    def shown(self, query_id: str, labels: Labels) -> IndexArray:
        """Ascending positions of the documents whose labels are written: useful ones, and others that were found."""
        retrieved = np.intersect1d(self._best_of_all(query_id, self._settings.depth), self.candidates(query_id))
        useful, unlabelled = labels
        labelled = np.setdiff1d(retrieved, unlabelled.get(query_id, np.empty(0, np.int32)))
        return np.union1d(useful[query_id], labelled).astype(np.int32)

    def label_questions(self, generator: str) -> Iterator[Question]:
        """What is asked to label documents for a generator; nothing where people judged them."""
        if self.judged is not None:
            return
        for query_id, question in self.questions.items():
            documents = self._documents(self.candidates(query_id))
            alone, *prompts = label_prompts(question, documents, template=self._template)
            yield Question(f"{self.name}|{query_id}|none|1", generator, alone)
            for document, prompt in zip(documents, prompts, strict=True):
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
            alone, *document_answers = answers.of(generator, prompts)
            answered = np.array([answer is not None for answer in document_answers], dtype=np.bool_)
            if alone is None:
                continue
            texts = [alone, *(answer for answer in document_answers if answer is not None)]
            gains = utility_gains(texts, self.references[query_id], score=self.score)
            useful[query_id] = candidates[answered][gains > 0]
            unlabelled[query_id] = candidates[~answered]
        return useful, unlabelled

    def _documents(self, positions: IndexArray) -> list[Document]:
        places: list[int] = positions.tolist()
        return [self.corpus[position] for position in places]

    def _judged_useful(self, judged: Qrels) -> dict[str, IndexArray]:
        places = {doc_id: position for position, doc_id in enumerate(self.doc_ids)}
        useful: dict[str, list[int]] = {query_id: [] for query_id in self.questions}
        positive = judged.grades > 0
        queries: list[int] = segment_ids(judged.offsets)[positive].tolist()
        docs: list[int] = judged.docs[positive].tolist()
        for query, doc in zip(queries, docs, strict=True):
            query_id, position = judged.query_ids[query], places.get(judged.doc_ids[doc])
            if query_id in useful and position is not None:
                useful[query_id].append(position)
        return {query_id: np.unique(np.array(own, dtype=np.int32)) for query_id, own in useful.items()}

    def _best_of_all(self, query_id: str, depth: int) -> IndexArray:
        """Ascending positions of the best documents of all retrievers."""
        row = self._row[query_id]
        pools = (run.docs[run.offsets[row] : run.offsets[row + 1]][:depth] for run in self.runs.values())
        return reduce(np.union1d, pools).astype(np.int32)


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


def policy_name(policy: Factors) -> str:
    """A policy in names of files: "oracle", or of Plackett–Luce its fairness control.

    Examples:
        >>> policy_name(Factors(policy="plackett-luce", alpha=2.0)), policy_name(Factors(policy="oracle"))
        ('alpha-2', 'oracle')
    """
    return str(policy.policy) if policy.alpha is None else f"alpha-{policy.alpha:g}"


def rankings_of(
    run: Run, policy: Factors, useful: Mapping[str, IndexArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Rankings of every query of a run.

    Plackett–Luce samples of it (Kim & Diaz, 3.2), the run as it is, or useful documents in random order above the
    others in random order (the oracle, 3.3.5).

    Args:
        run: What was retrieved.
        policy: How rankings are made: "plackett-luce" with its fairness control alpha, "deterministic" or "oracle".
        useful: For each query, positions of the useful documents, for the oracle.
        depth: Ranks kept.
        n_samples: Rankings per query; the run itself is one.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        if policy.alpha is not None:
            rng = chance(seed, f"{query_id}\tplackett-luce {policy.alpha:g}")
            alone = part_of_run(run, [row])
            sample = PlackettLuce(policy.alpha).sample(alone, depth=depth, n_samples=n_samples, rng=rng)
            drawn.append(np.split(sample.docs, sample.sample_offsets[1:-1]))
        elif policy.policy == "oracle":
            best = useful[query_id]
            # A useful document that the retriever missed is above the others all the same.
            others = np.setdiff1d(retrieved, best)
            rng = chance(seed, f"{query_id}\toracle")
            orders = ((rng.permutation(best), rng.permutation(others)) for _ in range(n_samples))
            drawn.append([np.concatenate(order)[:depth] for order in orders])
        else:
            drawn.append([retrieved[:depth]])
    rankings = [ranking for of_query in drawn for ranking in of_query]
    return RankingSample(
        system=run.system,
        policy=policy.policy,
        alpha=policy.alpha,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.cumsum([0, *map(len, drawn)]),
        sample_offsets=np.cumsum([0, *map(len, rankings)]),
        docs=np.concatenate([*rankings, np.empty(0, np.int32)]),
    )


UTILITY_DIGITS = 6
"""Digits kept of a utility, so that every platform writes the same file."""


def given_rankings(sample: RankingSample, k: int) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    """Each query, with the k best documents of its rankings as positions in the corpus."""
    flat: list[int] = sample.docs.tolist()
    bounds: list[int] = sample.sample_offsets.tolist()
    starts: list[int] = sample.query_offsets.tolist()
    for query_id, (first, last) in zip(sample.query_ids, pairwise(starts), strict=True):
        yield query_id, [tuple(flat[start:end][:k]) for start, end in pairwise(bounds[first : last + 1])]


ALWAYS = {"retriever", "generator"}
"""Factors in the name of every system."""


Useful: TypeAlias = Mapping[tuple[str, str], Mapping[str, IndexArray]]
"""By task and generator: useful documents of each question that is asked."""


class RankingSource(QuestionSource):
    """Questions with reference answers, answered from every ranking.

    Makes each retriever's run (``bm25.run``), each generator's labels (``utility.qrels``), per α the
    rankings (``samples.alpha-A.run.gz``), and the recorded outputs of each α, of the deterministic
    list and of the oracle (``outputs.*.jsonl.gz``); in a grid what its systems are made of (``systems.tsv``), too.

    Args:
        settings: The description.
        store: Where answers are, and arrays that were dear to compute.
    """

    def __init__(self, settings: RankingConfig, store: Store) -> None:
        self._settings = settings
        self._store = store
        self.models = settings.answerers()
        self._attributors = {table.label: table for table in settings.attributors}
        for attributor in settings.attributors:
            attributor.prepare()
        self._tasks = [Task(described, settings, store) for described in settings.tasks]
        refuse_shared_questions(self._tasks)
        self.retrievers = self._tasks[0].retrievers
        # The policies of a description: Plackett–Luce at each α, the deterministic list, the oracle.
        sampled = [Factors(policy="plackett-luce", alpha=alpha) for alpha in settings.alphas]
        policies = [*sampled, Factors(policy="deterministic"), Factors(policy="oracle")]
        self._policies = tuple(policy for policy in policies if policy.policy in settings.policies)
        self._judged = self._tasks[0].judged is not None
        self._labelled: dict[tuple[str, str], Labels] = {}
        n_values = {
            "task": len(self._tasks),
            "retriever": len(settings.retrievers),
            "generator": len(self.models),
            "policy": 2,  # says in every name which rankings they are
            "k": len(settings.k),
            "attributor": len(self._attributors),
        }
        self._several = {factor for factor, n in n_values.items() if n > 1}
        n_cells = len(self._tasks) * len(settings.retrievers) * len(self.models) * len(settings.k)
        self.n_steps = 2 + n_cells * len(self._policies) * len(self._attributors)
        self.notes = tuple(note for task in self._tasks for note in task.notes)

    @property
    def material(self) -> Mapping[str, int]:
        """Questions and documents of all tasks."""
        return {
            "questions": sum(len(task.questions) for task in self._tasks),
            "documents": sum(len(task.corpus) for task in self._tasks),
        }

    @property
    def identities(self) -> Identities:
        """Identities of the retrievers, which are the same in all tasks, and of the attributors."""
        attributors = {label: attributor.identity for label, attributor in self._attributors.items()}
        return {**super().identities, "attributor": attributors}

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """First what labels need, then what the rankings of all policies need; the oracle's depend on the labels."""
        if not self._judged:
            yield Round("label", self._label_questions)
        enough = self._enough(answers)
        yield Round("answer", partial(self._ranking_questions, lambda task, model, label: enough[task.name, model]))

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """All rounds as if every document were useful: no question is dropped, and the oracle's lists differ the most.

        Each retriever's oracle has lists of its own, since what stands below the useful documents is what it found.
        """
        if not self._judged:
            yield Round("label", self._label_questions)
        places = {choice.label: index for index, choice in enumerate(self._settings.retrievers)}

        def useful(task: Task, model: str, label: str) -> Mapping[str, IndexArray]:
            """All documents, begun elsewhere for each retriever, so that chance orders them in another way."""
            return {query_id: np.roll(task.pool(query_id), places[label]) for query_id in task.questions}

        yield Round("answer", partial(self._ranking_questions, useful))

    def files(self, answers: Answers, step: Step) -> Files:
        """Name and writer of each file, in the order of their making; a writer answers question by question.

        Raises:
            UndefinedError: If no question has enough useful documents.
        """
        step("retrieve")
        for task in self._tasks:
            for label, run in task.runs.items():
                yield f"{self._run_name(task, label)}.run", partial(write_run, self._tagged(task, label, run))
            self.notes += tuple(note for retriever in task.retrievers.values() for note in retriever.notes)
        step("label")
        enough = self._enough(answers)
        systems: dict[str, Factors] = {
            self._run_name(task, label): Factors(task=task.name, retriever=label)
            for task in self._tasks
            for label in task.runs
        }
        for name, generator, labels in self._labels(enough):
            if not any(of_task.query_ids for of_task in labels):
                continue
            yield f"{name}.qrels", lambda to, labels=labels: [write_qrels(of_task, to) for of_task in labels]
            systems |= {name: Factors(generator=generator)} if generator else {}
        if self._several & {"task", "retriever", "generator"}:
            yield "systems.tsv", partial(write_factors, systems)
        for task in self._tasks:
            yield from self._answered_files(task, enough, answers, step)

    def _answered_files(self, task: Task, enough: Useful, answers: Answers, step: Step) -> Files:
        """The rankings of one task, and the answers to them."""
        kept = {query_id for model in self.models for query_id in enough[task.name, model]}
        for (label, run), policy in product(task.runs.items(), self._policies):
            if policy.alpha is not None and kept:
                drawn = self._sample(policy, self._tagged(task, label, run), dict.fromkeys(kept, np.empty(0, np.int32)))
                name = self._name(task=task.name, retriever=label, policy=policy_name(policy))
                yield f"samples.{name}.run.gz", partial(write_samples, drawn)
            for model in self.models:
                sample = self._sample(policy, run, enough[task.name, model])
                for k, (attribution, attributor) in product(self._settings.k, self._attributors.items()):
                    own = {"task": task.name, "retriever": label, "generator": model, "policy": policy_name(policy)}
                    name = self._name(**own, k=f"k-{k}", attributor=attribution)
                    step(f"answer ({name})")
                    if not sample.query_ids:  # all questions were dropped
                        continue
                    # What answers are made of stands in their fields, and who attributed them in their name alone.
                    own = {**own, "k": f"k{k}", "attributor": attribution}
                    system = "-".join(own[factor] for factor in own if factor in self._several | ALWAYS)
                    made_of = policy._replace(task=task.name, retriever=label, generator=model, k=k)
                    outputs = self._outputs(answers, task, sample, attributor, (system, made_of))
                    yield f"outputs.{name}.jsonl.gz", partial(write_outputs, outputs)

    def _outputs(
        self, answers: Answers, task: Task, sample: RankingSample, attributor: AttributorTable, producer: Producer
    ) -> Iterator[RagOutputs]:
        """The answers to one question after the other, each answered once per ranking; equal prompts are answered once.

        A ranking without an answer is left out.
        """
        _, made_of = producer
        for query_id, rankings in given_rankings(sample, made_of.k or 0):
            prompts = {ranking: task.prompt(query_id, ranking) for ranking in dict.fromkeys(rankings)}
            replies = answers.of(str(made_of.generator), list(prompts.values()))
            texts = {ranking: text for ranking, text in zip(prompts, replies, strict=True) if text is not None}
            if not texts:
                continue
            supports = attributor.attribute([prompts[ranking] for ranking in texts], list(texts.values()), self._store)
            used = dict(zip(texts, supports, strict=True))
            utilities = {
                ranking: round(task.score(text, task.references[query_id]), UTILITY_DIGITS)
                for ranking, text in texts.items()
            }
            rows = [
                OutputRow(
                    line=number,
                    producer=producer,
                    query=query_id,
                    given_from="ranking",
                    context=[task.doc_ids[position] for position in ranking],
                    attributed=[task.doc_ids[position] for position in compress(ranking, used[ranking])],
                    text=texts[ranking],
                    question=None,
                    sample=str(number),
                    utility=utilities[ranking],
                )
                for number, ranking in enumerate(rankings, start=1)
                if ranking in texts
            ]
            yield outputs_of(producer, rows, str(self._settings.file))

    def _label_questions(self) -> Iterator[Question]:
        for model, task in product(self.models, self._tasks):
            yield from task.label_questions(model)

    def _ranking_questions(self, useful: Callable[[Task, str, str], Mapping[str, IndexArray]]) -> Iterator[Question]:
        """What the rankings of each cell ask, each distinct ranking once."""
        for model, task in product(self.models, self._tasks):
            for (label, run), policy in product(task.runs.items(), self._policies):
                sample = self._sample(policy, run, useful(task, model, label))
                for k in self._settings.k:
                    about = self._name(retriever=label, policy=policy_name(policy), k=f"k-{k}")
                    for query_id, rankings in given_rankings(sample, k):
                        # Under the number of the first of equal ones.
                        first = {ranking: n for n, ranking in reversed(list(enumerate(rankings, start=1)))}
                        for ranking in dict.fromkeys(rankings):
                            use = f"{task.name}|{query_id}|{about}|{first[ranking]}"
                            yield Question(use, model, task.prompt(query_id, ranking))

    def _sample(self, policy: Factors, run: Run, useful: Mapping[str, IndexArray]) -> RankingSample:
        """Rankings of the queries that have an entry."""
        rows = [row for row, query_id in enumerate(run.query_ids) if query_id in useful]
        settings = self._settings
        draws = {"depth": max(settings.k), "n_samples": settings.n_samples, "seed": settings.seed}
        return rankings_of(part_of_run(run, rows), policy, useful, **draws)

    def _enough(self, answers: Answers) -> Useful:
        """By task and generator, the questions with enough useful documents, and these documents.

        Raises:
            UndefinedError: No question has.
        """
        least = self._settings.min_useful
        for task, model in product(self._tasks, self.models):
            useful, unlabelled = self._labelled.get((task.name, model), ({}, {}))
            if len(useful) < len(task.questions) or any(docs.size for docs in unlabelled.values()):
                self._labelled[task.name, model] = task.labels(model, answers)
        several = len(self.models) > 1 and not self._judged
        n_useful = {
            f"{query_id} for {model}" if several else query_id: docs.size
            for (_, model), (useful, _) in self._labelled.items()
            for query_id, docs in useful.items()
        }
        few = {query_id: n for query_id, n in n_useful.items() if n < least}
        if len(few) == len(n_useful):
            most = max(n_useful.values(), default=0)
            raise UndefinedError(
                f"{self._settings.file}: no question has min_useful = {least} useful documents, "
                f"the best has {most}; lower it, or bring the references nearer to the documents"
            )
        self.dropped = tuple(
            Note(self._settings.name, None, f"question {query_id} dropped: {n} useful documents")
            for query_id, n in few.items()
        )
        return {
            cell: {query_id: docs for query_id, docs in useful.items() if docs.size >= least}
            for cell, (useful, _) in self._labelled.items()
        }

    def _labels(self, enough: Useful) -> Iterator[tuple[str, str | None, list[Qrels]]]:
        """Name, generator and labels of each file of them; people's judgements are one file for every generator."""
        if self._judged:
            yield "judgements", None, [task.judged for task in self._tasks if task.judged is not None]
            return
        for model in self.models:
            labels: list[Qrels] = []
            for task in self._tasks:
                useful, task_labels = enough[task.name, model], self._labelled[task.name, model]
                shown = {query_id: task.shown(query_id, task_labels) for query_id in useful}
                labels.append(utility_qrels(task.doc_ids, shown, useful, generator=model))
            yield ".".join(filter(None, ["utility", self._name(generator=model)])), model, labels

    def _name(self, **values: str) -> str:
        """The values of factors that have several, for the name of a file."""
        return ".".join(value for factor, value in values.items() if factor in self._several)

    def _run_name(self, task: Task, retriever: str) -> str:
        return ".".join(filter(None, [self._name(task=task.name), retriever]))

    def _tagged(self, task: Task, retriever: str, run: Run) -> Run:
        """A run under the name that tells it from those of other tasks."""
        return replace(run, system=self._run_name(task, retriever))
