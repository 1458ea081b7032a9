"""The TOML file of an experiment: where its data are, how it samples, which components it uses."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fairviz.errors import InputError, UsageError
from fairviz.experiment.components import COMPONENTS, Choice, Range, check_choice

FILES = ("corpus", "queries", "references")
NUMBERS: Mapping[str, tuple[int, Range]] = {
    "depth": (100, Range(1, 10_000, whole=True)),
    "k": (5, Range(1, 1_000, whole=True)),
    "n_samples": (100, Range(1, 10_000, whole=True)),
    "seed": (0, Range(0, 2**32 - 1, whole=True)),
    "min_useful": (2, Range(0, 1_000, whole=True)),
}
"""Whole numbers that a configuration may set, with their defaults (Kim & Diaz, 4)."""

ALPHA = Range(0, 64)
DEFAULT_ALPHAS = (1.0, 2.0, 4.0, 8.0)
KEYS = ("name", *FILES, "output", "alphas", *NUMBERS, *COMPONENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentConfig:
    """An experiment as its TOML file describes it; paths are relative to that file.

    Attributes:
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


def read_config(path: Path) -> ExperimentConfig:
    """Read and check the description of an experiment; unset keys take the paper's values.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = _toml(path)
    unknown = [key for key in table if key not in KEYS]
    if unknown:
        raise UsageError(f"{path}: unknown key {unknown[0]!r}; accepted: {', '.join(KEYS)}")
    folder = path.parent
    return ExperimentConfig(
        name=_text(table, "name", path),
        corpus=folder / _text(table, "corpus", path),
        queries=folder / _text(table, "queries", path),
        references=folder / _text(table, "references", path),
        output=folder / _text({"output": ".", **table}, "output", path),
        alphas=_alphas(table, path),
        depth=_number(table, "depth", path),
        k=_number(table, "k", path),
        n_samples=_number(table, "n_samples", path),
        seed=_number(table, "seed", path),
        min_useful=_number(table, "min_useful", path),
        retriever=_choice(table, "retriever", path),
        generator=_choice(table, "generator", path),
        attributor=_choice(table, "attributor", path),
    )


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        fix = "Give the TOML file of an experiment."
        raise InputError(f"cannot be opened ({error.strerror})", file=str(path), fix=fix) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=str(path), fix="Save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found.group(1)) if found else None
        raise InputError(f"is no TOML: {error}", file=str(path), line=line) from error


def _text(table: Mapping[str, object], key: str, path: Path) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{path}: {key} must be set to a text in quotes, as in {key} = "…"')
    return value


def _number(table: Mapping[str, object], key: str, path: Path) -> int:
    default, accepted = NUMBERS[key]
    value = table.get(key, default)
    if not accepted.holds(value):
        raise UsageError(f"{path}: {key} must be {accepted}, got {value!r}")
    return cast("int", value)


def _alphas(table: Mapping[str, object], path: Path) -> tuple[float, ...]:
    value = table.get("alphas", list(DEFAULT_ALPHAS))
    alphas = cast("list[object]", value) if isinstance(value, list) else []
    if not alphas or not all(map(ALPHA.holds, alphas)) or len(set(alphas)) < len(alphas):
        raise UsageError(f"{path}: alphas must be a list of distinct values, each {ALPHA}")
    return tuple(float(cast("float", alpha)) for alpha in alphas)


def _choice(table: Mapping[str, object], key: str, path: Path) -> Choice:
    value = table.get(key)
    if not isinstance(value, dict):
        listed = ", ".join(COMPONENTS[key])
        raise UsageError(f"{path}: a table [{key}] with a name is needed; accepted: {listed}")
    parameters = dict(cast("dict[str, object]", value))
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        listed = ", ".join(COMPONENTS[key])
        raise UsageError(f"{path}: [{key}] name must be one of: {listed}")
    choice = Choice(name, parameters)
    try:
        check_choice(key, choice)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    return choice
