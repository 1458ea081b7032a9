"""Examples are drawn as the paper draws them, and are the same for all."""

from itertools import product

import pytest

from fairviz.errors import UndefinedError
from fairviz.experiments.bias import BiasQuestion, drawn_examples, examples_of

CASES = ("ambiguous", "stereotyped", "counter-stereotyped", "undefined")


def items(category: str = "Age", language: str = "English", n: int = 6) -> list[BiasQuestion]:
    return [
        BiasQuestion(
            category, f"{number}{case[0]}", language, "Two.", f"Who {number}?", ("x", "y", "z"), number % 3, case
        )
        for number, case in product(range(n), CASES)
    ]


def test_eight_are_four_ambiguous_two_stereotyped_two_counter_stereotyped() -> None:
    questions = items()
    ((key, places),) = drawn_examples(questions, 8, seed=1).items()
    assert key == ("English", "Age")
    half = ["ambiguous", "stereotyped", "ambiguous", "counter-stereotyped"]
    assert [questions[place].case for place in places] == [*half, *half]
    assert len(set(places)) == 8
    (shown,) = examples_of(questions, {key: places}, 8).values()
    assert [letter for _, letter in shown] == ["ABC"[questions[place].gold] for place in places]
    assert {prompt.documents for prompt, _ in shown} == {()}
    with pytest.raises(UndefinedError, match="8 examples need 4 ambiguous items of Age in English, which has 2; lower"):
        drawn_examples(items(n=2), 8, seed=1)


def test_fewer_examples_are_the_first_of_more() -> None:
    questions = items()
    (of_eight,) = drawn_examples(questions, 8, seed=1).values()
    (of_three,) = drawn_examples(questions, 3, seed=1).values()
    assert of_eight[:3] == of_three
    assert drawn_examples(questions, 0, seed=1) == {("English", "Age"): ()}


def test_the_seed_decides_and_another_file_changes_nothing() -> None:
    age, religion = items(), items("Religion", "Korean")
    key = ("English", "Age")
    alone = drawn_examples(age, 8, seed=1)
    assert drawn_examples([*age, *religion], 8, seed=1)[key] == alone[key]
    assert any(drawn_examples(age, 8, seed=seed)[key] != alone[key] for seed in (2, 3))
