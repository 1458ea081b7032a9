from fairviz.experiments.attributors import Lexical
from fairviz.experiments.protocols import Document, Prompt

# Words of the sentence: hold, burn, under, cool, tap, water = 6.
SENTENCE = "Hold the burn under cool tap water."


def test_containment_by_hand() -> None:
    attributor = Lexical(threshold=0.5)
    assert attributor.supports(1, Document("d", "", "cool tap water"), SENTENCE)  # 3 of 6
    assert not attributor.supports(1, Document("d", "", "cool tap"), SENTENCE)  # 2 of 6


def test_one_supported_sentence_is_enough() -> None:
    assert Lexical().supports(1, Document("d", "", "Bicycles need oil."), f"{SENTENCE} Bicycles need oil.")


def test_word_order_and_length_of_the_document_do_not_matter() -> None:
    text = "Water from the tap, cool or not, under a burn: hold on. " + "Much else. " * 50
    assert Lexical(threshold=1).supports(1, Document("d", "", text), SENTENCE)


def test_an_answer_without_words_is_supported_by_nothing() -> None:
    assert not Lexical().supports(1, Document("d", "", "anything"), "So it is.")


def test_each_given_document_is_judged() -> None:
    documents = (Document("a", "", SENTENCE), Document("b", "", "Oil."))
    found = Lexical().attribute([Prompt("?", documents), Prompt("?", ())], [SENTENCE, ""])
    assert found == [[True, False], []]
