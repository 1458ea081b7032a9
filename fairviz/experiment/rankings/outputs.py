"""Recorded outputs: what was given, what was answered, what it rests on, how useful it is."""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from fairviz.experiment.asking import Answers
from fairviz.experiment.protocols import Attributor, Document, Prompt
from fairviz.metrics.utility import rouge_l
from fairviz.model import RagOutputs, RankingSample

UTILITY_DIGITS = 6
"""Digits kept of a utility, so that every platform writes the same file."""


def given_rankings(sample: RankingSample, k: int) -> list[tuple[str, tuple[int, ...]]]:
    """Query and the k best documents of every ranking, as positions in the corpus."""
    flat: list[int] = sample.docs.tolist()
    bounds: list[int] = sample.sample_offsets.tolist()
    rankings = (tuple(flat[start:end][:k]) for start, end in pairwise(bounds))
    query_of = (query for query, n in zip(sample.query_ids, sample.n_samples.tolist(), strict=True) for _ in range(n))
    return list(zip(query_of, rankings, strict=True))


def ranking_prompt(question: str, ranking: Sequence[int], corpus: Sequence[Document]) -> Prompt:
    """A question with the documents of a ranking."""
    return Prompt(question, tuple(corpus[position] for position in ranking))


def recorded_outputs(
    sample: RankingSample,
    *,
    corpus: Sequence[Document],
    questions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    generator: str,
    answers: Answers,
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
        generator: Name of who answers.
        answers: The answers.
        attributor: Says which of the given documents an answer rests on.
        task: Name of the experiment.
        k: Documents given, at most.
    """
    keys = given_rankings(sample, k)
    rankings = [ranking for _, ranking in keys]
    distinct = list(dict.fromkeys(keys))
    prompts = [ranking_prompt(questions[query], ranking, corpus) for query, ranking in distinct]
    texts = answers.of(generator, prompts)
    utilities = [
        round(rouge_l(answer, references[query]), UTILITY_DIGITS)
        for (query, _), answer in zip(distinct, texts, strict=True)
    ]
    supports = attributor.attribute(prompts, texts)
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
        texts=tuple(texts[row] for row in rows),
        utilities=np.array([utilities[row] for row in rows], dtype=np.float64),
        task=task,
        retriever=sample.system,
        generator=generator,
        policy=sample.policy,
        alpha=sample.alpha,
        k=k,
    )


def _system(sample: RankingSample, generator: str) -> str:
    policy = sample.policy if sample.alpha is None else f"alpha-{sample.alpha:g}"
    return f"{sample.system}-{generator}-{policy}"
