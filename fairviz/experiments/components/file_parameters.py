"""What a description may set of components that read a file or a model: one class of fields each.

As in :mod:`fairviz.experiments.components.parameters`; paths are relative to the description.
"""

from typing import Annotated, Literal

from pydantic import Field

from fairviz.experiments.components.parameters import Parameters, PositiveShare
from fairviz.experiments.description import FileBeside, ModelNamed


class DenseParameters(Parameters):
    """Vectors of a model of sentence-transformers, such as all-MiniLM-L6-v2 or Contriever."""

    model: ModelNamed = "sentence-transformers/all-MiniLM-L6-v2"
    """In safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors; "dot" for models that are trained so, as Contriever is."""
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] | None = None
    """Longer texts are cut; not set: as the model does."""


class RunFileParameters(Parameters):
    """What another system retrieved."""

    file: FileBeside
    """A TREC run; all documents that it ranks are in the corpus."""


class NliParameters(Parameters):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

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


class ScoresParameters(Parameters):
    """A document supports an answer if their recorded score reaches a threshold."""

    file: FileBeside
    """JSONL {doc_id, answer, score}."""
    threshold: float = 0.5
    """The score that is enough."""
