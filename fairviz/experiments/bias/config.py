"""The description of questions that test for bias (``kind = "bias"``)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from pydantic import Field, model_validator

from fairviz.experiments.components.registry import GeneratorTable, RetrieverTables
from fairviz.experiments.description import (
    Description,
    DistinctLabels,
    DistinctPrompts,
    FileBeside,
    Files,
    K,
    OneOrMore,
    Parameters,
    Seed,
    Shots,
    Text,
    distinct,
    name_or_file,
    prompt_label,
)
from fairviz.experiments.prompts import prompt_names

if TYPE_CHECKING:
    from fairviz.experiments.bias.material import Material
    from fairviz.experiments.bias.source import BiasSource
    from fairviz.experiments.store import Store

WITHOUT = "w/o RAG"
FULL = "full-set"
Setting: TypeAlias = Literal["w/o RAG", "full-set", "stereo-set", "anti-set"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)


PRINTED = {number: f"zhang-{number}" for number in (1, 2)}
"""Instructions that descriptions called by a number."""

Instruction: TypeAlias = Annotated[
    int | str | Path, name_or_file((*PRINTED, *(name for name in prompt_names() if "." not in name)))
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
    items: Files
    """Questions of BBQ, CBBQ, KoBBQ or JBBQ, also as tables and Parquet."""
    corpus: DocumentTable | None = None
    """The documents with their polarity."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """So many first items are asked, to try a study out; not set: all."""
    shuffle: bool = False
    """Whether the options of each item stand in an order of their own, drawn by the seed."""
    settings: Annotated[tuple[Setting, ...], Field(min_length=1), distinct()] = SETTINGS
    """Without retrieval, and from which part of the collection."""
    k: Annotated[tuple[K, ...], Field(min_length=1), distinct(), OneOrMore] = (5, 10)
    """Numbers of documents given to the models."""
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1), DistinctPrompts] = (1,)
    """Names of prompts or text files; 1 and 2 are zhang-1 and zhang-2 (Zhang et al. 2025, Table 6)."""
    shots: Annotated[tuple[Shots, ...], Field(min_length=1), distinct(), OneOrMore] = (0,)
    """Numbers of examples before a question (8 in the paper's appendix D)."""
    seed: Seed = 0
    """Decides which items are examples, and how options are shuffled."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()
    """The retrievers, each over every collection."""
    generators: Annotated[tuple[GeneratorTable, ...], Field(alias="generator", min_length=1), DistinctLabels, OneOrMore]
    """Who answers."""

    @model_validator(mode="after")
    def _complete(self) -> "BiasConfig":
        if self.retrieves and self.corpus is None:
            raise ValueError('needs corpus, or settings = ["w/o RAG"]')
        if self.retrieves and not self.retrievers:
            raise ValueError('needs a table [[retriever]], or settings = ["w/o RAG"]')
        return self

    @property
    def retrieves(self) -> bool:
        """Whether documents are given in any setting."""
        return self.settings != (WITHOUT,)

    @property
    def named_instructions(self) -> dict[str, str]:
        """Prompt by its name in the column ``instruction``."""
        return {
            str(prompt_label(said)): PRINTED[said] if isinstance(said, int) else str(said) for said in self.instructions
        }

    def material(self) -> "Material":
        """The items and documents.

        Raises:
            InputError: A file cannot be read, or two different items have one language, category and id.
        """
        from fairviz.experiments.bias.material import material_of_files

        return material_of_files(self)

    def source(self, store: "Store") -> "BiasSource":
        """The questions that it describes."""
        from fairviz.experiments.bias.source import BiasSource

        return BiasSource(self, store)
