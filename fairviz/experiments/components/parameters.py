"""What a description may set of a component: one class of fields each, checked before anything is loaded.

A class is listed in :mod:`fairviz.experiments.components.registry` under the name of its component, whose constructor
takes the fields as keyword arguments; the file adds ``name`` and ``label`` to them.
"""

from typing import Annotated, Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Parameters(BaseModel):
    """Base of the parameters of every component: what is not listed is refused, and nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        validate_default=True,
        use_attribute_docstrings=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _lists_as_tuples(cls, table: Any) -> Any:
        """Lists are tuples, since nothing changes afterwards."""
        return _unchanging(table)


def _unchanging(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_unchanging, cast("list[Any]", value)))
    if isinstance(value, dict):
        return {key: _unchanging(entry) for key, entry in cast("dict[Any, Any]", value).items()}
    return value


Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
PositiveShare: TypeAlias = Annotated[float, Field(ge=0.01, le=1)]
Few: TypeAlias = Annotated[int, Field(ge=1, le=20)]


class Bm25Parameters(Parameters):
    """BM25 over title and text (Robertson & Zaragoza 2009)."""

    k1: Annotated[float, Field(ge=0, le=10)] = 1.5
    """How slowly repeated words saturate."""
    b: Share = 0.75
    """How strongly long documents are held back."""
    epsilon: Share = 0.25
    """Part of the mean idf that terms of more than half of the documents get."""


class LsaParameters(Parameters):
    """Latent semantic analysis (Deerwester et al. 1990)."""

    rank: Annotated[int, Field(ge=1, le=1_000)] = 64
    """Dimensions, at most."""


class ExtractiveParameters(Parameters):
    """Answers with the sentences that best match the question."""

    n_sentences: Few = 2
    """Sentences in an answer, at most."""
    n_shared: Few = 2
    """Distinct words of the question that a sentence must hold, at least."""
    fading: PositiveShare = 0.95
    """Factor per rank; 1 = all documents count alike."""
    repetition: Share = 0.5
    """Share of words already said, above which a sentence is passed over."""


class ChooserParameters(Parameters):
    """Chooses the option with the most support among context and documents."""

    n_shared: Few = 2
    """Distinct words of the question that a sentence of a document must hold."""
    context: Annotated[float, Field(ge=0, le=100)] = 3.0
    """How much more the context counts than the first document."""
    fading: PositiveShare = 0.8
    """Factor per rank; 1 = all documents count alike."""
    margin: Share = 0.1
    """Lead that a choice needs, as share of the support of the best option."""


class CitationParameters(Parameters):
    """A document supports an answer that cites its number: [1], [2, 3], [2-4]."""


class LexicalParameters(Parameters):
    """A document supports an answer if it holds enough words of one of its sentences."""

    threshold: PositiveShare = 0.6
    """Share of a sentence's distinct words that a document must hold."""
