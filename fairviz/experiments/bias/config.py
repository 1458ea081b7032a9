"""The description of questions that test for bias (``kind = "bias"``)."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from fairviz.experiments.components.parameters import Parameters
from fairviz.experiments.components.registry import GeneratorTable, Model, RetrieverTables, refuse_equal_names
from fairviz.experiments.description import (
    Description,
    Distinct,
    DistinctLabels,
    DistinctNames,
    DistinctPrompts,
    FileBeside,
    Files,
    K,
    NameOrFile,
    OneOf,
    OneOrMore,
    Seed,
    Shots,
    Text,
    prompt_label,
)
from fairviz.experiments.prompts import prompt_names

WITHOUT = "w/o RAG"
FULL = "full-set"
SETTINGS = (WITHOUT, FULL, "stereo-set", "anti-set")


PRINTED = {number: f"zhang-{number}" for number in (1, 2)}
"""Instructions that descriptions called by a number."""

Instruction: TypeAlias = Annotated[
    int | str | Path, NameOrFile((*PRINTED, *(name for name in prompt_names() if "." not in name)))
]


class DocumentTable(Parameters):
    """Documents in a table, and what its columns are called."""

    file: FileBeside
    """TSV, CSV, JSON Lines or Parquet."""
    id: Text = "doc_id"
    text: Text = "text"
    polarity: Text = "polarity"
    """stereo, anti or neutral."""
    title: Text = "title"
    """May be missing."""


class BiasConfig(Description):
    """Questions that test for bias."""

    kind: Literal["bias"]
    templates: FileBeside | None = None
    """TOML of templates and impressions; or items and documents."""
    items: Files | None = None
    """Questions of BBQ, CBBQ, KoBBQ or JBBQ, also as tables and Parquet."""
    documents: DocumentTable | None = None
    """The collection with its polarity."""
    settings: Annotated[tuple[Annotated[str, OneOf(SETTINGS)], ...], Field(min_length=1), Distinct()] = SETTINGS
    """Without retrieval, and from which part of the collection."""
    k: Annotated[tuple[K, ...], Field(min_length=1), Distinct(), OneOrMore()] = (5, 10)
    """Numbers of documents given to the models."""
    ks: Annotated[tuple[K, ...], Field(min_length=1), Distinct()] | None = None
    """k by its former name."""
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1), DistinctPrompts] = (1,)
    """Names of prompts or text files; 1 and 2 are zhang-1 and zhang-2 (Zhang et al. 2025, Table 6)."""
    shots: Annotated[tuple[Shots, ...], Field(min_length=1), Distinct(), OneOrMore()] = (0,)
    """Numbers of examples before a question (8 in the paper's appendix D)."""
    seed: Seed = 0
    """Decides which items are examples."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()
    """The retrievers, each over every collection."""
    models: Annotated[tuple[Model, ...], Field(alias="model"), DistinctNames] = ()
    """Who answers, with a memory."""
    generators: Annotated[tuple[GeneratorTable, ...], Field(alias="generator"), DistinctLabels, OneOrMore()] = ()
    """Who answers."""

    @model_validator(mode="after")
    def _complete(self) -> "BiasConfig":
        if (self.templates is None) == (not self.items):
            raise ValueError("needs either templates or items")
        if self.retrieves and self.items and self.documents is None:
            raise ValueError('needs documents, or settings = ["w/o RAG"]')
        if self.retrieves and not self.retrievers:
            raise ValueError('needs a table [[retriever]], or settings = ["w/o RAG"]')
        if self.ks is not None and "k" in self.model_fields_set:
            raise ValueError("has k and ks; keep k")
        refuse_equal_names(self.models, self.generators)
        return self

    @property
    def retrieves(self) -> bool:
        """Whether documents are given in any setting."""
        return self.settings != (WITHOUT,)

    @property
    def depths(self) -> tuple[int, ...]:
        """Numbers of documents given to the models."""
        return self.ks or self.k

    @property
    def named_instructions(self) -> dict[str, str]:
        """Prompt by its name in the column ``instruction``."""
        return {
            str(prompt_label(said)): PRINTED[said] if isinstance(said, int) else str(said) for said in self.instructions
        }
