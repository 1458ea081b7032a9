"""Demographic QA: its report, and the tests of the page and of ``fairviz variants``."""

import html
import json
import re

import pytest

from fairviz.cli.main import main
from fairviz.studies.demographic_qa.frames import Record
from fairviz.studies.demographic_qa.loaded import measured_combinations, measured_rows
from fairviz.studies.demographic_qa.settings import VariantsSettings
from pages._kit.session import example
from tests.app.conftest import OpenPage
from tests.app.reading import title, words
from tests.dashboard import ROOT

ANSWERS = str(ROOT / "data" / "demo" / "variants" / "answers.jsonl.gz")
OPEN = ANSWERS.replace("answers.jsonl", "open.jsonl")
QRELS = str(ROOT / "data" / "demo" / "usefulness.qrels")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints."""
    capsys.readouterr()
    assert main(["variants", *arguments]) == 0
    return capsys.readouterr().out


def test_the_report_has_gaps_with_chance_levels_and_tests(app_test: OpenPage, downloads: dict[str, str]) -> None:
    at = app_test("demographic_qa")
    report = html.unescape(downloads["fairviz-demographic-qa.html"])
    assert title(at) in report
    (section,) = [each for each in re.findall(r"<section.*?</section>", report, re.DOTALL) if "DP, by chance" in each]
    heading = re.search(r"<h2>(.*?)</h2>", section)
    assert heading is not None
    assert heading[1].lower() in words(at).lower()  # the page's own finding
    for words_of_table in ("DP, p (Holm)", "EO, by chance", "change of DP"):
        assert words_of_table in section
    assert re.search(r"<small[^>]*>[^<]*[0-9]", section)  # an interval stands beneath its value
    assert "permutation within questions" in section
    headings = " & ".join(re.findall(r"<th[^>]*>(.*?)</th>", report))
    assert "attribute & group & rate & n" in headings  # the interval stands beneath the rate
    assert "attribute & score & vote & vote minus score" in headings
    assert report.count('class="chart"') == 3  # race, gender, their combinations


def rows_of_page() -> list[Record]:
    """Single attributes of all answers, and their combinations."""
    cells = measured_rows(example(), VariantsSettings(), cells=True)
    answers = measured_combinations(example(), VariantsSettings())
    return [row for combination in answers for row in (*combination.rows, *cells.get(combination.key, ()))]


def by_of(row: Record, *columns: str) -> list[str]:
    """Values of columns, "" where there is none of that name."""
    return [dict(row["by"]).get(column, "") for column in columns]


def test_command_and_page_correct_over_the_same_tests(app_test: OpenPage, capsys: pytest.CaptureFixture[str]) -> None:
    app_test("demographic_qa")
    tables = json.loads(printed(capsys, ANSWERS, OPEN, "--qrels", QRELS, "--format", "json"))["tables"]
    rows, every = tables["rows"], tables["gaps"]
    of_command = {
        (gap["attribute"], gap["first"], gap["second"], gap["model"], gap.get("strategy", "")): (
            gap["p"],
            gap["p_holm"],
        )
        for gap in every
    }
    of_page = {
        (row["attribute"], gap["first"], gap["second"], *by_of(row, "model", "strategy")): (
            gap["p"],
            gap["p_holm"],
        )
        for row in rows_of_page()
        for gap in row["gaps"]
    }
    assert of_page == of_command
    for cells in (False, True):
        gaps = [gap for gap in every if ("+" in gap["attribute"]) == cells]
        assert {gap["n_tests"] for gap in gaps} == {sum(gap["p"] is not None for gap in gaps)}
    of_rows = {
        (row["attribute"], row["model"], row.get("strategy", ""), row.get("retriever", ""), row.get("k", "")): [
            row[f"{name}_p_holm"] for name in ("dp", "eo", "ddp", "deo")
        ]
        for row in rows
        if row["attribute"] != "all"
    }
    shown = [
        (row, [row["dp_p_holm"], row["eo_p_holm"], row["ddp_p_holm"], row["deo_p_holm"]]) for row in rows_of_page()
    ]
    assert len(shown) == len(of_rows)
    for row, p_values in shown:
        key = (row["attribute"], *by_of(row, "model", "strategy", "retriever", "k"))
        assert of_rows[key] == [None if p != p else p for p in p_values]
