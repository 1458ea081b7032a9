"""The TOML file of an experiment, of any kind: where its data are, what is asked of whom, which components it uses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from fairviz.errors import UsageError
from fairviz.experiment.bias.config import BiasConfig
from fairviz.experiment.components.registry import COMPONENTS, Choice, Model, Range
from fairviz.experiment.toml_fields import (
    check_keys,
    choice_of,
    number_of,
    numbers_of,
    read_toml,
    table_of,
    tables_of,
    text_of,
    texts_of,
)
from fairviz.experiment.variants.people import ATTRIBUTES, FORMS, Form
from fairviz.experiment.variants.strategies import FORMER_NAMES, STRATEGIES

K = Range(1, 1_000, whole=True)
"""Documents that can be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingConfig:
    """Questions over sampled rankings (``kind = "rankings"``, or none); paths are relative to the file.

    Attributes:
        file: The TOML file.
        name: Recorded as ``task`` in every output.
        corpus, queries, references: The JSONL files it starts from.
        output: The folder it writes to.
        alphas: Fairness controls of the sampled rankings.
        depth: Documents retrieved for a question, at most.
        k: Documents given to the generator.
        n_samples: Rankings drawn per question and α, and from the oracle.
        seed: The one source of chance.
        min_useful: Questions with fewer useful documents are dropped.
        retriever, generator, attributor: The components.
    """

    file: Path
    name: str
    corpus: Path
    queries: Path
    references: Path
    output: Path
    alphas: tuple[float, ...]
    depth: int
    k: int
    n_samples: int
    seed: int
    min_useful: int
    retriever: Choice
    generator: Choice
    attributor: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestions:
    """Questions with reference answers, and who answers them."""

    questions: Path
    references: Path
    generator: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantConfig:
    """Demographic variants of questions (``kind = "variants"``); paths are relative to the file.

    Attributes:
        file: The TOML file.
        name: What to call it.
        corpus: The JSONL files of documents, together the collection.
        output: The folder it writes to.
        ks: Numbers of documents given; every retriever with each of them, by the first strategy
            and the first model.
        k: Documents given by the first retriever to every model under every strategy.
        evidence_at: The evidence of an answer is right where one of so many first documents is a
            document that holds the answer.
        strategies: Names of :data:`~fairviz.experiment.variants.strategies.STRATEGIES`.
        form: Form of the variants.
        attributes: Attribute → values.
        closed: JSONL of questions with options.
        open: Questions with reference answers, None for none.
        retrievers: The retrievers.
        models: Who answers the closed questions.
    """

    file: Path
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


ExperimentConfig: TypeAlias = RankingConfig | BiasConfig | VariantConfig


def read_config(path: Path) -> ExperimentConfig:
    """Read and check the description of an experiment; unset keys take the papers' values.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = read_toml(path)
    kind = table.get("kind", "rankings")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UsageError(f"{path}: kind must be one of: {', '.join(KINDS)}; got {kind!r}")
    return KINDS[kind](table, path)


RANKING_FILES = ("corpus", "queries", "references")

RANKING_NUMBERS: Mapping[str, tuple[int, Range]] = {
    "depth": (100, Range(1, 10_000, whole=True)),
    "k": (5, K),
    "n_samples": (100, Range(1, 10_000, whole=True)),
    "seed": (0, Range(0, 2**32 - 1, whole=True)),
    "min_useful": (2, Range(0, 1_000, whole=True)),
}
"""Whole numbers that a configuration may set, with their defaults (Kim & Diaz, 4)."""

RANKING_KEYS = ("name", *RANKING_FILES, "output", "alphas", *RANKING_NUMBERS, *COMPONENTS, "kind")

ALPHA = Range(0, 64)
DEFAULT_ALPHAS = (1.0, 2.0, 4.0, 8.0)


def _ranking_config(table: dict[str, object], path: Path) -> RankingConfig:
    where = str(path)
    check_keys(table, RANKING_KEYS, where)
    folder = path.parent
    return RankingConfig(
        file=path,
        name=text_of(table, "name", where),
        corpus=folder / text_of(table, "corpus", where),
        queries=folder / text_of(table, "queries", where),
        references=folder / text_of(table, "references", where),
        output=_output(table, path),
        alphas=_alphas(table, path),
        depth=_ranking_number(table, "depth", path),
        k=_ranking_number(table, "k", path),
        n_samples=_ranking_number(table, "n_samples", path),
        seed=_ranking_number(table, "seed", path),
        min_useful=_ranking_number(table, "min_useful", path),
        retriever=choice_of(table.get("retriever"), "retriever", where),
        generator=choice_of(table.get("generator"), "generator", where),
        attributor=choice_of(table.get("attributor"), "attributor", where),
    )


def _ranking_number(table: Mapping[str, object], key: str, path: Path) -> int:
    default, accepted = RANKING_NUMBERS[key]
    return number_of(table, key, str(path), default=default, accepted=accepted)


def _alphas(table: Mapping[str, object], path: Path) -> tuple[float, ...]:
    value = table.get("alphas", list(DEFAULT_ALPHAS))
    alphas = cast("list[object]", value) if isinstance(value, list) else []
    if not alphas or not all(map(ALPHA.holds, alphas)) or len(set(alphas)) < len(alphas):
        raise UsageError(f"{path}: alphas must be a list of distinct values, each {ALPHA}")
    return tuple(float(cast("float", alpha)) for alpha in alphas)


BIAS_KEYS = ("kind", "name", "templates", "output", "ks", "instructions", "retriever", "model")

BIAS_KS = (5, 10)

INSTRUCTION = Range(1, 2, whole=True)


def _bias_config(table: dict[str, object], path: Path) -> BiasConfig:
    where = str(path)
    check_keys(table, BIAS_KEYS, where)
    models = _models(table, path)
    return BiasConfig(
        file=path,
        name=text_of(table, "name", where),
        templates=path.parent / text_of(table, "templates", where),
        output=_output(table, path),
        k=numbers_of(table, "ks", where, default=BIAS_KS, accepted=K),
        named_instructions={
            str(n): f"zhang-{n}" for n in numbers_of(table, "instructions", where, default=(1,), accepted=INSTRUCTION)
        },
        retrievers=_retrievers(table, path),
        models=models,
    )


VARIANT_KEYS = (
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
VARIANT_KS = (10, 15, 20)


def _variant_config(table: dict[str, object], path: Path) -> VariantConfig:
    where = str(path)
    check_keys(table, VARIANT_KEYS, where)
    folder = path.parent
    corpus = texts_of(table, "corpus", where)
    if not corpus:
        raise UsageError(f"{where}: corpus must list at least one file of documents")
    strategies = texts_of({"strategies": ["plain"], **table}, "strategies", where)
    form = text_of({"form": "prefix", **table}, "form", where)
    if form not in FORMS:
        raise UsageError(f"{where}: form must be one of: {', '.join(FORMS)}; got {form!r}")
    strategies = tuple(dict.fromkeys(FORMER_NAMES.get(name, name) for name in strategies))
    if not strategies or not all(name in STRATEGIES for name in strategies):
        raise UsageError(f"{where}: strategies must be among: {', '.join(STRATEGIES)}")
    closed = table_of(table, "closed", where)
    check_keys(closed, ("questions",), f"{where}: [closed]")
    return VariantConfig(
        file=path,
        name=text_of(table, "name", where),
        corpus=tuple(folder / name for name in corpus),
        output=_output(table, path),
        ks=numbers_of(table, "ks", where, default=VARIANT_KS, accepted=K),
        k=number_of(table, "k", where, default=15, accepted=K),
        evidence_at=number_of(table, "evidence_at", where, default=3, accepted=K),
        strategies=strategies,
        form=form,
        attributes=_attributes(table, where),
        closed=folder / text_of(closed, "questions", f"{where}: [closed]"),
        open=_open_questions(table, path) if "open" in table else None,
        retrievers=_retrievers(table, path),
        models=_models(table, path),
    )


def _attributes(table: dict[str, object], where: str) -> dict[str, tuple[str, ...]]:
    if "attributes" not in table:
        return dict(ATTRIBUTES)
    attributes = table_of(table, "attributes", where)
    return {name: texts_of(attributes, name, f"{where}: [attributes]") for name in attributes}


def _open_questions(table: dict[str, object], path: Path) -> OpenQuestions:
    where = f"{path}: [open]"
    described = table_of(table, "open", str(path))
    check_keys(described, ("questions", "references", "generator"), where)
    return OpenQuestions(
        questions=path.parent / text_of(described, "questions", where),
        references=path.parent / text_of(described, "references", where),
        generator=choice_of(described.get("generator"), "generator", where),
    )


def _output(table: dict[str, object], path: Path) -> Path:
    return path.parent / text_of({"output": ".", **table}, "output", str(path))


def _retrievers(table: dict[str, object], path: Path) -> tuple[Choice, ...]:
    """The tables [[retriever]]; each retriever once, since its name is all that tells it apart."""
    where = str(path)
    choices = tuple(choice_of(entry, "retriever", where) for entry in tables_of(table, "retriever", where))
    if len({choice.name for choice in choices}) < len(choices):
        raise UsageError(f"{path}: a retriever stands twice under [[retriever]]; keep one")
    return choices


MODEL_KEYS = ("name", "generator", "memory", "n_memory")

N_MEMORY = Range(1, 100, whole=True)


def _models(table: dict[str, object], path: Path) -> tuple[Model, ...]:
    """The tables [[model]], names distinct."""
    where = str(path)
    models: list[Model] = []
    for entry in tables_of(table, "model", where):
        check_keys(entry, MODEL_KEYS, f"{where}: [[model]]")
        models.append(
            Model(
                name=text_of(entry, "name", f"{where}: [[model]]"),
                generator=choice_of(entry.get("generator"), "generator", where),
                memory=path.parent / text_of(entry, "memory", where) if "memory" in entry else None,
                n_memory=number_of(entry, "n_memory", where, default=3, accepted=N_MEMORY),
            )
        )
    if len({model.name for model in models}) < len(models):
        raise UsageError(f"{where}: two models have one name; give each its own")
    return tuple(models)


KINDS: Mapping[str, Callable[[dict[str, object], Path], ExperimentConfig]] = {
    "rankings": _ranking_config,
    "bias": _bias_config,
    "variants": _variant_config,
}
"""By the key ``kind``: sampled rankings and answers to them; bias questions; demographic variants."""
