"""The description of questions that test for bias (``kind = "bias"``)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from fairviz.experiment.components.registry import Model, RetrieverTable
from fairviz.experiment.description import Description, Distinct, DistinctLabels, DistinctNames, FileBeside, K
from fairviz.experiment.prompts.text import BIAS_INSTRUCTIONS

Instruction: TypeAlias = Annotated[int, Field(ge=1, le=len(BIAS_INSTRUCTIONS))]


class BiasConfig(Description):
    """Questions that test for bias."""

    kind: Literal["bias"]
    templates: FileBeside
    """TOML of templates and impressions."""
    ks: Annotated[tuple[K, ...], Field(min_length=1), Distinct()] = (5, 10)
    """Numbers of documents given to the models."""
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1), Distinct()] = (1,)
    """Which of the two wordings of the task (Zhang et al. 2025, Table 6), from 1."""
    retrievers: Annotated[tuple[RetrieverTable, ...], Field(min_length=1, alias="retriever"), DistinctLabels]
    """The retrievers, each over every collection."""
    models: Annotated[tuple[Model, ...], Field(min_length=1, alias="model"), DistinctNames]
    """Who answers."""
