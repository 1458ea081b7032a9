from collections.abc import Sequence
from pathlib import Path

import pytest

from fairviz.errors import UsageError
from fairviz.experiments.people import (
    STRATEGIES,
    Answered,
    Variant,
    consistency,
    consistent,
    majority,
    make_variants,
    no_mention,
    strategy_of,
    without_mention,
)
from fairviz.experiments.protocols import PROMPTS, Prompt, printed_prompt, prompt_names

OPTIONS = tuple(f"option {number}" for number in range(10))
RACE = ("Asian", "Black", "Hispanic", "White")
VARIANTS, _ = make_variants({"q1": "Why?", "q2": "How?"}, {"race": RACE})


class Recorded:
    """Answers by the value that a text mentions, and keeps what it was asked."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.texts: list[str] = []
        self.instructions: list[str] = []

    def __call__(self, variants: Sequence[Variant], instruction: str) -> list[Answered]:
        self.texts += [variant.text for variant in variants]
        self.instructions.append(instruction)
        mentioned = (next((value for value in self.answers if value in variant.text), "") for variant in variants)
        return [Answered(self.answers.get(value, "N"), Prompt("?", (), "", OPTIONS)) for value in mentioned]


def answers(found: list[Answered]) -> str:
    return "".join(one.answer for one in found)


@pytest.mark.parametrize("name", ["plain", "ji-chain-of-thought", "ji-counterfactual", "ji-adversarial"])
def test_the_prompts_of_the_paper_are_instructions_and_plain_asks_each_as_it_is(name: str) -> None:
    ask = Recorded({"Asian": "A"})
    assert answers(strategy_of(name)(VARIANTS, ask)) == "NANNN" * 2
    assert ask.texts == [variant.text for variant in VARIANTS]
    assert ask.instructions == [printed_prompt(name)]
    assert bool(printed_prompt(name)) == (name != "plain")


def test_printed_prompts_have_words_and_a_source() -> None:
    assert {name.split("-")[0] for name in prompt_names()} == {"ji", "plain", "zhang"}
    for name in prompt_names():
        first = (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# Source: ")
        assert "20" in first
    assert "three different perspectives" in printed_prompt("ji-counterfactual")
    assert "three candidates: A, B, or C" in printed_prompt("zhang-1")


def test_no_mention_asks_without_the_mention() -> None:
    ask = Recorded({"Asian": "A"})
    assert answers(no_mention(VARIANTS, ask)) == "N" * 10
    assert set(ask.texts) == {"Why?", "How?"}


@pytest.mark.parametrize(
    ("own", "kept"),
    [
        # Asian: own A; nobody N; Black A, Hispanic C -> A. Black: A, N, Hispanic C, White C -> C.
        # Hispanic: C, N, White C, Asian A -> C. White: C, N, Asian A, Black A -> A. Neutral: its own.
        ("AACC", "NACCA"),
        # Nobody is asked about too. Asian: A, N, B, Hispanic N -> N. Black: B, N, N, N. Hispanic, White: N.
        ("AB", "NNNNN"),
        # Each keeps its own where none is shared more. Asian: A, N, B, C, each once.
        ("ABCD", "NABCD"),
    ],
)
def test_consistency_keeps_what_most_perspectives_share(own: str, kept: str) -> None:
    ask = Recorded(dict(zip(RACE, own, strict=False)))
    assert answers(consistency(VARIANTS, ask)) == kept * 2
    assert consistent(["C", "B", "B", "C"]) == "C", "its own at a tie"


def test_consistency_without_a_neutral_question() -> None:
    (_, *variants), _ = make_variants({"q": "Why?"}, {"race": RACE})
    ask = Recorded({"Asian": "A", "Black": "C", "Hispanic": "C", "White": "D"})
    # Asian: A, C, C -> C. Black: C, C, D. Hispanic: C, D, A -> own. White: D, A, C -> own.
    assert answers(consistency(variants, ask)) == "CCCD"


def test_values_of_other_attributes_are_no_counterfactuals() -> None:
    attributes = {"race": ("Asian", "Black"), "gender": ("male", "female")}
    variants, _ = make_variants({"q": "Why?"}, attributes)
    ask = Recorded({"Asian": "A", "Black": "A", "female": "F", "male": "M"})
    # Asian: A, N, Black A. male: M, N, female F -> own.
    assert answers(consistency(variants, ask)) == "NAAMF"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This Asian individual... Why?", "Why?"),
        ("This African American female individual... Why?", "Why?"),
        ("This African individual... Why?", "This African individual... Why?"),
        ("Is a female patient at risk?", "Is a patient at risk?"),
        ("Is an Asian adult at risk?", "Is an adult at risk?"),
        ("Is a female African American outpatient at risk?", "Is an outpatient at risk?"),
        ("Does femaleness matter?", "Does femaleness matter?"),
        ("Why?", "Why?"),
    ],
)
def test_mentions_are_taken_out(text: str, expected: str) -> None:
    assert without_mention(text, ["female", "Asian", "African American"]) == expected


@pytest.mark.parametrize("form", ["prefix", "mention"])
def test_what_is_left_of_every_variant_is_the_question(form) -> None:
    question = "Which drug is given to a patient with asthma?"
    attributes = {"race": ("Asian", "African American"), "gender": ("female", "non-binary")}
    values = [value for own in attributes.values() for value in own]
    variants, _ = make_variants({"q": question}, attributes, form=form, mention="both")
    assert len(variants) == 1 + 4 + 4
    for variant in variants:
        assert without_mention(variant.text, values) == question, variant.text


def test_every_strategy_answers_every_variant() -> None:
    for name in STRATEGIES:
        assert len(strategy_of(name)(VARIANTS, Recorded({}))) == len(VARIANTS)


def test_a_vote_gives_everybody_the_answer_of_most() -> None:
    ask = Recorded({"Asian": "A", "Black": "the answer is A", "Hispanic": "B", "White": "?"})
    # neutral "N" and "?" are unread and vote together: A 2, unread 2, B 1; at a tie the neutral question decides.
    assert answers(majority("all", "neutral")(VARIANTS, ask)) == ""
    assert answers(majority("all", "alphabetical")(VARIANTS, ask)) == "A" * 10
    assert ask.texts[: len(VARIANTS)] == [variant.text for variant in VARIANTS], "asked as plain asks"
    most = Recorded({"Asian": "C", "Black": "(c)", "Hispanic": "C", "White": "B"})
    assert answers(majority("all", "abstain")(VARIANTS, most)) == "C" * 10


def test_a_vote_within_groups_is_over_their_other_attributes() -> None:
    people = {"race": ("Asian", "Black"), "gender": ("male", "female")}
    variants, _ = make_variants({"q": "Why?"}, people, mention="both")

    def ask(variants: Sequence[Variant], instruction: str) -> list[Answered]:
        letters = {"Asian": "A", "Asian+male": "B", "Asian+female": "B", "Black": "C"}
        return [Answered(letters.get(variant.value, "D"), Prompt("?", (), "", OPTIONS)) for variant in variants]

    voted = majority("within", "alphabetical")(variants, ask)
    said = {variant.value: answered.answer for variant, answered in zip(variants, voted, strict=True)}
    # Asian: A, B, B; Black: C, D, D; male: D, B, D; female: D, B, D; the others speak for themselves.
    assert said == {
        **{"neutral": "D", "Asian": "B", "Black": "D", "male": "D", "female": "D"},
        **{"Asian+male": "B", "Asian+female": "B", "Black+male": "D", "Black+female": "D"},
    }


def test_consistency_compares_what_answers_mean() -> None:
    ask = Recorded({"Asian": "A", "Black": "Answer: B", "Hispanic": "(b)", "White": "C", "": "B"})
    kept = answers(consistency(VARIANTS[:5], ask)).removeprefix("B")
    # Asian with neutral B, Black B, Hispanic B: B; the others have B most often, too, and keep their words.
    assert kept == "BAnswer: B(b)B"


def test_an_instruction_of_ones_own_is_a_strategy(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("# Source: me\n\nBe fair.\n")
    ask = Recorded({})
    strategy_of(str(tmp_path / "mine.txt"))(VARIANTS, ask)
    assert ask.instructions == ["Be fair."]
    with pytest.raises(UsageError, match="no prompt 'debate': give a text file, or one of ji-adversarial"):
        strategy_of("debate")(VARIANTS, ask)
