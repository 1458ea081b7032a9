"""The notebooks run from top to bottom, use the public names alone, and are kept without outputs.

Cells are executed here, one session per notebook, and what a cell ends with is shown as Jupyter would show it. A kernel
would bring twenty packages and several seconds for every notebook, and nothing in these cells asks for one.
"""

import ast
import json
import warnings
from pathlib import Path

import pytest

from fairviz.errors import DataWarning
from tests.docs.blocks import DOCS, ROOT

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
CELL = {"cell_type", "id", "metadata", "source"}


def cells_of(notebook: Path, kind: str) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def shown(value: object) -> str:
    """What a notebook makes of the last value of a cell."""
    bundle = getattr(value, "_repr_mimebundle_", None)
    if bundle is not None:
        return str(bundle())
    markup = getattr(value, "_repr_html_", None)
    return str(markup()) if markup is not None else repr(value)


def run(code: str, session: dict[str, object], name: str) -> str:
    """Execute a cell; what it shows."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), session)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), name, "eval"), session)
    return "" if value is None else shown(value)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    here = tmp_path / "docs" / "notebooks"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    warnings.simplefilter("ignore", DataWarning)  # the example has ties, and says so
    session: dict[str, object] = {"__name__": "__main__"}
    said = [run(code, session, f"{notebook.name}[{n}]") for n, code in enumerate(cells_of(notebook, "code"))]
    assert sum(map(bool, said)) >= 4
    assert all("<" in text or "image/" in text for text in said if text)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_clean_and_public(notebook: Path) -> None:
    body = json.loads(notebook.read_text(encoding="utf-8"))
    assert (body["nbformat"], body["nbformat_minor"]) == (4, 5)
    for cell in body["cells"]:
        more = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == CELL | more
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    modules = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for code in cells_of(notebook, "code")
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert modules <= {"fairviz", "pathlib"}
    page = notebook.with_suffix(".md").read_text(encoding="utf-8")
    assert f"{{{{ notebook {notebook.stem} }}}}" in page
