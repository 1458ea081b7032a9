"""Attribution by textual entailment: a document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fairviz.errors import InputError
from fairviz.experiments.components.attributors import Attributor
from fairviz.experiments.components.dense import Encoder, Vectors, encoded, from_hub
from fairviz.experiments.components.tables import PositiveShare
from fairviz.experiments.components.tokenization import sentences
from fairviz.experiments.description import ModelNamed
from fairviz.experiments.protocols import Document, Json, Prompt
from fairviz.experiments.store import Store
from fairviz.extras import need, optional

ENTAILMENT = "entailment"

PER_PART = 32
"""Pairs classified before their probabilities are stored: about a second's work."""


class Nli(Attributor):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

    packages = ("transformers", "torch")

    name: Literal["nli"] = "nli"
    model: ModelNamed
    """A classifier of pairs with a label "entailment", in safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    hypothesis: Literal["answer", "sentences"] = "answer"
    """The whole answer, or each of its sentences, of which one entailed is enough."""
    threshold: PositiveShare = 0.5
    """The probability of entailment that is enough."""
    max_tokens: Annotated[int, Field(ge=16, le=8_192)] = 512
    """Of premise and hypothesis together; the longer one is cut."""

    # The premise is the document, title and text; the hypothesis is the answer, as in the paper, or each of its
    # sentences. An empty answer is supported by nothing. The classifier is one of sentence pairs that was trained on
    # MNLI or its like, such as the paper's RoBERTa. It is loaded with the first pair.

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and model."""
        weights = {"model": self.model, "revision": self.revision, "max_tokens": self.max_tokens}
        return {"component": "nli", **weights}

    def prepare(self) -> None:
        """Tell which package is missing.

        Raises:
            UsageError: One is.
        """
        need("nli", {"transformers": "nli", "torch": "nli"})

    def attribute(
        self, prompts: Sequence[Prompt], answers: Sequence[str], numbers: Store | None = None
    ) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents entail it.

        Raises:
            InputError: The classifier cannot be loaded, or has no label of entailment.
        """
        asked = [
            [self._pairs(document, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        pairs = [pair for of_answer in asked for of_document in of_answer for pair in of_document]
        probabilities = encoded(pairs, Encoder(self.identity, self._classified), numbers)
        entailed = {pair: bool(of_pair[0] >= self.threshold) for pair, of_pair in probabilities.items()}
        return [[any(entailed[pair] for pair in of_document) for of_document in of_answer] for of_answer in asked]

    def _classified(self, texts: Sequence[tuple[str, str]]) -> Iterator[tuple[Sequence[int], Vectors]]:
        """(B, 1) the probability that the first of a pair entails the second, some pairs at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            pairs = [{"text": texts[place][0], "text_pair": texts[place][1]} for place in part]
            of_pairs: Any = self._classifier(pairs, top_k=None, truncation=True, max_length=self.max_tokens)
            yield part, np.array([[self._entailment(of_pair)] for of_pair in of_pairs], dtype=np.float32)

    @cached_property
    def _classifier(self) -> Any:
        package = optional("transformers", extra="nli", component="nli")
        load = partial(package.pipeline, "text-classification", model=self.model)
        return from_hub(load, self.model, self.revision)

    def _entailment(self, classes: Sequence[Mapping[str, Any]]) -> float:
        by_label = {str(one["label"]).lower(): float(one["score"]) for one in classes}
        if ENTAILMENT not in by_label:
            fix = "Take a classifier of entailment, whose config.json names its classes so."
            raise InputError(f'no label is "{ENTAILMENT}"; labels: {", ".join(by_label)}', file=self.model, fix=fix)
        return by_label[ENTAILMENT]

    def _pairs(self, document: Document, answer: str) -> list[tuple[str, str]]:
        premise = f"{document.title} {document.text}".strip()
        claims = [answer.strip()] if self.hypothesis == "answer" else sentences(answer)
        return [(premise, claim) for claim in claims if claim]
