"""Names say what things are: a run, a column, an index, a message; of functions and classes, too."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_direction import ROOT, modules

VAGUE = {"one", "known", "place", "found", "said", "given", "asked", "held", "told", "twice", "here", "there"}
"""Words that say how a value came about or where it is, and not what it is."""


def vague_names(source: str) -> Iterator[str]:
    """Lines of a module with the vague names that they give to a variable, parameter, function or class.

    Fields of records are left out: what an answer was given is a word of the field.
    """
    fields: set[int] = set()
    for part in ast.walk(ast.parse(source)):  # a record before its fields
        if isinstance(part, ast.ClassDef):
            fields |= {id(line.target) for line in part.body if isinstance(line, ast.AnnAssign)}
        elif isinstance(part, ast.arg) and part.arg in VAGUE:
            yield f"line {part.lineno}: {part.arg}"
        if isinstance(part, ast.ClassDef | ast.FunctionDef) and part.name.strip("_").lower() in VAGUE:
            yield f"line {part.lineno}: {part.name}"
        elif (
            isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Store)
            and id(part) not in fields
            and part.id in VAGUE
        ):
            yield f"line {part.lineno}: {part.id}"


@pytest.mark.parametrize(
    "path", [ROOT / "app.py", ROOT / "asgi.py", ROOT / "fairviz", ROOT / "pages"], ids=lambda p: p.name
)
def test_a_name_says_what_a_value_is(path: Path) -> None:
    sources = [path] if path.is_file() else modules(path.name)
    assert [f"{source}, {name}" for source in sources for name in vague_names(source.read_text(encoding="utf-8"))] == []


def test_every_place_of_a_name_is_seen() -> None:
    source = "def _told(one, *, run):\n  there = [place for place in run]\n  return lambda said: (said, run)\n"
    expected = ["line 1: _told", "line 1: one", "line 2: place", "line 2: there", "line 3: said"]
    assert sorted(vague_names(source)) == expected


def test_a_class_has_a_name_of_its_own() -> None:
    """Who searches for a class finds one."""
    defined: dict[str, list[str]] = defaultdict(list)
    for source in (*modules("fairviz"), *modules("pages")):
        for part in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(part, ast.ClassDef):
                defined[part.name].append(str(source))
    several = {name: sources for name, sources in defined.items() if len(sources) > 1}
    assert several.keys() == {"Experiment"}  # the public one, and the one that it wraps
