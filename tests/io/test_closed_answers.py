"""Closed answers are read where they name one option, and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.answer_text import LETTERS, WORDS, as_word, is_letter, read_letter, read_word

READ = {
    "A": ("A\nbecause B is wrong", "A\n\nExplanation: B", "The answer is A", 'Dict{"answer_choice": "A"}'),
    "B": (
        *("B", "b", " (b) ", "B.", "B)", '"B"', "B. Cross-linking", "B) Male", "**B.** Male", "B. A fracture"),
        *("B. Vitamin C deficiency", "B. C-reactive protein", "B - the second", "B.\nA is wrong", "Answer: B"),
        *("**Answer:** B", "The correct answer is option B.", '{"reason": "…", "answer": "B"}'),
    ),
    "C": ("[C]", "C:", "Option C", "They differ. So the answer is (C) because it is larger.", 'answer_choice": "C"'),
    "D": ("**D**", "D. Hepatitis B"),
}
UNREAD = [
    *("", " ", "Unknown", "I am not sure", "NA", "yes", "1", "\u0391", "AB", "E", "e"),
    *("A or B", "A, B", "A,B", "A / B", "A & B", "A.B", "A. or B.", "A) and C)", "(A)(B)"),
    *("A fracture", "A 45-year-old", "The answer is A fracture", "a tumour. b", "I. e."),
    *("The answer is A or B", "The answer is A, B", "The answer is not A", "Answer: A\nAnswer: B"),
    *("Option A is wrong", "A: no\nB: yes\nAnswer: B", "A. is tempting, yet the answer is C"),
    *("B and C are both right", "Options A and B", "answer", "The answer is", "A\nB", "Answer: B or C"),
]


@pytest.mark.parametrize("letter", READ)
def test_letters_that_are_plain(letter: str) -> None:
    assert {text: read_letter(text, "ABCD") for text in READ[letter]} == dict.fromkeys(READ[letter], letter)


def test_what_names_no_letter_or_two() -> None:
    assert {text: read_letter(text, "ABCD") for text in UNREAD} == dict.fromkeys(UNREAD)


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("yes", ["Yes", " **Yes** ", "Yes, because", "Answer: yes"]),
        ("no", ["no.", "no: x", "The answer is no."]),
        ("maybe", ["maybe\nbecause"]),
        ("not sure", ["Not sure."]),
        (None, ["yes or no", "yes. no", "notable.", "I say yes", "", "."]),
    ],
)
def test_words(texts: list[str], word: str | None) -> None:
    options = ("yes", "no", "maybe", "not sure")
    assert {text: read_word(text, options) for text in texts} == dict.fromkeys(texts, word)


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
