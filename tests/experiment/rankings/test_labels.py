from collections.abc import Sequence

import numpy as np
import pytest

from fairviz.experiment.protocols import Document, Prompt
from fairviz.experiment.rankings.labels import UtilityGains, label_prompts, utility_gains, utility_qrels
from fairviz.model import Run


def gains_of(references: list[str], corpus: list[Document]) -> UtilityGains:
    return utility_gains(Parrot().generate(label_prompts("?", corpus)), references)


class Parrot:
    """Says the first document, or a fixed sentence without one."""

    name = "parrot"

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return [p.documents[0].text if p.documents else "one two" for p in prompts]


CORPUS = [
    Document("better", "", "one two three"),
    Document("same", "", "two one one two"),
    Document("worse", "", "nine"),
]


def test_utility_gain_by_hand() -> None:
    # Reference "one two three four". ROUGE-L F1 = 2 · LCS / (words + 4):
    # baseline "one two" 4/6; "one two three" 6/7; "two one one two" 4/8; "nine" 0.
    gains = gains_of(["one two three four"], CORPUS)
    assert gains.baseline == pytest.approx(4 / 6)
    np.testing.assert_allclose(gains.gains, [6 / 7 - 4 / 6, 4 / 8 - 4 / 6, -4 / 6])
    assert gains.useful.tolist() == [True, False, False]


def test_no_gain_is_not_useful() -> None:
    gains = gains_of(["one two"], [Document("d", "", "one two")])
    assert gains.gains.tolist() == [0.0]
    assert not gains.useful.any()


def test_the_closest_reference_counts() -> None:
    gains = gains_of(["nothing", "nine"], CORPUS)
    assert gains.useful.tolist() == [False, False, True]


def test_without_references_there_is_no_gain() -> None:
    with pytest.raises(ValueError, match="reference"):
        gains_of([], CORPUS)


def test_labels_are_binary_and_cover_useful_and_retrieved_documents() -> None:
    run = Run(
        system="r",
        query_ids=("q",),
        doc_ids=("a", "b", "c", "d"),
        offsets=np.array([0, 2]),
        docs=np.array([2, 1], dtype=np.int32),
        scores=np.array([2.0, 1.0]),
    )
    useful = {"q": np.array([True, True, False, False])}
    qrels = utility_qrels(run, useful, generator="parrot")
    # a: useful, not retrieved; b: both; c: retrieved only; d: neither.
    assert [qrels.doc_ids[doc] for doc in qrels.docs] == ["a", "b", "c"]
    assert qrels.grades.tolist() == [1, 1, 0]
    assert qrels.generator == "parrot"
