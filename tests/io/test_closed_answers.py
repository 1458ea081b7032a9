"""Closed answers are read where they name one option, and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.answer_text import LETTERS, WORDS, as_word, is_letter, read_letter, read_word

READ = {
    "B": "B",
    "b": "B",
    " (b) ": "B",
    "B.": "B",
    "B)": "B",
    "[C]": "C",
    "C:": "C",
    "**D**": "D",
    '"B"': "B",
    "B. Cross-linking": "B",
    "B) Male": "B",
    "**B.** Male": "B",
    "B. Vitamin C deficiency": "B",
    "D. Hepatitis B": "D",
    "B. A fracture": "B",
    "B. C-reactive protein": "B",
    "B - the second": "B",
    "A\nbecause B is wrong": "A",
    "A\n\nExplanation: B": "A",
    "B.\nA is wrong": "B",
    "Option C": "C",
    "Answer: B": "B",
    "**Answer:** B": "B",
    "The answer is A": "A",
    "The correct answer is option B.": "B",
    "They differ. So the answer is (C) because it is larger.": "C",
    'answer_choice": "C"': "C",
    'Dict{"answer_choice": "A"}': "A",
    '{"reason": "…", "answer": "B"}': "B",
}
UNREAD = [
    *("", " ", "Unknown", "I am not sure", "NA", "yes", "1", "\u0391", "AB", "E", "e"),
    *("A or B", "A, B", "A,B", "A / B", "A & B", "A.B", "A. or B.", "A) and C)", "(A)(B)"),
    *("A fracture", "A 45-year-old", "The answer is A fracture", "a tumour. b", "I. e."),
    *("The answer is A or B", "The answer is A, B", "The answer is not A", "Answer: A\nAnswer: B"),
    *("Option A is wrong", "A: no\nB: yes\nAnswer: B", "A. is tempting, yet the answer is C"),
    *("B and C are both right", "Options A and B", "answer", "The answer is", "A\nB", "Answer: B or C"),
]


@pytest.mark.parametrize("text", READ)
def test_letters_that_are_plain(text: str) -> None:
    assert read_letter(text, "ABCD") == READ[text]


@pytest.mark.parametrize("text", UNREAD)
def test_what_names_no_letter_or_two(text: str) -> None:
    assert read_letter(text, "ABCD") is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Yes", "yes"),
        ("no.", "no"),
        (" **Yes** ", "yes"),
        ("Yes, because", "yes"),
        ("no: x", "no"),
        ("maybe\nbecause", "maybe"),
        ("Answer: yes", "yes"),
        ("The answer is no.", "no"),
        ("Not sure.", "not sure"),
        ("yes or no", None),
        ("yes. no", None),
        ("notable.", None),
        ("I say yes", None),
        ("", None),
        (".", None),
    ],
)
def test_words(text: str, word: str | None) -> None:
    assert read_word(text, ("yes", "no", "maybe", "not sure")) == word


@given(st.text(max_size=30), st.sampled_from(sorted(WORDS)))
def test_any_text_gives_an_option_or_nothing(text: str, word: str) -> None:
    assert read_letter(text, LETTERS) in {None, *LETTERS}
    assert read_word(text, (word,)) in {None, word}


@given(st.sampled_from("ABCD"), st.sampled_from("ABCD"), st.sampled_from([" or ", ", ", " and ", "/"]))
def test_two_letters_are_never_one(one: str, two: str, between: str) -> None:
    assert read_letter(f"{one}{between}{two}", "ABCD") is None


def test_letters_as_golds() -> None:
    assert [is_letter(text) for text in ("B", "(b)", "B.", "K", "AB", "")] == [True] * 3 + [False] * 3
    assert as_word(" **Not  Sure.** ") == "not sure"
