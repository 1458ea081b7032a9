"""Some queries of a noun: what they need of it, in any order."""

from dataclasses import replace
from typing import TypeAlias

import numpy as np

from fairviz.model.arrays import IntArray
from fairviz.model.judgements import Qrels
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


def _rows(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Rows of some segments, one segment after the other, and their new offsets."""
    sizes = np.diff(offsets)[chosen]
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.arange(int(new[-1])) - np.repeat(new[:-1] - offsets[chosen], sizes), new
