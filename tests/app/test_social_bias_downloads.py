"""Social bias: downloads have words where people read them, and the tests of the command."""

import csv
import gzip
from pathlib import Path

import pytest

from fairviz.cli.main import main
from tests.app.conftest import OpenPage
from tests.dashboard import ROOT

DEMO = ROOT / "data" / "demo" / "bias"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints as CSV."""
    capsys.readouterr()
    assert main(["bias", *arguments, "--format", "csv"]) == 0
    return capsys.readouterr().out


def test_what_people_read_has_words(app_test: OpenPage, downloads: dict[str, str]) -> None:
    app_test("social_bias")
    latex = downloads["fairviz-social-bias.tex"]
    headings = latex.split(r"\toprule")[1].split(r"\midrule")[0]
    for words in ("bias type &", "& templates &", "Diff-Bias", r"(Holm)", "in words"):
        assert words in headings
    changes = downloads["fairviz-social-bias-changes.tex"]
    assert "stereo-set" in changes.split(r"\toprule")[1].split(r"\midrule")[0]


def test_command_and_page_correct_over_the_tests_of_their_table(
    app_test: OpenPage, downloads: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The page shows one retriever and k: answers of these alone have the same p, those of all more tests."""
    app_test("social_bias")
    of_page = _by_name(downloads["fairviz-social-bias-changes.csv"])
    with gzip.open(DEMO / "predictions.csv.gz", "rt", newline="") as file:
        answers = list(csv.DictReader(file))
    shown = tmp_path / "shown.csv"
    with shown.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(answers[0]))
        writer.writeheader()
        writer.writerows(row for row in answers if (row["retriever"], row["k"]) in (("bm25", "10"), ("", "")))
    items = ("--items", str(DEMO / "items.csv.gz"), "--table", "changes")
    alone = _by_name(printed(capsys, str(shown), *items))
    assert alone.keys() == of_page.keys()
    keys = ("p", "p_holm", "n_tests")
    assert {name: [row[key] for key in keys] for name, row in alone.items()} == {
        name: [row[key] for key in keys] for name, row in of_page.items()
    }
    of_all = list(csv.DictReader(printed(capsys, str(DEMO / "predictions.csv.gz"), *items).splitlines()))
    assert {row["n_tests"] for row in of_all} == {str(sum(bool(row["p_holm"]) for row in of_all))}


def _by_name(text: str) -> dict[tuple[str, ...], dict[str, str]]:
    return {_row_name(row): row for row in csv.DictReader(text.splitlines())}


def _row_name(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in ("model", "category", "setting", "stereotyped", "measure"))
