import pytest

from fairviz.experiments.protocols import Document, Prompt, printed_prompt, prompt_names, prompt_text, read_answer
from fairviz.resources import content

DOCUMENTS = (Document("a", "A title", "First."), Document("b", "", "Second."))
TEXTS = tuple(document._replace(title="") for document in DOCUMENTS)
THREE = ("Ann", "Bob", "Unknown")


def test_the_whole_prompt_in_its_order() -> None:
    instruction = printed_prompt("zhang-1")
    prompt = Prompt("Who?", TEXTS, "Two met.", THREE, instruction)
    assert prompt_text(prompt).splitlines() == [
        instruction,
        "",
        "Social impressions:",
        "1. First.",
        "2. Second.",
        "",
        "Context: Two met.",
        "Question: Who?",
        "A: Ann",
        "B: Bob",
        "C: Unknown",
        "Answer:",
    ]


def test_what_is_missing_is_left_out() -> None:
    assert prompt_text(Prompt("Why?", ())) == "Question: Why?\nAnswer:"
    assert prompt_text(Prompt("Why?", DOCUMENTS)).startswith("Documents:\n1. A title: First.\n2. Second.\n\nQuestion")


def test_examples_stand_at_the_beginning_with_their_answers() -> None:
    example = (Prompt("Which?", (), "One sat.", ("x", "y")), "B")
    asked = Prompt("Who?", TEXTS[:1], "Two met.", THREE, "Choose.", examples=(example, example))
    alone = prompt_text(asked._replace(examples=()))
    shown = "Context: One sat.\nQuestion: Which?\nA: x\nB: y\nAnswer: B\n\n"
    assert prompt_text(asked) == shown + shown + alone
    assert alone.startswith("Choose.\n")


FRAMES = content("experiments")["frames"]


@pytest.mark.parametrize("language", sorted(set(FRAMES) - {"English"}))
def test_every_part_is_called_in_the_language_of_the_question(language: str) -> None:
    impressions, _, context, question, answer = FRAMES[language]
    words = printed_prompt("zhang-2", language)
    prompt = Prompt("?", TEXTS, "…", ("1", "2", "3"), words, language)
    heads = [line.partition(":")[0] for line in prompt_text(prompt).splitlines() if ":" in line]
    assert heads == [impressions, context, question, "A", "B", "C", answer]
    assert not any(name in prompt_text(prompt) for name in FRAMES["English"])
    assert all(letter in words for letter in "ABC")


def test_a_prompt_that_is_in_english_alone_is_taken_in_english() -> None:
    assert printed_prompt("ji-adversarial", "Korean") == printed_prompt("ji-adversarial")
    assert printed_prompt("zhang-1", "French") == printed_prompt("zhang-1")
    assert {name for name in prompt_names() if "." in name} == {
        f"zhang-{number}.{code}" for number in (1, 2) for code in ("ja", "ko", "zh")
    }


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("C", "C"),
        ("D", None),
        ("", None),
        ("(b)", "B"),
        ("Answer: A. Because Ann was there.", "A"),
        ("Bob", "B"),
        ("I think it was Bob.", "B"),
        ("It cannot be determined.", "C"),
        ("Ann or Bob", None),
        ("Ann and Bob were both there", None),
    ],
)
def test_an_answer_is_read_by_letter_or_in_words(answer: str, letter: str | None) -> None:
    assert read_answer(Prompt("Who was there?", (), "", THREE), answer) == letter


def test_answers_in_other_languages_are_read_and_options_decide_which_letters_there_are() -> None:
    prompt = Prompt("谁迟到了？", (), "", ("老人", "年轻人", "无法确定"), language="Chinese")
    said = ("答案：B", "年轻人", "无法确定", "不知道", "？")
    assert [read_answer(prompt, text) for text in said] == ["B", "B", "C", "C", None]
    assert read_answer(Prompt("?", (), "", ("w", "x", "y", "z")), "D") == "D"
    assert read_answer(Prompt("Why?", ()), "A") is None
