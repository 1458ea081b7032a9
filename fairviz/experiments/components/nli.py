"""Attribution by textual entailment: a document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from fairviz.errors import InputError
from fairviz.experiments.components.dense import Encoded, encoded
from fairviz.experiments.components.tokenization import sentences
from fairviz.experiments.protocols import Document, Json, Numbers, Prompt
from fairviz.extras import need, optional

Hypothesis: TypeAlias = Literal["answer", "sentences"]

ENTAILMENT = "entailment"

PER_PART = 32
"""Pairs classified before their probabilities are stored: about a second's work."""


class NliAttributor:
    """A document supports an answer if it entails it with at least some probability.

    The premise is the document, title and text; the hypothesis is the answer, as in the paper, or each of its
    sentences, of which one entailed is enough. An empty answer is supported by nothing. The classifier is one of
    sentence pairs that was trained on MNLI or its like, such as the paper's RoBERTa; one of its labels is
    "entailment". It is loaded with the first pair.

    Args:
        name: Shown beside attribution measures.
        model: The classifier, in safetensors: a folder, or a name on the hub.
        revision: The commit on the hub; "" for the newest.
        hypothesis: "answer" or "sentences".
        threshold: The probability of entailment that is enough.
        max_tokens: Of premise and hypothesis together; the longer one is cut.
        numbers: Where probabilities are kept.

    Raises:
        UsageError: A package is missing.
    """

    def __init__(
        self,
        *,
        name: str = "nli",
        model: str,
        revision: str = "",
        hypothesis: Hypothesis = "answer",
        threshold: float = 0.5,
        max_tokens: int = 512,
        numbers: Numbers | None = None,
    ) -> None:
        need("nli", {"transformers": "nli", "torch": "nli"})
        self.name = name
        self._settings: Mapping[str, Json] = {"model": model, "revision": revision, "max_tokens": max_tokens}
        self._model, self._revision = model, revision
        self._hypothesis = hypothesis
        self._threshold = threshold
        self._max_tokens = max_tokens
        self._numbers = numbers

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and model."""
        return {"component": "nli", **self._settings}

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents entail it.

        Raises:
            InputError: The classifier cannot be loaded, or has no label of entailment.
        """
        asked = [
            [self._pairs(document, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        pairs = [pair for of_answer in asked for of_document in of_answer for pair in of_document]
        probabilities = encoded(pairs, self, self._numbers)
        entailed = {pair: bool(of_pair[0] >= self._threshold) for pair, of_pair in probabilities.items()}
        return [[any(entailed[pair] for pair in of_document) for of_document in of_answer] for of_answer in asked]

    def encode(self, texts: Sequence[tuple[str, str]]) -> Iterator[Encoded]:
        """(B, 1) the probability that the first of a pair entails the second, some pairs at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            pairs = [{"text": texts[place][0], "text_pair": texts[place][1]} for place in part]
            of_pairs: Any = self._classifier(pairs, top_k=None, truncation=True, max_length=self._max_tokens)
            yield Encoded(part, np.array([[self._entailment(of_pair)] for of_pair in of_pairs], dtype=np.float32))

    @cached_property
    def _classifier(self) -> Any:
        package = optional("transformers", extra="nli", component="nli")
        safe = {"use_safetensors": True}  # never pickles
        try:
            return package.pipeline(
                "text-classification", model=self._model, revision=self._revision or None, model_kwargs=safe
            )
        except (OSError, ValueError) as error:
            reason = f"cannot be loaded ({error})"
            fix = "Give a folder or a name on the hub, in safetensors."
            raise InputError(reason, file=self._model, fix=fix) from error

    def _entailment(self, classes: Sequence[Mapping[str, Any]]) -> float:
        by_label = {str(one["label"]).lower(): float(one["score"]) for one in classes}
        if ENTAILMENT not in by_label:
            fix = "Take a classifier of entailment, whose config.json names its classes so."
            raise InputError(f'no label is "{ENTAILMENT}"; labels: {", ".join(by_label)}', file=self._model, fix=fix)
        return by_label[ENTAILMENT]

    def _pairs(self, document: Document, answer: str) -> list[tuple[str, str]]:
        premise = f"{document.title} {document.text}".strip()
        claims = [answer.strip()] if self._hypothesis == "answer" else sentences(answer)
        return [(premise, claim) for claim in claims if claim]
