"""The example's tables in a TeX: no error, no warning, nothing wider than a column or a page."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairviz.cli.main import main
from fairviz.resources import example_folder

CLASSES = {
    "one column": r"\documentclass{article}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "columns of 84 mm": r"\documentclass[twocolumn]{article}"
    r"\setlength{\textwidth}{177mm}\setlength{\columnsep}{9mm}\setlength{\oddsidemargin}{-5mm}",
}
RANKED = ("bm25.run", "--qrels", "usefulness.qrels")
OUTPUTS = (*(f"outputs.alpha-{alpha}.jsonl.gz" for alpha in (1, 4)), "outputs.deterministic.jsonl.gz")
GRID = ("tradeoff", "--outputs", *OUTPUTS, "--qrels", "extractive=utility.qrels", "-k", "5", "--table")
MEASURES = "nDCG@10, EER@5, EED@5, AWRF, nDKL@10, EU, EAR@5, EAED@5"
USE = ("table", "attribution", "consumption", *RANKED, "--outputs", *OUTPUTS, "--set", "k=5")
COMMANDS = (
    ("evaluate", *RANKED, "--groups", "region.tsv", "--target", "target.json", "--outputs", *OUTPUTS, "-m", MEASURES),
    ("evaluate", *RANKED, "-m", "nDCG@10", "--table", "means,per-query"),
    ("compare", "bm25.run", "samples.alpha-4.run.gz", "--qrels", "usefulness.qrels", "-m", "EER@5, EED@5"),
    ("tradeoff", *RANKED, "-k", "5", "--alpha", "0,2,8", "--policy", "all"),
    ("measures",),
    ("bias", "bias/predictions.csv.gz", "--items", "bias/items.csv.gz", "--by", "model,category,setting"),
    ("variants", "variants/answers.jsonl.gz", "--by", "strategy"),
    USE,
    ("table", "tradeoff", "areas,intervals,spreads,alpha-tests", *RANKED, "--set", "k=5"),
    ("table", "inspect", "queries,query", *RANKED, "--set", "k=5", "--set", "query=q01"),
    *((*GRID, stem) for stem in ("areas", "differences", "intervals-printed", "above", "disparity", "correlations")),
)


WARNED = r"^(?:Overfull|Underfull|LaTeX Warning: (?!Label)|!).*"
"""Labels are known from the second run on."""


def printed(capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    for command in COMMANDS:
        assert main([*command, "--format", "latex"]) == 0, capsys.readouterr().err
        yield capsys.readouterr().out


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed: apt-get install texlive-latex-base")
def test_the_tables_of_the_example_compile_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(example_folder())
    tables = "\n\\clearpage\n".join(printed(capsys))
    for name, head in CLASSES.items():
        text = f"{head}\\usepackage{{booktabs,graphicx}}\\begin{{document}}\n{tables}\n\\end{{document}}\n"
        (tmp_path / "all.tex").write_text(text)
        program = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        said = re.findall(WARNED, done.stdout, re.MULTILINE)
        assert (done.returncode, said) == (0, []), name
