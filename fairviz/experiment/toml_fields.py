"""Fields of a TOML file, checked one by one: what is not accepted is told with what is."""

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import cast

from fairviz.errors import InputError, UsageError
from fairviz.experiment.components.registry import COMPONENTS, Choice, Range, check_choice
from fairviz.io.notes import NoteBook
from fairviz.io.source import as_source
from fairviz.io.text import whole_text


def read_toml(path: Path) -> dict[str, object]:
    """The tables of a TOML file.

    Raises:
        InputError: If the file cannot be read or is no TOML.
    """
    source = as_source(str(path))
    try:
        return tomllib.loads(whole_text(source, NoteBook(source.name)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place.group(1)) if place else None
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
    if not tables or not all(isinstance(entry, dict) for entry in tables):
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


def table_of(table: Mapping[str, object], key: str, where: str) -> dict[str, object]:
    """The table [key]."""
    value = table.get(key)
    if not isinstance(value, dict):
        raise UsageError(f"{where}: a table [{key}] is needed")
    return cast("dict[str, object]", value)
