"""The TOML file of an experiment with bias questions (``kind = "bias"``)."""

from dataclasses import dataclass
from pathlib import Path

from fairviz.errors import UsageError
from fairviz.experiment.components import Choice, Range
from fairviz.experiment.prompts import BIAS_INSTRUCTIONS
from fairviz.experiment.toml_fields import (
    check_keys,
    choice_of,
    number_of,
    numbers_of,
    read_toml,
    tables_of,
    text_of,
)

KEYS = ("kind", "name", "templates", "output", "ks", "instructions", "retriever", "model")
MODEL_KEYS = ("name", "generator", "memory", "n_memory")
DEFAULT_KS = (5, 10)
K = Range(1, 1_000, whole=True)
INSTRUCTION = Range(1, len(BIAS_INSTRUCTIONS), whole=True)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasConfig:
    """An experiment with bias questions; paths are relative to its file.

    Attributes:
        name: What to call it.
        templates: The TOML file of templates and impressions.
        output: The folder it writes to.
        ks: Numbers of documents given to the models.
        instructions: Which of :data:`~fairviz.experiment.prompts.BIAS_INSTRUCTIONS`, from 1.
        retrievers: The retrievers, each over every collection.
        models: Who answers.
    """

    name: str
    templates: Path
    output: Path
    ks: tuple[int, ...]
    instructions: tuple[int, ...]
    retrievers: tuple[Choice, ...]
    models: tuple[Model, ...]


def read_bias_config(path: Path) -> BiasConfig:
    """Read and check the description of an experiment with bias questions.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = read_toml(path)
    where = str(path)
    check_keys(table, KEYS, where)
    models = read_models(table, path)
    return BiasConfig(
        name=text_of(table, "name", where),
        templates=path.parent / text_of(table, "templates", where),
        output=path.parent / text_of({"output": ".", **table}, "output", where),
        ks=numbers_of(table, "ks", where, default=DEFAULT_KS, accepted=K),
        instructions=numbers_of(table, "instructions", where, default=(1,), accepted=INSTRUCTION),
        retrievers=read_retrievers(table, path),
        models=models,
    )


def read_retrievers(table: dict[str, object], path: Path) -> tuple[Choice, ...]:
    """The tables [[retriever]]; each retriever once, since its name is all that tells it apart."""
    found = tuple(choice_of(one, "retriever", str(path)) for one in tables_of(table, "retriever", str(path)))
    if len({choice.name for choice in found}) < len(found):
        raise UsageError(f"{path}: a retriever stands twice under [[retriever]]; keep one")
    return found


def read_models(table: dict[str, object], path: Path) -> tuple[Model, ...]:
    """The tables [[model]], names distinct."""
    where = str(path)
    found: list[Model] = []
    for one in tables_of(table, "model", where):
        check_keys(one, MODEL_KEYS, f"{where}: [[model]]")
        accepted = Range(1, 100, whole=True)
        found.append(
            Model(
                name=text_of(one, "name", f"{where}: [[model]]"),
                generator=choice_of(one.get("generator"), "generator", where),
                memory=path.parent / text_of(one, "memory", where) if "memory" in one else None,
                n_memory=number_of(one, "n_memory", where, default=3, accepted=accepted),
            )
        )
    if len({model.name for model in found}) < len(found):
        raise UsageError(f"{where}: two models have one name; give each its own")
    return tuple(found)
