"""The description of demographic variants of questions (``kind = "variants"``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

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
from fairviz.experiments.variants.people import ATTRIBUTES, Form
from fairviz.experiments.variants.strategies import (
    MAJORITY,
    STRATEGIES,
    Strategy,
    Voters,
    majority,
    strategy_of,
)
from fairviz.studies.demographic_qa.settings import TieRule

if TYPE_CHECKING:
    from fairviz.experiments.store import Store
    from fairviz.experiments.variants.source import VariantSource

WITHOUT = "w/o RAG"
FULL = "full-set"


class ClosedQuestions(Parameters):
    """Questions with options."""

    questions: FileBeside
    """JSONL of questions, options and the right one."""


class OpenQuestions(Parameters):
    """Questions with reference answers, and who answers them."""

    questions: FileBeside
    references: FileBeside
    generator: GeneratorTable


class Vote(Parameters):
    """Every variant's answer is what most variants chose, asked plainly."""

    voters: Voters = "all"
    """All variants of a question and its neutral one; or, for each group, all variants about it."""
    ties: TieRule = "neutral"
    """The neutral question's answer where it is among the tied ones; no answer; the first given; the first letter."""


StrategyName: TypeAlias = Annotated[str | Path, name_or_file(tuple(STRATEGIES))]

People: TypeAlias = Mapping[Text, Annotated[tuple[Text, ...], Field(min_length=1), distinct()]]


class VariantConfig(Description):
    """Demographic variants of questions."""

    kind: Literal["variants"]
    questions: Files | None = None
    """Questions with options and the right one: our JSONL, MedQA, MedMCQA, MMLU, MIRAGE, AMQA."""
    closed: ClosedQuestions | None = None
    """One such file, whose questions are called "closed"."""
    open: OpenQuestions | None = None
    corpus: Files | None = None
    """JSONL files of documents, together the collection."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """So many first questions of each file are asked, to try a study out; not set: all."""
    shuffle: bool = False
    """Whether the options of each question stand in an order of their own, drawn by the seed."""
    settings: Annotated[tuple[Literal["w/o RAG", "full-set"], ...], Field(min_length=1), distinct()] = (FULL,)
    """Without and with retrieval."""
    k: Annotated[tuple[K, ...], Field(min_length=1), distinct(), OneOrMore] = (15,)
    """Numbers of documents given."""
    ks: Annotated[tuple[K, ...], Field(min_length=1), distinct()] | None = None
    """Asks less: every strategy with the first retriever and k, the first strategy and model with all of these."""
    evidence_at: K = 3
    """The evidence of an answer is right where one of so many first documents is a document that holds the answer."""
    strategies: Annotated[tuple[StrategyName, ...], Field(min_length=1), DistinctPrompts] = ("plain",)
    """Ways to ask, or text files of instructions."""
    vote: Vote | None = None
    """A majority vote over variants, as one strategy more."""
    shots: Annotated[tuple[Shots, ...], Field(min_length=1), distinct(), OneOrMore] = (0,)
    """Numbers of examples before a question."""
    seed: Seed = 0
    """Decides which questions are examples, and how options are shuffled."""
    form: Form = "prefix"
    """How a variant names a person."""
    people: People | None = None
    """Attribute → values; the paper's where it is not set. Questions that bring their people keep them."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()
    """The retrievers."""
    generators: Annotated[tuple[GeneratorTable, ...], Field(alias="generator", min_length=1), DistinctLabels, OneOrMore]
    """Who answers the closed questions."""

    @model_validator(mode="after")
    def _complete(self) -> "VariantConfig":
        if not self.questions and self.closed is None:
            raise ValueError("needs questions")
        if self.questions and self.closed is not None:
            raise ValueError("has questions and [closed]; keep questions")
        if self.retrieves and not (self.corpus and self.retrievers):
            raise ValueError('needs corpus and a table [[retriever]], or settings = ["w/o RAG"]')
        if len(self.question_files) < len(self.questions or (None,)):
            raise ValueError("has two files of questions of one name; rename one")
        return self

    @property
    def retrieves(self) -> bool:
        """Whether documents are given in any setting."""
        return FULL in self.settings

    @property
    def question_files(self) -> dict[str, Path]:
        """Files of questions with options, by what their questions are called."""
        if self.closed is not None:
            return {"closed": self.closed.questions}
        return {path.name.partition(".")[0]: path for path in self.questions or ()}

    @property
    def asked_about(self) -> People:
        """Attribute → values."""
        return self.people or ATTRIBUTES

    @property
    def named_strategies(self) -> dict[str, Strategy]:
        """How is asked, by the name in the column ``strategy``."""
        named = {str(prompt_label(said)): strategy_of(str(said)) for said in self.strategies}
        return named if self.vote is None else {**named, MAJORITY: majority(self.vote.voters, self.vote.ties)}

    def source(self, store: "Store") -> "VariantSource":
        """The questions that it describes."""
        from fairviz.experiments.variants.source import VariantSource

        return VariantSource(self, store)
