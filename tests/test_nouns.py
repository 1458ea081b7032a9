"""Variables and parameters are called after what they are: a run, a column, an index, a message."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_direction import ROOT, modules

VAGUE = {"one", "known", "place", "found", "said", "given", "asked", "held", "told", "twice", "here", "there"}
"""Words that say how a value came about or where it is, and not what it is."""


def vague_names(source: str) -> Iterator[str]:
    """Functions of a module with the vague names that they give to a variable or a parameter."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        parameters = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        variables = {
            part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        for name in sorted((parameters | variables) & VAGUE):
            yield f"{getattr(node, 'name', 'lambda')}: {name}"


@pytest.mark.parametrize(
    "path", [ROOT / "app.py", ROOT / "asgi.py", ROOT / "fairviz", ROOT / "pages"], ids=lambda p: p.name
)
def test_a_name_says_what_a_value_is(path: Path) -> None:
    sources = [path] if path.is_file() else modules(path.name)
    assert [f"{source}, {name}" for source in sources for name in vague_names(source.read_text(encoding="utf-8"))] == []


def test_every_place_of_a_name_is_seen() -> None:
    source = "def f(one, *, run):\n    return [place for place in run], (lambda said: said), {k: v for k, v in run}\n"
    assert [*vague_names(source)] == ["f: one", "f: place", "lambda: said"]
