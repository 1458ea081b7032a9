"""Aligning given and attributed items."""

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.kernels.attribution import attribution
from fairviz.model import RagOutputs, RankingSample
from fairviz.model.rankings import GivenFrom
from tests.nouns import run_of, sample_of
from tests.studies.attribution.recorded import recorded


def outputs(given: list[str], cited: list[str], *, source: GivenFrom = "ranking") -> RagOutputs:
    """Two queries: the first has all outputs but the last."""
    rows = [(*lists, 0.0) for lists in zip(given, cited, strict=True)]
    return recorded({"q1": rows[:-1], "q2": rows[-1:]}, source=source)


def lists(sample: RankingSample) -> list[str]:
    cuts = np.split(sample.docs, sample.sample_offsets[1:-1])
    return ["".join(sample.doc_ids[d] for d in cut) for cut in cuts]


RUN = run_of({"q2": {"x": 1.0}, "q1": {"a": 3.0, "x": 2.0, "b": 1.0}}, "bm25")


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
    sample = sample_of({"q1": ["ab", "cd"], "q2": ["bd"]})
    bare = outputs(["", "", ""], ["a", "a", "b"], source="nowhere")
    aligned = attribution(bare, k=2, paired=sample)
    assert lists(aligned.given) == ["ab", "cd", "bd"]
    assert lists(aligned.attributed) == ["a", "", "b"]


def test_a_paired_sample_of_another_size_is_refused() -> None:
    sample = sample_of({"q1": ["ab", "cd"]}, "s")
    three = outputs(["", "", "", ""], ["a", "a", "b", ""], source="nowhere")
    with pytest.raises(ValueError, match="query q1: s holds another number of rankings"):
        attribution(three, k=2, paired=sample)


def test_nothing_known_is_undefined_and_k_is_positive() -> None:
    bare = outputs(["", ""], ["a", "b"], source="nowhere")
    with pytest.raises(UndefinedError, match="pair them with the run"):
        attribution(bare, k=2)
    with pytest.raises(ValueError, match="k is at least 1"):
        attribution(bare, k=0)
