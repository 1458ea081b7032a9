"""The description of demographic variants of questions (``kind = "variants"``)."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from fairviz.experiment.components.parameters import Parameters
from fairviz.experiment.components.registry import GeneratorTable, Model, RetrieverTable
from fairviz.experiment.description import (
    Description,
    Distinct,
    DistinctLabels,
    DistinctNames,
    FileBeside,
    K,
    OneOf,
    Text,
)
from fairviz.experiment.variants.people import ATTRIBUTES, Form
from fairviz.experiment.variants.strategies import FORMER_NAMES, STRATEGIES


class ClosedQuestions(Parameters):
    """Questions with options."""

    questions: FileBeside
    """JSONL of questions, options and the right one."""


class OpenQuestions(Parameters):
    """Questions with reference answers, and who answers them."""

    questions: FileBeside
    references: FileBeside
    generator: GeneratorTable


def _of_today(name: object) -> object:
    """A strategy by the name that it has now."""
    return FORMER_NAMES.get(name, name) if isinstance(name, str) else name


Strategy: TypeAlias = Annotated[str, OneOf(tuple(STRATEGIES)), BeforeValidator(_of_today)]


class VariantConfig(Description):
    """Demographic variants of questions."""

    kind: Literal["variants"]
    corpus: Annotated[tuple[FileBeside, ...], Field(min_length=1), Distinct()]
    """JSONL files of documents, together the collection."""
    ks: Annotated[tuple[K, ...], Field(min_length=1), Distinct()] = (10, 15, 20)
    """Numbers of documents given; every retriever with each of them, by the first strategy and the first model."""
    k: K = 15
    """Documents given by the first retriever to every model under every strategy."""
    evidence_at: K = 3
    """The evidence of an answer is right where one of so many first documents is a document that holds the answer."""
    strategies: Annotated[tuple[Strategy, ...], Field(min_length=1), Distinct(of=_of_today)] = ("plain",)
    """Ways to ask."""
    form: Form = "prefix"
    """How a variant names a person."""
    attributes: Mapping[Text, Annotated[tuple[Text, ...], Field(min_length=1), Distinct()]] = ATTRIBUTES
    """Attribute → values."""
    closed: ClosedQuestions
    open: OpenQuestions | None = None
    retrievers: Annotated[tuple[RetrieverTable, ...], Field(min_length=1, alias="retriever"), DistinctLabels]
    models: Annotated[tuple[Model, ...], Field(min_length=1, alias="model"), DistinctNames]
    """Who answers the closed questions."""
