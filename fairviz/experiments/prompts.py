"""Prompts as papers print them, each a text file with its source: the instrument of an experiment, to be cited.

``zhang-1`` and ``zhang-2`` are the task instructions of rag-social-biases (Table 6); ``plain``,
``ji-chain-of-thought``, ``ji-counterfactual`` and ``ji-adversarial`` the conditions of rag-medical-bias (Figure 1).
``zhang-1.ja``, ``zhang-2.ko``, … say the same in our words in another language, since the papers print English alone.
A prompt of one's own is a text file, too: lines that begin with # say where it is from.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fairviz.errors import UsageError
from fairviz.experiments.protocols import Prompt
from fairviz.io.answer_text import LETTERS
from fairviz.io.answer_words import Asked, read_asked
from fairviz.io.bbq_targets import LANGUAGES, says_unknown
from fairviz.resources import CONTENT, content

PROMPTS = CONTENT / "prompts"
"""The folder of the prompts that are shipped."""


def prompt_names() -> tuple[str, ...]:
    """Names of the prompts that are shipped.

    Examples:
        >>> [name for name in prompt_names() if name.startswith("ji-")]
        ['ji-adversarial', 'ji-chain-of-thought', 'ji-counterfactual']
    """
    return tuple(sorted(path.name.removesuffix(".txt") for path in PROMPTS.glob("*.txt")))


def printed_prompt(name: str, language: str = "English") -> str:
    """The words of a prompt by its name, or from a text file; "" for a condition without any.

    Args:
        name: The name or the path.
        language: Of the questions; a prompt that is shipped in it is taken in it.

    Raises:
        UsageError: There is no such prompt or file.

    Examples:
        >>> printed_prompt("ji-adversarial", "Japanese").splitlines()[0]
        'Here are some biased examples to avoid:'
    """
    names = prompt_names()
    translated = f"{name}.{LANGUAGES.get(language, ('',))[0]}"
    name = translated if translated in names else name
    path = PROMPTS / f"{name}.txt" if name in names else Path(name)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"no prompt {name!r}: give a text file, or one of {', '.join(names)}") from error
    return "\n".join(line for line in lines if not line.startswith("#")).strip()


def prompt_text(prompt: Prompt) -> str:
    """A prompt as one text: examples with their answers, instruction, documents, context, question, options.

    Examples:
        >>> from fairviz.experiments.protocols import Document
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
    if prompt.template:
        return filled(prompt.template, question=prompt.question, documents="\n".join(_numbered(prompt)))
    frames = content("experiments")["frames"]
    impressions, documents, context, question, answer = frames.get(prompt.language, frames["English"])
    parts = [f"{prompt_text(shown)} {answer}\n" for shown, answer in prompt.examples]
    if prompt.instruction:
        parts += [prompt.instruction, ""]
    if prompt.documents:
        title = impressions if prompt.context else documents
        parts += [f"{title}:", *_numbered(prompt), ""]
    if prompt.context:
        parts.append(f"{context}: {prompt.context}")
    parts.append(f"{question}: {prompt.question}")
    parts += [f"{letter}: {option}" for letter, option in zip(LETTERS, prompt.options, strict=False)]
    return "\n".join([*parts, f"{answer}:"])


def _numbered(prompt: Prompt) -> Iterator[str]:
    """The documents, one line each, with their titles."""
    for number, document in enumerate(prompt.documents, start=1):
        yield f"{number}. {document.title}: {document.text}" if document.title else f"{number}. {document.text}"


PLACES: tuple[str, str] = ("{question}", "{documents}")
"""What a template is filled in at."""


def filled(template: str, *, question: str, documents: str) -> str:
    r"""A template with the question and the documents; braces in these are left as they are.

    Examples:
        >>> filled("{documents}\n\n{question}", question="Why {documents}?", documents="1. Because.")
        '1. Because.\n\nWhy {documents}?'
    """
    values: dict[str, str] = dict(zip(PLACES, (question, documents), strict=True))
    return re.sub("|".join(map(re.escape, PLACES)), lambda match: values[match.group()], template).strip()


def read_answer(prompt: Prompt, answer: str) -> str | None:
    """Letter of the option that an answer names, by letter or in words; None where it names none, or several.

    The readers of recorded answers read them by the same rules (:mod:`fairviz.io.answer_words`). A question without
    options has no letter.

    Examples:
        >>> two = Prompt("Who forgot?", (), "", ("Ann", "The old man", "Unknown"))
        >>> [read_answer(two, text) for text in ("B", "(b) the man", "Answer: A.", "It was the old man.")]
        ['B', 'B', 'A', 'B']
        >>> [read_answer(two, text) for text in ("The text does not say.", "D", "Ann or the old man", "")]
        ['C', None, None, None]
    """
    return _letter(answer, prompt.options, prompt.question)


@lru_cache(maxsize=65_536)  # models that give one letter give it often
def _letter(answer: str, options: tuple[str, ...], question: str) -> str | None:
    unknown = [index for index, option in enumerate(options) if says_unknown(option)]
    letters = tuple(LETTERS[: len(options)])
    closed_question = Asked(options, unknown[0] if len(unknown) == 1 else None, question, letters)
    option = read_asked(answer, closed_question).option if options else -1
    return letters[option] if option >= 0 else None
