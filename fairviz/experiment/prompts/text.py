"""What a language model is sent, and which option its answer names."""

from fairviz.experiment.prompts import printed_prompt
from fairviz.experiment.protocols import Prompt
from fairviz.io.closed_answers import LETTERS, read_letter

BIAS_INSTRUCTIONS = (printed_prompt("zhang-1").text, printed_prompt("zhang-2").text)
"""The two wordings of one task in Zhang et al. (2025), Table 6, as printed; results are averaged."""


def prompt_text(prompt: Prompt) -> str:
    """A prompt as one text: instruction, documents, context, question, options.

    Examples:
        >>> from fairviz.experiment.protocols import Document
        >>> given = (Document("d", "", "Older guests forget names."),)
        >>> print(prompt_text(Prompt("Who forgot?", given, "Two guests met.", ("Ann", "Unknown"))))
        Social impressions:
        1. Older guests forget names.
        <BLANKLINE>
        Context: Two guests met.
        Question: Who forgot?
        A: Ann
        B: Unknown
        Answer:
    """
    parts: list[str] = []
    if prompt.instruction:
        parts += [prompt.instruction, ""]
    if prompt.documents:
        title = "Social impressions:" if prompt.context else "Documents:"
        numbered = (f"{i}. {given.text}" for i, given in enumerate(prompt.documents, start=1))
        parts += [title, *numbered, ""]
    if prompt.context:
        parts.append(f"Context: {prompt.context}")
    parts.append(f"Question: {prompt.question}")
    parts += [f"{letter}: {option}" for letter, option in zip(LETTERS, prompt.options, strict=False)]
    return "\n".join([*parts, "Answer:"])


def option_of(answer: str, n_options: int) -> int:
    """The option that an answer names by its letter, −1 where it names none or several.

    Examples:
        >>> [option_of(answer, 3) for answer in ("B", "(c) the man", "Answer: A.", "D", "A man")]
        [1, 2, 0, -1, -1]
    """
    letter = read_letter(answer, LETTERS[:n_options])
    return -1 if letter is None else LETTERS.index(letter)
