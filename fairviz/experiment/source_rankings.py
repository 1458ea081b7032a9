"""Questions over sampled rankings: retrieve, label, sample, generate, attribute (Kim & Diaz 2025).

Every question has its own source of chance, derived from the seed, the question's id and the policy. Adding a
question or an α therefore changes no other sample.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, pairwise
from typing import TextIO

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiment.attribution import utility_gains, utility_qrels
from fairviz.experiment.config import RankingConfig
from fairviz.experiment.inputs import read_documents, read_referenced_questions
from fairviz.experiment.protocols import Attributor, Document, Generator, Prompt
from fairviz.experiment.registry import build_attributor, build_generator, retriever_of
from fairviz.experiment.retrieval import part_of_run, retrieved_run
from fairviz.io.qrels import write_qrels
from fairviz.io.rag import write_outputs
from fairviz.io.trec import write_run, write_samples
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, IndexArray, Note, RagOutputs, RankingSample, Run
from fairviz.policies import PlackettLuce


class RankingSource:
    """Questions with reference answers, answered from every ranking.

    Makes the retriever's run (``bm25.run``), the generator's labels (``utility.qrels``), per α the
    rankings (``samples.alpha-A.run.gz``), and the recorded outputs of each α, of the deterministic
    list and of the oracle (``outputs.*.jsonl.gz``).
    """

    def __init__(self, settings: RankingConfig) -> None:
        self._settings = settings
        self._generator = build_generator(settings.generator)
        self._attributor = build_attributor(settings.attributor)
        documents = read_documents(settings.corpus)
        self._corpus = documents.value
        self._questions, self._references, notes = read_referenced_questions(settings.queries, settings.references)
        self._retriever = retriever_of(settings.retriever, self._corpus, documents.file)
        self.n_steps = 2 + len(settings.alphas) + 2
        self.notes: tuple[Note, ...] = (*documents.notes, *notes)
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    def files(self, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making.

        Raises:
            UndefinedError: If no question has enough useful documents.
        """
        step("retrieve")
        run = retrieved_run(self._retriever, self._corpus, self._questions, depth=self._settings.depth)
        yield f"{run.system}.run", partial(write_run, run)
        step("label")
        useful = self._useful()
        run = part_of_run(run, self._enough())
        labels = utility_qrels(run, useful, generator=self._generator.name)
        yield "utility.qrels", partial(write_qrels, labels)
        for name, sample in _rankings(self._settings, run, useful):
            step(f"answer ({name})")
            if sample.alpha is not None:
                yield f"samples.{name}.run.gz", partial(write_samples, sample)
            outputs = recorded_outputs(
                sample,
                corpus=self._corpus,
                questions=self._questions,
                references=self._references,
                generator=self._generator,
                attributor=self._attributor,
                task=self._settings.name,
                k=self._settings.k,
            )
            yield f"outputs.{name}.jsonl.gz", partial(write_outputs, [outputs])

    def _useful(self) -> dict[str, BoolArray]:
        """For each question, (D) whether each document is useful."""
        useful = {
            query_id: utility_gains(question, self._references[query_id], self._corpus, self._generator).useful
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


def _rankings(settings: RankingConfig, run: Run, useful: dict[str, BoolArray]) -> Iterator[tuple[str, RankingSample]]:
    """Each policy's name in file names, and its rankings."""
    k, n_samples, seed = settings.k, settings.n_samples, settings.seed
    for alpha in settings.alphas:
        sample = sampled_rankings(run, alpha=alpha, depth=k, n_samples=n_samples, seed=seed)
        yield f"alpha-{alpha:g}", sample
    yield "deterministic", deterministic_rankings(run, depth=k)
    yield "oracle", oracle_rankings(run, useful, depth=k, n_samples=n_samples, seed=seed)


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
    run: Run, useful: Mapping[str, BoolArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Useful documents in random order above the others in random order (Kim & Diaz, 3.3.5).

    Args:
        run: What was retrieved.
        useful: For each query, (D) whether each document is useful.
        depth: Ranks kept.
        n_samples: Rankings per query.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        best = np.flatnonzero(useful[query_id]).astype(np.int32)
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


def recorded_outputs(
    sample: RankingSample,
    *,
    corpus: Sequence[Document],
    questions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    generator: Generator,
    attributor: Attributor,
    task: str,
    k: int,
) -> RagOutputs:
    """Answer every question once per ranking; equal prompts are answered once.

    Args:
        sample: Rankings whose documents are positions in ``corpus``.
        corpus: The documents.
        questions: Question by query id.
        references: Right answers by query id; utility is ROUGE-L F1 against the closest.
        generator: Answers.
        attributor: Says which of the given documents an answer rests on.
        task: Name of the experiment.
        k: Documents given, at most.
    """
    flat: list[int] = sample.docs.tolist()
    bounds: list[int] = sample.sample_offsets.tolist()
    rankings = [flat[start:end][:k] for start, end in pairwise(bounds)]
    query_of = [query for query, n in zip(sample.query_ids, sample.n_samples.tolist(), strict=True) for _ in range(n)]
    keys = [(query, tuple(ranking)) for query, ranking in zip(query_of, rankings, strict=True)]
    distinct = list(dict.fromkeys(keys))
    prompts = [Prompt(questions[query], tuple(corpus[position] for position in ranking)) for query, ranking in distinct]
    answers = generator.generate(prompts)
    utilities = [
        round(rouge_l(answer, references[query]), UTILITY_DIGITS)
        for (query, _), answer in zip(distinct, answers, strict=True)
    ]
    supports = attributor.attribute(prompts, answers)
    row_of = {key: row for row, key in enumerate(distinct)}
    rows = [row_of[key] for key in keys]
    attributed = [
        [position for position, used in zip(ranking, supports[row], strict=True) if used]
        for ranking, row in zip(rankings, rows, strict=True)
    ]
    return RagOutputs(
        system=_system(sample, generator),
        query_ids=sample.query_ids,
        doc_ids=sample.doc_ids,
        offsets=sample.query_offsets,
        samples=tuple(str(s) for n in sample.n_samples.tolist() for s in range(1, n + 1)),
        given_from="ranking",
        given_offsets=np.cumsum([0, *map(len, rankings)]),
        given=np.array(list(chain.from_iterable(rankings)), dtype=np.int32),
        attributed_offsets=np.cumsum([0, *map(len, attributed)]),
        attributed=np.array(list(chain.from_iterable(attributed)), dtype=np.int32),
        texts=tuple(answers[row] for row in rows),
        utilities=np.array([utilities[row] for row in rows], dtype=np.float64),
        task=task,
        retriever=sample.system,
        generator=generator.name,
        policy=sample.policy,
        alpha=sample.alpha,
        k=k,
    )


def _system(sample: RankingSample, generator: Generator) -> str:
    policy = sample.policy if sample.alpha is None else f"alpha-{sample.alpha:g}"
    return f"{sample.system}-{generator.name}-{policy}"
