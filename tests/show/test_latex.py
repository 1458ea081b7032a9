"""LaTeX: it compiles, whatever the cells hold."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.show.table import Formula, Table, escaped, keyed, latex_text
from tests.show.tables import tables, texts

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
    rows = rows_of(text)
    assert len(rows) == len(table.rows)
    for row in rows:
        assert row.endswith(r"\\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(table.columns) - 1
        assert bare(row).count("$") % 2 == 0
        assert not row.startswith(("[", "*"))  # would be an argument of the row above
    (form,) = re.findall(r"\\begin\{tabular\}\{([lr]*)\}", text)
    assert len(form) == len(table.columns)


def test_by_hand() -> None:
    table = Table(
        keyed("system", "Δ", "n", signed=("Δ",)),
        (("bm_25", 0.0312, 12), ("50 % & more", -0.0004, 30100), ("none", None, 0)),
        caption="One run, EE-D ≥ 0.5",
    )
    assert latex_text(table, label="tab:one") == (
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{One run, EE-D $\\ge$ 0.5}\n"
        "  \\label{tab:one}\n"
        "  \\begin{tabular}{lrr}\n"
        "    \\toprule\n"
        "    system & $\\Delta$ & n \\\\\n"
        "    \\midrule\n"
        "    bm\\_25 & $+0.031$ & 12 \\\\\n"
        "    50 \\% \\& more & $-0.000$ & $30\\,100$ \\\\\n"
        "    none & -- & 0 \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )


def test_small_p_values_are_no_zero() -> None:
    table = Table(
        keyed("p", "x", p=("p",)),
        ((0.00004, 0.00004), (0.4051, 0.4051)),
    )
    assert rows_of(latex_text(table)) == [r"$< 0.001$ & 0.000 \\", r"0.405 & 0.405 \\"]


def test_a_row_that_begins_with_a_bracket_is_no_argument_of_the_one_above() -> None:
    rows = rows_of(latex_text(Table(keyed("a"), (("[x]",), ("*",), ("x[1]",)))))
    assert rows == [r"{}[x] \\", r"{}* \\", r"x[1] \\"]


def test_numbers_that_are_none() -> None:
    rows = ((math.nan, math.inf, -math.inf, True, Formula(r"\lVert\epsilon\rVert^2"), -1e-9, -2),)
    (row,) = rows_of(latex_text(Table(keyed(*tuple("abcdefg")), rows)))
    assert row == r"-- & $\infty$ & $-\infty$ & yes & $\lVert\epsilon\rVert^2$ & 0.000 & $-2$ \\"


@given(st.characters(exclude_characters=":-_.", max_codepoint=0x2FF))
def test_labels_hold_what_latex_takes(char: str) -> None:
    table = Table(keyed("a"), ())
    if char.isascii() and char.isalnum():
        assert rf"\label{{{char}}}" in latex_text(table, label=char)
    else:
        with pytest.raises(ValueError, match="label"):
            latex_text(table, label=char)
