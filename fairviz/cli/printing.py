"""What goes to standard output and standard error: JSON, text without control characters, notes."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # --help must not wait for NumPy, which the nouns are made of
    from fairviz.model import Note

Cell: TypeAlias = str | int | float | bool | None
Json: TypeAlias = Cell | Sequence["Json"] | Mapping[str, "Json"]

SCHEMA = 1
"""Version of every JSON output; raised when a reader of the old one would misread the new."""


def print_json(body: Mapping[str, Json], notes: "Iterable[Note]") -> None:
    """One object with its schema and warnings; undefined = null, infinite = "inf" / "-inf"."""
    warnings = [{"file": n.file, "line": n.line, "message": n.message} for n in notes]
    whole: dict[str, Json] = {"schema": SCHEMA, **body, "warnings": warnings}
    print(json.dumps(plain(whole), allow_nan=False, indent=1))


def plain(value: Json) -> Json:
    """The value with NaN as None and infinities as words.

    Examples:
        >>> plain({"a": [float("nan"), float("-inf"), 1.5]})
        {'a': [None, '-inf', 1.5]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def print_text(text: str) -> None:
    """Text on standard output, free of characters that would steer a terminal."""
    print("\n".join(map(visible, text.rstrip("\n").split("\n"))))


def warn(notes: "Iterable[Note]") -> None:
    """``warning: FILE[:LINE]: …`` on standard error."""
    for note in notes:
        print(one_line(f"warning: {note}"), file=sys.stderr)


def one_line(text: str) -> str:
    """Text as exactly one line."""
    return visible(text.replace("\r\n", " ").replace("\n", " "))


def visible(text: str) -> str:
    r"""Text with control and direction characters spelled out; a tab is a blank.

    Examples:
        >>> visible("a\tb\x1b[31m")
        'a b\\x1b[31m'
    """
    return "".join(c if c.isprintable() else " " if c == "\t" else c.encode("unicode_escape").decode() for c in text)
