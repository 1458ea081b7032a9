import pytest

from data.make_demo.word_answers import ExtractiveAnswerer
from fairviz.experiments.protocols import Document, Prompt

QUESTION = "How do you cool a burn with tap water?"  # words: cool, burn, tap, water
GOOD = Document("good", "", "Hold the burn under cool tap water. Stay calm.")
FAIR = Document("fair", "", "Ice is no help. Cool water soothes the skin.")
ODD = Document("odd", "", "Bicycles need oil. Water boils.")


def answer(*documents: Document, **parameters: float) -> str:
    return ExtractiveAnswerer(**parameters).answer(Prompt(QUESTION, documents))  # type: ignore[arg-type]


def test_the_best_matching_sentences_in_the_order_given() -> None:
    # "Hold …" shares cool, burn, tap, water = 4; "Cool water …" shares 2; the rest 0 or 1.
    both = "Cool water soothes the skin. Hold the burn under cool tap water."
    assert answer(FAIR, GOOD) == both
    assert answer(FAIR, GOOD, n_sentences=1) == "Hold the burn under cool tap water."


@pytest.mark.parametrize("documents", [(), (ODD,)], ids=["none", "no match"])
def test_without_a_match_the_question_is_said_back(documents: tuple[Document, ...]) -> None:
    assert answer(*documents) == QUESTION  # "Water boils." shares one word, two are asked for


def test_fewer_shared_words_can_be_enough() -> None:
    assert answer(ODD, n_shared=1) == "Water boils."


def test_earlier_documents_win_ties() -> None:
    twin = Document("twin", "", "Cool water is what burns want.")
    assert answer(FAIR, twin, n_sentences=1) == "Cool water soothes the skin."
    assert answer(twin, FAIR, n_sentences=1) == "Cool water is what burns want."


def test_a_better_match_far_down_can_lose() -> None:
    # 4 · 0.4 = 1.6 at rank 2, against 2 at rank 1.
    assert answer(FAIR, GOOD, n_sentences=1, fading=0.4) == "Cool water soothes the skin."


def test_what_was_said_is_not_repeated() -> None:
    again = Document("again", "", "Hold the burn under cool tap water.")
    assert answer(GOOD, again) == "Hold the burn under cool tap water."


def test_equal_prompts_get_equal_answers() -> None:
    prompts = [Prompt(QUESTION, (FAIR, GOOD))] * 3
    assert len(set(ExtractiveAnswerer().generate(prompts))) == 1
