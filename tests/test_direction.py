"""The direction of the house: a module imports its own room and lower ones; heavy packages stay where they belong."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = (
    {"errors", "resources", "hosts", "numerals", "extras", "system", "steps"},
    {"model"},
    {"remembered"},
    {"io", "kernels"},
    {"policies", "metrics", "reranking"},
    {"stats", "display"},
    {"evaluation"},
    {"points"},
    {"studies"},
    {"experiments"},
    {"reporting", "lessons"},
    {"api"},
    {"bridges"},
    {"cli"},
    {"__main__"},
)
"""Rooms of ``fairviz/``, from the bottom; a module imports the rooms of its own row and below."""
ROW = {room: row for row, rooms in enumerate(ROOMS) for room in rooms}

HOMES = {
    "streamlit": ("app.py", "asgi.py", "pages/"),
    "pyarrow": ("fairviz/io/",),
    "kaleido": ("fairviz/display/paper",),
    "pandas": ("fairviz/api/", "fairviz/bridges/", "fairviz/model/rows", "pages/"),
    "plotly": ("fairviz/display/", "pages/_kit/", "figures", "charts"),
}
"""Where a package may be imported: the start of a path, or of a file's name; the kit shows figures."""


def modules(*folders: str) -> list[Path]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in paths if "_dashboard" not in path.parts)


@cache
def imported(path: Path) -> list[str]:
    """Dotted names that a module imports anywhere, also inside functions."""
    return list(_imported(path))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, also in functions; what they hold of expressions is most of a module."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield part
            yield from statements(part)


def _imported(path: Path) -> Iterator[str]:
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def place(name: str) -> tuple[str, str]:
    """Room and study of a dotted name; empty where it has none."""
    parts = [*name.split("."), "", ""]
    return (parts[1], parts[2] if parts[1] == "studies" else "") if parts[0] == "fairviz" else ("", "")


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_imports_point_downwards() -> None:
    wrong: list[str] = []
    for path in modules("fairviz"):
        room, study = place(dotted(path))
        assert room in ROW or path.parent == ROOT / "fairviz", f"{path}: a room without a row"
        for name in imported(path):
            other, of = place(name)
            outside = name.split(".")[0] in {"pages", "tests", "benchmarks"}
            upwards = other in ROW and ROW[other] > ROW.get(room, len(ROOMS))
            across = bool(study and of) and of not in (study, "study") and (ROOT / "fairviz/studies" / of).is_dir()
            if outside or upwards or across:
                wrong.append(f"{dotted(path)} imports {name}")
    assert not wrong


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Wherever the imports stand, also for types alone; the names of ``fairviz`` itself are loaded when asked for."""
    paths = {dotted(path).removesuffix(".__init__"): path for path in modules("fairviz", "pages")}
    imports = {
        module: {part for name in imported(path) for part in (name, name.rpartition(".")[0]) if part in paths}
        for module, path in paths.items()
    }
    imports["fairviz"] = set()
    TopologicalSorter({module: names - {module} for module, names in imports.items()}).prepare()


def test_packages_stay_where_they_belong() -> None:
    wrong = [
        f"{dotted(path)} imports {name}"
        for path in (ROOT / "app.py", ROOT / "asgi.py", *modules("fairviz", "pages"))
        for name in imported(path)
        for homes in [HOMES.get(name.split(".")[0])]
        if homes and not str(path.relative_to(ROOT)).startswith(homes) and not path.name.startswith(homes)
    ]
    assert not wrong


def test_importing_the_library_is_light() -> None:
    """``import fairviz`` and the command line's help load nothing heavy."""
    heavy = "kaleido", "numba", "pandas", "plotly", "pyarrow", "scipy", "streamlit", "ir_measures"
    program = f"import sys, fairviz, fairviz.__main__\nprint(*sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stdout.split()
