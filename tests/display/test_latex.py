"""LaTeX: it compiles, whatever the cells hold."""

import math
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.cli.main import main
from fairviz.display.latex import escaped, latex_text
from fairviz.display.table import Column, Formula, Table, keyed
from fairviz.resources import example_folder
from tests.display.tables import tables, texts

COMMAND = re.compile(r"\\[a-zA-Z]+(?:\{\})?|\\[&%$#_{}\\,]")


def rows_of(text: str) -> list[str]:
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    return [line.strip() for line in body.strip("\n").split("\n") if line.strip()]


def bare(text: str) -> str:
    """What is left of a line without commands and escaped characters."""
    return COMMAND.sub("", text)


@given(texts)
def test_text_keeps_no_special_character(text: str) -> None:
    left = bare(escaped(text).replace(r"$-$", "").replace("~", ""))
    left = re.sub(r"\$\^2\$|\$\$", "", left)  # the two that stand for characters of mathematics
    assert not set(left) & set("&%#_{}^\\\n\r")
    assert left.count("$") % 2 == 0


@given(tables())
def test_rows_have_their_columns_and_braces_are_balanced(table: Table) -> None:
    text = latex_text(table, label="tab:x")
    assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    form = re.search(r"\\begin\{tabular\}\{((?:[lr]|p\{[^}]*\})*)\}", text)
    n_columns = len(re.findall(r"p\{[^}]*\}|[lr]", form[1]))
    rows = rows_of(text)
    assert len(rows) == len(table.rows)
    for row in rows:
        assert row.endswith(r"\\")
        assert len(re.findall(r"(?<!\\)&", row)) == n_columns - 1
        assert bare(row).count("$") % 2 == 0
        assert not row.startswith(("[", "*"))  # would be an argument of the row above


def test_what_no_reader_needs_is_left_out_and_long_texts_break() -> None:
    """Left out: for programs, undefined, the same in all rows, which the caption says."""
    table = Table(
        (
            Column("model"),
            Column("strategy"),
            Column("score", "score of all answers together", "number"),
            Column("score_low", kind="interval"),
            Column("score_high", kind="interval"),
            Column("change", "change against the baseline", "signed"),
            Column("low", kind="interval"),
            Column("high", kind="interval"),
            Column("verdict", audience="programs"),
            Column("eo", "EO"),
            Column("n", kind="number"),
            Column("note", "in words"),
        ),
        (
            ("m_1", "plain", 0.5, 0.25, 0.75, None, None, None, "", None, 12, "The first. " * 12),
            ("m_1", "vote", 0.6, 0.35, 0.85, 0.1, -0.05, 0.25, "higher", None, 12, "The second."),
        ),
        caption="Scores",
    )
    text = latex_text(table)
    assert r"\caption{Scores; model: m\_1, n: 12}" in text
    assert r"\begin{tabular}{lrrp{.4\linewidth}}" in text
    assert r"\begin{table*}" in text  # a column has no room for words
    body = rows_of(text)
    assert body[0].startswith(r"plain & 0.500~[.250,~.750] & -- & \raggedright\let\\\tabularnewline The first.")
    assert body[1].startswith(r"vote & 0.600~[.350,~.850] & $+0.100$~[$-.050$,~$+.250$] & \raggedright")
    assert body[1].endswith(r"The second. \\")
    assert len(body) == 2


def test_a_table_of_many_columns_spans_both_columns_and_one_of_many_rows_goes_on() -> None:
    six, seven = (latex_text(Table(keyed(*"abcdefg"[:n]), ((0.5,) * n,))) for n in (6, 7))
    assert r"\begin{table}" in six
    assert r"\begin{table*}" in seven
    long = latex_text(Table(keyed("n"), tuple((n,) for n in range(90)), "Ninety"), label="tab:n")
    first, second, third = long.split("\n\n")
    assert [part.count(r" \\") for part in (first, second, third)] == [41, 41, 11]  # with the heading
    assert r"\caption{Ninety}" in first
    assert r"\addtocounter{table}{-1}" in second
    assert r"\caption{(continued)}" in third
    assert long.count(r"\label{tab:n}") == 1


def test_a_wide_table_without_rows_keeps_its_columns() -> None:
    text = latex_text(Table(keyed(*(f"a column with a long name {i}" for i in range(6))), ()))
    assert text.count("name") == 6


def test_signs_are_mathematics() -> None:
    assert escaped("Δ ≥ 50 % & bm_25") == r"$\Delta$ $\ge$ 50 \% \& bm\_25"


def test_an_interval_stands_behind_its_value_and_the_best_is_bold() -> None:
    columns = (
        Column("system"),
        Column("auc", "AUC ↑"),
        Column("auc_low", kind="interval"),
        Column("auc_high", kind="interval"),
        Column("eed", "EE-D ↓"),
    )
    text = latex_text(Table(columns, (("a", 0.771, 0.711, 0.826, 0.5), ("b", 0.5, -0.25, 1.0, 0.25))))
    assert rows_of(text) == [
        r"a & \textbf{0.771}~[.711,~.826] & 0.500 \\",
        r"b & 0.500~[$-.250$,~1.000] & \textbf{0.250} \\",
    ]
    assert "textbf" not in latex_text(Table(columns, (("a", 0.771, 0.711, 0.826, 0.5),)))  # nothing beside it


def test_the_best_is_bold_within_its_task() -> None:
    rows = (("one", 0.2), ("one", 0.3), ("two", 0.9), ("two", 0.8))
    text = latex_text(Table((Column("task"), Column("auc", "AUC ↑")), rows))
    assert ["textbf" in row for row in rows_of(text)] == [False, True, True, False]


def test_a_difference_that_holm_allows_has_a_star_and_a_footnote() -> None:
    columns = (Column("system"), Column("difference", "Δ", "signed"), Column("p_holm", "p", "p"))
    text = latex_text(Table(columns, (("a", 0.1, 0.01), ("b", 0.1, 0.2), ("c", None, None))))
    assert rows_of(text)[0] == r"a & $+0.100$$^{*}$ & 0.010 \\"
    assert rows_of(text)[1] == r"b & $+0.100$ & 0.200 \\"
    assert r"\multicolumn{3}{l}{\scriptsize $^{*}$ $p < 0.05$ (Holm)} \\" in text
    assert "multicolumn" not in latex_text(Table(columns, (("b", 0.1, 0.2),)))


def test_small_p_values_are_no_zero() -> None:
    table = Table(keyed("p", "x", p=("p",)), ((0.00004, 0.00004), (0.4051, 0.4051)))
    assert rows_of(latex_text(table)) == [r"$< 0.001$ & 0.000 \\", r"0.405 & 0.405 \\"]


def test_a_row_that_begins_with_a_bracket_is_no_argument_of_the_one_above() -> None:
    rows = rows_of(latex_text(Table(keyed("a"), (("[x]",), ("*",), ("x[1]",)))))
    assert rows == [r"{}[x] \\", r"{}* \\", r"x[1] \\"]


def test_numbers_that_are_none() -> None:
    rows = ((math.nan, math.inf, -math.inf, True, Formula(r"\lVert\epsilon\rVert^2"), -1e-9, -2, 30100), (0.5,) * 8)
    row, _ = rows_of(latex_text(Table(keyed(*tuple("abcdefgh")), rows)))
    assert row == r"-- & $\infty$ & $-\infty$ & yes & $\|\epsilon\|^2$ & 0.000 & $-2$ & $30\,100$ \\"


@given(st.characters(exclude_characters=":-_.", max_codepoint=0x2FF))
def test_labels_hold_what_latex_takes(char: str) -> None:
    table = Table(keyed("a"), ())
    if char.isascii() and char.isalnum():
        assert rf"\label{{{char}}}" in latex_text(table, label=char)
    else:
        with pytest.raises(ValueError, match="label"):
            latex_text(table, label=char)


CLASSES = {
    "one column": r"\documentclass{article}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "columns of 84 mm": r"\documentclass[twocolumn]{article}"
    r"\setlength{\textwidth}{177mm}\setlength{\columnsep}{9mm}\setlength{\oddsidemargin}{-5mm}",
}
RANKED = "bm25.run --qrels usefulness.qrels"
OUTPUTS = "outputs.alpha-1.jsonl.gz outputs.alpha-4.jsonl.gz outputs.deterministic.jsonl.gz"
TARGET = "--groups region.tsv --target target.json"
GRID = f"grid --outputs {OUTPUTS} --qrels extractive=utility.qrels -k 5 --table"
MEASURES = "nDCG@10,EER@5,EED@5,AWRF,nDKL@10,EU,EAR@5,EAED@5"
COMMANDS = f"""
evaluate {RANKED} {TARGET} --outputs {OUTPUTS} -m {MEASURES}
evaluate {RANKED} -m nDCG@10 --table means,per-query
compare bm25.run samples.alpha-4.run.gz --qrels usefulness.qrels -m EER@5,EED@5
tradeoff {RANKED} -k 5 --alpha 0,2,8 --policy all
measures
bias bias/predictions.csv.gz --items bias/items.csv.gz --by model,category,setting
variants variants/answers.jsonl.gz --by strategy
attribution {RANKED} --outputs {OUTPUTS} -k 5
compare bm25.run samples.alpha-4.run.gz --qrels usefulness.qrels -m nDCG@10,EER@5,AP --table wide
tradeoff {RANKED} -k 5 --table areas,intervals,spreads,alpha-tests
queries {RANKED} -k 5 --query q01
policy-lab {RANKED} {TARGET} --method det-greedy --table statements,side-effects
check {RANKED} -l "nDCG@10 >= 0.4; AP >= 0.8"
{GRID} areas
{GRID} differences
{GRID} intervals-printed
{GRID} above
{GRID} disparity
{GRID} correlations
"""


WARNED = r"^(?:Overfull|Underfull|LaTeX Warning: (?!Label)|!).*"
"""Labels are known from the second run on."""


def printed(capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    for number, command in enumerate(COMMANDS.strip().splitlines()):
        label = () if command == "measures" else ("--label", f"c{number}-")
        assert main([*shlex.split(command), *label, "--format", "latex"]) == 0, capsys.readouterr().err
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
