"""What a document did for an answer: whether the answer rests on it, and whether it helped (Kim & Diaz 2025)."""

from collections.abc import Sequence
from functools import lru_cache

from fairviz.experiments.components.tokenization import sentences, words
from fairviz.experiments.protocols import Prompt


class LexicalAttributor:
    """A document supports an answer if it holds enough words of one of its sentences.

    Shared words stand in the place of textual entailment: the paper (3.3.3) asks an inference model
    whether a document entails the output. This one sees no paraphrase and no negation, and is named
    as what it is.

    Args:
        threshold: Share of a sentence's distinct words, in (0, 1], that a document must hold.
        name: What to call it.
    """

    def __init__(self, *, threshold: float = 0.6, name: str = "lexical") -> None:
        self.name = name
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
            claimed and len(claimed & held) >= self._threshold * len(claimed)
            for claimed in map(_distinct_words, sentences(answer))
        )


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(words(text))
