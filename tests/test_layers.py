"""The layers of the library: a module imports its own room and strictly lower ones."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def imported(path: Path) -> Iterator[str]:
    """Dotted names that a module imports anywhere, also inside functions."""
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


@pytest.mark.parametrize("path", modules(LIBRARY), ids=lambda p: str(p.relative_to(LIBRARY)))
def test_imports_point_downwards(path: Path) -> None:
    own = room_of(path)
    for name in imported(path):
        other = room(name) if name.split(".")[0] == "fairviz" else ""
        if other and other != own:
            assert LAYER[other] < LAYER[own], f"{own} imports {name}"


@pytest.mark.parametrize("path", modules(LIBRARY), ids=lambda p: str(p.relative_to(LIBRARY)))
def test_packages_stay_in_their_rooms(path: Path) -> None:
    for name in imported(path):
        package = name.split(".")[0]
        assert package not in {"pages", "tests", "benchmarks"}, f"the library imports {name}"
        if package in HOMES:
            assert room_of(path) in HOMES[package], f"{room_of(path)} imports {name}"


@pytest.mark.parametrize("path", modules(ROOT / "pages"), ids=lambda p: p.name)
def test_pages_draw_through_figures_and_read_through_formats(path: Path) -> None:
    drawn_or_parsed = {name.split(".")[0] for name in imported(path)} & {"pyarrow", "numba", "ast"}
    assert not drawn_or_parsed


def test_importing_the_library_is_light() -> None:
    """``import fairviz`` and the command line's help load nothing heavy."""
    heavy = "numba", "pandas", "plotly", "pyarrow", "scipy", "streamlit", "ir_measures"
    program = f"import sys, fairviz, fairviz.__main__\nprint(*sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stdout.split()
