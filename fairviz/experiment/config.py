"""The TOML file of an experiment: where its data are, how it samples, which components it uses."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from fairviz.errors import InputError, UsageError
from fairviz.experiment.registry import COMPONENTS, Choice, Range, check_choice

# Fields of a TOML file, checked one by one: what is not accepted is told with what is.


def read_toml(path: Path) -> dict[str, object]:
    """The tables of a TOML file.

    Raises:
        InputError: If the file cannot be read or is no TOML.
    """
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


def check_keys(table: Mapping[str, object], keys: Collection[str], where: str) -> None:
    """Refuse the first key that is not accepted."""
    unknown = [key for key in table if key not in keys]
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]!r}; accepted: {', '.join(keys)}")


def text_of(table: Mapping[str, object], key: str, where: str) -> str:
    """A text that is not empty."""
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{where}: {key} must be set to a text in quotes, as in {key} = "…"')
    return value


def texts_of(table: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
    """A list of distinct texts that are not empty; none where the key is not set."""
    value = table.get(key, [])
    texts = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(text, str) and text for text in texts) or len(set(texts)) < len(texts):
        raise UsageError(f'{where}: {key} must be a list of distinct texts, as in {key} = ["…"]')
    return tuple(cast("list[str]", texts))


def number_of(table: Mapping[str, object], key: str, where: str, *, default: int, accepted: Range) -> int:
    """A whole number in a range."""
    value = table.get(key, default)
    if not accepted.holds(value):
        raise UsageError(f"{where}: {key} must be {accepted}, got {value!r}")
    return cast("int", value)


def numbers_of(
    table: Mapping[str, object], key: str, where: str, *, default: tuple[int, ...], accepted: Range
) -> tuple[int, ...]:
    """A list of distinct whole numbers in a range, at least one."""
    value = table.get(key, list(default))
    numbers = cast("list[object]", value) if isinstance(value, list) else []
    if not numbers or not all(map(accepted.holds, numbers)) or len(set(numbers)) < len(numbers):
        raise UsageError(f"{where}: {key} must be a list of distinct values, each {accepted}")
    return tuple(cast("list[int]", numbers))


def tables_of(table: Mapping[str, object], key: str, where: str) -> list[dict[str, object]]:
    """The tables [[key]], at least one."""
    value = table.get(key)
    tables = cast("list[object]", value) if isinstance(value, list) else []
    if not tables or not all(isinstance(one, dict) for one in tables):
        raise UsageError(f"{where}: at least one table [[{key}]] is needed")
    return cast("list[dict[str, object]]", tables)


def choice_of(value: object, kind: str, where: str) -> Choice:
    """The component that a table names.

    Args:
        value: What the file has under ``kind``.
        kind: "retriever", "generator" or "attributor".
        where: File, said in errors.
    """
    listed = ", ".join(COMPONENTS[kind])
    if not isinstance(value, dict):
        raise UsageError(f"{where}: a table [{kind}] with a name is needed; accepted: {listed}")
    parameters = dict(cast("dict[str, object]", value))
    name = parameters.pop("name", None)
    if not isinstance(name, str):
        raise UsageError(f"{where}: [{kind}] name must be one of: {listed}")
    choice = Choice(name, parameters)
    try:
        check_choice(kind, choice)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    return choice


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

KEYS = ("name", *FILES, "output", "alphas", *NUMBERS, *COMPONENTS, "kind")


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
    table = read_toml(path)
    where = str(path)
    check_keys(table, KEYS, where)
    folder = path.parent
    return ExperimentConfig(
        name=text_of(table, "name", where),
        corpus=folder / text_of(table, "corpus", where),
        queries=folder / text_of(table, "queries", where),
        references=folder / text_of(table, "references", where),
        output=folder / text_of({"output": ".", **table}, "output", where),
        alphas=_alphas(table, path),
        depth=_number(table, "depth", path),
        k=_number(table, "k", path),
        n_samples=_number(table, "n_samples", path),
        seed=_number(table, "seed", path),
        min_useful=_number(table, "min_useful", path),
        retriever=choice_of(table.get("retriever"), "retriever", where),
        generator=choice_of(table.get("generator"), "generator", where),
        attributor=choice_of(table.get("attributor"), "attributor", where),
    )


def _number(table: Mapping[str, object], key: str, path: Path) -> int:
    default, accepted = NUMBERS[key]
    return number_of(table, key, str(path), default=default, accepted=accepted)


def _alphas(table: Mapping[str, object], path: Path) -> tuple[float, ...]:
    value = table.get("alphas", list(DEFAULT_ALPHAS))
    alphas = cast("list[object]", value) if isinstance(value, list) else []
    if not alphas or not all(map(ALPHA.holds, alphas)) or len(set(alphas)) < len(alphas):
        raise UsageError(f"{path}: alphas must be a list of distinct values, each {ALPHA}")
    return tuple(float(cast("float", alpha)) for alpha in alphas)
