"""Questions over sampled rankings: retrieve, label, sample, generate, attribute (Kim & Diaz 2025).

A grid: every task, retriever, generator, policy and k. Each is a field of the outputs; the name of a file holds those
that have several values. Every question has its own source of chance, derived from the seed, the question's id and the
policy. Adding a question or an α therefore changes no other sample.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain, pairwise, product
from typing import NamedTuple, TextIO

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiments.asking import Answerer, Answers, Question, Round
from fairviz.experiments.protocols import Attributor, Identities, identity_of
from fairviz.experiments.rankings.config import RankingConfig
from fairviz.experiments.rankings.labels import utility_qrels
from fairviz.experiments.rankings.task import Task, TaskLabels, refuse_shared_questions
from fairviz.experiments.retrieved import part_of_run
from fairviz.experiments.store import Store
from fairviz.io.factors import write_factors
from fairviz.io.qrels import write_qrels
from fairviz.io.rag import write_outputs
from fairviz.io.trec import write_run, write_samples
from fairviz.model import Factors, IndexArray, Note, Qrels, RagOutputs, RankingSample, Run
from fairviz.policies import PlackettLuce


class RankingPolicy(NamedTuple):
    """How rankings are made of what is retrieved.

    Attributes:
        kind: "plackett-luce", "deterministic" or "oracle".
        alpha: Fairness control of Plackett–Luce.
    """

    kind: str
    alpha: float | None = None

    @property
    def name(self) -> str:
        """In names of files.

        Examples:
            >>> RankingPolicy("plackett-luce", 2.0).name, RankingPolicy("oracle").name
            ('alpha-2', 'oracle')
        """
        return self.kind if self.alpha is None else f"alpha-{self.alpha:g}"

    def rankings(self, run: Run, useful: Mapping[str, IndexArray], settings: RankingConfig) -> RankingSample:
        """Rankings of every query of a run, down to the largest k.

        Args:
            run: What was retrieved.
            useful: For each query, positions of the useful documents.
            settings: How many, and the source of chance.
        """
        depth, n_samples, seed = max(settings.k), settings.n_samples, settings.seed
        if self.alpha is not None:
            return sampled_rankings(run, alpha=self.alpha, depth=depth, n_samples=n_samples, seed=seed)
        if self.kind == "oracle":
            return oracle_rankings(run, useful, depth=depth, n_samples=n_samples, seed=seed)
        return deterministic_rankings(run, depth=depth)


def policies_of(settings: RankingConfig) -> tuple[RankingPolicy, ...]:
    """The policies of a description: Plackett–Luce at each α, the deterministic list, the oracle."""
    sampled = [RankingPolicy("plackett-luce", alpha) for alpha in settings.alphas]
    known = [*sampled, RankingPolicy("deterministic"), RankingPolicy("oracle")]
    return tuple(policy for policy in known if policy.kind in settings.policies)


def sampled_rankings(run: Run, *, alpha: float, depth: int, n_samples: int, seed: int) -> RankingSample:
    """Plackett–Luce samples of every query of a run (Kim & Diaz, 3.2)."""
    policy = PlackettLuce(alpha)
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        rows = slice(int(run.offsets[row]), int(run.offsets[row + 1]))
        alone = Run(
            system=run.system,
            query_ids=(query_id,),
            doc_ids=run.doc_ids,
            offsets=np.array([0, rows.stop - rows.start]),
            docs=run.docs[rows].copy(),
            scores=run.scores[rows].copy(),
        )
        rng = chance(seed, query_id, f"plackett-luce {alpha:g}")
        sample = policy.sample(alone, depth=depth, n_samples=n_samples, rng=rng)
        drawn.append(np.split(sample.docs, sample.sample_offsets[1:-1]))
    return _collected(run, drawn, "plackett-luce", alpha)


def deterministic_rankings(run: Run, *, depth: int) -> RankingSample:
    """The run as it is, cut at ``depth``: one ranking per query."""
    drawn = [
        [run.docs[start : min(end, start + depth)]]
        for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True)
    ]
    return _collected(run, drawn, "deterministic", None)


def oracle_rankings(
    run: Run, useful: Mapping[str, IndexArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Useful documents in random order above the others in random order (Kim & Diaz, 3.3.5).

    Args:
        run: What was retrieved.
        useful: For each query, positions of the useful documents.
        depth: Ranks kept.
        n_samples: Rankings per query.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        best = useful[query_id]
        # A useful document that the retriever missed is above the others all the same.
        others = np.setdiff1d(retrieved, best)
        rng = chance(seed, query_id, "oracle")
        drawn.append(
            [np.concatenate([rng.permutation(best), rng.permutation(others)])[:depth] for _ in range(n_samples)]
        )
    return _collected(run, drawn, "oracle", None)


def chance(seed: int, query_id: str, policy: str) -> np.random.Generator:
    """The source of chance of one query under one policy."""
    digest = sha256(f"{query_id}\t{policy}".encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _collected(run: Run, drawn: list[list[IndexArray]], policy: str, alpha: float | None) -> RankingSample:
    rankings = [ranking for of_query in drawn for ranking in of_query]
    return RankingSample(
        system=run.system,
        policy=policy,
        alpha=alpha,
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


def recorded_outputs(
    sample: RankingSample,
    *,
    task: Task,
    system: str,
    retriever: str,
    generator: str,
    answers: Answers,
    attributor: Attributor,
    k: int,
) -> Iterator[RagOutputs]:
    """The answers to one question after the other, each answered once per ranking; equal prompts are answered once.

    A ranking without an answer is left out.

    Args:
        sample: Rankings whose documents are positions in the corpus.
        task: Documents, questions, right answers and the utility of an answer.
        system: What to call these answers.
        retriever: Label of what the rankings were made from.
        generator: Name of who answers.
        answers: The answers.
        attributor: Says which of the given documents an answer rests on.
        k: Documents given, at most.
    """
    for query_id, rankings in given_rankings(sample, k):
        distinct = list(dict.fromkeys(rankings))
        told = answers.of(generator, [task.prompt(query_id, ranking) for ranking in distinct])
        answered = {ranking: text for ranking, text in zip(distinct, told, strict=True) if text is not None}
        numbered = [(number, ranking) for number, ranking in enumerate(rankings, start=1) if ranking in answered]
        if not numbered:
            continue
        rankings, distinct, texts = [ranking for _, ranking in numbered], list(answered), list(answered.values())
        prompts = [task.prompt(query_id, ranking) for ranking in distinct]
        supports = attributor.attribute(prompts, texts)
        utilities = [round(task.score(answer, task.references[query_id]), UTILITY_DIGITS) for answer in texts]
        row_of = {ranking: row for row, ranking in enumerate(distinct)}
        rows = [row_of[ranking] for ranking in rankings]
        attributed = [
            [position for position, used in zip(ranking, supports[row], strict=True) if used]
            for ranking, row in zip(rankings, rows, strict=True)
        ]
        given = dict.fromkeys(chain.from_iterable(rankings))
        place = {position: at for at, position in enumerate(given)}
        yield RagOutputs(
            system=system,
            query_ids=(query_id,),
            doc_ids=tuple(task.doc_ids[position] for position in given),
            offsets=np.array([0, len(rankings)]),
            samples=tuple(str(number) for number, _ in numbered),
            given_from="ranking",
            given_offsets=np.cumsum([0, *map(len, rankings)]),
            given=_places(rankings, place),
            attributed_offsets=np.cumsum([0, *map(len, attributed)]),
            attributed=_places(attributed, place),
            texts=tuple(texts[row] for row in rows),
            utilities=np.array([utilities[row] for row in rows], dtype=np.float64),
            task=task.name,
            retriever=retriever,
            generator=generator,
            policy=sample.policy,
            alpha=sample.alpha,
            k=k,
        )


def _places(lists: Sequence[Sequence[int]], place: Mapping[int, int]) -> IndexArray:
    """Lists of positions in the corpus, one after the other, as places in what was given."""
    return np.array([place[position] for position in chain.from_iterable(lists)], dtype=np.int32)


class RankingSource:
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
        self.models: Mapping[str, Answerer] = settings.answerers()
        self._attributors = {table.label: table.build(numbers=store) for table in settings.attributors}
        self._tasks = [Task(described, settings, store) for described in settings.tasks]
        refuse_shared_questions(self._tasks)
        self._policies = policies_of(settings)
        self._judged = self._tasks[0].judged is not None
        self._labelled: dict[tuple[str, str], TaskLabels] = {}
        self.n_rounds = 1 if self._judged else 2
        n_cells = len(self._tasks) * len(settings.retrievers) * len(self.models) * len(settings.k)
        self.n_steps = 2 + n_cells * len(self._policies) * len(self._attributors)
        self.notes: tuple[Note, ...] = tuple(note for task in self._tasks for note in task.notes)
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Questions and documents of all tasks."""
        return {
            "questions": sum(len(task.questions) for task in self._tasks),
            "documents": sum(len(task.corpus) for task in self._tasks),
        }

    @property
    def identities(self) -> Identities:
        """Of the retrievers, which are the same in all tasks, and of the attributors."""
        return {
            "retriever": {label: identity_of(retriever) for label, retriever in self._tasks[0].retrievers.items()},
            "attributor": {label: identity_of(attributor) for label, attributor in self._attributors.items()},
        }

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """First what labels need, then what the rankings of all policies need; the oracle's depend on the labels."""
        if not self._judged:
            yield Round("label", self._label_questions)
        enough = self._enough(answers)
        yield Round("answer", partial(self._ranking_questions, lambda task, model, label: enough[task.name, model]))

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """As if every document were useful: no question is dropped, and the oracle's lists differ the most.

        Each retriever's oracle has lists of its own, since what stands below the useful documents is what it found.
        """
        if not self._judged:
            yield Round("label", self._label_questions)
        places = {choice.label: place for place, choice in enumerate(self._settings.retrievers)}
        yield Round(
            "answer", partial(self._ranking_questions, lambda task, model, label: _all_useful(task, places[label]))
        )

    def files(self, answers: Answers, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making; a writer answers question by question.

        Raises:
            UndefinedError: If no question has enough useful documents.
        """
        step("retrieve")
        for task in self._tasks:
            for label, run in task.runs.items():
                yield f"{self._run_name(task, label)}.run", partial(write_run, self._tagged(task, label, run))
            self.notes += task.retrieval_notes
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
            yield f"{name}.qrels", partial(_write_all_qrels, labels)
            systems |= {name: Factors(generator=generator)} if generator else {}
        if self._several("task", "retriever", "generator"):
            yield "systems.tsv", partial(write_factors, systems)
        for task in self._tasks:
            yield from self._answered_files(task, enough, answers, step)

    def _answered_files(
        self,
        task: Task,
        enough: Mapping[tuple[str, str], Mapping[str, IndexArray]],
        answers: Answers,
        step: Callable[[str], None],
    ) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """The rankings of one task, and the answers to them."""
        kept = {query_id for model in self.models for query_id in enough[task.name, model]}
        for label, run in task.runs.items():
            for policy in self._policies:
                if policy.alpha is not None and kept:
                    drawn = policy.rankings(part_of_run(self._tagged(task, label, run), kept), {}, self._settings)
                    name = self._name(task=task.name, retriever=label, policy=policy.name)
                    yield f"samples.{name}.run.gz", partial(write_samples, drawn)
                for model in self.models:
                    sample = self._sample(policy, run, enough[task.name, model])
                    for k, (attribution, attributor) in product(self._settings.k, self._attributors.items()):
                        cell = {"task": task.name, "retriever": label, "generator": model}
                        name = self._name(**cell, policy=policy.name, k=f"k-{k}", attributor=attribution)
                        step(f"answer ({name})")
                        if not sample.query_ids:  # all questions were dropped
                            continue
                        outputs = recorded_outputs(
                            sample,
                            task=task,
                            system=self._system(task, label, model, policy, k, attribution),
                            retriever=label,
                            generator=model,
                            answers=answers,
                            attributor=attributor,
                            k=k,
                        )
                        yield f"outputs.{name}.jsonl.gz", partial(write_outputs, outputs)

    def _label_questions(self) -> Iterator[Question]:
        for model in self.models:
            for task in self._tasks:
                yield from task.label_questions(model)

    def _ranking_questions(self, useful: Callable[[Task, str, str], Mapping[str, IndexArray]]) -> Iterator[Question]:
        for model in self.models:
            for task in self._tasks:
                for label, run in task.runs.items():
                    for policy in self._policies:
                        sample = self._sample(policy, run, useful(task, model, label))
                        for k in self._settings.k:
                            about = self._name(retriever=label, policy=policy.name, k=f"k-{k}")
                            yield from _questions(sample, task, model, about, k)

    def _sample(self, policy: RankingPolicy, run: Run, useful: Mapping[str, IndexArray]) -> RankingSample:
        return policy.rankings(part_of_run(run, useful.keys()), useful, self._settings)

    def _enough(self, answers: Answers) -> dict[tuple[str, str], dict[str, IndexArray]]:
        """By task and generator, the questions with enough useful documents, and these documents.

        Raises:
            UndefinedError: No question has.
        """
        least = self._settings.min_useful
        for task in self._tasks:
            for model in self.models:
                known = self._labelled.get((task.name, model))
                if known is None or not known.complete:
                    self._labelled[task.name, model] = task.labels(model, answers)
        several = len(self.models) > 1 and not self._judged
        self.n_useful = {
            f"{query_id} for {model}" if several else query_id: docs.size
            for (_, model), labels in self._labelled.items()
            for query_id, docs in labels.useful.items()
        }
        self.dropped = tuple(query_id for query_id, n in self.n_useful.items() if n < least)
        if len(self.dropped) == len(self.n_useful):
            most = max(self.n_useful.values(), default=0)
            raise UndefinedError(
                f"{self._settings.file}: no question has min_useful = {least} useful documents, "
                f"the best has {most}; lower it, or bring the references nearer to the documents"
            )
        return {
            cell: {query_id: docs for query_id, docs in labels.useful.items() if docs.size >= least}
            for cell, labels in self._labelled.items()
        }

    def _labels(
        self, enough: Mapping[tuple[str, str], Mapping[str, IndexArray]]
    ) -> Iterator[tuple[str, str | None, list[Qrels]]]:
        """Name, generator and labels of each file of them; people's judgements are one file for every generator."""
        if self._judged:
            yield "judgements", None, [task.judged for task in self._tasks if task.judged is not None]
            return
        for model in self.models:
            labels = [
                utility_qrels(
                    task.doc_ids,
                    {
                        query_id: task.shown(query_id, self._labelled[task.name, model])
                        for query_id in enough[task.name, model]
                    },
                    enough[task.name, model],
                    generator=model,
                )
                for task in self._tasks
            ]
            name = self._name(generator=model)
            yield f"utility.{name}" if name else "utility", model, labels

    def _several(self, *factors: str) -> bool:
        """Whether one of these factors has several values."""
        n_values = {
            "task": len(self._tasks),
            "retriever": len(self._settings.retrievers),
            "generator": len(self.models),
            "policy": 2,  # says in every name which rankings they are
            "k": len(self._settings.k),
            "attributor": len(self._attributors),
        }
        return any(n_values[factor] > 1 for factor in factors)

    def _name(self, **values: str) -> str:
        """The values of factors that have several, for the name of a file."""
        return ".".join(value for factor, value in values.items() if self._several(factor))

    def _run_name(self, task: Task, retriever: str) -> str:
        named = self._name(task=task.name)
        return f"{named}.{retriever}" if named else retriever

    def _tagged(self, task: Task, retriever: str, run: Run) -> Run:
        """A run under the name that tells it from those of other tasks."""
        return run if len(self._tasks) == 1 else replace(run, system=self._run_name(task, retriever))

    def _system(
        self, task: Task, retriever: str, generator: str, policy: RankingPolicy, k: int, attributor: str
    ) -> str:
        """What answers are called; what they are made of stands in their fields, and who attributed them here alone."""
        parts = [task.name] * self._several("task") + [retriever, generator, policy.name]
        parts += [f"k{k}"] * self._several("k") + [attributor] * self._several("attributor")
        return "-".join(parts)


def _all_useful(task: Task, place: int) -> dict[str, IndexArray]:
    """All documents, begun elsewhere for each retriever, so that chance orders them in another way."""
    return {query_id: np.roll(task.pool(query_id), place) for query_id in task.questions}


def _questions(sample: RankingSample, task: Task, model: str, about: str, k: int) -> Iterator[Question]:
    """What the rankings of one cell ask, each distinct ranking once."""
    for query_id, rankings in given_rankings(sample, k):
        first: dict[tuple[int, ...], int] = {}
        for number, ranking in enumerate(rankings, start=1):
            first.setdefault(ranking, number)
        for ranking, number in first.items():
            yield Question(f"{task.name}|{query_id}|{about}|{number}", model, task.prompt(query_id, ranking))


def _write_all_qrels(labels: Iterable[Qrels], to: TextIO) -> None:
    for of_task in labels:
        write_qrels(of_task, to)
