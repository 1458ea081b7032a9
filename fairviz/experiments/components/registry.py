"""Names of components, to constructors that are imported when they are asked for.

A description names a component and sets parameters; it can name nothing that is not listed here. To add one: implement
its protocol with a constructor that takes ``name`` and its parameters, write a class of parameters
(:mod:`fairviz.experiments.components.parameters`) and a loader that imports it, and list both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic_core import CoreSchema, core_schema

from fairviz.errors import InputError, UsageError
from fairviz.experiments.components.chat_parameters import OpenAIParameters
from fairviz.experiments.components.endpoint import EndpointParameters
from fairviz.experiments.components.file_parameters import (
    DenseParameters,
    NliParameters,
    RunFileParameters,
    ScoresParameters,
)
from fairviz.experiments.components.parameters import (
    Bm25Parameters,
    ChooserParameters,
    CitationParameters,
    ExtractiveParameters,
    LexicalParameters,
    LsaParameters,
    Parameters,
)
from fairviz.experiments.description import DistinctLabels, FileBeside, Name, OneOf, OneOrMore, Text, mistakes_of
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.protocols import Attributor, ChatModel, Document, Generator, Numbers, Retriever

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Component(Generic[Part]):
    """One named component.

    Attributes:
        load: Imports its constructor.
        parameters: What a description may set of it.
        keeps: Whether it keeps arrays that were dear to compute, and takes ``numbers``.
        packages: What computes for it and is no part of fairviz; the manifest names their versions.
    """

    load: Callable[[], Callable[..., Part]]
    parameters: type[Parameters]
    keeps: bool = False
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A component as a description chose it.

    Attributes:
        name: Which one.
        label: What it is called in outputs; where the description says nothing its model's name, or its own.
        parameters: All of its parameters, those that the description leaves out with their defaults.
    """

    name: str
    label: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class ComponentTable:
    """Marks a :class:`Choice` that a table of a description makes: ``name``, ``label`` and the component's parameters.

    Attributes:
        known: What can be chosen, by name.
    """

    known: Mapping[str, Component[Any]]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        tables = {
            name: create_model(
                name,
                __base__=component.parameters,
                __cls_kwargs__={"use_attribute_docstrings": False},  # no source holds it: none is searched
                name=(Annotated[str, OneOf((name,))], ...),
                label=(Name | None, None),
            )
            for name, component in self.known.items()
        }
        either = core_schema.tagged_union_schema(
            {name: handler.generate_schema(table) for name, table in tables.items()}, discriminator="name"
        )
        return core_schema.no_info_after_validator_function(_choice, either)


class OrLabel:
    """Marks a table in whose place a label may stand."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def label_or_table(value: Any, table: core_schema.ValidatorFunctionWrapHandler) -> object:
            return value if isinstance(value, str) else table(value)

        return core_schema.no_info_wrap_validator_function(label_or_table, handler(source))


def _choice(table: Any) -> Choice:
    set_or_default = dict(table)
    name, label = set_or_default.pop("name"), set_or_default.pop("label")
    model = str(set_or_default.get("model") or "").rstrip("/").rpartition("/")[2]  # a path, or a name on a hub
    return Choice(name, label or model or name, set_or_default)


def _bm25() -> Callable[..., Retriever]:
    from fairviz.experiments.components.bm25 import Bm25Retriever

    return Bm25Retriever


def _lsa() -> Callable[..., Retriever]:
    from fairviz.experiments.components.lsa import LsaRetriever

    return LsaRetriever


def _dense() -> Callable[..., Retriever]:
    from fairviz.experiments.components.dense import dense_retriever

    return dense_retriever


def _runs() -> Callable[..., Retriever]:
    from fairviz.experiments.components.run_file import RunFile

    return RunFile


def _endpoint() -> Callable[..., Retriever]:
    from fairviz.experiments.components.endpoint import endpoint_retriever

    return endpoint_retriever


def _rrf() -> Callable[..., Retriever]:
    from fairviz.experiments.components.fusion import fused_retriever

    return fused_retriever


def _extractive() -> Callable[..., Generator]:
    from fairviz.experiments.components.word_answers import ExtractiveAnswerer

    return ExtractiveAnswerer


def _chooser() -> Callable[..., Generator]:
    from fairviz.experiments.components.word_answers import Chooser

    return Chooser


def _openai() -> Callable[..., ChatModel]:
    from fairviz.experiments.components.openai_server import OpenAIServer

    def server(*, name: str, **given: Any) -> ChatModel:
        return OpenAIServer(OpenAIParameters(**given), name=name)

    return server


def _lexical() -> Callable[..., Attributor]:
    from fairviz.experiments.components.lexical import LexicalAttributor

    return LexicalAttributor


def _citations() -> Callable[..., Attributor]:
    from fairviz.experiments.components.citations import CitationAttributor

    return CitationAttributor


def _nli() -> Callable[..., Attributor]:
    from fairviz.experiments.components.nli import NliAttributor

    return NliAttributor


def _scores() -> Callable[..., Attributor]:
    from fairviz.experiments.components.recorded_scores import RecordedScores

    return RecordedScores


RANKERS: Mapping[str, Component[Retriever]] = {
    "bm25": Component(_bm25, Bm25Parameters),
    "lsa": Component(_lsa, LsaParameters),
    "dense": Component(_dense, DenseParameters, keeps=True, packages=("sentence-transformers", "torch")),
    "endpoint": Component(_endpoint, EndpointParameters, keeps=True, packages=("openai",)),
    "runs": Component(_runs, RunFileParameters),
}
"""Retrievers that stand alone."""


class FusionParameters(Parameters):
    """Reciprocal rank fusion of other retrievers (Cormack et al. 2009)."""

    of: Annotated[tuple[Annotated[str | Choice, ComponentTable(RANKERS), OrLabel()], ...], Field(min_length=1)]
    """The others: labels of retrievers of the description, or tables of their own."""
    k0: Annotated[float, Field(ge=0, le=10_000)] = 60
    """How little the first ranks stand out."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """The last rank of each that counts."""


RETRIEVERS: Mapping[str, Component[Retriever]] = {**RANKERS, "rrf": Component(_rrf, FusionParameters, keeps=True)}
GENERATORS: Mapping[str, Component[Generator] | Component[ChatModel]] = {
    "extractive": Component(_extractive, ExtractiveParameters),
    "chooser": Component(_chooser, ChooserParameters),
    "openai": Component(_openai, OpenAIParameters, packages=("openai",)),
}
ATTRIBUTORS: Mapping[str, Component[Attributor]] = {
    "lexical": Component(_lexical, LexicalParameters),
    "citations": Component(_citations, CitationParameters),
    "nli": Component(_nli, NliParameters, keeps=True, packages=("transformers", "torch")),
    "scores": Component(_scores, ScoresParameters),
}

COMPONENTS: Mapping[str, Mapping[str, Component[Any]]] = {
    "retriever": RETRIEVERS,
    "generator": GENERATORS,
    "attributor": ATTRIBUTORS,
}


def named_retrievers(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Retrievers of a description, with those in the place of their labels that a fusion is ``of``.

    Raises:
        ValueError: A label is that of no retriever that stands alone.
    """
    alone = {choice.label: choice for choice in choices if choice.name in RANKERS}

    def found(one: str | Choice) -> Choice:
        if isinstance(one, Choice):
            return one
        if one not in alone:
            raise ValueError(f"of names {one!r}, which is no other retriever; there are: {', '.join(alone) or 'none'}")
        return alone[one]

    return tuple(
        replace(choice, parameters={**choice.parameters, "of": tuple(map(found, choice.parameters["of"]))})
        if "of" in choice.parameters
        else choice
        for choice in choices
    )


RetrieverTable: TypeAlias = Annotated[Choice, ComponentTable(RETRIEVERS)]
RetrieverTables: TypeAlias = Annotated[
    tuple[RetrieverTable, ...], AfterValidator(named_retrievers), DistinctLabels, OneOrMore()
]
"""Tables [[retriever]], or a single one."""

GeneratorTable: TypeAlias = Annotated[Choice, ComponentTable(GENERATORS)]
AttributorTable: TypeAlias = Annotated[Choice, ComponentTable(ATTRIBUTORS)]


def chosen(kind: str, name: str, **parameters: object) -> Choice:
    """A component by its name and parameters, checked as in a description; nothing is imported for that.

    Args:
        kind: "retriever", "generator" or "attributor".
        name: Its name.
        **parameters: What is not at its default, "label" among it.

    Raises:
        UsageError: With every parameter that is not accepted, and what it may be.
    """
    tables: TypeAdapter[Choice] = TypeAdapter(Annotated[Choice, ComponentTable(COMPONENTS[kind])])
    table = {"name": name, **parameters}
    try:
        return named_retrievers((tables.validate_python(table),))[0]
    except ValidationError as error:
        reasons = "; ".join(mistakes_of(error, table))
        raise UsageError(f"{kind} {name}: {reasons}") from None
    except ValueError as error:
        raise UsageError(f"{kind} {name}: {error}") from None


def packages_of(choice: Choice) -> set[str]:
    """Packages beside fairviz's own that compute for a component, and for those that it is made of."""
    component = next(known[choice.name] for known in COMPONENTS.values() if choice.name in known)
    return {*component.packages, *(name for one in choice.parameters.get("of", ()) for name in packages_of(one))}


class Model(Parameters):
    """A generator under a name of its own."""

    name: Text
    """Written into the column ``model``."""
    generator: GeneratorTable
    """The component."""
    memory: FileBeside | None = None
    """JSONL documents that it has read before."""
    n_memory: Annotated[int, Field(ge=1, le=100)] = 3
    """Texts remembered with a question, at most."""


def build_retriever(choice: Choice, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
    """The chosen retriever over a corpus.

    Raises:
        ValueError: There is nothing to retrieve.
    """
    return _built(choice, RETRIEVERS, corpus, numbers=numbers)


def build_generator(choice: Choice) -> Generator | ChatModel:
    """The chosen generator."""
    return GENERATORS[choice.name].load()(name=choice.label, **choice.parameters)


def build_attributor(choice: Choice, *, numbers: Numbers | None = None) -> Attributor:
    """The chosen attributor.

    Args:
        choice: Which one.
        numbers: Where it keeps what was dear to compute.
    """
    return _built(choice, ATTRIBUTORS, numbers=numbers)


def _built(choice: Choice, known: Mapping[str, Component[Part]], *given: object, numbers: Numbers | None) -> Part:
    component = known[choice.name]
    kept = {"numbers": numbers} if component.keeps else {}
    return component.load()(*given, name=choice.label, **choice.parameters, **kept)


def refuse_equal_names(models: Sequence[Model], generators: Sequence[Choice]) -> None:
    """Refuse a description in which nobody answers, or two who answer have one name.

    Raises:
        ValueError: It says which.
    """
    names = [*(model.name for model in models), *(generator.label for generator in generators)]
    if not names:
        raise ValueError("needs a table [[generator]]")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"has {twice[0]!r} twice among those who answer; give each a label of its own")


def answerers(models: Sequence[Model], generators: Sequence[Choice]) -> dict[str, Generator | ChatModel]:
    """Who answers, by name.

    Raises:
        InputError: If a memory cannot be read.
    """
    named = {model.name: build_model(model) for model in models}
    return {**named, **{choice.label: build_generator(choice) for choice in generators}}


def build_model(model: Model) -> Generator | ChatModel:
    """The generator of a model, with its memory.

    Raises:
        InputError: If the memory cannot be read.
        UsageError: If a language model is to have one.
    """
    from fairviz.experiments.components.word_answers import Remembering

    generator = build_generator(replace(model.generator, label=model.name))
    if model.memory is None:
        return generator
    if isinstance(generator, ChatModel):
        raise UsageError(f"{model.name}: memory is for generators that count words; a language model has its own")
    memory = read_documents(model.memory)
    retriever = retriever_of(chosen("retriever", "bm25"), memory.value, memory.file)
    return Remembering(generator, memory.value, retriever, n_memory=model.n_memory, name=model.name)


def retriever_of(choice: Choice, corpus: Sequence[Document], file: str, *, numbers: Numbers | None = None) -> Retriever:
    """The chosen retriever over the documents of a file.

    Args:
        choice: Which one.
        corpus: The documents.
        file: Where they are from, for messages.
        numbers: Where arrays that are dear to compute are kept.

    Raises:
        InputError: If there is nothing to retrieve.
    """
    try:
        return build_retriever(choice, corpus, numbers=numbers)
    except ValueError as error:
        raise InputError(str(error), file=file, fix="Give the documents texts.") from error
