"""Names of components, to constructors that are imported when they are asked for.

A configuration names a component and gives numbers; it can name nothing that is not listed here.
To add one: implement its protocol, write a loader that imports it, list it with its parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from fairviz.errors import InputError, UsageError
from fairviz.experiment.components.dense import DenseParameters
from fairviz.experiment.components.parameters import Parameters
from fairviz.experiment.inputs import read_documents
from fairviz.experiment.protocols import Attributor, Document, Generator, Numbers, Retriever

Part = TypeVar("Part")


class Range(NamedTuple):
    """The numbers that a parameter may be."""

    low: float
    high: float
    whole: bool = False

    def holds(self, value: object) -> bool:
        """Whether a value from a file is such a number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.low <= value <= self.high and (isinstance(value, int) or not self.whole)

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Component(Generic[Part]):
    """One named component: how it is loaded, and the parameters a configuration may set.

    One with a class of parameters is given them as one argument, and ``numbers``: where arrays are kept.
    """

    load: Callable[[], Callable[..., Part]]
    parameters: Mapping[str, Range] | type[Parameters]


def _bm25() -> Callable[..., Retriever]:
    from fairviz.experiment.components.bm25 import Bm25Retriever

    return Bm25Retriever


def _lsa() -> Callable[..., Retriever]:
    from fairviz.experiment.components.lsa import LsaRetriever

    return LsaRetriever


def _dense() -> Callable[..., Retriever]:
    from fairviz.experiment.components.dense import dense_retriever

    return dense_retriever


def _extractive() -> Callable[..., Generator]:
    from fairviz.experiment.components.word_answers import ExtractiveAnswerer

    return ExtractiveAnswerer


def _chooser() -> Callable[..., Generator]:
    from fairviz.experiment.components.word_answers import Chooser

    return Chooser


def _lexical() -> Callable[..., Attributor]:
    from fairviz.experiment.components.lexical import LexicalAttributor

    return LexicalAttributor


RETRIEVERS: Mapping[str, Component[Retriever]] = {
    "bm25": Component(_bm25, {"k1": Range(0, 10), "b": Range(0, 1), "epsilon": Range(0, 1)}),
    "lsa": Component(_lsa, {"rank": Range(1, 1000, whole=True)}),
    "dense": Component(_dense, DenseParameters),
}
GENERATORS: Mapping[str, Component[Generator]] = {
    "extractive": Component(
        _extractive,
        {
            "n_sentences": Range(1, 20, whole=True),
            "n_shared": Range(1, 20, whole=True),
            "fading": Range(0.01, 1),
            "repetition": Range(0, 1),
        },
    ),
    "chooser": Component(
        _chooser,
        {
            "n_shared": Range(1, 20, whole=True),
            "context": Range(0, 100),
            "fading": Range(0.01, 1),
            "margin": Range(0, 1),
        },
    ),
}
ATTRIBUTORS: Mapping[str, Component[Attributor]] = {
    "lexical": Component(_lexical, {"threshold": Range(0.01, 1)}),
}


COMPONENTS: Mapping[str, Mapping[str, Component[Any]]] = {
    "retriever": RETRIEVERS,
    "generator": GENERATORS,
    "attributor": ATTRIBUTORS,
}


class Choice(NamedTuple):
    """A component as a configuration chose it."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A generator under a name of its own.

    Attributes:
        name: Written into the column ``model``.
        generator: The component.
        memory: JSONL documents that it has read before, None for nothing.
        n_memory: Texts remembered with a question, at most.
    """

    name: str
    generator: Choice
    memory: Path | None
    n_memory: int


def check_choice(kind: str, choice: Choice) -> None:
    """Refuse a name, a parameter or a value that is not listed; nothing is imported for that.

    Args:
        kind: "retriever", "generator" or "attributor".
        choice: What a configuration says.

    Raises:
        UsageError: With the key in the configuration and what it may be.
    """
    known = COMPONENTS[kind]
    component = known.get(choice.name)
    if component is None:
        listed = ", ".join(known)
        raise UsageError(f"[{kind}] name: unknown {kind} {choice.name!r}; accepted: {listed}")
    if not isinstance(component.parameters, Mapping):
        _parameters(kind, choice, component.parameters)
        return
    for name, value in choice.parameters.items():
        accepted = component.parameters.get(name)
        if accepted is None:
            listed = ", ".join(component.parameters)
            reason = f"{choice.name} has no parameter {name!r}; accepted: {listed}"
            raise UsageError(f"[{kind}] {reason}")
        if not accepted.holds(value):
            raise UsageError(f"[{kind}] {name} must be {accepted}, got {value!r}")


def _parameters(kind: str, choice: Choice, accepted: type[Parameters]) -> Parameters:
    try:
        return accepted.model_validate(choice.parameters)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"[{kind}] {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def build_retriever(choice: Choice, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
    """The chosen retriever over a corpus.

    Raises:
        UsageError: If the name, a parameter or its value is not accepted.
    """
    return _built("retriever", choice, RETRIEVERS, corpus, numbers=numbers)


def build_generator(choice: Choice) -> Generator:
    """The chosen generator.

    Raises:
        UsageError: If the name, a parameter or its value is not accepted.
    """
    return _built("generator", choice, GENERATORS)


def build_model(model: Model) -> Generator:
    """The generator of a model, with its memory.

    Raises:
        InputError: If the memory cannot be read.
    """
    from fairviz.experiment.components.word_answers import Remembering

    generator = build_generator(model.generator)
    if model.memory is None:
        return generator
    memory = read_documents(model.memory)
    retriever = retriever_of(Choice("bm25", {}), memory.value, memory.file)
    return Remembering(generator, memory.value, retriever, n_memory=model.n_memory, name=model.name)


def build_attributor(choice: Choice, *, numbers: Numbers | None = None) -> Attributor:
    """The chosen attributor.

    Raises:
        UsageError: If the name, a parameter or its value is not accepted.
    """
    return _built("attributor", choice, ATTRIBUTORS, numbers=numbers)


def _built(
    kind: str, choice: Choice, known: Mapping[str, Component[Part]], *given: object, numbers: Numbers | None = None
) -> Part:
    check_choice(kind, choice)
    component = known[choice.name]
    if isinstance(component.parameters, Mapping):
        return component.load()(*given, **choice.parameters)
    return component.load()(*given, _parameters(kind, choice, component.parameters), numbers=numbers)


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
