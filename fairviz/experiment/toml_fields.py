"""Fields of a TOML file, checked one by one: what is not accepted is told with what is."""

from collections.abc import Collection, Mapping
from typing import cast

from fairviz.errors import UsageError


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


def tables_of(table: Mapping[str, object], key: str, where: str) -> list[dict[str, object]]:
    """The tables [[key]], at least one."""
    value = table.get(key)
    tables = cast("list[object]", value) if isinstance(value, list) else []
    if not tables or not all(isinstance(entry, dict) for entry in tables):
        raise UsageError(f"{where}: at least one table [[{key}]] is needed")
    return cast("list[dict[str, object]]", tables)
