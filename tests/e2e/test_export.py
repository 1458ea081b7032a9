"""Export in Chromium: files, commands and the bundle agree."""

import csv
import io
import shlex
import zipfile
from pathlib import Path

import pytest

from fairviz.cli.main import main
from fairviz.model import FACTORS
from tests.dashboard import ROOT
from tests.e2e.conftest import OpenTab
from tests.e2e.tab import Tab


def test_files_and_commands_give_the_same_numbers_and_nothing_is_cut_off_in_the_dark(
    open_tab: OpenTab, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab("export", dark=True)
    name, content = tab.download("CSV")
    assert name == "fairviz-means.csv"
    table = list(csv.DictReader(io.StringIO(content.decode())))
    command = next(c for c in tab.main.locator("pre").all_text_contents() if "evaluate" in c)
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command.replace("\\\n", " "))[1:]) == 0
    known = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    made_of = set(known[0]) - set(table[0])  # what the command knows of systems stands beside the numbers
    assert made_of <= set(FACTORS)
    assert table == [
        row | {name: told[name] for name in told if name in row} for row, told in zip(table, known, strict=True)
    ]
    assert {row["better"] for row in table if row["measure"] == "AWRF"} == {"lower"}
    assert {row["groups"] for row in table} == {"region"}
    tab.press("Compute the curves")
    assert tab.overflow() == 0


@pytest.mark.slow
def test_the_bundle_on_a_phone(
    open_tab: OpenTab, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab("export", width=390)
    tab.press("Compute the curves")
    assert tab.overflow() == 0
    tab.press("Prepare the bundle")
    name, content = tab.download("Download the bundle")
    assert name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        texts = {each: files.read(each).decode() for each in files.namelist()}
    assert {
        "report.html",
        "tables/means.csv",
        "tables/curves.csv",
        "tables/consumption.tex",
        "tables/measures.csv",
        "methods.txt",
        "references.bib",
        "reproduce.sh",
    } <= texts.keys()
    assert "raj2020comparing" in texts["methods.txt"]
    assert "Sapiezynski" in texts["tables/measures.tex"]
    points = list(csv.DictReader(io.StringIO(texts["tables/curves.csv"])))
    one = next(p for p in points if p["policy"] == "plackett-luce" and p["alpha"] == "4.0")
    curve = next(c for c in tab.main.locator("pre").all_text_contents() if c.startswith("fairviz tradeoff"))
    curve = curve.replace("\\\n", " ")
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(curve.replace("0:8:33", "4"))[1:], "--table", "curves", "--format", "csv"]) == 0
    known = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert float(one["EED"]) == pytest.approx(float(known["EED"]), abs=1e-9)
    assert float(one["EER"]) == pytest.approx(float(known["EER"]), abs=1e-9)
    draws_without_network(tab, texts["report.html"], tmp_path / "report.html")


def draws_without_network(tab: Tab, text: str, report: Path) -> None:
    """Opens a report as a file: its charts are drawn, nothing is asked for or complained of."""
    report.write_text(text, encoding="utf-8")
    page = tab.context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda asked: said.append(asked.url))
    page.goto(report.as_uri())
    page.wait_for_selector(".chart .main-svg")
    assert page.locator(".chart").count() == 5  # curves, panels of the run, of answers by EE-R and by EU, their use
    assert said == [report.as_uri()]
    page.close()
