"""The bibliography, and the Pythons that are promised."""

import re
import tomllib

from fairviz.display.methods import CITATIONS
from tests.docs.blocks import ROOT

BIBLIOGRAPHY = (ROOT / "paper.bib").read_text(encoding="utf-8")


def test_the_bibliography_is_that_of_the_bundle() -> None:
    for citation in CITATIONS[:-1]:  # the last is fairviz itself
        assert f"{{{citation.key}," in BIBLIOGRAPHY
        assert citation.title in re.sub(r"\{(RAG|FAIR)\}", r"\1", BIBLIOGRAPHY)
    assert BIBLIOGRAPHY.count("{") == BIBLIOGRAPHY.count("}")


def test_the_promised_pythons_are_the_tested_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = {text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r"Python :: 3\.\d+$", text)}
    others = re.search(r"^OTHER_PYTHONS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert others
    assert promised == {"3.11", *others[1].split()}
