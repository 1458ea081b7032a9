"""Texts without what differs from one computer, folder or run to the next; numbers rounded."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DIGITS = 9
"""Significant digits that are compared; the last ones of a sum depend on the processor."""
LONG_SCRIPT = 20_000
"""Characters from which a script or style in HTML is named by its hash, such as Plotly."""
NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d{6,}(?:[eE][-+]?\d+)?(?![\w.])")
EMBEDDED = re.compile(r"(<(script|style)\b[^>]*>)(.*?)(</\2>)", re.DOTALL)
MASKS = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\bfairviz (version )?\d+\.\d+\.\d+\w*"), "fairviz VERSION"),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "ADDRESS"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|seconds) (elapsed|taken)\b"), "DURATION"),
)


def rounded(value: float, digits: int = DIGITS) -> float:
    """A number with so many significant digits; infinite and undefined ones as they are."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else value


def masked(text: str, folders: Mapping[str, str], digits: int = DIGITS) -> str:
    """A text without folders, times and versions, its long numbers rounded.

    Args:
        text: What a command printed or a page says.
        folders: The word that stands for each folder of this computer.
        digits: Significant digits that numbers keep.
    """
    for folder in sorted(folders, key=len, reverse=True):
        text = text.replace(folder, folders[folder])
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return NUMBER.sub(lambda found: f"{float(found[0]):.{digits}g}", text)


def plain(value: Any, digits: int = DIGITS) -> Any:
    """Any JSON value with its numbers rounded."""
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return rounded(value, digits)
    if isinstance(value, Mapping):
        return {str(name): plain(inside, digits) for name, inside in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inside, digits) for inside in value]
    return str(value)


def pretty(value: Any, *, sort: bool = True, digits: int = DIGITS) -> str:
    """JSON that reads well line by line: a short list of numbers is one line."""
    return "\n".join(_lines(plain(value, digits), sort)) + "\n"


def _lines(value: Any, sort: bool) -> list[str]:
    if isinstance(value, dict) and value:
        names = sorted(value) if sort else list(value)
        inside = [(f"{json.dumps(name, ensure_ascii=False)}: ", value[name]) for name in names]
        opening, closing = "{", "}"
    elif isinstance(value, list) and (_nested(value) or len(json.dumps(value)) > 100):
        inside = [("", one) for one in value]
        opening, closing = "[", "]"
    else:
        return [json.dumps(value, ensure_ascii=False)]
    lines = [opening]
    for place, (label, one) in enumerate(inside, start=1):
        first, *rest = _lines(one, sort)
        lines += [f" {label}{first}", *(f" {line}" for line in rest)]
        lines[-1] += "," if place < len(inside) else ""
    return [*lines, closing]


def _nested(value: list[Any]) -> bool:
    return any(isinstance(one, dict | list) for one in value)


def shown_html(body: str) -> str:
    """HTML with one tag a line; scripts and styles that nobody reads are named by their hash."""

    def named(found: re.Match[str]) -> str:
        if len(found[3]) < LONG_SCRIPT:
            return found[0]
        return f"{found[1]}sha256 {sha256(found[3].encode())}{found[4]}"

    return EMBEDDED.sub(named, body).replace("><", ">\n<")


def sha256(content: bytes) -> str:
    """The hash of some bytes."""
    return hashlib.sha256(content).hexdigest()


def slug(text: str) -> str:
    """A name for a file, from any words."""
    words = re.sub(r"[^\w.=+-]+", "-", text.strip(), flags=re.ASCII).strip("-.")
    if len(words) <= 60 and words == text:
        return words
    return f"{words[:50]}~{sha256(text.encode())[:6]}"


def write(path: Path, text: str) -> None:
    """Write an item of a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.endswith("\n") or not text else text + "\n", encoding="utf-8")
