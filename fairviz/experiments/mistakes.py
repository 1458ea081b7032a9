"""What pydantic finds wrong in a description, in the words of its file: one line each, with what is accepted.

What is accepted is read off the JSON schema, which is also what ``fairviz experiment check --schema`` prints.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from fairviz.counts import count
from fairviz.errors import DescriptionError, InputError
from fairviz.experiments.toml_lines import KeyPath, Toml

Schema: TypeAlias = Mapping[str, Any]


class Mistake(NamedTuple):
    """One thing that is wrong.

    Attributes:
        path: Where, from the top; the names of chosen components may stand between the keys.
        reason: What is wrong and what is accepted.
    """

    path: KeyPath
    reason: str


def mistakes_of(error: ValidationError, checked: TypeAdapter[Any]) -> list[Mistake]:
    """Every mistake that was found.

    Args:
        error: What pydantic found.
        checked: The type that was asked for.
    """
    whole = checked.json_schema()
    told = (found for found in error.errors(include_url=False) if not _is_echo(found))
    return [_mistake(found, _Place(whole, whole)) for found in told]


def description_error(mistakes: Sequence[Mistake], toml: Toml, file: Path) -> DescriptionError:
    """The error that tells all mistakes of a file, by line."""
    placed = [(toml.line(mistake.path), mistake.reason) for mistake in mistakes]
    placed.sort(key=lambda mistake: mistake[0] or 0)
    return DescriptionError([InputError(reason, file=str(file), line=line) for line, reason in placed])


class _Place(NamedTuple):
    """A schema within a whole one."""

    whole: Schema
    schema: Schema

    def at(self, schema: Schema) -> "_Place":
        """Another schema of the same whole, where references are followed."""
        while "$ref" in schema:
            schema = self.whole["$defs"][schema["$ref"].rpartition("/")[2]]
        return _Place(self.whole, schema)

    def step(self, part: str | int) -> "_Place | None":
        """The schema of a key, an entry of a list or a chosen component; None where there is none."""
        schema = self.schema
        if "anyOf" in schema:
            inner = (option.step(part) for option in self.options())
            return next((place for place in inner if place is not None), None)
        if isinstance(part, int):
            return self.at(schema["items"]) if "items" in schema else None
        known = {
            **schema.get("properties", {}),
            **{name: {"$ref": ref} for name, ref in schema.get("discriminator", {}).get("mapping", {}).items()},
        }
        if part in known:
            return self.at(known[part])
        others = schema.get("additionalProperties")
        return self.at(cast("Schema", others)) if isinstance(others, dict) else None

    def walk(self, path: KeyPath) -> "_Place | None":
        """The schema at a path."""
        place: _Place | None = self
        for part in path:
            place = place.step(part) if place else None
        return place

    def keys(self) -> tuple[str, ...]:
        """Keys that a table may have."""
        return tuple(key for place in self.options() for key in place.schema.get("properties", ()))

    def names(self) -> tuple[str, ...]:
        """Names of the components that can be chosen."""
        choices = (place.schema.get("discriminator", {"mapping": {}}) for place in self.options())
        return tuple(name for choice in choices for name in choice["mapping"])

    def options(self) -> "list[_Place]":
        """The schemas of which a value needs to follow one."""
        return [self.at(option) for option in self.schema.get("anyOf", (self.schema,))]


def _is_echo(found: ErrorDetails) -> bool:
    """Whether a list is said to be short only because its entries have mistakes, which are told themselves."""
    return found["type"] == "too_short" and len(found["input"]) >= found.get("ctx", {})["min_length"]


def _mistake(found: ErrorDetails, whole: _Place) -> Mistake:
    path, given = found["loc"], found["input"]
    place, around = whole.walk(path), whole.walk(path[:-1])
    table, key = _words_of(path, whole)
    match found["type"]:
        case "extra_forbidden":
            keys = around.keys() if around else ()
            reason = f"unknown key {key!r}; {_choices(key, keys)}"
        case "union_tag_invalid" | "union_tag_not_found":
            names = place.names() if place else ()
            name = cast("Mapping[str, object]", given).get("name")
            table = _head((*path, "name"), whole)
            wrong = "name is missing" if name is None else f"unknown name {_said(name)}"
            reason = f"{wrong}; {_choices(name, names)}"
            path = (*path, "name")
        case "missing":
            reason = f"{key} is missing; it must be {_accepted(place)}"
        case "value_error":
            reason = f"{key} {found.get('ctx', {})['error']}"
        case "literal_error":
            reason = f"{key} must be {_accepted(place)}, got {_said(given)}{_near(given, _values(place))}"
        case _:
            reason = f"{key} must be {_accepted(place)}, got {_said(given)}"
    return Mistake(path, f"{table}{reason}")


def _words_of(path: KeyPath, whole: _Place) -> tuple[str, str]:
    """The table of a path, as it is written in the file, and the key in it."""
    keys = [part for part in path if isinstance(part, str)]
    return _head(path, whole), keys[-1] if keys else "the description"


def _head(path: KeyPath, whole: _Place) -> str:
    """``[table] `` of a key, nothing at the top; names of chosen components are left out."""
    tables: list[str] = []
    last = max((at for at, part in enumerate(path) if isinstance(part, str)), default=0)
    place: _Place | None = whole
    for part in path[:last]:
        chosen = place is not None and part in place.names()
        if isinstance(part, str) and not chosen:
            tables.append(part)
        place = place.step(part) if place else None
    return f"[{'.'.join(tables)}] " if tables else ""


def _choices(given: object, accepted: Sequence[str]) -> str:
    hint = _near(given, accepted).removeprefix("; ")
    listed = f"accepted: {', '.join(accepted)}"
    return f"{hint} {listed}" if hint else listed


def _near(given: object, accepted: Sequence[object]) -> str:
    near = get_close_matches(str(given), [str(value) for value in accepted], n=1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def _values(place: _Place | None) -> Sequence[object]:
    return place.schema.get("enum", ()) if place else ()


def _accepted(place: _Place | None) -> str:
    """What a schema accepts, in words."""
    if place is None:
        return "left out"
    schema = place.schema
    if "anyOf" in schema:
        options = [option for option in place.options() if option.schema.get("type") != "null"]
        if len(options) == 2 and options[1].schema.get("items") == schema["anyOf"][0]:
            return f"{_accepted(options[0])}; or a list of such"
        return " or ".join(map(_accepted, options))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return f"one of: {', '.join(map(str, values))}"
    if "discriminator" in schema:
        return f"a table with a name, one of: {', '.join(schema['discriminator']['mapping'])}"
    return "".join(_simply_accepted(place))


def _simply_accepted(place: _Place) -> Iterator[str]:
    schema = place.schema
    match schema.get("type"):
        case "integer" | "number" as kind:
            yield "a whole number" if kind == "integer" else "a number"
            yield _bounds(schema)
        case "string":
            yield "the path of a file, in quotes" if schema.get("format") == "path" else "a text in quotes"
            yield ", not empty" if schema.get("minLength") else ""
        case "array":
            least, distinct = schema.get("minItems", 0), schema.get("uniqueItems", False)
            yield f"a list{f' of at least {least}' if least else ''}{' distinct values' if distinct else ''}"
            yield f", each {_accepted(place.at(schema['items']))}" if "items" in schema else ""
        case "boolean":
            yield "true or false"
        case _:
            yield "a table"
            yield f" with {', '.join(place.keys())}" if place.keys() else ""


def _bounds(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    over = "over" if "exclusiveMinimum" in schema else "from"
    below = "below" if "exclusiveMaximum" in schema else "to"
    start = f" {over} {low:g}" if low is not None else ""
    return start + (f" {below} {count(high)}" if high is not None else "")


def _said(value: object) -> str:
    """A value as the file may have it, shortened."""
    if isinstance(value, dict):
        return "a table"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except TypeError:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
