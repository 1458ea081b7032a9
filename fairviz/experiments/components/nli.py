"""Attribution by textual entailment: a document supports an answer that it entails (Kim & Diaz 2025, 3.3.3).

Any classifier of sentence pairs will do that was trained on MNLI or its like, such as the paper's RoBERTa, in ONNX or
in safetensors; the labels in its config.json name "entailment".
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.onnx_model import OnnxModel
from fairviz.experiments.components.safetensors_model import PairModel
from fairviz.experiments.components.tokenization import sentences
from fairviz.experiments.components.vectors import Encoded, Encoder, Vectors, encoded
from fairviz.experiments.protocols import Document, Json, Numbers, Prompt

Hypothesis: TypeAlias = Literal["answer", "sentences"]

ENTAILMENT = "entailment"

PER_PART = 32
"""Pairs classified before their probabilities are stored: about a second's work."""


class NliAttributor:
    """A document supports an answer if it entails it with at least some probability.

    The premise is the document, title and text; the hypothesis is the answer, as in the paper, or each of its
    sentences, of which one entailed is enough. An empty answer is supported by nothing.

    Args:
        name: Shown beside attribution measures.
        folder: Holds model.onnx, tokenizer.json and config.json.
        model: Of the package transformers, in safetensors: a folder or the name of an installed one, in the place of
            ``folder``.
        hypothesis: "answer" or "sentences".
        threshold: The probability of entailment that is enough.
        max_tokens: Of premise and hypothesis together; the longer one is cut.
        numbers: Where probabilities are kept.

    Raises:
        InputError: The model cannot be read, or has no label of entailment.
        UsageError: None is named, or it is not there.
    """

    def __init__(
        self,
        *,
        name: str = "nli",
        folder: Path | None = None,
        model: str | None = None,
        hypothesis: Hypothesis = "answer",
        threshold: float = 0.5,
        max_tokens: int = 512,
        numbers: Numbers | None = None,
    ) -> None:
        self.name = name
        self._hypothesis = hypothesis
        self._threshold = threshold
        self._numbers = numbers
        if model is not None:
            classes = PairModel(model, max_tokens=max_tokens, component="nli")
            folder = classes.folder
        elif folder is not None:
            files = folder / "model.onnx", folder / "tokenizer.json"
            classes = OnnxModel(*files, max_tokens=max_tokens, component="nli")
        else:
            raise UsageError("nli needs a classifier: folder, in ONNX, or model, in safetensors")
        self._place = entailment_place(folder / "config.json")
        self._model: Encoder[tuple[str, str]] = PairClassifier(classes)

    @property
    def identity(self) -> Mapping[str, Json]:
        """The classifier's."""
        return self._model.identity

    @property
    def encoder(self) -> Encoder[tuple[str, str]]:
        """The classifier, which computes what is dear."""
        return self._model

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents entail it."""
        asked = [
            [self._pairs(document, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        pairs = [pair for of_answer in asked for of_document in of_answer for pair in of_document]
        found = encoded(pairs, self._model, self._numbers)
        entailed = {pair: bool(of_pair[self._place] >= self._threshold) for pair, of_pair in found.items()}
        return [[any(entailed[pair] for pair in of_document) for of_document in of_answer] for of_answer in asked]

    def _pairs(self, document: Document, answer: str) -> list[tuple[str, str]]:
        premise = f"{document.title} {document.text}".strip()
        claims = [answer.strip()] if self._hypothesis == "answer" else sentences(answer)
        return [(premise, claim) for claim in claims if claim]


class PairClassifier:
    """Probabilities of the classes of a pair.

    Args:
        model: Gives logits.
    """

    def __init__(self, model: OnnxModel | PairModel) -> None:
        self._model = model

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, and sha256 of weights and tokenizer."""
        return {"component": "nli", **self._model.identity}

    def encode(self, texts: Sequence[tuple[str, str]]) -> Iterator[Encoded]:
        """Probabilities of pairs, some at a time."""
        for start in range(0, len(texts), PER_PART):
            part = range(start, min(start + PER_PART, len(texts)))
            logits = np.stack(list(self._model.outputs([texts[place] for place in part])))
            yield Encoded(part, _softmax(logits))


def _softmax(logits: Vectors) -> Vectors:
    odds = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return (odds / odds.sum(axis=1, keepdims=True)).astype(np.float32)


def entailment_place(config: Path) -> int:
    """Which class is entailment, by the labels in a model's config.json.

    Raises:
        InputError: The file cannot be read, or no label is entailment.
    """
    try:
        said: Any = json.loads(config.read_bytes())
    except (OSError, ValueError) as error:
        fix = "A model's folder holds its weights, tokenizer.json and config.json."
        raise InputError(f"cannot be read ({error})", file=str(config), fix=fix) from error
    named: Any = cast("dict[str, Any]", said).get("id2label") if isinstance(said, dict) else None
    labels = cast("dict[str, object]", named) if isinstance(named, dict) else {}
    for place, label in labels.items():
        if str(label).lower() == ENTAILMENT and place.isdecimal():
            return int(place)
    listed = ", ".join(map(str, labels.values())) or "none"
    fix = 'Name the classes in config.json: "id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"}.'
    raise InputError(f'no label is "{ENTAILMENT}"; labels: {listed}', file=str(config), fix=fix)
