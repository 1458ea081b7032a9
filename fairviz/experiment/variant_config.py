"""The TOML file of an experiment with demographic variants (``kind = "variants"``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fairviz.errors import UsageError
from fairviz.experiment.bias_config import K, Model, read_models, read_retrievers
from fairviz.experiment.components import Choice
from fairviz.experiment.strategies import STRATEGIES
from fairviz.experiment.toml_fields import (
    check_keys,
    choice_of,
    number_of,
    numbers_of,
    read_toml,
    text_of,
    texts_of,
)
from fairviz.experiment.variants import ATTRIBUTES, FORMS, Form

KEYS = (
    "kind",
    "name",
    "corpus",
    "output",
    "ks",
    "k",
    "evidence_at",
    "strategies",
    "form",
    "attributes",
    "closed",
    "open",
    "retriever",
    "model",
)
DEFAULT_KS = (10, 15, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestions:
    """Questions with reference answers, and who answers them."""

    questions: Path
    references: Path
    generator: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantConfig:
    """An experiment with demographic variants; paths are relative to its file.

    Attributes:
        name: What to call it.
        corpus: The JSONL files of documents, together the collection.
        output: The folder it writes to.
        ks: Numbers of documents given; every retriever with each of them, by the first strategy
            and the first model.
        k: Documents given by the first retriever to every model under every strategy.
        evidence_at: The evidence of an answer is right where one of so many first documents is a
            document that holds the answer.
        strategies: Names of :data:`~fairviz.experiment.strategies.STRATEGIES`.
        form: Form of the variants.
        attributes: Attribute → values.
        closed: JSONL of questions with options.
        open: Questions with reference answers, None for none.
        retrievers: The retrievers.
        models: Who answers the closed questions.
    """

    name: str
    corpus: tuple[Path, ...]
    output: Path
    ks: tuple[int, ...]
    k: int
    evidence_at: int
    strategies: tuple[str, ...]
    form: Form
    attributes: Mapping[str, tuple[str, ...]]
    closed: Path
    open: OpenQuestions | None
    retrievers: tuple[Choice, ...]
    models: tuple[Model, ...]


def read_variant_config(path: Path) -> VariantConfig:
    """Read and check the description of an experiment with variants.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = read_toml(path)
    where = str(path)
    check_keys(table, KEYS, where)
    folder = path.parent
    corpus = texts_of(table, "corpus", where)
    if not corpus:
        raise UsageError(f"{where}: corpus must list at least one file of documents")
    strategies = texts_of({"strategies": ["plain"], **table}, "strategies", where)
    form = text_of({"form": "prefix", **table}, "form", where)
    if form not in FORMS:
        raise UsageError(f"{where}: form must be one of: {', '.join(FORMS)}; got {form!r}")
    if not strategies or not all(name in STRATEGIES for name in strategies):
        raise UsageError(f"{where}: strategies must be among: {', '.join(STRATEGIES)}")
    closed = _table(table, "closed", where)
    check_keys(closed, ("questions",), f"{where}: [closed]")
    return VariantConfig(
        name=text_of(table, "name", where),
        corpus=tuple(folder / name for name in corpus),
        output=folder / text_of({"output": ".", **table}, "output", where),
        ks=numbers_of(table, "ks", where, default=DEFAULT_KS, accepted=K),
        k=number_of(table, "k", where, default=15, accepted=K),
        evidence_at=number_of(table, "evidence_at", where, default=3, accepted=K),
        strategies=strategies,
        form=form,
        attributes=_attributes(table, where),
        closed=folder / text_of(closed, "questions", f"{where}: [closed]"),
        open=_open_questions(table, path) if "open" in table else None,
        retrievers=read_retrievers(table, path),
        models=read_models(table, path),
    )


def _attributes(table: dict[str, object], where: str) -> dict[str, tuple[str, ...]]:
    if "attributes" not in table:
        return dict(ATTRIBUTES)
    attributes = _table(table, "attributes", where)
    return {name: texts_of(attributes, name, f"{where}: [attributes]") for name in attributes}


def _open_questions(table: dict[str, object], path: Path) -> OpenQuestions:
    where = f"{path}: [open]"
    described = _table(table, "open", str(path))
    check_keys(described, ("questions", "references", "generator"), where)
    return OpenQuestions(
        questions=path.parent / text_of(described, "questions", where),
        references=path.parent / text_of(described, "references", where),
        generator=choice_of(described.get("generator"), "generator", where),
    )


def _table(table: dict[str, object], key: str, where: str) -> dict[str, object]:
    value = table.get(key)
    if not isinstance(value, dict):
        raise UsageError(f"{where}: a table [{key}] is needed")
    return cast("dict[str, object]", value)
