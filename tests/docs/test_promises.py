"""The bibliography, and the Pythons that are promised."""

import re
import tomllib

from fairviz import __version__
from fairviz.display.methods import bibliography, citations, works
from tests.docs.blocks import ROOT


def test_every_work_of_the_bibliography_is_cited_and_every_key_is_of_a_work() -> None:
    folders = ("fairviz", "docs", "pages")
    texts = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".txt", ".yaml"}
    ]
    written = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *texts])
    for work in works().values():
        name, year = re.split(r" et al\.| & | \(", work.short)[0], re.findall(r"year = {(.*?)}", work.bibtex)[0]
        by_name = re.search(rf"\b{name}\b[^\n]{{0,120}}{year}", written)
        assert by_name or f'"{work.key}"' in written, work.key
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert f"{{{work.key}," in work.bibtex
    cited = set(re.findall(r"\b[a-z]+20\d\d[a-z]+\b", written))
    assert cited <= {*works()}
    assert {"kim2025fairrag", "gao2022fair"} <= cited


def test_the_works_that_measures_rest_on_are_named_as_running_text_does() -> None:
    assert [citation.short for citation in citations()] == [
        "Kim & Diaz (2025)",
        "Diaz et al. (2020)",
        "Raj et al. (2020)",
        "Gao et al. (2022)",
        "fairviz",
    ]
    assert f"version = {{{__version__}}}" in bibliography()
    assert "annote" not in bibliography()


def test_the_promised_pythons_are_the_tested_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = {text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r"Python :: 3\.\d+$", text)}
    others = re.search(r"^OTHER_PYTHONS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert others
    assert promised == {"3.11", *others[1].split()}
