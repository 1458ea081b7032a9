"""A result becomes rows once: pages and commands take their tables from the columns of its study, by name or stem."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent

SURFACES = ("pages", "fairviz/api", "fairviz/cli")

EXCEPTIONS = {
    "pages/_social_bias_sections.py": {"with_reading"}  # any table, said with what unread answers were read as
}
"""What else a module takes from a study's ``tables*.py``, and why."""


def of_tables(path: Path) -> list[ast.ImportFrom]:
    """Imports from where a study's results become rows."""
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


def test_pages_and_commands_take_whole_tables() -> None:
    paths = [path for folder in SURFACES for path in sorted((ROOT / folder).rglob("*.py"))]
    directly = {str(path.relative_to(ROOT)): names for path in paths if (names := taken(path))}
    assert directly == EXCEPTIONS


def test_no_page_makes_a_table_of_its_own() -> None:
    """Nor do pages put rows together beside a table."""
    made = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Table"
    ]
    assert not made
