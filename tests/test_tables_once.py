"""A result becomes rows once: pages and commands take their tables from the columns of its study, by name or stem."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent

SURFACES = ("pages", "fairviz/api", "fairviz/cli")

EXCEPTIONS = {
    "pages/_demographic_qa.py": {"REFERENCE"},  # a word that cells hold
    "pages/demographic_qa.py": {"STRATEGIES"},  # a caption
    "pages/_social_bias_sections.py": {"with_reading"},  # any table, said with what unread answers were read as
}
"""What else a module takes from a study's ``tables*.py``, and why."""


REGISTRIES = {"tables", "known", "compared", "widest", "every", "shown"}
"""What a registry, or the function that makes it, is called."""


def of_tables(path: Path) -> list[ast.ImportFrom]:
    """Imports from a study's ``tables*.py``."""
    return [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("fairviz.studies.", "fairviz.evaluation."))
        and (node.module or "").rpartition(".")[2].startswith(("tables", "columns"))
    ]


def taken(path: Path) -> set[str]:
    """Functions and words that a module takes from tables, but for whole tables; types of results are for everybody."""
    names = {alias.name for node in of_tables(path) for alias in node.names}
    return {name for name in names if name.isupper() or name[0].islower()} - {"tables"} - whole(names)


def whole(names: set[str]) -> set[str]:
    """Functions that make a whole table, by their names."""
    return {name for name in names if name.endswith(("_table", "_tables"))}


def stems_used(path: Path) -> set[str]:
    """Stems that a module asks a registry for, those among the blocks of a report, and those of downloads."""
    stems: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            maker = node.value.func if isinstance(node.value, ast.Call) else node.value
            if isinstance(maker, ast.Name) and maker.id in REGISTRIES and isinstance(node.slice.value, str):
                stems.add(node.slice.value)
        if isinstance(node, ast.keyword) and node.arg == "blocks" and isinstance(node.value, ast.List):
            stems |= {str(block.value) for block in node.value.elts if isinstance(block, ast.Constant)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "study_files":
            files = [keyword.value for keyword in node.keywords if keyword.arg in ("csv", "latex")]
            named = [part for value in files for part in (value.elts if isinstance(value, ast.List) else [value])]
            stems |= {str(part.value) for part in named if isinstance(part, ast.Constant)}
    return stems


def stems_held(module: str) -> set[str]:
    """Stems that the registry of a ``tables.py`` fills, its neighbours' among them."""
    folder = (ROOT / Path(*module.split("."))).parent
    return {
        str(node.slice.value)
        for path in (*folder.glob("tables*.py"), *folder.glob("columns.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant)
    }


def test_pages_and_commands_take_whole_tables() -> None:
    paths = [path for folder in SURFACES for path in sorted((ROOT / folder).rglob("*.py"))]
    directly = {str(path.relative_to(ROOT)): names for path in paths if (names := taken(path))}
    assert directly == EXCEPTIONS


def test_registries_hold_every_stem_that_is_asked_for() -> None:
    asked = 0
    for path in (path for folder in SURFACES for path in (ROOT / folder).rglob("*.py")):
        modules = {str(node.module) for node in of_tables(path) if "tables" in {alias.name for alias in node.names}}
        if modules:
            stems = stems_used(path)
            asked += len(stems)
            assert stems <= set[str]().union(*map(stems_held, modules)), path
    assert asked


def test_no_page_makes_a_table_of_its_own() -> None:
    """Nor do pages put rows together beside a table."""
    made = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Table"
    ]
    assert not made
