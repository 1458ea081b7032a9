"""JSON as the standard has it: no repeated keys, no NaN, no depth that breaks a parser."""

import json
import re
from typing import Any, NoReturn, TypeAlias

from fairviz.errors import InputError
from fairviz.formats.limits import MAX_JSON_DEPTH
from fairviz.formats.notes import shown

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|([\]}])', re.DOTALL)
_MAX_DIGITS = 100
_PYTHON = re.compile(r"[\[{]\s*'")


class _RefusedError(ValueError):
    """Valid for Python's parser, not for us."""


def parse_json(text: str, *, file: str, line: int | None = None) -> Json:
    """Parse one JSON value.

    Args:
        text: The value.
        file: Name of the file, for messages.
        line: Line on which ``text`` starts; None in a file that is one JSON value, where the line
            of a fault is counted.

    Raises:
        InputError: Invalid JSON, a repeated key, NaN, a huge number, a lone surrogate, nesting
            deeper than the limit.
    """
    if too_deep(text):
        reason = f"JSON nested too deeply (limit {MAX_JSON_DEPTH})"
        raise InputError(reason, file=file, line=line or 1, fix="No format needs such nesting.")
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_distinct_keys,
            parse_constant=_no_constant,
            parse_int=_moderate_int,
            parse_float=_finite_float,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"invalid JSON: {_why(text, error)} (column {error.colno})",
            file=file,
            line=error.lineno if line is None else line + error.lineno - 1,
            fix="Check the file with a JSON validator.",
        ) from error
    except _RefusedError as error:
        raise InputError(str(error), file=file, line=line, fix="Write standard JSON.") from error
    if "\\u" in text and not _is_encodable(value):
        fix = "Replace the half character; it cannot be written as UTF-8."
        raise InputError("lone surrogate in text", file=file, line=line, fix=fix)
    return value


def json_type(value: Any) -> str:
    """What JSON calls the type of a value, such as object, array or number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return names[type(value)]


def too_deep(text: str) -> bool:
    """Whether arrays and objects are nested deeper than the limit."""
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return False
    depth = 0
    for found in _BRACKETS.finditer(text):
        if found[1]:
            depth += 1
            if depth > MAX_JSON_DEPTH:
                return True
        elif found[2]:
            depth -= 1
    return False


def _distinct_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(f'duplicate key "{shown(key)}"')
            seen.add(key)
    return value


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not valid JSON")


def _moderate_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _RefusedError(f"number too large: {len(digits)} digits")
    return int(digits)


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError(f"number too large: {shown(text)}")
    return value


def _is_encodable(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _why(text: str, error: json.JSONDecodeError) -> str:
    if _PYTHON.match(text.lstrip()):
        return "single quotes (Python repr?)"
    return error.msg[0].lower() + error.msg[1:]
