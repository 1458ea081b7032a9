"""Some queries of a noun: what they need of it, in any order."""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from fairviz.model.arrays import IntArray
from fairviz.model.judgements import Qrels
from fairviz.model.outputs import RagOutputs, Sentences
from fairviz.model.rankings import RankingSample, Run

Lists: TypeAlias = Run | RankingSample | Qrels
"""What is known query by query."""


def of_queries(lists: Lists, chosen: IntArray) -> Lists:
    """The rankings or judgements of some queries; documents keep their numbers.

    Args:
        lists: Of all queries.
        chosen: (N) which of them, each once, in the order of the result.
    """
    places: list[int] = chosen.tolist()
    query_ids = tuple(lists.query_ids[q] for q in places)
    if isinstance(lists, RankingSample):
        samples, query_offsets = _rows(lists.query_offsets, chosen)
        rows, sample_offsets = _rows(lists.sample_offsets, samples)
        return replace(
            lists,
            query_ids=query_ids,
            query_offsets=query_offsets,
            sample_offsets=sample_offsets,
            docs=lists.docs[rows],
        )
    rows, offsets = _rows(lists.offsets, chosen)
    if isinstance(lists, Run):
        return replace(lists, query_ids=query_ids, offsets=offsets, docs=lists.docs[rows], scores=lists.scores[rows])
    return replace(
        lists,
        query_ids=query_ids,
        offsets=offsets,
        docs=lists.docs[rows],
        grades=lists.grades[rows],
        subtopics=None if lists.subtopics is None else lists.subtopics[rows],
        largest_of_all=lists.largest_grade,
    )


def answers_to_queries(outputs: RagOutputs, chosen: IntArray) -> RagOutputs:
    """The recorded answers to some queries; documents keep their numbers.

    Args:
        outputs: Of all queries.
        chosen: (N) which of them, each once, in the order of the result.
    """
    places: list[int] = chosen.tolist()
    rows, offsets = _rows(outputs.offsets, chosen)
    given, given_offsets = _rows(outputs.given_offsets, rows)
    attributed, attributed_offsets = _rows(outputs.attributed_offsets, rows)
    answers: list[int] = rows.tolist()
    return replace(
        outputs,
        query_ids=tuple(outputs.query_ids[q] for q in places),
        offsets=offsets,
        samples=tuple(outputs.samples[o] for o in answers),
        given_offsets=given_offsets,
        given=outputs.given[given],
        attributed_offsets=attributed_offsets,
        attributed=outputs.attributed[attributed],
        texts=tuple(outputs.texts[o] for o in answers),
        utilities=outputs.utilities[rows],
        sentences=None if outputs.sentences is None else _sentences(outputs.sentences, rows),
    )


def _sentences(sentences: Sentences, answers: IntArray) -> Sentences:
    rows, offsets = _rows(sentences.offsets, answers)
    cited, citation_offsets = _rows(sentences.citation_offsets, rows)
    return Sentences(
        offsets=offsets,
        ends=sentences.ends[rows],
        citation_offsets=citation_offsets,
        citations=sentences.citations[cited],
    )


def _rows(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Rows of some segments, one segment after the other, and their new offsets."""
    sizes = np.diff(offsets)[chosen]
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.arange(int(new[-1])) - np.repeat(new[:-1] - offsets[chosen], sizes), new
