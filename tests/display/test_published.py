"""Published tables as printed: every number once, in its place, with the paper's marking."""

import csv
import re

import pytest

from fairviz.display.published import (
    PUBLISHED,
    Printed,
    PublishedTable,
    cell_words,
    mark_words,
    printed_columns,
    read_published,
    table_of,
)
from fairviz.errors import UsageError
from fairviz.resources import data_folder


def shown_of(paper: str, number: int) -> dict[str, list[Printed]]:
    """The printed columns of a table by heading."""
    return printed_columns(read_published(paper, number))


def at(shown: dict[str, list[Printed]], row: str, column: str) -> str:
    """A cell with its marks: ^ largest, _ smallest, * best; #1 its note."""
    rows = zip(*shown.values(), strict=True)
    names = ["/".join(cell.text for cell in cells[: [*shown].index(column)]) for cells in rows]
    cell = shown[column][next(i for i, name in enumerate(names) if name.startswith(row))]
    signs = {"largest": "^", "smallest": "_", "best": "*", "": ""}
    text = " ".join(text + signs[mark] for text, mark in cell.parts)
    return f"{text} #{cell.note}" if cell.note else text


def test_a_table_that_is_not_shipped_names_those_that_are() -> None:
    with pytest.raises(UsageError, match="comparing 1, 3, 4, 5"):
        read_published("comparing", 2)


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_a_shipped_file_describes_each_of_its_columns(paper: str, number: int) -> None:
    text = (data_folder("published") / f"{paper}.table-{number:02d}.csv").read_text(encoding="utf-8")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert all(re.fullmatch(r"# (paper|table|title|remark|column .+?): .*", line) for line in comments)
    header, *rows = csv.reader(text.splitlines()[len(comments) :], strict=True)
    table = read_published(paper, number)
    assert (table.paper, table.number) == (paper, number)
    assert all((table.title, *table.meanings.values()))
    assert header == [*table.cells.columns, "flag"] == [*table.meanings, "flag"]
    assert {len(row) for row in rows} == {len(header)}


def test_numbers_words_and_blanks() -> None:
    head = "# paper: p\n# table: 2\n# title: t\n# column a: m\n# column b: m\n"
    table = table_of(f"{head}a,b,flag\n-0.10,x,\n,,odd\n")
    assert table.cells.rows() == [(-0.1, "x"), (None, None)]
    assert table.flags == ("", "odd")


def test_extremes_are_among_the_settings_of_a_model_and_bias_type() -> None:
    shown = shown_of("rag-social-biases", 2)
    assert tuple(shown)[:3] == ("Bias type", "Setting", "GPT-3.5")
    # GPT-3.5, gender: 5.16, 14.53, 11.31, 4.51 and −9.33, 7.14, −0.10, −3.97
    assert at(shown, "Gender/w/o RAG", "GPT-3.5") == "5.16 −9.33_"
    assert at(shown, "Gender/stereo-set", "GPT-3.5") == "14.53^ 7.14^"
    assert at(shown, "Gender/anti-set", "GPT-3.5") == "4.51_ −3.97"
    assert at(shown, "Age/w/o RAG", "GPT-3.5") == "41.79^ 5.92_"  # 5.92, 8.97, 6.63, 6.30
    assert len(shown["GPT-3.5"]) == 16
    assert "largest (↑)" in mark_words(read_published("rag-social-biases", 2))


def test_of_a_pair_one_is_nearest_zero_or_higher() -> None:
    bias = shown_of("rag-social-biases", 11)
    assert at(bias, "GPT-3.5", "w/o RAG · zero") == "5.16* −9.33"
    assert at(bias, "GPT-3.5", "w/o RAG · few") == "15.43 4.37*"
    accuracy = shown_of("rag-social-biases", 12)
    assert at(accuracy, "GPT-3.5", "w/ RAG · zero") == "27.83* 71.68"


def test_languages_stand_side_by_side_and_are_marked_apart() -> None:
    shown = shown_of("rag-social-biases", 4)
    assert len(shown["Model"]) == 4
    assert at(shown, "GPT-3.5", "CBBQ · stereo-set") == "35.61^ 16.26^"
    assert at(shown, "GPT-3.5", "JBBQ · stereo-set") == "12.17^ 2.15^"


def test_flags_become_numbered_notes() -> None:
    shown = shown_of("rag-social-biases", 10)
    qwen = [at(shown, "Qwen-7B-Inst.", name) for name in [*shown][2:]]
    assert [cell.rpartition(" #")[0].split()[0] for cell in qwen] == ["15.43_", "16.27", "15.87"]
    assert all("#" in cell for cell in qwen)
    assert at(shown, "Llama3-8B-Inst.", "w/o RAG") == "50.30^ 60.52_ #1"
    assert len(read_published("rag-social-biases", 10).notes) == 3  # the other retrievers share one


def test_stereotypical_documents_stand_above_table_5() -> None:
    shown = shown_of("rag-social-biases", 5)
    assert [cells[0].text for cells in shown.values()] == [
        "Stereotypical documents",
        "—",
        "48.59 %",
        "46.04 %",
        "59.10 %",
    ]


def test_stars_and_blanks() -> None:
    shown = shown_of("fair-metric", 3)
    assert at(shown, "k = 20/MovieLens", "KL · Spearman") == "−1.0000***"
    assert at(shown, "k = 10/ClueWeb09", "RBP · Pearson") == "—"
    assert "*" in cell_words(read_published("fair-metric", 3))
    lost = shown_of("fair-metric", 1)
    assert at(lost, "Google", "nDCG · k = 10") == "— #1"


def test_measures_of_one_column_have_their_own_decimals() -> None:
    shown = shown_of("rag-medical-bias", 6)
    assert at(shown, "MedMCQA/Accuracy", "With vote") == "22.9"
    assert at(shown, "EquityMedQA/ROUGE-L", "With vote") == "48.0"
    assert at(shown, "EquityMedQA/DP", "Without vote") == "0.10"


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_every_value_is_shown(paper: str, number: int) -> None:
    table = read_published(paper, number)
    shown = printed_columns(table)
    parts = [text for cells in shown.values() for cell in cells for text, _ in cell.parts]
    assert len({len(cells) for cells in shown.values()}) == 1
    values = sorted(f"{abs(value):.2f}" for value in _numbers(table) if "." in f"{value:g}")
    found = sorted(
        f"{abs(float(text)):.2f}"
        for text in (part.replace("−", "-").rstrip("*% ") for part in parts)
        if text.replace(".", "").replace("-", "").isdigit() and "." in f"{float(text):g}"
    )
    assert found == values


def _numbers(table: PublishedTable) -> list[float]:
    """Every number, the share of documents once per retriever."""
    numbers = [cells.unique() if cells.name == "stereo_documents" else cells for cells in table.cells]
    return [number for cells in numbers if cells.dtype.is_float() for number in cells.drop_nulls()]
