"""Aligning given and attributed items."""

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.kernels.attribution import attribution
from fairviz.model import RagOutputs, RankingSample, Run
from fairviz.model.rankings import GivenFrom

DOCS = ("a", "b", "c", "d")


def ragged(lists: list[str], docs: tuple[str, ...] = DOCS) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([docs.index(d) for d in "".join(lists)], dtype=np.int32)


def outputs(given: list[str], cited: list[str], *, source: GivenFrom = "ranking") -> RagOutputs:
    """Two queries: the first has all outputs but the last."""
    given_offsets, given_docs = ragged(given)
    cited_offsets, cited_docs = ragged(cited)
    n = len(given)
    return RagOutputs(
        system="bot",
        query_ids=("q1", "q2"),
        doc_ids=DOCS,
        offsets=np.array([0, n - 1, n]),
        samples=tuple(map(str, range(n))),
        given_from=source,
        given_offsets=given_offsets,
        given=given_docs,
        attributed_offsets=cited_offsets,
        attributed=cited_docs,
        texts=("",) * n,
        utilities=np.zeros(n),
    )


def lists(sample: RankingSample) -> list[str]:
    cuts = np.split(sample.docs, sample.sample_offsets[1:-1])
    return ["".join(sample.doc_ids[d] for d in cut) for cut in cuts]


RUN = Run(
    system="bm25",
    query_ids=("q2", "q1"),
    doc_ids=("x", "b", "a"),
    offsets=np.array([0, 1, 4]),
    docs=np.array([0, 2, 0, 1], dtype=np.int32),  # q2: x; q1: a x b
    scores=np.array([1.0, 3.0, 2.0, 1.0]),
)


def test_a_recorded_ranking_wins_over_a_paired_run() -> None:
    aligned = attribution(outputs(["abc", "bd", "ab"], ["a", "b", ""]), k=3, paired=RUN)
    assert lists(aligned.given) == ["abc", "bd", "ab"]
    assert aligned.paired is None
    assert aligned.warning is None


def test_a_paired_run_wins_over_references() -> None:
    aligned = attribution(outputs(["c", "c", "c"], ["bc", "a", "a"], source="references"), k=2, paired=RUN)
    assert lists(aligned.given) == ["ax", "ax", "x"]
    assert lists(aligned.attributed) == ["", "a", ""]
    assert aligned.warning == (
        "3 of 4 cited documents are not in the first 2 of bm25: were these outputs made from it?"
    )


def test_a_paired_sample_is_matched_place_by_place() -> None:
    sample_offsets, docs = ragged(["ab", "cd", "bd"])
    sample = RankingSample(
        system="s",
        query_ids=("q1", "q2"),
        doc_ids=DOCS,
        docs=docs,
        query_offsets=np.array([0, 2, 3]),
        sample_offsets=sample_offsets,
    )
    bare = outputs(["", "", ""], ["a", "a", "b"], source="nowhere")
    aligned = attribution(bare, k=2, paired=sample)
    assert lists(aligned.given) == ["ab", "cd", "bd"]
    assert lists(aligned.attributed) == ["a", "", "b"]


def test_a_paired_sample_of_another_size_is_refused() -> None:
    sample_offsets, docs = ragged(["ab", "cd"])
    sample = RankingSample(
        system="s",
        query_ids=("q1",),
        doc_ids=DOCS,
        docs=docs,
        query_offsets=np.array([0, 2]),
        sample_offsets=sample_offsets,
    )
    three = outputs(["", "", "", ""], ["a", "a", "b", ""], source="nowhere")
    with pytest.raises(ValueError, match="query q1: s holds another number of rankings"):
        attribution(three, k=2, paired=sample)


def test_nothing_known_is_undefined_and_k_is_positive() -> None:
    bare = outputs(["", ""], ["a", "b"], source="nowhere")
    with pytest.raises(UndefinedError, match="pair them with the run"):
        attribution(bare, k=2)
    with pytest.raises(ValueError, match="k is at least 1"):
        attribution(bare, k=0)
