"""String utilities: by hand, as laws, and against two ROUGE packages."""

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from fairviz.metrics.utility import (
    MAX_TOKENS,
    absolute_error,
    accuracy,
    error_closeness,
    longest_common_subsequence,
    number,
    rouge_1,
    rouge_l,
    token_f1,
)

STARS = (1.0, 5.0)
words = st.lists(st.sampled_from(["a", "b", "c", "The", "rain.", "rain", "é", "x-1"]), max_size=30)
texts = words.map(" ".join)


def test_rouge_l_by_hand() -> None:
    # council … plan: "council approves plan" is common, 3 of 5 and of 8 tokens: 2·3/13
    value = rouge_l("the council approves the plan", ["council approves a plan to restore the park"])
    assert value == pytest.approx(6 / 13)


def test_rouge_1_counts_repeated_words_as_often_as_both_have_them() -> None:
    # 'the' once, 'cat' once are shared: 2·2/(4+3)
    assert rouge_1("the the the cat", ["the cat sat"]) == pytest.approx(4 / 7)


def test_token_f1_by_hand() -> None:
    # blue, car against old, blue, car: 2·2/(2+3)
    assert token_f1("A blue car!", ["the old blue car"]) == pytest.approx(4 / 5)
    assert token_f1("the", ["a"]) == 1.0  # nothing but articles on both sides
    assert token_f1("the", ["car"]) == 0.0


@pytest.mark.parametrize("score", [accuracy, token_f1, rouge_1, rouge_l])
def test_the_best_reference_counts_and_none_is_undefined(score: Any) -> None:
    assert score("red fox", ["blue whale", "red fox"]) == 1.0
    assert math.isnan(score("red fox", []))


def test_errors_enter_as_distance_from_the_widest_error() -> None:
    assert error_closeness("3", ["5"], scale=STARS) == 2.0  # 4 − 2
    assert error_closeness("5", ["5"], scale=STARS) == 4.0
    assert error_closeness("10", ["1"], scale=STARS) == 0.0  # an error of 9 counts as 4
    assert error_closeness("?", ["3"], scale=STARS) == 2.0  # 3 is at most 2 from either end


def test_numbers_are_finite() -> None:
    assert number(" 4.5 ") == 4.5
    assert number("inf") is None
    assert number("nan") is None
    assert number("five") is None


@given(texts, texts)
def test_rouge_equals_the_library(prediction: str, reference: str) -> None:
    expected = RougeScorer(["rouge1", "rougeL"]).score(reference, prediction)
    assert rouge_1(prediction, [reference]) == pytest.approx(expected["rouge1"].fmeasure)
    assert rouge_l(prediction, [reference]) == pytest.approx(expected["rougeL"].fmeasure)


@given(words, words, words)
def test_a_common_subsequence_grows_with_its_texts(a: list[str], b: list[str], tail: list[str]) -> None:
    length = longest_common_subsequence(a, b)
    assert length == longest_common_subsequence(b, a)
    assert length <= longest_common_subsequence(a + tail, b)
    assert longest_common_subsequence(a + tail, b + tail) == length + len(tail)


def test_very_long_answers_are_read_up_to_the_bound() -> None:
    start = time.monotonic()
    filler = " ".join(["x", "y"] * MAX_TOKENS)
    assert rouge_l(filler + " z", [filler]) == 1.0  # the last token lies beyond the bound
    assert time.monotonic() - start < 30  # the n·m table of the library would take minutes


@pytest.fixture
def expected(shared: Path) -> dict[str, Any]:
    path = shared / "data/expected-exposure/fairrag/utility_metrics.json"
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


WHERE_ROUGE_PACKAGES_DIFFER = {
    # rouge 1.0.1 counts distinct words and distinct members of the subsequence, splits at blanks
    # and full stops only, and respects capitals. rouge_score (ours) counts every occurrence, as
    # Lin's own program does, splits at everything but a–z and 0–9, and lowers capitals.
    "the council approves the plan": (6 / 13, 8 / 13),  # 'the' twice; 'the' once more in common
    "the the the cat": (4 / 7, 4 / 7),  # 3 × 'the' are three words, not one
    "Plan": (1.0, 1.0),  # lower case
    "park. river. council": (2 / 3, 1.0),  # one sequence; theirs joins sentence by sentence
    "a b c d. e f g": (4 / 7, 1.0),  # a c e g
}


def test_conformance_rouge_1_0_1(expected: dict[str, Any]) -> None:
    for case in expected["rouge"]:
        prediction, target = case["pred"], [case["target"]]
        ours = rouge_l(prediction, target), rouge_1(prediction, target)
        theirs = case["rouge_l_f"], case["rouge_1_f"]
        wanted = WHERE_ROUGE_PACKAGES_DIFFER.get(prediction, theirs)
        for value, want in zip(ours, wanted, strict=True):
            # theirs adds 1e-8 to the denominator of F
            assert value == pytest.approx(want, abs=1e-8), prediction


def test_conformance_mean_absolute_error(expected: dict[str, Any]) -> None:
    for case in expected["mae"]:
        value = absolute_error(case["pred"], case["target"], scale=STARS)
        assert value == pytest.approx(case["value"], abs=1e-9), case


def test_conformance_accuracy(expected: dict[str, Any]) -> None:
    for case in expected["accuracy"]:
        # the reference maps every unknown label to −1, so that junk equals other junk: a defect
        wanted = 0 if case["target"] == "junk2" else case["value"]
        assert accuracy(case["pred"], [case["target"]]) == wanted, case
