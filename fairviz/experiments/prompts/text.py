"""What a language model is sent, and which option its answer names: one way for every kind of experiment.

Zhang et al. (2025) put the examples at the beginning of the prompt (appendix D), the instruction before the social
impressions, these before the question with its context (their instructions name them in this order), and ask for a
letter. The frame around them ("Context:", "Question:") is ours: the paper shows its own as a picture alone (Figure 5),
and none in Chinese, Japanese or Korean.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fairviz.experiments.protocols import Prompt
from fairviz.io.answer_words import Asked, read_asked
from fairviz.io.bbq_targets import says_unknown
from fairviz.io.closed_answers import LETTERS


class Frame(NamedTuple):
    """What the parts of a prompt are called in a language."""

    impressions: str
    documents: str
    context: str
    question: str
    answer: str


FRAMES = {
    "English": Frame("Social impressions", "Documents", "Context", "Question", "Answer"),
    "Chinese": Frame("社会印象", "文档", "背景", "问题", "答案"),
    "Japanese": Frame("社会的な印象", "文書", "文脈", "質問", "答え"),
    "Korean": Frame("사회적 인상", "문서", "상황", "질문", "답"),
}
"""By language; a language that is not listed is asked in the English frame."""


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
    frame = FRAMES.get(prompt.language, FRAMES["English"])
    parts = [f"{prompt_text(shown)} {answer}\n" for shown, answer in prompt.examples]
    if prompt.instruction:
        parts += [prompt.instruction, ""]
    if prompt.documents:
        title = frame.impressions if prompt.context else frame.documents
        parts += [f"{title}:", *_numbered(prompt), ""]
    if prompt.context:
        parts.append(f"{frame.context}: {prompt.context}")
    parts.append(f"{frame.question}: {prompt.question}")
    parts += [f"{letter}: {option}" for letter, option in zip(LETTERS, prompt.options, strict=False)]
    return "\n".join([*parts, f"{frame.answer}:"])


def _numbered(prompt: Prompt) -> Iterator[str]:
    """The documents, one line each, with their titles."""
    for number, given in enumerate(prompt.documents, start=1):
        yield f"{number}. {given.title}: {given.text}" if given.title else f"{number}. {given.text}"


PLACES: tuple[str, str] = ("{question}", "{documents}")
"""What a template is filled in at."""


def filled(template: str, *, question: str, documents: str) -> str:
    r"""A template with the question and the documents; braces in these are left as they are.

    Examples:
        >>> filled("{documents}\n\n{question}", question="Why {documents}?", documents="1. Because.")
        '1. Because.\n\nWhy {documents}?'
    """
    values: dict[str, str] = dict(zip(PLACES, (question, documents), strict=True))
    return re.sub("|".join(map(re.escape, PLACES)), lambda place: values[place.group()], template).strip()


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
    unknown = [place for place, option in enumerate(options) if says_unknown(option)]
    letters = tuple(LETTERS[: len(options)])
    asked = Asked(options, unknown[0] if len(unknown) == 1 else None, question, letters)
    option = read_asked(answer, asked).option if options else -1
    return letters[option] if option >= 0 else None
