"""Published tables as printed: every number once, in its place, with the paper's marking."""

import pytest

from fairviz.display.published import PrintedTable, printed_table
from fairviz.io.published import PUBLISHED, read_published
from fairviz.model import PublishedTable


def at(shown: PrintedTable, row: str, column: str) -> str:
    """A cell with its marks: ^ largest, _ smallest, * best; #1 its note."""
    place = shown.head.index(column)
    names = ["/".join(one.text for one in cells[:place]) for cells in shown.rows]
    cells = shown.rows[next(i for i, name in enumerate(names) if name.startswith(row))]
    signs = {"largest": "^", "smallest": "_", "best": "*", "": ""}
    text = " ".join(part.text + signs[part.mark] for part in cells[place].parts)
    return text + "".join(f" #{note}" for note in cells[place].notes)


def test_extremes_are_among_the_settings_of_a_model_and_bias_type() -> None:
    shown = printed_table(read_published("rag-social-biases", 2))
    assert shown.head[:3] == ("Bias type", "Setting", "GPT-3.5")
    # GPT-3.5, gender: 5.16, 14.53, 11.31, 4.51 and −9.33, 7.14, −0.10, −3.97
    assert at(shown, "Gender/w/o RAG", "GPT-3.5") == "5.16 −9.33_"
    assert at(shown, "Gender/stereo-set", "GPT-3.5") == "14.53^ 7.14^"
    assert at(shown, "Gender/anti-set", "GPT-3.5") == "4.51_ −3.97"
    assert at(shown, "Age/w/o RAG", "GPT-3.5") == "41.79^ 5.92_"  # 5.92, 8.97, 6.63, 6.30
    assert len(shown.rows) == 16
    assert "largest (↑)" in shown.bold


def test_of_a_pair_one_is_nearest_zero_or_higher() -> None:
    bias = printed_table(read_published("rag-social-biases", 11))
    assert at(bias, "GPT-3.5", "w/o RAG · zero") == "5.16* −9.33"
    assert at(bias, "GPT-3.5", "w/o RAG · few") == "15.43 4.37*"
    accuracy = printed_table(read_published("rag-social-biases", 12))
    assert at(accuracy, "GPT-3.5", "w/ RAG · zero") == "27.83* 71.68"


def test_languages_stand_side_by_side_and_are_marked_apart() -> None:
    shown = printed_table(read_published("rag-social-biases", 4))
    assert len(shown.rows) == 4
    assert at(shown, "GPT-3.5", "CBBQ · stereo-set") == "35.61^ 16.26^"
    assert at(shown, "GPT-3.5", "JBBQ · stereo-set") == "12.17^ 2.15^"


def test_flags_become_numbered_notes() -> None:
    shown = printed_table(read_published("rag-social-biases", 10))
    qwen = [at(shown, "Qwen-7B-Inst.", name) for name in shown.head[2:]]
    assert [cell.rpartition(" #")[0].split()[0] for cell in qwen] == ["15.43_", "16.27", "15.87"]
    assert all("#" in cell for cell in qwen)
    assert at(shown, "Llama3-8B-Inst.", "w/o RAG") == "50.30^ 60.52_ #1"
    assert len(shown.notes) == 3  # the other retrievers share one


def test_stereotypical_documents_stand_above_table_5() -> None:
    shown = printed_table(read_published("rag-social-biases", 5))
    assert [cell.text for cell in shown.rows[0]] == ["Stereotypical documents", "—", "48.59 %", "46.04 %", "59.10 %"]


def test_stars_and_blanks() -> None:
    shown = printed_table(read_published("fair-metric", 3))
    assert at(shown, "k = 20/MovieLens", "KL · Spearman") == "−1.0000***"
    assert at(shown, "k = 10/ClueWeb09", "RBP · Pearson") == "—"
    assert "*" in shown.cells
    lost = printed_table(read_published("fair-metric", 1))
    assert at(lost, "Google", "nDCG · k = 10") == "— #1"


def test_measures_of_one_column_have_their_own_decimals() -> None:
    shown = printed_table(read_published("rag-medical-bias", 6))
    assert at(shown, "MedMCQA/Accuracy", "With vote") == "22.9"
    assert at(shown, "EquityMedQA/ROUGE-L", "With vote") == "48.0"
    assert at(shown, "EquityMedQA/DP", "Without vote") == "0.10"


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_every_value_is_shown(paper: str, number: int) -> None:
    table = read_published(paper, number)
    shown = printed_table(table)
    parts = [part.text for row in shown.rows for cell in row for part in cell.parts]
    assert {len(row) for row in shown.rows} == {len(shown.head)}
    values = sorted(f"{abs(value):.2f}" for value in _numbers(table) if "." in f"{value:g}")
    found = sorted(
        f"{abs(float(text)):.2f}"
        for text in (part.replace("−", "-").rstrip("*% ") for part in parts)
        if text.replace(".", "").replace("-", "").isdigit() and "." in f"{float(text):g}"
    )
    assert found == values
    assert shown.notes == tuple(dict.fromkeys(flag for flag in table.flags if flag))


def _numbers(table: PublishedTable) -> list[float]:
    """Every number, the share of documents once per retriever."""
    cells = [
        (name, cell)
        for name in table.columns
        for cell in (dict.fromkeys(table.column(name)) if name == "stereo_documents" else table.column(name))
    ]
    return [cell for _, cell in cells if isinstance(cell, float)]
