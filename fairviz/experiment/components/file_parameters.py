"""What a description may set of components that read a file or a model: one class of fields each.

As in :mod:`fairviz.experiment.components.parameters`; paths are relative to the description.
"""

from typing import Annotated, Literal

from pydantic import Field

from fairviz.experiment.components.parameters import Parameters
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
