"""How the files of the example are made: ``python -m data.make_demo``, which is ``make demo``.

The example is answered without a language model, by stand-ins that count words (:mod:`.word_answers`), partly from what
latent semantic analysis finds (:mod:`.lsa`), and its bias questions are written as templates (:mod:`.templates`).
:func:`register` lets descriptions name them.
"""

from collections.abc import MutableMapping, Sequence
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BeforeValidator, Field, model_validator

from fairviz.experiments.bias import BiasSource, Material
from fairviz.experiments.config import FULL, KINDS, BiasConfig, OneTask, OpenQuestions, SeveralTasks, VariantConfig
from fairviz.experiments.dense import Dense, Endpoint
from fairviz.experiments.description import (
    Component,
    DistinctLabels,
    DistinctNames,
    FileBeside,
    Files,
    OneOrMore,
    Parameters,
    PositiveShare,
    Share,
    Text,
)
from fairviz.experiments.openai_server import OpenAI
from fairviz.experiments.protocols import Generator, Prompt, Retriever
from fairviz.experiments.questions import read_documents
from fairviz.experiments.retrievers import Bm25, Fusion, Runs, retriever_of, with_named_retrievers
from fairviz.experiments.runner import source_of
from fairviz.experiments.store import Store

Few = Annotated[int, Field(ge=1, le=20)]


class Lsa(Component):
    """Latent semantic analysis (Deerwester et al. 1990)."""

    name: Literal["lsa"] = "lsa"
    rank: Annotated[int, Field(ge=1, le=1_000)] = 64
    """Dimensions, at most."""

    def build(self, corpus: Any, *, numbers: Any = None) -> Retriever:
        """The retriever over a corpus."""
        from data.make_demo.lsa import LsaRetriever

        return LsaRetriever(corpus, name=self.label, rank=self.rank)


class Extractive(Component):
    """Answers with the sentences that best match the question."""

    name: Literal["extractive"] = "extractive"
    n_sentences: Few = 2
    """Sentences in an answer, at most."""
    n_shared: Few = 2
    """Distinct words of the question that a sentence must hold, at least."""
    fading: PositiveShare = 0.95
    """Factor per rank; 1 = all documents count alike."""
    repetition: Share = 0.5
    """Share of words already said, above which a sentence is passed over."""

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt."""
        from data.make_demo.word_answers import ExtractiveAnswerer

        return ExtractiveAnswerer(name=self.label, **self.parameters).generate(prompts)


class Chooser(Component):
    """Chooses the option with the most support among context and documents."""

    name: Literal["chooser"] = "chooser"
    n_shared: Few = 2
    """Distinct words of the question that a sentence of a document must hold."""
    context: Annotated[float, Field(ge=0, le=100)] = 3.0
    """How much more the context counts than the first document."""
    fading: PositiveShare = 0.8
    """Factor per rank; 1 = all documents count alike."""
    margin: Share = 0.1
    """Lead that a choice needs, as share of the support of the best option."""

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        """One answer per prompt."""
        from data.make_demo.word_answers import Chooser as ChooserOfWords

        return ChooserOfWords(name=self.label, **self.parameters).generate(prompts)


GeneratorTable = Annotated[Chooser | Extractive | OpenAI, Field(discriminator="name")]
GeneratorTables = Annotated[tuple[GeneratorTable, ...], DistinctLabels, OneOrMore]
RetrieverTable = Annotated[Bm25 | Dense | Endpoint | Fusion | Lsa | Runs, Field(discriminator="name")]
RetrieverTables = Annotated[
    tuple[RetrieverTable, ...], BeforeValidator(with_named_retrievers), DistinctLabels, OneOrMore
]


class Model(Parameters):
    """A stand-in under a name of its own, which may have read documents before it is asked."""

    name: Text
    """Written into the column ``model``."""
    generator: Annotated[Chooser | Extractive, Field(discriminator="name")]
    """The component."""
    memory: FileBeside | None = None
    """JSONL documents that it has read before."""
    n_memory: Annotated[int, Field(ge=1, le=100)] = 3
    """Texts remembered with a question, at most."""

    def build(self) -> Generator:
        """The generator with its memory.

        Raises:
            InputError: The memory cannot be read, or has no word.
        """
        from data.make_demo.word_answers import Remembering

        if self.memory is None:
            return self.generator
        memory = read_documents(self.memory)
        retriever = retriever_of(Bm25(), memory.value, memory.file)
        return Remembering(self.generator, memory.value, retriever, n_memory=self.n_memory, name=self.name)


class Answering(Parameters):
    """Who answers: stand-ins by name, or generators."""

    models: Annotated[tuple[Model, ...], Field(alias="model"), DistinctNames] = ()
    generators: Annotated[GeneratorTables, Field(alias="generator")] = ()

    def answerers(self) -> dict[str, Any]:
        """Who answers, by name."""
        named = {model.name: model.build() for model in self.models}
        return {**named, **{table.label: table for table in self.generators}}


class Rankings(OneTask):
    """Questions over sampled rankings."""

    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]
    generators: Annotated[GeneratorTables, Field(alias="generator", min_length=1)]


class RankingGrid(SeveralTasks):
    """The same of several tasks."""

    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]
    generators: Annotated[GeneratorTables, Field(alias="generator", min_length=1)]


class Bias(Answering, BiasConfig):
    """Questions that test for bias, of files or of templates."""

    templates: FileBeside | None = None
    """TOML of templates and impressions."""
    items: Files | None = None
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()

    @model_validator(mode="after")
    def _complete(self) -> Self:
        return self if self.templates else cast("Self", super()._complete())


class TemplateSource(BiasSource):
    """Templates are English and asked without examples: neither is a column, and one collection's runs are enough."""

    columns = BiasSource.columns[:-2]
    collections = (FULL,)

    @staticmethod
    def read_material(settings: Bias) -> Material:
        """Of the templates."""
        from data.make_demo.templates import material_of_templates

        return material_of_templates(settings.templates)


def bias_source(settings: Bias, store: Store) -> BiasSource:
    """The questions of templates, or of files."""
    return (TemplateSource if settings.templates else BiasSource)(settings, store)


class Open(OpenQuestions):
    """Questions with reference answers, and who answers them."""

    generator: GeneratorTable


class Variants(Answering, VariantConfig):
    """Demographic variants of questions."""

    open: Open | None = None
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()


def register() -> None:
    """Let descriptions of every kind name the example's own components."""
    kinds = cast("MutableMapping[str, Any]", KINDS)
    kinds |= {"rankings": (Rankings, RankingGrid), "bias": (Bias,), "variants": (Variants,)}
    source_of.register(Bias, bias_source)
