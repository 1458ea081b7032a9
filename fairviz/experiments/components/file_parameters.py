"""What a description may set of components that read a file or a model: one class of fields each.

As in :mod:`fairviz.experiments.components.parameters`; paths are relative to the description.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fairviz.experiments.components.parameters import Parameters, PositiveShare
from fairviz.experiments.description import FileBeside, FolderThere, ModelNamed


class DenseParameters(Parameters):
    """Vectors of an encoder in ONNX or of sentence-transformers; all-MiniLM-L6-v2 where no other is named."""

    folder: FolderThere | None = None
    """An encoder in ONNX: model.onnx and tokenizer.json."""
    model: ModelNamed | None = None
    """Of sentence-transformers, in safetensors: a folder, an installed package, or a name in the hub's cache."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors; "dot" for models that are trained so, as Contriever is."""
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] = 256
    """Longer texts are cut; all-MiniLM-L6-v2 was trained on no more than 256."""

    @model_validator(mode="after")
    def _one_encoder(self) -> Self:
        if self.folder is not None and self.model is not None:
            raise ValueError("has folder and model; name one of them")
        return self


class RunFileParameters(Parameters):
    """What another system retrieved."""

    file: FileBeside
    """A TREC run; all documents that it ranks are in the corpus."""


class NliParameters(Parameters):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

    folder: FolderThere | None = None
    """A classifier of pairs in ONNX: model.onnx, tokenizer.json and config.json, whose labels name "entailment"."""
    model: ModelNamed | None = None
    """One of transformers, in safetensors: a folder, an installed package, or a name in the hub's cache."""
    hypothesis: Literal["answer", "sentences"] = "answer"
    """The whole answer, or each of its sentences, of which one entailed is enough."""
    threshold: PositiveShare = 0.5
    """The probability of entailment that is enough."""
    max_tokens: Annotated[int, Field(ge=16, le=8_192)] = 512
    """Of premise and hypothesis together; the longer one is cut."""

    @model_validator(mode="after")
    def _one_classifier(self) -> Self:
        if (self.folder is None) == (self.model is None):
            raise ValueError("needs either folder, in ONNX, or model, in safetensors")
        return self


class ScoresParameters(Parameters):
    """A document supports an answer if their recorded score reaches a threshold."""

    file: FileBeside
    """JSONL {doc_id, answer, score}."""
    threshold: float = 0.5
    """The score that is enough."""
