"""Recorded outputs: what was given, what was answered, what it rests on, how useful it is."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from fairviz.experiments.asking import Answers
from fairviz.experiments.protocols import Attributor
from fairviz.experiments.rankings.task import Task
from fairviz.model import IndexArray, RagOutputs, RankingSample

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
