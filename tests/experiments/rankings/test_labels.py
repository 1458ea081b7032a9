import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.experiments.labels import label_prompts, score_of, utility_gains, utility_qrels
from fairviz.experiments.protocols import Document
from fairviz.metrics.utility import rouge_l


@pytest.mark.parametrize(
    ("references", "gains"),
    [
        # ROUGE-L F1 = 2 · LCS / (words + 4): "one two" 4/6; "one two three" 6/7; "two one one two" 4/8; "nine" 0.
        (["one two three four"], [6 / 7 - 4 / 6, 4 / 8 - 4 / 6, -4 / 6]),
        (["nothing", "nine"], [0, 0, 1]),  # the closest reference counts
    ],
)
def test_utility_gain_by_hand(references: list[str], gains: list[float]) -> None:
    """Of an answerer that says the document that it is given, and "one two" without one."""
    corpus = [Document(text, "", text) for text in ("one two three", "two one one two", "nine")]
    answers = [p.documents[0].text if p.documents else "one two" for p in label_prompts("?", corpus)]
    np.testing.assert_allclose(utility_gains(answers, references, score=rouge_l), gains)
    assert utility_gains(["one two", "one two"], references, score=rouge_l).tolist() == [0]
    with pytest.raises(ValueError, match="reference"):
        utility_gains(answers, [], score=rouge_l)


def test_labels_are_binary() -> None:
    labelled, useful = {"q": np.array([0, 1, 2], np.int32)}, {"q": np.array([0, 1], np.int32)}
    qrels = utility_qrels("abcd", labelled, useful, generator="parrot")
    assert [qrels.doc_ids[doc] for doc in qrels.docs] == ["a", "b", "c"]
    assert qrels.grades.tolist() == [1, 1, 0]
    assert qrels.generator == "parrot"


@pytest.mark.parametrize(
    ("task", "answer", "reference", "utility"),
    [
        ("lamp-1", "[1]", "[1]", 1),  # the paper that is cited: accuracy
        ("lamp-1", "[2]", "[1]", 0),
        ("lamp-2", "comedy", "comedy", 1),  # the tag: accuracy
        ("lamp-3", "4", "5", 3),  # stars: 4 − |4 − 5|
        ("lamp-3", "1", "5", 0),
        ("lamp-3", "great", "2", 1),  # no number errs as far as stars go: 4 − 3
        ("lamp-4", "storm hits coast", "storm hits town", 2 / 3),  # texts: ROUGE-L F1, 2 of 3 words
        ("lamp-5", "a b c d", "a c", 2 / 3),
        ("lamp-6", "x", "y", 0),
        ("lamp-7", "one two", "one two", 1),
    ],
)
def test_lamps_metrics_by_hand(task: str, answer: str, reference: str, utility: float) -> None:
    assert score_of(task, {"q": [reference]})(answer, [reference]) == pytest.approx(utility)


def test_stars_are_useful_where_they_come_nearer_by_absolute_and_squared_error() -> None:
    answers, reference = ["2", "5", "3", "2", "1", "?"], "4"
    gains = utility_gains(answers, [reference], score=score_of("lamp-3", {"q": [reference]}))
    errors = np.array([2, 1, 1, 2, 3, 3])
    assert gains.tolist() == [1, 1, 0, -1, -1]
    for power in (1, 2):  # MAE and RMSE
        assert (gains > 0).tolist() == (errors[1:] ** power < errors[0] ** power).tolist()

    with pytest.raises(UsageError, match=r"needs numbers as references; query q has 'five'"):
        score_of("lamp-3", {"q": ["five"]})
