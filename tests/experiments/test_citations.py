import pytest

from fairviz.experiments.attributors import Citations, cited_numbers
from fairviz.experiments.protocols import Document, Prompt

GIVEN = tuple(Document(f"d{i}", "", "") for i in range(1, 4))


def test_documents_are_numbered_as_the_prompt_numbers_them() -> None:
    prompts = [Prompt("?", GIVEN), Prompt("?", GIVEN[:1]), Prompt("?", ()), Prompt("?", GIVEN)]
    answers = ["Warm [1]. Cold [3].", "See [2].", "[1]", "Nothing."]
    found = Citations().attribute(prompts, answers)
    assert found == [[True, False, True], [False], [], [False, False, False]]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("a [1][2]", {1, 2}),
        ("a [2, 3]; b [ 1 ;5 ]", {1, 2, 3, 5}),
        ("a [2-4]", {2, 3, 4}),
        ("a [2–4,7]", {2, 3, 4, 7}),
        ("a [0]", {0}),
        ("a (1) 2 [x] [1a] [] [1.5]", set()),
        ("[[3]]", {3}),
    ],
)
def test_what_is_a_citation(answer: str, numbers: set[int]) -> None:
    assert cited_numbers(answer) == numbers
