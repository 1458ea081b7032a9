"""A result becomes rows once: pages and commands take their tables from the registry of its study, by stem."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent

EXCEPTIONS = {
    "fairviz/cli/bias.py": {"bias_json", "tables_to_read"},  # nested JSON; the registry with a terminal's columns
    "fairviz/cli/variants.py": {"answers_body", "retrieval_body"},  # nested JSON is no table
    "pages/_demographic_qa/questions.py": {"REFERENCE"},  # a word that cells hold
    "pages/_demographic_qa/retrieval.py": {"REFERENCE"},
    "pages/_export/measures.py": {"headed", "means", "means_caption"},  # means above their intervals, not as printed
    "pages/_groups/measures.py": {"measure_row"},  # a value in words, which page and table share
}
"""What else a module takes from a study's ``tables*.py``, and why."""


def taken(path: Path) -> set[str]:
    """Functions and words that a module takes from tables; types of results are for everybody."""
    imports = (
        node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
    )
    names = {
        alias.name
        for node in imports
        if (node.module or "").startswith(("fairviz.studies.", "fairviz.evaluate."))
        and (node.module or "").rpartition(".")[2].startswith("tables")
        for alias in node.names
    }
    return {name for name in names if name.isupper() or name[0].islower()} - {"tables"}


def test_pages_and_commands_take_tables_from_registries() -> None:
    paths = [path for folder in ("pages", "fairviz/cli") for path in sorted((ROOT / folder).rglob("*.py"))]
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
    assert made == ["pages/_inspect/sections.py"]  # one query of one policy is no study
