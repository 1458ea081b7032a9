"""A lexical attributor: shared words in the place of textual entailment.

Towards Fair RAG (3.3.3) asks an inference model whether a document entails the output; this one
asks whether the document holds the words of one of its sentences. It sees no paraphrase and no
negation, and is named as what it is.
"""

from collections.abc import Sequence
from functools import lru_cache

from fairviz.experiment.protocols import Prompt
from fairviz.experiment.words import sentences, words


class LexicalAttributor:
    """A document supports an answer if it holds enough words of one of its sentences.

    Args:
        threshold: Share of a sentence's distinct words, in (0, 1], that a document must hold.
    """

    name = "lexical"

    def __init__(self, *, threshold: float = 0.6) -> None:
        self._threshold = threshold

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents support it."""
        return [
            [self.supports(document.text, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]

    def supports(self, text: str, answer: str) -> bool:
        """Whether a text holds enough of one sentence of the answer; empty sentences never."""
        held = _distinct_words(text)
        return any(
            said and len(said & held) >= self._threshold * len(said) for said in map(_distinct_words, sentences(answer))
        )


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(words(text))
