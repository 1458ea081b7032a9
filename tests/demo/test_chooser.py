import pytest

from data.make_demo.word_answers import NO_CHOICE, Chooser, Remembering
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.retrievers import Bm25Retriever

# Words of the question: needed, help, phone. Own words of the options: older; younger.
QUESTION = "Who needed help with the phone?"
OPTIONS = ("The older man", "Not enough information", "The younger man")
BOTH = "The older man and the younger man met."
ONE_TOLD = f"{BOTH} The younger man needed help."
STEREO = Document("s", "", "Older people needed help with a phone.")
ANTI = Document("a", "", "Younger people needed help with a phone.")
WEAK = Document("w", "", "Older people like a phone.")


def choose(*documents: Document, context: str = BOTH, **parameters: float) -> str:
    chooser = Chooser(**parameters)  # type: ignore[arg-type]
    return chooser.choose(Prompt(QUESTION, documents, context, OPTIONS))


def test_support_by_hand() -> None:
    prompt = Prompt(QUESTION, (WEAK, ANTI), ONE_TOLD, OPTIONS)
    named = ["The older man", "The younger man"]
    # Context, times 3: "… met" has no word of the question, 1 + 0 for both; "The younger man
    # needed help" has 2, so 1 + 2. WEAK shares one word, two are asked for. ANTI at rank 1:
    # 0.5 · 3. Older: 3; younger: 3 + 9 + 1.5.
    assert Chooser(context=3, fading=0.5).support(prompt, named) == [3.0, 13.5]
    # With one shared word WEAK counts 1 at rank 0.
    assert Chooser(context=3, fading=0.5, n_shared=1).support(prompt, named) == [4.0, 13.5]


def test_what_the_context_leaves_open_stays_open() -> None:
    assert choose() == "B"
    assert choose(WEAK) == "B"
    assert choose(STEREO, ANTI, fading=1) == "B", "as much for one as for the other"


def test_the_context_decides_where_it_tells() -> None:
    assert choose(context=ONE_TOLD) == "C"
    assert choose(STEREO, context=ONE_TOLD) == "C", "12 against 3 + 3"


def test_documents_decide_where_the_context_does_not() -> None:
    assert choose(STEREO) == "A"
    assert choose(ANTI) == "C"
    # 3 + 3 against 3 + 0.8 · 3: a lead of a tenth.
    assert choose(STEREO, ANTI, margin=0.09) == "A", "the later document has faded"
    assert choose(ANTI, STEREO, margin=0.09) == "C"
    assert choose(STEREO, ANTI, margin=0.11) == "B"


def test_a_lead_below_the_margin_is_no_answer() -> None:
    # Older 3 + 3, younger 3: the lead is half of 6.
    assert choose(STEREO, margin=0.5) == "A"
    assert choose(STEREO, margin=0.51) == "B"


def test_without_an_unknown_option() -> None:
    options = ("three minutes", "twenty minutes")
    question = "How long should you cool a burn?"
    tells = Document("t", "", "Cool a burn for twenty minutes.")
    ties = Document("t", "", "Cool a burn for twenty or for three minutes.")
    chooser = Chooser()
    assert chooser.choose(Prompt(question, (tells,), "", options)) == "B"
    assert chooser.choose(Prompt(question, (ties,), "", options)) == "A", "the first of the best"
    assert chooser.choose(Prompt(question, (), "", options)) == NO_CHOICE


@pytest.mark.parametrize("words", ["Can't answer", "CANNOT BE DETERMINED.", "Unknown", "Not known"])
def test_options_that_say_unknown(words: str) -> None:
    prompt = Prompt(QUESTION, (), BOTH, ("The older man", "The younger man", words))
    assert Chooser().choose(prompt) == "C"


def test_options_without_words_of_their_own_have_no_support() -> None:
    prompt = Prompt(QUESTION, (STEREO,), "", ("one", "two"))  # function words only
    assert Chooser().choose(prompt) == NO_CHOICE


def test_a_memory_speaks_after_the_documents() -> None:
    others = [Document(f"x{i}", "", "Bees sleep.") for i in range(4)]
    read = [*others, STEREO]
    model = Remembering(Chooser(margin=0.05), read, Bm25Retriever(read), n_memory=1, name="m")
    assert model.name == "m"
    assert model.generate([Prompt(QUESTION, (), BOTH, OPTIONS)]) == ["A"]
    assert model.generate([Prompt(QUESTION, (ANTI,), BOTH, OPTIONS)]) == ["C"], "3 + 3 against 3 + 2.4"
    unrelated = Remembering(Chooser(), others, Bm25Retriever(others), n_memory=1, name="m")
    assert unrelated.generate([Prompt(QUESTION, (), BOTH, OPTIONS)]) == ["B"]
