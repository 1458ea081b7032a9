"""What a description may set of components that read a file or a model: one class of fields each.

As in :mod:`fairviz.experiment.components.parameters`; paths are relative to the description.
"""

from typing import Annotated, Literal

from pydantic import Field

from fairviz.experiment.components.parameters import Parameters, PositiveShare
from fairviz.experiment.description import FileBeside, FolderThere


class DenseParameters(Parameters):
    """Vectors of an encoder in ONNX; all-MiniLM-L6-v2 where no other is named."""

    folder: FolderThere | None = None
    """A model that is here: model.onnx and tokenizer.json."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors; "dot" for models that are trained so, as Contriever is."""
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] = 256
    """Longer texts are cut; all-MiniLM-L6-v2 was trained on no more than 256."""


class RunFileParameters(Parameters):
    """What another system retrieved."""

    file: FileBeside
    """A TREC run; all documents that it ranks are in the corpus."""


class NliParameters(Parameters):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

    folder: FolderThere
    """A classifier of sentence pairs: model.onnx, tokenizer.json and config.json, whose labels name "entailment"."""
    hypothesis: Literal["answer", "sentences"] = "answer"
    """The whole answer, or each of its sentences, of which one entailed is enough."""
    threshold: PositiveShare = 0.5
    """The probability of entailment that is enough."""
    max_tokens: Annotated[int, Field(ge=16, le=8_192)] = 512
    """Of premise and hypothesis together; the longer one is cut."""


class ScoresParameters(Parameters):
    """A document supports an answer if their recorded score reaches a threshold."""

    file: FileBeside
    """JSONL {doc_id, answer, score}."""
    threshold: float = 0.5
    """The score that is enough."""
