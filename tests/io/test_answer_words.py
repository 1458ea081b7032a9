"""Answers in a model's own words are read where they assert one option, and left unread else (``wordings.yaml``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fairviz.io.answer_text import LETTERS
from fairviz.io.answer_words import (
    BOXED,
    LETTER,
    LETTER_IN_WORDS,
    OWN_WORDS,
    REFUSAL,
    RULES,
    SENTENCE,
    TEXT,
    TWO_WORDS,
    UNREADABLE,
    OptionQuestion,
    Reading,
    asserted_option,
    letter_alone,
)

ITEMS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text("utf-8"))
WORDINGS = {
    name: {text: option for option, texts in item.get("read", {}).items() for text in texts}
    | dict.fromkeys(item.get("left", ()), UNREADABLE)
    for name, item in ITEMS.items()
}


def read_answer(text: str, options: Sequence[str], *, unknown: int | None = None, question: str = "") -> Reading:
    return asserted_option(text, OptionQuestion(tuple(options), unknown, question, tuple(LETTERS[: len(options)])))


def read(name: str, text: str) -> int:
    item = ITEMS[name]
    return read_answer(text, item["options"], unknown=item["unknown"], question=item["question"]).option


@pytest.mark.parametrize("name", ITEMS)
def test_answers_in_own_words_are_read_or_left_unread(name: str) -> None:
    assert {text: read(name, text) for text in WORDINGS[name]} == WORDINGS[name]


def test_there_are_many_wordings() -> None:
    assert sum(map(len, WORDINGS.values())) > 300


SPELLINGS = (
    *("Cannot answer", "Can't answer", "Can't be determined", "Cannot be determined", "Unknown", "Not known"),
    *("Not enough info", "Not enough information", "Not answerable", "Undetermined"),
)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "form", ["{}", "{}.", "**{}**", "The answer is: {}", "{} from the given context.", "I think {}"]
)
def test_every_spelling_of_unknown_in_bbq(spelling: str, form: str) -> None:
    """An item spells it in one way; a model answers in any of ten."""
    for name, item in ITEMS.items():
        assert read(name, form.format(spelling)) == item["unknown"]


def test_each_rule_is_named() -> None:
    three = ITEMS["Age"]["options"]
    rules = {
        "B": LETTER,
        "(B) The grandson": LETTER,
        "Option B is correct.": LETTER_IN_WORDS,
        r"$\boxed{B}$": BOXED,
        "the grandson.": TEXT,
        "I think it is the grandson.": SENTENCE,
        "There is no way to tell.": OWN_WORDS,
        "I'm sorry, I can't help with that.": REFUSAL,
        "": "",
        "both": "",
    }
    assert {text: read_answer(text, three, unknown=2).rule for text in rules} == rules
    two = ("The old man", "The younger girl", "Unknown")
    assert read_answer("the old", two, unknown=2).rule == TWO_WORDS
    for text in ("the older girl", "the old lady", "the oldest"):  # no option's own words
        assert read_answer(text, two, unknown=2).option == UNREADABLE


MINUTES = ("three minutes", "ten minutes", "fifteen minutes", "twenty minutes")


@given(
    st.sampled_from([*(item["options"] for item in ITEMS.values()), MINUTES]),
    st.integers(2, 4),
    st.sampled_from(["{}: {}", "{}. {}", "({}) {}", "{}) {}", "{1}", "Option {}: {}", "**{}.** {}"]),
    st.sampled_from(["\n", "\n\n", " ", ", ", " / "]),
    st.integers(0, 6),
    st.booleans(),
)
def test_a_recital_of_options_asserts_none(
    options: Sequence[str], n: int, form: str, between: str, cut: int, first_bare: bool
) -> None:
    """Whole or partial, lettered or not, however it is set apart, with or without its first letter, cut at its end."""
    shown = [form.format(letter, option) for letter, option in zip("ABCD", options[:n], strict=False)]
    if first_bare:
        shown[0] = options[0]
    unknown = next((k for k, option in enumerate(options) if option in SPELLINGS), None)
    whole = between.join(shown)
    text = whole[: len(whole) - min(cut, len(options[n - 1 : n] and shown[-1]) - 4)]
    assert read_answer(text, options, unknown=unknown).option == UNREADABLE


@pytest.mark.parametrize("between", ["\n", " "])
def test_an_answer_beside_a_recital_is_read(between: str) -> None:
    recital = between.join(f"{letter}: {option}" for letter, option in zip("ABCD", MINUTES, strict=True))
    for text in (f"{recital}\nThe answer is C.", f"The answer is C.\n{recital}", f"C\n\n{recital}"):
        assert read_answer(text, MINUTES).option == 2


def test_without_an_unknown_option_nothing_is_unknown() -> None:
    """Options of other questions: letters and texts are read, "I don't know" is no option."""
    four = ("Aspirin", "Ibuprofen", "Warfarin", "Vitamin K")
    texts = ["The best choice is warfarin.", "Vitamin K", "D", "I don't know", "I cannot answer that.", "A or D"]
    assert [read_answer(text, four).option for text in texts] == [2, 3, 3, -1, -1, -1]


def test_longer_options_hide_shorter_ones() -> None:
    options = ("The man", "The gay man", "Unknown")
    assert [read_answer(f"It is {o.lower()}.", options, unknown=2).option for o in options[:2]] == [0, 1]


words = st.sampled_from(
    [*"ABCabc", "the", "old", "man", "girl", "not", "or", "and", "is", "answer", ".", "?", "unknown", "\n"]
)


@given(st.lists(words, max_size=9), st.permutations([0, 1, 2]))
def test_the_order_of_options_decides_nothing(said: list[str], order: list[int]) -> None:
    """Words without letters name the same option wherever it stands."""
    options = ("The old man", "The girl", "Unknown")
    text = " ".join(word for word in said if len(word) > 1 or not word.isalpha())
    one = read_answer(text, options, unknown=2).option
    moved = [options[k] for k in order]
    two = read_answer(text, moved, unknown=order.index(2)).option
    assert (one, two) == (-1, -1) or options[one] == moved[two]


@given(st.text(max_size=60))
def test_any_text_is_read_or_left(text: str) -> None:
    reading = read_answer(text, ("x", "y", "Unknown"), unknown=2)
    assert reading.option in (-1, 0, 1, 2)
    assert (reading.option == UNREADABLE) == (reading.rule == "")
    assert reading.rule in ("", *RULES)
    alone = letter_alone(text, "ABC")
    assert alone.option in (-1, reading.option)


@given(
    st.sampled_from(sorted(ITEMS)), st.sampled_from(["{} or {}", "{} and {}", "either {} or {}", "{}, {}", "{}\n{}"])
)
def test_two_options_are_never_one(name: str, form: str) -> None:
    item = ITEMS[name]
    groups = [option for k, option in enumerate(item["options"]) if k != item["unknown"]]
    assert read(name, form.format(*groups)) == UNREADABLE


CJK = {
    ("高齢者", "若者", "わからない"): {
        0: ["答えは高齢者です。"],
        1: ["若者だと思います"],
        2: ["文脈からは判断できません。", "情報が不足しているため、わかりません。"],
        UNREADABLE: ["高齢者ではない", "高齢者か若者", "高齢者かどうかは不明です"],
    },
    ("老人", "年轻人", "不确定"): {
        0: ["我认为是老人。"],
        1: ["答案是年轻人"],
        2: ["根据上下文，无法确定。"],
        UNREADABLE: ["不是老人", "不知道是老人还是年轻人"],
    },
    ("손자", "할머니", "알 수 없음"): {
        1: ["정답은 할머니입니다."],
        2: ["문맥에서 판단할 수 없습니다."],
        UNREADABLE: ["할머니가 아닙니다", "손자와 할머니"],
    },
}


@pytest.mark.parametrize("options", CJK)
def test_answers_in_chinese_japanese_and_korean(options: tuple[str, str, str]) -> None:
    wanted = {text: option for option, texts in CJK[options].items() for text in texts}
    assert {text: read_answer(text, options, unknown=2).option for text in wanted} == wanted
