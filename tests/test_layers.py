"""The layers of the library: a module imports its own room and strictly lower ones."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "fairviz"

LAYERS = (
    {"errors"},
    {"model", "resources"},
    {"formats", "attention", "alignment", "divergence", "gains"},
    {"pool", "exposure", "attribution", "groups", "answers"},
    {"policies", "metrics", "rerank"},
    {"analysis", "experiment"},
    {"figures", "report"},
    {"cli"},
    {"__main__"},
)
"""Rooms of ``fairviz/``, from the bottom; CONTRIBUTING says what each is for."""
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}

HOMES = {
    "plotly": {"figures"},
    "pandas": {"formats", "analysis", "figures", "report"},
    "pyarrow": {"formats"},
    "streamlit": set[str](),
    "numba": {"alignment", "divergence", "exposure", "gains", "policies"},
}
"""Where in ``fairviz/`` a package may be imported."""


def modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "_dashboard" not in path.parts)


@cache
def imported(path: Path) -> list[str]:
    """Dotted names that a module imports anywhere, also inside functions."""
    return list(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def room(name: str) -> str:
    """``fairviz.pool.pool`` is in room ``pool``; the package's own ``__version__`` is in none."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in LAYER else ""


def room_of(path: Path) -> str:
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def test_every_module_has_a_layer() -> None:
    homeless = {room_of(path) for path in modules(LIBRARY)} - LAYER.keys() - {"__init__"}
    assert not homeless


def test_imports_point_downwards() -> None:
    upwards = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(LIBRARY)
        for name in imported(path)
        if name.split(".")[0] == "fairviz"
        and (other := room(name))
        and other != room_of(path)
        and LAYER[other] >= LAYER[room_of(path)]
    ]
    assert not upwards


def test_packages_stay_in_their_rooms() -> None:
    nowhere = {"pages": set[str](), "tests": set[str](), "benchmarks": set[str]()}
    strays = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(LIBRARY)
        for name in imported(path)
        if room_of(path) not in (HOMES | nowhere).get(name.split(".")[0], {room_of(path)})
    ]
    assert not strays


def test_pages_draw_through_figures_and_read_through_formats() -> None:
    drawn_or_parsed = [
        f"{path.name} imports {name}"
        for path in modules(ROOT / "pages")
        for name in imported(path)
        if name.split(".")[0] in {"pyarrow", "numba", "ast"}
    ]
    assert not drawn_or_parsed


def test_importing_the_library_is_light() -> None:
    """``import fairviz`` and the command line's help load nothing heavy."""
    heavy = "numba", "pandas", "plotly", "pyarrow", "scipy", "streamlit", "ir_measures"
    program = f"import sys, fairviz, fairviz.__main__\nprint(*sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stdout.split()
