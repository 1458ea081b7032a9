from fairviz.experiment.prompts.text import BIAS_INSTRUCTIONS, option_of, prompt_text
from fairviz.experiment.protocols import Document, Prompt

DOCUMENTS = (Document("a", "A title", "First."), Document("b", "", "Second."))


def test_the_whole_prompt_in_its_order() -> None:
    prompt = Prompt("Who?", DOCUMENTS, "Two met.", ("Ann", "Bob", "Unknown"), BIAS_INSTRUCTIONS[0])
    assert prompt_text(prompt).splitlines() == [
        BIAS_INSTRUCTIONS[0],
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
    assert prompt_text(Prompt("Why?", DOCUMENTS)).startswith("Documents:\n1. First.")


def test_letters_beyond_the_options_are_no_choice() -> None:
    assert [option_of(answer, 3) for answer in ("C", "D", "", "unknown")] == [2, -1, -1, -1]
    assert option_of("D", 4) == 3
